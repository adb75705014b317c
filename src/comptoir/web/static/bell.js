/** The turn is told: by the tab's title always, by a sound and a notification if the person has switched them on. */

import { byId, said } from "./page.js";

/** @param {string} id
 * @returns {HTMLInputElement} */
function box(id) {
  return /** @type {HTMLInputElement} */ (byId(id));
}

export class Bell {
  constructor() {
    /** @type {AudioContext | null} */
    this.audio = null;
    this.yours = true; // the first view rings no bell
    this.remember("sound", () => this.ring());
    this.remember("notify", () => void this.askLeave());
    if (!("Notification" in window) || Notification.permission !== "granted") box("notify").checked = false;
    document.querySelectorAll(".scripted").forEach((part) => part.removeAttribute("hidden"));
  }

  /** A switch that is kept on this device.
   * @param {string} id
   * @param {() => void} on */
  remember(id, on) {
    box(id).checked = localStorage.getItem(id) === "on";
    box(id).addEventListener("change", () => {
      localStorage.setItem(id, box(id).checked ? "on" : "");
      if (box(id).checked) on();
    });
  }

  async askLeave() {
    const leave = "Notification" in window ? await Notification.requestPermission() : "denied";
    if (leave === "granted") return;
    box("notify").checked = false;
    localStorage.setItem("notify", "");
    alert(said("refused"));
  }

  /** @param {boolean} yours
   * @param {string} title */
  tell(yours, title) {
    document.title = title;
    if (yours && !this.yours) {
      if (box("sound").checked) this.ring();
      if (box("notify").checked && document.hidden) new Notification(said("yours"), { tag: location.pathname, icon: "/static/icons/favicon.svg" });
    }
    this.yours = yours;
  }

  /** Two soft notes, as of a ship's bell far off. */
  ring() {
    this.audio ??= new AudioContext();
    void this.audio.resume();
    const now = this.audio.currentTime;
    [659.3, 987.8].forEach((pitch, n) => this.note(pitch, now + 0.16 * n));
  }

  /** @param {number} pitch
   * @param {number} start */
  note(pitch, start) {
    if (!this.audio) return;
    const voice = this.audio.createOscillator();
    const volume = this.audio.createGain();
    voice.frequency.value = pitch;
    volume.gain.setValueAtTime(0, start);
    volume.gain.linearRampToValueAtTime(0.08, start + 0.02);
    volume.gain.exponentialRampToValueAtTime(0.0001, start + 0.9);
    voice.connect(volume).connect(this.audio.destination);
    voice.start(start);
    voice.stop(start + 1);
  }
}
