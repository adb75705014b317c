"""Threads that play: games of the network with itself, to learn from, and with fixed opponents, to see how
strong it is. All of a game is compiled and runs without Python's lock.
"""

from __future__ import annotations

import queue
import threading
from dataclasses import dataclass
from typing import Any

import numpy as np

from comptoir.bots.network import Network
from comptoir.bots.search import SETTINGS
from comptoir.bots.workspace import new_workspace
from comptoir.engine.dice import dice_for
from comptoir.engine.game import Game
from comptoir.learn.search_games import new_lesson, play_training_game

TRIAL = 12  # of so many games one is a trial
KEPT = ("rows", "behind", "thought", "outcome", "players")


@dataclass(frozen=True)
class EvaluationGame:
    """What a trial game brought: the network's part of the win and of the seats."""

    opponent: int  # its iterations
    version: int  # of the network
    share: float
    even: float


@dataclass(frozen=True)
class ActorConfig:
    """How games are played."""

    iterations: int  # of a search that is learned from
    curious: int  # of 1,024 decisions, how many are taken by lot
    opponents: tuple[int, ...]  # searches with the judgement alone, by their iterations
    trial: int  # the network's iterations against them
    players: tuple[int, ...]  # tables, each as often as it is named
    trials: int = TRIAL  # of so many games one is a trial; 1: nothing is learned from these games


def settings_of(*figures: dict[str, float]) -> Any:
    rows = np.zeros(len(figures), SETTINGS).view(np.recarray)
    for nth, one in enumerate(figures):
        for name, figure in one.items():
            rows[nth][name] = figure
    return rows


class ActorPool:
    """As many threads as are wanted. `teach` gives them a newer network; what they play is in `games`."""

    def __init__(self, game: Game, course: ActorConfig, network: Network, seed: str, threads: int) -> None:
        self.game, self.course, self.seed = game, course, seed
        self.games: queue.Queue[dict[str, Any] | EvaluationGame] = queue.Queue(64 * threads)
        self._network, self._version = network, 0
        self._stopped = threading.Event()
        self._threads = [
            threading.Thread(target=self._play_on, args=(nth,), daemon=True) for nth in range(threads)
        ]
        self._play = game.compiled.bind(play_training_game)

    def prepare(self) -> None:
        """Compiles what they play by, or loads it: one game, of no consequence."""
        lesson, desk = new_lesson(self.game), new_workspace(self.game, 4, self._network)
        lesson.table[1] = self.game.blank(self.game.read_options())
        settings = settings_of(self._network.search, self.game.judgement.search)
        box, values = self.game.components.box, self.game.judgement.values
        self._play(lesson, desk, new_workspace(self.game, 4), box, values, settings, 0, 2, 2, 0)

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
        course, game = self.course, self.game
        lesson = new_lesson(game)
        room = max(course.iterations, course.trial, *course.opponents)
        ours, theirs = new_workspace(game, room, self._network), new_workspace(game, room)
        version, nth = -1, 0
        while not self._stopped.is_set():
            if self._version != version:
                network, version = self._network, self._version
                ours = ours._replace(net=new_workspace(game, 0, network).net)
                settings = settings_of(network.search, game.judgement.search)
            trial = nth % course.trials == course.trials - 1
            self._one(f"{self.seed} thread {thread}", nth, lesson, ours, theirs, settings, trial, version)
            nth += 1

    def _one(
        self,
        seed: str,
        nth: int,
        lesson: Any,
        ours: Any,
        theirs: Any,
        settings: Any,
        trial: bool,
        version: int,
    ) -> None:
        course, game = self.course, self.game
        lesson.dice[:], lesson.whim[:] = dice_for(f"deal {seed}", nth), dice_for(f"whim {seed}", nth)
        chance = np.random.default_rng(int(lesson.whim[0]))
        players = game.rules.USUAL_PLAYERS if trial else int(chance.choice(course.players))
        lesson.table[1] = game.blank(game.read_options(players=players))
        guests = int(sum(1 << seat for seat in chance.permutation(players)[: players // 2])) if trial else 0
        opponent = course.opponents[nth // course.trials % len(course.opponents)]
        kept = self._play(
            lesson,
            ours,
            theirs,
            game.components.box,
            game.judgement.values,
            settings,
            guests,
            course.trial if trial else course.iterations,
            opponent,
            0 if trial else course.curious,
        )
        if kept < 0:
            return
        if trial:
            mine = [seat for seat in range(players) if not guests >> seat & 1]
            share = float(sum(ours.shares[seat] for seat in mine))
            self.games.put(EvaluationGame(opponent, version, share, len(mine) / players))
        else:
            self.games.put({name: getattr(lesson, name)[:kept].copy() for name in KEPT})
