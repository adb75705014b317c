"""A training run: its folder, its loop and its record."""

from __future__ import annotations

import json
import math
import platform
import queue
import subprocess
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numpy as np

import comptoir
from comptoir.bots.network import Network, new_network
from comptoir.engine.game import Game
from comptoir.errors import OptionError
from comptoir.learn.actors import TRIAL_EVERY, ActorConfig, ActorPool, EvaluationGame, TrainingRows
from comptoir.learn.distributed import ProcessGroup
from comptoir.learn.learner import (
    PolicyValueLearner,
    ReplayBuffer,
    ValidationResult,
    ValueLearner,
    cores,
    load_torch,
)
from comptoir.learn.ppo import PPO, RolloutSize
from comptoir.time_source import SYSTEM_TIME

RECORD, WEIGHTS, STATE = "record.json", "network.npz", "state.pt"
SEARCH, PPO_METHOD = "search", "ppo"
METHODS = (PPO_METHOD, SEARCH)  # PPO by self-play, or learning from searches
# settings of a search with a policy head for priors and an open value head, which replaces rollouts
POLICY_SEARCH = {"c_puct": 0.4, "prior_visits": 1.0, "rollout_depth": 0.0}
# By device and method: settings of the run, the size of the network, its opponents in evaluation games.
SIZES: dict[tuple[str, str], dict[str, Any]] = {
    ("cpu", SEARCH): {"memory": 400_000, "batch": 1024, "width": 64, "second_width": 32},
    ("cuda", SEARCH): {"memory": 6_000_000, "batch": 8192, "width": 64, "second_width": 32},
    ("cpu", PPO_METHOD): {
        "parallel_games": 512,
        "batch": 8192,
        "width": 128,
        "second_width": 64,
        "opponents": (500,),
    },
    ("cuda", PPO_METHOD): {"batch": 32_768, "width": 256, "second_width": 128, "opponents": (500,)},
}
# The same for searches with a network that has a policy head. It was trained before: it learns more slowly.
POLICY_SEARCH_SIZES: dict[str, dict[str, Any]] = {
    "cpu": {"memory": 200_000, "opponents": (500,), "rate": 3e-4},
    "cuda": {"memory": 2_000_000, "opponents": (500,), "rate": 3e-4},
}
EARLIER = "earlier"  # among a point's trials: games of self-play in which earlier versions play some seats
OLD_POINT = {"judged": "baseline_loss"}  # in records before the name changed


Item = TypeVar("Item")


@dataclass(frozen=True)
class TrainConfig:
    """The settings of a run.

    Its budget is time: how much is learned in `minutes`, and between two networks, depends on the machine.
    """

    game: str
    method: str = SEARCH
    minutes: float = 10.0
    seed: int = 1
    width: int = 64  # of the two layers
    second_width: int = 32
    iterations: int = 32
    trial: int = 100  # iterations of the network in evaluation games
    opponents: tuple[int, ...] = (100,)  # iterations of searches with the evaluation alone
    exploration: int = 200  # of 1,024 decisions, how many are sampled by visits
    search_target_weight: float = 0.6  # of the search's values in the target; the rest is the outcome
    rate: float = 1e-3
    batch: int = 4096
    reuse: float = 2.0  # how often each row is sampled
    warmup_rows: int = 50_000  # in the replay buffer before training starts
    memory: int = 3_000_000  # rows
    checkpoint_seconds: float = 20.0  # seconds between two networks
    parallel_games: int = 16_384  # of self-play
    steps: int = 32  # decisions in each parallel game before an update
    search: dict[str, float] = field(default_factory=dict)  # other settings of the search with the network
    policy: bool = False  # searches with a network that has a policy head, which learns from them too


@dataclass
class CurvePoint:
    """A point of the training curve: the measurements of one network."""

    version: int
    minutes: float
    games: int
    rows: int
    loss: float  # cross-entropy with the outcome, on games not yet trained on
    baseline_loss: float | None  # the hand-written evaluation's, where it is computed
    # of evaluation games by opponent: how many, the network's win share, its share of the seats
    trials: dict[str, list[float]] = field(default_factory=dict)
    entropy: float | None = None  # the policy's, where there is one


