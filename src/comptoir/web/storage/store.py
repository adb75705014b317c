"""The store: what happened at every table, in SQLite or PostgreSQL.

States are computed from it, never stored; only of finished matches what they came to is kept too.

All calls wait for the database, so the server makes them in threads. When `append` has come back, what it was
given is on the disk; only then may anyone be told of it.
"""

from __future__ import annotations

import json
import logging
import math
import re
import secrets
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy import Column, Connection, Engine, MetaData, bindparam
from sqlalchemy.dialects import postgresql
from sqlalchemy.dialects import sqlite as sqlite_dialect
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import (
    ArgumentError,
    DBAPIError,
    IntegrityError,
    InterfaceError,
    OperationalError,
    SQLAlchemyError,
)

from comptoir import folders
from comptoir.errors import ComptoirError, OptionError
from comptoir.extras import needs
from comptoir.time_source import SYSTEM_TIME, TimeSource
from comptoir.web import limits
from comptoir.web.domain.archive import Archive, without_names
from comptoir.web.domain.clock import DAY, PlayingHours
from comptoir.web.domain.people import nameless
from comptoir.web.domain.player_results import PlayerResult
from comptoir.web.domain.state import Event, Settings, TableSummary
from comptoir.web.limits import (
    PERSON_RESULTS,
    REWRITE_AT_ONCE_BYTES,
    REWRITE_EVERY_SECONDS,
    VACUUM_SECONDS,
)
from comptoir.web.storage.migrations import HEAD

# what tells of events, of sessions that are ended, and of what bots elsewhere have chosen
CHANNEL, ENDED, ANSWERED = "comptoir", "comptoir_ended", "comptoir_answered"
SAID, HERE = "comptoir_said", "comptoir_here"  # what people say, and who is at which table
MUTED = "comptoir_muted"  # who has muted somebody, or no longer
MIGRATING = 0x636F6D70  # names our advisory lock among those of others in the same database
BROUGHT = "brought "  # before a person's id: what their brought matches take, in bytes
GONE = "gone"  # the id of a session that ends all others of its person, known or not
REWRITE = "rewrite"  # the name in `kept` that says that SQLite's file may hold what was deleted
SQLITE_PATIENCE = 10  # seconds for which another's lock is waited for
LONGEST_WAIT = 2.0  # seconds between attempts to hear from PostgreSQL again
FULL_LOGGED = 60.0  # seconds between two lines of the log that say that nothing can be stored
# SQLite says that a disk is full, or that writing has failed in one of these ways
FULL_IO = frozenset(
    (
        sqlite3.SQLITE_IOERR_WRITE,
        sqlite3.SQLITE_IOERR_FSYNC,
        sqlite3.SQLITE_IOERR_DIR_FSYNC,
        sqlite3.SQLITE_IOERR_TRUNCATE,
        sqlite3.SQLITE_IOERR_SHMOPEN,
        sqlite3.SQLITE_IOERR_SHMSIZE,
        sqlite3.SQLITE_IOERR_SHMMAP,
    )
)
FULL_STATES = ("53100", "25006")  # PostgreSQL: disk_full, read_only_sql_transaction
SERVER = "comptoir server"  # what each server's listener is called in PostgreSQL: there is one per process
FIRST_LISTED = 2  # open tables of one creator that are listed before those of others
SITTING_STAYS = frozenset(
    ("play", "forced", "undo", "late", "ask", "agree", "decline", "resume", "hours")
)  # these events change nothing about who sits where
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")

logger = logging.getLogger(__name__)
T = TypeVar("T")

