"""Chat messages, mutes and reports.

Nothing here is logged: it is between the people at a table.
"""

from __future__ import annotations

import dataclasses

import sqlalchemy as sa
from sqlalchemy import Connection, bindparam
from sqlalchemy.exc import IntegrityError

from comptoir.web.domain.chat import ChatMessage, ChatReport
from comptoir.web.domain.refusals import Forbidden, Refused
from comptoir.web.limits import PERSON_MUTES, REPORTS, TABLE_CHAT_MESSAGES, TABLE_REPORTS
from comptoir.web.storage.channels import CHAT_CHANNEL, MUTES_CHANNEL
from comptoir.web.storage.database import Database
from comptoir.web.storage.database_schema import mutes, reports, sayings, sitters

ATTEMPTS = 5  # at the next number, where several processes write

_FIELDS = [sayings.c[name] for name in ChatMessage.__dataclass_fields__]
_SAID = (
    sa.select(*_FIELDS)
    .where(sayings.c.table_id == bindparam("table"), sayings.c.n > bindparam("after"))
    .order_by(sayings.c.n)
)
_LAST = sa.select(sa.func.max(sayings.c.n)).where(sayings.c.table_id == bindparam("table"))
_MUTED = sa.select(mutes.c.muted).where(mutes.c.person == bindparam("whose"))
_REPORTS = sa.select(
    *(reports.c[name] for name in ("table_id", "n", "name", "text", "at", "reported", "person"))
).order_by(reports.c.reported.desc())
# Locked, so that it is not deleted while it is reported, or its speaker while they speak.
_ONE = (
    sa.select(sayings.c.person, sayings.c.name, sayings.c.text, sayings.c.at)
    .where(sayings.c.table_id == bindparam("table"), sayings.c.n == bindparam("n"), sayings.c.person != "")
    .with_for_update(read=True)
)
_SITS = (
    sa.select(sitters.c.person)
    .where(sitters.c.table_id == bindparam("table"), sitters.c.person == bindparam("whose"))
    .with_for_update(read=True)
)


class ChatStore:
    """Every call waits for the database, so the server makes them in threads."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, table: str, said: ChatMessage) -> ChatMessage:
        """Keeps what somebody says, with its number, in place of the oldest; tells other processes.

        Raises Forbidden if they no longer sit there: they may have deleted themselves.
        """

        def add(connection: Connection) -> ChatMessage:
            if connection.scalar(_SITS, {"table": table, "whose": said.person}) is None:
                raise Forbidden("refuse.only_seated")
            last = connection.scalar(_LAST, {"table": table}) or 0
            kept = dataclasses.replace(said, n=last + 1)
            connection.execute(sa.insert(sayings), {"table_id": table, **vars(kept)})
            old = sa.and_(sayings.c.table_id == table, sayings.c.n <= kept.n - TABLE_CHAT_MESSAGES)
            connection.execute(sa.delete(sayings).where(old))
            self._database.notify_in(connection, CHAT_CHANNEL, f"{table} {kept.n}")
            return kept

        for _ in range(ATTEMPTS - 1):
            try:
                return self._database.transaction(add)
            except IntegrityError:
                continue  # another process was quicker
        return self._database.transaction(add)

    def after(self, table: str, n: int) -> list[ChatMessage]:
        """The messages at a table after that number, in order."""
        return [ChatMessage(*found) for found in self._database.fetch(_SAID, table=table, after=n)]

    # Whom somebody does not want to hear

    def muted(self, person: str) -> frozenset[str]:
        return frozenset(found.muted for found in self._database.fetch(_MUTED, whose=person))

    def mute(self, person: str, other: str, wanted: bool) -> frozenset[str]:
        """Whom this person does not want to hear from now on."""

        def mute(connection: Connection) -> None:
            one = sa.and_(mutes.c.person == person, mutes.c.muted == other)
            connection.execute(sa.delete(mutes).where(one))
            many = sa.select(sa.func.count()).select_from(mutes).where(mutes.c.person == person)
            if wanted and (connection.scalar(many) or 0) >= PERSON_MUTES:
                raise Refused("refuse.many_mutes", n=PERSON_MUTES)
            if wanted:
                connection.execute(sa.insert(mutes), {"person": person, "muted": other})

        self._database.transaction(mute)
        self._database.notify(MUTES_CHANNEL, person)
        return self.muted(person)

    def forget(self, person: str) -> None:
        """Nothing is left of what somebody has said, but its number; nor of whom they did not hear.

        Other processes are notified at which tables.
        """

        def forget(connection: Connection) -> None:
            said = sa.select(sayings.c.table_id).distinct().where(sayings.c.person == person)
            at = connection.scalars(said).all()
            blank = dict.fromkeys(("person", "name", "phrase", "text"), "")
            connection.execute(sa.update(sayings).where(sayings.c.person == person).values(blank))
            connection.execute(sa.delete(reports).where(reports.c.person == person))
            about = sa.or_(mutes.c.person == person, mutes.c.muted == person)
            connection.execute(sa.delete(mutes).where(about))
            for table in at:
                self._database.notify_in(connection, CHAT_CHANNEL, table)

        self._database.transaction(forget)

    # What the host is asked to look at

    def report(self, table: str, n: int, reported: float) -> bool:
        """Keeps it as it was said: the table forgets it in time. Once is enough, whoever asks. False if it
        is there no more.
        """

        def report(connection: Connection) -> bool:
            if connection.scalar(sa.select(reports.c.n).where(_one(table, n))) is not None:
                return True
            said = connection.execute(_ONE, {"table": table, "n": n}).first()
            if said is None:
                return False
            row = {"table_id": table, "n": n, "reported": reported, **said._asdict()}
            connection.execute(sa.insert(reports), row)
            here = _REPORTS.where(reports.c.table_id == table).offset(TABLE_REPORTS)
            for old in [*connection.execute(here).all(), *connection.execute(_REPORTS.offset(REPORTS)).all()]:
                connection.execute(sa.delete(reports).where(_one(old.table_id, old.n)))
            return True

        return self._database.transaction(report)

    def reports(self) -> list[ChatReport]:
        """What waits for the host, the latest first."""
        return [ChatReport(*found) for found in self._database.fetch(_REPORTS)]

    def dismiss(self, table: str, n: int) -> None:
        """The host has seen it."""
        if any((one.table, one.n) == (table, n) for one in self.reports()):
            gone = sa.delete(reports).where(_one(table, n))
            self._database.transaction(lambda connection: connection.execute(gone))


def _one(table: str, n: int) -> sa.ColumnElement[bool]:
    return sa.and_(reports.c.table_id == table, reports.c.n == n)
