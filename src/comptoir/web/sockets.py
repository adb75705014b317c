"""One socket: a person at a table, or a spectator. It is told of every change, and asks for actions by the number it has seen."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import time
from functools import lru_cache
from typing import Any

from fastapi import APIRouter, WebSocket
from starlette.websockets import WebSocketDisconnected

from comptoir.art.scene import LAYOUTS
from comptoir.bots.advice import hints
from comptoir.errors import ComptoirError, IllegalAction
from comptoir.web import watch
from comptoir.web.guard import Bucket
from comptoir.web.parts import line_html, parts
from comptoir.web.patches import patch
from comptoir.web.requests import language_of, server_of
from comptoir.web.seen import Entry, Eye, Looker, Seen, look
from comptoir.web.table import Refused, Table
from comptoir.web.tables import Live, NotFound, Tables
from comptoir.web.words import page_words

LONGEST = 2_000  # characters of a message
SILENCE = 180.0  # seconds after which a socket without a word is dead; browsers let a hidden page speak once a minute
UNKNOWN_TABLE, UNREADABLE, SILENT = 4404, 4400, 4408  # why a socket was closed

logger = logging.getLogger(__name__)
router = APIRouter()


@router.websocket("/tables/{id}/socket")
async def socket(websocket: WebSocket, id: str, layout: str = "wide", patches: bool = False) -> None:
    server = server_of(websocket)
    await websocket.accept()
    try:
        live = await server.tables.find(id)
    except NotFound:
        await websocket.close(UNKNOWN_TABLE)
        return
    person = server.people.person_of(websocket)
    eye = Eye(person, None, language_of(websocket), layout if layout in LAYOUTS else "wide")
    with watch.SOCKETS.track_inprogress():
        await Connection(websocket, server.tables, live, eye, patches=patches).serve()


class Connection:
    """A socket and what it was last told; only what has changed is sent."""

    def __init__(self, websocket: WebSocket, tables: Tables, live: Live, eye: Eye, *, patches: bool = False) -> None:
        self.websocket, self.tables, self.live, self.patches = websocket, tables, live, patches
        self.eye = self._first_eye(eye)
        self._changed = asyncio.Event()
        self._parts: dict[str, str] = {}
        self._state: tuple[Looker, Eye, bool] | None = None
        self._told: dict[str, Any] = {}
        self._log: list[Entry] = []
        self._ack: int | None = None
        self._bucket = Bucket(rate=20, burst=60)
        self._advice: asyncio.Task[None] | None = None

    def _first_eye(self, eye: Eye) -> Eye:
        """Who has one seat looks from there; who has several, on a shared device, must first say who has it in hand."""
        mine = self.live.table.seats_of(eye.person)
        return Eye(eye.person, mine[0] if len(mine) == 1 else None, eye.lang, eye.layout)

    def tell(self) -> None:
        """The table has changed."""
        self._changed.set()

    async def serve(self) -> None:
        """Until it is gone. If either telling or hearing fails, both end: a page that hears nothing more must know it."""
        self.live.watchers.add(self)
        self._changed.set()
        works = [asyncio.create_task(self._send()), asyncio.create_task(self._hear())]
        try:
            done, _ = await asyncio.wait(works, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self.live.watchers.discard(self)
            ending = [*works, *([self._advice] if self._advice else [])]
            for work in ending:
                work.cancel()
            await asyncio.gather(*ending, return_exceptions=True)
        with contextlib.suppress(WebSocketDisconnected):  # one of them may have closed it while the other was speaking
            for work in done:
                work.result()

    # Telling

    async def _send(self) -> None:
        """Sends how things stand whenever they have changed; a slow reader gets the latest, not all that was between."""
        while True:
            await self._changed.wait()
            self._changed.clear()
            await self.websocket.send_text(self.message())

    def message(self) -> str:
        """All that has changed for this person since the last message; it may be no more than that an action is kept."""
        table = self.live.table
        self._look_up(table)
        state = (self.live.looker, self.eye, self.live.preparing)
        changed: dict[str, str] = {}
        before = self._parts
        if state != self._state or not self._parts:
            seen = look(self.live.looker, self.eye, preparing=self.live.preparing)
            made = parts(seen, self.live.looker)
            changed = {name: html for name, html in made.items() if self._parts.get(name) != html}
            self._parts, self._state = made, state
            self._told = {
                "last": seen.last,
                "yours": seen.yours or seen.curtain is not None,
                "title": _title(seen),
                "due": table.due if table.settings.clock else None,
            }
        told = {"log": self._new_lines(table), **self._told, "now": time.time()}
        if self.patches and changed:
            told["patches"] = {
                name: cuts for name in changed if name in before and (cuts := patch(before[name], changed[name])) is not None
            }
        if self._ack is not None:
            told["ack"], self._ack = self._ack, None
        whole = ",".join(f'"{name}":{_text(html)}' for name, html in changed.items() if name not in told.get("patches", ()))
        return f'{{"number":{table.number},"parts":{{{whole}}},{_json(told)[1:]}'

    def _look_up(self, table: Table) -> None:
        """Sitting down opens one's own eyes; on a shared device a turn of someone else there closes them."""
        mine = table.seats_of(self.eye.person)
        seat = self.eye.seat
        if len(mine) == 1:
            seat = mine[0]
        elif seat not in mine or (table.turn in mine and table.turn != seat):
            seat = None
        if seat != self.eye.seat:
            self.eye = Eye(self.eye.person, seat, self.eye.lang, self.eye.layout)

    def _new_lines(self, table: Table) -> dict[str, Any]:
        if table.match is None:
            return {"from": 0, "lines": []}
        entries = self.live.looker.log(self.eye.seat, self.eye.lang)
        kept = min(len(self._log), len(entries))
        while kept and self._log[kept - 1] is not entries[kept - 1]:
            kept -= 1
        lines = [line_html(line, table.game.name) for entry in entries[kept:] for line in entry.lines]
        self._log = list(entries)
        return {"from": entries[kept - 1].total if kept else 0, "lines": lines}

    async def say(self, kind: str, text: str, *, rule: str | None = None, actions: list[str] | None = None, ack: int | None = None) -> None:
        told = {"say": kind, "text": text, "rule": rule, "actions": actions or [], "ack": ack}
        await self.websocket.send_text(json.dumps(told, ensure_ascii=False))

    # Hearing

    async def _hear(self) -> None:
        while True:
            try:
                message = await asyncio.wait_for(self.websocket.receive(), SILENCE)
            except TimeoutError:
                await self.websocket.close(SILENT)
                return
            if message["type"] == "websocket.disconnect":
                return
            text = message.get("text")
            if text is None:
                await self.websocket.close(UNREADABLE)
                return
            await self._receive(text)

    async def _receive(self, text: str) -> None:
        words = page_words(self.live.table.game.name, self.eye.lang)
        message = _read(text)
        id = None if message is None else message.get("id")
        id = id if type(id) is int and 0 <= id < 2**53 else None
        if not self._bucket.take():
            await self.say("error", words.say("refuse.busy"), ack=id)  # so the page knows that it can be asked again
            return
        if message is None:
            await self.say("error", words.say("refuse.message"))
            return
        try:
            await _DOING[message["do"]](self, message, id)
        except IllegalAction as error:
            rule, reason = self._why(error.action)
            await self.say("refused", reason, rule=rule, ack=id)
        except Refused as error:
            await self.say("refused", words.say(error.key, **error.values), ack=id)
            self._parts = {}  # what it had seen was wrong: it gets everything anew
            self.tell()
        except ComptoirError as error:
            await self.say("error", str(error), ack=id)

    async def _play(self, message: dict[str, Any], id: int | None) -> None:
        action, seat = message.get("action"), self.eye.seat
        if not isinstance(action, str):
            raise Refused("refuse.message")
        if seat is None or self.eye.person is None:
            raise Refused("refuse.not_yours")
        person = self.eye.person
        await self._act(message, id, lambda table: table.play(person, seat, action))

    async def _undo(self, message: dict[str, Any], id: int | None) -> None:
        person = self.eye.person
        if person is None:
            raise Refused("refuse.not_yours")
        await self._act(message, id, lambda table: table.undo(person))

    async def _act(self, message: dict[str, Any], id: int | None, ask: Any) -> None:
        number = message.get("number")
        if not isinstance(number, int):
            raise Refused("refuse.message")

        def kept() -> None:
            self._ack = id

        await self.tables.act(self.live.table.id, ask, number=number, kept=kept)

    def _deciding(self, message: dict[str, Any]) -> Table:
        """The table, if this person is to decide there and has seen how it stands."""
        table = self.live.table
        if message.get("number") != table.number:
            raise Refused("refuse.stale")
        if table.turn is None or table.turn != self.eye.seat or table.bot:
            raise Refused("refuse.not_your_turn", name=table.places[table.turn].name) if table.turn is not None else Refused("refuse.over")
        return table

    async def _hint(self, message: dict[str, Any], id: int | None) -> None:
        """Beside the hearing: thinking takes a while, and more when the bots are not compiled yet."""
        table = self._deciding(message)
        if self._advice is not None and not self._advice.done():
            raise Refused("refuse.busy")
        self._advice = asyncio.create_task(self._advise(table, id))

    async def _advise(self, table: Table, id: int | None) -> None:
        words = page_words(table.game.name, self.eye.lang)
        if not self.tables.warm.is_ready(table.game.name):
            await self.say("hint", page_words(table.game.name, self.eye.lang).say("table_page.preparing"))
            await self.tables.warm.ready(table.game.name)
        try:
            best = await self.tables.think(hints, table.match, table.turn, table.id)
        except Exception:
            logger.exception("advice has failed")
            await self.say("refused", words.say("refuse.busy"), ack=id)
            return
        actions = [table.game.actions[opinion.action] for opinion in best]
        said = ", ".join(
            f"{words.action(action)} ({words.percent(opinion.share, 0)})" for action, opinion in zip(actions, best, strict=True)
        )
        await self.say("hint", words.say("dock.advice", actions=said), actions=actions, ack=id)

    async def _ask_why(self, message: dict[str, Any], id: int | None) -> None:
        self._deciding(message)
        action = message.get("action")
        if not isinstance(action, str):
            raise Refused("refuse.message")
        rule, reason = self._why(action)
        await self.say("why", reason, rule=rule, ack=id)

    def _why(self, action: str) -> tuple[str | None, str]:
        table, words = self.live.table, page_words(self.live.table.game.name, self.eye.lang)
        assert table.match is not None
        refusal = table.match.why_not(action, self.eye.lang)
        if refusal is None:
            return None, words.say("play.allowed", action=words.action(action))
        rule, reason = refusal
        return rule, f"{reason[:1].upper()}{reason[1:]}."

    async def _take(self, message: dict[str, Any], id: int | None) -> None:
        """On a shared device: the person at that seat has it in hand."""
        seat = message.get("seat")
        if type(seat) is not int or seat not in self.live.table.seats_of(self.eye.person) or seat != self.live.table.turn:
            raise Refused("refuse.not_yours")
        self.eye = Eye(self.eye.person, seat, self.eye.lang, self.eye.layout)
        self.tell()

    async def _layout(self, message: dict[str, Any], id: int | None) -> None:
        layout = message.get("layout")
        if layout not in LAYOUTS:
            raise Refused("refuse.message")
        self.eye = Eye(self.eye.person, self.eye.seat, self.eye.lang, str(layout))
        self.tell()

    async def _ping(self, message: dict[str, Any], id: int | None) -> None:
        await self.websocket.send_text('{"pong":1}')


_DOING = {
    "play": Connection._play,
    "undo": Connection._undo,
    "hint": Connection._hint,
    "why": Connection._ask_why,
    "take": Connection._take,
    "layout": Connection._layout,
    "ping": Connection._ping,
}


_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


@lru_cache(256)
def _text(html: str) -> str:
    """A part as JSON: several people are sent the same."""
    return _json(html)


def _read(text: str) -> dict[str, Any] | None:
    """A message that asks for something that can be asked for."""
    if len(text) > LONGEST:
        return None
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return message if isinstance(message, dict) and isinstance(message.get("do"), str) and message["do"] in _DOING else None


def _title(seen: Seen) -> str:
    """The tab's title: a mark when this person is to decide, and the game's name."""
    game = seen.words.say("game.title")
    return seen.words.say("page.title_yours", game=game) if seen.yours or seen.curtain else seen.words.say("page.title", game=game)
