/** What the scripts of a table's page share: finding elements, and what the server sends. */

/**
 * How a table stands: only the parts that have changed, each one element whose id is its name.
 * @typedef {object} View
 * @property {number} number
 * @property {Record<string, string>} parts
 * @property {Record<string, [number, number, string][]>} [patches] for other parts, what has changed in them
 * @property {{from: number, lines: string[]}} log
 * @property {string[]} last
 * @property {boolean} yours
 * @property {string} title
 * @property {number | null} due
 * @property {number} now
 * @property {number} [ack]
 */

/**
 * An answer in words: to a question, or why something was not done.
 * @typedef {object} Answer
 * @property {"why" | "hint" | "refused" | "error"} say
 * @property {string} text
 * @property {string | null} rule
 * @property {string[]} actions
 * @property {number | null} ack
 */

/** The element of an id that the page always has.
 * @param {string} id
 * @returns {HTMLElement} */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`no element ${id}`);
  return found;
}

/** All elements of a selector, as HTML elements (or SVG ones, which have what we use of them).
 * @param {string} selector
 * @returns {HTMLElement[]} */
export function all(selector) {
  return /** @type {HTMLElement[]} */ ([...document.querySelectorAll(selector)]);
}

/** The nearest element around an event's target.
 * @param {Event} event
 * @param {string} selector
 * @returns {HTMLElement | null} */
export function around(event, selector) {
  return event.target instanceof Element ? event.target.closest(selector) : null;
}

/** A text in the page's language that only scripts say.
 * @param {string} name
 * @returns {string} */
export function said(name) {
  return byId("said").dataset[name] ?? "";
}
