"""People: their names, languages and playing hours, and what remains after they delete themselves."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy import Connection, bindparam

from comptoir.web.domain.clock import PlayingHours
from comptoir.web.storage.archive_store import imported_bytes_key
from comptoir.web.storage.database import Database, is_id
from comptoir.web.storage.database_schema import events, hours, people, reports, sayings, sessions, sitters
from comptoir.web.storage.erasure import Erasure
from comptoir.web.storage.result_store import DISOWN
from comptoir.web.storage.server_values import ServerValues
from comptoir.web.storage.session_store import ALL_SESSIONS, SessionStore

_PERSON = sa.select(people).where(people.c.id == bindparam("person"))
_HOURS = sa.select(hours.c.hours).where(hours.c.person == bindparam("person"))
_COUNT = sa.select(sa.func.count()).select_from(people)
_COUNT_SINCE = sa.select(sa.func.count(sa.distinct(sessions.c.person))).where(
    sessions.c.seen >= bindparam("since"), sessions.c.ended.is_(None)
)
# `nameless`, in SQL of both databases
SEAT_NAME = sa.literal("№ ") + sa.cast(events.c.seat + 1, sa.Text)
_NAMED = sa.and_(events.c.kind == "sit", events.c.text != SEAT_NAME)
# the names of someone who left a table before its match began
_ANONYMISE_LEFT = (
    sa.update(events)
    .where(
        events.c.person == bindparam("whose"),
        _NAMED,
        events.c.table_id.not_in(sa.select(sitters.c.table_id).where(sitters.c.person == bindparam("whose"))),
    )
    .values(text=SEAT_NAME)
)
_HALF_DELETED = sa.select(sessions.c.person).where(
    sessions.c.id == ALL_SESSIONS,
    sa.or_(
        sa.exists().where(sitters.c.person == sessions.c.person),
        sa.exists().where(events.c.person == sessions.c.person, _NAMED),
        sa.exists().where(sayings.c.person == sessions.c.person),
        sa.exists().where(reports.c.person == sessions.c.person),
    ),
)


@dataclass(frozen=True)
class Person:
    """Someone who plays here. Nothing else is known of people."""

    id: str
    name: str
    lang: str
    made: float


class PeopleStore:
    """Whoever has a name here."""

    def __init__(
        self, database: Database, values: ServerValues, sessions: SessionStore, erasure: Erasure
    ) -> None:
        self._database, self._values, self._sessions, self._erasure = database, values, sessions, erasure
        self._save = database.upsert(people, "name", "lang")
        self._save_hours = database.upsert(hours, "hours")

    def find(self, id: str) -> Person | None:
        found = self._database.fetch(_PERSON, person=id) if is_id(id) else []
        return Person(*found[0]) if found else None

    def save(self, person: Person) -> None:
        """Store a person, or a new name or language of theirs."""
        self._database.execute(self._save, **vars(person))

    def hours(self, person: str) -> PlayingHours | None:
        """A person's playing hours, if they have set any."""
        found = self._database.fetch(_HOURS, person=person) if is_id(person) else []
        return PlayingHours.read(found[0].hours) if found else None

    def save_hours(self, person: str, new: PlayingHours | None) -> None:
        self._database.execute(self._save_hours, person=person, hours=new.text() if new else "")

    def count(self) -> int:
        return int(self._database.fetch(_COUNT)[0][0])

    def count_since(self, when: float) -> int:
        """How many of those who have anything here have come since then."""
        return int(self._database.fetch(_COUNT_SINCE, since=when)[0][0])

    # Deleting

    def delete(self, person: str, at: float) -> None:
        """Nothing is left of a person but where they sat; and their cookies are invalid on all devices."""

        def delete(connection: Connection) -> None:
            connection.execute(sa.delete(people).where(people.c.id == person))
            connection.execute(sa.delete(hours).where(hours.c.person == person))
            connection.execute(DISOWN, {"whose": person})
            self._values.delete(connection, imported_bytes_key(person))
            self._sessions.end_all(connection, person, at)
            self._erasure.mark(connection)

        self._database.transaction(delete)

    def anonymise(self, person: str) -> None:
        """Remove a name from tables that its person left before the match began.

        Where they still sit, it goes with the event that says so.
        """

        def anonymise(connection: Connection) -> None:
            connection.execute(_ANONYMISE_LEFT, {"whose": person})
            self._erasure.mark(connection)

        self._database.transaction(anonymise)
        self._erasure.schedule()

    def half_deleted(self) -> list[str]:
        """People who have deleted themselves and of whom something is left: the server was stopped before
        the end, or was an older one, which left more.
        """
        return [found[0] for found in self._database.fetch(_HALF_DELETED)]
