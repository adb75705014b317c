"""Pages that are read: the switches are remembered, and nothing there needs a script."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from comptoir.engine import matchfile
from tests import contract
from tests.browser.conftest import PHONE, Arrive
from tests.browser.player import Player, make_table

pytestmark = pytest.mark.browser

GOLDEN = Path(__file__).parents[1] / "golden"


def language(page: Page) -> str | None:
    return page.locator("html").get_attribute("lang")


def test_language_is_remembered(arrive: Arrive) -> None:
    page = arrive("fr")
    page.goto("/about")
    assert language(page) == "fr"
    page.click('.switches button[name="lang"]')
    expect(page.locator("html")).to_have_attribute("lang", "en")
    assert page.url.endswith("/about")
    page.goto("/rules/century")
    assert language(page) == "en"


def test_browser_says_the_first_language(arrive: Arrive) -> None:
    page = arrive("en")
    page.goto("/")
    assert language(page) == "en"


def test_look_is_remembered(arrive: Arrive) -> None:
    page = arrive("fr", color_scheme="light")
    page.goto("/")
    light = background(page)
    page.click(".to-dark")
    expect(page.locator("html")).to_have_attribute("data-look", "dark")
    page.goto("/rules")
    dark = background(page)
    assert dark != light
    page.click(".to-light")
    expect(page.locator("html")).to_have_attribute("data-look", "light")
    assert background(page) == light


def background(page: Page) -> str:
    return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))


def test_reading_without_scripts(arrive: Arrive) -> None:
    page = arrive("fr", java_script_enabled=False)
    page.goto("/")
    expect(page.locator(".game")).to_have_count(len(contract.EVERY_GAME))
    page.click('a[href="/rules/batavia"]')
    expect(page.locator("#B14")).to_be_visible()
    page.goto("/about")
    expect(page.locator("h1")).to_have_text("À propos de Comptoir")
    end = bring(page, "batavia/shared-victory.match")
    steps = page.locator("#steps")
    expect(steps).to_have_attribute("data-end", str(end))
    expect(steps).to_have_attribute("data-at", "0")
    page.click(f'a.step[data-at="{end}"]')
    expect(steps).to_have_attribute("data-at", str(end))
    page.click(f'a.step[data-at="{end - 1}"]')
    page.click("#log a[data-at] >> nth=2")
    page.click("#show")
    assert not page.locator("#autoplay").is_visible()


def bring(page: Page, file: str) -> int:
    """Brings a match file, and says how many actions it has."""
    page.goto("/replay")
    page.set_input_files("#match", GOLDEN / file)
    page.click(".sheet-form .main")
    return matchfile.parse((GOLDEN / file).read_text(encoding="utf-8")).ply


def test_replay_steps_with_scripts(arrive: Arrive) -> None:
    """Slider, side and a shared moment; and on from there against bots."""
    page = arrive("en")
    bring(page, "marco_polo/three-players.match")
    steps = page.locator("#steps")
    expect(page.locator("#autoplay")).to_be_visible()  # the script is there
    page.fill("#slider", "12")
    expect(steps).to_have_attribute("data-at", "12")
    page.select_option("#side", "1")
    page.wait_for_url("**?at=12&seat=1")
    page.goto(page.get_attribute("#share", "href") or "")
    expect(steps).to_have_attribute("data-at", "12")
    assert page.input_value("#side") == "1"
    page.select_option('.go-on select[name="level"]', "clerk")
    page.click(".go-on .main")
    page.wait_for_url("**/tables/*")
    expect(page.locator("#choices")).to_be_attached()


@pytest.mark.parametrize("settings", [{}, PHONE], ids=["desk", "phone"])
def test_on_from_a_moment_but_not_from_the_end(arrive: Arrive, settings: dict[str, Any]) -> None:
    """At the end there is nothing to play on, with a script and without; the table tells what went before."""
    page = arrive("fr", **settings)
    end = bring(page, "marco_polo/three-players.match")
    replay = page.url.split("?")[0]
    page.goto(f"{replay}?at={end}")
    expect(page.locator("#go-on")).to_be_hidden()
    page.fill("#slider", "12")
    expect(page.locator("#go-on")).to_be_visible()
    page.fill("#slider", str(end))
    expect(page.locator("#go-on")).to_be_hidden()
    page.goto(f"{replay}?at=12")
    page.click(".go-on .main")
    page.wait_for_url("**/tables/*")
    expect(page.locator("#log .turn").nth(2)).to_be_attached()


def test_bad_addresses_get_a_page(arrive: Arrive) -> None:
    page = arrive("fr", spoken=False)  # a browser complains of every 404
    for path, status in (
        ("/nowhere", 404),
        ("/tables/none", 404),
        ("/rules/chess", 404),
        ("/new/chess", 404),
    ):
        answer = page.goto(path)
        assert answer is not None
        assert answer.status == status
        expect(page.locator(".error-page h1")).not_to_be_empty()
        expect(page.locator(".error-page a.main")).to_be_visible()


def test_impatient_reloading_breaks_nothing(arrive: Arrive) -> None:
    """A table's page is made of some twenty files: they must not be what is asked for too often."""
    page = arrive("fr")
    make_table(page, "batavia", players=3)
    for _ in range(12):
        page.reload()
    assert Player(page, seed=1).wait("mine", "other")
