"""Several changes of the same figures, side by side: a grid of values, each compared with the box as it is on
the same deals.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from comptoir.errors import OptionError
from comptoir.lab import Experiment, Result
from comptoir.lab.boxes import change

MAX_BOXES = 60
_RANGE = re.compile(r"(-?\d+)\.\.(-?\d+)(?:\.\.(\d+))?")


@dataclass(frozen=True)
class ParameterRange:
    """A figure and the values it may take: `pirates_at.4=20..30`, or `20..30..5` for every fifth."""

    key: str
    values: tuple[int, ...]

    @staticmethod
    def read(text: str) -> ParameterRange:
        key, _, given = text.partition("=")
        found = _RANGE.fullmatch(given.strip())
        if found is None or not key.strip():
            raise OptionError(f"vary: expected KEY=LOW..HIGH, such as 'pirates_at.4=20..30', found {text!r}")
        low, high, step = int(found[1]), int(found[2]), int(found[3] or 1)
        if high < low or step < 1:
            raise OptionError(f"vary: {given.strip()} holds no value")
        if (high - low) // step >= 1_000:
            raise OptionError(f"vary: {given.strip()} holds over 1,000 values")
        return ParameterRange(key.strip(), tuple(range(low, high + 1, step)))


class Grid:
    """The box as it is, and one for each combination of values. `more` is what an Experiment takes."""

    def __init__(self, game_name: str, vary: Sequence[str], **more: Any) -> None:
        base = Experiment(game_name, **more)
        if len(base.definition.components) > 1:
            raise OptionError("vary: expected one box to start from")
        varied = [ParameterRange.read(text) for text in vary]
        self.changes = [
            [f"{one.key}={value}" for one, value in zip(varied, values, strict=True)]
            for values in product(*(one.values for one in varied))
        ]
        if len(self.changes) > MAX_BOXES:
            raise OptionError(
                f"vary: {len(self.changes)} boxes are too many to play (at most {MAX_BOXES}); leave some out"
                " with a step, such as 20..30..5"
            )
        ours = base.definition.components[0]
        boxes = [change(base.game, ours, texts) for texts in self.changes]
        self.experiment = Experiment(game_name, **more | {"components": [ours, *boxes]})

    def play(self, games: int | None = None, **more: Any) -> list[Result]:
        """A result for each box, compared with the box as it is on the same deals."""
        return self.experiment.play_each(games, **more)
