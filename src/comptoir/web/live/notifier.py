"""Tells people who are not at their table what has happened there: by push on their devices, by mail.

The process that wrote an event sends its notifications, a little later: a burst gives one notice, and who has
it before their eyes by then gets none. Nobody who plays waits for it, and what cannot be sent is tried
again for a while.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import urlsplit

from comptoir.time_source import SYSTEM_TIME, TimeSource
from comptoir.web.domain.notifications import (
    Notification,
    is_current,
    is_superseded,
    notifications_between,
    payload,
    render_text,
    turn_notifications,
)
from comptoir.web.domain.people import IdentityTokens
from comptoir.web.domain.state import Table
from comptoir.web.limits import (
    HOST_PUSHES_AT_ONCE,
    MAILS_AT_ONCE,
    NOTICES_WAITING,
    PERSON_MAIL_RATE,
    PERSON_MAILS_AT_ONCE,
    PERSON_PUSH_RATE,
    PERSON_PUSHES_AT_ONCE,
    PUSH_RETRY_AFTER_SECONDS,
    PUSHES_AT_ONCE,
    REMEMBERED_PUSH_HOSTS,
    REPEATED_NOTICE_RATE,
    SLOW_PUSH_SECONDS,
    SLOW_PUSHES_AT_ONCE,
    TABLE_NOTICE_RATE,
    UNPROVEN_PUSHES_AT_ONCE,
)
from comptoir.web.live.not_found import NotFound
from comptoir.web.live.open_table import OpenTable
from comptoir.web.ops import monitoring
from comptoir.web.ops.fair_queue import OWN, FairQueue, QueueFull, Ticket, asking
from comptoir.web.ops.mail import ConfirmQuota, Mail, MailSettings, Undelivered
from comptoir.web.ops.push import BadSubscription, Push, PushUnreachable
from comptoir.web.ops.request_guard import TokenBuckets
from comptoir.web.page_words import page_words
from comptoir.web.storage.outage import Ask
from comptoir.web.storage.recipients import Address, Recipients, Subscription

VISIBLE_SECONDS = 20.0  # seconds after which a page that says nothing is seen by nobody: it speaks every five
CATCH_UP_SECONDS = 900.0  # seconds before a start: who is awaited since then may not have been told
BACKOFF = (5.0, 30.0, 120.0, 600.0)  # seconds before each further attempt

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class NotifierSettings:
    """What a host says of notices, and tests of their times."""

    mail: MailSettings | None = None
    contact: str = ""  # whom a push service may write to about this server
    allow_private: bool = False  # push services may also be in private networks, without https
    push_delay: float = 3.0  # seconds after an event
    mail_delay: float = 120.0
    second_look: float = VISIBLE_SECONDS  # later again, if they seem to be looking at the table
    backoff: tuple[float, ...] = BACKOFF


class Channel(Protocol):
    """A way of telling somebody."""

    name: str
    delay: float
    quota: TokenBuckets

    @property
    def queue(self) -> FairQueue:
        """The player to notify of their turn."""

    def targets(self, person: str) -> Sequence[Any]:
        """A person's channels, from the database."""

    def host(self, to: Any) -> str:
        """The server by which it reaches them, if they can choose one."""

    async def send(self, to: Any, notice: Notification) -> float | None:
        """None once it is sent, or cannot be; else the seconds after which to try again."""


ANSWERED, UNPROVEN, SLOW = range(3)  # how a push service has behaved, best first


