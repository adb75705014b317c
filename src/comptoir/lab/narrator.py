"""An experiment in plain words: the names of measurements, their values, and sentences about them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from comptoir.engine.words import Words, words_of
from comptoir.lab.match_record import ExperimentDefinition
from comptoir.lab.metric_result import MetricResult
from comptoir.lab.skill import Skill
from comptoir.lab.statistics import Estimate, Floats, differs_from
from comptoir.lab.tension import CLOSE_CALL_GAP
from comptoir.lab.tune import TuneResult

ROOMS = ("bots", "lab")
BOXES = ("lab.box_baseline", "lab.box_variant")
RARE = 0.05  # a component used in a smaller part of the games is hardly used at all
FIRSTS = 3  # how many components are named whose first use goes with winning or losing


def lab_words(game: str, lang: str, typeset: bool = False) -> Words:
    return words_of(game, lang, packages=ROOMS, typeset=typeset)


class Narrator:
    """Says the measurements of one game in one language."""

    def __init__(self, words: Words) -> None:
        self.words = words

    def name(self, measurement: MetricResult) -> str:
        """What a measurement is, as the start of a sentence."""
        say, about, key = self.words.say, measurement.about, f"metrics.{measurement.name}"
        unit = say("score.unit")
        match measurement.metric.about:
            case "seat":
                return say(key, n=int(about) + 1)
            case "ending":
                return say(key, name=self.ending(about))
            case "source":
                return say(key, name=say(f"sources.{about}"), unit=unit)
            case "component":
                return say(key, name=self.component(about))
            case _:
                return say(key, unit=unit) if measurement.metric.unit == "points" else say(key)

    def short(self, measurement: MetricResult) -> str:
        """What of its group a measurement is about, for a row under the group's title."""
        if measurement.metric.about == "seat":
            return str(int(measurement.about) + 1)
        if measurement.metric.about == "source":
            return self.words.say(f"sources.{measurement.about}")
        return self.component(measurement.about)

    def level(self, spec: str) -> str:
        """A bot's level in the language, with the file of its weights if it has its own; anything else as it
        was given.
        """
        name, at, weights = spec.partition("@")
        if f"levels.{name}" not in self.words.texts:
            return spec
        said = self.words.say(f"levels.{name}")
        return self.words.say("lab.weights_of", level=said, file=Path(weights).name) if at else said

    def levels(self, specs: Sequence[str]) -> str:
        """Who plays: one bot, or another on each box."""
        return " → ".join(map(self.level, specs))

    def played(self, definition: ExperimentDefinition, deals: int) -> str:
        """How many deals of a table were played, and by whom."""
        said = {"deals": self.words.number(deals), "seed": definition.seed}
        alone = "" if len(definition.components) > 1 else "_alone"
        policies = [f"lab.play_{level}" for level in definition.levels]
        if all(key in self.words.texts for key in policies):
            how = " → ".join(map(self.words.say, policies))
            return self.words.say(f"lab.played_bulk{alone}", how=how, **said)
        return self.words.say(f"lab.played{alone}", level=self.levels(definition.levels), **said)

    def ending(self, name: str) -> str:
        key = f"endings.{name}"
        return self.words.say(key) if key in self.words.texts else name

    def component(self, name: str) -> str:
        """A component by its name in the game's words: `uses.NAME`, or `uses.STEM` with a number, the name of
        a thing, or an action.
        """
        words, (stem, _, last) = self.words, name.rpartition(" ")
        if f"uses.{name}" in words.texts:
            said = words.say(f"uses.{name}")
        elif f"uses.{stem}" in words.texts:
            said = (
                words.say(f"uses.{stem}", n=int(last))
                if last.isdigit()
                else words.say(f"uses.{stem}", name=last)
            )
        elif f"names.{name}" in words.texts:
            said = words.name(name)
        elif last.isdigit() and f"names.{stem}" in words.texts:
            said = f"{words.name(stem)} {last}"
        else:
            said = self._action(name)
        return said[:1].upper() + said[1:]

    def _action(self, name: str) -> str:
        """A component that is an action or a kind of them; any other name is returned as it is."""
        words, kind = self.words, name
        while kind and f"actions.{kind}" not in words.texts:
            kind = kind.rpartition(" ")[0]
        operand = name[len(kind) :].strip()
        return f"{words.verb(kind)} {words.name(operand).lower()}".rstrip() if kind else name

    def value(self, measurement: MetricResult, value: float) -> str:
        if math.isnan(value):
            return "–"
        if measurement.metric.is_share:
            return self.words.percent(value, 1)
        if measurement.metric.unit == "win":
            return self.change(measurement, value)
        return self._signed(value, measurement.metric.digits, plus="")

    def change(self, measurement: MetricResult, value: float) -> str:
        """A difference, with its sign."""
        if math.isnan(value):
            return "–"
        if measurement.metric.is_share or measurement.metric.unit == "win":
            return self.words.say("lab.points_short", n=self._signed(100 * value, 1))
        return self._signed(value, measurement.metric.digits)

    def _signed(self, value: float, digits: int, plus: str = "+") -> str:
        """A number with a true minus; what is rounded to nothing has no sign."""
        text = self.words.number(abs(value), digits)
        if not any(letter in "123456789" for letter in text):
            return text
        return (plus if value > 0 else "−") + text

    # Sentences

    def finding(self, measurement: MetricResult) -> str:
        told = measurement.difference
        assert told is not None
        one, other = measurement.boxes
        return self.words.say(
            "lab.finding",
            metric=self.name(measurement),
            before=self.value(measurement, one.value),
            after=self.value(measurement, other.value),
            difference=self.change(measurement, told.value),
            low=self.change(measurement, told.low),
            high=self.change(measurement, told.high),
        )

    def findings(self, measurements: Sequence[MetricResult], same: bool) -> list[str]:
        """What the change does at a table, the surest first; and what would have been seen."""
        if same:
            return [self.words.say("lab.not_played")]
        told = [measurement for measurement in measurements if measurement.difference]
        found = sorted((one for one in told if one.difference.significant), key=lambda one: one.difference.p)  # type: ignore[union-attr]
        sentences = [self.finding(measurement) for measurement in found]
        rest = len(told) - len(found)
        key = "lab.others" if found else "lab.no_difference"
        if rest:
            sentences.append(self.words.say(key, n=rest))
        orders = [one for one in told if one.name == "order" and not one.difference.significant]  # type: ignore[union-attr]
        if orders:
            least = max(one.difference.detectable_effect for one in orders)  # type: ignore[union-attr]
            points = self.words.say("lab.points_short", n=self.words.number(100 * least, 1))
            sentences.append(self.words.say("lab.detectable", least=points))
        return sentences

    def seats(self, measurements: Sequence[MetricResult], box: int) -> Iterator[str]:
        orders = [one for one in measurements if one.name == "order"]
        even = 1 / len(orders)
        looks = len(orders) * len(orders[0].boxes)
        apart = [one for one in orders if differs_from(one.boxes[box], even, looks)]
        for measurement in apart:
            n, even_said = int(measurement.about) + 1, self.words.percent(even, 1)
            yield self.words.say("lab.advantage", n=n, even=even_said, **self._ends(measurement.boxes[box]))
        if not apart:
            yield self.words.say("lab.no_advantage", even=self.words.percent(even, 1))

    def skill(self, told: Skill) -> Iterator[str]:
        """How much skill decides on a box, and how much luck."""
        levels = {"better": self.level(told.better), "weaker": self.level(told.weaker)}
        yield self.words.say("lab.skilled", **levels, **self._ends(told.wins))
        even = self.words.percent(1 / told.players, 1)
        yield self.words.say("lab.repeat_wins", even=even, **self._ends(told.repeat_win_rate))
        yield self.words.say("lab.luck", **self._ends(told.luck))
        yield self.words.say("lab.by_skill", **levels, **self._ends(told.skill))

    def tuned(self, boxes: Sequence[TuneResult]) -> Iterator[str]:
        """How the bots were prepared for each box."""
        for box, told in zip(BOXES, boxes, strict=False):
            share, error = (self.words.percent(value, 1) for value in (told.share, told.error))
            said = {"kept": told.kept, "steps": told.steps, "share": share, "error": error, "n": told.games}
            name = self.words.say(box)
            sentence = self.words.say("lab.tuned" if told.better else "lab.tuned_in_vain", **said)
            yield self.words.say("lab.of_box", box=name, sentence=sentence)

    def _ends(self, told: Estimate) -> dict[str, str]:
        """A share with the ends of its interval."""
        ends = {"share": told.value, "low": told.low, "high": told.high}
        return {name: self.words.percent(value, 1) for name, value in ends.items()}

    def lead(self, measurements: Sequence[MetricResult], box: int) -> Iterator[str]:
        by_group = {one.name: one for one in measurements}
        said = {
            name: self.value(by_group[name], by_group[name].boxes[box].value)
            for name in ("halftime_win", "comeback", "settled", "tie")
            if name in by_group
        }
        margin = (
            f"{self.words.number(by_group['margin'].boxes[box].value, 1)} ({self.words.say('score.unit')})"
        )
        yield self.words.say(
            "lab.tension" if "halftime_win" in said else "lab.tension_bulk", margin=margin, **said
        )
        decided = by_group.get("decided")
        if decided and decided.boxes[box].deals:
            yield self.words.say("lab.decided", **self._ends(decided.boxes[box]))

    def length(self, measurements: Sequence[MetricResult], lengths: Floats, box: int) -> Iterator[str]:
        """`lengths` are the matches' minutes, or their decisions where minutes are not known."""
        by_group = {one.name: one for one in measurements}
        ends = [self.words.number(float(end)) for end in np.quantile(lengths, (0.1, 0.9))]
        if "minutes" not in by_group:
            decisions = self.words.number(by_group["decisions"].boxes[box].value)
            yield self.words.say("lab.lasts_bulk", low=ends[0], high=ends[1], decisions=decisions)
            endings = [one for one in measurements if one.name == "ending"]
            told = [f"{self.ending(one.about)} {self.value(one, one.boxes[box].value)}" for one in endings]
            yield self.words.say("lab.ends", endings=", ".join(told))
            return
        said = {
            name: self.words.number(by_group[name].boxes[box].value)
            for name in ("minutes", "turns", "decisions")
        } | {
            name: self.value(by_group[name], by_group[name].boxes[box].value)
            for name in ("choices", "forced")
        }
        yield self.words.say("lab.lasts", low=ends[0], high=ends[1], **said)
        close = by_group.get("close")
        if close and close.boxes[box].deals:
            yield self.words.say(
                "lab.close", within=round(100 * CLOSE_CALL_GAP), **self._ends(close.boxes[box])
            )
        guard = by_group["stalled"].boxes[box].value
        yield (
            self.words.say("lab.stalled", share=self.words.percent(guard, 1))
            if guard
            else self.words.say("lab.none_stalled")
        )

    def points(self, measurements: Sequence[MetricResult], box: int) -> Iterator[str]:
        edges = [one for one in measurements if one.name == "source_edge"]
        best = max(edges, key=lambda one: one.boxes[box].value)
        source = self.words.say(f"sources.{best.about}")
        yield self.words.say("lab.best_source", source=source, more=self.change(best, best.boxes[box].value))

    def components(self, measurements: Sequence[MetricResult], box: int) -> Iterator[str]:
        rare = [
            self.component(one.about)
            for one in measurements
            if one.name == "taken" and one.boxes[box].value < RARE
        ]
        yield self.words.say("lab.unused", names=", ".join(rare)) if rare else self.words.say("lab.all_used")
        looks = sum(one.name == "first" for one in measurements)
        firsts = [
            one for one in measurements if one.name == "first" and differs_from(one.boxes[box], 0.0, looks)
        ]
        firsts.sort(key=lambda one: -abs(one.boxes[box].value))
        names = [self._first(one, one.boxes[box]) for one in firsts[:FIRSTS]]
        if names:
            yield self.words.say("lab.first_use", names=", ".join(names))

    def _first(self, measurement: MetricResult, told: Estimate) -> str:
        values = {"more": told.value, "low": told.low, "high": told.high}
        said = {name: self.change(measurement, value) for name, value in values.items()}
        return self.words.say("lab.first_of", name=self.component(measurement.about), **said)
