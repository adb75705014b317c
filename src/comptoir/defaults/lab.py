"""What the lab counts in a game that says nothing about it: its actions."""

from __future__ import annotations

from collections.abc import Iterable

from comptoir.engine.actions import Action
from comptoir.engine.game import Game
from comptoir.engine.rule import Box, Position

SECONDS: dict[str, float] = {}  # how long a person thinks about a decision, by the action's kind,
DEFAULT_SECONDS = 10.0  # about any other,
FORCED_SECONDS = 2.0  # and where there is nothing to decide


def build(game: Game) -> dict[str, object]:
    """All that `uses` may tell."""
    return {"components": lambda box: list(dict.fromkeys(map(without_amount, game.action_table)))}


def without_amount(action: Action) -> str:
    """`bid 3` and `bid 4` are both `bid`."""
    operands = action.operands
    if operands and isinstance(operands[-1], int):
        operands = operands[:-1]
    return " ".join(map(str, (action.kind, *operands)))


def uses(before: Position, action: Action, after: Position, box: Box) -> Iterable[str]:
    """The components that the seat which decides uses by an action: here the action itself."""
    yield without_amount(action)
