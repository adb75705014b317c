"""All that leaves the server for one person at a table, and nothing else does: the picture, the hand, the choices, the log.

Everything is made from the views of that person's seat and of a spectator, so it holds nothing that they may not know.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from comptoir.art.parts import seat_mark
from comptoir.art.scene import Card, Fact
from comptoir.engine.match import Match
from comptoir.engine.recap import Step
from comptoir.engine.scene import Scene, View
from comptoir.engine.words import LANGUAGES, Words
from comptoir.web.table import PATIENCE, Place, Table
from comptoir.web.words import log_words, page_words

LOG = 80  # actions that the log of a table goes back; the replay tells all
FEW = 8  # choices of one kind that are shown even when they are not allowed

_RULE = re.compile(r" \[([A-Z]+\d+)\]$")


@dataclass(frozen=True)
class Eye:
    """Who looks: a person, from which of their seats (None: as a spectator), in which language and layout."""

    person: str | None
    seat: int | None
    lang: str
    layout: str = "wide"


class Choice(NamedTuple):
    """One action, in words; `does` is what it would do. One that is not allowed can be asked why."""

    action: str
    label: str
    whole: str
    does: str
    spots: str
    legal: bool
    key: int  # on the keyboard; 0 for none


@dataclass(frozen=True)
class Group:
    """The choices of one kind: a verb, and what it can be about."""

    verb: str
    legal: bool  # whether one of them is
    choices: list[Choice]


class Line(NamedTuple):
    """A line of the log: after which action, in words, and the rule that it shows."""

    number: int
    text: str
    rule: str | None


@dataclass(frozen=True, eq=False)
class Entry:
    """What the log says of one action, or of the start; `record` is the position after it, `total` counts the lines up to here."""

    number: int
    record: np.record
    lines: tuple[Line, ...]
    total: int


@dataclass(frozen=True)
class Panel:
    """A seat as its panel shows it."""

    seat: int
    mark: str
    place: Place
    yours: bool
    turn: bool
    facts: list[Fact]
    points: int | None  # when the match is over
    winner: bool


@dataclass(frozen=True)
class Seen:
    """A table as one person sees it now."""

    id: str
    number: int
    state: str
    eye: Eye
    words: Words
    sentence: str
    yours: bool  # whether this person is to decide now
    curtain: str | None  # on a shared device, who is to take it before the hand is shown
    chart: str
    pieces: str
    size: tuple[int, int]
    panels: list[Panel]
    hand: list[Card]
    groups: list[Group]
    last: list[str]
    undo: bool
    at: int  # the number of actions


class Looker:
    """One table as it stands: its views and pictures, each made once however many people look."""

    def __init__(self, table: Table, before: Looker | None = None) -> None:
        self.table = table
        self._made: dict[Any, Any] = {}
        self._views_before = before._views() if before else {}
        self._lasting: dict[Any, str] = before._lasting if before else {}  # what stays the same through a match
        self._plain: tuple[bytes, View] | None = before._plain if before else None  # the last position that a spectator saw
        self._logs: dict[Any, list[Entry]] = before._logs if before else {}  # and these only grow, but for what is taken back

    def once(self, key: Any, make: Callable[[], Any]) -> Any:
        """What `make` gives, made once."""
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]

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
        """A seat's view. Most of it is as before the last action, and as a spectator's: what is the same is not made again."""
        view: View = self.once(("view", seat), lambda: self._view(seat))
        return view

    def _view(self, seat: int | None) -> View:
        match, game, record = self.match, self.table.game, self.record(seat)
        if seat is not None:
            self.view(None)  # sees to it that the last one is of now
        plain: tuple[bytes, View] = (
            game.position.plain_since(record, self._plain) if self._plain else (record.tobytes(), game.plain(record))
        )
        if seat is None:
            self._plain = plain
        return match.view_of(match.number, seat, plain[1])

    def record(self, seat: int | None) -> np.record:
        """What a seat may know, as rules read it."""
        record: np.record = self.once(("record", seat), lambda: self.table.game.hidden(self.match.records[-1], self.match.box, seat))
        return record

    def scene_before(self, number: int, seat: int | None, words: Words) -> Scene:
        """What a seat knew after `number` actions: mostly before the last action, and that is still at hand."""
        kept = self._views_before.get(seat)
        if kept and kept[0] is self.match.records[number]:
            return Scene(kept[1], kept[2], words, self.match.components)
        return self.match.scene_at(number, seat, words)

    def _views(self) -> dict[int | None, tuple[np.record, np.record, View]]:
        """The views made so far, each with the position that it is of and what its seat may know of that."""
        if self.table.match is None:
            return {}
        now = self.match.records[-1]
        return {key[1]: (now, self.record(key[1]), view) for key, view in self._made.items() if key[0] == "view"}

    def scene(self, seat: int | None, lang: str, layout: str = "wide") -> Scene:
        scene: Scene = self.once(("scene", seat, lang, layout), lambda: self.scene_in(page_words(self.table.game.name, lang), seat, layout))
        return scene

    def scene_in(self, words: Words, seat: int | None, layout: str = "wide") -> Scene:
        return Scene(self.record(seat), self.view(seat), words, self.match.components, layout)

    def chart(self, lang: str, layout: str) -> str:
        return self.once_a_match(("chart", lang, layout), lambda: self.table.game.board.chart(self.scene(None, lang, layout)))

    def pieces(self, lang: str, layout: str) -> str:
        made: str = self.once(("pieces", lang, layout), lambda: self.table.game.board.pieces(self.scene(None, lang, layout)))
        return made

    def last(self) -> list[str]:
        """The spots of the last action."""
        words = page_words(self.table.game.name, LANGUAGES[0])  # spots are the same in all of them
        before = max(0, self.match.number - 1)
        spots: list[str] = self.once(("last",), lambda: last_spots(self.match, self.scene_before(before, None, words)))
        return spots

    def panel(self, seat: int, viewer: int | None, lang: str) -> Panel:
        """A seat's panel. Others' are the same for everyone; the viewer's own shows what only it knows, if anything."""
        own = viewer if viewer == seat else None
        panel: Panel = self.once(("panel", seat, own, lang), lambda: self._panel(seat, own, lang))
        return panel

    def _panel(self, seat: int, viewer: int | None, lang: str) -> Panel:
        table = self.table
        facts, points, winner = [], None, False
        if table.match is not None:
            facts = table.game.board.facts(self.scene(viewer, lang), seat)
            if table.match.over:
                points, winner = table.match.scores()[seat], seat in table.match.winners()
        return Panel(seat, seat_mark(seat), table.places[seat], viewer == seat, table.turn == seat, facts, points, winner)

    def log(self, seat: int | None, lang: str) -> list[Entry]:
        """What has happened, an entry an action, as a seat has seen it; only the latest part of a long match."""
        entries = self._logs.setdefault((seat, lang), [])
        records = self.match.records
        while entries and (entries[-1].number >= len(records) or records[entries[-1].number] is not entries[-1].record):
            entries.pop()  # it was taken back
        since = entries[-1].number if entries else max(0, self.match.number - LOG)
        words = log_words(self.table.game.name, lang)
        if not entries and since == 0:
            opening = tuple(read_line(0, text) for text in self.match.tell_opening(self.match.scene_at(0, seat, words)))
            entries.append(Entry(0, records[0], opening, len(opening)))
        if since < self.match.number:
            before, played = self.scene_before(since, seat, words), self.match.played
            for number in range(since, self.match.number):
                last = number + 1 == self.match.number
                after = self.scene_in(words, seat) if last else self.match.scene_at(number + 1, seat, words)
                lines = tuple(read_line(number + 1, text) for text in self.match.tell(Step(before, played[number], after)))
                total = len(lines) + (entries[-1].total if entries else 0)
                entries.append(Entry(number + 1, records[number + 1], lines, total))
                before = after
        return entries


