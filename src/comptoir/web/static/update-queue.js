/** What the server tells is shown one thing after another: glides are not cut short, and after a big moment the next thing waits. */

import { finish } from "./motion.js";

const PAUSES = /** @type {Record<string, number>} */ ({ slow: 1500, brisk: 700, "at once": 0 }); // after a big moment, in milliseconds
const MOST = 2; // that wait: what is shown is never far behind what is so

/** @typedef {import("./dom.js").View} View */
/** @typedef {{lasts: number, moment: boolean}} Shown how long its glides last, and whether a big moment was in it */

export class UpdateQueue {
  /** @param {(view: View, mine: boolean) => Shown} show */
  constructor(show) {
    this.show = show;
    /** @type {[View, boolean][]} */
    this.waiting = [];
    this.timer = 0;
  }

  /** What I have done myself is shown at once, and so is everything while nobody looks, or when it comes faster than it can be shown.
   * @param {View} view
   * @param {boolean} mine */
  add(view, mine) {
    this.waiting.push([view, mine]);
    if (mine || document.hidden || view.tempo === "at once" || this.waiting.length > MOST) this.hurry();
    else if (!this.timer) this.next();
  }

  next() {
    this.timer = 0;
    const first = this.waiting.shift();
    if (!first) return;
    const { lasts, moment } = this.show(...first);
    this.timer = setTimeout(() => this.next(), lasts + (moment ? PAUSES[first[0].tempo] : 0));
  }

  /** Ends what glides, and shows at once all that waits. */
  hurry() {
    clearTimeout(this.timer);
    finish();
    while (this.waiting.length > 1) this.show(.../** @type {[View, boolean]} */ (this.waiting.shift()));
    this.next();
  }
}
