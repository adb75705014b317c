"""A match told again: any of its moments, as one of its seats saw it, or with everything open once it is
over.

Who may look from where is decided here, and what is shown is made from the views of those seats alone.
"""

from __future__ import annotations

import dataclasses
import secrets
import threading
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from comptoir.art.board import by_viewer, size_of
from comptoir.art.shapes import seat_mark
from comptoir.engine import matchfile
from comptoir.engine.match import Match
from comptoir.engine.recap import Moment, Recap, Step
from comptoir.engine.words import LANGUAGES, Words
from comptoir.web.domain import decide
from comptoir.web.domain.clock import Instant
from comptoir.web.domain.evolve import evolve, from_events
from comptoir.web.domain.foreign import match_lines
from comptoir.web.domain.kept import Archive, KeptMatch, archive
from comptoir.web.domain.refusals import NotYours, Refused
from comptoir.web.domain.state import Event, Seat, Settings, Table
from comptoir.web.view.seen import Panel, drawn, last_spots, won
from comptoir.web.view.sheets import Curve, Sheet, drawn_curve, shown
from comptoir.web.view.sized import kept_by_size
from comptoir.web.view.told import Item, Line, Turn, die_lines, read_line, retold, round_of, turn_of
from comptoir.web.words import log_words, page_words

OPEN = "all"  # looked at with everything open
WATCHING = ""  # as a spectator
TOLD = 40_000  # actions of the matches whose stories are kept: of a hundred usual ones, or of five long ones
LEAF = 800  # lines of the log that are sent at once: a usual match has fewer
FIRST_RULES = 1  # of a table that does not say by which rules it was played, and that today's refuse

Side = int | str  # a seat, WATCHING or OPEN


def sides(table: Table, person: str) -> list[Side]:
    """From where this person may look at the match again; the first is what they are shown.

    While it is on, only from one's own seat, or as a spectator if all may watch. Who shares a device watches:
    else each of them could look into the hands of the others.
    """
    if table.state == "closed":
        raise Refused("replay.closed")
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
class Leaf:
    """A part of a match's log: of most matches all of it, of a long one what is near the moment shown."""

    items: list[Item]
    since: int  # it tells of the moments after this one
    until: int  # up to this one
    before: bool  # whether there is an earlier part
    after: bool