def last_spots(match: Match, before: Scene) -> list[str]:
    """The spots of a match's last action, by what a spectator knew before it."""
    spots: list[str] = match.game.board.spots(before, match.played[-1]) if match.number else []
    return spots


def read_line(number: int, text: str) -> Line:
    rule = _RULE.search(text)
    return Line(number, _RULE.sub("", text), rule[1] if rule else None)


def look(looker: Looker, eye: Eye, *, preparing: bool = False) -> Seen:
    """The table as one person sees it now. On a shared device nothing of a hand is shown until its owner has taken it."""
    table = looker.table
    words = page_words(table.game.name, eye.lang)
    begun = table.match is not None
    mine = table.seats_of(eye.person)
    curtain = _curtain(table, mine, eye)
    decides = begun and table.turn is not None and table.turn == eye.seat and not table.bot
    return Seen(
        id=table.id,
        number=table.number,
        state=table.state,
        eye=eye,
        words=words,
        sentence=words.say("table_page.preparing")
        if preparing
        else looker.once(("sentence", eye.seat if decides else None, eye.lang), lambda: _sentence(looker, eye, words)),
        yours=decides,
        curtain=curtain,
        chart=looker.chart(eye.lang, eye.layout) if begun else "",
        pieces=looker.pieces(eye.lang, eye.layout) if begun else "",
        size=table.game.board.SIZE[eye.layout],
        panels=[looker.panel(seat, eye.seat, eye.lang) for seat in range(table.players)],
        hand=looker.once(("hand", eye.seat, eye.lang), lambda: table.game.board.hand(looker.scene(eye.seat, eye.lang)))
        if begun and eye.seat is not None
        else [],
        groups=groups(looker, eye) if decides else [],
        last=looker.last() if begun else [],
        undo=eye.seat is not None and table.may_undo(eye.person) == eye.seat,
        at=table.match.number if table.match else 0,
    )


