"""A table as a value: seats, people and bots around a match, as the events so far have made it.

Nothing here changes. `decide` says which event a command leads to, or refuses it; the event is stored, and
`evolve` gives the state that follows it. None of them knows of the network or the database.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from comptoir.engine.components import Tables
from comptoir.engine.forced import forced_action
from comptoir.engine.game import Game, get_game
from comptoir.engine.match import Match, seed_hash
from comptoir.engine.rule import Position
from comptoir.engine.view import Plain
from comptoir.engine.words import words_of
from comptoir.web.domain.clock import STEP, Instant, TableClocks
from comptoir.web.domain.immutable import derived
from comptoir.web.domain.lesson import Lesson, lesson_of
from comptoir.web.domain.proposals import Proposal
from comptoir.web.limits import PERSON_UNDOS

SUBSTITUTE_LEVEL = "merchant"  # the level of the bot that decides for a person who is away or out of time
CANCELLED = "maker"  # why a table is closed whose creator has closed it: a key of [closed] in words.toml


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
    """Something that the log shows apart from actions: an undo, a hint, a turn without a choice, time that
    has run out, a bot that stands in, a pause or its end.

    `ply`: after how many actions.
    """

    kind: str
    ply: int
    seat: int
    version: int

    def replaces(self, old: Note) -> bool:
        """Whether this one makes an earlier note of the same position needless."""
        if old.ply != self.ply:
            return False
        if self.kind == "pause":
            return old.kind in ("pause", "resume")
        return old.kind == self.kind and (old.seat == self.seat or self.kind == "resume")


@dataclass(frozen=True)
class TableSummary:
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
class PendingDecision:
    """The next decision: the position, and the level of the bot that is to decide, if one is.

    Leaving, coming back, taking a hint and talking change nothing about what another seat has to decide.
    """

    position: Position | None
    bot: str | None

    def is_same(self, other: PendingDecision) -> bool:
        """A position is the same object until it is taken back."""
        return self.position is other.position and self.bot == other.bot


@dataclass(frozen=True)
class Seat:
    """A seat at the table: a person's (a bot may stand in for them), a bot's, or free."""

    name: str = ""
    person: str | None = None
    level: str | None = None
    away: bool = False
    timed_out: bool = False  # the time for this turn is spent: a bot decides until it ends

    @property
    def free(self) -> bool:
        return self.person is None and self.level is None

    @property
    def bot(self) -> str | None:
        """The level of the bot that decides here now."""
        return SUBSTITUTE_LEVEL if self.away or self.timed_out else self.level


# under which keys some settings are stored: those of the first version, which every version reads
STORED_KEYS = {
    "creator": "maker",
    "rematch_of": "again",
    "multiple_seats": "several",
    "prior_match": "past",
}
_FIELDS = {stored: name for name, stored in STORED_KEYS.items()}


@dataclass(frozen=True)
class TableSettings:
    """The settings of a table. The seed stays secret until the match is over."""

    game: str
    options: dict[str, str]
    seed: str
    creator: str | None = None
    open: bool = False
    clock: int = 0  # seconds for a turn; 0: untimed
    components: Tables | None = None
    position: Plain | None = None
    names: tuple[str, ...] = ()  # of an imported match
    rematch_of: str | None = None  # the table that this one follows
    no_hints: bool = False
    chat: bool = False  # whether people may write to each other what they like
    multiple_seats: bool = False  # whether one person may take several seats of an open table
    prior_match: Plain | None = None  # before `position`: seed, start and actions
    lesson: bool = False  # a guided first game: its match is the game's lesson

    @property
    def imported(self) -> bool:
        return bool(self.names)

    def for_lesson(self, lesson: Lesson) -> TableSettings:
        """The same, with the match of a lesson."""
        match = lesson.match
        return dataclasses.replace(self, options=match.options, seed=match.seed, lesson=True)

    def text(self) -> str:
        """As they are stored: those that are not the default, as JSON."""
        given = {name: value for name, value in vars(self).items() if value not in (None, (), False, 0)}
        return json.dumps({STORED_KEYS.get(name, name): value for name, value in given.items()})

    @classmethod
    def read(cls, text: str) -> TableSettings:
        given = {_FIELDS.get(key, key): value for key, value in json.loads(text).items()}
        return cls(**given | {"names": tuple(given.get("names", ()))})


@dataclass(frozen=True)
class RulesStamp:
    """The version of the rules and the hash of the components with which a match began.

    Tables of older servers have none.
    """

    rules: int
    box: str

    @classmethod
    def today(cls, game: Game, components: Tables | None) -> RulesStamp:
        box = game.components if components is None else game.read_components(components)
        return cls(game.version, box.digest)

    def text(self) -> str:
        return json.dumps(vars(self))

    @classmethod
    def read(cls, text: str) -> RulesStamp | None:
        return cls(**json.loads(text)) if text else None


@dataclass(frozen=True, eq=False)
class Table:
    """What the events so far have made. Two states of a match share its positions; nobody changes them.

    What is derived here is kept with the state that it is derived from, so it cannot be stale.
    """

    id: str
    settings: TableSettings
    seats: tuple[Seat, ...]
    version: int
    updated: float
    match: Match | None = None
    next_table: str | None = None
    begun: RulesStamp | None = None
    # today's rules cannot replay what is stored; `match` is then as it was kept, or none
    outdated: bool = False
    closed: str = ""  # why nobody can play here any more: a key of [closed] in words.toml
    # the beginning, and each action that was not taken back
    decisions: tuple[Event, ...] = ()
    notes: tuple[Note, ...] = ()
    waiting_since: float = 0.0  # since when the position is as it is, and the same person or bot is to decide
    clocks: TableClocks | None = None  # everyone's time, once the match has begun; none at an untimed table
    clock_history: tuple[TableClocks, ...] = ()  # as it stood after each decision
    hours: Mapping[str, Event] = field(default_factory=dict)  # who keeps hours of their own, and since when
    paused: bool = False
    proposal: Proposal | None = None
    declined: frozenset[tuple[str, str]] = frozenset()  # who was refused what, in this position
    hint_takers: frozenset[str] = frozenset()  # who has taken a hint in this match
    removed: frozenset[str] = frozenset()  # whom the creator has removed
    # how often each person has done what can be done again and again, by kind and person
    tally: Mapping[tuple[str, str], int] = field(default_factory=dict)

    # What it is

    @derived
    def game(self) -> Game:
        return get_game(self.settings.game)

    @property
    def players(self) -> int:
        return len(self.seats)

    @derived
    def state(self) -> str:
        if self.closed:
            return "closed"
        if self.match is None:
            return "closed" if self.outdated else "waiting"
        return "over" if self.match.over or self.settings.imported else "on"

    @derived
    def turn(self) -> int | None:
        return self.match.turn if self.match is not None and self.state == "on" else None

    @property
    def seed_hash(self) -> str:
        return seed_hash(self.settings.seed)

    @derived
    def people(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(held.person for held in self.seats if held.person))

    @derived
    def _seats_by_person(self) -> dict[str | None, list[int]]:
        found: dict[str | None, list[int]] = {}
        for seat, held in enumerate(self.seats):
            if held.person is not None:
                found.setdefault(held.person, []).append(seat)
        return found

    def seats_of(self, person: str | None) -> list[int]:
        return self._seats_by_person.get(person) or []

    @derived
    def present(self) -> tuple[str, ...]:
        """The people for whom no bot stands in."""
        return tuple(dict.fromkeys(held.person for held in self.seats if held.person and not held.away))

    @property
    def unattended(self) -> bool:
        """Whether there is nobody left for whom bots would play: no person has ever sat here, or all have
        left.
        """
        return all(held.bot for held in self.seats)

    # Who is to act, and when

    @derived
    def bot(self) -> str | None:
        """The level of the bot that is to decide now."""
        turn = self.turn
        return None if turn is None or self.off_script else self.seats[turn].bot

    @derived
    def pending(self) -> PendingDecision:
        """What is to be decided now, and by whom."""
        if self.match is None or self.turn is None:
            return PendingDecision(None, None)
        return PendingDecision(self.match.records[-1], self.bot)

    @derived
    def seat_to_act(self) -> int | None:
        """The seat of the person who is to decide now; their clock runs, and nobody else's."""
        if self.turn is None or self.paused or self.bot or self.forced is not None:
            return None
        return None if self.seats[self.turn].person is None else self.turn

    @derived
    def forced(self) -> str | None:
        """The only thing that the person who is to decide can do, if everyone can know that it is: it is
        played automatically.
        """
        if self.match is None or self.turn is None or self.bot or self.off_script:
            return None
        return forced_action(self.match)

    @derived
    def due(self) -> float | None:
        """When the server itself is to act: at once for a bot or if there is no choice, or when a person's
        time is spent.
        """
        if self.turn is None or self.paused:
            return None
        if self.bot or self.forced:
            return self.waiting_since
        return self.clocks.due if self.clocks else None

    @property
    def since(self) -> float:
        """Since when the seat that decides has been awaited."""
        return self.decisions[-1].at if self.decisions else self.updated

    def clock_set(self, now: Instant) -> bool:
        """Whether the machine's clock was set while somebody's time runs here."""
        runs = self.clocks is not None and self.clocks.running is not None
        return runs and abs(now.machine - now.steady) > STEP

    def time(self, now: Instant) -> float:
        """The time at this table: the machine's, or where that was set, as if it had not been. So nobody is
        charged for the difference, nor given it.
        """
        return now.steady if self.clock_set(now) else now.machine

    # A lesson: the others play what is written, and wait for a learner who tries something else

    @derived
    def lesson(self) -> Lesson | None:
        """The lesson of this table; None too if the game's lesson has become another match."""
        if not self.settings.lesson or self.match is None or self.state != "on":
            return None
        lesson = lesson_of(self.settings.game)
        if lesson is None or self.settings != self.settings.for_lesson(lesson):
            return None
        return lesson if lesson.holds(self.match) else None

    @derived
    def plies_followed(self) -> int:
        """How many of the actions here are those of the lesson."""
        return self.lesson.plies_followed(self.match.played) if self.lesson and self.match else 0

    @derived
    def off_script(self) -> bool:
        """Whether something was played before the lesson's end that is not in it."""
        if not self.settings.lesson or self.lesson is None:
            return False
        return self.plies_followed < min(len(self.decisions) - 1, len(self.lesson.actions))

    @property
    def scripted_action(self) -> str | None:
        """The action that the lesson has next; None at its end, or astray."""
        if self.lesson is None or self.off_script or self.plies_followed == len(self.lesson.actions):
            return None
        return self.lesson.actions[self.plies_followed]

    # What can be taken back

    def may_undo(self, person: str | None) -> int | None:
        """The seat of this person's that may take back its last action: one of its own, not what a bot did
        for it.
        """
        undoable = self.undoable(person)
        return None if undoable is None else undoable[0]

    def undoable(self, person: str | None) -> tuple[int, int] | None:
        """The seat that would take back its last decision, and how many actions go with it: those that
        followed automatically do.
        """
        if self.paused or person is None or self._undoable is None:
            return None
        decided_by, seat, back = self._undoable
        if person != decided_by or self.tally.get(("undo", person), 0) >= PERSON_UNDOS:
            return None
        return seat, back

    @derived
    def _undoable(self) -> tuple[str, int, int] | None:
        """Who alone could take back the last decision, with its seat and how many actions go with it."""
        if self.match is None or self.state != "on":
            return None
        people = set()
        for back, event in enumerate(reversed(self.decisions), 1):
            seat = self.match.undoable_by(back)
            if seat is None or self.seats[seat].bot:
                return None
            people.add(self.seats[seat].person)
            if event.kind != "forced":
                person = event.person
                return None if person is None or people != {person} else (person, seat, back)
        return None

    @derived
    def ending(self) -> int | None:
        """The seat of a person whose turn has just ended automatically, if the server is next to act and what
        ended it can be taken back.

        Automatically: not by a choice that is there to end it. In a lesson, the guide goes on.
        """
        match, last = self.match, self.decisions[-1] if self.decisions else None
        if match is None or last is None or last.seat is None or not (self.bot or self.forced) or self.lesson:
            return None
        if self.turn == last.seat or self.may_undo(self.seats[last.seat].person) != last.seat:
            return None
        before = match.scene_at(match.ply - 1, last.seat, words_of(self.settings.game, "en"))
        ended = match.ended_turn(match.ply)
        return (
            None
            if not ended or match.game.story.choice(before, match.action_at(match.ply)).final
            else last.seat
        )

    @derived
    def learnt(self) -> dict[tuple[int, int], bool]:
        """A memo for `decide`: whether a seat has learnt anything since its action, that many actions ago."""
        return {}

    def row(self) -> TableSummary:
        turn_person = None if self.turn is None or self.bot or self.paused else self.seats[self.turn].person
        names = tuple(held.name for held in self.seats)
        return TableSummary(
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
