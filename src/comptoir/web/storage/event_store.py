"""The events of every table. A table's state is computed from them and never stored.

When `append` has returned, the events are on the disk; only then may anyone see them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy import Connection, bindparam
from sqlalchemy.exc import IntegrityError

from comptoir.web.domain.people import nameless
from comptoir.web.domain.player_results import PlayerResult
from comptoir.web.domain.state import Event, TableSummary
from comptoir.web.storage.archive_store import ArchiveStore
from comptoir.web.storage.channels import EVENTS_CHANNEL
from comptoir.web.storage.database import Database, is_id
from comptoir.web.storage.database_schema import events, sitters, tables
from comptoir.web.storage.result_store import ResultStore

# these events change nothing about who sits where
SITTING_STAYS = frozenset(("play", "forced", "undo", "late", "ask", "agree", "decline", "resume", "hours"))

# Statements are built once: building one costs more than SQLite takes to run it.
_CHANGING = [column.name for column in tables.columns if column.name not in ("id", "game")]
_CREATE = sa.insert(tables)
_CHANGE = (
    sa.update(tables)
    .where(tables.c.id == bindparam("table"), tables.c.version == bindparam("before"))
    .values({name: bindparam(name) for name in _CHANGING})
)
_ADD = sa.insert(events)
_STAND_UP = sa.delete(sitters).where(sitters.c.table_id == bindparam("table"))
_SIT = sa.insert(sitters)
_EVENTS = (
    sa.select(*(events.c[name] for name in Event.__dataclass_fields__))
    .where(events.c.table_id == bindparam("table"), events.c.version > bindparam("after"))
    .order_by(events.c.version)
)
_VERSIONS = sa.select(tables.c.id, tables.c.version).where(tables.c.id.in_(bindparam("ids", expanding=True)))
_SEATINGS = (
    sa.select(events.c.kind, events.c.seat, events.c.person)
    .where(events.c.table_id == bindparam("table"), events.c.kind.in_(["sit", "bot"]))
    .order_by(events.c.version)
)
_ANONYMISE = (
    sa.update(events)
    .where(
        events.c.table_id == bindparam("table"),
        events.c.person == bindparam("whose"),
        events.c.seat == bindparam("which"),
        events.c.kind == "sit",
    )
    .values(text=bindparam("name"))
)


class VersionConflict(Exception):
    """Another process has already written that version: read on and try again."""


@dataclass(frozen=True)
class PendingWrite:
    """New events of a table, and its summary after them."""

    table: str
    events: Sequence[Event]
    summary: TableSummary
    results: Sequence[PlayerResult] = ()

    def __post_init__(self) -> None:
        numbers = [event.version for event in self.events]
        last = self.summary.version
        if (
            not numbers
            or numbers != list(range(last - len(numbers) + 1, last + 1))
            or self.summary.id != self.table
        ):
            raise ValueError(
                f"table {self.summary.id} at version {last} does not come of events {numbers}"
                f" of table {self.table}"
            )


class EventStore:
    """Appends and reads events."""

    def __init__(self, database: Database, archives: ArchiveStore, results: ResultStore) -> None:
        self._database, self._archives, self._results = database, archives, results

    def append(self, table: str, happened: Sequence[Event], summary: TableSummary) -> None:
        """Write events and the table's summary after them: all of it, or nothing.

        Raises VersionConflict if the events do not follow on the last one written.
        """
        (outcome,) = self.append_all([PendingWrite(table, happened, summary)])
        if outcome is not None:
            raise outcome

    def append_all(self, writes: Sequence[PendingWrite]) -> list[VersionConflict | None]:
        """Write the events of several tables in one transaction: one wait for the disk.

        Returns a conflict for each write that came too late.
        """
        if len(writes) > 1:
            try:
                self._append(writes)
            except VersionConflict:
                pass  # in one of them: now each in its own transaction
            else:
                return [None] * len(writes)
        return [self._append_one(write) for write in writes]

    def _append_one(self, write: PendingWrite) -> VersionConflict | None:
        try:
            # A connection that was lost before the answer came may have written: then the second attempt
            # finds a conflict.
            self._append([write])
        except VersionConflict as conflict:
            return conflict
        return None

    def _append(self, writes: Sequence[PendingWrite]) -> None:
        try:
            self._database.transaction(lambda connection: self._write(connection, writes))
        except IntegrityError:
            raise VersionConflict("an event was written before") from None

    def _write(self, connection: Connection, writes: Sequence[PendingWrite]) -> None:
        """In order of the tables: two processes that write the same ones never deadlock."""
        for write in sorted(writes, key=lambda write: (write.table, write.summary.version)):
            self._write_summary(connection, write)
        added = [{"table_id": write.table, **vars(event)} for write in writes for event in write.events]
        connection.execute(_ADD, added[0] if len(added) == 1 else added)
        for write in writes:
            self._write_consequences(connection, write)

    def _write_summary(self, connection: Connection, write: PendingWrite) -> None:
        """The table's summary, if its events are the next ones; and who sits there."""
        first, summary = write.events[0].version, write.summary
        if first == 1:
            connection.execute(_CREATE, _row(summary))
        elif connection.execute(_CHANGE, _changed(_row(summary), first - 1)).rowcount == 0:
            raise VersionConflict(f"event {first} is not the next one of this table")
        if not SITTING_STAYS.issuperset(event.kind for event in write.events):
            self._seat(connection, write.table, summary.people)
        self._database.notify_in(connection, EVENTS_CHANNEL, f"{write.table} {summary.version}")

    def _seat(self, connection: Connection, table: str, sitting: Sequence[str]) -> None:
        connection.execute(_STAND_UP, {"table": table})
        if sitting:
            connection.execute(_SIT, [{"person": person, "table_id": table} for person in sitting])

    def _write_consequences(self, connection: Connection, write: PendingWrite) -> None:
        """Results with the event that ends a match; a name goes with the event that deletes its person."""
        if write.results:
            self._results.insert(connection, write.results)
        for event in write.events:
            if event.kind == "gone":
                self._anonymise(connection, write, event.person or "")

    def _anonymise(self, connection: Connection, write: PendingWrite, person: str) -> None:
        """Whoever reads this table from now on finds the seats' numbers instead of the name."""
        for seat in range(len(write.summary.names)):
            values = {"table": write.table, "whose": person, "which": seat, "name": nameless(seat)}
            connection.execute(_ANONYMISE, values)
        self._archives.anonymise(connection, write.table, write.summary.names)

    def read(self, table: str, after: int = 0) -> list[Event]:
        """The events of a table after that version, in order; none if there is no such table."""
        if not is_id(table):
            return []
        return [Event(*found) for found in self._database.fetch(_EVENTS, table=table, after=after)]

    def versions(self, ids: Sequence[str]) -> list[tuple[str, int]]:
        """The versions of these tables, in one query; tables that do not exist are left out."""
        return [(id, version) for id, version in self._database.fetch(_VERSIONS, ids=ids)] if ids else []

    def seats_of(self, table: str, person: str) -> list[int]:
        """The seats that a person has had since the match began: nobody else came to sit there."""
        last = {
            seat: person if kind == "sit" else None
            for kind, seat, person in self._database.fetch(_SEATINGS, table=table)
        }
        return sorted(seat for seat, sitter in last.items() if sitter == person)


def _row(summary: TableSummary) -> dict[str, object]:
    names, people = json.dumps(summary.names, ensure_ascii=False), json.dumps(summary.people)
    return {**vars(summary), "names": names, "people": people}


def _changed(values: dict[str, object], before: int) -> dict[str, object]:
    """The id is not set again, not even to itself: SQLite would then search all events that refer to it."""
    return {"table": values["id"], "before": before, **{name: values[name] for name in _CHANGING}}
