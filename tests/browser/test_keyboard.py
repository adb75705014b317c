"""A whole game without a mouse, from the home page on."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.app import App
from tests.browser.conftest import Arrive
from tests.browser.player import LEGAL, Player

pytestmark = pytest.mark.browser

FAR = 100  # presses of the Tab key after which something counts as out of reach

# Which key brings the focus nearer: none if it is there.
TOWARDS = """(selector) => {
  const here = document.activeElement ?? document.body;
  if (here.matches(selector)) return "";
  const before = Node.DOCUMENT_POSITION_PRECEDING;
  return here.compareDocumentPosition(document.querySelector(selector)) & before ? "Shift+Tab" : "Tab";
}"""


def tab_to(page: Page, selector: str) -> None:
    """Goes with Tab, or back with Shift and Tab, until the focus is on it."""
    for _ in range(FAR):
        key = page.evaluate(TOWARDS, selector)
        if not key:
            return
        page.keyboard.press(key)
    raise AssertionError(f"{selector} cannot be reached with the Tab key")


class Typist(Player):
    """Plays with the keyboard alone: by a choice's digit, or by Tab and Enter, in the dock and on the
    board.
    """

    def press(self, selector: str) -> None:
        digit = self.page.locator(selector).get_attribute("aria-keyshortcuts")
        if digit and self.lot.random() < 0.7:
            self.page.keyboard.press(digit)
            return
        tab_to(self.page, selector)
        self.page.keyboard.press("Enter")

    def point(self, spot: str, action: str) -> None:
        several = sum(spot in offer.spots for offer in self.offers()) > 1
        if not several:
            self.let_rest(f'{LEGAL}[data-action="{action}"]')
        tab_to(self.page, f'.spot.may[data-spot="{spot}"]')
        self.page.keyboard.press("Enter")
        if several:
            self.choose(f'#choices .picked[data-action="{action}"]')
        self.on_board += 1


def test_whole_game_by_keyboard(app: App, arrive: Arrive) -> None:
    page = arrive("fr")
    page.goto("/")
    tab_to(page, 'input[name="level"]:checked')
    page.keyboard.press("ArrowUp")
    assert page.is_checked('input[name="level"][value="clerk"]')
    tab_to(page, 'button[name="game"][value="batavia"]')
    page.keyboard.press("Enter")
    page.wait_for_url("**/tables/*")
    player = Typist(page, seed=3)
    player.wait("mine", "other", "over")
    helped(page)
    player.wait("mine")
    hinted(page)
    undone = False
    while player.wait("mine", "over") == "mine":
        if not undone and page.locator("[data-do=undo]:enabled:not([data-far])").count():
            undone = taken_back(app, player)
        else:
            player.play()
    assert undone
    assert player.on_board > 0
    tab_to(page, '.result a[href^="/replay/"]')
    page.keyboard.press("Enter")
    expect(page.locator("#autoplay")).to_be_visible()  # the script is there
    steps = page.locator("#steps")
    end = steps.get_attribute("data-end") or ""
    page.keyboard.press("ArrowLeft")
    expect(steps).to_have_attribute("data-at", str(int(end) - 1))


def helped(page: Page) -> None:
    page.keyboard.press("?")
    expect(page.locator(".why-sheet")).to_be_visible()
    page.keyboard.press("?")
    expect(page.locator(".why-sheet")).to_be_hidden()
    page.keyboard.press("k")
    expect(page.locator("#help")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#help")).to_be_hidden()


def hinted(page: Page) -> None:
    """The hint says something, and the choice that it is about has the focus, unless it gives the turn away."""
    page.keyboard.press("h")
    expect(page.locator("#answer")).not_to_be_empty()
    lit = page.locator(".choice.hinted")
    if "final" not in (lit.get_attribute("class") or ""):
        expect(lit).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#answer")).to_be_empty()


def taken_back(app: App, player: Player) -> bool:
    before = app.table(player.table).match
    player.page.keyboard.press("u")
    player.wait("mine", after=player.version)
    after = app.table(player.table).match
    assert before is not None
    assert after is not None
    assert after.played == before.played[:-1]
    player.decisions -= 1
    return True
