"""A run of learning: its folder, its loop, and its record."""

from __future__ import annotations

import json
import math
import platform
import queue
import subprocess
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

import comptoir
from comptoir.bots.network import Network, new_network
from comptoir.engine.game import Game
from comptoir.errors import OptionError
from comptoir.learn.actors import TRIAL, ActorConfig, ActorPool, EvaluationGame
from comptoir.learn.learner import Learner, ReplayBuffer, cores, load_torch
from comptoir.learn.ppo import PPO, RolloutSize
from comptoir.time_source import SYSTEM_TIME

RECORD, WEIGHTS, STATE = "record.json", "network.npz", "state.pt"
SEARCH, PLAY = "search", "play"
METHODS = (PLAY, SEARCH)  # to learn: from decisions that turned out well, or from what searches find
BY_PLAY = {"explore": 0.4, "trust": 1.0}  # how a search is set that is told which actions promise most


@dataclass(frozen=True)
class TrainConfig:
    """What decides how a run goes. What is not said fits the machine.

    Its effort is time: how much is learned in `minutes`, and between two networks, depends on the machine.
    """

    game: str
    by: str = SEARCH
    minutes: float = 10.0
    seed: int = 1
    wide: int = 64
    narrow: int = 32
    iterations: int = 32
    trial: int = 100
    opponents: tuple[int, ...] = (100,)
    curious: int = 200
    search_target_weight: float = 0.6  # how much of the aim is what the search thought
    rate: float = 1e-3
    batch: int = 4096
    reuse: float = 2.0  # how often a row is learned from
    warmup_rows: int = 50_000  # rows, before anything is learned
    memory: int = 3_000_000  # rows
    checkpoint_seconds: float = 20.0  # seconds between two networks
    parallel_games: int = 16_384  # games, where the network learns by playing
    steps: int = 32  # decisions in each of them before an update
    search: dict[str, float] = field(default_factory=dict)  # how the search with the network is set


@dataclass
class CurvePoint:
    """A point of the curve: what one network was measured at."""

    version: int
    minutes: float
    games: int
    rows: int
    loss: float  # on games not yet learned from, by who won
    judged: float | None  # and the judgement's, where it was asked
    trials: dict[str, list[float]] = field(default_factory=dict)  # by opponent: games, share, what is even


class Run:
    """Learning in a folder: the weights, the record, and what is needed to go on."""

    def __init__(
        self, game: Game, plan: TrainConfig, folder: Path, device: str, threads: int | None = None
    ) -> None:
        self.game, self.plan, self.folder = game, plan, folder
        self.device, self.threads = device, threads or cores()
        self.learner = Learner(
            game, plan.wide, plan.narrow, plan.rate, plan.seed, device, policy=plan.by == PLAY
        )
        self.way: PPOTrainer | SearchTrainer = (PPOTrainer if plan.by == PLAY else SearchTrainer)(
            self.learner, plan, self.threads
        )
        self.curve: list[CurvePoint] = []
        self.spent = 0.0  # seconds, of earlier parts too
        self.games = 0
        self.steps = 0

    @property
    def search(self) -> dict[str, float]:
        """As with the judgement, but for what the way of learning asks for."""
        return self.game.judgement.search | self.way.search | self.plan.search

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
            self.curve = [CurvePoint(**point) for point in record["curve"]]
        except OSError:
            raise OptionError(f"there is no run to go on with in {self.folder}: leave out --resume") from None
        except Exception:
            raise OptionError(
                f"the run in {self.folder} is damaged, or has other settings: start over without --resume"
            ) from None

    def go(self, tell: Callable[[CurvePoint], None] = lambda point: None) -> None:
        """Until the time is up, or Ctrl-C: then what was learned is saved too."""
        plan = self.plan
        trials = 1 if plan.by == PLAY else TRIAL
        course = ActorConfig(
            plan.iterations, plan.curious, plan.opponents, plan.trial, player_counts(self.game), trials
        )
        seed = f"{plan.seed} from {self.games}"
        players = ActorPool(self.game, course, self.network(), seed, self.threads)
        players.prepare()
        self.way.prepare()
        zero = SYSTEM_TIME.monotonic() - self.spent
        with players:
            try:
                while self.spent < 60 * plan.minutes:
                    point = self._generation(players, zero)
                    self.save()
                    tell(point)
                    if point.judged is None or point.loss < point.judged:  # until then the judgement plays
                        players.update_network(self.network(), len(self.curve))
            except KeyboardInterrupt:
                self.save()
                raise

    def _generation(self, players: ActorPool, zero: float) -> CurvePoint:
        """One network: games come in, are tested on, and learned from."""
        ends, came = SYSTEM_TIME.monotonic() + self.plan.checkpoint_seconds, GenerationStats()
        while SYSTEM_TIME.monotonic() < ends:
            self.way.learn(players, came, 1 - (SYSTEM_TIME.monotonic() - zero) / (60 * self.plan.minutes))
        self.spent = SYSTEM_TIME.monotonic() - zero
        self.games += came.games
        self.steps += came.steps
        point = CurvePoint(
            len(self.curve),
            round(self.spent / 60, 2),
            self.games,
            came.rows,
            *came.mean_losses(),
            came.shares(),
        )
        self.curve.append(point)
        return point


