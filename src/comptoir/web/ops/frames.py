"""WebSocket frames, counted where they arrive: text, pings, pongs, fragments, and whatever else.

A socket that sends too much is first read more slowly, so that the sender has to wait; if it goes on like
that it is closed with FLOODING. Pings are answered, as the protocol asks, and count as every frame does; we
send none, because the page sends messages of its own. Compression is not negotiated, so a compressed frame is
a protocol error (1002). A message is at most MESSAGE_BYTES, in at most MESSAGE_FRAGMENTS (1009 beyond it).
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any

from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.exceptions import InvalidState
from websockets.frames import CloseCode, Frame

from comptoir.web.limits import (
    ADDRESS_BYTE_RATE,
    ADDRESS_FRAME_RATE,
    MESSAGE_FRAGMENTS,
    SOCKET_BYTE_RATE,
    SOCKET_FRAME_RATE,
    SOCKET_PAUSE_RATE,
    SOCKET_PAUSE_SECONDS,
)
from comptoir.web.ops.request_guard import TokenBucket, TokenBuckets, address_of

if TYPE_CHECKING:
    from uvicorn._types import ASGIReceiveEvent, ASGISendEvent

FLOODING = 4429  # why a socket was closed
PART = 512  # bytes that are parsed before frames are counted: at most 85 frames of six bytes
FAREWELL = 2.0  # seconds for a client that was cut off to read why

_frames, _bytes = TokenBuckets(*ADDRESS_FRAME_RATE), TokenBuckets(*ADDRESS_BYTE_RATE)  # of each address


class LimitedSocket(WebSocketsSansIOProtocol):
    """One WebSocket. uvicorn's own parses all that arrives at once, however much that is."""

    limited = True  # whether rates are limited

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self._arrived = bytearray()  # not parsed yet
        self._frames, self._bytes = TokenBucket(*SOCKET_FRAME_RATE), TokenBucket(*SOCKET_BYTE_RATE)
        self._pauses = TokenBucket(*SOCKET_PAUSE_RATE)
        self._pause: asyncio.TimerHandle | None = None

    def data_received(self, data: bytes) -> None:
        if not self.handshake_initiated:  # the request, which the door has bounded
            super().data_received(data)
            return
        self._arrived += data
        if self.limited and len(self._arrived) > SOCKET_BYTE_RATE.burst:
            self._cut_off(FLOODING)
        else:
            self._parse_on()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._pause is not None:
            self._pause.cancel()
        super().connection_lost(exc)

    # Reading no faster than we want to

    def _parse_on(self) -> None:
        """Parse what has arrived, unless the app is behind or the sender must wait; then read on."""
        if self._pause is not None:
            self.transport.pause_reading()
            return
        while self._arrived and self.handshake_complete and not self.read_paused:
            if self.transport.is_closing():
                self._arrived.clear()
                return
            if self.limited and self._must_wait():
                return
            part = bytes(self._arrived[:PART])
            del self._arrived[:PART]
            self._bytes.charge(len(part))
            _bytes.charge(self._address, len(part))
            super().data_received(part)
        if self._arrived or self.read_paused:
            self.transport.pause_reading()
        else:
            self.transport.resume_reading()

    def handle_events(self) -> None:
        if self.handshake_initiated:
            self._frames.charge(len(self.conn.events))
            _frames.charge(self._address, len(self.conn.events))
        super().handle_events()

    @property
    def _address(self) -> str:
        """Whose socket it is; behind a proxy, the app has put the real address into the scope."""
        return address_of({"client": self.scope["client"]})

    def _must_wait(self) -> bool:
        """Pause if this socket or its address has sent too much. A socket that does so itself, again and
        again, is cut off.
        """
        own = max(self._frames.wait(), self._bytes.wait())
        if own and not self._pauses.take():
            self._cut_off(FLOODING)
            return True
        wait = max(own, _frames.left(self._address), _bytes.left(self._address))
        if wait:
            self.transport.pause_reading()
            self._pause = self.loop.call_later(max(wait, SOCKET_PAUSE_SECONDS), self._end_pause)
        return wait > 0

    def _end_pause(self) -> None:
        self._pause = None
        self._parse_on()

    async def receive(self) -> ASGIReceiveEvent:
        """What the app gets next. Reading goes on once it has all."""
        self._parse_on()
        message = await self.queue.get()
        if self.queue.empty():
            self.read_paused = False
            self._parse_on()
        return message

    # What is not taken at all

    def handle_cont(self, event: Frame) -> None:
        if len(self.frames) >= MESSAGE_FRAGMENTS:
            self._cut_off(CloseCode.MESSAGE_TOO_BIG)
        else:
            super().handle_cont(event)

    def send_receive_event_to_app(self) -> None:
        if self.curr_msg_data_type == "text" and not _is_text(b"".join(self.frames)):
            self._cut_off(CloseCode.INVALID_DATA)  # uvicorn would log a stack trace for each
        else:
            super().send_receive_event_to_app()

    def _cut_off(self, code: int) -> None:
        """Say why, read nothing more, and close: at once, if that was said before."""
        self._arrived.clear()
        self.frames = []
        self.transport.pause_reading()
        if self.close_sent or not self.handshake_complete:
            self.transport.abort()
            return
        self.close_sent = True
        self.queue.put_nowait({"type": "websocket.disconnect", "code": code, "reason": ""})
        with contextlib.suppress(InvalidState):
            self.conn.send_close(code)
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.close_timer = self.loop.call_later(FAREWELL, self.transport.abort)

    async def send(self, message: ASGISendEvent) -> None:
        if self.close_sent and self.handshake_complete:
            raise ClientDisconnected  # we have cut it off, and the app does not know yet
        await super().send(message)


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
