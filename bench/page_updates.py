"""What an action costs the server: CPU time from a command received until all pages of its table are updated.

    python bench/page_updates.py                      24 tables of the four games, four pages each
    python bench/page_updates.py --alike              all pages in one language and layout
    python bench/page_updates.py --profile out.prof   with cProfile
    python bench/page_updates.py --transcript out.txt every message, to compare with those of another commit

The app runs in this process on a temporary SQLite file, without a network: what is measured is the work of
the server alone, and the few microseconds in which a page reads a version and chooses an action. Seeds and
choices are the same in every run.
"""

from __future__ import annotations

import argparse
import asyncio
import cProfile
import gc
import hashlib
import json
import random
import re
import tempfile
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from fastapi import FastAPI

from comptoir.engine.game import get_game
from comptoir.engine.precompile import MATCH_TARGET
from comptoir.web.domain import decide
from comptoir.web.domain.clock import Instant
from comptoir.web.domain.evolve import evolve, from_events
from comptoir.web.domain.people import COOKIE, IdentityTokens
from comptoir.web.domain.state import Event, TableSettings
from comptoir.web.http.app import make_app
from comptoir.web.live.open_table import OpenTable
from comptoir.web.live.tables import Tables
from comptoir.web.ops.gc_schedule import disable_automatic_gc
from comptoir.web.storage.store import Store

GAMES = ("batavia", "century", "marco_polo", "sail_to_india")
SEATS = 4
PAGES = (("fr", "wide"), ("en", "tall"), ("fr", "tall"), ("en", "wide"))  # a seat each
AT = 1_800_000_000.0  # when the tables are made
STUCK = 60.0  # seconds after which a page that receives nothing is an error
ORIGIN = "http://bench.test"
_VERSION = re.compile(r'"version":(\d+)')
_TIME = re.compile(r'"(now|ends_at|due)":[0-9.]+')


class Page:
    """A page of a table, with both ends of its socket."""

    def __init__(self, table: str, headers: dict[str, str], layout: str, messages: list[str] | None) -> None:
        self.scope = {
            "type": "websocket",
            "asgi": {"version": "3.0"},
            "scheme": "ws",
            "path": f"/tables/{table}/socket",
            "raw_path": f"/tables/{table}/socket".encode(),
            "root_path": "",
            "query_string": f"layout={layout}&patches=1".encode(),
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 80),
            "subprotocols": [],
            "state": {},
            "extensions": {},
        }
        self.version, self.told = 0, asyncio.Event()
        self._messages = messages
        self._commands: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._commands.put_nowait({"type": "websocket.connect"})

    async def serve(self, app: FastAPI) -> None:
        await app(self.scope, self._commands.get, self._take)

    async def _take(self, message: Any) -> None:
        text = message.get("text", "")
        if found := _VERSION.match(text, 1):
            self.version = int(found[1])
            self.told.set()
            if self._messages is not None:
                self._messages.append(_TIME.sub(r'"\1":0', text))
        elif '"type"' in text:
            raise RuntimeError(text)

    def send(self, **command: Any) -> None:
        self._commands.put_nowait({"type": "websocket.receive", "text": json.dumps(command)})

    def close(self) -> None:
        self._commands.put_nowait({"type": "websocket.disconnect", "code": 1001})

    async def reach(self, version: int) -> None:
        async with asyncio.timeout(STUCK):
            while self.version < version:
                self.told.clear()
                await self.told.wait()


def lay_table(store: Store, nth: int) -> str:
    """Writes a table at which four people sit and whose match has begun, the games in turn."""
    name, id = GAMES[nth % len(GAMES)], f"bench-table-{nth:04d}"
    settings = TableSettings(
        game=name, options=get_game(name).read_options(SEATS), seed=f"{nth:032x}", creator=f"p{nth}-0"
    )
    events = [Event(1, "made", None, settings.creator, settings.text(), AT)]
    table, now = from_events(id, events), Instant.of(AT)
    for seat in range(SEATS):
        events.append(decide.sit(table, now, f"p{nth}-{seat}", seat, f"Seat {seat}"))
        table = evolve(table, events[-1])
    events.append(decide.begin(table, now, f"p{nth}-0"))
    table = evolve(table, events[-1])
    store.events.append(id, events, table.row())
    return id


