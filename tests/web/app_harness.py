"""The whole app in one event loop, without a network: people with cookies, their pages and their sockets.

A test holds both ends of a socket here, so it can read slowly, speak out of turn and hang up in the middle.
"""

from __future__ import annotations

import asyncio
import json
import random
import secrets
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, nullcontext
from typing import Any, TypeVar
from urllib.parse import quote

import httpx
from fastapi import FastAPI
from starlette.types import Message

from comptoir.engine.game import get_game
from comptoir.engine.match import Match
from comptoir.time_source import SYSTEM_TIME, TimeSource
from comptoir.web.domain.clock import Instant
from comptoir.web.domain.evolve import evolve, from_events
from comptoir.web.domain.people import COOKIE, new_id
from comptoir.web.domain.state import Event, Table, TableSettings
from comptoir.web.http.app import make_app
from comptoir.web.live.app_services import AppServices
from comptoir.web.live.open_table import OpenTable
from comptoir.web.live.tables import Tables
from comptoir.web.storage.store import Store
from comptoir.web.view.patches import apply
from tests.manual_time import AT, ManualTime

T = TypeVar("T")

NOW = Instant.of(AT)  # when things happen at tables that no server has
ORIGIN = "http://comptoir.test"
PATIENCE = 240.0  # seconds after which a test gives up waiting, on however busy a machine


class SocketClosed(Exception):
    """The server has closed the socket, with this code."""

    def __init__(self, code: int, status: int = 0) -> None:
        super().__init__(f"closed with {code}")
        self.code, self.status = code, status


class AppHarness:
    """The app, running, on a database."""

    def __init__(self, app: FastAPI) -> None:
        self.app = app
        self.server: AppServices = app.state.server
        self.tables: Tables = self.server.tables
        self.sockets: list[Socket] = []

    def person(self, name: str = "", address: str = "127.0.0.1") -> Client:
        return Client(self, name, address)

    async def make(
        self, name: str, *seating: str | tuple[str, str], creator: str | None = None, **settings: Any
    ) -> OpenTable:
        """A table with these seats: "" free, a bot's level, or a person's id and name."""
        options = settings.pop("options", None) or get_game(name).read_options(len(seating))
        first = next((who[0] for who in seating if isinstance(who, tuple)), None)
        given = {"seed": secrets.token_hex(16), "creator": creator or first or new_id()}
        made = await self.tables.make(TableSettings(name, options, **given | settings), seating)
        live: OpenTable = await self.tables.find(made.id)
        return live

    def put(self, table: Table) -> OpenTable:
        """A table as it is, whatever the store knows."""
        live = self.tables.in_use[table.id] = OpenTable(table, machine=self.tables.machine)
        return live

    async def settle(self) -> None:
        """Lets everything that is on its way arrive."""
        for _ in range(20):
            await asyncio.sleep(0)


@asynccontextmanager
async def running_app(
    database: str, *, time_source: TimeSource = SYSTEM_TIME, **settings: Any
) -> AsyncIterator[AppHarness]:
    """The app on the machine's time, or on a `ManualTime` that the test advances."""
    watched = time_source.watched() if isinstance(time_source, ManualTime) else nullcontext()
    store = Store(database, time_source)
    app = make_app(
        store, time_source=time_source, **{"bot_delay": 0.0, "limits": False, "prepare": False} | settings
    )
    with watched:
        async with app.router.lifespan_context(app):
            made = AppHarness(app)
            yield made
            for socket in made.sockets:
                await socket.close()


def in_app(database: str, work: Callable[[AppHarness], Coroutine[Any, Any, T]], **settings: Any) -> T:
    """Runs a test's work in an app of its own; `time_source` may be a `ManualTime`."""

    async def run() -> T:
        async with asyncio.timeout(4 * PATIENCE), running_app(database, **settings) as made:
            return await work(made)

    return asyncio.run(run())


class Client:
    """A person with a browser."""

    def __init__(self, harness: AppHarness, name: str, address: str = "127.0.0.1") -> None:
        self.harness, self.id, self.name, self.address = harness, new_id(), name, address
        self.token = harness.server.tokens.form_token(self.id)
        self.cookies = {COOKIE: harness.server.tokens.sign(self.id), "lang": "en"}

    @property
    def sits(self) -> tuple[str, str]:
        return self.id, self.name

    async def ask(self, method: str, path: str, **request: Any) -> httpx.Response:
        headers = {
            "Cookie": "; ".join(f"{key}={value}" for key, value in self.cookies.items()),
            "Origin": ORIGIN,
        }
        transport = httpx.ASGITransport(
            self.harness.app, raise_app_exceptions=True, client=(self.address, 123)
        )
        async with httpx.AsyncClient(transport=transport, base_url=ORIGIN) as client:
            return await client.request(method, path, headers=headers | request.pop("headers", {}), **request)

    async def get(self, path: str, **request: Any) -> httpx.Response:
        return await self.ask("GET", path, **request)

    async def post(self, path: str, **fields: str) -> httpx.Response:
        return await self.ask("POST", path, data={"token": self.token} | fields)

    async def socket(
        self, table: str, layout: str = "wide", *, hidden: bool = False, seen: int = 0, **headers: str
    ) -> Socket:
        """A socket that has been opened, and told how things stand."""
        socket = await self.connect(table, layout, hidden=hidden, seen=seen, **headers)
        await socket.view()
        return socket

    async def connect(
        self, table: str, layout: str = "wide", *, hidden: bool = False, seen: int = 0, **headers: str
    ) -> Socket:
        cookie = "; ".join(f"{key}={value}" for key, value in self.cookies.items())
        given = {"cookie": cookie, "origin": ORIGIN} | headers
        socket = Socket(self.harness.app, table, layout, given, hidden=hidden, seen=seen)
        self.harness.sockets.append(socket)
        await socket.open()
        return socket


