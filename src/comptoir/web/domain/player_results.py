"""What finished matches came to for the people who played them: results, statistics by game, and a ladder
against the bots.

A result is made once, when its match ends, and needs no rules to be read later.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from comptoir.bots.levels import LEVELS
from comptoir.engine.score_sheet import ScoreSheet
from comptoir.web.domain.archive import read_sheet
from comptoir.web.domain.state import Event, Seat, Table

OPPONENTS = ("bots", "people")  # against bots only, or with other people
WINS = 2  # that a step of the ladder takes
STEPS = tuple(LEVELS)  # of the ladder, from the lowest on
ENDING = frozenset(("play", "forced"))  # the events that can end a match


@dataclass(frozen=True)
class PlayerResult:
    """How a match ended for one person. `excluded` says why it does not count in statistics: a key of
    [excluded] in words.toml; "" if it does.
    """

    table_id: str
    seat: int
    person: str
    game: str
    ended: float
    players: int
    place: int
    winners: int  # how many share the first place
    points: int
    opponents: str
    level: str | None  # of the weakest bot at the table
    excluded: str
    counts_for_ladder: bool  # whether it counts for the ladder, if it was won
    sheet: str  # the whole score sheet

    @property
    def won(self) -> bool:
        return self.place == 1

    @property
    def scores(self) -> ScoreSheet:
        return read_sheet(json.loads(self.sheet))


@dataclass(frozen=True)
class ListedResult:
    """A result in its person's list, with the names of all who played, as they are called now."""

    result: PlayerResult
    names: tuple[str, ...]


def results_of(table: Table) -> list[PlayerResult]:
    """The results of all who sit at a table whose match is over; of several seats of one device, the best."""
    match = table.match
    if match is None or not match.over or table.state != "over":
        return []
    sheet = match.score_sheet()
    place_of = places(sheet)
    ended = table.decisions[-1].at if table.decisions else table.updated
    results = []
    for person in table.people:
        seats = table.seats_of(person)
        seat = min(seats, key=lambda one: place_of[one])
        others = [held for one, held in enumerate(table.seats) if one not in seats]
        excluded, alone = _excluded(table, seats), bool(others) and all(held.level for held in others)
        results.append(
            PlayerResult(
                table_id=table.id,
                seat=seat,
                person=person,
                game=table.settings.game,
                ended=ended,
                players=table.players,
                place=place_of[seat],
                winners=len(sheet.winners),
                points=sheet.totals[seat],
                opponents=OPPONENTS[0] if alone else OPPONENTS[1],
                level=_weakest(others),
                excluded=excluded,
                counts_for_ladder=not excluded
                and alone
                and person not in table.hint_takers
                and not table.settings.components,
                sheet=json.dumps(sheet.to_dict()),
            )
        )
    return results


def ended_by(table: Table, events: Iterable[Event]) -> list[PlayerResult]:
    """The results of a match that these events, the last ones at the table, have ended."""
    return results_of(table) if ENDING.intersection(event.kind for event in events) else []


def places(sheet: ScoreSheet) -> list[int]:
    """Each seat's place, by points and then by what breaks ties; who ties has the same."""
    rows = list(zip(sheet.totals, *sheet.tie_breaks.values(), strict=True))
    return [1 + sum(other > row for other in rows) for row in rows]


def _excluded(table: Table, seats: Sequence[int]) -> str:
    if table.settings.lesson:
        return "lesson"
    if len(seats) > 1:
        return "shared"
    if table.settings.position:
        return "moment"
    return "stand_in" if table.seats[seats[0]].bot else ""


def _weakest(others: Iterable[Seat]) -> str | None:
    levels = [held.level for held in others if held.level in LEVELS]
    return min(levels, key=STEPS.index, default=None)


# Statistics


@dataclass
class WinRecord:
    """Some matches, counted."""

    played: int = 0
    won: int = 0  # shared victories too
    shared: int = 0
    points: int = 0

    def add(self, result: PlayerResult) -> None:
        self.played += 1
        self.won += result.won
        self.shared += result.won and result.winners > 1
        self.points += result.points

    @property
    def average(self) -> float:
        return self.points / self.played

    @property
    def share(self) -> float:
        return self.won / self.played


@dataclass
class Statistics:
    """All that counts of one game: by the number of players, by opponents, and where points came from.

    Opponents are other people, or bots only, by the weakest one's level.
    """

    whole: WinRecord = field(default_factory=WinRecord)
    players: dict[int, WinRecord] = field(default_factory=dict)
    against: dict[str, WinRecord] = field(default_factory=dict)
    sources: dict[str, int] = field(default_factory=dict)  # points in all matches together
    best: int | None = None

    def add(self, result: PlayerResult) -> None:
        opponents = result.level if result.opponents == OPPONENTS[0] and result.level else OPPONENTS[1]
        self.whole.add(result)
        self.players.setdefault(result.players, WinRecord()).add(result)
        self.against.setdefault(opponents, WinRecord()).add(result)
        self.best = result.points if self.best is None else max(self.best, result.points)
        for source, row in result.scores.points.items():
            self.sources[source] = self.sources.get(source, 0) + (row[result.seat] or 0)


def statistics(results: Iterable[PlayerResult]) -> dict[str, Statistics]:
    """By game, of the results that count."""
    found: dict[str, Statistics] = {}
    for result in results:
        if not result.excluded:
            found.setdefault(result.game, Statistics()).add(result)
    order = {key: n for n, key in enumerate((*STEPS, *OPPONENTS))}
    for one in found.values():
        one.players = dict(sorted(one.players.items()))
        one.against = dict(sorted(one.against.items(), key=lambda item: order.get(item[0], 0)))
    return found


# The ladder


@dataclass(frozen=True)
class LadderStep:
    """A level to be beaten: the victories over bots that are all of that level or a higher one."""

    level: str
    wins: int

    @property
    def climbed(self) -> bool:
        return self.wins >= WINS


def ladder(wins: dict[str, int]) -> list[LadderStep]:
    """The steps of one game, from the lowest on; `wins` are those that count, by the weakest bot's level."""
    return [
        LadderStep(level, sum(wins.get(higher, 0) for higher in STEPS[nth:]))
        for nth, level in enumerate(STEPS)
    ]


def next_step(steps: Iterable[LadderStep]) -> LadderStep | None:
    """The lowest that is not climbed."""
    return next((step for step in steps if not step.climbed), None)
