/** What every page does as a part of the app: it is kept, so that it can be read without a network; says so when it is
 * shown from what was kept; and goes on by itself when the network is back. */

import { FROM_CACHE, all, byId } from "./dom.js";

const AGAIN = 5000; // milliseconds between looks whether the network is back
const SETTLED = 1500; // after loading, until what the page needs first is here
const root = document.documentElement;
const controlled = Boolean(navigator.serviceWorker?.controller);

/** When a page was kept, in the reader's words: the time, and the day unless it is today.
 * @param {number} at
 * @returns {string} */
export function when(at) {
  const then = new Date(at);
  const today = then.toDateString() === new Date().toDateString();
  const locale = navigator.languages.find((one) => one.startsWith(root.lang)) ?? root.lang;
  return then.toLocaleString(locale, { timeStyle: "short", ...(today ? {} : { dateStyle: "medium" }) });
}

/** The page is from before: it says so, and nothing on it can be done. */
function showKept() {
  const line = byId("kept");
  line.textContent = (line.dataset.text ?? "").replace("{time}", when(Number(root.dataset.kept)));
  line.hidden = !line.dataset.text; // the offline page says it itself
  root.style.setProperty("--kept", `${line.offsetHeight}px`);
  for (const field of all('form[method="post"] :is(button, input, select, textarea), [form], #choices button, #asks button, #asked button')) {
    field.setAttribute("disabled", "");
  }
  for (const list of all("#choices .offers")) list.tabIndex = 0; // with nothing to choose in it, it is scrolled by itself
  document.addEventListener("error", (event) => event.target instanceof HTMLImageElement && hideMissing(), true);
  hideMissing();
}

/** Pictures that were not kept leave no hole. */
function hideMissing() {
  for (const picture of document.images) if (picture.complete && !picture.naturalWidth) picture.hidden = true;
}

/** Goes on as soon as the server answers. */
async function look() {
  if (document.hidden || !navigator.onLine) return;
  const answer = await fetch("/health", { method: "HEAD", cache: "no-store" }).catch(() => null);
  if (answer?.ok) location.reload();
}

/** What is kept here of anyone else is dropped, whether or not a service worker has seen this page. */
async function forgetOthers() {
  const person = root.dataset.person ?? "";
  const others = (await caches.keys()).filter((name) => /^(pages|parts)-/.test(name) && !name.endsWith(`-${person}`));
  await Promise.all(others.map((name) => caches.delete(name)));
}

/** @param {string[]} paths */
function keep(...paths) {
  navigator.serviceWorker.controller?.postMessage({ keep: paths });
}

/** Has the worker keep this page, unless it came by way of it, what it is made of and, for who plays or has the app, the
 * rules. */
function keepAll() {
  const parts = performance.getEntriesByType("resource").map((one) => new URL(one.name).pathname);
  const table = document.getElementById("table");
  const game = table?.dataset.game;
  const stays = table !== null || matchMedia("(display-mode: standalone)").matches;
  const rules = (root.dataset.games ?? "").split(" ").map((name) => `/rules/${name}`);
  keep(...(controlled ? [] : [here()]), ...parts, ...(game ? [`/rules/${game}?fragment=1`] : []), ...(stays ? ["/rules", ...rules] : []));
}

function here() {
  return location.pathname + location.search;
}

/** A table goes on after its page has come: as it is left is how it is kept. */
function left() {
  const table = document.getElementById("table");
  if (!document.hidden || !table || table.dataset.version === table.dataset.kept) return;
  table.dataset.kept = table.dataset.version;
  keep(here());
}

async function start() {
  await navigator.serviceWorker.register("/sw.js");
  await navigator.serviceWorker.ready;
  await new Promise((done) => setTimeout(done, SETTLED));
  if (!navigator.serviceWorker.controller) await new Promise((done) => navigator.serviceWorker.addEventListener("controllerchange", done, { once: true }));
  keepAll();
  document.addEventListener("visibilitychange", left);
}

if (FROM_CACHE) {
  showKept();
  addEventListener("online", () => void look());
  document.addEventListener("visibilitychange", () => void look());
  setInterval(() => void look(), AGAIN);
} else {
  if ("caches" in window) void forgetOthers();
  if ("serviceWorker" in navigator) addEventListener("load", () => void start().catch(() => {}));
}
