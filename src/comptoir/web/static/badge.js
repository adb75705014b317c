/** The number of tables that wait, on the icon of the installed app. */

/** @param {number} n */
export function badge(n) {
  const { setAppBadge, clearAppBadge } = /** @type {any} */ (navigator);
  if (setAppBadge) void (n ? setAppBadge.call(navigator, n) : clearAppBadge.call(navigator)).catch(() => {}); // not installed
}

/** Asks the server how many there are. */
export async function countAgain() {
  if (!("setAppBadge" in navigator)) return;
  const answer = await fetch("/me/waiting").catch(() => null);
  if (answer?.ok) badge((await answer.json()).n);
}
