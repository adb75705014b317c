"""The reviews of finished matches, in the same database as all else.

Every call waits for the database, so the server makes them in threads.
"""

from __future__ import annotations

import zlib
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy import bindparam

from comptoir.review.serialize import MAX_BYTES
from comptoir.time_source import SYSTEM_TIME, TimeSource
from comptoir.web.storage.store import Store, is_id, reviews, upsert

_REVIEW = sa.select(reviews.c.done, reviews.c.at, reviews.c.content).where(
    reviews.c.table_id == bindparam("table")
)


FAILED = "!"  # before the text of a review that could not be finished


class StoredReview(NamedTuple):
    """A review as it is kept: whether it is whole, when it was written, its text, and whether making it
    failed.
    """

    done: bool
    at: float
    text: str
    failed: bool


class ReviewStore:
    """What has been made of reviews. They hold no names."""

    def __init__(self, store: Store, time_source: TimeSource = SYSTEM_TIME) -> None:
        self._time = time_source
        self._store, self._keep = store, upsert(store.kind, reviews, "done", "at", "content")

    def find(self, table: str) -> StoredReview | None:
        found = self._store.found(_REVIEW, table=table) if is_id(table) else []
        if not found:
            return None
        done, at, content = found[0]
        text = zlib.decompressobj().decompress(content, MAX_BYTES).decode()
        return StoredReview(done, at, text.removeprefix(FAILED), text.startswith(FAILED))

    def keep(self, table: str, text: str, done: bool, failed: bool = False, at: float | None = None) -> None:
        """Keeps a review as far as it has come. Two processes that make the same keep the same.

        `at`: when it was last worked on, if not now.
        """
        content = zlib.compress((FAILED * failed + text).encode())
        at = self._time.time() if at is None else at
        row = {"table_id": table, "done": done, "at": at, "content": content}
        self._store.carry_out(lambda connection: connection.execute(self._keep, row))

    def touch(self, under_way: list[str]) -> None:
        """Notes that these reviews are still being made."""
        touch = sa.update(reviews).where(reviews.c.table_id.in_(under_way), sa.not_(reviews.c.done))
        self._store.carry_out(lambda connection: connection.execute(touch.values(at=self._time.time())))
