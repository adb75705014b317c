"""Two people at a table and one who looks on: each sees quietly who is there, and who has seen the last turn."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.app import App
from tests.browser.conftest import PHONE, Arrive
from tests.browser.player import Player, make_table

pytestmark = pytest.mark.browser

SAID = {
    "en": ("Here, has seen the last turn", "Here", "Not here, has seen the last turn", "Watching: 1"),
    "fr": (
        "À la table, a vu le dernier tour",
        "À la table",
        "Pas à la table, a vu le dernier tour",
        "Spectateurs\u202f: 1",
    ),
}
HIDE = """(hidden) => {
  Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


def seated(anne: Page, bruno: Page, **table: Any) -> None:
    """Anne has made a table of Century, Bruno has come by its link."""
    make_table(anne, "century", players=2, others={1: "link"}, name="Anne", **table)
    bruno.goto(anne.url)
    bruno.fill("#my-name", "Bruno")
    bruno.click('.seating button[formaction$="/sit"]')
    expect(anne.locator(".seating")).to_contain_text("Bruno")


def begun(anne: Page, bruno: Page) -> tuple[Player, Player]:
    anne.click('button[formaction$="/begin"]')
    players = Player(anne, seed=1), Player(bruno, seed=2)
    for player in players:
        player.wait("mine", "other")
    return players


def told(page: Page, seat: int, words: str) -> None:
    """Until the mark at that seat says so."""
    mark = page.locator(f"#seat-{seat} .here")
    expect(mark).to_have_attribute("aria-label", words)
    expect(mark).to_be_visible()


@pytest.mark.parametrize("device", [{}, PHONE], ids=["desktop", "phone"])
def test_everyone_sees_who_is_here(app: App, arrive: Arrive, device: dict[str, Any]) -> None:
    anne, bruno = arrive("en", **device), arrive("fr", **device)
    seated(anne, bruno)
    expect(anne.locator(".seating .here")).to_be_visible()  # in the lobby, too
    players = begun(anne, bruno)
    (all_well, here, gone, watching), french = SAID["en"], SAID["fr"]
    told(anne, 1, all_well)
    told(bruno, 0, french[0])
    expect(anne.locator("#seat-0 .here")).to_have_count(0)  # of oneself nothing is said

    # whose page is hidden has not seen what is done now
    turn = app.table(players[0].table).turn or 0
    actor, other = (anne, bruno) if turn == 0 else (bruno, anne)
    other.evaluate(HIDE, True)
    players[turn].play()
    told(actor, 1 - turn, (SAID["en"] if turn == 0 else french)[1])
    other.evaluate(HIDE, False)
    told(actor, 1 - turn, (SAID["en"] if turn == 0 else french)[0])

    stranger = arrive("en", **device)
    stranger.goto(anne.url)
    count = anne.locator(".talk-sheet .watching-count" if device else ".top > .watching-count")
    anne.click("#talk summary")
    expect(count).to_have_text(watching)
    told(stranger, 0, all_well)
    told(stranger, 1, all_well)
    stranger.close()
    expect(count).to_be_hidden()
    anne.keyboard.press("Escape")
    expect(anne.locator(".talk-sheet")).to_be_hidden()

    bruno.goto("/")
    told(anne, 1, gone)
    anne.click("#seat-1 .who")
    expect(anne.locator("#explained .here")).to_have_attribute("aria-label", gone)
    assert here


@pytest.mark.parametrize("device", [{}, PHONE], ids=["desktop", "phone"])
def test_who_is_away_in_their_turn_is_missed(arrive: Arrive, app: App, device: dict[str, Any]) -> None:
    """The prompt offers a bot, or to wait; when they are back, nothing is said any more."""
    anne, bruno = arrive("en", **device), arrive("fr", **device)
    seated(anne, bruno)
    players = begun(anne, bruno)
    while app.table(players[0].table).turn != 1:
        players[0].play()
    players[0].wait("other")
    missing = anne.locator(".missing")
    expect(missing).to_be_hidden()
    table = anne.url
    bruno.goto("/")
    expect(missing).to_be_visible()
    expect(missing.locator("p")).to_contain_text("is away.")
    missing.locator("[data-ask]").click()
    expect(anne.locator("#answer")).to_contain_text("10 minutes")
    missing.locator("[data-wait]").click()
    expect(missing).to_be_hidden()
    bruno.goto(table)
    told(anne, 1, SAID["en"][0])
    bruno.goto("/")
    expect(missing).to_be_visible()  # it is another absence
    bruno.goto(table)
    expect(missing).to_be_hidden()


def test_alone_among_bots_nothing_is_said_of_it(arrive: Arrive) -> None:
    page = arrive("en")
    make_table(page, "century", players=2)
    Player(page, seed=1).wait("mine", "other")
    expect(page.locator(".here")).to_have_count(0)
    expect(page.locator("#talk")).to_be_hidden()
