"""What a position is worth, and what is done by habit, in a game that has no judgement of its own."""

from __future__ import annotations

import sys
from typing import Any

from comptoir.engine.dice import roll
from comptoir.engine.game import Game
from comptoir.engine.mask import count, pick
from comptoir.engine.rule import Box, Dice, Mask, Position, Values, rule
from comptoir.engine.scoring import scores  # noqa: F401 - called by what is written here
from comptoir.plain.writing import written

SPREAD = 0.25  # a lead of this part of the leader's points, and one point, makes e times as likely to win
FIGURES: dict[str, Any] = {}  # in place of a judgement.toml: none, and the search's defaults


def made_for(game: Game) -> dict[str, Any]:
    """`judge`: the points now. They are added up in the room for what it answers."""
    seats, columns = game.new_scores(1).shape[1:]
    lines = [
        "def judge(p, box, values, points):",
        f"    rows = points.reshape(({seats}, {columns}))",
        "    scores(p, box, rows)",
        "    most = 0.0",
        "    for seat in range(p.players):",
        "        points[seat] = rows[seat, 0]",  # which lies there or further on
        "        most = max(most, points[seat])",
        "    return 1.0 + SPREAD * most",
    ]
    return {"judge": written(game.name, "judge", lines, sys.modules[__name__])}


@rule
def habit(p: Position, box: Box, values: Values, mask: Mask, dice: Dice) -> int:
    """Any legal action."""
    return pick(mask, roll(dice, count(mask)))


@rule
def whereabouts(p: Position, box: Box) -> int:
    """Nobody comes to the same place twice."""
    return 0


@rule
def sensible(p: Position, box: Box, mask: Mask) -> None:
    """Every action has an effect of its own."""
