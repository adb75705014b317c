"""One match of an experiment, and what is noted of it.

A pure task: it comes out the same wherever and whenever it is played. On the two boxes a deal has the same
dice, and each seat's bot the same seed: the matches are the same until the change matters to somebody.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from comptoir.arena.game_record import source_hash
from comptoir.bots.seated import SeatedBot
from comptoir.engine.game import Game, get_game
from comptoir.engine.match import Match
from comptoir.engine.scene import quick
from comptoir.errors import OptionError
from comptoir.lab.boxes import MAX_DECISIONS, ended_by_guard, no_end
from comptoir.lab.tension import BotEstimate, close_calls, decided_at


@dataclass(frozen=True)
class ExperimentDefinition:
    """All that decides how the matches of an experiment come out, the code included."""

    game: str
    rules: int
    options: tuple[dict[str, Any], ...]  # a table for each number of players
    levels: tuple[str, ...]  # who plays on each box; one for all if they are alike
    seed: str
    components: tuple[dict[str, Any], ...]  # the box as it is, then the changed one
    paired: bool
    code: str
    files: dict[str, str]

    def level_on(self, box: int) -> str:
        """Who plays on a box."""
        return self.levels[min(box, len(self.levels) - 1)]

    def to_dict(self) -> dict[str, Any]:
        lists = {name: list(getattr(self, name)) for name in ("options", "levels", "components")}
        return asdict(self) | lists


@dataclass(frozen=True)
class MatchSpec:
    """A match to be played: at which table, of which deal, on which box."""

    table: int
    deal: int
    box: int

    @property
    def key(self) -> str:
        return f"{self.table}-{self.deal}-{self.box}"


@dataclass(frozen=True)
class MatchRecord:
    """What is noted of a match. Lists have an entry a seat."""

    key: str
    first: int  # the seat that decides first
    ending: str
    stalled: bool  # ended by the stall rule
    decisions: int
    choices: int  # decisions with more than one possible action
    close: int | None  # of these, close calls; None if the bots do not judge
    turns: int
    free_turns: int  # turns with such a decision
    minutes: float
    points: list[int]
    winners: list[int]
    sources: list[list[int]]  # the points of each source
    halftime_points: list[int]  # the points when half the turns were over
    settled: float  # the part of the turns after which a winner led to the end
    decided: float | None  # and after which its share of the win stayed above half, as its bot judged
    uses: list[dict[str, int]]  # how often each component was used
    firsts: dict[str, int]  # the seat that was the first to use it

    @property
    def unit(self) -> MatchSpec:
        return MatchSpec(*map(int, self.key.split("-")))


@cache
def lab_code(name: str) -> str:
    """A hash of all sources that decide what is played and noted."""
    here = Path(__file__)
    own = [
        *(here, here.with_name("tension.py")),
        *(here.parents[1] / "defaults/lab.py", get_game(name).folder / "lab.py"),
    ]
    digest = sha256(source_hash(name).encode())
    for path in own:
        digest.update(path.read_bytes() if path.exists() else b"")
    return digest.hexdigest()[:16]


def play(definition: ExperimentDefinition, unit: MatchSpec) -> MatchRecord:
    """Plays a match to its end and notes what there is to know of it."""
    if definition.code != lab_code(definition.game):
        raise OptionError(
            "a machine of this run has another Comptoir than the one that started it: install the same on all"
        )
    get_game(definition.game).compiled  # noqa: B018  asked for, so that matches use it
    options = definition.options[unit.table]
    chance = f"{definition.seed}/{options['players']}/deal {unit.deal}"
    if not definition.paired:
        chance += f"/box {unit.box}"
    match = Match(definition.game, seed=_hash(chance), components=definition.components[unit.box], **options)
    bots: list[SeatedBot] = []
    choices: list[int] = []
    estimates: list[BotEstimate] = []
    try:
        level = definition.level_on(unit.box)
        bots.extend(
            SeatedBot(level, match, seat, _hash(f"{chance}/bot {seat}"), threads=1)
            for seat in range(match.players)
        )
        while match.turn is not None:
            if match.ply > MAX_DECISIONS:
                raise OptionError(no_end(f"box {'AB'[unit.box]}", match.players))
            choices.append(len(match.actions()))
            bot = bots[match.turn]
            action = bot.choose()
            if choices[-1] > 1 and bot.last_estimates:
                estimates.append(BotEstimate.of(match.ply, bot.seat, bot.last_estimates))
            match.play(action)
    finally:
        for bot in bots:
            bot.close()
    lost = next((bot.report for bot in bots if bot.report), None)
    if lost:
        raise OptionError(f"a bot cannot play this box: {lost.splitlines()[0]}")
    return note(match, unit.key, choices, estimates)


def _hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:16]


def note(
    match: Match, key: str, choices: Sequence[int], estimates: Sequence[BotEstimate] = ()
) -> MatchRecord:
    """What there is to know of a match that is over. `choices` holds how many actions each decision had,
    `estimates` what the bots thought where they judged.
    """
    game, sheet = match.game, match.score_sheet()
    uses, firsts = count_uses(match)
    turns = turns_of(match)
    standings = [_points(game, match, ply) for ply in turns]
    winners = set(sheet.winners)
    led = [any(points[seat] == max(points) for seat in winners) for points in standings]
    late = max((nth + 1 for nth, ahead in enumerate(led) if not ahead), default=0)
    return MatchRecord(
        key=key,
        first=int(match.records[0]["turn"]),
        ending=match.ending or "",
        stalled=ended_by_guard(match),
        decisions=match.ply,
        choices=sum(n > 1 for n in choices),
        close=close_calls(estimates) if estimates else None,
        turns=len(turns),
        free_turns=_free_turns(turns, choices),
        minutes=minutes_of(match, choices),
        points=sheet.totals,
        winners=sheet.winners,
        sources=[[row[seat] or 0 for row in sheet.points.values()] for seat in range(match.players)],
        halftime_points=standings[(len(turns) - 1) // 2],
        settled=late / len(turns),
        decided=decided_at(estimates, winners, turns) if estimates else None,
        uses=[dict(sorted(seat.items())) for seat in uses],
        firsts=firsts,
    )


def turns_of(match: Match) -> list[int]:
    """The plies at which turns ended, the last one with the match."""
    return [*(end for _, end in match.story.turn_spans() if end < match.ply), match.ply]


def _free_turns(turns: Sequence[int], choices: Sequence[int]) -> int:
    began, free = 0, 0
    for end in turns:
        free += any(n > 1 for n in choices[began:end])
        began = end
    return free


def _points(game: Game, match: Match, ply: int) -> list[int]:
    return [row[0] for row in game.scores(match.records[ply], match.box)]


def count_uses(match: Match) -> tuple[list[Counter[str]], dict[str, int]]:
    """How often each seat used each component, and who was the first to."""
    own, box = match.game.lab, match.components.values
    uses: list[Counter[str]] = [Counter() for _ in range(match.players)]
    firsts: dict[str, int] = {}
    before = quick(match.records[0])
    for ply, record in enumerate(match.records[1:], start=1):
        after = quick(record)
        for used in own.uses(before, match.action_at(ply), after, box):
            uses[before.turn][used] += 1
            firsts.setdefault(used, int(before.turn))
        before = after
    return uses, firsts


def minutes_of(match: Match, choices: Sequence[int]) -> float:
    """How long people would take, by the game's table of seconds."""
    own = match.game.lab
    seconds = 0.0
    for ply, n in enumerate(choices, start=1):
        kind = match.action_at(ply).kind
        seconds += own.FORCED_SECONDS if n == 1 else own.SECONDS.get(kind, own.DEFAULT_SECONDS)
    return seconds / 60
