"""One database, SQLite or PostgreSQL: its address, its connections and its transactions.

All calls wait for the database, so the server makes them in threads.
"""

from __future__ import annotations

import logging
import math
import re
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy import Connection, Engine, bindparam
from sqlalchemy.dialects import postgresql
from sqlalchemy.dialects import sqlite as sqlite_dialect
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, InterfaceError, OperationalError, SQLAlchemyError

from comptoir import folders
from comptoir.errors import ComptoirError, OptionError
from comptoir.extras import needs
from comptoir.time_source import SYSTEM_TIME, TimeSource
from comptoir.web import limits
from comptoir.web.storage.database_schema import kept

MIGRATION_LOCK = 0x636F6D70  # tells our advisory lock from others' in the same database
SQLITE_LOCK_SECONDS = 10  # waited for a lock that another connection holds
WAL_MODE_ATTEMPTS, WAL_MODE_SECONDS = 100, 0.05  # between two of them
FULL_LOG_SECONDS = 60.0  # between two lines of the log about a full disk
# SQLite's codes for a full disk, or for a write that failed in one of these ways
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
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_NOTIFY = sa.select(sa.func.pg_notify(bindparam("channel", type_=sa.Text), bindparam("text", type_=sa.Text)))

logger = logging.getLogger(__name__)
T = TypeVar("T")


class NotStored(ComptoirError):
    """The disk is full, or cannot be written to. `key` is the sentence in words.toml that says so.

    503 rather than 507: programs and proxies know it and come back after `seconds`; /health says the same.
    """

    key, status, seconds = "error.disk_full", 503, 60


class DatabaseUnreachable(OptionError):
    """The database cannot be reached, or accepts no connection now: that may pass."""


def sqlite_file(url: str) -> Path | None:
    """The file of a SQLite database; None for PostgreSQL."""
    found = _read_url(url)
    return Path(str(found.database)) if found.get_backend_name() == "sqlite" else None


def default_url() -> str:
    """The database in the user's data folder."""
    return f"sqlite:///{folders.data() / 'comptoir.sqlite'}"


def is_id(text: str) -> bool:
    """Whether a text can be an id; anything else cannot be stored, and need not be looked up."""
    return _ID.fullmatch(text) is not None


class Database:
    """One database, as one process uses it, from any of its threads."""

    def __init__(self, url: str, time_source: TimeSource = SYSTEM_TIME) -> None:
        self.url, self._time = _read_url(url), time_source
        self.kind = self.url.get_backend_name()
        if self.kind == "sqlite":
            self.engine = _sqlite_engine(self.url)
            # SQLite has one writer at a time; our own lock is quicker than its polling
            self._write_lock: threading.Lock | nullcontext[None] = threading.Lock()
        else:
            self.engine = _postgresql_engine(self.url)
            self._write_lock = nullcontext()
        sa.event.listen(self.engine, "handle_error", self._raise_if_full)
        self._full_logged = -math.inf
        self.reading = self.engine.execution_options(isolation_level="AUTOCOMMIT")
        with plain_errors(self.url), self.engine.connect():
            pass

    def close(self) -> None:
        self.engine.dispose()

    # Reading and writing

    def fetch(self, statement: sa.Select[Any], **values: object) -> Sequence[Any]:
        """The rows that a statement finds."""

        def fetch() -> Sequence[Any]:
            with self.reading.connect() as connection:
                return connection.execute(statement, values).all()

        return self._retry_once(fetch)

    def execute(
        self,
        statement: sa.Insert | sa.Update | sa.Delete,
        rows: Sequence[Mapping[str, object]] = (),
        **values: object,
    ) -> None:
        """One statement in a transaction of its own."""
        self.transaction(lambda connection: connection.execute(statement, rows or values))

    def transaction(self, work: Callable[[Connection], T]) -> T:
        """Do some work, all of it or nothing."""

        def whole() -> T:
            with self.begin() as connection:
                return work(connection)

        return self._retry_once(whole)

    @contextmanager
    def begin(self) -> Iterator[Connection]:
        """A transaction that is not retried."""
        with self._write_lock, self.engine.begin() as connection:
            yield connection

    @contextmanager
    def exclusive(self) -> Iterator[Connection]:
        """A connection without a transaction, while no other thread writes to SQLite."""
        with self._write_lock, self.reading.connect() as connection:
            yield connection

    def _retry_once(self, work: Callable[[], T]) -> T:
        """Do some work, again if PostgreSQL was restarted since the connection was last used."""
        try:
            return work()
        except DBAPIError as error:
            if not error.connection_invalidated:
                raise
            return work()

    def insert(self, table: sa.Table) -> sqlite_dialect.Insert | postgresql.Insert:
        return sqlite_dialect.insert(table) if self.kind == "sqlite" else postgresql.insert(table)

    def upsert(self, table: sa.Table, *changing: str) -> sa.Insert:
        """Insert a row, or change some columns of the row with the same key.

        Both databases have the same SQL for it, SQLAlchemy does not.
        """
        insert = self.insert(table)
        return insert.on_conflict_do_update(
            index_elements=list(table.primary_key), set_={name: insert.excluded[name] for name in changing}
        )

    # Other processes

    def notify(self, channel: str, text: str) -> None:
        """Send a text to all processes, this one too. SQLite serves no other."""
        if self.kind == "postgresql":
            self.fetch(_NOTIFY, channel=channel, text=text)

    def notify_in(self, connection: Connection, channel: str, text: str) -> None:
        """Send a text to all processes when the transaction commits."""
        if self.kind == "postgresql":
            connection.execute(_NOTIFY, {"channel": channel, "text": text})

    @contextmanager
    def migration_lock(self) -> Iterator[Connection]:
        """A transaction during which no other process migrates."""
        with self.begin() as connection:
            if self.kind == "sqlite":
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            else:
                # a step may take minutes, and so may waiting for another process that takes it
                connection.exec_driver_sql("SET LOCAL statement_timeout = 0")
                connection.execute(sa.select(sa.func.pg_advisory_xact_lock(MIGRATION_LOCK)))
            yield connection

    # Health

    def checkpoint_wal(self) -> None:
        """Move what was written from SQLite's log to its file, while others write.

        It can take the disk a third of a second.
        """
        if self.kind == "sqlite":
            with suppress(NotStored), self.reading.connect() as connection:
                connection.exec_driver_sql("PRAGMA wal_checkpoint(PASSIVE)")

    def answers(self) -> bool:
        """Whether the database answers."""
        try:
            with self.reading.connect() as connection:
                connection.execute(sa.select(1))
        except SQLAlchemyError:
            return False
        return True

    def can_write(self) -> bool:
        """Whether the database can be written: tried, since a full or read-only disk can still be read."""
        try:
            self.execute(self.upsert(kept, "value"), name="health", value=repr(self._time.time()).encode())
        except (SQLAlchemyError, NotStored):
            return False
        return True

    def _raise_if_full(self, context: sa.engine.ExceptionContext) -> None:
        """Raise NotStored instead of an error about a full disk, and log that once a minute."""
        error = context.original_exception
        if not is_full(error):
            return
        if self._time.monotonic() - self._full_logged > FULL_LOG_SECONDS:
            self._full_logged = self._time.monotonic()
            logger.error("nothing can be stored: %s", " ".join(str(error).split()))
        raise NotStored(str(error)) from error


