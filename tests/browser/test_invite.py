"""Inviting friends: what one comes for is in view at once, on the smallest phone too."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import LAPTOP, SMALL, Arrive

pytestmark = pytest.mark.browser

IN_VIEW = """(one) => {
  const { top, bottom, left, right } = one.getBoundingClientRect();
  const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
  return top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth && one.contains(hit);
}"""
SIZES = {"laptop": LAPTOP, "small": SMALL}


def assert_in_view(page: Page, selector: str) -> None:
    """It is wholly in the window, without scrolling, and nothing lies over it."""
    expect(page.locator(selector).first).to_be_visible()
    assert page.eval_on_selector(selector, IN_VIEW), selector


@pytest.mark.parametrize("lang", ["fr", "en"])
@pytest.mark.parametrize("size", SIZES)
def test_the_link_and_a_seat_are_in_view(arrive: Arrive, size: str, lang: str) -> None:
    anne = arrive(lang, **SIZES[size])
    anne.goto("/")
    anne.click('button[formaction="/invite"][value="century"]')
    anne.wait_for_url("**/tables/*")
    expect(anne.locator("[data-link]").first).to_have_value(anne.url)
    assert_in_view(anne, ".lobby [data-copy]")
    bruno = arrive(lang, **SIZES[size])
    bruno.goto(anne.url)
    assert_in_view(bruno, '.seating button[formaction$="/sit"]')


@pytest.mark.parametrize("lang", ["fr", "en"])
@pytest.mark.parametrize("size", SIZES)
def test_the_table_can_be_made_without_scrolling(arrive: Arrive, size: str, lang: str) -> None:
    page = arrive(lang, **SIZES[size])
    page.goto("/new/batavia")
    assert_in_view(page, ".sheet-form .end .main")


@pytest.mark.parametrize("lang", ["fr", "en"])
def test_who_has_games_under_way_can_still_play_at_once(arrive: Arrive, lang: str) -> None:
    laptop: dict[str, Any] = LAPTOP
    page = arrive(lang, **laptop)
    for game in ("batavia", "century", "marco_polo", "sail_to_india", "batavia"):
        page.goto("/")
        page.click(f'.game .main[value="{game}"]')
        page.wait_for_url("**/tables/*")
    page.goto("/")
    expect(page.locator(".running > li")).to_have_count(5)
    assert_in_view(page, ".game .main")
