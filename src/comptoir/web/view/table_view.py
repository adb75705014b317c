"""All that leaves the server for one person at a table, and nothing else does: the picture, the hand, the
choices, the log.

Everything is made from the views of that person's seat and of a spectator, so it holds nothing that they may
not know.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count
from typing import Any, NamedTuple, TypeVar

from comptoir.art.board import by_viewer, size_of
from comptoir.art.shapes import seat_mark
from comptoir.engine.board_items import Card, Fact
from comptoir.engine.choice import Choice
from comptoir.engine.match import Match
from comptoir.engine.rule import Position
from comptoir.engine.scene import Scene
from comptoir.engine.schema import LazyRecordDict
from comptoir.engine.view import View
from comptoir.engine.words import LANGUAGES, Words
from comptoir.engine.worlds import preview_actions
from comptoir.web.domain import queries
from comptoir.web.domain.archive import ArchivedMatch
from comptoir.web.domain.state import Seat, Table
from comptoir.web.page_words import log_words, page_words
from comptoir.web.view.clock_text import ProposalBanner, TimeLeft, asked, time_left
from comptoir.web.view.log import Log, LogEntry, past_items

STEPS = 3  # numbers that are shown as buttons; of more there is a stepper
KEYS = 9  # choices that have a digit on the keyboard

logger = logging.getLogger(__name__)
T = TypeVar("T")


@dataclass(frozen=True)
class Viewer:
    """Who looks: a person, from which of their seats (None: as a spectator), in which language and layout."""

    person: str | None
    seat: int | None
    lang: str
    layout: str = "wide"


class ChoiceButton(NamedTuple):
    """A legal action as the dock offers it."""

    action: str
    offer: Choice
    spots: str
    key: int  # on the keyboard; 0 for none
    held: bool = False  # ends the turn and turns something up: it can be thought over, but not taken back


@dataclass(frozen=True)
class Group:
    """Choices of one kind, under its title."""

    title: str
    choices: list[ChoiceButton]

    @property
    def amounts(self) -> bool:
        """Whether they are numbers out of a range, for a stepper."""
        return len(self.choices) > STEPS and all(one.offer.amount is not None for one in self.choices)


@dataclass(frozen=True)
class Choices:
    """What the seat that decides may choose: the final ones last, and apart."""

    groups: list[Group]
    finals: list[Group]
    not_now: list[str]  # verbs of which no action is legal: they can be asked about

    @property
    def only_final(self) -> bool:
        """Whether just one choice gives something away: it has a place of its own, always in view."""
        return sum(len(group.choices) for group in self.finals) == 1


@dataclass(frozen=True)
class Panel:
    """A seat as its panel shows it."""

    seat: int
    mark: str
    held: Seat
    yours: bool
    turn: bool
    facts: list[Fact]
    points: int | None  # when the match is over
    winner: bool
    time: TimeLeft | None = None
    hand: list[Card] | None = None  # in a replay, if it is to be seen from there


@dataclass(frozen=True)
class TableView:
    """A table as one person sees it now."""

    id: str
    version: int
    state: str
    viewer: Viewer
    words: Words
    sentence: str
    yours: bool  # whether this person is to decide now
    curtain: str | None  # on a shared device, who is to take it before the hand is shown
    chart: str
    pieces: str
    size: tuple[int, int]
    panels: list[Panel]
    hand: list[Card]
    choices: Choices | None
    last: list[str]
    undo: bool
    asked: ProposalBanner | None  # a proposal, or a pause
    asks: Sequence[str]  # what this person could ask the others for
    ending: bool  # whether this turn ended automatically and can still be undone
    at: int  # the number of actions


class TableRenderer:
    """One table as it stands: its views and pictures, each made once however many people look."""

    def __init__(self, table: Table, before: TableRenderer | None = None) -> None:
        self.table = table
        self._made: dict[Any, Any] = {}
        self._scenes_before = before._scenes() if before else {}
        # what stays the same through a match
        self._lasting: dict[Any, str] = before._lasting if before else {}
        # the last position that a spectator saw
        self._plain: LazyRecordDict | None = before._plain if before else None
        # and these only grow, but for what is taken back
        self._logs: dict[Any, Log] = before._logs if before else {}
        self._past: list[Match | None] = before._past if before else []

    def once(self, key: Any, make: Callable[[], Any]) -> Any:
        """What `make` gives, made once."""
        try:
            return self._made[key]
        except KeyError:
            made = self._made[key] = make()
            return made

    def once_a_match(self, key: Any, make: Callable[[], str]) -> str:
        """What `make` gives, made once for all that is still to come at this table."""
        if key not in self._lasting:
            self._lasting[key] = make()
        return self._lasting[key]

    @property
    def match(self) -> Match:
        assert self.table.match is not None
        return self.table.match

    def view(self, seat: int | None) -> View:
        """A seat's view, to draw. Most of it is as before the last action, and as a spectator's: what is the
        same, or is not looked at, is not made again.
        """
        view: View = self.once(("view", seat), lambda: self._view(seat))
        return view

    def _view(self, seat: int | None) -> View:
        match, schema = self.match, self.table.game.position
        if seat is None:
            before = self._plain and self._plain.release_previous()
            plain = self._plain = schema.lazy_dict(self.record(None), before)
        else:
            self.view(None)  # sees to it that the last one is of now
            plain = schema.lazy_dict(self.record(seat), self._plain)
        return match.view_of(match.ply, seat, plain)

    def record(self, seat: int | None) -> Position:
        """What a seat may know, as rules read it."""
        seat = None if self.table.game.all_open else seat
        record: Position = self.once(("record", seat), lambda: self.match.seen_by(seat))
        return record

    def scene_before(self, ply: int, seat: int | None, words: Words) -> Scene:
        """What a seat knew after `ply` actions: mostly before the last action, and that is still at
        hand.
        """
        position, scene = self._scenes_before.get(seat, (None, None))
        if scene is not None and position is self.match.records[ply]:
            return scene.with_words(words)
        return self.match.scene_at(ply, seat, words)

    def _scenes(self) -> dict[int | None, tuple[Position, Scene]]:
        """The views computed so far for each seat, with their position."""
        if self.table.match is None:
            return {}
        now, made = self.match.records[-1], list(self._made.items())  # a copy: threads draw with it too
        return {key[1]: (now, scene) for key, scene in made if key[0] == "known"}

    def scene(self, seat: int | None, lang: str, layout: str = "wide") -> Scene:
        scene: Scene = self.once(
            ("scene", seat, lang, layout),
            lambda: self.scene_in(page_words(self.table.game.name, lang), seat, layout),
        )
        return scene

    def scene_in(self, words: Words, seat: int | None, layout: str = "wide") -> Scene:
        known: Scene = self.once(("known", seat), lambda: self._known(seat, words))
        return known.with_words(words, layout)

    def _known(self, seat: int | None, words: Words) -> Scene:
        if seat is None or not self.table.game.all_open:
            return self.match.scene_of(self.record(seat), self.view(seat), words)
        return self.scene_in(words, None).as_seat(self.view(seat))

    def chart(self, lang: str, layout: str) -> str:
        return self.once_a_match(
            ("chart", lang, layout),
            lambda: draw_or(
                self.match, lambda: self.table.game.board.chart(self.scene(None, lang, layout)), ""
            ),
        )

    def pieces(self, lang: str, layout: str, viewer: int | None = None) -> str:
        """The pieces as a viewer sees them: on most boards as everyone does."""
        seat = self.eyes(viewer)
        made: str = self.once(
            ("pieces", lang, layout, seat),
            lambda: draw_or(
                self.match, lambda: self.table.game.board.pieces(self.scene(seat, lang, layout)), ""
            ),
        )
        return made

    def eyes(self, viewer: int | None) -> int | None:
        """The seat from whose view the pieces are drawn for a viewer; None: a spectator's."""
        return viewer if by_viewer(self.table.game) else None

    def size(self, lang: str, layout: str) -> tuple[int, int]:
        """The board's view box; before the match, that for the most players."""
        game = self.table.game
        usual: tuple[int, int] = game.board.SIZE[layout]
        if self.table.match is None or self.table.state == "closed":
            return usual
        return draw_or(self.match, lambda: size_of(game, self.scene(None, lang, layout)), usual)

    def last(self) -> list[str]:
        """The spots of the last action."""
        words = page_words(self.table.game.name, LANGUAGES[0])  # spots are the same in all of them
        before = max(0, self.match.ply - 1)
        spots: list[str] = self.once(
            ("last",), lambda: last_spots(self.match, self.scene_before(before, None, words))
        )
        return spots

    def panel(self, seat: int, viewer: int | None, lang: str) -> Panel:
        """A seat's panel. Others' are the same for everyone; the viewer's own shows what only it knows, if
        anything.
        """
        own = viewer if viewer == seat else None
        panel: Panel = self.once(("panel", seat, own, lang), lambda: self._panel(seat, own, lang))
        return panel

    def _panel(self, seat: int, viewer: int | None, lang: str) -> Panel:
        table = self.table
        facts: list[Fact] = []
        points, winner = None, False
        if table.match is not None and table.state != "closed":
            facts = draw_or(table.match, lambda: table.game.board.facts(self.scene(viewer, lang), seat), [])
            if table.match.over:
                points, winner = table.match.scores()[seat], seat in table.match.winners()
        return Panel(
            seat,
            seat_mark(seat),
            table.seats[seat],
            viewer == seat,
            table.turn == seat,
            facts,
            points,
            winner,
            time_left(table, seat),
        )

    def past(self) -> Match | None:
        """The match that this one goes on from, replayed once."""
        if not self._past:
            self._past.append(queries.prior_match(self.table))
        return self._past[0]

    def log(self, seat: int | None, lang: str) -> list[LogEntry]:
        """What has happened, as a seat has seen it; only the latest part of a long match."""
        words = log_words(self.table.game.name, lang)

        def scene_at(ply: int) -> Scene:
            if ply == self.match.ply:
                return self.scene_in(words, seat)
            return self.scene_before(ply, seat, words)

        if (seat, lang) not in self._logs:
            self._logs[seat, lang] = Log(seat, past_items(self.past(), seat, words))
        return self._logs[seat, lang].update(self.match, self.table.notes, scene_at)


