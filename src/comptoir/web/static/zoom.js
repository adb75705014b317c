/** The board seen closer: with two fingers, with Ctrl and the wheel, or with keys. Its pane scrolls as any pane does; here is how large the board is in it. */

import { byId } from "./dom.js";

const MOST = 3;
const MARGIN = 10; // pixels between what is brought into view and the edge
const SLIP = 4; // pixels that a mouse moves while it clicks

/** @typedef {{left: number, right: number, top: number, bottom: number}} Bounds */

export class Zoom {
  /** @param {HTMLElement} pane */
  constructor(pane) {
    this.pane = pane;
    this.times = 1; // as large as when all of its width is seen
    this.apart = 0; // how far two fingers were from each other
    this.dragged = 0; // how far the mouse has pulled the board
    this.under = 0; // pixels of its foot that something lies over
    this.moved = false; // whether somebody has moved the board, so that it does not follow what others do
    for (const kind of ["touchmove", "wheel"]) pane.addEventListener(kind, () => (this.moved = true), { passive: true });
    pane.addEventListener("touchstart", (event) => this.touch(event), { passive: true });
    pane.addEventListener("touchmove", (event) => this.pinch(event), { passive: false });
    pane.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    pane.addEventListener("pointerdown", () => (this.dragged = 0));
    pane.addEventListener("pointermove", (event) => this.drag(event));
    pane.addEventListener("click", (event) => this.dragged > SLIP && event.stopPropagation(), { capture: true });
    byId("whole").addEventListener("click", () => this.whole());
  }

  // Closer and back

  /** @param {number} times
   * @param {number} x of the point in the window that stays where it is
   * @param {number} y */
  to(times, x, y) {
    const before = byId("pieces").getBoundingClientRect();
    this.times = Math.min(MOST, Math.max(this.least(), times));
    this.pane.style.setProperty("--zoom", String(this.times));
    this.shown();
    const after = byId("pieces").getBoundingClientRect();
    const across = (x - before.left) / before.width;
    const down = (y - before.top) / before.height;
    this.pane.scrollBy({ left: after.left + across * after.width - x, top: after.top + down * after.height - y, behavior: "instant" });
  }

  /** Around the middle of what is seen.
   * @param {number} factor */
  by(factor) {
    const { left, right, top, bottom } = this.seen();
    this.to(this.times * factor, (left + right) / 2, (top + bottom) / 2);
  }

  /** The part of the pane that nothing lies over.
   * @returns {Bounds} */
  seen() {
    const { left, right, top, bottom } = this.pane.getBoundingClientRect();
    return { left, right, top, bottom: bottom - this.under };
  }

  /** What lies over the foot of the pane, as strip, sentence and dock do on a phone.
   * @param {number} under how high it is, in pixels */
  cover(under) {
    if (under === this.under) return;
    this.under = under;
    byId("table").style.setProperty("--under", `${under}px`);
  }

  whole() {
    this.by(this.least() / this.times);
  }

  /** All of its width is seen; alone on the screen, all of its height too. */
  least() {
    if (!document.body.classList.contains("alone")) return 1;
    const { top, bottom } = this.seen();
    return Math.min(1, ((bottom - top) * this.times) / byId("pieces").getBoundingClientRect().height);
  }

  shown() {
    this.pane.classList.toggle("closer", this.times > 1);
    byId("whole").hidden = this.times < 1.05 * this.least();
  }

  // Fingers, wheel and mouse. One finger scrolls by itself.

  /** @param {TouchEvent} event */
  touch(event) {
    if (event.touches.length === 2) this.apart = distance(event.touches);
  }

  /** @param {TouchEvent} event */
  pinch(event) {
    if (event.touches.length !== 2) return;
    if (event.cancelable) event.preventDefault();
    const [one, other] = event.touches;
    const apart = distance(event.touches);
    this.to((this.times * apart) / this.apart, (one.clientX + other.clientX) / 2, (one.clientY + other.clientY) / 2);
    this.apart = apart;
  }

  /** @param {WheelEvent} event */
  wheel(event) {
    if (!event.ctrlKey) return;
    event.preventDefault();
    this.to(this.times * Math.exp(-event.deltaY / 300), event.clientX, event.clientY);
  }

  /** @param {PointerEvent} event */
  drag(event) {
    if (event.pointerType !== "mouse" || !(event.buttons & 1)) return;
    this.dragged += Math.hypot(event.movementX, event.movementY);
    if (this.dragged <= SLIP) return;
    this.moved = true;
    this.pane.scrollBy({ left: -event.movementX, top: -event.movementY, behavior: "instant" });
  }

  // What matters

  /** Puts these into the middle; if they are too far apart, as many of them as lie together.
   * @param {Element[]} spots */
  centre(spots) {
    if (!spots.length) return;
    const pane = this.seen();
    const { left, right, top, bottom } = boundsOf(together(spots, pane));
    this.pane.scrollBy({ left: (left + right - pane.left - pane.right) / 2, top: (top + bottom - pane.top - pane.bottom) / 2, behavior: "instant" });
  }

  /** Just so far that those that lie together are in view: where they are already, the board stays.
   * @param {Element[]} spots */
  bring(spots) {
    if (!spots.length) return;
    const pane = this.seen();
    const { left, right, top, bottom } = boundsOf(together(spots, pane));
    if (bottom < pane.top || top > pane.bottom || right < pane.left || left > pane.right) return this.centre(spots);
    this.pane.scrollBy({ left: beyond(left, right, pane.left, pane.right), top: beyond(top, bottom, pane.top, pane.bottom), behavior: "instant" });
  }
}

/** Of these, as many as a pane can show at once: who is farthest from the others, and of two the later, is left out.
 * @param {Element[]} spots
 * @param {Bounds} pane */
function together(spots, pane) {
  const boxes = spots.map((spot) => spot.getBoundingClientRect());
  for (let all = boundsOf(boxes); boxes.length > 1 && (all.bottom - all.top > pane.bottom - pane.top || all.right - all.left > pane.right - pane.left); all = boundsOf(boxes)) {
    const far = boxes.map((box) => boxes.reduce((sum, other) => sum + Math.round(Math.hypot(box.x - other.x, box.y - other.y)), 0));
    boxes.splice(far.lastIndexOf(Math.max(...far)), 1);
  }
  return boxes;
}

/** How far something reaches over an edge, or its margin does.
 * @param {number} from
 * @param {number} to
 * @param {number} least
 * @param {number} most */
function beyond(from, to, least, most) {
  return from < least + MARGIN ? from - least - MARGIN : Math.max(0, Math.min(to - most + MARGIN, from - least - MARGIN));
}

/** @param {TouchList} fingers */
function distance(fingers) {
  return Math.hypot(fingers[0].clientX - fingers[1].clientX, fingers[0].clientY - fingers[1].clientY);
}

/** @param {DOMRect[]} boxes */
function boundsOf(boxes) {
  return {
    left: Math.min(...boxes.map((box) => box.left)),
    right: Math.max(...boxes.map((box) => box.right)),
    top: Math.min(...boxes.map((box) => box.top)),
    bottom: Math.max(...boxes.map((box) => box.bottom)),
  };
}
