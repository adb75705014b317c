/** What has happened: the log turn by turn, the strip that says the last turn on a phone, and the banner of big moments. */

import { byId } from "./dom.js";

const LASTS = 3200; // milliseconds that a big moment is shown

/** @typedef {import("./dom.js").View} View */

export class Log {
  constructor() {
    this.log = byId("log");
    this.lines = byId("lines");
    this.strip = byId("show-log");
    this.banner = byId("banner");
    this.first = true;
    this.timer = 0;
    this.strip.addEventListener("click", () => this.toggle());
    this.log.scrollTop = this.log.scrollHeight;
    this.sum();
  }

  /** The log grows, or shrinks by what was taken back; it stays at its end if that is where it was.
   * @param {View["log"]} told
   * @returns {boolean} whether a big moment was in it */
  tell(told) {
    const atEnd = this.log.scrollHeight - this.log.scrollTop - this.log.clientHeight < 40;
    const seen = this.last();
    while (this.lines.children.length > told.from) this.lines.lastElementChild?.remove();
    const before = this.lines.children.length;
    this.lines.insertAdjacentHTML("beforeend", told.lines.join(""));
    const moments = this.first ? [] : this.mark([...this.lines.children].slice(before), seen);
    if (byId("notice").dataset.state === "over") this.hush(); // the score sheet says it
    else if (moments.length) this.announce(moments);
    if (atEnd || this.first) this.log.scrollTop = this.log.scrollHeight;
    this.first = false;
    this.sum();
    return moments.length > 0;
  }

  /** The number of the last action that was told. */
  last() {
    return at(this.lines.lastElementChild);
  }

  /** What is new is lit; what was there before a lost line came back is not.
   * @param {Element[]} items
   * @param {number} seen
   * @returns {Element[]} its big moments */
  mark(items, seen) {
    const moments = [];
    for (const item of items) {
      if (at(item) <= seen && !item.matches(".turn, .note")) continue;
      item.classList.add("fresh");
      if (at(item) >= seen) moments.push(...item.querySelectorAll(".moment"));
    }
    return moments;
  }

  /** The big moments of what was shown last, and none of before.
   * @param {Element[]} moments */
  announce(moments) {
    clearTimeout(this.timer);
    this.banner.replaceChildren(...moments.map((moment) => moment.cloneNode(true)));
    this.banner.hidden = false;
    for (const running of this.banner.getAnimations()) running.currentTime = 0;
    this.timer = setTimeout(() => this.hush(), LASTS);
  }

  hush() {
    clearTimeout(this.timer);
    this.banner.hidden = true;
    this.banner.replaceChildren();
  }

  /** The strip says the last turn, or what another one is doing; what I do myself I see on the board. */
  sum() {
    const mine = byId("notice").dataset.seat;
    const items = /** @type {HTMLElement[]} */ ([...this.lines.children]);
    const told = items.findLast((item) => item.matches(".turn, .note") || item.dataset.seat !== mine);
    if (!told) return;
    const sentence = told.querySelector(".sentence-of-turn") ?? [...told.childNodes].find((node) => node.textContent?.trim());
    const why = told.querySelector(":scope > .forced"); // why I was asked nothing
    this.strip.textContent = [sentence, why].map((part) => part?.textContent?.trim() ?? "").join(" ").trim();
    this.strip.className = `show-log${told.dataset.seat === undefined ? "" : ` of-${told.dataset.seat}`}`;
  }

  toggle() {
    const open = this.strip.getAttribute("aria-expanded") !== "true";
    this.strip.setAttribute("aria-expanded", String(open));
    if (open) this.log.scrollTop = this.log.scrollHeight;
  }

  focus() {
    if (!this.log.checkVisibility()) this.toggle();
    this.log.focus();
  }
}

/** @param {Element | null} item */
function at(item) {
  return item instanceof HTMLElement ? Number(item.dataset.at) : 0;
}
