"""Touch: every lit spot takes a tap anywhere inside it, and the board has the room that the dock does not use."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from comptoir.engine import registry
from comptoir.engine.match import Match
from comptoir.web.storage.store import Store
from tests.browser.app import App
from tests.browser.conftest import LAPTOP, PATIENCE, PHONE, Arrive
from tests.browser.player import Player, make_table
from tools.shots import LOCALES, Stage, crowded, device_of, lay_out, moment, open_browser
from tools.shots import SIZES as EVERY_SIZE

SWALLOWED = (Path(__file__).parent / "taps.js").read_text(encoding="utf-8")
FAULTS = (Path(__file__).parent / "faults.js").read_text(encoding="utf-8")
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
    for game in registry.names():
        stage.put(f"touch-{game}-waits", game, at=moment(0.5, 1))
        stage.put(f"touch-{game}-crowded", game, at=crowded)
    cookie = stage.cookie
    store.close()
    return cookie


def open_page(app: App, chromium: Browser, cookie: str, lang: str = "en") -> Page:
    context = open_browser(chromium, app.url, cookie, device_of(SIZES[0]), lang, "light")
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


def laid_out_wrong(
    app: App,
    chromium: Browser,
    cookie: str,
    lang: str,
    game: str,
    numbers: Iterable[int],
    sizes: Iterable[str],
) -> dict[tuple[int, str], list[Any]]:
    """What is too small, cut, outside or over something else at these positions, by position and size."""
    page, found = open_page(app, chromium, cookie, lang), {}
    for n in numbers:
        page.goto(f"/tables/touch-{game}-{n}")
        for size in sizes:
            lay_out(page, size)
            found[n, size] = page.evaluate(FAULTS)
    page.context.close()
    return {where: what for where, what in found.items() if what}


@pytest.mark.parametrize(("game", "lang"), [*zip(registry.names(), cycle(LOCALES), strict=False)])
def test_nothing_overlaps(app: App, chromium: Browser, cookie: str, game: str, lang: str) -> None:
    assert laid_out_wrong(app, chromium, cookie, lang, game, SAMPLE[:1], ("360x640", "844x390")) == {}


@pytest.mark.long
@pytest.mark.browser
@pytest.mark.parametrize("lang", LOCALES)
@pytest.mark.parametrize("game", registry.names())
def test_nothing_overlaps_at_any_position(
    app: App, chromium: Browser, cookie: str, game: str, lang: str
) -> None:
    assert laid_out_wrong(app, chromium, cookie, lang, game, range(POSITIONS), EVERY_SIZE) == {}


def test_a_drawing_over_a_spot_is_found(app: App, chromium: Browser, cookie: str) -> None:
    """The check itself can fail."""
    page = open_page(app, chromium, cookie)
    page.goto(f"/tables/touch-century-{SAMPLE[0]}")
    lay_out(page, SIZES[0])
    assert page.evaluate(SWALLOWED) == []
    page.evaluate(COVER)
    assert page.evaluate(SWALLOWED) != []
    page.context.close()


# The board's room

# The pixels of the board that nothing lies over, from top to bottom.
BOARD_HEIGHT = """() => {
  const { top, bottom } = document.querySelector(".board").getBoundingClientRect();
  const feet = [...document.querySelectorAll(".told, .says, .dock")].map((one) => one.getBoundingClientRect()).filter((box) => box.width);
  return Math.min(bottom, ...feet.map((box) => box.top)) - top;
}"""

# How many choices are wholly in view.
WHOLE_CHOICES = """() => {
  const { top, bottom } = document.querySelector(".offers").getBoundingClientRect();
  const inside = (box) => box.top >= top - 1 && box.bottom <= bottom + 1;
  return [...document.querySelectorAll("#choices .choice")].filter((one) => one.checkVisibility())
    .filter((one) => one.closest(".only-final") || inside(one.getBoundingClientRect())).length;
}"""


@pytest.mark.browser
@pytest.mark.parametrize("who", ["seated", "spectator"])
@pytest.mark.parametrize("size", ["390x844", "360x640"])
def test_while_others_play_the_board_has_the_room(
    app: App, chromium: Browser, cookie: str, size: str, who: str
) -> None:
    page = open_page(app, chromium, cookie if who == "seated" else "nobody", "fr")
    for game in registry.names():
        page.goto(f"/tables/touch-{game}-waits")
        lay_out(page, size)
        if who == "seated":  # whoever is to act there has gone: what can be done about it takes some room
            page.tap(".misses [data-wait]")
        assert page.evaluate(BOARD_HEIGHT) >= 0.45 * int(size.split("x")[1])
    page.context.close()


@pytest.mark.browser
@pytest.mark.parametrize("lang", ["fr", "en"])
def test_sideways_three_choices_are_whole(app: App, chromium: Browser, cookie: str, lang: str) -> None:
    page = open_page(app, chromium, cookie, lang)
    for game in registry.names():
        page.goto(f"/tables/touch-{game}-crowded")
        for size in ("640x360", "844x390"):
            lay_out(page, size)
            offered = page.locator("#choices .choice:visible").count()
            assert page.evaluate(WHOLE_CHOICES) >= min(3, offered), (game, size)
    page.context.close()


def test_the_board_alone_on_the_screen(app: App, chromium: Browser, cookie: str) -> None:
    """It takes taps, it can be seen as a whole, and the device's own way back leads back."""
    page = open_page(app, chromium, cookie)
    page.goto(f"/tables/touch-century-{SAMPLE[1]}")
    lay_out(page, SIZES[0])
    before = page.evaluate(BOARD_HEIGHT)
    page.tap("#alone")
    assert page.locator(".seats").is_hidden()
    assert page.locator("#hand").is_hidden()
    assert page.evaluate(BOARD_HEIGHT) > max(before, 0.8 * 844)
    assert page.evaluate(SWALLOWED) == []
    page.go_back()
    page.wait_for_selector("body:not(.alone)")
    assert page.locator("#hand").is_visible()
    assert page.evaluate(BOARD_HEIGHT) == before
    page.context.close()


# The board follows what others do

IN_VIEW = """() => {
  const pane = document.querySelector(".board").getBoundingClientRect();
  const foot = document.querySelector(".told").getBoundingClientRect().top;
  const last = [...document.querySelectorAll("#pieces .spot.last")].map((one) => one.getBoundingClientRect());
  return !last.length || last.some((box) => box.top >= pane.top && box.bottom <= foot);
}"""


@pytest.mark.browser
def test_the_board_follows_until_a_finger_moves_it(arrive: Arrive) -> None:
    page = arrive("en", **LAPTOP)
    make_table(page, "marco_polo", players=3, first=0)
    player = Player(page, seed=4)
    player.wait("mine")
    watching = arrive("en", **PHONE)
    watching.goto(page.url)

    def play_on() -> None:
        player.follow_hint()
        player.wait("mine", after=player.version)
        watching.wait_for_function(
            "(version) => Number(document.getElementById('table').dataset.version) >= version",
            arg=player.version,
        )

    for _ in range(4):
        play_on()
        watching.wait_for_function(IN_VIEW)
    watching.evaluate("""() => {
      const pane = document.querySelector(".board");
      pane.dispatchEvent(new WheelEvent("wheel", { deltaY: -1 }));
      pane.scrollTo({ top: 0, behavior: "instant" });
    }""")
    play_on()
    assert watching.evaluate("document.querySelector('.board').scrollTop") == 0