def is_full(error: BaseException) -> bool:
    """Whether an error of the database means that the disk is full or read-only."""
    if isinstance(error, sqlite3.Error):
        code = getattr(error, "sqlite_errorcode", 0)
        return code in FULL_IO or code & 0xFF in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY)
    return getattr(error, "sqlstate", None) in FULL_STATES


@contextmanager
def plain_errors(url: URL) -> Iterator[None]:
    """Turns the error of a database that cannot be used into one sentence, without the password."""
    try:
        yield
    except (DBAPIError, NotStored) as error:
        reason = " ".join(str(error.orig if isinstance(error, DBAPIError) else error).split())
        kind = DatabaseUnreachable if isinstance(error, OperationalError | InterfaceError) else OptionError
        raise kind(f"database: {url.render_as_string(hide_password=True)} cannot be used: {reason}") from None


# Connecting


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
        path.touch(mode=0o600)  # only its owner may read the seeds and the secret
    except OSError as error:
        raise OptionError(f"database: {path} cannot be written: {error.strerror}") from None
    engine = sa.create_engine(
        url, connect_args={"timeout": SQLITE_LOCK_SECONDS}, pool_size=8, max_overflow=32, hide_parameters=True
    )
    sa.event.listen(engine, "connect", _set_up_sqlite)
    return engine


def _set_up_sqlite(connection: sqlite3.Connection, _: object) -> None:
    """WAL: readers and the writer do not wait for each other.

    FULL: what was acknowledged also survives a power cut.
    """
    for attempt in range(WAL_MODE_ATTEMPTS):
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            break
        except sqlite3.OperationalError as error:
            # two processes create the file at once: SQLite does not wait for this lock
            if attempt == WAL_MODE_ATTEMPTS - 1 or "locked" not in str(error):
                raise
            time.sleep(WAL_MODE_SECONDS)  # of the system's time: it waits for another process
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA secure_delete = ON")  # overwrite what is deleted, at no measurable cost
    # pages; `checkpoint_wal` runs long before, and delays nobody who writes
    connection.execute("PRAGMA wal_autocheckpoint = 50000")


def _postgresql_engine(url: URL) -> Engine:
    with needs("postgres"):
        return sa.create_engine(
            url,
            connect_args={**keepalives(), **_timeouts(url)},
            pool_size=8,
            max_overflow=8,
            pool_timeout=limits.DATABASE_CONNECT_SECONDS,
            hide_parameters=True,
        )


def keepalives() -> dict[str, Any]:
    """How soon a connection to a machine that is gone, or over a cut cable, is given up."""
    return {
        "connect_timeout": limits.DATABASE_CONNECT_SECONDS,
        "keepalives_idle": limits.DATABASE_SILENCE_SECONDS // 2,
        "keepalives_interval": 1,
        "keepalives_count": limits.DATABASE_SILENCE_SECONDS - limits.DATABASE_SILENCE_SECONDS // 2,
        "tcp_user_timeout": 1000 * limits.DATABASE_SILENCE_SECONDS,
    }


def _timeouts(url: URL) -> dict[str, str]:
    """How long PostgreSQL may work on one statement, unless the address has options of its own."""
    if "options" in url.query:
        return {}
    return {"options": f"-c statement_timeout={round(1000 * limits.DATABASE_STATEMENT_SECONDS)}"}
