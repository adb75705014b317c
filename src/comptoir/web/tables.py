"""The tables that are in use in this process: what is asked of them is kept by the store, then told to everyone who looks on.

An event is written before anyone hears of it. Its number is taken once: if another process was quicker, this one reads what
happened and answers with that. So several processes can serve the same tables.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import secrets
import time
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from comptoir.bots import Bot, views_of_turn
from comptoir.bots.levels import make
from comptoir.bots.passer_by import PasserBy
from comptoir.web import watch
from comptoir.web.seen import Looker
from comptoir.web.store import Store, Taken, Writing
from comptoir.web.table import STAND_IN, Event, Refused, Row, Settings, Table
from comptoir.web.warm import Warm

logger = logging.getLogger(__name__)

Ask = Callable[[Table], Event]
T = TypeVar("T")

THINKERS = 2  # bots that think at once
THINKING = 3.0  # seconds at most for a decision
IDLE = 600.0  # seconds after which a table that nobody looks at is forgotten here
SWEEP = 2.0  # seconds between looks at the store for tables whose turn is the server's
GRACE = 15.0  # seconds after which a bot's turn is taken from a process that seems to have gone


class NotFound(Exception):
    """There is no such table."""


class Watcher(Protocol):
    """Who looks on at a table and is told of every change."""

    def tell(self) -> None: ...


@dataclass
class Live:
    """A table in use."""

    table: Table
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    watchers: set[Watcher] = field(default_factory=set)
    bots: dict[tuple[int, str], Bot] = field(default_factory=dict)
    turn: asyncio.Task[None] | None = None  # the server's own next act here: a bot's, or the clock's
    used: float = field(default_factory=time.monotonic)
    preparing: bool = False  # a bot is to decide, but bots are still being compiled

    def __post_init__(self) -> None:
        self.looker = Looker(self.table)

    def tell(self) -> None:
        """Everyone who looks on is told how things stand."""
        for watcher in self.watchers:
            watcher.tell()

    def become(self, table: Table) -> None:
        """Something has happened, and is kept."""
        self.table, self.looker = table, Looker(table, self.looker)


class Tables:
    """All tables in use. Everything here runs in the event loop; the store and the bots have threads of their own."""

    def __init__(self, store: Store, warm: Warm, *, pace: float = 0.7) -> None:
        self.store, self.warm, self.pace = store, warm, pace
        self._live: dict[str, Live] = {}
        self._loading: dict[str, asyncio.Task[Live]] = {}
        self._hands = ThreadPoolExecutor(2 if store.kind == "sqlite" else 8, "store")
        self._unwritten: list[tuple[Writing, asyncio.Future[None]]] = []
        self._writing = False
        self._heads = ThreadPoolExecutor(THINKERS, "bot")
        self._secret = secrets.token_bytes(16)
        self._tasks: set[asyncio.Task[Any]] = set()

    # Beginning and end

    async def start(self) -> None:
        loop = asyncio.get_running_loop()

        def told(table: str, number: int) -> None:
            loop.call_soon_threadsafe(self._heard, table, number)

        self.store.listen(told)
        await self._sweep(0)
        self._spawn(self._sweeping())

    async def stop(self) -> None:
        tasks = [*self._tasks, *(live.turn for live in self._live.values() if live.turn)]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._heads.shutdown(wait=False, cancel_futures=True)
        self._hands.shutdown(wait=True)

    def _spawn(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def ask(self, function: Callable[..., T], *arguments: Any) -> T:
        """Calls the store in its own threads."""
        return await asyncio.get_running_loop().run_in_executor(self._hands, function, *arguments)

    async def think(self, function: Callable[..., T], *arguments: Any) -> T:
        """Calls what thinks, beside the loop."""
        return await asyncio.get_running_loop().run_in_executor(self._heads, function, *arguments)

    async def write(self, table: Table, events: Sequence[Event]) -> None:
        """Returns once it is on the disk. What comes while the disk is busy is written together afterwards: it is waited for once."""
        written = asyncio.get_running_loop().create_future()
        self._unwritten.append((Writing(table.id, events, table.row()), written))
        if not self._writing:
            self._writing = True
            self._spawn(self._write_all())
        await written

    async def _write_all(self) -> None:
        while self._unwritten:
            asked, self._unwritten = self._unwritten, []
            outcomes: Sequence[Exception | None]
            try:
                outcomes = await self.ask(self.store.append_all, [writing for writing, _ in asked])
            except Exception as error:
                outcomes = [error] * len(asked)
            for (_, written), outcome in zip(asked, outcomes, strict=True):
                if written.cancelled():
                    continue
                if outcome is None:
                    written.set_result(None)
                else:
                    written.set_exception(outcome)
        self._writing = False

    # Tables

    async def make(self, settings: Settings, seating: Sequence[str | tuple[str, str]]) -> Table:
        """A new table. Seats are free (""), a bot's (its level) or a person's (id and name); with none free the match begins."""
        id = secrets.token_urlsafe(12)
        events = [Event(1, "made", None, settings.maker, settings.text(), time.time())]
        table = Table.of(id, events)
        for seat, who in enumerate(seating):
            if who:
                maker = settings.maker or ""
                events.append(table.sit(who[0], seat, who[1]) if isinstance(who, tuple) else table.seat_bot(maker, seat, who))
                table.apply(events[-1])
        if not any(place.free for place in table.places) or settings.brought:
            events.append(Event(table.number + 1, "begin", None, settings.maker, "", time.time()))
            table.apply(events[-1])
        await self.keep(table, events)
        return table

    async def keep(self, table: Table, events: Sequence[Event]) -> None:
        """Writes a new table with all that has happened there already, and takes it into use."""
        await self.write(table, events)
        live = self._live[table.id] = Live(table)
        self._take_turn(live)

    async def find(self, id: str) -> Live:
        """A table in use, taken from the store if need be."""
        live = self._live.get(id)
        if live is None:
            if id not in self._loading:
                self._loading[id] = self._spawn(self._load(id))
            live = await asyncio.shield(self._loading[id])
        live.used = time.monotonic()
        return live

    async def _load(self, id: str) -> Live:
        try:
            events = await self.ask(self.store.events, id)
            if not events:
                raise NotFound
            live = self._live[id] = Live(Table.of(id, events))
            self._take_turn(live)
            return live
        finally:
            del self._loading[id]

    async def act(self, id: str, ask: Ask, *, number: int | None = None, kept: Callable[[], None] | None = None) -> Table:
        """Something happens at a table, if it may: it is written, then it is so, then everyone is told.

        With `number`, only if the table still stands there. `kept` is called once it is written, before anyone is told.
        Once begun it is carried through, even if whoever asked is gone:
        what is written must also be told.
        """
        live = await self.find(id)
        return await asyncio.shield(self._spawn(self._act(live, ask, number, kept)))

    async def _act(self, live: Live, ask: Ask, number: int | None, kept: Callable[[], None] | None) -> Table:
        async with live.lock:
            while number is None or number == live.table.number:
                began = time.perf_counter()
                event = ask(live.table)
                after = live.table.after(event)
                try:
                    await self.write(after, [event])
                except Taken:
                    if await self._catch_up(live):
                        continue
                    raise
                live.become(after)
                if kept is not None:
                    kept()
                self._tell(live)
                watch.ACTIONS.labels(event.kind).inc()
                watch.TOLD.observe(time.perf_counter() - began)
                return after
        raise Refused("refuse.stale")

    def _tell(self, live: Live) -> None:
        live.used = time.monotonic()
        live.tell()
        self._take_turn(live)

    # What other processes have done

    def _heard(self, id: str, number: int) -> None:
        if not id:  # anything may have happened while the line was dead
            for live in list(self._live.values()):
                self._spawn(self._hear(live, live.table.number + 1))
        elif id in self._live and number > self._live[id].table.number:
            self._spawn(self._hear(self._live[id], number))
        elif id in self._loading:  # what is being read may be from before
            self._spawn(self._hear_when_loaded(id, number))

    async def _hear_when_loaded(self, id: str, number: int) -> None:
        await self._hear(await self.find(id), number)

    async def _hear(self, live: Live, number: int) -> None:
        async with live.lock:
            if number > live.table.number:
                await self._catch_up(live)

    async def _catch_up(self, live: Live) -> bool:
        """Reads what has happened elsewhere, if anything has. The lock is held."""
        events = await self.ask(self.store.events, live.table.id, live.table.number)
        table = live.table
        for event in events:
            table = table.after(event)
        if events:
            live.become(table)
            self._tell(live)
        return bool(events)

    # The server's own turns

    def _take_turn(self, live: Live) -> None:
        """Sets the server to act when it is to: for a bot soon, for a person whose clock runs out then."""
        if live.turn is not None:
            live.turn.cancel()
        live.turn = None
        if live.table.due is not None:
            live.turn = self._spawn(self._turn(live, live.table.number))

    async def _turn(self, live: Live, number: int) -> None:
        table = live.table
        level, due = table.bot, table.due
        assert due is not None
        if level is None:
            await asyncio.sleep(max(0.0, due - time.time()))
        else:
            await asyncio.sleep(max(0.0, due + self.pace - time.time()))
        action = await self._decide(live, level or STAND_IN)
        if action is not None and live.table.number == number:
            seat = table.turn
            try:
                await self.act(table.id, lambda table: table.play(None, seat, action), number=number)
            except Refused:
                logger.info("a bot's action came too late")

    async def _decide(self, live: Live, level: str) -> str | None:
        """What a bot chooses, from its seat's view. Whatever goes wrong, the match goes on."""
        table = live.table
        match, seat = table.match, table.turn
        assert match is not None
        assert seat is not None
        if level != "passer-by" and not self.warm.is_ready(table.game.name):
            await self._prepare(live)
        record, number, earlier = match.hidden(seat), match.number, views_of_turn(match, seat)
        with watch.THINKING.track_inprogress():
            try:
                bot = live.bots.pop((seat, level), None) or self._make_bot(table, seat, level)
                chosen = await self.think(bot.decide, record, number, earlier)
                live.bots[seat, level] = bot  # only now: one that was cut short by an undo is still at its desk
            except Exception:
                logger.exception("a bot has failed; a passer-by decides")
                chosen = PasserBy(match.game, match.components, self._bot_seed(table, seat)).decide(record, number)
        return match.game.actions[chosen] if live.table is table else None

    async def _prepare(self, live: Live) -> None:
        """Waits until the bots of a game are compiled, and says so at the table."""
        live.preparing = True
        live.tell()
        try:
            await self.warm.ready(live.table.game.name)
        finally:
            live.preparing = False
        live.tell()

    def _make_bot(self, table: Table, seat: int, level: str) -> Bot:
        assert table.match is not None
        return make(level, table.game, table.match.components, self._bot_seed(table, seat), seconds=THINKING, threads=1)

    def _bot_seed(self, table: Table, seat: int) -> str:
        """A bot's own chance: unlike the match's, and not to be foreseen."""
        return hashlib.sha256(self._secret + f"{table.id} {seat}".encode()).hexdigest()[:16]

    # Looking after all

    async def _sweeping(self) -> None:
        while True:
            await asyncio.sleep(SWEEP)
            try:
                await self._sweep(GRACE)
                self._forget()
                await asyncio.to_thread(self.store.tidy)
            except Exception:
                logger.exception("a sweep has failed; the next comes soon")

    async def _sweep(self, grace: float) -> None:
        """Takes into use the tables at which the server should have acted: after a restart, or when another process has gone."""
        for row in await self.ask(self.store.due, time.time() - grace):
            try:
                await self._wake(row)
            except Exception:
                logger.exception("a table cannot be taken into use; the others go on")

    async def _wake(self, row: Row) -> None:
        live = await self.find(row.id)
        await self._hear(live, row.number)
        if live.turn is None or live.turn.done():
            self._take_turn(live)

    def _forget(self) -> None:
        watch.TABLES.set(len(self._live))
        long_ago = time.monotonic() - IDLE
        for id, live in list(self._live.items()):
            if not live.watchers and live.used < long_ago and not live.lock.locked() and live.table.due is None:
                del self._live[id]
