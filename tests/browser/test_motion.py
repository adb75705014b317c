"""What bots do is seen: a turn as a few glides, a pause after a big moment, and nothing that moves for whoever does
not want it. And what the icons of a seat mean.
"""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PHONE, Arrive
from tests.browser.player import Player, make_table

pytestmark = pytest.mark.browser

TABLET = {"viewport": {"width": 820, "height": 1180}, "has_touch": True}
# Which piece begins to move when, by the version of the table that was shown before.
WATCH = """() => {
  window.moves = [];
  const animate = Element.prototype.animate;
  Element.prototype.animate = function (frames, options) {
    const version = document.getElementById("table").dataset.version;
    if (this.matches("#pieces .piece") && "transform" in frames) window.moves.push([version, this.id, options.delay]);
    return animate.call(this, frames, options);
  };
}"""
# Views that are shown one after another, as the page's own queue does it: 1 and 2 with a big moment.
QUEUE = """async (tempo) => {
  const { UpdateQueue } = await import(document.querySelector('script[src$="/table.js"]').src.replace("table.js", "update-queue.js"));
  window.shown = [];
  window.queue = new UpdateQueue((view) => {
    window.shown.push(view.version);
    return { lasts: 0, moment: view.version < 3 };
  });
  for (const version of [1, 2, 3]) window.queue.add({ version, tempo }, false);
}"""

# When each row of the score sheet comes in, in seconds; those that do not move are there at once.
DELAYS = """() => [...document.querySelectorAll(".result .scores tbody tr")]
  .map((row) => getComputedStyle(row))
  .filter((style) => style.animationName !== "none")
  .map((style) => parseFloat(style.animationDelay))"""


def play_some(page: Page, decisions: int) -> None:
    page.evaluate(WATCH)
    Player(page, 3).play_on(until=decisions)


def test_a_bots_turn_is_a_few_glides(arrive: Arrive) -> None:
    """However many actions it had, each piece moves once; pieces of a kind together, and all within 1.5 s."""
    page = arrive("en", reduced_motion="no-preference")
    make_table(page, "century", players=3)
    play_some(page, 8)
    moves: list[list[Any]] = page.evaluate("window.moves")
    assert moves
    assert len({(version, piece) for version, piece, _ in moves}) == len(moves)
    assert max(delay for _, _, delay in moves) <= 1100  # and 400 ms for the glide itself
    together = {(version, piece.split("-")[0]): delay for version, piece, delay in moves}
    assert all(together[version, piece.split("-")[0]] == delay for version, piece, delay in moves)


def test_nothing_glides_for_who_wants_no_motion(arrive: Arrive) -> None:
    page = arrive("en")
    make_table(page, "century", players=3)
    play_some(page, 4)
    assert page.evaluate("window.moves") == []


def test_a_page_that_waits_comes_to_rest(arrive: Arrive) -> None:
    """What glows does so for a while: a board that is drawn again for as long as one thinks empties a phone."""
    page = arrive("en", reduced_motion="no-preference")
    make_table(page, "century", players=3)
    expect(page.locator("#choices.yours")).to_be_visible()
    ends = page.evaluate(
        "document.getAnimations().map((one) => String(one.effect.getComputedTiming().endTime))"
    )
    assert ends
    assert "Infinity" not in ends


@pytest.mark.parametrize(("tempo", "pause"), [("slow", 1500), ("brisk", 700), ("at once", 0)])
def test_after_a_big_moment_the_next_thing_waits(arrive: Arrive, tempo: str, pause: int) -> None:
    page = arrive("en")
    make_table(page, "century", players=3)
    page.clock.install()
    page.evaluate(QUEUE, tempo)
    for shown in ([1], [1, 2], [1, 2, 3]) if pause else ([1, 2, 3],):
        assert page.evaluate("window.shown") == shown
        page.clock.run_for(pause)


def test_skipping_shows_at_once_what_waits(arrive: Arrive) -> None:
    page = arrive("en")
    make_table(page, "century", players=3)
    page.clock.install()
    page.evaluate(QUEUE, "slow")
    page.evaluate("window.queue.hurry()")
    assert page.evaluate("window.shown") == [1, 2, 3]


def test_the_score_sheet_comes_row_by_row(arrive: Arrive) -> None:
    page = arrive("en", reduced_motion="no-preference")
    make_table(page, "lots", players=2)
    assert Player(page, 3).play_on() == "over"
    delays = page.evaluate(DELAYS)
    assert len(delays) > 1
    assert delays == sorted(set(delays))
    page.emulate_media(reduced_motion="reduce")
    assert page.evaluate(DELAYS) == []
    expect(page.locator(".result").get_by_text("Rematch")).to_be_visible()
    expect(page.locator(".result").get_by_text("Watch the replay")).to_be_visible()
    expect(page.locator(".result").get_by_text("Review the match")).to_be_visible()


def test_what_comes_too_fast_is_not_shown_late(arrive: Arrive) -> None:
    page = arrive("en")
    make_table(page, "century", players=3)
    page.clock.install()
    page.evaluate(QUEUE, "slow")
    page.evaluate("window.queue.add({ version: 4, tempo: 'slow' }, false)")
    assert page.evaluate("window.shown") == [1, 2, 3, 4]


@pytest.mark.parametrize("device", [TABLET, PHONE], ids=["tablet", "phone"])
def test_a_tap_says_what_the_icons_of_a_seat_mean(arrive: Arrive, device: dict[str, Any]) -> None:
    page = arrive("en", **device)
    make_table(page, "batavia", players=3)
    Player(page, 1).wait("mine")
    box = page.locator("#explained")
    expect(box).to_be_hidden()
    page.locator("#seat-1 .who").tap()
    expect(box).to_be_visible()
    expect(box.get_by_text("cards in hand")).to_be_visible()
    assert box.evaluate(
        "(box) => { const { left, right } = box.getBoundingClientRect(); return left >= 0 && right <= innerWidth; }"
    )
    page.locator("#seat-1 .who").tap()
    expect(box).to_be_hidden()
    page.locator("#seat-2 .who").focus()
    page.keyboard.press("Enter")
    expect(box.locator(".called")).to_have_text(page.inner_text("#seat-2 .called"))
    page.keyboard.press("Escape")
    expect(box).to_be_hidden()
