"""Tasks and slow jobs of the server: both end with it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar, TypeVarTuple

from comptoir.errors import ComptoirError
from comptoir.web.live.not_found import NotFound
from comptoir.web.ops import monitoring
from comptoir.web.ops.fair_queue import ConcurrencyLimit
from comptoir.web.storage.outage import Unavailable

SLOW_JOBS = 1  # long-running jobs off the event loop (replaying, drawing): Python has one lock for all

logger = logging.getLogger(__name__)
T = TypeVar("T")
Args = TypeVarTuple("Args")


class BackgroundTasks:
    """What runs in the background."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[object]] = set()
        self._pool, self._jobs = ThreadPoolExecutor(SLOW_JOBS, "work"), ConcurrencyLimit(SLOW_JOBS)
        monitoring.QUEUE_LENGTH.labels("work").set_function(lambda: len(self._jobs))

    def spawn(self, work: Coroutine[object, None, T]) -> asyncio.Task[T]:
        """Runs some work in a task of its own."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    async def shielded(self, work: Coroutine[object, None, T]) -> T:
        """Some work that continues even if whoever asked for it is gone."""
        return await asyncio.shield(self.spawn(work))

    async def run_slow(self, function: Callable[[*Args], T], *arguments: *Args) -> T:
        """Calls what takes long, such as replaying a match, in a thread: few at once, so that the loop keeps
        its share of Python's one lock, and one at a time of each address.
        """
        async with self._jobs.enter():
            return await asyncio.get_running_loop().run_in_executor(self._pool, function, *arguments)

    async def stop(self) -> None:
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _ended(self, task: asyncio.Task[object]) -> None:
        """Logs a task's failure, since whoever waited for it may be gone; not what people see or what
        has been logged already.
        """
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None and not isinstance(error, Unavailable | ComptoirError | NotFound):
            logger.error("a task has failed", exc_info=error)
