"""The socket's protocol, against the whole app: what is acknowledged is done once, what is late or forged
changes nothing.
"""

from __future__ import annotations

import asyncio
import difflib
import json
import random
import threading
import time
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

from comptoir.bots.hints import Advice
from comptoir.engine import registry
from comptoir.engine.game import get_game
from comptoir.engine.match import Match
from comptoir.web.domain import decide
from comptoir.web.domain.evolve import from_events
from comptoir.web.domain.state import Event
from comptoir.web.live import advice, bot_pool, sockets, table_messages
from comptoir.web.live.open_table import OpenTable
from comptoir.web.ops.frames import FLOODING
from comptoir.web.ops.request_guard import TokenBucket
from comptoir.web.storage.event_store import EventStore
from tests.bots.test_hints import SAME, UNSURE, advice_of
from tests.manual_time import ManualTime
from tests.web.app_harness import (
    PATIENCE,
    AppHarness,
    Client,
    Socket,
    SocketClosed,
    in_app,
    play_on,
    running_app,
    table_of,
)
from tests.web.test_table import snapshot

BOTS = ("passer-by", "passer-by")


@pytest.fixture
def lite(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'comptoir.sqlite'}"


def legal(live: OpenTable) -> str:
    assert live.table.match is not None
    return live.table.match.actions()[0]


def illegal(live: OpenTable) -> str:
    assert live.table.match is not None
    allowed = live.table.match.actions()
    return next(action for action in live.table.game.actions if action not in allowed)


async def alone(made: AppHarness, **settings: Any) -> tuple[Client, OpenTable, Socket]:
    """Anne has all three seats but looks from the one that decides: a table that only she moves."""
    anne = made.person("Anne")
    live = await made.make("batavia", *[(anne.id, name) for name in ("Anne", "Bruno", "Chloé")], **settings)
    socket = await anne.socket(live.table.id)
    await take(live, socket)
    return anne, live, socket


async def take(live: OpenTable, socket: Socket) -> None:
    """Takes the shared device for whoever is to decide."""
    if f'data-take="{live.table.turn}"' in socket.parts["notice"]:
        socket.send(type="take_device", seat=live.table.turn)
        await socket.view()


async def three(made: AppHarness, **settings: Any) -> tuple[OpenTable, dict[int, Socket]]:
    """Three people with a socket each."""
    people = [made.person(name) for name in ("Anne", "Bruno", "Chloé")]
    live = await made.make("batavia", *[one.sits for one in people], **settings)
    return live, {seat: await one.socket(live.table.id) for seat, one in enumerate(people)}


async def stored(made: AppHarness, live: OpenTable) -> list[Event]:
    events: list[Event] = await made.tables.in_store(made.tables.store.events.read, live.table.id)
    return events


async def consistent(made: AppHarness, live: OpenTable) -> None:
    """The table in use is what the store says it is."""
    events = await stored(made, live)
    assert [event.version for event in events] == list(range(1, len(events) + 1))
    assert snapshot(from_events(live.table.id, events)) == snapshot(live.table)


# Acknowledged, once


def test_an_action_is_acknowledged_when_it_is_stored_and_everyone_is_told(database: str) -> None:
    async def work(made: AppHarness) -> None:
        live, seats = await three(made)
        turn, version = live.table.turn, live.table.version
        assert turn is not None
        answer = await seats[turn].ask("play", action=legal(live))
        assert answer["version"] == version + 1
        assert (await stored(made, live))[-1].version == version + 1
        for socket in seats.values():
            assert (await socket.until(version + 1))["version"] == version + 1
        assert not [
            socket for seat, socket in seats.items() if seat != turn and '"ack"' in "".join(socket.got)
        ]
        await consistent(made, live)

    in_app(database, work)


@pytest.mark.parametrize("times", [2, 5])
def test_a_double_click_plays_once(lite: str, times: int) -> None:
    """The same message again, as by a second click or after a lost line: done once, and then answered with
    how things stand.
    """

    async def work(made: AppHarness) -> None:
        _, live, socket = await alone(made)
        version, action = live.table.version, legal(live)
        ids = [socket.send(type="play", version=version, action=action) for _ in range(times)]
        answers = [await socket.answer(id) for id in ids]
        assert "parts" in answers[0]
        assert [answer["type"] for answer in answers[1:]] == ["refused"] * (times - 1)
        await socket.receive_all()
        assert socket.version == version + 1
        whole = [text for text in socket.got[1:] if {"sentence", "pieces", "hand"} <= _parts(text).keys()]
        assert 1 <= len(whole) <= 3  # however often it was sent
        assert len(await stored(made, live)) == version + 1
        await consistent(made, live)

    in_app(lite, work)


