"""Who talks without end, or comes and goes without end, is heard by few and holds up nobody."""

from __future__ import annotations

import asyncio
import json
import time
from contextlib import suppress
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.typing import Origin

from tests.attack.target import Target, attacker
from tests.attack.test_floods import run

pytestmark = pytest.mark.slow

ATTACK_SECONDS = 5.0
TABLES = 12


async def tables(target: Target, address: str) -> tuple[list[str], str]:
    """Tables with chat at which somebody sits, who has made them from that address; and their cookie."""
    async with target.client(address) as client:
        wish: dict[str, Any] = {"game": "batavia", "seats": ["me", "me", "me"], "chat": True}
        ids = []
        for _ in range(TABLES):
            made = await client.post("/api/tables", json=wish)
            made.raise_for_status()
            ids.append(str(made.json()["id"]))
        return ids, "; ".join(f"{key}={value}" for key, value in client.cookies.items())


def line(target: Target, id: str, cookie: str) -> Any:
    address = f"{target.url.replace('http', 'ws', 1)}/tables/{id}/socket"
    return connect(address, additional_headers={"Cookie": cookie}, origin=Origin(target.url), max_size=None)


async def shout(socket: ClientConnection) -> int:
    """Says what can be said, as fast as it goes; how much of it was taken."""
    taken, end = 0, asyncio.get_running_loop().time() + ATTACK_SECONDS
    words = [
        {"type": "phrase", "phrase": "hello"},
        {"type": "chat", "text": "x" * 200},
        {"type": "mute", "n": 1},
    ]
    words += [{"type": "report", "n": 1}, {"type": "chat", "text": "y" * 1_900}]

    async def listen() -> None:
        nonlocal taken
        async for text in socket:
            taken += len(json.loads(text).get("chat", {}).get("messages", ()))

    listening = asyncio.create_task(listen())
    try:
        while asyncio.get_running_loop().time() < end:
            for word in words:
                await socket.send(json.dumps(word))
            await asyncio.sleep(0.02)
    except ConnectionClosed:
        pass  # who floods is turned out
    listening.cancel()
    await asyncio.gather(listening, return_exceptions=True)
    return taken


def test_a_flood_of_talk(target: Target) -> None:
    async def attack() -> None:
        ids, cookie = await tables(target, attacker(700))
        sockets, began = [await line(target, id, cookie) for id in ids], time.monotonic()
        taken = await asyncio.gather(*(shout(socket) for socket in sockets))
        # one person has one pace, at however many tables
        assert 0 < sum(taken) < 2 * (time.monotonic() - began)
        for socket in sockets:
            await socket.close()

    with target.visited() as visit:
        run(attack())
    visit.bearable()


def test_connections_that_come_and_go(target: Target) -> None:
    async def attack() -> None:
        ids, cookie = await tables(target, attacker(701))

        async def flap(id: str) -> None:
            end = asyncio.get_running_loop().time() + ATTACK_SECONDS
            while asyncio.get_running_loop().time() < end:
                with suppress(ConnectionClosed, InvalidHandshake, OSError):  # refused: it comes again
                    async with line(target, id, cookie) as socket:
                        await socket.recv()

        stays, began = await line(target, ids[0], ""), time.monotonic()
        heard: list[str] = []

        async def listen() -> None:
            async for text in stays:
                heard.append(str(text))

        listening = asyncio.create_task(listen())
        await asyncio.gather(*(flap(id) for id in ids))
        listening.cancel()
        await stays.close()
        assert sum('"here"' in text for text in heard) <= 2 * (time.monotonic() - began)

    with target.visited() as visit:
        run(attack())
    visit.bearable()
