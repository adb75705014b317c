"""The report of an experiment: one page that needs nothing else, drawn with SVG, for phones and large
screens, by day and by night.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import comptoir
from comptoir.art.axes import Axis
from comptoir.bots.searcher import LOST, MIN_VISITS, WON
from comptoir.engine.words import Words
from comptoir.lab.metric_result import MetricResult
from comptoir.lab.metrics import METRICS
from comptoir.lab.narrator import BOXES, Narrator, lab_words
from comptoir.lab.sample import Sample
from comptoir.lab.statistics import Difference, Estimate, Floats
from comptoir.lab.strategies import Strategy

if TYPE_CHECKING:
    from comptoir.lab.result import Result

STYLE = Path(__file__).with_name("report.css")
MAX_CHANGES = 12  # values that are listed one by one
BINS = 24
WORTH_TELLING = 1.2  # times as many deals: what is less than that is no saving
Section = Callable[[Sequence[MetricResult], int], Iterable[str]]


def page(result: Result, lang: str) -> str:
    """The whole page."""
    own = _Page(result, lang)
    title = own.say("lab.title" if own.boxes == 2 else "lab.title_alone", game=own.game)
    return _whole(title, lang, own.parts())


def grid_page(results: Sequence[Result], changes: Sequence[Sequence[str]], lang: str) -> str:
    """The page of a grid: a row a box, then what each of them changes."""
    pages = [_Page(result, lang) for result in results]
    parts = []
    for table, options in enumerate(results[0].definition.options):
        head, rows = grid_rows(results, changes, table, pages[0].words)
        cells = "".join(f"<th scope=col>{escape(title)}" for title in head)
        lines = [
            "<tr>"
            + "".join(f"<{'td' if nth else 'th scope=row'}>{escape(cell)}" for nth, cell in enumerate(row))
            for row in rows
        ]
        parts.append(f"<h2>{pages[0].say('lab.players', n=int(options['players']))}</h2>")
        parts.append(_scrolled(cells, lines))
        for texts, one in zip(changes, pages, strict=True):
            parts.append(f"<h3><code>{escape(', '.join(texts))}</code></h3><ul>{one.findings(table)}</ul>")
    parts.append(pages[0].method(sum(len(one.told) for one in pages)))
    return _whole(pages[0].say("lab.grid_title", game=pages[0].game), lang, parts)


def grid_rows(
    results: Sequence[Result], changes: Sequence[Sequence[str]], table: int, words: Words
) -> tuple[list[str], list[list[str]]]:
    """The titles and rows of a grid at one table: the box as it is, then every other."""
    narrator = Narrator(words)
    measured = {one.name for one in results[0].metrics[table]}
    columns = [name for name, metric in METRICS.items() if metric.in_grid and name in measured]
    head = [
        words.say("lab.box"),
        *(words.say(f"metrics_short.{name}") for name in columns),
        words.say("lab.found_short"),
    ]

    def row(name: str, measurements: Sequence[MetricResult], box: int, found: str) -> list[str]:
        told = [
            " · ".join(narrator.value(one, one.boxes[box].value) for one in measurements if one.name == name)
            for name in columns
        ]
        return [name, *told, found]

    rows = [row(words.say("lab.before"), results[0].metrics[table], 0, "")]
    for texts, result in zip(changes, results, strict=True):
        measurements = result.metrics[table]
        n = sum(bool(one.difference and one.difference.significant) for one in measurements)
        rows.append(row(", ".join(texts), measurements, 1, str(n)))
    return head, rows


def _whole(title: str, lang: str, parts: Iterable[str]) -> str:
    style = STYLE.read_text(encoding="utf-8")
    return (
        f'<!doctype html>\n<html lang="{lang}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{title}</h1>\n{_unbroken(parts)}\n</main>\n</body>\n</html>\n"
    )


def _unbroken(parts: Iterable[str]) -> str:
    """The parts of a page, with no line that ends between a number and its sign."""
    return re.sub(r"(?<=\d) %", "\u00a0%", "\n".join(parts))


class _Page:
    def __init__(self, result: Result, lang: str) -> None:
        self.result, self.lang = result, lang
        self.words: Words = lab_words(result.game.name, lang, typeset=True)
        self.narrator = Narrator(self.words)
        self.boxes = len(result.definition.components)

    def say(self, key: str, **values: object) -> str:
        return escape(self.words.say(key, **values), quote=False)

    @property
    def game(self) -> str:
        return self.words.say("game.title")

    def parts(self) -> Iterator[str]:
        if self.boxes == 2:
            yield self._changes()
        for table, measurements in enumerate(self.result.metrics):
            yield from self._table(table, measurements)
        yield self.method()

    def findings(self, table: int) -> str:
        """What the change does, as items of a list."""
        told = self.narrator.findings(self.result.metrics[table], self.result.is_same(table))
        return "".join(f"<li>{escape(sentence, quote=False)}" for sentence in told)

    def _changes(self) -> str:
        changes = self.result.experiment.changes
        rows = [
            f"<tr><th scope=row><code>{escape(key)}</code><td>{escape(str(before))}<td>{escape(str(after))}"
            for key, before, after in changes[:MAX_CHANGES]
        ]
        if len(changes) > MAX_CHANGES:
            more = self.say("lab.more_changes", n=len(changes) - MAX_CHANGES)
            rows.append(f"<tr><td colspan=3>{more}")
        head = "".join(f"<th scope=col>{self.say(key)}" for key in ("lab.metric", "lab.was", "lab.becomes"))
        return f"<section><h2>{self.say('lab.change')}</h2>{_scrolled(head, rows)}</section>"

    def _table(self, table: int, measurements: Sequence[MetricResult]) -> Iterator[str]:
        definition, samples = self.result.definition, self.result.samples[table]
        players = definition.options[table]["players"]
        played = escape(self.narrator.played(definition, self.result.deals), quote=False)
        yield f"<h2 class=table>{self.say('lab.players', n=int(players))}</h2>"
        yield f"<p class=about>{played}</p>"
        if self.boxes == 2:
            title, items = self.say("lab.findings"), self.findings(table)
            yield f"<section class=findings><h3>{title}</h3><ul>{items}</ul>{self._legend()}</section>"
        yield self._section(
            "seats", measurements, self.narrator.seats, [("wins_title", "order", 1 / int(players))]
        )
        yield self._section("lead", measurements, self.narrator.lead, [])
        yield self._length(measurements, samples)
        plots: list[tuple[str, str, float | None]] = [
            ("sources_title", "source", None),
            ("source_edge_title", "source_edge", 0.0),
        ]
        yield self._section("points", measurements, self.narrator.points, plots)
        plots = [("uses_title", "use", None), ("edge_title", "use_edge", 0.0), ("first_title", "first", 0.0)]
        if any(one.name == "use" for one in measurements):
            yield self._section("components", measurements, self.narrator.components, plots)
        if self.result.skill:
            told = self.result.skill[table]
            yield self._section("skill", measurements, lambda _, box: self.narrator.skill(told[box]), [])
        yield self._ways(self.result.strategies[table], int(players))
        yield self._all(measurements)

    def _legend(self) -> str:
        marks = (
            f"<span><svg class=mark width=18 height=18 aria-hidden=true>{_mark('50%', box)}</svg> "
            f"{self.say(key)}</span>"
            for box, key in enumerate(("lab.before", "lab.after")[: self.boxes])
        )
        return f"<p class=legend>{''.join(marks)}</p>"

    def _section(
        self,
        name: str,
        measurements: Sequence[MetricResult],
        tell: Section,
        plots: Sequence[tuple[str, str, float | None]],
    ) -> str:
        drawn = "".join(
            self._plot(title, self._ordered(measurements, group), line) for title, group, line in plots
        )
        return f"<section><h3>{self.say(f'lab.{name}')}</h3>{self._told(measurements, tell)}{drawn}</section>"

    def _ordered(self, measurements: Sequence[MetricResult], group: str) -> list[MetricResult]:
        """A group's measurements: sources as on a score sheet, components by how much they are used."""
        used = {one.about: -one.boxes[0].value for one in measurements if one.name == "use"}
        sources = list(self.result.game.rules.SOURCES)
        mine = [one for one in measurements if one.name == group]
        if group.startswith("source"):
            return sorted(mine, key=lambda one: sources.index(one.about))
        return sorted(mine, key=lambda one: used.get(one.about, 0.0))

    def _told(self, measurements: Sequence[MetricResult], tell: Section) -> str:
        """The sentences of a section, for each box."""
        said = []
        for box in range(self.boxes):
            first, *others = tell(measurements, box)
            if self.boxes == 2:
                first = self.words.say("lab.of_box", box=self.words.say(BOXES[box]), sentence=first)
            text = " ".join(sentence[:1].upper() + sentence[1:] for sentence in (first, *others))
            said.append(f"<p>{escape(text, quote=False)}</p>")
        return "".join(said)

    def _plot(self, title: str, measurements: Sequence[MetricResult], line: float | None) -> str:
        """A row a measurement: its value on each box, with the interval."""
        if not measurements:
            return ""
        ends = [
            end
            for one in measurements
            for box in one.boxes
            if box.deals > 1
            for end in (box.low, box.high, box.value)
        ]
        low, high = min([*ends, 0.0 if line is None else line]), max([*ends, line or 0.0])
        at = _scale(low, high)
        rows = "".join(self._row(one, at, line) for one in measurements)
        note = "" if line is None else f"<p class=note>{self.say('lab.equal' if line else 'lab.zero')}</p>"
        return f"<h4>{self.say(f'lab.{title}')}</h4><div class=plot>{rows}</div>{note}"

    def _row(self, measurement: MetricResult, at: Callable[[float], str], line: float | None) -> str:
        told, parts = measurement.difference, []
        if line is not None:
            parts.append(f'<line class=even x1="{at(line)}" x2="{at(line)}" y1=0 y2="100%"/>')
        for nth, box in enumerate(measurement.boxes):
            if box.deals > 1:
                parts.append(_whisker(box, at, nth, self.boxes))
        values = " → ".join(self.narrator.value(measurement, box.value) for box in measurement.boxes)
        found = " class=found" if told and told.significant else ""
        label = escape(self.narrator.short(measurement), quote=False)
        spoken = escape(f"{self.narrator.name(measurement)}: {values}")
        height = 16 + 12 * (self.boxes - 1)
        return (
            f"<div{found}><span class=name>{label}</span>"
            f'<svg role=img aria-label="{spoken}" width="100%" height={height}>{"".join(parts)}</svg>'
            f"<span class=value>{escape(values)}</span></div>"
        )

    def _length(self, measurements: Sequence[MetricResult], samples: Sequence[Sample]) -> str:
        key = "decisions" if self.result.experiment.device else "minutes"
        lengths, title = [box.column(key) for box in samples], self.say(f"metrics.{key}")

        def tell(measurements: Sequence[MetricResult], box: int) -> Iterable[str]:
            return self.narrator.length(measurements, lengths[box], box)

        return (
            f"<section><h3>{self.say('lab.length')}</h3>{self._told(measurements, tell)}"
            f"<h4>{title}</h4>{_histogram(lengths, title, self.words)}</section>"
        )

    def _ways(self, found: Sequence[Strategy], players: int) -> str:
        if not found:
            return ""
        head = [f"<th scope=col>{self.say('lab.strategies')}"]
        for key in ("lab.strategy_taken", "lab.strategy_wins"):
            for box in range(self.boxes):
                own = f" <small>({self.say(BOXES[box])})</small>" if self.boxes == 2 else ""
                head.append(f"<th scope=col>{self.say(key)}{own}")
        rows = []
        for way in found:
            names = self.words.join([self.words.say(f"sources.{source}") for source in way.sources])
            name = self.say("lab.strategy", sources=names) if way.sources else self.say("lab.plain_strategy")
            cells = "".join(f"<td>{self._share(one)}" for one in (*way.taken, *way.wins))
            rows.append(f"<tr><th scope=row>{name}{cells}")
        note = self.say("lab.strategies_note", even=self.words.percent(1 / players, 1))
        table = _scrolled("".join(head), rows)
        return f"<section><h3>{self.say('lab.strategies')}</h3>{table}<p class=note>{note}</p></section>"

    def _share(self, told: Estimate) -> str:
        if told.deals < 2:
            return "–"
        low, high = self.words.percent(told.low, 0), self.words.percent(told.high, 0)
        return f"{self.words.percent(told.value, 1)} <small>{low} – {high}</small>"

    def _all(self, measurements: Sequence[MetricResult]) -> str:
        keys = ["lab.metric", "lab.before", "lab.interval"]
        if self.boxes == 2:
            keys = [
                "lab.metric",
                "lab.before",
                "lab.after",
                "lab.difference",
                "lab.interval",
                "lab.effect_size",
                "lab.detectable_effect",
            ]
        head = "".join(f"<th scope=col>{self.say(key)}" for key in keys)
        rows = [self._measurement(one) for one in measurements]
        return f"<details><summary>{self.say('lab.all')}</summary>{_scrolled(head, rows)}</details>"

    def _measurement(self, measurement: MetricResult) -> str:
        narrator, told = self.narrator, measurement.difference
        cells = [narrator.value(measurement, box.value) for box in measurement.boxes]
        if self.boxes == 1:
            one = measurement.boxes[0]
            cells.append(f"{narrator.value(measurement, one.low)} – {narrator.value(measurement, one.high)}")
        elif told is None:
            cells += ["–"] * 4
        else:
            cells += [
                narrator.change(measurement, told.value)
                + (f" ({self.words.say('lab.significant')})" if told.significant else ""),
                f"{narrator.change(measurement, told.low)} – {narrator.change(measurement, told.high)}",
                self.words.number(told.effect_size, 2).replace("-", "−"),
                narrator.change(measurement, told.detectable_effect),
            ]
        name = escape(narrator.name(measurement), quote=False)
        found = " class=found" if told and told.significant else ""
        return f"<tr{found}><th scope=row>{name}" + "".join(f"<td>{escape(cell)}" for cell in cells)

    @property
    def told(self) -> list[Difference]:
        """All differences that are looked at."""
        return [
            one.difference for measurements in self.result.metrics for one in measurements if one.difference
        ]

    def method(self, looked: int | None = None) -> str:
        """How it was found; a grid has looked at more measurements than one result."""
        definition, own = self.result.definition, self.result.game.lab
        if self.result.experiment.device:
            sentences = [self.say("lab.method_bulk")]
        else:
            bots = "lab.method_random" if definition.levels == ("passer-by",) else "lab.method_bots"
            if self.result.tuned:
                bots = "lab.method_tuned"
            sentences = [self.say(bots, level=self.narrator.levels(definition.levels))]
        told = self.narrator.tuned(self.result.tuned)
        sentences += [escape(one[:1].upper() + one[1:], quote=False) for one in told]
        if self.boxes == 2:
            sentences.append(self.say("lab.method_pairs", n=looked or len(self.told)))
            saved = [one.pairing_gain for one in self.told if one.std_error > 0]
            if saved and definition.paired:
                times = statistics.median(saved)
                key = "lab.method_pairing" if times > WORTH_TELLING else "lab.method_pairing_little"
                sentences.append(self.say(key, half=self.words.number(times, 1)))
        else:
            sentences.append(self.say("lab.method_alone"))
        if any(one.name == "close" for measurements in self.result.metrics for one in measurements):
            ends = {"lost": self.words.percent(LOST, 0), "won": self.words.percent(WON, 0)}
            sentences.append(self.say("lab.method_estimates", tries=MIN_VISITS, **ends))
        if any(one.name == "minutes" for one in self.result.metrics[0]):
            verbs = [f"{self.words.verb(kind)} {self._seconds(n)}" for kind, n in own.SECONDS.items()]
            usual = {"usual": self._seconds(own.DEFAULT_SECONDS), "forced": self._seconds(own.FORCED_SECONDS)}
            sentences.append(self.say("lab.method_minutes", seconds=", ".join(verbs) or "–", **usual))
        sentences.append(self.say("lab.method_points"))
        placeholders = self.result.game.components.placeholders
        if placeholders:
            sentences.append(self.say("lab.placeholders", tables=", ".join(placeholders)))
        made = {"version": comptoir.__version__, "game": self.game, "rules": definition.rules}
        sentences.append(self.say("lab.method_version", **made))
        items = "".join(f"<li>{sentence}" for sentence in sentences)
        return f"<section class=method><h2>{self.say('lab.method')}</h2><ul>{items}</ul></section>"

    def _seconds(self, seconds: float) -> str:
        return self.words.number(seconds, 0 if seconds == int(seconds) else 1)


