"""The sessions of people: which are good, when each was last used, and the sockets that end with them."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Protocol

from starlette.requests import HTTPConnection

from comptoir.time_source import SYSTEM_TIME, TimeSource
from comptoir.web.domain.people import LIFETIME, YEAR, IdentityTokens, Session
from comptoir.web.storage.channels import SESSIONS_CHANNEL
from comptoir.web.storage.database import NotStored
from comptoir.web.storage.outage import Ask, Unavailable
from comptoir.web.storage.session_store import ALL_SESSIONS, SessionInfo
from comptoir.web.storage.store import Store

LOOK_AGAIN = 1.0  # seconds after which the database is asked again that did not answer
LAST_USED_RESOLUTION = 300.0  # seconds: how exactly it is known when a session was last used
# What a device is called: the first that its browser says of itself. Enough to know one's own, no more.
BROWSERS = {
    "Edge": r"Edg",
    "Opera": r"OPR",
    "Firefox": r"Firefox|FxiOS",
    "Chrome": r"Chrom|CriOS",
    "Safari": r"Safari",
}
SYSTEMS = {
    "Android": "Android",
    "iOS": "iPhone|iPad",
    "Windows": "Windows",
    "macOS": "Mac OS",
    "Linux": "Linux",
}

Key = tuple[str, str]  # a person and a session


class SessionSocket(Protocol):
    """A socket that goes when its session does."""

    def end(self) -> None: ...


class Sessions:
    """Knows of every cookie whether it is still good."""

    def __init__(
        self,
        store: Store,
        people: IdentityTokens,
        ask: Ask,
        time_source: TimeSource = SYSTEM_TIME,
    ) -> None:
        self._time = time_source
        self._store, self._people, self._ask = store, people, ask
        self._first_until = store.sessions.first_cookies_until(YEAR)
        self._sockets: dict[Key, set[SessionSocket]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def listen(self) -> None:
        """Before the store listens: what other processes end, ends here too."""
        loop = asyncio.get_running_loop()

        def told(person: str, id: str) -> None:
            loop.call_soon_threadsafe(self.on_ended, (person, id))

        self._store.channels.on(SESSIONS_CHANNEL, told)

    async def of(self, connection: HTTPConnection) -> Session | None:
        """Who asks, by a session that is good; that it is used is noted every few minutes."""
        session, now = self._people.session_of(connection), self._time.time()
        if session is None or (not session.id and now > self._first_until):
            return None
        found = await self._ask(self._store.sessions.find, session.person, session.id)
        if found is not None and found.ended is not None:
            return None
        if found is None or now - found.seen > LAST_USED_RESOLUTION:
            device = device_of(connection.headers.get("user-agent", ""))
            noted = SessionInfo(session.person, session.id, device, now, now)
            with suppress(NotStored):  # what is stored can still be read
                await self._ask(self._store.sessions.note, noted, now - YEAR)
        return session

    async def listed(self, person: str) -> list[SessionInfo]:
        """The sessions by which a person can come here, the latest first."""
        found: list[SessionInfo] = await self._ask(
            self._store.sessions.sessions_of, person, self._time.time() - LIFETIME
        )
        return found

    async def numbers(self, person: str) -> tuple[int, int]:
        """How many sessions a person has, and how many with those that were ended."""
        return len(await self.listed(person)), await self._ask(self._store.sessions.count_of, person)

    async def is_good(self, session: Session) -> bool:
        found = await self._ask(self._store.sessions.find, session.person, session.id)
        return found is None or found.ended is None

    async def end(self, person: str, ids: Sequence[str]) -> None:
        """Ends sessions permanently, and closes the sockets that they have opened."""
        await self._ask(self._store.sessions.end, person, ids, self._time.time())
        for id in ids:
            self._close_sockets((person, id))

    async def delete(self, person: str) -> None:
        """Ends all sessions of whoever has deleted themselves, also those that nobody knows of."""
        await self._ask(self._store.people.delete, person, self._time.time())
        self._close_sockets((person, ALL_SESSIONS))

    # Sockets

    @contextmanager
    def connected(self, session: Session | None, guest: SessionSocket) -> Iterator[None]:
        """While a socket is open it is known by its session."""
        if session is None:
            yield
            return
        key = (session.person, session.id)
        self._sockets.setdefault(key, set()).add(guest)
        try:
            yield
        finally:
            self._sockets[key].discard(guest)
            if not self._sockets[key]:
                del self._sockets[key]

    def _close_sockets(self, key: Key) -> None:
        person, id = key
        keys = [one for one in self._sockets if one[0] == person] if id == ALL_SESSIONS else [key]
        for guest in [guest for one in keys for guest in self._sockets.get(one, ())]:
            guest.end()

    def on_ended(self, key: Key) -> None:
        if key != ("", ""):
            self._close_sockets(key)
            return
        task = asyncio.create_task(self._reload())  # any may have been ended while the line was dead
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _reload(self) -> None:
        for person, id in list(self._sockets):
            while not await self._looked_at(person, id):
                await self._time.sleep(LOOK_AGAIN)

    async def _looked_at(self, person: str, id: str) -> bool:
        """Closes the sockets of a session that was ended; False if the database does not answer."""
        try:
            good = await self.is_good(Session(person, id))
        except Unavailable:
            return False
        if not good:
            self._close_sockets((person, id))
        return True


def device_of(agent: str) -> str:
    """A browser and its system, such as `Firefox, Linux`; what is neither is not named."""
    found = (
        next((name for name, pattern in known.items() if re.search(pattern, agent)), "")
        for known in (BROWSERS, SYSTEMS)
    )
    return ", ".join(filter(None, found))
