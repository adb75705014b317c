"""The figures of an experiment: what each match says to each of them, a column a figure.

A figure is named by its group and what it is about: `order.0`, the wins of who plays first; `use.pepper`, how
often pepper is used in a match.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from comptoir.engine.game import Game
from comptoir.lab.statistics import Difference, Estimate, Floats, difference, estimate, judge
from comptoir.lab.trial import Trial

EVENTS = ("order", "seat", "tie", "half", "comeback", "guard", "ending", "taken")  # a match has them or not
PARTS = ("settled", "decided", "choices", "close", "forced")  # parts of each match
SHARES = (*EVENTS, *PARTS)
SOME = ("first", "decided", "close")  # groups that not every match has
GROUPS = (  # in the order in which a report tells them
    *("order", "seat", "half", "comeback", "settled", "decided", "tie", "margin"),
    *("minutes", "turns", "decisions", "choices", "close", "forced", "guard", "ending"),
    *("source", "source_edge", "use", "taken", "use_edge", "first"),
)


@dataclass(frozen=True)
class Figure:
    """A figure on both boxes, and what the change does to it. Without a change there is one box only."""

    key: str
    boxes: tuple[Estimate, ...]
    difference: Difference | None

    @property
    def group(self) -> str:
        return self.key.partition(".")[0]

    @property
    def about(self) -> str:
        """What of the group: a seat, an ending, a component, a source."""
        return self.key.partition(".")[2]

    @property
    def share(self) -> bool:
        return self.group in SHARES

    def plain(self) -> dict[str, Any]:
        told = self.difference.plain() if self.difference else None
        return {"key": self.key, "boxes": [box.plain() for box in self.boxes], "difference": told}


def figures_of(
    game: Game, boxes: Sequence[Sequence[Trial]], components: Sequence[str], paired: bool
) -> list[Figure]:
    """All figures of a table: a list of trials for each box, both in the order of the deals.

    `components` are those that can be used: what nobody uses is told too.
    """
    rows = [[row_of(trial, game.rules.SOURCES) for trial in trials] for trials in boxes]
    known = {f"{group}.{name}" for group in ("use", "taken") for name in components}
    keys = sorted(known.union(*(row for box in rows for row in box)), key=_place)
    if len({trial.first for trials in boxes for trial in trials}) == 1:  # seats are the order of play
        keys = [key for key in keys if not key.startswith("seat.")]
    found = []
    for key in keys:
        group = key.partition(".")[0]
        missing = math.nan if group in SOME else 0.0
        values = [np.array([row.get(key, missing) for row in box], float) for box in rows]
        if group == "taken" and all(one.all() for one in values):
            continue  # what is used in every match says nothing by that
        estimates = tuple(_estimate(group, one) for one in values)
        told = difference(values[0], values[1], group in EVENTS, paired) if len(values) == 2 else None
        found.append(Figure(key, estimates, told))
    return found


def _estimate(group: str, values: Floats) -> Estimate:
    """A figure on one box. A part of a match is known better than whether something happens in it: it has a
    mean's interval, between 0 and 1.
    """
    told = estimate(values, group in EVENTS)
    return replace(told, low=max(0.0, told.low), high=min(1.0, told.high)) if group in PARTS else told


def correct(tables: Sequence[Sequence[Figure]], changed: Collection[str] = ()) -> list[list[Figure]]:
    """Judges the differences of all tables together, for as many figures as are looked at.

    `changed` are the words of the change: how much such a component is used, and what it gives, is what one
    has asked for.
    """
    told = [one for figures in tables for one in figures if one.difference]
    foremost = [one.group in ("use", "source") and one.about in changed for one in told]
    judged = iter(judge([one.difference for one in told if one.difference], foremost))
    return [
        [Figure(one.key, one.boxes, next(judged) if one.difference else None) for one in figures]
        for figures in tables
    ]


def row_of(trial: Trial, sources: Sequence[str]) -> dict[str, float]:
    """What a match says to each figure: a row for a table of matches."""
    seats = range(len(trial.points))
    row: dict[str, float] = {}
    for seat in seats:
        row[f"order.{(seat - trial.first) % len(seats)}"] = row[f"seat.{seat}"] = _won(trial, seat)
    row |= {
        "half": sum(_won(trial, seat) for seat in seats if trial.half[seat] == max(trial.half)),
        "comeback": sum(_won(trial, seat) for seat in seats if trial.half[seat] == min(trial.half)),
        "settled": trial.settled,
        "tie": len(trial.winners) > 1,
        "margin": max(trial.points) - sorted(trial.points)[-2],
        "minutes": trial.minutes,
        "turns": trial.turns,
        "decisions": trial.decisions,
        "choices": trial.choices / trial.decisions,
        "forced": 1 - trial.free_turns / trial.turns,
        "guard": trial.guard,
        f"ending.{trial.ending}": 1,
    }
    if trial.decided is not None:
        row["decided"] = trial.decided
    if trial.close is not None and trial.choices:
        row["close"] = trial.close / trial.choices
    for nth, name in enumerate(sources):
        row[f"source.{name}"] = sum(seat[nth] for seat in trial.sources) / len(seats)
        row[f"source_edge.{name}"] = _edge(trial, [seat[nth] for seat in trial.sources])
    for name, seat in trial.firsts.items():
        row[f"use.{name}"] = sum(uses.get(name, 0) for uses in trial.uses)
        row[f"taken.{name}"] = 1
        row[f"use_edge.{name}"] = _edge(trial, [uses.get(name, 0) for uses in trial.uses])
        row[f"first.{name}"] = _won(trial, seat) - 1 / len(seats)
    return {key: float(value) for key, value in row.items()}


def _won(trial: Trial, seat: int) -> float:
    """A seat's share of the win."""
    return (seat in trial.winners) / len(trial.winners)


def _edge(trial: Trial, counts: Sequence[int]) -> float:
    """How much more of something the winners have than the others; nothing if all have won."""
    won = [n for seat, n in enumerate(counts) if seat in trial.winners]
    lost = [n for seat, n in enumerate(counts) if seat not in trial.winners]
    return sum(won) / len(won) - sum(lost) / len(lost) if lost else 0.0


def _place(key: str) -> tuple[int, list[tuple[int, str]]]:
    """Where a figure is told: by its group, then in the order of people, 2 before 10."""
    group, _, about = key.partition(".")
    parts = re.findall(r"\d+|\D+", about)
    return GROUPS.index(group), [(int(part), "") if part.isdigit() else (-1, part) for part in parts]
