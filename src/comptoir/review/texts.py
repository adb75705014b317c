"""A review in words: its turning points, and any of its decisions, each in a sentence or two."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from comptoir.bots.hints import expected_line
from comptoir.engine.match import Match
from comptoir.engine.recap import ActionStep
from comptoir.engine.scene import Scene
from comptoir.engine.words import Words
from comptoir.review.mistake_kinds import MISTAKE_THRESHOLDS, mistake_kind
from comptoir.review.model import NEGLIGIBLE_LOSS, Review, TurningPoint

MOSTLY_LUCK = 0.5  # the part of a change from which on it is reported as luck


@dataclass(frozen=True)
class ChoiceText:
    """A choice of a decision: what it was, what it promised, whether it was taken."""

    label: str
    share: float
    taken: bool


@dataclass(frozen=True)
class DecisionText:
    """A decision, as its seat knew then."""

    ply: int
    seat: int
    label: str
    kind: str
    loss: float
    sentence: str
    choices: tuple[ChoiceText, ...]


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

    def costly_decisions(self, seat: int | None = None) -> list[DecisionText]:
        """The decisions whose loss has a name."""
        return [self.decision(ply) for ply in self.review.costly_decisions(seat)]

    def decision(self, ply: int) -> DecisionText:
        """The decision after `ply` actions."""
        entry = self.review.entries[ply]
        return DecisionText(
            ply=ply,
            seat=entry.seat,
            label=self._label(ply, entry.action),
            kind=entry.kind,
            loss=entry.loss,
            sentence=self._verdict(ply),
            choices=tuple(
                ChoiceText(self._label(ply, choice.action), choice.share, choice.action == entry.action)
                for choice in entry.choices
            ),
        )

    def head(self, told: DecisionText) -> str:
        """Whose decision it was, what its loss is called, and how much it was."""
        return self.words.say(
            "review.costly_decision",
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
        return self.words.say("review.unforeseen") if point.costly is None else self._verdict(point.costly)

    def _verdict(self, ply: int) -> str:
        """What the search thought of a decision, and what it expected of its own."""
        entry, words = self.review.entries[ply], self.words
        if entry.taken is None:
            free = len(self.match.at(ply).actions()) > 1
            return words.say("review.not_judged" if free else "review.no_choice")
        best, name = entry.choices[0], self.match.names[entry.seat]
        said = {
            "name": name,
            "taken": self._label(ply, entry.action),
            "least": self.share(entry.taken.share),
        }
        if entry.loss < NEGLIGIBLE_LOSS:
            return words.say("review.as_good", **said)
        preferred = words.say(
            "review.preferred", best=self._label(ply, best.action), most=self.share(best.share), **said
        )
        line = expected_line(self.match.at(ply), entry.seat, entry.known.line, words, told_as="review.line")
        return f"{preferred} {line}".rstrip()

    def _label(self, ply: int, action: str) -> str:
        scene = self.match.scene_at(ply, self.review.entries[ply].seat, self.words)
        label: str = self.match.game.story.choice(scene, self.match.game.decode(action)).label
        return label

    def _recap(self, first: int, last: int) -> str:
        """A turn as everyone has seen it."""
        return self.match.story.recap(first, self._steps(first, last)).sentence

    def _steps(self, first: int, last: int) -> Sequence[ActionStep[Scene]]:
        scenes = [self.match.scene_at(ply, None, self.words) for ply in range(first, last + 1)]
        return [
            ActionStep(before, self.match.action_at(ply), after)
            for ply, (before, after) in enumerate(pairwise(scenes), start=first + 1)
        ]