def last_spots(match: Match, before: Scene) -> list[str]:
    """The spots of a match's last action, by what a spectator knew before it."""
    if not match.ply:
        return []
    return draw_or(match, lambda: list(match.game.board.spots(before, match.action_at(match.ply))), [])


def draw_or(match: Match, draw: Callable[[], T], otherwise: T) -> T:
    """What is drawn of a match. Of one that was kept under other rules, today's board may not know how."""
    if not isinstance(match, ArchivedMatch):
        return draw()
    if match.drawable:
        try:
            return draw()
        except Exception as error:
            logger.warning("a kept match of %s cannot be drawn: %s", match.game.name, type(error).__name__)
            match.drawable = False
    return otherwise


def view_table(
    renderer: TableRenderer,
    viewer: Viewer,
    *,
    preparing: bool = False,
    ending: bool = False,
    asks: Sequence[str] = (),
) -> TableView:
    """The table as one person sees it now.

    On a shared device nothing of a hand is shown until its owner has taken it.
    """
    table = renderer.table
    words = page_words(table.game.name, viewer.lang)
    begun = table.match is not None and table.state != "closed"
    mine = table.seats_of(viewer.person)
    curtain = _curtain(table, mine, viewer)
    decides = begun and table.seat_to_act is not None and table.seat_to_act == viewer.seat
    return TableView(
        id=table.id,
        version=table.version,
        state=table.state,
        viewer=viewer,
        words=words,
        sentence=words.say("table_page.preparing")
        if preparing and table.bot and not ending
        else words.say("dock.turn_over")
        if ending
        else renderer.once(
            ("sentence", viewer.seat if table.turn == viewer.seat else None, viewer.lang),
            lambda: _sentence(renderer, viewer, words),
        ),
        yours=decides,
        curtain=curtain,
        chart=renderer.chart(viewer.lang, viewer.layout) if begun else "",
        pieces=renderer.pieces(viewer.lang, viewer.layout, None if curtain else viewer.seat) if begun else "",
        size=renderer.size(viewer.lang, viewer.layout),
        panels=[renderer.panel(seat, viewer.seat, viewer.lang) for seat in range(table.players)],
        hand=renderer.once(
            ("hand", viewer.seat, viewer.lang),
            lambda: draw_or(
                renderer.match,
                lambda: table.game.board.hand(renderer.scene(viewer.seat, viewer.lang)),
                list[Card](),
            ),
        )
        if begun and viewer.seat is not None
        else [],
        choices=choices(renderer, viewer) if decides else None,
        last=renderer.last() if begun else [],
        undo=_may_undo(table, viewer, curtain),
        asked=asked(table, viewer.person, words) if begun else None,
        asks=asks,
        ending=ending,
        at=table.match.ply if begun and table.match else 0,
    )


