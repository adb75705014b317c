"""Where the time comes from: an argument of whatever depends on it, so that a test moves time by hand."""

from __future__ import annotations

import asyncio
import time
from typing import Protocol


class TimeSource(Protocol):
    """A wall clock, a stopwatch and a way to wait, which agree with each other."""

    def time(self) -> float:
        """Seconds since 1970, for what is stored or shown. The machine's clock may be set back or forward."""

    def monotonic(self) -> float:
        """Seconds since some moment, for durations: never set."""

    async def sleep(self, seconds: float) -> None:
        """Returns after this many seconds of this source."""


class SystemTime:
    """The machine's own."""

    def time(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


SYSTEM_TIME = SystemTime()
