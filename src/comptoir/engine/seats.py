"""The order of seats, and who is first: the same in every game."""

from __future__ import annotations

from typing import Protocol

from comptoir.engine.dice import roll
from comptoir.engine.rule import Dice, Position, rule


class HasFirstPlayer(Protocol):
    """A position of a game whose first player is named or drawn."""

    players: int
    first: int


@rule
def next_seat(p: Position, seat: int) -> int:
    """Clockwise, among those that play."""
    return seat + 1 if seat + 1 < p.players else 0


@rule
def draw_first(p: HasFirstPlayer, dice: Dice) -> None:
    """The first player, at random if the options name none."""
    if p.first < 0:
        p.first = roll(dice, p.players)
