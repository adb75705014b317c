"""A table: seats, people and bots around a match. All that happens there is an event; a table is what its events make of it.

Nothing here knows of the network or the database: what may happen is asked here (`sit`, `play`, …, which give the event or
refuse it), is kept by the store, and only then becomes so (`apply`).
"""

from __future__ import annotations

import dataclasses
import json
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from comptoir.bots.levels import LEVELS
from comptoir.engine.game import Game, game
from comptoir.engine.match import Match, seed_hash
from comptoir.errors import ComptoirError, IllegalAction, OptionError

BOT_NAMES = ("Fernão", "Margriet", "Yusuf", "Zheng", "Ingrid")
CLOCKS = (0, 30, 60, 180, 86_400)  # seconds for a decision; 0: calm
STAND_IN = "merchant"  # who decides for a person that is away or out of time
PATIENCE = 120  # seconds after which others may ask a bot to play for whom they wait


class Refused(ComptoirError):
    """What was asked cannot be done at this table now. `key` is a text in words.toml."""

    def __init__(self, key: str, **values: Any) -> None:
        super().__init__(key)
        self.key, self.values = key, values


class NotYours(Refused):
    """Only another person may do this."""


@dataclass(frozen=True)
class Event:
    """One thing that happened at a table."""

    number: int
    kind: str
    seat: int | None = None
    person: str | None = None
    text: str = ""
    at: float = 0.0


@dataclass(frozen=True)
class Row:
    """A table as lists show it."""

    id: str
    game: str
    state: str
    open: bool
    number: int
    names: tuple[str, ...]
    people: tuple[str, ...]
    turn: int | None
    turn_person: str | None
    due: float | None
    updated: float


@dataclass
class Place:
    """A seat at the table: a person's (whom a bot may stand in for), a bot's, or free."""

    name: str = ""
    person: str | None = None
    level: str | None = None
    away: bool = False

    @property
    def free(self) -> bool:
        return self.person is None and self.level is None

    @property
    def bot(self) -> str | None:
        """The level of the bot that decides here now."""
        return STAND_IN if self.away else self.level


@dataclass(frozen=True)
class Settings:
    """What a table was made with. The seed is never told before the match is over."""

    game: str
    options: dict[str, str]
    seed: str
    maker: str | None = None
    open: bool = False
    clock: int = 0
    components: dict[str, Any] | None = None
    position: dict[str, Any] | None = None
    names: tuple[str, ...] = ()  # of a match that was brought, not played here
    again: str | None = None  # the table that this one follows

    @property
    def brought(self) -> bool:
        return bool(self.names)

    def text(self) -> str:
        return json.dumps({key: value for key, value in vars(self).items() if value not in (None, (), False, 0)})

    @classmethod
    def read(cls, text: str) -> Settings:
        given = json.loads(text)
        return cls(**given | {"names": tuple(given.get("names", ()))})


