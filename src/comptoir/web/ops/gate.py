"""Whose work is done when: whoever asks for much waits for themselves, and for nobody else.

Everyone's work comes in a lane of its own, by the address it is asked from. A lane is narrow, so what is in
front of somebody is never more than a little of everyone else's.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from comptoir.errors import ComptoirError

OWN = ""  # the server's own work, and everyone's where rates are not limited

# The address that this is done for. What a request sets going goes on under its address.
asking: ContextVar[str] = ContextVar("asking", default=OWN)


class Busy(ComptoirError):
    """There is too much of theirs waiting already. `key` is the sentence in words.toml that says so."""

    key, status, seconds = "guard.busy", 429, 5


@dataclass
class _Lane:
    free: asyncio.Semaphore
    inside: int = field(default=0)  # at work or waiting


class Gate:
    """Lets in `at_once` in all and `each` of an address; of an address, `waiting` may wait."""

    def __init__(self, at_once: int, *, each: int = 1, waiting: int = 30) -> None:
        self._free, self._each, self._most = asyncio.Semaphore(at_once), each, each + waiting
        self._lanes: dict[str, _Lane] = {}

    def __len__(self) -> int:
        return sum(lane.inside for lane in self._lanes.values())

    @asynccontextmanager
    async def enter(self, who: str | None = None) -> AsyncIterator[None]:
        """Waits for one's turn. Raises Busy if too many of the same address wait already."""
        who = asking.get() if who is None else who
        if who == OWN:
            async with self._free:
                yield
            return
        lane = self._lanes.setdefault(who, _Lane(asyncio.Semaphore(self._each)))
        if lane.inside >= self._most:
            raise Busy
        lane.inside += 1
        try:
            async with lane.free, self._free:
                yield
        finally:
            lane.inside -= 1
            if not lane.inside:
                del self._lanes[who]
