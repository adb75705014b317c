"""Archives finished matches and records their results, also those that an earlier server left undone."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from comptoir.web.domain.archive import archive_match
from comptoir.web.domain.player_results import results_of
from comptoir.web.domain.state import Table
from comptoir.web.ops.fair_queue import OWN, asking
from comptoir.web.storage.outage import Unavailable

if TYPE_CHECKING:
    from comptoir.web.live.tables import Tables

logger = logging.getLogger(__name__)


class Archiver:
    """One match at a time: people who play come first."""

    def __init__(self, tables: Tables) -> None:
        self._tables, self._archiving = tables, asyncio.Lock()

    def archive_if_over(self, table: Table) -> None:
        if table.state == "over" and not table.outdated:
            self._tables.spawn(self.archive(table))

    async def archive(self, table: Table) -> float:
        """Archives a finished match as it was shown, in the background; returns the seconds that it took."""
        assert table.match is not None
        asking.set(OWN)
        async with self._archiving:
            began = self._tables.time_source.monotonic()
            try:
                archive = await self._tables.run_slow(archive_match, table.match)
                await self._tables.in_store(self._tables.store.archives.add, table.id, archive)
            except Unavailable:
                logger.warning("a finished match could not be kept; it is tried again at the next start")
            except Exception:
                logger.exception("a finished match could not be kept; it is tried again at the next start")
            return self._tables.time_source.monotonic() - began

    async def archive_the_rest(self) -> None:
        """Matches that ended under an older server, or just before this one's last end."""
        for id in await self._tables.in_store(self._tables.store.archives.missing):
            await self._tables.time_source.sleep(2 * await self.archive_stored(id))

    async def archive_stored(self, id: str) -> float:
        asking.set(OWN)  # nobody waits for it
        try:
            table = (await self._tables.find(id)).table
        except Exception as error:
            logger.warning("a finished match cannot be kept: %s", type(error).__name__)
            return 0.0
        return await self.archive(table) if table.state == "over" and not table.outdated else 0.0

    async def record_the_rest(self) -> None:
        """The results of matches that ended under a server which kept none."""
        for id in await self._tables.in_store(self._tables.store.results.missing):
            began = self._tables.time_source.monotonic()
            asking.set(OWN)
            try:
                results = results_of((await self._tables.find(id)).table)
                if results:
                    await self._tables.in_store(self._tables.store.results.add, results)
            except Exception as error:
                logger.warning("a finished match has no results: %s", type(error).__name__)
            await self._tables.time_source.sleep(2 * (self._tables.time_source.monotonic() - began))
