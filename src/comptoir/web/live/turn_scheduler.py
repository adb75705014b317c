"""The server's own turns: a bot's soon, a person's when their clock has run out, and none where bots would
play for nobody.

When the server acts depends on nothing but what everyone can know: the level of a bot, the pace, how the turn
before has ended. A bot thinks in the meantime, and is given the same time whatever it holds.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Protocol, TypeVar, TypeVarTuple

from comptoir.time_source import SYSTEM_TIME, TimeSource
from comptoir.web.domain import decide, queries
from comptoir.web.domain.clock import Instant
from comptoir.web.domain.refusals import Forbidden, Refused
from comptoir.web.domain.state import Event, Table
from comptoir.web.limits import ADDRESS_UNATTENDED_BOTS, UNATTENDED_BOTS
from comptoir.web.live.bot_pool import HINT, LEVEL_SECONDS, PREPARING, BotDecision
from comptoir.web.live.bot_service import BotService, Leases
from comptoir.web.live.bot_speed import DEFAULT_SPEED, SPEEDS
from comptoir.web.live.open_table import UNDO_WINDOW, BotTask, OpenTable, Watcher
from comptoir.web.ops.fair_queue import ConcurrencyLimit, asking
from comptoir.web.storage.database import NotStored
from comptoir.web.storage.outage import Unavailable

TAKEOVER_GRACE = 15.0  # seconds after which a bot's turn is taken from a process that seems to have gone
RETRY_INTERVAL = 1.0  # seconds between attempts to act for another process, or after the database has failed

logger = logging.getLogger(__name__)
T = TypeVar("T")
Args = TypeVarTuple("Args")


class Act(Protocol):
    """Something happens at a table, if it may."""

    async def __call__(self, id: str, ask: Callable[[Table, Instant], Event], /) -> Table: ...


class Spawn(Protocol):
    """Begins a work that ends with the server."""

    def __call__(self, work: Coroutine[object, None, T]) -> asyncio.Task[T]: ...


class TurnScheduler:
    """When the server acts, and what it does then. `act` and `spawn` are the tables' own.

    Of several processes one acts for the bots of a table: the one that `lease` gives it to, until it lets go.
    """

    def __init__(
        self,
        bots: BotService,
        act: Act,
        spawn: Spawn,
        bot_delay: float,
        *,
        leases: Leases,
        lease: Callable[[OpenTable], Coroutine[object, None, bool]],
        time_source: TimeSource = SYSTEM_TIME,
    ) -> None:
        self._time = time_source
        self.bots, self._act, self._spawn, self.bot_delay = bots, act, spawn, bot_delay
        self._leases, self._lease = leases, lease
        self.undo_window = UNDO_WINDOW if bot_delay else 0.0
        self._unattended = ConcurrencyLimit(UNATTENDED_BOTS, each=ADDRESS_UNATTENDED_BOTS, waiting=10_000)

    def watch(self, live: OpenTable, watcher: Watcher) -> None:
        """Somebody looks on: bots among themselves go on."""
        live.watchers.add(watcher)
        self._seen(live)

    def unwatch(self, live: OpenTable, watcher: Watcher) -> None:
        live.watchers.discard(watcher)
        if live.is_dormant:
            self.schedule(live)

    def note_poll(self, live: OpenTable) -> None:
        """Somebody asks how it stands, and may ask again."""
        live.polled_at = self._time.monotonic()
        self._seen(live)

    def _seen(self, live: OpenTable) -> None:
        if live.table.unattended:
            live.client_key = asking.get()
        self.wake_up(live)

    def wake_up(self, live: OpenTable) -> None:
        """The server sees to a table again, if there is something for it to do."""
        if live.turn is None or live.turn.done():
            self.schedule(live)

    def schedule(self, live: OpenTable) -> None:
        """Sets the server to act when it is to: for a bot soon, for a person whose clock runs out then.

        When that is depends on the position alone, so it may be set again at any time.
        """
        if live.turn is not None:
            live.turn.cancel()
        live.turn = None
        live.skipping = live.skipping and self._acts(live.table)
        awake = live.table.due is not None and not live.is_dormant
        if live.bot_task is not None and not (awake and live.bot_task.pending.is_same(live.table.pending)):
            live.bot_task.decision.cancel()
            live.bot_task = None
        if not self.acts(live):
            self._leases.let_go(live.table.id)
        if awake:
            live.turn = self._spawn(self._turn(live))

    async def _turn(self, live: OpenTable) -> None:
        """The server acts, as soon as the database lets it."""
        while True:
            try:
                await (self._play_bot(live) if self._acts(live.table) else self._wait_for_person(live))
                return
            except Unavailable:
                await self._time.sleep(RETRY_INTERVAL)

    async def _play_bot(self, live: OpenTable) -> None:
        """At a moment that is told by what everyone can know."""
        async with self._place(live):
            table = live.table
            begins, acts = self.pause_times(live)
            action = table.scripted_action or table.forced
            await self.sleep_until(begins if action is None else acts)
            await self._leased(live)
            if action is None:
                chosen, acts = await self.decision(live, acts)
                action = table.game.actions[chosen]
            await self.sleep_until(acts)
            # carried through, even if something happens in the meantime and the next turn is set
            await asyncio.shield(self._spawn(self.play_action(table, action)))

    async def _leased(self, live: OpenTable) -> None:
        """Waits until it is for this process to act: until another one that was to act seems to be gone.

        Where people have asked this process to hurry, it does not wait for one that may know nothing of that.
        """
        if self._leases.holds(live.table.id):
            return
        began = self._time.monotonic()
        hurried = live.skipping or SPEEDS[live.speed] < SPEEDS[DEFAULT_SPEED]
        while not await asyncio.shield(self._spawn(self._lease(live))):
            if hurried or self._time.monotonic() - began > TAKEOVER_GRACE:
                return
            await self._time.sleep(RETRY_INTERVAL)

    async def _wait_for_person(self, live: OpenTable) -> None:
        """Until their time is spent, however the machine's clock is set; whatever happens before sets it
        again.
        """
        table = live.table
        assert table.due is not None
        await self.sleep_until(self._time.time() + table.due - live.time())

        def run_out(then: Table, now: Instant) -> Event:
            if then.version != table.version:
                raise Refused("refuse.stale")
            return decide.time_out(then, now)

        try:
            await asyncio.shield(self._spawn(self._act(table.id, run_out)))
        except Refused:
            logger.info("somebody has acted with no time left")
        except NotStored:
            logger.info("a clock that has run out could not be stored; a sweep tries again")

    async def play_action(self, table: Table, action: str) -> None:
        """If the seat has still the same to decide."""
        task, seat = table.pending, table.turn

        def play(then: Table, now: Instant) -> Event:
            if not then.pending.is_same(task):
                raise Refused("refuse.stale")
            return decide.play(then, now, None, seat, action)

        try:
            await self._act(table.id, play)
        except Refused:
            logger.info("a bot's action came too late")
        except NotStored:
            logger.info("a bot's action could not be stored; a sweep tries again")

    @asynccontextmanager
    async def _place(self, live: OpenTable) -> AsyncIterator[None]:
        """Where bots play among themselves, only so many tables go on at a time."""
        if not live.table.unattended:
            yield
            return
        async with self._unattended.enter(self._client_key(live)):
            yield

    def _client_key(self, live: OpenTable) -> str:
        """Who has bots think there: the address that has set it going, if that is known, else the creator."""
        return live.client_key or live.table.settings.creator or live.table.id

    async def advise(self, live: OpenTable, function: Callable[[*Args], T], *arguments: *Args) -> T:
        """Calls what thinks for a person there."""
        return await self.bots.think(asking.get() or self._client_key(live), HINT, function, *arguments)

    async def decision(self, live: OpenTable, acts: float) -> tuple[int, float]:
        """What a bot chooses, and when it does that: later only if the thought has begun late, or has taken
        longer than any should.
        """
        thought = self._bot_task(live)
        try:
            answered, began = await asyncio.shield(thought.decision)
        except Exception:
            live.bot_task = None  # it is tried again
            raise
        seconds = self._seconds(thought.kind)
        times = max(1, math.ceil(answered.seconds / seconds)) if seconds else 0
        return answered.action, max(acts, began + seconds * times)

    def _bot_task(self, live: OpenTable) -> BotTask:
        """The thought about what is to be decided now, begun if need be."""
        table, level = live.table, live.table.bot
        assert level is not None
        if live.bot_task is None:
            kind = self.bots.kind(table.game.name, level)
            if kind == PREPARING:
                self._prepare(live)
            answer = self._spawn(self._think(table, level, self._client_key(live)))
            live.bot_task = BotTask(table.pending, kind, answer)
        return live.bot_task

    async def _think(self, table: Table, level: str, client_key: str) -> tuple[BotDecision, float]:
        """What a bot answers, and when it has begun to think."""
        answered = await self.bots.decide(table, level, client_key)
        return answered, self._time.time() - answered.seconds

    async def sleep_until(self, moment: float) -> None:
        await self._time.sleep(max(0.0, moment - self._time.time()))

    def acts(self, live: OpenTable) -> bool:
        """Whether the server is to act at a table, and there is somebody for whom it does."""
        return live.table.due is not None and not live.is_dormant and self._acts(live.table)

    def _acts(self, table: Table) -> bool:
        """Whether the server is to act next, and not only if a person lets their time run out."""
        return table.bot is not None or table.forced is not None

    def pause_times(self, live: OpenTable) -> tuple[float, float]:
        """When the server begins to think, and when it acts: so that people can follow, and not before a turn
        is finally over. All in this is known to everyone.
        """
        table, due = live.table, live.table.due
        assert due is not None
        level = None if table.scripted_action or table.forced else table.bot
        takes = self._seconds(self.bots.kind(table.game.name, level)) if level else 0.0
        takes = max(takes, self._pause(live))
        acts = max(due + takes, live.ends_at or 0.0)
        acts = min(acts, self._time.time() + max(takes, live.undo_window if live.ends_at else 0.0))
        return acts - takes, acts

    def _seconds(self, kind: str) -> float:
        """How long a thought takes, for all to see; without pauses, as long as it takes."""
        return LEVEL_SECONDS[kind] if self.bot_delay else 0.0

    def _pause(self, live: OpenTable) -> float:
        return 0.0 if live.skipping or live.unshown_since is not None else self.bot_delay * SPEEDS[live.speed]

    def end_turn(self, live: OpenTable, person: str | None) -> None:
        """A person whose turn ended automatically has nothing to undo."""
        if not self._ends_turn_of(live, person):
            raise Refused("refuse.stale")
        live.ended = live.table.pending.position
        live.notify_watchers()
        self._reschedule(live)

    def _ends_turn_of(self, live: OpenTable, person: str | None) -> bool:
        seat = live.table.ending
        return seat is not None and live.table.seats[seat].person == person

    def end_turns_at_once(self, live: OpenTable, person: str, wanted: bool) -> None:
        """Whether a person's turns end without a wait; here only, and not kept."""
        if not live.table.seats_of(person):
            raise Forbidden("refuse.not_yours")
        (live.at_once.add if wanted else live.at_once.discard)(person)
        live.notify_watchers()
        self._reschedule(live)

    def set_speed(self, live: OpenTable, person: str | None, speed: str) -> None:
        """How fast bots act at this table; here only, and not kept."""
        self._check_may_set_speed(live, person)
        if speed not in SPEEDS:
            raise Refused("refuse.message")
        live.speed = speed
        live.notify_watchers()
        self._reschedule(live)

    def skip(self, live: OpenTable, person: str | None) -> None:
        """The bots' next turns are played at once, until a person is to decide."""
        self._check_may_set_speed(live, person)
        live.skipping = self._acts(live.table)
        if self._ends_turn_of(live, person):
            live.ended = live.table.pending.position
        self._reschedule(live)

    def _check_may_set_speed(self, live: OpenTable, person: str | None) -> None:
        if not queries.may_set_bot_speed(live.table, person):
            raise Forbidden("refuse.maker")

    def _reschedule(self, live: OpenTable) -> None:
        """What is waited for comes at another time."""
        if self._acts(live.table):
            self.schedule(live)

    def _prepare(self, live: OpenTable) -> None:
        """Has the bots of a game compiled before others, and says at the table that clerks play for them."""
        self.bots.precompiler.prioritise(live.table.game.name)
        if not live.preparing:
            live.preparing = True
            live.notify_watchers()
