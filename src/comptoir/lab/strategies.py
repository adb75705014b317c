"""Ways to play, found in the score sheets: seats whose points come from the same sources."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from comptoir.extras import needs
from comptoir.lab.sample import Sample
from comptoir.lab.statistics import Estimate, Floats, estimate

with needs("lab"):
    from scipy.cluster.vq import kmeans2

CLUSTERS = 3
MIN_SHEETS = 60  # score sheets
MAX_CLUSTERED_DEALS = 20_000  # deals of a box: more would only take longer
NOTABLE_DEVIATION = 0.4  # how far above the usual, in standard deviations, a source is named for a way


@dataclass(frozen=True)
class Strategy:
    """A way to play: the sources that give it more than the usual, how often it is taken and how often it
    wins, on each box.
    """

    sources: tuple[str, ...]
    points: dict[str, float]
    taken: tuple[Estimate, ...]
    wins: tuple[Estimate, ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "sources": list(self.sources),
            "points": self.points,
            "taken": [one.to_dict() for one in self.taken],
            "wins": [one.to_dict() for one in self.wins],
        }


def find_strategies(boxes: Sequence[Sample], sources: Sequence[str]) -> list[Strategy]:
    """The ways to play of a table, most taken first; none if there is too little to tell them apart."""
    some = [box.sheets[:MAX_CLUSTERED_DEALS].astype(float) for box in boxes]
    sheets = np.concatenate([box.reshape(-1, len(sources)) for box in some])
    spread = sheets.std(0)
    kept = np.flatnonzero(spread > 0)
    if len(kept) < 2 or len(sheets) < MIN_SHEETS:
        return []
    usual = (sheets - sheets.mean(0))[:, kept] / spread[kept]
    _, which = kmeans2(usual, CLUSTERS, minit="++", rng=np.random.default_rng(1))
    found = []
    for way in range(CLUSTERS):
        mine = usual[which == way]
        if not len(mine):
            continue
        above = mine.mean(0)
        best = [nth for nth in np.argsort(-above)[:2] if above[nth] > NOTABLE_DEVIATION]
        own = _by_match([box.shares[:MAX_CLUSTERED_DEALS] for box in boxes], which == way)
        found.append(
            Strategy(
                tuple(sources[kept[nth]] for nth in best),
                dict(zip(sources, sheets[which == way].mean(0).tolist(), strict=True)),
                tuple(estimate(taken, share=True) for taken, _ in own),
                tuple(estimate(wins, share=True) for _, wins in own),
            )
        )
    return sorted(found, key=lambda way: -way.taken[0].value)


def _by_match(shares: Sequence[Floats], mine: Any) -> list[tuple[Floats, Floats]]:
    """For each box and match: the part of its seats that play so, and their mean share of the win."""
    found, at = [], 0
    for box in shares:
        own = mine[at : at + box.size].reshape(box.shape)
        at += box.size
        seats = own.sum(1)
        wins = np.where(seats > 0, (own * box).sum(1) / np.maximum(seats, 1), math.nan)
        found.append((own.mean(1), wins))
    return found
