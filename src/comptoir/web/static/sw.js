/** The service worker: shows what the server tells of a table, with the page closed, and leads there. */

const worker = /** @type {any} */ (self);

/**
 * What the server sends; domain/notices.py makes it.
 * @typedef {object} Notice
 * @property {string} title
 * @property {string} body
 * @property {string} lang
 * @property {string} tag of the table: a newer one takes the older one's place
 * @property {string} link
 */

/** @returns {Promise<any[]>} */
function pages() {
  return worker.clients.matchAll({ type: "window", includeUncontrolled: true });
}

/** @param {any} page
 * @param {string} link */
function shows(page, link) {
  return new URL(page.url).pathname === link;
}

/** Who has the table before their eyes needs no notice of it.
 * @param {Notice} notice */
async function show({ title, body, lang, tag, link }) {
  const seen = (await pages()).some((page) => page.visibilityState === "visible" && shows(page, link));
  if (!seen) await worker.registration.showNotification(title, { body, lang, tag, renotify: true, data: link });
}

/** @param {string} link */
async function open(link) {
  const page = (await pages()).find((page) => shows(page, link));
  await (page ? page.focus() : worker.clients.openWindow(link));
}

worker.addEventListener("install", () => worker.skipWaiting());
worker.addEventListener("activate", (/** @type {any} */ event) => event.waitUntil(worker.clients.claim()));
worker.addEventListener("push", (/** @type {any} */ event) => event.waitUntil(show(event.data.json())));
worker.addEventListener("notificationclick", (/** @type {any} */ event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data));
});