class Run:
    """A run in a folder: the weights, the record, and the state that `resume` needs."""

    def __init__(
        self,
        game: Game,
        config: TrainConfig,
        folder: Path,
        device: str,
        threads: int | None = None,
        group: ProcessGroup | None = None,
    ) -> None:
        self.game, self.config, self.folder = game, config, folder
        self.group = group or ProcessGroup(device=device)
        self.device = device
        self.threads = max(1, cores() // self.group.local_size) if threads is None else threads
        sizes = config.width, config.second_width, config.rate, config.seed, device
        self.learner: ValueLearner | PolicyValueLearner
        self.trainer: PPOTrainer | SearchTrainer
        if config.method == PPO_METHOD:
            self.learner = PolicyValueLearner(game, *sizes, self.group)
            self.trainer = PPOTrainer(self.learner, config, self.threads or 1)
        else:
            self.learner = PolicyValueLearner(game, *sizes) if config.policy else ValueLearner(game, *sizes)
            self.trainer = SearchTrainer(self.learner, config)
        self.curve: list[CurvePoint] = []
        self.spent = 0.0  # seconds, before a resume too
        self.games = 0
        self.steps = 0

    @property
    def search(self) -> dict[str, float]:
        """The settings of the evaluation's search, changed as the method and the run need."""
        return self.game.evaluation.search | self.trainer.search | self.config.search

    def network(self) -> Network:
        return new_network(self.game, self.learner.arrays(), self.search, **self.summary())

    def summary(self) -> dict[str, object]:
        last = asdict(self.curve[-1]) if self.curve else {}
        return {
            "config": asdict(self.config),
            "minutes": round(self.spent / 60, 2),
            "games": self.games,
            "last": last,
        }

    def save(self) -> None:
        """Save everything, each file atomically: an interrupted run can be resumed from the last save.

        Only the first process does.
        """
        if not self.group.is_first:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        record = {
            "comptoir": comptoir.__version__,
            "commit": commit(),
            "machine": f"{platform.machine()}, {self.threads} threads, {self.device}",
            "processes": self.group.size,
            **self.summary(),
            "steps": self.steps,
            "curve": [asdict(point) for point in self.curve],
        }
        state = self.learner.state() | {"spent": self.spent, "games": self.games, "steps": self.steps}
        _replace(self.folder / RECORD, lambda path: _write(path, json.dumps(record, indent=1) + "\n"))
        _replace(self.folder / WEIGHTS, self.network().save)
        _replace(self.folder / STATE, lambda path: load_torch().save(state, path))

    @property
    def exists(self) -> bool:
        """Whether there is a run in the folder."""
        return (self.folder / RECORD).exists()

    def resume(self) -> None:
        """Continue from the folder's files."""
        try:
            state = load_torch().load(self.folder / STATE, map_location=self.device, weights_only=True)
            record = json.loads((self.folder / RECORD).read_text(encoding="utf-8"))
            self.learner.restore(state)
            self.spent, self.games, self.steps = state["spent"], state["games"], state["steps"]
            self.curve = [curve_point(point) for point in record["curve"]]
        except OSError:
            raise OptionError(f"there is no run to resume in {self.folder}: omit --resume") from None
        except Exception:
            raise OptionError(
                f"the run in {self.folder} is damaged or has other settings: start over without --resume"
            ) from None

    def go(self, report: Callable[[CurvePoint], None] = lambda point: None) -> None:
        """Train until the time is up or Ctrl-C is pressed; both save."""
        config = self.config
        trials = 1 if config.method == PPO_METHOD else TRIAL_EVERY
        actor_config = ActorConfig(
            config.iterations,
            config.exploration,
            config.opponents,
            config.trial,
            player_counts(self.game),
            trials,
        )
        seed = f"{config.seed} from {self.games}"
        threads = self.threads if self.group.is_first else 0
        actors = ActorPool(self.game, actor_config, self.network(), seed, threads)
        if threads:
            actors.prepare()
        self.trainer.prepare()
        zero = SYSTEM_TIME.monotonic() - self.spent
        with self.group.interrupts_held(), actors:
            try:
                while self.spent < 60 * config.minutes:
                    point = self._generation(actors, zero)
                    self.save()
                    if self.group.is_first:
                        report(point)
                    # actors use the evaluation alone until the network is better
                    if point.baseline_loss is None or point.loss < point.baseline_loss:
                        actors.update_network(self.network(), len(self.curve))
            except KeyboardInterrupt:
                self.save()
                raise

    def _generation(self, actors: ActorPool, zero: float) -> CurvePoint:
        """Train for one checkpoint interval: games arrive, are tested on, then trained on.

        The first process's clock decides, so that all of them do the same number of updates.
        """
        ends, stats = SYSTEM_TIME.monotonic() + self.config.checkpoint_seconds, GenerationStats()
        while self.group.from_first(SYSTEM_TIME.monotonic() < ends):
            self.group.check_interrupt()
            remaining = 1 - (SYSTEM_TIME.monotonic() - zero) / (60 * self.config.minutes)
            self.trainer.learn(actors, stats, self.group.from_first(remaining))
        stats = GenerationStats.total(self.group.gather(stats))
        self.spent = self.group.from_first(SYSTEM_TIME.monotonic() - zero)
        self.games += stats.games
        self.steps += stats.steps
        point = CurvePoint(
            len(self.curve),
            round(self.spent / 60, 2),
            self.games,
            stats.rows,
            *stats.mean_losses(),
            stats.shares(),
            stats.mean_entropy(),
        )
        self.curve.append(point)
        return point


@dataclass
class GenerationStats:
    """Statistics of one generation: games, rows, losses, trials."""

    games: int = 0
    rows: int = 0
    steps: int = 0
    losses: list[tuple[int, float, float | None]] = field(default_factory=list)  # rows, loss, baseline
    entropies: list[float] = field(default_factory=list)  # of the policy, where it is computed
    trials: dict[str, list[float]] = field(default_factory=dict)

    @classmethod
    def total(cls, parts: list[GenerationStats]) -> GenerationStats:
        """The statistics of all processes together, which took the same steps."""
        all_of = cls(sum(one.games for one in parts), sum(one.rows for one in parts), parts[0].steps)
        for one in parts:
            all_of.losses += one.losses
            all_of.entropies += one.entropies
            for opponent, (games, share, even) in one.trials.items():
                all_of.add_results(opponent, int(games), share / games, even / games)
        return all_of

    def add_validation(self, result: ValidationResult) -> None:
        self.losses.append((result.rows, result.loss, result.baseline_loss))
        if result.entropy is not None:
            self.entropies.append(result.entropy)

    def add_trials(self, games: Iterable[EvaluationGame | TrainingRows]) -> None:
        """Count the evaluation games among these."""
        for game in games:
            if isinstance(game, EvaluationGame):
                self.add_results(str(game.opponent), 1, game.share, game.even)

    def add_results(self, opponent: str, games: int, share: float, even: float) -> None:
        """Count games against an opponent: how many, our mean share of the wins and of the seats."""
        if games:
            totals = self.trials.setdefault(opponent, [0.0, 0.0, 0.0])
            totals[:] = [totals[0] + games, totals[1] + games * share, totals[2] + games * even]

    def mean_losses(self) -> tuple[float, float | None]:
        """The mean cross-entropy of the network and of the evaluation, over all rows."""
        many = sum(n for n, _, _ in self.losses) or 1
        ours = sum(n * loss for n, loss, _ in self.losses) / many
        baselines = [n * baseline for n, _, baseline in self.losses if baseline is not None]
        return round(ours, 4), round(sum(baselines) / many, 4) if baselines or not self.losses else None

    def mean_entropy(self) -> float | None:
        return round(sum(self.entropies) / len(self.entropies), 4) if self.entropies else None

    def shares(self) -> dict[str, list[float]]:
        return {
            name: [n, round(share / n, 4), round(even / n, 4)]
            for name, (n, share, even) in self.trials.items()
        }


class SearchTrainer:
    """Trains on games played by searches with the current network."""

    search: ClassVar[dict[str, float]] = {"rollout_depth": 0.0}  # the network replaces rollouts

    def __init__(self, learner: PolicyValueLearner | ValueLearner, config: TrainConfig) -> None:
        self.learner, self.config = learner, config
        self.buffer = ReplayBuffer(learner, config.memory, config.seed)
        self.owed = 0.0  # steps of training, for the rows added

    def prepare(self) -> None:
        """Nothing to compile."""

    def learn(self, actors: ActorPool, stats: GenerationStats, remaining: float) -> None:
        """Take the finished games and train in proportion to their rows."""
        finished = drain(actors.games, wait=0.2)
        rows = [game for game in finished if not isinstance(game, EvaluationGame)]
        stats.add_trials(finished)
        if rows:
            batch = self.buffer.batch_of(
                {name: np.concatenate([game[name] for game in rows]) for name in rows[0]}
            )
            stats.add_validation(self.learner.validate(batch))
            self.buffer.add(batch)
            stats.rows += len(batch["players"])
            stats.games += len(rows)
            self.owed += self.config.reuse * len(batch["players"]) / self.config.batch
        while self.owed >= 1 and len(self.buffer) >= self.config.warmup_rows:
            self.learner.train_step(
                self.buffer.sample(self.config.batch), self.config.search_target_weight, remaining
            )
            stats.steps += 1
            self.owed -= 1


class PPOTrainer:
    """Trains on self-play of the network alone, without a search."""

    search: ClassVar[dict[str, float]] = POLICY_SEARCH

    def __init__(self, learner: PolicyValueLearner, config: TrainConfig, threads: int) -> None:
        size = RolloutSize(config.parallel_games, config.steps, config.batch)
        self.ppo = PPO(learner, player_counts(learner.game), size, config.seed, threads)

    def prepare(self) -> None:
        """Compile the self-play kernels."""
        self.ppo.prepare()

    def learn(self, actors: ActorPool, stats: GenerationStats, remaining: float) -> None:
        stats.add_trials(drain(actors.games, wait=0.0))
        done = self.ppo.update(max(0.0, remaining))
        stats.games += done.games
        stats.rows += done.decisions
        stats.steps += 1
        stats.losses.append((done.decisions, done.value_loss, None))
        stats.entropies.append(done.entropy)
        stats.add_results(EARLIER, *done.league)


def recorded_config(folder: Path) -> TrainConfig | None:
    """The settings of the run in a folder; None where there is none that this version can read."""
    try:
        found = json.loads((folder / RECORD).read_text(encoding="utf-8"))["config"]
        config = TrainConfig(**found)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return config if config.method in METHODS and isinstance(config.search, dict) else None


def curve_point(given: dict[str, Any]) -> CurvePoint:
    """A point of a record, which may be of an earlier version."""
    return CurvePoint(**{OLD_POINT.get(name, name): value for name, value in given.items()})


def player_counts(game: Game) -> tuple[int, ...]:
    """Every number of players, the default one three times as often."""
    least, most = game.rules.PLAYERS
    return (*range(least, most + 1), game.rules.DEFAULT_PLAYERS, game.rules.DEFAULT_PLAYERS)


def interval(games: float, share: float) -> float:
    """Half the width of a 95% interval of a share."""
    return 1.96 * math.sqrt(max(share * (1 - share), 1e-9) / max(games, 1))


def commit() -> str:
    """The hash of the running commit; empty outside a clone."""
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"]
    try:
        found = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return found.stdout.strip()


def drain(games: queue.Queue[Item], wait: float) -> list[Item]:
    """All items in the queue; waits up to `wait` seconds for the first."""
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
    """Write a file atomically."""
    new = path.with_name(f"{path.name}.new")
    write(new)
    new.replace(path)
