"""A match told again: any of its moments, as one of its seats saw it, or with everything open once it is
over.

What is shown is made from the view of the perspective's seat alone.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TypeVar

from comptoir.engine.match import Match
from comptoir.engine.recap import Highlight
from comptoir.engine.words import Words
from comptoir.web.domain.archive import ArchivedMatch
from comptoir.web.domain.narration import NarratedTurn, narrate
from comptoir.web.domain.perspective import EVERYTHING, Perspective, viewing_seat
from comptoir.web.domain.state import Seat
from comptoir.web.page_words import log_words, page_words
from comptoir.web.view.log import Item, LogLine, LogTurn, die_lines, read_line, turn_of
from comptoir.web.view.presenter import Moment, TablePresenter, draw_or
from comptoir.web.view.sheets import Curve, Sheet, drawn_curve, shown
from comptoir.web.view.table_view import Panel, panel_of, won

LOG_PAGE_LINES = 800  # lines of the log that are sent at once: a usual match has fewer

T = TypeVar("T")


@dataclass(frozen=True)
class LogPage:
    """A part of a match's log: of most matches all of it, of a long one what is near the moment shown."""

    items: list[Item]
    since: int  # it covers the moments after this one
    until: int  # up to this one
    before: bool  # whether there is an earlier part
    after: bool


def log_page(items: list[Item], at: int) -> LogPage:
    """The part of the log about that moment."""
    if not items:
        return LogPage([], -1, 0, before=False, after=False)
    ends = [item.recap.last if isinstance(item, LogTurn) else item.ply for item in items]
    lines = accumulate(1 + len(item.lines) if isinstance(item, LogTurn) else 1 for item in items)
    page_of = [so_far // LOG_PAGE_LINES for so_far in lines]
    here = page_of[min(bisect_left(ends, at), len(items) - 1)]
    first, last = bisect_left(page_of, here), bisect_right(page_of, here)
    return LogPage(
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
    side: Perspective
    layout: str
    over: bool
    sentence: str
    chart: str
    pieces: str
    size: tuple[int, int]
    panels: list[Panel]
    log: LogPage  # what is still to come too
    now: tuple[LogLine, ...]  # what the last action did
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
    def moments(self) -> tuple[Highlight, ...]:
        """The big moments of the turn that the last action has ended, if it has."""
        turns = (item for item in self.log.items if isinstance(item, LogTurn))
        return next((turn.recap.highlights for turn in turns if turn.recap.last == self.at), ())


def frame(presenter: TablePresenter, at: int, side: Perspective, lang: str, layout: str) -> Frame:
    """What may be seen from that side after `at` actions."""
    words, moment = page_words(presenter.table.game.name, lang), presenter.moment(at)
    match, then, told = presenter.match, moment.match, narration(presenter, side, lang)
    pieces = moment.pieces(viewing_seat(side), lang, layout)  # first: if it fails, there is no chart either
    return Frame(
        at=at,
        end=match.ply,
        side=side,
        layout=layout,
        over=match.over,
        sentence=_sentence(then, words),
        chart=moment.chart(lang, layout),
        pieces=_marked(pieces, presenter.last_spots(at)),
        size=moment.size(lang, layout),
        panels=[_panel(moment, seat, side, lang) for seat in range(match.players)],
        log=log_page(told.items(), at),
        now=told.lines(at),
        sheet=_sheet(then, side, words),
        turns=turns(presenter),
        curve=curve(presenter, side),
    )


def narration(presenter: TablePresenter, side: Perspective, lang: str) -> MatchNarration:
    """The whole match in words, from one perspective."""
    return _narrated(
        presenter, ("narration", side, lang), lambda: MatchNarration(presenter.match, side, lang)
    )


def turns(presenter: TablePresenter) -> tuple[int, ...]:
    """After how many actions the match began and each turn ended; the last may be under way."""
    return _narrated(presenter, ("turns",), lambda: _turns(presenter.match))


def curve(presenter: TablePresenter, side: Perspective) -> Curve | None:
    """Everyone's points after each turn, as far as that side could see them. Of a kept match they are not
    kept.
    """
    return _narrated(presenter, ("curve", side), lambda: _curve(presenter.match, turns(presenter), side))


def _narrated(presenter: TablePresenter, key: Hashable, make: Callable[[], T]) -> T:
    """What is made of the whole match, as it stands."""
    return presenter.cache.narrated(key, presenter.match, presenter.match.ply + 1, make)


def _turns(match: Match) -> tuple[int, ...]:
    seats = [seat for seat, _ in match.actions_by_seat]
    changes = [ply for ply in range(1, len(seats)) if seats[ply] != seats[ply - 1]]
    ends = draw_or(match, lambda: [last for _, last in match.story.turn_spans()], changes)
    return tuple(sorted({0, *ends, match.ply}))


def _curve(match: Match, turns: Sequence[int], side: Perspective) -> Curve | None:
    if isinstance(match, ArchivedMatch) or match.ply == 0:
        return None
    points = []
    for ply in turns:
        then = match.at(ply)
        told = then.score_sheet() if side == EVERYTHING else then.score_sheet_for(viewing_seat(side))
        points.append((ply / match.ply, told.totals))
    return drawn_curve(points)


def _sheet(match: Match, side: Perspective, words: Words) -> Sheet | None:
    """The score sheet as it stands, with what that side may see of it. Of a kept match only the last is
    kept.
    """
    if isinstance(match, ArchivedMatch) and not match.over:
        return None
    everything = side == EVERYTHING or match.over
    told = match.score_sheet() if everything else match.score_sheet_for(viewing_seat(side))
    return shown(told, match.names, words)


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


def _panel(moment: Moment, seat: int, side: Perspective, lang: str) -> Panel:
    own = side in (seat, EVERYTHING)
    return panel_of(
        moment,
        Seat(moment.match.names[seat]),
        seat,
        lang,
        own=own,
        turn=moment.match.turn == seat,
        yours=side == seat,
        hand=moment.hand(seat, lang) if own else None,
    )


class MatchNarration:
    """A match in words, narrated once."""

    def __init__(self, match: Match, perspective: Perspective, lang: str) -> None:
        words = log_words(match.game.name, lang)
        narration = (
            match.narration(lang) if isinstance(match, ArchivedMatch) else narrate(match, perspective, words)
        )
        self._lines = [
            (*(read_line(ply, text, match, words) for text in texts), *die_lines(ply, narration.dice, words))
            for ply, texts in enumerate(narration.lines)
        ]
        self._turns = [self._turn(turn) for turn in narration.turns]

    def items(self) -> list[Item]:
        """How the match began, its turns, and the actions of the current one."""
        since = self._turns[-1].recap.last + 1 if self._turns else 1
        under_way = [line for lines in self._lines[since:] for line in lines]
        return [*self._lines[0], *self._turns, *under_way]

    def turns(self) -> list[LogTurn]:
        return self._turns

    def lines(self, ply: int) -> tuple[LogLine, ...]:
        """What the action after which there were `ply` did; or how the match began."""
        return self._lines[ply]

    def _turn(self, turn: NarratedTurn) -> LogTurn:
        recap = turn.recap
        lines = [line for lines in self._lines[recap.first + 1 : recap.last + 1] for line in lines]
        return turn_of(recap, lines, turn.round)
