"""What strangers can send, ask for and hold open, and what a visitor at another table feels of it: nothing.

Each of these has stopped the server, or nearly, before there was something against it: a POST of 64 KB for
110 seconds.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import re
from collections import Counter
from collections.abc import Coroutine
from functools import cache
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Origin

from comptoir.engine.match import Match
from comptoir.web.limits import ADDRESS_CONNECTIONS, ADDRESS_SOCKETS
from comptoir.web.ops.frames import FLOODING
from tests import real_time
from tests.attack.target import REQUEST_SECONDS, Target, attacker, form_token

pytestmark = pytest.mark.slow

JSON = {"Content-Type": "application/json"}
# as on a server that has been up for a minute: interpreted, a match of 5,000 actions takes three times as long
COMPILED = {"COMPTOIR_COMPILED_RULES": "sail_to_india"}
DEEP_KEYS = "[" + "a." * 9999 + "a]\n" + "b." * 22249 + "b=1"
COMPONENTS = {
    "keys 22,000 deep": DEEP_KEYS,
    "8,500 unknown fields": "[cards]\n" + "".join(f"k{n:04}=1\n" for n in range(8_500)),
    "900 unknown fields": "".join(
        f"[goods_{n}]\ncertainty='rulebook'\nlots_of_it_{n}=1\n" for n in range(450)
    ),
    "one line of 64 KB": "a=[" + "1," * 32_000 + "1]",
    "lists 10,000 deep": "a=" + "[" * 10_000 + "]" * 10_000,
    "tables 2,000 deep in one line": "a={" + "b." * 1_900 + "b=1}",
}

strength = pytest.mark.parametrize("strong", [False, pytest.param(True, marks=pytest.mark.long)])


def run(attack: Coroutine[Any, Any, None]) -> None:
    async def within() -> None:
        async with asyncio.timeout(600):
            await attack

    asyncio.run(within())


@cache
def long_match(length: int) -> str:
    """The file of a match in which people took their time: they choose by chance."""
    chance, match = random.Random(1), Match("sail_to_india", seed="1", players=4)
    while match.ply < length:
        match.play(chance.choice(match.actions()))
    return match.text()


async def bring(client: httpx.AsyncClient, text: str, token: str) -> httpx.Response:
    return await client.post("/replay", data={"token": token}, files={"match": ("a.match", text)})


# Foreign data


@strength
def test_components_made_to_take_long(target: Target, strong: bool) -> None:
    async def attack() -> None:
        async with target.client(attacker(40)) as client:
            token = await form_token(client)
            kinds = list(COMPONENTS) * (4 if strong else 1)
            answers = await asyncio.gather(*(_make(client, COMPONENTS[kind], token) for kind in kinds))
            assert {answer.status_code for answer in answers} <= {422, 429}
            assert 422 in {answer.status_code for answer in answers}

    with target.visited() as visit:
        run(attack())
    visit.bearable(quick=strong)


async def _make(client: httpx.AsyncClient, components: str, token: str) -> httpx.Response:
    fields = {"token": token, "game": "century", "players": "2", "seat0": "me", "seat1": "bot:clerk"}
    fields |= {"name": "Eve", "open": "no", "clock": "0"}
    return await client.post("/tables", data=fields, files={"components": ("c.toml", components)})


@strength
def test_json_made_to_take_long(target: Target, strong: bool) -> None:
    bodies = [
        "[" * 100_000,
        "[" * 8_000 + "]" * 8_000,
        '{"a":' * 2_500 + "1" + "}" * 2_500,
        json.dumps({"game": "century", "seats": ["me"] * 3_000}),
        json.dumps({f"k{n}": n for n in range(1_200)}),
        json.dumps({"game": "c" * 15_000, "seats": ["me"]}),
    ]

    async def attack() -> None:
        async with target.client(attacker(41)) as client:
            for body in bodies * (3 if strong else 1):
                answer = await client.post("/api/tables", content=body, headers=JSON)
                assert answer.status_code in (400, 413, 422, 429)
                assert "error" in answer.json()
                assert len(answer.content) < 20_000

    with target.visited() as visit:
        run(attack())
    visit.bearable(quick=strong)


# Long matches


@strength
def test_long_matches_brought_and_looked_at(target: Target, strong: bool) -> None:
    """One address brings long matches until it is told to wait, then looks at one from everywhere at once."""
    text = long_match(5_000 if strong else 400)

    async def attack() -> None:
        async with target.client(attacker(0)) as client:
            token = await form_token(client)
            brought = [await bring(client, text, token) for _ in range(20 if strong else 10)]
            statuses = Counter(answer.status_code for answer in brought)
            assert set(statuses) == {303, 429}
            assert "attendez" in brought[-1].text
            place = brought[0].headers["location"].partition("?")[0]
            asked = [f"{place}?at={n}&seat={n % 4}" for n in range(0, 400, 5 if strong else 40)]
            seen = await asyncio.gather(*(client.get(one) for one in asked))
            assert Counter(answer.status_code for answer in seen)[200] >= 4
            assert max(len(answer.text) for answer in seen) < 400_000

    with target.visited() as visit:
        run(attack())
    visit.bearable(quick=strong)


@strength
def test_tables_that_are_not_in_memory(own_target: Target, strong: bool) -> None:
    """After a restart all long matches are asked for at once, and each has to be replayed."""
    text = long_match(5_000 if strong else 400)
    places: list[str] = []

    async def fill() -> None:
        for n in range(2 if strong else 1):
            async with own_target.client(attacker(n)) as client:
                token = await form_token(client)
                places.extend([(await bring(client, text, token)).headers["location"] for _ in range(5)])

    async def attack() -> None:
        async with own_target.client(timeout=250.0) as client:  # they wait for themselves, long
            seen = await asyncio.gather(*(client.get(place) for place in places))
            assert {answer.status_code for answer in seen} <= {200, 429}

    run(fill())
    own_target.restart(**COMPILED if strong else {})
    with own_target.visited() as visit:
        run(attack())
    visit.bearable(quick=strong)


@pytest.mark.long
def test_long_matches_are_not_all_kept_in_memory(own_target: Target) -> None:
    text = long_match(5_000)

    async def attack() -> None:
        for n in range(10):
            async with own_target.client(attacker(n)) as client:
                token = await form_token(client)
                for _ in range(4):
                    answer = await bring(client, text, token)
                    assert (await client.get(answer.headers["location"])).status_code == 200

    own_target.restart(**COMPILED)
    before = own_target.memory
    run(attack())
    assert own_target.memory - before < 500


# Link previews


@strength
def test_previews_asked_for_all_at_once(target: Target, strong: bool) -> None:
    """Each moment of a match is a drawing of half a second; and there are tables that nobody has made."""
    text = long_match(400)

    async def attack() -> None:
        async with target.client(attacker(1), timeout=180) as client:
            brought = await bring(client, text, await form_token(client))
            place = brought.headers["location"].partition("?")[0].replace("/replay/", "/previews/replays/")
            asked = [f"{place}.fr.png?at={n}" for n in range(120 if strong else 15)]
            asked += [f"/previews/tables/{'x' * n}.en.png" for n in range(1, 400, 40)]
            seen = await asyncio.gather(*(client.get(one) for one in asked))
            statuses = Counter(answer.status_code for answer in seen)
            assert statuses[200] >= 4
            assert set(statuses) <= {200, 429}
            assert max(len(answer.content) for answer in seen) < 600_000

    with target.visited() as visit:
        run(attack())
    visit.bearable(quick=strong)


# Notices


@strength
def test_notices_asked_for_again_and_again(target: Target, strong: bool) -> None:
    """Subscriptions that lead nowhere, or into this very machine, and links that nobody was sent."""
    endpoints = ["https://127.0.0.1/", "https://169.254.169.254/", "x" * 3_900, "https://push.example.org/1"]
    keys = {"p256dh": "B" + "A" * 86, "auth": "A" * 22}

    async def attack() -> None:
        async with target.client(attacker(0)) as client:
            token = await form_token(client)
            asked = [("/me/notifications", {"token": token, "endpoint": one} | keys) for one in endpoints * 8]
            asked += [(f"/mail/{what}/{n}", {}) for n in range(30) for what in ("stop", "confirm")]
            asked += [("/me/mail", {"token": token, "address": "eve@example.org"})]
            sent = (client.post(path, data=fields) for path, fields in asked * (4 if strong else 1))
            answers = await asyncio.gather(*sent)
            assert {answer.status_code for answer in answers} <= {403, 404, 422, 429}
            assert {422, 429} <= {answer.status_code for answer in answers}

    with target.visited() as visit:
        run(attack())
    visit.bearable(quick=strong)


# Connections


@strength
def test_half_sent_requests_are_given_up(target: Target, strong: bool) -> None:
    """An address has only so many connections, and each of them only so long to say what it wants."""

    async def attack() -> None:
        lines = await asyncio.gather(
            *(_half(target, n) for n in range(ADDRESS_CONNECTIONS + (700 if strong else 30)))
        )
        said = await asyncio.gather(*(_rest(reader) for reader, _ in lines))
        refused = [text for text in said if b"429" in text]
        assert len(refused) >= 20
        assert b"" in said  # they were closed without a word, once their time was over
        for _, writer in lines:
            writer.close()

    with target.visited() as visit:
        run(attack())
        assert target.answers()
    visit.bearable(quick=strong)


_HALVES = (
    b"GET / HTTP/1.1\r\nHost: here\r\nX-More: ",
    b"",
    b"POST /tables HTTP/1.1\r\nHost: here\r\nOrigin: http://here\r\nContent-Length: 200\r\n\r\ngame=",
)


async def _half(target: Target, n: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection("127.0.0.1", target.port)
    writer.write(_HALVES[n % len(_HALVES)])
    return reader, writer


async def _rest(reader: asyncio.StreamReader) -> bytes:
    """What was said until it was closed; it must be, in time."""
    async with asyncio.timeout(10 * REQUEST_SECONDS):
        with contextlib.suppress(ConnectionError):
            return await reader.read()
    return b""


def test_a_request_that_dribbles_is_given_up(target: Target) -> None:
    """Also the second one on a line, and however little of it comes at a time."""

    async def attack() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", target.port)
        writer.write(b"GET /static/base.css HTTP/1.1\r\nHost: here\r\n\r\n")
        head = await reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", head)
        assert length is not None
        await reader.readexactly(int(length[1]))
        dribble = asyncio.create_task(_dribble(writer))
        assert await _rest(reader) == b""
        dribble.cancel()
        await asyncio.gather(dribble, return_exceptions=True)
        writer.close()

    with target.visited() as visit:
        run(attack())
    visit.bearable()


async def _dribble(writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError):
        for letter in b"GET / HTTP/1.1\r\nHost: " + b"h" * 10_000:
            writer.write(bytes([letter]))
            await real_time.elapse(REQUEST_SECONDS / 10)


# Sockets


async def table(target: Target, client: httpx.AsyncClient) -> str:
    made = await client.post(
        "/api/tables", json={"game": "marco_polo", "seats": ["me", "free"], "open": True}
    )
    return str(made.json()["id"])


async def line(target: Target, client: httpx.AsyncClient, id: str, address: str) -> ClientConnection:
    cookies = "; ".join(f"{key}={value}" for key, value in client.cookies.items())
    return await connect(
        f"ws://127.0.0.1:{target.port}/tables/{id}/socket",
        additional_headers={"Cookie": cookies},
        origin=Origin(target.url),
        local_addr=(address, 0),
        max_size=None,
        ping_interval=None,
        open_timeout=60,
    )


def test_an_address_has_only_so_many_sockets(target: Target) -> None:
    address = attacker(20)

    async def attack() -> None:
        async with target.client(address) as client:
            id = await table(target, client)
            lines, refused = [], list[int]()
            for n in range(ADDRESS_SOCKETS + 10):
                if n % 60 == 59:
                    await real_time.elapse(3)  # they come no faster than pages may
                try:
                    lines.append(await line(target, client, id, address))
                except InvalidStatus as error:
                    refused.append(error.response.status_code)
            assert len(lines) <= ADDRESS_SOCKETS
            assert refused == [429] * 10
            await asyncio.gather(*(one.close() for one in lines))

    with target.visited() as visit:
        run(attack())
    visit.bearable()


@strength
@pytest.mark.parametrize("asked", ["play", "why"])
def test_floods_of_messages_are_answered_in_few_bytes_and_cut_off(
    target: Target, asked: str, strong: bool
) -> None:
    """Stale actions, of which each was answered with the whole table, and questions about nonsense."""
    address = attacker({"play": 21, "why": 22}[asked])
    message = json.dumps({"type": asked, "version": 0, "action": "build 12b-", "id": 1})

    async def attack() -> None:
        async with target.client(address) as client:
            made = await client.post("/api/tables", json={"game": "marco_polo", "seats": ["me", "me"]})
            lines = [
                await line(target, client, made.json()["id"], address) for _ in range(20 if strong else 4)
            ]
            floods = await asyncio.gather(*(_flood(one, message) for one in lines))
            assert {code for code, _ in floods} == {FLOODING}
            # how the table stood at first, and twice again
            assert sum(heard for _, heard in floods) < 400_000 * len(lines)

    with target.visited() as visit:
        run(attack())
    visit.bearable(quick=strong)


async def _flood(line: ClientConnection, message: str) -> tuple[int, int]:
    """Sends until it is cut off: why, and how many bytes came back."""
    heard = 0

    async def hear() -> None:
        nonlocal heard
        with contextlib.suppress(ConnectionClosed):
            async for text in line:
                heard += len(text)

    hearing = asyncio.create_task(hear())
    with contextlib.suppress(ConnectionClosed):
        for _ in range(20_000):
            await line.send(message)
            await asyncio.sleep(0.002)
    await hearing
    return line.close_code or 0, heard


# Files that are not there


def test_files_that_are_not_there_are_counted(target: Target) -> None:
    async def attack() -> None:
        async with target.client(attacker(30)) as client:
            paths = [f"/{('static', 'covers')[n % 2]}/nothing-{n}.svg" for n in range(120)]
            # on a busy machine some connections are cut: their request came too late
            answers = await asyncio.gather(*(client.get(path) for path in paths), return_exceptions=True)
            statuses = Counter(answer.status_code for answer in answers if isinstance(answer, httpx.Response))
            assert statuses[429] >= 20
        async with target.client(attacker(31)) as client:
            assert (await client.get("/static/base.css")).status_code == 200
        async with target.client(attacker(30)) as client:
            assert (await client.get("/static/base.css")).status_code == 200

    with target.visited() as visit:
        run(attack())
    visit.bearable()
