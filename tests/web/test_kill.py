"""`kill -9` at any moment: nothing that was acknowledged or shown is lost, and no table is stuck.

A real server process on a real port is killed and started again while people play through sockets, as a page
does: who loses the line opens it again and sends what was not acknowledged once more. So are two servers and
a bots' worker on one database. The long run of 200 kills on each database:

    pytest -m long tests/web/test_kill.py -s
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException
from websockets.typing import Origin

from comptoir.web.domain.evolve import from_events
from comptoir.web.domain.people import COOKIE, IdentityTokens, new_id
from comptoir.web.storage.store import Store
from tests import real_time
from tests.web.conftest import Postgres, free_port, wait_for_the_last_commit

LEGAL = re.compile(r'data-action="([^"]*)"')
SEATINGS = (
    ("batavia", ["me", "passer-by", "passer-by"]),
    ("marco_polo", ["me", "free"]),
    ("century", ["me", "passer-by"]),
    ("sail_to_india", ["me", "free", "passer-by"]),
)
# seconds that no table may stand still, whatever is killed; besides what a start takes on a busy machine
STUCK = 20.0
ROOT = Path(__file__).parents[2]
TABLES = 6  # played at the same time
MORE = 3  # events by which every table must go on after the last kill


# a connection that was being made when its server was killed: `websockets` does not close its transport, which
# is noticed whenever it is collected
pytestmark = [
    pytest.mark.filterwarnings("ignore:unclosed transport:ResourceWarning"),
    pytest.mark.filterwarnings("ignore:Exception ignored in:pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(autouse=True)
def _left_behind() -> Iterator[None]:
    """A try that has failed leaves sockets in its frames: they end here, not as a warning in another test."""
    yield
    for name in ("last_type", "last_value", "last_traceback"):
        vars(sys).pop(name, None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


class Mortal:
    """A server, or a bots' worker, that is killed and started again."""

    def __init__(self, database: str, *, worker: bool = False) -> None:
        self.port = 0 if worker else free_port()
        self.starts: list[float] = []  # seconds from the start of each server to its first answer
        command = [sys.executable, "-m", "tests.web.server_process", database, str(self.port)]
        self.nest = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
        )
        self.start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        self._tell("start")
        self.process = int(self._hear())
        self.began = time.monotonic()

    def kill(self) -> None:
        os.kill(self.process, signal.SIGKILL)
        assert self._hear() == str(-signal.SIGKILL), "the server had stopped by itself"

    def close(self) -> None:
        """Ends both: first the one that the other waits for."""
        self.kill()
        with self.nest:
            assert self.nest.stdin is not None
            self.nest.stdin.close()

    def _tell(self, text: str) -> None:
        assert self.nest.stdin is not None
        self.nest.stdin.write(f"{text}\n")
        self.nest.stdin.flush()

    def _hear(self) -> str:
        assert self.nest.stdout is not None
        return self.nest.stdout.readline().strip()

    async def ready(self) -> None:
        """Until it answers, or is killed before that; a worker answers nobody but servers."""
        began = self.began
        while self.port and self.began == began:
            assert time.monotonic() < began + 300, "the server does not answer"
            with contextlib.suppress(httpx.TransportError):
                async with httpx.AsyncClient(timeout=5) as client:
                    assert (await client.get(f"{self.address}/health")).status_code == 200
                if self.began == began:
                    self.starts.append(time.monotonic() - began)
                return
            await asyncio.sleep(0.02)


@contextmanager
def mortal(database: str, *, worker: bool = False) -> Iterator[Mortal]:
    server = Mortal(database, worker=worker)
    try:
        yield server
    finally:
        server.close()


@dataclass
class Deed:
    """An action that was asked for, by the version of the table as it was seen."""

    table: str
    person: str
    version: int
    action: str
    id: int


