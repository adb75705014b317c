"""One socket: a person at a table, or a spectator.

It sends every change, and receives commands together with the version that the page has seen.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import cast

from fastapi import APIRouter, WebSocket
from starlette.websockets import WebSocketDisconnected

from comptoir.art.board import LAYOUTS
from comptoir.errors import ComptoirError, IllegalAction
from comptoir.web.domain.refusals import Refused
from comptoir.web.domain.state import Table
from comptoir.web.limits import (
    SOCKET_MESSAGE_RATE,
    SOCKET_PATIENCE_RATE,
    SOCKET_RELOAD_RATE,
    SOCKET_SILENCE_SECONDS,
)
from comptoir.web.live.advice import hint
from comptoir.web.live.app_services import language_of, services_of
from comptoir.web.live.chat_service import ChatFeed
from comptoir.web.live.explanations import explain
from comptoir.web.live.not_found import NotFound
from comptoir.web.live.notifier import VISIBLE_SECONDS
from comptoir.web.live.open_table import OpenTable
from comptoir.web.live.sessions import LAST_USED_RESOLUTION
from comptoir.web.live.socket_commands import COMMANDS, read_message
from comptoir.web.live.table_messages import TableMessages
from comptoir.web.live.tables import Tables
from comptoir.web.ops import monitoring
from comptoir.web.ops.fair_queue import QueueFull
from comptoir.web.ops.frames import FLOODING
from comptoir.web.ops.request_guard import TokenBucket
from comptoir.web.page_words import page_words
from comptoir.web.storage.database import NotStored
from comptoir.web.storage.outage import Unavailable
from comptoir.web.view.page_parts import to_json
from comptoir.web.view.table_view import Viewer

# why a socket was closed; or FLOODING
UNKNOWN_TABLE, UNREADABLE, SILENT, ENDED, TOO_MUCH = 4404, 4400, 4408, 4401, 4503

logger = logging.getLogger(__name__)
router = APIRouter()


@router.websocket("/tables/{id}/socket")
async def socket(
    websocket: WebSocket,
    id: str,
    layout: str = "wide",
    patches: bool = False,
    hidden: bool = False,
    seen: int = 0,
) -> None:
    """`seen`: the version that the page shows already; nothing older is sent."""
    server = services_of(websocket)
    await websocket.accept()
    try:
        live = await server.tables.find(id, seen)
    except NotFound:
        await websocket.close(UNKNOWN_TABLE)
        return
    except QueueFull:
        await websocket.close(TOO_MUCH)
        return
    session = await server.sessions.of(websocket)
    person = session.person if session else None
    viewer = Viewer(person, None, language_of(websocket), layout if layout in LAYOUTS else "wide")
    connection = Connection(websocket, server.tables, live, viewer, patches=patches, hidden=hidden)
    connection.note = partial(server.sessions.of, websocket)
    with monitoring.SOCKETS.track_inprogress(), server.sessions.connected(session, connection):
        if session is not None and not await server.sessions.is_good(session):  # it was ended in the meantime
            await websocket.close(ENDED)
            return
        await connection.serve()


class Connection:
    """A socket: who looks on through it, what is due to be sent, and what is received."""

    def __init__(
        self,
        websocket: WebSocket,
        tables: Tables,
        live: OpenTable,
        viewer: Viewer,
        *,
        patches: bool = False,
        hidden: bool = False,
    ) -> None:
        self.websocket, self.tables, self.live = websocket, tables, live
        self._clock = clock = live.machine.steady
        self.viewer = self._initial_seat(viewer)
        self._changed, self._ended = asyncio.Event(), asyncio.Event()
        self.messages = TableMessages(live, patches=patches)
        self.bucket = TokenBucket(*SOCKET_MESSAGE_RATE, clock)
        self._patience = TokenBucket(*SOCKET_PATIENCE_RATE, clock)  # with messages that come too often
        self._reloads = TokenBucket(*SOCKET_RELOAD_RATE, clock)  # whole pages for one that is behind
        self._advice: asyncio.Task[None] | None = None
        self._hidden, self._read_at = hidden, self._clock()
        self.seen, self._sent = 0, 0  # the last version that somebody saw, and that was sent
        self._table_due, self._presence_due, self._chat_due = True, True, True  # what is to be sent
        self._sent_presence = ""
        self.feed: ChatFeed | None = None
        self._mutes_changed = False  # whether this person may have muted others since
        self.note: Callable[[], Awaitable[object]] | None = None  # records that the session is used
        self._used = self._clock()

    @property
    def person(self) -> str | None:
        return self.viewer.person

    def _initial_seat(self, viewer: Viewer) -> Viewer:
        """With one seat, you see it; on a shared device, whose seat it is must be chosen first."""
        mine = self.live.table.seats_of(viewer.person)
        return Viewer(viewer.person, mine[0] if len(mine) == 1 else None, viewer.lang, viewer.layout)

    def on_change(self) -> None:
        """The table has changed."""
        self._table_due = True
        self._changed.set()

    def on_presence(self) -> None:
        self._presence_due = True
        self._changed.set()

    def on_chat(self) -> None:
        self._chat_due = True
        self._changed.set()

    def reload_chat(self) -> None:
        self._mutes_changed = True
        self.on_chat()

    def is_watching(self, person: str) -> bool:
        """Whether it is that person, and they seem to see the page."""
        return self._awake and self.viewer.person == person

    @property
    def _awake(self) -> bool:
        return not self._hidden and self._clock() - self._read_at < VISIBLE_SECONDS

    def _note_seen(self) -> None:
        """If the page is visible, what was sent is seen."""
        if self._awake:
            self.seen = self._sent
        self.tables.presence.schedule_broadcast(self.live)

    def end(self) -> None:
        """Its session is over: nothing more is sent or received."""
        self._ended.set()

    async def serve(self) -> None:
        """Until it is closed. If sending or receiving fails, both end, so that the page notices."""
        self.tables.scheduler.watch(self.live, self)
        self.tables.presence.connect(self.live, self)
        self._changed.set()
        works = [
            asyncio.create_task(work) for work in (self._close_at_end(), self._send(), self._read_loop())
        ]
        try:
            done, _ = await asyncio.wait(works, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self.tables.scheduler.unwatch(self.live, self)
            self.tables.presence.disconnect(self.live, self)
            ending = [*works, *([self._advice] if self._advice else [])]
            for work in ending:
                work.cancel()
            await asyncio.gather(*ending, return_exceptions=True)
        # one of them may have closed it while the other was sending
        with contextlib.suppress(WebSocketDisconnected):
            for work in done:
                work.result()

    async def _close_at_end(self) -> None:
        await self._ended.wait()
        await self.websocket.close(ENDED)

    # Sending

    async def _send(self) -> None:
        """Sends the current state whenever it changes; a slow reader skips the states in between."""
        while True:
            await self._changed.wait()
            self._changed.clear()
            if self._table_due:
                self._table_due = False
                async with self.tables.broadcasts.enter():
                    message, version = self.message(), self.live.table.version
                await self.websocket.send_text(message)
                self._sent = version
                self._note_seen()
            if told := self._presence_news():
                await self.websocket.send_text(told)
            if told := await self._chat_news():
                await self.websocket.send_text(told)

    def _presence_news(self) -> str:
        """Who else is here, if that has changed."""
        if not self._presence_due:
            return ""
        self._presence_due, before = False, self._sent_presence
        present, mine = self.tables.presence.summary(self.live), self.live.table.seats_of(self.person)
        others = [None if seat in mine else told for seat, told in enumerate(present.seats)]
        self._sent_presence = to_json({"here": others, "watching": present.watching})
        alone = not before and not present.watching and others == [None] * len(others)
        return "" if alone or self._sent_presence == before else self._sent_presence

    async def _chat_news(self) -> str:
        """The chat messages that this person has not received yet."""
        if not self._chat_due:
            return ""
        self._chat_due = False
        if self.feed is None:
            self.feed = ChatFeed(self.tables.chat, self.live)
            await self.feed.open(self.person)
        elif self._mutes_changed:
            self._mutes_changed = False
            await self.feed.reopen(self.person)
        news = self.feed.news(self.viewer)
        return to_json({"chat": news}) if news else ""

    def message(self) -> str:
        """What has changed at the table for this viewer."""
        self._update_seat(self.live.table)
        return self.messages.message(self.viewer)

    def _update_seat(self, table: Table) -> None:
        """Whoever has sat down sees their seat; on a shared device, somebody else's turn hides it."""
        mine = table.seats_of(self.viewer.person)
        seat = self.viewer.seat
        if len(mine) == 1:
            seat = mine[0]
        elif seat not in mine or (table.turn in mine and table.turn != seat):
            seat = None
        if seat != self.viewer.seat:
            self.view_from(seat)

    def view_from(self, seat: int | None) -> None:
        self.viewer = Viewer(self.viewer.person, seat, self.viewer.lang, self.viewer.layout)

    def view_in(self, layout: str) -> None:
        self.viewer = Viewer(self.viewer.person, self.viewer.seat, self.viewer.lang, layout)

    async def reply(
        self,
        kind: str,
        text: str,
        *,
        rule: str | None = None,
        actions: list[str] | None = None,
        ack: int | None = None,
    ) -> None:
        told = {"type": kind, "text": text, "rule": rule, "actions": actions or [], "ack": ack}
        await self.websocket.send_text(json.dumps(told, ensure_ascii=False))

    # Receiving

    async def _read_loop(self) -> None:
        while True:
            try:
                message = await asyncio.wait_for(self.websocket.receive(), SOCKET_SILENCE_SECONDS)
            except TimeoutError:
                await self.websocket.close(SILENT)
                return
            if message["type"] == "websocket.disconnect":
                return
            text = message.get("text")
            if text is None:
                await self.websocket.close(UNREADABLE)
                return
            if not await self._handle(text):
                await self.websocket.close(FLOODING)
                return

    async def _handle(self, text: str) -> bool:
        """Carries out a command; False once there have been too many."""
        self._read_at = self._clock()
        words = page_words(self.live.table.game.name, self.viewer.lang)
        message = read_message(text)
        id = None if message is None else message.get("id")
        id = id if type(id) is int and 0 <= id < 2**53 else None
        if not self.bucket.take() or not self.tables.allow_message():
            # acknowledged, so that the page knows that it may send again
            await self.reply("error", words.say("refuse.busy"), ack=id)
            return self._patience.take()
        if message is None:
            await self.reply("error", words.say("refuse.message"))
            return True
        try:
            await COMMANDS[cast(str, message["type"])](self, message, id)
        except IllegalAction as error:
            rule, reason = explain(self.live, self.viewer.lang, error.action)
            await self.reply("refused", reason, rule=rule, ack=id)
        except Refused as error:
            await self.reply("refused", words.say(error.key, **error.values), ack=id)
            if message.get("version") != self.live.table.version and self._reloads.take():
                self.messages.reset()  # what the page shows is out of date
                self.on_change()
        except NotStored as error:
            await self.reply("refused", words.say(error.key), ack=id)
        except ComptoirError as error:
            await self.reply("error", str(error), ack=id)
        except Unavailable as error:
            # not acknowledged, and perhaps done: the page reconnects and sends it again
            await self.reply("error", words.say(error.key))
            raise
        return True

    # Help, and signs of life

    @property
    def thinking(self) -> bool:
        """Whether a hint is being worked out."""
        return self._advice is not None and not self._advice.done()

    def advise(self, table: Table, id: int | None) -> None:
        """Sends a hint, in a task of its own: that takes a while."""
        self._advice = asyncio.create_task(self._advise(table, id))

    async def _advise(self, table: Table, id: int | None) -> None:
        try:
            given = await hint(self.tables, self.live, table, self.viewer.lang)
        except Exception:
            logger.exception("advice has failed")
            words = page_words(table.game.name, self.viewer.lang)
            await self.reply("refused", words.say("refuse.no_advice"), ack=id)
            return
        await self.reply("hint", given.text, actions=given.actions, ack=id)

    async def pong(self, *, hidden: bool) -> None:
        """The page is there, and says whether anybody sees it."""
        self._hidden = hidden
        await self.websocket.send_text('{"pong":1}')
        if self.seen != self._sent:
            self._note_seen()
        waiting = self.live.table.state == "waiting"
        if waiting and self.note is not None and self._clock() - self._used > LAST_USED_RESOLUTION:
            self._used = self._clock()
            await self.note()  # an open table is only listed while its creator is here
