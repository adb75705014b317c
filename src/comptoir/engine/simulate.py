"""Random games by the million, on all cores, and their statistics."""

from __future__ import annotations

import hashlib
import math
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NotRequired, TypedDict

import numpy as np
from numpy.typing import NDArray

from comptoir.engine.game import Game
from comptoir.engine.mask import new_mask
from comptoir.engine.playout import playouts
from comptoir.engine.precompile import CompileTarget
from comptoir.engine.rule import Box, Scores
from comptoir.engine.scoring import new_score_sheets, share_wins

CHUNK = 2_000


@dataclass
class SimulationCounts:
    """Counts over games, which add up: how long, which ending, which points and where from, which share of
    the wins.
    """

    lengths: NDArray[np.int64]
    endings: NDArray[np.int64]
    points: list[NDArray[np.int64]]  # for each seat, how many games gave it how many points
    wins: NDArray[np.float64]
    wins_squared: NDArray[np.float64]
    sources: NDArray[np.int64]  # for each seat, the points that each source gave in all games
    games: int = 0

    @staticmethod
    def empty(players: int, sources: int) -> SimulationCounts:
        nothing = np.zeros(0, np.int64)
        return SimulationCounts(
            nothing,
            nothing,
            [nothing] * players,
            np.zeros(players),
            np.zeros(players),
            np.zeros((players, sources), np.int64),
        )

    def add(
        self,
        lengths: NDArray[np.int32],
        endings: NDArray[np.uint8],
        sheets: Scores,
        shares: NDArray[np.float64],
    ) -> None:
        """One chunk of games, with their score sheets (points by source, then what breaks ties) and every
        seat's share of the win.
        """
        players, sources = self.sources.shape
        points = sheets[:, :players, :sources]
        self.sources += points.sum(0)
        self.games += len(lengths)
        self.lengths = _sum(self.lengths, np.bincount(lengths))
        self.endings = _sum(self.endings, np.bincount(endings))
        for seat, counts in enumerate(self.points):
            self.points[seat] = _sum(counts, np.bincount(points[:, seat].sum(1)))
        self.wins += shares.sum(0)
        self.wins_squared += (shares**2).sum(0)


def seed_number(seed: int | str) -> int:
    """Where the dice of a simulation start, below 2**62 as a batch has it. Hashed, so that seeds 1 and 2 have
    no game in common.
    """
    return int.from_bytes(hashlib.sha256(str(seed).encode()).digest()[:8], "little") >> 2


class SeatSummary(TypedDict):
    """What a simulation says of a seat."""

    seat: int
    points: dict[str, float]
    sources: dict[str, float]
    wins: dict[str, float]


class SimulationSummary(TypedDict):
    """What a simulation says."""

    game: str
    rules: int
    options: dict[str, str]
    seed: str
    games: int
    seconds: float
    games_per_second: float
    decisions_per_second: float
    decisions: dict[str, float]
    seats: list[SeatSummary]
    endings: dict[str, int]
    level: NotRequired[str]  # of the bots that played
    policy: NotRequired[str]
    device: NotRequired[str]


def simulate(
    game: Game,
    options: dict[str, str],
    games: int,
    seed: int | str = 1,
    box: Box | None = None,
    threads: int | None = None,
    progress: Callable[[int], None] = lambda done: None,
) -> SimulationSummary:
    """Plays random games on all cores; the same seed gives the same results, on any number of cores."""
    box = game.components.box if box is None else box
    start, ruleset = seed_number(seed), game.compiled
    share, players, sources = ruleset.bind(share_wins), int(options["players"]), len(game.rules.SOURCES)
    tally = SimulationCounts.empty(players, sources)

    def play(first: int) -> tuple[NDArray[np.int32], NDArray[np.uint8], Scores, NDArray[np.float64]]:
        count = min(CHUNK, games - first)
        positions = game.position.array(2)
        positions[0] = game.blank(options)
        lengths, endings, sheets = (
            np.zeros(count, np.int32),
            np.zeros(count, np.uint8),
            new_score_sheets(game, count),
        )
        mask, dice = new_mask(len(game.actions)), np.zeros(1, np.uint64)
        ruleset.playouts(positions, box, start + first, mask, dice, lengths, endings, sheets, 1)
        points = sheets[:, :players, :sources].sum(2, keepdims=True)
        shares = np.zeros((count, players))
        share(np.concatenate([points, sheets[:, :players, sources:]], 2), shares)
        return lengths, endings, sheets, shares

    began = time.perf_counter()
    with ThreadPoolExecutor(threads or os.cpu_count()) as pool:
        for chunk in pool.map(play, range(0, games, CHUNK)):
            tally.add(*chunk)
            progress(tally.games)
    return summary(game, options, seed, tally, time.perf_counter() - began)


def _call_playouts(game: Game) -> None:
    """Numba compiles a function for the kinds of arguments it is called with: no game at all is enough."""
    none = (np.zeros(0, np.int32), np.zeros(0, np.uint8), new_score_sheets(game, 0), 1)
    mask, dice = new_mask(len(game.actions)), np.zeros(1, np.uint64)
    game.compiled.playouts(game.position.array(2), game.components.box, 1, mask, dice, *none)


PLAYOUTS_TARGET = CompileTarget("playouts", (playouts,), _call_playouts)


def summary(
    game: Game, options: dict[str, str], seed: int | str, tally: SimulationCounts, seconds: float
) -> SimulationSummary:
    """The results of a simulation, as plain data."""
    lengths = _describe(tally.lengths)
    seats: list[SeatSummary] = [
        {
            "seat": seat,
            "points": _describe(counts),
            "sources": {
                name: int(sum_) / tally.games
                for name, sum_ in zip(game.rules.SOURCES, tally.sources[seat], strict=True)
            },
            "wins": _share(tally.wins[seat], tally.wins_squared[seat], tally.games),
        }
        for seat, counts in enumerate(tally.points)
    ]
    return {
        "game": game.name,
        "rules": game.version,
        "options": options,
        "seed": str(seed),
        "games": tally.games,
        "seconds": seconds,
        "games_per_second": tally.games / seconds,
        "decisions_per_second": tally.games * lengths["mean"] / seconds,
        "decisions": lengths,
        "seats": seats,
        "endings": {game.rules.ENDINGS[i]: int(n) for i, n in enumerate(tally.endings) if n},
    }


def _sum(a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.int64]:
    out = np.zeros(max(len(a), len(b)), np.int64)
    out[: len(a)] += a
    out[: len(b)] += b
    return out


def _describe(counts: NDArray[np.int64]) -> dict[str, float]:
    """Mean, spread and quantiles of whole numbers, from how often each occurs."""
    total, values = counts.sum(), np.arange(len(counts))
    mean = float((counts * values).sum() / total)
    below = counts.cumsum()
    quantile = {str(q): int(np.searchsorted(below, total * q / 100)) for q in (5, 50, 95)}
    return {
        "mean": mean,
        "sd": math.sqrt(max(0.0, float((counts * (values - mean) ** 2).sum() / total))),
        "least": int(np.flatnonzero(counts)[0]),
        **{f"p{q}": value for q, value in quantile.items()},
        "most": len(counts) - 1,
    }


def _share(wins: float, squared: float, games: int) -> dict[str, float]:
    """A mean share with its 95% interval."""
    mean = wins / games
    error = 1.96 * math.sqrt(max(0.0, squared / games - mean**2) / games)
    return {"share": mean, "low": max(0.0, mean - error), "high": min(1.0, mean + error)}
