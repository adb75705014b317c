// A review that is being made: how far it has come, and the review itself once it is done.

const EVERY = 1_500; // milliseconds

async function look() {
  const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  const then = fresh.getElementById("review-wait");
  if (then?.dataset.underWay === undefined) {
    location.reload();
    return;
  }
  const value = then.querySelector("progress")?.getAttribute("value") ?? "0";
  document.querySelector("#review-wait progress")?.setAttribute("value", value);
  const said = document.querySelector("#review-wait [role=status]");
  const sentence = then.querySelector("[role=status]")?.textContent ?? "";
  if (said && said.textContent !== sentence) said.textContent = sentence; // read out only when it is new
}

/** One look after the other, while the page is there. */
function wait() {
  setTimeout(async () => {
    if (!document.hidden && navigator.onLine) await look().catch(() => {}); // the next look may have a connection
    wait();
  }, EVERY);
}

wait();
