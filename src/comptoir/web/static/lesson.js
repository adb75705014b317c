/** A lesson's guide: its leaves one after the other, and what each points at. All that it says comes from the server. */

import { all, closest, byId } from "./dom.js";

/** @typedef {import("./choices.js").Choices} Choices */

export class LessonGuide {
  /**
   * @param {Choices} choices
   * @param {(what: "retrace" | "restart") => void} onBack
   * @param {() => void} onLeaf another leaf is shown */
  constructor(choices, onBack, onLeaf) {
    this.choices = choices;
    this.onBack = onBack;
    this.onLeaf = onLeaf;
    this.moment = ""; // what the leaves are about
    this.leaf = 0;
    /** @type {Map<string, number>} how far each step was read: whoever comes back goes on there */
    this.read = new Map();
    document.addEventListener("click", (event) => this.clicked(event));
  }

  /** After the page has changed: the first leaf of a new step, or the one that was being read. Where there is no lesson, nothing. */
  refresh() {
    const guide = byId("guide");
    const moment = guide.hidden ? "" : `${guide.className} ${guide.dataset.ply} ${guide.dataset.action}`;
    if (!moment && !this.moment) return;
    if (moment !== this.moment) this.leaf = this.read.get(moment) ?? 0;
    this.moment = moment;
    this.show();
  }

  show() {
    const leaves = all("#guide .leaf");
    const last = this.leaf >= leaves.length - 1;
    leaves.forEach((leaf, n) => (leaf.hidden = n !== this.leaf));
    for (const one of all("#guide .guide-do > *")) one.hidden = (one.dataset.guide === "next") === last;
    const spots = (leaves[this.leaf]?.dataset.spots ?? "").split(" ").filter(Boolean);
    this.choices.light((last && byId("guide").dataset.action) || "", spots);
  }

  /** @param {Event} event */
  clicked(event) {
    const what = closest(event, "[data-guide]")?.dataset.guide;
    if (what === "next") this.turn();
    else if (what === "retrace" || what === "restart") {
      if (what === "restart") this.read.clear();
      this.onBack(what);
    }
  }

  turn() {
    this.leaf += 1;
    this.read.set(this.moment, this.leaf);
    this.show();
    byId("guide").querySelector(".leaves")?.scrollTo(0, 0);
    this.onLeaf();
  }
}
