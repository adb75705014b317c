"""The designers' lab: what does a change to a game's components do?

    from comptoir.lab import Experiment

    result = Experiment("batavia", change=["gold_sole.pepper=20"], level="merchant", players=4).play(200)
    for sentence in result.findings("en"):
        print(sentence)

docs/lab.md tells more.
"""

from __future__ import annotations

import copy
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from comptoir import folders
from comptoir.arena import file_hashes
from comptoir.arena.run_log import RunLog, short_hash
from comptoir.arena.workers import map_tasks
from comptoir.bots.levels import LEVELS, Level, by_evaluation, check, fallback_level, read, split_specs
from comptoir.engine.game import get_game
from comptoir.errors import OptionError
from comptoir.lab.boxes import ComponentTables, change, check_playable, differences
from comptoir.lab.device_samples import play_samples, policy_of
from comptoir.lab.match_record import ExperimentDefinition, MatchRecord, MatchSpec, lab_code, play
from comptoir.lab.result import Result, correct_across
from comptoir.lab.sample import MatchSample, Sample
from comptoir.lab.tune import TuneResult, tune_boxes

__all__ = ["Experiment", "Result"]

LEVEL_ALIASES = {"random": "passer-by"}  # other words for levels
# deals of a table where nobody says how many, some minutes on two cores: by the most iterations of its bots
DEFAULT_DEALS = {0: 1_000, 1_000: 300, 10_000: 40, math.inf: 10}
RANDOM_DEALS = 2_000  # the same of passers-by
DEALS_PER_STEP = (
    50  # deals after which an experiment that goes on until it knows enough looks whether it does
)
MAX_DEALS = 100_000
DEFAULT_BULK_DEALS, BULK_DEALS_PER_STEP, MAX_BULK_DEALS = (
    100_000,
    20_000,
    2_000_000,
)  # the same for games played whole on a device
MAX_TUNE_MINUTES = 600
Progress = Callable[[int, int], None]


def canonical_level(spec: str) -> str:
    """A bot that is there, a level by its English name. Raises an OptionError for any other."""
    spec = LEVEL_ALIASES.get(spec, spec)
    check(spec)
    name = read(spec).name
    return name if name in LEVELS and not re.search("[:@]", spec) else spec


def _deals_for(spec: str) -> int:
    """How many deals are played of a bot that nobody gives a number for; of a custom one as of merchants."""
    found = read(spec)
    if not isinstance(found, Level):
        return DEFAULT_DEALS[1_000]
    if found.name == "passer-by":
        return RANDOM_DEALS
    return next(deals for most, deals in DEFAULT_DEALS.items() if found.iterations <= most)


class ExperimentLog(RunLog[MatchRecord]):
    """The record of an experiment, one line per match."""

    room = "lab"
    run = "an experiment"
    old_keys: ClassVar[dict[str, str]] = {"guard": "stalled", "half": "halftime_points"}


