"""Who is at a table: whose page is open there, who has seen the last turn, how many look on.

Nothing of this is stored, and none of it is an event: it moves no clock and no bot. It is sent when it has
changed, once a second at most, in a few bytes. Processes on PostgreSQL tell each other.
"""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from comptoir.time_source import SYSTEM_TIME, TimeSource
from comptoir.web.storage.channels import PRESENCE_CHANNEL
from comptoir.web.storage.outage import Ask
from comptoir.web.storage.store import Store

if TYPE_CHECKING:
    from comptoir.web.live.open_table import OpenTable

BROADCAST_INTERVAL = 1.0  # seconds between two broadcasts at a table, and before the first
RECONNECT_GRACE = 4.0  # seconds; a page reload must not count as leaving
HEARTBEAT_INTERVAL = 20.0  # seconds between a process's messages about a shared table
PROCESS_TIMEOUT = 70.0  # seconds without a message after which a process has nobody there
HERE, SEEN = 1, 2  # what is shown of a person: all facts together
ASKING = "?"  # what a process says that wants to know who is there

logger = logging.getLogger(__name__)


class PresencePage(Protocol):
    """Somebody's page at a table."""

    seen: int  # the last version that was before their eyes

    @property
    def person(self) -> str | None: ...

    def on_presence(self) -> None:
        """Somebody has come or gone, or has seen the last turn."""

    def on_chat(self) -> None:
        """Somebody has said something."""

    def reload_chat(self) -> None:
        """Its person has muted somebody, or no longer."""


@dataclass(frozen=True)
class PresenceSummary:
    """What everyone at a table may know of the others there."""

    seats: tuple[int | None, ...]  # HERE and SEEN of the person at each seat; None where there is no person
    watching: int


@dataclass(frozen=True)
class ProcessPresence:
    """Who is at a table by one process."""

    here: frozenset[str] = frozenset()
    seen: dict[str, int] = field(default_factory=dict)  # by person, the last version before their eyes
    watching: int = 0

    def text(self) -> str:
        return json.dumps({"here": sorted(self.here), "seen": self.seen, "watching": self.watching})

    @classmethod
    def read(cls, text: str) -> ProcessPresence:
        given = json.loads(text)
        return cls(frozenset(given["here"]), dict(given["seen"]), int(given["watching"]))


@dataclass
class TablePresence:
    """Who is at one table, as this process knows it."""

    pages: set[PresencePage] = field(default_factory=set)
    left: dict[str, float] = field(default_factory=dict)  # when somebody's last page was closed
    seen: dict[str, int] = field(default_factory=dict)
    elsewhere: dict[str, tuple[float, ProcessPresence]] = field(
        default_factory=dict
    )  # by process, and since when
    published: ProcessPresence = field(default_factory=ProcessPresence)  # what was sent to other processes
    shown: PresenceSummary | None = None
    scheduled: bool = False  # whether changes will be sent soon


