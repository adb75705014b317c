/** Motion: pieces and cards glide from where they were to where they are, one kind of them after another; new ones come in last.
 * However much has happened between two pictures, each piece glides once; a new picture starts from what is seen. */

const GLIDE = 400;
const STEP = 260; // from one kind of piece to the next
const LONGEST = 700; // until the last kind begins
const STAGGER = 45;
const EASE = "cubic-bezier(.3, .1, .2, 1)";
const still = matchMedia("(prefers-reduced-motion: reduce)");

/** @typedef {{x: number, y: number}} Place */

/** @returns {SVGGraphicsElement[]} */
function pieces() {
  return [...document.querySelectorAll("#pieces .piece[id]")].filter((piece) => piece instanceof SVGGraphicsElement);
}

/** @returns {HTMLElement[]} */
function cards() {
  return /** @type {HTMLElement[]} */ ([...document.querySelectorAll("#hand .card")]);
}

/** Where everything is seen now. Call the result after the picture has changed, and what has moved glides there; it answers how long that lasts.
 * @param {boolean} moving whether anything is to glide at all
 * @returns {() => number} */
export function remember(moving = true) {
  if (!moving || still.matches || document.hidden) return () => 0;
  /** @type {Map<string, DOMPoint>} */
  const seen = new Map();
  for (const piece of pieces()) {
    const matrix = piece.getScreenCTM();
    if (matrix) seen.set(piece.id, new DOMPoint().matrixTransform(matrix));
  }
  /** @type {Map<string, Place>} */
  const held = new Map(cards().map((card) => [card.id, corner(card)]));
  const box = document.getElementById("pieces")?.getAttribute("viewBox");
  return () => {
    const anew = box !== document.getElementById("pieces")?.getAttribute("viewBox");
    const lasts = seen.size && !anew ? glideAll(seen) : 0;
    let fresh = 0;
    for (const card of cards()) {
      const from = held.get(card.id);
      if (from) shift(card, from);
      else deal(card, STAGGER * Math.min(fresh++, 12));
    }
    return lasts;
  };
}

/** Ends all glides where they lead. */
export function finish() {
  for (const running of document.getAnimations()) if (ours(running)) running.finish();
}

/** Pieces of one kind, as their ids begin, glide together: a turn is a few glides.
 * @param {Map<string, DOMPoint>} seen where the origin of each was on the screen
 * @returns {number} */
function glideAll(seen) {
  /** @type {Map<string, [SVGGraphicsElement, Place | undefined][]>} */
  const moved = new Map();
  /** @type {typeof moved} */
  const fresh = new Map();
  for (const piece of pieces()) {
    stop(piece);
    const from = away(piece, seen.get(piece.id));
    if (from && Math.hypot(from.x, from.y) < 0.5) continue;
    const kind = piece.id.split("-")[0];
    const kinds = from ? moved : fresh;
    kinds.set(kind, [...(kinds.get(kind) ?? []), [piece, from]]);
  }
  const groups = [...moved.values(), ...fresh.values()];
  const step = Math.min(STEP, LONGEST / Math.max(1, groups.length - 1));
  groups.forEach((group, nth) => group.forEach(([piece, from]) => glide(piece, from, nth * step)));
  return groups.length ? GLIDE + (groups.length - 1) * step : 0;
}

/** How far from its place a piece was seen, as it measures itself; nothing if it was not there.
 * @param {SVGGraphicsElement} piece
 * @param {DOMPoint | undefined} seen
 * @returns {Place | undefined} */
function away(piece, seen) {
  const matrix = piece.getScreenCTM();
  return seen && matrix ? seen.matrixTransform(matrix.inverse()) : undefined;
}

/** @param {Element} card
 * @returns {Place} */
function corner(card) {
  const { x, y } = card.getBoundingClientRect();
  return { x, y };
}

/** @param {SVGGraphicsElement} piece
 * @param {Place | undefined} from
 * @param {number} delay */
function glide(piece, from, delay) {
  const when = /** @type {const} */ ({ duration: GLIDE, delay, easing: EASE, fill: "backwards" });
  if (from) {
    piece.animate({ transform: [`translate(${from.x}px, ${from.y}px)`, "none"] }, { ...when, composite: "add" });
    return;
  }
  piece.animate({ opacity: [0, 1] }, when);
  piece.animate({ transform: ["scale(.4)", "scale(1)"] }, { ...when, composite: "add" });
}

/** @param {HTMLElement} card
 * @param {Place} from */
function shift(card, from) {
  stop(card);
  const to = corner(card);
  const x = from.x - to.x;
  const y = from.y - to.y;
  if (Math.hypot(x, y) > 1) card.animate({ translate: [`${x}px ${y}px`, "0 0"] }, { duration: GLIDE, easing: EASE });
}

/** @param {HTMLElement} card
 * @param {number} delay */
function deal(card, delay) {
  stop(card);
  card.animate({ opacity: [0, 1], translate: ["40px -90px", "0 0"], rotate: ["14deg", "0deg"] }, { duration: GLIDE, delay, easing: EASE, fill: "backwards" });
}

/** Ends what we have started on an element; what CSS animates goes on.
 * @param {Element} element */
function stop(element) {
  for (const running of element.getAnimations()) if (ours(running)) running.cancel();
}

/** @param {Animation} running */
function ours(running) {
  return !(running instanceof CSSAnimation || running instanceof CSSTransition);
}
