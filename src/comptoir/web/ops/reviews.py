"""The reviews of finished matches, in the same database as all else.

Every call waits for the database, so the server makes them in threads.
"""

from __future__ import annotations

import time
import zlib
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy import bindparam

from comptoir.review.file import LARGEST
from comptoir.web.ops.store import Store, is_id, reviews, upsert

_REVIEW = sa.select(reviews.c.done, reviews.c.at, reviews.c.content).where(
    reviews.c.table_id == bindparam("table")
)


class KeptReview(NamedTuple):
    """A review as it is kept: whether it is whole, when it was written, and its text."""

    done: bool
    at: float
    text: str


class Reviews:
    """What has been made of reviews. They hold no names."""

    def __init__(self, store: Store) -> None:
        self._store, self._keep = store, upsert(store.kind, reviews, "done", "at", "content")

    def find(self, table: str) -> KeptReview | None:
        found = self._store.found(_REVIEW, table=table) if is_id(table) else []
        if not found:
            return None
        done, at, content = found[0]
        return KeptReview(done, at, zlib.decompressobj().decompress(content, LARGEST).decode())

    def keep(self, table: str, text: str, done: bool) -> None:
        """Keeps a review as far as it has come. Two processes that make the same keep the same."""
        row = {"table_id": table, "done": done, "at": time.time(), "content": zlib.compress(text.encode())}
        self._store.carry_out(lambda connection: connection.execute(self._keep, row))