class PushQueue(FairQueue):
    """Lanes are people, kinds are hosts. Hosts that answer come first, slow and silent ones last.

    Whoever has many devices, or names hosts that never answer, keeps a few connections busy and never all.
    """

    def __init__(self, clock: Callable[[], float] = SYSTEM_TIME.monotonic) -> None:
        super().__init__(PUSHES_AT_ONCE, each=PERSON_PUSHES_AT_ONCE, clock=clock)
        # apart: names that somebody has made up push no real host out
        self._answered: OrderedDict[str, None] = OrderedDict()
        self.slow: OrderedDict[str, None] = OrderedDict()

    def note(self, host: str, seconds: float, *, answered: bool) -> None:
        """A request to a host is over. One that fails at once costs nobody time, and changes nothing."""
        slow = seconds >= SLOW_PUSH_SECONDS
        if not slow and not answered:
            return
        for known in (self._answered, self.slow):
            known.pop(host, None)
        known = self.slow if slow else self._answered
        known[host] = None
        while len(known) > REMEMBERED_PUSH_HOSTS:
            known.popitem(last=False)

    def _rank(self, ticket: Ticket) -> int:
        if ticket.kind in self.slow:
            return SLOW
        return ANSWERED if ticket.kind in self._answered else UNPROVEN

    def _may(self, ticket: Ticket) -> bool:
        rank, inside = self._rank(ticket), [self._rank(one) for one in self.inside]
        if rank >= UNPROVEN and sum(one >= UNPROVEN for one in inside) >= UNPROVEN_PUSHES_AT_ONCE:
            return False
        if rank >= SLOW and inside.count(SLOW) >= SLOW_PUSHES_AT_ONCE:
            return False
        same = sum(one.kind == ticket.kind for one in self.inside)
        return same < HOST_PUSHES_AT_ONCE and super()._may(ticket)


class PushChannel:
    """On the devices that somebody has switched on."""

    name = "push"

    def __init__(
        self,
        push: Push,
        readers: Recipients,
        ask: Ask,
        delay: float,
        time_source: TimeSource = SYSTEM_TIME,
    ) -> None:
        self._clock = time_source.monotonic
        self.delay, self.queue = delay, PushQueue(self._clock)
        self.quota = TokenBuckets(*PERSON_PUSH_RATE, clock=self._clock)
        self._push, self._readers, self._ask = push, readers, ask

    def targets(self, person: str) -> list[Subscription]:
        return self._readers.devices(person)

    def host(self, to: Subscription) -> str:
        return urlsplit(to.endpoint).netloc.lower()

    async def send(self, to: Subscription, notice: Notification) -> float | None:
        waiting = await self._ask(self._readers.waiting, to.person)
        message = payload(notice, page_words(notice.game, to.lang), waiting)
        began, answer = self._clock(), None
        try:
            answer = await self._push.send(to, message, notice.table)
        except BadSubscription:
            return _counted(self.name, "refused")
        except PushUnreachable:
            return _counted(self.name, "later", 0.0)
        finally:
            self.queue.note(self.host(to), self._clock() - began, answered=answer is not None)
        if answer.gone:
            await self._ask(self._readers.drop, to)
            return _counted(self.name, "gone")
        if answer.later:
            return _counted(self.name, "later", answer.after)
        if not answer.accepted:
            logger.warning("a push service refuses a notice: %s", answer.status)
        return _counted(self.name, "sent" if answer.accepted else "refused")


class MailChannel:
    """To an address that its owner has confirmed."""

    name = "mail"

    def __init__(
        self,
        mail: Mail,
        readers: Recipients,
        people: IdentityTokens,
        delay: float,
        time_source: TimeSource = SYSTEM_TIME,
    ) -> None:
        clock = time_source.monotonic
        self.delay, self.quota = delay, TokenBuckets(*PERSON_MAIL_RATE, clock=clock)
        self.queue = FairQueue(MAILS_AT_ONCE, each=PERSON_MAILS_AT_ONCE, clock=clock)
        self.confirmations = ConfirmQuota(time_source)
        self.server, self._readers, self._people = mail, readers, people
        self._pool = ThreadPoolExecutor(MAILS_AT_ONCE, "mail")

    def targets(self, person: str) -> list[Address]:
        found = self._readers.address(person)
        return [found] if found is not None and found.confirmed is not None else []

    def host(self, to: Address) -> str:
        return ""  # all mail goes by the host's own mail server

    async def send(self, to: Address, notice: Notification) -> float | None:
        words, url = page_words(notice.game, to.lang), self.server.settings.url
        said = render_text(notice, words)
        stop = f"/mail/stop/{self._people.stop_token(to.person, to.address)}"
        lines = [said.text, f"{url}{said.link}", words.say("mail.stop_line", link=url + stop)]
        return await self._post(to.address, said.title, [line for line in lines if line], to.lang, stop)

    async def confirm(self, to: Address) -> float | None:
        """Asks at an address whether who has given it owns it. Nothing that they wrote is in it."""
        words, url = page_words(None, to.lang), self.server.settings.url
        link = f"{url}/mail/confirm/{self._people.confirm_token(to.person, to.address)}"
        lines = [words.say("mail.confirm_text", url=url), link, words.say("mail.confirm_else")]
        return await self._post(to.address, words.say("mail.confirm_subject"), lines, to.lang)

    async def _post(self, to: str, subject: str, lines: list[str], lang: str, stop: str = "") -> float | None:
        message = self.server.write(to, subject, lines, lang, stop)
        try:
            await asyncio.get_running_loop().run_in_executor(self._pool, self.server.send, message)
        except Undelivered as error:
            return _counted(self.name, "later", 0.0) if error.later else _counted(self.name, "refused")
        return _counted(self.name, "sent")

    def stop(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)


