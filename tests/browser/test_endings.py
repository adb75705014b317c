"""A turn that ends by itself can be undone for some seconds, or is ended at once; where bots act as fast as they
usually do.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.app import App
from tests.browser.conftest import PHONE, Arrive
from tests.browser.player import LEGAL, Player, make_table

pytestmark = pytest.mark.browser

ENDING, UNDO, END = ".ending", ".ending [data-ending=undo]", ".ending [data-ending=end]"

# A second tap, as soon as the turn is over: it does not end it.
TAP_AGAIN = """() => {
  const button = document.querySelector(".ending:not([hidden]) [data-ending=end]");
  button?.click();
  return button !== null;
}"""


@pytest.fixture(scope="module")
def paced(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """An app that pauses, as people have it."""
    running = App(tmp_path_factory.mktemp("paced"), bot_delay=0.05)
    running.start()
    running.wait_for_bots()
    yield running
    running.stop()
    assert running.failures() == []


def begin(arrive: Arrive, app: App, game: str, **settings: Any) -> Player:
    page = arrive("en", at=app, **settings)
    make_table(page, game, players=3, name="Anne", first=0)
    player = Player(page, seed=4, finger=bool(settings.get("has_touch")))
    player.wait("mine")
    return player


def until_harvest(player: Player) -> None:
    """Century: at a harvest, which ends a turn; a boat is put on the map first, and the cubes are taken."""
    while not player.page.locator(f'{LEGAL}[data-action="harvest"]').count():
        player.press(f"{LEGAL} >> nth=0")
        player.wait("mine", "other", after=player.version)
        if player.page.locator(END).is_visible():
            end(player)
        player.wait("mine")


def end(player: Player) -> None:
    """Ends the turn, once no finger can still be on its way: the bar shows how long it has been offered."""
    player.page.wait_for_function(
        f"() => document.querySelector('{ENDING}-bar').getAnimations()[0]?.currentTime > 650"
    )
    player.press(END)


@pytest.mark.parametrize("settings", [{}, PHONE], ids=["desk", "phone"])
def test_a_turn_of_century_that_ended_by_itself_is_undone_or_ended(
    paced: App, arrive: Arrive, settings: dict[str, Any]
) -> None:
    player = begin(arrive, paced, "century", **settings)
    page = player.page
    until_harvest(player)
    plies = len(paced.table(player.table).decisions)
    for ends in (False, True):
        version = player.version
        player.press(f'{LEGAL}[data-action="harvest"]')
        page.wait_for_function(TAP_AGAIN)
        expect(page.locator("#sentence")).to_have_text("Your turn is ending…")
        if ends:
            end(player)
            expect(page.locator(ENDING)).to_be_hidden()
            player.wait("mine", after=version + 1)
        else:
            player.press(UNDO)
            player.wait("mine", after=version + 1)
            assert len(paced.table(player.table).decisions) == plies


@pytest.mark.parametrize("settings", [{}, PHONE], ids=["desk", "phone"])
def test_a_card_of_marco_polo_is_taken_only_when_the_turn_is_ended(
    paced: App, arrive: Arrive, settings: dict[str, Any]
) -> None:
    """It turns up another, so it could not be undone."""
    player = begin(arrive, paced, "marco_polo", **settings)
    page, version = player.page, player.version
    take = f'{LEGAL}[data-action^="take"] >> nth=0'
    for ends in (False, True):
        page.wait_for_selector("#choices:not(.resting)")
        player.press(take)
        expect(page.locator(ENDING)).to_contain_text(": this ends your turn.")
        assert paced.table(player.table).version == version
        if ends:
            end(player)
            player.wait("mine", after=version + 1)
        else:
            player.press(UNDO)
            expect(page.locator(ENDING)).to_be_hidden()
            expect(page.locator(take)).to_be_visible()


def test_who_wants_it_ends_turns_at_once(paced: App, arrive: Arrive) -> None:
    player = begin(arrive, paced, "marco_polo")
    page = player.page
    page.click("#menu summary")
    page.check("#at-once")
    page.keyboard.press("Escape")
    for _ in range(2):
        page.wait_for_selector("#choices:not(.resting)")
        page.evaluate(f"document.querySelector('{LEGAL}[data-held]').click()")
        assert not page.locator(ENDING).is_visible()
        player.wait("mine", after=player.version)
        page.reload()  # it is kept on this device
        player.wait("mine")


def test_what_is_held_back_is_sent_in_time(paced: App, arrive: Arrive) -> None:
    player = begin(arrive, paced, "marco_polo")
    page = player.page
    page.clock.install()
    page.reload()
    player.wait("mine")
    page.clock.run_for(1_000)
    page.evaluate(f"document.querySelector('{LEGAL}[data-held]').click()")
    page.clock.run_for(5_000)
    assert paced.table(player.table).version == player.version
    page.clock.run_for(2_000)
    player.wait("mine", after=player.version)