class Socket:
    """Both ends of a socket. While `reading` is clear, nothing that the server sends gets through."""

    def __init__(
        self,
        app: FastAPI,
        table: str,
        layout: str,
        headers: dict[str, str],
        *,
        hidden: bool = False,
        seen: int = 0,
    ) -> None:
        self.app, path = app, f"/tables/{table}/socket"
        self.scope = {
            "type": "websocket",
            "asgi": {"version": "3.0"},
            "scheme": "ws",
            "path": path,
            "raw_path": quote(path).encode(),
            "root_path": "",
            "query_string": f"layout={quote(layout)}&patches=1&hidden={hidden:d}&seen={seen}".encode(),
            "headers": [
                (b"host", ORIGIN.partition("://")[2].encode()),
                *((k.encode(), v.encode()) for k, v in headers.items() if v),
            ],
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 80),
            "subprotocols": [],
            "state": {},
            "extensions": {"websocket.http.response": {}},
        }
        self._in: asyncio.Queue[Message] = asyncio.Queue()
        self._out: asyncio.Queue[Message] = asyncio.Queue()
        self.reading = asyncio.Event()
        self.reading.set()
        self.got: list[str] = []  # every text that came
        self.version, self.parts, self.ids = 0, dict[str, str](), 0
        self.lines: list[str] = []
        self.last_view: dict[str, Any] = {}
        self._in.put_nowait({"type": "websocket.connect"})
        self.task = asyncio.create_task(app(self.scope, self._in.get, self._take))

    async def _take(self, message: Message) -> None:
        await self.reading.wait()
        self._out.put_nowait(message)

    async def open(self) -> None:
        message = await self._next()
        assert message["type"] == "websocket.accept", message

    async def _next(self) -> Message:
        async with asyncio.timeout(PATIENCE):
            message = await self._out.get()
        if message["type"] == "websocket.close":
            raise SocketClosed(message.get("code", 1000))
        if message["type"] == "websocket.http.response.start":
            raise SocketClosed(0, message["status"])
        return message

    async def receive(self) -> dict[str, Any]:
        """The next message."""
        text = (await self._next())["text"]
        self.got.append(text)
        message: dict[str, Any] = json.loads(text)
        if "parts" in message:
            assert message["version"] >= self.version
            self.version, self.last_view = message["version"], message
            message["parts"] |= {
                name: apply(self.parts[name], cuts) for name, cuts in message.get("patches", {}).items()
            }
            self.parts |= message["parts"]
            self.lines[message["log"]["from"] :] = message["log"]["lines"]
        return message

    async def receive_all(self) -> list[dict[str, Any]]:
        """All that has come, once nothing more is on its way."""
        heard = []
        for _ in range(20):
            await asyncio.sleep(0)
        while not self._out.empty():
            heard.append(await self.receive())
        return heard

    async def view(self) -> dict[str, Any]:
        """The next message that shows the table."""
        while "parts" not in (message := await self.receive()):
            pass
        return message

    async def until(self, version: int) -> dict[str, Any]:
        """The view of the table at that version, or later."""
        while self.version < version:
            await self.receive()
        return self.last_view

    def send(self, **message: Any) -> int:
        self.ids += 1
        self.send_raw(json.dumps({"id": self.ids} | message))
        return self.ids

    def send_raw(self, text: str) -> None:
        self._in.put_nowait({"type": "websocket.receive", "text": text})

    def send_bytes(self, content: bytes) -> None:
        self._in.put_nowait({"type": "websocket.receive", "bytes": content})

    async def ask(self, type: str, **message: Any) -> dict[str, Any]:
        """Asks for something by the version that was last seen; what is answered to it."""
        id = self.send(type=type, **{"version": self.version} | message)
        return await self.answer(id)

    async def answer(self, id: int) -> dict[str, Any]:
        while (message := await self.receive()).get("ack") != id:
            pass
        return message

    async def close(self) -> None:
        self.reading.set()
        self._in.put_nowait({"type": "websocket.disconnect", "code": 1001})
        async with asyncio.timeout(PATIENCE):
            await self.task

    async def cut(self) -> None:
        """The line breaks: whoever handles it is stopped at once."""
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)


# Tables that never saw a store


def table_of(
    name: str,
    people: list[str | tuple[str, str]],
    *,
    id: str = "",
    **settings: Any,
) -> Table:
    """A table at which the match has begun: seats are levels of bots, or people with names."""
    options = settings.pop("options", None) or get_game(name).read_options(len(people))
    kept = TableSettings(name, options, **{"seed": secrets.token_hex(16), "creator": "maker"} | settings)
    events = [Event(1, "made", None, "maker", kept.text(), AT)]
    for seat, who in enumerate(people):
        person, kind, text = (who[0], "sit", who[1]) if isinstance(who, tuple) else (kept.creator, "bot", who)
        events.append(Event(len(events) + 1, kind, seat, person, text, AT))
    events.append(Event(len(events) + 1, "begin", None, kept.creator, "", AT))
    return from_events(id or secrets.token_urlsafe(12), events)


def random_action(match: Match, chance: random.Random) -> str:
    return chance.choice(match.actions())


def play_on(table: Table, decisions: int, chance: random.Random) -> Table:
    """The table after some random decisions, fewer if the match is over before."""
    for _ in range(decisions):
        if table.match is None or table.turn is None:
            break
        event = Event(
            table.version + 1,
            "play",
            table.turn,
            table.seats[table.turn].person,
            random_action(table.match, chance),
            AT,
        )
        table = evolve(table, event)
    return table
