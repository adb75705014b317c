/** What a seat's icons mean: its facts with their names, beside the panel, by a click, a tap or a key. */

import { byId } from "./dom.js";

const EDGE = 8; // from the window's
const SAME = 300; // milliseconds: a tap beside the box closes it, and the click that follows is the same tap

export class SeatDetails {
  constructor() {
    this.box = byId("explained");
    this.seat = "";
    this.closed = -SAME;
    this.box.addEventListener("beforetoggle", (event) => {
      if (event instanceof ToggleEvent && event.newState === "closed") this.closed = event.timeStamp;
    });
  }

  /** Opens what is said of a seat; the seat whose box was open closes it.
   * @param {string} seat
   * @param {number} now the time of the event */
  toggle(seat, now) {
    if (seat === this.seat && now - this.closed < SAME) return;
    this.seat = seat;
    this.fill();
    this.box.showPopover();
    const { left, bottom } = byId(`seat-${seat}`).getBoundingClientRect();
    this.box.style.left = `${Math.max(EDGE, Math.min(left, innerWidth - this.box.offsetWidth - EDGE))}px`;
    this.box.style.top = `${Math.max(EDGE, Math.min(bottom + 4, innerHeight - this.box.offsetHeight - EDGE))}px`;
  }

  /** The seat's name and facts as they are now. */
  fill() {
    const panel = byId(`seat-${this.seat}`);
    const parts = [".mark", ".called", ".tag", ".here", ".facts"].map((part) => panel.querySelector(part)?.cloneNode(true));
    this.box.className = `explained of-${this.seat}`;
    this.box.replaceChildren(...parts.filter((part) => part !== undefined));
  }

  /** The table has changed. */
  refresh() {
    if (this.box.matches(":popover-open")) this.fill();
  }
}
