/** The choices: as buttons in the dock, and on the board and in the hand where they are about something there. */

import { all, closest, byId, uiText } from "./dom.js";

const SPOTS = "#pieces .spot[data-spot], #hand .spot[data-spot]";
const TAP_GUARD_MS = 600; // milliseconds for which a final choice that has just come cannot be chosen: a finger may be on its way

const LARGER = 2.2; // times its size

/** @typedef {import("./dom.js").Answer} Answer */
/** @typedef {{action?: string, verb?: string, spot?: string}} Question */

export class Choices {
  /**
   * @param {(action: string) => void} onPlay
   * @param {(about: Question) => void} onWhy
   */
  constructor(onPlay, onWhy) {
    this.onPlay = onPlay;
    this.onWhy = onWhy;
    this.game = byId("table").dataset.game ?? "";
    /** @type {Map<string, HTMLElement[]>} */
    this.about = new Map(); // the legal choices by spot
    this.offered = ""; // the choices that were there last
    /** @type {string[]} what the choice that a lesson asks for is about, the main spot first */
    this.pointed = [];
    this.asked = ""; // the action that a lesson asks for
    this.timer = 0;
    document.addEventListener("click", (event) => this.clicked(event));
    document.addEventListener("keydown", (event) => this.pressed(event));
    for (const kind of ["mouseover", "focusin"]) document.addEventListener(kind, (event) => this.look(event));
    for (const kind of ["mouseout", "focusout"]) document.addEventListener(kind, () => this.lookAway());
  }

  /** @returns {HTMLElement[]} */
  get legal() {
    return all("#choices .choice");
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
    this.fit();
    this.widen();
    this.count();
    this.rest();
  }

  /** Where there are more than fit, each takes less room. */
  fit() {
    const offers = byId("choices").querySelector(".offers");
    if (!offers) return;
    offers.classList.remove("dense");
    offers.classList.toggle("dense", offers.scrollHeight > offers.clientHeight + 2);
  }

