"""Thousands of games of one kind, stepped in one compiled call.

    batch = Batch("century", games=4096, players=3, seed=7)
    while learning:
        actions = policy(batch.observations, batch.masks)      # one for each game
        batch.step(actions)                                    # arrays now show what came of them

A game that ends begins anew at once: `ends` says so, `rewards` are those of the game that ended, and the rest is of the new one.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comptoir.engine.game import Game, game
from comptoir.engine.mask import new_mask
from comptoir.errors import OptionError
from comptoir.research import loops
from comptoir.research.loops import APART, Rows

REWARDS = ("win", "points")
DEVICES = ("cpu",)
POLICIES = ("random", "greedy")


@dataclass(frozen=True)
class Playouts:
    """Games played to their end: how many decisions, which ending, and for each seat its points and what breaks ties."""

    lengths: NDArray[np.int32]
    endings: NDArray[np.uint8]
    scores: NDArray[np.int64]


class Batch:
    """Many games at once. The same seed gives the same games, however they are run.

    observations   (games, size) uint8: what the seat that decides may know; `layout` names its pieces
    masks          (games, actions) bool: what it may do
    turns          (games,) int8: which seat that is
    rewards        (games, players) float32: of the last action. "win": 1 for winning alone, as much lost by the others together,
                   ties share; "points": the points. 0 until a game ends
    ends           (games,) bool: whether the last action ended a game
    """

    def __init__(
        self,
        name: str,
        games: int = 1024,
        players: int | None = None,
        *,
        device: str = "cpu",
        seed: int = 0,
        reward: str = "win",
        threads: int = 1,
        components: str | Path | dict[str, Any] | None = None,
        **options: Any,
    ) -> None:
        self.game: Game = game(name)
        self.options = self.game.read_options(**({} if players is None else {"players": players}), **options)
        self.players = int(self.options["players"])
        self.games, self.device, self.threads = games, device, threads
        self._check(games, device, threads)
        self._kind = kind_of(reward)
        self.components = self.game.components if components is None else self.game.read_components(_given(components))
        self.layout = self.game.observation
        self._start = self.game.position.array(1)
        self._start[0] = self.game.blank(self.options)
        self._rows = new_rows(self.game, games)
        self.observations = self._rows.observations
        self.masks: NDArray[np.bool_] = self._rows.bytes.view(np.bool_)[:, : len(self.game.actions)]
        self.turns = self._rows.turns
        self.rewards = self._rows.rewards[:, : self.players]
        self.ends: NDArray[np.bool_] = self._rows.ends.view(np.bool_)
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None
        compiled = self.game.compiled
        self._reset, self._step = compiled.bind(loops.reset_some), compiled.bind(loops.step_some)
        self._choose = compiled.bind(loops.choose_some)
        self.reset(seed)

    def _check(self, games: int, device: str, threads: int) -> None:
        _check_number("games", games)
        if device not in DEVICES:
            raise OptionError(f"device: in this version batches run on {' or '.join(DEVICES)} only, not on {device!r}")
        _check_number("threads", threads)

    def __repr__(self) -> str:
        return f"<batch of {self.games:,} games of {self.game.name}, {self.players} players, on {self.device}>"

    def reset(self, seed: int = 0) -> None:
        """All games anew, the nth on dice seeded with seed + n."""
        check_seed(seed)
        self._over_all(self._reset, self._start, self.components.box, seed)

    def step(self, actions: Any) -> None:
        """One action in each game. IllegalAction names the first that is not legal: that game waits, the others have gone on."""
        chosen = np.asarray(actions)
        if chosen.shape != (self.games,) or chosen.dtype.kind not in "iu":
            raise OptionError(f"actions: expected {self.games:,} whole numbers, found {chosen.dtype} in the shape {chosen.shape}")
        chosen = np.ascontiguousarray(chosen, np.int64)  # whatever they come in: each type would be compiled for itself
        refused = [nth for nth in self._over_all(self._step, self._start, self.components.box, chosen, self._kind) if nth >= 0]
        if refused:
            nth = refused[0]
            raise self.game.refusal(self._rows.positions[nth], self.components.box, int(chosen[nth]), f"game {nth}: ")

    def choose(self, out: NDArray[Any] | None = None) -> NDArray[Any]:
        """A legal action for each game, all equally likely; into `out`, if it is given."""
        chosen = np.empty(self.games, np.int64) if out is None else out
        if chosen.shape != (self.games,) or chosen.dtype not in (np.int32, np.int64):
            raise OptionError(f"out: expected room for {self.games:,} of int32 or int64, found {chosen.dtype} in the shape {chosen.shape}")
        self._over_all(self._choose, chosen)
        return chosen

    def playouts(self, policy: str = "random", games: int | None = None, seed: int = 0) -> Playouts:
        """Whole games from the start, at random or by the clerk's habits; the games of this batch are left alone."""
        if policy not in POLICIES:
            raise OptionError(f"policy: expected {' or '.join(POLICIES)}, found {policy!r}")
        many = self.games if games is None else games
        _check_number("games", many)
        check_seed(seed)
        found = Playouts(np.zeros(many, np.int32), np.zeros(many, np.uint8), self.game.new_scores(many))
        edges = np.linspace(0, many, self.threads + 1).astype(int).tolist()
        parts = [(first, slice(first, last)) for first, last in itertools.pairwise(edges)]
        work = [(seed + first, found.lengths[part], found.endings[part], found.scores[part]) for first, part in parts]
        play = self._play_random if policy == "random" else self._play_greedy
        list(self._pool.map(play, work) if self._pool else map(play, work))
        return found

    def _play_random(self, work: tuple[int, Any, Any, Any]) -> None:
        seed, *out = work
        room = self.game.position.array(2)
        room[0] = self._start[0]
        self.game.compiled.playouts(room, self.components.box, seed, new_mask(len(self.game.actions)), np.zeros(1, np.uint64), *out)

    def _play_greedy(self, work: tuple[int, Any, Any, Any]) -> None:
        seed, *out = work
        room = self.game.position.array(2)
        room[0] = self._start[0]
        play = self.game.compiled.bind(loops.greedy_playouts)
        values = self.game.judgement.values
        play(room, self.components.box, values, seed, new_mask(len(self.game.actions)), np.zeros(1, np.uint64), *out)

    def _over_all(self, work: Callable[..., Any], *arguments: Any) -> list[Any]:
        """Does some work on all rows, each thread on its part of them."""
        if self._pool is None:
            return [work(self._rows, 0, self.games, *arguments)]
        edges = np.linspace(0, self.games, self.threads + 1).astype(int).tolist()
        parts = [self._pool.submit(work, self._rows, *part, *arguments) for part in itertools.pairwise(edges)]
        return [part.result() for part in parts]


