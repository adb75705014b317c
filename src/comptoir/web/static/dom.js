/** What scripts share: finding elements, how wide a phone is, and what the server sends to a table. */

/**
 * How a table stands: only the parts that have changed, each one element whose id is its name.
 * @typedef {object} View
 * @property {number} version
 * @property {Record<string, string>} parts
 * @property {Record<string, [number, number, string][]>} [patches] for other parts, what has changed in them
 * @property {{from: number, lines: string[]}} log
 * @property {string[]} last
 * @property {boolean} yours
 * @property {string} title
 * @property {number | null} due
 * @property {number} now
 * @property {string | null} speed of bots, if this person may choose it
 * @property {boolean} skip whether bots can be skipped now
 * @property {string} tempo how fast what has happened is to be shown: one of the speeds
 * @property {number | null} ends_at when my turn, which has ended by itself, is over for good
 * @property {number} linger seconds for which such an end can be thought over
 * @property {boolean} at_once whether the server knows that I want no such wait
 * @property {number} [ack]
 */

/**
 * An answer in words: to a question, or why something was not done.
 * @typedef {object} Answer
 * @property {"why" | "hint" | "refused" | "error" | "chat"} type
 * @property {string} text
 * @property {string | null} rule
 * @property {string[]} actions
 * @property {number | null} ack
 */

/**
 * Who else is at the table: by seat what is so of the person there, 1: here, 2: has seen the last turn; null: no other person.
 * @typedef {object} Present
 * @property {(number | null)[]} here
 * @property {number} watching how many look on
 */

/**
 * @typedef {object} ChatMessage
 * @property {number} n
 * @property {number} seat
 * @property {string} name
 * @property {string} text
 * @property {boolean} mine
 * @property {boolean} written not a phrase
 */

/**
 * Chat messages; `reset`: all that are remembered, in place of those sent before.
 * @typedef {object} ChatNews
 * @property {ChatMessage[]} messages
 * @property {{seat: number, name: string}[]} muted who sits here and is not heard
 * @property {boolean} reset
 */

/** Whether this page is shown without a network, as it was kept by the service worker. */
export const FROM_CACHE = document.documentElement.dataset.kept !== undefined;

/** A window as narrow as a phone's; the style sheets say the same. */
export const PHONE = "(max-width: 760px)";

/** A window for which the board is laid out upright: a phone, held upright or sideways; table.css says the same. */
export const TALL = "(max-width: 760px) or (max-aspect-ratio: 4/5) or ((max-height: 540px) and (min-aspect-ratio: 1/1))";

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
export function closest(event, selector) {
  return event.target instanceof Element ? event.target.closest(selector) : null;
}

/** A text in the page's language that only scripts say.
 * @param {string} name
 * @returns {string} */
export function uiText(name) {
  return byId("said").dataset[name] ?? "";
}