def _curtain(table: Table, mine: list[int], eye: Eye) -> str | None:
    """Who is to take a device that several people share."""
    if len(mine) < 2 or table.turn not in mine or table.turn == eye.seat or table.bot:
        return None
    return table.places[table.turn].name


def _sentence(looker: Looker, eye: Eye, words: Words) -> str:
    """What is awaited."""
    table = looker.table
    if table.match is None:
        free = sum(place.free for place in table.places)
        return words.say("table_page.free", n=free) if free else words.say("table_page.ready")
    if table.settings.brought and not table.match.over:
        return words.say("table_page.brought")
    if table.match.over:
        return won(table.match, words)
    turn = table.turn or 0
    if turn == eye.seat and not table.bot:
        prompt: str = table.game.story.prompt(looker.scene(turn, eye.lang))
        return prompt
    return words.say("table_page.thinking" if table.bot else "table_page.awaits", name=table.places[turn].name)


def won(match: Match, words: Words) -> str:
    """Who has won, with how much, and what decided a tie."""
    return " ".join(match.score_sheet().verdict(match.names, words))


def groups(looker: Looker, eye: Eye) -> list[Group]:
    """The choices of the seat that decides, by their verb; with few of a kind, also those that are not allowed now."""
    assert eye.seat is not None
    game, scene = looker.table.game, looker.scene(eye.seat, eye.lang)
    legal: dict[str, None] = dict.fromkeys(scene.actions)  # in order
    by_verb: dict[str, list[str]] = {}
    for action in legal:
        by_verb.setdefault(labels(game.name, eye.lang)[action].verb, []).append(action)
    now, not_now, keys = [], [], count(1)
    for verb, actions in verbs(game.name, eye.lang).items():
        if verb in by_verb:
            shown = actions if len(actions) <= FEW else by_verb[verb]
            now.append(Group(verb, True, [_choice(looker, scene, action, next(keys) if action in legal else None) for action in shown]))
        else:
            not_now.append(Group(verb, False, [_choice(looker, scene, actions[0], None)]))
    return now + not_now


def _choice(looker: Looker, scene: Scene, action: str, nth: int | None) -> Choice:
    """One choice, the nth of those that are allowed; None: it is not."""
    game = looker.table.game
    _, label, whole = labels(game.name, scene.words.lang)[action]
    if nth is None:
        return Choice(action, label, whole, "", "", False, 0)
    does = game.story.effect(scene, action)
    return Choice(action, label, whole, does, " ".join(game.board.spots(scene, action)), True, nth if nth < 10 else 0)


class Label(NamedTuple):
    """An action's verb, what it is about as a button beside the verb says it, and the whole of it in words."""

    verb: str
    about: str
    whole: str


@cache
def labels(game_name: str, lang: str) -> dict[str, Label]:
    """Every action of a game."""
    words, found = page_words(game_name, lang), {}
    for verb, actions in verbs(game_name, lang).items():
        for action in actions:
            about = words.name(words.split(action)[1])
            about = about.upper() if len(about) == 1 else about  # a letter on the map
            found[action] = Label(verb, _capital(about or verb), f"{verb} {about}".strip())
    return found


@cache
def verbs(game_name: str, lang: str) -> dict[str, list[str]]:
    """All actions of a game by their verb, as the language says it."""
    from comptoir.engine.game import game

    words = page_words(game_name, lang)
    found: dict[str, list[str]] = {}
    for action in game(game_name).actions:
        verb = _capital(words.texts[f"actions.{words.split(action)[0]}"][lang])
        found.setdefault(verb, []).append(action)
    return found


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def patience(table: Table) -> float | None:
    """When the others may ask a bot to play for whom they wait."""
    return table.since + PATIENCE if table.turn is not None and not table.bot else None
