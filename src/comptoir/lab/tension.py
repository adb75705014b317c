"""What the bots thought of a match while they played it: which decisions were close, and when it was decided.

Each judges by its own view. A search says what share of the win an action promises, a clerk's evaluation the
same from one look ahead.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from comptoir.bots.searcher import MIN_VISITS, ActionEstimate, is_decided

CLOSE_CALL_GAP = 0.02  # share of the win by which the second best may promise less, for a call to be close
LIKELY_WINNER_SHARE = 0.5  # share of the win of a seat that is likelier to win than all others together


@dataclass(frozen=True)
class BotEstimate:
    """What a bot thought at a decision with a choice."""

    ply: int
    seat: int
    share: float  # what its choice promised
    second: float | None  # what the best other promised; None if it has looked at none enough

    @staticmethod
    def of(ply: int, seat: int, opinions: Sequence[ActionEstimate]) -> BotEstimate:
        best, *others = opinions
        known = [one.share for one in others if one.visits >= min(MIN_VISITS, best.visits)]
        return BotEstimate(ply, seat, best.share, max(known, default=None))

    @property
    def is_close(self) -> bool:
        """Whether another action was nearly as good, in a game that was still open: in one that is as good as
        decided all are alike, and nothing is chosen.
        """
        return (
            self.second is not None
            and not is_decided(self.share)
            and self.second >= self.share - CLOSE_CALL_GAP
        )


def close_calls(estimates: Sequence[BotEstimate]) -> int:
    return sum(estimate.is_close for estimate in estimates)


def decided_at(estimates: Sequence[BotEstimate], winners: Collection[int], turns: Sequence[int]) -> float:
    """The part of the turns after which a winner, whenever it had a choice, thought itself ahead of all
    others together. `turns` are the plies at which turns ended.
    """
    return min(_sure_from(estimates, seat, turns) for seat in winners) / len(turns)


def _sure_from(estimates: Sequence[BotEstimate], seat: int, turns: Sequence[int]) -> int:
    """How many turns were over when it began; all of them if it never did."""
    sure = len(turns)
    for estimate in reversed([one for one in estimates if one.seat == seat]):
        if estimate.share <= LIKELY_WINNER_SHARE:
            break
        sure = bisect_right(turns, estimate.ply)
    return sure