schema = MetaData()
tables = sa.Table(
    "tables",
    schema,
    Column("id", sa.Text, primary_key=True),
    Column("game", sa.Text, nullable=False),
    Column("state", sa.Text, nullable=False),
    Column("open", sa.Boolean, nullable=False),
    Column("version", sa.Integer, nullable=False),
    Column("names", sa.Text, nullable=False),
    Column("people", sa.Text, nullable=False),
    Column("turn", sa.Integer),
    Column("turn_person", sa.Text),
    Column("due", sa.Double),
    Column("updated", sa.Double, nullable=False),
)
events = sa.Table(
    "events",
    schema,
    Column("table_id", sa.Text, sa.ForeignKey("tables.id"), primary_key=True),
    Column("version", sa.Integer, primary_key=True, autoincrement=False),
    Column("kind", sa.Text, nullable=False),
    Column("seat", sa.Integer),
    Column("person", sa.Text),
    Column("text", sa.Text, nullable=False),
    Column("at", sa.Double, nullable=False),
)
sitters = sa.Table(
    "sitters",
    schema,
    Column("person", sa.Text, primary_key=True),
    Column("table_id", sa.Text, sa.ForeignKey("tables.id"), primary_key=True),
)
people = sa.Table(
    "people",
    schema,
    Column("id", sa.Text, primary_key=True),
    Column("name", sa.Text, nullable=False),
    Column("lang", sa.Text, nullable=False),
    Column("made", sa.Double, nullable=False),
)
sessions = sa.Table(
    "sessions",
    schema,
    Column("person", sa.Text, primary_key=True),
    Column("id", sa.Text, primary_key=True),
    Column("device", sa.Text, nullable=False),
    Column("made", sa.Double, nullable=False),
    Column("seen", sa.Double, nullable=False),
    Column("ended", sa.Double),
)
hours = sa.Table(
    "hours", schema, Column("person", sa.Text, primary_key=True), Column("hours", sa.Text, nullable=False)
)
archives = sa.Table(
    "archives",
    schema,
    Column("table_id", sa.Text, sa.ForeignKey("tables.id"), primary_key=True),
    Column("rules", sa.Integer, nullable=False),
    Column("box", sa.Text, nullable=False),
    Column("content", sa.LargeBinary, nullable=False),
)
results = sa.Table(
    "results",
    schema,
    Column("table_id", sa.Text, sa.ForeignKey("tables.id"), primary_key=True),
    Column("seat", sa.Integer, primary_key=True, autoincrement=False),
    Column("person", sa.Text),  # none once that person has deleted it
    Column("game", sa.Text, nullable=False),
    Column("ended", sa.Double, nullable=False),
    Column("players", sa.Integer, nullable=False),
    Column("place", sa.Integer, nullable=False),
    Column("winners", sa.Integer, nullable=False),
    Column("points", sa.Integer, nullable=False),
    Column("company", sa.Text, nullable=False),
    Column("level", sa.Text),
    Column("aside", sa.Text, nullable=False),
    Column("climbs", sa.Boolean, nullable=False),
    Column("sheet", sa.Text, nullable=False),
)
thoughts = sa.Table(
    "thoughts",
    schema,
    Column("id", sa.Text, primary_key=True),
    Column("edition", sa.Text, nullable=False),
    Column("lane", sa.Text, nullable=False),
    Column("start", sa.Double, nullable=False),
    Column("cost", sa.Double, nullable=False),
    Column("asked", sa.Double, nullable=False),
    Column("game", sa.Text, nullable=False),
    Column("components", sa.Text, nullable=False),
    Column("level", sa.Text, nullable=False),
    Column("seed", sa.Text, nullable=False),
    Column("ply", sa.Integer, nullable=False),
    Column("views", sa.LargeBinary, nullable=False),
)
subscriptions = sa.Table(
    "subscriptions",
    schema,
    Column("person", sa.Text, primary_key=True),
    Column("session", sa.Text, primary_key=True),
    Column("endpoint", sa.Text, nullable=False, unique=True),
    Column("key", sa.LargeBinary, nullable=False),
    Column("auth", sa.LargeBinary, nullable=False),
    Column("lang", sa.Text, nullable=False),
    Column("made", sa.Double, nullable=False),
)
addresses = sa.Table(
    "addresses",
    schema,
    Column("person", sa.Text, primary_key=True),
    Column("address", sa.Text, nullable=False),
    Column("lang", sa.Text, nullable=False),
    Column("confirmed", sa.Double),
)
noticed = sa.Table(
    "noticed",
    schema,
    Column("person", sa.Text, primary_key=True),
    Column("table_id", sa.Text, primary_key=True),
    Column("by", sa.Text, primary_key=True),
    Column("what", sa.Integer, nullable=False),
)
sayings = sa.Table(
    "sayings",
    schema,
    Column("table_id", sa.Text, sa.ForeignKey("tables.id"), primary_key=True),
    Column("n", sa.Integer, primary_key=True, autoincrement=False),
    Column("seat", sa.Integer, nullable=False),
    Column("person", sa.Text, nullable=False),
    Column("name", sa.Text, nullable=False),
    Column("phrase", sa.Text, nullable=False),
    Column("text", sa.Text, nullable=False),
    Column("at", sa.Double, nullable=False),
)
mutes = sa.Table(
    "mutes",
    schema,
    Column("person", sa.Text, primary_key=True),
    Column("muted", sa.Text, primary_key=True),
)
reports = sa.Table(
    "reports",
    schema,
    Column("table_id", sa.Text, primary_key=True),
    Column("n", sa.Integer, primary_key=True, autoincrement=False),
    Column("name", sa.Text, nullable=False),
    Column("text", sa.Text, nullable=False),
    Column("at", sa.Double, nullable=False),
    Column("reported", sa.Double, nullable=False),
    Column("person", sa.Text, nullable=False),  # whose words they are
)
reviews = sa.Table(
    "reviews",
    schema,
    Column("table_id", sa.Text, sa.ForeignKey("tables.id"), primary_key=True),
    Column("done", sa.Boolean, nullable=False),
    Column("at", sa.Double, nullable=False),
    Column("content", sa.LargeBinary, nullable=False),
)
kept = sa.Table(
    "kept", schema, Column("name", sa.Text, primary_key=True), Column("value", sa.LargeBinary, nullable=False)
)

