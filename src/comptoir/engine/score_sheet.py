"""A score sheet: every seat's points by where they come from, what broke a tie, and who has won."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from comptoir.engine.words import Words


@dataclass(frozen=True)
class ScoreSheet:
    """The points of a position, one row per source. None stands for points that the viewer is not told."""

    points: dict[str, list[int | None]]  # by source, one number per seat
    tie_breaks: dict[str, list[int]]  # in the order in which they are asked, one number per seat
    winners: list[int]  # several if the victory is shared; none while the match is on
    decided: str | None  # the tie-break that decided between equal points; None if none was needed

    @property
    def totals(self) -> list[int]:
        """What is known of each seat's points."""
        return [sum(filter(None, seat)) for seat in zip(*self.points.values(), strict=True)]

    @property
    def complete(self) -> list[bool]:
        """Whether all of a seat's points are known."""
        return [None not in seat for seat in zip(*self.points.values(), strict=True)]

    def verdict(self, names: Sequence[str], words: Words) -> list[str]:
        """Who has won with how much and, after a tie, what decided it: a sentence each."""
        best, winners = max(self.totals), words.join([names[seat] for seat in self.winners])
        key = "sheet.wins" if len(self.winners) == 1 else "sheet.share"
        sentences = [words.say(key, name=winners, points=words.say("score.points", n=best))]
        if self.decided:
            tied = "–".join(str(n) for n in self.totals if n == best)
            decided = words.say(f"decided.{self.decided}", name=winners, n=len(self.winners))
            sentences.append(words.say("sheet.tied", totals=tied, decided=decided))
        return sentences

    def to_dict(self) -> dict[str, Any]:
        """The sheet as plain data, for programs."""
        return {
            "points": {source: list(row) for source, row in self.points.items()},
            "totals": self.totals,
            "complete": self.complete,
            "tie_breaks": {name: list(row) for name, row in self.tie_breaks.items()},
            "winners": list(self.winners),
            "decided": self.decided,
        }


def deciding(rows: list[list[int]], tie_breaks: tuple[str, ...]) -> str | None:
    """The tie-break that decided between the best rows of equal points; None if none was needed."""
    best = max(rows)
    rivals = [row for row in rows if row[0] == best[0] and row != best]
    if not rivals:
        return None
    return tie_breaks[
        max(
            next(n for n, (one, other) in enumerate(zip(best, row, strict=True)) if one != other)
            for row in rivals
        )
        - 1
    ]
