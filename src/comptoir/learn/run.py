"""A run of learning: its folder, its loop, and its record."""

from __future__ import annotations

import json
import math
import platform
import queue
import subprocess
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import comptoir
from comptoir.bots.network import Network, new_network
from comptoir.engine.game import Game
from comptoir.errors import OptionError
from comptoir.learn.learner import Learner, Memory, cores, load_torch
from comptoir.learn.players import Course, Players, Trial

RECORD, WEIGHTS, STATE = "record.json", "network.npz", "state.pt"


@dataclass(frozen=True)
class Plan:
    """What decides how a run goes. What is not said fits the machine."""

    game: str
    minutes: float = 10.0
    seed: int = 1
    wide: int = 64
    narrow: int = 32
    iterations: int = 32
    trial: int = 100
    opponents: tuple[int, ...] = (100,)
    curious: int = 200
    mixed: float = 0.6  # how much of the aim is what the search thought
    rate: float = 1e-3
    batch: int = 4096
    reuse: float = 2.0  # how often a row is learned from
    first: int = 50_000  # rows, before anything is learned
    memory: int = 3_000_000  # rows
    every: float = 20.0  # seconds between two networks
    search: dict[str, float] = field(default_factory=dict)  # how the search with the network is set


@dataclass
class Point:
    """A point of the curve: what one network was measured at."""

    version: int
    minutes: float
    games: int
    rows: int
    loss: float  # on games not yet learned from, by who won
    judged: float  # and the judgement's
    trials: dict[str, list[float]] = field(default_factory=dict)  # by opponent: games, share, what is even


