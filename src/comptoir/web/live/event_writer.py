"""Writes the events of tables to the store: what comes while the disk is busy is written together."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager

from comptoir.web.domain.player_results import PlayerResult
from comptoir.web.domain.state import Event, TableSummary
from comptoir.web.ops import monitoring
from comptoir.web.storage.event_store import PendingWrite
from comptoir.web.storage.outage import Calls
from comptoir.web.storage.store import Store


class EventWriter:
    """Group commit: one transaction at a time, with all that waits for it."""

    def __init__(
        self, store: Store, in_store: Calls, spawn: Callable[[Coroutine[object, None, object]], object]
    ) -> None:
        self._store, self._in_store, self._spawn = store, in_store, spawn
        self._unwritten: list[tuple[PendingWrite, asyncio.Future[None]]] = []
        self._writing = False
        monitoring.QUEUE_LENGTH.labels("writes").set_function(lambda: len(self._unwritten))

    async def write(
        self, row: TableSummary, events: Sequence[Event], results: Sequence[PlayerResult] = ()
    ) -> None:
        """Returns once it is on the disk.

        What comes while the disk is busy is written together afterwards: it is waited for once.
        """
        written = asyncio.get_running_loop().create_future()
        self._unwritten.append((PendingWrite(row.id, events, row, results), written))
        if not self._writing:
            self._writing = True
            self._spawn(self._write_all())
        async with self.bounded():
            await written

    async def _write_all(self) -> None:
        while self._unwritten:
            asked, self._unwritten = [one for one in self._unwritten if not one[1].done()], []
            if not asked:
                continue  # given up in the meantime: what nobody waits for is not written
            outcomes: Sequence[Exception | None]
            try:
                outcomes = await self._in_store.to_the_end(
                    self._store.events.append_all, [writing for writing, _ in asked]
                )
            except Exception as error:
                outcomes = [error] * len(asked)
            for (_, written), outcome in zip(asked, outcomes, strict=True):
                if written.done():  # nobody waits for it any more
                    continue
                if outcome is None:
                    written.set_result(None)
                else:
                    written.set_exception(outcome)
        self._writing = False

    @asynccontextmanager
    async def bounded(self) -> AsyncIterator[None]:
        """Whatever is waited for here is waited for as long as the database is, and no longer."""
        try:
            async with asyncio.timeout(self._in_store.patience):
                yield
        except TimeoutError:
            raise self._in_store.failed("what came before takes too long") from None
