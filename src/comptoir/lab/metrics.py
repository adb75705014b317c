"""The table of metrics: all that the lab measures of a match, one entry each.

An entry says how a metric is computed, its unit, how it is shown and under which text key. Sampling,
statistics, target ranges, sentences and the report all read this table: a new metric is one entry here, and
one text in `[metrics]` of words.toml.

A metric is computed from a `Sample`: arrays with one row per match, the same for matches that were recorded
one by one and for games played in bulk on a device. Metrics marked `recorded` need the course of a match,
which bulk games do not have.

A metric may have several keys: `order.0` are the wins of the player who plays first, `use.pepper` is how
often pepper is used in a match.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from comptoir.lab.statistics import Floats

if TYPE_CHECKING:
    from comptoir.lab.match_record import MatchRecord
    from comptoir.lab.sample import Sample

Compute = Callable[["Sample", str], Any]  # of a sample and what a key names: a value per match


@dataclass(frozen=True)
class Metric:
    """One entry of the table.

    name       the text key in `[metrics]`, and the key of the metric up to its dot
    values     a value per match; NaN where a match says nothing
    kind       event: a match has it or not. part: a share of each match. number: anything else
    about      what the key names after its dot
    unit       points: counted in the game's points. win: a share of the win above an even one
    digits     decimal places that are shown
    absent     the value where a match says nothing; NaN if the metric is not defined there
    recorded   computed from match records only
    target     can be given a target range on its own (`--target`)
    summary    whether the terminal shows it, always or only where it stands in for recorded metrics
    in_grid    a column of a grid's table
    of_change  what a change of a component is expected to move: half of the error is reserved for it
    """

    name: str
    values: Compute
    kind: Literal["event", "part", "number"] = "number"
    about: Literal["", "seat", "ending", "source", "component"] = ""
    unit: Literal["", "points", "win"] = ""
    digits: int = 2
    absent: float = 0.0
    recorded: bool = False
    target: bool = False
    summary: Literal["", "always", "bulk"] = ""
    in_grid: bool = False
    of_change: bool = False

    @property
    def is_share(self) -> bool:
        """Whether it is shown in percent."""
        return self.kind != "number"


# Formulas. Each returns one value per match.


def _order(sample: Sample, nth: str) -> Floats:
    """The share of the win of the player who is nth in turn order."""
    seats = (sample.firsts + int(nth)) % sample.shares.shape[1]
    found: Floats = np.take_along_axis(sample.shares, seats[:, None].astype(np.int64), 1)[:, 0]
    return found


def _won_by(sample: Sample, seats: Any) -> Floats:
    """The share of the win that these seats took together."""
    won: Floats = np.where(seats, sample.shares, 0.0).sum(1)
    return won


def _margin(sample: Sample, _: str) -> Any:
    ranked = np.sort(sample.points, 1)
    return ranked[:, -1] - ranked[:, -2]


def _edge(sample: Sample, counts: Any) -> Floats:
    """How much more of something the winners have than the others; 0 if everyone has won."""
    won = sample.shares > 0
    winners = won.sum(1)
    losers = won.shape[1] - winners
    edge = (counts * won).sum(1) / winners - (counts * ~won).sum(1) / np.maximum(losers, 1)
    return np.where(losers > 0, edge, 0.0)


def _of_source(sample: Sample, source: str) -> Any:
    return sample.sheets[:, :, sample.sources.index(source)]


def _where_used(sample: Sample, name: str, values: Any) -> Floats:
    return np.where(sample.first_users(name) >= 0, values, math.nan)


def _first_use(sample: Sample, name: str) -> Floats:
    """The share of the win of the player who uses it first, above an even share."""
    seats, players = sample.first_users(name), sample.shares.shape[1]
    won = np.take_along_axis(sample.shares, np.maximum(seats, 0)[:, None], 1)[:, 0]
    return _where_used(sample, name, won - 1 / players)


def _of_record(value: Callable[[MatchRecord], float | None]) -> Compute:
    """A metric that each match record states; None where it is not defined."""

    def values(sample: Sample, _: str) -> Floats:
        return np.array([value(record) for record in sample.records], float)

    return values


def _close(record: MatchRecord) -> float | None:
    return record.close / record.choices if record.close is not None and record.choices else None


METRICS = {  # in the order of the report
    metric.name: metric
    for metric in (
        Metric("order", _order, "event", about="seat", summary="always", in_grid=True),
        Metric("seat", lambda sample, seat: sample.shares[:, int(seat)], "event", about="seat"),
        Metric(
            "halftime_win",
            lambda sample, _: _won_by(sample, sample.halftime == sample.halftime.max(1, keepdims=True)),
            "event",
            recorded=True,
            target=True,
            summary="always",
            in_grid=True,
        ),
        Metric(
            "comeback",
            lambda sample, _: _won_by(sample, sample.halftime == sample.halftime.min(1, keepdims=True)),
            "event",
            recorded=True,
            target=True,
        ),
        Metric("settled", _of_record(lambda one: one.settled), "part", recorded=True, target=True),
        Metric("decided", _of_record(lambda one: one.decided), "part", absent=math.nan, recorded=True),
        Metric("tie", lambda sample, _: (sample.shares > 0).sum(1) > 1, "event", target=True),
        Metric("margin", _margin, unit="points", digits=1, target=True, summary="bulk"),
        Metric(
            "minutes",
            _of_record(lambda one: one.minutes),
            digits=1,
            recorded=True,
            target=True,
            summary="always",
            in_grid=True,
        ),
        Metric(
            "turns",
            _of_record(lambda one: one.turns),
            digits=1,
            recorded=True,
            target=True,
            summary="always",
        ),
        Metric("decisions", lambda sample, _: sample.lengths, digits=0, target=True, summary="bulk"),
        Metric("choices", _of_record(lambda one: one.choices / one.decisions), "part", recorded=True),
        Metric("close", _of_record(_close), "part", absent=math.nan, recorded=True),
        Metric(
            "forced",
            _of_record(lambda one: 1 - one.free_turns / one.turns),
            "part",
            recorded=True,
            target=True,
        ),
        Metric(
            "stalled",
            _of_record(lambda one: one.stalled),
            "event",
            recorded=True,
            target=True,
            summary="always",
            in_grid=True,
        ),
        Metric("ending", lambda sample, name: sample.ended_by(name), "event", about="ending", summary="bulk"),
        Metric(
            "source",
            lambda sample, name: _of_source(sample, name).mean(1),
            about="source",
            unit="points",
            digits=1,
            of_change=True,
        ),
        Metric(
            "source_edge",
            lambda sample, name: _edge(sample, _of_source(sample, name)),
            about="source",
            unit="points",
            digits=1,
        ),
        Metric(
            "use",
            lambda sample, name: _where_used(sample, name, sample.uses(name).sum(1)),
            about="component",
            recorded=True,
            of_change=True,
        ),
        Metric(
            "taken",
            lambda sample, name: _where_used(sample, name, 1.0),
            "event",
            about="component",
            recorded=True,
        ),
        Metric(
            "use_edge",
            lambda sample, name: _where_used(sample, name, _edge(sample, sample.uses(name))),
            about="component",
            recorded=True,
        ),
        Metric("first", _first_use, about="component", unit="win", absent=math.nan, recorded=True),
    )
}
ORDER = {name: place for place, name in enumerate(METRICS)}


def split_key(key: str) -> tuple[Metric, str]:
    """The metric of a key, and what the key names: `use.pepper` is ("use", "pepper")."""
    name, _, about = key.partition(".")
    return METRICS[name], about
