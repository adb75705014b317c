// Steps through a match without reloading: the same address gives the parts alone, which replace those shown.
import { remember } from "./motion.js";
import { PHONE } from "./dom.js";
import { Idiomorph } from "./vendor/idiomorph.esm.js";

const PACE = 1_100; // between two actions while it plays by itself
const MOMENT = 1_500; // and so much longer after a big moment
const PARTS = ["pieces", "steps", "sheet", "seats"];

const page = /** @type {HTMLElement} */ (document.getElementById("replay"));
const here = page.dataset.here ?? "";
const narrow = matchMedia(PHONE);

/** @typedef {{ at: number, side?: string, whole?: boolean }} Wish `whole`: what stays through a match is to be shown otherwise, too */

/** What is shown, or on its way. */
const shown = { at: numberOf("at"), end: numberOf("end"), side: page.dataset.side ?? "", layout: page.dataset.layout ?? "wide" };
/** What is wished for while something else is on its way; only the latest counts. @type {Wish | undefined} */
let wanted;
let busy = false;
/** @type {number | undefined} */
let playing;

/** @param {string} name */
function numberOf(name) {
  return Number(document.getElementById("steps")?.dataset[name] ?? 0);
}

function address() {
  return `${here}?at=${shown.at}&seat=${encodeURIComponent(shown.side)}`;
}

/** Whether the part of the log that is here tells of a moment; of a long match it is not the whole.
 * @param {number} at */
function isTold(at) {
  const { since, until } = document.getElementById("log")?.dataset ?? {};
  return at > Number(since) && at <= Math.max(Number(until), 0);
}

/**
 * Shows a moment.
 * @param {Wish} wish
 */
async function go({ at, side = shown.side, whole = side !== shown.side || !isTold(at) }) {
  shown.at = Math.min(Math.max(at, 0), shown.end);
  shown.side = side;
  const answer = await fetch(`${address()}&layout=${shown.layout}`, { headers: whole ? {} : { "X-Part": "1" } });
  if (!answer.ok) {
    location.assign(address());
    return;
  }
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  const glide = remember();
  for (const id of whole ? ["chart", "told", ...PARTS] : PARTS) replace(id, fresh);
  glide();
  settle();
}

/**
 * @param {string} id
 * @param {Document} fresh
 */
function replace(id, fresh) {
  const now = document.getElementById(id);
  const then = fresh.getElementById(id);
  if (now && then) Idiomorph.morph(now, then, { callbacks: { beforeAttributeUpdated: keepsOpen } });
}

/** What the reader has opened or closed stays so.
 * @param {string} name
 * @param {Element} element */
function keepsOpen(name, element) {
  return !(name === "open" && element instanceof HTMLDetailsElement);
}

/** After every step: the address, the links that go with the moment, and what only a script can do. */
function settle() {
  history.replaceState(null, "", address());
  document.getElementById("share")?.setAttribute("href", address());
  const field = /** @type {HTMLInputElement | null} */ (document.getElementById("go-on-at"));
  if (field) field.value = String(shown.at);
  const goOn = document.getElementById("go-on");
  const over = document.getElementById("steps")?.dataset.over !== undefined;
  if (goOn) goOn.hidden = over && shown.at === shown.end; // nothing is left to play there
  const slider = /** @type {HTMLInputElement} */ (document.getElementById("slider"));
  if (document.activeElement !== slider) slider.value = String(shown.at);
  const button = /** @type {HTMLElement} */ (document.getElementById("autoplay"));
  button.hidden = false;
  button.setAttribute("aria-pressed", String(playing !== undefined));
  const show = document.getElementById("show");
  if (show) show.hidden = true;
  mark();
}

