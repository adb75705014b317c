"""Notifications for people who are not at their table: that it is their turn, that a game begins or is over,
that they are invited, that somebody has joined them or asks them for something, that a bot plays for them, or
that the creator of a table has removed them or closed it.

All of it is made from what everyone at the table knows: who sits there, whose turn it is, who has won.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from comptoir.engine.words import Words
from comptoir.web.domain.queries import awaiting_consent
from comptoir.web.domain.state import CANCELLED, Table

ASKS = "asks_"  # before what is asked for: a kind of notice
SUBSTITUTE_ASKED = f"{ASKS}you"  # a bot is asked for in one's own place
# by whoever made the table, before a match has begun; as the table's own page says it
SENT_AWAY = {"removed": "lobby.removed", "closed": f"closed.{CANCELLED}"}


@dataclass(frozen=True)
class Notification:
    """One thing to tell one person about one table."""

    person: str
    kind: str  # a key of [notices] in words.toml
    table: str
    game: str
    version: int  # of the table, when it became so
    others: tuple[str, ...] = ()  # who else sits there
    about: tuple[str, ...] = ()  # who has joined, invites, asks or has won
    free: int = 0  # seats
    turn: int | None = None  # which turn of this person's has come, if one has: one notification per turn
    actor: str = ""  # the person who did it; for limits only, never sent


@dataclass(frozen=True)
class NotificationText:
    """A notice in the words of its reader."""

    title: str
    text: str
    link: str


def notifications_between(before: Table | None, after: Table, actor: str | None) -> list[Notification]:
    """Notifications to everyone but the actor when a table has changed; without `before` it is new."""
    if after.settings.lesson or after.settings.imported:
        return []
    found = [_notification(kind, after, person, actor) for person, kind in _kinds(before, after)]
    return [one for one in found if one.person != actor]


def _kinds(before: Table | None, after: Table) -> Iterable[tuple[str, str]]:
    """Whom to tell, and of what: of each only what matters most."""
    was = "" if before is None else before.state
    if after.state == "over":
        return [(person, "over") for person in after.people] if was != "over" else []
    if after.state == "on" and was != "on":
        return [(person, "begun" if was else "invited") for person in after.people]
    if after.state == "closed":
        called_off = after.closed == CANCELLED and was == "waiting"
        return [(person, "closed") for person in after.people] if called_off else []
    if after.state == "waiting":
        return _lobby(before, after)
    person = person_to_act(after)
    found = {person: "turn"} if person is not None else {}
    if before is not None:
        found |= _consents_asked(before, after) | _late(before, after)
    return found.items()


def _lobby(before: Table | None, after: Table) -> list[tuple[str, str]]:
    """That somebody has joined; or, to whom the creator has removed, that they have been."""
    if before is None:
        return []
    if _seated(after) > _seated(before):
        listening = dict.fromkeys(filter(None, (*after.people, after.settings.creator)))
        return [(person, "joined") for person in listening]
    return [(person, "removed") for person in after.removed - before.removed]


def _consents_asked(before: Table, after: Table) -> dict[str, str]:
    """Whose consent has just been asked for, and whom a bot is to stand in for."""
    new = after.proposal
    if new is None or before.proposal is not None:
        return {}
    found = dict.fromkeys(awaiting_consent(after), f"{ASKS}{new.what}")
    about = after.seats[new.seat].person
    return found | {about: SUBSTITUTE_ASKED} if new.what == "stand-in" and about is not None else found


def _late(before: Table, after: Table) -> dict[str, str]:
    """Whose time has just been spent."""
    return {
        now.person: "late"
        for then, now in zip(before.seats, after.seats, strict=True)
        if now.timed_out and not then.timed_out and now.person is not None
    }


def _notification(kind: str, table: Table, person: str, actor: str | None) -> Notification:
    names = tuple(held.name for held in table.seats if held.name)
    others = tuple(held.name for held in table.seats if held.name and held.person != person)
    about = tuple(held.name for held in table.seats if held.person and held.person == actor)
    if kind == "over" and table.match is not None:
        about = tuple(names[seat] for seat in table.match.winners())
    # one notification per turn: what is asked of them during it has one of its own
    turn = turn_of(table, person) if person_to_act(table) == person and not kind.startswith(ASKS) else None
    return Notification(
        person,
        kind,
        table.id,
        table.settings.game,
        table.version,
        others,
        about,
        _free(table),
        turn,
        actor or "",
    )


def _free(table: Table) -> int:
    return sum(held.free for held in table.seats)


def _seated(table: Table) -> int:
    return sum(held.person is not None for held in table.seats)


def person_to_act(table: Table) -> str | None:
    """The person who has something to choose now: no bot stands in, and there is more than one choice."""
    if table.turn is None or table.bot or table.forced:
        return None
    return table.seats[table.turn].person


def turn_notifications(table: Table) -> list[Notification]:
    """The notification to the person to act, if none has been sent yet."""
    return [one for one in notifications_between(table, table, None) if one.turn is not None]


def turn_of(table: Table, person: str) -> int:
    """Which turn of a person's it is: after how many actions they, or a bot for them, had last acted before.

    However many decisions it takes, and whatever others take back and play again, it stays the same.
    """
    mine = set(table.seats_of(person))
    acted = [event.seat in mine for event in table.decisions]
    while acted and acted[-1]:
        acted.pop()
    return next((n for n in range(len(acted), 0, -1) if acted[n - 1]), 0)


def is_current(notice: Notification, table: Table) -> bool:
    """Whether it is still true when it is about to be sent."""
    if notice.turn is not None:
        return person_to_act(table) == notice.person and turn_of(table, notice.person) == notice.turn
    if notice.kind == "late":
        return table.state == "on" and all(table.seats[seat].away for seat in table.seats_of(notice.person))
    if notice.kind.startswith(ASKS):
        return _is_asked(notice, table)
    if notice.kind == "joined":
        return table.state == "waiting" and (not notice.actor or notice.actor in table.people)
    if notice.kind == "removed":
        return table.state == "waiting" and notice.person in table.removed
    return table.state == {"over": "over", "closed": "closed"}.get(notice.kind, "on")


def _is_asked(notice: Notification, table: Table) -> bool:
    proposal = table.proposal
    if proposal is None:
        return False
    if notice.kind == SUBSTITUTE_ASKED:
        return proposal.what == "stand-in" and table.seats[proposal.seat].person == notice.person
    return notice.kind == f"{ASKS}{proposal.what}" and notice.person in awaiting_consent(table)


def is_superseded(notice: Notification, known: Notification) -> bool:
    """Whether another notification of the same table makes it superfluous: it is of the same turn, or whoever
    comes for the turn sees it there.
    """
    return known.turn is not None and (notice.turn == known.turn or notice.kind.startswith(ASKS))


# In words


def render_text(notice: Notification, words: Words) -> NotificationText:
    """What its reader sees. `words`: those of the game, in the reader's language."""
    game = words.say("game.title")
    title = words.say(f"notices.{notice.kind}", game=game, name=words.join(notice.about))
    link = "/" if notice.kind in SENT_AWAY else f"/tables/{notice.table}"
    return NotificationText(title, " ".join(_sentences(notice, words)), link)


def _sentences(notice: Notification, words: Words) -> Iterable[str]:
    if notice.kind in SENT_AWAY:
        yield words.say(SENT_AWAY[notice.kind])
        return
    if notice.turn is not None and notice.kind != "turn":
        yield words.say("notices.your_turn")
    if notice.kind == "over":
        yield words.say("notices.won", n=len(notice.about), names=words.join(notice.about))
    if notice.kind in ("late", SUBSTITUTE_ASKED):
        yield words.say("notices.come_back")
    if notice.others:
        yield words.say("notices.others", names=words.join(notice.others))
    if notice.kind == "joined":
        yield words.say("table_page.free", n=notice.free) if notice.free else words.say("table_page.ready")


def payload(notice: Notification, words: Words, waiting: int) -> bytes:
    """What a service worker is sent. A newer one of the same table takes the older one's place.

    `waiting`: how many tables wait for its reader.
    """
    said = render_text(notice, words)
    shown = {
        "title": said.title,
        "body": said.text,
        "lang": words.lang,
        "tag": notice.table,
        "link": said.link,
        "waiting": waiting,
    }
    return json.dumps(shown, ensure_ascii=False).encode()
