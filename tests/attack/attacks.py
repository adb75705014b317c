"""Attacks that a stranger can make, as small functions: `bench/attacks.py` runs them all, tests some.

Each is an async generator. Up to its first `yield` it prepares (tables, cookies, matches); then it attacks for
the given seconds at most, tidies up, and yields a line that says what came of it; it is not asked for more.

    attack = ATTACKS["ping flood"].run(target, 5.0)
    await anext(attack)
    with target.visited() as visit:
        print(await anext(attack))
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import re
import secrets
import time
from base64 import urlsafe_b64encode
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

import httpx
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException
from websockets.typing import Origin

from comptoir.engine.game import get_game
from comptoir.engine.match import Match
from comptoir.web.domain import decide
from comptoir.web.domain.clock import Instant
from comptoir.web.domain.evolve import evolve, from_events
from comptoir.web.domain.people import COOKIE, IdentityTokens
from comptoir.web.domain.player_results import ended_by
from comptoir.web.domain.refusals import Refused
from comptoir.web.domain.state import Event, TableSettings
from comptoir.web.storage.event_store import PendingWrite
from comptoir.web.storage.store import Store
from tests import real_time
from tests.attack.target import Target, attacker, form_token
from tests.attack.test_floods import COMPONENTS, bring, long_match
from tests.web.fakes import text_of

Running = AsyncGenerator[str, None]
BROKEN = (httpx.HTTPError, OSError, EOFError, TimeoutError, WebSocketException, ValueError)
PING, CLOSE = b"\x89\x80\0\0\0\0", 0x88
FIRST_FRAGMENT, FRAGMENT = b"\x01\x81\0\0\0\0x", b"\x00\x81\0\0\0\0x"


@dataclass(frozen=True)
class Attack:
    """One way to trouble others; `finding` is where it was first described."""

    name: str
    finding: str
    run: Callable[[Target, float], Running]
    heavy: bool = False  # it may leave an unfixed server busy for a minute afterwards


ATTACKS: dict[str, Attack] = {}


def attack(
    name: str, finding: str, *, heavy: bool = False
) -> Callable[[Callable[[Target, float], Running]], Callable[[Target, float], Running]]:
    def note(run: Callable[[Target, float], Running]) -> Callable[[Target, float], Running]:
        ATTACKS[name] = Attack(name, finding, run, heavy)
        return run

    return note


# What attacks are made of


async def repeat(seconds: float, work: Callable[[], Awaitable[object]], lines: int = 1) -> str:
    """Does it again and again, on several lines at once, and counts what came back."""
    counts: Counter[str] = Counter()
    end = time.monotonic() + seconds

    async def one() -> None:
        while time.monotonic() < end:
            try:
                async with asyncio.timeout(end - time.monotonic() + 0.01):
                    counts[str(await work())] += 1
            except TimeoutError:
                counts["unanswered at the end"] += 1
            except BROKEN as error:
                counts[type(error).__name__] += 1
                await asyncio.sleep(0.05)

    await asyncio.gather(*(one() for _ in range(lines)))
    return told(counts)


def on_all(target: Target) -> int:
    """Connections that are likely to reach every process of a server: the visitor is at one of them."""
    return 1 if target.processes == 1 else 3 * target.processes


def told(counts: Counter[str]) -> str:
    return ", ".join(f"{count} × {what}" for what, count in counts.most_common(4)) or "nothing"


class Raw:
    """An HTTP connection on which anything can be sent, in one piece."""

    def __init__(self, target: Target, address: str) -> None:
        self.target, self.address = target, address
        self._line: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, text: bytes) -> int:
        """The status of the answer."""
        try:
            if self._line is None:
                self._line = await asyncio.open_connection(
                    "127.0.0.1", self.target.port, local_addr=(self.address, 0)
                )
            reader, writer = self._line
            writer.write(text)
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
            length = re.search(r"content-length: (\d+)", head)
            if length is not None and "connection: close" not in head:
                await reader.readexactly(int(length[1]))
            else:
                self.close()
            return int(head.split()[1])
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        if self._line is not None:
            self._line[1].close()
            self._line = None


def request(method: str, path: str, body: bytes = b"", **headers: str) -> bytes:
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    if body:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode() + body


async def make(client: httpx.AsyncClient, game: str, *seats: str, **wishes: Any) -> str:
    made = await client.post("/api/tables", json={"game": game, "seats": list(seats), **wishes})
    made.raise_for_status()
    return str(made.json()["id"])


def cookie_of(client: httpx.AsyncClient) -> str:
    return "; ".join(f"{key}={value}" for key, value in client.cookies.items())


def socket_of(target: Target, id: str, cookie: str, address: str, **settings: Any) -> connect:
    return connect(
        f"{target.url.replace('http', 'ws', 1)}/tables/{id}/socket",
        additional_headers={"Cookie": cookie} if cookie else {},
        origin=Origin(target.url),
        local_addr=(address, 0),
        **{"max_size": None, "ping_interval": None, "close_timeout": 1} | settings,
    )


@asynccontextmanager
async def people(target: Target, *addresses: str) -> AsyncIterator[list[httpx.AsyncClient]]:
    async with AsyncExitStack() as stack:
        yield [await stack.enter_async_context(target.client(one, timeout=30.0)) for one in addresses]


async def sit_down(client: httpx.AsyncClient, id: str, seat: int, *then: str) -> str:
    """Takes a seat by the form; the token that forms of this person carry."""
    token = await form_token(client)
    fields = {"token": token, "seat": str(seat), "name": "Eve"}
    for what in ("sit", *then):
        await client.post(f"/tables/{id}/{what}", data=fields)
    return token


async def state(client: httpx.AsyncClient, id: str) -> dict[str, Any]:
    found = await client.get(f"/api/tables/{id}")
    found.raise_for_status()
    return dict(found.json())


# Bytes that arrive


async def _cookies(target: Target, seconds: float, size: int, lines: int) -> Running:
    address = attacker(800)
    text = request("GET", "/", Cookie='a="' + '\\"' * (size // 2) + '"')
    wires = [Raw(target, address) for _ in range(lines)]
    yield ""
    free = list(wires)

    async def ask() -> int:
        wire = free.pop()
        try:
            return await wire.ask(text)
        finally:
            free.append(wire)

    said = await repeat(seconds, ask, lines)
    for wire in wires:
        wire.close()
    yield said


@attack("cookie of backslashes, 15 KB", "attack 1", heavy=True)
def cookies_15(target: Target, seconds: float) -> Running:
    return _cookies(target, seconds, 15_000, on_all(target))


@attack("cookie of backslashes, 60 KB", "attack 1", heavy=True)
def cookies_60(target: Target, seconds: float) -> Running:
    return _cookies(target, seconds, 60_000, on_all(target))


async def _frames(target: Target, seconds: float, sockets: int, first: bytes, frame: bytes) -> Running:
    """Sends frames as fast as they are taken; a socket that is cut off is opened again."""
    address = attacker(802)
    async with target.client(address) as client:
        id = await make(client, "batavia", "me", "me", "me")
    yield ""
    counts: Counter[str] = Counter()
    sent = 0

    async def one() -> str:
        nonlocal sent
        reader, writer = await asyncio.open_connection(
            "127.0.0.1", target.port, local_addr=(address, 0), limit=2**22
        )
        try:
            key = urlsafe_b64encode(os.urandom(16)).decode().replace("-", "+").replace("_", "/")
            upgrade = {"Upgrade": "websocket", "Connection": "Upgrade", "Origin": target.url}
            upgrade |= {"Sec_WebSocket_Version": "13", "Sec_WebSocket_Key": key}
            writer.write(
                request("GET", f"/tables/{id}/socket", b"", **upgrade).replace(
                    b"Host: 127.0.0.1", f"Host: 127.0.0.1:{target.port}".encode()
                )
            )
            head = await reader.readuntil(b"\r\n\r\n")
            if b" 101 " not in head:
                return head.split()[1].decode()
            hearing = asyncio.create_task(_until_closed(reader))
            chunk = first + frame * 2_000
            while not hearing.done():
                writer.write(chunk)
                await writer.drain()
                sent += 2_000
                chunk = frame * 2_000
            return f"closed with {await hearing}"
        finally:
            writer.close()

    said = await repeat(seconds, one, sockets)
    counts["frames"] = sent
    yield f"{told(counts)}; {said}"


async def _until_closed(reader: asyncio.StreamReader) -> int:
    """Reads frames until the one that closes; its code, 0 if there was none."""
    with contextlib.suppress(*BROKEN):
        while True:
            kind, length = await reader.readexactly(2)
            if length == 126:
                length = int.from_bytes(await reader.readexactly(2), "big")
            elif length == 127:
                length = int.from_bytes(await reader.readexactly(8), "big")
            content = await reader.readexactly(length)
            if kind == CLOSE:
                return int.from_bytes(content[:2], "big")
    return 0


@attack("ping flood, 1 socket", "attack 2", heavy=True)
def pings_1(target: Target, seconds: float) -> Running:
    return _frames(target, min(seconds, 4.0), on_all(target), b"", PING)


@attack("ping flood, 8 sockets", "attack 2", heavy=True)
def pings_8(target: Target, seconds: float) -> Running:
    return _frames(target, min(seconds, 4.0), 8, b"", PING)


@attack("fragments without end, 4 sockets", "attack 2", heavy=True)
def fragments(target: Target, seconds: float) -> Running:
    return _frames(target, min(seconds, 4.0), 4, FIRST_FRAGMENT, FRAGMENT)


@attack("large messages", "try it now", heavy=True)
async def large_messages(target: Target, seconds: float) -> Running:
    """Twice what a message may be, then just below it, as nonsense."""
    address = attacker(803)
    async with target.client(address) as client:
        id = await make(client, "batavia", "me", "me", "me")
        cookie = cookie_of(client)
    yield ""

    async def one() -> str:
        async with socket_of(target, id, cookie, address, compression=None) as line:
            with contextlib.suppress(WebSocketException):
                for _ in range(200):
                    await line.send("[" * 8_000)
                await line.send("x" * 16_384)
            await _drain(line)
            return f"closed with {line.close_code}"

    yield await repeat(seconds, one, 4)


@attack("compressed messages", "try it now", heavy=True)
async def compressed_messages(target: Target, seconds: float) -> Running:
    """A frame marked as compressed, which nobody has agreed on, and an offer to compress."""
    address = attacker(804)
    async with target.client(address) as client:
        id = await make(client, "batavia", "me", "me", "me")
        cookie = cookie_of(client)
    yield ""

    async def one() -> str:
        async with socket_of(target, id, cookie, address, compression="deflate") as line:
            agreed = bool(line.protocol.extensions)
            with contextlib.suppress(WebSocketException):
                if not agreed:
                    line.transport.write(b"\xc1\xfe\x04\x00\0\0\0\0" + b"x" * 1_024)
                else:
                    await line.send(" " * 1_000_000)
                async for _ in line:
                    pass
            return f"{'agreed' if agreed else 'not agreed'}, closed with {line.close_code}"

    yield await repeat(seconds, one, 4)


async def _forms(target: Target, seconds: float, size: int, lines: int) -> Running:
    address, body = attacker(805), b"%" * size
    yield ""
    async with target.client(address) as client:
        headers = {"Content-Type": "application/x-www-form-urlencoded"}

        async def post() -> int:
            return (await client.post("/me", content=body, headers=headers)).status_code

        yield await repeat(seconds, post, lines)


@attack("forms of %, 250 KB × 4", "attack 3")
def forms_250(target: Target, seconds: float) -> Running:
    return _forms(target, seconds, 250_000, 4)


@attack("forms of %, 60 KB × 2", "attack 3")
def forms_60(target: Target, seconds: float) -> Running:
    return _forms(target, seconds, 60_000, 2)


@attack("static path of 20,000 × ../", "attack 3")
async def static_dots(target: Target, seconds: float) -> Running:
    text, wire = request("GET", "/static/" + "../" * 20_000), Raw(target, attacker(806))
    yield ""
    said = await repeat(seconds, lambda: wire.ask(text))
    wire.close()
    yield said


@attack("JSON that is deep or wide", "first review")
async def json_bombs(target: Target, seconds: float) -> Running:
    bodies = ["[" * 8_000 + "]" * 8_000, '{"a":' * 2_500 + "1" + "}" * 2_500]
    bodies += [json.dumps({f"k{n}": n for n in range(1_200)}), "[" * 100_000]
    yield ""
    async with target.client(attacker(807)) as client:
        chance = random.Random(1)

        async def post() -> int:
            headers = {"Content-Type": "application/json"}
            return (
                await client.post("/api/tables", content=chance.choice(bodies), headers=headers)
            ).status_code

        yield await repeat(seconds, post, 4)


@attack("component files made to take long", "first review")
async def toml_bombs(target: Target, seconds: float) -> Running:
    async with target.client(attacker(808)) as client:
        token = await form_token(client)
        fields = {"token": token, "game": "century", "players": "2", "seat0": "me", "seat1": "bot:clerk"}
        fields |= {"name": "Eve", "open": "no", "clock": "0"}
        kinds, chance = list(COMPONENTS.values()), random.Random(1)
        yield ""

        async def post() -> int:
            files = {"components": ("c.toml", chance.choice(kinds))}
            return (await client.post("/tables", data=fields, files=files)).status_code

        yield await repeat(seconds, post, 4)


@attack("uploads of 250 KB", "try it now")
async def big_uploads(target: Target, seconds: float) -> Running:
    async with target.client(attacker(809)) as client:
        token = await form_token(client)
        text = "\0" * 240_000
        yield ""

        async def post() -> int:
            return (await bring(client, text, token)).status_code

        yield await repeat(seconds, post, 4)


@attack("requests that are never finished", "first review")
async def half_requests(target: Target, seconds: float) -> Running:
    address = attacker(810)
    yield ""
    lines: list[asyncio.StreamWriter] = []

    async def one() -> str:
        _, writer = await asyncio.open_connection("127.0.0.1", target.port, local_addr=(address, 0))
        writer.write(b"POST /tables HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 200\r\n\r\ngame=")
        lines.append(writer)
        await asyncio.sleep(0.02)
        return "opened"

    said = await repeat(seconds, one, 4)
    for writer in lines:
        writer.close()
    yield said


# Ordinary pages, too often


async def _pages(
    target: Target, seconds: float, path: str, addresses: int, lines: int, *, known: bool = False
) -> Running:
    async with people(target, *(attacker(820 + n) for n in range(addresses))) as clients:
        if known:
            for client in clients:
                await make(client, "batavia", "me", "me", "me")
        yield ""
        turn = 0

        async def get() -> int:
            nonlocal turn
            turn += 1
            return (await clients[turn % addresses].get(path)).status_code

        yield await repeat(seconds, get, lines)


@attack("home page, 1 address", "attack 17")
def home_1(target: Target, seconds: float) -> Running:
    return _pages(target, seconds, "/", 1, 4)


@attack("home page, 5 addresses", "attack 17")
def home_5(target: Target, seconds: float) -> Running:
    return _pages(target, seconds, "/", 5, 20)


@attack("/me, 1 address", "attack 17")
def me_pages(target: Target, seconds: float) -> Running:
    return _pages(target, seconds, "/me", 1, 4, known=True)


@attack("requests far over the limit (429)", "attack 17")
async def over_the_limit(target: Target, seconds: float) -> Running:
    wires = [Raw(target, attacker(827)) for _ in range(8)]
    free, text = list(wires), request("GET", "/about")
    yield ""

    async def ask() -> int:
        wire = free.pop()
        try:
            return await wire.ask(text)
        finally:
            free.append(wire)

    said = await repeat(seconds, ask, 8)
    for wire in wires:
        wire.close()
    yield said


@attack("static files, 1 address", "attack 17")
def static_files(target: Target, seconds: float) -> Running:
    return _pages(target, seconds, "/static/base.css", 1, 4)


@attack("files that are not there", "first review")
def missing_files(target: Target, seconds: float) -> Running:
    return _pages(target, seconds, "/static/nothing.svg", 1, 4)


# Tables


def lay_paused(database: str, notes: int) -> tuple[str, list[str]]:
    """Writes a table at which two people have agreed on a pause and ended it again and again.

    Its id and the cookies of the two. The server must not know the table yet.
    """
    store = Store(database)
    settings = TableSettings(
        game="marco_polo",
        options=get_game("marco_polo").read_options(2),
        seed=secrets.token_hex(16),
        creator="eve-0",
    )
    id = f"attack{secrets.token_hex(6)}"
    events = [Event(1, "made", None, settings.creator, settings.text(), time.time())]
    table, now = from_events(id, events), Instant.of(time.time())

    def happen(event: Event) -> None:
        nonlocal table
        events.append(event)
        table = evolve(table, event)

    for seat in range(2):
        happen(decide.sit(table, now, f"eve-{seat}", seat, f"Eve {seat}"))
    happen(decide.begin(table, now, "eve-0"))
    with contextlib.suppress(Refused):  # a limit on such notes ends it sooner
        for _ in range(notes // 2):
            happen(decide.propose(table, now, "eve-0", "pause"))
            happen(decide.answer_proposal(table, now, "eve-1", True))
            happen(decide.resume(table, now, "eve-0"))
    store.events.append(id, events, table.row())
    people = IdentityTokens(store.values.secret())
    store.close()
    return id, [f"{COOKIE}={people.sign(f'eve-{seat}')}" for seat in range(2)]


@attack("pause and resume, 482 notes", "attack 4", heavy=True)
async def pauses(target: Target, seconds: float) -> Running:
    id, cookies = await asyncio.to_thread(lay_paused, target.database, 482)
    async with AsyncExitStack() as stack:
        lines = [
            await stack.enter_async_context(socket_of(target, id, cookie, attacker(830), open_timeout=60))
            for cookie in cookies
        ]
        tables = [_Told(line) for line in lines]
        hearing = [asyncio.create_task(one.receive()) for one in tables]
        await real_time.elapse(1)
        yield ""

        async def step() -> str:
            for who, what in ((0, "ask"), (1, "agree"), (0, "resume")):
                await tables[who].act(what, "pause")
            return "pause"

        said = await repeat(seconds, step)
        for one in hearing:
            one.cancel()
        await asyncio.gather(*hearing, return_exceptions=True)
        yield said


class _Told:
    """A socket whose version is known, so that what it asks for is not too late."""

    def __init__(self, line: ClientConnection) -> None:
        self.line, self.version, self.answers = line, 0, 0
        self._told = asyncio.Event()

    async def receive(self) -> None:
        async for text in self.line:
            message = json.loads(text)
            self.version = message.get("version", self.version)
            if message.get("ack") is not None or "version" in message:
                self.answers += 1
                self._told.set()

    async def act(self, what: str, action: str) -> None:
        self._told.clear()
        await self.line.send(
            json.dumps({"type": what, "action": action, "version": self.version, "id": self.answers + 1})
        )
        await self._told.wait()
        await asyncio.sleep(0.02)


async def _agreements(target: Target, seconds: float, *steps: tuple[int, str]) -> Running:
    """Two people of one attacker at a table of their own, through /api."""
    async with people(target, attacker(831), attacker(832)) as clients:
        id = await make(clients[0], "marco_polo", "me", "free")
        await sit_down(clients[1], id, 1, "begin")
        yield ""
        place = f"/api/tables/{id}/agreements"

        async def step() -> str:
            statuses = []
            for who, what in steps:
                version = (await state(clients[who], id))["version"]
                answer = await clients[who].post(place, json={"version": version, "what": what})
                statuses.append(str(answer.status_code))
            return "/".join(statuses)

        yield await repeat(seconds, step, 2)


@attack("ask for a pause and withdraw it", "try it now")
def ask_withdraw(target: Target, seconds: float) -> Running:
    return _agreements(target, seconds, (0, "pause"), (0, "decline"))


@attack("ask to take an action back", "attack, what held")
async def undo_asks(target: Target, seconds: float) -> Running:
    async with people(target, attacker(833), attacker(834)) as clients:
        id = await make(clients[0], "marco_polo", "me", "free")
        await sit_down(clients[1], id, 1, "begin")
        yield ""

        async def step() -> str:
            """Both act, then the first who did asks for it back; the other declines."""
            last = 0
            for _ in range(2):
                seen = [await state(client, id) for client in clients]
                who = next((n for n, one in enumerate(seen) if one["turn"] == one["seat"]), 0)
                wish = {
                    "version": seen[who]["version"],
                    "action": (seen[who]["view"]["actions"] or ["pass"])[0],
                }
                await clients[who].post(f"/api/tables/{id}/actions", json=wish)
                last = who
            statuses = []
            for who, what in ((1 - last, "undo"), (last, "decline")):
                version = (await state(clients[who], id))["version"]
                answer = await clients[who].post(
                    f"/api/tables/{id}/agreements", json={"version": version, "what": what}
                )
                statuses.append(str(answer.status_code))
            return "/".join(statuses)

        yield await repeat(seconds, step)


@attack("leave and come back", "first review")
async def leave_and_back(target: Target, seconds: float) -> Running:
    async with target.client(attacker(835)) as client:
        id = await make(client, "batavia", "me", "merchant", "merchant")
        token, turn = await form_token(client), 0
        yield ""

        async def step() -> int:
            nonlocal turn
            turn += 1
            what = ("leave", "back")[turn % 2]
            return (await client.post(f"/tables/{id}/{what}", data={"token": token, "seat": "0"})).status_code

        yield await repeat(seconds, step)


@attack("sit down and get up", "attack 12")
async def sit_and_rise(target: Target, seconds: float) -> Running:
    async with people(target, attacker(836), attacker(837)) as (creator, stranger):
        id = await make(creator, "batavia", "me", "free", "free", open=True)
        token, turn = await form_token(stranger), 0
        yield ""

        async def step() -> int:
            nonlocal turn
            turn += 1
            what = ("sit", "stand-up")[turn % 2 - 1]
            fields = {"token": token, "seat": "1", "name": "Eve"}
            return (await stranger.post(f"/tables/{id}/{what}", data=fields)).status_code

        yield await repeat(seconds, step)


@attack("messages on 8 sockets", "first review")
async def messages(target: Target, seconds: float) -> Running:
    address = attacker(838)
    async with target.client(address) as client:
        id = await make(client, "marco_polo", "me", "me")
        cookie = cookie_of(client)
        kinds = [
            json.dumps({"type": what, "version": 0, "action": "build 12b-", "id": 1})
            for what in ("play", "why")
        ]
        yield ""

        async def one() -> str:
            async with socket_of(target, id, cookie, address) as line:
                hearing = asyncio.create_task(_drain(line))
                with contextlib.suppress(WebSocketException):
                    while not hearing.done():
                        for kind in kinds:
                            await line.send(kind)
                        await asyncio.sleep(0.002)
                hearing.cancel()
                await asyncio.gather(hearing, return_exceptions=True)
                return f"closed with {line.close_code}"

        yield await repeat(seconds, one, 8)


async def _drain(line: ClientConnection) -> None:
    with contextlib.suppress(WebSocketException):
        async for _ in line:
            pass


@attack("talk at 8 tables", "first review")
async def talk(target: Target, seconds: float) -> Running:
    address = attacker(839)
    words: list[dict[str, Any]] = [{"type": "phrase", "phrase": "hello"}, {"type": "chat", "text": "x" * 200}]
    words += [{"type": "mute", "n": 1}, {"type": "report", "n": 1}, {"type": "chat", "text": "y" * 1_900}]
    async with target.client(address) as client:
        ids = [await make(client, "batavia", "me", "me", "me", chat=True) for _ in range(8)]
        cookie, turn = cookie_of(client), 0
        yield ""

        async def one() -> str:
            nonlocal turn
            turn += 1
            async with socket_of(target, ids[turn % len(ids)], cookie, address) as line:
                hearing = asyncio.create_task(_drain(line))
                with contextlib.suppress(WebSocketException):
                    while not hearing.done():
                        for word in words:
                            await line.send(json.dumps(word))
                        await asyncio.sleep(0.02)
                hearing.cancel()
                await asyncio.gather(hearing, return_exceptions=True)
                return f"closed with {line.close_code}"

        yield await repeat(seconds, one, 8)


@attack("sockets that come and go", "first review")
async def flapping(target: Target, seconds: float) -> Running:
    address = attacker(840)
    async with target.client(address) as client:
        id = await make(client, "batavia", "me", "me", "me")
        cookie = cookie_of(client)
        yield ""

        async def one() -> str:
            async with socket_of(target, id, cookie, address) as line:
                await line.recv()
            return "opened"

        yield await repeat(seconds, one, 8)


@attack("20 tables of admirals", "first review")
async def admirals(target: Target, seconds: float) -> Running:
    address = attacker(841)
    async with target.client(address) as client, AsyncExitStack() as stack:
        ids = [await make(client, "batavia", *["admiral"] * 5) for _ in range(20)]
        cookie = cookie_of(client)
        yield ""
        watching = []
        for id in ids:
            line = await stack.enter_async_context(socket_of(target, id, cookie, address))
            watching.append(asyncio.create_task(_drain(line)))
        await real_time.elapse(max(1.0, seconds - 2))
        for one in watching:
            one.cancel()
        await asyncio.gather(*watching, return_exceptions=True)
        yield f"{len(ids)} tables watched"


# Matches that were brought, or are over


async def brought(client: httpx.AsyncClient, text: str, token: str) -> str:
    """Where a match that was brought can be looked at; on a very busy machine it may not be read in time."""
    for _ in range(3):
        answer = await bring(client, text, token)
        if answer.status_code == 303:
            break
    else:
        raise RuntimeError(f"the match was not taken: {answer.status_code}")
    return answer.headers["location"].partition("?")[0]


@attack("long matches brought and looked at", "first review", heavy=True)
async def long_matches(target: Target, seconds: float) -> Running:
    text = await asyncio.to_thread(long_match, 1_000)
    async with target.client(attacker(850), timeout=60.0) as client:
        token = await form_token(client)
        place = await brought(client, text, token)
        turn = 0
        yield ""

        async def look() -> int:
            nonlocal turn
            turn += 1
            return (await client.get(f"{place}?at={turn * 7 % 1_000}&seat={turn % 4}")).status_code

        yield await repeat(seconds, look, 8)


@attack("previews of every moment", "first review")
async def previews(target: Target, seconds: float) -> Running:
    text = await asyncio.to_thread(long_match, 400)
    async with target.client(attacker(851), timeout=60.0) as client:
        place = await brought(client, text, await form_token(client))
        place = place.replace("/replay/", "/previews/replays/")
        turn = 0
        yield ""

        async def look() -> int:
            nonlocal turn
            turn += 1
            return (await client.get(f"{place}.fr.png?at={turn % 400}")).status_code

        yield await repeat(seconds, look, 8)


def whole_match() -> str:
    """The file of a long match that is over: everyone chooses by chance, some 2,800 times."""
    chance, match = random.Random(0), Match("century", seed="0", players=4)
    while not match.over:
        match.play(chance.choice(match.actions()))
    return match.text()


@attack("reviews of long matches", "attack 10", heavy=True)
async def reviews(target: Target, seconds: float) -> Running:
    text = await asyncio.to_thread(whole_match)
    async with target.client(attacker(852), timeout=60.0) as client:
        token = await form_token(client)
        places = [await brought(client, text, token) for _ in range(2)]
        turn = 0
        yield ""

        async def step() -> int:
            nonlocal turn
            turn += 1
            place = places[turn % 2]
            if turn <= 4:
                return (await client.post(f"{place}/review", data={"token": token})).status_code
            await real_time.elapse(0.2)
            return (await client.get(f"{place}/review")).status_code

        yield await repeat(seconds, step, 2)


def lay_finished(database: str, count: int) -> str:
    """Writes finished matches of one person; their cookie."""
    store, person = Store(database), f"eve-{secrets.token_hex(4)}"
    settings = TableSettings(
        game="marco_polo",
        options=get_game("marco_polo").read_options(2),
        seed=secrets.token_hex(16),
        creator=person,
    )
    events = [Event(1, "made", None, person, settings.text(), time.time())]
    table, now = from_events("x", events), Instant.of(time.time())
    for seat, who in enumerate((person, f"{person}-b")):
        events.append(decide.sit(table, now, who, seat, f"Eve {seat}"))
        table = evolve(table, events[-1])
    events.append(decide.begin(table, now, person))
    table = evolve(table, events[-1])
    chance = random.Random(1)
    while table.state == "on":
        assert table.match is not None
        assert table.turn is not None
        who = (person, f"{person}-b")[table.turn]
        events.append(decide.play(table, now, who, table.turn, chance.choice(table.match.actions())))
        table = evolve(table, events[-1])
    row, results = table.row(), ended_by(table, events)
    for _ in range(count):
        id = f"attack{secrets.token_hex(6)}"
        copied = [replace(result, table_id=id) for result in results]
        store.events.append_all([PendingWrite(id, events, replace(row, id=id), copied)])
    people = IdentityTokens(store.values.secret())
    store.close()
    return f"{COOKIE}={people.sign(person)}"


@attack("all matches as a zip file", "try it now")
async def zips(target: Target, seconds: float) -> Running:
    cookie = await asyncio.to_thread(lay_finished, target.database, 40)
    async with target.client(attacker(853), timeout=60.0, headers={"Cookie": cookie}) as client:
        yield ""

        async def get() -> int:
            return (await client.get("/me/games.zip")).status_code

        yield await repeat(seconds, get, 4)


# Notifications and mail


def _device(endpoint: str) -> dict[str, str]:
    """What a browser's subscription says."""
    key = ec.generate_private_key(ec.SECP256R1()).public_key()
    plain = key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    return {"endpoint": endpoint, "p256dh": text_of(plain), "auth": text_of(os.urandom(16))}