/** In the log, the turn and the action that are shown, and what is still to come. */
function mark() {
  const log = /** @type {HTMLElement} */ (document.getElementById("log"));
  for (const link of /** @type {NodeListOf<HTMLElement>} */ (log.querySelectorAll("a[data-at]"))) {
    const item = /** @type {HTMLElement} */ (link.closest("li"));
    const last = Number(link.dataset.at);
    const first = Number(item.dataset.first ?? last - 1); // of a turn, the number of actions before it
    item.classList.toggle("now", first < shown.at && shown.at <= last);
    item.classList.toggle("later", first >= shown.at);
  }
  const now = [...log.children].findLast((item) => item.matches(".now")) ?? log.firstElementChild;
  if (!now) return;
  const middle = now.getBoundingClientRect().top - log.getBoundingClientRect().top - (log.clientHeight - now.clientHeight) / 2;
  log.scrollTop += middle;
}

function pause() {
  clearTimeout(playing);
  playing = undefined;
  document.getElementById("autoplay")?.setAttribute("aria-pressed", "false");
}

/** Plays on by itself, from the start if the end was reached. */
function play() {
  const moment = document.querySelector("#steps .moment") !== null;
  playing = window.setTimeout(async () => {
    if (playing === undefined) return;
    await go({ at: shown.at + 1 }).catch(pause);
    if (playing === undefined) return;
    if (shown.at >= shown.end) pause();
    else play();
  }, PACE + (moment ? MOMENT : 0));
  document.getElementById("autoplay")?.setAttribute("aria-pressed", "true");
}

async function toggle() {
  if (playing !== undefined) {
    pause();
    return;
  }
  if (shown.at >= shown.end) await wish({ at: 0 });
  play();
}

/**
 * A wish of the reader's: it stops what plays by itself. Wishes that come while one is on its way wait, the latest wins.
 * @param {Wish} wish
 */
async function wish(wish) {
  pause();
  wanted = wish;
  if (busy) return;
  busy = true;
  try {
    while (wanted) {
      const next = wanted;
      wanted = undefined;
      await go(next);
    }
  } catch {
    location.assign(address());
  } finally {
    busy = false;
  }
}

page.addEventListener("click", async (event) => {
  const target = /** @type {Element} */ (event.target);
  const link = /** @type {HTMLElement | null} */ (target.closest("a[data-at]"));
  if (event.metaKey || event.ctrlKey || event.shiftKey) return;
  if (link) {
    event.preventDefault();
    await wish({ at: Number(link.dataset.at) });
  } else if (target.closest("#autoplay")) {
    await toggle();
  } else if (target.closest("#share") && navigator.clipboard) {
    event.preventDefault();
    await navigator.clipboard.writeText(new URL(address(), location.href).href);
    const share = /** @type {HTMLElement} */ (target.closest("#share"));
    const said = share.textContent;
    share.textContent = page.dataset.copied ?? "";
    setTimeout(() => { share.textContent = said; }, 1_500);
  }
});

page.addEventListener("input", (event) => {
  const field = /** @type {HTMLInputElement} */ (event.target);
  if (field.id === "slider") wish({ at: Number(field.value) });
  if (field.id === "side") wish({ at: shown.at, side: field.value });
});

document.addEventListener("keydown", (event) => {
  const target = /** @type {Element} */ (event.target);
  if (event.altKey || event.ctrlKey || event.metaKey || target.closest("input, select, textarea, summary")) return;
  const wishes = /** @type {Record<string, number>} */ ({ ArrowLeft: shown.at - 1, ArrowRight: shown.at + 1, Home: 0, End: shown.end });
  const turn = event.shiftKey && { ArrowLeft: "turn-back", ArrowRight: "turn-on" }[event.key];
  if (turn) {
    event.preventDefault();
    document.getElementById(turn)?.click();
  } else if (event.key in wishes) {
    event.preventDefault();
    wish({ at: wishes[event.key] });
  } else if (event.key === " " && !target.closest("button, a")) {
    event.preventDefault();
    toggle();
  }
});

function fit() {
  const layout = narrow.matches ? "tall" : "wide";
  if (layout === shown.layout) return;
  shown.layout = layout;
  wish({ at: shown.at, whole: true });
}

narrow.addEventListener("change", fit);
settle();
fit();
