"""One presenter: what it keeps from action to action, and for several viewers, is what a new one would make."""

from __future__ import annotations

import random

import pytest

from comptoir.engine import registry
from comptoir.web.view.page_parts import parts
from comptoir.web.view.presenter import TablePresenter
from comptoir.web.view.replays import frame
from comptoir.web.view.table_view import Viewer, view_table
from tests.web.app_harness import play_on, table_of

PEOPLE: list[str | tuple[str, str]] = [("a", "Anne"), ("b", "Bruno"), ("c", "Chloé")]
VIEWERS = [Viewer("a", 0, "fr"), Viewer("b", 1, "fr"), Viewer("c", 2, "en", "tall"), Viewer(None, None, "fr")]


def pages(presenter: TablePresenter) -> list[dict[str, str]]:
    return [dict(parts(view_table(presenter, viewer), presenter)) for viewer in VIEWERS]


@pytest.mark.parametrize("name", registry.names())
def test_what_is_kept_is_what_would_be_made(name: str) -> None:
    """Nothing is out of date, and nobody is given what another seat knows."""
    chance = random.Random(3)
    table = table_of(name, PEOPLE, seed="1", id="one")
    presenter = TablePresenter(table)
    for _ in range(25):
        assert pages(presenter) == pages(TablePresenter(table))
        table = play_on(table, 1, chance)
        presenter = TablePresenter(table, presenter)


@pytest.mark.parametrize("name", registry.names())
def test_the_live_table_is_the_replays_last_moment(name: str) -> None:
    table = play_on(table_of(name, PEOPLE, seed="1", id="one"), 30, random.Random(4))
    assert table.match is not None
    presenter = TablePresenter(table)
    for viewer in VIEWERS[:3]:
        assert viewer.seat is not None
        live = view_table(presenter, viewer)
        shown = frame(TablePresenter(table), table.match.ply, viewer.seat, viewer.lang, viewer.layout)
        assert (shown.chart, shown.size) == (live.chart, live.size)
        assert shown.pieces.replace('class="spot last"', 'class="spot"') == live.pieces
        assert [panel.facts for panel in shown.panels] == [panel.facts for panel in live.panels]
        assert shown.panels[viewer.seat].hand == live.hand
