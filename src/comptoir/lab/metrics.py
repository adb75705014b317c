"""The figures of an experiment: what each match says to each of them, a column a figure.

A figure is named by its group and what it is about: `order.0`, the wins of who plays first; `use.pepper`, how
often pepper is used in a match.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from comptoir.lab.sample import Sample
from comptoir.lab.statistics import Difference, Estimate, Floats, apply_holm, difference, estimate

EVENTS = ("order", "seat", "tie", "half", "comeback", "guard", "ending", "taken")  # a match has them or not
PARTS = ("settled", "decided", "choices", "close", "forced")  # parts of each match
SHARES = (*EVENTS, *PARTS)
GROUPS = (  # in the order in which a report tells them
    *("order", "seat", "half", "comeback", "settled", "decided", "tie", "margin"),
    *("minutes", "turns", "decisions", "choices", "close", "forced", "guard", "ending"),
    *("source", "source_edge", "use", "taken", "use_edge", "first"),
)


@dataclass(frozen=True)
class MetricResult:
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

    def to_dict(self) -> dict[str, Any]:
        told = self.difference.to_dict() if self.difference else None
        return {"key": self.key, "boxes": [box.to_dict() for box in self.boxes], "difference": told}


def metrics_of(boxes: Sequence[Sample], components: Sequence[str], paired: bool) -> list[MetricResult]:
    """All figures of a table, with a sample for each box, both in the order of the deals.

    `components` are those that can be used: what nobody uses is told too.
    """
    known = {f"{group}.{name}" for group in ("use", "taken") for name in components}
    keys = sorted(known.union(*(box.keys for box in boxes)), key=_place)
    if len({first for box in boxes for first in np.unique(box.firsts)}) == 1:  # seats are the order of play
        keys = [key for key in keys if not key.startswith("seat.")]
    found = []
    for key in keys:
        group = key.partition(".")[0]
        values = [box.column(key) for box in boxes]
        if group == "taken" and all(one.all() for one in values):
            continue  # what is used in every match says nothing by that
        estimates = tuple(_estimate(group, one) for one in values)
        told = difference(values[0], values[1], group in EVENTS, paired) if len(values) == 2 else None
        found.append(MetricResult(key, estimates, told))
    return found


def _estimate(group: str, values: Floats) -> Estimate:
    """A figure on one box. A part of a match is known better than whether something happens in it: it has a
    mean's interval, between 0 and 1.
    """
    told = estimate(values, group in EVENTS)
    return replace(told, low=max(0.0, told.low), high=min(1.0, told.high)) if group in PARTS else told


def correct(
    tables: Sequence[Sequence[MetricResult]], changed: Collection[str] = ()
) -> list[list[MetricResult]]:
    """Judges the differences of all tables together, for as many figures as are looked at.

    `changed` are the words of the change: how much such a component is used, and what it gives, is what one
    has asked for.
    """
    told = [one for figures in tables for one in figures if one.difference]
    foremost = [one.group in ("use", "source") and one.about in changed for one in told]
    judged = iter(apply_holm([one.difference for one in told if one.difference], foremost))
    return [
        [MetricResult(one.key, one.boxes, next(judged) if one.difference else None) for one in figures]
        for figures in tables
    ]


def _place(key: str) -> tuple[int, list[tuple[int, str]]]:
    """Where a figure is told: by its group, then in the order of people, 2 before 10."""
    group, _, about = key.partition(".")
    parts = re.findall(r"\d+|\D+", about)
    return GROUPS.index(group), [(int(part), "") if part.isdigit() else (-1, part) for part in parts]
