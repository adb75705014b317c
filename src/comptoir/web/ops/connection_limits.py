"""The door: what uvicorn's own protocol lacks to stand on the open internet.

A connection has only so long to say what it wants and to take its answer, an address only so many
connections, and the server as many as it has room for. What a request says before its body is bounded before
it is parsed. `uvicorn.run(app, **uvicorn_settings())`.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections import Counter
from functools import cache
from http import HTTPStatus
from ipaddress import ip_address, ip_network
from typing import TYPE_CHECKING, Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from comptoir.engine.words import LANGUAGES
from comptoir.web.limits import (
    ADDRESS_CONNECTIONS,
    ANSWER_SECONDS,
    BODY_CHUNKS,
    CONNECTIONS,
    HEAD_BYTES,
    HEADER_BYTES,
    HEADERS,
    KEEP_ALIVE_SECONDS,
    MESSAGE_BYTES,
    PATH_BYTES,
    REQUEST_LINE_BYTES,
    REQUEST_SECONDS,
    SPARE_FILES,
)
from comptoir.web.ops import frames
from comptoir.web.ops.request_guard import address_of
from comptoir.web.page_words import page_words

if TYPE_CHECKING:
    from uvicorn.protocols.http.h11_impl import RequestResponseCycle

_connections: Counter[str] = Counter()  # of each address in this process; sockets are counted by the guard


PART = 4_096  # bytes that are parsed at a time: h11 looks at its limit only when it needs more
READING = (h11.IDLE, h11.SEND_BODY)  # a request
ANSWERING = (
    h11.DONE,
    h11.MIGHT_SWITCH_PROTOCOL,  # type: ignore[attr-defined]  # missing in its __all__
)  # a request, and another may come after it

_BLANK_LINE = re.compile(rb"\n\r?\n")


def uvicorn_settings() -> dict[str, Any]:
    """How uvicorn serves us, but for where: of `comptoir serve` and of tests that attack it."""
    return {
        "http": f"{__name__}:{LimitedH11Protocol.__name__}",
        "ws": f"{frames.__name__}:{frames.LimitedSocket.__name__}",
        "ws_max_size": MESSAGE_BYTES,
        # only what has changed is sent: that is short already, and squeezing it costs more than making it;
        # and what strangers have squeezed is not unpacked
        "ws_per_message_deflate": False,
        "ws_ping_interval": None,  # the page pings automatically, so that it knows when it is cut off
        "timeout_keep_alive": KEEP_ALIVE_SECONDS,
        "timeout_graceful_shutdown": 3,
        "log_config": None,
        "access_log": False,
        "server_header": False,
        "proxy_headers": False,  # the app believes those of proxies that are named, and no others
    }


class Requests(h11.Connection):
    """The requests of a connection, none of which may be longer than ours are.

    `status` says why one is refused: an error in the protocol, or too long.
    """

    def __init__(self) -> None:
        super().__init__(h11.SERVER, HEAD_BYTES)
        self.status, self._chunks = 400, 0

    def next_event(self) -> h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]:
        try:
            if self.their_state is h11.IDLE:
                self._bound_head()
            event = super().next_event()
            if isinstance(event, h11.Request):
                self._chunks = 0
                _check(event)
            elif isinstance(event, h11.Data) and event.chunk_start:
                self._chunks += 1
                _refuse_if(self._chunks > BODY_CHUNKS, 413)
        except h11.RemoteProtocolError as error:
            self.status = error.error_status_hint
            raise
        return event

    def _bound_head(self) -> None:
        """Before it is parsed: many short lines take long too."""
        told, _ = self.trailing_data
        line, end = told.find(b"\n"), _BLANK_LINE.search(told)
        _refuse_if((line if line >= 0 else len(told)) > REQUEST_LINE_BYTES, 414)
        length = end.start() if end else len(told)
        _refuse_if(length > HEAD_BYTES or told.count(b"\n", 0, length) > HEADERS, 431)


def _check(request: h11.Request) -> None:
    _refuse_if(len(request.target.partition(b"?")[0]) > PATH_BYTES, 414)
    _refuse_if(any(len(name) + len(value) > HEADER_BYTES for name, value in request.headers), 431)
    # two lengths of one body: a proxy might believe the other
    names = {name for name, _ in request.headers}
    _refuse_if(b"content-length" in names and b"transfer-encoding" in names, 400)


def _refuse_if(wrong: bool, status: int) -> None:
    if wrong:
        raise h11.RemoteProtocolError("refused", error_status_hint=status)


class LimitedH11Protocol(H11Protocol):
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
    _last_cycle: RequestResponseCycle | None = None

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.conn: Requests = Requests()
        self._arrived = bytearray()  # not given to h11 yet

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._address = address_of({"client": self.client})
        _connections[self._address] += 1
        if len(self.connections) > self.room:
            transport.abort()
        elif _connections[self._address] > self.each and not self._is_proxy():
            transport.write(_refusal(429, "guard.connections"))
            transport.close()
        else:
            self._await_request()

    def connection_lost(self, exc: Exception | None) -> None:
        self._leave()
        super().connection_lost(exc)

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
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
        self._arrived += data
        self._parse_on()

    def _parse_on(self) -> None:
        """Little by little, and not the next request before this one is answered."""
        if self._request_limit is None and self.conn.their_state in READING:
            self._await_request()
        while self._arrived and self._address and self.conn.their_state in READING:
            part = bytes(self._arrived[:PART])
            del self._arrived[:PART]
            super().data_received(part)
        if self.conn.their_state not in (*READING, *ANSWERING) or self.transport.is_closing():
            self._arrived.clear()
        if self._arrived:
            self.flow.pause_reading()
        # also of one that was answered before its body was read
        if self.cycle is not self._last_cycle and self.conn.their_state is not h11.SEND_BODY:
            self._cancel("_request_limit")

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._arrived:
            self._parse_on()

    def send_400_response(self, msg: str) -> None:
        """Cheaply, and whatever h11 thinks may be sent now."""
        cycle: RequestResponseCycle | None = self.cycle
        status, begun = self.conn.status, False
        if cycle is not None and not cycle.response_complete:  # it was the body that is wrong
            begun, cycle.disconnected = cycle.response_started, True
            cycle.message_event.set()
        if not begun:
            self.transport.write(_refusal(status, _WHY.get(status, "guard.malformed")))
        self.transport.close()

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


_WHY = {413: "guard.chunks", 414: "guard.address", 431: "guard.head"}


@cache
def _refusal(status: int, key: str) -> bytes:
    """An answer to a request that is not read: so it is said in every language."""
    said = "\n".join(page_words(None, lang).say(key) for lang in LANGUAGES).encode()
    lines = [
        f"HTTP/1.1 {status} {HTTPStatus(status).phrase}",
        "content-type: text/plain; charset=utf-8",
        f"content-length: {len(said)}",
        *(["retry-after: 10"] if status == 429 else []),
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
