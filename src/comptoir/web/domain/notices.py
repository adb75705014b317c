"""What people are told who are not at their table: that it is their turn, that a game begins or is over,
that they are invited, or that somebody has joined them.

All of it is made from what everyone at the table knows: who sits there, whose turn it is, who has won.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from comptoir.engine.words import Words
from comptoir.web.domain.table import Table


@dataclass(frozen=True)
class Notice:
    """One thing that one person is told of one table."""

    person: str
    kind: str  # a key of [notices] in words.toml
    table: str
    game: str
    version: int  # of the table, when it became so
    others: tuple[str, ...] = ()  # who else sits there
    about: tuple[str, ...] = ()  # who has joined, invites or has won
    free: int = 0  # seats
    turn: int | None = None  # which turn of this person's has come, if one has: of each they are told once


@dataclass(frozen=True)
class Told:
    """A notice in the words of its reader."""

    title: str
    text: str
    link: str


def notices(before: Table | None, after: Table, actor: str | None) -> list[Notice]:
    """What others than who did it are told, once a table has come to stand so; without `before` it is new."""
    if after.settings.lesson or after.settings.brought:
        return []
    told = [_notice(kind, after, person, actor) for person, kind in _kinds(before, after)]
    return [one for one in told if one.person != actor]


def _kinds(before: Table | None, after: Table) -> Iterable[tuple[str, str]]:
    """Whom to tell, and of what: of each only what matters most."""
    was = "" if before is None else before.state
    if after.state == "over":
        return [(person, "over") for person in after.people] if was != "over" else []
    if after.state == "on" and was != "on":
        return [(person, "begun" if was else "invited") for person in after.people]
    if after.state == "waiting":
        joined = before is not None and _seated(after) > _seated(before)
        listening = dict.fromkeys(filter(None, (*after.people, after.settings.maker)))
        return [(person, "joined") for person in listening] if joined else []
    person = awaited(after)
    return [(person, "turn")] if person is not None else []


def _notice(kind: str, table: Table, person: str, actor: str | None) -> Notice:
    names = tuple(held.name for held in table.seats if held.name)
    others = tuple(held.name for held in table.seats if held.name and held.person != person)
    about = tuple(held.name for held in table.seats if held.person and held.person == actor)
    if kind == "over" and table.match is not None:
        about = tuple(names[seat] for seat in table.match.winners())
    turn = turn_of(table, person) if awaited(table) == person else None
    return Notice(
        person, kind, table.id, table.settings.game, table.version, others, about, _free(table), turn
    )


def _free(table: Table) -> int:
    return sum(held.free for held in table.seats)


def _seated(table: Table) -> int:
    return sum(held.person is not None for held in table.seats)


def awaited(table: Table) -> str | None:
    """The person who has something to choose now: no bot stands in, and there is more than one choice."""
    if table.turn is None or table.bot or table.forced:
        return None
    return table.seats[table.turn].person


def awaiting(table: Table) -> list[Notice]:
    """What whoever is awaited there is told, if nobody has told them yet."""
    return [one for one in notices(table, table, None) if one.turn is not None]


def turn_of(table: Table, person: str) -> int:
    """Which turn of a person's it is: after how many actions they, or a bot for them, had last acted before.

    However many decisions it takes, and whatever others take back and play anew, it stays the same.
    """
    mine = set(table.seats_of(person))
    acted = [event.seat in mine for event in table.decisions]
    while acted and acted[-1]:
        acted.pop()
    return next((n for n in range(len(acted), 0, -1) if acted[n - 1]), 0)


def holds(notice: Notice, table: Table) -> bool:
    """Whether it is still so when it is about to be told."""
    if notice.turn is not None:
        return awaited(table) == notice.person and turn_of(table, notice.person) == notice.turn
    return table.state == {"joined": "waiting", "over": "over"}.get(notice.kind, "on")


# In words


def told(notice: Notice, words: Words) -> Told:
    """What its reader sees. `words`: those of the game, in the reader's language."""
    game = words.say("game.title")
    title = words.say(f"notices.{notice.kind}", game=game, name=words.listed(notice.about))
    return Told(title, " ".join(_sentences(notice, words)), f"/tables/{notice.table}")


def _sentences(notice: Notice, words: Words) -> Iterable[str]:
    if notice.turn is not None and notice.kind != "turn":
        yield words.say("notices.your_turn")
    if notice.kind == "over":
        yield words.say("notices.won", n=len(notice.about), names=words.listed(notice.about))
    if notice.others:
        yield words.say("notices.others", names=words.listed(notice.others))
    if notice.kind == "joined":
        yield words.say("table_page.free", n=notice.free) if notice.free else words.say("table_page.ready")


def payload(notice: Notice, words: Words) -> bytes:
    """What a service worker is sent. A newer one of the same table takes the older one's place."""
    said = told(notice, words)
    shown = {
        "title": said.title,
        "body": said.text,
        "lang": words.lang,
        "tag": notice.table,
        "link": said.link,
    }
    return json.dumps(shown, ensure_ascii=False).encode()
