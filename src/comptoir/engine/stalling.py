"""Stall rules: what ends a game that nobody finishes."""

from __future__ import annotations

from typing import Protocol

from comptoir.engine.rule import rule


class CountsRounds(Protocol):
    """A position of a game that counts its rounds."""

    turn: int
    ending: int
    round_number: int


@rule
def stall_progress_by_round(p: CountsRounds, stalled: int, long: int, last: int) -> float:
    """`stall_progress` where rounds are counted: from round `long` on, until round `last` gives the game the
    ending `stalled`.
    """
    if p.turn < 0:
        return 1.0 if p.ending == stalled else 0.0
    return min(max(int(p.round_number) - long, 0) / (last - long), 1.0)
