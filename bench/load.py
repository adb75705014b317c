"""How many people one server serves: tables with four sockets each, an action a second at every table.

    python bench/load.py                                    200 tables on SQLite, one process
    python bench/load.py --database postgresql://… --workers 2
    python bench/load.py --climb                            more tables until the 99th percentile passes 100 ms

Time is from an action sent until all four sockets of its table have received it. The load comes from a process
of its own on the same machine, so it takes its share of the cores.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import random
import re
import resource
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from websockets.asyncio.client import ClientConnection, connect

from comptoir.engine import registry
from comptoir.engine.game import get_game
from comptoir.web.domain import decide
from comptoir.web.domain.clock import Instant
from comptoir.web.domain.evolve import evolve, from_events
from comptoir.web.domain.people import COOKIE, IdentityTokens
from comptoir.web.domain.state import Event, Table, TableSettings
from comptoir.web.storage.store import Store
from comptoir.web.view.patches import apply

SEATS = 4
_CHOICE = re.compile(r'data-action="([^"]+)"')
_VERSION = re.compile(r'"version":(\d+)')
OVER = r"data-state=\"over\""  # in a message, of a match that is over


def lay_tables(url: str, count: int) -> tuple[list[Table], IdentityTokens]:
    """Writes tables at which four people sit, the four games in turn, and their match has begun."""
    store = Store(url)
    store.migrate()
    tables = []
    for nth in range(count):
        name = registry.names()[nth % len(registry.names())]
        settings = TableSettings(
            game=name,
            options=get_game(name).read_options(SEATS),
            seed=secrets.token_hex(16),
            creator=f"p{nth}-0",
        )
        id = f"bench{secrets.token_hex(6)}"
        events = [Event(1, "made", None, settings.creator, settings.text(), time.time())]
        table, now = from_events(id, events), Instant.of(time.time())
        for seat in range(SEATS):
            events.append(decide.sit(table, now, f"p{nth}-{seat}", seat, f"Seat {seat}"))
            table = evolve(table, events[-1])
        events.append(decide.begin(table, now, f"p{nth}-0"))
        table = evolve(table, events[-1])
        store.events.append(id, events, table.row())
        tables.append(table)
    people = IdentityTokens(store.values.secret())
    store.close()
    return tables, people


@dataclass
class Seat:
    """One socket: reads everything, and knows what its person may do now."""

    line: ClientConnection
    told: asyncio.Event = field(default_factory=asyncio.Event)
    version: int = 0
    choices: list[str] = field(default_factory=list)
    over: bool = False
    html: str = ""
    bytes: int = 0

    async def read(self) -> None:
        async for text in self.line:
            assert isinstance(text, str)
            self.bytes += len(text)
            found = _VERSION.match(text, 1)
            if found is None:
                continue
            if '"choices":' in text:
                self._read_choices(json.loads(text))
            self.over = self.over or OVER in text
            self.version = int(found[1])
            self.told.set()

    def _read_choices(self, message: dict[str, Any]) -> None:
        cuts = message.get("patches", {}).get("choices")
        self.html = message["parts"]["choices"] if cuts is None else apply(self.html, cuts)
        self.choices = _CHOICE.findall(self.html)

    async def reach(self, version: int) -> None:
        while self.version < version:
            self.told.clear()
            await self.told.wait()


async def one_table(
    address: str,
    table: Table,
    people: IdentityTokens,
    nth: int,
    until: float,
    rate: float,
    times: list[float],
) -> int:
    """Four people at one table, one action a second from a moment of its own on."""
    chance = random.Random(nth)
    lines = []
    for person in (f"p{nth}-{seat}" for seat in range(SEATS)):
        headers = {"Cookie": f"{COOKIE}={people.sign(person)}; lang=fr", "Origin": f"http://{address}"}
        lines.append(
            await connect(
                f"ws://{address}/tables/{table.id}/socket?patches=1",
                additional_headers=headers,
                compression=None,
                max_size=None,
            )
        )
    seats = [Seat(line) for line in lines]
    readers = [asyncio.create_task(seat.read()) for seat in seats]
    version = table.version
    for seat in seats:
        await seat.reach(version)
    await asyncio.sleep(max(0, until - MEASURED - time.time()) + chance.random() / rate)
    while time.time() < until and not any(seat.over for seat in seats):
        began = time.perf_counter()
        decider = next((seat for seat in seats if seat.choices), None)
        if decider is None:  # there is no choice: the server plays that automatically, before another second
            await asyncio.sleep(1 / rate)
            continue
        version = decider.version
        action = {"type": "play", "version": version, "action": chance.choice(decider.choices), "id": version}
        await decider.line.send(json.dumps(action))
        version += 1
        for seat in seats:
            await seat.reach(version)
        times.append(time.perf_counter() - began)
        await asyncio.sleep(max(0.0, 1 / rate - (time.perf_counter() - began)))
    for reader in readers:
        reader.cancel()
    for line in lines:
        await line.close()
    return sum(seat.bytes for seat in seats)


MEASURED = 20.0


async def load(
    addresses: list[str], tables: list[Table], people: IdentityTokens, rate: float, begin: Callable[[], None]
) -> tuple[list[float], int]:
    """Plays at all tables; `begin` is called when all have sat down and time is measured from."""
    times: list[float] = []
    settle = len(tables) * 0.03 + 3
    until = time.time() + settle + MEASURED
    work = []
    for nth, table in enumerate(tables):
        address = addresses[nth % len(addresses)]
        work.append(asyncio.create_task(one_table(address, table, people, nth, until, rate, times)))
        await asyncio.sleep(0.02)
    await asyncio.sleep(max(0.0, until - MEASURED - time.time()))
    begin()
    return times, sum(await asyncio.gather(*work))


def start(url: str, workers: int, bot_delay: float = 0.7) -> tuple[list[subprocess.Popen[bytes]], list[str]]:
    """A process for each worker, each on a port of its own; bots pause `bot_delay` seconds before they act.

    What they would compile next to their work is compiled before.
    """
    for name in registry.names():
        subprocess.run([sys.executable, "-m", "comptoir.bots.background_compiler", name], check=True)
    processes, addresses = [], []
    for _ in range(workers):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        command = [
            sys.executable,
            "-m",
            "comptoir",
            "serve",
            "--port",
            str(port),
            "--no-browser",
            "--database",
            url,
            "--bot-delay",
            str(bot_delay),
        ]
        processes.append(
            subprocess.Popen(
                command, env=os.environ | {"COMPTOIR_RATE_LIMITS": "off"}, stderr=subprocess.DEVNULL
            )
        )
        addresses.append(f"127.0.0.1:{port}")
    for address in addresses:
        host, port_text = address.split(":")
        for _ in range(300):
            with socket.socket() as probe:
                if probe.connect_ex((host, int(port_text))) == 0:
                    break
            time.sleep(0.1)
    time.sleep(READY)
    return processes, addresses


READY = 20.0  # seconds for compiled rules to be loaded


def used(process: subprocess.Popen[bytes]) -> tuple[float, float]:
    """Seconds of CPU and MB of memory that a process has used."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    seconds = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    peak = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{process.pid}/status").read_text())
    return seconds, int(peak[1]) / 1024 if peak else 0.0


