/** How fast bots act, for whom that is to be chosen: kept on this device, asked of the server. */

import { byId } from "./dom.js";

const STORAGE_KEY = "speed";
const EARLIER = /** @type {Record<string, string>} */ ({ calm: "slow" }); // values that a browser may have stored

/** @typedef {import("./dom.js").View} View */

export class BotSpeed {
  /** @param {(message: object) => void} send
   * @param {() => void} skip what is shown now */
  constructor(send, skip) {
    this.send = send;
    this.choice = /** @type {HTMLSelectElement} */ (byId("speed"));
    this.skip = byId("skip");
    this.asked = false;
    this.choice.addEventListener("change", () => {
      localStorage.setItem(STORAGE_KEY, this.choice.value);
      this.send({ type: "bot_speed", speed: this.choice.value });
    });
    this.skip.addEventListener("click", () => {
      this.send({ type: "skip" });
      skip();
    });
  }

  /** @param {View} view */
  tell({ speed, skip }) {
    this.skip.hidden = !skip || speed === "at once";
    byId("speed-line").hidden = speed === null;
    if (speed === null) return;
    const stored = localStorage.getItem(STORAGE_KEY) ?? "";
    const wanted = EARLIER[stored] ?? stored;
    if (!this.asked && wanted && wanted !== speed) this.send({ type: "bot_speed", speed: wanted });
    else this.choice.value = speed;
    this.asked = true;
  }
}
