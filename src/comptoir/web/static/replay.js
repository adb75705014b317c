// Steps through a match without reloading: the same address gives the parts alone, which replace those shown.
import { Idiomorph } from "./vendor/idiomorph.esm.js";

const GLIDE = 400; // milliseconds, as at the table
const PACE = 1_100; // between two actions while it plays by itself
const PARTS = ["pieces", "steps", "seats", "told"];

const page = /** @type {HTMLElement} */ (document.getElementById("replay"));
const here = page.dataset.here ?? "";
const still = matchMedia("(prefers-reduced-motion: reduce)");
const narrow = matchMedia("(max-width: 640px)");

/** @typedef {{ at: number, side?: string, chart?: boolean }} Wish */

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

/**
 * Shows a moment.
 * @param {Wish} wish
 */
async function go({ at, side = shown.side, chart = false }) {
  shown.at = Math.min(Math.max(at, 0), shown.end);
  shown.side = side;
  const answer = await fetch(`${address()}&layout=${shown.layout}`, { headers: chart ? {} : { "X-Part": "1" } });
  if (!answer.ok) {
    location.assign(address());
    return;
  }
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  const before = places();
  for (const id of chart ? ["chart", ...PARTS] : PARTS) replace(id, fresh);
  glide(before);
  settle();
}

/**
 * @param {string} id
 * @param {Document} fresh
 */
function replace(id, fresh) {
  const now = document.getElementById(id);
  const then = fresh.getElementById(id);
  if (now && then) Idiomorph.morph(now, then);
}

/** After every step: the address, the links that go with the moment, and what only a script can do. */
function settle() {
  history.replaceState(null, "", address());
  document.getElementById("share")?.setAttribute("href", address());
  const field = /** @type {HTMLInputElement | null} */ (document.getElementById("go-on-at"));
  if (field) field.value = String(shown.at);
  const slider = /** @type {HTMLInputElement} */ (document.getElementById("slider"));
  if (document.activeElement !== slider) slider.value = String(shown.at);
  const button = /** @type {HTMLElement} */ (document.getElementById("autoplay"));
  button.hidden = false;
  button.setAttribute("aria-pressed", String(playing !== undefined));
  const show = document.getElementById("show");
  if (show) show.hidden = true;
  const log = document.getElementById("log");
  if (log) log.scrollTop = log.scrollHeight;
}

/** Where every piece stands, by its id. */
function places() {
  /** @type {Map<string, DOMRect>} */
  const found = new Map();
  for (const piece of document.querySelectorAll("#pieces .piece[id]")) found.set(piece.id, piece.getBoundingClientRect());
  return found;
}

/**
 * Every piece glides from where it was to where it is.
 * @param {Map<string, DOMRect>} before
 */
function glide(before) {
  if (still.matches) return;
  const board = /** @type {SVGSVGElement} */ (/** @type {unknown} */ (document.getElementById("pieces")));
  const scale = board.viewBox.baseVal.width / board.getBoundingClientRect().width;
  for (const piece of board.querySelectorAll(".piece[id]")) {
    const from = before.get(piece.id);
    const to = piece.getBoundingClientRect();
    const end = piece.getAttribute("transform") ?? "";
    if (!from) {
      piece.animate([{ opacity: 0 }, { opacity: 1 }], GLIDE);
      continue;
    }
    const x = (from.left - to.left) * scale;
    const y = (from.top - to.top) * scale;
    const at = /translate\((-?[\d.]+)[ ,]?(-?[\d.]+)?\)/.exec(end);
    if (!at || Math.abs(x) + Math.abs(y) < 1) continue;
    const [u, v] = [Number(at[1]), Number(at[2] ?? 0)];
    piece.animate([{ transform: `translate(${u + x}px, ${v + y}px)` }, { transform: `translate(${u}px, ${v}px)` }], { duration: GLIDE, easing: "ease-in-out" });
  }
}

function pause() {
  clearTimeout(playing);
  playing = undefined;
  document.getElementById("autoplay")?.setAttribute("aria-pressed", "false");
}

/** Plays on by itself, from the start if the end was reached. */
function play() {
  playing = window.setTimeout(async () => {
    if (playing === undefined) return;
    await go({ at: shown.at + 1 }).catch(pause);
    if (playing === undefined) return;
    if (shown.at >= shown.end) pause();
    else play();
  }, PACE);
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
  if (event.key in wishes) {
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
  wish({ at: shown.at, chart: true });
}

narrow.addEventListener("change", fit);
settle();
fit();
