"""The tables that are in use in this process: what is asked of them is kept by the store, then told to
everyone who looks on.

An event is written before anyone hears of it. Its version is taken once: if another process was quicker, this
one reads what happened and answers with that. So several processes can serve the same tables.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TypeVar

from comptoir.engine import registry
from comptoir.time_source import SYSTEM_TIME, TimeSource
from comptoir.web.domain import decide
from comptoir.web.domain.archive import ArchivedMatch
from comptoir.web.domain.clock import Anchor, Instant, Machine
from comptoir.web.domain.evolve import compared, evolve, from_events
from comptoir.web.domain.player_results import ended_by
from comptoir.web.domain.refusals import Refused
from comptoir.web.domain.state import Event, Table, TableSettings, TableSummary
from comptoir.web.limits import ADDRESS_MESSAGE_RATE, ADDRESS_UPDATES_WAITING, POSITIONS_KEPT, UPDATES
from comptoir.web.live.archiver import Archiver
from comptoir.web.live.background import BackgroundTasks
from comptoir.web.live.bot_service import BotService, Leases
from comptoir.web.live.chat_service import ChatService
from comptoir.web.live.event_writer import EventWriter
from comptoir.web.live.housekeeping import Housekeeping
from comptoir.web.live.not_found import GameNotInstalled, NotFound, Unreadable
from comptoir.web.live.open_table import OpenTable
from comptoir.web.live.precompiler import Precompiler
from comptoir.web.live.presence import Presence
from comptoir.web.live.remote_sync import RemoteSync
from comptoir.web.live.turn_scheduler import TurnScheduler
from comptoir.web.ops import monitoring
from comptoir.web.ops.fair_queue import OWN, ConcurrencyLimit, QueueFull, asking
from comptoir.web.ops.request_guard import TokenBuckets
from comptoir.web.storage.event_store import VersionConflict
from comptoir.web.storage.outage import Calls
from comptoir.web.storage.store import Store
from comptoir.web.view.preload import preload

logger = logging.getLogger(__name__)

Command = Callable[[Table, Instant], Event]
T = TypeVar("T")


class Tables:
    """All tables in use. Everything here runs in the event loop; the store and the bots have threads of their
    own.
    """

    def __init__(
        self,
        store: Store,
        precompiler: Precompiler,
        *,
        bot_delay: float = 0.7,
        most_positions: int = POSITIONS_KEPT,
        time_source: TimeSource = SYSTEM_TIME,
    ) -> None:
        self.time_source, self.machine = time_source, Machine(time_source)
        self.store, self.precompiler, self.most_positions = store, precompiler, most_positions
        precompiler.on_ready = self._on_precompiled
        # notifies people who are not here of events; and records who has seen those of other processes
        self.on_change: Callable[[Table | None, Table, str | None], None] = lambda before, after, actor: None
        self.on_remote_change: Callable[[Table, OpenTable], None] = lambda before, live: None
        self.in_use: dict[str, OpenTable] = {}
        self.loading: dict[tuple[str, str], asyncio.Task[OpenTable]] = {}  # by table and who asks for it
        self._shared = store.kind == "postgresql"
        self.in_store = Calls(8 if self._shared else 2, bounded=self._shared)
        self.background = BackgroundTasks()
        self.spawn, self.shielded = self.background.spawn, self.background.shielded
        self.run_slow = self.background.run_slow
        self.writer = EventWriter(store, self.in_store, self.spawn)
        self.bots = BotService(store, self.in_store, precompiler, time_source)
        self.leases = Leases(store, self.in_store, self.spawn, self.bots.remote)
        self.scheduler = TurnScheduler(
            self.bots,
            self.act,
            self.spawn,
            bot_delay,
            leases=self.leases,
            lease=self._lease,
            time_source=time_source,
        )
        self.presence = Presence(store, self.in_use, self.in_store, self.spawn, time_source)
        self.chat = ChatService(store, self.in_use, self.in_store, self.spawn, time_source)
        # one at a time for each address: others are sent theirs in between
        self.broadcasts = ConcurrencyLimit(UPDATES, waiting=ADDRESS_UPDATES_WAITING)
        self._message_rates = TokenBuckets(*ADDRESS_MESSAGE_RATE, clock=time_source.monotonic)
        self.remote, self.archiver = RemoteSync(self), Archiver(self)
        self.housekeeping = Housekeeping(self)

    # Start and stop

    async def start(self) -> None:
        for one in (self.bots.remote, self.presence, self.chat):
            one.listen()
        self.remote.start()
        await self.bots.remote.count()
        self.spawn(self._preload())
        await self.housekeeping.sweep(0)
        self.spawn(self.housekeeping.keep_sweeping())
        if self._shared:
            self.spawn(self.remote.keep_comparing())
        self.spawn(self.archiver.archive_the_rest())
        self.spawn(self.archiver.record_the_rest())

    async def _preload(self) -> None:
        try:
            await asyncio.to_thread(preload)
        except Exception:
            logger.exception("what pages need could not be read ahead; each reads what it needs")

    async def stop(self) -> None:
        await self.background.stop()
        self.bots.pool.stop()
        self.in_store.stop()
        self.leases.close()

    def allow_message(self) -> bool:
        """Whether the address that speaks may say one thing more now, on whichever of its sockets."""
        who = asking.get()
        return who == OWN or not self._message_rates.wait(who)

    async def write(self, table: Table, events: Sequence[Event]) -> None:
        await self.writer.write(table.row(), events, ended_by(table, events))

    # Tables

    async def make(self, settings: TableSettings, seating: Sequence[str | tuple[str, str]]) -> Table:
        """A new table. Seats are free (""), a bot's (its level) or a person's (id and name); with none free
        the match begins.
        """
        id = secrets.token_urlsafe(12)
        now = Instant.of(self.time_source.time())
        events = [Event(1, "made", None, settings.creator, settings.text(), now.machine)]
        table = from_events(id, events)
        for seat, sitter in enumerate(seating):
            if sitter:
                creator = settings.creator or ""
                events.append(
                    decide.sit(table, now, sitter[0], seat, sitter[1])
                    if isinstance(sitter, tuple)
                    else decide.seat_bot(table, now, creator, seat, sitter)
                )
                table = evolve(table, events[-1])
        if not any(held.free for held in table.seats) or settings.imported:
            events.append(decide.start(table, now, settings.creator))
            table = evolve(table, events[-1])
        await self.add(table, events)
        return table

    async def add(self, table: Table, events: Sequence[Event]) -> None:
        """Writes a new table with all that has happened there already, and loads it."""
        live = await self._made_ready(table)
        live.client_key = asking.get()
        await self.write(table, events)
        self.on_change(None, table, table.settings.creator)
        self._open(live)
        self.archiver.archive_if_over(table)

    async def store_imported(self, row: TableSummary, events: Sequence[Event]) -> None:
        """Writes a match that was read elsewhere; it is loaded when somebody looks at it."""
        await self.writer.write(row, events)
        self.spawn(self.archiver.archive_stored(row.id))

    async def find(self, id: str, seen: int = 0) -> OpenTable:
        """A table in use, taken from the store if need be; never older than `seen`, what the asker has seen.

        While other processes are not heard, the store is asked first whether it has more.
        """
        live = self.in_use.get(id)
        if live is None:
            # each address waits for its own: nobody's table comes after what another one has asked for
            key = (id, asking.get())
            if key not in self.loading:
                self.loading[key] = self.spawn(self._load(key))
            live = await asyncio.shield(self.loading[key])
        if live.table.version < seen or not self.remote.hears_all_events():
            await self.remote.check_version(live)
        if live.behind:
            await self.remote.wait_until_current(live)
            if self.in_use.get(id) is not live:  # forgotten in the meantime
                return await self.find(id, seen)
        live.used = self.time_source.monotonic()
        return live

    async def _load(self, key: tuple[str, str]) -> OpenTable:
        id, line = key[0], self.store.channels.connection()
        try:
            events = await self.in_store(self.store.events.read, id)
            if not events:
                raise NotFound
            live = await self._made_ready(await self._read(id, events))
            live.estimate_age()
            live = self.in_use.get(id) or self._open(live)  # another one may have been quicker
            if line is None or line != self.store.channels.connection():
                await self.remote.check_version(live)  # what was written since it was read was not heard
            return live
        finally:
            del self.loading[key]

    async def _made_ready(self, table: Table) -> OpenTable:
        """A table to be loaded; what takes long about it is done first, off the event loop."""
        live = OpenTable(table, undo_window=self.scheduler.undo_window, machine=self.machine)
        if table.settings.prior_match:
            await self.run_slow(live.presenter.past)
        return live

    def _open(self, live: OpenTable) -> OpenTable:
        """Loads a table. Its game is compiled first, if it is to be played."""
        self.in_use[live.table.id] = live
        self.housekeeping.bound_memory()
        if live.table.state in ("waiting", "on"):
            self.precompiler.prioritise(live.table.game.name)
        self.scheduler.schedule(live)
        return live

    async def _read(self, id: str, events: Sequence[Event]) -> Table:
        """The table that is stored.

        If today's rules cannot continue it, it is shown as it was kept or closed.

        Whatever is stored there, other tables go on.
        """
        row = await self.in_store(self.store.tables.find, id)
        if row is None or row.game not in registry.names():
            raise GameNotInstalled
        try:
            table = compared(await self.run_slow(from_events, id, events), row)
        except QueueFull:
            raise
        except Exception as error:
            logger.error("a table cannot be read and is set aside: %s", type(error).__name__)
            await self.in_store(self.store.tables.set_aside, id)
            raise Unreadable from error
        if table.outdated and not table.closed:
            kept = await self.in_store(self.store.archives.find, id)
            if kept is None:
                return await self._close(table, row.state)
            return replace(table, match=await self.run_slow(ArchivedMatch, kept))
        return table

    async def _close(self, table: Table, was: str) -> Table:
        """People who come to the table see why it cannot continue."""
        event = decide.close(table, Instant.of(self.time_source.time()), was)
        table = evolve(table, event)
        try:
            await self.write(table, [event])
        except VersionConflict:
            logger.info("another process has closed a table already")
        logger.warning("a table was closed: %s", event.text)
        return table

    async def act(
        self, id: str, ask: Command, *, version: int | None = None, stored: Callable[[], None] | None = None
    ) -> Table:
        """Applies an event at a table, if it is allowed: it is stored, then applied, then sent to everyone.

        With `version`, only if the table still stands there. `stored` is called once it is written, before
        anyone is told. Once begun it is carried through, even if whoever asked is gone: what is written must
        also be told.
        """
        live = await self.find(id)
        return await self.shielded(self._act(live, ask, version, stored))

    async def _act(
        self, live: OpenTable, ask: Command, version: int | None, stored: Callable[[], None] | None
    ) -> Table:
        async with self._locked(live):
            while version is None or version == live.table.version:
                began = time.perf_counter()
                event = ask(live.table, live.now())
                after, anchor = evolve(live.table, event), Anchor.just_now(self.machine, event.at)
                try:
                    await self.write(after, [event])
                except VersionConflict:
                    self.remote.note(live, event.version)
                    if await self.remote.catch_up(live):
                        continue
                    raise
                before = live.table
                live.replace_table(after, anchor)
                if event.person is not None and not after.pending.is_same(before.pending):
                    live.client_key = asking.get()
                self.on_change(before, after, event.person)
                if stored is not None:
                    stored()
                if event.kind == "play" and live.is_mid_turn(before):
                    live.unshown_since = live.unshown_since or after.waiting_since
                    self.scheduler.schedule(live)
                else:
                    self.broadcast(live)
                self.archiver.archive_if_over(after)
                monitoring.EVENTS.labels(event.kind).inc()
                monitoring.BROADCAST_SECONDS.observe(time.perf_counter() - began)
                return after
        raise Refused("refuse.stale")

    def broadcast(self, live: OpenTable) -> None:
        live.used = self.time_source.monotonic()
        live.notify_watchers()
        self.scheduler.schedule(live)

    @asynccontextmanager
    async def _locked(self, live: OpenTable) -> AsyncIterator[None]:
        """One thing happens at a table at a time; nobody waits for long behind a database that hangs."""
        async with self.writer.bounded():
            await live.lock.acquire()
        try:
            yield
        finally:
            live.lock.release()

    async def _lease(self, live: OpenTable) -> bool:
        """Whether it is for this process to act for the bots at a table that stands as the store has it."""
        id = live.table.id
        taken, version = await self.leases.take(id)
        self.remote.note(live, version)
        if taken and (self.in_use.get(id) is not live or not self.scheduler.acts(live)):
            self.leases.let_go(id)  # nobody wants it any more
            return False
        return taken and not live.behind

    def _on_precompiled(self, name: str) -> None:
        """The bots of a game can think: what was loaded for them is needed from now on."""
        self.housekeeping.freeze()
        for live in self.in_use.values():
            if live.preparing and live.table.game.name == name:
                live.preparing = False
                live.notify_watchers()

    def forget(self, live: OpenTable) -> None:
        if live.turn is not None:
            live.turn.cancel()
        self.leases.let_go(live.table.id)
        del self.in_use[live.table.id]
