"""What bots in processes of their own are asked, and which server asks them, in PostgreSQL.

A question is a row. A worker takes it by deleting it, in a transaction that ends when it has answered: if the
worker dies, its connection does, and the row is there again for others. The answer itself is told and not
written.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.exc import OperationalError

from comptoir import __version__
from comptoir.web.storage.channels import (
    BOT_ANSWER_CHANNEL,
    BOT_REQUEST_CHANNEL,
    SERVER,
    listening_connection,
)
from comptoir.web.storage.database import Database

if TYPE_CHECKING:
    from collections.abc import Mapping

    import psycopg

# what workers call themselves in PostgreSQL: a server asks those of its own edition
WORKER = f"comptoir bots {__version__}"[:63]
CLAIMS = "comptoir claims"  # what the connection is called that holds a server's claims
REQUEST_TTL = 60  # seconds after which nobody waits for an answer any more
_NOW = "extract(epoch FROM clock_timestamp())"

# start: as `bot_pool.start_of` has it. What is being thought about is still seen here, and counts.
_PUT = sa.text(f"""
    INSERT INTO thoughts (id, edition, lane, start, cost, asked, game, components, level, seed, ply, views)
    SELECT :id, :edition, :lane, GREATEST(min(start), max(start + cost) FILTER (WHERE lane = :lane), 0),
           :cost, {_NOW}, :game, :components, :level, :seed, :ply, :views
    FROM thoughts
""")
_FREE = "SELECT id FROM thoughts WHERE {} FOR UPDATE SKIP LOCKED"
_WITHDRAW = sa.text(f"DELETE FROM thoughts WHERE id IN ({_FREE.format('id = :id')})")
_FORGET = sa.text(f"DELETE FROM thoughts WHERE id IN ({_FREE.format(f'asked < {_NOW} - {REQUEST_TTL}')})")
_PROCESSES = sa.text("""
    SELECT count(*) FILTER (WHERE application_name = :worker),
           count(*) FILTER (WHERE application_name = :server)
    FROM pg_stat_activity WHERE datname = current_database() AND application_name IN (:worker, :server)
""")
_TAKE = f"""
    DELETE FROM thoughts WHERE id = (
        SELECT id FROM thoughts
        WHERE edition = %(edition)s AND cost < %(below)s AND asked > {_NOW} - {REQUEST_TTL}
        ORDER BY start, cost, asked LIMIT 1 FOR UPDATE SKIP LOCKED
    ) RETURNING id, game, components, level, seed, ply, views
"""
# Two statements: the second sees what the process wrote that held the claim before. A machine that is gone
# holds its claims for as long as PostgreSQL takes it to be there.
_CLAIM = "SELECT pg_try_advisory_lock(%(key)s); SELECT version FROM tables WHERE id = %(table)s"
_LET_GO = "SELECT pg_advisory_unlock(%(key)s)"
_KEEPALIVES = "SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 2; SET tcp_keepalives_count = 3"


class ProcessCounts(NamedTuple):
    """What else works on the same database, this process included."""

    workers: int  # thoughts that they can think at once: each of their threads has a connection
    servers: int


class BotQueue:
    """The questions that a server puts to workers."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, id: str, lane: str, cost: float, question: Mapping[str, object]) -> None:
        with self._database.begin() as connection:
            connection.execute(
                _PUT, {"id": id, "edition": __version__, "lane": lane, "cost": cost, **question}
            )
            self._database.notify_in(connection, BOT_REQUEST_CHANNEL, "")

    def withdraw(self, id: str) -> None:
        """Nobody waits for it any more; if a worker is at it already, it is let finish."""
        with self._database.begin() as connection:
            connection.execute(_WITHDRAW, {"id": id})

    def processes(self) -> ProcessCounts:
        if self._database.kind != "postgresql":
            return ProcessCounts(0, 1)
        with self._database.begin() as connection:
            connection.execute(_FORGET)
            return ProcessCounts(*connection.execute(_PROCESSES, {"worker": WORKER, "server": SERVER}).one())


class BotQueueConsumer:
    """Where one thread of a worker takes questions from: a connection of its own."""

    def __init__(self, url: sa.URL) -> None:
        self._line = listening_connection(url, BOT_REQUEST_CHANNEL, name=WORKER)

    @contextmanager
    def claim(self, below: float) -> Iterator[dict[str, Any] | None]:
        """The question that comes first among those that cost less, if there is one; it is this worker's as
        long as the connection is there, and gone permanently at the end.
        """
        with self._line.transaction():
            found = self._line.execute(_TAKE, {"edition": __version__, "below": below})
            row = found.fetchone()
            yield (
                None
                if row is None
                else dict(zip((column.name for column in found.description or ()), row, strict=True))
            )

    def answer(self, id: str, text: str) -> None:
        """Told when the question is gone permanently."""
        self._line.execute("SELECT pg_notify(%s, %s)", (BOT_ANSWER_CHANNEL, f"{id} {text}"))

    def wait(self, seconds: float) -> None:
        """Until there may be something to do."""
        for _ in self._line.notifies(timeout=seconds, stop_after=1):
            pass

    def close(self) -> None:
        self._line.close()


class Claims:
    """The tables at which this server thinks for the bots, and no other does.

    A claim is an advisory lock, held by a connection of its own: when this process dies, whatever the way,
    others can have it at once. Locks are counted, so what is taken and let go in any order comes out right.
    """

    def __init__(self, database: Database) -> None:
        self._database, self._turn = database, threading.Lock()
        self._line: psycopg.Connection | None = None

    def take(self, table: str) -> tuple[bool, int]:
        """Whether this process has the claim now, and the table's version by then."""
        with self._connected() as line:
            found = line.execute(_CLAIM, {"key": self._key(table), "table": table})
            ((taken,),) = found.fetchall()
            found.nextset()
            row = found.fetchone()
            return bool(taken), row[0] if row else 0

    def let_go(self, table: str) -> None:
        with self._connected() as line:
            line.execute(_LET_GO, {"key": self._key(table)})

    def check(self) -> bool:
        """Whether the connection is still the one that the claims were made by."""
        with self._turn:
            if self._line is None:
                return False
        with self._connected() as line:
            line.execute("SELECT 1")
        return True

    def close(self) -> None:
        if self._turn.acquire(timeout=1):  # else a call hangs, and ends with the process
            self._drop()
            self._turn.release()

    @contextmanager
    def _connected(self) -> Iterator[psycopg.Connection]:
        """A failure ends the connection, and all claims with it."""
        import psycopg

        with self._turn:
            try:
                if self._line is None:
                    self._line = listening_connection(self._database.url, name=CLAIMS)
                    self._line.cursor_factory = psycopg.ClientCursor  # two statements in one go
                    self._line.execute(_KEEPALIVES)
                yield self._line
            except psycopg.Error as error:
                self._drop()
                raise OperationalError("claim", None, error) from None

    def _drop(self) -> None:
        line, self._line = self._line, None
        if line is not None:
            line.close()

    @staticmethod
    def _key(table: str) -> int:
        """Which of PostgreSQL's locks stands for a table."""
        return int.from_bytes(hashlib.sha256(f"comptoir bots {table}".encode()).digest()[:8], signed=True)
