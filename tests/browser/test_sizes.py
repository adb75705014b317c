"""Every game at every size: nothing too small to read or to hit, nothing cut, nothing over something else."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle, product
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from comptoir.engine import registry
from comptoir.web.storage.store import Store
from tests.browser.app import App
from tests.browser.conftest import PATIENCE
from tools.shots import (
    LOCALES,
    LOOKS,
    MOMENTS,
    SIZES,
    TOUCHED,
    Stage,
    device_of,
    lay_out,
    open_browser,
    set_up_full,
)

pytestmark = pytest.mark.browser

FAULTS = (Path(__file__).parent / "faults.js").read_text(encoding="utf-8")
KINDS = {
    "desks": [size for size in SIZES if size not in TOUCHED],
    "touch": list(TOUCHED),
}


@pytest.fixture(scope="session")  # as the server: a worker may come back to this module
def cookie(app: App) -> str:
    """Anne's, who sits at a full table of every game at every moment."""
    store = Store(app.database)
    stage = Stage(store)
    set_up_full(stage, registry.names())
    cookie = stage.cookie
    store.close()
    return cookie


def faults(page: Page) -> list[Any]:
    found: list[Any] = page.evaluate(FAULTS)
    return found


def wrong(
    app: App,
    chromium: Browser,
    cookie: str,
    lang: str,
    tables: Sequence[str],
    looked: Sequence[tuple[str, str]],
) -> dict[tuple[str, str, str], list[Any]]:
    """What is wrong at these tables at each of these sizes and looks: by table, size and look."""
    context = open_browser(chromium, app.url, cookie, device_of(looked[0][0]), lang, "light")
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    found = {}
    for table in tables:
        page.goto(f"/tables/{table}")
        for size, look in looked:
            page.emulate_media(color_scheme="dark" if look == "dark" else "light")
            lay_out(page, size)
            found[table, size, look] = faults(page)
    context.close()
    return {where: what for where, what in found.items() if what}


@pytest.mark.parametrize("kind", KINDS)
def test_when_most_can_be_chosen(app: App, chromium: Browser, cookie: str, kind: str) -> None:
    """The languages and looks take turns, so that all of them are seen at every size."""
    for lang, named in zip(cycle(LOCALES), registry.names(), strict=False):
        looks = LOOKS if lang == "fr" else LOOKS[::-1]
        looked = list(zip(KINDS[kind], cycle(looks), strict=False))
        assert wrong(app, chromium, cookie, lang, [f"{named}-crowded"], looked) == {}


@pytest.mark.long
@pytest.mark.parametrize("lang", LOCALES)
@pytest.mark.parametrize("kind", KINDS)
def test_every_moment(app: App, chromium: Browser, cookie: str, kind: str, lang: str) -> None:
    tables = [f"{game}-{moment}" for game, moment in product(registry.names(), MOMENTS)]
    assert wrong(app, chromium, cookie, lang, tables, list(product(KINDS[kind], LOOKS))) == {}


BREAK = {
    "small": "document.querySelector('.choice small').style.fontSize = '10px'",
    "narrow": "document.querySelector('.helps button').style.cssText = 'min-height: 40px; height: 40px; align-self: center'",
    "cut": "document.querySelector('.seat .called').style.cssText = 'width: 20px; overflow: hidden'",
    "outside": "document.querySelector('.choice b').style.whiteSpace = 'nowrap', document.querySelector('.choice b').textContent += ' and more'.repeat(9)",
    "over": "document.querySelector('.dock').style.marginTop = '-60px'",
    "covers": "document.querySelector('.choice').style.cssText = 'position: relative; top: 40px; left: 60px'",
    "wide": "document.querySelector('.board').style.cssText = 'overflow: visible; min-width: 900px'",
}


@pytest.mark.parametrize("fault", BREAK)
def test_the_measure_finds_faults(app: App, chromium: Browser, cookie: str, fault: str) -> None:
    context = open_browser(chromium, app.url, cookie, device_of("390x844"), "en", "light")
    page = context.new_page()
    page.goto("/tables/century-crowded")
    lay_out(page, "390x844")
    page.evaluate(BREAK[fault])
    assert fault in [what for what, *_ in faults(page)]
    context.close()


