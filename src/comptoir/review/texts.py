"""A review in words: its turning points, and any of its decisions, each in a sentence or two."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from comptoir.bots.plans import MATTERS
from comptoir.bots.reasons import gains_text, plan_text
from comptoir.engine.match import Match
from comptoir.engine.recap import ActionStep
from comptoir.engine.scene import Scene
from comptoir.engine.words import Words
from comptoir.review.analysis import JudgedPlan
from comptoir.review.mistake_kinds import MISTAKE_THRESHOLDS, mistake_kind
from comptoir.review.model import JudgedTurn, Review, TurningPoint

MOSTLY_LUCK = 0.5  # the part of a change from which on it is reported as luck


@dataclass(frozen=True)
class PlanText:
    """What could be done in a turn: what it was, what it promised, whether it was done."""

    label: str
    share: float
    taken: bool


@dataclass(frozen=True)
class TurnText:
    """A turn that was judged, as its seat knew then. `ply`: the actions before it."""

    ply: int
    seat: int
    kind: str
    loss: float
    sentence: str
    plans: tuple[PlanText, ...]


@dataclass(frozen=True)
class TurningPointText:
    """A turning point: what was done, how that changed the chances, and what the search preferred."""

    point: TurningPoint
    number: int
    sentence: str
    change: str
    why: str

    @property
    def at(self) -> int:
        """The moment to look at: before what cost most, else before the turn."""
        return self.point.first if self.point.costly is None else self.point.costly


class ReviewNarrator:
    """Tells a review in one language."""

    def __init__(self, match: Match, review: Review, words: Words) -> None:
        self.match, self.review, self.words = match, review, words

    def turns(self) -> list[TurningPointText]:
        return [self._turn(nth, point) for nth, point in enumerate(self.review.turning_points(), 1)]

    def costly_turns(self, seat: int | None = None) -> list[TurnText]:
        """The turns whose loss has a name."""
        return [self._judged(turn) for turn in self.review.costly_turns(seat)]

    def judged(self, ply: int) -> TurnText:
        """What is said of the action after `ply` others: of the turn that it belongs to."""
        turn = self.review.turn_at(ply)
        if turn is not None:
            return self._judged(turn)
        return TurnText(ply, self.review.entries[ply].seat, "", 0.0, self.words.say("review.no_choice"), ())

    def _judged(self, turn: JudgedTurn) -> TurnText:
        return TurnText(
            ply=turn.first,
            seat=turn.seat,
            kind=turn.kind,
            loss=turn.sure_loss,
            sentence=self._verdict(turn),
            plans=tuple(
                PlanText(self._label(turn, plan), plan.share, plan is turn.played) for plan in turn.plans
            ),
        )

    def head(self, told: TurnText) -> str:
        """Whose turn it was, what its loss is called, and how much it was at least."""
        return self.words.say(
            "review.costly_turn",
            name=self.match.names[told.seat],
            kind=self.words.say(f"review.{told.kind}"),
            change=self.lost(told.loss),
        )

    def share(self, share: float) -> str:
        return self.words.percent(share, 0)

    def signed(self, change: float) -> str:
        """A change in hundredths of the win: +12, −3."""
        n = round(100 * change)
        return f"{n:+d}".replace("-", "−") if n else "0"

    def lost(self, loss: float) -> str:
        """A loss in hundredths of the win: −3.

        Losses are named before they are rounded. Where the rounded figure would belong to another name, there
        is a decimal, cut off: an inaccuracy of 0.0796 is −7.9, since a mistake begins at −8.
        """
        if mistake_kind(round(100 * loss) / 100) == mistake_kind(loss):
            return self.signed(-loss)
        return f"−{self.words.number(math.floor(1000 * loss) / 10, 1)}"

    def legend(self) -> str:
        """From which loss on a decision has which name."""
        return self.words.say(
            "review.legend", **{kind: self.share(least) for kind, least in MISTAKE_THRESHOLDS.items()}
        )

    def _turn(self, number: int, point: TurningPoint) -> TurningPointText:
        rises = point.after > point.before
        change = self.words.say(
            "review.rises" if rises else "review.falls",
            name=self.match.names[point.seat],
            before=self.share(point.before),
            after=self.share(point.after),
        )
        return TurningPointText(point, number, self._recap(point.first, point.last), change, self._why(point))

    def _why(self, point: TurningPoint) -> str:
        changed = point.after - point.before
        if point.luck / changed > MOSTLY_LUCK:
            return self.words.say("review.by_luck")
        if point.costly is None:
            return self.words.say("review.unforeseen")
        return self.judged(point.costly).sentence

    def _verdict(self, turn: JudgedTurn) -> str:
        """What the judge thought of a turn, and what its own plan would have brought."""
        words, best, played = self.words, turn.best, turn.played
        if best is played:
            return words.say("review.the_same")
        labels = {"best": self._label(turn, best), "taken": self._label(turn, played)}
        if turn.sure_loss < MATTERS:
            return words.say("review.as_good", **labels)
        low, high = (words.number(100 * (played.loss + end * played.margin)) for end in (-1, 1))
        shares = {"most": self.share(best.share), "least": self.share(played.share)}
        better = words.say("review.better", low=low, high=high, **labels, **shares)
        why = gains_text(self.review.entries[turn.first].known.gains, self.match.names, words)
        return f"{better} {why}".rstrip()

    def _label(self, turn: JudgedTurn, plan: JudgedPlan) -> str:
        return plan_text(self.match.at(turn.first), turn.seat, plan.actions, self.words)

    def _recap(self, first: int, last: int) -> str:
        """A turn as everyone has seen it."""
        return self.match.story.recap(first, self._steps(first, last)).sentence

    def _steps(self, first: int, last: int) -> Sequence[ActionStep[Scene]]:
        scenes = [self.match.scene_at(ply, None, self.words) for ply in range(first, last + 1)]
        return [
            ActionStep(before, self.match.action_at(ply), after)
            for ply, (before, after) in enumerate(pairwise(scenes), start=first + 1)
        ]