class Experiment:
    """Matches on the same deals with the box as it is and with a changed one; or, without a change, on the
    box alone.

    The same definition in the same folder goes on where it stopped.
    """

    def __init__(
        self,
        game_name: str,
        *,
        change: Sequence[str] = (),
        components: Sequence[str | Path | ComponentTables] = (),
        level: str = "merchant",
        players: int | Sequence[int] | None = None,
        seed: int | str = 1,
        paired: bool = True,
        folder: str | Path | None = None,
        device: str | None = None,
        **options: Any,
    ) -> None:
        """`change` holds texts such as `gold_sole.pepper=20`. `components` are component files, or their
        tables: the box as it is, if not the game's, and others to compare it with. Two bots in `level`, with
        a comma, play a box each. Without `paired` the boxes are played on deals of their own. On a `device`,
        cpu or cuda, random and heuristic games are played whole, by the million, and nothing is recorded.
        """
        self.game, self.device = get_game(game_name), device
        name = canonical_level if device is None else policy_of
        boxes = self._boxes(change, components)
        named = [name(spec) for spec in split_specs(level)]
        levels = named if device else [self.same_on_all(spec, boxes) for spec in named]
        # bots that ask a network, and what plays instead because some box has none
        self.replaced = {one: other for one, other in zip(named, levels, strict=True) if one != other}
        if len(levels) not in (1, len(boxes)):
            raise OptionError(
                f"level: expected one for all, or one for each of {len(boxes)} boxes, not {level!r}"
            )
        seats = [players] if isinstance(players, int) or players is None else list(players)
        self.definition = ExperimentDefinition(
            game=self.game.name,
            rules=self.game.version,
            options=tuple(self.game.read_options(n, **options) for n in seats),
            levels=tuple(levels),
            seed=str(seed),
            components=tuple(boxes),
            paired=paired,
            code=lab_code(self.game.name),
            files=file_hashes(levels),
        )
        own = f"{self.game.name}-{short_hash(self.definition)}"
        self._own_name = folder is None
        self.folder = Path(folder) if folder else folders.data() / "lab" / own
        self.tuned: Sequence[TuneResult] = ()

    def tune(self, minutes: float, *, workers: int | None = None) -> Experiment:
        """The same experiment by bots whose evaluation has been tuned on each box, with equal parts of that
        time; where tuning does not win, they play as they are.
        """
        if not 0 < minutes <= MAX_TUNE_MINUTES:
            raise OptionError(
                f"tune: expected minutes above 0, at most {MAX_TUNE_MINUTES}, found {minutes:g}"
            )
        if self.device is not None:
            raise OptionError("tune: bots are tuned, and there are none with --device")
        self.check()
        found, made = tune_boxes(self, minutes, workers=workers), copy.copy(self)
        level = by_evaluation(self.definition.levels[0])  # it is the evaluation that is tuned
        levels = tuple(f"{level}@{one.path}" if one.better else level for one in found)
        made.definition = replace(self.definition, levels=levels, files=file_hashes(levels))
        if self._own_name:
            made.folder = self.folder.with_name(f"{self.game.name}-{short_hash(made.definition)}")
        made.tuned = found
        return made

    def same_on_all(self, spec: str, boxes: Sequence[ComponentTables]) -> str:
        """The bot, or the same without its network if that does not fit each box: else boxes would differ by
        who plays on them.
        """
        read_boxes = map(self.game.read_components, boxes)
        untrained = any(fallback_level(spec, self.game, box) for box in read_boxes)
        return by_evaluation(spec) if untrained else spec

    def _boxes(
        self, changes: Sequence[str], given: Sequence[str | Path | ComponentTables]
    ) -> list[ComponentTables]:
        if len(given) > 1 and changes:
            raise OptionError("components: expected one file to change, or several to compare")
        boxes = [self.game.read_components(one).tables for one in given] or [self.game.components.tables]
        if changes:
            changed = change(self.game, boxes[0], changes)
            boxes.append(self.game.read_components(changed).tables)
        return boxes

    @property
    def changes(self) -> list[tuple[str, Any, Any]]:
        """The figures in which the boxes differ: key, value before, value after."""
        one, *other = self.definition.components
        return differences(self.game, one, other[0]) if other else []

    def check(self) -> None:
        """Raises an OptionError for a box that cannot be dealt or has no way to end."""
        for nth, tables in enumerate(self.definition.components):
            what = "the box" if nth == 0 else "the changed box"
            for options in self.definition.options:
                check_playable(self.game, options, self.game.read_components(tables), what)

    def play(
        self,
        games: int | None = None,
        *,
        precision: float | None = None,
        workers: int | None = None,
        ray: str | None = None,
        fresh: bool = False,
        progress: Progress = lambda done, total: None,
    ) -> Result:
        """Play `games` deals of each table on each box, or as many as it takes until the intervals of wins
        by turn order reach at most `precision` to each side. Recorded matches are not played again. With
        several other boxes this is the result of the first one: `play_each` returns them all.

        `workers` processes (without it: one a core; 1 plays in this process), or the Ray cluster at an
        address.
        """
        more: dict[str, Any] = {
            "precision": precision,
            "workers": workers,
            "ray": ray,
            "fresh": fresh,
            "progress": progress,
        }
        return self.play_each(games, **more)[0]

    def play_each(
        self,
        games: int | None = None,
        *,
        precision: float | None = None,
        workers: int | None = None,
        ray: str | None = None,
        fresh: bool = False,
        progress: Progress = lambda done, total: None,
    ) -> list[Result]:
        """The same with any number of boxes: a result for each that is compared with the first."""
        for name, number in (("games", games), ("workers", workers)):
            if number is not None and number < 1:
                raise OptionError(f"{name}: expected a number of at least 1, found {number}")
        if precision is not None and not 0 < precision < 1:
            raise OptionError(f"precision: expected a share between 0 and 1, such as 0.01, found {precision}")
        self.check()
        if self.device is not None:
            return self._until(games, precision, lambda deals: play_samples(self, deals, workers, progress))
        with ExperimentLog(self.folder, self.definition, MatchRecord, fresh) as record:

            def played(deals: int) -> list[list[Sample]]:
                self._play(deals, record, workers, ray, progress)
                return self._samples(deals, record)

            return self._until(games, precision, played)

    def _until(
        self, games: int | None, precision: float | None, played: Callable[[int], list[list[Sample]]]
    ) -> list[Result]:
        """Goes on until enough is known, with what is `played` of that many deals."""
        step, most = (
            (DEALS_PER_STEP, MAX_DEALS) if self.device is None else (BULK_DEALS_PER_STEP, MAX_BULK_DEALS)
        )
        deals = games or (step if precision is not None else self.default_deals)
        while True:
            results = self._results(played(deals))
            reach = max(result.max_half_width for result in results)
            if precision is None or reach <= precision or deals >= most or games:
                return results
            wanted = min(4.0, (reach / precision) ** 2) * deals
            deals = min(most, max(deals + step, step * round(wanted / step)))

    @property
    def tables(self) -> int:
        return len(self.definition.options)

    @property
    def default_deals(self) -> int:
        if self.device is not None:
            return DEFAULT_BULK_DEALS
        return min(map(_deals_for, self.definition.levels))

    def match_specs(self, deals: int) -> list[MatchSpec]:
        """What is played, deal by deal."""
        boxes = range(len(self.definition.components))
        return [
            MatchSpec(table, deal, box)
            for deal in range(deals)
            for table in range(self.tables)
            for box in boxes
        ]

    def _play(
        self, deals: int, record: ExperimentLog, workers: int | None, ray: str | None, progress: Progress
    ) -> None:
        units = self.match_specs(deals)
        left = [unit for unit in units if unit.key not in record.done]
        done = len(units) - len(left)
        progress(done, len(units))
        for trial in map_tasks(play, self.definition, left, workers, ray) if left else ():
            record.add(trial)
            done += 1
            progress(done, len(units))

    def _samples(self, deals: int, record: ExperimentLog) -> list[list[Sample]]:
        """What is recorded, for each table and box."""
        boxes, sources = range(len(self.definition.components)), self.game.rules.SOURCES
        return [
            [
                MatchSample([record.done[MatchSpec(table, deal, box).key] for deal in range(deals)], sources)
                for box in boxes
            ]
            for table in range(self.tables)
        ]

    def _results(self, samples: list[list[Sample]]) -> list[Result]:
        """Each box against the first; what is found stands among all that is looked at."""
        boxes = range(len(self.definition.components))
        if len(boxes) == 1:
            return [Result(self, samples)]
        results = [Result(self._pair(box), [[one[0], one[box]] for one in samples]) for box in boxes[1:]]
        correct_across(results)
        return results

    def _pair(self, box: int) -> Experiment:
        """The same experiment, with the first box and one other."""
        pair, components = copy.copy(self), self.definition.components
        levels = tuple(self.definition.level_on(nth) for nth in (0, box))
        pair.definition = replace(
            self.definition,
            components=(components[0], components[box]),
            levels=levels if len(self.definition.levels) > 1 else self.definition.levels,
        )
        return pair
