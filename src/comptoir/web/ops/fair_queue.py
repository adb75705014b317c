"""Whose work is done when: whoever asks for much waits for themselves, and for nobody else.

Clients are told apart by the address that they ask from. Each has few places at once, so what is in front of
somebody is never more than a little of everyone else's work.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
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
class _ClientSlots:
    free: asyncio.Semaphore
    inside: int = field(default=0)  # at work or waiting


class ConcurrencyLimit:
    """Lets in `at_once` in all and `each` of an address; of an address, `waiting` may wait."""

    def __init__(self, at_once: int, *, each: int = 1, waiting: int = 30) -> None:
        self._free, self._each, self._most = asyncio.Semaphore(at_once), each, each + waiting
        self._clients: dict[str, _ClientSlots] = {}

    def __len__(self) -> int:
        return sum(slots.inside for slots in self._clients.values())

    def enter(self, who: str | None = None) -> AbstractAsyncContextManager[None]:
        """Waits for one's turn. Raises QueueFull if too many of the same address wait already."""
        who = asking.get() if who is None else who
        return self._free if who == OWN else self._enter(who)

    @asynccontextmanager
    async def _enter(self, who: str) -> AsyncIterator[None]:
        slots = self._clients.setdefault(who, _ClientSlots(asyncio.Semaphore(self._each)))
        if slots.inside >= self._most:
            raise QueueFull
        slots.inside += 1
        try:
            async with slots.free, self._free:
                yield
        finally:
            slots.inside -= 1
            if not slots.inside:
                del self._clients[who]


@dataclass(eq=False)
class Ticket:
    """A place in a fair queue: waiting, or inside since `began`."""

    client_key: str
    kind: str
    nth: int
    admitted: asyncio.Future[None]
    began: float = 0.0


class FairQueue:
    """Admits `at_once` in all and `each` per client; first comes the client that spent the least time inside.

    A client with nobody waiting or inside is forgotten. When it comes back, it starts level with the one that
    has had the least.
    """

    def __init__(
        self, at_once: int, *, each: int = 1, clock: Callable[[], float] = SYSTEM_TIME.monotonic
    ) -> None:
        self._at_once, self._each, self._clock = at_once, each, clock
        self._waiting: dict[tuple[str, str], deque[Ticket]] = {}  # by client and kind, the first may enter
        self.inside: list[Ticket] = []
        self.spent: dict[str, float] = {}  # seconds, of each client that is waiting or inside
        self._active: Counter[str] = Counter()  # tickets of each client
        self._count = count()

    def __len__(self) -> int:
        return sum(map(len, self._waiting.values()))

    @asynccontextmanager
    async def enter(self, client_key: str, kind: str = "") -> AsyncIterator[None]:
        """Waits for the client's turn. `kind` is for queues that order by more than clients."""
        now = self._clock()
        if client_key not in self.spent:
            self.spent[client_key] = min((self._total(one, now) for one in self.spent), default=0.0)
        ticket = Ticket(client_key, kind, next(self._count), asyncio.get_running_loop().create_future())
        self._active[client_key] += 1
        self._waiting.setdefault((client_key, kind), deque()).append(ticket)
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
            ticket = min(fit, key=lambda one: (self._rank(one), self._total(one.client_key, now), one.nth))
            self._stop_waiting(ticket)
            ticket.began = now
            self.inside.append(ticket)
            if not ticket.admitted.done():  # else it is cancelled, and leaves at once
                ticket.admitted.set_result(None)

    def _leave(self, ticket: Ticket) -> None:
        if ticket in self.inside:
            self.inside.remove(ticket)
            self.spent[ticket.client_key] += self._clock() - ticket.began
        else:
            self._stop_waiting(ticket)
        self._active[ticket.client_key] -= 1
        if not self._active[ticket.client_key]:
            del self._active[ticket.client_key], self.spent[ticket.client_key]

    def _stop_waiting(self, ticket: Ticket) -> None:
        line = self._waiting[ticket.client_key, ticket.kind]
        line.remove(ticket)
        if not line:
            del self._waiting[ticket.client_key, ticket.kind]

    def _total(self, client_key: str, now: float) -> float:
        """The seconds that a client has spent inside, those of tickets that are still inside included."""
        return self.spent[client_key] + sum(
            now - one.began for one in self.inside if one.client_key == client_key
        )

    def _may(self, ticket: Ticket) -> bool:
        """Whether a ticket may be admitted next to those that are inside."""
        return sum(one.client_key == ticket.client_key for one in self.inside) < self._each

    def _rank(self, ticket: Ticket) -> int:
        """The lowest rank comes first, whatever clients have had."""
        return 0
