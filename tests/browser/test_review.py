"""A review read at a desk and on a phone, in both languages, with and without a script; and one that is made
while somebody waits.
"""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from comptoir.engine.match import Match
from comptoir.engine.matchfile import load
from comptoir.review import review, serialize
from comptoir.web.domain.match_files import import_match
from comptoir.web.storage.event_store import PendingWrite
from comptoir.web.storage.review_store import ReviewStore
from comptoir.web.storage.store import Store
from tests.browser.app import App
from tests.browser.conftest import PATIENCE, PHONE, Arrive
from tests.browser.test_axe import AXE, RUN
from tests.golden import FOLDER
from tests.manual_time import AT
from tests.review.sample_matches import QUICK, last_turns

pytestmark = pytest.mark.browser

SAID = {
    "fr": {
        "turned": "Où la partie a basculé",
        "cost": "Tours coûteux",
        "known": "D’après ce que savait",
        "ask": "Analyser cette partie",
    },
    "en": {
        "turned": "Where the match turned",
        "cost": "Costly turns",
        "known": "knew then",
        "ask": "Review this match",
    },
}
everywhere = pytest.mark.parametrize(
    ("lang", "device"),
    [("fr", {}), ("en", PHONE), ("en", {"color_scheme": "dark"}), ("fr", PHONE | {"color_scheme": "dark"})],
    ids=["desk, French", "phone, English", "desk, English, dark", "phone, French, dark"],
)


def stored(app: App, match: Match, *, reviewed: bool) -> str:
    """The address of a replay, perhaps with its review made."""
    table, events = import_match(match, "somebody", AT)
    store = Store(app.database)
    store.events.append_all([PendingWrite(table.id, events, table.row(), ())])
    if reviewed:
        ReviewStore(store.database).save(table.id, serialize.write(review(match, QUICK)), True)
    store.close()
    return f"/replay/{table.id}"


@pytest.fixture(scope="module")
def replay(app: App) -> str:
    return stored(app, load(FOLDER / "batavia/shared-victory.match"), reviewed=True)


def is_well_made(page: Page) -> None:
    """Nothing is wider than the window, no target on touch too small, and axe has nothing to say."""
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    small = page.evaluate(
        """() => matchMedia("(hover: none)").matches ? [...document.querySelectorAll("main :is(button, select, .button, li a)")]
        .filter((one) => one.getBoundingClientRect().height < 43.5).map((one) => one.textContent) : []"""
    )
    assert small == []
    page.add_script_tag(path=AXE)
    assert page.evaluate(RUN) == []


@everywhere
def test_a_review_is_read(arrive: Arrive, replay: str, lang: str, device: dict[str, Any]) -> None:
    page = arrive(lang, bypass_csp=True, **device)
    page.goto(f"{replay}/review")
    expect(page.locator("#turns")).to_have_text(SAID[lang]["turned"])
    expect(page.locator("#moments")).to_have_text(SAID[lang]["cost"])
    expect(page.locator(".chances:visible")).to_have_count(1)
    assert page.locator(".review-turns article").count() == 3
    is_well_made(page)
    board = page.locator(".review-turns img").first
    board.scroll_into_view_if_needed()
    expect(board).to_have_js_property("complete", True)
    assert board.evaluate("(one) => one.naturalWidth") > 0
    page.locator(".review-turns article .links a").first.click()
    expect(page).to_have_url(re.compile(r"\?at=\d+#moment$"))
    expect(page.locator("#moment .known")).to_contain_text(SAID[lang]["known"])
    expect(page.locator("#moment .taken")).to_have_count(1)
    is_well_made(page)
    page.locator("#moment .play-on button").click()
    expect(page).to_have_url(re.compile("/tables/"))


def test_a_shared_moment_is_read_without_a_script(arrive: Arrive, replay: str) -> None:
    page = arrive("en", java_script_enabled=False)
    page.goto(f"{replay}/review")
    page.locator(".review-moments a").first.click()
    shared, said = page.url, page.locator("#moment").inner_text()
    other = arrive("en", java_script_enabled=False)
    other.goto(shared)
    assert other.locator("#moment").inner_text() == said


@pytest.mark.parametrize(("lang", "said"), [("fr", "Analyser la partie"), ("en", "Review the match")])
def test_a_review_is_one_click_from_the_end_of_a_match(
    arrive: Arrive, replay: str, lang: str, said: str
) -> None:
    page = arrive(lang, **(PHONE if lang == "fr" else {}))
    page.goto(replay.replace("/replay/", "/tables/"))
    page.locator(".result").get_by_role("button", name=said).click()
    expect(page).to_have_url(re.compile(f"{replay}/review$"))
    expect(page.locator("#turns")).to_have_text(SAID[lang]["turned"])


def test_somebody_waits_for_a_review(app: App, arrive: Arrive) -> None:
    page = arrive("en")
    page.goto(stored(app, last_turns("century", 5), reviewed=False))
    page.get_by_role("button", name=SAID["en"]["ask"]).click()
    # a captain and a review are compiled and think: minutes on a busy machine
    expect(page.locator("#turns")).to_have_text(SAID["en"]["turned"], timeout=5 * PATIENCE)
    assert page.locator(".chances").count() == 2
