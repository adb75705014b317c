"""What an experiment has found: figures, sentences, tables and a page."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from comptoir.errors import OptionError
from comptoir.extras import needs
from comptoir.lab.match_record import MatchRecord
from comptoir.lab.metric_result import MetricResult, correct, metrics_of
from comptoir.lab.narrator import Narrator, lab_words
from comptoir.lab.sample import MatchSample, Sample
from comptoir.lab.skill import Skill
from comptoir.lab.strategies import Strategy, find_strategies
from comptoir.lab.tune import TuneResult

if TYPE_CHECKING:
    from comptoir.lab import Experiment


class Result:
    """The matches of an experiment, by table and box, and what they say."""

    def __init__(self, experiment: Experiment, samples: Sequence[Sequence[Sample]]) -> None:
        self.experiment, self.samples = experiment, samples
        self.game, self.definition = experiment.game, experiment.definition
        self.skill: list[list[Skill]] = []  # for each table and box, if it was asked for: see `skill_of`
        self.tuned: Sequence[TuneResult] = (
            experiment.tuned
        )  # for each box, if it was asked for: see `tune_boxes`

    @property
    def deals(self) -> int:
        return len(self.samples[0][0])

    @property
    def match_records(self) -> list[list[Sequence[MatchRecord]]]:
        """The record of each match, by table and box; empty for games played in bulk."""
        return [
            [box.records if isinstance(box, MatchSample) else () for box in boxes] for boxes in self.samples
        ]

    @cached_property
    def metrics(self) -> list[list[MetricResult]]:
        """For each table, all figures; differences judged among all that are looked at."""
        known = [] if self.experiment.device else self.components
        paired = self.definition.paired
        return correct([metrics_of(boxes, known, paired) for boxes in self.samples], self.changed_components)

    @property
    def changed_components(self) -> set[str]:
        """The words of the change, such as `pepper` of `gold_sole.pepper`."""
        return {word for key, _, _ in self.experiment.changes for word in key.split(".")[1:]}

    @property
    def components(self) -> list[str]:
        """What can be used, on either box."""
        own = self.game.lab
        boxes = [self.game.read_components(tables).values for tables in self.definition.components]
        return list(dict.fromkeys(name for box in boxes for name in own.components(box)))

    @cached_property
    def strategies(self) -> list[list[Strategy]]:
        """For each table, the ways to play that the score sheets show."""
        return [find_strategies(boxes, self.game.rules.SOURCES) for boxes in self.samples]

    def metric(self, key: str, table: int = 0) -> MetricResult:
        """One figure by its key, such as `use.pepper`."""
        for figure in self.metrics[table]:
            if figure.key == key:
                return figure
        raise OptionError(f"figure: there is no {key!r} in this experiment")

    @property
    def max_half_width(self) -> float:
        """How far the intervals of the wins by turn order reach to each side, the widest of them."""
        intervals = [
            one.difference if one.difference else one.boxes[0]
            for figures in self.metrics
            for one in figures
            if one.name == "order"
        ]
        return max((one.high - one.low) / 2 for one in intervals)

    def is_same(self, table: int) -> bool:
        """Whether every match came out alike on both boxes."""
        boxes = self.samples[table]
        return len(boxes) == 2 and boxes[0].is_same(boxes[1])

    def findings(self, lang: str, table: int = 0) -> list[str]:
        """What the change does at a table, in sentences."""
        narrator = Narrator(lab_words(self.game.name, lang))
        return narrator.findings(self.metrics[table], self.is_same(table))

    # As data

    def to_dict(self) -> dict[str, Any]:
        """Everything as data; what is not defined is None."""
        definition = self.definition
        return {
            "game": definition.game,
            "rules": definition.rules,
            "levels": list(definition.levels),
            "device": self.experiment.device,
            "seed": definition.seed,
            "deals": self.deals,
            "paired": definition.paired,
            "tuned": [_finite(one.to_dict()) for one in self.tuned] or None,
            "changes": [
                {"key": key, "before": before, "after": after}
                for key, before, after in self.experiment.changes
            ],
            "tables": [
                {
                    "options": options,
                    "same": self.is_same(table),
                    "metrics": [_finite(figure.to_dict()) for figure in self.metrics[table]],
                    "strategies": [_finite(one.to_dict()) for one in self.strategies[table]],
                    "skill": [_finite(one.to_dict()) for one in self.skill[table]] if self.skill else None,
                }
                for table, options in enumerate(definition.options)
            ],
        }

    def records(self) -> list[dict[str, Any]]:
        """One row per match, as pandas and others take it: `pandas.DataFrame(result.records())`."""
        columns = self.columns()
        return [
            {name: value for name, value in zip(columns, row, strict=True) if value is not None}
            for row in zip(*columns.values(), strict=True)
        ]

    def columns(self) -> dict[str, list[Any]]:
        """The same, a list a column; what a match does not say is None."""
        tables: list[dict[str, list[Any]]] = []
        for options, boxes in zip(self.definition.options, self.samples, strict=True):
            for box, sample in zip("AB", boxes, strict=False):
                known: dict[str, list[Any]] = {"players": [int(options["players"])], "box": [box]}
                tables.append({name: one * len(sample) for name, one in known.items()} | sample.table())
        names = dict.fromkeys(name for table in tables for name in table)
        return {
            name: [value for table in tables for value in table.get(name, [None] * len(table["box"]))]
            for name in names
        }

    def csv(self) -> str:
        columns = self.columns()
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
        return out.getvalue()

    def parquet(self) -> bytes:
        with needs("lab"):
            import pyarrow
            import pyarrow.parquet
        out = pyarrow.BufferOutputStream()
        pyarrow.parquet.write_table(pyarrow.table(self.columns()), out)
        return bytes(out.getvalue())

    def html(self, lang: str) -> str:
        """The report: one page that needs nothing else."""
        from comptoir.lab.report import page

        return page(self, lang)


def correct_across(results: Sequence[Result]) -> None:
    """What is found in several results stands among all figures of all of them."""
    changed = set().union(*(result.changed_components for result in results))
    judged = iter(correct([figures for result in results for figures in result.metrics], changed))
    for result in results:
        result.metrics = [next(judged) for _ in result.metrics]


def _finite(data: Any) -> Any:
    """JSON has no NaN and no infinity."""
    if isinstance(data, dict):
        return {key: _finite(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_finite(value) for value in data]
    return None if isinstance(data, float) and not math.isfinite(data) else data
