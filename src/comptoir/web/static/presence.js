/** Who else is at the table: a quiet mark at each person's name, and how many look on. */

import { all, byId, closest, uiText } from "./dom.js";

const HERE = 1;
const SEEN = 2;

/** @typedef {import("./dom.js").Present} Present */

export class Presence {
  constructor() {
    /** @type {Present} */
    this.now = { here: [], watching: 0 };
    this.waiting = -1; // the seat for whose absence I have chosen to wait
    document.addEventListener("click", (event) => closest(event, "[data-wait]") && this.wait());
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
    this.miss();
    for (const count of all(".watching-count")) {
      count.hidden = !this.now.watching;
      count.textContent = uiText("watching").replace("{n}", String(this.now.watching));
    }
  }

  /** Whoever is to act and is away is missed: the prompt says so, and what can be done. */
  miss() {
    const seat = Number(all(".missing")[0]?.dataset.of ?? -1);
    const told = this.now.here[seat] ?? null;
    const gone = told !== null && !(told & HERE);
    if (!gone || seat !== this.waiting) this.waiting = -1;
    byId("table").classList.toggle("misses", gone && this.waiting < 0);
  }

  wait() {
    this.waiting = Number(all(".missing")[0]?.dataset.of ?? -1);
    byId("table").classList.remove("misses");
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
