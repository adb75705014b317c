"""Ratings for tables of several: Luce's choice model, fitted by Hunter's MM algorithm (Annals of Statistics 32, 2004).

Each bot has a strength, and each seat wins with a chance in proportion to its bot's strength; with two seats this is
Bradley and Terry's model. On the scale of chess, 400 points are ten times the strength; the mean of all bots is 0.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

PRIOR = 0.5  # wins that each bot is given in games that all bots play: one that never wins has a rating too
SAMPLES = 1_000
TOLERANCE = 1e-10
MOST_STEPS = 10_000


def ratings(wins: Floats, games: Floats, lineups: Floats) -> tuple[Floats, Floats, Floats]:
    """Each bot's rating, with the low and high end of its 95 % interval.

    `wins` counts by deal and bot, `games` by deal and lineup; `lineups` holds the seats of each bot in each lineup.
    """
    even = np.ones((1, len(wins)))
    found = _scale(strengths(even @ wins, even @ games, lineups, np.full((1, wins.shape[1]), PRIOR)))[0]
    low, high = np.quantile(_scale(_sample(wins, games, lineups)), (0.025, 0.975), axis=0)
    return found, np.minimum(low, found), np.maximum(high, found)


def _sample(wins: Floats, games: Floats, lineups: Floats) -> Floats:
    """Strengths as they might be, by the Bayesian bootstrap (Rubin 1981).

    Whole deals are weighed anew, since the games of a deal are alike, and so are the prior's wins: a bot that has won
    every game gets an interval too.
    """
    chance = np.random.default_rng(1)
    weights = chance.exponential(size=(SAMPLES, len(wins)))
    weights *= len(wins) / weights.sum(1, keepdims=True)
    prior = chance.gamma(PRIOR, size=(SAMPLES, wins.shape[1])) + 1e-9
    return strengths(weights @ wins, weights @ games, lineups, prior)


def strengths(wins: Floats, games: Floats, lineups: Floats, prior: Floats) -> Floats:
    """The likeliest strengths, a row for each row of wins (by bot), games (by lineup) and the prior's wins (by bot)."""
    wins = wins + prior
    games = np.hstack([games, prior.sum(1, keepdims=True)])
    lineups = np.vstack([lineups, np.ones(lineups.shape[1])])
    found = np.ones_like(wins)
    for _ in range(MOST_STEPS):
        before = found
        found = wins / ((games / (before @ lineups.T)) @ lineups)
        found /= np.exp(np.log(found).mean(1, keepdims=True))
        if np.abs(np.log(found / before)).max() < TOLERANCE:
            break
    return found


def _scale(strength: Floats) -> Floats:
    rating = 400 * np.log10(strength)
    scaled: Floats = rating - rating.mean(1, keepdims=True)
    return scaled
