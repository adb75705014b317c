"""Random faults under play: is anything acknowledged lost, is any table left behind?

    python bench/faults.py                                     200 faults, 16 tables
    python bench/faults.py --kills 20 --parts worker,database --seed 3
    python bench/faults.py --kills 200 --minutes 90 --json

Starts PostgreSQL, `comptoir serve --workers 2`, `comptoir bots-worker` and Caddy on this machine, all on the
loopback address, and plays through Caddy at many tables, with people at two processes and bots of several
levels. Then it kills or hinders one part after the other, at random by a seed. What ends is started again as
systemd would start it. After each fault it waits until the parts answer again and checks that

- every acknowledged action is stored, in its place;
- 20 seconds later no table is behind its store, in either worker or on any page;
- play goes on at every table;
- no page was shown an older version than it had seen;
- exit codes are those in the documentation: 0 or 143 only after SIGTERM.

At the end all events are replayed and compared with what the rows say. The exit code is 1 if anything failed.
COMPTOIR_KEEP_STACK=1 leaves the logs in their temporary folder.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import random
import re
import signal
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from typing import Any

import httpx
import psycopg
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException
from websockets.typing import Origin

sys.path.insert(0, str(Path(__file__).parents[1]))

from comptoir.web.domain.evolve import from_events
from comptoir.web.storage.store import Store
from tests.attack.stack import Prober, Stack

SEATINGS = (
    ("marco_polo", ["me", "free"]),
    ("century", ["me", "merchant"]),
    ("sail_to_india", ["me", "free", "clerk"]),
    ("batavia", ["me", "clerk", "captain"]),
    ("century", ["me", "free"]),
    ("batavia", ["me", "free", "merchant"]),
    ("marco_polo", ["me", "clerk", "free"]),
)
THINKING = (0.2, 1.2)  # seconds between what a person sees and their next action
BEHIND = 20.0  # seconds after a fault in which every process must have read on
STUCK = 60.0  # seconds after a fault in which every table must have gone on
BACK = 180.0  # seconds in which all parts must answer again
# as static/connection.js
BEAT, SILENCE, FIRST_WAIT, MAX_WAIT = 5.0, 10.0, 0.5, 8.0
CLOSED_FOR_GOOD = (4404, 4401)

LEGAL = re.compile(r'data-action="([^"]*)"')
TOKEN = re.compile(r'name="token" value="([^"]+)"')


def say(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


# People


@dataclass(frozen=True)
class Deed:
    """An action at the version that its person has seen."""

    table: str
    version: int
    action: str
    id: int


@dataclass
class Play:
    """All that people have done and seen."""

    url: str
    chance: random.Random
    acknowledged: list[Deed] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    stepped_back: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    tables: dict[str, Sitting] = field(default_factory=dict)  # that are being played
    all_tables: list[str] = field(default_factory=list)
    people: int = 0
    fault: str = ""  # the last one

    def address(self) -> str:
        """Each person comes from an address of their own: Caddy tells the server which."""
        self.people += 1
        return f"127.{1 + self.people // 62500}.{1 + self.people // 250 % 250}.{1 + self.people % 250}"

    async def keep_playing(self, nth: int) -> None:
        """One table after the other, each to its end or until it is given up."""
        while True:
            game, seats = SEATINGS[nth % len(SEATINGS)]
            nth += 1
            sitting = await self._sit(game, seats)
            self.tables[sitting.id] = sitting
            self.all_tables.append(sitting.id)
            try:
                await asyncio.gather(*(page.run() for page in sitting.pages))
            finally:
                self.tables.pop(sitting.id, None)

    async def _sit(self, game: str, seats: list[str]) -> Sitting:
        creator, guests = Person(self), [Person(self) for seat in seats if seat == "free"]
        made = await creator.ask("POST", "/api/tables", {201}, json={"game": game, "seats": seats})
        id = str(made.json()["id"])
        for guest in guests:
            token = await guest.token()
            fields = {"token": token, "seat": str(seats.index("free")), "name": "Bruno"}
            for what in ("sit", "begin"):
                await guest.ask("POST", f"/tables/{id}/{what}", {303, 409}, data=fields)
        sitting = Sitting(id, game)
        sitting.pages = [Page(self, sitting, person) for person in (creator, *guests)]
        return sitting


class Person:
    """A browser with its cookie, at an address of its own."""

    def __init__(self, play: Play) -> None:
        self.play, self.address = play, play.address()
        self.cookies = httpx.Cookies()

    async def ask(self, method: str, path: str, wanted: set[int], **request: Any) -> httpx.Response:
        """A request, repeated until it is answered as it should be: some part may be down just now."""
        while True:
            with contextlib.suppress(httpx.TransportError):
                transport = httpx.AsyncHTTPTransport(local_address=self.address)
                async with httpx.AsyncClient(
                    transport=transport, base_url=self.play.url, cookies=self.cookies, timeout=10
                ) as client:
                    headers = {"Origin": self.play.url}
                    answer = await client.request(method, path, headers=headers, **request)
                    self.cookies.update(client.cookies)
                if answer.status_code in wanted:
                    return answer
                if answer.status_code < 500 and answer.status_code != 429:
                    self.play.failed.append(f"{method} {path}: {answer.status_code} {answer.text[:200]}")
            await asyncio.sleep(0.5)

    async def token(self) -> str:
        found = TOKEN.search((await self.ask("GET", "/replay", {200})).text)
        assert found is not None
        return found[1]

    @property
    def cookie(self) -> str:
        return "; ".join(f"{key}={value}" for key, value in self.cookies.items())


@dataclass
class Sitting:
    """A table that is played."""

    id: str
    game: str
    pages: list[Page] = field(default_factory=list)
    over: bool = False


class Page:
    """One person's page at one table: what static/connection.js does, and a finger that taps."""

    def __init__(self, play: Play, sitting: Sitting, person: Person) -> None:
        self.play, self.sitting, self.person = play, sitting, person
        self.deed: Deed | None = None
        self.version, self.ids, self.heard, self.opened = 0, 0, 0.0, 0.0
        self.shown: int | None = None  # the version that the open socket has shown; none while it is closed
        self.resent = False
        self.parts: dict[str, str] = {}

    async def run(self) -> None:
        wait = FIRST_WAIT
        while not self.sitting.over:
            heard = self.heard
            try:
                async with self._socket() as socket:
                    await self._at_table(socket)
                if socket.close_code in CLOSED_FOR_GOOD and not self.sitting.over:
                    self.play.failed.append(f"{self.sitting.id}: closed with {socket.close_code}")
            except (OSError, EOFError, TimeoutError, WebSocketException):
                pass
            self.shown = None
            if self.sitting.over:
                return
            self.play.counts["connections lost"] += 1
            wait = FIRST_WAIT if self.heard > heard else wait
            await asyncio.sleep(wait * (0.75 + self.play.chance.random() / 2))
            wait = min(2 * wait, MAX_WAIT)

    def _socket(self) -> connect:
        # what the page has seen, for a server that reads on until it knows as much
        address = (
            f"{self.play.url.replace('http', 'ws', 1)}/tables/{self.sitting.id}/socket?seen={self.version}"
        )
        return connect(
            address,
            origin=Origin(self.play.url),
            additional_headers={"Cookie": self.person.cookie},
            local_addr=(self.person.address, 0),
            open_timeout=10,
            close_timeout=1,
            ping_interval=None,
            max_size=None,
        )

    async def _at_table(self, socket: ClientConnection) -> None:
        self.parts, self.opened = {}, time.monotonic()
        if self.deed is not None:
            self.resent = True
            await socket.send(self._text(self.deed))
        works = [asyncio.create_task(work) for work in (self._hear(socket), self._beat(socket))]
        try:
            await asyncio.wait(works, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for work in works:
                work.cancel()
            await asyncio.gather(*works, return_exceptions=True)

    async def _beat(self, socket: ClientConnection) -> None:
        """A socket that says nothing for long is dead, though nobody has closed it."""
        while time.monotonic() - max(self.heard, self.opened) < SILENCE and not self.sitting.over:
            await asyncio.sleep(BEAT)
            await socket.send('{"type":"ping","hidden":false}')

    async def _hear(self, socket: ClientConnection) -> None:
        tapping: asyncio.Task[None] | None = None
        try:
            async for text in socket:
                self.heard = time.monotonic()
                message = json.loads(text)
                if self.deed is not None and message.get("ack") == self.deed.id:
                    self._answered(self.deed, message)
                if "parts" in message:
                    self._see(message)
                if self.sitting.over:
                    return
                if self.deed is None and (tapping is None or tapping.done()):
                    tapping = asyncio.create_task(self._tap(socket))
        finally:
            if tapping is not None:
                tapping.cancel()

    def _answered(self, deed: Deed, message: dict[str, Any]) -> None:
        if "parts" in message:
            self.play.acknowledged.append(deed)
        elif message["type"] == "refused":
            self.play.counts["refused after sending again" if self.resent else "refused"] += 1
        else:
            self.play.counts[f"answered: {message['say']}"] += 1
        self.deed = None

    def _see(self, message: dict[str, Any]) -> None:
        version = int(message["version"])
        if version < self.version:
            self.play.stepped_back.append(
                f"{self.sitting.id} {self.version} → {version} after {self.play.fault}"
            )
        self.version, self.shown = max(version, self.version), version
        if (
            self.deed is not None and version > self.deed.version
        ):  # done or overtaken, as connection.js has it
            self.play.counts["overtaken"] += 1
            self.deed = None
        self.parts |= message["parts"]
        if 'data-state="over"' in self.parts.get("notice", ""):
            self.sitting.over = True

    async def _tap(self, socket: ClientConnection) -> None:
        """Chooses among what is offered, after a moment. While there is nothing to choose, it waits."""
        await asyncio.sleep(self.play.chance.uniform(*THINKING))
        legal = LEGAL.findall(self.parts.get("choices", ""))
        if legal and self.deed is None and self.shown is not None:
            self.ids, self.resent = self.ids + 1, False
            action = unescape(self.play.chance.choice(legal))
            self.deed = Deed(self.sitting.id, self.shown, action, self.ids)
            with contextlib.suppress(WebSocketException, OSError):
                await socket.send(self._text(self.deed))

    @staticmethod
    def _text(deed: Deed) -> str:
        return json.dumps({"type": "play", "version": deed.version, "action": deed.action, "id": deed.id})


# Faults


@dataclass
class Faults:
    """Each method does its harm and returns once nothing hinders the stack any more."""

    stack: Stack
    chance: random.Random

    async def worker(self) -> str:
        return self._kill_workers(1)

    async def workers(self) -> str:
        return self._kill_workers(2)

    def _kill_workers(self, count: int) -> str:
        pids = self.stack.worker_pids
        chosen = self.chance.sample(pids, min(count, len(pids)))
        for pid in chosen:
            _kill(pid)
        return f"kill -9 of {len(chosen)} workers"

    async def server(self) -> str:
        self.stack.server.signal("SIGKILL")
        return "kill -9 of the server's parent"

    async def stop(self) -> str:
        self.stack.server.signal("SIGTERM")
        await self._ended(self.stack.server.pid)
        return "SIGTERM of the server"

    async def bots(self) -> str:
        self.stack.bots.signal("SIGKILL")
        return "kill -9 of the bots' worker"

    async def bots_stop(self) -> str:
        self.stack.bots.signal("SIGTERM")
        await self._ended(self.stack.bots.pid)
        return "SIGTERM of the bots' worker"

    async def caddy(self) -> str:
        self.stack.caddy.signal("SIGKILL")
        return "kill -9 of Caddy"

    async def database(self) -> str:
        return await self._down(self.chance.uniform(0.5, 5.0))

    async def outage(self) -> str:
        return await self._down(30.0)

    async def _down(self, seconds: float, also: str = "") -> str:
        await asyncio.to_thread(self.stack.database.crash)
        if also:
            self._kill_workers(1)
        await asyncio.sleep(seconds)
        await asyncio.to_thread(self.stack.database.start)
        return f"kill -9 of PostgreSQL, down for {seconds:.1f} s{also}"

    async def outage_at_start(self) -> str:
        """A worker that must start while the database is down."""
        return await self._down(self._start(), " with a killed worker")

    def _start(self) -> float:
        """Long enough for a worker's start to come to the database, on a busy machine too."""
        return max(self.chance.uniform(6.0, 15.0), min(60.0, 1.2 * self.stack.start_seconds))

    async def hang(self) -> str:
        seconds = self.chance.uniform(2.0, 12.0)
        stopped = self.stack.database.freeze()
        try:
            await asyncio.sleep(seconds)
        finally:
            self.stack.database.thaw(stopped)
        return f"PostgreSQL hangs for {seconds:.1f} s"

    async def shortage(self) -> str:
        await asyncio.to_thread(self.stack.database.shorten)
        return f"no new connections for {await self._short(self.chance.uniform(0.5, 10.0))}"

    async def shortage_at_start(self) -> str:
        """A worker that must start, with a connection for its pool and none to listen on."""
        self._kill_workers(1)
        await asyncio.sleep(0.2)
        await asyncio.to_thread(self.stack.database.leave_room, 1)
        seconds = await self._short(self._start())
        return f"1 more connection for {seconds} with a killed worker"

    async def _short(self, seconds: float) -> str:
        try:
            await asyncio.sleep(seconds)
        finally:
            await asyncio.to_thread(self.stack.database.lift)
        return f"{seconds:.1f} s"

    async def _ended(self, pid: int) -> None:
        end = time.monotonic() + 30
        while Path(f"/proc/{pid}").exists() and time.monotonic() < end:
            await asyncio.sleep(0.05)


def _kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


PARTS: dict[str, dict[str, float]] = {  # the faults of each part, with their weights
    "worker": {"worker": 2, "workers": 1},
    "server": {"server": 1, "stop": 1},
    "bots": {"bots": 3, "bots_stop": 1},
    "database": {
        "database": 4,
        "outage": 0.7,
        "outage_at_start": 1,
        "hang": 1.5,
        "shortage": 3,
        "shortage_at_start": 2,
    },
    "caddy": {"caddy": 1},
}


def schedule(parts: list[str], kills: int, chance: random.Random) -> list[str]:
    """As many faults as asked for: a part by chance, then one of its faults by weight."""
    chosen = []
    for _ in range(kills):
        kinds = PARTS[chance.choice(parts)]
        chosen += chance.choices(list(kinds), list(kinds.values()))
    return chosen


# Checks


@dataclass
class Report:
    """The findings; `wrong` says whether any promise was broken."""

    seed: int
    tables: int
    faults: Counter[str] = field(default_factory=Counter)
    recovery: dict[str, list[float]] = field(default_factory=dict)  # seconds until play was whole again
    acknowledged: int = 0
    events: int = 0
    tables_played: int = 0
    lost: list[str] = field(default_factory=list)
    behind: list[str] = field(default_factory=list)
    stuck: list[str] = field(default_factory=list)
    down: list[str] = field(default_factory=list)
    stepped_back: list[str] = field(default_factory=list)
    differing: list[str] = field(default_factory=list)
    exits: Counter[str] = field(default_factory=Counter)
    undocumented: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    minutes: float = 0.0

    @property
    def wrong(self) -> bool:
        return any(getattr(self, name) for name in self.BROKEN)

    BROKEN = ("lost", "behind", "stuck", "down", "stepped_back", "differing", "undocumented", "failed")

    def to_dict(self) -> dict[str, Any]:
        plain = {name: value for name, value in vars(self).items() if name != "recovery"}
        plain["recovery_seconds"] = {
            kind: {"median": sorted(found)[len(found) // 2], "most": max(found)}
            for kind, found in self.recovery.items()
        }
        return plain | {"wrong": self.wrong}

    def text(self) -> str:
        lines = [f"{sum(self.faults.values())} faults in {self.minutes:.1f} minutes, seed {self.seed}"]
        for kind, count in sorted(self.faults.items()):
            seconds = sorted(self.recovery.get(kind, []))
            told = (
                f"  whole again after {seconds[len(seconds) // 2]} s, at most {seconds[-1]} s"
                if seconds
                else ""
            )
            lines.append(f"  {kind:20}{count:4}{told}")
        lines.append(
            f"{self.tables_played} tables, {self.events} events, {self.acknowledged} acknowledged actions"
        )
        lines.append(f"exits: {dict(self.exits)}")
        lines.append(f"pages: {dict(self.counts)}")
        for name in self.BROKEN:
            found = getattr(self, name)
            lines.append(f"{name.replace('_', ' ')}: {len(found)}")
            lines += [f"  {one}" for one in found[:20]]
        return "\n".join(lines)


class Watch:
    """Compares what is acknowledged, shown and answered with what is stored."""

    def __init__(self, stack: Stack, play: Play, report: Report) -> None:
        self.stack, self.play, self.report = stack, play, report
        self.prober = Prober(stack)
        self._checked = 0

    async def stored(self, ids: list[str]) -> dict[str, int]:
        """The versions in the store, asked for until it answers."""
        while True:
            try:
                return await asyncio.to_thread(self._stored, ids)
            except psycopg.Error:
                await asyncio.sleep(0.2)

    def _stored(self, ids: list[str]) -> dict[str, int]:
        with self.stack.database.admin() as connection:
            return dict(
                connection.execute(
                    "SELECT table_id, max(version) FROM events WHERE table_id = ANY(%s) GROUP BY table_id",
                    [ids],
                ).fetchall()
            )

    async def whole(self, what: str, began: float) -> float | None:
        """Waits until all parts answer, nobody is behind and play goes on. How long that took since the fault
        was over; None if it did not come to that.
        """
        if not await self._back(what):
            return None
        back = time.monotonic()
        level, gone_on = await asyncio.gather(self._level(what, back), self._goes_on(what, back))
        await self._check_acknowledged(what)
        return round(time.monotonic() - began, 1) if level and gone_on else None

    async def _back(self, what: str) -> bool:
        end = time.monotonic() + BACK
        while True:
            answering = await self.prober.processes()
            up = [unit.is_ready() for unit in self.stack.units]
            if len(answering) == self.stack.workers and all(up) and await self._through_caddy():
                return True
            if time.monotonic() > end:
                states = {unit.name: ready for unit, ready in zip(self.stack.units, up, strict=True)}
                self.report.down.append(f"{what}: {len(answering)} workers answer, {states}")
                return False
            await asyncio.sleep(0.2)

    async def _through_caddy(self) -> bool:
        with contextlib.suppress(httpx.HTTPError):
            async with httpx.AsyncClient(base_url=self.play.url, timeout=5) as client:
                return (await client.get("/health")).status_code == 200
        return False

    async def _level(self, what: str, back: float) -> bool:
        """Every process and every page knows what the store knew when all parts were back."""
        stored = await self.stored(list(self.play.tables))
        behind = await self._behind(stored)
        while behind and time.monotonic() < back + BEHIND + self._patience(behind):
            await asyncio.sleep(0.3)
            behind = await self._behind({id: stored[id] for id in behind})
        for id, by in behind.items():
            later = await self._heals(id, stored[id])
            self.report.behind.append(f"{id} after {what}: stored {stored[id]}, {by}; {later}")
        return not behind

    @staticmethod
    def _patience(behind: dict[str, str]) -> float:
        """A page may be waiting for its next try to connect; on a busy machine that takes a while, too."""
        return 3 * MAX_WAIT if all(by.startswith("not connected") for by in behind.values()) else 0.0

    async def _behind(self, stored: dict[str, int]) -> dict[str, str]:
        """The tables that some process or page has not read so far, with whoever has not."""
        found = {}
        for pid in await self.prober.processes():
            for id, version in stored.items():
                answer = await self.prober.get(pid, f"/api/tables/{id}")
                known = json.loads(answer)["version"] if answer is not None else None
                if known is None or known < version:
                    found[id] = f"worker {pid} answers {known}"
        for id, version in stored.items():
            sitting = self.play.tables.get(id)
            if sitting is not None and not sitting.over:
                shown = [page.shown for page in sitting.pages]
                if any(one is not None and one < version for one in shown):
                    found.setdefault(id, f"pages show {shown}")
                elif None in shown:
                    found.setdefault(id, f"not connected: pages show {shown}")
        return found

    async def _heals(self, id: str, version: int) -> str:
        """Whether it recovers within another half minute; else it is given up."""
        began = time.monotonic()
        while time.monotonic() < began + 30:
            if not await self._behind({id: version}):
                return f"right again after {time.monotonic() - began:.0f} s more"
            await asyncio.sleep(1)
        self._give_up(id)
        return "still so 30 s later"

    async def _goes_on(self, what: str, back: float) -> bool:
        """Something happens at every table."""
        before = await self.stored(list(self.play.tables))
        still = set(before)
        while still and time.monotonic() < back + STUCK:
            await asyncio.sleep(0.3)
            now = await self.stored(list(still))
            still = {id for id in still if now[id] == before[id] and id in self.play.tables}
        for id in still:
            sitting = self.play.tables[id]
            told = [(page.shown, page.deed, page.parts.get("sentence", "")[:80]) for page in sitting.pages]
            self.report.stuck.append(f"{id} ({sitting.game}) after {what}: stored {before[id]}, pages {told}")
            self._give_up(id)
        return not still

    def _give_up(self, id: str) -> None:
        """Plays elsewhere, so that one stuck table is found once."""
        if sitting := self.play.tables.get(id):
            sitting.over = True

    async def _check_acknowledged(self, what: str) -> None:
        """All that was acknowledged since the last look is stored in its place."""
        new = self.play.acknowledged[self._checked :]
        self._checked += len(new)
        for lost in await asyncio.to_thread(self._lost, new):
            self.report.lost.append(f"{lost} after {what}")

    def _lost(self, deeds: list[Deed]) -> list[Deed]:
        lost = []
        with self.stack.database.admin() as connection:
            for deed in deeds:
                found = connection.execute(
                    "SELECT kind, text FROM events WHERE table_id = %s AND version = %s",
                    [deed.table, deed.version + 1],
                ).fetchone()
                if found != ("play", deed.action):
                    lost.append(deed)
        return lost

    def check_all(self) -> None:
        """All acknowledged actions once more, all events without gaps, and a replay of every table."""
        self.report.lost += [f"{deed} at the end" for deed in self._lost(self.play.acknowledged)]
        store = Store(self.stack.database.url)
        try:
            for id in self.play.all_tables:
                self._check_table(store, id)
        finally:
            store.close()

    def _check_table(self, store: Store, id: str) -> None:
        for _ in range(20):
            row, told = store.tables.find(id), store.events.read(id)
            if row is not None and row.version == len(told):
                break
            time.sleep(0.2)  # bots may still be playing there
        self.report.events += len(told)
        if [event.version for event in told] != list(range(1, len(told) + 1)):
            self.report.differing.append(f"{id}: there are gaps")
        elif from_events(id, told).row() != row:
            self.report.differing.append(f"{id}: the row is not what its events make")


# The run


async def under_fire(stack: Stack, options: argparse.Namespace, report: Report) -> None:
    chance = random.Random(options.seed)
    kinds = options.faults.split(",") if options.faults else []
    plan = kinds or schedule(options.parts.split(","), options.kills, chance)
    play = Play(stack.url, random.Random(options.seed + 1))
    games = [asyncio.create_task(play.keep_playing(nth)) for nth in range(options.tables)]
    faults, watch = Faults(stack, chance), Watch(stack, play, report)
    end = time.monotonic() + 60 * options.minutes
    try:
        await _until(lambda: len(play.tables) == options.tables and len(play.acknowledged) > 2, games)
        say(f"{options.tables} tables are played")
        for nth, kind in enumerate(plan):
            if time.monotonic() > end:
                say("the time is over")
                break
            await asyncio.sleep(chance.uniform(0.0, 2.0))
            play.fault = kind
            harm: Callable[[], Awaitable[str]] = getattr(faults, kind)
            what = await harm()
            play.fault = what
            report.faults[kind] += 1
            if chance.random() < options.double:  # the next one comes before all is well again
                say(f"{nth + 1}/{len(plan)} {what}; the next comes at once")
                continue
            seconds = await watch.whole(what, time.monotonic())
            if seconds is not None:
                report.recovery.setdefault(kind, []).append(seconds)
            _check(games)
            say(
                f"{nth + 1}/{len(plan)} {what}: "
                + (f"whole again after {seconds} s" if seconds is not None else "NOT WHOLE AGAIN")
                + f"; {len(play.acknowledged)} acknowledged, {len(report.lost)} lost, {len(report.behind)} behind,"
                f" {len(report.stuck)} stuck, {len(play.stepped_back)} stepped back"
            )
        await watch.whole("the last fault", time.monotonic())
    finally:
        for game in games:
            game.cancel()
        await asyncio.gather(*games, return_exceptions=True)
        watch.prober.close()
        report.acknowledged, report.counts = len(play.acknowledged), play.counts
        report.stepped_back, report.failed = play.stepped_back, play.failed
        report.tables_played = len(play.all_tables)
    await asyncio.sleep(1)  # what was sent last may still be written
    await asyncio.to_thread(watch.check_all)


async def _until(true: Callable[[], bool], games: list[asyncio.Task[None]]) -> None:
    end = time.monotonic() + BACK
    while not true():
        if time.monotonic() > end:
            raise SystemExit("nobody can play on the stack, even before the first fault")
        _check(games)
        await asyncio.sleep(0.1)


def _check(games: list[asyncio.Task[None]]) -> None:
    for game in games:
        if game.done():
            game.result()


def run(options: argparse.Namespace) -> Report:
    report = Report(options.seed, options.tables)
    began = time.monotonic()
    with Stack(say=say) as stack:
        asyncio.run(under_fire(stack, options, report))
        for ended in stack.exits:
            report.exits[f"{ended.part}: {ended.code} ({ended.asked or 'unasked'})"] += 1
            if not ended.documented:
                report.undocumented.append(str(ended))
    report.minutes = round((time.monotonic() - began) / 60, 1)
    return report


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=200, metavar="N", help="number of faults (200)")
    parser.add_argument(
        "--parts",
        default=",".join(PARTS),
        metavar="NAME,…",
        help=f"parts to harm (default: all of {', '.join(PARTS)})",
    )
    parser.add_argument(
        "--faults",
        metavar="NAME,…",
        help="exactly these faults in this order, instead of --kills and --parts: "
        + ", ".join(kind for kinds in PARTS.values() for kind in kinds),
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    parser.add_argument("--tables", type=int, default=16, metavar="N", help="tables played at once (16)")
    parser.add_argument(
        "--double",
        type=float,
        default=0.1,
        metavar="SHARE",
        help="share of faults that come before the last one is over (0.1)",
    )
    parser.add_argument("--minutes", type=float, default=240.0, metavar="N", help="stop after (240)")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    options = parser.parse_args()
    for name in options.parts.split(","):
        if name not in PARTS:
            parser.error(f"--parts: expected some of {', '.join(PARTS)}; got {name}")
    known = [kind for kinds in PARTS.values() for kind in kinds]
    for name in (options.faults or "").split(","):
        if name and name not in known:
            parser.error(f"--faults: expected some of {', '.join(known)}; got {name}")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that all parts are stopped
    report = run(options)
    print(json.dumps(report.to_dict(), ensure_ascii=False) if options.json else report.text(), flush=True)
    return 1 if report.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
