"""What to do while the database is away for a moment: wait and try again, a little longer each time."""

from __future__ import annotations

import logging
import random
from collections.abc import Iterator

from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from comptoir.web import limits
from comptoir.web.storage.database import DatabaseUnreachable
from comptoir.web.storage.outage import Unavailable

logger = logging.getLogger(__name__)


def backoff(first: float, longest: float) -> Iterator[float]:
    """Pauses in seconds, each about twice as long as the one before.

    They are spread at random: processes that failed together do not come back together.
    """
    pause = first
    while True:
        yield pause * random.uniform(0.75, 1.0)  # noqa: S311  jitter, no secret
        pause = min(2 * pause, longest)


def start_pauses() -> Iterator[float]:
    """The pauses of a server that cannot start yet."""
    return backoff(limits.START_RETRY_FIRST_SECONDS, limits.START_RETRY_LONGEST_SECONDS)


def is_transient(error: BaseException) -> bool:
    """Whether the database may simply be restarting, or be short of connections."""
    if isinstance(error, Unavailable | DatabaseUnreachable | OperationalError | InterfaceError | PoolTimeout):
        return True
    return isinstance(error, DBAPIError) and error.connection_invalidated


def log_retry(error: BaseException, pause: float) -> None:
    reason = " ".join(str(getattr(error, "orig", None) or error).split())[: limits.LOG_REASON_LETTERS]
    logger.warning("the server cannot start yet: %s; trying again in %.1f s", reason, pause)
