"""A match told again: any of its moments, as one of its seats saw it, or with everything open once it is over.

Who may look from where is decided here, and what is shown is made from the views of those seats alone.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from comptoir.art.parts import seat_mark
from comptoir.art.scene import Card, Fact
from comptoir.engine import matchfile
from comptoir.engine.match import Match, seed_hash
from comptoir.engine.recap import Step
from comptoir.engine.scene import Scene
from comptoir.engine.words import Words
from comptoir.errors import OptionError
from comptoir.web.people import clean_name
from comptoir.web.seen import Line, last_spots, read_line, won
from comptoir.web.table import Event, NotYours, Refused, Settings, Table
from comptoir.web.words import log_words, page_words

LARGEST_MATCH = 200 * 1024
OPEN = "all"  # looked at with everything open
WATCHING = ""  # as a spectator
TOLD = 48  # stories of whole matches that are kept

Side = int | str  # a seat, WATCHING or OPEN


def sides(table: Table, person: str) -> list[Side]:
    """From where this person may look at the match again; the first is what they are shown.

    While it is on, only from one's own seat, or as a spectator if all may watch. Who shares a device watches: else each of
    them could look into the hands of the others.
    """
    if table.match is None:
        raise Refused("refuse.not_begun")
    if table.state == "over":
        return [OPEN, *range(table.players), WATCHING]
    mine = table.seats_of(person)
    if len(mine) == 1:
        return [mine[0]]
    if mine or table.settings.open:
        return [WATCHING]
    raise NotYours("replay.not_open")


def read_side(text: str | None, allowed: Sequence[Side]) -> Side:
    """The side that a link names; the usual one if it names none. Raises NotYours if it is not to be had."""
    if text is None:
        return allowed[0]
    side = next((side for side in allowed if str(side) == text), None)
    if side is None:
        raise NotYours("replay.not_that_side")
    return side


@dataclass(frozen=True)
class Seat:
    """A seat as a replay shows it."""

    seat: int
    mark: str
    name: str
    turn: bool
    facts: list[Fact]
    hand: list[Card] | None  # None if it is not to be seen from here
    points: int | None
    winner: bool


@dataclass(frozen=True)
class Moment:
    """A match after some of its actions, from one side."""

    at: int
    end: int
    side: Side
    layout: str
    over: bool
    sentence: str
    chart: str
    pieces: str
    size: tuple[int, int]
    seats: list[Seat]
    lines: list[Line]

    @property
    def now(self) -> list[Line]:
        """What the last action did."""
        return [line for line in self.lines if line.number == self.at]


def moment(match: Match, at: int, side: Side, lang: str, layout: str) -> Moment:
    """What may be seen from that side after `at` actions."""
    game, words = match.game, page_words(match.game.name, lang)
    then = match.at(at)
    public = then.scene(None, words, layout)
    return Moment(
        at=at,
        end=match.number,
        side=side,
        layout=layout,
        over=match.over,
        sentence=_sentence(then, words),
        chart=game.board.chart(public),
        pieces=_marked(game.board.pieces(public), last_spots(then, then.scene_at(max(0, at - 1), None, words))),
        size=game.board.SIZE[layout],
        seats=[_seat(then, seat, side, lang) for seat in range(match.players)],
        lines=story(match, side, lang).until(at),
    )


def _sentence(match: Match, words: Words) -> str:
    return won(match, words) if match.turn is None else words.say("table_page.awaits", name=match.names[match.turn])


def _marked(pieces: str, spots: Sequence[str]) -> str:
    for name in spots:
        pieces = pieces.replace(f'class="spot" data-spot="{name}"', f'class="spot last" data-spot="{name}"')
    return pieces


def _seat(match: Match, seat: int, side: Side, lang: str) -> Seat:
    own = side in (seat, OPEN)
    scene = match.scene(seat if own else None, page_words(match.game.name, lang))
    return Seat(
        seat=seat,
        mark=seat_mark(seat),
        name=match.names[seat],
        turn=match.turn == seat,
        facts=match.game.board.facts(scene, seat),
        hand=match.game.board.hand(scene) if own else None,
        points=match.scores()[seat] if match.over else None,
        winner=seat in match.winners(),
    )


class Story:
    """A match in words, told as far as somebody has asked. With everything open, each action as the seat that took it has seen it."""

    def __init__(self, match: Match, side: Side, lang: str) -> None:
        self._match, self._side = match, side
        self._words = log_words(match.game.name, lang)
        self._told: list[list[Line]] = []  # of the start, then of each action
        self._scene: Scene | None = None  # the last one, before which the next action is told
        self._lock = threading.Lock()  # two readers may ask at once

    def until(self, number: int) -> list[Line]:
        """How the match began, and what the first `number` actions did."""
        with self._lock:
            for next_one in range(len(self._told), number + 1):
                self._told.append(self._tell(next_one - 1) if next_one else self._opening())
        return [line for lines in self._told[: number + 1] for line in lines]

    def _opening(self) -> list[Line]:
        scene = self._match.scene_at(0, None if self._side == OPEN else self._seat(0), self._words)
        return [read_line(0, text) for text in self._match.tell_opening(scene)]

    def _tell(self, number: int) -> list[Line]:
        match, seat = self._match, self._seat(number)
        before = self._scene if self._scene and self._scene.seat == seat else match.scene_at(number, seat, self._words)
        self._scene = match.scene_at(number + 1, seat, self._words)
        return [read_line(number + 1, text) for text in match.tell(Step(before, match.played[number], self._scene))]

    def _seat(self, number: int) -> int | None:
        if self._side == OPEN:
            return int(self._match.records[number].turn)
        return None if self._side == WATCHING else int(self._side)


@lru_cache(maxsize=TOLD)
def story(match: Match, side: Side, lang: str) -> Story:
    return Story(match, side, lang)


# Files


def match_text(table: Table) -> str:
    """The match file, with what was promised of its seed before the match."""
    if table.match is None or table.state != "over":
        raise Refused("replay.not_over")
    return table.match.text() + f"\n# seed hash {seed_hash(table.settings.seed)}\n"


def read_match(content: bytes) -> Match:
    """The match in a file that somebody brought. Raises Refused, or a MatchFileError that names the line."""
    if len(content) > LARGEST_MATCH:
        raise Refused("replay.too_large", n=LARGEST_MATCH // 1024)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Refused("replay.not_text") from None
    try:
        match = matchfile.parse(text)
    except (TypeError, RecursionError, OverflowError):
        raise Refused("replay.no_sense") from None
    try:
        for name in match.names:
            clean_name(name)
    except OptionError:
        raise Refused("replay.bad_names") from None
    return match


def bring(match: Match, person: str) -> tuple[Table, list[Event]]:
    """A table that shows a match played elsewhere, with all its events."""
    settings = Settings(
        game=match.game.name,
        options=match.options,
        seed=match.seed,
        maker=person,
        components=_own_components(match),
        position=match.start_position,
        names=tuple(match.names),
    )
    now = time.time()
    events = [Event(1, "made", None, person, settings.text(), now), Event(2, "begin", None, person, "", now)]
    events += [Event(number, "play", seat, None, action, now) for number, (seat, action) in enumerate(match.entries, 3)]
    table = Table.of(secrets.token_urlsafe(12), events[:2])
    table.match, table.number = match, events[-1].number  # its actions have been played already, while it was read
    return table, events


def _own_components(match: Match) -> dict[str, Any] | None:
    return None if match.components is match.game.components else match.components.tables


def going_on(table: Table, at: int, person: str) -> Settings:
    """A table that starts where a match stood after `at` actions."""
    if table.match is None or table.state != "over":
        raise Refused("replay.not_over")
    then = table.match.at(at)
    if then.over:
        raise Refused("replay.nothing_left")
    return Settings(
        game=table.settings.game,
        options=then.options,
        seed=secrets.token_hex(16),
        maker=person,
        components=table.settings.components,
        position=then.position(),
    )
