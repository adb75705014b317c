"""Frames of a WebSocket are counted where they arrive, whatever they are; on a server in this process."""

from __future__ import annotations

import os
import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from typing import Any

import pytest
import uvicorn
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from comptoir.web.limits import MESSAGE_BYTES, MESSAGE_FRAGMENTS
from comptoir.web.ops.connection_limits import uvicorn_settings
from comptoir.web.ops.frames import FLOODING

PING, TEXT, CONTINUED, COMPRESSED, LAST = 0x9, 0x1, 0x0, 0x40, 0x80


async def echo(scope: Any, receive: Any, send: Any) -> None:
    """Sends every text back."""
    await receive()
    await send({"type": "websocket.accept"})
    while (message := await receive())["type"] == "websocket.receive":
        await send({"type": "websocket.send", "text": message.get("text") or ""})


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        config = uvicorn.Config(echo, lifespan="off", **uvicorn_settings())
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        end = time.monotonic() + 60
        while not server.started:
            assert time.monotonic() < end
            time.sleep(0.02)
        yield f"ws://127.0.0.1:{listening.getsockname()[1]}/"
        server.should_exit = True
        thread.join(30)


@pytest.fixture
def line(address: str) -> Iterator[ClientConnection]:
    with connect(address, compression=None, ping_interval=None, max_size=None) as line:
        yield line


def frame(kind: int, content: bytes = b"") -> bytes:
    """A frame as a client sends it, masked."""
    mask = os.urandom(4)
    masked = bytes(byte ^ mask[n % 4] for n, byte in enumerate(content))
    short = len(content) < 126
    length = bytes([0x80 | len(content)]) if short else bytes([0x80 | 126]) + struct.pack("!H", len(content))
    return bytes([kind]) + length + mask + masked


LONG = frame(LAST | TEXT, b"a" * 8_000)


def read_on(line: ClientConnection) -> None:
    while True:
        line.recv(timeout=30)


def closed_with(line: ClientConnection) -> int:
    """The code with which the server closes, after whatever else it sends."""
    with pytest.raises(ConnectionClosed) as closed:
        read_on(line)
    assert closed.value.rcvd is not None
    return closed.value.rcvd.code


def test_messages_pings_and_fragments_pass(line: ClientConnection) -> None:
    line.send("whole")
    assert line.recv(timeout=30) == "whole"
    assert line.ping().wait(30)
    line.send(["in ", "three ", "parts"])
    assert line.recv(timeout=30) == "in three parts"


def test_a_flood_of_pings_is_closed(line: ClientConnection) -> None:
    flood = frame(LAST | PING) * 20_000
    with suppress(OSError):  # the server may cut it while it still comes
        for _ in range(5):
            line.socket.sendall(flood)
    assert closed_with(line) == FLOODING


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (frame(TEXT, b"a") + frame(CONTINUED, b"a") * (MESSAGE_FRAGMENTS + 1), 1009),
        (frame(TEXT, b"a" * 125) + frame(CONTINUED, b"a" * 125) * 15 + frame(CONTINUED), 1009),
        (frame(LAST | COMPRESSED | TEXT, b"a"), 1002),
        (frame(LAST | TEXT, b"\xff"), 1007),
    ],
    ids=["fragments", "still more fragments", "compressed", "no UTF-8"],
)
def test_what_no_page_sends_is_closed(line: ClientConnection, sent: bytes, code: int) -> None:
    line.socket.sendall(sent)
    assert closed_with(line) == code


def test_a_message_that_is_too_long_is_closed(line: ClientConnection) -> None:
    line.send("a" * (MESSAGE_BYTES + 1))
    assert closed_with(line) == 1009


@pytest.mark.parametrize("sent", [frame(LAST | PING) * 120, LONG * 7], ids=["frames", "bytes"])
def test_an_address_that_sends_much_is_read_slowly(address: str, sent: bytes) -> None:
    """Each socket stays within its own limits, and all of them together do not."""
    with ExitStack() as stack:
        lines = [
            stack.enter_context(connect(address, compression=None, ping_interval=None)) for _ in range(12)
        ]
        began = time.monotonic()
        for line in lines:
            line.socket.sendall(sent)
        for line in lines:
            line.send("still heard")
            while line.recv(timeout=60) != "still heard":
                pass
        assert time.monotonic() - began > 0.4
