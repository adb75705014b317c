"""What a page can ask for by its socket, by the name that the page sends: `COMMANDS`.

Each handler takes the connection, the message and its id, and raises Refused for what cannot be done.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING

from comptoir.art.board import LAYOUTS
from comptoir.web.domain import decide
from comptoir.web.domain.refusals import Refused
from comptoir.web.domain.state import Table
from comptoir.web.limits import MESSAGE_LETTERS
from comptoir.web.live import advice
from comptoir.web.live.explanations import explain_question
from comptoir.web.live.tables import Command
from comptoir.web.page_words import page_words

if TYPE_CHECKING:
    from comptoir.web.live.sockets import Connection

Message = dict[str, object]


def read_message(text: str) -> Message | None:
    """A message whose command is known; else None."""
    if len(text) > MESSAGE_LETTERS:
        return None
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        return None
    known = isinstance(message, dict) and isinstance(message.get("type"), str) and message["type"] in COMMANDS
    return message if known else None


# At the table


async def _play(connection: Connection, message: Message, id: int | None) -> None:
    action, seat = message.get("action"), connection.viewer.seat
    if not isinstance(action, str):
        raise Refused("refuse.message")
    if seat is None:
        raise Refused("refuse.not_yours")
    play = partial(decide.play, person=_person(connection), seat=seat, action=action)
    await _act(connection, message, id, play)


async def _undo(connection: Connection, message: Message, id: int | None) -> None:
    await _act(connection, message, id, partial(decide.undo, person=_person(connection)))


async def _return_to_lesson(connection: Connection, message: Message, id: int | None) -> None:
    person, start = _person(connection), message["type"] == "restart"
    await _act(connection, message, id, partial(decide.return_to_lesson, person=person, start=start))


async def _propose(connection: Connection, message: Message, id: int | None) -> None:
    what = str(message.get("action"))
    await _act(connection, message, id, partial(decide.propose, person=_person(connection), what=what))


async def _answer_proposal(connection: Connection, message: Message, id: int | None) -> None:
    person, agrees = _person(connection), message["type"] == "agree"
    await _act(connection, message, id, partial(decide.answer_proposal, person=person, agrees=agrees))


async def _resume(connection: Connection, message: Message, id: int | None) -> None:
    await _act(connection, message, id, partial(decide.resume, person=_person(connection)))


def _person(connection: Connection) -> str:
    if connection.person is None:
        raise Refused("refuse.not_yours")
    return connection.person


async def _act(connection: Connection, message: Message, id: int | None, command: Command) -> None:
    version = message.get("version")
    if not isinstance(version, int):
        raise Refused("refuse.message")

    def stored() -> None:
        connection.messages.ack = id

    await connection.tables.act(connection.live.table.id, command, version=version, stored=stored)


# Help


def _deciding(connection: Connection, message: Message) -> Table:
    """The table, if this person is to act there and has seen its latest version."""
    table = connection.live.table
    if message.get("version") != table.version:
        raise Refused("refuse.stale")
    if table.paused:
        raise Refused("refuse.paused")
    if table.turn is None:
        raise Refused("refuse.over")
    if table.turn != connection.viewer.seat or table.bot:
        raise Refused("refuse.not_your_turn", name=table.seats[table.turn].name)
    return table


async def _hint(connection: Connection, message: Message, id: int | None) -> None:
    table = _deciding(connection, message)
    if connection.thinking:
        raise Refused("refuse.busy")
    table = await advice.record_hint(connection.tables, connection.live, table, connection.person)
    connection.advise(table, id)


async def _why(connection: Connection, message: Message, id: int | None) -> None:
    _deciding(connection, message)
    live, viewer = connection.live, connection.viewer
    rule, reason = explain_question(live, viewer, message)
    await connection.reply("why", reason, rule=rule, ack=id)


# The page


async def _take_device(connection: Connection, message: Message, id: int | None) -> None:
    """On a shared device: the person at that seat has it in hand."""
    seat, table = message.get("seat"), connection.live.table
    if type(seat) is not int or seat not in table.seats_of(connection.person) or seat != table.turn:
        raise Refused("refuse.not_yours")
    connection.view_from(seat)
    connection.on_change()


async def _layout(connection: Connection, message: Message, id: int | None) -> None:
    layout = message.get("layout")
    if layout not in LAYOUTS:
        raise Refused("refuse.message")
    connection.view_in(str(layout))
    connection.on_change()


async def _bot_speed(connection: Connection, message: Message, id: int | None) -> None:
    speed = str(message.get("speed"))
    connection.tables.scheduler.set_speed(connection.live, connection.person, speed)


async def _skip(connection: Connection, message: Message, id: int | None) -> None:
    connection.tables.scheduler.skip(connection.live, connection.person)


async def _end_turn(connection: Connection, message: Message, id: int | None) -> None:
    connection.tables.scheduler.end_turn(connection.live, connection.person)


async def _auto_end_turn(connection: Connection, message: Message, id: int | None) -> None:
    at_once = message.get("at_once")
    if connection.person is None or not isinstance(at_once, bool):
        raise Refused("refuse.message")
    connection.tables.scheduler.end_turns_at_once(connection.live, connection.person, at_once)


async def _ping(connection: Connection, message: Message, id: int | None) -> None:
    await connection.pong(hidden=message.get("hidden") is True)


# Chat


async def _chat(connection: Connection, message: Message, id: int | None) -> None:
    """Says, mutes or reports; answered in the chat."""
    words = page_words(None, connection.viewer.lang)
    if connection.feed is None:
        raise Refused("refuse.busy")
    try:
        answer = await connection.feed.handle(connection.viewer, message)
    except Refused as error:
        await connection.reply("chat", words.say(error.key, **error.values), ack=id)
        return
    await connection.reply("chat", words.say(answer) if answer else "", ack=id)
    if message["type"] in ("mute", "unmute"):
        connection.on_chat()


COMMANDS: dict[str, Callable[[Connection, Message, int | None], Awaitable[None]]] = {
    "play": _play,
    "undo": _undo,
    "retrace": _return_to_lesson,
    "restart": _return_to_lesson,
    "ask": _propose,
    "agree": _answer_proposal,
    "decline": _answer_proposal,
    "resume": _resume,
    "hint": _hint,
    "why": _why,
    "take_device": _take_device,
    "layout": _layout,
    "bot_speed": _bot_speed,
    "skip": _skip,
    "end_turn": _end_turn,
    "auto_end_turn": _auto_end_turn,
    "ping": _ping,
    "phrase": _chat,
    "chat": _chat,
    "mute": _chat,
    "unmute": _chat,
    "report": _chat,
}
