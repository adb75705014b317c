"""Recipients of notifications: the devices and addresses of people who are away.

Nothing here is logged: an address is private, and whoever knows an endpoint can send to it.
"""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy import Connection, bindparam
from sqlalchemy.exc import IntegrityError

from comptoir.time_source import SYSTEM_TIME, TimeSource
from comptoir.web.domain.people import LIFETIME
from comptoir.web.limits import PERSON_DEVICES
from comptoir.web.storage.database import Database
from comptoir.web.storage.database_schema import addresses, noticed, sessions, subscriptions, tables
from comptoir.web.storage.session_store import HAS_ANYTHING
from comptoir.web.storage.table_index import TableIndex

SEEN = "seen"  # next to the ways of telling: that a person has it before their eyes in another process


@dataclass(frozen=True)
class Subscription:
    """A device that gets push notifications, with its language and its keys."""

    person: str
    session: str
    endpoint: str
    key: bytes
    auth: bytes
    lang: str


_FIELDS = [subscriptions.c[name] for name in Subscription.__dataclass_fields__]
_SESSIONS = sa.and_(sessions.c.person == subscriptions.c.person, sessions.c.id == subscriptions.c.session)
_DEVICES = (
    sa.select(*_FIELDS)
    .outerjoin(sessions, _SESSIONS)
    .where(
        subscriptions.c.person == bindparam("whose"),
        sessions.c.ended.is_(None),
        sa.or_(sessions.c.seen.is_(None), sessions.c.seen >= bindparam("since")),
    )
    .order_by(subscriptions.c.made.desc())
)
_AWAITED = sa.select(tables.c.id).where(
    tables.c.state == "on",
    tables.c.updated >= bindparam("since"),
    sa.or_(
        sa.exists().where(subscriptions.c.person == tables.c.turn_person),
        sa.exists().where(addresses.c.person == tables.c.turn_person),
    ),
)
_ADDRESS = sa.select(addresses).where(addresses.c.person == bindparam("whose"))
_NOTICED = sa.select(noticed.c.what).where(
    noticed.c.person == bindparam("whose"),
    noticed.c.table_id == bindparam("table"),
    noticed.c.by == bindparam("way"),
)


@dataclass(frozen=True)
class Address:
    """Where somebody wants mail; only once it is confirmed do they get any."""

    person: str
    address: str
    lang: str
    confirmed: float | None = None


