"""Every lit spot takes a tap anywhere inside it: nothing drawn over it swallows the tap."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from comptoir.engine import registry
from comptoir.engine.match import Match
from comptoir.web.storage.store import Store
from tests.browser.app import App
from tests.browser.conftest import PATIENCE
from tools.shots import Stage, device_of, lay_out, open_browser

SWALLOWED = (Path(__file__).parent / "taps.js").read_text(encoding="utf-8")
POSITIONS = 30
SAMPLE = (7, 22)  # of them, in every run
SIZES = ("390x844", "844x390", "820x1180", "1440x900")  # the last one is another layout of the board

COVER = """() => {
  const spot = document.querySelector("#pieces .spot.may");
  const drawn = spot.querySelector(".ring").cloneNode();
  drawn.setAttribute("class", "drawn");
  drawn.setAttribute("transform", spot.getAttribute("transform") ?? "");
  spot.parentElement.append(drawn);
}"""


def nth_choice(n: int) -> Callable[[Match], int]:
    """When Anne has the nth of so many real choices, spread over a match."""

    def at(match: Match) -> int:
        hers = [
            ply for ply in range(match.ply) if match.at(ply).turn == 0 and len(match.at(ply).actions()) > 1
        ]
        return hers[n * len(hers) // POSITIONS]

    return at


@pytest.fixture(scope="session")  # as the server: a worker may come back to this module
def cookie(app: App) -> str:
    """Anne's, who sits at a table of each game at each of the positions."""
    store = Store(app.database)
    stage = Stage(store)
    for game in registry.names():
        for n in range(POSITIONS):
            stage.put(f"touch-{game}-{n}", game, at=nth_choice(n))
    cookie = stage.cookie
    store.close()
    return cookie


def open_page(app: App, chromium: Browser, cookie: str) -> Page:
    context = open_browser(chromium, app.url, cookie, device_of(SIZES[0]), "en", "light")
    context.set_default_timeout(PATIENCE)
    return context.new_page()


def swallowed(page: Page, game: str, numbers: range | tuple[int, ...]) -> dict[tuple[int, str], list[Any]]:
    """What swallows taps at these positions, by position and size. Some of the spots are lit at each."""
    found = {}
    for n in numbers:
        page.goto(f"/tables/touch-{game}-{n}")
        for size in SIZES:
            lay_out(page, size)
            found[n, size] = page.evaluate(SWALLOWED)
    return {where: what for where, what in found.items() if what}


@pytest.mark.parametrize("game", registry.names())
def test_lit_spots_take_taps(app: App, chromium: Browser, cookie: str, game: str) -> None:
    page = open_page(app, chromium, cookie)
    assert swallowed(page, game, SAMPLE) == {}
    page.context.close()


@pytest.mark.browser
@pytest.mark.parametrize("game", registry.names())
def test_lit_spots_take_taps_at_every_position(app: App, chromium: Browser, cookie: str, game: str) -> None:
    page = open_page(app, chromium, cookie)
    assert swallowed(page, game, range(POSITIONS)) == {}
    page.context.close()


def test_a_drawing_over_a_spot_is_found(app: App, chromium: Browser, cookie: str) -> None:
    """The check itself can fail."""
    page = open_page(app, chromium, cookie)
    page.goto(f"/tables/touch-century-{SAMPLE[0]}")
    lay_out(page, SIZES[0])
    assert page.evaluate(SWALLOWED) == []
    page.evaluate(COVER)
    assert page.evaluate(SWALLOWED) != []
    page.context.close()
