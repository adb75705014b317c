"""Another match of the same company."""

from __future__ import annotations

import dataclasses
import random
from typing import Any

import pytest

from comptoir.engine.match import Match
from comptoir.web.domain.rematch import rematch
from comptoir.web.domain.state import Table
from tests.web.app_harness import play_on, table_of

PEOPLE: list[str | tuple[str, str]] = [("anne", "Anne"), ("bruno", "Bruno"), ("chloe", "Chloé")]


def first_to_decide(table: Table, options: dict[str, Any], seed: str) -> int | None:
    return Match(table.settings.game, seed=seed, names=None, **options).turn


def test_the_settings_stay_and_the_seed_does_not() -> None:
    table = table_of(
        "marco_polo", PEOPLE, id="before", seed="1", creator="anne", clock=60, chat=True, lesson=True
    )
    settings = rematch(table, "bruno", "2")
    expected = dataclasses.replace(
        table.settings, seed="2", creator="bruno", rematch_of="before", lesson=False, options=settings.options
    )
    assert settings == expected


@pytest.mark.parametrize("game", ["batavia", "century", "marco_polo", "sail_to_india"])
@pytest.mark.parametrize(("began", "decisions"), [("1", 0), ("2", 1), ("2", 40)])
def test_the_next_seat_is_first_to_decide(game: str, began: str, decisions: int) -> None:
    """However long the match before it was played: it is the seat after the one that began then."""
    table = table_of(game, PEOPLE, seed=began)
    assert table.turn is not None
    later = play_on(table, decisions, random.Random(1))
    by_chance = set()
    for seed in ("2", "3", "4", "5"):
        settings = rematch(later, "anne", seed)
        by_chance.add(first_to_decide(table, table.settings.options, seed))
        assert first_to_decide(table, settings.options, seed) == (table.turn + 1) % 3
    assert len(by_chance) > 1, "the draw alone would have another seat begin"
    rest = {name: value for name, value in settings.options.items() if name != "first"}
    assert rest == {name: value for name, value in table.settings.options.items() if name != "first"}


def test_where_the_first_cannot_be_chosen_all_options_stay() -> None:
    table = table_of("marco_polo", PEOPLE, seed="1")
    assert table.match is not None
    position = table.match.view(0)["position"]
    for same in (
        dataclasses.replace(table, match=None),
        dataclasses.replace(table, outdated=True),
        dataclasses.replace(table, settings=dataclasses.replace(table.settings, position=position)),
    ):
        assert rematch(same, "anne", "2").options == table.settings.options