def new_rows(game: Game, games: int) -> Rows:
    """Room for so many games."""
    words, scores = len(new_mask(len(game.actions))), game.new_scores(games)
    return Rows(
        positions=game.position.array(games),
        dice=np.zeros((games, 1), np.uint64),
        chance=np.zeros((games, 1), np.uint64),
        bits=np.zeros((games, words), np.uint64),
        bytes=np.zeros((games, 8 * words), np.uint64),
        observations=np.zeros((games, game.observation.size), np.uint8),
        turns=np.zeros(games, np.int8),
        rewards=np.zeros((games, game.position.seats), np.float32),
        ends=np.zeros(games, np.uint8),
        results=scores,
    )


def _check_number(what: str, number: Any) -> None:
    if type(number) is not int or number < 1:
        raise OptionError(f"{what}: expected a number from 1, found {number!r}")


def kind_of(reward: Any) -> int:
    """The number by which loops know a kind of reward."""
    if reward not in REWARDS:
        raise OptionError(f"reward: expected {' or '.join(REWARDS)}, found {reward!r}")
    return REWARDS.index(reward)


def check_seed(seed: Any) -> None:
    if not isinstance(seed, int | np.integer) or not 0 <= seed < APART:
        raise OptionError(f"seed: expected a number from 0 to 2**62 - 1, found {seed!r}")


def _given(components: str | Path | dict[str, Any]) -> Path | dict[str, Any]:
    return components if isinstance(components, dict) else Path(components)
