"""The rulebook's own examples: CX1 to CX3."""

from __future__ import annotations

import pytest

from comptoir.engine.interface import RuleSet
from comptoir.games.century import rules
from tests.games.century.positions import BOX, PositionBuilder, letters


@pytest.mark.parametrize(("times", "cubes"), [(1, "YYYYYYB"), (2, "YYYBB"), (3, "BBB")])
def test_nine_yellow_cubes_for_brown_ones(ruleset: RuleSet, times: int, cubes: str) -> None:
    """CX1: 3 yellow for 1 brown, once, twice or three times."""
    t = (
        PositionBuilder(ruleset)
        .begin("kzzz")
        .market("k", "ginger 3")
        .outpost("k", 0)
        .hold(0, "Y" * 9)
        .play(*["trade"] * times)
    )
    if times < 3:
        t.play("end")
    assert (t.cubes(0), t.p.turn) == (cubes, 1)


@pytest.mark.parametrize(("players", "cost"), [(2, 2), (3, 1), (4, 1)])
def test_the_first_outpost_is_free_the_second_is_not(ruleset: RuleSet, players: int, cost: int) -> None:
    """CX2: nothing for the first, 1 cube for the second, 2 with 2 players."""
    t = PositionBuilder(ruleset, players=players).begin("kkzz").market("k", "ginger 3").play("build")
    assert t.p.turn == 1
    t.hold(1, "RR").play("build", *["pay red"] * cost)
    assert t.cubes(1) == "R" * (2 - cost)
    assert t.p.outposts[rules.SPACES.index("k")] == 0b11


def test_the_two_moves_of_the_closed_port_tile(ruleset: RuleSet) -> None:
    """CX3: it closes the port where it is drawn; then it moves to the next port where a tile is claimed."""
    t = (
        PositionBuilder(ruleset)
        .begin("waaa")
        .tile("w", "YYGGG", 11)
        .hold(0, "YYGGG")
        .next_roll(6, 0)
        .play("claim")
    )
    assert t.port("w") == "closed"
    t.begin("azaa", seat=1).hold(1, letters(BOX.vp_cost[t.p.ports[3]])).play("claim")
    assert t.port("z") == "closed"
    assert t.port("w") not in ("closed", None)