class Run:
    """Learning in a folder: the weights, the record, and what is needed to go on."""

    def __init__(self, game: Game, plan: Plan, folder: Path, device: str, threads: int | None = None) -> None:
        self.game, self.plan, self.folder = game, plan, folder
        self.device, self.threads = device, threads or cores()
        self.learner = Learner(game, plan.wide, plan.narrow, plan.rate, plan.seed, device)
        self.memory = Memory(self.learner, plan.memory, plan.seed)
        self.curve: list[Point] = []
        self.spent = 0.0  # seconds, of earlier parts too
        self.games = 0
        self.steps = 0

    @property
    def search(self) -> dict[str, float]:
        """Playouts are what the network is there to replace."""
        return self.game.judgement.search | {"patience": 0.0} | self.plan.search

    def network(self) -> Network:
        return new_network(self.game, self.learner.arrays(), self.search, **self.figures())

    def figures(self) -> dict[str, Any]:
        last = asdict(self.curve[-1]) if self.curve else {}
        return {
            "plan": asdict(self.plan),
            "minutes": round(self.spent / 60, 2),
            "games": self.games,
            "last": last,
        }

    def save(self) -> None:
        """All at once: a run that is stopped in between goes on from the last."""
        self.folder.mkdir(parents=True, exist_ok=True)
        record = {
            "comptoir": comptoir.__version__,
            "commit": commit(),
            "machine": f"{platform.machine()}, {self.threads} threads, {self.device}",
            **self.figures(),
            "steps": self.steps,
            "curve": [asdict(point) for point in self.curve],
        }
        state = self.learner.state() | {"spent": self.spent, "games": self.games, "steps": self.steps}
        _replace(self.folder / RECORD, lambda path: _write(path, json.dumps(record, indent=1) + "\n"))
        _replace(self.folder / WEIGHTS, self.network().save)
        _replace(self.folder / STATE, lambda path: load_torch().save(state, path))

    @property
    def exists(self) -> bool:
        """Whether the folder holds a run."""
        return (self.folder / RECORD).exists()

    def resume(self) -> None:
        """Goes on from what the folder holds."""
        try:
            state = load_torch().load(self.folder / STATE, map_location=self.device, weights_only=True)
            record = json.loads((self.folder / RECORD).read_text(encoding="utf-8"))
            self.learner.restore(state)
            self.spent, self.games, self.steps = state["spent"], state["games"], state["steps"]
            self.curve = [Point(**point) for point in record["curve"]]
        except OSError:
            raise OptionError(f"there is no run to go on with in {self.folder}: leave out --resume") from None
        except Exception:
            raise OptionError(
                f"the run in {self.folder} is damaged, or has other settings: start over without --resume"
            ) from None

    def go(self, tell: Callable[[Point], None] = lambda point: None) -> None:
        """Until the time is up, or Ctrl-C: then what was learned is saved too."""
        plan = self.plan
        course = Course(plan.iterations, plan.curious, plan.opponents, plan.trial, tables(self.game))
        seed = f"{plan.seed} from {self.games}"
        players = Players(self.game, course, self.network(), seed, self.threads)
        players.prepare()
        zero = time.monotonic() - self.spent
        with players:
            try:
                while self.spent < 60 * plan.minutes:
                    point = self._generation(players, zero)
                    self.save()
                    tell(point)
                    if point.loss < point.judged:  # until then the judgement plays
                        players.teach(self.network(), len(self.curve))
            except KeyboardInterrupt:
                self.save()
                raise

    def _generation(self, players: Players, zero: float) -> Point:
        """One network: games come in, are tested on, and learned from."""
        plan, ends = self.plan, time.monotonic() + self.plan.every
        losses: list[tuple[int, float, float]] = []
        trials: dict[str, list[float]] = {}
        owed, fresh = 0.0, 0
        while time.monotonic() < ends:
            waiting = _drain(players.games)
            rows = [one for one in waiting if not isinstance(one, Trial)]
            for one in waiting:
                if isinstance(one, Trial):
                    told = trials.setdefault(str(one.opponent), [0.0, 0.0, 0.0])
                    told[:] = [told[0] + 1, told[1] + one.share, told[2] + one.even]
            if rows:
                batch = self.memory.batch_of(
                    {name: np.concatenate([one[name] for one in rows]) for name in rows[0]}
                )
                losses.append(self._test(batch))
                self.memory.add(batch)
                fresh += len(batch["players"])
                self.games += len(rows)
                owed += plan.reuse * len(batch["players"]) / plan.batch
            while owed >= 1 and len(self.memory) >= plan.first and time.monotonic() < ends:
                left = 1 - (time.monotonic() - zero) / (60 * plan.minutes)
                self.learner.learn(self.memory.draw(plan.batch), plan.mixed, left)
                self.steps += 1
                owed -= 1
        self.spent = time.monotonic() - zero
        many = sum(n for n, _, _ in losses) or 1
        point = Point(
            len(self.curve),
            round(self.spent / 60, 2),
            self.games,
            fresh,
            round(sum(n * loss for n, loss, _ in losses) / many, 4),
            round(sum(n * judged for n, _, judged in losses) / many, 4),
            {name: [n, round(share / n, 4), round(even / n, 4)] for name, (n, share, even) in trials.items()},
        )
        self.curve.append(point)
        return point

    def _test(self, batch: dict[str, Any]) -> tuple[int, float, float]:
        with self.learner.torch.no_grad():
            loss = float(self.learner.losses(batch, 0.0).mean())
            judged = float(self.learner.judged_losses(batch).mean())
        return len(batch["players"]), loss, judged


def tables(game: Game) -> tuple[int, ...]:
    """Every number of players, the usual one three times as often."""
    least, most = game.rules.PLAYERS
    return (*range(least, most + 1), game.rules.USUAL_PLAYERS, game.rules.USUAL_PLAYERS)


def interval(games: float, share: float) -> float:
    """Half the width of a 95 % interval."""
    return 1.96 * math.sqrt(max(share * (1 - share), 1e-9) / max(games, 1))


def commit() -> str:
    """The commit that runs, where there is one."""
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"]
    try:
        found = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return found.stdout.strip()


def _drain(games: queue.Queue[Any]) -> list[Any]:
    """All that is there; a moment's wait for the first."""
    found = []
    try:
        found.append(games.get(timeout=0.2))
        while len(found) < 512:
            found.append(games.get_nowait())
    except queue.Empty:
        pass
    return found


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def _replace(path: Path, write: Callable[[Path], None]) -> None:
    """A file that is written whole or not at all."""
    new = path.with_name(f"{path.name}.new")
    write(new)
    new.replace(path)
