"""Reviews of finished matches: asked for, made beside the server one after the other, kept for good.

One is made at a time, and only for a part of the time, so that whoever plays notices nothing of it.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from dataclasses import dataclass, field

from comptoir.engine import matchfile
from comptoir.engine.match import Match
from comptoir.errors import DataError
from comptoir.review import Review, file
from comptoir.review.making import MOST, match_hash
from comptoir.web.domain.kept import KeptMatch
from comptoir.web.domain.table import Refused, Table
from comptoir.web.limits import (
    ADDRESS_REVIEWS_WAITING,
    REVIEW_ANSWER_SECONDS,
    REVIEWS_REMEMBERED,
    REVIEWS_WAITING,
)
from comptoir.web.live.beside import Beside, GaveUp
from comptoir.web.live.tables import Tables
from comptoir.web.ops import reviews as ops
from comptoir.web.ops.gate import Busy, asking
from comptoir.web.view.reviews import ToldReview

SHARE = 0.5  # of one processor's time
KEEP = 10.0  # seconds between two times that a review under way is written down

logger = logging.getLogger(__name__)


@dataclass
class Progress:
    """A review that is waited for."""

    total: int
    who: str  # the address that asked for it
    made: int = 0
    text: str = ""
    kept_at: float = field(default_factory=time.monotonic)


class Reviews:
    """Makes reviews and finds those that are made. `share`: the part of a processor's time; 0 for none."""

    def __init__(self, tables: Tables, kept: ops.Reviews, *, share: float = SHARE) -> None:
        self._tables, self._kept, self._share = tables, kept, share
        self._beside = Beside("comptoir.web.live.reviewing", limit=REVIEW_ANSWER_SECONDS)
        self._turn = asyncio.Lock()
        self._under_way: dict[str, Progress] = {}
        self._failed: OrderedDict[str, None] = OrderedDict()
        self._found: OrderedDict[str, ToldReview] = OrderedDict()
        self._tasks: set[asyncio.Task[None]] = set()

    async def stop(self) -> None:
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._beside.stop()

    def progress(self, table: Table) -> Progress | None:
        """How far the review of a table has come, if it is being made here."""
        return self._under_way.get(table.id)

    def has_failed(self, table: Table) -> bool:
        """Whether it could not be made when it was last tried."""
        return table.id in self._failed

    async def find(self, table: Table) -> ToldReview | None:
        """The review of a table's match, if it is whole."""
        match = reviewable(table)
        if table.id in self._under_way:
            return None
        if table.id not in self._found:
            review = await self._read(table, match)
            if review is None:
                return None
            self._found[table.id] = ToldReview(match, review)
            while len(self._found) > REVIEWS_REMEMBERED:
                self._found.popitem(last=False)
        self._found.move_to_end(table.id)
        return self._found[table.id].of(match)

    async def _read(self, table: Table, match: Match) -> Review | None:
        """What is kept, if it is whole, of this match and of today's form."""
        kept = await self._tables.ask(self._kept.find, table.id)
        if kept is None or not kept.done:
            return None
        try:
            review = await self._tables.work(file.read, kept.text)
        except DataError:
            return None
        same = await self._tables.work(match_hash, match) == review.match
        return review if same and review.done else None

    async def begin(self, table: Table) -> None:
        """Has the review made, unless it is being made already. Raises Refused, or Busy if too many wait."""
        match = reviewable(table)
        if self._share <= 0:
            raise Refused("review_page.off")
        if table.id in self._under_way:
            return
        own = sum(progress.who == asking.get() for progress in self._under_way.values())
        if len(self._under_way) >= REVIEWS_WAITING or (asking.get() and own >= ADDRESS_REVIEWS_WAITING):
            raise Busy
        self._failed.pop(table.id, None)
        self._under_way[table.id] = Progress(match.ply, asking.get())
        task = asyncio.create_task(self._make(table, match))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _make(self, table: Table, match: Match) -> None:
        progress = self._under_way[table.id]
        try:
            async with self._turn:
                await self._carry_out(table, match, progress)
        except asyncio.CancelledError:  # the server stops: another goes on from here
            if progress.text:
                await self._keep(table, progress, False)
            raise
        except GaveUp:
            logger.warning("a review could not be made")
            self._failed[table.id] = None
            while len(self._failed) > REVIEWS_REMEMBERED:
                self._failed.popitem(last=False)
        except Exception:
            logger.exception("a review has failed")
            self._failed[table.id] = None
        finally:
            del self._under_way[table.id]

    async def _carry_out(self, table: Table, match: Match, progress: Progress) -> None:
        """Step by step, with pauses; from where an earlier one was stopped."""
        kept = await self._tables.ask(self._kept.find, table.id)
        text = await self._tables.work(matchfile.write, match)
        question = {"do": "begin", "match": text, "so_far": kept.text if kept else ""}
        while True:
            began = time.monotonic()
            said = await self._beside.ask(question)
            if "none" in said:
                raise GaveUp
            progress.made, progress.text = said["made"], said["text"]
            done = bool(said["done"])
            if done or time.monotonic() - progress.kept_at > KEEP:
                await self._keep(table, progress, done)
            if done:
                return
            question = {"do": "go on"}
            await asyncio.sleep((time.monotonic() - began) * (1 / self._share - 1))

    async def _keep(self, table: Table, progress: Progress, done: bool) -> None:
        progress.kept_at = time.monotonic()
        await self._tables.ask(self._kept.keep, table.id, progress.text, done)


def reviewable(table: Table) -> Match:
    """The match of a table, if it can be reviewed. While it is on there is nothing of the kind."""
    if table.state != "over" or table.match is None:
        raise Refused("review_page.not_over")
    if table.outdated or isinstance(table.match, KeptMatch):
        raise Refused("review_page.other_rules")
    if table.match.ply > MOST:
        raise Refused("review_page.too_long")
    return table.match
