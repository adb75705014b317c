"""How good a position of Batavia is, and what a player does there by habit."""

from __future__ import annotations

from comptoir.engine.dice import roll
from comptoir.engine.mask import count, pick
from comptoir.engine.rule import Box, Dice, Mask, Points, Position, Values, rule
from comptoir.games.batavia.rules import COMPANIES


@rule
def judge(p: Position, box: Box, values: Values, points: Points) -> float:
    for place in range(p.players):
        points[place] = p.gold[place] + values.card * p.hand_size[place] + values.bill * p.bills[place]
        for company in range(len(COMPANIES)):
            points[place] += values.tile * p.held[place, company]
            if p.seals[company] == place:
                points[place] += values.seal
    return float(values.spread)


@rule
def habit(p: Position, box: Box, values: Values, mask: Mask, dice: Dice) -> int:
    return pick(mask, roll(dice, count(mask)))
