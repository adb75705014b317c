"""`comptoir serve --workers 2` on PostgreSQL, as hosts run it: what its processes know, count and survive."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import psycopg
import pytest
import websockets
from websockets.typing import Origin

from tests.web.conftest import Postgres, free_port

START = 300.0  # seconds until both serve, on a machine with much other work
PASSWORD, TOKEN = "clubpass", "admin-token-hush"


class Club:
    """The server and its database. Its role is not the superuser: PostgreSQL may run out of connections for
    it.
    """

    def __init__(self, postgres: Postgres, folder: Path) -> None:
        self.postgres, self.port, self.log = postgres, free_port(), folder / "log"
        self.url = f"http://127.0.0.1:{self.port}"
        self.sql("CREATE ROLE club LOGIN", "CREATE DATABASE club OWNER club")
        (folder / "database").write_text(f"postgresql://club:{PASSWORD}@127.0.0.1:{postgres.port}/club\n")
        (folder / "token").write_text(f"{TOKEN}\n")
        self.start(folder)

    def start(self, folder: Path) -> None:
        command = f"serve --workers 2 --no-browser --bot-delay 0 --port {self.port} --log info"
        files = ["--database-file", str(folder / "database"), "--admin-token-file", str(folder / "token")]
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "comptoir", *command.split(), *files],
                stderr=log,
                env=os.environ | {"COMPTOIR_RATE_LIMITS": "off", "NO_COLOR": "1"},
            )

    def sql(self, *statements: str) -> None:
        with psycopg.connect(self.postgres.url("postgres"), autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement)

    def until(self, done: Callable[[], bool], seconds: float = START) -> None:
        end = time.monotonic() + seconds
        while True:
            try:
                if done():
                    return
            except httpx.HTTPError:
                pass
            assert self.process.poll() is None, f"it has ended with {self.process.poll()}:\n{self.text}"
            assert time.monotonic() < end, self.text
            time.sleep(0.05)

    def get(self, path: str) -> str:
        """On a connection of its own: any of the workers may get it."""
        answer = httpx.get(
            self.url + path, timeout=10, headers={"Connection": "close", "Accept-Language": "en"}
        )
        answer.raise_for_status()
        return answer.text

    def metric(self, name: str) -> float:
        """The sum of a metric over its labels; a name may have the labels with it."""
        found = re.findall(rf"^{re.escape(name)}(?:{{.*}})? (\S+)$", self.get("/metrics"), re.MULTILINE)
        return sum(map(float, found))

    @property
    def text(self) -> str:
        return self.log.read_text()

    @property
    def lines(self) -> list[dict[str, object]]:
        """The log without the greeting: JSON, all of it."""
        return [json.loads(line) for line in self.text.splitlines()[2:]]

    def tree(self) -> list[int]:
        """The ids of the server's processes: the parent's first."""
        found = [self.process.pid]
        for pid in found:
            for children in Path(f"/proc/{pid}/task").glob("*/children"):
                found += map(int, children.read_text().split())
        return found

    def workers(self) -> list[int]:
        return [pid for pid in self.tree()[1:] if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("club")


@pytest.fixture(scope="module")
def shared_club(postgres: Postgres, folder: Path) -> Iterator[Club]:
    made = Club(postgres, folder)
    try:
        yield made
    finally:
        if made.process.poll() is None:
            made.process.terminate()
            made.process.wait(120)
        made.sql("DROP DATABASE club WITH (FORCE)", "DROP ROLE club")


@pytest.fixture
def club(shared_club: Club, folder: Path) -> Club:
    """A server that serves: it is started again if a test before has stopped it."""
    if shared_club.process.poll() is not None:
        shared_club.start(folder)
    shared_club.until(lambda: shared_club.metric("comptoir_processes") == 2)
    return shared_club


def test_no_process_has_a_password_in_its_environment(club: Club) -> None:
    # drawn by a process of its own
    httpx.get(f"{club.url}/previews/home.en.png", timeout=60).raise_for_status()
    processes = club.tree()
    assert len(processes) >= 3
    for pid in processes:
        for what in ("environ", "cmdline"):
            found = Path(f"/proc/{pid}/{what}").read_bytes().decode("utf-8", "replace")
            assert PASSWORD not in found, f"{what} of {pid}"
            assert TOKEN not in found, f"{what} of {pid}"


@pytest.mark.slow
def test_metrics_are_those_of_all_workers(club: Club) -> None:
    """Whichever of them answers: no counter ever goes down, and all adds up to what was done."""
    about = 'comptoir_requests_total{method="GET",route="/about",status="200"}'
    before, seen = club.metric(about), list[float]()
    for n in range(40):
        club.get("/about")
        seen.append(club.metric(about) - before)
        assert seen[-1] == n + 1, seen


@pytest.mark.slow
def test_sockets_of_all_workers_are_counted(club: Club) -> None:
    async def look_on() -> None:
        address = f"ws://127.0.0.1:{club.port}/tables/{table}/socket?layout=wide"
        sockets = [await websockets.connect(address, origin=Origin(club.url)) for _ in range(6)]
        await asyncio.to_thread(club.until, lambda: club.metric("comptoir_sockets") == 6)
        for _ in range(8):
            assert await asyncio.to_thread(club.metric, "comptoir_sockets") == 6
            shown = re.sub(r"\s+", " ", await asyncio.to_thread(club.get, "/status"))
            assert "<dt>Pages connected to a table</dt><dd>6</dd>" in shown
            assert "<dt>Processes that serve</dt><dd>2</dd>" in shown
        for one in sockets:
            await one.close()

    made = httpx.post(
        f"{club.url}/api/tables",
        json={"game": "marco_polo", "seats": ["clerk", "clerk"]},
        headers={"Origin": club.url},
    )
    table = made.json()["id"]
    asyncio.run(look_on())
    club.until(lambda: club.metric("comptoir_sockets") == 0)


@pytest.mark.slow
def test_a_worker_that_gets_no_connection_is_tried_again_and_harms_nobody(club: Club) -> None:
    counted = club.metric("comptoir_requests_total")
    first, second = club.workers()
    os.kill(first, signal.SIGKILL)
    club.sql("ALTER ROLE club CONNECTION LIMIT 1")  # those that are there stay
    club.until(lambda: "trying again in" in club.text)
    for _ in range(40):
        club.get("/about")
        time.sleep(0.05)
    assert Path(f"/proc/{second}").exists()
    assert club.process.poll() is None
    club.sql("ALTER ROLE club CONNECTION LIMIT -1")
    club.until(lambda: club.metric("comptoir_processes") == 2)
    assert second in club.tree()
    assert club.metric("comptoir_requests_total") >= counted
    retried = [line for line in club.lines if "trying again in" in str(line["event"])]
    reasons = [str(line["event"]) for line in retried]
    # on a busy machine the start is given up before PostgreSQL has refused it
    assert all("too many connections" in reason or "no answer in" in reason for reason in reasons)
    assert PASSWORD not in club.text


@pytest.mark.slow
def test_a_stopped_server_ends_with_0_and_leaves_nothing(club: Club) -> None:
    processes = club.tree()
    club.process.terminate()
    assert club.process.wait(120) == 0
    end = time.monotonic() + 60
    while any(Path(f"/proc/{pid}").exists() for pid in processes):
        assert time.monotonic() < end
        time.sleep(0.05)
    assert all(len(json.dumps(line)) < 4_000 for line in club.lines)