@pytest.mark.parametrize("size", ["390x844", "844x390"])
def test_a_large_hand_leaves_room_for_the_choices(
    app: App, chromium: Browser, cookie: str, size: str
) -> None:
    """A hand of 19 cards once left a strip of 12 pixels on a phone, in which nothing could be chosen."""
    context = open_browser(chromium, app.url, cookie, device_of(size), "en", "light")
    page = context.new_page()
    page.goto("/tables/marco_polo-crowded")
    lay_out(page, size)
    page.evaluate(ENLARGE_HAND)
    hand, offers = (page.locator(f".dock {part}").bounding_box() for part in (".hand", ".offers"))
    assert hand is not None
    assert offers is not None
    assert min(hand["height"], offers["height"]) > 64  # a row of cards, and a choice that is whole
    assert hand["y"] + hand["height"] <= offers["y"] + 4  # both reach into the gap by what outlines need
    page.locator(".dock .card").last.scroll_into_view_if_needed()
    expect(page.locator(".dock .card").last).to_be_in_viewport(ratio=0.9)
    context.close()


# More cards than a phone has room for.
ENLARGE_HAND = """() => {
  const hand = document.querySelector(".dock .hand");
  while (hand.querySelectorAll(".card").length < 30) hand.append(hand.querySelector(".card").cloneNode(true));
}"""

# The board seen closer


def across(page: Page) -> float:
    return float(page.evaluate("document.getElementById('pieces').getBoundingClientRect().width"))


@pytest.mark.parametrize("size", ["390x844", "844x390"])
def test_the_board_opens_on_where_i_can_go(app: App, chromium: Browser, cookie: str, size: str) -> None:
    context = open_browser(chromium, app.url, cookie, device_of(size), "en", "light")
    page = context.new_page()
    for game in ("century", "marco_polo"):
        page.goto(f"/tables/{game}-crowded")
        lay_out(page, size)
        expect(page.locator("#pieces .spot.may").first).to_be_in_viewport(ratio=0.9)
    context.close()


def test_two_fingers_bring_the_board_closer(app: App, chromium: Browser, cookie: str) -> None:
    """Around their middle; a finger on a spot still chooses it; the button shows the whole board again."""
    context = open_browser(chromium, app.url, cookie, device_of("390x844"), "en", "light")
    page = context.new_page()
    page.goto("/tables/century-start")  # which no other test here looks at
    lay_out(page, "390x844")
    before = across(page)
    assert page.locator("#whole").is_hidden()
    line = context.new_cdp_session(page)

    def fingers(kind: str, *xs: int) -> None:
        points = [{"x": x, "y": 240, "id": n} for n, x in enumerate(xs)]
        line.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    middle = "[...document.elementsFromPoint(195, 240)].find((one) => one.closest('.spot'))?.closest('.spot').dataset.spot"
    held = page.evaluate(middle)
    fingers("touchStart", 165, 225)
    for apart in (40, 50, 60):
        fingers("touchMove", 195 - apart, 195 + apart)
    fingers("touchEnd")
    assert across(page) == pytest.approx(2 * before, rel=0.05)
    assert page.evaluate(middle) == held
    assert page.evaluate("document.scrollingElement.scrollWidth") <= 390
    version = page.get_attribute("#table", "data-version")
    page.locator("#pieces .spot.may").first.tap()
    page.wait_for_function(
        "(version) => document.getElementById('table').dataset.version > version", arg=version
    )
    page.tap("#whole")
    assert across(page) == pytest.approx(before)
    assert page.locator("#whole").is_hidden()
    context.close()


def test_keys_and_wheel_bring_the_board_closer(app: App, chromium: Browser, cookie: str) -> None:
    context = open_browser(chromium, app.url, cookie, device_of("1366x768"), "en", "light")
    page = context.new_page()
    page.goto("/tables/century-crowded")
    lay_out(page, "1366x768")
    before = across(page)
    page.keyboard.press("+")
    assert across(page) == pytest.approx(1.25 * before, rel=0.01)
    page.keyboard.press("-")
    assert across(page) == pytest.approx(before, rel=0.01)
    page.mouse.move(500, 400)
    page.keyboard.down("Control")
    page.mouse.wheel(0, -300)
    page.keyboard.up("Control")
    page.wait_for_selector(".board.closer")
    assert across(page) > 2 * before
    scrolled = page.evaluate("document.querySelector('.board').scrollLeft")
    page.mouse.down()
    page.mouse.move(440, 400, steps=4)
    page.mouse.up()
    assert page.evaluate("document.querySelector('.board').scrollLeft") == pytest.approx(scrolled + 60, abs=2)
    assert page.locator("#choices:is(.sent, .narrow)").count() == 0  # that was no click
    page.keyboard.press("0")
    assert across(page) == pytest.approx(before)
    context.close()
