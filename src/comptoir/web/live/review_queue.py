"""Reviews of finished matches: asked for, made step by step by a separate process, kept permanently.

One step is made at a time, and only for a part of the time, so that whoever plays notices nothing of it. The
addresses that have asked for reviews take turns: a long match does not hold up a short one.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

from comptoir.engine import matchfile_writer
from comptoir.engine.match import Match
from comptoir.errors import DataError
from comptoir.review import Review, serialize
from comptoir.review.builder import MAX_ACTIONS, match_hash
from comptoir.web.domain.archive import ArchivedMatch
from comptoir.web.domain.refusals import Refused
from comptoir.web.domain.state import Table
from comptoir.web.limits import (
    ADDRESS_REVIEWS_WAITING,
    REVIEW_ATTEMPTS,
    REVIEW_LOST_SECONDS,
    REVIEW_STALLED_SECONDS,
    REVIEWS_REMEMBERED,
    REVIEWS_WAITING,
)
from comptoir.web.live.subprocess_worker import SubprocessWorker, WorkerFailed
from comptoir.web.live.tables import Tables
from comptoir.web.ops.fair_queue import FairQueue, QueueFull, asking
from comptoir.web.storage.review_store import ReviewStore
from comptoir.web.view.review_page import LocalisedReview

DEFAULT_CPU_SHARE = 0.5  # of one processor's time
SAVE_INTERVAL = 10.0  # seconds between two times that a review under way is written down
MAX_PAUSE = 30.0  # seconds after a step: the first one of a game takes minutes

logger = logging.getLogger(__name__)


@dataclass
class Progress:
    """A review that is waited for."""

    total: int
    who: str  # the address that asked for it
    made: int = 0
    begun: bool = False  # its first step is being made: it may take minutes, if the game has to be compiled
    text: str = ""
    saved_at: float = 0.0
    deep: bool = False


class ReviewQueue:
    """Makes reviews and finds those that are made. `share`: the part of a processor's time; 0 for none."""

    def __init__(self, tables: Tables, kept: ReviewStore, *, share: float = DEFAULT_CPU_SHARE) -> None:
        self._tables, self.stored, self._share = tables, kept, share
        self._time = tables.time_source
        self.worker = SubprocessWorker(
            "comptoir.web.live.review_worker",
            limit=REVIEW_STALLED_SECONDS,
            patient=True,
            time_source=self._time,
        )
        self._turns = FairQueue(1, clock=self._time.monotonic)
        self._under_way: dict[str, Progress] = {}
        self.failed: OrderedDict[str, None] = OrderedDict()
        self.cache: OrderedDict[str, LocalisedReview] = OrderedDict()
        self._tasks: set[asyncio.Task[None]] = set()
        self._alone = tables.store.kind == "sqlite"  # no other process makes reviews of the same tables
        self._heartbeat: asyncio.Task[None] | None = None

    async def stop(self) -> None:
        if self._heartbeat is not None:
            self._heartbeat.cancel()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.worker.stop()

    def progress(self, table: Table) -> Progress | None:
        """How far the review of a table has come, if it is being made here."""
        return self._under_way.get(table.id)

    async def status(self, table: Table) -> tuple[Progress | None, str]:
        """How far a review has come, here or in another process. If nobody makes it: what went wrong with it,
        "failed" or "stopped", or nothing.
        """
        if table.id in self._under_way:
            return self._under_way[table.id], ""
        kept = await self._tables.in_store(self.stored.find, table.id)
        if table.id in self.failed or (kept is not None and kept.failed):
            return None, "failed"
        if kept is None or kept.done:
            return None, ""
        if self._alone or self._time.time() - kept.at > REVIEW_LOST_SECONDS:
            return None, "stopped"
        try:
            made = len((await self._tables.run_slow(serialize.read, kept.text)).entries) if kept.text else 0
        except DataError:
            made = 0
        return Progress(reviewable(table).ply, "", made, begun=True), ""

    async def find(self, table: Table) -> LocalisedReview | None:
        """The review of a table's match, if it is whole."""
        match = reviewable(table)
        if table.id in self._under_way:
            return None
        if table.id not in self.cache:
            review = await self._read(table, match)
            if review is None:
                return None
            self.cache[table.id] = LocalisedReview(match, review)
            while len(self.cache) > REVIEWS_REMEMBERED:
                self.cache.popitem(last=False)
        self.cache.move_to_end(table.id)
        return self.cache[table.id].of(match)

    async def _read(self, table: Table, match: Match) -> Review | None:
        """What is kept, if it is whole, of this match and of today's form."""
        kept = await self._tables.in_store(self.stored.find, table.id)
        if kept is None or not kept.done:
            return None
        try:
            review = await self._tables.run_slow(serialize.read, kept.text)
        except DataError:
            return None
        same = await self._tables.run_slow(match_hash, match) == review.match
        return review if same and review.done else None

    async def begin(self, table: Table, *, deep: bool = False) -> None:
        """Has the review made, unless one is being made already; a deep one replaces a usual one. Raises
        Refused, or Busy if too many wait.
        """
        match = reviewable(table)
        if self._share <= 0:
            raise Refused("review_page.off")
        if table.id in self._under_way:
            return
        own = sum(progress.who == asking.get() for progress in self._under_way.values())
        if len(self._under_way) >= REVIEWS_WAITING or (asking.get() and own >= ADDRESS_REVIEWS_WAITING):
            raise QueueFull
        self.failed.pop(table.id, None)
        self.cache.pop(table.id, None)
        now = self._time.monotonic()
        self._under_way[table.id] = Progress(match.ply, asking.get(), saved_at=now, deep=deep)
        task = asyncio.create_task(self._make(table, match))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        if not self._alone and (self._heartbeat is None or self._heartbeat.done()):
            self._heartbeat = asyncio.create_task(self._beat())

    async def _beat(self) -> None:
        """Other processes see that the reviews under way here are being made, or wait for their turn."""
        while self._under_way:
            await self._time.sleep(SAVE_INTERVAL)
            try:
                await self._tables.in_store(self.stored.touch, list(self._under_way))
            except Exception:
                logger.exception("reviews under way could not be marked as such; it is tried again")

    async def _make(self, table: Table, match: Match) -> None:
        progress = self._under_way[table.id]
        try:
            await self._carry_out(table, match, progress)
        except asyncio.CancelledError:  # the server stops: another goes on from here
            await self._save(table, progress, at=0.0)
            raise
        except WorkerFailed as error:
            await self._fail(table, progress, str(error) or "its process has stopped too often")
        except Exception as error:
            logger.exception("a review has failed")
            await self._fail(table, progress, type(error).__name__)
        finally:
            del self._under_way[table.id]

    async def _fail(self, table: Table, progress: Progress, why: str) -> None:
        """Its page says so, in whichever process it is asked for, and offers to try again."""
        logger.warning("a review could not be made: %s", why)
        self.failed[table.id] = None
        while len(self.failed) > REVIEWS_REMEMBERED:
            self.failed.popitem(last=False)
        try:
            await self._save(table, progress, failed=True)
        except Exception:
            logger.exception("that a review has failed could not be stored; only this process says so")

    async def _carry_out(self, table: Table, match: Match, progress: Progress) -> None:
        """Step by step, in turn with others, with pauses; from where an earlier one was stopped."""
        kept = await self._tables.in_store(self.stored.find, table.id)
        progress.text, failures = kept.text if kept else "", 0
        await self._save(table, progress)  # other processes know of it
        while True:
            async with self._turns.enter(progress.who):
                began = self._time.monotonic()
                try:
                    if await self._step(table, match, progress):
                        return
                    failures = 0
                except WorkerFailed as error:
                    failures += 1
                    if failures >= REVIEW_ATTEMPTS or error.args:
                        raise
                    logger.warning("the process that makes reviews was replaced; the review is tried again")
                rest = (self._time.monotonic() - began) * (1 / self._share - 1)
                await self._time.sleep(min(rest, MAX_PAUSE))

    async def _step(self, table: Table, match: Match, progress: Progress) -> bool:
        """A second's work; whether the review is done. Raises WorkerFailed."""
        progress.begun = True
        due = not progress.made or self._time.monotonic() - progress.saved_at > SAVE_INTERVAL
        id = f"{table.id} deep" if progress.deep else table.id
        said = await self.worker.ask({"do": "go on", "id": id, "text": due})
        if "unknown" in said:  # by a process that is new
            text = await self._tables.run_slow(matchfile_writer.write, match)
            begin = {"do": "begin", "id": id, "match": text, "so_far": progress.text, "text": True}
            said = await self.worker.ask(begin | {"deep": progress.deep})
        if "none" in said:
            raise WorkerFailed("the match cannot be reviewed")
        if "memory" in said:
            await self.worker.stop()
            raise WorkerFailed
        return await self._take(table, progress, said)

    async def _take(self, table: Table, progress: Progress, said: dict[str, Any]) -> bool:
        """Notes what the process says, and stores its text if it has sent it."""
        progress.made, done = said["made"], bool(said["done"])
        if said["text"]:
            progress.text = said["text"]
            await self._save(table, progress, done=done)
        return done

    async def _save(
        self,
        table: Table,
        progress: Progress,
        *,
        done: bool = False,
        failed: bool = False,
        at: float | None = None,
    ) -> None:
        progress.saved_at = self._time.monotonic()
        await self._tables.in_store(self.stored.save, table.id, progress.text, done, failed, at)


def reviewable(table: Table) -> Match:
    """The match of a table, if it can be reviewed. While it is on there is nothing of the kind."""
    if table.state != "over" or table.match is None:
        raise Refused("review_page.not_over")
    if table.outdated or isinstance(table.match, ArchivedMatch):
        raise Refused("review_page.other_rules")
    if table.match.ply > MAX_ACTIONS:
        raise Refused("review_page.too_long")
    return table.match