@dataclass
class Play:
    """All that happens while the server dies again and again."""

    servers: list[Mortal]
    people: IdentityTokens
    chance: random.Random
    bots: str = "passer-by"
    acknowledged: list[Deed] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    seen: dict[str, int] = field(default_factory=dict)  # the highest version that anybody was shown, by table
    over: set[str] = field(default_factory=set)
    went_on: dict[str, float] = field(default_factory=dict)  # when that was, by table
    longest: float = 0.0  # that one has stood still
    players: list[Player] = field(default_factory=list)

    def headers(self, person: str, address: str) -> dict[str, str]:
        return {"Cookie": f"{COOKIE}={self.people.sign(person)}", "Origin": address}

    def address(self) -> str:
        """Of any server: some may be dead just now."""
        return self.chance.choice(self.servers).address

    def see(self, table: str, version: int) -> None:
        now = time.monotonic()
        if version > self.seen[table]:
            self.longest = max(self.longest, now - self.went_on.get(table, now))
            self.seen[table], self.went_on[table] = version, now

    async def ask(self, path: str, person: str, **request: Any) -> httpx.Response:
        """A request, asked again until it is answered: the server may be dead just now."""
        while True:
            address = self.address()
            with contextlib.suppress(httpx.TransportError):
                async with httpx.AsyncClient(timeout=5) as client:
                    return await client.post(address + path, headers=self.headers(person, address), **request)
            await asyncio.sleep(0.05)

    async def keep_playing(self) -> None:
        """One table after the other, each to its end."""
        while True:
            name, seating = self.chance.choice(SEATINGS)
            seats = [self.bots if seat == "passer-by" else seat for seat in seating]
            people = [new_id() for seat in seats if seat in ("me", "free")]
            made = await self.ask("/api/tables", people[0], json={"game": name, "seats": seats})
            assert made.status_code == 201
            id = made.json()["id"]
            for person in people[1:]:
                fields = {
                    "token": self.people.form_token(person),
                    "seat": str(seats.index("free")),
                    "name": "Bruno",
                }
                for what in ("sit", "begin"):
                    done = await self.ask(f"/tables/{id}/{what}", person, data=fields)
                    assert done.status_code in (303, 409), done.text
            self.seen[id] = 0
            sitting = [Player(self, id, person) for person in people]
            self.players += sitting
            await asyncio.gather(*(player.play() for player in sitting))


class Player:
    """One person at one table: what connection.js does, without a page."""

    def __init__(self, play: Play, table: str, person: str) -> None:
        self.all, self.table, self.person = play, table, person
        self.deed: Deed | None = None
        self.ids, self.resent, self.version = 0, False, 0
        self.parts: dict[str, str] = {}

    async def play(self) -> None:
        while self.table not in self.all.over:
            with contextlib.suppress(OSError, TimeoutError, WebSocketException):
                server = self.all.address()
                address = f"{server.replace('http', 'ws')}/tables/{self.table}/socket?seen={self.version}"
                headers = {"Cookie": self.all.headers(self.person, server)["Cookie"]}
                origin = Origin(server)
                async with connect(
                    address, origin=origin, additional_headers=headers, open_timeout=5
                ) as socket:
                    await self.at_table(socket)
            self.all.counts["lines lost"] += 1
            await asyncio.sleep(0.05)

    async def at_table(self, socket: ClientConnection) -> None:
        self.parts = {}
        if self.deed is not None:
            self.resent = True
            await socket.send(self.text(self.deed))
        async for text in socket:
            message = json.loads(text)
            if self.deed is not None and message.get("ack") == self.deed.id:
                self.answered(message)
            if "parts" in message:
                await self.see(socket, message)
            if self.table in self.all.over:
                return

    def answered(self, message: dict[str, Any]) -> None:
        assert self.deed is not None
        if "parts" in message:
            self.all.acknowledged.append(self.deed)
        else:
            assert message["type"] == "refused"
            assert self.resent or self.all.seen[self.table] > self.deed.version, message
            self.all.counts["told that it was too late, or done before"] += 1
        self.deed = None

    async def see(self, socket: ClientConnection, message: dict[str, Any]) -> None:
        assert message["version"] >= self.version, "the table has gone back"
        self.version = message["version"]
        self.all.see(self.table, message["version"])
        self.parts |= message["parts"]
        if 'data-state="over"' in self.parts["notice"]:
            self.all.over.add(self.table)
            return
        legal = LEGAL.findall(self.parts["choices"])
        if legal and self.deed is None:
            self.ids, self.resent = self.ids + 1, False
            self.deed = Deed(
                self.table, self.person, message["version"], unescape(self.all.chance.choice(legal)), self.ids
            )
            await socket.send(self.text(self.deed))

    def text(self, deed: Deed) -> str:
        return json.dumps({"type": "play", "version": deed.version, "action": deed.action, "id": deed.id})


