"""Run Python's cyclic garbage collector rarely, when the server is idle.

What is rendered of a table lives until its next action and is hardly ever in a reference cycle. Python's own
schedule would scan all of it again and again: a tenth of the server's CPU time. A full collection stops
everyone, with 800 sockets for a third of a second: so it waits until the server has little to do.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

from comptoir.time_source import SYSTEM_TIME, TimeSource
from comptoir.web.ops.memory import memory

GC_INTERVAL = 600.0  # seconds between collections
GC_AFTER_GROWTH = 100 * 2**20  # bytes of growth after which to collect sooner: something may make cycles
GC_FORCED_GROWTH = 500 * 2**20  # bytes of growth after which to collect even while busy
BUSY_CPU = 0.25  # share of one CPU; above it people would notice the pause
QUIET_SECONDS = 10.0  # of low load before a collection: between two bursts there is a lull too


def disable_automatic_gc() -> None:
    """From now on `GcSchedule` decides when to collect."""
    gc.freeze()  # what is loaded stays
    gc.disable()


class GcSchedule:
    """Decides when to collect, from the time, the memory and the CPU used since the last collection."""

    def __init__(
        self, time_source: TimeSource = SYSTEM_TIME, cpu_time: Callable[[], float] = time.process_time
    ) -> None:
        """`cpu_time`: the CPU seconds that this process has used."""
        self._clock, self._cpu_time = time_source.monotonic, cpu_time
        self._collected, self._memory = self._clock(), memory()
        self._sampled, self._cpu, self._busy = self._clock(), self._cpu_time(), self._clock()

    def freeze(self) -> None:
        """Exempt what was just loaded from collection: it stays."""
        if not gc.isenabled():
            gc.freeze()
            self._memory = memory()

    def collect_if_due(self) -> bool:
        """Collect if it is time and Python does not do so itself; whether it did."""
        if not self._is_due(quiet=self._is_quiet()) or gc.isenabled():
            return False
        gc.collect()
        self._collected, self._memory = self._clock(), memory()
        return True

    def _is_due(self, *, quiet: bool) -> bool:
        growth = memory() - self._memory
        if not quiet:
            return growth >= GC_FORCED_GROWTH
        return growth >= GC_AFTER_GROWTH or self._clock() >= self._collected + GC_INTERVAL

    def _is_quiet(self) -> bool:
        """Whether the load of all threads has been low for a while; sampled at each call."""
        sampled, cpu = self._sampled, self._cpu
        self._sampled, self._cpu = self._clock(), self._cpu_time()
        if self._cpu - cpu > BUSY_CPU * (self._sampled - sampled):
            self._busy = self._sampled
        return self._sampled >= self._busy + QUIET_SECONDS
