/** What is wrong with how a table is laid out, as the page shows it now: a list of [what, where, figures…]. */
() => {
  const SECTIONS = [".top", ".seats", ".board", ".told", ".says", ".dock", ".notice"];
  const LEAST_TEXT = 11; // pixels
  const LEAST_TARGET = 44;
  const touched = matchMedia("(hover: none)").matches;
  const faults = [];
  const round = Math.round;
  const style = (one, part) => getComputedStyle(one, part);
  const seen = (one) => one.checkVisibility({ visibilityProperty: true }) && !one.closest(".unseen, noscript") && one.getBoundingClientRect().width > 0;
  const name = (one) => `${one.closest("[id]")?.id} ${one.localName}.${one.getAttribute("class") ?? ""} “${one.textContent.trim().replace(/\s+/g, " ").slice(0, 40)}”`;
  const scrolls = (one) => /auto|scroll/.test(style(one).overflowX + style(one).overflowY);
  const within = (box, other, by = 2) =>
    box.left >= other.left - by && box.right <= other.right + by && box.top >= other.top - by && box.bottom <= other.bottom + by;
  const sections = SECTIONS.map((selector) => document.querySelector(selector)).filter((one) => one && seen(one));
  const everything = sections.flatMap((section) => [...section.querySelectorAll("*")]).filter(seen);

  // Text: large enough, and inside whatever it belongs to.
  const texts = everything.filter((one) => [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim()) && one.localName !== "title");
  for (const one of texts) {
    const scale = one instanceof SVGGraphicsElement ? Math.hypot(one.getScreenCTM().a, one.getScreenCTM().b) : 1;
    const size = parseFloat(style(one).fontSize) * scale;
    if (size < LEAST_TEXT - 0.05) faults.push(["small", name(one), +size.toFixed(1)]);
    if (one instanceof SVGElement) {
      if (!within(one.getBoundingClientRect(), one.ownerSVGElement.getBoundingClientRect())) faults.push(["outside", name(one), "its picture"]);
      continue;
    }
    const range = document.createRange();
    range.selectNodeContents(one);
    const letters = ({ left, right, top, bottom }) => ({ left, right, top: (top + bottom - size) / 2, bottom: (top + bottom + size) / 2 });
    const lines = [...range.getClientRects()].filter((line) => line.width > 0).map(letters);
    if (one.closest(".show-log")) continue;
    for (let around = one; around && !scrolls(around) && around !== document.body; around = around.parentElement) {
      if (style(around).display.startsWith("inline") && !style(around).display.includes("-")) continue;
      if (style(around).display === "contents") continue;
      const box = around.getBoundingClientRect();
      if (lines.some((line) => !within(line, box))) faults.push(["outside", name(one), name(around)]);
      if (/absolute|sticky/.test(style(around).position)) break;
    }
  }

  // No two texts or controls lie over each other, where both are to be seen. What floats over the table is not counted.
  const FLOATS = ".answer-box, .why-sheet, .menu-sheet, .whole, .asked, .bubble";
  const sticks = (one) => one !== document.body && (style(one).position === "sticky" || sticks(one.parentElement)); // over what scrolls
  const clipped = (one) => {
    let { left, right, top, bottom } = one.getBoundingClientRect();
    for (let around = one.parentElement; around && around !== document.body; around = around.parentElement) {
      if (!scrolls(around) && !/hidden|clip/.test(style(around).overflowX)) continue;
      const box = around.getBoundingClientRect();
      [left, right, top, bottom] = [Math.max(left, box.left), Math.min(right, box.right), Math.max(top, box.top), Math.min(bottom, box.bottom)];
    }
    return { left, right, top, bottom };
  };
  const solid = everything
    .filter((one) => !(one instanceof SVGElement) && !one.closest(FLOATS) && !sticks(one) && (one.matches("button:not(.who), a[href], summary, input, select") || texts.includes(one)))
    .map((one) => ({ one, box: clipped(one) }))
    .filter(({ box }) => box.right - box.left > 2 && box.bottom - box.top > 2);
  for (const [n, { one, box: a }] of solid.entries()) {
    for (const { one: other, box: b } of solid.slice(n + 1)) {
      if (one.contains(other) || other.contains(one)) continue;
      const aside = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (aside > 2 && down > 2) faults.push(["covers", name(one), name(other), round(aside), round(down)]);
    }
  }

  // Nothing is cut, but for the strip: it says the last turn as far as it goes, and a tap opens the rest.
  for (const one of everything) {
    if (one instanceof SVGElement || one.matches(".show-log")) continue;
    const { overflowX, overflowY } = style(one);
    if (/hidden|clip/.test(overflowX) && one.scrollWidth > one.clientWidth + 1) faults.push(["cut", name(one), one.scrollWidth, one.clientWidth]);
    if (/hidden|clip/.test(overflowY) && one.scrollHeight > one.clientHeight + 1) faults.push(["cut", name(one), one.scrollHeight, one.clientHeight]);
  }

  // Whatever a finger is to hit. A spot of the board or the hand is not counted: each has its choice in the dock.
  for (const one of document.querySelectorAll("a[href], button, summary, input, select, [role=button]")) {
    if (!touched || !seen(one) || one.matches(".spot, .skip")) continue;
    const { width, height } = (style(one, "::after").position === "absolute" ? one.offsetParent : one).getBoundingClientRect();
    if (Math.min(width, height) < LEAST_TARGET - 0.5) faults.push(["narrow", name(one), round(width), round(height)]);
  }

  // The sections lie beside each other, within the window, or within a page that scrolls downwards only.
  const scrolled = document.scrollingElement;
  const across = document.documentElement.clientWidth;
  if (scrolled.scrollWidth > across + 1) faults.push(["wide", "page", scrolled.scrollWidth]);
  const boxes = [...sections, ...[document.querySelector(".helps"), document.querySelector(".sentence")].filter((one) => one && seen(one))];
  // On a phone held upright the dock lies over the foot of the board, which says how much of it is covered.
  const under = parseFloat(style(document.querySelector(".board")).scrollPaddingBottom) || 0;
  const boxOf = (one) => {
    const { left, right, top, bottom } = one.getBoundingClientRect();
    return { left, right, top, bottom: one.matches(".board") ? bottom - under : bottom };
  };
  for (const [n, one] of boxes.entries()) {
    const a = boxOf(one);
    if (a.left < -1 || a.right > across + 1 || a.top < -1 || (a.bottom > innerHeight + 1 && scrolled.scrollHeight <= innerHeight + 1)) {
      faults.push(["outside", name(one).slice(0, 30), "the window"]);
    }
    for (const other of boxes.slice(n + 1)) {
      if (document.body.matches(".alone") && one.matches(".told") && other.matches(".says")) continue; // only the way back is left, beside the sentence
      if (one.contains(other) || other.contains(one) || (one.matches(".says") && other.matches(".helps"))) continue; // beside the sentence
      const b = boxOf(other);
      const aside = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (aside > 1 && down > 1) faults.push(["over", one.className, other.className, round(aside), round(down)]);
    }
  }
  return faults;
}
