"""What a position is worth, and the rollout policy, in a game that has no evaluation of its own."""

from __future__ import annotations

import sys

from comptoir.defaults.codegen import function_from_source
from comptoir.engine.dice import roll
from comptoir.engine.game import Game
from comptoir.engine.mask import count, pick
from comptoir.engine.rule import Box, Dice, EvalWeights, Mask, Position, rule
from comptoir.engine.scoring import (
    new_scores,
    scores,  # noqa: F401 - called by what is written here
)

SPREAD = 0.25  # a lead of this part of the leader's points, and one point, makes e times as likely to win
DEFAULT_EVALUATION: dict[str, object] = {}  # in place of an evaluation.toml: none, and the search's defaults


def build(game: Game) -> dict[str, object]:
    """`evaluate`: the points now. They are added up in the room for what it answers."""
    seats, columns = new_scores(game, 1).shape[1:]
    lines = [
        "def evaluate(p, box, weights, points):",
        f"    rows = points.reshape(({seats}, {columns}))",
        "    scores(p, box, rows)",
        "    most = 0.0",
        "    for seat in range(p.players):",
        "        points[seat] = rows[seat, 0]",  # which lies there or further on
        "        most = max(most, points[seat])",
        "    return 1.0 + SPREAD * most",
    ]
    return {"evaluate": function_from_source(game.name, "evaluate", lines, sys.modules[__name__])}


@rule
def rollout_action(p: Position, box: Box, weights: EvalWeights, mask: Mask, dice: Dice) -> int:
    """Whichever legal action comes up."""
    return pick(mask, roll(dice, count(mask)))


@rule
def cycle_key(p: Position, box: Box) -> int:
    """Nobody comes to the same place twice."""
    return 0


@rule
def prune_redundant(p: Position, box: Box, mask: Mask) -> None:
    """Every action has an effect of its own."""


@rule
def prune_uncommon(p: Position, box: Box, mask: Mask) -> None:
    """People consider every action."""
