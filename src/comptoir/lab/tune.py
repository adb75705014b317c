"""Better weights for a game's evaluation on a box, found by playing: a hill climb in the arena.

Each step changes one to three weights a little and plays the changed evaluation against the best so far, on
equal seats and equal deals. What wins by more than the standard error is kept. At the end the best plays the
evaluation that it began with, on deals of their own.
"""

from __future__ import annotations

import json
import math
import random
import shutil
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from comptoir import folders
from comptoir.arena import Arena
from comptoir.arena.game_record import source_hash
from comptoir.bots.levels import Program, read
from comptoir.engine.evaluation import current_settings, current_tables, load_evaluation
from comptoir.engine.game import get_game
from comptoir.errors import OptionError
from comptoir.time_source import SYSTEM_TIME, TimeSource

if TYPE_CHECKING:
    from comptoir.lab import Experiment

TomlTables = dict[str, dict[str, Any]]
GAMES = 200  # of a step
SPREAD = 0.3  # how far a step goes, in the logarithm of a figure


@dataclass(frozen=True)
class TuneResult:
    """What a climb has found."""

    path: str  # the file of the weights
    steps: int
    kept: int
    share: float  # of the wins against the weights that it began with
    error: float  # its standard error
    games: int

    @property
    def better(self) -> bool:
        """Whether it is worth playing with."""
        return self.kept > 0 and self.share - self.error > 0.5

    @property
    def sentence(self) -> str:
        return (
            f"{self.kept} of {self.steps} changes kept; {self.share:.1%} (standard error {self.error:.1%})"
            f" against the start, {self.games} games"
        )

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) | {"better": self.better}


@dataclass(frozen=True)
class HillClimb:
    """Where weights are tuned: in which game, at which tables, on which box, by whom, and for how long.

    Its effort is time (`minutes`): a faster machine takes more steps. The file says how many they were.
    """

    game: str
    options: Sequence[dict[str, Any]]  # a table for each number of players: steps take turns
    components: Any
    minutes: float
    bots: str = "clerk"
    names: Sequence[str] = ()  # only these, of [weights] or [search]; all weights if none are named
    start: Path | None = None  # an evaluation to begin with, if not the game's own
    games: int = GAMES
    seed: int | str = 1
    workers: int | None = None
    about: dict[str, str] = field(default_factory=dict)  # for the reader of the file
    time_source: TimeSource = SYSTEM_TIME

    def tune(self, out: Path, told: Callable[[str], None] = lambda line: None) -> TuneResult:
        """Climbs until the time is over, one step at least, and writes what was found to a file."""
        chance = random.Random(self.seed)
        source = self.start or get_game(self.game).folder / "evaluation.toml"
        evaluation = load_evaluation(source)  # its search settings with the defaults, to be changed too
        read = cast(TomlTables, current_tables(tomllib.loads(source.read_text(encoding="utf-8"))))
        settings = current_settings(read.get("search", {}))
        best = {**read, "weights": read.get("weights", {}), "search": evaluation.search | settings}
        chosen = self._chosen(best)
        files = {name: out.with_suffix(f".{name}.toml") for name in ("start", "best", "trial")}
        write(best, files["start"])
        write(best, files["best"])
        clock, step, kept = self.time_source, 0, 0
        ends = clock.monotonic() + 60 * self.minutes
        while step == 0 or clock.monotonic() < ends:
            step += 1
            new = perturbed(best, chosen, chance)
            write(new, files["trial"])
            share, error = self.duel(files["trial"], files["best"], step)
            if share - error > 0.5:
                best, kept = new, kept + 1
                write(best, files["best"])
            told(f"step {step}: {share:.1%} ± {error:.1%}{'  kept' if best is new else ''}")
        share, error = self.duel(files["best"], files["start"], 0)
        found = TuneResult(str(out), step, kept, share, error, self.games)
        run = {"run": {**self.about, "result": found.sentence}}
        write({**run, **{name: best[name] for name in ("search", "weights")}}, out)
        for path in files.values():
            path.unlink()
        return found

    def _chosen(self, tables: TomlTables) -> list[str]:
        known = [*tables["weights"], *tables["search"]]
        for name in self.names:
            if name not in known:
                raise OptionError(f"{self.game} has no figure {name!r}. Figures: {', '.join(known)}")
        return list(self.names or tables["weights"])

    def duel(self, one: Path, other: Path, step: int) -> tuple[float, float]:
        """The share of the wins of one set of weights against another, and its standard error."""
        folder = one.with_name(f"{one.name}-step")
        shutil.rmtree(folder, ignore_errors=True)
        bots = [f"{self.bots}@{one}", f"{self.bots}@{other}"]
        table = self.options[step % len(self.options)]
        more = {**table, "seed": f"{self.seed}/{step}", "components": self.components, "folder": folder}
        share = Arena(self.game, bots, **more).play(self.games, workers=self.workers)["bots"][0]["share"]
        shutil.rmtree(folder, ignore_errors=True)
        return share["share"], (share["high"] - share["low"]) / 3.92


