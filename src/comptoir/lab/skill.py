"""How much skill decides on a box: what a better bot takes of the wins from a weaker one, at equal seats."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from comptoir.arena import Arena
from comptoir.arena.record import short_hash
from comptoir.lab.statistics import Estimate

if TYPE_CHECKING:
    from comptoir.lab import Experiment

BETTER, WEAKER = "captain", "merchant"


def skill_of(
    experiment: Experiment, games: int, *, workers: int | None = None, ray: str | None = None
) -> list[list[Estimate]]:
    """For each table and box: the better bot's share of the wins, of which equal bots would have half.

    Recorded in the experiment's folder, so that it goes on where it stopped.
    """
    definition, found = experiment.definition, []
    for options in definition.options:
        shares = []
        for tables in definition.components:
            more = {**options, "seed": definition.seed, "components": tables}
            arena = Arena(definition.game, [BETTER, WEAKER], **more)
            arena.folder = Path(experiment.folder) / f"skill-{short_hash(arena.definition)}"
            figures = arena.play(games, workers=workers, ray=ray)
            share = figures["bots"][0]["share"]
            spread = float("nan")
            shares.append(Estimate(share["share"], share["low"], share["high"], spread, figures["deals"]))
        found.append(shares)
    return found
