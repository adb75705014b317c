"""Bytes that are bounded where they arrive: heads, cookies, bodies and WebSocket frames, also in one read.

Each of these stopped the server for seconds before, from one connection and without a cookie.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import os
import struct
import time
import zlib
from collections.abc import Coroutine
from typing import Any

import pytest

from comptoir.web.limits import (
    ADDRESS_FRAME_RATE,
    BODY_CHUNKS,
    COOKIE_BYTES,
    FORM_BYTES,
    HEAD_BYTES,
    HEADER_BYTES,
    HEADERS,
    MESSAGE_BYTES,
    MESSAGE_FRAGMENTS,
    PATH_BYTES,
    REQUEST_LINE_BYTES,
)
from tests import real_time
from tests.attack.target import VISITOR, Target, attacker, form_token

STALLED = 3.0  # seconds that another visitor's smallest request may take while something is parsed, on a core of its own
FLOODING = 4429

TEXT, BINARY, CONTINUED, CLOSE, PING, PONG = 0x1, 0x2, 0x0, 0x8, 0x9, 0xA


def run(attack: Coroutine[Any, Any, None]) -> None:
    async def within() -> None:
        async with asyncio.timeout(300):
            await attack

    asyncio.run(within())


async def answer_to(target: Target, request: bytes, address: str) -> bytes:
    """All that is answered to those bytes, sent at once."""
    reader, writer = await asyncio.open_connection("127.0.0.1", target.port, local_addr=(address, 0))
    writer.write(request)
    said = b""
    with contextlib.suppress(ConnectionError):
        async with asyncio.timeout(60):
            while part := await reader.read(65_536):
                said += part
    writer.close()
    return said


async def unharmed(target: Target, attack: Coroutine[Any, Any, Any]) -> Any:
    """What the attack gives, if another address is answered all the while."""
    task = asyncio.create_task(attack)
    worst = 0.0
    async with target.client(VISITOR) as client:
        while True:
            done = task.done()
            watch = target.stopwatch()
            assert (await client.get("/health")).status_code == 200
            worst = max(worst, watch.seconds)
            if done:
                break
            await asyncio.sleep(0.05)
    assert worst < STALLED, f"another visitor waited for {worst:.1f} s"
    return task.result()


def get(path: str = "/", *headers: str) -> bytes:
    return "\r\n".join([f"GET {path} HTTP/1.1", "Host: here", "Connection: close", *headers, "", ""]).encode()


# Requests


@pytest.mark.parametrize("size", [15_000, 60_000, 200_000])
def test_a_cookie_of_backslashes(target: Target, size: int) -> None:
    """http.cookies takes 33 seconds for 60 KB of them on some Pythons."""
    cookie = 'Cookie: a="' + '\\"' * (size // 2) + '"'

    async def attack() -> None:
        said = await unharmed(target, answer_to(target, get("/", cookie), attacker(60)))
        assert said.split()[1] == b"431"

    run(attack())


def test_a_cookie_that_is_just_not_too_long(target: Target) -> None:
    """Again and again, on one connection: it is not unquoted at all, else the page would be in French."""
    cookie = 'a="' + '\\"' * (COOKIE_BYTES // 2 - 20) + '"; lang="\\146\\162"'
    headers = {"Cookie": cookie, "Accept-Language": "en"}

    async def attack() -> None:
        async with target.client(attacker(61)) as client:
            for _ in range(30):
                answer = await client.get("/about", headers=headers)
                assert answer.status_code == 200
                assert '<html lang="en"' in answer.text

    run(unharmed(target, attack()))


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (get("/" + "x" * PATH_BYTES), b"414"),
        (get("/static/" + "../" * 20_000), b"414"),
        (get("/static/" + "../" * (PATH_BYTES // 3 - 10)), b"404"),
        (get("/about?" + "%" * REQUEST_LINE_BYTES), b"414"),
        (get("/about", "X: " + "x" * HEADER_BYTES), b"431"),
        (get("/about", *[f"X-{n}: {'x' * 5_000}" for n in range(HEAD_BYTES // 5_000 + 1)]), b"431"),
        (get("/about", *["X:"] * HEADERS), b"431"),
        (get("/about", *["X:"] * 60_000), b"431"),
        (get("/about", "X: " + "x" * 250_000), b"431"),
        (b"GET " + b"x" * 250_000, b"414"),
        (get("/about", "X: 1\r\n" + " folded" * 2_000), b"431"),
        (get("/about", *["X:"] * (HEADERS - 10)), b"200"),
    ],
    ids=[
        "long path", "20,000 times up", "as often up as a path may", "long query", "long header",
        "long headers", "many headers", "60,000 headers", "250 KB in one header", "250 KB without an end",
        "a folded header", "headers within the limit",
    ],
)  # fmt: skip
def test_heads_are_bounded_before_they_are_parsed(target: Target, request_: bytes, status: bytes) -> None:
    async def attack() -> None:
        said = await unharmed(target, answer_to(target, request_, attacker(62)))
        assert said.split()[1] == status
        if status != b"404":
            assert len(said) < 30_000

    run(attack())


def test_the_next_request_on_a_line_is_bounded_too(target: Target) -> None:
    """What was sent behind a request is not parsed before that one is answered, and then as carefully."""
    first = b"GET /health HTTP/1.1\r\nHost: here\r\n\r\n"

    async def attack() -> None:
        for second in (get("/health", *["X:"] * 60_000), get("/health", "X: " + "x" * 200_000)):
            said = await unharmed(target, answer_to(target, first + second, attacker(63)))
            assert said.startswith(b"HTTP/1.1 200")
            assert said.count(b"HTTP/1.1 431") == 1
        said = await answer_to(target, first * 20 + get("/health"), attacker(63))
        assert said.count(b"HTTP/1.1 200") == 21

    run(attack())


def post(path: str, *headers: str, body: bytes = b"") -> bytes:
    lines = [
        f"POST {path} HTTP/1.1",
        "Host: here",
        "Origin: http://here",
        "Connection: close",
        *headers,
        "",
        "",
    ]
    return "\r\n".join(lines).encode() + body


def test_a_request_with_two_lengths_is_refused(target: Target) -> None:
    """A proxy might believe the other of them."""
    chunked = b"5\r\na=b&c\r\n0\r\n\r\n"

    async def attack() -> None:
        for headers in (
            ("Content-Length: 5", "Transfer-Encoding: chunked"),
            ("Transfer-Encoding: chunked", "Content-Length: 14"),
            ("Content-Length: 5", "Content-Length: 6"),
        ):
            said = await answer_to(target, post("/me", *headers, body=chunked), attacker(64))
            assert said.startswith(b"HTTP/1.1 400")
            assert said.count(b"HTTP/1.1") == 1

    run(attack())


def test_a_body_in_many_pieces_is_refused(target: Target) -> None:
    """Each is parsed by itself: 250 KB of them took a second. Also trailers after it."""
    form = "Content-Type: application/x-www-form-urlencoded"
    bodies = {
        b"1\r\na\r\n" * 40_000 + b"0\r\n\r\n": (b"413", b"403"),
        b"1\r\na\r\n" * (BODY_CHUNKS + 1) + b"0\r\n\r\n": (b"413",),  # short enough for a form
        b"1\r\na\r\n0\r\n" + b"X:\r\n" * 60_000 + b"\r\n": (b"413", b"431", b"403"),
    }

    async def attack() -> None:
        for body, statuses in bodies.items():
            request = post("/me", "Transfer-Encoding: chunked", form, body=body)
            said = await unharmed(target, answer_to(target, request, attacker(65)))
            assert said.split()[1] in statuses

    run(attack())


# Forms


@pytest.mark.parametrize("valid", [False, True])
def test_forms_of_percent_signs(target: Target, valid: bool) -> None:
    """Over four connections, with a good token and without one; each of 250 KB took a quarter of a second."""
    signs = b"%41" if valid else b"%"
    address = attacker(66 + valid)
    kind = {"Content-Type": "application/x-www-form-urlencoded"}

    async def attack() -> None:
        async with target.client(address) as client:
            token = await form_token(client)
            long = signs * (250_000 // len(signs))
            fitting = f"token={token}&name=".encode()
            fitting += signs * ((FORM_BYTES - len(fitting)) // len(signs))
            for body, expected in (
                (long, {413}),
                (fitting, {413} if valid else {400}),
                (fitting[60:], {403}),
            ):
                sent = (client.post("/me", content=body, headers=kind) for _ in range(4))
                assert {answer.status_code for answer in await asyncio.gather(*sent)} == expected

    run(unharmed(target, attack()))


def test_bodies_that_are_no_forms(target: Target) -> None:
    async def attack() -> None:
        async with target.client(attacker(68)) as client:
            for kind in ("text/plain", "application/json", "application/zip"):
                sent = await client.post("/me", content=b"x" * 10_000, headers={"Content-Type": kind})
                assert sent.status_code == 415
            sent = await client.post("/me", files={"file": ("a", b"x" * 20_000)})
            assert sent.status_code == 413, "there is no file in that form"

    run(attack())


# Sockets


class Socket:
    """A WebSocket that says what it likes."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, head: bytes) -> None:
        self.reader, self.writer, self.head = reader, writer, head

    @classmethod
    async def open(cls, target: Target, address: str, *headers: str) -> Socket:
        async with target.client(address) as client:
            made = await client.post("/api/tables", json={"game": "marco_polo", "seats": ["me", "free"]})
        id = made.json()["id"]
        reader, writer = await asyncio.open_connection("127.0.0.1", target.port, local_addr=(address, 0))
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [
            f"GET /tables/{id}/socket HTTP/1.1", "Host: here", "Origin: http://here", "Connection: Upgrade",
            "Upgrade: websocket", "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {key}", *headers, "", "",
        ]  # fmt: skip
        writer.write("\r\n".join(lines).encode())
        head = await reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 101"), head
        return cls(reader, writer, head)

    def send(self, *frames: bytes) -> None:
        self.writer.write(b"".join(frames))

    async def next(self) -> tuple[int, bytes]:
        """The kind of the next frame, and what is in it."""
        first, second = await self.reader.readexactly(2)
        length = second & 127
        if length == 126:
            (length,) = struct.unpack("!H", await self.reader.readexactly(2))
        elif length == 127:
            (length,) = struct.unpack("!Q", await self.reader.readexactly(8))
        return first & 15, await self.reader.readexactly(length)

    async def closed(self) -> int:
        """Why it was closed."""
        async with asyncio.timeout(60):
            while True:
                kind, data = await self.next()
                if kind == CLOSE:
                    return int(struct.unpack("!H", data[:2])[0])


