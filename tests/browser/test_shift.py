"""The board stays where it is through a match: whatever hand, choices and log do, it neither moves nor changes its
size.
"""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page

from comptoir.engine import registry
from tests.browser.conftest import LAPTOP, PHONE, TABLET, Arrive
from tests.browser.player import Player, make_table

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SIZES: dict[str, dict[str, Any]] = {"laptop": LAPTOP, "phone": PHONE, "tablet": TABLET}
DECISIONS = 20
# Notes each place that the board's pane has had, frame by frame, and each shift of it that the browser has seen.
WATCH = """() => {
  window.places = [];
  window.shifts = [];
  const look = () => {
    const { x, y, width, height } = document.querySelector(".board").getBoundingClientRect();
    const place = [x, y, width, height].map(Math.round).join(" ");
    if (window.places.at(-1) !== place) window.places.push(place);
    requestAnimationFrame(look);
  };
  look();
  new PerformanceObserver((list) => {
    for (const shift of list.getEntries()) {
      for (const { node } of shift.sources) if (node instanceof Element && node.matches(".board, .chart, .pieces")) window.shifts.push(shift.value);
    }
  }).observe({ type: "layout-shift" });
}"""


def watched(page: Page) -> tuple[list[str], list[float]]:
    return page.evaluate("window.places"), page.evaluate("window.shifts")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("game", registry.names())
def test_the_board_does_not_move(arrive: Arrive, game: str, size: str) -> None:
    page = arrive("fr", **SIZES[size])
    make_table(page, game, players=3)
    player = Player(page, seed=3)
    player.wait("mine")
    page.evaluate(WATCH)
    for _ in range(DECISIONS):
        player.play()
        if player.wait("mine", "over") == "over":
            break
    places, shifts = watched(page)
    assert len(places) == 1, places
    assert shifts == []


def test_a_board_that_moves_is_seen(arrive: Arrive) -> None:
    """The watch itself can fail."""
    page = arrive("en", **LAPTOP)
    make_table(page, "century", players=3)
    Player(page, seed=3).wait("mine")
    page.evaluate(WATCH)
    page.evaluate("document.querySelector('.board').style.marginTop = '40px'")
    page.wait_for_function("() => window.places.length > 1")
    assert len(watched(page)[0]) == 2
