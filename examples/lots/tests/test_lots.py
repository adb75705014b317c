"""Tests of Lots, with the fixtures of comptoir.testing."""

from __future__ import annotations

from typing import Any, Self

import comptoir.testing
from comptoir.engine.game import Game, get_game
from comptoir.engine.interface import RuleSet


class PositionBuilder(comptoir.testing.PositionBuilder):
    game = get_game("lots")

    def coins(self, seat: int, coins: int) -> Self:
        """So many coins lie before a seat."""
        self.p["coins"][seat] = coins
        return self


def test_nobody_bids_more_than_they_have(ruleset: RuleSet) -> None:
    """L4: in both modes."""
    table = PositionBuilder(ruleset, players=3, first=0).coins(0, 2)
    assert table.legal() == ["pass", "bid 1", "bid 2"]
    assert table.play("bid 2").p.turn == 1


def test_the_contract(game: Game, comptoir_table: dict[str, Any]) -> None:
    comptoir.testing.check_contract(game, comptoir_table, matches=100)
