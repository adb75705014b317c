"""Remove the bytes of deleted rows from the database's files."""

from __future__ import annotations

import logging
from pathlib import Path

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from comptoir.time_source import SYSTEM_TIME, TimeSource
from comptoir.web.limits import REWRITE_AT_ONCE_BYTES, REWRITE_EVERY_SECONDS, VACUUM_SECONDS
from comptoir.web.storage.database import SQLITE_LOCK_SECONDS, Database, NotStored
from comptoir.web.storage.database_schema import PERSONAL_TABLES
from comptoir.web.storage.server_values import ServerValues

REWRITE_DUE = "rewrite"  # the server value that marks a SQLite file that may hold deleted bytes
BUSY_TIMEOUT_MS = 100  # waited for readers when SQLite's log is cut: whoever writes waits for this

logger = logging.getLogger(__name__)


class Erasure:
    """What deletion has left in the database's files, and when it was last removed."""

    def __init__(
        self, database: Database, values: ServerValues, time_source: TimeSource = SYSTEM_TIME
    ) -> None:
        self._database, self._values, self._time = database, values, time_source
        # a server that was killed may have left deleted bytes in SQLite's log
        self.log_due = database.kind == "sqlite"
        self._rewrite_due, self._rewritten = False, -REWRITE_EVERY_SECONDS
        self._unvacuumed: list[str] = []

    def mark(self, connection: Connection) -> None:
        """Note, with a deletion, that the file has to be rewritten: this process may be killed before."""
        if self._database.kind == "sqlite":
            self._values.set(connection, REWRITE_DUE, b"due")

    def schedule(self) -> None:
        """Rows were deleted: `erase` has something to do."""
        self.log_due, self._rewrite_due = self._database.kind == "sqlite", True

    @property
    def due(self) -> bool:
        """Whether the database's files may hold bytes of deleted rows."""
        return self.log_due or self._rewrite_due or bool(self._unvacuumed)

    def resume(self) -> None:
        """Rewrite a file whose rewrite is due since an earlier process."""
        if self._database.kind == "sqlite" and self._values.get(REWRITE_DUE) is not None:
            self.rewrite()

    def erase(self) -> None:
        """Remove the bytes of deleted rows, as far as it can be done now.

        SQLite overwrites what is deleted (`secure_delete`), but copies of it lie in its log, and now and then
        where a page was split: about one name in 200. PostgreSQL removes dead rows when it vacuums.
        """
        if self._rewrite_due and self._time.monotonic() - self._rewritten >= REWRITE_EVERY_SECONDS:
            if self._database.kind == "postgresql":
                self._rewritten, self._rewrite_due = self._time.monotonic(), False
                self._unvacuumed = [table.name for table in PERSONAL_TABLES]
            elif Path(str(self._database.url.database)).stat().st_size <= REWRITE_AT_ONCE_BYTES:
                self.rewrite()
            else:
                self._rewrite_due = False  # the next start does it
        if self._unvacuumed:
            self._vacuum(self._unvacuumed.pop())
        if self.log_due:
            self.log_due = not self._truncate_log()

    def rewrite(self) -> None:
        """Rewrite SQLite's file. It needs as much free space; without it, it is tried again later."""
        self._rewritten = self._time.monotonic()
        try:
            with self._database.exclusive() as connection:
                connection.exec_driver_sql("VACUUM")
                self._values.delete(connection, REWRITE_DUE)
        except (SQLAlchemyError, NotStored) as error:
            logger.warning("the database could not be rewritten: %s", type(error).__name__)
            return
        self._rewrite_due, self.log_due = False, True

    def _truncate_log(self) -> bool:
        """Move SQLite's log to the file and truncate it; False if someone reads there just now."""
        self._database.checkpoint_wal()
        with self._database.exclusive() as connection:
            connection.exec_driver_sql(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
            try:
                busy, *_ = connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").one()
            finally:
                connection.exec_driver_sql(f"PRAGMA busy_timeout = {1000 * SQLITE_LOCK_SECONDS}")
        return not busy

    def _vacuum(self, table: str) -> None:
        """Remove the dead rows of one table. What takes too long is left to autovacuum."""
        with self._database.reading.connect() as connection:
            connection.exec_driver_sql(f"SET statement_timeout = '{VACUUM_SECONDS}s'")
            try:
                connection.exec_driver_sql(f"VACUUM (SKIP_LOCKED) {table}")
            except DBAPIError as error:
                logger.info("%s was not vacuumed: %s", table, type(error.orig).__name__)
            finally:
                connection.exec_driver_sql("RESET statement_timeout")