def _may_undo(table: Table, viewer: Viewer, curtain: str | None) -> bool:
    """From one's own seat; on a shared device, also before the next one takes it."""
    seat = table.may_undo(viewer.person)
    return seat is not None and (seat == viewer.seat or curtain is not None)


def _curtain(table: Table, mine: list[int], viewer: Viewer) -> str | None:
    """Who is to take a device that several people share."""
    awaited = table.seat_to_act
    if len(mine) < 2 or awaited is None or awaited not in mine or awaited == viewer.seat:
        return None
    return table.seats[awaited].name


def _sentence(renderer: TableRenderer, viewer: Viewer, words: Words) -> str:
    """What to decide."""
    table = renderer.table
    if table.state == "closed":
        return words.say("closed.title")
    if table.match is None:
        free = sum(held.free for held in table.seats)
        return words.say("table_page.free", n=free) if free else words.say("table_page.ready")
    if table.settings.imported and not table.match.over:
        return words.say("table_page.brought")
    if table.match.over:
        return won(table.match, words)
    turn = table.turn or 0
    if table.paused:
        return words.say("table_page.paused")
    if turn == viewer.seat and table.forced:
        offer = table.game.story.choice(renderer.scene(turn, viewer.lang), table.game.decode(table.forced))
        return words.say("dock.forced", action=offer.label)
    if turn == viewer.seat and not table.bot:
        prompt: str = table.game.story.prompt(renderer.scene(turn, viewer.lang))
        return prompt
    return words.say("table_page.thinking" if table.bot else "table_page.awaits", name=table.seats[turn].name)


