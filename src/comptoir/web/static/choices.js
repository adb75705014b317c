/** The choices: as buttons in the dock, and on the board and in the hand where they are about something there. */

import { all, around, byId, said } from "./page.js";

const SPOTS = "#pieces .spot[data-spot], #hand .spot[data-spot]";

/** @typedef {import("./page.js").Answer} Answer */

export class Choices {
  /**
   * @param {(action: string) => void} onPlay
   * @param {(action: string) => void} onWhy
   */
  constructor(onPlay, onWhy) {
    this.onPlay = onPlay;
    this.onWhy = onWhy;
    this.game = byId("table").dataset.game ?? "";
    /** @type {Map<string, HTMLElement[]>} */
    this.about = new Map(); // the legal choices by spot
    /** @type {Answer | null} */
    this.answer = null;
    this.previewing = false; // whether what a choice would do is shown in place of the answer
    document.addEventListener("click", (event) => this.clicked(event));
    document.addEventListener("keydown", (event) => this.pressed(event));
    for (const kind of ["mouseover", "focusin"]) document.addEventListener(kind, (event) => this.look(event));
    for (const kind of ["mouseout", "focusout"]) document.addEventListener(kind, () => this.lookAway());
  }

  /** @returns {HTMLElement[]} */
  get legal() {
    return all("#choices .choice:not([aria-disabled])");
  }

  /** After the page has changed: what can be chosen now.
   * @param {string[]} last the spots of the last action */
  refresh(last) {
    this.about.clear();
    for (const button of this.legal) {
      for (const spot of (button.dataset.spots ?? "").split(" ")) {
        if (spot) this.about.set(spot, [...(this.about.get(spot) ?? []), button]);
      }
    }
    const reached = new Set(); // several cards of one kind: one of them is enough for the Tab key
    for (const spot of all(SPOTS)) {
      const name = spot.dataset.spot ?? "";
      spot.classList.toggle("last", last.includes(name) && spot instanceof SVGElement);
      const buttons = this.about.get(name);
      if (buttons) this.open(spot, buttons, reached.has(name));
      else this.shut(spot);
      reached.add(name);
    }
    this.sent(false);
    this.widen();
    this.fan();
  }

  /** @param {HTMLElement} spot
   * @param {HTMLElement[]} buttons
   * @param {boolean} again */
  open(spot, buttons, again) {
    spot.classList.add("may");
    spot.setAttribute("role", "button");
    spot.setAttribute("tabindex", again ? "-1" : "0");
    spot.setAttribute("aria-label", [named(spot), ...buttons.slice(0, 6).map(words)].filter(Boolean).join(", "));
  }

  /** @param {HTMLElement} spot */
  shut(spot) {
    spot.classList.remove("may", "preview");
    for (const name of ["role", "tabindex", "aria-label"]) spot.removeAttribute(name);
  }

  /** Cards lie in a slight arc. */
  fan() {
    const cards = all("#hand .card");
    const spread = Math.min(1.6, 12 / Math.max(1, cards.length));
    cards.forEach((card, n) => card.style.setProperty("--fan", ((n - (cards.length - 1) / 2) * spread).toFixed(2)));
  }

  /** Whether an action is under way: nothing can be chosen twice.
   * @param {boolean} yes */
  sent(yes) {
    byId("choices").classList.toggle("sent", yes);
  }

  focus() {
    (this.legal[0] ?? byId("choices")).focus({ preventScroll: true });
  }

  /** @param {Event} event */
  clicked(event) {
    const button = around(event, "#choices .choice");
    const spot = around(event, ".spot.may");
    if (button) this.choose(button);
    else if (spot) this.chooseAt(spot);
    else if (!around(event, ".dock")) this.widen();
  }

  /** @param {HTMLElement} button */
  choose(button) {
    const action = button.dataset.action ?? "";
    if (button.getAttribute("aria-disabled")) this.onWhy(action);
    else this.onPlay(action);
  }

