"""Waiting on the machine's own clock, for tests whose subject is real time: servers under attack, processes
that are killed, a database that is away.

Everything else takes its time from a `ManualTime`, or polls for what it waits for. `test_manners_of_tests.py`
lists who may wait like this.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from pathlib import Path


async def elapse(seconds: float) -> None:
    """So long an attack, an outage or a pause between two requests lasts."""
    await asyncio.sleep(max(0.0, seconds))


def block(seconds: float) -> None:
    """The same where there is no event loop."""
    time.sleep(max(0.0, seconds))


class Stopwatch:
    """Measures how long something takes some processes, without the time for which no core was free for them: on
    a busy machine that is nobody's fault.

    Left out is what the main thread of each process has waited for a core, and the one other thread that has waited
    longest: an answer passes through one of them. Nothing is left out where the system does not say.
    """

    def __init__(self, *processes: int | str) -> None:
        self._processes = processes or ("self",)
        self._began, self._before = time.monotonic(), self._waits()

    @property
    def seconds(self) -> float:
        """Since it was made."""
        elapsed = time.monotonic() - self._began
        return elapsed - sum(
            starved(before, now) for before, now in zip(self._before, self._waits(), strict=True)
        )

    def _waits(self) -> list[dict[str, float]]:
        return [core_waits(process) for process in self._processes]


async def come_to_rest(seconds: float) -> None:
    """So long this process may work on what it has begun: longer where it gets no core."""
    watch = Stopwatch()
    while watch.seconds < seconds:
        await asyncio.sleep(0.02)


def core_waits(process: int | str) -> dict[str, float]:
    """How many seconds each thread of a process has waited for a core; the main thread comes first."""
    found: dict[str, float] = {}
    with suppress(OSError):
        for task in sorted(Path(f"/proc/{process}/task").iterdir(), key=lambda task: int(task.name)):
            with suppress(OSError):  # a thread that has ended in the meantime
                found[task.name] = int((task / "schedstat").read_text().split()[1]) / 1e9
    return found


def starved(before: dict[str, float], now: dict[str, float]) -> float:
    """Seconds that an answer of this process may have waited for a core."""
    main, *others = [waited - before.get(thread, 0.0) for thread, waited in now.items()] or [0.0]
    return main + max(others, default=0.0)
