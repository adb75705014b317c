"""What a run says: a row for each bot, and who beats whom.

Computed in the order of the schedule, so always the same.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from comptoir.arena.game_record import GameRecord, RunDefinition, labels
from comptoir.arena.rating import ratings
from comptoir.arena.schedule import GameSpec
from comptoir.engine.intervals import student_t_975

Floats = NDArray[np.float64]


class ShareDict(TypedDict):
    """A share, with its 95% interval."""

    share: float
    low: float
    high: float


class RatingDict(TypedDict):
    """A rating, with its 95% interval."""

    rating: float
    low: float
    high: float


class BotTotals(TypedDict):
    """What is simply added up of a bot."""

    games: int
    seats: int
    wins: float
    points: float
    moves: int
    milliseconds: float  # per move
    reports: dict[str, int]  # why it was replaced, and how often


class BotStandingDict(BotTotals):
    """A bot's row."""

    bot: str
    spec: str
    share: ShareDict
    rating: RatingDict


class StandingsDict(TypedDict):
    """All figures of a run."""

    game: str
    rules: int
    options: dict[str, str]
    seed: str
    games: int
    deals: int
    seats: list[ShareDict]
    decisions: dict[str, float]
    bots: list[BotStandingDict]
    pairs: list[list[ShareDict | None]]


class Standings:
    """The games of a run, counted by deal and bot."""

    def __init__(self, definition: RunDefinition, games: Sequence[tuple[GameSpec, GameRecord]]) -> None:
        self.definition, self.games = definition, games
        self.bots = len(definition.bots)
        self.deals = games[-1][0].deal + 1
        lineups = sorted({tuple(sorted(unit.seating)) for unit, _ in games})
        self.lineups = np.array(
            [[lineup.count(bot) for bot in range(self.bots)] for lineup in lineups], float
        )
        self.wins = np.zeros((self.deals, self.bots))
        self.played = np.zeros((self.deals, len(lineups)))
        self.met = np.zeros((self.deals, self.bots, self.bots))  # a bot's wins in games where another sat too
        for unit, played in games:
            self.played[unit.deal, lineups.index(tuple(sorted(unit.seating)))] += 1
            for seat in played.winners:
                winner = unit.seating[seat]
                self.wins[unit.deal, winner] += 1 / len(played.winners)
                for other in set(unit.seating):
                    self.met[unit.deal, winner, other] += 1 / len(played.winners)

    def to_dict(self) -> StandingsDict:
        """All figures as data. Only the times differ from run to run."""
        definition = self.definition
        return {
            "game": definition.game,
            "rules": definition.rules,
            "options": definition.options,
            "seed": definition.seed,
            "games": len(self.games),
            "deals": self.deals,
            "seats": [self._seat(seat) for seat in range(self.definition.players)],
            "decisions": self._lengths(),
            "bots": self._rows(),
            "pairs": [[self._pair(one, other) for other in range(self.bots)] for one in range(self.bots)],
        }

    def _seat(self, seat: int) -> ShareDict:
        """The share of all wins that a seat took, whoever sat there."""
        wins, games = np.zeros(self.deals), np.zeros(self.deals)
        for unit, played in self.games:
            wins[unit.deal] += (seat in played.winners) / len(played.winners)
            games[unit.deal] += 1
        share, low, high = share_of(wins, games)
        return {"share": share, "low": low, "high": high}

    def _lengths(self) -> dict[str, float]:
        """How many decisions a game took: the mean, and the middle nine of ten."""
        lengths = [len(played.actions) for _, played in self.games]
        low, half, high = (int(n) for n in np.quantile(lengths, (0.05, 0.5, 0.95), method="nearest"))
        return {"mean": sum(lengths) / len(lengths), "p5": low, "p50": half, "p95": high}

    def _rows(self) -> list[BotStandingDict]:
        rated, low, high = ratings(self.wins, self.played, self.lineups)
        return [
            {
                "bot": label,
                "spec": self.definition.bots[bot],
                **self._sums(bot),
                "share": self._share(bot),
                "rating": {"rating": float(rated[bot]), "low": float(low[bot]), "high": float(high[bot])},
            }
            for bot, label in enumerate(labels(self.definition.bots))
        ]

    def _sums(self, bot: int) -> BotTotals:
        """What is simply added up."""
        points: list[int] = []
        reasons: Counter[str] = Counter()
        moves, seconds = 0, 0.0
        for unit, played in self.games:
            for seat in (seat for seat, sitter in enumerate(unit.seating) if sitter == bot):
                points.append(played.points[seat])
                moves += played.moves[seat]
                seconds += played.seconds[seat]
                if str(seat) in played.failures:
                    reasons[reason_of(played.failures[str(seat)])] += 1
        return {
            "games": sum(bot in unit.seating for unit, _ in self.games),
            "seats": len(points),
            "wins": float(self.wins[:, bot].sum()),
            "points": sum(points) / len(points),
            "moves": moves,
            "milliseconds": 1000 * seconds / max(1, moves),
            "reports": dict(reasons.most_common()),
        }

    def _share(self, bot: int) -> ShareDict:
        """The share of all wins.

        All bots have equally many seats; a bot cannot win games in which it does not sit.
        """
        sat = self.played @ (self.lineups[:, bot] > 0)
        share, low, high = share_of(self.wins[:, bot], sat)
        part = float(sat.sum() / self.played.sum())
        return {"share": share * part, "low": low * part, "high": high * part}

    def _pair(self, one: int, other: int) -> ShareDict | None:
        """Of the wins that went to one of two bots, in games where both sat, the share of the one; None if
        there are none.
        """
        mine, theirs = self.met[:, one, other], self.met[:, other, one]
        if one == other or not (mine + theirs).sum():
            return None
        share, low, high = share_of(mine, mine + theirs)
        return {"share": share, "low": low, "high": high}


def share_of(part: Floats, whole: Floats) -> tuple[float, float, float]:
    """A share with its 95% interval, from counts by deal.

    The games of a deal are alike, so deals are what is counted.

    Wilson's interval, for the number of independent games that would say as much as these deals do (but no
    more than were played: a few deals that agree by chance prove little), with Student's factor for few
    deals.
    """
    seen = whole > 0
    part, whole = part[seen], whole[seen]
    deals, games = len(whole), float(whole.sum())
    share = float(part.sum()) / games
    if deals < 2:
        return share, 0.0, 1.0
    error = float(((part - share * whole) ** 2).sum()) * deals / (deals - 1) / games**2
    worth = min(games, share * (1 - share) / error) if error > 0 else games
    z = student_t_975(deals - 1)
    centre = (share + z * z / (2 * worth)) / (1 + z * z / worth)
    reach = z / (1 + z * z / worth) * math.sqrt(share * (1 - share) / worth + z * z / (4 * worth * worth))
    return share, max(0.0, centre - reach), min(1.0, centre + reach)


def reason_of(report: str) -> str:
    """The reason in a report, without the place in the match, so that equal ones can be counted."""
    return re.sub(r"^.*?, seat \d+, position \d+: ", "", report.splitlines()[0])
