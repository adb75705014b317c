/** The turn is told: by the tab's title always, by the badge of the installed app, by a sound and by notices if the person
 * has switched them on. */

import { countAgain } from "./badge.js";
import { Notifications } from "./notifications.js";
import { byId } from "./dom.js";

/** In hertz, one note after the other: my turn, something big, the end. */
const SOUNDS = { turn: [659.3, 987.8], moment: [493.9], end: [987.8, 784, 659.3, 523.3] };

/** @param {string} id
 * @returns {HTMLInputElement} */
function box(id) {
  return /** @type {HTMLInputElement} */ (byId(id));
}

export class TurnAlerts {
  constructor() {
    /** @type {AudioContext | null} */
    this.audio = null;
    this.yours = true; // the first view rings no bell
    this.over = true;
    /** @type {boolean | undefined} */
    this.counted = undefined; // whether it was when the tables that wait were last counted
    this.remember("sound", () => this.ring(SOUNDS.turn));
    new Notifications();
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

  /** @param {boolean} yours
   * @param {string} title
   * @param {boolean} moment whether something big has happened
   * @param {boolean} over whether the match is */
  tell(yours, title, moment, over) {
    document.title = title;
    if (yours !== this.counted) void countAgain();
    this.counted = yours;
    const sound = over && !this.over ? SOUNDS.end : yours && !this.yours ? SOUNDS.turn : moment ? SOUNDS.moment : [];
    if (sound.length && box("sound").checked) this.ring(sound);
    this.yours = yours;
    this.over = over;
  }

  /** Soft notes, as of a ship's bell far off.
   * @param {number[]} pitches */
  ring(pitches) {
    this.audio ??= new AudioContext();
    void this.audio.resume();
    const now = this.audio.currentTime;
    pitches.forEach((pitch, n) => this.note(pitch, now + 0.16 * n));
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
