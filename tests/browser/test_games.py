"""Every game played whole in the browser, by the text on the choices: with the mouse, and with a finger on a phone."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from comptoir.engine.match import seed_hash
from tests.browser.app import App
from tests.browser.conftest import LAPTOP, PHONE, SIDEWAYS, Arrive
from tests.browser.player import Player, chosen, make_table
from tests.browser.text_player import TextPlayer

FEWEST = {"batavia": 3, "century": 2, "marco_polo": 2, "sail_to_india": 3}
GAMES = [  # one of them in every run
    ("century", 2, "en"),
    pytest.param("batavia", 3, "fr", marks=pytest.mark.browser),
    pytest.param("lots", 6, "fr", marks=pytest.mark.browser),  # from another package, on a plain board
    pytest.param("marco_polo", 3, "fr", marks=pytest.mark.browser),
    pytest.param("sail_to_india", 3, "en", marks=pytest.mark.browser),
]
ON_A_PHONE = [
    pytest.param(
        game, players, held, id=f"{game}-{players}-{title}", marks=() if always else pytest.mark.browser
    )
    for game, players in FEWEST.items()
    for title, held, always in (("upright", PHONE, game == "sail_to_india"), ("sideways", SIDEWAYS, False))
]
PLAIN = "lots"  # bids are about no place of the board


@pytest.mark.parametrize(("game", "players", "lang"), GAMES)
def test_whole_game(app: App, arrive: Arrive, game: str, players: int, lang: str) -> None:
    page = arrive(lang, **LAPTOP)
    make_table(page, game, players=players, name="Anne")
    player = TextPlayer(page, seed=5)
    player.wait("mine", "other")
    promised = hash_of_seed(page)
    assert player.play_on() == "over"
    assert player.most <= 1
    assert player.on_board > 3 or game == PLAIN
    expect(page.locator(".scores thead .mark")).to_have_count(players)
    match = app.table(player.table).match
    assert match is not None
    totals = page.locator(".scores .total td").all_inner_texts()
    assert [int(points.replace("−", "-")) for points in totals] == match.scores()
    assert len(chosen(app.table(player.table), 0)) == player.decisions
    page.click(".fair summary")
    seed, shown = page.locator(".fair code").all_inner_texts()
    assert shown == promised == seed_hash(seed)
    page.click('.result a[href^="/replay/"]')
    expect(page.locator("#steps")).to_have_attribute("data-at", str(match.ply))
    expect(page.locator("#autoplay")).to_be_visible()  # the script is there
    page.keyboard.press("Home")
    expect(page.locator("#steps")).to_have_attribute("data-at", "0")


def hash_of_seed(page: Page) -> str:
    """The menu has it from the start."""
    page.click("#menu summary")
    found = page.inner_text("#menu .hash code")
    page.click("#menu summary")
    return found


@pytest.mark.parametrize(("game", "players", "held"), ON_A_PHONE)
def test_whole_game_on_a_phone(arrive: Arrive, game: str, players: int, held: dict[str, Any]) -> None:
    page = arrive("fr" if held is PHONE else "en", **held)
    make_table(page, game, players=players)
    player = TextPlayer(page, seed=11, finger=True)
    assert player.play_on() == "over"
    assert player.most <= 1
    assert page.evaluate("document.scrollingElement.scrollWidth") <= held["viewport"]["width"]
    expect(page.locator("#sentence")).to_be_in_viewport()
    page.tap('.result a[href^="/replay/"]')
    expect(page.locator("#steps")).to_be_visible()
    assert page.evaluate("document.scrollingElement.scrollWidth") <= held["viewport"]["width"]


@pytest.mark.parametrize("arrives", [False, True], ids=["lost", "answer lost"])
def test_an_action_is_sent_again_when_the_line_breaks(app: App, arrive: Arrive, arrives: bool) -> None:
    """The line breaks as the action is sent, before or after the server has it: it is done once."""
    page = arrive("en")
    broken: list[str] = []

    def pass_on(line: WebSocketRoute) -> None:
        server = line.connect_to_server()

        def from_page(message: str | bytes) -> None:
            if json.loads(message)["type"] != "play" or broken:
                server.send(message)
                return
            broken.append(str(message))
            if arrives:
                server.on_message(lambda _: None)
                server.send(message)
            line.close(code=1012)

        line.on_message(from_page)

    page.route_web_socket("**/socket?*", pass_on)
    make_table(page, "batavia", players=3, first=0)
    player = Player(page, seed=3)
    assert player.play_on(until=2) == "mine"
    assert len(broken) == 1
    assert len(chosen(app.table(player.table), 0)) == player.decisions == 2
