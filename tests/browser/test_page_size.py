"""How much a page brings over the wire the first time, and how little the second."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import PHONE, Arrive
from tests.browser.player import make_table

pytestmark = pytest.mark.browser

KB = 1024
# what comes over the wire is counted, not what a service worker has kept; the page complains that it has none
PLAIN: dict[str, Any] = PHONE | {"service_workers": "block"}


def fetched(page: Page) -> int:
    """Bytes that the page's next visit to where it is brings, headers and all."""
    line = page.context.new_cdp_session(page)
    line.send("Network.enable")
    sizes: list[float] = []
    line.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    page.goto(page.url, wait_until="networkidle")
    line.detach()
    return int(sum(sizes))


def emptied(page: Page) -> Page:
    """The same page with nothing kept from before."""
    line = page.context.new_cdp_session(page)
    line.send("Network.clearBrowserCache")
    line.detach()
    return page


@pytest.mark.parametrize("lang", ["fr", "en"])
def test_home(arrive: Arrive, lang: str) -> None:
    page = arrive(lang, spoken=False, **PLAIN)
    page.goto("/")
    assert 20 * KB < fetched(emptied(page)) <= 150 * KB
    assert fetched(page) <= 40 * KB


@pytest.mark.parametrize("game", ["batavia", "century", "marco_polo", "sail_to_india"])
def test_table(arrive: Arrive, game: str) -> None:
    page = arrive("fr", spoken=False, **PLAIN)
    make_table(page, game, players=3)
    page.wait_for_selector("#table[data-version]")
    assert 20 * KB < fetched(emptied(page)) <= 200 * KB
    assert fetched(page) <= 40 * KB
