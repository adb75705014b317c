"""The tables that tests go through: every game of ours, and the example from outside."""

from __future__ import annotations

from typing import Any

from comptoir.engine.registry import names
from comptoir.testing.contract import tables_of
from tests import example_game


def tables() -> list[tuple[str, str, dict[str, Any]]]:
    """Every game with every number of players and every choice of its options: a title, the game's name, the
    options.
    """
    with example_game.known():
        return [(table.title, name, table.chosen) for name in names() for table in tables_of(name)]


with example_game.known():
    EVERY_GAME = names()  # ours, and the example from outside