def _counted(way: str, outcome: str, again: float | None = None) -> float | None:
    monitoring.NOTIFICATIONS.labels(way, outcome).inc()
    return again


class Notifier:
    """Sends pending notifications."""

    def __init__(
        self,
        readers: Recipients,
        people: IdentityTokens,
        push: Push,
        settings: NotifierSettings,
        *,
        alone: bool,
        time_source: TimeSource = SYSTEM_TIME,
    ) -> None:
        """`alone`: whether no other process serves the same tables."""
        self._time = time_source
        self.recipients, self.push, self.alone = readers, push, alone
        self.backoff, self.second_look = settings.backoff, settings.second_look
        self._people, self._settings = people, settings
        self.channels: list[Channel] = []
        self.mail: MailChannel | None = None
        self.pending: dict[tuple[str, str, str], tuple[Notification, asyncio.Task[None]]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        # somebody who sits down and gets up again and again, or asks and takes it back, rings others once
        self._repeated = TokenBuckets(*REPEATED_NOTICE_RATE, clock=time_source.monotonic)
        self._at_table = TokenBuckets(*TABLE_NOTICE_RATE, clock=time_source.monotonic)
        monitoring.QUEUE_LENGTH.labels("notices").set_function(lambda: len(self.pending))

    def serve(self, ask: Ask, find: Callable[[str], Awaitable[OpenTable]]) -> None:
        """`ask` calls the store in its own threads; `find` gives a table."""
        self._ask, self._find = ask, find
        settings = self._settings
        self.channels = [PushChannel(self.push, self.recipients, ask, settings.push_delay, self._time)]
        if settings.mail is not None:
            mail = Mail(settings.mail)
            self.mail = MailChannel(mail, self.recipients, self._people, settings.mail_delay, self._time)
            self.channels.append(self.mail)

    async def start(self) -> None:
        """Sends, once, what another process, or this one before a restart, may not have sent."""
        self._spawn(self._resume(self._time.time() - CATCH_UP_SECONDS))

    async def _resume(self, since: float) -> None:
        for table in await self._ask(self.recipients.tables_to_notify, since):
            with suppress(NotFound, QueueFull):
                for notice in turn_notifications((await self._find(table)).table):
                    self._enqueue_all(notice)

    @property
    def busy(self) -> bool:
        """Whether anything is still to be sent, or is being sent."""
        return bool(self._tasks)

    async def stop(self) -> None:
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self.push.stop()
        if self.mail is not None:
            self.mail.stop()

    # What happens

    def on_change(self, before: Table | None, after: Table, actor: str | None) -> None:
        """Something was written here, and is so; `actor` has done it.

        Whatever goes wrong, the match goes on.
        """
        try:
            for notice in notifications_between(before, after, actor):
                self._enqueue_all(notice)
        except Exception:
            logger.exception("nobody could be told of what has happened")

    def on_remote_change(self, before: Table, live: OpenTable) -> None:
        """Another process wrote an event; it learns who has seen it here."""
        for notice in notifications_between(before, live.table, None) if not self.alone else ():
            if live.is_watched_by(notice.person):
                self._spawn(self._ask(self.recipients.note_seen, notice.person, notice.table, notice.version))

    def confirm(self, address: Address) -> None:
        """Asks at a new address, as often as it takes until that is sent."""
        assert self.mail is not None
        self._spawn(self._until_sent(self.mail, address, asking.get()))

    async def _until_sent(self, mail: MailChannel, to: Address, asker: str) -> None:
        for wait in self.backoff:
            async with mail.queue.enter(f"asked from {asker}"):
                sent = await mail.confirm(to)
            if sent is None:
                return
            await self._time.sleep(wait)

    def _enqueue_all(self, notice: Notification) -> None:
        for way in self.channels:
            self.enqueue(way, notice)

    def enqueue(self, way: Channel, notice: Notification) -> None:
        """A newer notice of the same table takes the place of one that is not told yet."""
        key = way.name, notice.person, notice.table
        known = self.pending.get(key)
        if known is not None:
            if is_superseded(notice, known[0]):
                return
            known[1].cancel()
        elif len(self.pending) >= NOTICES_WAITING and not self._make_room(notice.person):
            _counted(way.name, "too many")
            return
        task = self._spawn(self._deliver_to_all(way, notice))
        self.pending[key] = notice, task
        task.add_done_callback(lambda task: self._done(key, task))

    def _make_room(self, person: str) -> bool:
        """Drops a notice of whoever has most under way; False if that is this person."""
        waiting = Counter(reader for _, reader, _ in self.pending)
        most = max(waiting, key=lambda reader: waiting[reader])
        if waiting[most] <= waiting[person] + 1:
            return False
        key = next(key for key in reversed(self.pending) if key[1] == most)
        _counted(key[0], "too many")
        self.pending.pop(key)[1].cancel()
        return True

    def _done(self, key: tuple[str, str, str], task: asyncio.Task[None]) -> None:
        if key in self.pending and self.pending[key][1] is task:
            del self.pending[key]

    def _spawn(self, work: Coroutine[object, None, object]) -> asyncio.Task[None]:
        task = asyncio.create_task(self._guarded(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(lambda _: work.close())  # if it never came to begin
        return task

    async def _guarded(self, work: Coroutine[object, None, object]) -> None:
        asking.set(OWN)  # nobody waits for it
        try:
            await work
        except (NotFound, QueueFull):
            return  # there is no such table any more, or too much else to do
        except Exception:
            logger.exception("a notice has failed; the others go on")

    # Telling

    async def _deliver_to_all(self, way: Channel, notice: Notification) -> None:
        if not await self._is_watching(notice) and not await self._ask(way.targets, notice.person):
            return
        await self._time.sleep(way.delay)
        if await self._is_watching(notice):
            await self._time.sleep(self.second_look)  # a page may have gone without a word
        if not await self.is_news(notice):
            return
        targets = await self._ask(way.targets, notice.person)
        if not targets or not await self._claim_delivery(way, notice):
            return
        if self._is_repeated(way, notice) or way.quota.wait(notice.person):
            _counted(way.name, "too many")
            return
        await asyncio.gather(*(self._deliver(way, to, notice) for to in targets))

    async def _is_watching(self, notice: Notification) -> bool:
        """Whether its reader seems to have the table before their eyes."""
        return (await self._find(notice.table)).is_watched_by(notice.person)

    async def is_news(self, notice: Notification) -> bool:
        """Whether it is still so, and not before that person's eyes."""
        live = await self._find(notice.table)
        if live.is_watched_by(notice.person) or not is_current(notice, live.table):
            return False
        seen = self.recipients.has_seen
        return self.alone or not await self._ask(seen, notice.person, notice.table, notice.version)

    async def _claim_delivery(self, way: Channel, notice: Notification) -> bool:
        """Whether this process is the one to send it: everyone is notified once per turn."""
        if notice.turn is None:
            return True
        claim = self.recipients.claim
        return bool(await self._ask(claim, notice.person, notice.table, way.name, notice.turn))

    def _is_repeated(self, way: Channel, notice: Notification) -> bool:
        """Whether its reader was lately notified of the same, or often, about somebody at that table."""
        if notice.turn is not None or not notice.actor:
            return False
        there = f"{way.name} {notice.person} {notice.table}"
        return bool(
            self._repeated.wait(f"{there} {notice.kind} {notice.actor}") or self._at_table.wait(there)
        )

    async def _deliver(self, way: Channel, to: Any, notice: Notification) -> None:
        for wait in (*self.backoff, None):
            async with way.queue.enter(notice.person, way.host(to)):
                if not await self.is_news(notice):  # it may have waited for long
                    return
                after = await way.send(to, notice)
            if after is None or wait is None:
                return
            await self._time.sleep(max(wait, min(after, PUSH_RETRY_AFTER_SECONDS)))