@dataclass
class Table:
    """What the events so far have made."""

    id: str
    settings: Settings
    places: list[Place]
    number: int = 0
    updated: float = 0.0
    match: Match | None = None
    next_table: str | None = None
    decisions: list[Event] = field(default_factory=list)  # the beginning, and each action that was not taken back

    @classmethod
    def of(cls, id: str, events: Iterable[Event]) -> Table:
        """The table that these events have made; the first is `made`."""
        first, *rest = events
        settings = Settings.read(first.text)
        table = cls(id, settings, [Place() for _ in range(int(settings.options["players"]))], first.number, first.at)
        for event in rest:
            table.apply(event)
        return table

    # What it is

    @cached_property
    def game(self) -> Game:
        return game(self.settings.game)

    @property
    def players(self) -> int:
        return len(self.places)

    @cached_property
    def state(self) -> str:
        if self.match is None:
            return "waiting"
        return "over" if self.match.over or self.settings.brought else "on"

    @cached_property
    def turn(self) -> int | None:
        return self.match.turn if self.match is not None and self.state == "on" else None

    @property
    def seed_hash(self) -> str:
        return seed_hash(self.settings.seed)

    @property
    def people(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(place.person for place in self.places if place.person))

    def seats_of(self, person: str | None) -> list[int]:
        return [seat for seat, place in enumerate(self.places) if person is not None and place.person == person]

    @property
    def bot(self) -> str | None:
        """The level of the bot that is to decide now."""
        return None if self.turn is None else self.places[self.turn].bot

    @property
    def due(self) -> float | None:
        """When the server itself is to act: at once for a bot, or when a person's clock has run out."""
        if self.turn is None:
            return None
        if self.bot:
            return self.updated
        return self.since + self.settings.clock if self.settings.clock else None

    @property
    def since(self) -> float:
        """Since when the seat that decides has been awaited. Taking back, leaving or coming back gives nobody more time."""
        return self.decisions[-1].at if self.decisions else self.updated

    def row(self) -> Row:
        turn_person = None if self.turn is None or self.bot else self.places[self.turn].person
        names = tuple(place.name for place in self.places)
        return Row(
            self.id,
            self.settings.game,
            self.state,
            self.settings.open,
            self.number,
            names,
            self.people,
            self.turn,
            turn_person,
            self.due,
            self.updated,
        )

    # What may happen: each gives the event, or raises Refused or the rule's own refusal

    def _event(self, kind: str, seat: int | None = None, person: str | None = None, text: str = "") -> Event:
        return Event(self.number + 1, kind, seat, person, text, time.time())

    def _place(self, seat: int) -> Place:
        if not 0 <= seat < self.players:
            raise Refused("refuse.no_seat", n=seat)
        return self.places[seat]

    def _waiting(self) -> None:
        if self.match is not None:
            raise Refused("refuse.begun")

    def sit(self, person: str, seat: int, name: str) -> Event:
        """A person takes a free seat; the same person may take several, on one device."""
        self._waiting()
        if not self._place(seat).free:
            raise Refused("refuse.taken")
        return self._event("sit", seat, person, self._free_name(name))

    def _free_name(self, name: str) -> str:
        taken = {place.name for place in self.places}
        names = (name, *(f"{name} {n}" for n in range(2, self.players + 2)))
        return next(name for name in names if name not in taken)

    def rise(self, person: str, seat: int) -> Event:
        """A person leaves a seat before the match has begun; the maker may also send a bot away."""
        self._waiting()
        place = self._place(seat)
        if place.person != person and not (place.level and person == self.settings.maker):
            raise NotYours("refuse.not_yours")
        return self._event("rise", seat, person)

    def seat_bot(self, person: str, seat: int, level: str) -> Event:
        """The maker puts a bot on a free seat."""
        self._waiting()
        if person != self.settings.maker:
            raise NotYours("refuse.maker")
        if not self._place(seat).free:
            raise Refused("refuse.taken")
        if level not in LEVELS:
            raise OptionError(f"level: expected one of {', '.join(LEVELS)}, found {level!r}")
        return self._event("bot", seat, person, level)

    def begin(self, person: str) -> Event:
        """Somebody who sits there starts the match, once all seats are taken."""
        self._waiting()
        if not self.seats_of(person) and person != self.settings.maker:
            raise NotYours("refuse.not_yours")
        if any(place.free for place in self.places):
            raise Refused("refuse.free_seats")
        return self._event("begin", None, person)

    def play(self, person: str | None, seat: int | None, action: str) -> Event:
        """The seat that is to decide acts; for None the server does, for a bot or for whose time is up."""
        match = self._on()
        if seat is None or seat != self.turn:
            raise Refused("refuse.not_your_turn", name=self.places[self.turn or 0].name)
        if person is not None and self.places[seat].person != person:
            raise NotYours("refuse.not_yours")
        refusal = match.why_not(action)
        if refusal is not None:
            raise IllegalAction(action, *refusal)
        return self._event("play", seat, person, action)

    def _on(self) -> Match:
        if self.match is None:
            raise Refused("refuse.not_begun")
        if self.state != "on":
            raise Refused("refuse.over")
        return self.match

    def may_undo(self, person: str | None) -> int | None:
        """The seat of this person's that may take back its last action: one of its own, not what a bot did for it."""
        if self.match is None or self.state != "on" or person is None or self.decisions[-1].person != person:
            return None
        seat = self.match.undo_seat()
        return None if seat is None or self.places[seat].away else seat

    def undo(self, person: str) -> Event:
        self._on()
        seat = self.may_undo(person)
        if seat is None:
            raise Refused("refuse.undo")
        return self._event("undo", seat, person)

    def leave(self, person: str, seat: int, now: float | None = None) -> Event:
        """A bot plays on for a person who leaves, or whom the others have waited for long enough."""
        self._on()
        place = self._place(seat)
        if place.person is None or place.away:
            raise Refused("refuse.no_person")
        if place.person != person:
            if not self.seats_of(person):
                raise NotYours("refuse.not_yours")
            if self.turn != seat or (now or time.time()) < self.since + PATIENCE:
                raise Refused("refuse.patience", n=PATIENCE)
        return self._event("away", seat, person)

    def come_back(self, person: str, seat: int) -> Event:
        """The person takes their seat back from the bot."""
        self._on()
        place = self._place(seat)
        if place.person != person:
            raise NotYours("refuse.not_yours")
        if not place.away:
            raise Refused("refuse.not_away")
        return self._event("back", seat, person)

    def play_again(self, person: str, table: str) -> Event:
        """Somebody who sat here has made a new table for the same people."""
        if self.state != "over" or self.next_table is not None:
            raise Refused("refuse.again")
        if not self.seats_of(person):
            raise NotYours("refuse.not_yours")
        return self._event("again", None, person, table)

    # What an event changes

    def after(self, event: Event) -> Table:
        """The table as it will be once the event has been kept; this one stays as it is."""
        places = [dataclasses.replace(place) for place in self.places]
        twin = dataclasses.replace(self, places=places, decisions=self.decisions[:])
        if self.match is not None:
            twin.match = self.match.at(self.match.number)
        twin.apply(event)
        return twin

    def apply(self, event: Event) -> None:
        """Makes it so. Events come in order, as the store has kept them."""
        if event.number != self.number + 1:
            raise ValueError(f"event {event.number} cannot follow {self.number}")
        getattr(self, f"_apply_{event.kind}")(event)
        self.number, self.updated = event.number, event.at
        for known in ("state", "turn"):  # kept while nothing happens: they are asked for often
            self.__dict__.pop(known, None)

    def _apply_sit(self, event: Event) -> None:
        self.places[event.seat or 0] = Place(event.text, event.person)

    def _apply_rise(self, event: Event) -> None:
        self.places[event.seat or 0] = Place()

    def _apply_bot(self, event: Event) -> None:
        taken = {place.name for place in self.places}
        name = next(name for name in BOT_NAMES if name not in taken)
        self.places[event.seat or 0] = Place(name, level=event.text)

    def _apply_begin(self, event: Event) -> None:
        settings = self.settings
        names = settings.names or tuple(place.name for place in self.places)
        given = {"position": settings.position} if settings.position else settings.options
        self.match = Match(settings.game, seed=settings.seed, names=names, components=settings.components, **given)
        self.decisions.append(event)
        if settings.brought:
            self.places = [Place(name) for name in names]

    def _apply_play(self, event: Event) -> None:
        assert self.match is not None
        self.match.play(event.text)
        self.decisions.append(event)

    def _apply_undo(self, event: Event) -> None:
        assert self.match is not None
        self.match.undo()
        self.decisions.pop()

    def _apply_away(self, event: Event) -> None:
        self.places[event.seat or 0].away = True

    def _apply_back(self, event: Event) -> None:
        self.places[event.seat or 0].away = False

    def _apply_again(self, event: Event) -> None:
        self.next_table = event.text
