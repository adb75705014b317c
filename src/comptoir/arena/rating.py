"""Ratings for tables of several: Luce's choice model, fitted by Hunter's MM algorithm (Annals of Statistics
32, 2004).

Each bot has a strength, and each seat wins with a chance in proportion to its bot's strength; with two seats
this is Bradley and Terry's model. On the scale of chess, 400 points are ten times the strength. The mean over
all wins is 0 (each win counts its winner's rating): so the uncertainty about a bot that hardly ever wins does
not blur the others.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from comptoir.engine.intervals import student_t_975

Floats = NDArray[np.float64]

PRIOR = 0.5  # wins that each bot is given in games that all bots play: one that never wins has a rating too
SAMPLES = 1_000
TOLERANCE = 1e-10
MAX_STEPS = 10_000


def ratings(wins: Floats, games: Floats, lineups: Floats) -> tuple[Floats, Floats, Floats]:
    """Each bot's rating, with the low and high end of its 95% interval.

    `wins` counts by deal and bot, `games` by deal and lineup; `lineups` holds the seats of each bot in each
    lineup.
    """
    even, prior = np.ones((1, len(wins))), np.full((1, wins.shape[1]), PRIOR)
    shares = (even @ wins + prior)[0]
    found = _scale(strengths(even @ wins, even @ games, lineups, prior), shares)[0]
    low, high = np.quantile(_scale(_sample(wins, games, lineups), shares), (0.025, 0.975), axis=0) - found
    few = small_sample_factor(len(wins))
    return found, found + few * np.minimum(low, 0), found + few * np.maximum(high, 0)


def _sample(wins: Floats, games: Floats, lineups: Floats) -> Floats:
    """Strengths as they might be, by the Bayesian bootstrap (Rubin 1981).

    Each sample gives new weights to whole deals, since the games of a deal are alike, and to the prior's
    wins: so a bot that has won every game gets an interval too.
    """
    chance = np.random.default_rng(1)
    weights = chance.exponential(size=(SAMPLES, len(wins)))
    weights *= len(wins) / weights.sum(1, keepdims=True)
    prior = chance.gamma(PRIOR, size=(SAMPLES, wins.shape[1])) + 1e-9
    return strengths(weights @ wins, weights @ games, lineups, prior)


def small_sample_factor(deals: int) -> float:
    """How much wider an interval must be because few deals do not show how much deals differ; 1 for many."""
    deals = max(2, deals)
    return student_t_975(deals - 1) / student_t_975(10**9) * math.sqrt((deals + 1) / (deals - 1))


def strengths(wins: Floats, games: Floats, lineups: Floats, prior: Floats) -> Floats:
    """The likeliest strengths, a row for each row of wins (by bot), games (by lineup) and the prior's wins
    (by bot).
    """
    wins = wins + prior
    games = np.hstack([games, prior.sum(1, keepdims=True)])
    lineups = np.vstack([lineups, np.ones(lineups.shape[1])])
    found = np.ones_like(wins)
    for _ in range(MAX_STEPS):
        before = found
        found = wins / ((games / (before @ lineups.T)) @ lineups)
        found /= np.exp(np.log(found).mean(1, keepdims=True))
        if np.abs(np.log(found / before)).max() < TOLERANCE:
            break
    return found


def _scale(strength: Floats, wins: Floats) -> Floats:
    rating = 400 * np.log10(strength)
    scaled: Floats = rating - (rating @ wins / wins.sum())[:, None]
    return scaled
