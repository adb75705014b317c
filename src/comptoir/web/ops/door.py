"""The door: what uvicorn's own protocol lacks to stand on the open internet.

A connection has only so long to say what it wants and to take its answer, an address only so many
connections, and the server as many as it has room for. `uvicorn.run(http="comptoir.web.ops.door:Door")`.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from ipaddress import ip_address, ip_network
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from comptoir.engine.words import LANGUAGES
from comptoir.web.limits import (
    ADDRESS_CONNECTIONS,
    ANSWER_SECONDS,
    CONNECTIONS,
    REQUEST_SECONDS,
    SPARE_FILES,
)
from comptoir.web.ops.guard import address_of
from comptoir.web.words import page_words

_connections: Counter[str] = Counter()  # of each address in this process; sockets are counted by the guard


class Door(H11Protocol):
    """One connection, until it becomes a socket."""

    request_seconds, answer_seconds, each, room = (
        REQUEST_SECONDS,
        ANSWER_SECONDS,
        ADDRESS_CONNECTIONS,
        CONNECTIONS,
    )
    proxies: tuple[str, ...] = ()  # behind whose addresses there are many people

    _address = ""
    _request_limit: asyncio.TimerHandle | None = None
    _answer_limit: asyncio.TimerHandle | None = None
    _last_cycle: Any = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._address = address_of({"client": self.client})
        _connections[self._address] += 1
        if len(self.connections) > self.room:
            transport.abort()
        elif _connections[self._address] > self.each and not self._is_proxy():
            transport.write(_refusal())
            transport.close()
        else:
            self._await_request()

    def connection_lost(self, exc: Exception | None) -> None:
        self._leave()
        super().connection_lost(exc)

    def handle_websocket_upgrade(self, event: Any) -> None:
        self._leave()
        super().handle_websocket_upgrade(event)

    def _leave(self) -> None:
        """It is gone, or a socket from now on: sockets have limits of their own."""
        self._cancel("_request_limit")
        self._cancel("_answer_limit")
        if self._address:
            _connections[self._address] -= 1
            if not _connections[self._address]:
                del _connections[self._address]
        self._address = ""

    def _is_proxy(self) -> bool:
        with contextlib.suppress(ValueError):
            host = ip_address(self.client[0] if self.client else "")
            return any(host in ip_network(proxy) for proxy in self.proxies)
        return False

    # A request must arrive in time, whole

    def data_received(self, data: bytes) -> None:
        if self._request_limit is None:
            self._await_request()
        super().data_received(data)
        if self.cycle is not self._last_cycle and not self.cycle.more_body:
            self._cancel("_request_limit")

    def _await_request(self) -> None:
        self._last_cycle = self.cycle
        self._request_limit = self.loop.call_later(self.request_seconds, self._give_up)

    # and its answer must be taken in time

    def pause_writing(self) -> None:
        super().pause_writing()
        self._cancel("_answer_limit")
        self._answer_limit = self.loop.call_later(self.answer_seconds, self._give_up)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._cancel("_answer_limit")

    def _give_up(self) -> None:
        self.transport.abort()

    def _cancel(self, limit: str) -> None:
        handle: asyncio.TimerHandle | None = getattr(self, limit)
        if handle is not None:
            handle.cancel()
            setattr(self, limit, None)


def _refusal() -> bytes:
    """An answer to a request that is not read: so it is said in every language."""
    said = "\n".join(page_words(None, lang).say("guard.connections") for lang in LANGUAGES).encode()
    lines = [
        "HTTP/1.1 429 Too Many Requests",
        "content-type: text/plain; charset=utf-8",
        f"content-length: {len(said)}",
        "retry-after: 10",
        "connection: close",
    ]
    return "\r\n".join([*lines, "", ""]).encode() + said


def make_room() -> int:
    """As many connections as this process may have: it is given the files for them where it may take them."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return CONNECTIONS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = CONNECTIONS + SPARE_FILES
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    files = CONNECTIONS + SPARE_FILES if soft == resource.RLIM_INFINITY else soft
    return max(min(CONNECTIONS, files - SPARE_FILES), files // 2)
