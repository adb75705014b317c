"""One socket: a person at a table, or a spectator.

It is told of every change, and asks for actions by the version it has seen.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable
from functools import lru_cache, partial
from typing import Any

from fastapi import APIRouter, WebSocket
from starlette.websockets import WebSocketDisconnected

from comptoir.art.board import LAYOUTS
from comptoir.bots.hints import hints, quick_hints, reason
from comptoir.bots.searcher import ActionEstimate
from comptoir.engine.rulebook import rules_of
from comptoir.engine.words import Words
from comptoir.errors import ComptoirError, IllegalAction
from comptoir.web.domain import decide, queries
from comptoir.web.domain.refusals import Refused
from comptoir.web.domain.state import Table
from comptoir.web.limits import (
    MESSAGE_LETTERS,
    SOCKET_MESSAGE_RATE,
    SOCKET_PATIENCE_RATE,
    SOCKET_RELOAD_RATE,
    SOCKET_SILENCE_SECONDS,
)
from comptoir.web.live.app_services import language_of, services_of
from comptoir.web.live.chat import ChatFeed
from comptoir.web.live.notifier import VISIBLE_SECONDS
from comptoir.web.live.open_table import OpenTable
from comptoir.web.live.sessions import LAST_USED_RESOLUTION
from comptoir.web.live.tables import Command, NotFound, Tables
from comptoir.web.ops import monitoring
from comptoir.web.ops.fair_queue import QueueFull
from comptoir.web.ops.frames import FLOODING
from comptoir.web.ops.request_guard import TokenBucket
from comptoir.web.storage.outage import Unavailable
from comptoir.web.storage.store import NotStored
from comptoir.web.view.log import Entry
from comptoir.web.view.page_parts import item_html, parts
from comptoir.web.view.patches import patch
from comptoir.web.view.table_view import Seen, TableRenderer, Viewer, look, verbs
from comptoir.web.words import page_words

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
    """`seen`: the version that the page shows already; it is told of nothing older."""
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
        if session is not None and not await server.sessions.is_good(session):  # it was ended meanwhile
            await websocket.close(ENDED)
            return
        await connection.serve()


class Connection:
    """A socket and what it was last told; only what has changed is sent."""

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
        self.websocket, self.tables, self.live, self.patches = websocket, tables, live, patches
        self._clock = clock = live.machine.steady
        self.viewer = self._initial_seat(viewer)
        self._changed, self._ended = asyncio.Event(), asyncio.Event()
        self._parts: dict[str, str] = {}
        self._state: tuple[TableRenderer, Viewer, bool, bool] | None = None
        self._sent_fields: dict[str, Any] = {}
        self._log: list[Entry] = []
        self._ack: int | None = None
        self.bucket = TokenBucket(*SOCKET_MESSAGE_RATE, clock)
        self._patience = TokenBucket(*SOCKET_PATIENCE_RATE, clock)  # with messages that come too often
        self._anew = TokenBucket(*SOCKET_RELOAD_RATE, clock)  # whole pages for one that is behind
        self._advice: asyncio.Task[None] | None = None
        self._hidden, self._read_at = hidden, self._clock()
        self.seen, self._sent = 0, 0  # the last version that was before somebody's eyes, and that was sent
        self._table_due, self._presence_due, self._chat_due = True, True, True  # whether these are to be told
        self._sent_presence = ""  # what was last told of the others here
        self._feed: ChatFeed | None = None
        self._mutes_changed = False  # whether this person may want to hear others than before
        self.note: Callable[[], Awaitable[object]] | None = None  # that this session is used
        self._used = self._clock()

    @property
    def person(self) -> str | None:
        return self.viewer.person

    def _initial_seat(self, viewer: Viewer) -> Viewer:
        """Who has one seat looks from there; who has several, on a shared device, must first say who has it
        in hand.
        """
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
        """Whether it is that person, with the table before their eyes."""
        return self._awake and self.viewer.person == person

    @property
    def _awake(self) -> bool:
        return not self._hidden and self._clock() - self._read_at < VISIBLE_SECONDS

    def _note_seen(self) -> None:
        """What was sent is before somebody's eyes, if the page is."""
        if self._awake:
            self.seen = self._sent
        self.tables.presence.schedule_broadcast(self.live)

    def end(self) -> None:
        """The session by which it came is over: nothing more is told, and nothing heard."""
        self._ended.set()

    async def serve(self) -> None:
        """Until it is gone. If either telling or hearing fails, both end: a page that hears nothing more must
        know it.
        """
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
        # one of them may have closed it while the other was speaking
        with contextlib.suppress(WebSocketDisconnected):
            for work in done:
                work.result()

    async def _close_at_end(self) -> None:
        await self._ended.wait()
        await self.websocket.close(ENDED)

    # Telling

    async def _send(self) -> None:
        """Sends how things stand whenever they have changed; a slow reader gets the latest, not all that was
        between.
        """
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
        """Who else is here, if that has changed; a few bytes."""
        if not self._presence_due:
            return ""
        self._presence_due, before = False, self._sent_presence
        present, mine = self.tables.presence.summary(self.live), self.live.table.seats_of(self.person)
        others = [None if seat in mine else told for seat, told in enumerate(present.seats)]
        self._sent_presence = _json({"here": others, "watching": present.watching})
        alone = not before and not present.watching and others == [None] * len(others)
        return "" if alone or self._sent_presence == before else self._sent_presence

    async def _chat_news(self) -> str:
        """What people have said since this person was last told."""
        if not self._chat_due:
            return ""
        self._chat_due = False
        if self._feed is None:
            self._feed = ChatFeed(self.tables.chat, self.live)
            await self._feed.open(self.person)
        elif self._mutes_changed:
            self._mutes_changed = False
            await self._feed.reopen(self.person)
        news = self._feed.news(self.viewer)
        return _json({"talk": news}) if news else ""

    def message(self) -> str:
        """All that has changed for this person since the last message; it may be no more than that an action
        is kept.
        """
        table = self.live.table
        self._update_seat(table)
        ends_at = self.live.ends_at if table.ending == self.viewer.seat else None
        state = (self.live.renderer, self.viewer, self.live.preparing, ends_at is not None)
        changed: dict[str, str] = {}
        before = self._parts
        if state != self._state or not self._parts:
            seen = look(
                self.live.renderer,
                self.viewer,
                preparing=self.live.preparing,
                ending=ends_at is not None,
                asks=queries.may_propose(table, self.live.now(), self.viewer.person),
            )
            made = parts(seen, self.live.renderer)
            changed = {name: html for name, html in made.items() if self._parts.get(name) != html}
            self._parts, self._state = made, state
            self._sent_fields = {
                "last": seen.last,
                "yours": seen.yours or seen.curtain is not None,
                "title": _title(seen),
                "due": table.due if table.settings.clock else None,
            }
        told = {
            "log": self._new_lines(table),
            **self._sent_fields,
            "now": self.live.time(),
            **self._speed(table),
        }
        told |= {"ends_at": ends_at, "linger": self.live.undo_window}
        told |= {"at_once": self.viewer.person in self.live.at_once}
        if self._ack is not None:
            told["ack"], self._ack = self._ack, None
        cuts: list[str] = []
        whole: list[str] = []
        for name, html in changed.items():
            cut = _patch(before[name], html) if self.patches and name in before else None
            if cut is None:
                whole.append(f'"{name}":{_text(html)}')
            else:
                cuts.append(f'"{name}":{cut}')
        return (
            f'{{"version":{table.version},"parts":{{{",".join(whole)}}},"patches":{{{",".join(cuts)}}},'
            f"{_json(told)[1:]}"
        )

    def _speed(self, table: Table) -> dict[str, Any]:
        """How fast what has happened is to be shown; for whom that is to be chosen, how fast bots act here
        and whether they can be skipped now.
        """
        tempo = self.live.tempo
        if not queries.may_set_bot_speed(table, self.viewer.person):
            return {"speed": None, "skip": False, "tempo": tempo}
        skip = table.bot is not None and not self.live.skipping and self.live.ends_at is None
        return {"speed": self.live.speed, "skip": skip, "tempo": tempo}

    def _update_seat(self, table: Table) -> None:
        """Sitting down opens one's own eyes; on a shared device a turn of someone else there closes them."""
        mine = table.seats_of(self.viewer.person)
        seat = self.viewer.seat
        if len(mine) == 1:
            seat = mine[0]
        elif seat not in mine or (table.turn in mine and table.turn != seat):
            seat = None
        if seat != self.viewer.seat:
            self.viewer = Viewer(self.viewer.person, seat, self.viewer.lang, self.viewer.layout)

    def _new_lines(self, table: Table) -> dict[str, Any]:
        if table.match is None or table.closed:
            return {"from": 0, "lines": []}
        entries = self.live.renderer.log(self.viewer.seat, self.viewer.lang)
        kept = min(len(self._log), len(entries))
        while kept and self._log[kept - 1] is not entries[kept - 1]:
            kept -= 1
        lines = [item_html(item, table.game.name) for entry in entries[kept:] for item in entry.items]
        self._log = list(entries)
        return {"from": entries[kept - 1].total if kept else 0, "lines": lines}

    async def say(
        self,
        kind: str,
        text: str,
        *,
        rule: str | None = None,
        actions: list[str] | None = None,
        ack: int | None = None,
    ) -> None:
        told = {"say": kind, "text": text, "rule": rule, "actions": actions or [], "ack": ack}
        await self.websocket.send_text(json.dumps(told, ensure_ascii=False))

    # Hearing

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
        """Does what a message asks for; False once there have been too many."""
        self._read_at = self._clock()
        words = page_words(self.live.table.game.name, self.viewer.lang)
        message = _read(text)
        id = None if message is None else message.get("id")
        id = id if type(id) is int and 0 <= id < 2**53 else None
        if not self.bucket.take() or not self.tables.allow_message():
            # so the page knows that it can be asked again
            await self.say("error", words.say("refuse.busy"), ack=id)
            return self._patience.take()
        if message is None:
            await self.say("error", words.say("refuse.message"))
            return True
        try:
            await _COMMANDS[message["do"]](self, message, id)
        except IllegalAction as error:
            rule, reason = self._why(error.action)
            await self.say("refused", reason, rule=rule, ack=id)
        except Refused as error:
            await self.say("refused", words.say(error.key, **error.values), ack=id)
            if message.get("version") != self.live.table.version and self._anew.take():
                # what it had seen was wrong: it gets everything anew, but for the chart, which stays as it is
                self._parts = {name: html for name, html in self._parts.items() if name == "chart"}
                self._state = None
                self.on_change()
        except NotStored as error:
            await self.say("refused", words.say(error.key), ack=id)
        except ComptoirError as error:
            await self.say("error", str(error), ack=id)
        except Unavailable as error:
            # not acknowledged, and perhaps done: the page opens the socket again, and sends it once more
            await self.say("error", words.say(error.key))
            raise
        return True

    async def _play(self, message: dict[str, Any], id: int | None) -> None:
        action, seat = message.get("action"), self.viewer.seat
        if not isinstance(action, str):
            raise Refused("refuse.message")
        if seat is None or self.viewer.person is None:
            raise Refused("refuse.not_yours")
        person = self.viewer.person
        await self._act(message, id, lambda table, now: decide.play(table, now, person, seat, action))

    async def _undo(self, message: dict[str, Any], id: int | None) -> None:
        person = self.viewer.person
        if person is None:
            raise Refused("refuse.not_yours")
        await self._act(message, id, lambda table, now: decide.undo(table, now, person))

    async def _retrace(self, message: dict[str, Any], id: int | None) -> None:
        """In a lesson: back to it, or to its start."""
        person, start = self.viewer.person, message["do"] == "restart"
        if person is None:
            raise Refused("refuse.not_yours")
        await self._act(
            message, id, lambda table, now: decide.return_to_lesson(table, now, person, start=start)
        )

    async def _agree(self, message: dict[str, Any], id: int | None) -> None:
        """What people ask each other for, and answer."""
        person, what = self.viewer.person, message.get("action")
        if person is None:
            raise Refused("refuse.not_yours")
        asks: dict[str, Command] = {
            "ask": lambda table, now: decide.propose(table, now, person, str(what)),
            "agree": lambda table, now: decide.answer_proposal(table, now, person, True),
            "decline": lambda table, now: decide.answer_proposal(table, now, person, False),
            "resume": lambda table, now: decide.resume(table, now, person),
        }
        await self._act(message, id, asks[message["do"]])

    async def _act(self, message: dict[str, Any], id: int | None, ask: Any) -> None:
        version = message.get("version")
        if not isinstance(version, int):
            raise Refused("refuse.message")

        def kept() -> None:
            self._ack = id

        await self.tables.act(self.live.table.id, ask, version=version, kept=kept)

    def _deciding(self, message: dict[str, Any]) -> Table:
        """The table, if this person is to decide there and has seen how it stands."""
        table = self.live.table
        if message.get("version") != table.version:
            raise Refused("refuse.stale")
        if table.paused:
            raise Refused("refuse.paused")
        if table.turn is None or table.turn != self.viewer.seat or table.bot:
            raise (
                Refused("refuse.not_your_turn", name=table.seats[table.turn].name)
                if table.turn is not None
                else Refused("refuse.over")
            )
        return table

    async def _hint(self, message: dict[str, Any], id: int | None) -> None:
        """In a task of its own: thinking takes a while."""
        table = self._deciding(message)
        if self._advice is not None and not self._advice.done():
            raise Refused("refuse.busy")
        table = await self._noted(table)
        self._advice = asyncio.create_task(self._advise(table, id))

    async def _noted(self, table: Table) -> Table:
        """The table once everyone there is told that a hint is taken, if hints are allowed."""
        person = self.viewer.person or ""
        event = decide.hint(table, self.live.now(), person)
        if queries.hint_noted(table) or not person:
            return table
        return await self.tables.act(
            table.id, lambda table, now: decide.hint(table, now, person), version=event.version - 1
        )

    async def _advise(self, table: Table, id: int | None) -> None:
        """A captain's advice; a clerk's as long as the captain is not compiled."""
        words = page_words(table.game.name, self.viewer.lang)
        ready = self.tables.precompiler.is_ready(table.game.name)
        try:
            best, why = await self.tables.scheduler.advise(self.live, self._advice_for, table, ready, words)
        except Exception:
            logger.exception("advice has failed")
            await self.say("refused", words.say("refuse.no_advice"), ack=id)
            return
        actions = [table.game.decode(opinion.action) for opinion in best]
        scene = self.live.renderer.scene(table.turn, self.viewer.lang)
        labels = [table.game.story.choice(scene, action).label for action in actions]
        shares = [words.percent(opinion.share, 0) for opinion in best]
        said = words.say("dock.advice" if ready else "dock.first_advice", action=labels[0], share=shares[0])
        said = f"{said} {why}".rstrip()
        if len(best) > 1:
            rest = zip(labels[1:], shares[1:], strict=True)
            others = ", ".join(f"{label} ({share})" for label, share in rest)
            said = f"{said} {words.say('dock.next_best', actions=others)}"
        await self.say("hint", said, actions=[action.text for action in actions], ack=id)

    @staticmethod
    def _advice_for(table: Table, ready: bool, words: Words) -> tuple[list[ActionEstimate], str]:
        """What is advised, the best first, and why."""
        match, seat = table.match, table.turn
        assert match is not None
        assert seat is not None
        best = (hints if ready else quick_hints)(match, seat, table.id)
        return best, reason(match, seat, best[0], words)

    async def _ask_why(self, message: dict[str, Any], id: int | None) -> None:
        self._deciding(message)
        rule, reason = self._why(*self._asked_about(message))
        await self.say("why", reason, rule=rule, ack=id)

    def _asked_about(self, message: dict[str, Any]) -> list[str]:
        """The actions that a question is about: those of a verb, those that a place is for, or one."""
        game, viewer = self.live.table.game, self.viewer
        match message:
            case {"verb": str(verb)}:
                return verbs(game.name, viewer.lang).get(verb, [])
            case {"spot": str(spot)}:
                return self._spots().get(spot, [])
            case {"action": str(action)}:
                decide.check_action(self.live.table, action)
                return [action]
        raise Refused("refuse.message")

    def _spots(self) -> dict[str, list[str]]:
        """The actions for each place of the board, found out once for each position."""
        renderer, viewer, game = self.live.renderer, self.viewer, self.live.table.game

        def found() -> dict[str, list[str]]:
            scene, spots = renderer.scene(viewer.seat, viewer.lang, viewer.layout), defaultdict(list)
            for action in game.action_table:
                for spot in game.board.spots(scene, action):
                    spots[spot].append(action.text)
            return spots

        spots: dict[str, list[str]] = renderer.once(("spots", viewer.seat, viewer.lang, viewer.layout), found)
        return spots

    def _why(self, *actions: str) -> tuple[str | None, str]:
        """Why none of them can be done, found out once for each position."""
        key = ("why", self.viewer.lang, actions)
        told: tuple[str | None, str] = self.live.renderer.once(key, lambda: self._reason(*actions))
        return told

    def _reason(self, *actions: str) -> tuple[str | None, str]:
        """Why none of them can be done. The rule that forbids the fewest of them says most: `the space
        demands silk` rather than `you have no blue oil`.
        """
        table, words = self.live.table, page_words(self.live.table.game.name, self.viewer.lang)
        assert table.match is not None
        if not actions:
            return None, words.say("dock.nothing_here")
        refusals = [table.match.why_not(action, self.viewer.lang) for action in actions]
        told = [refusal for refusal in refusals if refusal is not None]
        if not told:
            return None, words.say("dock.allowed")
        times = Counter(rule for rule, _ in told)
        rule, reason = min(told, key=lambda refusal: times[refusal[0]])
        linked = rule in rules_of(table.game.name, words.lang)
        return rule if linked else None, f"{reason[:1].upper()}{reason[1:]}."

    async def _take(self, message: dict[str, Any], id: int | None) -> None:
        """On a shared device: the person at that seat has it in hand."""
        seat = message.get("seat")
        if (
            type(seat) is not int
            or seat not in self.live.table.seats_of(self.viewer.person)
            or seat != self.live.table.turn
        ):
            raise Refused("refuse.not_yours")
        self.viewer = Viewer(self.viewer.person, seat, self.viewer.lang, self.viewer.layout)
        self.on_change()

    async def _layout(self, message: dict[str, Any], id: int | None) -> None:
        layout = message.get("layout")
        if layout not in LAYOUTS:
            raise Refused("refuse.message")
        self.viewer = Viewer(self.viewer.person, self.viewer.seat, self.viewer.lang, str(layout))
        self.on_change()

    async def _pace(self, message: dict[str, Any], id: int | None) -> None:
        self.tables.scheduler.set_speed(self.live, self.viewer.person, str(message.get("speed")))

    async def _skip(self, message: dict[str, Any], id: int | None) -> None:
        self.tables.scheduler.skip(self.live, self.viewer.person)

    async def _end_turn(self, message: dict[str, Any], id: int | None) -> None:
        self.tables.scheduler.end_turn(self.live, self.viewer.person)

    async def _ends(self, message: dict[str, Any], id: int | None) -> None:
        if self.viewer.person is None or type(message.get("at_once")) is not bool:
            raise Refused("refuse.message")
        self.tables.scheduler.end_turns_at_once(self.live, self.viewer.person, message["at_once"])

    async def _ping(self, message: dict[str, Any], id: int | None) -> None:
        """A page shows that it is there, and whether anybody sees it."""
        self._hidden = message.get("hidden") is True
        await self.websocket.send_text('{"pong":1}')
        if self.seen != self._sent:
            self._note_seen()
        waiting = self.live.table.state == "waiting"
        if waiting and self.note is not None and self._clock() - self._used > LAST_USED_RESOLUTION:
            self._used = self._clock()
            await self.note()  # whose open table is listed must be somewhere here

    async def _talk(self, message: dict[str, Any], id: int | None) -> None:
        """What is said at the table, or done about it; answered where it was said."""
        words = page_words(None, self.viewer.lang)
        if self._feed is None:
            raise Refused("refuse.busy")
        try:
            answer = await self._feed.handle(self.viewer, message)
        except Refused as error:
            await self.say("talk", words.say(error.key, **error.values), ack=id)
            return
        await self.say("talk", words.say(answer) if answer else "", ack=id)
        if message["do"] in ("mute", "unmute"):
            self.on_chat()