def check_store(play: Play, store: Store) -> int:
    """Everything acknowledged or shown is stored, in its place; every table can be told again.

    How many events there are.
    """
    events = {table: store.events.read(table) for table in play.seen}
    for table, told in events.items():
        assert [event.version for event in told] == list(range(1, len(told) + 1))
        assert len(told) >= play.seen[table]
        made, row = from_events(table, told), store.tables.find(table)
        assert row == made.row()
    for deed in play.acknowledged:
        event = events[deed.table][deed.version]
        assert (event.version, event.kind, event.person, event.text) == (
            deed.version + 1,
            "play",
            deed.person,
            deed.action,
        )
    return sum(len(told) for told in events.values())


async def under_fire(
    servers: list[Mortal], workers: list[Mortal], store: Store, kills: int, chance: random.Random
) -> Play:
    mortals = [*servers, *workers]
    for server in servers:
        server.began = time.monotonic()  # those that were started after it have taken their time
        await server.ready()
    ready = {server: asyncio.create_task(server.ready()) for server in mortals}
    play = Play(
        servers, IdentityTokens(store.values.secret()), chance, "merchant" if workers else "passer-by"
    )
    games = [asyncio.create_task(play.keep_playing()) for _ in range(TABLES)]
    for nth in range(kills):
        server = chance.choice(mortals)
        if nth % 10 == 9:
            await real_time.elapse(chance.uniform(0, 0.2))  # not yet ready
        else:
            await ready[server]
            await real_time.elapse(chance.uniform(0, 1.0))
        server.kill()
        server.start()
        await ready[server]
        ready[server] = asyncio.create_task(server.ready())
        check(games)
    await asyncio.gather(*ready.values())
    await all_go_on(play, games, kills)
    check(games)
    for game in games:
        game.cancel()
    await asyncio.gather(*games, return_exceptions=True)
    return play


def check(games: list[asyncio.Task[None]]) -> None:
    """None has failed."""
    for game in games:
        if game.done():
            game.result()


async def all_go_on(play: Play, games: list[asyncio.Task[None]], kills: int) -> None:
    """No table is stuck: each that is not over goes on, and more actions are acknowledged than servers were
    killed.
    """
    before = {table: version for table, version in play.seen.items() if table not in play.over}
    end = time.monotonic() + 300
    while True:
        stuck = {
            table: version
            for table, version in before.items()
            if table not in play.over and play.seen[table] < version + MORE
        }
        if not stuck and len(play.acknowledged) > kills:
            return
        check(games)
        waiting = [
            (player.version, player.deed, player.parts.get("sentence"))
            for player in play.players
            if player.table in stuck
        ]
        acknowledged = len(play.acknowledged)
        assert time.monotonic() < end, f"stuck: {stuck}, {waiting}, {acknowledged} acknowledged"
        await asyncio.sleep(0.05)


def run(database: str, kills: int, *, servers: int = 1, workers: int = 0, busy: bool = False) -> None:
    """`busy`: the machine may have other work, so a table may also wait for the slowest start of a server."""
    store = Store(database)
    store.migrate()
    began = time.monotonic()
    with ExitStack() as stack:
        serving = [stack.enter_context(mortal(database)) for _ in range(servers)]
        working = [stack.enter_context(mortal(database, worker=True)) for _ in range(workers)]
        play = asyncio.run(under_fire(serving, working, store, kills, random.Random(kills)))
    wait_for_the_last_commit(database)
    version = check_store(play, store)
    store.close()
    starts = sorted(start for server in serving for start in server.starts)
    print(
        f"\n{store.kind}: {kills} kills in {time.monotonic() - began:.0f} s; {len(play.seen)} tables, {len(play.over)} of them over; "
        f"{version} events, {len(play.acknowledged)} acknowledged actions of people, all stored and in order; "
        f"{dict(play.counts)}; no table stood still for longer than {play.longest:.1f} s; a start takes {starts[len(starts) // 2]:.2f} s (median), {starts[-1]:.2f} s at most"
    )
    if workers:
        assert play.longest < STUCK + (starts[-1] if busy else 0)


def test_a_few_kills(database: str) -> None:
    run(database, 5)


@pytest.mark.long
def test_two_hundred_kills(database: str) -> None:
    run(database, 200)


@pytest.mark.slow
def test_a_few_kills_of_two_servers_and_a_worker(postgres: Postgres) -> None:
    run(postgres.new(), 6, servers=2, workers=1, busy=True)


@pytest.mark.long
def test_two_hundred_kills_of_two_servers_and_a_worker(postgres: Postgres) -> None:
    run(postgres.new(), 200, servers=2, workers=1)
