// The lists of tables keep up with what happens, without a reload.

const EVERY = 10_000; // milliseconds

async function refresh() {
  if (document.hidden || document.activeElement?.closest("#lists")) return;
  const answer = await fetch("/", { headers: { Accept: "text/html", "X-Part": "1" } });
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  const now = document.getElementById("lists");
  const then = fresh.getElementById("lists");
  if (!now || !then) return;
  if (now.innerHTML !== then.innerHTML) now.replaceWith(then);
  document.title = then.dataset.title ?? document.title;
}

function look() {
  refresh().catch(() => {}); // no connection now; the next look may have one
}

setInterval(look, EVERY);
document.addEventListener("visibilitychange", look);
