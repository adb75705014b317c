"""The whole stack of a host on the loopback address: PostgreSQL, two workers, bots' worker and Caddy.

Every part is the real program on a free port, with its files in a temporary folder. A part that ends is
started again, as systemd would with `Restart=always`, and what is left of its processes is ended first, as
systemd would end its control group.

    with Stack(workers=2) as stack:
        stack.url                       # through Caddy, which passes the visitor's address on
        stack.server.signal("SIGKILL")
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

import psycopg

from comptoir.bots.background_compiler import COMPILE_TARGETS
from comptoir.engine import registry
from comptoir.engine.game import get_game
from comptoir.web.storage.bot_queue import WORKER
from tests import real_time
from tests.web.conftest import Postgres, free_port

ROOT = Path(__file__).parents[2]
ROLE = "club"  # no superuser: limits on connections count for it
DATABASE = "club"
RESTART_SECONDS = 1.0  # systemd's RestartSec; the unit says 2
STOP_SECONDS = 15.0  # systemd's TimeoutStopSec in the unit
START_SECONDS = 600.0  # bots may have to be compiled first
LISTENING = "0A"  # the state in /proc/net/tcp


@dataclass(frozen=True)
class Exit:
    """The end of a process: `asked` names the signal that it was sent, "" if it ended unasked."""

    part: str
    code: int
    asked: str
    up: float  # seconds since its start
    served: bool  # whether it had been ready

    @property
    def documented(self) -> bool:
        """0 or 143 only after SIGTERM; after SIGKILL what the system says; unasked, anything but 0.

        A server that was ready never ends unasked: a worker that cannot start must not stop the others.
        """
        match self.asked:
            case "SIGTERM":
                return self.code in (0, 128 + signal.SIGTERM, -signal.SIGTERM)
            case "SIGKILL":
                return self.code == -signal.SIGKILL
        return self.code != 0 and not self.served


class Unit:
    """A program that is started again whenever it ends."""

    def __init__(
        self,
        name: str,
        command: list[str],
        folder: Path,
        *,
        environment: dict[str, str] | None = None,
        ready: Callable[[], bool] = lambda: True,
    ) -> None:
        self.name, self.command, self.log = name, command, folder / f"{name}.log"
        self.environment = os.environ | (environment or {})
        self.exits: list[Exit] = []
        self.starts = 0
        self._ready, self._stopping, self._asked = ready, threading.Event(), ""
        self._served = False
        self._thread: threading.Thread | None = None
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self._begin()
        self._thread = threading.Thread(target=self._watch, name=f"unit-{self.name}", daemon=True)
        self._thread.start()

    def _begin(self) -> None:
        self._asked, self._served = "", False
        self.starts += 1
        self.began = time.monotonic()
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command,
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                env=self.environment,
                cwd=ROOT,
                start_new_session=True,
            )

    @property
    def pid(self) -> int:
        assert self.process is not None
        return self.process.pid

    @property
    def runs(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def is_ready(self) -> bool:
        """Whether it runs and serves; remembered, because a server that has served must not end unasked."""
        if self.runs and self._ready():
            self._served = True
            return True
        return False

    def signal(self, name: str) -> None:
        """Sends a signal to its first process; the watcher starts it again once it has ended."""
        if self.process is not None and self.runs:  # else its number may be another's by now
            self._asked = name
            self.process.send_signal(signal.Signals[name])

    def _watch(self) -> None:
        while not self._stopping.is_set():
            process = self.process
            assert process is not None
            code = process.wait()
            up = time.monotonic() - self.began
            self.exits.append(Exit(self.name, code, self._asked, round(up, 1), self._served))
            end_session(process.pid)
            if self._stopping.wait(RESTART_SECONDS):
                return
            self._begin()

    def stop(self) -> None:
        self._stopping.set()
        if self.runs:
            self.signal("SIGTERM")
        if self.process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(STOP_SECONDS)
            end_session(self.process.pid)
        if self._thread is not None:
            self._thread.join(2 * STOP_SECONDS)


# Processes and sockets, as /proc lists them


def session(leader: int) -> list[int]:
    """All processes of a session, those included whose parent is gone."""
    found = []
    for place in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = place.read_text().rsplit(")", 1)[1].split()
            if int(fields[3]) == leader and fields[0] != "Z":
                found.append(int(place.parts[2]))
    return found


def children(parent: int) -> list[int]:
    found = []
    for place in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = place.read_text().rsplit(")", 1)[1].split()
            if int(fields[1]) == parent:
                found.append(int(place.parts[2]))
    return found


def end_session(leader: int) -> None:
    """Ends what is left of a session: first politely, then at once."""
    for sign, seconds in ((signal.SIGTERM, STOP_SECONDS), (signal.SIGKILL, 5.0)):
        end = time.monotonic() + seconds
        for pid in session(leader):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, sign)
        while session(leader):
            if time.monotonic() > end:
                break
            time.sleep(0.05)
        else:
            return


def sockets_at(port: int) -> Iterator[tuple[str, int, str]]:
    """State, remote port and inode of each IPv4 socket whose local port that is."""
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        fields = line.split()
        if int(fields[1].partition(":")[2], 16) == port:
            yield fields[3], int(fields[2].partition(":")[2], 16), fields[9]


def holds(pid: int, inode: str) -> bool:
    with contextlib.suppress(OSError):
        for place in Path(f"/proc/{pid}/fd").iterdir():
            with contextlib.suppress(OSError):
                if str(place.readlink()) == f"socket:[{inode}]":
                    return True
    return False


# The parts


class Database:
    """A PostgreSQL cluster of its own, which can crash, hang and run short of connections."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "postgres"
        self.folder.mkdir(mode=0o755)
        self._postgres = Postgres(self.folder)
        with self.admin("postgres") as connection:
            connection.execute(f"CREATE ROLE {ROLE} LOGIN PASSWORD 'secret'")
            connection.execute(f"CREATE DATABASE {DATABASE} OWNER {ROLE}")
        self.url = f"postgresql://{ROLE}:secret@127.0.0.1:{self._postgres.port}/{DATABASE}"

    def admin(self, name: str = DATABASE) -> psycopg.Connection[Any]:
        """A connection of the superuser, for whom no limit counts."""
        return psycopg.connect(self._postgres.url(name), autocommit=True, connect_timeout=5)

    def listens(self, name: str) -> bool:
        """Whether a program of that name is connected."""
        with self.admin() as connection:
            query = "SELECT count(*) FROM pg_stat_activity WHERE application_name = %s"
            return connection.execute(query, [name]).fetchone() != (0,)

    @property
    def processes(self) -> list[int]:
        process = self._postgres.process
        return [] if process is None else [process.pid, *children(process.pid)]

    def crash(self) -> None:
        """All processes are killed at once."""
        process = self._postgres.process
        assert process is not None
        os.kill(process.pid, signal.SIGSTOP)  # it must start no new ones in the meantime
        pids = self.processes
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        process.wait()
        while any(Path(f"/proc/{pid}").exists() for pid in pids[1:]):
            time.sleep(0.02)

    def start(self) -> None:
        self._postgres.start()

    def freeze(self) -> list[int]:
        stopped = self.processes
        for pid in stopped:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGSTOP)
        return stopped

    def thaw(self, stopped: list[int]) -> None:
        for pid in stopped:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)

    def shorten(self) -> None:
        """No new connections, and of those that are there only the listening ones stay."""
        with self.admin() as connection:
            connection.execute(f"ALTER ROLE {ROLE} CONNECTION LIMIT 1")
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE usename = %s AND query NOT ILIKE 'listen%%'",
                [ROLE],
            )

    def leave_room(self, more: int) -> None:
        """So many connections more than there are, and no others."""
        with self.admin() as connection:
            query = "SELECT count(*) FROM pg_stat_activity WHERE usename = %s"
            found = connection.execute(query, [ROLE]).fetchone()
            assert found is not None
            connection.execute(f"ALTER ROLE {ROLE} CONNECTION LIMIT {found[0] + more}")

    def lift(self) -> None:
        with self.admin() as connection:
            connection.execute(f"ALTER ROLE {ROLE} CONNECTION LIMIT -1")

    def stop(self) -> None:
        if self._postgres.process is not None and self._postgres.process.poll() is None:
            self.thaw(self.processes)
            self._postgres.stop()


