/** The countdown of a decision, by the server's time; and when others may ask a bot to play for whom they wait. */

import { all, byId } from "./page.js";

const LATE = 10; // seconds

export class Clock {
  constructor() {
    this.ahead = 0; // seconds that the server's clock is ahead of ours
    /** @type {number | null} */
    this.due = null;
    setInterval(() => this.tick(), 250);
  }

  /** @param {number | null} due
   * @param {number} now the server's time */
  set(due, now) {
    this.due = due;
    this.ahead = now - Date.now() / 1000;
    this.tick();
  }

  tick() {
    const now = Date.now() / 1000 + this.ahead;
    const shown = byId("clock");
    shown.hidden = this.due === null;
    if (this.due !== null) {
      const left = Math.max(0, Math.ceil(this.due - now));
      const text = left >= 3600 ? `${Math.floor(left / 3600)} h ${String(Math.floor(left / 60) % 60).padStart(2, "0")}` : `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
      if (shown.textContent !== text) shown.textContent = text;
      shown.classList.toggle("late", left <= LATE);
    }
    const seated = byId("notice").dataset.seat !== "";
    for (const button of all(".stand-in")) button.hidden = !seated || now < Number(button.dataset.after);
  }
}