_COMMANDS = {
    "play": Connection._play,
    "undo": Connection._undo,
    "retrace": Connection._retrace,
    "restart": Connection._retrace,
    "ask": Connection._agree,
    "agree": Connection._agree,
    "decline": Connection._agree,
    "resume": Connection._agree,
    "hint": Connection._hint,
    "why": Connection._ask_why,
    "take": Connection._take,
    "layout": Connection._layout,
    "pace": Connection._pace,
    "skip": Connection._skip,
    "end": Connection._end_turn,
    "ends": Connection._ends,
    "ping": Connection._ping,
    "say": Connection._talk,
    "write": Connection._talk,
    "mute": Connection._talk,
    "unmute": Connection._talk,
    "report": Connection._talk,
}


_json = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":")).encode


@lru_cache(256)
def _text(html: str) -> str:
    """A part as JSON: several people are sent the same."""
    return _json(html)


@lru_cache(512)
def _patch(old: str, new: str) -> str | None:
    """What has changed in a part, as JSON; None where it is better sent whole. Several people are sent the
    same.
    """
    cuts = patch(old, new)
    return None if cuts is None else _json(cuts)


def _read(text: str) -> dict[str, Any] | None:
    """A message that asks for something that can be asked for."""
    if len(text) > MESSAGE_LETTERS:
        return None
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return (
        message
        if isinstance(message, dict) and isinstance(message.get("do"), str) and message["do"] in _COMMANDS
        else None
    )


def _title(seen: Seen) -> str:
    """The tab's title: a mark when this person is to decide, and the game's name."""
    game = seen.words.say("game.title")
    return (
        seen.words.say("page.title_yours", game=game)
        if seen.yours or seen.curtain
        else seen.words.say("page.title", game=game)
    )
