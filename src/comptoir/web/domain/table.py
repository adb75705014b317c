"""A table: seats, people and bots around a match.

All that happens there is an event; a table is what its events make of it.

Nothing here knows of the network or the database: what may happen is asked here (`sit`, `play`, …, which give
the event or refuse it), is kept by the store, and only then becomes so (`apply`).
"""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from typing import Any

import numpy as np

from comptoir.bots.levels import levels_of
from comptoir.engine.game import Game, get_game
from comptoir.engine.match import Match, replay, seed_hash
from comptoir.engine.names import free_name, repaired_names, skeleton
from comptoir.engine.words import words_of
from comptoir.errors import ComptoirError, IllegalAction, OptionError, UnknownAction
from comptoir.web.domain.agreement import KINDS, Proposal, learns
from comptoir.web.domain.clock import DAY, MACHINE, MINUTE, STEP, Hours, Ledger, Machine
from comptoir.web.domain.kept import KeptMatch
from comptoir.web.domain.lesson import LEARNER, Lesson, lesson_of
from comptoir.web.domain.people import nameless
from comptoir.web.limits import (
    PERSON_ASKS,
    PERSON_LEAVES,
    PERSON_SITTINGS,
    PERSON_UNDOS,
    TABLE_ARRIVALS,
    TABLE_MAKER_ARRIVALS,
    TABLE_NOTES,
    TABLE_RETRACES,
)

BOT_NAMES = ("Fernão", "Margriet", "Yusuf", "Zheng", "Ingrid", "Amina", "Rafael", "Kanoa")
STAND_IN = "merchant"  # who decides for a person that is away or out of time
LONGEST_ACTION = 80  # letters of an unknown one that an error shows
# how long the only other person at a table without a clock waits before a bot can be had for who is gone
ALONE = 10 * MINUTE
CALLED_OFF = "maker"  # why a table is closed whose maker has closed it: a key of [closed] in words.toml
COUNTED = frozenset(("sit", "bot", "undo", "retrace", "away", "ask"))  # events that people could add forever
HOURS_CHANGE = DAY  # seconds for which the hours that somebody keeps at a table stay


def bot_names() -> Iterator[str]:
    """Names for bots, without end: `Fernão`, and so on, then `Fernão 2`."""
    yield from BOT_NAMES
    for again in count(2):
        yield from (f"{name} {again}" for name in BOT_NAMES)


class Refused(ComptoirError):
    """What was asked cannot be done at this table now. `key` is a text in words.toml."""

    def __init__(self, key: str, **values: Any) -> None:
        super().__init__(key)
        self.key, self.values = key, values

    @classmethod
    def again(cls, key: str, values: dict[str, Any]) -> Refused:
        """What was refused in another process."""
        return cls(key, **values)


class OtherRules(ComptoirError):
    """A match was begun under other rules, or with another box, than there are now."""


class NotYours(Refused):
    """Only another person may do this."""


@dataclass(frozen=True)
class Event:
    """One thing that happened at a table."""

    version: int
    kind: str
    seat: int | None = None
    person: str | None = None
    text: str = ""
    at: float = 0.0


@dataclass(frozen=True)
class Note:
    """What the others are told of besides actions: that somebody took one back, took a hint, had no other
    choice for a whole turn or no time left; that a bot stands in for them, or comes and goes a pause.

    `ply`: after how many actions.
    """

    kind: str
    ply: int
    seat: int
    version: int


def _replaces(new: Note, old: Note) -> bool:
    """Whether the new note makes an earlier one of the same position needless."""
    if old.ply != new.ply:
        return False
    if new.kind == "pause":
        return old.kind in ("pause", "resume")
    return old.kind == new.kind and (old.seat == new.seat or new.kind == "resume")


@dataclass(frozen=True)
class Row:
    """A table as lists show it."""

    id: str
    game: str
    state: str
    open: bool
    version: int
    names: tuple[str, ...]
    people: tuple[str, ...]
    turn: int | None
    turn_person: str | None
    due: float | None
    updated: float

    @property
    def paused(self) -> bool:
        """Whether neither a person nor the server is to act, at a table of people."""
        return bool(self.people) and self.turn is not None and self.turn_person is None and self.due is None


@dataclass(frozen=True, eq=False)
class Task:
    """What is to be decided: a position, and the level of the bot that is to decide, if one is.

    Who leaves, comes back, takes a hint or talks changes nothing about what another seat has to decide.
    """

    position: np.record | None
    bot: str | None

    def is_same(self, other: Task) -> bool:
        """A position is the same object until it is taken back."""
        return self.position is other.position and self.bot == other.bot


@dataclass
class Seat:
    """A seat at the table: a person's (whom a bot may stand in for), a bot's, or free."""

    name: str = ""
    person: str | None = None
    level: str | None = None
    away: bool = False
    late: bool = False  # the time for this turn is spent: a bot decides until it ends

    @property
    def free(self) -> bool:
        return self.person is None and self.level is None

    @property
    def bot(self) -> str | None:
        """The level of the bot that decides here now."""
        return STAND_IN if self.away or self.late else self.level


