/** The end of a turn that ends by itself can be thought over for some seconds, or gone on with at once.
 *
 * What can be undone has been done, and the server waits. What turns something up cannot: it is sent only then.
 */

import { all, byId, uiText } from "./dom.js";

const STORAGE_KEY = "at-once";
const TAP_GUARD_MS = 600; // milliseconds for which a turn is not ended: a finger may still be on its way
const SPARE = 1; // second of a clock that is left for sending

/** @typedef {import("./dom.js").View} View */

export class TurnEnd {
  /**
   * @param {(message: object) => void} send
   * @param {(action: string) => void} onPlay
   * @param {() => void} onUndo
   */
  constructor(send, onPlay, onUndo) {
    this.send = send;
    this.onPlay = onPlay;
    this.onUndo = onUndo;
    this.linger = 0; // seconds
    this.ahead = 0; // seconds that the server's clock is ahead of ours
    /** @type {number | null} */
    this.due = null;
    /** @type {number | null} */
    this.endsAt = null;
    this.held = ""; // the action that is not sent yet
    this.timer = 0;
    this.since = 0;
    this.choice = /** @type {HTMLInputElement} */ (byId("at-once"));
    this.choice.checked = localStorage.getItem(STORAGE_KEY) === "on";
    this.choice.addEventListener("change", () => this.prefer());
    document.addEventListener("click", (event) => this.clicked(event));
    document.addEventListener("visibilitychange", () => document.hidden && this.held && this.end());
  }

  prefer() {
    localStorage.setItem(STORAGE_KEY, this.choice.checked ? "on" : "");
    this.send({ type: "auto_end_turn", at_once: this.choice.checked });
  }

  /** After the page has changed.
   * @param {View} view */
  tell({ ends_at, linger, at_once, due, now }) {
    this.linger = linger;
    this.due = due;
    this.ahead = now - Date.now() / 1000;
    if (at_once !== this.choice.checked && byId("notice").dataset.seat !== "") this.send({ type: "auto_end_turn", at_once: this.choice.checked });
    if (this.held && !this.button(this.held)) this.drop();
    if (this.held) this.show();
    else if (ends_at !== null && ends_at !== this.endsAt) this.run(ends_at - now);
    this.endsAt = ends_at;
  }

  /** @param {string} action
   * @returns {HTMLElement | undefined} */
  button(action) {
    return all("#choices .choice[data-held]").find((button) => button.dataset.action === action);
  }

  /** Holds back an action that could not be undone; false if it is to be sent.
   * @param {string} action
   * @returns {boolean} */
  hold(action) {
    if (this.held) this.drop();
    const now = Date.now() / 1000 + this.ahead;
    const seconds = Math.min(this.linger, (this.due ?? Infinity) - now - SPARE);
    if (this.choice.checked || seconds <= 0 || !this.button(action)) return false;
    this.held = action;
    this.timer = setTimeout(() => this.end(), 1000 * seconds);
    this.show();
    this.run(seconds);
    return true;
  }

  show() {
    const label = this.button(this.held)?.querySelector("b")?.textContent ?? "";
    all("#choices .ending p")[0].textContent = uiText("ends").replace("{action}", label);
    all("#choices .ending")[0].hidden = false;
  }

  /** @param {number} seconds that are left */
  run(seconds) {
    this.since = Date.now();
    const bar = all("#choices .ending-bar")[0];
    bar?.getAnimations().forEach((running) => running.cancel());
    bar?.animate({ transform: ["scaleX(1)", "scaleX(0)"] }, { duration: 1000 * Math.max(0, seconds), fill: "forwards" });
  }

  /** What was held back is not done. */
  drop() {
    clearTimeout(this.timer);
    this.held = "";
    const shown = all("#choices .ending")[0];
    if (shown) shown.hidden = true;
  }

  end() {
    const action = this.held;
    if (!action) return this.send({ type: "end_turn" });
    this.drop();
    this.onPlay(action);
  }

  /** @returns {boolean} whether something was held back */
  undo() {
    if (!this.held) return false;
    this.drop();
    byId("choices").focus({ preventScroll: true });
    return true;
  }

  /** @param {Event} event */
  clicked(event) {
    const button = event.target instanceof Element ? event.target.closest("[data-ending]") : null;
    if (!(button instanceof HTMLElement)) return;
    if (button.dataset.ending === "undo") this.onUndo();
    else if (Date.now() - this.since >= TAP_GUARD_MS) this.end();
  }
}
