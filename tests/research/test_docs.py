"""The tables of docs/research are those of the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from comptoir.engine.game import Game
from comptoir.engine.rulebook import rules_of
from tests.scripts import script

DOCS = Path(__file__).parents[2] / "docs"
TABLES = script("tools/reference_tables.py")


@pytest.mark.parametrize("name", ["actions.md", "observations.md"])
def test_the_tables_are_those_of_the_code(name: str) -> None:
    assert (DOCS / "research" / name).read_text(encoding="utf-8") == TABLES.pages()[name], (
        "run: python tools/reference_tables.py"
    )


def test_every_action_is_in_one_row_with_a_rule(any_game: Game) -> None:
    runs = list(TABLES.runs(any_game))
    assert [number for first, last in runs for number in range(first, last + 1)] == list(
        range(len(any_game.actions))
    )
    assert all(TABLES.rules_for(any_game, first) for first, last in runs)


def test_meanings_name_rules_that_there_are(any_game: Game) -> None:
    letter = next(iter(rules_of(any_game.name, "en")))[0]
    named = {
        rule
        for piece in any_game.observation.pieces
        for rule in re.findall(rf"\b{letter}\d+\b", piece.description)
    }
    assert len(named) > 5
    assert named <= set(rules_of(any_game.name, "en"))
