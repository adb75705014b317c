"""How good a position is, and what a player does there by habit."""

from __future__ import annotations

from comptoir.engine.dice import roll
from comptoir.engine.mask import count, pick
from comptoir.engine.rule import Box, Dice, Mask, Points, Position, Values, rule


@rule
def judge(p: Position, box: Box, values: Values, points: Points) -> float:
    for place in range(p.players):
        points[place] = 0.0
    return float(values.spread)


@rule
def habit(p: Position, box: Box, values: Values, mask: Mask, dice: Dice) -> int:
    return pick(mask, roll(dice, count(mask)))
