"""The matches of one box as arrays, one row per match, from which the metrics are computed.

Matches are recorded one by one, or played in bulk on a device.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comptoir.engine.game import Game
from comptoir.lab.match_record import MatchRecord
from comptoir.lab.metrics import METRICS, Metric, split_key
from comptoir.lab.statistics import Floats
from comptoir.research.bulk import BulkGames


class Sample(ABC):
    """Matches on one box, in the order of the deals."""

    records: Sequence[MatchRecord] = ()  # none of games played in bulk
    sources: Sequence[str]  # the columns of score sheets
    firsts: NDArray[Any]  # the seat that decided first
    sheets: NDArray[Any]  # for each seat its points by source
    shares: Floats  # for each seat its share of the win
    points: NDArray[Any]  # for each seat
    lengths: NDArray[Any]  # in decisions
    endings: NDArray[Any]  # for each match, an index into `ending_names`
    ending_names: Sequence[str]

    def __len__(self) -> int:
        return len(self.firsts)

    # What is known only of recorded matches

    @cached_property
    def halftime(self) -> NDArray[Any]:
        """For each seat its points when half the turns were over."""
        return np.array([record.halftime_points for record in self.records])

    @cached_property
    def components(self) -> list[str]:
        """The components that somebody used."""
        return list(dict.fromkeys(name for record in self.records for name in record.firsts))

    def uses(self, name: str) -> NDArray[Any]:
        """How often each seat used a component."""
        return np.array([[seat.get(name, 0) for seat in record.uses] for record in self.records])

    def first_users(self, name: str) -> NDArray[Any]:
        """The seat that used a component first; -1 where nobody used it."""
        return np.array([record.firsts.get(name, -1) for record in self.records])

    # Metrics

    def ended_by(self, name: str) -> NDArray[Any]:
        """Whether each match ended so."""
        names = list(self.ending_names)
        return np.asarray(self.endings == (names.index(name) if name in names else -1))

    @cached_property
    def keys(self) -> list[str]:
        """The metrics that these matches define, in the order of the table."""
        known = [metric for metric in METRICS.values() if self.records or not metric.recorded]
        return [key for metric in known for key in self._keys(metric)]

    def _keys(self, metric: Metric) -> Iterator[str]:
        """A metric that no match defines has no key, such as close calls of bots that do not evaluate."""
        if metric.about:
            yield from (f"{metric.name}.{name}" for name in self._names(metric.about))
        elif not (math.isnan(metric.absent) and np.isnan(self._values(metric.name)).all()):
            yield metric.name

    def _names(self, about: str) -> Sequence[Any]:
        if about == "seat":
            return range(self.shares.shape[1])
        if about == "ending":
            return [self.ending_names[nth] for nth in np.flatnonzero(np.bincount(self.endings)).tolist()]
        return self.sources if about == "source" else self.components

    def _values(self, key: str) -> Floats:
        metric, about = split_key(key)
        return np.asarray(metric.values(self, about), float)

    def column(self, key: str) -> Floats:
        """A metric in each match; NaN where it is not defined."""
        values, absent = self._values(key), split_key(key)[0].absent
        return values if math.isnan(absent) else np.where(np.isnan(values), absent, values)

    # As data

    @abstractmethod
    def is_same(self, other: Any) -> bool:
        """Whether every match came out alike."""

    def table(self) -> dict[str, list[Any]]:
        """A column for everything known of each match; None where a match says nothing."""
        columns: dict[str, list[Any]] = {
            "deal": list(range(len(self))),
            "ending": [self.ending_names[nth] for nth in self.endings],
            "first": self.firsts.tolist(),
        }
        columns |= {f"points.{seat}": column.tolist() for seat, column in enumerate(self.points.T)}
        for key in self.keys:
            columns[key] = [None if math.isnan(value) else value for value in self._values(key).tolist()]
        return columns


class MatchSample(Sample):
    """Matches that were recorded one by one."""

    def __init__(self, records: Sequence[MatchRecord], sources: Sequence[str]) -> None:
        self.records, self.sources = records, sources
        self.firsts = np.array([record.first for record in records])
        self.sheets = np.array([record.sources for record in records])
        self.points = np.array([record.points for record in records])
        self.lengths = np.array([record.decisions for record in records])
        self.shares = np.array(
            [[(seat in one.winners) / len(one.winners) for seat in range(len(one.points))] for one in records]
        )
        self.ending_names = sorted({record.ending for record in records})
        self.endings = np.array([self.ending_names.index(record.ending) for record in records])

    def is_same(self, other: MatchSample) -> bool:
        one, two = ([vars(record) | {"key": ""} for record in sample.records] for sample in (self, other))
        return one == two


class BulkSample(Sample):
    """Games played in bulk on a device: their results are known, their course is not."""

    def __init__(self, game: Game, chunks: Iterator[BulkGames] | Sequence[BulkGames]) -> None:
        parts = list(chunks)

        def joined(name: str) -> NDArray[Any]:
            return np.concatenate([getattr(part, name) for part in parts])

        self.sources, self.ending_names = game.rules.SOURCES, game.rules.ENDINGS
        self.firsts, self.shares = joined("firsts"), joined("shares")
        self.lengths, self.endings, self.sheets = joined("lengths"), joined("endings"), joined("sheets")
        self.points = self.sheets.sum(2)

    def is_same(self, other: BulkSample) -> bool:
        names = ("lengths", "endings", "sheets", "shares")
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in names)
