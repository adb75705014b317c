"""Table talk in this process: kept by the store, then told to everyone there, each in their language."""

from __future__ import annotations

import asyncio
import dataclasses
import math
from collections.abc import Callable, Coroutine
from functools import partial

from comptoir.time_source import SYSTEM_TIME, TimeSource
from comptoir.web.domain.chat import ChatMessage, phrase_message, text_message
from comptoir.web.domain.refusals import Forbidden, Refused
from comptoir.web.limits import (
    ADDRESS_CHAT_RATE,
    PERSON_CHAT_MINUTE_RATE,
    PERSON_CHAT_RATE,
    PERSON_MUTING_RATE,
    PERSON_REPORTING_RATE,
    TABLE_CHAT_MESSAGES,
)
from comptoir.web.live.open_table import OpenTable
from comptoir.web.ops.fair_queue import OWN, asking
from comptoir.web.ops.request_guard import TokenBuckets
from comptoir.web.page_words import page_words
from comptoir.web.storage.channels import CHAT_CHANNEL, MUTES_CHANNEL
from comptoir.web.storage.chat_store import ChatStore
from comptoir.web.storage.outage import Ask
from comptoir.web.storage.store import Store
from comptoir.web.view.table_view import Viewer


class ChatService:
    """What is said at all tables in use. `lives` knows them by their ids."""

    def __init__(
        self,
        store: Store,
        lives: dict[str, OpenTable],
        ask: Ask,
        spawn: Callable[[Coroutine[object, None, object]], object],
        time_source: TimeSource = SYSTEM_TIME,
    ) -> None:
        self.store, self._time = ChatStore(store.database), time_source
        self._store, self._lives, self.in_store, self._spawn = store, lives, ask, spawn
        made = partial(TokenBuckets, clock=time_source.monotonic)
        self.rates = made(*PERSON_CHAT_RATE), made(*PERSON_CHAT_MINUTE_RATE)
        self._addresses = made(*ADDRESS_CHAT_RATE)
        self.mutes, self.reports = made(*PERSON_MUTING_RATE), made(*PERSON_REPORTING_RATE)

    def listen(self) -> None:
        """Before the store listens: messages from other processes arrive here too."""
        loop = asyncio.get_running_loop()

        def told(table: str, n: str) -> None:
            loop.call_soon_threadsafe(self._on_message, table, n)

        def muted(person: str, _: str) -> None:
            loop.call_soon_threadsafe(self._on_mutes_changed, person)

        self._store.channels.on(CHAT_CHANNEL, told)
        self._store.channels.on(MUTES_CHANNEL, muted)

    def _on_message(self, table: str, n: str) -> None:
        """Something was said at a table; without a number, what was said before may be deleted."""
        found = self._lives.get(table)
        lives = [found] if found is not None else list(self._lives.values()) if not table else []
        for live in lives:
            if not n or not live.presence.pages:
                self._drop(live)
            if live.presence.pages:
                self._spawn(self._catch_up(live))

    def _drop(self, live: OpenTable) -> None:
        """What is known here of what was said is no longer good: it is read again when it is needed."""
        live.chat, live.chat_deletions = None, live.chat_deletions + 1

    async def _catch_up(self, live: OpenTable) -> None:
        known = await self.read(live)
        self._keep(live, await self.in_store(self.store.after, live.table.id, known[-1].n if known else 0))

    async def read(self, live: OpenTable) -> list[ChatMessage]:
        """The messages of a table, read from the store once."""
        while live.chat is None:
            before = live.chat_deletions
            found: list[ChatMessage] = await self.in_store(self.store.after, live.table.id, 0)
            if live.chat_deletions == before:  # else it may have been read before a deletion
                live.chat = _merged(live.chat, found)
        return live.chat

    def _keep(self, live: OpenTable, new: list[ChatMessage]) -> None:
        live.chat = _merged(live.chat, new)
        for page in live.presence.pages:
            page.on_chat()

    async def forget(self, person: str) -> None:
        """Deletes what somebody has said, at all tables and in all processes."""
        await self.in_store(self.store.forget, person)
        for live in self._lives.values():
            if live.chat is None or any(one.person == person for one in live.chat):
                self._on_message(live.table.id, "")

    async def post(self, live: OpenTable, said: ChatMessage) -> None:
        """Somebody says something, if it is not too much."""
        self._check(said.person, *self.rates)
        address = asking.get()
        if address != OWN:
            self._check(address, self._addresses)
        await self.read(live)
        before = live.chat_deletions
        kept = await self.in_store(
            self.store.add, live.table.id, dataclasses.replace(said, at=self._time.time())
        )
        if live.chat_deletions == before:
            self._keep(live, [kept])
        else:  # something was deleted in the meantime, and this may be
            await self._catch_up(live)

    async def mute(self, person: str, other: str, wanted: bool) -> frozenset[str]:
        """Whom a person does not want to hear from now on, at any table."""
        self._check(person, self.mutes)
        muted: frozenset[str] = await self.in_store(self.store.mute, person, other, wanted)
        self._on_mutes_changed(person)
        return muted

    def _on_mutes_changed(self, person: str) -> None:
        """All pages of this person, or of everyone, hear whom they want to hear now."""
        for live in self._lives.values():
            for page in live.presence.pages:
                if page.person is not None and person in ("", page.person):
                    page.reload_chat()

    async def report(self, live: OpenTable, person: str, said: ChatMessage) -> None:
        """The host is asked to look at something written."""
        self._check(person, self.reports)
        if not await self.in_store(self.store.report, live.table.id, said.n, self._time.time()):
            raise Refused("refuse.no_saying")

    def _check(self, who: str, *limits: TokenBuckets) -> None:
        wait = max(one.left(who) for one in limits)
        if wait:
            raise Refused("refuse.talk_often", n=math.ceil(wait))
        for one in limits:
            one.wait(who)