def _scrolled(head: str, rows: Iterable[str]) -> str:
    """A table that scrolls sideways where it is too wide, by keyboard too."""
    return f"<div class=wide tabindex=0><table><thead><tr>{head}<tbody>{''.join(rows)}</table></div>"


def _scale(low: float, high: float) -> Callable[[float], str]:
    """Where a value lies, as a part of the width; a little room is left on both sides."""
    axis = Axis(3, 97, low, max(high, low + 1e-9))
    return lambda value: f"{axis.at(value):.1f}%"


def _whisker(told: Estimate, at: Callable[[float], str], box: int, boxes: int) -> str:
    y = 8 + 12 * box
    return (
        f'<line class="box{box}" x1="{at(told.low)}" x2="{at(told.high)}" y1={y} y2={y} />'
        f'<svg x="{at(told.value)}" y={y - 9} overflow=visible>{_mark("0", box)}</svg>'
    )


def _mark(x: str, box: int) -> str:
    """A circle for the box as it is, a square for the changed one: colour is never the only sign."""
    if box == 0:
        return f'<circle class=box0 cx="{x}" cy=9 r=4.5 />'
    return f'<svg x="{x}" overflow=visible><rect class=box1 x=-4.5 y=4.5 width=9 height=9 /></svg>'


def _histogram(boxes: Sequence[Floats], title: str, words: Words) -> str:
    """How lengths spread: bars for the box as it is, a line for the changed one."""
    everything = np.concatenate(boxes)
    low, high = float(np.floor(everything.min())), float(np.ceil(everything.max()))
    edges = np.linspace(low, max(high, low + 1), BINS + 1)
    counts = [np.histogram(box, edges)[0] / len(box) for box in boxes]
    top, wide = max(float(one.max()) for one in counts), 100 / BINS
    parts = []
    for nth, share in enumerate(counts[0]):
        place = f'x="{nth * wide:.2f}" y="{100 - 100 * share / top:.1f}"'
        parts.append(f'<rect class=bar {place} width="{wide * 0.9:.2f}" height="{100 * share / top:.1f}"/>')
    for changed in counts[1:]:
        steps = [
            f"{(nth + side) * wide:.2f},{100 - 100 * share / top:.1f}"
            for nth, share in enumerate(changed)
            for side in (0, 1)
        ]
        parts.append(f'<polyline class=outline points="{" ".join(steps)}"/>')
    ticks = "".join(f"<span>{words.number(value)}</span>" for value in np.linspace(edges[0], edges[-1], 5))
    size = 'viewBox="0 0 100 100" preserveAspectRatio=none width="100%" height=120'
    return (
        f'<div class=histogram><svg role=img aria-label="{escape(title)}" {size}>{"".join(parts)}</svg>'
        f"<p class=ticks>{ticks}</p></div>"
    )
