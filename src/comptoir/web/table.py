"""A table on the server: what happened at it, and how lists show it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Event:
    """One thing that happened at a table."""

    number: int  # 1, 2, 3 … within its table
    kind: str  # made sit rise bot begin play undo away back
    seat: int | None = None
    person: str | None = None  # who did it; None: a bot, or the clock
    text: str = ""  # what it is about: an action, a level, the settings as JSON
    at: float = 0.0  # seconds since 1970


@dataclass(frozen=True)
class Row:
    """A table as lists show it, computed from its events."""

    id: str
    game: str
    state: str  # waiting | on | over
    open: bool  # listed for everyone
    number: int  # of the last event
    names: tuple[str, ...]  # by seat, "" where nobody sits
    people: tuple[str, ...]  # ids of the people who sit there (distinct)
    turn: int | None  # the seat that is to decide
    turn_person: str | None  # and whose it is, if a person's
    due: float | None  # when the server itself is to act: a bot's turn (now) or the clock running out
    updated: float
