"""Objects that hold each other are looked for seldom, and when we say so.

What is drawn of a table lives until its next action and is hardly ever in a cycle. Python would look through
all of it again and again: a tenth of the server's work, in pauses of up to a quarter of a second.
"""

from __future__ import annotations

import gc
import time
from pathlib import Path

SELDOM = 600.0  # seconds
GROWN = 100 * 2**20  # bytes of memory after which it is looked sooner: somebody may be making cycles
_MEMORY = Path("/proc/self/statm")  # where there is no such thing, time alone counts


def memory() -> int:
    """How much this process has, as far as it can be known."""
    try:
        return int(_MEMORY.read_text().split()[1]) * 4096
    except OSError:
        return 0


def look_seldom() -> None:
    """From now on `Cycles` looks for them, and Python does not."""
    gc.freeze()  # what is loaded stays
    gc.disable()


class Cycles:
    """When they were last looked for, and how much memory there was then."""

    def __init__(self) -> None:
        self._looked, self._memory = time.monotonic(), memory()

    def look(self) -> bool:
        """Looks for them if it is time and Python does not; whether it was."""
        soon = time.monotonic() < self._looked + SELDOM and memory() < self._memory + GROWN
        if soon or gc.isenabled():
            return False
        gc.collect()
        self._looked, self._memory = time.monotonic(), memory()
        return True
