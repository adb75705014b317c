// The lists of tables keep up with what happens, without a reload.

import { badge } from "./badge.js";
import { byId } from "./dom.js";

const EVERY = 10_000; // milliseconds

/** Puts what is new in the place of a part of the page; one's running games are there only if there are any.
 * @param {string} id @param {Document} fresh */
function renew(id, fresh) {
  const now = document.getElementById(id);
  const then = fresh.getElementById(id);
  if (now && then) {
    if (now.innerHTML !== then.innerHTML) now.replaceWith(then);
  } else if (then) {
    document.getElementById("main")?.prepend(then);
  } else {
    now?.remove();
  }
}

async function refresh() {
  if (document.hidden || !navigator.onLine || document.activeElement?.closest("#lists, #mine")) return;
  const answer = await fetch("/", { headers: { Accept: "text/html", "X-Part": "1" } });
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  const lists = fresh.getElementById("lists");
  if (!lists) return;
  document.title = lists.dataset.title ?? document.title;
  renew("mine", fresh);
  renew("lists", fresh);
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
