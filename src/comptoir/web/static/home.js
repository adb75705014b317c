// The lists of tables keep up with what happens, without a reload.

import { badge } from "./badge.js";
import { byId } from "./page.js";

const EVERY = 10_000; // milliseconds

async function refresh() {
  if (document.hidden || !navigator.onLine || document.activeElement?.closest("#lists")) return;
  const answer = await fetch("/", { headers: { Accept: "text/html", "X-Part": "1" } });
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  const now = document.getElementById("lists");
  const then = fresh.getElementById("lists");
  if (!now || !then) return;
  if (now.innerHTML !== then.innerHTML) now.replaceWith(then);
  document.title = then.dataset.title ?? document.title;
  count();
}

function count() {
  badge(Number(byId("lists").dataset.turns));
}

function look() {
  refresh().catch(() => {}); // no connection now; the next look may have one
}

count();
setInterval(look, EVERY);
document.addEventListener("visibilitychange", look);
