"""Waiting on the machine's own clock, for tests whose subject is real time: servers under attack, processes
that are killed, a database that is away.

Everything else takes its time from a `ManualTime`, or polls for what it waits for. `test_manners_of_tests.py`
lists who may wait like this.
"""

from __future__ import annotations

import asyncio
import time
from pathlib import Path


async def elapse(seconds: float) -> None:
    """So long an attack, an outage or a pause between two requests lasts."""
    await asyncio.sleep(max(0.0, seconds))


def block(seconds: float) -> None:
    """The same where there is no event loop."""
    time.sleep(max(0.0, seconds))


def starved(process: int | str = "self") -> float:
    """Seconds for which the main thread of a process was ready to run and no core was free for it: on a busy
    machine these are nobody's fault. Only differences mean something; 0 where the system does not say.
    """
    try:
        return int(Path(f"/proc/{process}/schedstat").read_text().split()[1]) / 1e9
    except OSError:
        return 0.0
