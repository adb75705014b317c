/** The service worker: shows what the server tells of a table, with the page closed, and leads there; and keeps what was
 * read, so that it can be read again without a network.
 *
 * What is kept of pages is one person's: it is dropped as soon as a page comes that is another's, and whenever somebody
 * may have become another person here. Only what is read is kept: nothing that is sent is ever sent later. */

const worker = /** @type {any} */ (self);
const EDITION = "{asset_version}"; // the server puts today's here
const FILES = `files-${EDITION}`;
const FILE = /^\/static\/v[0-9a-f]{12}\//;
const PICTURE = /^\/(covers|rules\/[^/]+)\/[^/]+\.svg$/;
const PAGE = /^\/(rules(\/[^/]+)?|about|tables\/[^/]+|replay\/[^/]+)?$/;
const ONE = /^\/(tables|replay)\//; // of these only the last that was seen
const CHANGES = /^\/(lang$|me(\/(?!notifications)|$))/; // a POST here may make somebody another person, or change what all pages say
const LEAVES = /^\/me\/(delete$|move\/)/; // after a POST here the device is somebody else's
const LARGEST = 600_000; // bytes of one thing that is kept
const PACE = 1500; // milliseconds between pages that are kept to be read later
const MOST = { files: 160, pages: 30, parts: 300 };

let epoch = 0; // counts when somebody may have become another person: what was asked for before is not kept

/**
 * What the server sends; domain/notifications.py makes it.
 * @typedef {object} Notice
 * @property {string} title
 * @property {string} body
 * @property {string} lang
 * @property {string} tag of the table: a newer one takes the older one's place
 * @property {string} link
 * @property {number} [waiting] tables that wait for this person
 */

// Notices

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
async function show({ title, body, lang, tag, link, waiting }) {
  if (waiting !== undefined) await worker.navigator.setAppBadge?.(waiting).catch(() => {});
  const seen = (await pages()).some((page) => page.visibilityState === "visible" && shows(page, link));
  if (seen) return;
  const pictures = { icon: "/static/icons/icon-192.png", badge: "/static/icons/badge-96.png" };
  await worker.registration.showNotification(title, { body, lang, tag, renotify: true, data: link, ...pictures });
}

/** @param {string} link */
async function open(link) {
  const page = (await pages()).find((page) => shows(page, link));
  await (page ? page.focus() : worker.clients.openWindow(link));
}

// What is kept

/** Under which address something is kept.
 * @param {URL} url
 * @returns {string} */
function place(url) {
  return ONE.test(url.pathname) ? url.pathname : url.pathname + url.search;
}

/** The newest last; the oldest give way.
 * @param {string} name of the cache
 * @param {string} key
 * @param {Response} answer
 * @param {number} most */
async function put(name, key, answer, most) {
  const body = await answer.blob();
  if (body.size > LARGEST) return;
  const cache = await caches.open(name);
  await cache.delete(key, { ignoreVary: true });
  await cache.put(key, new Response(body, { headers: answer.headers }));
  const keys = await cache.keys();
  for (const old of keys.slice(0, Math.max(0, keys.length - most))) await cache.delete(old, { ignoreVary: true });
}

/** Keeps what is one person's, and of nobody else.
 * @param {"pages" | "parts"} kind
 * @param {string} key
 * @param {Response} answer
 * @param {number} then the epoch when it was asked for */
async function keep(kind, key, answer, then) {
  const person = answer.headers.get("X-Person");
  if (!person || !answer.ok || answer.redirected) return;
  await forget(person);
  if (then === epoch) await put(`${kind}-${EDITION}-${person}`, key, answer, MOST[kind]);
}

/** Drops all that is kept of anyone but this person.
 * @param {string} [person] */
async function forget(person) {
  const others = (await caches.keys()).filter((name) => /^(pages|parts)-/.test(name) && !(person && name.endsWith(`-${person}`)));
  await Promise.all(others.map((name) => caches.delete(name)));
}

/** Takes back what was shown to the person who leaves this device: notifications, and the number on the app's icon. */
async function clearNotices() {
  for (const notice of await worker.registration.getNotifications()) notice.close();
  await worker.navigator.clearAppBadge?.().catch(() => {});
}

/** @param {string} prefix of the cache's name
 * @param {string} key
 * @returns {Promise<Response | undefined>} */
async function kept(prefix, key) {
  const name = (await caches.keys()).find((name) => name.startsWith(prefix));
  return name === undefined ? undefined : (await caches.open(name)).match(key, { ignoreVary: true });
}

/** A page from before, which says when it was so.
 * @param {Response} page
 * @returns {Promise<Response>} */
async function dated(page) {
  const at = Date.parse(page.headers.get("Date") ?? "") || 0;
  const html = (await page.text()).replace("<html ", `<html data-kept="${at}" `);
  const headers = new Headers(page.headers);
  for (const name of ["Content-Encoding", "Content-Length", "Set-Cookie"]) headers.delete(name);
  return new Response(html, { headers });
}

async function offline() {
  const page = await kept(FILES, "/offline");
  return page ? dated(page) : Response.error();
}

// What pages ask for

/** @param {Request} request
 * @returns {Promise<Response>} */
async function file(request) {
  const known = await kept(FILES, request.url);
  if (known) return known;
  const answer = await fetch(request);
  if (answer.ok) await put(FILES, request.url, answer.clone(), MOST.files);
  return answer;
}

/** Not kept for good: it is asked for again where there is a network.
 * @param {Request} request
 * @returns {Promise<Response>} */
