"""Tables after a change of rules, in a browser: finished, running and imported ones, in both languages, large and small."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from comptoir.web.domain.people import COOKIE, IdentityTokens
from comptoir.web.storage.store import Store
from tests.browser.app import App
from tests.browser.conftest import PHONE, Arrive
from tests.web.stored import restore

pytestmark = pytest.mark.browser

CLOSED = {"en": "This table is closed", "fr": "Cette table est fermée"}
KEPT = {"en": "It is shown as it was saved", "fr": "la voici telle qu'elle a été gardée"}


def other_rules(file: Path) -> None:
    """Every stored match was begun under rules that are not today's."""
    with sqlite3.connect(file) as database:
        database.execute(
            """UPDATE events SET text = replace(text, '"rules": ', '"rules": 9') WHERE kind = 'begin'"""
        )
    database.close()


@pytest.fixture(scope="module")
def older(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    folder = tmp_path_factory.mktemp("older")
    restore("schema-2", folder / "comptoir.sqlite")
    other_rules(folder / "comptoir.sqlite")
    running = App(folder)
    running.start()
    yield running
    running.stop()
    assert running.failures() == []


def sign_in(page: Any, app: App) -> None:
    """The page is Anne's, who sits at these tables."""
    store = Store(app.database)
    cookie = IdentityTokens(store.values.secret()).sign("anne")
    store.close()
    page.context.add_cookies([{"name": COOKIE, "value": cookie, "url": app.url}])


@pytest.mark.parametrize("settings", [{}, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("lang", ["en", "fr"])
def test_tables_after_a_change_of_rules(
    older: App, arrive: Arrive, lang: str, settings: dict[str, Any]
) -> None:
    page = arrive(lang, at=older, **settings)
    sign_in(page, older)
    for game in ("batavia", "century", "marco_polo", "sail_to_india"):
        page.goto(f"/tables/{game}-running")
        page.get_by_role("heading", name=CLOSED[lang]).wait_for()
        page.wait_for_selector("#table[data-version]")  # the socket has told the same
        assert page.locator("#notice.closed").is_visible()
        page.goto(f"/tables/{game}-finished")
        page.wait_for_selector("#notice.result .scores")
        for kind in ("finished", "imported"):
            page.goto(f"/replay/{game}-{kind}?at=0")
            assert KEPT[lang] in page.locator(".other-rules").inner_text().replace("\u2019", "'")
            page.locator(".step[data-at='1']").first.click()
            page.wait_for_selector("#steps[data-at='1']")
            assert page.locator("#pieces > *").count() > 0