@dataclass(frozen=True)
class Settings:
    """What a table was made with. The seed is never told before the match is over."""

    game: str
    options: dict[str, str]
    seed: str
    maker: str | None = None
    open: bool = False
    clock: int = 0  # seconds for a turn; 0: calm
    components: dict[str, Any] | None = None
    position: dict[str, Any] | None = None
    names: tuple[str, ...] = ()  # of a match that was brought, not played here
    again: str | None = None  # the table that this one follows
    no_hints: bool = False
    chat: bool = False  # whether people may write to each other what they like
    several: bool = False  # whether one person may take several seats of an open table
    past: dict[str, Any] | None = None  # what went before `position`: seed, start and actions
    lesson: bool = False  # a guided first game: its match is the game's lesson

    @property
    def brought(self) -> bool:
        return bool(self.names)

    def for_lesson(self, lesson: Lesson) -> Settings:
        """The same, with the match of a lesson."""
        match = lesson.match
        return dataclasses.replace(self, options=match.options, seed=match.seed, lesson=True)

    def text(self) -> str:
        return json.dumps(
            {key: value for key, value in vars(self).items() if value not in (None, (), False, 0)}
        )

    @classmethod
    def read(cls, text: str) -> Settings:
        given = json.loads(text)
        return cls(**given | {"names": tuple(given.get("names", ()))})


@dataclass(frozen=True)
class Begun:
    """Under which rules a match began, and with which box; tables of older servers do not say."""

    rules: int
    box: str

    @classmethod
    def now(cls, game: Game, components: dict[str, Any] | None) -> Begun:
        box = game.components if components is None else game.read_components(components)
        return cls(game.version, box.digest)

    def text(self) -> str:
        return json.dumps(vars(self))

    @classmethod
    def read(cls, text: str) -> Begun | None:
        return cls(**json.loads(text)) if text else None


