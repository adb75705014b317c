"""Every game played whole in the browser: with the mouse, and one with a finger on a phone."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from comptoir.engine.match import seed_hash
from tests.browser.app import App
from tests.browser.conftest import PHONE, Arrive
from tests.browser.player import LEGAL, Player, make_table

GAMES = [("batavia", 3, "fr"), ("century", 2, "en"), ("marco_polo", 3, "fr"), ("sail_to_india", 3, "fr")]
FINGER = 40  # pixels that a finger needs


@pytest.mark.parametrize(("game", "players", "lang"), GAMES)
def test_whole_game(app: App, arrive: Arrive, game: str, players: int, lang: str) -> None:
    page = arrive(lang)
    make_table(page, game, players=players, name="Anne")
    player = Player(page, seed=5)
    player.wait("mine", "other")
    promised = hash_of_seed(page)
    assert player.play_on() == "over"
    assert player.on_board > 5
    expect(page.locator(".ranks li")).to_have_count(players)
    match = app.table(player.table).match
    assert match is not None
    assert [int(points) for points in page.locator(".ranks b").all_inner_texts()] == sorted(match.scores(), reverse=True)
    assert sum(seat == 0 for seat, _ in match.entries) == player.decisions
    page.click(".fair summary")
    seed, shown = page.locator(".fair code").all_inner_texts()
    assert shown == promised == seed_hash(seed)
    page.click('.result a[href^="/replay/"]')
    expect(page.locator("#steps")).to_have_attribute("data-at", str(match.number))
    expect(page.locator("#autoplay")).to_be_visible()  # the script is there
    page.keyboard.press("Home")
    expect(page.locator("#steps")).to_have_attribute("data-at", "0")


def hash_of_seed(page: Page) -> str:
    """The menu has it from the start."""
    page.click("#menu summary")
    found = page.inner_text("#menu .hash code")
    page.click("#menu summary")
    return found


def test_whole_game_on_a_phone(arrive: Arrive) -> None:
    page = arrive("fr", **PHONE)
    make_table(page, "batavia", players=3)
    player = Player(page, seed=11, finger=True)
    while player.wait("mine", "over") == "mine":
        fits(page)
        player.play()
    fits(page)
    expect(page.locator(".result")).to_be_in_viewport()
    page.tap('.result a[href^="/replay/"]')
    expect(page.locator("#steps")).to_be_visible()
    fits(page)


def fits(page: Page) -> None:
    """Nothing sticks out sideways, and a finger can hit whatever can be chosen."""
    assert page.evaluate("document.scrollingElement.scrollWidth") <= PHONE["viewport"]["width"]
    sizes = page.evaluate(
        """(selector) => [...document.querySelectorAll(selector)].map((one) => {
          const { width, height } = one.getBoundingClientRect();
          return [one.dataset.spot ?? one.textContent, width, height];
        }).filter(([, width]) => width)""",
        f"{LEGAL}, #pieces .spot.may, .helps button, .result .button",
    )
    small = [size for size in sizes if min(size[1:]) < FINGER - 0.5]
    assert small == []
