"""What a server keeps in memory: 1,000 tables made and left, 100 long matches brought, an hour of bots' games,
which play as fast as they can.

    python bench/memory.py                       as above, on SQLite, one process
    python bench/memory.py --minutes 5 --json

Told after each part, and for each minute of bots' games: what the server and its children have in memory, and the
most that they have had since its start.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import httpx
from load import start
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin

from comptoir.engine import registry
from comptoir.engine.game import get_game
from comptoir.engine.match import Match

LONG = 5_000  # actions of a match that is brought; 8,000 are taken at most
WATCHED = 4  # tables of bots at a time: so many go on for one person


class Scale:
    """Weighs a process and its children every half second."""

    def __init__(self, pid: int) -> None:
        self.pid, self.now, self.most = pid, 0.0, 0.0
        threading.Thread(target=self._weigh, daemon=True).start()

    def _weigh(self) -> None:
        while True:
            self.now = sum(map(_resident, [self.pid, *_children(self.pid)]))
            self.most = max(self.most, self.now)
            time.sleep(0.5)


def _resident(pid: int) -> float:
    """MB that a process has in memory; 0 if it has just gone."""
    try:
        found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    except OSError:
        return 0.0
    return int(found[1]) / 1024 if found else 0.0


def _children(pid: int) -> list[int]:
    try:
        texts = [path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/children")]
    except OSError:
        return []
    return [int(child) for text in texts for child in text.split()]


def long_match(seed: str) -> str:
    """The file of a match whose players choose by chance, and take long."""
    chance, match = random.Random(seed), Match("sail_to_india", seed=seed, players=4)
    while match.ply < LONG and not match.over:
        match.play(chance.choice(match.actions()))
    return match.text()


async def make(client: httpx.AsyncClient, game: str, seats: list[str]) -> str:
    made = await client.post("/api/tables", json={"game": game, "seats": seats})
    made.raise_for_status()
    return str(made.json()["id"])


async def tables_left(client: httpx.AsyncClient, count: int) -> None:
    """Tables of a person with bots, begun, looked at once, and left."""
    for nth in range(count):
        game = registry.names()[nth % len(registry.names())]
        id = await make(client, game, ["me", *["clerk"] * (get_game(game).rules.DEFAULT_PLAYERS - 1)])
        (await client.get(f"/tables/{id}")).raise_for_status()


async def matches_brought(client: httpx.AsyncClient, count: int) -> None:
    """Long matches, each looked at once."""
    page = (await client.get("/replay")).text
    token = re.findall(r'name="token" value="([^"]+)"', page)[0]
    texts = [long_match(str(nth)) for nth in range(4)]
    for nth in range(count):
        files = {"match": ("a.match", texts[nth % len(texts)])}
        brought = await client.post("/replay", data={"token": token}, files=files)
        (await client.get(brought.headers["location"])).raise_for_status()


async def games_of_bots(
    client: httpx.AsyncClient, address: str, minutes: float, tell: Callable[[str, int], None]
) -> None:
    """Bots play and somebody watches, a new game after each; each minute, how many have begun."""
    begun, until = [0] * WATCHED, time.monotonic() + 60 * minutes
    playing = asyncio.gather(*(_watch(client, address, nth, until, begun) for nth in range(WATCHED)))
    while not playing.done():
        await asyncio.wait([playing], timeout=60)
        tell("games of bots", sum(begun))
    await playing


async def _watch(client: httpx.AsyncClient, address: str, nth: int, until: float, begun: list[int]) -> None:
    while time.monotonic() < until:
        game = registry.names()[(nth + begun[nth]) % len(registry.names())]
        begun[nth] += 1
        id = await make(client, game, ["clerk"] * get_game(game).rules.DEFAULT_PLAYERS)
        place, origin = f"ws://{address}/tables/{id}/socket", Origin(f"http://{address}")
        async with connect(place, origin=origin, max_size=None) as line:
            speaking = asyncio.create_task(_speak(line))
            while time.monotonic() < until and not await _is_over(line):
                pass
            speaking.cancel()


async def _speak(line: ClientConnection) -> None:
    """A page that says nothing is given up."""
    while True:
        await line.send('{"type": "ping"}')
        await asyncio.sleep(5)


async def _is_over(line: ClientConnection) -> bool:
    """Waits for the next message, and returns whether the match is over then."""
    try:
        message = json.loads(await asyncio.wait_for(line.recv(), 60))
    except TimeoutError:
        raise SystemExit("nothing has happened at a table of bots for a minute") from None
    return 'data-state="over"' in message.get("parts", {}).get("notice", "")


async def measure(address: str, scale: Scale, options: argparse.Namespace) -> None:
    def tell(what: str, count: int) -> None:
        told = {"after": what, "count": count, "mb": round(scale.now), "most_mb": round(scale.most)}
        text = (
            json.dumps(told) if options.json else "  ".join(f"{key} {value}" for key, value in told.items())
        )
        print(text, flush=True)

    headers = {"Origin": f"http://{address}"}
    async with httpx.AsyncClient(base_url=f"http://{address}", headers=headers, timeout=120) as client:
        tell("the start", 0)
        await tables_left(client, options.tables)
        tell("tables made and left", options.tables)
        await matches_brought(client, options.matches)
        tell("long matches brought", options.matches)
        await games_of_bots(client, address, options.minutes, tell)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", type=int, default=1_000, help="tables made and left")
    parser.add_argument("--matches", type=int, default=100, help="long matches brought")
    parser.add_argument("--minutes", type=float, default=60.0, help="of bots' games")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if not Path("/proc/self/status").exists():
        sys.exit("This reads /proc, so it needs Linux.")
    with tempfile.TemporaryDirectory() as folder:
        (server,), (address,) = start(f"sqlite:///{folder}/comptoir.sqlite", 1, bot_delay=0)
        try:
            asyncio.run(measure(address, Scale(server.pid), options))
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(20)


if __name__ == "__main__":
    main()
