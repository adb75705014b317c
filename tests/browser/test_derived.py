"""The board of a game that has none of its own, in real windows: Lots, from another package."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from comptoir.web.storage.store import Store
from tests import example_game
from tests.browser.app import App
from tests.browser.conftest import PATIENCE
from tools.shots import DEVICES, LAID_OUT, Stage, moment, open_browser

pytestmark = pytest.mark.browser

FAULTS = (Path(__file__).parent / "faults.js").read_text(encoding="utf-8")
DESKTOPS = ((1280, 800), (1440, 900), (1920, 1080), (1024, 768))
PHONES = ((390, 844), (360, 740))
TABLES = {"lots-4": 4, "lots-5": 5}
# of the letters on the board: those that lie over others, as pairs
OVER = """() => {
  const texts = [...document.querySelectorAll("#chart text, #pieces text")];
  const boxes = texts.map((text) => [text.textContent, text.getBoundingClientRect()]);
  return boxes.flatMap(([said, a], n) => boxes.slice(n + 1)
    .filter(([, b]) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
      && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > a.height / 4)
    .map(([other]) => `${said} over ${other}`));
}"""
SIZES = """() => [...document.querySelectorAll("#chart text, #pieces text")]
  .map((text) => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a)"""


@pytest.fixture(scope="module")
def cookie(app: App) -> str:
    """Anne's, who is to decide at a table of four and at one of five."""
    store = Store(app.database)
    stage = Stage(store)
    with example_game.known():
        for id, players in TABLES.items():
            stage.put(id, "lots", at=moment(0.4, 0), players=players)
    cookie = stage.cookie
    store.close()
    return cookie


def pages(app: App, chromium: Browser, cookie: str, kind: str, lang: str, look: str) -> Iterator[Page]:
    """Each table in each window of a kind."""
    device, sizes = (DEVICES["phone"], PHONES) if kind == "phones" else ({}, DESKTOPS)
    context = open_browser(chromium, app.url, cookie, device, lang, look)
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    for table in TABLES:
        page.goto(f"/tables/{table}")
        for width, height in sizes:
            page.set_viewport_size({"width": width, "height": height})
            page.wait_for_selector("#table[data-version]", state="attached")
            page.wait_for_function(LAID_OUT)
            yield page
    context.close()


@pytest.mark.parametrize(
    ("kind", "lang", "look"), [("desks", "fr", "light"), ("desks", "en", "dark"), ("phones", "fr", "dark")]
)
def test_it_can_be_read(app: App, chromium: Browser, cookie: str, kind: str, lang: str, look: str) -> None:
    """No letter is below 11 pixels, none lies over another, and nothing around the board is cut."""
    for page in pages(app, chromium, cookie, kind, lang, look):
        assert min(page.evaluate(SIZES)) >= 11
        assert page.evaluate(OVER) == []
        assert page.evaluate(FAULTS) == []


def test_my_order_is_on_my_board_only(app: App, chromium: Browser, cookie: str) -> None:
    """And what a choice concerns is ringed, in view, and does it at a click."""
    for who, hidden in ((cookie, 3), ("nobody", 4)):
        context = open_browser(
            chromium, app.url, who, {"viewport": {"width": 1280, "height": 800}}, "en", "light"
        )
        page = context.new_page()
        page.goto("/tables/lots-4")
        page.wait_for_selector("#table[data-version]", state="attached")
        expect(page.locator("#pieces text", has_text="hidden")).to_have_count(hidden)
        if who == cookie:
            expect(page.locator("#pieces [data-spot=bidding-0].may")).to_be_in_viewport(ratio=1)
            page.locator("#pieces [data-spot=bidding-0]").click()
            expect(page.locator("#pieces [data-spot=bidding-0].may")).to_have_count(0)
        context.close()
