/** The page that is shown where there is no network: lists what was kept and can be read. */

import { when } from "./offline-support.js";
import { FROM_CACHE, byId } from "./dom.js";

/** @param {Request} key
 * @param {Response} page
 * @returns {Promise<HTMLElement>} */
async function item(key, page) {
  const link = document.createElement("a");
  link.href = new URL(key.url).pathname;
  link.textContent = new DOMParser().parseFromString(await page.text(), "text/html").title.replace(/^● | – Comptoir$/g, "");
  const time = document.createElement("small");
  time.textContent = when(Date.parse(page.headers.get("Date") ?? ""));
  const line = document.createElement("li");
  line.append(link, " ", time);
  return line;
}

async function list() {
  const name = (await caches.keys()).find((name) => name.startsWith("pages-"));
  if (name === undefined) return;
  const cache = await caches.open(name);
  const keys = [...(await cache.keys())].filter((key) => !/\/rules\/./.test(key.url)).reverse(); // they have a page that leads there
  const one = /\/(tables|replay)\//;
  keys.sort((a, b) => Number(one.test(b.url)) - Number(one.test(a.url)));
  for (const key of keys) {
    const page = await cache.match(key, { ignoreVary: true });
    if (page) byId("readable").append(await item(key, page));
  }
  byId("kept-pages").hidden = !byId("readable").children.length;
}

if (FROM_CACHE) void list();
else if (location.pathname === "/offline") location.replace("/"); // the network is back