  /** What has just come under a finger is not chosen by a second tap, if it gives something away. */
  rest() {
    const offered = this.legal.map((button) => button.dataset.action).join("\n");
    const choices = byId("choices");
    if (offered !== this.offered) {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => {
        this.timer = 0;
        byId("choices").classList.remove("resting");
      }, TAP_GUARD_MS);
      byId("choices").querySelector(".offers")?.scrollTo(0, 0);
    }
    this.offered = offered;
    choices.classList.toggle("resting", this.timer !== 0);
  }

  // Numbers: one at a time, and steps up and down

  count() {
    for (const row of all("#choices .amounts")) {
      row.querySelector(".steps")?.removeAttribute("hidden");
      row.classList.add("stepped");
      this.stand(row, row.querySelector(".choice"));
    }
  }

  /** @param {Element} row
   * @param {Element | null} at the number that is shown */
  stand(row, at) {
    for (const choice of row.querySelectorAll(".choice")) choice.classList.toggle("current", choice === at);
  }

  /** @param {HTMLElement} step */
  step(step) {
    const row = step.closest(".amounts");
    if (!row) return;
    const choices = /** @type {HTMLElement[]} */ ([...row.querySelectorAll(".choice")]);
    const now = choices.find((choice) => choice.classList.contains("current"));
    const wanted = Number(now?.dataset.amount) + Number(step.dataset.step);
    const up = Number(step.dataset.step) > 0;
    const beyond = choices.filter((choice) => (up ? Number(choice.dataset.amount) <= wanted : Number(choice.dataset.amount) >= wanted));
    this.stand(row, (up ? beyond.at(-1) : beyond[0]) ?? now ?? null);
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

  /** Whether an action is under way: nothing can be chosen twice.
   * @param {boolean} yes */
  sent(yes) {
    byId("choices").classList.toggle("sent", yes);
  }

  /** On the choices as a whole: no key that is pressed too soon chooses one. */
  focus() {
    byId("choices").focus({ preventScroll: true });
  }

  /** @param {Event} event */
  clicked(event) {
    const button = closest(event, "#choices .choice");
    const step = closest(event, "#choices [data-step]");
    const verb = closest(event, "#choices [data-why]");
    const spot = closest(event, SPOTS);
    const card = closest(event, "#hand .card");
    if (!closest(event, ".why-not summary")) all(".why-not[open]").forEach((sheet) => sheet.removeAttribute("open"));
    if (button) this.choose(button);
    else if (step) this.step(step);
    else if (verb) this.onWhy({ verb: verb.dataset.why });
    else if (spot) this.chooseAt(spot);
    else if (card) this.enlarge(card);
    else if (!closest(event, ".dock")) this.widen();
  }

  /** @param {HTMLElement} button */
  choose(button) {
    if (button.classList.contains("final") && byId("choices").classList.contains("resting")) return;
    this.onPlay(button.dataset.action ?? "");
  }

  /** One action is about this spot: it is done. Several: the dock shows these. None: why not?
   * @param {HTMLElement} spot */
  chooseAt(spot) {
    const name = spot.dataset.spot ?? "";
    const buttons = this.about.get(name) ?? [];
    if (buttons.length === 1) return this.choose(buttons[0]);
    this.widen();
    if (!buttons.length) {
      if (byId("choices").classList.contains("yours")) this.onWhy({ spot: name });
      return;
    }
    byId("choices").classList.add("narrow");
    buttons.forEach((button) => button.classList.add("picked"));
    (buttons.find((button) => button.classList.contains("current")) ?? buttons.find((button) => !button.classList.contains("final")))?.focus();
    this.tell(uiText("choose"));
  }

  /** Whether all that can be chosen here ends the turn, or gives something away.
   * @param {HTMLElement} spot */
  ends(spot) {
    return (this.about.get(spot.dataset.spot ?? "") ?? []).every((button) => button.classList.contains("final"));
  }

  widen() {
    byId("choices").classList.remove("narrow");
    all("#choices .picked").forEach((button) => button.classList.remove("picked"));
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    const spot = closest(event, ".spot.may");
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

  // What a choice is about

  /** @param {Event} event */
  look(event) {
    const button = closest(event, "#choices .choice");
    const spot = closest(event, ".spot.may");
    if (button) {
      const spots = (button.dataset.spots ?? "").split(" ");
      for (const one of all(SPOTS)) if (spots.includes(one.dataset.spot ?? "")) one.classList.add("preview");
    } else if (spot) {
      for (const one of this.about.get(spot.dataset.spot ?? "") ?? []) one.classList.add("shown");
    }
  }

  lookAway() {
    for (const one of all(".spot.preview, .choice.shown")) one.classList.remove("preview", "shown");
  }

  /** What a lesson points at: the choice that it asks for, and spots.
   * @param {string} action
   * @param {string[]} spots */
  light(action, spots) {
    this.asked = action;
    const wanted = this.legal.find((button) => button.dataset.action === action);
    this.pointed = (wanted?.dataset.spots ?? "").split(" ");
    const about = this.pointed.concat(spots);
    for (const spot of all(SPOTS)) spot.classList.toggle("wanted", about.includes(spot.dataset.spot ?? ""));
    this.mark(wanted);
    for (const one of [wanted, all("#hand .wanted")[0]]) one?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  /** @param {HTMLElement | undefined} best the choice that is lit */
  mark(best) {
    for (const button of this.legal) button.classList.toggle("hinted", button === best);
    const row = best?.closest(".amounts");
    if (row && best) this.stand(row, best);
  }

  /** A card that is about nothing now: what it is, and large.
   * @param {HTMLElement} card */
  enlarge(card) {
    this.tell(card.dataset.name ?? "");
    const picture = card.querySelector("svg")?.cloneNode(true);
    if (!(picture instanceof SVGSVGElement)) return;
    picture.setAttribute("width", String(LARGER * picture.width.baseVal.value));
    picture.setAttribute("height", String(LARGER * picture.height.baseVal.value));
    picture.setAttribute("class", "enlarged");
    byId("answer").append(picture);
  }

  // What the server has answered

  /** @param {string} text */
  tell(text) {
    this.hear({ type: "why", text, rule: null, actions: [], ack: null });
  }

  /** The choice that an answer names first is lit: it is the best. A final one is not focused.
   * @param {Answer} answer */
  hear(answer) {
    this.show(answer);
    const named = answer.type === "hint" ? answer.actions[0] : this.asked;
    const best = this.legal.find((button) => button.dataset.action === named);
    this.mark(best);
    const asGood = answer.type === "hint" ? answer.actions.slice(1) : [];
    for (const button of this.legal) button.classList.toggle("as-good", asGood.includes(button.dataset.action ?? ""));
    if (!best || answer.type !== "hint") return;
    this.widen();
    if (best.classList.contains("final")) best.scrollIntoView({ block: "nearest" });
    else best.focus();
  }

  forget() {
    byId("answer").replaceChildren();
  }

  /** @param {Answer} answer */
  show(answer) {
    const line = byId("answer");
    line.replaceChildren(answer.text);
    if (answer.rule) {
      const link = document.createElement("a");
      link.className = "rule";
      link.href = `/rules/${this.game}#${answer.rule}`;
      link.textContent = answer.rule;
      line.append(" ", link);
    }
  }
}

/** A choice in words.
 * @param {HTMLElement} button
 * @returns {string} */
function words(button) {
  return button.querySelector("b")?.textContent ?? ""; // what follows the label says what comes of it
}

/** What a spot is, with what is written on it unless that has been said already.
 * @param {HTMLElement} spot
 * @returns {string} */
function named(spot) {
  const [name] = (spot.dataset.name ?? spot.querySelector("title")?.textContent ?? "").split("\n"); // further lines are said by the drawings there
  const written = [...spot.querySelectorAll("text")].map((one) => one.textContent?.trim()).join(" ");
  return ` ${name} `.includes(` ${written} `) ? name.trim() : `${name} ${written}`.trim();
}
