"""Actor threads: self-play games to learn from, and evaluation games against fixed opponents.

A whole game is compiled and runs without holding the GIL.
"""

from __future__ import annotations

import queue
import threading
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from comptoir.bots.network import Network
from comptoir.bots.search import SETTINGS, SearchWorkspace
from comptoir.bots.workspace import new_workspace
from comptoir.engine.dice import dice_for
from comptoir.engine.game import Game
from comptoir.engine.rule import Records
from comptoir.learn.search_games import GameTrace, new_trace, play_training_game

TRIAL_EVERY = 12  # one game in 12 is an evaluation game
# what is kept of a game's trace, without a policy head and with one
ROW_FIELDS = ("rows", "gaps", "search_values", "outcome", "players")
POLICY_ROW_FIELDS = ("rows", "others", "visits", "search_values", "outcome", "players")


@dataclass(frozen=True)
class EvaluationGame:
    """The result of an evaluation game: the network's share of the win, and its share of the seats."""

    opponent: int  # its iterations
    version: int  # of the network
    share: float
    even: float


@dataclass(frozen=True)
class ActorConfig:
    """How actors play."""

    iterations: int  # of a search in a training game
    exploration: int  # of 1,024 decisions, how many are sampled by visits
    opponents: tuple[int, ...]  # searches with the evaluation alone, by their iterations
    trial: int  # the network's iterations against them
    players: tuple[int, ...]  # numbers of players, each as often as it is named
    trials: int = TRIAL_EVERY  # one game in this many is an evaluation game; 1: all are


def settings_of(*searches: dict[str, float]) -> Records:
    """Settings of searches as records, one row per search."""
    rows = np.zeros(len(searches), SETTINGS).view(np.recarray)
    for nth, search in enumerate(searches):
        for name, setting in search.items():
            rows[nth][name] = setting
    return rows


TrainingRows = dict[str, NDArray[np.generic]]  # of one game, by the names of its fields


class ActorPool:
    """Threads that play. `update_network` gives them a newer network; finished games are put into `games`."""

    def __init__(self, game: Game, config: ActorConfig, network: Network, seed: str, threads: int) -> None:
        self.game, self.config, self.seed = game, config, seed
        self.games: queue.Queue[TrainingRows | EvaluationGame] = queue.Queue(64 * threads)
        self._network, self._version = network, 0
        self._policy = "policy" in network.arrays
        self._fields = POLICY_ROW_FIELDS if self._policy else ROW_FIELDS
        self._stopped = threading.Event()
        self._threads = [
            threading.Thread(target=self._play_on, args=(nth,), daemon=True) for nth in range(threads)
        ]
        self._play = game.compiled.bind(play_training_game)

    def prepare(self) -> None:
        """Compile, or load from the cache, by playing one short game."""
        trace, workspace = new_trace(self.game, self._policy), new_workspace(self.game, 4, self._network)
        trace.positions[1] = self.game.blank(self.game.read_options())
        settings = settings_of(self._network.search, self.game.evaluation.search)
        box, values = self.game.components.box, self.game.evaluation.weights
        self._play(trace, workspace, new_workspace(self.game, 4), box, values, settings, 0, 2, 2, 0)

    def __enter__(self) -> ActorPool:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        while any(thread.is_alive() for thread in self._threads):
            try:
                self.games.get(timeout=0.05)
            except queue.Empty:
                continue

    def update_network(self, network: Network, version: int) -> None:
        self._network, self._version = network, version

    def _play_on(self, thread: int) -> None:
        config, game = self.config, self.game
        trace = new_trace(game, self._policy)
        iterations = max(config.iterations, config.trial, *config.opponents)
        ours, theirs = (
            new_workspace(game, iterations, self._network),
            new_workspace(game, iterations),
        )
        version, nth = -1, 0
        while not self._stopped.is_set():
            if self._version != version:
                network, version = self._network, self._version
                ours = ours._replace(net=new_workspace(game, 0, network).net)
                settings = settings_of(network.search, game.evaluation.search)
            trial = nth % config.trials == config.trials - 1
            self._one(f"{self.seed} thread {thread}", nth, trace, ours, theirs, settings, trial, version)
            nth += 1

    def _one(
        self,
        seed: str,
        nth: int,
        trace: GameTrace,
        ours: SearchWorkspace,
        theirs: SearchWorkspace,
        settings: Records,
        trial: bool,
        version: int,
    ) -> None:
        config, game = self.config, self.game
        trace.dice[:], trace.policy_dice[:] = dice_for(f"deal {seed}", nth), dice_for(f"policy {seed}", nth)
        rng = np.random.default_rng(int(trace.policy_dice[0]))
        players = game.rules.DEFAULT_PLAYERS if trial else int(rng.choice(config.players))
        trace.positions[1] = game.blank(game.read_options(players=players))
        opponent_seats = (
            int(sum(1 << seat for seat in rng.permutation(players)[: players // 2])) if trial else 0
        )
        opponent = config.opponents[nth // config.trials % len(config.opponents)]
        recorded = self._play(
            trace,
            ours,
            theirs,
            game.components.box,
            game.evaluation.weights,
            settings,
            opponent_seats,
            config.trial if trial else config.iterations,
            opponent,
            0 if trial else config.exploration,
        )
        if recorded < 0:
            return
        if trial:
            mine = [seat for seat in range(players) if not opponent_seats >> seat & 1]
            share = float(sum(ours.shares[seat] for seat in mine))
            self.games.put(EvaluationGame(opponent, version, share, len(mine) / players))
        else:
            self.games.put({name: getattr(trace, name)[:recorded].copy() for name in self._fields})
