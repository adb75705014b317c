"""Who has bots think a lot waits for themselves: another visitor's bot answers as ever.

Each of these has kept another visitor's bots waiting before there was something against it: twenty tables of
five admirals made a merchant answer after 30 seconds, and 45 after a restart; whoever left and came back
again and again kept a bot from ever acting.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.typing import Origin

from comptoir.web.live.bot_pool import LEVEL_SECONDS
from tests import real_time
from tests.attack.target import Target, form_token
from tests.attack.test_floods import run

pytestmark = pytest.mark.slow

GUEST = "127.0.0.3"  # whose bots are to answer
BOT_PAUSE = 0.7 * 1.7  # seconds between a person's action and a bot's
SLACK = 3.0  # seconds, beside those for which no core was free
COMPILED = {"COMPTOIR_COMPILED_BOTS": "1"}
COMPILING = 300.0


async def make(client: httpx.AsyncClient, *seats: str) -> str:
    made = await client.post("/api/tables", json={"game": "batavia", "seats": list(seats)})
    made.raise_for_status()
    return str(made.json()["id"])


async def seen(client: httpx.AsyncClient, id: str) -> dict[str, Any]:
    found = await client.get(f"/api/tables/{id}")
    found.raise_for_status()
    return dict(found.json())


async def bots_turn(client: httpx.AsyncClient, id: str) -> dict[str, Any]:
    """The table when a bot is to act, after as much of the person's as it takes."""
    while (table := await seen(client, id))["turn"] == table["seat"]:
        await client.post(
            f"/api/tables/{id}/actions",
            json={"version": table["version"], "action": table["view"]["actions"][0]},
        )
    return table


async def waits(target: Target, client: httpx.AsyncClient, id: str, times: int) -> list[float]:
    """How long a bot takes to act after a person has, a few times."""
    found = []
    for _ in range(times):
        watch, before = target.stopwatch(), await bots_turn(client, id)
        while (await seen(client, id))["version"] == before["version"]:
            await asyncio.sleep(0.05)
        found.append(watch.seconds)
    return found


@asynccontextmanager
async def watched(target: Target, client: httpx.AsyncClient, ids: list[str]) -> AsyncIterator[None]:
    """Somebody looks on at each table, and takes what is told."""

    async def listen(id: str) -> None:
        cookies = "; ".join(f"{key}={value}" for key, value in client.cookies.items())
        address = f"{target.url.replace('http', 'ws', 1)}/tables/{id}/socket"
        headers, origin = {"Cookie": cookies}, Origin(target.url)
        async with connect(address, additional_headers=headers, origin=origin, max_size=None) as line:
            async for _ in line:
                pass

    listening = [asyncio.create_task(listen(id)) for id in ids]
    try:
        yield
    finally:
        for task in listening:
            task.cancel()
        await asyncio.gather(*listening, return_exceptions=True)


async def compiled(target: Target) -> None:
    """Until the bots of the game are there: until then no admiral thinks."""
    async with target.client() as client:
        id = await make(client, "me", "admiral", "admiral")
        end = time.monotonic() + COMPILING
        while (
            "clerks play for them"
            in (await client.get(f"/tables/{id}", headers={"Accept-Language": "en"})).text
        ):
            assert time.monotonic() < end
            await real_time.elapse(1)


@pytest.mark.parametrize("seats", [["admiral"] * 5, ["me", *["admiral"] * 4]], ids=["watched", "seated"])
def test_tables_of_admirals_keep_only_their_own_waiting(target: Target, seats: list[str]) -> None:
    """Here clerks that are interpreted play for the admirals: half a second of Python each."""

    async def attack() -> None:
        async with target.client() as attacker, target.client(GUEST) as guest:
            ids = [await make(attacker, *seats) for _ in range(8)]
            async with watched(target, attacker, ids):
                table = await make(guest, "me", "passer-by", "passer-by")
                assert max(await waits(target, guest, table, 2)) < BOT_PAUSE + SLACK

    run(attack())


@pytest.mark.long
@pytest.mark.parametrize("seats", [["admiral"] * 5, ["me", *["admiral"] * 4]], ids=["watched", "seated"])
def test_twenty_tables_of_admirals(own_target: Target, seats: list[str]) -> None:
    async def attack() -> None:
        await compiled(own_target)
        async with own_target.client() as attacker, own_target.client(GUEST) as guest:
            ids = [await make(attacker, *seats) for _ in range(20)]
            async with watched(own_target, attacker, ids):
                found = await waits(own_target, guest, await make(guest, "me", "merchant", "merchant"), 5)
                print(f"\na merchant answers after {', '.join(f'{wait:.1f}' for wait in found)} s")
                assert max(found) < BOT_PAUSE + LEVEL_SECONDS["admiral"] + SLACK

    own_target.restart(**COMPILED)
    with own_target.visited() as visit:
        run(attack())
    visit.bearable()


@pytest.mark.long
def test_twenty_tables_of_admirals_after_a_restart(own_target: Target) -> None:
    ids: list[str] = []
    cookies: dict[str, str] = {}

    async def fill() -> None:
        async with own_target.client() as attacker:
            ids.extend([await make(attacker, "me", *["admiral"] * 4) for _ in range(20)])
            await asyncio.gather(*(bots_turn(attacker, id) for id in ids))
            cookies.update(attacker.cookies)

    async def attack() -> None:
        async with AsyncExitStack() as stack:
            attacker = await stack.enter_async_context(own_target.client(cookies=cookies))
            guest = await stack.enter_async_context(own_target.client(GUEST))
            await stack.enter_async_context(watched(own_target, attacker, ids))
            found = await waits(own_target, guest, await make(guest, "me", "merchant", "merchant"), 3)
            print(
                f"\nafter a restart a merchant answers after {', '.join(f'{wait:.1f}' for wait in found)} s"
            )
            assert max(found) < BOT_PAUSE + LEVEL_SECONDS["admiral"] + SLACK

    run(fill())
    own_target.restart(**COMPILED)
    run(compiled(own_target))
    run(attack())


def test_who_leaves_and_comes_back_keeps_no_bot_from_acting(target: Target) -> None:
    async def attack() -> None:
        async with target.client() as client:
            id, token = await make(client, "me", "passer-by", "passer-by"), await form_token(client)
            before = (await bots_turn(client, id))["view"]["ply"]
            times = 0  # rounds, not seconds: a busy machine takes longer for both
            while (table := await seen(client, id))["view"]["ply"] == before:
                assert (times := times + 1) < 20, "no bot has acted"
                for what in ("leave", "back"):
                    await client.post(
                        f"/tables/{id}/{what}", data={"token": token, "seat": str(table["seat"])}
                    )
                    await real_time.elapse(0.15)

    run(attack())
