/** The points of lit spots that a tap there would miss: a list of [spot, which point, what lies over it]. */
() => {
  const STEPS = 7;
  const AROUND = [[-2, 0], [2, 0], [0, -2], [0, 2]]; // a point on the very edge is nobody's
  const swallowed = [];
  const pane = document.querySelector(".board");
  for (const spot of document.querySelectorAll("#pieces .spot.may")) {
    const ring = spot.querySelector(".ring");
    spot.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
    const shown = pane.getBoundingClientRect();
    const matrix = ring.getScreenCTM();
    const box = ring.getBBox();
    for (let n = 0; n < STEPS * STEPS; n++) {
      const point = new DOMPoint(box.x + (box.width * (n % STEPS + 0.5)) / STEPS, box.y + (box.height * (Math.floor(n / STEPS) + 0.5)) / STEPS);
      if (!AROUND.every(([x, y]) => ring.isPointInFill(new DOMPoint(point.x + x, point.y + y)))) continue;
      const { x, y } = point.matrixTransform(matrix);
      if (x < shown.left || x > shown.right || y < shown.top || y > shown.bottom) continue;
      const hit = document.elementFromPoint(x, y);
      if (hit?.closest(".spot") !== spot) swallowed.push([spot.dataset.spot, n, hit?.closest("[data-spot], [id]")?.getAttribute("data-spot") ?? hit?.localName]);
    }
  }
  return swallowed;
}
