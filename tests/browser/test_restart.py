"""The server dies in the middle of a game, and comes back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.app import App
from tests.browser.conftest import Arrive
from tests.browser.player import LEGAL, Player, chosen, make_table

pytestmark = pytest.mark.browser


@pytest.fixture
def mortal(tmp_path: Path) -> Iterator[App]:
    """A server that the test may kill."""
    running = App(tmp_path)
    running.start()
    yield running
    running.stop()
    assert running.failures() == []


def test_game_across_a_restart(mortal: App, arrive: Arrive) -> None:
    page = arrive("en", at=mortal, spoken=False)  # a browser complains of every attempt to connect
    make_table(page, "batavia", players=3)
    player = Player(page, seed=8)
    assert player.play_on(until=10) == "mine"
    before = chosen(mortal.table(player.table), 0)
    mortal.kill()
    expect(page.locator("#lost")).to_be_visible()
    offered = player.offers()[0].action
    player.let_rest(f'{LEGAL}[data-action="{offered}"]')
    for _ in range(3):  # impatient
        page.click(f'{LEGAL}[data-action="{offered}"]')
    assert player.state() == ""
    mortal.start()
    player.wait("mine", "over", after=player.version)
    player.decisions += 1
    expect(page.locator("#lost")).to_be_hidden()
    assert chosen(mortal.table(player.table), 0) == [*before, offered]
    assert player.play_on() == "over"
    assert len(chosen(mortal.table(player.table), 0)) == player.decisions
