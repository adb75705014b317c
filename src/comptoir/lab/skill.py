"""How much skill decides on a box, and how much luck: what a better bot takes of the wins from a weaker one,
and how much of the result goes with the deal, by playing each deal again with the players in other seats.

Who wins varies from seat to seat and from match to match. That variance has three parts: what a seat of a
deal brings to whoever sits there (its cards, its place in the turn order), what the better bot brings
wherever it sits, and the rest, which is decided on the way. Two matches of a deal share the first part. Each
bot sits in each seat of a deal equally often, so that the second is known and taken out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from comptoir.arena import Arena
from comptoir.arena.run_log import short_hash
from comptoir.arena.standings import Standings
from comptoir.errors import OptionError
from comptoir.lab.statistics import Estimate, Floats, jackknife

if TYPE_CHECKING:
    from comptoir.lab import Experiment

BETTER, WEAKER = "captain", "merchant"


@dataclass(frozen=True)
class Skill:
    """What decides on one box, between a better bot and a weaker one. All are shares."""

    players: int
    better: str
    weaker: str
    wins: Estimate  # of the better one; equals would have half
    repeat_win_rate: Estimate  # how often a seat that has won a deal wins it again, whoever sits there then
    luck: Estimate  # the part of the result that goes with the deal and the seat
    skill: Estimate  # and with the player

    def to_dict(self) -> dict[str, Any]:
        told = {name: getattr(self, name).to_dict() for name in ("wins", "repeat_win_rate", "luck", "skill")}
        return {"better": self.better, "weaker": self.weaker, **told}


def skill_of(
    experiment: Experiment,
    games: int,
    bots: tuple[str, str] = (BETTER, WEAKER),
    *,
    workers: int | None = None,
    ray: str | None = None,
) -> list[list[Skill]]:
    """For each table and box, what decides between the better and the weaker of two bots.

    Recorded in the experiment's folder, so that it goes on where it stopped.
    """
    definition, found = experiment.definition, []
    better, weaker = (experiment.same_on_all(spec, definition.components) for spec in bots)
    for options in definition.options:
        shares = []
        for tables in definition.components:
            more = {**options, "seed": definition.seed, "components": tables}
            arena = Arena(definition.game, (better, weaker), **more)
            arena.folder = Path(experiment.folder) / f"skill-{short_hash(arena.definition)}"
            shares.append(_skill_from((better, weaker), arena.count(games, workers=workers, ray=ray)))
        found.append(shares)
    return found


def _skill_from(bots: tuple[str, str], standings: Standings) -> Skill:
    share, low, high = (standings.to_dict()["bots"][0]["share"][name] for name in ("share", "low", "high"))
    wins = Estimate(share, low, high, math.nan, standings.deals)
    return Skill(standings.definition.players, *bots, wins, *parts_of(wins, deals_of(standings)))


def deals_of(standings: Standings) -> list[Floats]:
    """For each deal: one row per match, one column per seat, its share of the win."""
    found: list[list[Floats]] = [[] for _ in range(standings.deals)]
    for unit, played in standings.games:
        row = np.zeros(len(unit.seating))
        row[played.winners] = 1 / len(played.winners)
        found[unit.deal].append(row)
    return [np.array(rows) for rows in found]


def parts_of(wins: Estimate, deals: list[Floats]) -> tuple[Estimate, Estimate, Estimate]:
    """How often the same seat wins again, and the parts of the result that go with the deal and its seat, and
    with the player, with their intervals.
    """
    even = 1 / deals[0].shape[1]
    by_player = even * (2 * wins.value - 1) ** 2
    # In two matches of a deal a seat has different bots more often than by chance: that is made good.
    again = np.array([_repeat_chance(rows) + by_player / (len(rows) - 1) for rows in deals])
    alone = np.array([float((rows**2).sum(1).mean()) for rows in deals])  # 1, less where a win is shared
    luck = jackknife(lambda again, alone: (again - even) / (alone - even), again, alone)
    whole = float(alone.mean()) - even
    value, low, high = (
        even * max(0.0, 2 * one - 1) ** 2 / whole for one in (wins.value, wins.low, wins.high)
    )
    player = Estimate(value, low, high, math.nan, len(deals))
    return jackknife(lambda again: again, again), luck, player


def _repeat_chance(rows: Floats) -> float:
    """The chance that two different matches of a deal are won by the same seat."""
    n, seats = len(rows), rows.sum(0)
    return float(((seats**2).sum() - (rows**2).sum()) / (n * (n - 1)))


def read_pair(specs: list[str]) -> tuple[str, str]:
    """The better bot and the weaker one. Raises an OptionError if there are not two."""
    if len(specs) != 2:
        raise OptionError(f"skill: expected two bots, the better first, found {','.join(specs)!r}")
    return specs[0], specs[1]
