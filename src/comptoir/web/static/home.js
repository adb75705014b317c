// The lists of tables keep up with what happens, without a reload.
import { Idiomorph } from "./vendor/idiomorph.esm.js";

const EVERY = 10_000; // milliseconds

async function refresh() {
  if (document.hidden || document.activeElement?.closest("#lists")) return;
  const answer = await fetch("/", { headers: { Accept: "text/html" } });
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  const now = document.getElementById("lists");
  const then = fresh.getElementById("lists");
  if (now && then) Idiomorph.morph(now, then);
  document.title = fresh.title;
}

function look() {
  refresh().catch(() => {}); // no connection now; the next look may have one
}

setInterval(look, EVERY);
document.addEventListener("visibilitychange", look);