CADDYFILE = """{{
	admin off
	auto_https off
	storage file_system {folder}
	servers {{
		timeouts {{
			read_header 10s
			read_body 30s
			idle 2m
		}}
	}}
}}

:{port} {{
	bind 127.0.0.1
	reverse_proxy 127.0.0.1:{upstream}
}}
"""


class Stack:
    """All parts together. `environment` is added to the server's and the bots' worker's."""

    def __init__(
        self,
        *,
        workers: int = 2,
        bot_delay: float = 0.1,
        threads: int = 1,
        environment: dict[str, str] | None = None,
        say: Callable[[str], None] = lambda text: None,
    ) -> None:
        if shutil.which("caddy") is None:
            raise SystemExit("the stack needs Caddy: apt-get install caddy")
        self.workers, self.say = workers, say
        self.folder = Path(tempfile.mkdtemp(prefix="comptoir-stack-"))
        self.folder.chmod(0o755)  # PostgreSQL runs as somebody else
        self.port, self.upstream = free_port(), free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.environment = {"XDG_DATA_HOME": str(self.folder / "data")} | (environment or {})
        self._bot_delay, self._threads = bot_delay, threads
        self.start_seconds = 0.0  # that the server's first start took, on a machine as busy as this one

    def __enter__(self) -> Stack:
        try:
            self.database = Database(self.folder)
            self._make_units()
            self._start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _make_units(self) -> None:
        place = self.folder / "database-url"
        place.write_text(self.database.url)
        place.chmod(0o600)
        comptoir = [sys.executable, "-m", "comptoir"]
        serve = [*comptoir, "serve", "--no-browser", "--port", str(self.upstream)]
        serve += [
            "--workers",
            str(self.workers),
            "--database-file",
            str(place),
            "--bot-delay",
            str(self._bot_delay),
        ]
        serve += ["--allowed-hosts", "play.example.org", "--trusted-proxies", "127.0.0.1"]
        bots = [*comptoir, "bots-worker", "--database-file", str(place), "--threads", str(self._threads)]
        config = self.folder / "Caddyfile"
        config.write_text(
            CADDYFILE.format(folder=self.folder / "caddy", port=self.port, upstream=self.upstream)
        )
        homes = {name: str(self.folder) for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")}
        run = ["caddy", "run", "--config", str(config), "--adapter", "caddyfile"]
        self.server = Unit(
            "server", serve, self.folder, environment=self.environment, ready=self._listens(self.upstream)
        )
        self.bots = Unit(
            "bots", bots, self.folder, environment=self.environment, ready=self._bots_are_connected
        )
        self.caddy = Unit("caddy", run, self.folder, environment=homes, ready=self._listens(self.port))
        self.units = [self.server, self.bots, self.caddy]

    def _bots_are_connected(self) -> bool:
        try:
            return self.database.listens(WORKER)
        except psycopg.OperationalError:  # the database is down
            return False

    @staticmethod
    def _listens(port: int) -> Callable[[], bool]:
        return lambda: any(state == LISTENING for state, _, _ in sockets_at(port))

    def _start(self) -> None:
        self.say("compiling what bots need, if it is not there yet")
        for name in registry.names():  # once, here: else each process would do so by itself
            missing = [work.name for work in COMPILE_TARGETS.values() if not work.is_ready(get_game(name))]
            if missing:
                subprocess.run(
                    [sys.executable, "-m", "comptoir.bots.background_compiler", name, *missing], check=True
                )
        began = time.monotonic()
        for unit in (self.server, self.caddy):
            unit.start()
        end = time.monotonic() + START_SECONDS
        self.say("waiting for the workers")
        while len(asyncio.run(Prober(self).processes())) < self.workers:
            if time.monotonic() > end or (self.server.exits and self.server.starts > 5):
                raise SystemExit(f"the server does not start:\n{self.server.log.read_text()[-3000:]}")
            real_time.block(0.2)
        self.start_seconds = time.monotonic() - began
        self.bots.start()
        self.say("waiting for the bots' worker")
        while not self.database.listens(WORKER):
            if time.monotonic() > end or self.bots.starts > 5:
                raise SystemExit(f"the bots' worker does not start:\n{self.bots.log.read_text()[-3000:]}")
            real_time.block(0.2)

    def close(self) -> None:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a second signal must not leave half of it running
        for unit in getattr(self, "units", []):
            unit.stop()
        if hasattr(self, "database"):
            self.database.stop()
        if os.environ.get("COMPTOIR_KEEP_STACK"):
            self.say(f"logs: {self.folder}")
        else:
            shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def worker_pids(self) -> list[int]:
        """The processes that answer: all that have the listening socket, but for the parent of several."""
        inodes = [inode for state, _, inode in sockets_at(self.upstream) if state == LISTENING]
        found = [pid for pid in session(self.server.pid) if any(holds(pid, inode) for inode in inodes)]
        return [pid for pid in found if pid != self.server.pid] if self.workers > 1 else found

    @property
    def exits(self) -> list[Exit]:
        return [ended for unit in self.units for ended in unit.exits]

    def errors(self) -> list[dict[str, Any]]:
        """What the server has logged as its own failures. Its log has a JSON object per line."""
        lines = []
        for line in self.server.log.read_text(errors="replace").splitlines():
            with contextlib.suppress(ValueError):
                if (read := json.loads(line)).get("level") in ("error", "critical"):
                    lines.append(read)
        return lines


# One process and no other


@dataclass
class Wire:
    """An HTTP connection that stays with one worker; a bare one, so that its port is known."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    port: int = 0
    pid: int = 0
    asked: int = field(default=0)

    async def get(self, path: str, address: str) -> tuple[int, bytes]:
        self.asked += 1
        head = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Forwarded-For: {address}\r\nAccept: application/json\r\n\r\n"
        self.writer.write(head.encode())
        answer = await self.reader.readuntil(b"\r\n\r\n")
        lines = answer.decode("latin-1").lower().split("\r\n")
        length = next((int(line.split(":")[1]) for line in lines if line.startswith("content-length:")), 0)
        return int(answer.split()[1]), await self.reader.readexactly(length)


class Prober:
    """Asks each worker by itself, past Caddy: the one that has accepted a connection is found in /proc."""

    ANSWER_SECONDS = 5.0  # that an answer may take

    def __init__(self, stack: Stack) -> None:
        self.stack = stack
        self.wires: dict[int, Wire] = {}
        self._addresses = 0

    def _address(self) -> str:
        """A new one each time, so that no limit on requests is met. 127.0.0.1 is a trusted proxy."""
        self._addresses += 1
        return f"10.{self._addresses >> 16 & 255}.{self._addresses >> 8 & 255}.{self._addresses & 255}"

    async def processes(self) -> list[int]:
        """The workers that answer /health with 200, each on a connection of its own."""
        pids = self.stack.worker_pids
        for pid in set(self.wires) - set(pids):
            self.drop(pid)
        for pid in list(self.wires):
            if not await self._is_well(pid):
                self.drop(pid)
        for _ in range(6):
            if set(pids) <= set(self.wires):
                break
            await asyncio.gather(*(self._connect(pids) for _ in range(6)))
        return sorted(self.wires)

    async def _is_well(self, pid: int) -> bool:
        return await self.get(pid, "/health") is not None

    async def get(self, pid: int, path: str) -> bytes | None:
        """What that worker answers; None if it does not answer with 200."""
        wire = self.wires.get(pid)
        if wire is None:
            return None
        try:
            async with asyncio.timeout(self.ANSWER_SECONDS):
                status, body = await wire.get(path, self._address())
        except (OSError, EOFError, TimeoutError, ValueError):
            self.drop(pid)
            return None
        return body if status == 200 else None

    async def _connect(self, pids: list[int]) -> None:
        try:
            async with asyncio.timeout(self.ANSWER_SECONDS):
                reader, writer = await asyncio.open_connection("127.0.0.1", self.stack.upstream)
                wire = Wire(reader, writer, writer.get_extra_info("sockname")[1])
                status, _ = await wire.get("/health", self._address())
        except (OSError, EOFError, TimeoutError, ValueError):
            return
        inodes = [inode for _, remote, inode in sockets_at(self.stack.upstream) if remote == wire.port]
        pid = next((one for one in pids for inode in inodes if holds(one, inode)), 0)
        if status == 200 and pid and pid not in self.wires:
            self.wires[pid] = wire
        else:
            writer.close()

    def drop(self, pid: int) -> None:
        if wire := self.wires.pop(pid, None):
            wire.writer.close()

    def close(self) -> None:
        for pid in list(self.wires):
            self.drop(pid)