def measure(url: str, count: int, workers: int, rate: float) -> dict[str, Any]:
    tables, people = lay_tables(url, count)
    processes, addresses = start(url, workers)
    gc.freeze()  # what is laid stays: looking through it here would be felt as the server's time
    try:
        before: list[float] = []
        own: list[float] = []

        def begin() -> None:
            before.extend(used(process)[0] for process in processes)
            own.append(time.process_time())

        times, sent = asyncio.run(load(addresses, tables, people, rate, begin))
        after = [used(process) for process in processes]
        own.append(time.process_time())
    finally:
        for process in processes:
            process.send_signal(signal.SIGTERM)
            process.wait(20)
    ms = np.array(times) * 1000
    return {
        "tables": count,
        "sockets": count * SEATS,
        "workers": workers,
        "database": url.split(":", maxsplit=1)[0],
        "actions": len(times),
        "actions_a_second": round(len(times) / MEASURED, 1),
        "ms_median": round(float(np.median(ms)), 1),
        "ms_99": round(float(np.percentile(ms, 99)), 1),
        "ms_most": round(float(ms.max()), 1),
        "kb_an_action": round(sent / 1024 / max(1, len(times)), 1),
        "cpu_ms_an_action": round(
            sum(a[0] - b for a, b in zip(after, before, strict=True)) * 1000 / max(1, len(times)), 2
        ),
        "load_cpu_share": round((own[1] - own[0]) / MEASURED, 2),
        "memory_mb": [round(mb) for _, mb in after],
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--rate", type=float, default=1.0, help="actions a second at each table")
    parser.add_argument(
        "--workers", type=int, default=1, help="server processes; more than one needs PostgreSQL"
    )
    parser.add_argument("--database", metavar="URL", help="default: a temporary SQLite file")
    parser.add_argument(
        "--climb",
        action="store_true",
        help="raise the number of tables until the 99th percentile passes 100 ms",
    )
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    resource.setrlimit(
        resource.RLIMIT_NOFILE, (min(65536, resource.getrlimit(resource.RLIMIT_NOFILE)[1]),) * 2
    )
    with tempfile.TemporaryDirectory() as folder:
        count = options.tables
        while True:
            url = options.database or f"sqlite:///{folder}/{count}.sqlite"
            found = measure(url, count, options.workers, options.rate)
            print(
                json.dumps(found)
                if options.json
                else "  ".join(f"{key} {value}" for key, value in found.items()),
                flush=True,
            )
            if not options.climb or found["ms_99"] > 100:
                return
            count = round(count * 1.25)


if __name__ == "__main__":
    main()
