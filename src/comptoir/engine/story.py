"""A match in words: what each action did, and each turn in a sentence, as a seat has seen them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from comptoir.engine.recap import ActionStep, Recap
from comptoir.engine.scene import Scene
from comptoir.engine.words import Words, words_of

if TYPE_CHECKING:
    from comptoir.engine.match import Match


class Story:
    """What a match's game has to say about it. It keeps nothing: `match.story` makes one each time."""

    def __init__(self, match: Match) -> None:
        self.match = match

    def log(
        self, seat: int | None = None, lang: str = "en", since: int = 0, until: int | None = None
    ) -> list[str]:
        """What has happened, as a seat (None: a spectator) has seen it; each line names the rule it shows."""
        words = words_of(self.match.game.name, lang, rules=True)
        last = self.match.ply if until is None else until
        return [line for step in self.steps(since, last, seat, words) for line in self.log_lines(step)]

    def log_lines(self, step: ActionStep[Scene]) -> list[str]:
        """What an action did, told only from what a seat knew before and after it."""
        lines: list[str] = self.match.game.story.log_lines(step.before, step.action, step.after)
        return lines

    def opening(self, seat: int | None = None, lang: str = "en") -> list[str]:
        """How the match began: what was drawn and revealed before the first decision."""
        words = words_of(self.match.game.name, lang, rules=True)
        return self.opening_lines(self.match.scene_at(0, seat, words))

    def opening_lines(self, scene: Scene) -> list[str]:
        """How the match began, from what a seat knew then.

        A match that starts from a given position began elsewhere.
        """
        story = self.match.game.story
        if self.match.start_position is not None or not hasattr(story, "opening"):
            return []
        lines: list[str] = story.opening(scene)
        return lines

    def turn_spans(self, since: int = 0) -> list[tuple[int, int]]:
        """The turns that ended after `since` actions, each as the plies of the positions before and after
        it.
        """
        ended = self.match.ended_turn
        start = min(since, self.match.ply)
        while start > 0 and not ended(start):
            start -= 1
        return list(pairwise([start, *filter(ended, range(since + 1, self.match.ply + 1))]))

    def recaps(self, seat: int | None = None, lang: str = "en", since: int = 0) -> list[Recap]:
        """The turns that ended after `since` actions, each in a sentence, as a seat (None: a spectator) has
        seen them.
        """
        words = words_of(self.match.game.name, lang)
        return [
            self.recap(first, self.steps(first, last, seat, words)) for first, last in self.turn_spans(since)
        ]

    def recap(self, first: int, steps: Sequence[ActionStep[Scene]]) -> Recap:
        """A turn that began after `first` actions, retold from its steps."""
        seats = {step.before.position["turn"] for step in steps}
        sentence, highlights = self.match.game.story.recap(steps)
        seat = seats.pop() if len(seats) == 1 else None
        return Recap(first, first + len(steps), seat, sentence, tuple(highlights))

    def steps(self, first: int, last: int, seat: int | None, words: Words) -> list[ActionStep[Scene]]:
        """The actions between two positions, with what a seat knew before and after each."""
        match = self.match
        scenes = [match.scene_at(ply, seat, words) for ply in range(first, last + 1)]
        return [
            ActionStep(before, match.action_at(ply), after)
            for ply, (before, after) in enumerate(pairwise(scenes), start=first + 1)
        ]
