"""What an experiment says of each metric: its estimate on each box, and the effect of the change."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from comptoir.lab.metrics import METRICS, ORDER, Metric, split_key
from comptoir.lab.sample import Sample
from comptoir.lab.statistics import Difference, Estimate, Floats, apply_holm, difference, estimate


@dataclass(frozen=True)
class MetricResult:
    """A metric on both boxes, and what the change does to it. Without a change there is one box only."""

    key: str
    boxes: tuple[Estimate, ...]
    difference: Difference | None

    @property
    def name(self) -> str:
        return self.key.partition(".")[0]

    @property
    def about(self) -> str:
        """What the key names: a seat, an ending, a component, a source; empty for most metrics."""
        return self.key.partition(".")[2]

    @property
    def metric(self) -> Metric:
        return METRICS[self.name]

    def to_dict(self) -> dict[str, Any]:
        difference = self.difference.to_dict() if self.difference else None
        return {"key": self.key, "boxes": [box.to_dict() for box in self.boxes], "difference": difference}


def metrics_of(boxes: Sequence[Sample], components: Sequence[str], paired: bool) -> list[MetricResult]:
    """All metrics of a table, from a sample per box, both in the order of the deals.

    `components` are all that can be used, so that unused ones are listed too.
    """
    known = {f"{name}.{component}" for name in ("use", "taken") for component in components}
    keys = sorted(known.union(*(box.keys for box in boxes)), key=_place)
    if len({first for box in boxes for first in np.unique(box.firsts)}) == 1:  # seats are the order of play
        keys = [key for key in keys if not key.startswith("seat.")]
    found = []
    for key in keys:
        metric, _ = split_key(key)
        values = [box.column(key) for box in boxes]
        if metric.name == "taken" and all(one.all() for one in values):
            continue  # used in every match: nothing to learn
        estimates = tuple(_estimate(metric, one) for one in values)
        effect = (
            difference(values[0], values[1], metric.kind == "event", paired) if len(values) == 2 else None
        )
        found.append(MetricResult(key, estimates, effect))
    return found


def _estimate(metric: Metric, values: Floats) -> Estimate:
    """A metric on one box. A part of a match is known better than whether an event happens in it: it has the
    interval of a mean, cut to 0 and 1.
    """
    found = estimate(values, metric.kind == "event")
    if metric.kind != "part":
        return found
    return replace(found, low=max(0.0, found.low), high=min(1.0, found.high))


def correct(
    tables: Sequence[Sequence[MetricResult]], changed: Collection[str] = ()
) -> list[list[MetricResult]]:
    """Correct the differences of all tables together, for as many metrics as are looked at.

    `changed` are the words of the change: the use of such a component and what it gives come first.
    """
    results = [one for table in tables for one in table if one.difference]
    foremost = [one.metric.of_change and one.about in changed for one in results]
    corrected = iter(apply_holm([one.difference for one in results if one.difference], foremost))
    return [
        [replace(one, difference=next(corrected)) if one.difference else one for one in table]
        for table in tables
    ]


def _place(key: str) -> tuple[int, list[tuple[int, str]]]:
    """The place of a key in the report: by its metric, then as people count, 2 before 10."""
    name, _, about = key.partition(".")
    parts = re.findall(r"\d+|\D+", about)
    return ORDER[name], [(int(part), "") if part.isdigit() else (-1, part) for part in parts]
