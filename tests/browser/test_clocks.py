"""Two people with clocks: what is left, a pause, an action that is taken back after the other has acted."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.app import App
from tests.browser.conftest import PHONE, Arrive
from tests.browser.player import Player, make_table
from tests.browser.test_people import play_together

pytestmark = pytest.mark.browser

SAID = {
    "en": {
        "clock": "3 minutes per turn, 6 minutes in reserve",
        "asks": "Anne asks for a pause.",
        "paused": "The match is paused.",
        "undo": "Anne asks to take back their last action.",
        "left": "Your turn · 8 min left",
    },
    "fr": {
        "clock": "3 minutes par tour, 6 minutes de réserve",
        "asks": "Anne demande une pause.",
        "paused": "La partie est en pause.",
        "undo": "Anne demande à annuler sa dernière action.",
        "left": "À vous de jouer · reste 8 min",
    },
}
LEFT = ".time .left"


def together(arrive: Arrive, lang: str, device: dict[str, Any]) -> tuple[Player, Player]:
    anne, bruno = arrive(lang, **device), arrive(lang, **device)
    make_table(anne, "century", players=2, others={1: "link"}, name="Anne", clock=180)
    bruno.goto(anne.url)
    bruno.fill("#my-name", "Bruno")
    bruno.click('.seating button[formaction$="/sit"]')
    expect(anne.locator(".seating")).to_contain_text("Bruno")
    anne.click('button[formaction$="/begin"]')
    players = Player(anne, seed=1), Player(bruno, seed=2)
    for player in players:
        player.wait("mine", "other")
    return players


def inside(page: Page, selector: str) -> bool:
    """Whether all of an element can be seen."""
    box, size = page.locator(selector).bounding_box(), page.viewport_size
    assert size is not None
    return (
        box is not None
        and box["x"] >= 0
        and box["y"] >= 0
        and box["x"] + box["width"] <= size["width"]
        and box["y"] + box["height"] <= size["height"]
    )


@pytest.mark.parametrize("device", [{}, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("lang", ["en", "fr"])
def test_clocks_and_agreements(app: App, arrive: Arrive, lang: str, device: dict[str, Any]) -> None:
    players, said = together(arrive, lang, device), SAID[lang]
    anne, bruno = (player.page for player in players)
    turn = app.table(players[0].table).turn or 0
    for page in (anne, bruno):
        expect(page.locator(f"#seat-{1 - turn} {LEFT}")).to_have_text("3:00 + 6:00")
        expect(page.locator(f"#seat-{turn} {LEFT}")).to_have_text(re.compile(r"^2:\d\d \+ 6:00$"))
        expect(page.locator("#clock")).to_have_text(re.compile(r"^2:\d\d$"))
        assert inside(page, "#seat-0 .time")
    if not device:
        expect(anne.locator(".about-table")).to_contain_text(said["clock"])

    # a pause: asked by Anne, agreed to by Bruno, ended by Bruno
    anne.click("#menu summary")
    anne.click("[data-ask=pause]")
    expect(bruno.locator("#asked p")).to_have_text(said["asks"])
    assert inside(bruno, "#asked")
    bruno.click("#asked [data-do=agree]")
    for page in (anne, bruno):
        expect(page.locator("#sentence")).to_have_text(said["paused"])
        expect(page.locator("#clock")).to_be_hidden()
        expect(page.locator("#choices .choice")).to_have_count(0)
    bruno.click("#asked [data-do=resume]")
    expect(anne.locator("#asked")).to_be_hidden()
    expect(anne.locator("#clock")).to_be_visible()

    # Anne takes back what she did before Bruno's last action
    def may_propose() -> bool:
        return anne.locator("[data-do=undo][data-far]").count() > 0

    while not may_propose():
        decided = sum(player.decisions for player in players)
        assert decided < 60
        play_together(app, players, rounds=decided + 1)
        for player in players:
            player.wait("mine", "other", after=app.table(player.table).version - 1)
    before = app.table(players[0].table)
    anne.click("[data-do=undo][data-far]")
    expect(bruno.locator("#asked p")).to_contain_text(said["undo"])
    expect(bruno.locator("#asked p")).to_contain_text("Anne ")
    bruno.click("#asked [data-do=agree]")
    expect(anne.locator("#asked")).to_be_hidden()
    players[0].wait("mine")
    after = app.table(players[0].table)
    assert after.match is not None
    assert before.match is not None
    assert after.turn == 0
    assert len(after.match.played) < len(before.match.played) - 1
    assert before.match.played[: len(after.match.played)] == after.match.played

    anne.goto("/")
    expect(anne.locator("#mine")).to_contain_text(said["left"])


@pytest.mark.parametrize("device", [{}, PHONE], ids=["desktop", "phone"])
def test_hours_are_set_on_ones_own_page(arrive: Arrive, device: dict[str, Any]) -> None:
    page = arrive("en", spoken=False, **device, timezone_id="America/Montevideo")
    page.goto("/me")
    expect(page.locator("#zone")).to_have_value("America/Montevideo")
    page.fill("#start", "09:00")
    page.fill("#end", "12:00")
    page.click('form[action="/me/hours"] button')
    expect(page.locator("#wrong-hours")).to_be_visible()
    page.fill("#end", "23:30")
    page.click('form[action="/me/hours"] button')
    expect(page.locator("#wrong-hours")).to_have_count(0)
    expect(page.locator("#end")).to_have_value("23:30")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