@dataclass
class Table:
    """What the events so far have made."""

    id: str
    settings: Settings
    seats: list[Seat]
    version: int = 0
    updated: float = 0.0
    match: Match | None = None
    next_table: str | None = None
    begun: Begun | None = None
    outdated: bool = (
        False  # today's rules cannot replay what is stored; `match` is then as it was kept, or none
    )
    closed: str = ""  # why nobody can play here any more: a key of [closed] in words.toml
    # the beginning, and each action that was not taken back
    decisions: list[Event] = field(default_factory=list)
    notes: tuple[Note, ...] = ()
    posed: float = 0.0  # since when the position is as it is, and the same person or bot is to decide
    ledger: Ledger | None = None  # everyone's time, once the match has begun; none at a calm table
    ledgers: list[Ledger] = field(default_factory=list)  # as it stood after each decision
    hours: dict[str, Event] = field(default_factory=dict)  # who keeps hours of their own, and since when
    paused: bool = False
    proposal: Proposal | None = None
    declined: frozenset[tuple[str, str]] = frozenset()  # who has asked in vain for what, in this position
    hinted: frozenset[str] = frozenset()  # who has taken a hint in this match
    removed: frozenset[str] = frozenset()  # whom the maker does not want here
    # how often each person has done what can be done again and again, by kind and person
    tally: Counter[tuple[str, str]] = field(default_factory=Counter)
    # whether the seat's last actions have told it anything, for the position that was last asked about
    learnt: tuple[np.record, int, int, bool] | None = None
    machine: Machine = field(default=MACHINE, compare=False, repr=False)
    # when the last event was applied here, by the clock that nobody can set
    seen: float = field(default=0.0, compare=False)

    @classmethod
    def of(cls, id: str, events: Iterable[Event], machine: Machine = MACHINE) -> Table:
        """The table that these events have made; the first is `made`."""
        first, *rest = events
        settings = Settings.read(first.text)
        seats = [Seat() for _ in range(int(settings.options["players"]))]
        table = cls(id, settings, seats, first.version, first.at, machine=machine, seen=machine.steady())
        for event in rest:
            try:
                table.apply(event)
            except ComptoirError:  # today's rules do not know this match, or refuse what was played
                table._lose_match(event)
        if table.match is None and not table.outdated:
            table._check_options()
        return table

    def _lose_match(self, event: Event) -> None:
        self.match, self.outdated = None, True
        self.apply(event)

    def _check_options(self) -> None:
        """What was chosen before a match must still be there to be chosen."""
        try:
            self.game.read_options(**self.settings.options)
        except ComptoirError:
            self.outdated = True

    def compare(self, row: Row) -> None:
        """A table that does not say which rules it was played by must stand where people last saw it."""
        if (
            self.begun is None
            and row.version == self.version
            and (row.state, row.turn) != (self.state, self.turn)
        ):
            self.match, self.outdated = None, True
            self.forget_known()

    def show(self, kept: Match) -> None:
        """What today's rules cannot replay is shown as it was kept."""
        self.match = kept
        self.forget_known()

    # What it is

    @cached_property
    def game(self) -> Game:
        return get_game(self.settings.game)

    @property
    def players(self) -> int:
        return len(self.seats)

    @cached_property
    def state(self) -> str:
        if self.closed:
            return "closed"
        if self.match is None:
            return "closed" if self.outdated else "waiting"
        return "over" if self.match.over or self.settings.brought else "on"

    @cached_property
    def turn(self) -> int | None:
        return self.match.turn if self.match is not None and self.state == "on" else None

    @property
    def seed_hash(self) -> str:
        return seed_hash(self.settings.seed)

    @property
    def people(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(held.person for held in self.seats if held.person))

    def seats_of(self, person: str | None) -> list[int]:
        return [seat for seat, held in enumerate(self.seats) if person is not None and held.person == person]

    @cached_property
    def present(self) -> tuple[str, ...]:
        """The people for whom no bot stands in."""
        return tuple(dict.fromkeys(held.person for held in self.seats if held.person and not held.away))

    @property
    def bot(self) -> str | None:
        """The level of the bot that is to decide now."""
        return None if self.turn is None or self.astray else self.seats[self.turn].bot

    @property
    def unattended(self) -> bool:
        """Whether there is nobody left for whom bots would play: no person has ever sat here, or all have
        left.
        """
        return all(held.bot for held in self.seats)

    @cached_property
    def awaited(self) -> int | None:
        """The seat of the person who is to decide now; their clock runs, and nobody else's."""
        if self.turn is None or self.paused or self.bot or self.forced is not None:
            return None
        return None if self.seats[self.turn].person is None else self.turn

    # A lesson: the others play what is written, and wait for who tries something else

    @cached_property
    def lesson(self) -> Lesson | None:
        """The lesson of this table; None too if the game's lesson has become another match."""
        if not self.settings.lesson or self.match is None or self.state != "on":
            return None
        lesson = lesson_of(self.settings.game)
        if lesson is None or self.settings != self.settings.for_lesson(lesson):
            return None
        return lesson if lesson.holds(self.match) else None

    @cached_property
    def followed(self) -> int:
        """How many of the actions here are those of the lesson."""
        return self.lesson.followed(self.match.played) if self.lesson and self.match else 0

    @property
    def astray(self) -> bool:
        """Whether something was played before the lesson's end that is not in it."""
        return self.lesson is not None and self.followed < min(
            len(self.decisions) - 1, len(self.lesson.actions)
        )

    @property
    def written(self) -> str | None:
        """The action that the lesson has next; None at its end, or astray."""
        if self.lesson is None or self.astray or self.followed == len(self.lesson.actions):
            return None
        return self.lesson.actions[self.followed]

    @cached_property
    def forced(self) -> str | None:
        """The only thing that the person who is to decide can do, if everyone can know that it is: it is
        played by itself.
        """
        if self.match is None or self.turn is None or self.bot or self.astray:
            return None
        return self.match.forced()

    @cached_property
    def ending(self) -> int | None:
        """The seat of a person whose turn has just ended by itself, if the server is next to act and what
        ended it can be taken back.

        By itself: not by a choice that is there to end it. In a lesson, the guide goes on.
        """
        match, last = self.match, self.decisions[-1] if self.decisions else None
        if match is None or last is None or last.seat is None or not (self.bot or self.forced) or self.lesson:
            return None
        if self.turn == last.seat or self.may_undo(self.seats[last.seat].person) != last.seat:
            return None
        before = match.scene_at(match.ply - 1, last.seat, words_of(self.settings.game, "en"))
        ended, action = match.ended_turn(match.ply), match.action_at(match.ply)
        return None if not ended or match.game.story.offer(before, action).final else last.seat

    def ending_until(self, seconds: float) -> float:
        """When whose turn has ended by itself is no longer waited for: after some seconds, and not after the
        time that they would have to decide anew.
        """
        last = self.decisions[-1]
        if self.ledger is None:
            return last.at + seconds
        assert last.seat is not None
        return last.at + min(seconds, self._taken_back_to(self.ply_before_undo()).purses[last.seat].left)

    def ply_before_undo(self) -> int:
        """After how many actions the match stands if what ended a turn is taken back."""
        back = next(n for n, event in enumerate(reversed(self.decisions), 1) if event.kind != "forced")
        return len(self.decisions) - back - 1

    def _taken_back_to(self, ply: int) -> Ledger:
        """Everyone's time if the match goes back there: taking back gives nobody more."""
        assert self.ledger is not None
        return self.ledger.back_to(self.ledgers[ply])

    @property
    def due(self) -> float | None:
        """When the server itself is to act: at once for a bot or if there is no choice, or when a person's
        time is spent.
        """
        if self.turn is None or self.paused:
            return None
        if self.bot or self.forced:
            return self.posed
        return self.ledger.due if self.ledger else None

    @property
    def since(self) -> float:
        """Since when the seat that decides has been awaited."""
        return self.decisions[-1].at if self.decisions else self.updated

    def row(self) -> Row:
        turn_person = None if self.turn is None or self.bot or self.paused else self.seats[self.turn].person
        names = tuple(held.name for held in self.seats)
        return Row(
            self.id,
            self.settings.game,
            self.state,
            self.settings.open,
            self.version,
            names,
            self.people,
            self.turn,
            turn_person,
            None if self.unattended else self.due,  # those who come to watch see to it
            self.updated,
        )

    # The time here

    @property
    def steady(self) -> float:
        """The time of the last event, and what has passed since by the clock that nobody can set."""
        return self.updated + self.machine.steady() - self.seen

    @property
    def clock_set(self) -> bool:
        """Whether the machine's clock was set while somebody's time runs here."""
        runs = self.ledger is not None and self.ledger.running is not None
        return runs and abs(self.machine.time() - self.steady) > STEP

    def now(self) -> float:
        """The time at this table: the machine's, or where that was set, as if it had not been. So nobody is
        charged for the difference, nor given it.
        """
        return self.steady if self.clock_set else self.machine.time()

    def reckon(self) -> None:
        """How long ago the last event was, for a table that was just read from the store, or what another
        process has written. In a live match nobody is charged for more than this process has watched: while
        the server was down, they could not act.
        """
        age = self.machine.age(self.updated)
        if self.ledger is not None and not self.ledger.by_days:
            age = min(age, self.machine.uptime)
        self.seen = self.machine.steady() - age

    # What may happen: each gives the event, or raises Refused or the rule's own refusal

    def _event(self, kind: str, seat: int | None = None, person: str | None = None, text: str = "") -> Event:
        return Event(self.version + 1, kind, seat, person, text, self.now())

    def _within(self, most: int, kind: str, person: str) -> None:
        """Refuses what somebody has done often enough at this table. No play is ever refused for it."""
        if self.tally[kind, person] >= most:
            raise Refused("refuse.many_times", n=most)

    def _lobby_open(self, person: str) -> None:
        """Refuses a further arrival where people have come and gone without end; the maker has some more."""
        arrivals = sum(n for (kind, _), n in self.tally.items() if kind in ("sit", "bot"))
        if arrivals >= (TABLE_MAKER_ARRIVALS if person == self.settings.maker else TABLE_ARRIVALS):
            raise Refused("refuse.lobby")

    def _seat_at(self, seat: int) -> Seat:
        if not 0 <= seat < self.players:
            raise Refused("refuse.no_seat", n=seat)
        return self.seats[seat]

    def _waiting(self) -> None:
        if self.state == "closed":
            raise Refused("refuse.closed")
        if self.match is not None:
            raise Refused("refuse.begun")

    def sit(self, person: str, seat: int, name: str) -> Event:
        """A person takes a free seat."""
        self._waiting()
        if person in self.removed:
            raise NotYours("refuse.removed")
        if not self._seat_at(seat).free:
            raise Refused("refuse.taken")
        if not self.may_sit(person):
            raise Refused("refuse.one_seat")
        self._within(PERSON_SITTINGS, "sit", person)
        self._lobby_open(person)
        return self._event("sit", seat, person, free_name(name, self._names()))

    def may_sit(self, person: str | None) -> bool:
        """Whether a person may take a free seat. Of a table that is open to all everyone takes one, but for
        the maker, who may have people beside them; at others several people may share a device.
        """
        if person in self.removed:
            return False
        one_each = self.settings.open and not self.settings.several
        return not one_each or person == self.settings.maker or not self.seats_of(person)

    def _names(self) -> list[str]:
        return [held.name for held in self.seats if held.name]

    def rise(self, person: str, seat: int) -> Event:
        """A person leaves a seat before the match has begun; the maker may also send a bot away."""
        self._waiting()
        held = self._seat_at(seat)
        if held.person != person and not (held.level and person == self.settings.maker):
            raise NotYours("refuse.not_yours")
        return self._event("rise", seat, person)

    def remove(self, person: str, seat: int) -> Event:
        """The maker sends a person away, from all their seats here and for good."""
        self._waiting()
        if person != self.settings.maker:
            raise NotYours("refuse.maker")
        if self._seat_at(seat).person in (None, person):
            raise Refused("refuse.no_person")
        return self._event("remove", seat, person)

    def call_off(self, person: str) -> Event:
        """The maker closes a table at which no match has begun."""
        self._waiting()
        if person != self.settings.maker:
            raise NotYours("refuse.maker")
        return self._event("closed", None, person, CALLED_OFF)

    def seat_bot(self, person: str, seat: int, level: str) -> Event:
        """The maker puts a bot on a free seat."""
        self._waiting()
        if person != self.settings.maker:
            raise NotYours("refuse.maker")
        if not self._seat_at(seat).free:
            raise Refused("refuse.taken")
        known = levels_of(self.game)
        if level not in known:
            raise OptionError(f"level: expected one of {', '.join(known)}, found {level!r}")
        self._lobby_open(person)
        return self._event("bot", seat, person, level)

    def begin(self, person: str) -> Event:
        """Somebody who sits there starts the match, once all seats are taken."""
        self._waiting()
        if not self.seats_of(person) and person != self.settings.maker:
            raise NotYours("refuse.not_yours")
        if any(held.free for held in self.seats):
            raise Refused("refuse.free_seats")
        return self.beginning(person)

    def beginning(self, person: str | None) -> Event:
        """The match begins, under today's rules."""
        return self._event("begin", None, person, Begun.now(self.game, self.settings.components).text())

    def play(self, person: str | None, seat: int | None, action: str) -> Event:
        """The seat that is to decide acts; for None the server does, for a bot or without a choice."""
        match = self._going_on()
        if seat is None or seat != self.turn:
            raise Refused("refuse.not_your_turn", name=self.seats[self.turn or 0].name)
        if person is not None and self.seats[seat].person != person:
            raise NotYours("refuse.not_yours")
        if person is not None and self.seats[seat].late:
            raise Refused("refuse.late")
        self.check_action(action)
        refusal = match.why_not(action)
        if refusal is not None:
            raise IllegalAction(action, *refusal)
        return self._event("forced" if action == self.forced else "play", seat, person, action)

    def check_action(self, action: str) -> None:
        """Raises UnknownAction for what is none of the game; it does not look for one that is close."""
        if not self.game.knows(action):
            raise UnknownAction(f"{action[:LONGEST_ACTION]!r} is no action of {self.game.name}")

    def _on(self) -> Match:
        if self.state == "closed":
            raise Refused("refuse.closed")
        if self.match is None:
            raise Refused("refuse.not_begun")
        if self.state != "on":
            raise Refused("refuse.over")
        return self.match

    def _going_on(self) -> Match:
        match = self._on()
        if self.paused:
            raise Refused("refuse.paused")
        return match

    def may_undo(self, person: str | None) -> int | None:
        """The seat of this person's that may take back its last action: one of its own, not what a bot did
        for it.
        """
        taken_back = self._taken_back(person)
        return None if taken_back is None else taken_back[0]

    def _taken_back(self, person: str | None) -> tuple[int, int] | None:
        """The seat that would take back its last decision, and how many actions go with it: what followed by
        itself does.
        """
        if self.match is None or self.state != "on" or self.paused or person is None:
            return None
        if self.tally["undo", person] >= PERSON_UNDOS:
            return None
        for back, event in enumerate(reversed(self.decisions), 1):
            seat = self.match.undo_seat(back)
            if seat is None or self.seats[seat].person != person or self.seats[seat].bot:
                return None
            if event.kind != "forced":
                return (seat, back) if event.person == person else None
        return None

    def undo(self, person: str) -> Event:
        self._going_on()
        self._within(PERSON_UNDOS, "undo", person)
        taken_back = self._taken_back(person)
        if taken_back is None:
            raise Refused("refuse.undo")
        seat, back = taken_back
        return self._event("undo", seat, person, "" if back == 1 else str(back))

    def retrace(self, person: str, *, start: bool = False) -> Event:
        """The learner goes back to where the lesson was left, or to its start.

        Whatever was turned up since: the match is fixed, and nobody else plays.
        """
        self._going_on()
        if LEARNER not in self.seats_of(person):
            raise NotYours("refuse.not_yours")
        if self.lesson is None or not (self.astray or start):
            raise Refused("refuse.lesson")
        self._within(TABLE_RETRACES, "retrace", person)
        return self._event("retrace", LEARNER, person, str(0 if start else self.followed))

    def may_retrace(self, person: str) -> bool:
        """Whether a learner can still go back here; else the lesson is started again at a new table."""
        return self.tally["retrace", person] < TABLE_RETRACES

    def hint(self, person: str) -> Event:
        """A person asks for advice, and the others may know it."""
        self._going_on()
        if self.settings.no_hints:
            raise Refused("refuse.no_hints")
        if self.turn is None or self.bot or self.seats[self.turn].person != person:
            raise Refused("refuse.not_your_turn", name=self.seats[self.turn or 0].name)
        return self._event("hint", self.turn, person)

    def hint_noted(self) -> bool:
        """Whether the others are told of a hint already; alone, whether one has been taken in this match."""
        if len(self.people) < 2:
            return self.hinted.issuperset(self.people)
        now = ("hint", len(self.decisions) - 1)
        return any((note.kind, note.ply) == now for note in self.notes)

    def leave(self, person: str, seat: int) -> Event:
        """A bot plays on for a person who leaves."""
        self._on()
        held = self._seat_at(seat)
        if held.person is None or held.away:
            raise Refused("refuse.no_person")
        if held.person != person:
            raise NotYours("refuse.not_yours")
        self._within(PERSON_LEAVES, "away", person)
        return self._event("away", seat, person)

    def come_back(self, person: str, seat: int) -> Event:
        """The person takes their seat back from the bot."""
        self._on()
        held = self._seat_at(seat)
        if held.person != person:
            raise NotYours("refuse.not_yours")
        if not held.away:
            raise Refused("refuse.not_away")
        return self._event("back", seat, person)

    def run_out(self) -> Event:
        """The server's: the time of whom everyone waits for is spent, and a bot plays on for them."""
        if self.awaited is None or self.ledger is None:
            raise Refused("refuse.stale")
        return self._event("late", self.awaited)

    def set_clock(self) -> Event:
        """The server's: from now on the time here is the machine's again. What has passed until now is said,
        since the difference of the two does not tell it.
        """
        if not self.clock_set:
            raise Refused("refuse.stale")
        passed = max(0.0, self.steady - self.updated)
        return Event(self.version + 1, "clock", text=repr(passed), at=self.machine.time())

    def keep_hours(self, person: str, hours: Hours | None) -> Event:
        """Where a turn has days, time counts within a person's own hours; they are changed once a day."""
        if self.state not in ("waiting", "on"):
            raise Refused("refuse.over")
        if not self.seats_of(person) or self.settings.clock < DAY:
            raise NotYours("refuse.not_yours")
        event = self._event("hours", None, person, hours.text() if hours else "")
        kept = self.hours.get(person, Event(0, "hours"))
        if event.text == kept.text or event.at < kept.at + HOURS_CHANGE:
            raise Refused("refuse.hours")
        return event

    # What people ask each other for

    def asked(self) -> tuple[str, ...]:
        """The people whose consent a proposal still needs: all others who are there, but for whom it is
        about.
        """
        proposal = self.proposal
        if proposal is None:
            return ()
        settled = {proposal.person, *proposal.agreed}
        if proposal.what == "stand-in":
            settled.add(self.seats[proposal.seat].person or "")
        return tuple(person for person in self.present if person not in settled)

    def may_ask(self, person: str | None) -> list[str]:
        """What this person could ask the others for now."""
        return [what for what in KINDS if person is not None and self._why_not_ask(person, what) is None]

    def ask(self, person: str, what: str, seat: int | None = None) -> Event:
        """Somebody asks the others: `pause`, `stand-in` for whom they wait, or `undo`.

        Who is alone among bots has nobody to ask, and it is so at once.
        """
        self._on()
        if what not in KINDS:
            raise Refused("refuse.message")
        if person not in self.present:
            raise NotYours("refuse.not_yours")
        if what == "stand-in" and seat not in (None, self.awaited):
            raise Refused("refuse.stale")
        refusal = self._why_not_ask(person, what)
        if refusal is None and what == "undo":
            refusal = Refused("refuse.learnt") if self._learns(*self.far_back(person)) else None
        if refusal is not None:
            raise refusal
        about = self.awaited if what == "stand-in" else self.seats_of(person)[0]
        return self._event("ask", self.far_back(person)[0] if what == "undo" else about, person, what)

    def _learns(self, seat: int, back: int) -> bool:
        """Whether a seat has learnt anything since its action; found out once per position, however often
        somebody asks.
        """
        assert self.match is not None
        now = self.match.records[-1]
        if self.learnt is None or self.learnt[0] is not now or self.learnt[1:3] != (seat, back):
            self.learnt = now, seat, back, learns(self.match, seat, back)
        return self.learnt[3]

    def _why_not_ask(self, person: str, what: str) -> Refused | None:
        if self.state != "on" or self.settings.lesson or person not in self.present:
            return Refused("refuse.not_yours")
        if self.proposal is not None:
            return Refused("refuse.asked")
        if self.paused:
            return Refused("refuse.paused")
        if (person, what) in self.declined:
            return Refused("refuse.declined")
        if self.tally[f"ask {what}", person] >= PERSON_ASKS:
            return Refused("refuse.many_times", n=PERSON_ASKS)
        if what == "stand-in":
            return self._why_no_stand_in(person)
        if what == "undo" and (self.may_undo(person) is not None or not self.far_back(person)[1]):
            return Refused("refuse.undo")
        return None

    def _why_no_stand_in(self, person: str) -> Refused | None:
        """Nobody decides alone that another's turn is over while that one's clock runs, or soon after."""
        if self.awaited is None or self.seats[self.awaited].person == person:
            return Refused("refuse.not_awaited")
        if len(self.present) > 2:
            return None
        if self.ledger is not None:
            return Refused("refuse.their_clock")
        return Refused("refuse.alone", n=ALONE // MINUTE) if self.steady < self.since + ALONE else None

    def far_back(self, person: str) -> tuple[int, int]:
        """The seat of a person's last action, and how many actions it is back, if nothing was turned up since
        and no bot has played there; else 0 actions.
        """
        mine = self.seats_of(person)
        for back, event in enumerate(reversed(self.decisions), 1):
            if event.kind == "play" and event.seat in mine:
                seat = self.match.undo_seat(back) if self.match else None
                mine_alone = event.person == person and seat == event.seat
                return (event.seat, back) if seat is not None and mine_alone else (event.seat, 0)
        return 0, 0

    def answer(self, person: str, agrees: bool) -> Event:
        """Somebody agrees to what is asked, or does not; who asked may withdraw it. Whom a bot is to stand in
        for has only to say that they are there.
        """
        self._on()
        if self.proposal is None:
            raise Refused("refuse.stale")
        asked = person in self.asked()
        if not asked and (agrees or person not in self.present):
            raise NotYours("refuse.not_asked")
        return self._event("agree" if agrees else "decline", None, person)

    def resume(self, person: str) -> Event:
        """Whoever sits there ends a pause."""
        self._on()
        if not self.paused:
            raise Refused("refuse.not_paused")
        if not self.seats_of(person):
            raise NotYours("refuse.not_yours")
        return self._event("resume", self.seats_of(person)[0], person)

    def may_hurry(self, person: str | None) -> bool:
        """Whether this person may say how fast bots act here: who sits alone among them, or who made the
        table.
        """
        alone = len(self.people) == 1 or person == self.settings.maker
        return alone and bool(self.seats_of(person)) and any(held.bot for held in self.seats)

    def play_again(self, person: str, table: str) -> Event:
        """Somebody who sat here has made a new table for the same people."""
        over = self.state in ("over", "closed") and self.closed != CALLED_OFF
        if not over or self.next_table is not None:
            raise Refused("refuse.again")
        if not self.seats_of(person):
            raise NotYours("refuse.not_yours")
        return self._event("again", None, person, table)

    def forget(self, person: str) -> Event:
        """Somebody has deleted themselves: their name goes, and a bot plays on for them."""
        if not self.seats_of(person):
            raise NotYours("refuse.not_yours")
        return self._event("gone", None, person)

    def close(self, was: str) -> Event:
        """Today's rules cannot go on with what is stored here; `was`: the state that people last saw."""
        why = {"waiting": "waiting", "over": "finished"}.get(was, "running")
        return self._event("closed", text="damaged" if self._begun_today() else why)

    def _begun_today(self) -> bool:
        """Whether the match began under today's rules, with today's box."""
        try:
            return self.begun == Begun.now(self.game, self.settings.components)
        except ComptoirError:
            return False

    # What an event changes

    def after(self, event: Event) -> Table:
        """The table as it will be once the event has been kept; this one stays as it is."""
        seats = [dataclasses.replace(held) for held in self.seats]
        twin = dataclasses.replace(
            self,
            seats=seats,
            decisions=self.decisions[:],
            ledgers=self.ledgers[:],
            hours={**self.hours},
            tally=self.tally.copy(),
        )
        if self.match is not None:
            twin.match = self.match.at(self.match.ply)
        twin.apply(event)
        return twin

    def apply(self, event: Event) -> None:
        """Makes it so. Events come in order, as the store has kept them."""
        if event.version != self.version + 1:
            raise ValueError(f"event {event.version} cannot follow {self.version}")
        before, decided = self.task, len(self.decisions)
        if self.ledger is not None:
            set_anew = event.kind == "clock"
            self.ledger = self.ledger.until(self.updated + float(event.text) if set_anew else event.at)
        getattr(self, f"_apply_{event.kind}")(event)
        if event.kind in COUNTED:
            kind = f"ask {event.text}" if event.kind == "ask" else event.kind
            self.tally[kind, event.person or ""] += 1
        self.version, self.updated, self.seen = event.version, event.at, self.machine.steady()
        self.forget_known()
        if self.proposal is not None:
            self._settle(event)
            self.forget_known()
        if len(self.decisions) != decided:
            self.declined = frozenset()
        if not self.task.is_same(before):
            self.posed = event.at
        self._run_clock()

    @property
    def task(self) -> Task:
        """What is to be decided now, and by whom."""
        return Task(self.match.records[-1] if self.match and self.turn is not None else None, self.bot)

    def _run_clock(self) -> None:
        """Whom everyone waits for now uses their time."""
        if self.ledger is None:
            return
        self.ledger = self.ledger.run(self.awaited)
        del self.ledgers[len(self.decisions) :]
        if len(self.ledgers) < len(self.decisions):
            self.ledgers.append(self.ledger)

    def forget_known(self) -> None:
        """What is asked for often is kept while nothing happens."""
        for known in ("state", "turn", "present", "awaited", "forced", "ending", "lesson", "followed"):
            self.__dict__.pop(known, None)

    def _apply_sit(self, event: Event) -> None:
        self.seats[event.seat or 0] = Seat(event.text, event.person)

    def _apply_rise(self, event: Event) -> None:
        self.seats[event.seat or 0] = Seat()

    def _apply_remove(self, event: Event) -> None:
        gone = self.seats[event.seat or 0].person or ""
        self.seats = [Seat() if held.person == gone else held for held in self.seats]
        self.removed |= {gone}

    def _apply_bot(self, event: Event) -> None:
        taken = {skeleton(name) for name in self._names()}
        name = next(name for name in bot_names() if skeleton(name) not in taken)
        self.seats[event.seat or 0] = Seat(name, level=event.text)

    def _apply_begin(self, event: Event) -> None:
        self.begun = Begun.read(event.text)
        if not self.outdated:
            self.match = self._first_position()
        self.decisions.append(event)
        if self.settings.brought:
            self.seats = [Seat(name) for name in repaired_names(self.settings.names)]
        elif self.settings.clock and not self.settings.lesson:
            begun = Ledger.begin(self.settings.clock, self.players)
            self.ledger = dataclasses.replace(begun, since=event.at)
            self._count_hours()

    def _first_position(self) -> Match:
        """The match with nothing played yet."""
        settings = self.settings
        if self.begun not in (None, Begun.now(self.game, settings.components)):
            raise OtherRules
        # what is stored already is shown, whatever an older server took for a name
        names = repaired_names(settings.names or [held.name for held in self.seats])
        given = {"position": settings.position} if settings.position else settings.options
        return Match(settings.game, seed=settings.seed, names=names, components=settings.components, **given)

    def past(self) -> Match | None:
        """The match that this one goes on from, under the names of those who sit here now."""
        settings = self.settings
        if settings.past is None or self.match is None:
            return None
        start, seed = settings.past["start"], settings.past["seed"]
        match = Match(
            settings.game, seed=seed, names=self.match.names, components=settings.components, **start
        )
        return replay(match, settings.past["actions"])

    def _apply_play(self, event: Event) -> None:
        if not self.outdated:
            assert self.match is not None
            if event.seat is None or event.seat != self.match.turn:
                raise OtherRules
            self.match.play(event.text)
            self._end_turn(event.seat)
        self.decisions.append(event)

    def _end_turn(self, seat: int) -> None:
        """Whose turn has ended, or who is followed by another seat, has a whole turn's time for the next."""
        assert self.match is not None
        if self.match.turn == seat and not self.match.ended_turn(self.match.ply):
            return
        if self.ledger is not None:
            self.ledger = self.ledger.end_turn(seat, saved=self.seats[seat].bot is None)
        self.seats[seat].late = False

    def _apply_forced(self, event: Event) -> None:
        """There was no other choice. Of a whole turn that went so, everyone is told why nothing was asked."""
        began = self.decisions[-1].seat != event.seat
        self._apply_play(event)
        if began and self.match is not None and self.match.ended_turn(self.match.ply):
            self._add_note(event)

    def _apply_undo(self, event: Event) -> None:
        self._take_back(int(event.text or 1), event.seat or 0, event.version)

    def _take_back(self, back: int, seat: int, version: int) -> None:
        ply = len(self.decisions) - back - 1
        if self.ledger is not None:
            self.ledger = self._taken_back_to(ply)
        for _ in range(back):
            if not self.outdated:
                assert self.match is not None
                self.match.undo()
            self.decisions.pop()
        for other, held in enumerate(self.seats):
            held.late = held.late and self.match is not None and self.match.turn == other
        self.notes = tuple(note for note in self.notes if (note.ply, note.kind) < (ply, "undo"))
        self._note(Event(version, "undo", seat))

    def _apply_retrace(self, event: Event) -> None:
        ply = int(event.text)
        if not self.outdated:
            assert self.match is not None
            self.match = self.match.at(ply)
        del self.decisions[ply + 1 :]

    def _note(self, event: Event) -> None:
        """The others are told, if there are others."""
        if len(self.people) > 1:
            self._add_note(event)

    def _add_note(self, event: Event) -> None:
        """In one position only the last pause and its end are worth telling, and the rest once per seat:
        whoever pauses and resumes in a loop adds nothing to what everyone is sent.
        """
        new = Note(event.kind, len(self.decisions) - 1, event.seat or 0, event.version)
        kept = [note for note in self.notes if not _replaces(new, note)]
        self.notes = (*kept[1 - TABLE_NOTES :], new)

    def _apply_hint(self, event: Event) -> None:
        self.hinted |= {event.person or ""}
        self._note(event)

    def _apply_closed(self, event: Event) -> None:
        self.closed = event.text

    def _apply_away(self, event: Event) -> None:
        self.seats[event.seat or 0].away = True

    def _apply_back(self, event: Event) -> None:
        self.seats[event.seat or 0].away = False

    def _apply_late(self, event: Event) -> None:
        """A bot plays on, and at least to the end of this turn."""
        held = self.seats[event.seat or 0]
        held.away = held.late = True
        if self.ledger is not None:
            self.ledger = self.ledger.spent(event.seat or 0)
        self._add_note(event)

    def _apply_clock(self, event: Event) -> None:
        if self.ledger is not None:
            self.ledger = dataclasses.replace(self.ledger, since=event.at)

    def _apply_hours(self, event: Event) -> None:
        self.hours[event.person or ""] = event
        self._count_hours()

    def _count_hours(self) -> None:
        if self.ledger is not None:
            kept = {person: Hours.read(event.text) for person, event in self.hours.items()}
            self.ledger = self.ledger.keep_hours([kept.get(held.person or "") for held in self.seats])

    def _apply_ask(self, event: Event) -> None:
        back = self.far_back(event.person or "")[1] if event.text == "undo" else 0
        self.proposal = Proposal(
            event.text, event.person or "", event.seat or 0, len(self.decisions), back=back
        )

    def _apply_agree(self, event: Event) -> None:
        if self.proposal is not None:
            agreed = self.proposal.agreed | {event.person or ""}
            self.proposal = dataclasses.replace(self.proposal, agreed=agreed)

    def _apply_decline(self, event: Event) -> None:
        if self.proposal is not None:
            self.declined |= {(self.proposal.person, self.proposal.what)}
        self.proposal = None

    def _settle(self, event: Event) -> None:
        """What all have agreed to is so; what is no longer to be had is forgotten."""
        proposal = self.proposal
        assert proposal is not None
        if not self._stands(proposal):
            self.proposal = None
        elif not self.asked():
            self.proposal = None
            self._carry_out(proposal, event)

    def _stands(self, proposal: Proposal) -> bool:
        if self.state != "on" or self.paused or proposal.person not in self.present:
            return False
        if proposal.what == "pause":
            return True
        return proposal.decisions == len(self.decisions) and (
            proposal.what == "undo" or self.awaited == proposal.seat
        )

    def _carry_out(self, proposal: Proposal, event: Event) -> None:
        done = Event(event.version, proposal.what, proposal.seat)
        match proposal.what:
            case "pause":
                self.paused = True
                self._note(done)
            case "stand-in":
                self.seats[proposal.seat].away = True
                self._note(done)
            case "undo":
                self._take_back(proposal.back, proposal.seat, event.version)

    def _apply_resume(self, event: Event) -> None:
        self.paused = False
        self._note(event)

    def _apply_again(self, event: Event) -> None:
        self.next_table = event.text

    def _apply_gone(self, event: Event) -> None:
        seats, state = self.seats_of(event.person), self.state
        for seat in seats:
            bot = STAND_IN if state == "on" else None
            self.seats[seat] = Seat() if state == "waiting" else Seat(nameless(seat), level=bot)
        if isinstance(self.match, KeptMatch):
            self.match.forget(seats)
        elif self.match is not None:
            self.match.names = [held.name for held in self.seats]
        self.hours.pop(event.person or "", None)
        self._count_hours()
