"""Who sits where: every bot equally often in every seat of every deal.

A deal is one match seed, and every bot meets it from every seat. If the seats cannot be shared out equally in
one game (two bots at three seats), a deal is played by several lineups that make it equal together: AAB and
ABB. Each lineup is seated in some order, and that order is played in all its rotations. The next deal takes
the next order, or the next lineups, so that a run reaches every seating equally often.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations, count

Seating = tuple[int, ...]  # a bot's number for each seat


@dataclass(frozen=True)
class GameSpec:
    """One game of a run. All chance in it comes from the run's seed, the deal and the seating."""

    deal: int
    seating: Seating

    @property
    def key(self) -> str:
        return f"{self.deal}-{'.'.join(map(str, self.seating))}"

    def match_seed(self, seed: str) -> str:
        return _hash(f"{seed}/deal {self.deal}")

    def bot_seed(self, seed: str, seat: int) -> str:
        """Never a match's seed: a bot knows its own dice and must not know the deal's."""
        return _hash(f"{seed}/deal {self.deal}/seating {self.seating}/bot {seat}")


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def units(bots: int, players: int, games: int) -> list[GameSpec]:
    """The first deals of the schedule, as many as hold this many games."""
    found: list[GameSpec] = []
    for deal in count():
        if len(found) >= games:
            break
        found += [GameSpec(deal, seating) for seating in seatings(bots, players, deal)]
    return found


def seatings(bots: int, players: int, deal: int) -> list[Seating]:
    """How a deal is played: all bots have equally many seats, and each bot sits in each seat equally
    often.
    """
    kinds = _kinds(bots, players)
    lineups = kinds[deal % len(kinds)]
    orders = _orders(lineups[0])
    order = orders[deal // len(kinds) % len(orders)]
    turned = [tuple((bot + turn) % bots for bot in order) for turn in range(len(lineups))]
    return [rotation for seating in turned for rotation in _rotations(seating)]


@cache
def _kinds(bots: int, players: int) -> list[list[Seating]]:
    """All lineups, in groups that each give every bot equally many seats.

    Each bot has the same number of seats, and those that remain go to some of the bots: to {0, 1}, then {1,
    2}, and so on round, which is fair to all. {0, 2} starts another such group.
    """
    each, left = divmod(players, bots)
    groups: list[list[Seating]] = []
    seen: set[Seating] = set()
    for some in combinations(range(bots), left):
        group: list[Seating] = []
        turned = some
        while turned not in seen:
            seen.add(turned)
            group.append(tuple(sorted([*range(bots)] * each + [*turned])))
            turned = tuple(sorted((bot + 1) % bots for bot in turned))
        if group:
            groups.append(group)
    return groups


@cache
def _orders(lineup: Seating) -> list[Seating]:
    """All ways to seat a lineup round a table, each once whatever the seat it starts from: the least of its
    rotations.
    """
    return [order for order in _arrangements(lineup) if order == min(_rotations(order))]


def _arrangements(lineup: Seating) -> Iterator[Seating]:
    """The different orders of a lineup in which bots may occur several times."""
    if not lineup:
        yield ()
    for bot in sorted(set(lineup)):
        rest = list(lineup)
        rest.remove(bot)
        for others in _arrangements(tuple(rest)):
            yield (bot, *others)


def _rotations(order: Seating) -> list[Seating]:
    """The different rotations: ABAB has two."""
    return list(dict.fromkeys(order[turn:] + order[:turn] for turn in range(len(order))))
