"""Keeps the open tables up to date with what other processes write."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from typing import TYPE_CHECKING

from comptoir.web.domain.evolve import evolve
from comptoir.web.live.open_table import OpenTable
from comptoir.web.storage.outage import Unavailable

if TYPE_CHECKING:
    from comptoir.web.live.tables import Tables

COMPARE_INTERVAL = 2.0  # seconds between comparisons of all versions with the store
FIRST_RETRY, MAX_RETRY = 0.1, 2.0  # seconds between attempts to read from a database that does not answer

logger = logging.getLogger(__name__)


class RemoteSync:
    """Reads on at tables of which the store has more than this process."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._heard_by: int | None = None  # the connection by which nothing was missed

    def start(self) -> None:
        """Before anything is read: from now on nothing is missed."""
        loop = asyncio.get_running_loop()

        def on_event(table: str, version: int) -> None:
            loop.call_soon_threadsafe(self.on_remote_event, table, version)

        self._tables.store.channels.listen(on_event)
        self._heard_by = self._tables.store.channels.connection()

    def on_remote_event(self, id: str, version: int) -> None:
        """What another process has written, or the store itself."""
        if not id:  # anything may have happened while the line was dead
            self._tables.spawn(self.compare())
        elif id in self._tables.in_use:
            self.note(self._tables.in_use[id], version)
        elif any(id == loading for loading, _ in self._tables.loading):  # it may be read too early
            self._tables.spawn(self._tables.find(id, version))

    def hears_all_events(self) -> bool:
        """Whether everything that other processes write is heard, and nothing was missed before."""
        return self._heard_by is not None and self._tables.store.channels.connection() == self._heard_by

    def note(self, live: OpenTable, version: int) -> None:
        """The store has that version: it is read, however often the database fails."""
        live.stored = max(live.stored, version)
        if live.behind and (live.reading is None or live.reading.done()):
            live.reading = self._tables.spawn(self._read_on(live))

    async def _read_on(self, live: OpenTable) -> None:
        """Until the table is no longer behind its store, or no longer in use."""
        waits, known = _backoff(), False
        while self._tables.in_use.get(live.table.id) is live:
            try:
                async with live.lock:
                    if not live.behind:
                        return
                    if not await self.catch_up(live):
                        live.stored = live.table.version  # there is no such event
            except Unavailable:
                await self._tables.time_source.sleep(next(waits))
            except Exception:
                if not known:
                    logger.exception("a table cannot read on; it is tried again")
                known = True
                await self._tables.time_source.sleep(next(waits))

    async def wait_until_current(self, live: OpenTable) -> None:
        """Waits until a table is no longer behind its store. Raises Unavailable if that takes too long."""
        self.note(live, live.stored)
        if live.reading is not None:
            async with self._tables.writer.bounded():
                await asyncio.shield(live.reading)

    async def check_version(self, live: OpenTable) -> None:
        """Asks the store which version a table has."""
        for _, version in await self._tables.in_store(self._tables.store.events.versions, [live.table.id]):
            self.note(live, version)

    async def _compare(self) -> None:
        """Has all tables read on that are behind the store, whatever was heard."""
        line = self._tables.store.channels.connection()
        in_use = self._tables.in_use
        for id, version in await self._tables.in_store(self._tables.store.events.versions, list(in_use)):
            if id in in_use:
                self.note(in_use[id], version)
        self._heard_by = line

    async def compare(self) -> None:
        """Compares as soon as the database answers."""
        for wait in _backoff():
            try:
                await self._compare()
                return
            except Unavailable:
                await self._tables.time_source.sleep(wait)

    async def keep_comparing(self) -> None:
        while True:
            await self._tables.time_source.sleep(COMPARE_INTERVAL)
            try:
                await self.compare()
                await self._tables.leases.check()
            except Exception:
                logger.exception("versions could not be compared; the next attempt comes soon")

    async def catch_up(self, live: OpenTable) -> bool:
        """Reads what has happened elsewhere, if anything has. The lock is held."""
        events = await self._tables.in_store(
            self._tables.store.events.read, live.table.id, live.table.version
        )
        table = live.table
        for event in events:
            table = evolve(table, event)
        if events:
            before = live.table
            live.replace_table(table)
            live.estimate_age()
            self._tables.on_remote_change(before, live)
            self._tables.broadcast(live)
        return bool(events)


def _backoff() -> Iterator[float]:
    """Seconds to wait between attempts."""
    wait = FIRST_RETRY
    while True:
        yield wait
        wait = min(2 * wait, MAX_RETRY)