  /** One action is about this spot: it is done. Several: the dock shows these.
   * @param {HTMLElement} spot */
  chooseAt(spot) {
    const buttons = this.about.get(spot.dataset.spot ?? "") ?? [];
    if (buttons.length === 1) return this.choose(buttons[0]);
    this.widen();
    byId("choices").classList.add("narrow");
    buttons.forEach((button) => button.classList.add("picked"));
    buttons[0]?.focus();
    this.tell(said("choose"));
  }

  widen() {
    byId("choices").classList.remove("narrow");
    all("#choices .picked").forEach((button) => button.classList.remove("picked"));
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    const spot = around(event, ".spot.may");
    if (spot && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      this.chooseAt(spot);
    } else if (event.key === "Escape") {
      this.widen();
      this.forget();
    }
  }

  /** The choice that a digit stands for.
   * @param {string} digit */
  digit(digit) {
    const button = all(`#choices .choice[aria-keyshortcuts="${digit}"]`)[0];
    if (button) this.choose(button);
  }

  // What a choice would do

  /** @param {Event} event */
  look(event) {
    const button = around(event, "#choices .choice");
    const spot = around(event, ".spot.may");
    if (button?.dataset.does !== undefined) {
      this.preview(button);
      const spots = (button.dataset.spots ?? "").split(" ");
      for (const one of all(SPOTS)) if (spots.includes(one.dataset.spot ?? "")) one.classList.add("preview");
    } else if (spot) {
      const buttons = this.about.get(spot.dataset.spot ?? "") ?? [];
      buttons.forEach((one) => one.classList.add("shown"));
      if (buttons.length === 1) this.preview(buttons[0]);
    }
  }

  /** @param {HTMLElement} button */
  preview(button) {
    this.previewing = true;
    const strong = document.createElement("b");
    strong.textContent = words(button);
    const does = button.dataset.does ?? "";
    byId("answer").replaceChildren(strong, does ? ` – ${does}` : "");
    byId("answer").classList.remove("lasting");
  }

  lookAway() {
    for (const one of all(".spot.preview, .choice.shown")) one.classList.remove("preview", "shown");
    if (this.previewing) this.show(); // else it stays as it is: a link in it may be under the pointer
  }

  // What the server has answered

  /** @param {string} text */
  tell(text) {
    this.hear({ say: "why", text, rule: null, actions: [], ack: null });
  }

  /** @param {Answer} answer */
  hear(answer) {
    this.answer = answer;
    this.show();
    const hinted = this.legal.filter((button) => answer.actions.includes(button.dataset.action ?? ""));
    for (const button of this.legal) button.classList.toggle("hinted", button === hinted[0]);
    hinted[0]?.focus();
    if (hinted[0]) this.show();
  }

  forget() {
    this.answer = null;
    this.show();
  }

  show() {
    this.previewing = false;
    const line = byId("answer");
    line.classList.toggle("lasting", this.answer !== null);
    if (this.answer === null) return line.replaceChildren();
    line.replaceChildren(this.answer.text);
    if (this.answer.rule) {
      const link = document.createElement("a");
      link.className = "rule";
      link.href = `/rules/${this.game}#${this.answer.rule}`;
      link.textContent = this.answer.rule;
      line.append(" ", link);
    }
  }
}

/** A choice in words, whole.
 * @param {HTMLElement} button
 * @returns {string} */
function words(button) {
  return button.ariaLabel ?? button.firstChild?.textContent ?? ""; // what follows the label says what it does
}

/** What a spot is, with what is written on it unless that has been said already.
 * @param {HTMLElement} spot
 * @returns {string} */
function named(spot) {
  const name = spot.dataset.name ?? spot.querySelector("title")?.textContent ?? "";
  const written = [...spot.querySelectorAll("text")].map((one) => one.textContent?.trim()).join(" ");
  return ` ${name} `.includes(` ${written} `) ? name.trim() : `${name} ${written}`.trim();
}
