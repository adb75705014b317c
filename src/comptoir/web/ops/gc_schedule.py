"""Objects that hold each other are looked for seldom, and when we say so.

What is drawn of a table lives until its next action and is hardly ever in a cycle. Python would look through
all of it again and again: a tenth of the server's work. Looking through all at once stops everyone, with 800
sockets for a third of a second: so it waits until the server has little to do.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

from comptoir.time_source import SYSTEM_TIME, TimeSource
from comptoir.web.ops.memory import memory

GC_INTERVAL = 600.0  # seconds
GC_AFTER_GROWTH = (
    100 * 2**20
)  # bytes of memory after which it is looked sooner: somebody may be making cycles
BUSY_CPU = 0.25  # of a processor: who uses more has people who would wait, so looking is put off
QUIET_SECONDS = (
    10.0  # seconds for which there must have been less to do: between two crowds there is a lull too
)
GC_FORCED_GROWTH = 500 * 2**20  # bytes of memory after which it is looked even so


def disable_automatic_gc() -> None:
    """From now on `GcSchedule` looks for them, and Python does not."""
    gc.freeze()  # what is loaded stays
    gc.disable()


class GcSchedule:
    """When they were last looked for, and how much memory there was then."""

    def __init__(
        self, time_source: TimeSource = SYSTEM_TIME, used: Callable[[], float] = time.process_time
    ) -> None:
        """`used`: the seconds of a processor that this process has used."""
        self._clock, self._cpu = time_source.monotonic, used
        self._looked, self._memory = self._clock(), memory()
        self._asked, self._used, self._busy = self._clock(), self._cpu(), self._clock()

    def keep(self) -> None:
        """Something was loaded that stays, and need not be looked through."""
        if not gc.isenabled():
            gc.freeze()
            self._memory = memory()

    def look(self) -> bool:
        """Looks for them if it is time and Python does not; whether it was."""
        if not self._is_time(quiet=self._is_quiet()) or gc.isenabled():
            return False
        gc.collect()
        self._looked, self._memory = self._clock(), memory()
        return True

    def _is_time(self, *, quiet: bool) -> bool:
        grown = memory() - self._memory
        if not quiet:
            return grown >= GC_FORCED_GROWTH
        return grown >= GC_AFTER_GROWTH or self._clock() >= self._looked + GC_INTERVAL

    def _is_quiet(self) -> bool:
        """Whether all threads have had little to do for a while; asked every now and then."""
        asked, used = self._asked, self._used
        self._asked, self._used = self._clock(), self._cpu()
        if self._used - used > BUSY_CPU * (self._asked - asked):
            self._busy = self._asked
        return self._asked >= self._busy + QUIET_SECONDS