class Recipients:
    """Every call waits for the database, so the server makes them in threads."""

    def __init__(self, database: Database, time_source: TimeSource = SYSTEM_TIME) -> None:
        self._database, self._time = database, time_source
        self._tables = TableIndex(database)

    # Devices

    def devices(self, person: str) -> list[Subscription]:
        """A person's push subscriptions: on devices whose sessions are valid."""
        found = self._database.fetch(_DEVICES, whose=person, since=self._time.time() - LIFETIME)
        return [Subscription(*row) for row in found]

    def subscribe(self, new: Subscription) -> bool:
        """Stores a device's subscription, in place of the one that it, or another person on it, had before.

        False for whoever holds nothing here: there is nothing to tell them, and every passing program would
        leave one.
        """

        def subscribe(connection: Connection) -> bool:
            if not connection.scalar(HAS_ANYTHING, {"person": new.person}):
                return False
            mine = subscriptions.c.person == new.person
            same = sa.or_(
                subscriptions.c.endpoint == new.endpoint,
                sa.and_(mine, subscriptions.c.session == new.session),
            )
            connection.execute(sa.delete(subscriptions).where(same))
            connection.execute(sa.insert(subscriptions), {**vars(new), "made": self._time.time()})
            kept = sa.select(subscriptions.c.session).where(mine).order_by(subscriptions.c.made.desc())
            for session in connection.scalars(kept).all()[PERSON_DEVICES:]:
                one = sa.and_(mine, subscriptions.c.session == session)
                connection.execute(sa.delete(subscriptions).where(one))
            return True

        try:
            return self._database.transaction(subscribe)
        except IntegrityError:
            return self._database.transaction(subscribe)  # the same device has asked twice at once

    def unsubscribe(self, person: str, session: str) -> None:
        one = sa.and_(subscriptions.c.person == person, subscriptions.c.session == session)
        self._delete(subscriptions, one)

    def drop(self, gone: Subscription) -> None:
        """Its push service knows it no more. Another one, made on that device since, stays."""
        self._delete(subscriptions, subscriptions.c.endpoint == gone.endpoint)

    # Addresses

    def address(self, person: str) -> Address | None:
        found = self._database.fetch(_ADDRESS, whose=person)
        return Address(*found[0]) if found else None

    def set_address(self, new: Address) -> bool:
        """Stores a person's address, in place of the one before; False for whoever holds nothing here."""

        def keep(connection: Connection) -> bool:
            if not connection.scalar(HAS_ANYTHING, {"person": new.person}):
                return False
            connection.execute(sa.delete(addresses).where(addresses.c.person == new.person))
            connection.execute(sa.insert(addresses), vars(new))
            return True

        return self._database.transaction(keep)

    def confirm(self, person: str, address: str) -> bool:
        """Its owner has said that it is theirs; False if the person has given another since, or none."""
        one = sa.and_(addresses.c.person == person, addresses.c.address == address)
        confirm = sa.update(addresses).where(one).values(confirmed=self._time.time())
        return self._database.transaction(lambda connection: connection.execute(confirm).rowcount > 0)

    def forget_address(self, person: str) -> None:
        self._delete(addresses, addresses.c.person == person)

    # People

    def set_language(self, person: str, session: str, lang: str) -> None:
        """Notify a person in that language from now on: by mail, and on the device where they chose it."""

        def change(connection: Connection) -> None:
            here = sa.and_(subscriptions.c.person == person, subscriptions.c.session == session)
            connection.execute(sa.update(subscriptions).where(here).values(lang=lang))
            mail = addresses.c.person == person
            connection.execute(sa.update(addresses).where(mail).values(lang=lang))

        self._database.transaction(change)

    def forget(self, person: str) -> None:
        """Nothing is left of how somebody could be reached."""
        for table in (subscriptions, addresses, noticed):
            self._delete(table, table.c.person == person)

    def wants_notifications(self, person: str) -> bool:
        """Whether somebody wants any notifications."""
        return bool(self.devices(person)) or self.address(person) is not None

    def waiting(self, person: str) -> int:
        """How many tables wait for somebody."""
        return sum(row.turn_person == person for row in self._tables.tables_of(person))

    def tables_to_notify(self, since: float) -> list[str]:
        """The tables that wait, since then, for somebody who wants notifications."""
        return [found.id for found in self._database.fetch(_AWAITED, since=since)]

    # What they have been notified of

    def claim(self, person: str, table: str, way: str, turn: int) -> bool:
        """Whether it is for the caller to tell a person of a turn by that way: once, in whichever process."""

        def claim(connection: Connection) -> bool:
            known = connection.execute(_NOTICED, {"whose": person, "table": table, "way": way}).first()
            row = {"person": person, "table_id": table, "by": way, "what": turn}
            if known is None:
                connection.execute(sa.insert(noticed), row)
                return True
            one = sa.and_(*(noticed.c[name] == row[name] for name in ("person", "table_id", "by")))
            newer = sa.update(noticed).where(one, noticed.c.what != turn).values(what=turn)
            return connection.execute(newer).rowcount > 0

        try:
            return self._database.transaction(claim)
        except IntegrityError:
            return False  # another process was quicker

    def note_seen(self, person: str, table: str, version: int) -> None:
        """Record that a person who may be notified is looking at an event of another process."""
        if self.wants_notifications(person):
            self.claim(person, table, SEEN, version)

    def has_seen(self, person: str, table: str, version: int) -> bool:
        found = self._database.fetch(_NOTICED, whose=person, table=table, way=SEEN)
        return bool(found) and int(found[0][0]) >= version

    def _delete(self, table: sa.Table, which: sa.ColumnElement[bool]) -> None:
        self._database.transaction(lambda connection: connection.execute(sa.delete(table).where(which)))