async function picture(request) {
  try {
    const answer = await fetch(request);
    if (answer.ok) await put(FILES, request.url, answer.clone(), MOST.files);
    return answer;
  } catch {
    return (await kept(FILES, request.url)) ?? new Response("", { headers: { "Content-Type": "image/svg+xml" } });
  }
}

/** A page as it is now; without a network as it was.
 * @param {any} event
 * @param {URL} url */
async function page(event, url) {
  const then = epoch;
  try {
    const answer = await fetch(event.request);
    if (PAGE.test(url.pathname)) event.waitUntil(keep("pages", place(url), answer.clone(), then));
    return answer;
  } catch {
    const known = PAGE.test(url.pathname) ? await kept(`pages-${EDITION}-`, place(url)) : undefined;
    return known ? dated(known) : offline();
  }
}

/** A part of a page that a script asks for: a step of a replay, the rules beside a board.
 * @param {any} event
 * @param {string} key */
async function part(event, key) {
  const then = epoch;
  try {
    const answer = await fetch(event.request);
    event.waitUntil(keep("parts", key, answer.clone(), then));
    return answer;
  } catch {
    return (await kept(`parts-${EDITION}-`, key)) ?? new Response("", { status: 503 });
  }
}

/** What is sent is sent now or not at all.
 * @param {any} event
 * @param {URL} url */
function sent(event, url) {
  if (CHANGES.test(url.pathname)) {
    epoch += 1;
    event.waitUntil(forget());
  }
  if (LEAVES.test(url.pathname)) event.waitUntil(clearNotices());
  if (/^\/(lang|look)$/.test(url.pathname)) event.waitUntil(keepOffline().catch(() => {}));
  if (event.request.mode === "navigate") event.respondWith(fetch(event.request).catch(() => Response.redirect("/offline", 303)));
}

/** @param {any} event */
function fetched(event) {
  const { request } = event;
  const url = new URL(request.url);
  if (url.origin !== worker.location.origin) return;
  if (request.method !== "GET") return sent(event, url);
  if (FILE.test(url.pathname)) event.respondWith(file(request));
  else if (PICTURE.test(url.pathname)) event.respondWith(picture(request));
  else if (request.mode === "navigate") event.respondWith(page(event, url));
  else if (/^\/replay\/[^/]+$/.test(url.pathname) || url.searchParams.has("fragment")) {
    const whole = request.headers.has("X-Part") ? "" : "&whole";
    event.respondWith(part(event, `${url.pathname}${url.search}${whole}`));
  }
}

/** Keeps what a page names: itself as it is now, what it is made of, and the rules, of which there is no hurry.
 * @param {string[]} paths */
async function keepAll(paths) {
  for (const path of paths.slice(0, 80)) {
    const url = new URL(path, worker.location.origin);
    if (FILE.test(url.pathname) || PICTURE.test(url.pathname)) await file(new Request(url));
    else if (ONE.test(url.pathname)) await keepPage(url, "pages", place(url));
    else if (PAGE.test(url.pathname)) await keepOnce(url);
  }
}

/** What stays the same is asked for once an edition, and not all of it at once: a whole class may open the app together.
 * @param {URL} url */
async function keepOnce(url) {
  const fragment = url.searchParams.has("fragment");
  const kind = fragment ? "parts" : "pages";
  const key = fragment ? `${url.pathname}${url.search}&whole` : place(url);
  if (await kept(`${kind}-${EDITION}-`, key)) return;
  await keepPage(url, kind, key);
  await new Promise((done) => setTimeout(done, PACE * (0.5 + Math.random())));
}

/** @param {URL} url
 * @param {"pages" | "parts"} kind
 * @param {string} key */
async function keepPage(url, kind, key) {
  const then = epoch;
  await keep(kind, key, await fetch(url, { headers: { Accept: "text/html" } }), then);
}

/** The page that is shown where there is no network, with what it is made of. */
async function keepOffline() {
  const page = await fetch("/offline");
  if (!page.ok) return;
  const html = await page.clone().text();
  await put(FILES, "/offline", page, MOST.files);
  for (const [, path] of html.matchAll(/"(\/static\/v[^"#]+)/g)) await keepFile(path);
}

/** A file with those that it needs itself: scripts, and the usual letters.
 * @param {string} path */
async function keepFile(path) {
  const url = new URL(path, worker.location.origin);
  if (await kept(FILES, url.href)) return;
  const text = await (await file(new Request(url))).text();
  if (!/\.(js|css)$/.test(path)) return;
  for (const [, near] of text.matchAll(/(?:from "\.\/|url\()([\w./-]+\.(?:js|woff2))/g)) {
    if (!/-ext-/.test(near)) await keepFile(new URL(near, url).pathname);
  }
}

/** Nothing of another edition is left. */
async function tidy() {
  const old = (await caches.keys()).filter((name) => !name.startsWith(FILES) && !name.includes(`-${EDITION}-`));
  await Promise.all(old.map((name) => caches.delete(name)));
  await worker.clients.claim();
}

worker.addEventListener("install", (/** @type {any} */ event) => {
  worker.skipWaiting();
  event.waitUntil(keepOffline());
});
worker.addEventListener("activate", (/** @type {any} */ event) => event.waitUntil(tidy()));
worker.addEventListener("fetch", fetched);
worker.addEventListener("message", (/** @type {any} */ event) => event.waitUntil(keepAll(event.data.keep ?? []).catch(() => {})));
worker.addEventListener("push", (/** @type {any} */ event) => event.waitUntil(show(event.data.json())));
worker.addEventListener("notificationclick", (/** @type {any} */ event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data));
});
