/** Motion: pieces and cards glide from where they were to where they are; new ones come in. Never queued: a new picture starts from what is seen. */

const GLIDE = 400;
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

/** Where everything is seen now. Call the result after the picture has changed, and what has moved glides there.
 * @returns {() => void} */
export function remember() {
  if (still.matches || document.hidden) return () => {};
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
    if (seen.size && !anew) pieces().forEach((piece) => glide(piece, seen.get(piece.id)));
    let fresh = 0;
    for (const card of cards()) {
      const from = held.get(card.id);
      if (from) shift(card, from);
      else deal(card, STAGGER * Math.min(fresh++, 12));
    }
  };
}

/** @param {Element} card
 * @returns {Place} */
function corner(card) {
  const { x, y } = card.getBoundingClientRect();
  return { x, y };
}

/** @param {SVGGraphicsElement} piece
 * @param {DOMPoint | undefined} from where its origin was on the screen */
function glide(piece, from) {
  stop(piece);
  if (!from) {
    piece.animate({ opacity: [0, 1] }, { duration: GLIDE, easing: EASE });
    piece.animate({ transform: ["scale(.4)", "scale(1)"] }, { duration: GLIDE, easing: EASE, composite: "add" });
    return;
  }
  const matrix = piece.getScreenCTM();
  if (!matrix) return;
  const { x, y } = from.matrixTransform(matrix.inverse());
  if (Math.hypot(x, y) < 0.5) return;
  piece.animate({ transform: [`translate(${x}px, ${y}px)`, "none"] }, { duration: GLIDE, easing: EASE, composite: "add" });
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
  for (const running of element.getAnimations()) if (!(running instanceof CSSAnimation || running instanceof CSSTransition)) running.cancel();
}