@attack("12 push endpoints that never answer", "attack 5")
async def slow_push(target: Target, seconds: float) -> Running:
    """Needs a server with COMPTOIR_PUSH_ALLOW_PRIVATE=on. The maker of some tables is away; strangers join them."""
    asked, over = 0, asyncio.Event()

    async def sink(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal asked
        asked += 1
        await over.wait()
        writer.close()

    server = await asyncio.start_server(sink, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    store = Store(target.database)
    signing = IdentityTokens(store.values.secret())
    store.close()
    async with people(target, attacker(860), attacker(861)) as (creator, stranger):
        tables = [await make(creator, "batavia", "me", "free", "free") for _ in range(8)]
        session = signing.read(creator.cookies[COOKIE])
        assert session is not None
        for n in range(12):
            cookie = f"{COOKIE}={signing.sign(session.person)}"
            async with target.client(attacker(862 + n), headers={"Cookie": cookie}) as device:
                token = await form_token(device)
                await device.post(
                    "/me/notifications", data={"token": token, **_device(f"http://127.0.0.1:{port}/{n}")}
                )
        yield ""
        statuses = Counter[str]()
        token = await form_token(stranger)
        for id in tables:
            fields = {"token": token, "seat": "1", "name": "Eve"}
            answer = await stranger.post(f"/tables/{id}/sit", data=fields)
            statuses[f"sat down: {answer.status_code}"] += 1
        await real_time.elapse(max(0.0, seconds - 1))
        server.close()
        over.set()
        await real_time.elapse(0.2)
        yield f"{asked} connections to the endpoints; {told(statuses)}"


@attack("60 confirmation mails to one inbox", "attack 6")
async def mails(target: Target, seconds: float) -> Running:
    """Needs a server that sends mail."""
    async with AsyncExitStack() as stack:
        clients = []
        for _ in range(16):
            client = await stack.enter_async_context(target.client(attacker(880)))
            await make(client, "batavia", "me", "me", "me")
            clients.append((client, await form_token(client)))
            await real_time.elapse(0.2)
        turn = 0
        yield ""

        async def post() -> int:
            nonlocal turn
            turn += 1
            client, token = clients[turn % len(clients)]
            fields = {"token": token, "address": f"victim+{turn}@example.org"}
            return (await client.post("/me/mail", data=fields)).status_code

        yield await repeat(seconds, post, 4)


@attack("subscriptions that lead nowhere", "first review")
async def subscriptions(target: Target, seconds: float) -> Running:
    endpoints = ["https://127.0.0.1/", "https://169.254.169.254/", "x" * 3_900, "https://push.example.org/1"]
    async with target.client(attacker(881)) as client:
        await make(client, "batavia", "me", "me", "me")
        token, chance = await form_token(client), random.Random(1)
        yield ""

        async def post() -> int:
            fields = {"token": token, "p256dh": "B" + "A" * 86, "auth": "A" * 22}
            return (
                await client.post("/me/notifications", data={**fields, "endpoint": chance.choice(endpoints)})
            ).status_code

        yield await repeat(seconds, post, 4)