def perturbed(tables: TomlTables, chosen: Sequence[str], chance: random.Random) -> TomlTables:
    """A few weights multiplied by something near 1. A weight that is 0 stays so: it is off on purpose."""
    new = {name: dict(table) for name, table in tables.items()}
    for _ in range(chance.randint(1, 3)):
        name = chance.choice(chosen)
        table = new["weights"] if name in new["weights"] else new["search"]
        factor = math.exp(chance.gauss(0, SPREAD))
        old = table[name]
        if isinstance(old, list):
            nth = chance.randrange(len(old))
            table[name] = [round(figure * factor, 4) if i == nth else figure for i, figure in enumerate(old)]
        elif name == "rollout_depth":
            table[name] = max(0, round(old * factor))
        else:
            table[name] = round(old * factor, 4)
    return new


def write(tables: TomlTables, path: Path) -> None:
    """The file of an evaluation."""
    lines = []
    for name, table in tables.items():
        lines += [f"[{name}]", *(f"{key} = {_toml(value)}" for key, value in table.items()), ""]
    path.write_text("\n".join(lines), encoding="utf-8")


def _toml(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return repr(value) if isinstance(value, int | float) else json.dumps(str(value), ensure_ascii=False)


def tune_boxes(experiment: Experiment, minutes: float, *, workers: int | None = None) -> list[TuneResult]:
    """Tunes the evaluation of an experiment's level on each of its boxes, an equal part of the time each: who
    is better prepared for one box than for the other would show as a difference between them.

    What was tuned before, for the same boxes and as long, is not tuned again.
    """
    definition, found = experiment.definition, []
    if len(definition.levels) > 1 or not is_tunable(definition.levels[0]):
        level = ",".join(definition.levels)
        raise OptionError(f"tune: expected one level that judges, without figures of its own, not {level!r}")
    if not (experiment.game.folder / "evaluation.toml").exists():
        raise OptionError(f"tune: {definition.game} has no evaluation.toml whose figures could be tuned")
    for tables in definition.components:
        climb = HillClimb(
            game=definition.game,
            options=definition.options,
            components=tables,
            minutes=minutes / len(definition.components),
            games=GAMES,
            seed=definition.seed,
            workers=workers,
            about={"command": f"comptoir lab {definition.game} --tune {minutes:g}"},
        )
        asked = [definition.options, tables, minutes, definition.seed, source_hash(definition.game)]
        name = sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()[:10]
        path = folders.data() / "lab" / f"tuned-{definition.game}-{name}.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        found.append(saved_result(path) or _save(climb.tune(path)))
    return found


def is_tunable(spec: str) -> bool:
    level = read(spec)
    return not isinstance(level, Program) and level.name != "passer-by" and not level.weights_file


def _save(tuned: TuneResult) -> TuneResult:
    Path(tuned.path).with_suffix(".json").write_text(json.dumps(asdict(tuned)), encoding="utf-8")
    return tuned


def saved_result(path: Path) -> TuneResult | None:
    """What an earlier climb has found; None if there was none, or it was stopped."""
    if not path.is_file():
        return None
    try:
        return TuneResult(**json.loads(path.with_suffix(".json").read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
