"""A database that does not answer: the error that people are shown, and one line in the log.

While a database is away every request fails for the same reason. The log has that reason in one short line,
and then how often it came again.
"""

from __future__ import annotations

import asyncio
import logging
import math
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Protocol, TypeVar, TypeVarTuple

import sqlalchemy.exc

from comptoir.time_source import SYSTEM_TIME
from comptoir.web import limits

T = TypeVar("T")
Args = TypeVarTuple("Args")

logger = logging.getLogger(__name__)


class Unavailable(Exception):
    """The database does not answer, or takes no connections. `key` is the sentence in words.toml."""

    key, status, seconds = "guard.database", 503, 5


def as_unavailable(error: BaseException) -> Unavailable | None:
    """The same error as a temporary one; None if it is not, such as a bug."""
    if isinstance(error, sqlalchemy.exc.TimeoutError):  # every connection of the pool is in use
        return Unavailable("no connection is free")
    if not isinstance(error, sqlalchemy.exc.OperationalError | sqlalchemy.exc.InterfaceError):
        return None
    state = getattr(error.orig, "sqlstate", "")  # PostgreSQL's; None where there was no connection
    if state == "":  # SQLite
        return Unavailable(first_line(error)) if "locked" in str(error.orig) else None
    # a full or broken disk is not temporary
    return None if str(state).startswith(("53100", "58")) else Unavailable(first_line(error))


def first_line(error: BaseException) -> str:
    """The reason, as short as the log wants it; what a statement was given is on later lines."""
    reason = error.orig if isinstance(error, sqlalchemy.exc.DBAPIError) and error.orig else error
    lines = str(reason).strip().splitlines()
    return (lines[0] if lines else type(reason).__name__)[: limits.OUTAGE_REASON_LETTERS]


class OutageLog:
    """Logs the first failure, then one line every few seconds that says how many there were."""

    def __init__(self, log: logging.Logger, clock: Callable[[], float] = SYSTEM_TIME.monotonic) -> None:
        self._log, self._clock, self._lock = log, clock, threading.Lock()
        self._next, self._more = -math.inf, 0

    def note(self, reason: str) -> None:
        with self._lock:
            if self._clock() < self._next:
                self._more += 1
                return
            more, self._more = self._more, 0
            self._next = self._clock() + limits.OUTAGE_LOG_SECONDS
        again = f" ({more} more since the last such line)" if more else ""
        self._log.warning("the database does not answer: %s%s", reason[: limits.OUTAGE_REASON_LETTERS], again)


class Ask(Protocol):
    """Calls the store in its own threads."""

    async def __call__(self, function: Callable[[*Args], T], *arguments: *Args) -> T: ...


class Calls:
    """Calls the store in threads of its own. With `bounded`, nobody waits long for a database that hangs.

    A call that is not awaited any more may still be carried out when the database comes back: to the caller
    its outcome is unknown. One that has not begun by then never begins.
    """

    def __init__(self, threads: int, *, bounded: bool) -> None:
        self._pool, self._bounded = ThreadPoolExecutor(threads, "store"), bounded
        self.given_up: set[Future[Any]] = set()  # given up, and still at work
        self._log = OutageLog(logger)

    @property
    def patience(self) -> float | None:
        """Seconds that a call is waited for: fewer while an earlier one still hangs."""
        if not self._bounded:
            return None
        return limits.DATABASE_HUNG_SECONDS if self.given_up else limits.DATABASE_ANSWER_SECONDS

    async def __call__(self, function: Callable[[*Args], T], *arguments: *Args) -> T:
        """Raises Unavailable if the database does not answer; all other errors as they are."""
        return await self._wait(self.patience, function, *arguments)

    async def to_the_end(self, function: Callable[[*Args], T], *arguments: *Args) -> T:
        """The same, however long it takes: for what must have ended before the next of its kind begins."""
        return await self._wait(None, function, *arguments)

    async def _wait(self, patience: float | None, function: Callable[[*Args], T], *arguments: *Args) -> T:
        call = self._pool.submit(function, *arguments)
        try:
            async with asyncio.timeout(patience):
                return await asyncio.wrap_future(call)
        except TimeoutError:
            if not call.cancel() and not call.done():
                self.given_up.add(call)
                call.add_done_callback(self.given_up.discard)
            raise self.failed(f"no answer in {patience:g} s") from None
        except sqlalchemy.exc.SQLAlchemyError as error:
            unavailable = as_unavailable(error)
            if unavailable is None:
                raise
            raise self.failed(str(unavailable)) from None

    def failed(self, reason: str) -> Unavailable:
        """The error to raise; the log has a line about it, or will have."""
        self._log.note(reason)
        return Unavailable(reason)

    def stop(self) -> None:
        """What hangs is not waited for."""
        self._pool.shutdown(wait=not self.given_up, cancel_futures=bool(self.given_up))
