"""A process that only thinks, for all servers on one PostgreSQL database.

It receives what a seat may know, and returns what the bot there chooses. When it dies, its request is
available to others again at once.
"""

from __future__ import annotations

import logging
import threading
from typing import Any

import psycopg
import sqlalchemy as sa
from sqlalchemy.exc import OperationalError

from comptoir.web.live.bot_pool import SLOW_SECONDS, BotRequest, answer
from comptoir.web.storage.bot_queue import BotQueueConsumer
from comptoir.web.storage.outage import OutageLog, first_line

POLL_INTERVAL = 0.5  # seconds between looks for work that nobody has told of, and for the word to stop
RECONNECT_INTERVAL = 1.0  # seconds between attempts to reach the database

logger = logging.getLogger(__name__)


class BotWorker:
    """Threads that take questions, the first in line first; one of several takes none of the slow ones."""

    def __init__(self, url: sa.URL, threads: int) -> None:
        self._url, self._stopping = url, threading.Event()
        self._answered, self._count = 0, threading.Lock()
        self._failed = OutageLog(logger)
        below = [SLOW_SECONDS if threads > 1 and nth == 0 else float("inf") for nth in range(threads)]
        self._threads = [threading.Thread(target=self._work, args=(most,), name="bot") for most in below]

    def run(self) -> int:
        """Until it is stopped; how many questions it has answered."""
        for thread in self._threads:
            thread.start()
        for thread in self._threads:
            thread.join()
        return self._answered

    def stop(self) -> None:
        """What is being thought about is finished."""
        self._stopping.set()

    def _work(self, below: float) -> None:
        while not self._stopping.is_set():
            try:
                consumer = BotQueueConsumer(self._url)
                try:
                    while not self._stopping.is_set():
                        if not self._take(consumer, below):
                            consumer.wait(POLL_INTERVAL)
                finally:
                    consumer.close()
            except (psycopg.Error, OperationalError) as error:
                self._failed.note(_reason(error))
                self._stopping.wait(RECONNECT_INTERVAL)

    def _take(self, consumer: BotQueueConsumer, below: float) -> bool:
        """Answers one question; False if there is none."""
        with consumer.claim(below) as question:
            if question is None:
                return False
            id = question.pop("id")
            consumer.answer(id, self._answer(question))
        with self._count:
            self._answered += 1
        return True

    def _answer(self, question: dict[str, Any]) -> str:
        """Nothing, if a bot has failed: who has asked knows what to do then."""
        try:
            chosen = answer(BotRequest(**question))
        except Exception:
            logger.exception("a bot has failed")
            return ""
        return f"{chosen.action} {chosen.seconds:.3f}"


def _reason(error: Exception) -> str:
    if isinstance(error, psycopg.errors.UndefinedTable | psycopg.errors.UndefinedColumn):
        return "it is not a database of this version of Comptoir; start comptoir serve on it first"
    return first_line(error)