class Presence:
    """All tables in use in this process. `lives` knows them by their ids."""

    def __init__(
        self,
        store: Store,
        lives: dict[str, OpenTable],
        ask: Ask,
        spawn: Callable[[Coroutine[object, None, object]], object],
        time_source: TimeSource = SYSTEM_TIME,
    ) -> None:
        self._time = time_source
        self._store, self._lives, self._ask, self._spawn = store, lives, ask, spawn
        self.broadcast_interval, self.reconnect_grace = BROADCAST_INTERVAL, RECONNECT_GRACE
        self.heartbeat_interval, self.process_timeout = HEARTBEAT_INTERVAL, PROCESS_TIMEOUT
        self._process = secrets.token_hex(4)
        self.shared = store.kind == "postgresql"

    def listen(self) -> None:
        """Before the store listens: what other processes say of their people is heard here."""
        loop = asyncio.get_running_loop()

        def told(table: str, rest: str) -> None:
            loop.call_soon_threadsafe(self._on_message, table, rest)

        self._store.channels.on(PRESENCE_CHANNEL, told)
        if self.shared:
            self._spawn(self.send_heartbeats())

    # Coming and going

    def connect(self, live: OpenTable, page: PresencePage) -> None:
        if not live.presence.pages:
            self._publish(live, ASKING)
        live.presence.pages.add(page)
        self.schedule_broadcast(live)

    def disconnect(self, live: OpenTable, page: PresencePage) -> None:
        self._note_seen(live)
        live.presence.pages.discard(page)
        if page.person is not None:
            live.presence.left[page.person] = self._time.monotonic()
        self.schedule_broadcast(live)

    def schedule_broadcast(self, live: OpenTable) -> None:
        """Something may have changed: all changes of the next second are sent together."""
        if not live.presence.scheduled:
            live.presence.scheduled = True
            self._spawn(self._broadcast(live))

    async def _broadcast(self, live: OpenTable) -> None:
        await self._time.sleep(self.broadcast_interval)
        attendance = live.presence
        attendance.scheduled = False
        self._note_seen(live)
        self._forget_left(live)
        crowd = self._local(live)
        if crowd != attendance.published:
            attendance.published = crowd
            self._publish(live, crowd.text())
        present = self.summary(live)
        if present != attendance.shown:
            attendance.shown = present
            for page in attendance.pages:
                page.on_presence()
        if attendance.left:
            self.schedule_broadcast(live)

    def _note_seen(self, live: OpenTable) -> None:
        seen = live.presence.seen
        for page in live.presence.pages:
            if page.person is not None:
                seen[page.person] = max(seen.get(page.person, 0), page.seen)

    def _forget_left(self, live: OpenTable) -> None:
        """Who has come back has not left, and who left a while ago is gone."""
        attendance, now = live.presence, self._time.monotonic()
        back = {page.person for page in attendance.pages}
        attendance.left = {
            person: at
            for person, at in attendance.left.items()
            if person not in back and now - at < self.reconnect_grace and person in live.table.people
        }
        if len(attendance.seen) > len(live.table.people):
            attendance.seen = {who: at for who, at in attendance.seen.items() if who in live.table.people}

    def _local(self, live: OpenTable) -> ProcessPresence:
        """Who is there by this process."""
        attendance, people = live.presence, live.table.people
        here = {page.person for page in attendance.pages} | set(attendance.left)
        watching = {page.person or id(page) for page in attendance.pages if page.person not in people}
        seen = {person: attendance.seen[person] for person in people if attendance.seen.get(person)}
        return ProcessPresence(frozenset(person for person in people if person in here), seen, len(watching))

    def summary(self, live: OpenTable) -> PresenceSummary:
        """Who is there by all processes, from what everyone may know."""
        crowds = [self._local(live), *(crowd for _, crowd in live.presence.elsewhere.values())]

        def told_of(person: str | None) -> int | None:
            if person is None:
                return None
            here = any(person in crowd.here for crowd in crowds)
            seen = max(crowd.seen.get(person, 0) for crowd in crowds)
            return HERE * here + SEEN * (0 < live.shown_turn <= seen)

        seats = tuple(told_of(held.person) for held in live.table.seats)
        return PresenceSummary(seats, sum(crowd.watching for crowd in crowds))

    # Other processes

    def _publish(self, live: OpenTable, text: str) -> None:
        if self.shared:
            self._spawn(self._notify(f"{live.table.id} {self._process} {text}"))

    async def _notify(self, what: str) -> None:
        try:
            await self._ask(self._store.database.notify, PRESENCE_CHANNEL, what)
        except Exception as error:
            logger.warning("other processes could not be told who is here: %s", type(error).__name__)

    def _on_message(self, table: str, rest: str) -> None:
        if not table:  # the line was dead: others may have come and gone
            for one in self._lives.values():
                if one.presence.pages:
                    self._publish(one, ASKING)
            return
        process, _, text = rest.partition(" ")
        live = self._lives.get(table)
        if live is None or process == self._process:
            return
        if text == ASKING:
            if live.presence.published != ProcessPresence():
                self._publish(live, live.presence.published.text())
            return
        with suppress(ValueError, KeyError, TypeError):  # of a process with another edition
            live.presence.elsewhere[process] = self._time.monotonic(), ProcessPresence.read(text)
            self.schedule_broadcast(live)

    async def send_heartbeats(self) -> None:
        """A process that was killed has not said that its people are gone."""
        while True:
            await self._time.sleep(self.heartbeat_interval)
            long_ago = self._time.monotonic() - self.process_timeout
            for live in list(self._lives.values()):
                elsewhere = live.presence.elsewhere
                if not elsewhere:
                    continue
                live.presence.elsewhere = {who: said for who, said in elsewhere.items() if said[0] > long_ago}
                if live.presence.pages:
                    self._publish(live, live.presence.published.text())
                self.schedule_broadcast(live)