def _merged(known: list[ChatMessage] | None, new: list[ChatMessage]) -> list[ChatMessage]:
    """The last of both. What is known stays as it is: it may have been deleted since the new was read."""
    said = {one.n: one for one in (*new, *(known or ()))}
    return [said[n] for n in sorted(said)][-TABLE_CHAT_MESSAGES:]


class ChatFeed:
    """What one person has heard at a table, and whom they do not want to hear."""

    def __init__(self, talk: ChatService, live: OpenTable) -> None:
        self._chat, self._live = talk, live
        self._muted: frozenset[str] = frozenset()
        self._last = -1  # the last number that was sent; -1: nothing yet
        self._deletions = live.chat_deletions  # how often something had been deleted when it was sent
        self._changes = False  # whether others are heard than when the page was opened

    async def open(self, person: str | None) -> None:
        """Reads what was said before, and whom this person does not want to hear."""
        await self._chat.read(self._live)
        if person is not None:
            self._muted = await self._chat.in_store(self._chat.store.muted, person)

    async def reopen(self, person: str | None) -> None:
        """The same when they may want to hear others, as they have said on another page of theirs."""
        before = self._muted
        await self.open(person)
        if self._muted != before:
            self._start_over()

    def news(self, viewer: Viewer) -> dict[str, object] | None:
        """The messages not yet sent to this person; at first, all that are stored."""
        if self._deletions != self._live.chat_deletions:
            self._deletions = self._live.chat_deletions
            self._start_over()
        said, first = self._live.chat or [], self._last < 0
        silent = {*self._muted, ""}  # and who has deleted themselves
        new = [one for one in said if one.n > self._last and one.person not in silent]
        self._last = said[-1].n if said else 0
        return (
            self._to_json_data(new, viewer, reset=first)
            if new or (first and (self._muted or self._changes))
            else None
        )

    def _to_json_data(self, said: list[ChatMessage], viewer: Viewer, *, reset: bool) -> dict[str, object]:
        words, seats = page_words(None, viewer.lang), self._live.table.seats
        told = [
            {
                "n": one.n,
                "seat": one.seat,
                "name": one.name,
                "text": words.say(f"phrases.{one.phrase}") if one.phrase else one.text,
                "mine": one.person == viewer.person,
                "written": not one.phrase,
            }
            for one in said
        ]
        muted = [
            {"seat": seat, "name": held.name} for seat, held in enumerate(seats) if held.person in self._muted
        ]
        return {"messages": told, "muted": muted, "reset": reset}

    # What this person does

    async def handle(self, viewer: Viewer, message: dict[str, object]) -> str:
        """Says, mutes or reports; gives the key of what is answered, if anything is."""
        person, seat = viewer.person, viewer.seat
        match message["type"]:
            case "phrase":
                await self._chat.post(
                    self._live, phrase_message(self._live.table, person, seat, message.get("phrase"))
                )
            case "chat":
                await self._chat.post(
                    self._live, text_message(self._live.table, person, seat, message.get("text"))
                )
            case "mute":
                await self._mute(viewer, self._meant(viewer, message).person, wanted=True)
                return "talk.muted_now"
            case "unmute":
                await self._mute(viewer, self._sitting(message), wanted=False)
            case "report":
                said = self._meant(viewer, message)
                if said.phrase:
                    raise Refused("refuse.no_saying")
                await self._chat.report(self._live, person or "", said)
                return "talk.reported"
        return ""

    def _meant(self, viewer: Viewer, message: dict[str, object]) -> ChatMessage:
        """What a message is about: something of another person's that this one has heard."""
        if viewer.person is None:
            raise Forbidden("refuse.only_seated")
        for one in self._live.chat or ():
            if one.n == message.get("n") and type(message["n"]) is int and one.person not in self._muted:
                if one.person == viewer.person:
                    raise Refused("refuse.no_saying")
                return one
        raise Refused("refuse.no_saying")

    def _sitting(self, message: dict[str, object]) -> str:
        seat, seats = message.get("seat"), self._live.table.seats
        if type(seat) is not int or not 0 <= seat < len(seats) or seats[seat].person not in self._muted:
            raise Refused("refuse.message")
        return seats[seat].person or ""

    async def _mute(self, viewer: Viewer, other: str, *, wanted: bool) -> None:
        assert viewer.person is not None
        self._muted = await self._chat.mute(viewer.person, other, wanted)
        self._start_over()

    def _start_over(self) -> None:
        """Sends all messages again, without those of somebody or with them."""
        self._last, self._changes = -1, True
