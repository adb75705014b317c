"""Sweeps over all tables: loads those where the server must act, and forgets those that nobody uses."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from typing import TYPE_CHECKING

from comptoir.web.domain import decide
from comptoir.web.domain.refusals import Refused
from comptoir.web.domain.state import TableSummary
from comptoir.web.live.not_found import NotFound
from comptoir.web.live.open_table import OpenTable
from comptoir.web.live.turn_scheduler import TAKEOVER_GRACE
from comptoir.web.ops import monitoring
from comptoir.web.ops.gc_schedule import GcSchedule
from comptoir.web.storage.outage import Unavailable

if TYPE_CHECKING:
    from comptoir.web.live.tables import Tables

IDLE = 600.0  # seconds after which a table that nobody looks at is forgotten here
SWEEP_INTERVAL = 2.0  # seconds
RELOAD_RETRY = 600.0  # seconds before trying again to load a broken table
CLOCK_SET_BACK = 60.0  # seconds: a bot whose turn comes later than that is due by a clock that was wrong

logger = logging.getLogger(__name__)


class Housekeeping:
    """What is done every few seconds, whatever happens at the tables."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self.retry_at: dict[str, float] = {}  # when to try again to load a broken table
        self._gc_schedule = GcSchedule(tables.time_source)

    def freeze(self) -> None:
        """What exists now stays: the garbage collector skips it."""
        self._gc_schedule.freeze()

    async def keep_sweeping(self) -> None:
        while True:
            await self._tables.time_source.sleep(SWEEP_INTERVAL)
            try:
                await self._tables.bots.remote.count()
                await self.sweep(TAKEOVER_GRACE)
                self.forget_unused()
                self._gc_schedule.collect_if_due()
                await asyncio.to_thread(self._tables.store.database.checkpoint_wal)
            except Unavailable:
                continue  # the log says so already
            except Exception:
                logger.exception("a sweep has failed; the next comes soon")

    async def sweep(self, grace: float) -> None:
        """Loads the tables at which the server should have acted: after a restart, or when another
        process has gone.
        """
        self._tables.machine.note_jump()
        now = self._tables.time_source.time()
        for row in await self._tables.in_store(
            self._tables.store.tables.due, now - grace, now + CLOCK_SET_BACK
        ):
            if self.retry_at.get(row.id, 0.0) > self._tables.time_source.monotonic():
                continue
            try:
                await self.wake(row)
            except NotFound:
                self.retry_at[row.id] = self._tables.time_source.monotonic() + RELOAD_RETRY
            except Unavailable:
                raise  # nothing is wrong with the table
            except Exception:
                logger.exception("a table cannot be taken into use; the others go on")
                self.retry_at[row.id] = self._tables.time_source.monotonic() + RELOAD_RETRY
        for live in self._tables.in_use.values():  # bots among themselves are nobody's business in the store
            if live.table.unattended and not live.is_dormant:
                self._tables.scheduler.wake_up(live)
        for id in [id for id, live in self._tables.in_use.items() if live.table.clock_set(live.now())]:
            with contextlib.suppress(Refused):  # somebody has acted, or another process was quicker
                await self._tables.act(id, decide.set_clock)

    async def wake(self, row: TableSummary) -> None:
        live = await self._tables.find(row.id, row.version)
        if live.table.unattended:  # an older server has left it so
            await self._tables.in_store(self._tables.store.tables.clear_due, row.id, row.version)
        self._tables.scheduler.wake_up(live)

    def forget_unused(self) -> None:
        monitoring.TABLES.set(len(self._tables.in_use))
        long_ago = self._tables.time_source.monotonic() - IDLE
        for live in self._unused():
            if live.used < long_ago:
                self._tables.forget(live)
        self.bound_memory()

    def _unused(self) -> list[OpenTable]:
        """Tables that nobody looks at and where nothing is under way, those not asked for longest first."""
        unused = [
            live
            for live in self._tables.in_use.values()
            if not live.watchers and not live.lock.locked() and (live.is_dormant or not self._soon_due(live))
        ]
        return sorted(unused, key=lambda live: live.used)

    def bound_memory(self) -> None:
        """However much is looked at, only so much of it is kept; the rest is read again when it is asked
        for.
        """
        left = sum(live.positions for live in self._tables.in_use.values())
        if left <= self._tables.most_positions:
            return
        for live in self._unused()[:-1]:  # the last one asked for is just being shown
            if left > self._tables.most_positions:
                left -= live.positions
                self._tables.forget(live)

    def _soon_due(self, live: OpenTable) -> bool:
        """A sweep loads a table again at which somebody has days, once their time is spent."""
        return live.table.due is not None and live.table.due < live.time() + IDLE