def frame(kind: int, data: bytes = b"", *, last: bool = True, compressed: bool = False) -> bytes:
    """As clients send it, masked with zeros."""
    short = len(data) < 126
    length = bytes([128 | len(data)]) if short else bytes([128 | 126]) + struct.pack("!H", len(data))
    return bytes([kind | 128 * last | 64 * compressed]) + length + bytes(4) + data


FEATURES = frame(TEXT, last=False) + frame(CONTINUED, b"x", last=False) * (MESSAGE_FRAGMENTS - 2)
FLOODS = {
    "pings": frame(PING),
    "pongs": frame(PONG),
    "long pings": frame(PING, b"x" * 125),
    "empty messages": frame(TEXT),
    "fragmented messages": FEATURES + frame(CONTINUED),
    "pings between fragments": frame(TEXT, last=False) + frame(PING) * 20 + frame(CONTINUED),
    "long messages": frame(TEXT, b"x" * 8_000),
}


@pytest.mark.parametrize("at_once", [False, True], ids=["little by little", "at once"])
@pytest.mark.parametrize("kind", FLOODS)
def test_floods_of_frames_are_cut_off(target: Target, kind: str, at_once: bool) -> None:
    """5 MB of pings in four seconds stopped the server for eight. Without a cookie."""
    flood = FLOODS[kind]
    size = 5_000_000 if at_once else 3_000

    async def attack() -> None:
        socket = await Socket.open(target, attacker(70 + list(FLOODS).index(kind)))
        closing = asyncio.create_task(socket.closed())
        with contextlib.suppress(ConnectionError):
            while not closing.done():
                socket.send(flood * (size // len(flood) + 1))
                await asyncio.wait([closing], timeout=0.05)
                if at_once:
                    await asyncio.wait([closing, asyncio.create_task(socket.writer.drain())], timeout=60)
        assert await closing == FLOODING
        socket.writer.close()

    with target.visited() as visit:
        run(unharmed(target, attack()))
    visit.bearable()


def test_many_sockets_of_one_address_share_what_it_may_send(target: Target) -> None:
    """Each of them alone may send a fifth of it at once."""
    address = attacker(80)

    async def flood(socket: Socket) -> None:
        with contextlib.suppress(ConnectionError):
            for _ in range(100):
                socket.send(frame(PING) * 200)
                await asyncio.sleep(0.05)

    async def pongs(socket: Socket) -> int:
        found = 0
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            while True:
                found += (await socket.next())[0] == PONG
        return found

    async def attack() -> None:
        sockets = [await Socket.open(target, address) for _ in range(14)]
        began = time.monotonic()
        counting = [asyncio.create_task(pongs(socket)) for socket in sockets]
        await asyncio.gather(*(flood(socket) for socket in sockets))
        for socket in sockets:
            socket.writer.transport.abort()
        answered = sum(await asyncio.gather(*counting))
        most = ADDRESS_FRAME_RATE.burst + ADDRESS_FRAME_RATE.rate * (time.monotonic() - began)
        assert 0 < answered < most + 100  # what is parsed at a time may be a little more

    with target.visited() as visit:
        run(unharmed(target, attack()))
    visit.bearable()


@pytest.mark.parametrize(
    ("frames", "code"),
    [
        (frame(TEXT, b"x" * (MESSAGE_BYTES + 1)), 1009),
        (frame(BINARY, b"x" * 60_000), 1009),
        (frame(TEXT, b"x" * 5_000, last=False) + frame(CONTINUED, b"x" * 5_000), 1009),
        (frame(TEXT, last=False) + frame(CONTINUED, last=False) * MESSAGE_FRAGMENTS, 1009),
        (frame(TEXT, zlib.compress(b"x" * 8_000_000)[2:-4][:8_000], compressed=True), 1002),
        (frame(PING, b"x" * 126), 1002),
        (frame(PING, b"x", last=False), 1002),
        (frame(CONTINUED, b"x"), 1002),
        (frame(0x3), 1002),
        (b"\x81\x05hello", 1002),
        (frame(TEXT, b"\xff\xfe"), 1007),
        (frame(TEXT, b"\xc3", last=False) + frame(CONTINUED, b"\x28"), 1007),
        (frame(BINARY, b"x"), 4400),
    ],
    ids=[
        "long message", "very long message", "long fragments", "many empty fragments", "compressed",
        "long ping", "fragmented ping", "continues nothing", "unknown kind", "not masked", "no UTF-8",
        "no UTF-8 in fragments", "binary",
    ],
)  # fmt: skip
def test_frames_that_are_not_taken(target: Target, frames: bytes, code: int) -> None:
    async def attack() -> None:
        socket = await Socket.open(target, attacker(81))
        socket.send(frames)
        assert await socket.closed() == code
        socket.writer.close()

    run(unharmed(target, attack()))


def test_what_clients_may_send_is_answered(target: Target) -> None:
    """Pings, a message in fragments with a ping between them; compression is offered, and not taken up."""

    async def attack() -> None:
        offer = "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits"
        socket = await Socket.open(target, attacker(82), offer)
        assert b"permessage-deflate" not in socket.head.lower()
        socket.send(frame(PING, b"one"))
        socket.send(frame(TEXT, b'{"type":', last=False), frame(PING, b"two"), frame(CONTINUED, b'"ping"}'))
        heard = [await socket.next() for _ in range(4)]
        assert [data for kind, data in heard if kind == PONG] == [b"one", b"two"]
        while (TEXT, b'{"pong":1}') not in heard:
            heard.append(await socket.next())
        for n in range(100):  # more than a page ever sends at once, over and over for a while
            socket.send(frame(PING, b"%d" % n))
            if n % 20 == 0:
                await real_time.elapse(0.3)
        pongs = 0
        while pongs < 100:
            pongs += (await socket.next())[0] == PONG
        socket.send(frame(CLOSE, struct.pack("!H", 1000)))
        assert await socket.closed() == 1000
        socket.writer.close()

    run(attack())


def test_nothing_of_this_is_in_the_log(target: Target) -> None:
    """Anyone can send nonsense: a line for each would fill the disk."""
    assert "Invalid HTTP request" not in target.log.read_text()
    assert target.failures() == []
