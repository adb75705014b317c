/** Notices on this device, with the page closed: switched on and off, and what is said of them. */

import { byId } from "./dom.js";

/** Why there can be none here, in a word of the page's; "" if there can be.
 * @returns {"insecure" | "homeScreen" | "unsupported" | ""} */
function hindrance() {
  if (!isSecureContext) return "insecure";
  if ("serviceWorker" in navigator && "PushManager" in window && "Notification" in window) return "";
  const apple = /iPhone|iPad/.test(navigator.userAgent) || (/Mac/.test(navigator.userAgent) && navigator.maxTouchPoints > 1);
  return apple ? "homeScreen" : "unsupported";
}

/** A key as `pushManager` wants it everywhere.
 * @param {string} text
 * @returns {Uint8Array<ArrayBuffer>} */
function bytes(text) {
  const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(plain, (letter) => letter.charCodeAt(0));
}

class Refused extends Error {}

export class Notifications {
  constructor() {
    this.box = /** @type {HTMLInputElement} */ (byId("notify"));
    this.words = byId("notices-said").dataset;
    this.box.disabled = true; // until it is known how it stands
    const hindered = hindrance();
    if (hindered) {
      this.say(hindered);
    } else {
      this.box.addEventListener("change", () => void this.change());
      void this.look().finally(() => (this.box.disabled = false));
    }
  }

  /** @param {string} key */
  say(key) {
    byId("notify-said").textContent = this.words[key] ?? key;
  }

  /** How it stands: what the server knows of this device counts, as long as the browser still allows it. */
  async look() {
    if (Notification.permission !== "granted") return;
    const { on } = await this.known();
    this.box.checked = on;
    if (on && !(await this.subscription())) await this.change(); // the browser has given it up
  }

  /** @returns {Promise<{key: string, on: boolean}>} */
  async known() {
    const answer = await fetch("/me/notifications", { headers: { Accept: "application/json" } });
    if (!answer.ok) throw new Error("no answer");
    return answer.json();
  }

  async subscription() {
    const worker = await navigator.serviceWorker.getRegistration("/");
    return (await worker?.pushManager.getSubscription()) ?? null;
  }

  async change() {
    const wanted = this.box.checked;
    this.box.disabled = true;
    try {
      await (wanted ? this.switchOn() : this.switchOff());
      this.say(wanted ? "on" : "off");
    } catch (error) {
      this.box.checked = false;
      this.say(error instanceof Refused ? error.message : "failed");
    }
    this.box.disabled = false;
  }

  async switchOn() {
    if ((await Notification.requestPermission()) !== "granted") throw new Refused("denied");
    await navigator.serviceWorker.register("/sw.js");
    const worker = await navigator.serviceWorker.ready;
    const { key } = await this.known();
    await (await worker.pushManager.getSubscription())?.unsubscribe(); // it may be for another server's key
    const made = await worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytes(key) });
    const { endpoint = "", keys = {} } = made.toJSON();
    await this.post("/me/notifications", { endpoint, p256dh: keys.p256dh ?? "", auth: keys.auth ?? "" });
  }

  async switchOff() {
    await this.post("/me/notifications/stop", {});
    await (await this.subscription())?.unsubscribe();
  }

  /** @param {string} path
   * @param {Record<string, string>} fields */
  async post(path, fields) {
    const body = new URLSearchParams({ token: this.words.token ?? "", ...fields });
    const answer = await fetch(path, { method: "POST", headers: { Accept: "application/json" }, body });
    if (answer.ok) return;
    const said = await answer.json().catch(() => ({}));
    throw new Refused(said.error ?? "failed");
  }
}
