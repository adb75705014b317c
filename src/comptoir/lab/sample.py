"""The matches of one box, as figures, ways to play and tables need them: each noted by `trial`, or millions
played whole on a device.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comptoir.engine.game import Game
from comptoir.lab.match_record import MatchRecord
from comptoir.lab.statistics import Floats
from comptoir.research.bulk import BulkGames

SOME = ("first", "decided", "close")  # groups that not every match has


class Sample(ABC):
    """Matches on one box, in the order of the deals."""

    firsts: NDArray[Any]  # the seat that decided first
    sheets: NDArray[Any]  # for each seat its points by source
    shares: Floats  # for each seat its share of the win

    def __len__(self) -> int:
        return len(self.firsts)

    @property
    @abstractmethod
    def keys(self) -> Iterable[str]:
        """The figures that these matches tell."""

    @abstractmethod
    def column(self, key: str) -> Floats:
        """What each match says to a figure; NaN where it says nothing."""

    @abstractmethod
    def is_same(self, other: Any) -> bool:
        """Whether every match came out alike."""

    @abstractmethod
    def table(self) -> dict[str, list[Any]]:
        """A column for all that is known of each match; None where there is nothing."""


class MatchSample(Sample):
    """Matches that were noted one by one."""

    def __init__(self, trials: Sequence[MatchRecord], sources: Sequence[str]) -> None:
        self.match_records = trials
        self.firsts = np.array([trial.first for trial in trials])
        self.sheets = np.array([trial.sources for trial in trials])
        self.shares = np.array([[_won(one, seat) for seat in range(len(one.points))] for one in trials])
        self._rows = [row_of(trial, sources) for trial in trials]

    @cached_property
    def keys(self) -> set[str]:
        return {key for row in self._rows for key in row}

    def column(self, key: str) -> Floats:
        missing = math.nan if key.partition(".")[0] in SOME else 0.0
        return np.array([row.get(key, missing) for row in self._rows], float)

    def is_same(self, other: MatchSample) -> bool:
        one, two = ([vars(trial) | {"key": ""} for trial in sample.match_records] for sample in (self, other))
        return one == two

    def table(self) -> dict[str, list[Any]]:
        rows: list[dict[str, Any]] = [
            {
                **{"deal": trial.unit.deal, "ending": trial.ending, "first": trial.first},
                **{f"points.{seat}": points for seat, points in enumerate(trial.points)},
                **row,
            }
            for trial, row in zip(self.match_records, self._rows, strict=True)
        ]
        names = dict.fromkeys(name for row in rows for name in row)
        return {name: [row.get(name) for row in rows] for name in names}


class BulkSample(Sample):
    """Games played whole on a device. What needs the course of a match is not known of them."""

    def __init__(self, game: Game, chunks: Iterable[BulkGames]) -> None:
        parts = list(chunks)

        def joined(name: str) -> NDArray[Any]:
            return np.concatenate([getattr(part, name) for part in parts])

        self._game = game
        self.firsts, self.shares = joined("firsts"), joined("shares")
        self.lengths, self.endings, self.sheets = joined("lengths"), joined("endings"), joined("sheets")
        self.points = self.sheets.sum(2)

    @cached_property
    def keys(self) -> list[str]:
        seats, rules = range(self.shares.shape[1]), self._game.rules
        endings = np.flatnonzero(np.bincount(self.endings)).tolist()
        return [
            *(f"{group}.{nth}" for group in ("order", "seat") for nth in seats),
            *("tie", "margin", "decisions"),
            *(f"ending.{rules.ENDINGS[nth]}" for nth in endings),
            *(f"{group}.{name}" for group in ("source", "source_edge") for name in rules.SOURCES),
        ]

    def column(self, key: str) -> Floats:
        return np.asarray(self._values(*key.partition(".")[::2]), float)

    def _values(self, group: str, about: str) -> Any:
        rules = self._game.rules
        match group:
            case "order":
                return self._in_order(int(about))
            case "seat":
                return self.shares[:, int(about)]
            case "tie":
                return (self.shares > 0).sum(1) > 1
            case "margin":
                ranked = np.sort(self.points, 1)
                return ranked[:, -1] - ranked[:, -2]
            case "ending":
                return self.endings == rules.ENDINGS.index(about)
            case "source":
                return self.sheets[:, :, rules.SOURCES.index(about)].mean(1)
            case "source_edge":
                return self._edge(self.sheets[:, :, rules.SOURCES.index(about)])
            case _:
                return self.lengths

    def is_same(self, other: BulkSample) -> bool:
        names = ("lengths", "endings", "sheets", "shares")
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in names)

    def table(self) -> dict[str, list[Any]]:
        endings = np.array(self._game.rules.ENDINGS)[self.endings]
        about = {"deal": np.arange(len(self)), "ending": endings, "first": self.firsts}
        points = {f"points.{seat}": column for seat, column in enumerate(self.points.T)}
        columns = about | points | {key: self.column(key) for key in self.keys}
        return {name: column.tolist() for name, column in columns.items()}

    def _in_order(self, nth: int) -> Floats:
        """The share of the win of who is nth in turn order."""
        seats = (self.firsts + nth) % self.shares.shape[1]
        found: Floats = np.take_along_axis(self.shares, seats[:, None].astype(np.int64), 1)[:, 0]
        return found

    def _edge(self, counts: NDArray[Any]) -> Floats:
        """As `_edge` below, for all games at once."""
        won = self.shares > 0
        winners = won.sum(1)
        losers = won.shape[1] - winners
        edge = (counts * won).sum(1) / winners - (counts * ~won).sum(1) / np.maximum(losers, 1)
        return np.where(losers > 0, edge, 0.0)


def row_of(trial: MatchRecord, sources: Sequence[str]) -> dict[str, float]:
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


def _won(trial: MatchRecord, seat: int) -> float:
    """A seat's share of the win."""
    return (seat in trial.winners) / len(trial.winners)


def _edge(trial: MatchRecord, counts: Sequence[int]) -> float:
    """How much more of something the winners have than the others; nothing if all have won."""
    won = [n for seat, n in enumerate(counts) if seat in trial.winners]
    lost = [n for seat, n in enumerate(counts) if seat not in trial.winners]
    return sum(won) / len(won) - sum(lost) / len(lost) if lost else 0.0
