"""Table talk: fixed phrases, and what people write to each other where the creator of the table allows it.

It is no event of the table: it delays no bot, lapses nothing and starts no clock.
"""

from __future__ import annotations

from dataclasses import dataclass

from comptoir.engine.names import clean_text
from comptoir.errors import OptionError
from comptoir.web.domain.refusals import Forbidden, Refused
from comptoir.web.domain.state import Table
from comptoir.web.limits import CHAT_LETTERS

# keys of [phrases] in words.toml: everyone reads them in their own language
PHRASES = (
    "hello",
    "good_luck",
    "your_turn",
    "one_moment",
    "nice_move",
    "wow",
    "oops",
    "haha",
    "thanks",
    "must_go",
    "well_played",
    "good_game",
)


@dataclass(frozen=True)
class ChatMessage:
    """One thing that somebody has said at a table. `n` counts them there, from 1."""

    n: int
    seat: int
    person: str
    name: str
    phrase: str  # a key of PHRASES, or "" for what they have written
    text: str
    at: float


@dataclass(frozen=True)
class ChatReport:
    """Something written that the host is asked to look at, as it was."""

    table: str
    n: int
    name: str
    text: str
    at: float
    reported: float
    person: str  # whose words they are


def phrase_message(table: Table, person: str | None, seat: int | None, phrase: object) -> ChatMessage:
    """A phrase as it is kept, if this person may say it; `n` is given by the store."""
    if not isinstance(phrase, str) or phrase not in PHRASES:
        raise Refused("refuse.message")
    return _said(table, person, seat, phrase=phrase)


def text_message(table: Table, person: str | None, seat: int | None, text: object) -> ChatMessage:
    """What somebody writes, if they may, cleaned as names are."""
    if not isinstance(text, str):
        raise Refused("refuse.message")
    _speaks(table, person)
    if not table.settings.chat:
        raise Refused("refuse.no_chat")
    try:
        return _said(table, person, seat, text=clean_text(text, CHAT_LETTERS))
    except OptionError:
        raise Refused("refuse.bad_text", n=CHAT_LETTERS) from None


def _said(
    table: Table, person: str | None, seat: int | None, *, phrase: str = "", text: str = ""
) -> ChatMessage:
    mine = _speaks(table, person)
    here = seat if seat in mine else mine[0]
    return ChatMessage(0, here, person or "", table.seats[here].name, phrase, text, 0.0)


def _speaks(table: Table, person: str | None) -> list[int]:
    """The seats of whoever may speak: only those who sit there do."""
    if table.state == "closed":
        raise Refused("refuse.closed")
    if not table.seats_of(person):
        raise Forbidden("refuse.only_seated")
    return table.seats_of(person)
