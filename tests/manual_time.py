"""A source of time that stands still until a test advances it.

    time = ManualTime()
    async with running_app(database, time_source=time) as made:
        ...
        await time.advance(20)

Whoever sleeps is woken in the order of their moments, each at exactly its own; what they set going is finished
before time moves on, in threads too. So the same test takes the same steps on however busy a machine.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

AT = 1_800_000_000.0  # when everything happens, in seconds since 1970
STEPS = 100  # of the event loop, after which whoever does not wait for a thread or for time has come to rest
HUNG = 60.0  # real seconds after which work in a thread does not end


class ManualTime:
    """A `TimeSource`; `set_clock` is what a person or NTP does to the machine's clock."""

    def __init__(self, at: float = AT, monotonic: float = 10_000.0) -> None:
        self._now, self._offset = monotonic, at - monotonic
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._count = itertools.count()
        self._works: set[Future[None]] = set()

    def time(self) -> float:
        return self._now + self._offset

    def monotonic(self) -> float:
        return self._now

    async def sleep(self, seconds: float) -> None:
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        awake: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self._now + seconds, next(self._count), awake))
        await awake

    @property
    def sleeping(self) -> int:
        """How many wait for a later moment."""
        return sum(not awake.done() for _, _, awake in self._sleepers)

    def set_clock(self, seconds: float) -> None:
        """The machine's clock is set forward, or back; no time passes."""
        self._offset += seconds

    def pass_by(self, seconds: float) -> None:
        """So many seconds pass, and nobody is woken before `advance`: as on a machine that was suspended."""
        assert seconds >= 0
        self._now += seconds

    async def advance(self, seconds: float) -> None:
        """So many seconds pass: everyone whose moment comes is woken, and does what they do then."""
        assert seconds >= 0
        end = self._now + seconds
        await self.settle()
        while self._sleepers and self._sleepers[0][0] <= end:
            at, _, awake = heapq.heappop(self._sleepers)
            if (
                awake.done() or awake.get_loop() is not asyncio.get_running_loop()
            ):  # cancelled, or of a dead loop
                continue
            self._now = max(self._now, at)
            awake.set_result(None)
            await self.settle()
        self._now = end

    async def until(self, happened: Callable[[], Any], within: float = 3_600.0) -> float:
        """Advances from sleeper to sleeper until that has happened; the seconds that it took."""
        began = self._now
        await self.settle()
        while not happened():
            at = min((at for at, _, awake in self._sleepers if not awake.done()), default=None)
            assert at is not None, "nobody sleeps: it will never happen"
            assert at <= began + within, f"it has not happened within {within} seconds"
            await self.advance(max(0.0, at - self._now))
        return self._now - began

    async def settle(self) -> None:
        """Returns once everyone sleeps, or waits for something from outside."""
        while True:
            for _ in range(STEPS):
                await asyncio.sleep(0)
            if not self._works:
                return
            waits = [asyncio.wrap_future(work) for work in self._works]
            done, _ = await asyncio.wait(waits, timeout=HUNG, return_when=asyncio.FIRST_COMPLETED)
            assert done, "work in a thread does not end"
            # whoever waited for what is done has not taken its next step yet: not at rest
            self._works = {work for work in self._works if not work.done()}

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Work that is given to threads in the meantime is finished before time moves on."""
        submit = ThreadPoolExecutor.submit

        def watched(
            pool: ThreadPoolExecutor, function: Callable[..., Any], /, *args: Any, **named: Any
        ) -> Any:
            given: Future[Any] = Future()
            work = submit(pool, _carry_out, given, function, args, named)
            work.add_done_callback(lambda work: given.cancel() if work.cancelled() else None)
            self._works.add(work)
            return given

        ThreadPoolExecutor.submit = watched  # type: ignore[method-assign, assignment]
        try:
            yield
        finally:
            ThreadPoolExecutor.submit = submit  # type: ignore[method-assign]


def _carry_out(given: Future[Any], function: Callable[..., Any], args: Any, named: Any) -> None:
    """Ends only when everyone who waits for `given` has been told in their event loop."""
    if not given.set_running_or_notify_cancel():
        return
    try:
        result = function(*args, **named)
    except BaseException as error:
        given.set_exception(error)
    else:
        given.set_result(result)
