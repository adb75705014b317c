"""Whose work is done when: whoever asks for much waits for themselves, and for nobody else.

Everyone's work comes in a lane of its own, by the address it is asked from. A lane is narrow, so what is in
front of somebody is never more than a little of everyone else's.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import count

from comptoir.errors import ComptoirError
from comptoir.time_source import SYSTEM_TIME

OWN = ""  # the server's own work, and everyone's where rates are not limited

# The address that this is done for. What a request sets going goes on under its address.
asking: ContextVar[str] = ContextVar("asking", default=OWN)


class QueueFull(ComptoirError):
    """There is too much of theirs waiting already. `key` is the sentence in words.toml that says so."""

    key, status, seconds = "guard.busy", 429, 5


@dataclass
class _Lane:
    free: asyncio.Semaphore
    inside: int = field(default=0)  # at work or waiting


class ConcurrencyLimit:
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
            raise QueueFull
        lane.inside += 1
        try:
            async with lane.free, self._free:
                yield
        finally:
            lane.inside -= 1
            if not lane.inside:
                del self._lanes[who]


@dataclass(eq=False)
class Ticket:
    """A place in a fair queue: waiting, or inside since `began`."""

    lane: str
    kind: str
    nth: int
    admitted: asyncio.Future[None]
    began: float = 0.0


class FairQueue:
    """Admits `at_once` in all and `each` per lane; the lane that has spent the least time inside comes first.

    A lane with nobody waiting or inside is forgotten. When it comes back, it starts level with the lane that
    has had the least.
    """

    def __init__(
        self, at_once: int, *, each: int = 1, clock: Callable[[], float] = SYSTEM_TIME.monotonic
    ) -> None:
        self._at_once, self._each, self._clock = at_once, each, clock
        self._waiting: dict[tuple[str, str], deque[Ticket]] = {}  # by lane and kind: only the first may enter
        self.inside: list[Ticket] = []
        self.spent: dict[str, float] = {}  # seconds, of each lane that is waiting or inside
        self._active: Counter[str] = Counter()  # tickets of each lane
        self._count = count()

    def __len__(self) -> int:
        return sum(map(len, self._waiting.values()))

    @asynccontextmanager
    async def enter(self, lane: str, kind: str = "") -> AsyncIterator[None]:
        """Waits for the lane's turn. `kind` is for queues that order by more than lanes."""
        now = self._clock()
        if lane not in self.spent:
            self.spent[lane] = min((self._total(one, now) for one in self.spent), default=0.0)
        ticket = Ticket(lane, kind, next(self._count), asyncio.get_running_loop().create_future())
        self._active[lane] += 1
        self._waiting.setdefault((lane, kind), deque()).append(ticket)
        self._admit()
        try:
            await ticket.admitted
            yield
        finally:
            self._leave(ticket)
            self._admit()

    def _admit(self) -> None:
        while len(self.inside) < self._at_once:
            fit = [line[0] for line in self._waiting.values() if self._may(line[0])]
            if not fit:
                return
            now = self._clock()
            ticket = min(fit, key=lambda one: (self._rank(one), self._total(one.lane, now), one.nth))
            self._stop_waiting(ticket)
            ticket.began = now
            self.inside.append(ticket)
            if not ticket.admitted.done():  # else it is cancelled, and leaves at once
                ticket.admitted.set_result(None)

    def _leave(self, ticket: Ticket) -> None:
        if ticket in self.inside:
            self.inside.remove(ticket)
            self.spent[ticket.lane] += self._clock() - ticket.began
        else:
            self._stop_waiting(ticket)
        self._active[ticket.lane] -= 1
        if not self._active[ticket.lane]:
            del self._active[ticket.lane], self.spent[ticket.lane]

    def _stop_waiting(self, ticket: Ticket) -> None:
        line = self._waiting[ticket.lane, ticket.kind]
        line.remove(ticket)
        if not line:
            del self._waiting[ticket.lane, ticket.kind]

    def _total(self, lane: str, now: float) -> float:
        """The seconds that a lane has spent inside, those of tickets that are still inside included."""
        return self.spent[lane] + sum(now - one.began for one in self.inside if one.lane == lane)

    def _may(self, ticket: Ticket) -> bool:
        """Whether a ticket may be admitted beside those that are inside."""
        return sum(one.lane == ticket.lane for one in self.inside) < self._each

    def _rank(self, ticket: Ticket) -> int:
        """The lowest rank comes first, whatever lanes have had."""
        return 0
