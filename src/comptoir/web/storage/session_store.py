"""The sessions of people: the devices on which they are signed in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy import Connection, bindparam

from comptoir.web.storage.channels import SESSIONS_CHANNEL
from comptoir.web.storage.database import Database, is_id
from comptoir.web.storage.database_schema import people, sessions, sitters, subscriptions
from comptoir.web.storage.server_values import ServerValues

ALL_SESSIONS = "gone"  # the id of a session that ends all others of its person, known or not
FIRST_SESSIONS = "sessions since"  # the server value that says since when this database knows of sessions

_SESSIONS = (
    sa.select(sessions).where(sessions.c.person == bindparam("whose")).order_by(sessions.c.seen.desc())
)
# someone who has deleted themselves has one session, which stands for all that they had, and is ended
_SESSION = (
    _SESSIONS.where(sessions.c.id.in_([bindparam("which"), ALL_SESSIONS]))
    .order_by(None)
    .order_by(sessions.c.id == bindparam("which"))
)
# no session is noted of anyone who has nothing here: every passing program would leave one
HAS_ANYTHING = sa.select(
    sa.or_(
        sa.exists().where(people.c.id == bindparam("person")),
        sa.exists().where(sitters.c.person == bindparam("person")),
    )
)
_FORGET = sa.delete(sessions).where(
    sessions.c.person == bindparam("whose"), sessions.c.seen < bindparam("before")
)
_END = (
    sa.update(sessions)
    .where(sessions.c.person == bindparam("whose"), sessions.c.id == bindparam("which"))
    .values(ended=bindparam("at"), seen=bindparam("at"))
)
_UNSUBSCRIBE = sa.delete(subscriptions).where(
    subscriptions.c.person == bindparam("whose"), subscriptions.c.session == bindparam("which")
)


@dataclass(frozen=True)
class SessionInfo:
    """A session, as its person sees it."""

    person: str
    id: str
    device: str
    made: float
    seen: float
    ended: float | None = None


class SessionStore:
    """Which sessions are valid, and when they were last used."""

    def __init__(self, database: Database, values: ServerValues) -> None:
        self._database, self._values = database, values
        self._note = database.upsert(sessions, "device", "seen")

    def find(self, person: str, id: str) -> SessionInfo | None:
        found = self._database.fetch(_SESSION, whose=person, which=id) if is_id(person) else []
        return SessionInfo(*found[0]) if found else None

    def sessions_of(self, person: str, since: float) -> list[SessionInfo]:
        """The sessions that a person has used since then and not ended, the latest first."""
        found = [SessionInfo(*row) for row in self._database.fetch(_SESSIONS, whose=person)]
        return [one for one in found if one.ended is None and one.seen >= since]

    def count_of(self, person: str) -> int:
        """How many sessions of a person are stored, ended ones included."""
        return len(self._database.fetch(_SESSIONS, whose=person))

    def note(self, session: SessionInfo, forget: float) -> None:
        """Note that a session is used, if its person has anything here; an ended one stays ended.

        Sessions last used before `forget` are deleted.
        """
        if not is_id(session.person):
            return

        def note(connection: Connection) -> None:
            if connection.scalar(HAS_ANYTHING, {"person": session.person}):
                connection.execute(_FORGET, {"whose": session.person, "before": forget})
                connection.execute(self._note, vars(session))

        self._database.transaction(note)

    def end(self, person: str, ids: Sequence[str], at: float) -> None:
        """End sessions permanently, with their push subscriptions, and notify other processes."""

        def end(connection: Connection) -> None:
            for id in ids:
                connection.execute(_END, {"whose": person, "which": id, "at": at})
                connection.execute(_UNSUBSCRIBE, {"whose": person, "which": id})
                self._database.notify_in(connection, SESSIONS_CHANNEL, f"{person} {id}")

        self._database.transaction(end)

    def end_all(self, connection: Connection, person: str, at: float) -> None:
        """Delete a person's sessions; one that is ended stands for all cookies they ever had."""
        connection.execute(sa.delete(sessions).where(sessions.c.person == person))
        connection.execute(self._note, vars(SessionInfo(person, ALL_SESSIONS, "", at, at, at)))
        self._database.notify_in(connection, SESSIONS_CHANNEL, f"{person} {ALL_SESSIONS}")

    def first_cookies_until(self, length: float) -> float:
        """When cookies that name no session expire: `length` after this database knew of sessions."""
        return float(self._values.get(FIRST_SESSIONS) or 0.0) + length
