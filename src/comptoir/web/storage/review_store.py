"""Reviews of finished matches."""

from __future__ import annotations

import zlib
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy import bindparam

from comptoir.review.serialize import MAX_BYTES
from comptoir.time_source import SYSTEM_TIME, TimeSource
from comptoir.web.storage.database import Database, is_id
from comptoir.web.storage.database_schema import reviews

_REVIEW = sa.select(reviews.c.done, reviews.c.at, reviews.c.content).where(
    reviews.c.table_id == bindparam("table")
)


FAILED = "!"  # before the text of a review that could not be finished


class StoredReview(NamedTuple):
    """A stored review: whether it is finished, when it was written, its text, and whether it failed."""

    done: bool
    at: float
    text: str
    failed: bool


class ReviewStore:
    """Reviews, finished or not. They contain no names."""

    def __init__(self, database: Database, time_source: TimeSource = SYSTEM_TIME) -> None:
        self._time = time_source
        self._database, self._save = database, database.upsert(reviews, "done", "at", "content")

    def find(self, table: str) -> StoredReview | None:
        found = self._database.fetch(_REVIEW, table=table) if is_id(table) else []
        if not found:
            return None
        done, at, content = found[0]
        text = zlib.decompressobj().decompress(content, MAX_BYTES).decode()
        return StoredReview(done, at, text.removeprefix(FAILED), text.startswith(FAILED))

    def save(self, table: str, text: str, done: bool, failed: bool = False, at: float | None = None) -> None:
        """Store a review, finished or not. Two processes that make the same one store the same.

        `at`: when it was last worked on, if not now.
        """
        content = zlib.compress((FAILED * failed + text).encode())
        at = self._time.time() if at is None else at
        row = {"table_id": table, "done": done, "at": at, "content": content}
        self._database.transaction(lambda connection: connection.execute(self._save, row))

    def touch(self, under_way: list[str]) -> None:
        """Notes that these reviews are still being made."""
        touch = sa.update(reviews).where(reviews.c.table_id.in_(under_way), sa.not_(reviews.c.done))
        self._database.transaction(lambda connection: connection.execute(touch.values(at=self._time.time())))