def won(match: Match, words: Words) -> str:
    """Who has won, with how much; the score sheet says what decided a tie."""
    return match.score_sheet().verdict(match.names, words)[0]


def choices(renderer: TableRenderer, viewer: Viewer) -> Choices:
    """The choices of the seat that decides, grouped as the game's words order them: as in a turn."""
    game, scene = renderer.table.game, renderer.scene(viewer.seat, viewer.lang)
    offers = {action.text: game.story.choice(scene, action) for action in scene.choices}
    held = {
        action
        for action, prospect in zip(offers, preview_actions(renderer.match, offers), strict=True)
        if prospect.has_chance and prospect.ends_turn()
    }
    keys = count(1)

    def grouped(*, final: bool) -> list[Group]:
        found: dict[str, list[ChoiceButton]] = {}
        for action in sorted(
            (action for action in offers if offers[action].final == final),
            key=lambda action: _rank(scene.words, offers[action].group),
        ):
            offer = offers[action]
            key = next(keys) if not final and offer.amount is None else 0
            spots = " ".join(game.board.spots(scene, game.decode(action)))
            choice = ChoiceButton(action, offer, spots, key if key <= KEYS else 0, action in held)
            found.setdefault(offer.group, []).append(choice)
        return [Group(_title(scene.words, group), made) for group, made in found.items()]

    not_now = [
        verb
        for verb, actions in verbs(game.name, viewer.lang).items()
        if not any(action in offers for action in actions)
    ]
    return Choices(grouped(final=False), grouped(final=True), not_now)


def _rank(words: Words, group: str) -> int:
    """Where a group stands among those that words.toml lists; others are as their actions are."""
    return _ranks(words).get(group, 0)


@cache
def _ranks(words: Words) -> dict[str, int]:
    listed = [key for key in words.texts if key.startswith("offers.")]
    return {key.removeprefix("offers."): n for n, key in enumerate(listed)}


def _title(words: Words, group: str) -> str:
    """A group's title; a game that lists none has its verbs."""
    entry = words.texts.get(f"offers.{group}") or words.texts[f"actions.{group}"]
    return _capital(entry[words.lang])


@cache
def verbs(game_name: str, lang: str) -> dict[str, list[str]]:
    """All actions of a game by their verb, as the language says it."""
    from comptoir.engine.game import get_game

    words = page_words(game_name, lang)
    found: dict[str, list[str]] = {}
    for action in get_game(game_name).action_table:
        found.setdefault(_capital(words.verb(action.kind)), []).append(action.text)
    return found


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
