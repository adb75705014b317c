"""What processes on the same PostgreSQL tell each other, by LISTEN and NOTIFY."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sqlalchemy.engine import URL
from sqlalchemy.exc import OperationalError

from comptoir.web.storage.database import Database, keepalives, plain_errors

if TYPE_CHECKING:
    import psycopg

EVENTS_CHANNEL = "comptoir"  # table and version
SESSIONS_CHANNEL = "comptoir_ended"  # person and session that was ended
BOT_ANSWER_CHANNEL = "comptoir_answered"  # request and the bot's answer
BOT_REQUEST_CHANNEL = "comptoir_asked"  # tells bot workers that there is work
CHAT_CHANNEL = "comptoir_said"  # table and number of the message
MUTES_CHANNEL = "comptoir_muted"  # person who has muted someone, or no longer
PRESENCE_CHANNEL = "comptoir_here"  # who is at which table
# the name of each server's listener in pg_stat_activity: there is one per process
SERVER = "comptoir server"
FIRST_RECONNECT_SECONDS, MAX_RECONNECT_SECONDS = 0.1, 2.0  # the pause doubles
POLL_SECONDS = 0.5  # between two looks whether to close

logger = logging.getLogger(__name__)
Listener = Callable[[str, str], None]  # called with the first word of a text and the rest


class Channels:
    """Calls listeners, in a thread, when any process has sent something. SQLite serves one process."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._listeners: dict[str, Listener] = {}
        self._thread: ListenerThread | None = None

    def on(self, channel: str, listener: Listener) -> None:
        """What to call; with "" when messages may have been missed."""
        self._listeners[channel] = listener

    def listen(self, on_event: Callable[[str, int], None]) -> None:
        """From now on call `on_event(table, version)` when any process has written, and other listeners.

        After a lost connection it calls `on_event("", 0)`: anything may have changed.
        """
        self.on(EVENTS_CHANNEL, lambda table, version: on_event(table, int(version or 0)))
        if self._database.kind == "postgresql":
            with plain_errors(self._database.url):
                self._thread = ListenerThread(self._database.url, self._listeners)

    def connection(self) -> int | None:
        """Number of the connection that listens, from 1; None while there is none.

        SQLite serves one process, which misses nothing.
        """
        if self._database.kind == "sqlite":
            return 0
        return self._thread.connection if self._thread is not None else None

    def close(self) -> None:
        if self._thread is not None:
            self._thread.close()


def listening_connection(url: URL, *channels: str, name: str) -> psycopg.Connection:
    """A separate connection to PostgreSQL that listens."""
    import psycopg

    try:
        connection = psycopg.connect(
            autocommit=True, **(keepalives() | _parameters(url) | {"application_name": name})
        )
        try:
            for channel in channels:
                connection.execute(f"LISTEN {channel}")
        except psycopg.Error:
            connection.close()
            raise
    except psycopg.Error as error:
        raise OperationalError("LISTEN", None, error) from None
    return connection


def _parameters(url: URL) -> dict[str, Any]:
    """Libpq's parameters, one by one: in an address it would read a space of a password as a plus sign."""
    return url.translate_connect_args(username="user", database="dbname") | dict(url.query)


class ListenerThread:
    """A connection to PostgreSQL that only listens, and a thread that calls the listeners."""

    def __init__(self, url: URL, listeners: dict[str, Listener]) -> None:
        self._url, self._listeners = url, listeners
        self._closing = threading.Event()
        self._connection: psycopg.Connection | None = listening_connection(url, *listeners, name=SERVER)
        self._number = 1
        self._thread = threading.Thread(target=self._run, name="comptoir-listener", daemon=True)
        self._thread.start()

    @property
    def connection(self) -> int | None:
        """Number of the connection that listens now; None while there is none."""
        return self._number if self._connection is not None else None

    def close(self) -> None:
        self._closing.set()
        self._thread.join()

    def _run(self) -> None:
        wait = FIRST_RECONNECT_SECONDS
        while not self._closing.is_set():
            try:
                if self._connection is None:
                    self._reconnect()
                    wait = FIRST_RECONNECT_SECONDS
                self._receive()
            except Exception as error:
                logger.warning("lost the connection that listens: %s", type(error).__name__)
                self._drop()
                self._closing.wait(wait)
                wait = min(2 * wait, MAX_RECONNECT_SECONDS)
        self._drop()

    def _reconnect(self) -> None:
        connection = listening_connection(self._url, *self._listeners, name=SERVER)
        self._number += 1
        self._connection = connection
        for listener in self._listeners.values():
            listener("", "")

    def _receive(self) -> None:
        """Pass on what arrives, until it is time to look whether to close."""
        assert self._connection is not None
        for notification in self._connection.notifies(timeout=POLL_SECONDS):
            first, _, rest = notification.payload.partition(" ")
            self._listeners[notification.channel](first, rest)

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()