def leaf(items: list[Item], at: int) -> Leaf:
    """The part of the log that tells of that moment."""
    if not items:
        return Leaf([], -1, 0, before=False, after=False)
    ends = [item.recap.last if isinstance(item, Turn) else item.ply for item in items]
    lines = accumulate(1 + len(item.lines) if isinstance(item, Turn) else 1 for item in items)
    leaves = [so_far // LEAF for so_far in lines]
    here = leaves[min(bisect_left(ends, at), len(items) - 1)]
    first, last = bisect_left(leaves, here), bisect_right(leaves, here)
    return Leaf(
        items[first:last],
        since=ends[first - 1] if first else -1,
        until=ends[last - 1],
        before=first > 0,
        after=last < len(items),
    )


@dataclass(frozen=True)
class Frame:
    """What a replay shows: a match after some of its actions, from one side."""

    at: int
    end: int
    side: Side
    layout: str
    over: bool
    sentence: str
    chart: str
    pieces: str
    size: tuple[int, int]
    panels: list[Panel]
    log: Leaf  # what is still to come too
    now: tuple[Line, ...]  # what the last action did
    sheet: Sheet | None  # as it stands, if that is known
    turns: tuple[int, ...]  # after how many actions the match began and each turn ended
    curve: Curve | None

    @property
    def last_turn(self) -> int | None:
        """Where the turn before began."""
        return max((ply for ply in self.turns if ply < self.at), default=None)

    @property
    def next_turn(self) -> int | None:
        """Where this turn ends."""
        return min((ply for ply in self.turns if ply > self.at), default=None)

    @property
    def moments(self) -> tuple[Moment, ...]:
        """The big moments of the turn that the last action has ended, if it has."""
        turns = (item for item in self.log.items if isinstance(item, Turn))
        return next((turn.recap.moments for turn in turns if turn.recap.last == self.at), ())


def frame(match: Match, at: int, side: Side, lang: str, layout: str) -> Frame:
    """What may be seen from that side after `at` actions."""
    game, words = match.game, page_words(match.game.name, lang)
    then = match.at(at)
    public, told = then.scene(None, words, layout), story(match, side, lang)
    seen = then.scene(_eyes(side), words, layout) if by_viewer(game) else public
    return Frame(
        at=at,
        end=match.ply,
        side=side,
        layout=layout,
        over=match.over,
        sentence=_sentence(then, words),
        chart=drawn(then, lambda: game.board.chart(public), ""),
        pieces=_marked(
            drawn(then, lambda: game.board.pieces(seen), ""),
            last_spots(then, then.scene_at(max(0, at - 1), None, words)),
        ),
        size=drawn(then, lambda: size_of(game, public), game.board.SIZE[layout]),
        panels=[_panel(then, seat, side, lang) for seat in range(match.players)],
        log=leaf(told.items(), at),
        now=told.lines(at),
        sheet=_sheet(then, side, words),
        turns=turns(match),
        curve=curve(match, side),
    )


@kept_by_size(TOLD)
def turns(match: Match) -> tuple[int, ...]:
    """After how many actions the match began and each turn ended; the last may be under way."""
    seats = [seat for seat, _ in match.entries]
    changes = [ply for ply in range(1, len(seats)) if seats[ply] != seats[ply - 1]]
    ends = drawn(match, lambda: [last for _, last in match.turns()], changes)
    return tuple(sorted({0, *ends, match.ply}))


@kept_by_size(TOLD)
def curve(match: Match, side: Side) -> Curve | None:
    """Everyone's points after each turn, as far as that side was told of them. Of a kept match they are not
    kept.
    """
    if isinstance(match, KeptMatch) or match.ply == 0:
        return None
    points = []
    for ply in turns(match):
        then = match.at(ply)
        told = then.score_sheet() if side == OPEN else then.score_sheet_for(_eyes(side))
        points.append((ply / match.ply, told.totals))
    return drawn_curve(points)


def _sheet(match: Match, side: Side, words: Words) -> Sheet | None:
    """The score sheet as it stands, with what that side is told of it. Of a kept match only the last is
    kept.
    """
    if isinstance(match, KeptMatch) and not match.over:
        return None
    everything = side == OPEN or match.over
    told = match.score_sheet() if everything else match.score_sheet_for(_eyes(side))
    return shown(told, match.names, words)


def _eyes(side: Side) -> int | None:
    """The seat from which that side looks; None: as a spectator."""
    return None if side in (WATCHING, OPEN) else int(side)


def _sentence(match: Match, words: Words) -> str:
    return (
        won(match, words)
        if match.turn is None
        else words.say("table_page.awaits", name=match.names[match.turn])
    )


def _marked(pieces: str, spots: Sequence[str]) -> str:
    for name in spots:
        pieces = pieces.replace(f'class="spot" data-spot="{name}"', f'class="spot last" data-spot="{name}"')
    return pieces


def _panel(match: Match, seat: int, side: Side, lang: str) -> Panel:
    own = side in (seat, OPEN)
    scene = match.scene(seat if own else None, page_words(match.game.name, lang))
    return Panel(
        seat=seat,
        mark=seat_mark(seat),
        held=Seat(match.names[seat]),
        yours=side == seat,
        turn=match.turn == seat,
        facts=drawn(match, lambda: match.game.board.facts(scene, seat), []),
        hand=drawn(match, lambda: match.game.board.hand(scene), []) if own else None,
        points=match.scores()[seat] if match.over else None,
        winner=seat in match.winners(),
    )


class Story:
    """A match in words, told once.

    With everything open, each action as the seat that took it has seen it.
    """

    def __init__(self, match: Match, side: Side, lang: str) -> None:
        self._match, self._side = match, side
        self._words = log_words(match.game.name, lang)
        self._texts: list[list[str]] = []  # of the start, then of each action
        self._lines: list[tuple[Line, ...]] = []
        self._turns: list[Turn] = []
        self._steps: list[Step] = []  # of the turn under way
        self._round: int | None = None
        self._lock = threading.Lock()  # two readers may ask at once

    def items(self) -> list[Item]:
        """How the match began, its turns, and the actions of the one under way."""
        turns = self.turns()
        since = turns[-1].recap.last + 1 if turns else 1
        under_way = [line for lines in self._lines[since:] for line in lines]
        return [*self._lines[0], *turns, *under_way]

    def turns(self) -> list[Turn]:
        self._tell_all()
        return self._turns

    def lines(self, ply: int) -> tuple[Line, ...]:
        """What the action after which there were `ply` did; or how the match began."""
        self._tell_all()
        return self._lines[ply]

    def texts(self) -> list[list[str]]:
        """The lines of the start and of each action, with their rules."""
        self._tell_all()
        return self._texts

    def dice(self) -> dict[int, int]:
        """The faces that were rolled, each by the number of actions up to then."""
        self._tell_all()
        return {line.ply: line.die for lines in self._lines for line in lines if line.die}

    def _tell_all(self) -> None:
        match = self._match
        with self._lock:
            if not self._texts:
                self._open()
            for ply in range(len(self._texts), match.ply + 1):
                self._tell(ply)
            if isinstance(match, KeptMatch) and not self._turns:
                self._turns = [self._kept_turn(kept) for kept in match.retold.get(self._words.lang, ())]

    def _open(self) -> None:
        scene = self._match.scene_at(0, _eyes(self._side), self._words)
        self._add(0, self._match.opening_lines(scene), die_lines(self._match, 0, None, scene))

    def _tell(self, ply: int) -> None:
        match = self._match
        step = self._step(ply)
        self._add(ply, match.tell(step), die_lines(match, ply, step.before, step.after))
        self._steps.append(step)
        if not isinstance(match, KeptMatch) and match.ended_turn(ply):
            since = ply - len(self._steps) + 1
            lines = [line for told in self._lines[since:] for line in told]
            self._turns.append(retold(match, ply, self._steps, lines, self._round))
            self._round = round_of(self._steps[0].before)[0]
            self._steps = []

    def _step(self, ply: int) -> Step:
        match = self._match
        seat = int(match.records[ply - 1].turn) if self._side == OPEN else _eyes(self._side)
        last = self._steps[-1].after if self._steps else None
        before = last if last and last.seat == seat else match.scene_at(ply - 1, seat, self._words)
        return Step(before, match.action_at(ply), match.scene_at(ply, seat, self._words))

    def _add(self, ply: int, texts: list[str], die: tuple[Line, ...]) -> None:
        self._texts.append(texts)
        self._lines.append((*(read_line(ply, text, self._match, self._words) for text in texts), *die))

    def _kept_turn(self, kept: dict[str, Any]) -> Turn:
        recap = Recap(**kept["recap"] | {"moments": tuple(Moment(*one) for one in kept["recap"]["moments"])})
        lines = [line for told in self._lines[recap.first + 1 : recap.last + 1] for line in told]
        return turn_of(recap, lines, kept["round"])


def _plain(turn: Turn) -> dict[str, Any]:
    """A turn to be kept; its lines are kept besides."""
    recap = vars(turn.recap) | {"moments": [[one.kind, one.text] for one in turn.recap.moments]}
    return {"recap": recap, "round": turn.round}


@kept_by_size(TOLD)
def story(match: Match, side: Side, lang: str) -> Story:
    return Story(match, side, lang)


def archived(match: Match) -> Archive:
    """A match that is over as it is kept: told with everything open, in every language."""
    stories = {lang: Story(match, OPEN, lang) for lang in LANGUAGES}
    return archive(
        match,
        {lang: one.texts() for lang, one in stories.items()},
        {lang: [_plain(turn) for turn in one.turns()] for lang, one in stories.items()},
        stories[LANGUAGES[0]].dice(),
    )


# Files


def match_text(table: Table) -> str:
    """The match file, with what was promised of its seed before the match."""
    notes = {"seed_hash": table.seed_hash}
    if table.match is not None and table.state == "over":
        return matchfile.write(table.match, notes)
    if table.state != "closed" or not table.decisions:
        raise Refused("replay.not_over")
    settings, begun = table.settings, table.begun
    return matchfile.compose(
        matchfile.Header(
            game=settings.game,
            rules=begun.rules if begun else FIRST_RULES,
            options=settings.options,
            seed=settings.seed,
            names=[held.name for held in table.seats],
            position=settings.position,
            components=settings.components,
            notes=notes,
        ),
        [(event.seat or 0, event.text) for event in table.decisions[1:]],
    )


def read_match(content: bytes) -> Match:
    """The match in a file that somebody brought. Raises Refused, or a MatchFileError that names the line."""
    try:
        return matchfile.parse(match_lines(content))
    except (TypeError, RecursionError, OverflowError):
        raise Refused("replay.no_sense") from None


def bring(match: Match, person: str, at: float) -> tuple[Table, list[Event]]:
    """A table that shows a match played elsewhere, with all its events. `at`: the time, in seconds."""
    settings = Settings(
        game=match.game.name,
        options=match.options,
        seed=match.seed,
        maker=person,
        components=_own_components(match),
        position=match.start_position,
        names=tuple(match.names),
    )
    made = Event(1, "made", None, person, settings.text(), at)
    table = from_events(secrets.token_urlsafe(12), [made])
    begin = decide.start(table, Instant.of(at), person)
    table = evolve(table, begin)
    plays = [
        Event(version, "play", seat, None, action, begin.at)
        for version, (seat, action) in enumerate(match.entries, 3)
    ]
    events = [made, begin, *plays]
    # its actions have been played already, while it was read
    return dataclasses.replace(table, match=match, version=events[-1].version), events


def _own_components(match: Match) -> dict[str, Any] | None:
    return None if match.components.digest == match.game.components.digest else match.components.tables


def going_on(table: Table, at: int, person: str) -> Settings:
    """A table that starts where a match stood after `at` actions."""
    if table.outdated:
        raise Refused("replay.other_rules")
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
        past=_past(then),
    )


def _past(match: Match) -> dict[str, Any]:
    """What went before, to be told again at the table that goes on."""
    start = {"position": match.start_position} if match.start_position else match.options
    return {"seed": match.seed, "start": start, "actions": match.played}
