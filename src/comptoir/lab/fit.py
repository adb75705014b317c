"""Component values that bring a game to its targets, searched for by Optuna.

A target is a range for something that the lab measures: `minutes=60..90`, `halftime_win=..60%`, `stalled=0`.
`seats=1%` is how far any place in the turn order may be from an equal share, `unused=0` how many components
may be used in fewer than 1 match of 20.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from comptoir.errors import OptionError
from comptoir.extras import needs
from comptoir.lab import Experiment, Result
from comptoir.lab.boxes import ComponentTables, change
from comptoir.lab.grid import ParameterRange
from comptoir.lab.metric_result import MetricResult
from comptoir.lab.metrics import METRICS
from comptoir.lab.narrator import RARE

SINGLE = tuple(metric.name for metric in METRICS.values() if metric.target)
TARGETS = ("seats", "unused", *SINGLE)
BULK_TARGETS = ("seats", *(name for name in SINGLE if not METRICS[name].recorded))


@dataclass(frozen=True)
class Target:
    """A range for something that is measured; either end may be open."""

    name: str
    low: float
    high: float

    @staticmethod
    def read(text: str) -> Target:
        name, equals, given = (part.strip() for part in text.partition("="))
        if name not in TARGETS or not equals:
            raise OptionError(
                f"target: expected NAME=LOW..HIGH, such as 'minutes=60..90', found {text!r};"
                f" names: {', '.join(TARGETS)}"
            )
        low, dots, high = given.partition("..")
        try:
            ends = [_number(end) if end.strip() else None for end in (low, high)]
        except ValueError:
            raise OptionError(
                f"target: {given!r} is no range; expected one such as 60..90, ..5% or 0"
            ) from None
        if not dots:  # a single number is the most there may be
            return Target(name, -math.inf, ends[0] if ends[0] is not None else math.inf)
        return Target(
            name, -math.inf if ends[0] is None else ends[0], math.inf if ends[1] is None else ends[1]
        )

    @property
    def text(self) -> str:
        """The wish as it is said, with open ends left out."""
        low, high = (f"{end:g}" if math.isfinite(end) else "" for end in (self.low, self.high))
        return f"{self.name}={low}..{high}"

    def shortfall(self, value: float) -> float:
        """How far a value is from the range, by the size of what is wished for."""
        scale = next((abs(end) for end in (self.high, self.low) if math.isfinite(end) and end), 1.0)
        return max(self.low - value, value - self.high, 0.0) / scale


def _number(text: str) -> float:
    text = text.strip()
    return float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)


def measure(name: str, figures: Sequence[MetricResult], box: int) -> float:
    """What a wish is about, on one box."""
    if name == "seats":
        shares = [one.boxes[box].value for one in figures if one.name == "order"]
        return max(abs(share - 1 / len(shares)) for share in shares)
    if name == "unused":
        return sum(one.name == "taken" and one.boxes[box].value < RARE for one in figures)
    return next(one.boxes[box].value for one in figures if one.name == name)


@dataclass(frozen=True)
class FitResult:
    """The best box that was found: its changes, its result next to the box as it is, and what is left of each
    wish (0: it has come true).
    """

    changes: list[str]
    result: Result
    targets: list[tuple[Target, float, float]]  # with the value, and how far it is off
    tried: int


def fit(
    game_name: str,
    vary: Sequence[str],
    targets: Sequence[str],
    *,
    trials: int = 20,
    games: int | None = None,
    workers: int | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
    **more: Any,
) -> FitResult:
    """Searches the values of some figures for those that come nearest to the wishes.

    Every box is played on the same deals. `more` is what an Experiment takes.
    """
    with needs("lab"):
        import optuna
    wished, varied = [Target.read(text) for text in targets], [ParameterRange.read(text) for text in vary]
    if not wished or not varied:
        raise OptionError("fit: expected one figure to vary and one wish at least")
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    base, folder = Experiment(game_name, **more), more.pop("folder", None)
    if base.device is not None and any(target.name not in BULK_TARGETS for target in wished):
        raise OptionError(f"target: with --device only {', '.join(BULK_TARGETS)} are known")
    ours: ComponentTables = base.definition.components[0]
    found: dict[tuple[str, ...], float] = {}

    def play(boxes: Sequence[ComponentTables], name: str) -> Result:
        where = Path(folder) / name if folder else None
        return Experiment(game_name, **more | {"components": boxes, "folder": where}).play(
            games, workers=workers
        )

    def box_of(trial: Any) -> list[str]:
        return [
            f"{one.key}={one.values[trial.suggest_int(one.key, 0, len(one.values) - 1)]}" for one in varied
        ]

    def objective(trial: Any) -> float:
        changes = box_of(trial)
        key = tuple(changes)
        if key not in found:
            try:
                result = play([change(base.game, ours, changes)], f"try-{trial.number}")
            except OptionError:  # a box that cannot be played is no answer
                raise optuna.TrialPruned from None
            found[key] = sum(_shortfall(result, target) for target in wished)
        progress(trial.number + 1, trials)
        return found[key]

    seed = sum(map(ord, base.definition.seed))
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
    study.optimize(objective, n_trials=trials)
    if not found:
        raise OptionError("fit: none of the boxes that were tried can be played")
    changes = list(min(found.items(), key=lambda one: one[1])[0])
    result = play([ours, change(base.game, ours, changes)], "best")
    told = [(target, _worst(result, target), _shortfall(result, target)) for target in wished]
    return FitResult(changes, result, told, len(found))


def _worst(result: Result, target: Target) -> float:
    """The value at the table that is furthest from the wish."""
    values = [measure(target.name, figures, -1) for figures in result.metrics]
    return max(values, key=target.shortfall)


def _shortfall(result: Result, target: Target) -> float:
    return sum(target.shortfall(measure(target.name, figures, -1)) for figures in result.metrics)
