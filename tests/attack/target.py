"""A server under attack on this machine, and somebody who plays there in peace: what do they feel of it?

The server is as people run it, limits and all, in a process of its own. The visitor, in another, plays at a
quiet table over a socket, from an address of their own (127.0.0.2), and notes how long each move takes. What
attacks comes from 127.0.0.1, or from `attacker(n)` if it is to be many.

    with target.visited() as visit:
        ...                                # the attack
    visit.bearable()

python -m tests.attack.target serve DATABASE PORT
python -m tests.attack.target visit URL
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests import real_time

VISITOR = "127.0.0.2"
GAME = "batavia"  # three people on one device: quick to play, and every move is theirs
PAUSE = 0.1  # seconds between the visitor's moves
FREEZE = 10.0  # seconds that no move may take, beside those for which no core was free
PATIENCE = 60.0  # seconds after which something will never happen
P99 = 0.3  # seconds, on two cores that have nothing else to do
START = 300.0  # seconds; a machine may be busy
REQUEST_SECONDS = 3.0  # here a request must arrive sooner: nobody wants to watch an attack for long

_CHOICE = re.compile(r'data-action="([^"]+)"')
_TURN = re.compile(r'data-take="(\d+)"')


def attacker(n: int) -> str:
    """The address of one of many attackers: all of 127.0.0.0/8 is this machine."""
    return f"127.0.{1 + n // 250}.{1 + n % 250}"


@dataclass
class Visit:
    """What the visitor has felt: the seconds that each of their moves has taken."""

    times: list[float] = field(default_factory=list)
    pending: float = 0.0  # how long the last one had waited when the attack was over

    @property
    def worst(self) -> float:
        return max([*self.times, self.pending])

    @property
    def p50(self) -> float:
        return self._share(0.5)

    @property
    def p99(self) -> float:
        return self._share(0.99)

    def _share(self, share: float) -> float:
        """Of all moves; the last counts for as long as it has waited."""
        found = sorted([*self.times, self.pending] if self.pending > self.longest_done else self.times)
        return found[int(share * (len(found) - 1) + 0.5)] if found else 0.0

    @property
    def longest_done(self) -> float:
        return max(self.times, default=0.0)

    def bearable(self, *, quick: bool = False) -> None:
        """Nobody was stopped. `quick`: nobody has noticed anything; for a machine without other work."""
        assert self.times, "the visitor has not made one move"
        assert self.worst < FREEZE, f"a move took {self.worst:.1f} s"
        if quick:
            assert self.p99 < P99, f"p99 of {len(self.times)} moves: {1000 * self.p99:.0f} ms"


class Target:
    """A server to be attacked."""

    processes = 1  # of several each takes what comes: an attack on all of them needs more connections

    def __init__(self, folder: Path) -> None:
        self.database = f"sqlite:///{folder / 'comptoir.sqlite'}"
        self.log = folder / "log"
        self.port = _free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._server: subprocess.Popen[str] | None = None
        self._visitor: subprocess.Popen[str] | None = None

    # The server

    def start(self, **environment: str) -> None:
        with self.log.open("a") as log:
            self._server = _begin("serve", self.database, str(self.port), log=log, **environment)
        end = time.monotonic() + START
        while not self.answers():
            if self._server.poll() is not None or time.monotonic() > end:
                pytest.fail(f"the server does not start:\n{self.log.read_text()}", pytrace=False)
            time.sleep(0.05)

    def answers(self) -> bool:
        with contextlib.suppress(httpx.HTTPError):
            transport = httpx.HTTPTransport(local_address=VISITOR)
            with httpx.Client(transport=transport, base_url=self.url, timeout=5) as client:
                return client.get("/health").status_code == 200
        return False

    def stop(self) -> None:
        for process in (self._visitor, self._server):
            if process is not None:
                process.terminate()
                process.wait(120)
                for pipe in (process.stdin, process.stdout):
                    if pipe is not None:
                        pipe.close()
        self._visitor = self._server = None

    def restart(self, **environment: str) -> None:
        self.stop()
        self.start(**environment)

    @property
    def memory(self) -> int:
        """What the server has in memory, in MB."""
        assert self._server is not None
        status = Path(f"/proc/{self._server.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0]) // 1024

    def stopwatch(self) -> real_time.Stopwatch:
        """Measures how long the server and we take for something."""
        assert self._server is not None
        return real_time.Stopwatch(self._server.pid, "self")

    def failures(self) -> list[str]:
        """What the server itself has found wrong. Its log has a JSON object a line."""
        lines = [json.loads(line) for line in self.log.read_text().splitlines() if line.startswith("{")]
        return [str(line) for line in lines if line["level"] in ("error", "critical")]

    # The visitor

    @contextmanager
    def visited(self) -> Iterator[Visit]:
        """Somebody plays there in the meantime."""
        if self._visitor is None:
            with self.log.open("a") as log:
                assert self._server is not None
                self._visitor = _begin("visit", self.url, str(self._server.pid), log=log)
            assert self._told() == "seated"
        visit = Visit()
        self._tell("play")
        try:
            yield visit
        finally:
            self._tell("rest")
            told = self._told()
            visit.times, visit.pending = told["times"], told["pending"]

    def _tell(self, word: str) -> None:
        assert self._visitor is not None
        assert self._visitor.stdin is not None
        print(word, file=self._visitor.stdin, flush=True)

    def _told(self) -> Any:
        assert self._visitor is not None
        assert self._visitor.stdout is not None
        line = self._visitor.stdout.readline()
        if not line:
            pytest.fail(f"the visitor is gone:\n{self.log.read_text()[-2000:]}", pytrace=False)
        return json.loads(line)

    # Attackers

    def client(self, address: str = "127.0.0.1", **settings: Any) -> httpx.AsyncClient:
        """Somebody with a browser."""
        return httpx.AsyncClient(
            transport=httpx.AsyncHTTPTransport(
                local_address=address, limits=httpx.Limits(max_connections=200)
            ),
            base_url=self.url,
            headers={"Origin": self.url} | settings.pop("headers", {}),
            **{"timeout": 60.0} | settings,
        )


async def form_token(client: httpx.AsyncClient) -> str:
    """What forms of this person carry."""
    page = (await client.get("/replay")).text
    found = re.search(r'name="token" value="([^"]+)"', page)
    assert found is not None
    return found[1]


def _begin(*arguments: str, log: Any, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.attack.target", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE if arguments[0] == "visit" else log,
        stderr=log,
        text=True,
        env={**os.environ, **environment},
    )


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


# In the server's process


def serve(database: str, port: str) -> None:
    """As `comptoir serve`, but that bots, or the rules of a game, are compiled only if that is asked for, and
    that slow requests are given up sooner.
    """
    from functools import partial

    import uvicorn

    from comptoir.engine.game import get_game
    from comptoir.engine.precompile import MATCH_TARGET
    from comptoir.web.http import app
    from comptoir.web.ops.connection_limits import LimitedH11Protocol, uvicorn_settings

    os.environ["COMPTOIR_DATABASE"] = database
    LimitedH11Protocol.request_seconds = REQUEST_SECONDS
    if game := os.environ.get("COMPTOIR_COMPILED_RULES"):
        MATCH_TARGET.prepare(get_game(game))
    app.make_app = partial(app.make_app, prepare=bool(os.environ.get("COMPTOIR_COMPILED_BOTS")))
    uvicorn.run(app.from_environment(), port=int(port), **uvicorn_settings())


# In the visitor's process


class Visitor:
    """Plays on, a move every now and then, and notes how long each takes until it is seen."""

    def __init__(self, url: str, server: str) -> None:
        self.url, self.times, self.since = url, list[float](), 0.0
        self._server = server  # its process
        self.watch = self._stopwatch()
        self.began = 0.0  # when this run did; a move from before it does not count
        self.playing, self.moved = asyncio.Event(), asyncio.Event()
        self._choices, self._version, self._turn, self._ids = list[str](), 0, 0, 0

    def _stopwatch(self) -> real_time.Stopwatch:
        return real_time.Stopwatch(self._server, "self")

    async def run(self) -> None:
        commands = asyncio.Queue[str]()
        loop = asyncio.get_running_loop()
        loop.add_reader(sys.stdin, lambda: commands.put_nowait(sys.stdin.readline().strip()))
        await self._sit()
        print(json.dumps("seated"), flush=True)
        playing = asyncio.create_task(self._play_on())
        while (word := await commands.get()) != "":
            if playing.done():
                playing.result()
            if word == "play":
                if self.line.close_code is not None:  # who says nothing for long is given up
                    await self._sit()
                self.times, self.began = [], time.monotonic()
                self.watch = self._stopwatch()
                self.moved.clear()
                self.playing.set()
            else:
                with contextlib.suppress(TimeoutError):  # an attack may be over before the first move is
                    await asyncio.wait_for(self.moved.wait(), PATIENCE)
                self.playing.clear()
                # without a single move the whole run was a wait, be it for a seat at a new table
                pending = self.watch.seconds if self.since or not self.times else 0.0
                print(json.dumps({"times": self.times, "pending": pending}), flush=True)

    async def _sit(self) -> None:
        """A table for three people who share this device, and a line to it."""
        from websockets.asyncio.client import connect
        from websockets.typing import Origin

        transport = httpx.AsyncHTTPTransport(local_address=VISITOR)
        async with httpx.AsyncClient(transport=transport, base_url=self.url, timeout=60) as client:
            made = await client.post(
                "/api/tables", json={"game": GAME, "seats": ["me"] * 3}, headers={"Origin": self.url}
            )
            made.raise_for_status()
            cookies = "; ".join(f"{key}={value}" for key, value in client.cookies.items())
        self.line = await connect(
            f"{self.url.replace('http', 'ws', 1)}/tables/{made.json()['id']}/socket",
            additional_headers={"Cookie": cookies},
            origin=Origin(self.url),
            local_addr=(VISITOR, 0),
            max_size=None,
            ping_interval=None,
        )
        await self._view()

    async def _play_on(self) -> None:
        from websockets.exceptions import WebSocketException

        chance = random.Random(1)
        while True:
            await self.playing.wait()
            try:
                done = await self._move(chance)
            except (httpx.HTTPError, OSError, WebSocketException):
                done = False  # the connection broke: the time until there is a new one counts too
            if not done:
                await self._sit_again()
            if self.since:
                if self.since >= self.began:
                    self.times.append(self.watch.seconds)
                self.since = 0.0
                self.moved.set()
            await real_time.elapse(PAUSE)

    async def _move(self, chance: random.Random) -> bool:
        """One move, until it is seen; False if the match is over. Its time begins with taking the device."""
        self.since, self.watch = time.monotonic(), self._stopwatch()
        if not await self._take():
            self.since = 0.0
            return False
        action = chance.choice(self._choices)
        self._ids += 1
        await self._send(type="play", version=self._version, action=action, id=self._ids)
        while (await self._view()).get("ack") != self._ids:
            pass
        return True

    async def _sit_again(self) -> None:
        from websockets.exceptions import WebSocketException

        while True:
            with contextlib.suppress(httpx.HTTPError, OSError, WebSocketException):
                await self.line.close()
                await self._sit()
                return
            await real_time.elapse(0.5)

    async def _take(self) -> bool:
        """Whose turn it is takes the device in hand; False if the match is over."""
        while not self._choices:
            if not self._yours:
                return False
            await self._send(type="take_device", seat=self._turn)
            await self._view()
        return True

    async def _send(self, **message: Any) -> None:
        await self.line.send(json.dumps(message))

    async def _view(self) -> dict[str, Any]:
        """The next that shows the table."""
        while "parts" not in (message := json.loads(await self.line.recv())):
            pass
        parts = message["parts"]
        self._version, self._yours = message["version"], message["yours"]
        if "choices" in parts:
            self._choices = _CHOICE.findall(parts["choices"])
        if found := _TURN.search("".join(parts.values())):
            self._turn = int(found[1])
        return dict(message)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    if sys.argv[1] == "serve":
        serve(*sys.argv[2:])
    else:
        asyncio.run(Visitor(*sys.argv[2:]).run())
