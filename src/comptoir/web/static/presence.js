/** Who else is at the table: a quiet mark at each person's name, and how many look on. */

import { all, byId, uiText } from "./dom.js";

const HERE = 1;
const SEEN = 2;

/** @typedef {import("./dom.js").Present} Present */

export class Presence {
  constructor() {
    /** @type {Present} */
    this.now = { here: [], watching: 0 };
  }

  /** @param {Present} now */
  tell(now) {
    this.now = now;
    byId("talk").hidden = now.here.every((one) => one === null); // there is nobody to talk to
    this.refresh();
  }

  /** The panels may be new. */
  refresh() {
    for (const mark of all(".here")) this.mark(mark, this.now.here[Number(mark.dataset.of)] ?? null);
    for (const count of all(".watching-count")) {
      count.hidden = !this.now.watching;
      count.textContent = uiText("watching").replace("{n}", String(this.now.watching));
    }
  }

  /** @param {HTMLElement} mark
   * @param {number | null} told what is so of a person; nothing is known of who has just sat down */
  mark(mark, told) {
    mark.hidden = told === null;
    const here = ((told ?? 0) & HERE) !== 0;
    const seen = ((told ?? 0) & SEEN) !== 0;
    const words = uiText((here ? "here" : "gone") + (seen ? "Seen" : ""));
    mark.className = `here${here ? "" : " gone"}${seen ? " seen" : ""}`;
    mark.setAttribute("role", "img");
    mark.setAttribute("aria-label", words);
    mark.title = words;
  }
}
