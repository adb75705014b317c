"""All that leaves the server for one person at a table, and nothing else does: the picture, the hand, the
choices, the log.

Everything is made from the views of that person's seat and of a spectator, so it holds nothing that they may
not know.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count
from typing import NamedTuple

from comptoir.art.shapes import seat_mark
from comptoir.engine.board_items import Card, Fact
from comptoir.engine.choice import Choice
from comptoir.engine.match import Match
from comptoir.engine.words import Words
from comptoir.engine.worlds import preview_actions
from comptoir.web.domain.state import Seat, Table
from comptoir.web.page_words import page_words
from comptoir.web.view.clock_text import AbsenceNotice, ProposalBanner, TimeLeft, absence, asked, time_left
from comptoir.web.view.log import lines_of
from comptoir.web.view.presenter import Moment, TablePresenter

STEPS = 3  # numbers that are shown as buttons; of more there is a stepper
KEYS = 9  # choices that have a digit on the keyboard


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


class Panel(NamedTuple):
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


class TableView(NamedTuple):
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
    absence: AbsenceNotice | None  # shown if whoever is to act turns out to be away
    ending: bool  # whether this turn ended automatically and can still be undone
    at: int  # the number of actions


def view_table(
    presenter: TablePresenter,
    viewer: Viewer,
    *,
    preparing: bool = False,
    ending: bool = False,
    asks: Sequence[str] = (),
) -> TableView:
    """The table as one person sees it now.

    On a shared device nothing of a hand is shown until its owner has taken it.
    """
    table = presenter.table
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
        else presenter.cache.made(
            ("sentence", viewer.seat if table.turn == viewer.seat else None, viewer.lang),
            table.version,
            lambda: _sentence(presenter, viewer, words),
        ),
        yours=decides,
        curtain=curtain,
        chart=presenter.now.chart(viewer.lang, viewer.layout) if begun else "",
        pieces=presenter.now.pieces(None if curtain else viewer.seat, viewer.lang, viewer.layout)
        if begun
        else "",
        size=presenter.size(viewer.lang, viewer.layout),
        panels=[
            _panel(presenter, seat, viewer.lang, own=viewer.seat == seat) for seat in range(table.players)
        ],
        hand=presenter.now.hand(viewer.seat, viewer.lang) if begun and viewer.seat is not None else [],
        choices=choices(presenter, viewer) if decides else None,
        last=presenter.last_spots(presenter.match.ply) if begun else [],
        undo=_may_undo(table, viewer, curtain),
        asked=asked(table, viewer.person, words, _undone_line(presenter, viewer)) if begun else None,
        asks=asks,
        absence=absence(table, viewer.person, asks, words) if begun and not curtain else None,
        ending=ending,
        at=table.match.ply if begun and table.match else 0,
    )


def _undone_line(presenter: TablePresenter, viewer: Viewer) -> str:
    """What the viewer's log tells of the action that somebody asks to take back."""
    proposal = presenter.table.proposal
    if proposal is None or proposal.what != "undo":
        return ""
    ply = presenter.match.ply - proposal.back + 1
    entries = presenter.log(viewer.seat, viewer.lang)
    lines = (line for entry in reversed(entries) for item in entry.items for line in lines_of(item))
    return next((line.text for line in lines if line.ply == ply and not line.note and not line.die), "")


def _panel(presenter: TablePresenter, seat: int, lang: str, *, own: bool) -> Panel:
    """A seat's panel. Others' are the same for everyone; the viewer's own shows what only it knows, if
    anything.
    """
    table = presenter.table
    begun = table.match is not None and table.state != "closed"

    def made() -> Panel:
        moment, turn = presenter.now if begun else None, table.turn == seat
        time = time_left(table, seat)
        return panel_of(moment, table.seats[seat], seat, lang, own=own, turn=turn, time=time)

    return presenter.once(("panel", seat, own, lang), made)


def panel_of(
    moment: Moment | None,
    held: Seat,
    seat: int,
    lang: str,
    *,
    own: bool,
    turn: bool,
    time: TimeLeft | None = None,
    yours: bool | None = None,
    hand: list[Card] | None = None,
) -> Panel:
    """A seat's panel at a moment of a match, if there is one; `own`: as that seat itself sees it."""
    over = moment is not None and moment.match.over
    return Panel(
        seat,
        seat_mark(seat),
        held,
        own if yours is None else yours,
        turn,
        [] if moment is None else moment.facts(seat, seat if own else None, lang),
        moment.match.scores()[seat] if moment is not None and over else None,
        moment is not None and over and seat in moment.match.winners(),
        time,
        hand,
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


def _sentence(presenter: TablePresenter, viewer: Viewer, words: Words) -> str:
    """What to decide."""
    table = presenter.table
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
        offer = table.game.story.choice(presenter.scene(turn, viewer.lang), table.game.decode(table.forced))
        return words.say("dock.forced", action=offer.label)
    if turn == viewer.seat and not table.bot:
        return presenter.now.prompt(turn, viewer.lang)
    return words.say("table_page.thinking" if table.bot else "table_page.awaits", name=table.seats[turn].name)


def won(match: Match, words: Words) -> str:
    """Who has won, with how much; the score sheet says what decided a tie."""
    return match.score_sheet().verdict(match.names, words)[0]


def choices(presenter: TablePresenter, viewer: Viewer) -> Choices:
    """The choices of the seat that decides, grouped as the game's words order them: as in a turn."""
    game, scene = presenter.table.game, presenter.scene(viewer.seat, viewer.lang)
    offers = {action.text: game.story.choice(scene, action) for action in scene.choices}
    held = {
        action
        for action, prospect in zip(offers, preview_actions(presenter.match, offers), strict=True)
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

    possible = {_capital(scene.words.verb(action.kind)) for action in scene.choices}
    not_now = [verb for verb in verbs(game.name, viewer.lang) if verb not in possible]
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
