"""Games by the million, at random or by the rollout policy, on the cores of a CPU or on a GPU.

The same seed gives the same games on both.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from comptoir.engine.game import Game
from comptoir.engine.plain import ComponentsGiven, OptionValue
from comptoir.engine.playout import playouts
from comptoir.engine.precompile import CompileTarget
from comptoir.engine.scoring import share_wins
from comptoir.engine.simulate import SimulationCounts, SimulationSummary, seed_number, summary
from comptoir.errors import OptionError
from comptoir.research.batch import POLICIES, Batch
from comptoir.research.loops import heuristic_playouts, reset_some

CHUNKS = {"cpu": 16_384, "cuda": 131_072}  # games at once


@dataclass(frozen=True)
class BulkGames:
    """Finished games, one row per game."""

    firsts: NDArray[np.int8]  # the seat that acted first
    lengths: NDArray[np.int32]  # decisions
    endings: NDArray[np.uint8]
    sheets: NDArray[np.int64]  # points by source, one row per seat
    shares: NDArray[np.float64]  # win shares, one per seat


class BulkSimulator:
    """Plays games of one kind. `options` are the game's own."""

    def __init__(
        self,
        name: str,
        policy: str,
        *,
        device: str = "cpu",
        threads: int | None = None,
        players: int | None = None,
        components: ComponentsGiven | None = None,
        **options: OptionValue,
    ) -> None:
        if policy not in POLICIES:
            raise OptionError(
                f"device: expected {' or '.join(POLICIES)} play, found {policy!r}; omit --device for that"
            )
        self.policy, threads = policy, threads or os.cpu_count() or 1
        self.batch = Batch(
            name,
            CHUNKS.get(device, 1),
            players,
            device=device,
            seed=0,
            reward="win",
            threads=threads,
            bots=None,
            rotate_seats=False,
            components=components,
            **options,
        )
        self.batch.playouts(policy, 1, by_source=True)  # compiles

    def play(self, games: int, seed: int | str) -> Iterator[BulkGames]:
        """Play games, and yield them in chunks."""
        batch, start = self.batch, seed_number(seed)
        share, sources = batch.game.compiled.bind(share_wins), len(batch.game.rules.SOURCES)
        for first in range(0, games, batch.games):
            count = min(batch.games, games - first)
            batch.reset(start + first)
            played = batch.playouts(self.policy, count, start + first, by_source=True)
            rows = np.asarray(played.scores)[:, : batch.players]
            points, shares = rows[:, :, :sources].sum(2, keepdims=True), np.zeros((count, batch.players))
            share(np.concatenate([points, rows[:, :, sources:]], 2), shares)
            yield BulkGames(
                firsts=np.array(batch.current_seats)[:count],
                lengths=np.asarray(played.lengths),
                endings=np.asarray(played.endings),
                sheets=rows[:, :, :sources],
                shares=shares,
            )


def simulate_bulk(
    simulator: BulkSimulator,
    games: int,
    seed: int | str = 1,
    progress: Callable[[int], None] = lambda done: None,
) -> SimulationSummary:
    """The statistics of `engine.simulate`; random games are the same there and here, on either device."""
    batch = simulator.batch
    tally = SimulationCounts.empty(batch.players, len(batch.game.rules.SOURCES))
    began = time.perf_counter()
    for played in simulator.play(games, seed):
        tally.add(played.lengths, played.endings, played.sheets, played.shares)
        progress(tally.games)
    found = summary(batch.game, batch.options, seed, tally, time.perf_counter() - began)
    return {**found, "policy": simulator.policy, "device": batch.device}


def _play_one(game: Game) -> None:
    for policy in POLICIES:
        next(BulkSimulator(game.name, policy, threads=1).play(1, 1))


BULK_TARGET = CompileTarget("bulk", (playouts, heuristic_playouts, reset_some, share_wins), _play_one)