def test_an_action_sent_again_over_a_new_line_is_done_once(database: str) -> None:
    async def work(made: AppHarness) -> None:
        anne, live, socket = await alone(made)
        version, action = live.table.version, legal(live)
        socket.send(type="play", version=version, action=action)
        await socket.close()
        again = await anne.socket(live.table.id)
        assert again.version == version + 1
        assert (await again.ask("play", version=version, action=action))["type"] == "refused"
        assert len(await stored(made, live)) == version + 1

    in_app(database, work)


def test_a_line_that_breaks_while_an_action_is_written_loses_nothing(
    lite: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever asked is gone; the action is written all the same, the others hear of it, and the bots go
    on.
    """
    append_all, begun, cut = EventStore.append_all, threading.Event(), threading.Event()

    def slowly(self: EventStore, *arguments: Any) -> Any:
        begun.set()
        assert cut.wait(PATIENCE)
        return append_all(self, *arguments)

    async def work(made: AppHarness) -> None:
        live, seats = await three(made)
        turn, version = live.table.turn, live.table.version
        assert turn is not None
        monkeypatch.setattr(EventStore, "append_all", slowly)
        seats[turn].send(type="play", version=version, action=legal(live))
        while not begun.is_set():
            await asyncio.sleep(0.01)
        await seats[turn].cut()
        cut.set()
        other = seats[(turn + 1) % 3]
        assert (await other.until(version + 1))["version"] == version + 1
        await consistent(made, live)
        made.sockets.remove(seats[turn])

    in_app(lite, work)


# Late, forged, foreign


def _parts(text: str) -> dict[str, str]:
    message = json.loads(text)
    return {**message.get("parts", {}), **message.get("patches", {})}


def test_stale_actions_are_answered_in_a_few_bytes(lite: str) -> None:
    """Who sends one after the other gets a refusal for each, and the whole table hardly ever."""

    async def work(made: AppHarness) -> None:
        _, live, socket = await alone(made)
        before = len(socket.got)
        for _ in range(40):
            assert (await socket.ask("play", version=0, action=legal(live)))["type"] == "refused"
        await socket.receive_all()
        sent = socket.got[before:]
        assert sum("parts" in json.loads(text) for text in sent) <= 2
        assert sum(len(text) for text in sent if "parts" not in json.loads(text)) < 40 * 300

    in_app(lite, work)


def test_who_floods_is_disconnected(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        _, _, socket = await alone(made)
        for _ in range(400):
            socket.send(type="ping")
        with pytest.raises(SocketClosed) as caught:
            await socket.answer(-1)  # which never comes
        assert caught.value.code == FLOODING

    in_app(lite, work)


def test_nonsense_is_not_compared_with_all_that_is_known(lite: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*arguments: Any, **more: Any) -> list[str]:
        raise AssertionError("looked for what is close")

    async def work(made: AppHarness) -> None:
        _, live, socket = await alone(made)
        monkeypatch.setattr(difflib, "get_close_matches", never)
        for type in ("play", "why"):
            answer = await socket.ask(type, action="bid 12b-")
            assert (answer["type"], "bid 12b-" in answer["text"]) == ("error", True)
        assert (await socket.ask("why", spot="nowhere"))["type"] == "why"
        assert live.table.version == socket.version

    in_app(lite, work)


def test_a_stale_action_is_answered_with_how_things_stand(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        _, live, socket = await alone(made)
        before = snapshot(live.table)
        for version in (live.table.version - 1, live.table.version + 1, 0, -1, 10**30):
            assert (await socket.ask("play", version=version, action=legal(live)))["type"] == "refused"
        await socket.receive_all()
        assert socket.version == live.table.version
        assert "choices" in socket.last_view["parts"]
        assert snapshot(live.table) == before

    in_app(lite, work)


def test_nobody_acts_for_another_seat(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        live, seats = await three(made)
        turn, version = live.table.turn, live.table.version
        assert turn is not None
        seats[9] = await made.person("Stranger").socket(live.table.id)
        nobody = made.person()
        nobody.cookies = {"lang": "en"}
        seats[10] = await nobody.socket(live.table.id)
        nobody.cookies = {"comptoir": f"{live.table.seats[turn].person}.forged"}
        seats[11] = await nobody.socket(live.table.id)
        for seat, socket in seats.items():
            if seat == turn:
                continue
            for message in (
                {"type": "play", "action": legal(live), "seat": turn},
                {"type": "undo"},
                {"type": "hint"},
                {"type": "why", "action": illegal(live)},
                {"type": "take_device", "seat": turn},
            ):
                assert (await socket.ask(**message))["type"] == "refused"
            assert "data-action" not in "".join(socket.got)
        assert live.table.version == version

    in_app(lite, work)


def test_people_of_one_table_are_strangers_at_another(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        live, _ = await three(made)
        other, seats = await three(made)
        person = live.table.seats[other.table.turn or 0].person
        caller = made.person()
        caller.id, caller.cookies = (
            person or "",
            {"comptoir": made.server.tokens.sign(person or ""), "lang": "en"},
        )
        socket = await caller.socket(other.table.id)
        assert (await socket.ask("play", action=legal(other)))["type"] == "refused"
        assert other.table.version == seats[0].version

    in_app(lite, work)


def test_an_action_that_is_not_allowed_is_told_why(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        _, live, socket = await alone(made)
        version = live.table.version
        for type in ("play", "why"):
            answer = await socket.ask(type, action=illegal(live))
            assert answer["type"] == ("refused" if type == "play" else "why")
            assert answer["rule"].startswith("B")
            assert answer["text"].endswith(".")
        answer = await socket.ask("why", action=legal(live))
        assert (answer["type"], answer["rule"]) == ("why", None)
        for unknown in ("bid 1000", "", "\ud800", "x" * 1500):
            assert (await socket.ask("play", action=unknown))["type"] == "error"
            assert (await socket.ask("why", action=unknown))["type"] == "error"
        assert live.table.version == version

    in_app(lite, work)


def test_a_verb_or_a_place_of_the_board_can_be_asked_about(lite: str) -> None:
    """A shop that lies too far, a verb that is not possible now; and a place that is for nothing now."""

    async def work(made: AppHarness) -> None:
        _, _, socket = await alone(made)
        for about in ({"verb": "Lay"}, {"spot": "pile"}, {"spot": "company-england"}):
            answer = await socket.ask("why", **about)
            assert answer["type"] == "why"
            assert answer["rule"].startswith("B")
        for about in ({"verb": "Fly"}, {"spot": "nowhere"}):
            answer = await socket.ask("why", **about)
            assert (answer["type"], answer["rule"]) == ("why", None)
            assert answer["text"] == "There is nothing to do here now."
        senseless: tuple[dict[str, Any], ...] = ({}, {"verb": 3}, {"spot": ["pile"]})
        for odd in senseless:
            assert (await socket.ask("why", **odd))["type"] == "refused"

    in_app(lite, work)


def test_of_several_reasons_the_rarest_is_told(lite: str) -> None:
    """Marco Polo: that the space demands another good, not that one lacks the first card of the game."""

    async def work(made: AppHarness) -> None:
        anne = made.person("Anne")
        for plies in range(60):
            table = play_on(table_of("marco_polo", [anne.sits, "clerk"]), plies, random.Random(1))
            assert table.match is not None
            lays = [action for action in table.game.actions if action.startswith("lay")]
            told = [refusal for action in lays if (refusal := table.match.why_not(action)) is not None]
            rules = [rule for rule, _ in told]
            if table.turn == 0 and len(set(rules)) > 1:
                break
        socket = await anne.socket(made.put(table).table.id)
        answer = await socket.ask("why", verb="Lay")
        assert answer["rule"] == min(rules, key=rules.count)

    in_app(lite, work)


def test_after_the_end_nothing_is_played(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        anne = made.person("Anne")
        live = made.put(play_on(table_of("marco_polo", [anne.sits, "clerk"]), 10_000, random.Random(1)))
        socket = await anne.socket(live.table.id)
        for type in ("play", "undo", "hint", "why", "take_device"):
            assert (await socket.ask(type, action="draw", seat=0))["type"] == "refused"

    in_app(lite, work)


# Taking back, hints, layouts, pings


def test_what_is_taken_back_is_gone_from_log_and_table(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        _, live, socket = await alone(made)
        chance = random.Random(2)
        for _ in range(100):
            await take(live, socket)
            lines, version = socket.lines[:], live.table.version
            assert live.table.match is not None
            await socket.ask("play", action=chance.choice(live.table.match.actions()))
            if live.table.may_undo(live.table.decisions[-1].person) is not None:
                break
        assert len(socket.lines) > len(lines)
        assert "parts" in await socket.ask("undo")
        await take(live, socket)
        assert socket.lines == lines
        assert live.table.version == version + 2
        await consistent(made, live)

    in_app(lite, work)


def test_a_hint_names_what_is_allowed_and_pings_are_answered_meanwhile(
    lite: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = threading.Event()

    def slow_advice(match: Match, *_: Any) -> Advice:
        assert go_on.wait(PATIENCE)
        return advice_of(match, ((match.actions()[0],), SAME))

    async def work(made: AppHarness) -> None:
        _, live, socket = await alone(made)
        ready(made)
        monkeypatch.setattr(advice, "advise", slow_advice)
        first, second = (socket.send(type="hint", version=socket.version) for _ in range(2))
        socket.send(type="ping")
        heard = [await socket.receive()]
        while heard[-1] != {"pong": 1}:
            heard.append(await socket.receive())
        go_on.set()
        while heard[-1].get("type") != "hint":  # that it is taken is kept in the meantime
            heard.append(await socket.receive())
        assert [(message.get("ack"), message.get("type")) for message in heard if "type" in message] == [
            (second, "refused"),
            (first, "hint"),
        ]
        assert heard.index({"pong": 1}) < heard.index(
            next(message for message in heard if message.get("type") == "hint")
        )
        assert heard[-1]["actions"] == [legal(live)]

    in_app(lite, work)


def test_a_hint_says_what_is_as_good(lite: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def two(match: Match, *_: Any) -> Advice:
        best, other = match.actions()[1:3]
        return advice_of(match, ((best,), SAME), ((other,), UNSURE))

    async def work(made: AppHarness) -> None:
        _, _, socket = await alone(made)
        ready(made)
        monkeypatch.setattr(advice, "advise", two)
        hint = await socket.ask("hint")
        assert hint["text"] == (
            "The captain's plan: Bid 1 (40% chance of winning). Leaves you 14 bills. About as good: bid 2."
        )
        assert hint["actions"] == ["bid 1", "bid 2"]

    in_app(lite, work)


def test_before_the_captain_is_compiled_a_clerk_gives_the_hint(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        _, live, socket = await alone(made)
        hint = await socket.ask("hint")
        assert hint["type"] == "hint"
        assert "A clerk advises" in hint["text"]
        assert live.table.match is not None
        assert 1 <= len(hint["actions"]) <= 3
        assert set(hint["actions"]) <= set(live.table.match.actions())

    in_app(lite, work)


def test_a_hint_that_fails_is_no_end(
    lite: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def work(made: AppHarness) -> None:
        _, _, socket = await alone(made)
        ready(made)
        monkeypatch.setattr(advice, "advise", lambda *_: 1 / 0)
        refused = await socket.ask("hint")
        assert (refused["type"], refused["text"][:16]) == ("refused", "Sorry, there is ")
        socket.send(type="ping")
        assert await socket.receive() == {"pong": 1}

    in_app(lite, work)
    assert "advice has failed" in caplog.text


def test_the_layout_can_change(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        _, live, socket = await alone(made)
        wide, tall = live.table.game.board.SIZE["wide"], live.table.game.board.SIZE["tall"]
        assert f'viewBox="0 0 {wide[0]} {wide[1]}"' in socket.parts["chart"]
        socket.send(type="layout", layout="tall")
        assert set((await socket.view())["parts"]) >= {"chart", "pieces"}
        assert f'viewBox="0 0 {tall[0]} {tall[1]}"' in socket.parts["chart"]
        odd: list[Any] = ["round", None, [], {}, 3]
        for layout in odd:
            assert (await socket.ask("layout", layout=layout))["type"] == "refused"

    in_app(lite, work)


@pytest.mark.parametrize("seat", [True, 0.0, 1.0, "0", None, [], {}, -1, 7])
def test_only_a_seat_of_ones_own_is_taken(lite: str, seat: Any) -> None:
    async def work(made: AppHarness) -> None:
        anne = made.person("Anne")
        live = await made.make("batavia", (anne.id, "Anne"), (anne.id, "Bruno"), "passer-by")
        socket = await anne.socket(live.table.id)
        assert (await socket.ask("take_device", seat=seat))["type"] == "refused"
        assert "data-action" not in "".join(socket.got)

    in_app(lite, work)


# What cannot be read


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        "{}",
        "7",
        "x" * 2_001,
        "{" * 1_999,
        "[" * 1_999,
        '{"type": "dance"}',
        '{"type": ["play"]}',
        '{"type": null}',
        '{"type": "__init__"}',
        "NaN",
        '"\\ud800"',
        "{\x00}",
    ],
)
def test_nonsense_is_answered_and_the_line_stays(lite: str, text: str) -> None:
    async def work(made: AppHarness) -> None:
        _, live, socket = await alone(made)
        socket.send_raw(text)
        assert (await socket.receive())["type"] == "error"
        assert "parts" in await socket.ask("play", action=legal(live))

    in_app(lite, work)


@pytest.mark.parametrize("version", [None, "2", 2.5, [], {}, True])
def test_a_number_is_a_number(lite: str, version: Any) -> None:
    async def work(made: AppHarness) -> None:
        _, live, socket = await alone(made)
        for type in ("play", "undo", "hint", "why"):
            assert (await socket.ask(type, version=version, action=legal(live)))["type"] == "refused"
        odd: list[Any] = [None, 3, [], {}]
        for action in odd:
            assert (await socket.ask("play", action=action))["type"] == "refused"
            assert (await socket.ask("why", action=action))["type"] == "refused"

    in_app(lite, work)


def test_bytes_end_the_line(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        _, live, socket = await alone(made)
        socket.send_bytes(b"\x00\xff")
        with pytest.raises(SocketClosed) as hung:
            await socket.view()
        assert hung.value.code == sockets.UNREADABLE
        await socket.task
        assert not live.watchers

    in_app(lite, work)


def test_whoever_is_silent_too_long_is_gone(lite: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sockets, "SOCKET_SILENCE_SECONDS", 0.05)

    async def work(made: AppHarness) -> None:
        socket = await made.person().socket((await made.make("batavia", "", "", "")).table.id)
        with pytest.raises(SocketClosed) as hung:
            await socket.view()
        assert hung.value.code == sockets.SILENT

    in_app(lite, work)


def test_a_page_that_cannot_be_told_is_hung_up_on(
    lite: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It then connects again; without that it would sit there for ever, its pings answered, and hear
    nothing.
    """

    async def work(made: AppHarness) -> None:
        _, live, socket = await alone(made)
        with monkeypatch.context() as broken:
            broken.setattr(table_messages, "parts", lambda *_: 1 / 0)
            socket.send(type="layout", layout="tall")
            with pytest.raises(SocketClosed) as hung:
                await socket.view()
        assert hung.value.code == 1011
        assert not live.watchers

    in_app(lite, work)
    assert "failed" in caplog.text


@pytest.mark.parametrize("id", ["nosuchtable", "..", "é", "a" * 200, "'; drop table events; --"])
def test_a_table_that_is_not_there(lite: str, id: str) -> None:
    async def work(made: AppHarness) -> None:
        socket = await made.person().connect(id)
        with pytest.raises(SocketClosed) as hung:
            await socket.receive()
        assert hung.value.code == sockets.UNKNOWN_TABLE

    in_app(lite, work)


@pytest.mark.parametrize(
    "origin", ["http://elsewhere.test", "null", "", "http://comptoir.test.evil", "https://comptoir.test:8443"]
)
def test_pages_of_other_sites_get_no_socket(lite: str, origin: str) -> None:
    async def work(made: AppHarness) -> None:
        live = await made.make("batavia", *["passer-by"] * 3)
        with pytest.raises(SocketClosed) as hung:
            await made.person().connect(live.table.id, origin=origin)
        assert hung.value.status == 403
        made.sockets.clear()

    in_app(lite, work)


def test_who_says_too_much_is_asked_to_wait(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        _, live, socket = await alone(made)
        connection = next(iter(live.watchers))
        assert isinstance(connection, sockets.Connection)
        connection.bucket = TokenBucket(rate=0.001, burst=5)
        for _ in range(5):
            socket.send(type="ping")
            assert await socket.receive() == {"pong": 1}
        version = live.table.version
        assert (await socket.ask("play", action=legal(live)))["type"] == "error"
        assert live.table.version == version
        connection.bucket = TokenBucket(rate=20, burst=60)
        assert "parts" in await socket.ask("play", action=legal(live))

    in_app(lite, work)


# Reading slowly, coming back


def test_a_slow_reader_gets_the_latest_and_not_all_between(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        _, live, socket = await alone(made)
        slow = await made.person("S").socket(live.table.id)
        slow.reading.clear()
        for _ in range(12):
            await take(live, socket)
            await socket.ask("play", action=legal(live))
        slow.reading.set()
        await slow.until(live.table.version)
        views = await slow.receive_all()
        assert sum('"parts":' in text for text in slow.got) - 1 <= 2
        assert not views
        fresh = await made.person("F").socket(live.table.id)
        assert slow.parts == fresh.parts
        assert slow.lines == fresh.lines

    in_app(lite, work)


def test_who_comes_back_gets_everything(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        live, seats = await three(made)
        turn = live.table.turn
        assert turn is not None
        people = [held.person for held in live.table.seats]
        await seats[turn].ask("play", action=legal(live))
        caller = made.person()
        caller.cookies = {"comptoir": made.server.tokens.sign(people[turn] or ""), "lang": "en"}
        again = await caller.socket(live.table.id)
        assert again.parts == seats[turn].parts
        assert again.lines == seats[turn].lines
        assert again.last_view["log"]["from"] == 0

    in_app(lite, work)


def test_sitting_down_opens_ones_eyes(lite: str) -> None:
    """The socket that watched in the lobby is the sitter's own once they have sat down."""

    async def work(made: AppHarness) -> None:
        anne, bruno = made.person("Anne"), made.person("Bruno")
        live = await made.make("batavia", "", "", "passer-by", creator=anne.id)
        socket = await bruno.socket(live.table.id)
        for caller, seat in ((anne, "0"), (bruno, "1")):
            assert (
                await caller.post(f"/tables/{live.table.id}/sit", seat=seat, name=caller.name)
            ).status_code == 303
        assert (await anne.post(f"/tables/{live.table.id}/begin")).status_code == 303
        await socket.until(live.table.version)
        assert 'data-seat="1"' in socket.parts["notice"]
        assert 'class="card' in socket.parts["hand"]

    in_app(lite, work)


# The server's own turns


def ready(made: AppHarness) -> None:
    """Bots that think count as compiled; those used here do not think long."""
    for name in registry.names():
        made.tables.precompiler.mark_ready(name)


@pytest.mark.parametrize(("name", "players"), [("batavia", 3), ("marco_polo", 2)])
def test_bots_play_a_match_to_its_end(name: str, players: int, lite: str) -> None:
    async def work(made: AppHarness) -> None:
        live = await made.make(name, *["passer-by"] * players)
        socket = await made.person().socket(live.table.id)
        while live.table.state != "over":
            await socket.view()
        await socket.until(live.table.version)
        assert live.table.settings.seed in socket.parts["notice"]
        await consistent(made, live)

    in_app(lite, work)


def test_when_the_clock_has_run_out_a_bot_decides(lite: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("comptoir.web.domain.state.SUBSTITUTE_LEVEL", "passer-by")
    monkeypatch.setattr("comptoir.web.domain.clock.TURNS_IN_RESERVE", 0)

    time = ManualTime()

    async def work(made: AppHarness) -> None:
        live, seats = await three(made, clock=1)
        turn, version = live.table.turn, live.table.version
        assert turn is not None
        view, began = seats[turn].last_view, (await stored(made, live))[version - 1]
        assert view["due"] == began.at + 1
        await time.advance(0.9)
        assert live.table.version == version
        await time.until(lambda: live.table.version >= version + 2, 5)
        await seats[turn].until(version + 2)
        late, event = (await stored(made, live))[version : version + 2]
        assert (late.kind, late.seat, late.person) == ("late", turn, None)
        assert (event.kind, event.seat, event.person) == ("play", turn, None)
        assert late.at >= view["due"]
        assert (await seats[turn].ask("undo", version=seats[turn].version))["type"] == "refused"

    in_app(lite, work, time_source=time)


def test_a_bot_that_fails_is_stood_in_for(
    lite: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("no bot today")

    monkeypatch.setattr(bot_pool, "make", fail)

    async def work(made: AppHarness) -> None:
        ready(made)
        live = await made.make("batavia", *["captain"] * 3)
        await (await made.person().socket(live.table.id)).until(live.table.version + 3)

    in_app(lite, work)
    assert "a passer-by decides" in caplog.text


def test_a_bot_cut_short_by_an_undo_is_not_asked_twice_at_once(
    lite: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its search goes on in its thread; a second one by the same bot would write into its workspace."""
    busy: set[int] = set()

    class Slow:
        seed = ""

        def choose_index(self, *_: Any) -> int:
            assert id(self) not in busy
            busy.add(id(self))
            time.sleep(0.05)
            busy.discard(id(self))
            raise RuntimeError("a passer-by may decide")

    monkeypatch.setattr(bot_pool, "make", lambda *_, **__: Slow())

    async def work(made: AppHarness) -> None:
        ready(made)
        anne = made.person("Anne")
        live = await made.make("batavia", anne.sits, "clerk", "clerk")
        socket = await anne.socket(live.table.id)
        undone = 0
        while undone < 3 and live.table.state == "on":
            if live.table.turn == 0:
                await socket.ask("play", action=legal(live))
            elif live.table.may_undo(anne.id) is not None:
                await asyncio.sleep(0.02)
                undone += (await socket.ask("undo")).get("type") is None
            else:
                await socket.view()
        assert undone == 3

    in_app(lite, work)


def test_after_a_restart_the_bots_go_on(database: str) -> None:
    """Up to where a person is to decide, though nobody looks on."""

    async def first(made: AppHarness) -> tuple[str, str]:
        anne, options = made.person("Anne"), get_game("batavia").read_options(3, first="1")
        live = await made.make("batavia", "passer-by", anne.sits, "passer-by", options=options)
        assert live.table.bot is not None
        return live.table.id, anne.id

    async def second(made: AppHarness) -> None:
        async with asyncio.timeout(PATIENCE):
            while (
                row := await made.tables.in_store(made.tables.store.tables.find, id)
            ) is None or row.turn_person != anne:
                await asyncio.sleep(0.01)

    id, anne = in_app(database, first, bot_delay=60.0)
    in_app(database, second)


def test_a_table_that_cannot_be_told_again_holds_up_no_other(
    lite: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Such as one from other rules: the server starts, the other tables go on, and this one is closed."""

    async def first(made: AppHarness) -> tuple[str, str]:
        lives = [await made.make("batavia", *["passer-by"] * 3) for _ in range(2)]
        broken = lives[0].table
        event = Event(broken.version + 1, "play", broken.turn, None, "bid a thousand", 1.0)
        row = broken.row()
        made.tables.store.events.append(
            broken.id, [event], type(row)(**vars(row) | {"version": event.version, "due": 1.0})
        )
        return lives[0].table.id, lives[1].table.id

    async def second(made: AppHarness) -> None:
        socket = await made.person().socket(good)
        await socket.until(socket.version + 5)
        seen = (await made.person().get(f"/api/tables/{broken}")).json()
        assert seen["state"] == "closed"

    broken, good = in_app(lite, first, bot_delay=60.0)
    in_app(lite, second)
    assert caplog.text.count("a table was closed") == 1


# Two processes


def both(postgres_url: str, work: Any) -> None:
    """Two apps on one database: nothing is shared but that. They might as well be two machines."""

    async def run() -> None:
        async with (
            asyncio.timeout(2 * PATIENCE),
            running_app(postgres_url) as one,
            running_app(postgres_url) as other,
        ):
            await work(one, other)

    asyncio.run(run())


async def moved(caller: Client, to: AppHarness) -> Client:
    """The same person at the other process."""
    twin = to.person(caller.name)
    twin.id, twin.cookies, twin.token = caller.id, caller.cookies, caller.token
    return twin


def test_two_processes_see_what_the_other_does(postgres: Any) -> None:
    async def work(one: AppHarness, other: AppHarness) -> None:
        people = [one.person(name) for name in ("Anne", "Bruno", "Chloé")]
        live = await one.make("batavia", *[who.sits for who in people])
        here = [await who.socket(live.table.id) for who in people]
        there = [await (await moved(who, other)).socket(live.table.id) for who in people]
        for step in range(12):
            turn, version = live.table.turn, live.table.version
            assert turn is not None
            socket = (here if step % 2 else there)[turn]
            await socket.until(version)
            assert "parts" in await socket.ask("play", action=legal(live))
            for each in (*here, *there):
                await each.until(version + 1)
        assert [each.parts for each in here] == [each.parts for each in there]
        await consistent(one, live)
        await consistent(other, await other.tables.find(live.table.id))

    both(postgres.new(), work)


def test_two_processes_never_fork_a_table(postgres: Any) -> None:
    """Both act at the same moment, again and again, bots included: each version is taken once, and both agree
    on the end.
    """

    async def work(one: AppHarness, other: AppHarness) -> None:
        people = [one.person(name) for name in ("Anne", "Bruno")]
        live = await one.make("batavia", *[who.sits for who in people], "passer-by")
        twin = await other.tables.find(live.table.id)
        here = [await who.socket(live.table.id) for who in people]
        there = [await (await moved(who, other)).socket(live.table.id) for who in people]
        done = 0
        while done < 20:
            await asyncio.sleep(0.005)
            for sockets_ in (here, there):
                for socket in sockets_:
                    await socket.receive_all()
            turn = live.table.turn
            if (
                turn in (0, 1)
                and live.table.version == twin.table.version == here[turn].version == there[turn].version
            ):
                ids = [
                    socket.send(type="play", version=socket.version, action=legal(live))
                    for socket in (here[turn], there[turn])
                ]
                answers = [
                    await socket.answer(id) for socket, id in zip((here[turn], there[turn]), ids, strict=True)
                ]
                assert sorted("parts" in answer for answer in answers) == [False, True]
                done += 1
        while live.table.version != twin.table.version or live.table.bot is not None:
            await asyncio.sleep(0.02)
        assert snapshot(live.table) == snapshot(twin.table)
        await consistent(one, live)

    both(postgres.new(), work)


def test_what_is_asked_by_form_waits_its_turn_behind_another_process(postgres: Any) -> None:
    """Two people sit down on different seats through different processes at once: both sit."""

    async def work(one: AppHarness, other: AppHarness) -> None:
        anne, bruno = one.person("Anne"), other.person("Bruno")
        live = await one.make("batavia", "", "", "", creator=anne.id)
        twin = await other.tables.find(live.table.id)
        asks: list[Coroutine[Any, Any, Any]] = [
            one.tables.act(live.table.id, lambda table, now: decide.sit(table, now, anne.id, 0, "Anne")),
            other.tables.act(live.table.id, lambda table, now: decide.sit(table, now, bruno.id, 1, "Bruno")),
        ]
        await asyncio.gather(*asks)
        while live.table.version != 3 or twin.table.version != 3:
            await asyncio.sleep(0.01)
        assert [held.name for held in live.table.seats] == ["Anne", "Bruno", ""]

    both(postgres.new(), work)


def test_what_happens_while_a_table_is_read_is_not_missed(
    postgres: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_events, read, go_on = EventStore.read, threading.Event(), threading.Event()

    async def work(one: AppHarness, other: AppHarness) -> None:
        anne = one.person("Anne")
        live = await one.make("batavia", "", "", "", creator=anne.id)

        def slowly(self: EventStore, *arguments: Any) -> list[Event]:
            found = read_events(self, *arguments)
            if self is other.tables.store.events:
                read.set()
                assert go_on.wait(PATIENCE)
            return found

        monkeypatch.setattr(EventStore, "read", slowly)
        reading = asyncio.create_task(other.tables.find(live.table.id))
        while not read.is_set():
            await asyncio.sleep(0.01)
        await one.tables.act(live.table.id, lambda table, now: decide.sit(table, now, anne.id, 0, "Anne"))
        go_on.set()
        twin = await reading
        assert twin.table.version == 1
        while twin.table.version < 2:
            await asyncio.sleep(0.01)

    both(postgres.new(), work)