class Bench:
    """Tables with their pages, in an app without a network."""

    def __init__(self, app: FastAPI, people: IdentityTokens, *, alike: bool, transcript: bool) -> None:
        self.app, self.people, self.alike, self.transcript = app, people, alike, transcript
        self.messages: dict[tuple[int, int], list[str]] = {}
        self.actions = 0

    async def open(self, nth: int, id: str) -> tuple[OpenTable, list[Page], list[asyncio.Task[None]]]:
        """A table and its pages, which show its current state."""
        tables: Tables = self.app.state.server.tables
        live: OpenTable = await tables.find(id)
        live.undo_window = 0.0
        pages = []
        for seat, (lang, layout) in enumerate(PAGES[:1] * SEATS if self.alike else PAGES):
            cookie = f"{COOKIE}={self.people.sign(f'p{nth}-{seat}')}; lang={lang}"
            messages: list[str] | None = [] if self.transcript else None
            if messages is not None:
                self.messages[nth, seat] = messages
            headers = {"host": ORIGIN.partition("://")[2], "origin": ORIGIN, "cookie": cookie}
            pages.append(Page(id, headers, layout, messages))
        tasks = [asyncio.create_task(page.serve(self.app)) for page in pages]
        for page in pages:
            await page.reach(live.table.version)
        return live, pages, tasks

    async def play(self, nth: int, live: OpenTable, pages: list[Page], actions: int) -> None:
        """Random actions; forced actions are played by the server, and is counted too."""
        chance = random.Random(nth)
        first = live.table.version
        while live.table.version - first < actions:
            table, version = live.table, live.table.version
            if table.match is None or table.turn is None:
                break
            if table.forced is None:
                action = chance.choice(table.match.actions())
                pages[table.turn].send(type="play", version=version, action=action, id=version)
            for page in pages:
                await page.reach(version + 1)
        self.actions += live.table.version - first


async def measure(folder: str, options: argparse.Namespace) -> dict[str, Any]:
    store = Store(f"sqlite:///{folder}/bench.sqlite")
    store.migrate()
    ids = [lay_table(store, nth) for nth in range(options.tables)]
    people = IdentityTokens(store.values.secret())
    for name in GAMES:
        MATCH_TARGET.prepare(get_game(name))  # as a server has it after some seconds
    app = make_app(store, bot_delay=0.0, limits=False, prepare=False)
    async with app.router.lifespan_context(app):
        bench = Bench(app, people, alike=options.alike, transcript=bool(options.transcript))
        tables = [await bench.open(nth, id) for nth, id in enumerate(ids)]
        # what is read or compiled once is not of an action
        for nth, (live, pages, _) in enumerate(tables):
            await bench.play(nth, live, pages, options.warm)
        bench.actions = 0
        gc.collect()
        disable_automatic_gc()  # as a server has it: it collects when it is idle
        profile = cProfile.Profile() if options.profile else nullcontext()
        began = time.process_time()
        with profile:
            await asyncio.gather(
                *(
                    bench.play(1000 + nth, live, pages, options.actions)
                    for nth, (live, pages, _) in enumerate(tables)
                )
            )
        seconds = time.process_time() - began
        if isinstance(profile, cProfile.Profile):
            profile.dump_stats(options.profile)
        for _, pages, _ in tables:
            for page in pages:
                page.close()
        await asyncio.gather(*(task for _, _, tasks in tables for task in tasks))
    if options.transcript:
        write_transcript(Path(options.transcript), bench.messages)
    return {"actions": bench.actions, "cpu_ms_an_action": round(seconds * 1000 / bench.actions, 3)}


def write_transcript(path: Path, messages: dict[tuple[int, int], list[str]]) -> None:
    with path.open("w", encoding="utf-8") as file:
        for (nth, seat), texts in sorted(messages.items()):
            for n, text in enumerate(texts):
                digest = hashlib.sha256(text.encode()).hexdigest()[:16]
                file.write(f"{nth} {seat} {n} {digest} {text}\n")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", type=int, default=24)
    parser.add_argument("--actions", type=int, default=40, help="actions at each table")
    parser.add_argument("--warm", type=int, default=6, help="actions at each table before that")
    parser.add_argument("--alike", action="store_true", help="all pages in one language and layout")
    parser.add_argument("--profile", metavar="FILE")
    parser.add_argument("--transcript", metavar="FILE")
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(asyncio.run(measure(folder, parser.parse_args()))))


if __name__ == "__main__":
    main()