@dataclass
class GenerationStats:
    """What came in while one network was the newest."""

    games: int = 0
    rows: int = 0
    steps: int = 0
    losses: list[tuple[int, float, float | None]] = field(default_factory=list)  # rows, ours, the judgement's
    trials: dict[str, list[float]] = field(default_factory=dict)

    def take(self, trial: EvaluationGame) -> None:
        told = self.trials.setdefault(str(trial.opponent), [0.0, 0.0, 0.0])
        told[:] = [told[0] + 1, told[1] + trial.share, told[2] + trial.even]

    def mean_losses(self) -> tuple[float, float | None]:
        """The network's and the judgement's, over all rows."""
        many = sum(n for n, _, _ in self.losses) or 1
        ours = sum(n * loss for n, loss, _ in self.losses) / many
        judged = [n * judged for n, _, judged in self.losses if judged is not None]
        return round(ours, 4), round(sum(judged) / many, 4) if judged or not self.losses else None

    def shares(self) -> dict[str, list[float]]:
        return {
            name: [n, round(share / n, 4), round(even / n, 4)]
            for name, (n, share, even) in self.trials.items()
        }


class SearchTrainer:
    """Learning from games that searches play with the network as it is."""

    search: ClassVar[dict[str, float]] = {"patience": 0.0}  # what playouts are for, the network learns

    def __init__(self, learner: Learner, plan: TrainConfig, threads: int) -> None:
        self.learner, self.plan = learner, plan
        self.memory = ReplayBuffer(learner, plan.memory, plan.seed)
        self.owed = 0.0  # steps of learning, by the rows that have come

    def prepare(self) -> None:
        """There is nothing to compile."""

    def learn(self, players: ActorPool, came: GenerationStats, part_left: float) -> None:
        """Takes the games that are there, and learns as much as these are worth."""
        waiting = drain(players.games, wait=0.2)
        rows = [one for one in waiting if not isinstance(one, EvaluationGame)]
        for one in waiting:
            if isinstance(one, EvaluationGame):
                came.take(one)
        if rows:
            batch = self.memory.batch_of(
                {name: np.concatenate([one[name] for one in rows]) for name in rows[0]}
            )
            came.losses.append(self._test(batch))
            self.memory.add(batch)
            came.rows += len(batch["players"])
            came.games += len(rows)
            self.owed += self.plan.reuse * len(batch["players"]) / self.plan.batch
        while self.owed >= 1 and len(self.memory) >= self.plan.warmup_rows:
            self.learner.train_step(
                self.memory.draw(self.plan.batch), self.plan.search_target_weight, part_left
            )
            came.steps += 1
            self.owed -= 1

    def _test(self, batch: dict[str, Any]) -> tuple[int, float, float]:
        with self.learner.torch.no_grad():
            loss = float(self.learner.losses(batch, 0.0).mean())
            judged = float(self.learner.baseline_losses(batch).mean())
        return len(batch["players"]), loss, judged


class PPOTrainer:
    """Learning from games that the network plays with itself, without a search."""

    search: ClassVar[dict[str, float]] = BY_PLAY

    def __init__(self, learner: Learner, plan: TrainConfig, threads: int) -> None:
        size = RolloutSize(plan.parallel_games, plan.steps, plan.batch)
        self.play = PPO(learner, player_counts(learner.game), size, plan.seed, threads)

    def prepare(self) -> None:
        """Compiles what plays."""
        self.play.prepare()

    def learn(self, players: ActorPool, came: GenerationStats, part_left: float) -> None:
        for one in drain(players.games, wait=0.0):
            if isinstance(one, EvaluationGame):
                came.take(one)
        games, rows, loss = self.play.update(max(0.0, part_left))
        came.games += games
        came.rows += rows
        came.steps += 1
        came.losses.append((rows, loss, None))


def player_counts(game: Game) -> tuple[int, ...]:
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


def drain(games: queue.Queue[Any], wait: float) -> list[Any]:
    """All that is there; a moment's wait for the first."""
    found = []
    try:
        found.append(games.get(timeout=wait) if wait else games.get_nowait())
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
