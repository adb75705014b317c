"""The order of seats, the same in every game."""

from __future__ import annotations

from comptoir.engine.rule import Position, rule


@rule
def next_seat(p: Position, place: int) -> int:
    """Clockwise, among those that play."""
    return place + 1 if place + 1 < p.players else 0
