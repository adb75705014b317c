"""Waiting on the machine's own clock, for tests whose subject is real time: servers under attack, processes
that are killed, a database that is away.

Everything else takes its time from a `ManualTime`, or polls for what it waits for. `test_manners_of_tests.py`
lists who may wait like this.
"""

from __future__ import annotations

import asyncio
import time


async def elapse(seconds: float) -> None:
    """So long an attack, an outage or a pause between two requests lasts."""
    await asyncio.sleep(max(0.0, seconds))


def block(seconds: float) -> None:
    """The same where there is no event loop."""
    time.sleep(max(0.0, seconds))
