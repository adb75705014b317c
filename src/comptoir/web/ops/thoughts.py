"""What bots in processes of their own are asked, in PostgreSQL.

A question is a row. A worker takes it by deleting it, in a transaction that ends when it has answered: if the
worker dies, its connection does, and the row is there again for others. The answer itself is told and not
written.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa

from comptoir import __version__
from comptoir.web.ops.store import ANSWERED, Store, line_to

ASKED = "comptoir_asked"  # the channel that tells workers that there is work
# what workers call themselves in PostgreSQL: a server asks those of its own edition
WORKER = f"comptoir bots {__version__}"[:63]
FORGOTTEN = 60  # seconds after which nobody waits for an answer any more
_NOW = "extract(epoch FROM clock_timestamp())"

# start: as `thinking.start_of` has it. What is being thought about is still seen here, and counts.
_PUT = sa.text(f"""
    INSERT INTO thoughts (id, edition, lane, start, cost, asked, game, components, level, seed, ply, views)
    SELECT :id, :edition, :lane, GREATEST(min(start), max(start + cost) FILTER (WHERE lane = :lane), 0),
           :cost, {_NOW}, :game, :components, :level, :seed, :ply, :views
    FROM thoughts
""")
_TELL = sa.text("SELECT pg_notify(:channel, '')")
_FREE = "SELECT id FROM thoughts WHERE {} FOR UPDATE SKIP LOCKED"
_WITHDRAW = sa.text(f"DELETE FROM thoughts WHERE id IN ({_FREE.format('id = :id')})")
_FORGET = sa.text(f"DELETE FROM thoughts WHERE id IN ({_FREE.format(f'asked < {_NOW} - {FORGOTTEN}')})")
_WORKERS = sa.text(
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = :name"
)
_TAKE = f"""
    DELETE FROM thoughts WHERE id = (
        SELECT id FROM thoughts
        WHERE edition = %(edition)s AND cost < %(below)s AND asked > {_NOW} - {FORGOTTEN}
        ORDER BY start, cost, asked LIMIT 1 FOR UPDATE SKIP LOCKED
    ) RETURNING id, game, components, level, seed, ply, views
"""


class Thoughts:
    """The questions that a server puts to workers."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def put(self, id: str, lane: str, cost: float, question: dict[str, Any]) -> None:
        with self._store.writing() as connection:
            connection.execute(
                _PUT, {"id": id, "edition": __version__, "lane": lane, "cost": cost, **question}
            )
            connection.execute(_TELL, {"channel": ASKED})

    def withdraw(self, id: str) -> None:
        """Nobody waits for it any more; if a worker is at it already, it is let finish."""
        with self._store.writing() as connection:
            connection.execute(_WITHDRAW, {"id": id})

    def workers(self) -> int:
        """How many thoughts workers can think at once: each of their threads has a connection."""
        if self._store.kind != "postgresql":
            return 0
        with self._store.writing() as connection:
            connection.execute(_FORGET)
            return int(connection.scalar(_WORKERS, {"name": WORKER}) or 0)


class Desk:
    """Where one thread of a worker takes questions from: a connection of its own."""

    def __init__(self, url: sa.URL) -> None:
        self._line = line_to(url, ASKED, name=WORKER)

    @contextmanager
    def taken(self, below: float) -> Iterator[dict[str, Any] | None]:
        """The question that comes first among those that cost less, if there is one; it is this worker's as
        long as the connection is there, and gone for good at the end.
        """
        with self._line.transaction():
            found = self._line.execute(_TAKE, {"edition": __version__, "below": below})
            row = found.fetchone()
            yield (
                None
                if row is None
                else dict(zip((column.name for column in found.description), row, strict=True))
            )

    def answer(self, id: str, text: str) -> None:
        """Told when the question is gone for good."""
        self._line.execute("SELECT pg_notify(%s, %s)", (ANSWERED, f"{id} {text}"))

    def wait(self, seconds: float) -> None:
        """Until there may be something to do."""
        for _ in self._line.notifies(timeout=seconds, stop_after=1):
            pass

    def close(self) -> None:
        self._line.close()
