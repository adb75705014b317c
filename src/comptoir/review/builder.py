"""A review as it is made, action by action: it can be stopped anywhere, kept, and continued."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace

from comptoir.engine.match import Match
from comptoir.errors import OptionError
from comptoir.review.analysis import LEVEL, SEED, Analyser, TurnAnalysis
from comptoir.review.model import Review, ReviewedAction

MAX_ACTIONS = 5_000  # actions: no match that people play has so many


class ReviewBuilder:
    """A review under way: `so_far` is what there is of it, `step` measures one action more.

    Given one that was begun before, with the same level and seed and of the same match, it goes on from
    there.
    """

    def __init__(
        self, match: Match, level: str = LEVEL, seed: str = SEED, so_far: Review | None = None
    ) -> None:
        if not match.over:
            raise OptionError("only a finished match can be reviewed: play it to its end")
        if match.ply > MAX_ACTIONS:
            raise OptionError(
                f"a match of {match.ply} actions is too long to be reviewed; {MAX_ACTIONS} at most"
            )
        self._match, self._judge = match, Analyser(match, level, seed)
        blank = blank_review(match, level, seed)
        if so_far is not None and replace(so_far, entries=(), result=None) == blank:
            blank = so_far
        self.so_far = blank

    @property
    def total(self) -> int:
        return self._match.ply

    def step(self) -> None:
        """The next action is measured; with the last, the review is done."""
        ply = len(self.so_far.entries)
        if ply < self.total:
            self.so_far = replace(self.so_far, entries=(*self.so_far.entries, self._measured(ply)))
        if len(self.so_far.entries) == self.total and not self.so_far.done:
            self.so_far = replace(self.so_far, result=self._judge.chances(self.total))

    def _measured(self, ply: int) -> ReviewedAction:
        """Where nothing could be chosen, the chances before it are those that were to be expected."""
        seat, action = self._match.actions_by_seat[ply]
        free = len(self._match.at(ply).actions()) > 1
        expected = self._judge.expected(ply) if self._rolled(ply) else None
        return ReviewedAction(
            seat=seat,
            action=action,
            known=self._judge.analyse_turn(ply) if free and not self._is_judged(ply) else TurnAnalysis(),
            chances=self._judge.chances(ply) if free else expected,
            expected=expected,
        )

    def _is_judged(self, ply: int) -> bool:
        """Whether the action after `ply` others is part of a plan that began before it."""
        return any(
            first + entry.known.length > ply
            for first, entry in enumerate(self.so_far.entries)
            if entry.known.plans
        )

    def _rolled(self, ply: int) -> bool:
        """Whether something was rolled, drawn or turned up by the action after `ply` others."""
        return self._match.at(ply + 1).undoable_by() is None


def blank_review(match: Match, level: str = LEVEL, seed: str = SEED) -> Review:
    """A review of which nothing is made."""
    return Review(
        game=match.game.name,
        rules=match.rules,
        match=match_hash(match),
        players=match.players,
        level=level,
        seed=seed,
        turns=tuple(last for _, last in match.story.turn_spans()),
        entries=(),
    )


def match_hash(match: Match) -> str:
    """Stands for all that makes a match; not for the names of those who played it."""
    start = match.start_position or match.options
    parts = (match.game.name, match.rules, match.components.digest, start, match.seed, match.played)
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def review(
    match: Match,
    level: str = LEVEL,
    seed: str = SEED,
    so_far: Review | None = None,
    progress: Callable[[Review], None] = lambda so_far: None,
) -> Review:
    """The review of a finished match. `progress` is called after each action with what there is by then."""
    making = ReviewBuilder(match, level, seed, so_far)
    while not making.so_far.done:
        making.step()
        progress(making.so_far)
    return making.so_far
