"""Matches by bots of one level, counted as `engine.simulate` counts random ones."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comptoir.arena.workers import map_tasks
from comptoir.engine.rule import Scores
from comptoir.engine.simulate import SimulationCounts, SimulationSummary, summary
from comptoir.lab import Experiment
from comptoir.lab.match_record import MatchRecord, play


def simulate_by(
    level: str,
    game_name: str,
    games: int,
    *,
    workers: int | None = None,
    progress: Callable[[int], None] = lambda done: None,
    **more: Any,
) -> SimulationSummary:
    """Seats, lengths, endings and score sheets of matches in which all seats are of one level.

    The same seed gives the same figures, on any number of processes. `more` is what an Experiment takes.
    """
    made = Experiment(game_name, level=level, **more)
    options, rules = made.definition.options[0], made.game.rules
    tally = SimulationCounts.empty(int(options["players"]), len(rules.SOURCES))
    began = time.perf_counter()
    for trial in map_tasks(play, made.definition, made.match_specs(games), workers):
        tally.add(*_counted(trial, rules.ENDINGS))
        progress(tally.games)
    found = summary(made.game, options, made.definition.seed, tally, time.perf_counter() - began)
    return {**found, "level": made.definition.levels[0]}


def _counted(
    trial: MatchRecord, endings: tuple[str, ...]
) -> tuple[NDArray[np.int32], NDArray[np.uint8], Scores, NDArray[np.float64]]:
    """A match as a chunk of one."""
    shares = np.zeros((1, len(trial.points)))
    shares[0, trial.winners] = 1 / len(trial.winners)
    sheets = np.array([trial.sources])
    return np.array([trial.decisions]), np.array([endings.index(trial.ending)]), sheets, shares
