"""A guided first game: a real, fixed match, and what is said at each of the learner's decisions.

`lesson.match` in a game's folder has all actions of all seats; `lesson.toml` has the texts. The rules are
those of every table: a lesson says which action comes next, and nothing else.
"""

from __future__ import annotations

import logging
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from comptoir.engine import matchfile, registry
from comptoir.engine.match import Match
from comptoir.engine.words import typeset_entry
from comptoir.errors import ComptoirError, DataError

LEARNER = 0  # the seat of who learns
LEVEL = "clerk"  # who plays on at the other seats when the lesson is over

logger = logging.getLogger(__name__)
Text = dict[str, str]  # by language


@dataclass(frozen=True)
class LessonPage:
    """A few sentences: what to do, if anything, then why; and the spots that they are about."""

    why: Text
    ask: Text | None = None
    spots: tuple[str, ...] = ()


@dataclass(frozen=True)
class LessonStep:
    """One decision of the learner's: pages to read first, and the one that asks for the action."""

    number: int
    action: str
    pages: tuple[LessonPage, ...]


@dataclass(frozen=True)
class Lesson:
    """The match, the steps by the ply that each is at, and what is said when it is over."""

    match: Match
    actions: tuple[str, ...]
    steps: dict[int, LessonStep]
    closing: tuple[LessonPage, ...]

    def plies_followed(self, played: list[str]) -> int:
        """How many actions of a match are those of the lesson, from the first on."""
        ply = 0
        while ply < min(len(played), len(self.actions)) and played[ply] == self.actions[ply]:
            ply += 1
        return ply

    def holds(self, match: Match) -> bool:
        """Whether a match is this lesson, or left it by the learner's own choice."""
        ply = self.plies_followed(match.played)
        return ply == min(match.ply, len(self.actions)) or int(match.records[ply].turn) == LEARNER


@cache
def lesson_of(game: str) -> Lesson | None:
    """The lesson of a game; None if it has none, or one that today's rules do not fit."""
    folder = registry.folder(game)
    if not (folder / "lesson.match").exists():
        return None
    try:
        return read_lesson(folder)
    except (ComptoirError, OSError, KeyError, TypeError, ValueError) as error:
        logger.warning("the lesson of %s cannot be given: %s", game, error)
        return None


def read_lesson(folder: Path) -> Lesson:
    """The lesson in a folder; an error says what is wrong with it."""
    match = matchfile.load(folder / "lesson.match")
    told = tomllib.loads((folder / "lesson.toml").read_text(encoding="utf-8"))
    actions = tuple(match.played)
    if match.over or match.turn != LEARNER:
        raise DataError("lesson.match", [f"it must end where seat {LEARNER} is to decide"])
    steps = dict(zip(_decisions(match), _steps(told["step"]), strict=True))
    for ply, step in steps.items():
        if actions[ply] != step.action:
            played = f"step {step.number} is {step.action!r}, and {actions[ply]!r} is played"
            raise DataError("lesson.toml", [played])
    return Lesson(match, actions, steps, tuple(map(_page, told["closing"])))


def _decisions(match: Match) -> Iterator[int]:
    """The plies at which the learner has a choice: what is forced needs no words."""
    for ply, (seat, _) in enumerate(match.actions_by_seat):
        if seat == LEARNER and len(match.at(ply).actions()) > 1:
            yield ply


def _steps(told: list[dict[str, Any]]) -> Iterator[LessonStep]:
    for number, step in enumerate(told, 1):
        before = tuple(map(_page, step.get("before", ())))
        yield LessonStep(number, step["action"], (*before, _page(step)))


def _page(told: dict[str, Any]) -> LessonPage:
    """A page of one text has it in its languages; the one that asks has two, `ask` and `why`."""
    asks = "ask" in told
    return LessonPage(
        typeset_entry(told["why"] if asks else {"en": told["en"], "fr": told["fr"]}),
        typeset_entry(told["ask"]) if asks else None,
        tuple(told.get("spots", ())),
    )
