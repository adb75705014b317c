"""The tables that are in use in this process: what is asked of them is kept by the store, then told to
everyone who looks on.

An event is written before anyone hears of it. Its version is taken once: if another process was quicker, this
one reads what happened and answers with that. So several processes can serve the same tables.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, TypeVar

from comptoir import games
from comptoir.errors import ComptoirError
from comptoir.time_source import SYSTEM_TIME, TimeSource
from comptoir.web.domain import decide
from comptoir.web.domain.archive import ArchivedMatch, archive_match
from comptoir.web.domain.clock import Anchor, Instant, Machine
from comptoir.web.domain.evolve import compared, evolve, from_events
from comptoir.web.domain.player_results import PlayerResult, ended_by, results_of
from comptoir.web.domain.refusals import Refused
from comptoir.web.domain.state import Event, Settings, Table, TableSummary
from comptoir.web.limits import ADDRESS_MESSAGE_RATE, ADDRESS_UPDATES_WAITING, POSITIONS_KEPT, UPDATES
from comptoir.web.live.bots import BotService, Leases
from comptoir.web.live.chat import ChatService
from comptoir.web.live.open_table import OpenTable
from comptoir.web.live.precompiler import Precompiler
from comptoir.web.live.presence import Presence
from comptoir.web.live.turn_scheduler import TAKEOVER_GRACE, TurnScheduler
from comptoir.web.ops import monitoring
from comptoir.web.ops.fair_queue import OWN, ConcurrencyLimit, QueueFull, asking
from comptoir.web.ops.gc_schedule import GcSchedule
from comptoir.web.ops.request_guard import TokenBuckets
from comptoir.web.storage.event_store import PendingWrite, VersionConflict
from comptoir.web.storage.outage import Calls, Unavailable
from comptoir.web.storage.store import Store
from comptoir.web.view.preload import preload

logger = logging.getLogger(__name__)

Command = Callable[[Table, Instant], Event]
T = TypeVar("T")

SLOW_JOBS = 1  # long-running jobs off the event loop (replaying, drawing): Python has one lock for all
IDLE = 600.0  # seconds after which a table that nobody looks at is forgotten here
SWEEP = 2.0  # seconds between looks at the store: for tables whose turn is the server's, for newer versions
FIRST_RETRY, MAX_RETRY = 0.1, 2.0  # seconds between attempts to read from a database that does not answer
RELOAD_RETRY = 600.0  # seconds before trying again to load a broken table
CLOCK_SET_BACK = 60.0  # seconds: a bot whose turn is to come later than that is due by a clock that was wrong


class NotFound(Exception):
    """There is no such table. `key` is the sentence in words.toml that says so."""

    key, status = "error.no_table", 404


class Unreadable(NotFound):
    """There is such a table, but what is stored of it makes no sense."""

    key, status = "error.damaged", 410


class GameNotInstalled(NotFound):
    """A table of a game that is not installed here; it may come back."""

    key, status = "error.no_game", 410


class Tables:
    """All tables in use. Everything here runs in the event loop; the store and the bots have threads of their
    own.
    """

    def __init__(
        self,
        store: Store,
        warm: Precompiler,
        *,
        bot_delay: float = 0.7,
        most_positions: int = POSITIONS_KEPT,
        time_source: TimeSource = SYSTEM_TIME,
    ) -> None:
        self.time_source, self.machine = time_source, Machine(time_source)
        self.store, self.precompiler, self.most_positions = store, warm, most_positions
        warm.on_ready = self._on_precompiled
        # who is not here is told of what was written here; and who has seen what was written elsewhere
        self.on_change: Callable[[Table | None, Table, str | None], None] = lambda before, after, actor: None
        self.on_remote_change: Callable[[Table, OpenTable], None] = lambda before, live: None
        self.in_use: dict[str, OpenTable] = {}
        self._loading: dict[tuple[str, str], asyncio.Task[OpenTable]] = {}  # by table and who asks for it
        self._shared = store.kind == "postgresql"
        self.in_store = Calls(8 if self._shared else 2, bounded=self._shared)
        self._heard_by: int | None = None  # the connection by which nothing was missed
        self._unwritten: list[tuple[PendingWrite, asyncio.Future[None]]] = []
        self._writing = False
        self.bots = BotService(store, self.in_store, warm, time_source)
        self.leases = Leases(store, self.in_store, self._spawn, self.bots.remote)
        self.scheduler = TurnScheduler(
            self.bots,
            self.act,
            self._spawn,
            bot_delay,
            leases=self.leases,
            lease=self._lease,
            time_source=time_source,
        )
        self.presence = Presence(store, self.in_use, self.in_store, self._spawn, time_source)
        self.chat = ChatService(store, self.in_use, self.in_store, self._spawn, time_source)
        self.broadcasts = ConcurrencyLimit(
            UPDATES, waiting=ADDRESS_UPDATES_WAITING
        )  # of an address one at a time: others are told in between
        self._message_rates = TokenBuckets(*ADDRESS_MESSAGE_RATE, clock=time_source.monotonic)
        self._work_pool, self._works = ThreadPoolExecutor(SLOW_JOBS, "work"), ConcurrencyLimit(SLOW_JOBS)
        monitoring.QUEUE_LENGTH.labels("work").set_function(lambda: len(self._works))
        monitoring.QUEUE_LENGTH.labels("writes").set_function(lambda: len(self._unwritten))
        self._tasks: set[asyncio.Task[Any]] = set()
        self.retry_at: dict[str, float] = {}  # tables that could not be taken into use, and when to try again
        self._gc_schedule = GcSchedule(time_source)
        self._archiving = asyncio.Lock()  # one match at a time: who plays comes first

    # Beginning and end

    async def start(self) -> None:
        loop = asyncio.get_running_loop()

        def told(table: str, version: int) -> None:
            loop.call_soon_threadsafe(self.on_remote_event, table, version)

        for one in (self.bots.remote, self.presence, self.chat):
            one.listen()
        self.store.channels.listen(told)
        self._heard_by = self.store.channels.connection()
        await self.bots.remote.count()
        self._spawn(self._preload())
        await self.sweep(0)
        self._spawn(self._sweeping())
        if self._shared:
            self._spawn(self._comparing())
        self._spawn(self._archive_the_rest())
        self._spawn(self._record_the_rest())

    async def _preload(self) -> None:
        try:
            await asyncio.to_thread(preload)
        except Exception:
            logger.exception("what pages need could not be read ahead; each reads what it needs")

    async def stop(self) -> None:
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self.bots.pool.stop()
        self._work_pool.shutdown(wait=False, cancel_futures=True)
        self.in_store.stop()
        self.leases.close()

    def _spawn(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def spawn(self, work: Coroutine[Any, Any, Any]) -> None:
        """Runs some work that nobody waits for; it ends with the server at the latest."""
        self._spawn(work)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        """A task's failure is looked at here: whoever waited for it may be gone. What people are told, and
        what the log has already, is not logged.
        """
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None and not isinstance(error, Unavailable | ComptoirError | NotFound):
            logger.error("a task has failed", exc_info=error)

    async def run_slow(self, function: Callable[..., T], *arguments: Any) -> T:
        """Calls what takes long, such as replaying a match, beside the loop: few at once, so that the loop
        keeps its share of Python's one lock, and of each address one at a time.
        """
        async with self._works.enter():
            return await asyncio.get_running_loop().run_in_executor(self._work_pool, function, *arguments)

    def allow_message(self) -> bool:
        """Whether the address that speaks may say one thing more now, on whichever of its sockets."""
        who = asking.get()
        return who == OWN or not self._message_rates.wait(who)

    async def write(self, table: Table, events: Sequence[Event]) -> None:
        await self._store_events(table.row(), events, ended_by(table, events))

    async def _store_events(
        self, row: TableSummary, events: Sequence[Event], results: Sequence[PlayerResult] = ()
    ) -> None:
        """Returns once it is on the disk.

        What comes while the disk is busy is written together afterwards: it is waited for once.
        """
        written = asyncio.get_running_loop().create_future()
        self._unwritten.append((PendingWrite(row.id, events, row, results), written))
        if not self._writing:
            self._writing = True
            self._spawn(self._write_all())
        async with self._bounded():
            await written

    async def _write_all(self) -> None:
        while self._unwritten:
            asked, self._unwritten = [one for one in self._unwritten if not one[1].done()], []
            if not asked:
                continue  # given up meanwhile: what nobody waits for is not written
            outcomes: Sequence[Exception | None]
            try:
                outcomes = await self.in_store.to_the_end(
                    self.store.events.append_all, [writing for writing, _ in asked]
                )
            except Exception as error:
                outcomes = [error] * len(asked)
            for (_, written), outcome in zip(asked, outcomes, strict=True):
                if written.done():  # nobody waits for it any more
                    continue
                if outcome is None:
                    written.set_result(None)
                else:
                    written.set_exception(outcome)
        self._writing = False

    @asynccontextmanager
    async def _bounded(self) -> AsyncIterator[None]:
        """Whatever is waited for here is waited for as long as the database is, and no longer."""
        try:
            async with asyncio.timeout(self.in_store.patience):
                yield
        except TimeoutError:
            raise self.in_store.failed("what came before takes too long") from None

    # Tables

    async def make(self, settings: Settings, seating: Sequence[str | tuple[str, str]]) -> Table:
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
        """Writes a new table with all that has happened there already, and takes it into use."""
        live = await self._made_ready(table)
        live.client_key = asking.get()
        await self.write(table, events)
        self.on_change(None, table, table.settings.creator)
        self._open(live)
        self._archive_if_over(table)

    async def store_imported(self, row: TableSummary, events: Sequence[Event]) -> None:
        """Writes a match that was read elsewhere; it is taken into use when somebody looks at it."""
        await self._store_events(row, events)
        self._spawn(self._archive_stored(row.id))

    async def find(self, id: str, seen: int = 0) -> OpenTable:
        """A table in use, taken from the store if need be; never older than `seen`, what the asker has seen.

        While other processes are not heard, the store is asked first whether it has more.
        """
        live = self.in_use.get(id)
        if live is None:
            # each address waits for its own: nobody's table comes after what another one has asked for
            key = (id, asking.get())
            if key not in self._loading:
                self._loading[key] = self._spawn(self._load(key))
            live = await asyncio.shield(self._loading[key])
        if live.table.version < seen or not self.hears_all_events():
            await self._look(live)
        if live.behind:
            await self._caught_up(live)
            if self.in_use.get(id) is not live:  # forgotten meanwhile
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
                await self._look(live)  # what was written since it was read was not heard
            return live
        finally:
            del self._loading[key]

    async def _made_ready(self, table: Table) -> OpenTable:
        """A table to be taken into use; what takes long about it is done first, beside the loop."""
        live = OpenTable(table, undo_window=self.scheduler.undo_window, machine=self.machine)
        if table.settings.prior_match:
            await self.run_slow(live.renderer.past)
        return live

    def _open(self, live: OpenTable) -> OpenTable:
        """Takes a table into use. Its game is compiled first, if it is to be played."""
        self.in_use[live.table.id] = live
        self.bound_memory()
        if live.table.state in ("waiting", "on"):
            self.precompiler.prioritise(live.table.game.name)
        self.scheduler.schedule(live)
        return live

    async def _read(self, id: str, events: Sequence[Event]) -> Table:
        """The table that is stored.

        If today's rules cannot go on with it, it is shown as it was kept or closed.

        Whatever is stored there, other tables go on.
        """
        row = await self.in_store(self.store.tables.find, id)
        if row is None or row.game not in games.names():
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
        """People who come to the table are told why it cannot go on."""
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
        """Something happens at a table, if it may: it is written, then it is so, then everyone is told.

        With `version`, only if the table still stands there. `stored` is called once it is written, before
        anyone is told. Once begun it is carried through, even if whoever asked is gone: what is written must
        also be told.
        """
        live = await self.find(id)
        return await self.shielded(self._act(live, ask, version, stored))

    async def shielded(self, work: Coroutine[Any, Any, T]) -> T:
        """Some work that goes on even if whoever asked for it is gone."""
        return await asyncio.shield(self._spawn(work))

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
                    self._note(live, event.version)
                    if await self._catch_up(live):
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
                    self._broadcast(live)
                self._archive_if_over(after)
                monitoring.EVENTS.labels(event.kind).inc()
                monitoring.BROADCAST_SECONDS.observe(time.perf_counter() - began)
                return after
        raise Refused("refuse.stale")

    def _broadcast(self, live: OpenTable) -> None:
        live.used = self.time_source.monotonic()
        live.notify_watchers()
        self.scheduler.schedule(live)

    # What other processes have done

    def on_remote_event(self, id: str, version: int) -> None:
        """What another process has written, or the store itself."""
        if not id:  # anything may have happened while the line was dead
            self._spawn(self._compare_again())
        elif id in self.in_use:
            self._note(self.in_use[id], version)
        elif any(id == loading for loading, _ in self._loading):  # what is being read may be from before
            self._spawn(self.find(id, version))

    def hears_all_events(self) -> bool:
        """Whether everything that other processes write is heard, and nothing was missed before."""
        return self._heard_by is not None and self.store.channels.connection() == self._heard_by

    def _note(self, live: OpenTable, version: int) -> None:
        """The store has that version: it is read, however often the database fails."""
        live.stored = max(live.stored, version)
        if live.behind and (live.reading is None or live.reading.done()):
            live.reading = self._spawn(self._read_on(live))

    async def _read_on(self, live: OpenTable) -> None:
        """Until the table is no longer behind its store, or no longer in use."""
        waits, known = _backoff(), False
        while self.in_use.get(live.table.id) is live:
            try:
                async with live.lock:
                    if not live.behind:
                        return
                    if not await self._catch_up(live):
                        live.stored = live.table.version  # there is no such event
            except Unavailable:
                await self.time_source.sleep(next(waits))
            except Exception:
                if not known:
                    logger.exception("a table cannot read on; it is tried again")
                known = True
                await self.time_source.sleep(next(waits))

    async def _caught_up(self, live: OpenTable) -> None:
        """Waits until a table is no longer behind its store. Raises Unavailable if that takes too long."""
        self._note(live, live.stored)
        if live.reading is not None:
            async with self._bounded():
                await asyncio.shield(live.reading)

    async def _look(self, live: OpenTable) -> None:
        """Asks the store which version a table has."""
        for _, version in await self.in_store(self.store.events.versions, [live.table.id]):
            self._note(live, version)

    async def _compare(self) -> None:
        """Has all tables read on that are behind the store, whatever was heard."""
        line = self.store.channels.connection()
        for id, version in await self.in_store(self.store.events.versions, list(self.in_use)):
            if id in self.in_use:
                self._note(self.in_use[id], version)
        self._heard_by = line

    async def _compare_again(self) -> None:
        """Compares as soon as the database answers."""
        for wait in _backoff():
            try:
                await self._compare()
                return
            except Unavailable:
                await self.time_source.sleep(wait)

    async def _comparing(self) -> None:
        while True:
            await self.time_source.sleep(SWEEP)
            try:
                await self._compare_again()
                await self.leases.check()
            except Exception:
                logger.exception("versions could not be compared; the next attempt comes soon")

    @asynccontextmanager
    async def _locked(self, live: OpenTable) -> AsyncIterator[None]:
        """One thing happens at a table at a time; nobody waits for long behind a database that hangs."""
        async with self._bounded():
            await live.lock.acquire()
        try:
            yield
        finally:
            live.lock.release()

    async def _lease(self, live: OpenTable) -> bool:
        """Whether it is for this process to act for the bots at a table that stands as the store has it."""
        id = live.table.id
        taken, version = await self.leases.take(id)
        self._note(live, version)
        if taken and (self.in_use.get(id) is not live or not self.scheduler.acts(live)):
            self.leases.let_go(id)  # nobody wants it any more
            return False
        return taken and not live.behind

    async def _catch_up(self, live: OpenTable) -> bool:
        """Reads what has happened elsewhere, if anything has. The lock is held."""
        events = await self.in_store(self.store.events.read, live.table.id, live.table.version)
        table = live.table
        for event in events:
            table = evolve(table, event)
        if events:
            before = live.table
            live.replace_table(table)
            live.estimate_age()
            self.on_remote_change(before, live)
            self._broadcast(live)
        return bool(events)

    # Looking after all

    async def _sweeping(self) -> None:
        while True:
            await self.time_source.sleep(SWEEP)
            try:
                await self.bots.remote.count()
                await self.sweep(TAKEOVER_GRACE)
                self.forget_unused()
                self._gc_schedule.collect_if_due()
                await asyncio.to_thread(self.store.database.checkpoint_wal)
            except Unavailable:
                continue  # the log says so already
            except Exception:
                logger.exception("a sweep has failed; the next comes soon")

    async def sweep(self, grace: float) -> None:
        """Takes into use the tables at which the server should have acted: after a restart, or when another
        process has gone.
        """
        self.machine.look()
        now = self.time_source.time()
        for row in await self.in_store(self.store.tables.due, now - grace, now + CLOCK_SET_BACK):
            if self.retry_at.get(row.id, 0.0) > self.time_source.monotonic():
                continue
            try:
                await self.wake(row)
            except NotFound:
                self.retry_at[row.id] = self.time_source.monotonic() + RELOAD_RETRY
            except Unavailable:
                raise  # nothing is wrong with the table
            except Exception:
                logger.exception("a table cannot be taken into use; the others go on")
                self.retry_at[row.id] = self.time_source.monotonic() + RELOAD_RETRY
        for live in self.in_use.values():  # bots among themselves are nobody's business in the store
            if live.table.unattended and not live.is_dormant:
                self.scheduler.wake_up(live)
        for id in [id for id, live in self.in_use.items() if live.table.clock_set(live.now())]:
            with contextlib.suppress(Refused):  # somebody has acted, or another process was quicker
                await self.act(id, decide.set_clock)

    async def wake(self, row: TableSummary) -> None:
        live = await self.find(row.id, row.version)
        if live.table.unattended:  # an older server has left it so
            await self.in_store(self.store.tables.clear_due, row.id, row.version)
        self.scheduler.wake_up(live)

    def _on_precompiled(self, name: str) -> None:
        """The bots of a game can think: what was loaded for them is needed from now on."""
        self._gc_schedule.freeze()
        for live in self.in_use.values():
            if live.preparing and live.table.game.name == name:
                live.preparing = False
                live.notify_watchers()

    # Finished matches

    def _archive_if_over(self, table: Table) -> None:
        if table.state == "over" and not table.outdated:
            self._spawn(self.archive(table))

    async def archive(self, table: Table) -> float:
        """Keeps a finished match as it was told, beside those that are played; the seconds that it took."""
        assert table.match is not None
        asking.set(OWN)
        async with self._archiving:
            began = self.time_source.monotonic()
            try:
                await self.in_store(
                    self.store.archives.add, table.id, await self.run_slow(archive_match, table.match)
                )
            except Unavailable:
                logger.warning("a finished match could not be kept; it is tried again at the next start")
            except Exception:
                logger.exception("a finished match could not be kept; it is tried again at the next start")
            return self.time_source.monotonic() - began

    async def _archive_the_rest(self) -> None:
        """Matches that ended under an older server, or just before this one's last end."""
        for id in await self.in_store(self.store.archives.missing):
            await self.time_source.sleep(2 * await self._archive_stored(id))

    async def _archive_stored(self, id: str) -> float:
        asking.set(OWN)  # nobody waits for it
        try:
            table = (await self.find(id)).table
        except Exception as error:
            logger.warning("a finished match cannot be kept: %s", type(error).__name__)
            return 0.0
        return await self.archive(table) if table.state == "over" and not table.outdated else 0.0

    async def _record_the_rest(self) -> None:
        """The results of matches that ended under a server which kept none."""
        for id in await self.in_store(self.store.results.missing):
            began = self.time_source.monotonic()
            asking.set(OWN)
            try:
                results = results_of((await self.find(id)).table)
                if results:
                    await self.in_store(self.store.results.add, results)
            except Exception as error:
                logger.warning("a finished match has no results: %s", type(error).__name__)
            await self.time_source.sleep(2 * (self.time_source.monotonic() - began))

    def forget_unused(self) -> None:
        monitoring.TABLES.set(len(self.in_use))
        long_ago = self.time_source.monotonic() - IDLE
        for live in self._unused():
            if live.used < long_ago:
                self.forget(live)
        self.bound_memory()

    def _unused(self) -> list[OpenTable]:
        """Tables that nobody looks at and where nothing is under way, those not asked for longest first."""
        unused = [
            live
            for live in self.in_use.values()
            if not live.watchers and not live.lock.locked() and (live.is_dormant or not self._soon_due(live))
        ]
        return sorted(unused, key=lambda live: live.used)

    def bound_memory(self) -> None:
        """However much is looked at, only so much of it is kept; the rest is read again when it is asked
        for.
        """
        left = sum(live.positions for live in self.in_use.values())
        if left <= self.most_positions:
            return
        for live in self._unused()[:-1]:  # the last one asked for is just being shown
            if left > self.most_positions:
                left -= live.positions
                self.forget(live)

    def _soon_due(self, live: OpenTable) -> bool:
        """A sweep takes a table into use again at which somebody has days, once their time is spent."""
        return live.table.due is not None and live.table.due < live.time() + IDLE

    def forget(self, live: OpenTable) -> None:
        if live.turn is not None:
            live.turn.cancel()
        self.leases.let_go(live.table.id)
        del self.in_use[live.table.id]


def _backoff() -> Iterator[float]:
    """Seconds to wait between attempts."""
    wait = FIRST_RETRY
    while True:
        yield wait
        wait = min(2 * wait, MAX_RETRY)