# Statements are built once: making them anew costs more than SQLite takes to carry them out.
CHANGING = [column.name for column in tables.columns if column.name not in ("id", "game")]
_MAKE = sa.insert(tables)
_CHANGE = (
    sa.update(tables)
    .where(tables.c.id == bindparam("table"), tables.c.version == bindparam("before"))
    .values({name: bindparam(name) for name in CHANGING})
)
_ADD = sa.insert(events)
_TELL = sa.select(sa.func.pg_notify(CHANNEL, bindparam("what", type_=sa.Text)))
_RISE = sa.delete(sitters).where(sitters.c.table_id == bindparam("table"))
_SIT = sa.insert(sitters)
_EVENTS = (
    sa.select(*(events.c[name] for name in Event.__dataclass_fields__))
    .where(events.c.table_id == bindparam("table"), events.c.version > bindparam("after"))
    .order_by(events.c.version)
)
_ROWS = sa.select(*(tables.c[name] for name in TableSummary.__dataclass_fields__))
_ROW = _ROWS.where(tables.c.id == bindparam("table"))
_VERSIONS = sa.select(tables.c.id, tables.c.version).where(tables.c.id.in_(bindparam("ids", expanding=True)))
_NEWEST = _ROWS.order_by(tables.c.updated.desc(), tables.c.id).limit(bindparam("limit"))
_MINE = _NEWEST.join(sitters, sitters.c.table_id == tables.c.id).where(
    sitters.c.person == bindparam("person")
)
_RUNNING = _MINE.where(tables.c.state.in_(["waiting", "on"]))
_CLOSED = _MINE.where(tables.c.state == "closed")
_MADE = (
    sa.select(events.c.table_id, events.c.text)
    .join(sitters, sitters.c.table_id == events.c.table_id)
    .where(sitters.c.person == bindparam("person"), events.c.version == 1)
)
_LESSONS = _MADE.where(events.c.text.contains('"lesson"'))
_TIMED = _MADE.join(tables, tables.c.id == events.c.table_id).where(
    events.c.text.contains('"clock"'), tables.c.state.in_(["waiting", "on"])
)
_TIMED = _TIMED.order_by(tables.c.updated.desc(), tables.c.id).limit(bindparam("limit"))
_HOURS = sa.select(hours.c.hours).where(hours.c.person == bindparam("person"))
_WATCHABLE = _NEWEST.where(tables.c.open, tables.c.state == "on")
# Open tables that wait, of makers who have been here since then, or where something has happened since. Of
# each creator some come first: nobody's many push others off a list.
_made = sa.and_(events.c.table_id == tables.c.id, events.c.version == 1)
_maker_seen = (
    sa.select(sa.func.max(sessions.c.seen))
    .where(sessions.c.person == events.c.person, sessions.c.ended.is_(None))
    .scalar_subquery()
)
_open = sa.and_(tables.c.open, tables.c.state == "waiting")
_newest_first = (tables.c.updated.desc(), tables.c.id)
_nth = sa.func.row_number().over(partition_by=events.c.person, order_by=_newest_first)
_OPEN = (
    _ROWS.join(events, _made)
    .where(_open, sa.or_(tables.c.updated >= bindparam("since"), _maker_seen >= bindparam("since")))
    .order_by(sa.case((_nth > bindparam("first"), 1), else_=0), *_newest_first)
    .limit(bindparam("limit"))
)
_OPEN_OF = (
    sa.select(sa.func.count())
    .select_from(tables)
    .join(events, _made)
    .where(_open, events.c.person == bindparam("person"))
)
# a bot acts soon: one whose turn is to come much later was noted by a clock that has been set back since
_DUE = (
    _ROWS.where(
        (tables.c.due <= bindparam("before"))
        | ((tables.c.due > bindparam("late")) & tables.c.turn_person.is_(None))
    )
    .order_by(tables.c.due)
    .limit(bindparam("limit"))
)
_COUNTS = sa.select(tables.c.state, sa.func.count()).group_by(tables.c.state)
_SET_ASIDE = (
    sa.update(tables)
    .where(tables.c.id == bindparam("table"))
    .values(state="closed", turn=None, turn_person=None, due=None)
)
_REST = (
    sa.update(tables)
    .where(tables.c.id == bindparam("table"), tables.c.version == bindparam("at"))
    .values(due=None)
)
_NAMES = sa.select(tables.c.names).where(tables.c.id == bindparam("table")).with_for_update()
_ARCHIVE = sa.select(archives.c.rules, archives.c.box, archives.c.content).where(
    archives.c.table_id == bindparam("table")
)
_UNARCHIVED = (
    sa.select(tables.c.id)
    .outerjoin(archives, archives.c.table_id == tables.c.id)
    .where(tables.c.state == "over", archives.c.table_id.is_(None))
    .order_by(tables.c.updated)
)
_UNRECORDED = (
    sa.select(tables.c.id)
    .where(
        tables.c.state == "over",
        sa.exists().where(sitters.c.table_id == tables.c.id),
        ~sa.exists().where(results.c.table_id == tables.c.id),
    )
    .order_by(tables.c.updated)
)
# Who deletes themselves: their name goes out of what happened at their tables, also at those that they left
_SEATINGS = (
    sa.select(events.c.kind, events.c.seat, events.c.person)
    .where(events.c.table_id == bindparam("table"), events.c.kind.in_(["sit", "bot"]))
    .order_by(events.c.version)
)
_SEATED = sa.select(sitters.c.table_id).where(sitters.c.person == bindparam("person"))
_UNNAME = (
    sa.update(events)
    .where(
        events.c.table_id == bindparam("table"), events.c.person == bindparam("whose"), events.c.kind == "sit"
    )
    .values(text=bindparam("name"))
)
# `nameless`, as both databases say it
NUMBERED = sa.literal("№ ") + sa.cast(events.c.seat + 1, sa.Text)
_NAMED = sa.and_(events.c.kind == "sit", events.c.text != NUMBERED)
_UNNAME_REST = (
    sa.update(events)
    .where(
        events.c.person == bindparam("whose"),
        _NAMED,
        events.c.table_id.not_in(sa.select(sitters.c.table_id).where(sitters.c.person == bindparam("whose"))),
    )
    .values(text=NUMBERED)
)
_REPLACE_ARCHIVE = (
    sa.update(archives).where(archives.c.table_id == bindparam("table")).values(content=bindparam("content"))
)
DISOWN = sa.update(results).where(results.c.person == bindparam("whose")).values(person=None)
# A list of results has an end. They stay at their tables, which would else be looked through for them again.
OLD_RESULTS = (
    sa.select(results.c.table_id)
    .where(results.c.person == bindparam("whose"))
    .order_by(results.c.ended.desc(), results.c.table_id)
    .offset(PERSON_RESULTS)
)
DROP_RESULTS = DISOWN.where(results.c.table_id.in_(OLD_RESULTS))
_PERSON = sa.select(people).where(people.c.id == bindparam("person"))
_SESSIONS = (
    sa.select(sessions).where(sessions.c.person == bindparam("whose")).order_by(sessions.c.seen.desc())
)
# whoever has deleted themselves has one session, which stands for all that they had, and is ended
_SESSION = _SESSIONS.where(sessions.c.id.in_([bindparam("which"), GONE])).order_by(None)
_SESSION = _SESSION.order_by(sessions.c.id == bindparam("which"))
_GONE = sa.select(sessions.c.person).where(
    sessions.c.id == GONE,
    sa.or_(
        sa.exists().where(sitters.c.person == sessions.c.person),
        sa.exists().where(events.c.person == sessions.c.person, _NAMED),
        sa.exists().where(sayings.c.person == sessions.c.person),
        sa.exists().where(reports.c.person == sessions.c.person),
    ),
)
# nobody's sessions are noted who holds nothing here: every passing program would leave one
HOLDS = sa.select(
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
_TELL_ENDED = sa.select(sa.func.pg_notify(ENDED, bindparam("what", type_=sa.Text)))
_SAY = sa.select(sa.func.pg_notify(bindparam("channel", type_=sa.Text), bindparam("what", type_=sa.Text)))
_PEOPLE = sa.select(sa.func.count()).select_from(people)
_PRESENT = sa.select(sa.func.count(sa.distinct(sessions.c.person))).where(
    sessions.c.seen >= bindparam("since"), sessions.c.ended.is_(None)
)
_KEPT = sa.select(kept.c.value).where(kept.c.name == bindparam("what"))


# in which somebody who deletes themselves has had rows
ERASED = (
    *(people, hours, sessions, sitters, tables, events, archives, results),
    *(subscriptions, addresses, noticed, sayings, mutes, reports),
)


class NotStored(ComptoirError):
    """The disk is full, or cannot be written to. `key` is the sentence in words.toml that says so.

    503 rather than 507: programs and proxies know it and come back after `seconds`; /health says the same.
    """

    key, status, seconds = "error.disk_full", 503, 60


class Unreachable(OptionError):
    """The database cannot be reached, or takes nobody in now: that may pass by itself."""


class VersionConflict(Exception):
    """Another process has already written that version: read on and try again."""


@dataclass(frozen=True)
class Person:
    """Someone who plays here. Nothing else is known of people."""

    id: str
    name: str
    lang: str
    made: float


@dataclass(frozen=True)
class SessionInfo:
    """A session, as the person sees it whose it is."""

    person: str
    id: str
    device: str
    made: float
    seen: float
    ended: float | None = None


@dataclass(frozen=True)
class PendingWrite:
    """What happened at a table, and how it stands then."""

    table: str
    happened: Sequence[Event]
    row: TableSummary
    results: Sequence[PlayerResult] = ()

    def __post_init__(self) -> None:
        numbers = [event.version for event in self.happened]
        if (
            not numbers
            or numbers != list(range(self.row.version - len(numbers) + 1, self.row.version + 1))
            or self.row.id != self.table
        ):
            raise ValueError(
                f"table {self.row.id} at version {self.row.version} does not come of events {numbers}"
                f" of table {self.table}"
            )


def sqlite_file(url: str) -> Path | None:
    """The file of a SQLite database; None for PostgreSQL."""
    found = _read_url(url)
    return Path(str(found.database)) if found.get_backend_name() == "sqlite" else None


def is_id(text: str) -> bool:
    """Whether it looks like an id at all; all else cannot be stored, and need not be looked for."""
    return _ID.fullmatch(text) is not None


def default_url() -> str:
    """The database in the user's data folder."""
    return f"sqlite:///{folders.data() / 'comptoir.sqlite'}"


class Store:
    """One database, as one process uses it, from any of its threads."""

    def __init__(self, url: str, time_source: TimeSource = SYSTEM_TIME) -> None:
        self.url, self._time = _read_url(url), time_source
        self.kind = self.url.get_backend_name()
        self._listener: Listener | None = None
        self._hearing: dict[str, Callable[[str, str], None]] = {}
        if self.kind == "sqlite":
            self.engine = _sqlite_engine(self.url)
            # SQLite has one writer at a time; waiting in line here is quicker than asking it again and again
            self._turn: threading.Lock | nullcontext[None] = threading.Lock()
        else:
            self.engine = _postgresql_engine(self.url)
            self._turn = nullcontext()
        sa.event.listen(self.engine, "handle_error", self._look_at_error)
        self._full_logged = -math.inf
        self.reading = self.engine.execution_options(isolation_level="AUTOCOMMIT")
        self._keep = upsert(self.kind, people, "name", "lang")
        self._keep_hours = upsert(self.kind, hours, "hours")
        self._note = upsert(self.kind, sessions, "device", "seen")
        self._mark = upsert(self.kind, kept, "value")
        self._record = _insert(self.kind, results).on_conflict_do_nothing()
        # what deletion leaves in the database's files: a server that was killed may have left it in the log
        self.log_due, self._rewrite_due, self._rewritten = (
            self.kind == "sqlite",
            False,
            -REWRITE_EVERY_SECONDS,
        )
        self._unvacuumed: list[str] = []
        with _plain_errors(self.url), self.engine.connect():
            pass

    # Setting up

    def migrate(self) -> None:
        """Brings the database to the shape this program knows; several processes may do so at once."""
        with _plain_errors(self.url), self._alone() as connection:
            found = _version(connection)
            if found != HEAD:
                _upgrade(connection, found, self.url)
        if self.kind == "sqlite" and self._read(_KEPT, what=REWRITE):
            self.rewrite()

    @contextmanager
    def _alone(self) -> Iterator[Connection]:
        """A transaction during which no other process migrates."""
        with self._turn, self.engine.begin() as connection:
            if self.kind == "sqlite":
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            else:
                # a step may take minutes, and so may waiting for another process that takes it
                connection.exec_driver_sql("SET LOCAL statement_timeout = 0")
                connection.execute(sa.select(sa.func.pg_advisory_xact_lock(MIGRATING)))
            yield connection

    def secret(self) -> bytes:
        """What this server signs with."""
        return self.made_once("secret", lambda: secrets.token_bytes(32))

    def made_once(self, name: str, make: Callable[[], bytes]) -> bytes:
        """What is made once and kept for good, the same for all processes."""
        with self.reading.connect() as connection:
            found: bytes | None = connection.scalar(_KEPT, {"what": name})
        if found is None:
            with suppress(IntegrityError):  # another process was quicker; its own is everyone's
                self._write(sa.insert(kept), name=name, value=make())
            return self.made_once(name, make)
        return bytes(found)

    # What happens at tables

    def append(self, table: str, happened: Sequence[Event], row: TableSummary) -> None:
        """Writes what happened and how the table stands then: all of it, or nothing.

        Raises Taken if the events do not follow on the last one written.
        """
        (outcome,) = self.append_all([PendingWrite(table, happened, row)])
        if outcome is not None:
            raise outcome

    def append_all(self, writings: Sequence[PendingWrite]) -> list[VersionConflict | None]:
        """Writes what happened at several tables in one transaction: the disk is waited for once.

        Says which came too late.
        """
        if len(writings) > 1:
            try:
                self._twice(lambda: self._append(writings))
            except VersionConflict:
                pass  # one was: now each for itself
            else:
                return [None] * len(writings)
        return [self._append_one(writing) for writing in writings]

    def _append_one(self, writing: PendingWrite) -> VersionConflict | None:
        try:
            # A connection that was lost before the answer came may have written: then the second attempt
            # finds the version taken.
            self._twice(lambda: self._append([writing]))
        except VersionConflict as taken:
            return taken
        return None

    def _append(self, writings: Sequence[PendingWrite]) -> None:
        """All of it, or nothing.

        In the tables' order: two processes that write the same ones never wait for each other in a ring.
        """
        try:
            with self._turn, self.engine.begin() as connection:
                for writing in sorted(writings, key=lambda writing: (writing.table, writing.row.version)):
                    self._put(connection, writing)
                added = [
                    {"table_id": writing.table, **vars(event)}
                    for writing in writings
                    for event in writing.happened
                ]
                connection.execute(_ADD, added[0] if len(added) == 1 else added)
                for writing in writings:
                    self._after(connection, writing)
        except IntegrityError:
            raise VersionConflict("an event was written before") from None

    def _put(self, connection: Connection, writing: PendingWrite) -> None:
        """How a table stands, if its events are the next ones; and who sits there."""
        table, first, row = writing.table, writing.happened[0].version, writing.row
        if first == 1:
            connection.execute(_MAKE, _plain_row(row))
        elif connection.execute(_CHANGE, _changing(_plain_row(row), first - 1)).rowcount == 0:
            raise VersionConflict(f"event {first} is not the next one of this table")
        if not SITTING_STAYS.issuperset(event.kind for event in writing.happened):
            self._seat(connection, table, row.people)
        if self.kind == "postgresql":
            connection.execute(_TELL, {"what": f"{table} {row.version}"})

    def _after(self, connection: Connection, writing: PendingWrite) -> None:
        """What goes with some events: results with the one that ends a match, and names with who has gone."""
        if writing.results:
            connection.execute(self._record, [vars(one) for one in writing.results])
            for person in {one.person for one in writing.results if one.person}:
                connection.execute(DROP_RESULTS, {"whose": person})
        for event in writing.happened:
            if event.kind == "gone":
                self._unname(connection, writing, event.person or "")

    def _unname(self, connection: Connection, writing: PendingWrite, person: str) -> None:
        """Whoever reads this table from now on finds the seats' numbers where the name was."""
        seated = events.c.seat == bindparam("which")
        for seat in range(len(writing.row.names)):
            values = {"table": writing.table, "whose": person, "which": seat, "name": nameless(seat)}
            connection.execute(_UNNAME.where(seated), values)
        found = connection.execute(_ARCHIVE, {"table": writing.table}).first()
        if found is not None:
            content = without_names(Archive(*found), _nameless(writing.row.names)).content
            connection.execute(_REPLACE_ARCHIVE, {"table": writing.table, "content": content})

    def _seat(self, connection: Connection, table: str, sitting: Sequence[str]) -> None:
        connection.execute(_RISE, {"table": table})
        if sitting:
            connection.execute(_SIT, [{"person": person, "table_id": table} for person in sitting])

    def events(self, table: str, after: int = 0) -> list[Event]:
        """What happened at a table after that version, in order; nothing if there is no such table."""
        if not is_id(table):
            return []
        return [Event(*found) for found in self._read(_EVENTS, table=table, after=after)]

    def versions(self, ids: Sequence[str]) -> list[tuple[str, int]]:
        """The versions of these tables, in one query; those that are not there are left out."""
        return [(id, version) for id, version in self._read(_VERSIONS, ids=ids)] if ids else []

    # Tables as lists show them

    def row(self, table: str) -> TableSummary | None:
        found = self._rows(_ROW, table=table) if is_id(table) else []
        return found[0] if found else None

    def mine(self, person: str, limit: int = 50) -> list[TableSummary]:
        """The tables at which a person sits, the latest first."""
        return self._rows(_MINE, person=person, limit=limit) if is_id(person) else []

    def running(self, person: str, limit: int = 50) -> list[TableSummary]:
        """Those of them where a match is on or is to begin."""
        return self._rows(_RUNNING, person=person, limit=limit) if is_id(person) else []

    def closed(self, person: str, limit: int = 50) -> list[TableSummary]:
        """And those at which nobody can play any more."""
        return self._rows(_CLOSED, person=person, limit=limit) if is_id(person) else []

    def lessons(self, person: str) -> set[str]:
        """The ids of a person's guided games."""
        found = self._read(_LESSONS, person=person) if is_id(person) else []
        return {id for id, made in found if Settings.read(made).lesson}

    def day_tables(self, person: str, limit: int = 100) -> list[str]:
        """The ids of a person's tables at which a turn has days, and that are not over: the latest first."""
        found = self._read(_TIMED, person=person, limit=limit) if is_id(person) else []
        return [id for id, made in found if Settings.read(made).clock >= DAY]

    def open(self, since: float = 0.0, *, limit: int = 50) -> list[TableSummary]:
        """The tables that wait for anyone to sit down, and whose makers have been here since then: the latest
        first, but of each creator only two before others'.
        """
        return self._rows(_OPEN, since=since, first=FIRST_LISTED, limit=limit)

    def open_of(self, creator: str) -> int:
        """How many open tables of a person's wait for others."""
        return int(self._read(_OPEN_OF, person=creator)[0][0])

    def watchable(self, limit: int = 50) -> list[TableSummary]:
        """The tables at which everyone may watch a running match, the latest first."""
        return self._rows(_WATCHABLE, limit=limit)

    def due(self, before: float, late: float = math.inf, limit: int = 100) -> list[TableSummary]:
        """The tables at which the server should have acted by then, the longest overdue first; and those
        where a bot is to act only after `late`.
        """
        return self._rows(_DUE, before=before, late=late, limit=limit)

    def counts(self) -> dict[str, int]:
        """How many tables there are in each state."""
        return dict(self._read(_COUNTS))

    def set_aside(self, table: str) -> None:
        """Lists it as closed, and no longer as one at which the server is to act: it cannot be read."""
        self._write(_SET_ASIDE, table=table)

    def rest(self, table: str, version: int) -> None:
        """The server need not act there any more, though an older one has noted that it should."""
        self._write(_REST, table=table, at=version)

    # Finished matches

    def count_brought(self, person: str, size: int, most: int) -> bool:
        """Counts what a person's brought matches take here; False if it would be more than that."""
        what = f"{BROUGHT}{person}"

        def count(connection: Connection) -> bool:
            before = int(bytes(connection.scalar(_KEPT.with_for_update(), {"what": what}) or b"0"))
            if before + size > most:
                return False
            connection.execute(self._mark, {"name": what, "value": str(before + size).encode()})
            return True

        return self.carry_out(count)

    def archive(self, table: str) -> Archive | None:
        """What was kept of a table's match."""
        found = self._read(_ARCHIVE, table=table)
        return Archive(*found[0]) if found else None

    def keep_archive(self, table: str, archive: Archive) -> None:
        """Keeps a match that is over. Several processes may do so at once: all keep the same.

        A name that was deleted while it was told is not kept.
        """

        def keep(connection: Connection) -> None:
            names = json.loads(connection.scalar(_NAMES, {"table": table}) or "[]")
            kept = without_names(archive, gone) if (gone := _nameless(names)) else archive
            connection.execute(sa.insert(archives), {"table_id": table, **vars(kept)})

        with suppress(IntegrityError):
            self.carry_out(keep)

    def unarchived(self) -> list[str]:
        """The tables of matches that are over and not kept yet, the oldest first."""
        return [found.id for found in self._read(_UNARCHIVED)]

    def record(self, results: Sequence[PlayerResult]) -> None:
        """Keeps the results of a match that ended before there were any; those that are kept stay as they
        are.
        """
        self._write(self._record, [vars(one) for one in results])

    def unrecorded(self) -> list[str]:
        """The tables of matches that are over and have no results yet, the oldest first."""
        return [found.id for found in self._read(_UNRECORDED)]

    # People

    def person(self, id: str) -> Person | None:
        found = self._read(_PERSON, person=id) if is_id(id) else []
        return Person(*found[0]) if found else None

    def keep(self, person: Person) -> None:
        """Remembers a person, or a new name or language of theirs."""
        self._write(self._keep, **vars(person))

    def hours(self, person: str) -> PlayingHours | None:
        """When somebody plays, if they have said so."""
        found = self._read(_HOURS, person=person) if is_id(person) else []
        return PlayingHours.read(found[0].hours) if found else None

    def keep_hours(self, person: str, kept: PlayingHours | None) -> None:
        self._write(self._keep_hours, person=person, hours=kept.text() if kept else "")

    def delete(self, person: str, at: float) -> None:
        """Nothing is left of a person but where they sat; and their cookies are nobody's, on all devices."""

        def delete(connection: Connection) -> None:
            for table, column in (
                (people, people.c.id),
                (hours, hours.c.person),
                (sessions, sessions.c.person),
            ):
                connection.execute(sa.delete(table).where(column == person))
            connection.execute(DISOWN, {"whose": person})
            connection.execute(sa.delete(kept).where(kept.c.name == f"{BROUGHT}{person}"))
            connection.execute(self._note, vars(SessionInfo(person, GONE, "", at, at, at)))
            self._note_rewrite(connection)
            if self.kind == "postgresql":
                connection.execute(_TELL_ENDED, {"what": f"{person} {GONE}"})

        self.carry_out(delete)

    def unname(self, person: str) -> None:
        """Takes a name out of the tables that somebody left before the match began. Where they still sit, it
        goes with the event that says so.
        """

        def unname(connection: Connection) -> None:
            connection.execute(_UNNAME_REST, {"whose": person})
            self._note_rewrite(connection)

        self.carry_out(unname)
        self.log_due, self._rewrite_due = self.kind == "sqlite", True

    def _note_rewrite(self, connection: Connection) -> None:
        if self.kind == "sqlite":
            connection.execute(self._mark, {"name": REWRITE, "value": b"due"})

    @property
    def erase_due(self) -> bool:
        """Whether the database's files may hold bytes of what was deleted."""
        return self.log_due or self._rewrite_due or bool(self._unvacuumed)

    def erase(self) -> None:
        """Removes the bytes that deletion has left in the database's files, as far as it can be done now.

        SQLite overwrites what is deleted (`secure_delete`), but copies of it lie in its log, and now and then
        where a page was split: about one name in 200. PostgreSQL removes dead rows when it vacuums.
        """
        if self._rewrite_due and self._time.monotonic() - self._rewritten >= REWRITE_EVERY_SECONDS:
            if self.kind == "postgresql":
                self._rewritten, self._rewrite_due = self._time.monotonic(), False
                self._unvacuumed = [table.name for table in ERASED]
            elif Path(str(self.url.database)).stat().st_size <= REWRITE_AT_ONCE_BYTES:
                self.rewrite()
            else:
                self._rewrite_due = False  # the next start does it
        if self._unvacuumed:
            self._vacuum(self._unvacuumed.pop())
        if self.log_due:
            self.log_due = not self._empty_log()

    def rewrite(self) -> None:
        """Writes SQLite's file anew. It needs as much room again; without it, it is tried again later."""
        self._rewritten = self._time.monotonic()
        try:
            with self._turn, self.reading.connect() as connection:
                connection.exec_driver_sql("VACUUM")
                connection.execute(sa.delete(kept).where(kept.c.name == REWRITE))
        except (SQLAlchemyError, NotStored) as error:
            logger.warning("the database could not be rewritten: %s", type(error).__name__)
            return
        self._rewrite_due, self.log_due = False, True

    def _empty_log(self) -> bool:
        """Moves what was written to its place and cuts SQLite's log to nothing, unless somebody reads there
        just now; not waiting for them, since whoever writes waits for this.
        """
        self.tidy()
        with self._turn, self.reading.connect() as connection:
            connection.exec_driver_sql("PRAGMA busy_timeout = 100")
            try:
                busy, *_ = connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").one()
            finally:
                connection.exec_driver_sql(f"PRAGMA busy_timeout = {1000 * SQLITE_PATIENCE}")
        return not busy

    def _vacuum(self, table: str) -> None:
        """Frees the dead rows of one table. What takes too long is left to autovacuum."""
        with self.reading.connect() as connection:
            connection.exec_driver_sql(f"SET statement_timeout = '{VACUUM_SECONDS}s'")
            try:
                connection.exec_driver_sql(f"VACUUM (SKIP_LOCKED) {table}")
            except DBAPIError as error:
                logger.info("%s was not vacuumed: %s", table, type(error.orig).__name__)
            finally:
                connection.exec_driver_sql("RESET statement_timeout")

    def half_deleted(self) -> list[str]:
        """Those who have deleted themselves and of whom something is left: the server was stopped meanwhile,
        or was an older one, which left more.
        """
        return [found[0] for found in self._read(_GONE)]

    def seated(self, person: str) -> list[str]:
        """The ids of all tables at which a person sits."""
        return [found.table_id for found in self._read(_SEATED, person=person)]

    def seats_of(self, table: str, person: str) -> list[int]:
        """The seats that a person has had since the match began: nobody else came to sit there."""
        last = {
            seat: person if kind == "sit" else None
            for kind, seat, person in self._read(_SEATINGS, table=table)
        }
        return sorted(seat for seat, sitter in last.items() if sitter == person)

    def number_of_people(self) -> int:
        return int(self._read(_PEOPLE)[0][0])

    def people_since(self, when: float) -> int:
        """How many have been here since then, of those who hold anything."""
        return int(self._read(_PRESENT, since=when)[0][0])

    # Their sessions

    def session(self, person: str, id: str) -> SessionInfo | None:
        found = self._read(_SESSION, whose=person, which=id) if is_id(person) else []
        return SessionInfo(*found[0]) if found else None

    def sessions(self, person: str, since: float) -> list[SessionInfo]:
        """The sessions that a person has used since then and not ended, the latest first."""
        found = [SessionInfo(*row) for row in self._read(_SESSIONS, whose=person)]
        return [one for one in found if one.ended is None and one.seen >= since]

    def sessions_known(self, person: str) -> int:
        """How many of a person's sessions are noted, ended ones included."""
        return len(self._read(_SESSIONS, whose=person))

    def note_session(self, session: SessionInfo, forget: float) -> None:
        """Notes that a session is used, if its person holds anything here; an ended one stays ended.

        What was last used before `forget` is of no use to anyone.
        """
        if not is_id(session.person):
            return

        def note() -> None:
            with self._turn, self.engine.begin() as connection:
                if connection.scalar(HOLDS, {"person": session.person}):
                    connection.execute(_FORGET, {"whose": session.person, "before": forget})
                    connection.execute(self._note, vars(session))

        self._twice(note)

    def end_sessions(self, person: str, ids: Sequence[str], at: float) -> None:
        """Ends sessions for good, with their subscriptions to notices, and tells other processes."""

        def end() -> None:
            with self._turn, self.engine.begin() as connection:
                for id in ids:
                    connection.execute(_END, {"whose": person, "which": id, "at": at})
                    connection.execute(_UNSUBSCRIBE, {"whose": person, "which": id})
                    if self.kind == "postgresql":
                        connection.execute(_TELL_ENDED, {"what": f"{person} {id}"})

        self._twice(end)

    def first_cookies_until(self, length: float) -> float:
        """Until when cookies that name no session are good: so long after this database knew of them."""
        with self.reading.connect() as connection:
            found: bytes | None = connection.scalar(_KEPT, {"what": "sessions since"})
        return (float(found) if found else 0.0) + length

    # Other processes

    def on(self, channel: str, told: Callable[[str, str], None]) -> None:
        """What `listen` calls, in a thread, when any process has said something there; with "" if anything
        may have been said.
        """
        self._hearing[channel] = told

    def listen(self, told: Callable[[str, int], None]) -> None:
        """From now on calls `told(table, version)` in a thread when any process has written.

        After a lost connection it calls `told("", 0)`: anything may have changed. SQLite tells nothing: it
        serves one process.
        """
        self.on(CHANNEL, lambda table, version: told(table, int(version or 0)))
        if self.kind == "postgresql":
            with _plain_errors(self.url):
                self._listener = Listener(self.url, self._hearing)

    def hearing(self) -> int | None:
        """By which connection, counted from the first, other processes are heard; None while there is none.

        SQLite serves one process, which misses nothing.
        """
        if self.kind == "sqlite":
            return 0
        return self._listener.connection if self._listener is not None else None

    def tell(self, channel: str, what: str) -> None:
        """Says something to all processes, this one too. With SQLite there is no other."""
        if self.kind == "postgresql":
            self._read(_SAY, channel=channel, what=what)

    # Health

    def tidy(self) -> None:
        """Moves what was written from SQLite's log to its place, beside those who write: it can take the disk
        a third of a second.
        """
        if self.kind == "sqlite":
            with suppress(NotStored), self.reading.connect() as connection:
                connection.exec_driver_sql("PRAGMA wal_checkpoint(PASSIVE)")

    def check(self) -> bool:
        """Whether the database answers."""
        try:
            with self.reading.connect() as connection:
                connection.execute(sa.select(1))
        except SQLAlchemyError:
            return False
        return True

    def can_write(self) -> bool:
        """Whether what happens could be kept: tried, since a full or read-only disk can still be read."""
        try:
            self._write(self._mark, name="health", value=repr(self._time.time()).encode())
        except (SQLAlchemyError, NotStored):
            return False
        return True

    def _look_at_error(self, context: sa.engine.ExceptionContext) -> None:
        """Raises NotStored in the place of an error that says so, and logs that once a minute."""
        error = context.original_exception
        if not is_full(error):
            return
        if self._time.monotonic() - self._full_logged > FULL_LOGGED:
            self._full_logged = self._time.monotonic()
            logger.error("nothing can be stored: %s", " ".join(str(error).split()))
        raise NotStored(str(error)) from error

    def close(self) -> None:
        if self._listener is not None:
            self._listener.close()
        self.engine.dispose()

    # How it reads and writes

    def found(self, statement: sa.Select[Any], **values: Any) -> Sequence[Any]:
        """For what else is kept in the same database: the rows that a statement finds."""
        return self._read(statement, **values)

    def carry_out(self, work: Callable[[Connection], T]) -> T:
        """For what else is kept in the same database: some work, all of it or nothing."""

        def whole() -> T:
            with self._turn, self.engine.begin() as connection:
                return work(connection)

        return self._twice(whole)

    def _rows(self, statement: sa.Select[Any], **values: Any) -> list[TableSummary]:
        return [_row(found) for found in self._read(statement, **values)]

    def _read(self, statement: sa.Select[Any], **values: Any) -> Sequence[Any]:
        def read() -> Sequence[Any]:
            with self.reading.connect() as connection:
                return connection.execute(statement, values).all()

        return self._twice(read)

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction."""
        with self._turn, self.engine.begin() as connection:
            yield connection

    def _write(
        self, statement: sa.Insert | sa.Update, rows: Sequence[dict[str, Any]] = (), **values: Any
    ) -> None:
        def write() -> None:
            with self.writing() as connection:
                connection.execute(statement, rows or values)

        self._twice(write)

    def _twice(self, work: Callable[[], T]) -> T:
        """Does some work, once more if PostgreSQL was restarted since the connection was last used."""
        try:
            return work()
        except DBAPIError as error:
            if not error.connection_invalidated:
                raise
            return work()


def _plain_row(row: TableSummary) -> dict[str, Any]:
    return {**vars(row), "names": json.dumps(row.names, ensure_ascii=False), "people": json.dumps(row.people)}


def _changing(values: dict[str, Any], before: int) -> dict[str, Any]:
    """The id is not set again, not even to itself: SQLite would then look through all events that refer to
    it.
    """
    return {"table": values["id"], "before": before, **{name: values[name] for name in CHANGING}}


def _nameless(names: Sequence[str]) -> list[int]:
    """The seats whose names are deleted."""
    return [seat for seat, name in enumerate(names) if name == nameless(seat)]


def _row(found: sa.Row[Any]) -> TableSummary:
    values = found._asdict()
    return TableSummary(
        **{
            **values,
            "names": tuple(json.loads(values["names"])),
            "people": tuple(json.loads(values["people"])),
        }
    )


def _insert(kind: str, table: sa.Table) -> sqlite_dialect.Insert | postgresql.Insert:
    return sqlite_dialect.insert(table) if kind == "sqlite" else postgresql.insert(table)


def upsert(kind: str, table: sa.Table, *changing: str) -> sa.Insert:
    """A new row, or new values of one that is known; the two databases have the same words for it,
    SQLAlchemy does not.
    """
    insert = _insert(kind, table)
    return insert.on_conflict_do_update(
        index_elements=list(table.primary_key), set_={name: insert.excluded[name] for name in changing}
    )


# Reaching the database


def _read_url(text: str) -> URL:
    try:
        url = make_url(text)
    except ArgumentError:
        raise OptionError(
            f"database: expected sqlite:///FILE or postgresql://USER@HOST/NAME, found {text!r}"
        ) from None
    if url.drivername in ("postgres", "postgresql", "postgresql+psycopg"):
        return url.set(drivername="postgresql+psycopg")
    if url.drivername != "sqlite":
        raise OptionError(f"database: Comptoir stores in sqlite or postgresql, not in {url.drivername}")
    if url.host or url.database in (None, "", ":memory:"):
        raise OptionError(
            "database: a SQLite database is a file, such as sqlite:////home/anne/comptoir.sqlite"
            " (with a full path, four slashes)"
        )
    return url


def _sqlite_engine(url: URL) -> Engine:
    path = Path(url.database or "")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)  # seeds and the secret are nobody else's to read
    except OSError as error:
        raise OptionError(f"database: {path} cannot be written: {error.strerror}") from None
    engine = sa.create_engine(
        url, connect_args={"timeout": SQLITE_PATIENCE}, pool_size=8, max_overflow=32, hide_parameters=True
    )
    sa.event.listen(engine, "connect", _set_up_sqlite)
    return engine


def _set_up_sqlite(connection: sqlite3.Connection, _: object) -> None:
    """WAL: readers and the writer do not wait for each other.

    FULL: what was acknowledged also survives a power cut.
    """
    for attempt in range(100):
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            break
        except (
            sqlite3.OperationalError
        ) as error:  # two processes making the file at once: SQLite does not wait for this lock
            if attempt == 99 or "locked" not in str(error):
                raise
            time.sleep(0.05)  # of the system's time: it waits for another process
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA secure_delete = ON")  # what is deleted is overwritten, at no measurable cost
    # pages; `tidy` comes long before, and holds up nobody who writes
    connection.execute("PRAGMA wal_autocheckpoint = 50000")


def _postgresql_engine(url: URL) -> Engine:
    with needs("postgres"):
        return sa.create_engine(
            url,
            connect_args={**_lifelines(), **_timeouts(url)},
            pool_size=8,
            max_overflow=8,
            pool_timeout=limits.DATABASE_CONNECT_SECONDS,
            hide_parameters=True,
        )


def _lifelines() -> dict[str, Any]:
    """How soon a connection to a machine that is gone, or a cable that is cut, is given up."""
    return {
        "connect_timeout": limits.DATABASE_CONNECT_SECONDS,
        "keepalives_idle": limits.DATABASE_SILENCE_SECONDS // 2,
        "keepalives_interval": 1,
        "keepalives_count": limits.DATABASE_SILENCE_SECONDS - limits.DATABASE_SILENCE_SECONDS // 2,
        "tcp_user_timeout": 1000 * limits.DATABASE_SILENCE_SECONDS,
    }


def _timeouts(url: URL) -> dict[str, str]:
    """How long PostgreSQL works on a statement of ours, unless the address has options of its own."""
    if "options" in url.query:
        return {}
    return {"options": f"-c statement_timeout={round(1000 * limits.DATABASE_STATEMENT_SECONDS)}"}


@contextmanager
def _plain_errors(url: URL) -> Iterator[None]:
    """A database that cannot be reached or used, said in one sentence, without the password."""
    try:
        yield
    except (DBAPIError, NotStored) as error:
        reason = " ".join(str(error.orig if isinstance(error, DBAPIError) else error).split())
        kind = Unreachable if isinstance(error, OperationalError | InterfaceError) else OptionError
        raise kind(f"database: {url.render_as_string(hide_password=True)} cannot be used: {reason}") from None


def is_full(error: BaseException) -> bool:
    """Whether a database says that it can write no more."""
    if isinstance(error, sqlite3.Error):
        code = getattr(error, "sqlite_errorcode", 0)
        return code in FULL_IO or code & 0xFF in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY)
    return getattr(error, "sqlstate", None) in FULL_STATES


# Migrations


def _version(connection: Connection) -> str | None:
    """The last step this database has taken; None if it is new."""
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    found: str | None = connection.scalar(sa.text("SELECT version_num FROM alembic_version"))
    return found


def _upgrade(connection: Connection, found: str | None, url: URL) -> None:
    from alembic import command
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(Path(__file__).with_name("migrations")).replace("%", "%%"))
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if found is not None and found not in known:
        where = url.render_as_string(hide_password=True)
        raise OptionError(
            f"database: {where} was written by a newer Comptoir"
            f" (its version is {found}, ours {HEAD}); install that one"
        )
    command.upgrade(config, "head")


# Hearing of what other processes write


def _parameters(url: URL) -> dict[str, Any]:
    """What libpq is given, part by part: in an address it would read a space of a password as a plus sign."""
    return url.translate_connect_args(username="user", database="dbname") | dict(url.query)


def listening_connection(url: URL, *channels: str, name: str) -> Any:
    """A connection of its own to PostgreSQL that listens."""
    import psycopg

    try:
        given = _lifelines() | _parameters(url) | {"application_name": name}
        line = psycopg.connect(autocommit=True, **given)
        try:
            for channel in channels:
                line.execute(f"LISTEN {channel}")
        except psycopg.Error:
            line.close()
            raise
    except psycopg.Error as error:
        raise OperationalError("LISTEN", None, error) from None
    return line


class Listener:
    """A connection to PostgreSQL that only listens, and a thread that passes on what it hears."""

    def __init__(self, url: URL, told: dict[str, Callable[[str, str], None]]) -> None:
        self._url, self._told = url, told
        self._closing = threading.Event()
        self._connection, self._nth = listening_connection(url, *told, name=SERVER), 1
        self._thread = threading.Thread(target=self._run, name="comptoir-listener", daemon=True)
        self._thread.start()

    @property
    def connection(self) -> int | None:
        """Which of its connections listens now; None while there is none."""
        return self._nth if self._connection is not None else None

    def close(self) -> None:
        self._closing.set()
        self._thread.join()

    def _run(self) -> None:
        wait = 0.1
        while not self._closing.is_set():
            try:
                if self._connection is None:
                    line = listening_connection(self._url, *self._told, name=SERVER)
                    self._nth += 1
                    self._connection = line
                    for told in self._told.values():
                        told("", "")
                    wait = 0.1
                self._hear()
            except Exception as error:
                logger.warning("lost the connection that listens: %s", type(error).__name__)
                self._drop()
                self._closing.wait(wait)
                wait = min(2 * wait, LONGEST_WAIT)
        self._drop()

    def _hear(self) -> None:
        """Passes on what is told, looking up now and then to see whether to close."""
        for notice in self._connection.notifies(timeout=0.5):
            what, _, which = notice.payload.partition(" ")
            self._told[notice.channel](what, which)

    def _drop(self) -> None:
        line, self._connection = self._connection, None
        if line is not None:
            line.close()
