"""Who is away is told: once a turn, in their language, by push and by mail, and nothing that is hidden."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import logging
import random
import re
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from ipaddress import IPv4Address, IPv6Address
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from comptoir.engine.game import get_game
from comptoir.engine.words import LANGUAGES
from comptoir.errors import OptionError
from comptoir.time_source import SYSTEM_TIME
from comptoir.web.domain import decide
from comptoir.web.domain.evolve import evolve, from_events
from comptoir.web.domain.notifications import (
    Notification,
    is_current,
    is_superseded,
    notifications_between,
    payload,
    person_to_act,
    render_text,
    turn_of,
)
from comptoir.web.domain.people import CONFIRM_SECONDS, COOKIE
from comptoir.web.domain.proposals import PROPOSAL_KINDS as ASKED
from comptoir.web.domain.state import Event, Table, TableSettings
from comptoir.web.limits import (
    ADDRESS_CONFIRM_RATE,
    HOST_PUSHES_AT_ONCE,
    INBOX_CONFIRM_RATE,
    NEWCOMERS_CONFIRM_RATE,
    PERSON_DEVICES,
    PERSON_PUSHES_AT_ONCE,
    PUSHES_AT_ONCE,
    SLOW_PUSH_SECONDS,
    SLOW_PUSHES_AT_ONCE,
    TABLE_NOTICE_RATE,
    UNPROVEN_PUSHES_AT_ONCE,
)
from comptoir.web.live import notifier
from comptoir.web.live.notifier import NotifierSettings
from comptoir.web.live.open_table import OpenTable
from comptoir.web.ops import monitoring, push
from comptoir.web.ops.mail import ConfirmQuota, Mail, MailSettings, Undelivered, inbox, is_address
from comptoir.web.ops.push import BadSubscription, Keys, Push, PushUnreachable
from comptoir.web.page_words import page_words
from comptoir.web.storage.people_store import Person
from comptoir.web.storage.recipients import Address, Recipients, Subscription
from comptoir.web.storage.store import Store
from tests.manual_time import AT, ManualTime
from tests.web.app_harness import (
    NOW,
    PATIENCE,
    AppHarness,
    Client,
    in_app,
    play_on,
    random_action,
    running_app,
    table_of,
)
from tests.web.fakes import Device, MailBox, PushService, bytes_of, mail_server, push_service
from tests.web.test_hidden import EVERY, compiled, is_other, random_table, redealt  # noqa: F401

AT_ONCE = NotifierSettings(
    allow_private=True, push_delay=0.0, mail_delay=0.0, second_look=0.0, backoff=(0.0, 0.0)
)
MAIL = MailSettings("127.0.0.1", "Comptoir <games@example.org>", "https://games.example.org", security="none")


@pytest.fixture
def service() -> Iterator[PushService]:
    with push_service() as running:
        yield running


@pytest.fixture
def lite(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'comptoir.sqlite'}"


async def all_told(*harnesses: AppHarness) -> None:
    """Until nothing is on its way any more."""
    for made in harnesses:
        while made.server.notifier.busy:
            await asyncio.sleep(0.005)


async def rung(caller: Client, service: PushService) -> Device:
    """A device of this person's on which notices are switched on."""
    device = service.device()
    answer = await caller.post("/me/notifications", **device.fields)
    assert answer.json() == {"on": True}, answer.text
    return device


async def settled(made: AppHarness, live: OpenTable) -> Table:
    """The table once a person has something to choose, or it is over."""
    async with asyncio.timeout(PATIENCE):
        while live.table.state == "on" and person_to_act(live.table) is None:
            await asyncio.sleep(0.001)
    return live.table


async def act(made: AppHarness, live: OpenTable, chance: random.Random) -> Table:
    """Whoever is to decide does, by chance."""
    table = await settled(made, live)
    assert table.match is not None
    person, seat, action = person_to_act(table), table.turn, random_action(table.match, chance)
    await made.tables.act(table.id, lambda table, now: decide.play(table, now, person, seat, action))
    return live.table


# What is told


KINDS = (
    "turn",
    "begun",
    "invited",
    "over",
    "joined",
    "removed",
    "closed",
    "late",
    "asks_you",
    *(f"asks_{what}" for what in ASKED),
)


def seats(table: Table) -> tuple[int, str]:
    seat, person = table.turn, person_to_act(table)
    assert seat is not None
    assert person is not None
    return seat, person


def test_a_turn_is_the_same_however_many_decisions_it_takes() -> None:
    table = table_of("batavia", [("a", "Anne"), ("b", "Bruno"), ("c", "Claire")], seed="1")
    chance, turns = random.Random(1), list[tuple[str, int]]()
    while table.turn is not None and len(turns) < 200:
        if (person := person_to_act(table)) is not None:
            turns.append((person, turn_of(table, person)))
        table = play_on(table, 1, chance)
    runs = [turns[0], *(now for before, now in pairwise(turns) if now[0] != before[0])]
    assert len(set(turns)) == len(runs) < len(turns)
    assert list(dict.fromkeys(turns)) == runs


def test_what_is_taken_back_and_played_anew_is_no_new_turn() -> None:
    table, chance, tried = (
        table_of("sail_to_india", [("a", "Anne"), ("b", "Bruno"), ("c", "Claire")]),
        random.Random(5),
        0,
    )
    while table.turn is not None and tried < 10:
        _, person = seats(table)
        after = evolve(table, _event(table, chance))
        other = person_to_act(after)
        if other not in (None, person) and after.may_undo(person) is not None:
            assert other is not None
            turn = Notification(other, "turn", "t", "sail_to_india", 1, turn=turn_of(after, other))
            back = evolve(after, decide.undo(after, NOW, person))
            assert is_current(turn, after)
            assert not is_current(turn, back)
            while person_to_act(back) == person:
                back = evolve(back, _event(back, chance))
            assert person_to_act(back) != other or is_current(turn, back)
            tried += person_to_act(back) == other
        while after.forced and after.turn is not None:
            after = evolve(after, decide.play(after, NOW, None, after.turn, after.forced))
        table = after
    assert tried == 10


def _event(table: Table, chance: random.Random) -> Event:
    assert table.match is not None
    return decide.play(table, NOW, person_to_act(table), table.turn, random_action(table.match, chance))


def test_everyone_but_who_did_it_is_told() -> None:
    waiting = from_events("t", [_made("batavia", 3)])
    anne = evolve(waiting, decide.sit(waiting, NOW, "a", 0, "Anne"))
    assert notifications_between(waiting, anne, "a") == [
        Notification("maker", "joined", "t", "batavia", 2, ("Anne",), ("Anne",), 2, actor="a")
    ]
    bruno = evolve(anne, decide.sit(anne, NOW, "b", 1, "Bruno"))
    assert [one.person for one in notifications_between(anne, bruno, "b")] == ["a", "maker"]
    claire = evolve(bruno, decide.sit(bruno, NOW, "c", 2, "Claire"))
    assert notifications_between(claire, evolve(claire, decide.stand_up(claire, NOW, "c", 2)), "c") == []
    begun = evolve(claire, decide.start(claire, NOW, "a"))
    told_of = {one.person: one for one in notifications_between(claire, begun, "a")}
    assert {one.kind for one in told_of.values()} == {"begun"}
    assert set(told_of) == {"b", "c"}
    assert [one.turn is not None for one in told_of.values()] == [
        person_to_act(begun) == person for person in told_of
    ]
    assert {one.kind for one in notifications_between(None, begun, "a")} == {"invited"}


def test_whom_the_maker_sends_away_is_told_and_not_who_leaves() -> None:
    waiting = from_events("t", [_made("batavia", 3)])
    anne = evolve(waiting, decide.sit(waiting, NOW, "a", 0, "Anne"))
    both = evolve(anne, decide.sit(anne, NOW, "b", 1, "Bruno"))
    removed = evolve(both, decide.remove(both, NOW, "maker", 1))
    (one,) = notifications_between(both, removed, "maker")
    assert (one.person, one.kind) == ("b", "removed")
    assert is_current(one, removed)
    assert not is_current(one, both)
    for lang in LANGUAGES:
        said = render_text(one, page_words("batavia", lang))
        assert said.link == "/"
        assert "Anne" not in said.title + said.text  # nobody whom they do not play with any more
    closed = evolve(removed, decide.cancel(removed, NOW, "maker"))
    assert [(one.person, one.kind) for one in notifications_between(removed, closed, "maker")] == [
        ("a", "closed")
    ]
    assert all(is_current(one, closed) for one in notifications_between(removed, closed, "maker"))
    assert not is_current(one, closed)
    assert notifications_between(both, evolve(both, decide.stand_up(both, NOW, "b", 1)), "b") == []
    assert (
        notifications_between(both, evolve(both, decide.close(both, NOW, "waiting")), None) == []
    )  # the creator has not closed it


def _made(game: str, players: int) -> Event:
    options = get_game(game).read_options(players)
    return Event(1, "made", None, "maker", TableSettings(game, options, "1", "maker").text(), 1.0)


def test_nobody_is_told_of_a_lesson_or_of_a_match_that_was_brought() -> None:
    before = table_of("century", [("a", "Anne"), ("b", "Bruno")])
    over = play_on(table_of("century", [("a", "Anne"), ("b", "Bruno")]), 10_000, random.Random(1))
    assert [one.kind for one in notifications_between(before, over, None)] == ["over", "over"]
    for given_ in ({"lesson": True}, {"names": ("X", "Y")}):
        other = dataclasses.replace(over, settings=dataclasses.replace(over.settings, **given_))
        assert notifications_between(before, other, None) == []


def test_who_is_asked_for_something_is_told_and_whom_a_bot_would_replace() -> None:
    table = table_of("sail_to_india", [("a", "Anne"), ("b", "Bruno"), ("c", "Claire")], seed="1")
    first = person_to_act(table)
    assert first is not None
    asker, third = (person for person in "abc" if person != first)
    paused = evolve(table, decide.propose(table, NOW, asker, "pause"))
    told_of = {one.person: one for one in notifications_between(table, paused, asker)}
    assert {person: one.kind for person, one in told_of.items()} == {first: "asks_pause", third: "asks_pause"}
    for one in told_of.values():
        assert one.turn is None  # the turn itself is told besides, once
        assert is_current(one, paused)
        assert not is_current(one, table)
        assert one.about == (paused.seats["abc".index(asker)].name,)
    agreed = evolve(paused, decide.answer_proposal(paused, NOW, third, agrees=True))
    assert "asks_pause" not in {one.kind for one in notifications_between(paused, agreed, third)}
    assert not is_current(told_of[third], agreed)
    turn = Notification(first, "turn", table.id, "sail_to_india", 1, turn=0)
    assert is_superseded(told_of[first], turn)
    assert not is_superseded(turn, told_of[first])
    absent = evolve(table, decide.propose(table, NOW, asker, "stand-in"))
    kinds = {one.person: one.kind for one in notifications_between(table, absent, asker)}
    assert kinds == {first: "asks_you", third: "asks_stand-in"}
    here = evolve(absent, decide.answer_proposal(absent, NOW, first, agrees=False))
    assert not any(is_current(one, here) for one in notifications_between(table, absent, asker))


def test_whose_time_is_spent_is_told_until_they_are_back() -> None:
    table = table_of("century", [("a", "Anne"), ("b", "Bruno")], clock=60)
    seat, person = seats(table)
    late = evolve(table, Event(table.version + 1, "late", seat, None, "", AT + 999))
    (one,) = (one for one in notifications_between(table, late, None) if one.person == person)
    assert one.kind == "late"
    assert is_current(one, late)
    back = evolve(late, decide.return_to_seat(late, NOW, person, seat))
    assert not is_current(one, back)
    assert "late" not in {one.kind for one in notifications_between(late, back, person)}


@pytest.mark.parametrize(
    ("lang", "title", "text"),
    [
        ("en", "Batavia – it is your turn", "You are playing with Bruno and Claire."),
        ("fr", "Batavia – c'est à vous", "Vous jouez avec Bruno et Claire."),
    ],
)
def test_a_notice_in_words(lang: str, title: str, text: str) -> None:
    notice = Notification("a", "turn", "t1", "batavia", 9, ("Bruno", "Claire"), turn=4)
    said = render_text(notice, page_words("batavia", lang))
    assert (said.title.replace("\u00a0", "\u202f").replace("’", "'"), said.text) == (title, text)
    shown = json.loads(payload(notice, page_words("batavia", lang), 3))
    place = {"tag": "t1", "link": "/tables/t1", "waiting": 3}
    assert shown == {"title": said.title, "body": text, "lang": lang} | place


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_notice_is_said(lang: str, kind: str) -> None:
    for free, about, turn in ((0, ("Anne",), 3), (2, ("Anne", "Bruno"), None)):
        notice = Notification("a", kind, "t", "century", 9, ("Anne", "Bruno"), about, free, turn)
        said = render_text(notice, page_words("century", lang))
        assert said.title
        assert said.text.endswith(".")
        assert "{" not in said.title + said.text


def asked(table: Table, person: str) -> list[bytes]:
    """What a person is told when each of the others asks for a pause."""
    found = []
    for asker in table.present if table.state == "on" else ():
        after = evolve(table, Event(table.version + 1, "ask", table.seats_of(asker)[0], asker, "pause", AT))
        for notice in notifications_between(table, after, asker):
            if notice.person == person:
                found += [payload(notice, page_words(table.game.name, lang), 1) for lang in LANGUAGES]
    return found


@pytest.mark.parametrize(("name", "players"), EVERY)
def test_a_notice_is_the_same_bytes_whatever_is_hidden(name: str, players: int) -> None:
    """All that its reader cannot know is dealt again: every notice of the position, and of its end, stays."""
    compared = 0

    @settings(
        deadline=None,
        database=None,
        max_examples=6,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(chance=st.randoms(use_true_random=True))
    def same(chance: random.Random) -> None:
        nonlocal compared
        seating = [(letter, letter.upper()) for letter in "abcde"[:players]]
        table = random_table(name, seating, chance)
        for seat, (person, _) in enumerate(seating):
            other = redealt(table, seat, chance.randrange(99))
            compared += is_other(table, other)
            before = dataclasses.replace(table, match=None, decisions=())
            for earlier, actor in ((before, None), (table, "a"), (None, "b")):
                one, two = (
                    [
                        payload(notice, page_words(name, lang), 1)
                        for notice in notifications_between(earlier, each, actor)
                        if notice.person == person
                        for lang in LANGUAGES
                    ]
                    for each in (table, other)
                )
                assert one == two
            assert asked(table, person) == asked(other, person)

    same()
    assert compared or name not in ("batavia", "marco_polo", "lots")


# By push


def test_one_notice_for_a_turn_of_many_decisions(database: str, service: PushService) -> None:
    """From the first decision to the last, on both databases, in the language of each reader."""

    async def work(made: AppHarness) -> None:
        anne, bruno = made.person("Anne"), made.person("Bruno")
        bruno.cookies["lang"] = "fr"
        live = await made.make("marco_polo", anne.sits, bruno.sits)
        devices = {anne.id: await rung(anne, service), bruno.id: await rung(bruno, service)}
        chance, decisions, turns = random.Random(3), 0, {anne.id: 0, bruno.id: 0}
        await all_told(made)
        service.received.clear()
        before = person_to_act(await settled(made, live))
        while decisions < 60 and live.table.state == "on":
            await act(made, live, chance)
            decisions += 1
            now = person_to_act(await settled(made, live))
            await all_told(made)
            if now is not None and now != before:
                turns[now] += 1
            before = now
        assert sum(turns.values()) < decisions - 10
        for person, device in devices.items():
            mine = [one.shown for one in service.received if one.device is device]
            assert len(mine) == turns[person]
            assert {one["lang"] for one in mine} == {"fr" if person == bruno.id else "en"}
            assert {one["tag"] for one in mine} == {live.table.id}
            assert {one["link"] for one in mine} == {f"/tables/{live.table.id}"}

    in_app(database, work, notices=AT_ONCE)


async def passed_to(made: AppHarness, live: OpenTable, person: str, chance: random.Random) -> None:
    """Plays until it is that person's turn, from another's."""
    while person_to_act(await settled(made, live)) == person:
        await act(made, live, chance)
    while person_to_act(await settled(made, live)) != person:
        await act(made, live, chance)


def test_whatever_else_happens_a_turn_is_told_once(lite: str, service: PushService) -> None:
    """Another takes back and plays again, leaves and comes back; and after a restart the same."""
    ids: list[str] = []

    async def work(made: AppHarness) -> None:
        anne, bruno = made.person("Anne"), made.person("Bruno")
        live = await made.make("century", anne.sits, bruno.sits)
        await rung(anne, service)
        await passed_to(made, live, anne.id, random.Random(1))
        await all_told(made)
        ids.extend([live.table.id, anne.id])
        assert len(service.received) == 1
        if live.table.may_undo(bruno.id) is not None:
            await made.tables.act(live.table.id, lambda table, now: decide.undo(table, now, bruno.id))
            await all_told(made)
            while person_to_act(await settled(made, live)) == bruno.id:
                await act(made, live, random.Random(2))
        for what in ("leave", "back"):
            seat = str(live.table.seats_of(bruno.id)[0])
            assert (await bruno.post(f"/tables/{live.table.id}/{what}", seat=seat)).status_code == 303
            await all_told(made)
        assert person_to_act(live.table) == anne.id
        assert len(service.received) == 1

    async def again(made: AppHarness) -> None:
        table = (await made.tables.find(ids[0])).table
        made.server.notifier.on_change(table, table, None)
        await all_told(made)
        assert len(service.received) == 1

    in_app(lite, work, notices=AT_ONCE)
    in_app(lite, again, notices=AT_ONCE)


def test_what_a_server_did_not_come_to_is_told_after_its_restart(database: str, service: PushService) -> None:
    async def work(made: AppHarness) -> None:
        anne, bruno = made.person("Anne"), made.person("Bruno")
        live = await made.make("century", anne.sits, bruno.sits)
        await rung(anne, service)
        await rung(bruno, service)
        await passed_to(made, live, anne.id, random.Random(1))
        assert len(made.server.notifier.pending) > 0

    async def again(made: AppHarness) -> None:
        await all_told(made)
        assert [one.shown["lang"] for one in service.received] == ["en"]

    in_app(database, work, notices=dataclasses.replace(AT_ONCE, push_delay=3_600.0))
    assert service.received == []
    in_app(database, again, notices=AT_ONCE)
    in_app(database, again, notices=AT_ONCE)  # and once only


def test_who_looks_at_the_table_is_told_nothing(lite: str, service: PushService) -> None:
    """With the page before their eyes; if it is hidden, or silent for long, they are."""
    time = ManualTime(SYSTEM_TIME.time())  # a push service looks at its own clock

    async def work(made: AppHarness) -> None:
        anne, bruno = made.person("Anne"), made.person("Bruno")
        live = await made.make("century", anne.sits, bruno.sits)
        await rung(anne, service)
        socket, chance = await anne.socket(live.table.id), random.Random(1)
        await passed_to(made, live, anne.id, chance)
        await all_told(made)
        assert service.received == []
        socket.send(type="ping", hidden=True)
        while (await socket.receive()) != {"pong": 1}:
            pass
        await passed_to(made, live, anne.id, chance)
        await all_told(made)
        assert len(service.received) == 1
        socket.send(type="ping", hidden=False)
        while (await socket.receive()) != {"pong": 1}:
            pass
        time.pass_by(notifier.VISIBLE_SECONDS)
        await passed_to(made, live, anne.id, chance)
        await all_told(made)
        assert len(service.received) == 2

    in_app(lite, work, notices=AT_ONCE, time_source=time)


def test_a_burst_gives_one_notice(lite: str, service: PushService) -> None:
    """Two sit down and the game begins, all at once: the creator gets the last of it."""

    async def work(made: AppHarness) -> None:
        anne, bruno, claire = (made.person(name) for name in ("Anne", "Bruno", "Claire"))
        live = await made.make("batavia", anne.sits, "", "")
        await rung(anne, service)
        for seat, who in ((1, bruno), (2, claire)):
            assert (await who.post(f"/tables/{live.table.id}/sit", seat=str(seat))).status_code == 303
        assert (await bruno.post(f"/tables/{live.table.id}/begin")).status_code == 303
        left = [notice for notice, _ in made.server.notifier.pending.values() if notice.person == anne.id]
        assert [notice.kind for notice in left] == ["begun"]
        assert set(left[0].others) == {"Traveller", "Traveller 2"}

    in_app(lite, work, notices=dataclasses.replace(AT_ONCE, push_delay=60.0))


# Fairly


@asynccontextmanager
async def silent_service() -> AsyncIterator[list[str]]:
    """A push service that takes everything and never answers: where it is, then who has come."""
    came: list[str] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        came.append("a request")
        with suppress(OSError):
            await reader.read()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        came.append(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
        yield came


async def joined(made: AppHarness, creator: Client, guest: Client) -> OpenTable:
    """A table of one's that another person joins."""
    live = await made.make("batavia", creator.sits, "", "")
    assert (await guest.post(f"/tables/{live.table.id}/sit", seat="1")).status_code == 303
    return live


def test_devices_that_never_answer_delay_nobody_else(
    lite: str, service: PushService, post: tuple[MailBox, NotifierSettings]
) -> None:
    """Twelve of one person's, four notices to each; another's phone rings in the meantime, and mail is sent."""
    box, told_by = post

    async def work(made: AppHarness) -> None:
        eve, anne, bruno = (made.person(name) for name in ("Eve", "Anne", "Bruno"))
        for who in (eve, anne):
            await who.post("/me", name=who.name)
        await confirmed(made, anne, box, "anne@example.org")
        readers = made.server.notifier.recipients
        async with silent_service() as came:
            for n in range(PERSON_DEVICES):
                device = Device(f"{came[0]}/{n}")
                subscription = Subscription(eve.id, f"s{n}", device.endpoint, device.key, device.auth, "en")
                assert readers.subscribe(subscription)
            for _ in range(4):
                await joined(made, eve, bruno)
            async with asyncio.timeout(PATIENCE):
                while len(came) < 1 + PERSON_PUSHES_AT_ONCE:  # as many as she may have at once
                    await asyncio.sleep(0.01)
            await rung(anne, service)
            live = await joined(made, anne, bruno)
            async with asyncio.timeout(PATIENCE):
                while not service.received or not box.mails:
                    await asyncio.sleep(0.01)
            # of Eve's 48 requests only the first 8 have begun: the next 8 begin when those are given up
            assert len(came) <= 1 + 3 * PERSON_PUSHES_AT_ONCE
            assert service.received[0].shown["tag"] == live.table.id
            assert live.table.id in box.mails[0].get_content()
            await made.server.notifier.stop()

    in_app(lite, work, notices=dataclasses.replace(told_by, backoff=(3_600.0,)))


def test_hosts_that_answer_come_first_and_slow_ones_last() -> None:
    async def run() -> None:
        queue, order, leave = notifier.PushQueue(), list[str](), asyncio.Event()
        queue.note("good", 0.1, answered=True)
        for n in range(3):
            queue.note(f"slow{n}", SLOW_PUSH_SECONDS, answered=n == 0)
        queue.note("refuses", 0.1, answered=False)
        assert "refuses" not in queue.slow

        async def send(person: str, host: str) -> None:
            async with queue.enter(person, host):
                order.append(host)
                await leave.wait()

        tasks = [asyncio.create_task(send(f"e{n}", f"slow{n % 3}")) for n in range(12)]
        tasks += [asyncio.create_task(send(f"u{n}", f"unknown{n}")) for n in range(12)]
        await asyncio.sleep(0)
        tasks += [asyncio.create_task(send(f"p{n}", "good")) for n in range(3)]
        await asyncio.sleep(0.01)
        assert [one.rstrip("0123456789") for one in order].count("slow") == SLOW_PUSHES_AT_ONCE
        assert order.count("good") == PUSHES_AT_ONCE - UNPROVEN_PUSHES_AT_ONCE
        assert len(order) == PUSHES_AT_ONCE
        leave.set()
        await asyncio.gather(*tasks)
        kinds = [one.rstrip("0123456789") for one in order[PUSHES_AT_ONCE:]]
        assert kinds[0] == "good"
        assert kinds[-10:] == ["slow"] * 10
        assert not queue
        assert queue.spent == {}

    asyncio.run(run())


def test_a_person_and_a_host_have_only_so_many_lines() -> None:
    async def run() -> None:
        queue, inside, leave = notifier.PushQueue(), list[tuple[str, str]](), asyncio.Event()
        queue.note("good", 0.1, answered=True)

        async def send(person: str, host: str) -> None:
            async with queue.enter(person, host):
                inside.append((person, host))
                await leave.wait()

        tasks = [asyncio.create_task(send("eve", f"h{n}")) for n in range(5)]
        tasks += [asyncio.create_task(send(f"p{n}", "good")) for n in range(20)]
        await asyncio.sleep(0.01)
        people, hosts = zip(*inside, strict=True)
        assert people.count("eve") == PERSON_PUSHES_AT_ONCE
        assert hosts.count("good") == HOST_PUSHES_AT_ONCE
        for task in tasks[::2]:  # one that is given up leaves its place to others
            task.cancel()
        leave.set()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert len(inside) >= 12
        assert not queue
        assert queue.inside == []

    asyncio.run(run())


def test_when_too_many_are_under_way_who_has_most_loses_one(
    lite: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notifier, "NOTICES_WAITING", 6)

    async def work(made: AppHarness) -> None:
        told = made.server.notifier
        for n in range(6):
            told.enqueue(told.channels[0], Notification("eve", "over", f"t{n}", "century", 1))
        for person in ("anne", "bruno", "eve"):
            told.enqueue(told.channels[0], Notification(person, "over", "t9", "century", 1))
        readers = [person for _, person, _ in told.pending]
        assert sorted(readers) == ["anne", "bruno", *["eve"] * 4]
        await all_told(made)

    in_app(lite, work, notices=AT_ONCE)


def test_who_sits_down_and_gets_up_again_and_again_rings_once(lite: str, service: PushService) -> None:
    async def work(made: AppHarness) -> None:
        anne, eve = made.person("Anne"), made.person("Eve")
        live = await made.make("batavia", anne.sits, "", "", "")
        where = f"/tables/{live.table.id}"
        await rung(anne, service)

        async def sits_and_rises(who: Client, seat: int) -> None:
            assert (await who.post(f"{where}/sit", seat=str(seat))).status_code == 303
            await all_told(made)
            assert (await who.post(f"{where}/stand-up", seat=str(seat))).status_code == 303
            await all_told(made)

        for n in range(6):
            await sits_and_rises(eve, 1 + n % 2)
        assert len(service.received) == 1
        await sits_and_rises(made.person("Bruno"), 3)  # somebody else
        assert len(service.received) == 2
        for _ in range(12):  # new cookies help for a while only
            await sits_and_rises(made.person("Eve"), 2)
        assert len(service.received) == TABLE_NOTICE_RATE.burst

    in_app(lite, work, notices=AT_ONCE)


def test_who_has_got_up_before_it_was_told_has_not_joined(lite: str, service: PushService) -> None:
    """And who sits down again later rings: nothing was told of them."""
    time = ManualTime(SYSTEM_TIME.time())  # a push service looks at its own clock

    async def work(made: AppHarness) -> None:
        anne, eve = made.person("Anne"), made.person("Eve")
        live = await made.make("batavia", anne.sits, "", "")
        where = f"/tables/{live.table.id}"
        await rung(anne, service)
        for way in made.server.notifier.channels:
            way.delay = 3.0
        for what in ("sit", "stand-up"):
            assert (await eve.post(f"{where}/{what}", seat="1")).status_code == 303
        await time.advance(5)
        assert not made.server.notifier.busy
        assert service.received == []
        assert (await eve.post(f"{where}/sit", seat="1")).status_code == 303
        await time.advance(2.9)
        assert service.received == []
        await time.advance(0.2)
        await all_told(made)
        assert len(service.received) == 1

    in_app(lite, work, notices=AT_ONCE, time_source=time)


def test_the_end_and_the_next_game_are_told(lite: str, service: PushService) -> None:
    async def work(made: AppHarness) -> None:
        anne, bruno = made.person("Anne"), made.person("Bruno")
        live = await made.make("century", anne.sits, bruno.sits)
        await rung(bruno, service)
        over = play_on(
            table_of("century", [anne.sits, bruno.sits], id=live.table.id), 10_000, random.Random(2)
        )
        made.put(over)
        made.server.notifier.on_change(live.table, over, None)
        await all_told(made)
        assert over.match is not None
        winner = over.seats[over.match.winners()[0]].name
        assert service.received[-1].shown["title"] == "Century: Eastern Wonders – the game is over"
        assert service.received[-1].shown["body"].startswith(f"{winner} has won.")
        new = await made.make("century", anne.sits, bruno.sits)
        await all_told(made)
        assert (
            service.received[-1].shown["title"]
            == "Century: Eastern Wonders – Anne invites you to another game"
        )
        assert service.received[-1].shown["link"] == f"/tables/{new.table.id}"
        assert len(service.received) == 2

    in_app(lite, work, notices=AT_ONCE)


def test_a_service_that_is_busy_is_asked_again_and_one_that_knows_nothing_no_more(
    lite: str, service: PushService, caplog: pytest.LogCaptureFixture
) -> None:
    async def work(made: AppHarness) -> None:
        anne, bruno = made.person("Anne"), made.person("Bruno")
        live = await made.make("century", anne.sits, bruno.sits)
        readers, chance = made.server.notifier.recipients, random.Random(4)
        device = await rung(anne, service)

        async def answers(*statuses: int) -> tuple[int, int]:
            """How often it was asked, and how many notices it took."""
            service.asked, service.statuses = 0, list(statuses)
            service.received.clear()
            await passed_to(made, live, anne.id, chance)
            await all_told(made)
            return service.asked, len(service.received)

        assert await answers(429, 503) == (3, 1)
        assert await answers(500, 500, 500, 500) == (3, 0)  # then it is given up
        assert await answers(403) == (1, 0)  # a fault of ours: it stays
        assert [one.endpoint for one in readers.devices(anne.id)] == [device.endpoint]
        for gone in (404, 410):
            assert await answers(gone) == (1, 0)
            assert readers.devices(anne.id) == []
            await rung(anne, service)
        assert device.endpoint not in caplog.text

    caplog.set_level(logging.DEBUG, "comptoir")
    in_app(lite, work, notices=AT_ONCE)


def test_what_is_no_longer_so_is_not_told_again(lite: str, service: PushService) -> None:
    """It was refused for now, and the person has played in the meantime."""

    async def work(made: AppHarness) -> None:
        anne, bruno = made.person("Anne"), made.person("Bruno")
        live = await made.make("century", anne.sits, bruno.sits)
        told, chance = made.server.notifier, random.Random(4)
        while person_to_act(await settled(made, live)) != bruno.id:
            await act(made, live, chance)
        await all_told(made)
        await rung(anne, service)
        told.backoff, service.statuses = (3600.0,), [503]
        while person_to_act(await settled(made, live)) != anne.id:
            await act(made, live, chance)
        async with asyncio.timeout(PATIENCE):
            while not service.asked:
                await asyncio.sleep(0.005)
        notice, task = next(iter(told.pending.values()))
        assert await told.is_news(notice)
        while person_to_act(await settled(made, live)) == anne.id:
            await act(made, live, chance)
        assert not await told.is_news(notice)
        task.cancel()

    in_app(lite, work, notices=AT_ONCE)


def test_of_two_processes_one_tells(postgres: Any, service: PushService) -> None:
    """Who wrote it; and nothing if the person has seen it in the other."""

    async def run() -> None:
        database = postgres.new()
        async with (
            asyncio.timeout(120),
            running_app(database, notices=AT_ONCE) as one,
            running_app(database, notices=AT_ONCE) as two,
        ):
            anne, bruno = one.person("Anne"), one.person("Bruno")
            live = await one.make("century", anne.sits, bruno.sits)
            other = await two.tables.find(live.table.id)
            await rung(anne, service)
            chance = random.Random(1)

            async def both() -> None:
                async with asyncio.timeout(PATIENCE):
                    while other.table.version != live.table.version:
                        await asyncio.sleep(0.005)
                await all_told(one, two)

            await passed_to(one, live, anne.id, chance)
            await both()
            assert len(service.received) == 1
            there = Client(two, "Anne")
            there.id, there.cookies = anne.id, anne.cookies
            await there.socket(live.table.id)
            for way in one.server.notifier.channels:
                way.delay = 0.0
            readers = one.server.notifier.recipients
            await passed_to(one, live, anne.id, chance)
            async with asyncio.timeout(PATIENCE):
                while not readers.has_seen(anne.id, live.table.id, live.table.version):
                    await asyncio.sleep(0.005)
            notice = notifications_between(None, live.table, bruno.id)[0]
            assert not await one.server.notifier.is_news(notice)
            assert readers.claim(anne.id, live.table.id, "push", 77)
            assert not two.server.notifier.recipients.claim(anne.id, live.table.id, "push", 77)

    asyncio.run(run())


def test_only_so_many_are_under_way(lite: str, service: PushService, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notifier, "NOTICES_WAITING", 3)

    async def work(made: AppHarness) -> None:
        told = made.server.notifier
        before = monitoring.measured("comptoir_notifications_total", channel="push", outcome="too many")
        for n in range(5):
            told.enqueue(told.channels[0], Notification(f"p{n}", "over", f"t{n}", "century", 1))
        assert len(told.pending) == 3
        assert (
            monitoring.measured("comptoir_notifications_total", channel="push", outcome="too many")
            == before + 2
        )
        await all_told(made)
        assert told.pending == {}
        for _ in range(200):
            told.channels[0].quota.wait("p")
        assert told.channels[0].quota.wait("p")

    in_app(lite, work, notices=AT_ONCE)


def test_a_notice_that_fails_stops_no_game(
    lite: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def work(made: AppHarness) -> None:
        live = await made.make("century", made.person("Anne").sits, made.person("Bruno").sits)
        before = live.table.version
        await act(made, live, random.Random(1))
        assert live.table.version > before

    monkeypatch.setattr(notifier, "notifications_between", lambda *_: 1 / 0)
    in_app(lite, work, notices=AT_ONCE)
    assert "nobody could be told" in caplog.text


# On and off


def test_switching_on_and_off(lite: str, service: PushService) -> None:
    async def work(made: AppHarness) -> None:
        anne = made.person("Anne")
        device = service.device()
        refused = await anne.post("/me/notifications", **device.fields)
        assert refused.status_code == 409  # who holds nothing here has nothing to be told
        assert "name" in refused.json()["error"]
        await anne.post("/me", name="Anne")
        assert (await anne.get("/me/notifications")).json() == {
            "key": made.server.notifier.push.keys.public,
            "on": False,
        }
        assert (await anne.post("/me/notifications", **device.fields)).json() == {"on": True}
        assert (await anne.get("/me/notifications")).json()["on"] is True
        readers = made.server.notifier.recipients
        assert [one.lang for one in readers.devices(anne.id)] == ["en"]
        await anne.ask("POST", "/lang", data={"token": anne.token, "lang": "fr", "path": "/me"})
        assert [one.lang for one in readers.devices(anne.id)] == ["fr"]
        assert (await anne.post("/me/notifications/stop")).json() == {"on": False}
        assert readers.devices(anne.id) == []
        without = await anne.ask("POST", "/me/notifications", data=device.fields)
        assert without.status_code == 403
        assert len(bytes_of(made.server.notifier.push.keys.public)) == 65

    in_app(lite, work, notices=AT_ONCE)


def test_a_subscription_ends_with_its_session(database: str, service: PushService) -> None:
    async def work(made: AppHarness) -> None:
        anne = made.person("Anne")
        await anne.post("/me", name="Anne")
        phone = made.person("Anne")
        phone.id, phone.token = anne.id, anne.token
        phone.cookies = {COOKIE: made.server.tokens.sign(anne.id), "lang": "en"}
        await phone.get("/me")
        await rung(anne, service)
        there = await rung(phone, service)
        readers, sessions = made.server.notifier.recipients, made.server.sessions
        assert len(readers.devices(anne.id)) == 2
        mine = made.server.tokens.read(anne.cookies[COOKIE])
        assert mine is not None
        await sessions.end(anne.id, [mine.id])
        assert [one.endpoint for one in readers.devices(anne.id)] == [there.endpoint]
        other = made.person("Bruno")  # takes the phone over
        await other.post("/me", name="Bruno")
        assert (await other.post("/me/notifications", **there.fields)).json() == {"on": True}
        assert readers.devices(anne.id) == []
        readers.forget(other.id)
        assert not readers.wants_notifications(other.id)

    in_app(database, work, notices=AT_ONCE)


def test_a_device_that_becomes_anothers_rings_no_more_for_the_first(lite: str, service: PushService) -> None:
    async def work(made: AppHarness) -> None:
        anne, bruno = made.person("Anne"), made.person("Bruno")
        for who in (anne, bruno):
            await who.post("/me", name=who.name)
        await rung(anne, service)
        session = made.server.tokens.read(bruno.cookies[COOKIE])
        assert session is not None
        link = f"/me/move/{made.server.tokens.move_token(session)}"
        assert (await anne.post(link)).status_code == 303
        assert made.server.notifier.recipients.devices(anne.id) == []

    in_app(lite, work, notices=AT_ONCE)


def test_a_person_has_only_so_many_devices(store: Store) -> None:
    readers = Recipients(store.database)
    store.people.save(Person("a", "Anne", "en", 1.0))
    for n in range(PERSON_DEVICES + 3):
        device = Device(f"https://push.example.org/{n}")
        assert readers.subscribe(Subscription("a", f"s{n}", device.endpoint, device.key, device.auth, "en"))
    kept = readers.devices("a")
    assert len(kept) == PERSON_DEVICES
    assert kept[0].endpoint == f"https://push.example.org/{PERSON_DEVICES + 2}"


# What is sent in


GOOD = Device("https://push.example.org/abc")


@pytest.mark.parametrize(
    "endpoint",
    [
        *("", "push.example.org", "http://push.example.org/1", "ftp://push.example.org/1", "javascript:1"),
        *("https://", "https://127.0.0.1/1", "https://localhost/1", "https://[::1]/1", "https://10.0.0.1/1"),
        *(
            "https://169.254.169.254/latest",
            "https://[::ffff:127.0.0.1]/",
            "https://0.0.0.0/",
            "https://db/1",
        ),
        *("https://[64:ff9b::7f00:1]/", "https://192.168.1.1:22/", "https://x@push.example.org/1"),
        *("https://printer.local/1", "https://push.example.org:99999/1", "https://[bad/1", "https://é.org/1"),
        *("https://push.example.org/" + "a" * 1_000, "https://push.example.org/\r\nX: 1", "https://a b/1"),
        *("https://224.0.0.1/1", "https://100.64.0.1/1", "https://metadata.google.internal/1"),
    ],
)
def test_a_foreign_address_is_not_taken(endpoint: str) -> None:
    with pytest.raises(BadSubscription):
        push.read_subscription("a", "s", "en", GOOD.fields | {"endpoint": endpoint}, allow_private=False)


@pytest.mark.parametrize(
    "fields",
    [
        {"p256dh": ""},
        {"auth": ""},
        {"p256dh": "A" * 300},
        {"p256dh": "B" + "A" * 86},  # no point of the curve
        {"auth": "é" * 22},
        {"auth": "A"},
        {"auth": "A" * 40},
    ],
)
def test_keys_that_are_none_are_not_taken(fields: dict[str, str], lite: str) -> None:
    async def work(made: AppHarness) -> None:
        anne = made.person("Anne")
        await anne.post("/me", name="Anne")
        answer = await anne.post("/me/notifications", **GOOD.fields | fields)
        assert answer.status_code == 422
        assert answer.json() == {"error": "Notifications cannot be sent to this browser."}

    in_app(lite, work)


def test_a_name_that_leads_into_a_private_network_is_not_followed(
    service: PushService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also one that looked well when it was given."""

    async def run() -> None:
        device = service.device()
        keys = Keys(push.new_keys(), "mailto:a@example.org")
        to = Subscription("a", "s", "https://push.example.org/1", device.key, device.auth, "en")
        port = int(service.address.rpartition(":")[2])
        resolved = [(2, 1, 6, "", ("127.0.0.1", port))]
        monkeypatch.setattr("comptoir.web.ops.push.socket.getaddrinfo", lambda *_, **__: resolved)
        connected: list[object] = []
        monkeypatch.setattr("comptoir.web.ops.push.asyncio.open_connection", connected.append)
        with pytest.raises(PushUnreachable):
            await Push(keys).send(to, b"{}", "t")
        assert connected == []

    asyncio.run(run())


NOT_PUBLIC = (
    *("0.1.2.3", "10.1.2.3", "100.64.1.2", "127.0.0.1", "169.254.169.254", "172.31.0.1", "192.0.0.8"),
    *("192.0.2.1", "192.88.99.1", "192.168.0.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1"),
    *("239.255.255.250", "240.0.0.1", "255.255.255.255"),
    *("::", "::1", "::127.0.0.1", "::8.8.8.8", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::ffff:0:7f00:1"),
    *(
        "64:ff9b::7f00:1",
        "64:ff9b:1::1",
        "100::1",
        "5f00::1",
        "fc00::1",
        "fd12::1",
        "fe80::1",
        "fe80::1%eth0",
    ),
    *("fec0::1", "feff::1", "ff02::1", "2001::7f00:1", "2001:2::1", "2001:10::1", "2001:20::1"),
    *("2001:db8::1", "2002:7f00:1::", "2002:a00:1::1", "3fff::1", "4000::1", "e000::1"),
)


@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_what_is_no_address_of_the_internet_is_refused(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever this Python's own `is_global` says: older and newer ones differ."""
    assert not push.is_public(address)
    for kind in (IPv4Address, IPv6Address):
        monkeypatch.setattr(kind, "is_global", True)
    assert not push.is_public(address)


@pytest.mark.parametrize("address", ["8.8.8.8", "142.250.1.95", "2a00:1450:4001::5f", "2600:1f18::1"])
def test_addresses_of_the_internet_are_public(address: str) -> None:
    assert push.is_public(address)


@pytest.mark.parametrize(
    "said", [b"", b"HTTP/1.1 2", b"SSH-2.0-x\r\n\r\n", b"HTTP/1.1 abc no\r\n\r\n", b"x" * 40_000]
)
def test_what_answers_like_no_push_service_is_given_up(said: bytes) -> None:
    asyncio.run(unreachable(said, hang=False))


def test_a_service_that_never_answers_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(push, "PUSH_SECONDS", 0.05)
    asyncio.run(unreachable(b"", hang=True))


async def unreachable(said: bytes, *, hang: bool) -> None:
    """Sends to a service that says this; it may hang then until it is hung up on."""
    over = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(said)
        if hang:
            await reader.read()
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()
        over.set()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        device = Device(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/1")
        to = Subscription("a", "s", device.endpoint, device.key, device.auth, "en")
        with pytest.raises(PushUnreachable):
            await Push(Keys(push.new_keys(), ""), allow_private=True).send(to, b"{}", "t")
        await over.wait()


def test_the_message_of_the_standard() -> None:
    """The example of RFC 8291, appendix A."""
    secret = int.from_bytes(bytes_of("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"), "big")
    key = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    sealed = push.encrypt(
        b"When I grow up, I want to be a watermelon",
        bytes_of(key),
        bytes_of("BTBZMqHH6r4Tts7J_aSIgg"),
        salt=bytes_of("DGv6ra1nlYgDCS1FRnbzlw"),
        own=ec.derive_private_key(secret, ec.SECP256R1()),
    )
    assert sealed == bytes_of(
        "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
    )


def test_the_keys_are_made_once(database: str) -> None:
    one, two = Store(database), Store(database)
    one.migrate()
    kept = one.values.get_or_create("push", push.new_keys)
    assert two.values.get_or_create("push", push.new_keys) == kept
    assert two.values.secret() == one.values.secret() != kept
    for store in (one, two):
        store.close()


def test_the_service_worker_is_at_the_root(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        answer = await made.person().get("/sw.js")
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/javascript")
        assert answer.headers["cache-control"] == "no-cache"
        assert answer.headers["service-worker-allowed"] == "/"
        assert "script-src 'self'" in answer.headers["content-security-policy"]

    in_app(lite, work)


# By mail


@pytest.fixture
def post() -> Iterator[tuple[MailBox, NotifierSettings]]:
    with mail_server() as (box, port):
        yield box, dataclasses.replace(AT_ONCE, mail=dataclasses.replace(MAIL, port=port))


def links(mail: Any) -> list[str]:
    text: str = mail.get_content()
    return re.findall(r"https://games\.example\.org(/\S+)", text)


async def confirmed(made: AppHarness, caller: Client, box: MailBox, address: str) -> None:
    assert (await caller.post("/me/mail", address=address)).status_code == 303
    await all_told(made)
    (link,) = links(box.mails.pop())
    assert (await caller.get(link)).status_code == 200
    assert (await caller.post(link)).status_code == 200


def test_mail_is_asked_for_confirmed_sent_once_a_turn_and_stopped_with_one_click(
    database: str, post: tuple[MailBox, NotifierSettings], caplog: pytest.LogCaptureFixture
) -> None:
    box, told_by = post

    async def work(made: AppHarness) -> None:
        anne, bruno = made.person("Anne"), made.person("Bruno")
        anne.cookies["lang"] = "fr"
        live = await made.make("marco_polo", anne.sits, bruno.sits)
        chance = random.Random(3)
        assert "anne@example.org" not in (await anne.get("/me")).text
        assert (await anne.post("/me/mail", address="anne@example.org")).status_code == 303
        await all_told(made)
        (asked,) = box.mails
        assert asked["To"] == "anne@example.org"
        assert "Anne" not in asked.get_content()
        await passed_to(made, live, anne.id, chance)
        await all_told(made)
        assert len(box.mails) == 1  # not before it is confirmed
        (link,) = links(box.mails.pop())
        assert "anne" not in link
        assert (await bruno.get(link)).status_code == 200  # on any device, and nothing is done yet
        await passed_to(made, live, anne.id, chance)
        assert box.mails == []
        assert (await bruno.post(link)).status_code == 200
        assert "anne@example.org" in (await anne.get("/me")).text
        decisions = live.table.match.ply if live.table.match else 0
        await passed_to(made, live, anne.id, chance)
        await all_told(made)
        assert live.table.match is not None
        assert live.table.match.ply > decisions + 1
        (mail,) = box.mails
        assert mail["Subject"] == "Marco Polo Expedition – c’est à vous"
        table, stop = links(mail)
        assert table == f"/tables/{live.table.id}"
        assert mail["List-Unsubscribe"] == f"<https://games.example.org{stop}>"
        assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
        assert mail["Content-Language"] == "fr"
        assert (await bruno.get(stop)).status_code == 200
        one_click = await bruno.ask(
            "POST", stop, data={"List-Unsubscribe": "One-Click"}, headers={"Origin": "null", "Cookie": ""}
        )
        assert one_click.status_code == 200
        assert made.server.notifier.recipients.address(anne.id) is None
        box.mails.clear()
        await passed_to(made, live, anne.id, chance)
        await all_told(made)
        assert box.mails == []
        assert (await bruno.post(stop)).status_code == 200  # once more: the same answer

    caplog.set_level(logging.DEBUG, "comptoir")
    in_app(database, work, notices=told_by)
    assert "anne@" not in caplog.text


def test_a_link_is_good_for_one_address_only(lite: str, post: tuple[MailBox, NotifierSettings]) -> None:
    """Forged, foreign, old or outdated: all get the same sentence, and nothing is changed."""
    (box, told_by), clock = post, ManualTime()

    async def work(made: AppHarness) -> None:
        anne, people = made.person("Anne"), made.server.tokens
        readers = made.server.notifier.recipients
        await anne.post("/me", name="Anne")
        await anne.post("/me/mail", address="anne@example.org")
        await all_told(made)
        (link,) = links(box.mails.pop())
        outdated = people.confirm_token(anne.id, "else@example.org")
        unknown = people.confirm_token("nobody", "anne@example.org")
        stopping = people.stop_token(anne.id, "anne@example.org")
        token = link.rpartition("/")[2]
        said = set()
        forged = (
            token[:-9] + ("A" if token[-9] != "A" else "B") + token[-8:]
        )  # the last letter is not all told
        for wrong in (forged, outdated, unknown, stopping, "x", "é"):
            for answer in (
                await anne.get(f"/mail/confirm/{wrong}"),
                await anne.post(f"/mail/confirm/{wrong}"),
            ):
                assert answer.status_code == 404
                said.add(re.sub(r'value="[^"]*"', "", answer.text).replace(wrong, ""))
        for wrong in (token, "x"):
            answer = await anne.post(f"/mail/stop/{wrong}")
            assert answer.status_code == 404
        assert "has expired" in answer.text
        found = readers.address(anne.id)
        assert found is not None
        assert found.confirmed is None
        await anne.post("/me/mail", address="new@example.org")
        assert (await anne.get(link)).status_code == 404
        await all_told(made)
        (newer,) = links(box.mails.pop())
        clock.set_clock(CONFIRM_SECONDS + 10)
        assert (await anne.get(newer)).status_code in (404, 403)
        old = people.stop_token(anne.id, "anne@example.org")
        assert (await anne.post(f"/mail/stop/{old}")).status_code == 200
        assert readers.address(anne.id) is not None  # of another address than the one she has now

    in_app(lite, work, notices=told_by, time_source=clock)


def test_what_is_no_address_is_said_so_and_too_many_are_refused(
    lite: str, post: tuple[MailBox, NotifierSettings]
) -> None:
    box, told_by = post

    async def work(made: AppHarness) -> None:
        anne = made.person("Anne")
        nothing = await anne.post("/me/mail", address="anne@example.org")
        assert nothing.status_code == 409
        await anne.post("/me", name="Anne")
        for wrong in ("", "anne", "a@b", "a@b..org", "a b@example.org", "a@example.org\nBcc: x@y.org"):
            answer = await anne.post("/me/mail", address=wrong)
            assert answer.status_code == 422
            assert "not a valid email address" in answer.text
        assert (await anne.post("/me/mail", address="anne@example.org")).status_code == 303
        again = await anne.post("/me/mail", address="anne@example.org")
        assert again.status_code == 429  # two an hour to one address; the first attempt counts
        assert "Retry-After" in again.headers
        await all_told(made)
        assert len(box.mails) == 1
        assert (await anne.post("/me/mail", stop="1")).status_code == 303
        assert made.server.notifier.recipients.address(anne.id) is None

    in_app(lite, work, notices=told_by)


def test_one_stranger_fills_no_inbox_and_keeps_nobody_from_confirming(
    lite: str, post: tuple[MailBox, NotifierSettings]
) -> None:
    """From one address with 16 cookies, as many tags as it takes; then another visitor asks."""
    box, told_by = post

    async def work(made: AppHarness) -> None:
        asked = 0
        for n in range(16):
            eve = made.person("Eve", "192.0.2.1")
            await eve.post("/me", name="Eve")
            for tag in range(4):
                to = f"{'Vic.tim' if n % 2 else 'victim'}+{n}.{tag}@{'gmail.com' if n < 8 else 'example.org'}"
                answer = await eve.post("/me/mail", address=to)
                assert answer.status_code in (303, 429)
                asked += answer.status_code == 303
        assert asked < ADDRESS_CONFIRM_RATE.burst
        anne = made.person("Anne", "192.0.2.2")
        await anne.post("/me", name="Anne")
        assert (await anne.post("/me/mail", address="anne@example.org")).status_code == 303
        await all_told(made)
        inboxes = Counter(str(mail["To"]) for mail in box.mails)
        assert inboxes["anne@example.org"] == 1
        assert len(box.mails) == asked + 1 <= 2 * INBOX_CONFIRM_RATE.burst + 1

    in_app(lite, work, notices=told_by, limits=True)


def test_the_quotas_of_confirmation_mails() -> None:
    quota, sent = ConfirmQuota(), 0
    for n in range(40):  # one address, as many inboxes
        sent += not quota.wait("192.0.2.1", f"v{n}@example.org")
    assert sent == ADDRESS_CONFIRM_RATE.burst
    quota = ConfirmQuota()
    assert [not quota.wait(f"192.0.2.{n}", f"v+{n}@example.org") for n in range(6)].count(True) == 4
    quota = ConfirmQuota()
    assert [not quota.wait("192.0.2.1", "v@example.org") for _ in range(4)].count(True) == 2
    assert not quota.wait("192.0.2.2", "v@example.org")  # its owner, elsewhere, still can


def test_the_common_budget_leaves_some_for_those_who_have_had_none() -> None:
    quota, n = ConfirmQuota(), 0
    spenders = [f"192.0.2.{n}" for n in range(5)]
    while not all(quota.wait(one, f"v{n}@example.org") for one in spenders):
        n += 1
    assert quota.common.left("")
    assert not quota.wait("198.51.100.1", "anne@example.org")
    assert quota.wait("198.51.100.1", "anne@example.net")  # once: then they are no newcomer any more
    fresh = [not quota.wait(f"203.0.113.{n}", f"w{n}@example.org") for n in range(100)]
    assert fresh.count(True) == NEWCOMERS_CONFIRM_RATE.burst - 1
    household = [f"2001:0db8:0000:{n:04x}" for n in range(20)]
    quota = ConfirmQuota()
    assert sum(not quota.wait(one, f"{one[-4:]}@example.org") for one in household) == 12


@pytest.mark.parametrize(
    ("address", "same"),
    [
        ("Anne+games@Example.org", "anne@example.org"),
        ("a.n.n.e+x+y@googlemail.com", "anne@gmail.com"),
        ("a.n.n.e@example.org", "a.n.n.e@example.org"),
        ("+x@example.org", "+x@example.org"),
    ],
)
def test_tags_dots_and_case_lead_to_one_inbox(address: str, same: str) -> None:
    assert inbox(address) == same


def test_a_mail_server_that_is_busy_is_asked_again(lite: str, post: tuple[MailBox, NotifierSettings]) -> None:
    box, told_by = post

    async def work(made: AppHarness) -> None:
        anne, bruno = made.person("Anne"), made.person("Bruno")
        live = await made.make("century", anne.sits, bruno.sits)
        box.refusals = ["451 later"]
        await confirmed(made, anne, box, "anne@example.org")
        chance = random.Random(1)
        for refusals, mails in ((["451 later"], 1), (["550 no"], 0)):
            box.mails.clear()
            box.refusals = refusals
            await passed_to(made, live, anne.id, chance)
            await all_told(made)
            assert len(box.mails) == mails
        made.server.notifier.mail.server.settings = dataclasses.replace(MAIL, port=9)  # type: ignore[union-attr]
        await passed_to(made, live, anne.id, chance)
        await all_told(made)

    in_app(lite, work, notices=told_by)


@pytest.mark.parametrize(
    "how", [{"security": "starttls"}, {"security": "tls"}, {"user": "anne", "password": "x"}]
)
def test_no_mail_leaves_where_a_mail_server_cannot_do_what_the_host_asks_for(how: dict[str, str]) -> None:
    """Neither in plain letters nor without a name: it is tried again later."""
    with mail_server() as (box, port):
        mail = Mail(dataclasses.replace(MAIL, port=port, **how))
        with pytest.raises(Undelivered) as refused:
            mail.send(mail.write("anne@example.org", "Hello", ["Hello"], "en"))
        assert refused.value.later
        assert box.mails == []


def test_a_server_without_mail_knows_of_no_addresses(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        anne = made.person("Anne")
        await anne.post("/me", name="Anne")
        assert (await anne.post("/me/mail", address="anne@example.org")).status_code == 404
        assert "/me/mail" not in (await anne.get("/me")).text
        token = made.server.tokens.confirm_token(anne.id, "anne@example.org")
        assert (await anne.get(f"/mail/confirm/{token}")).status_code == 404

    in_app(lite, work)


def test_a_new_address_takes_the_place_of_the_old(store: Store) -> None:
    readers = Recipients(store.database)
    store.people.save(Person("a", "Anne", "en", 1.0))
    assert not readers.set_address(Address("b", "b@example.org", "en"))
    assert readers.set_address(Address("a", "a@example.org", "en"))
    assert readers.confirm("a", "a@example.org")
    assert readers.set_address(Address("a", "new@example.org", "en"))
    assert not readers.confirm("a", "a@example.org")
    found = readers.address("a")
    assert found == Address("a", "new@example.org", "en", None)
    readers.forget("a")
    assert readers.address("a") is None


# The host's settings


def test_mail_settings_are_read(tmp_path: Path) -> None:
    (tmp_path / "password").write_text("secret\n")
    file = tmp_path / "mail.toml"
    file.write_text(
        'host = "smtp.example.org"\nport = 465\nsecurity = "tls"\nuser = "comptoir"\npassword_file = "password"\n'
        'from = "Comptoir <games@example.org>"\nurl = "https://games.example.org/"\n'
    )
    read = MailSettings.read(str(file))
    assert read == MailSettings(
        "smtp.example.org",
        "Comptoir <games@example.org>",
        "https://games.example.org",
        465,
        "tls",
        "comptoir",
        "secret",
    )
    assert read.contact == "mailto:games@example.org"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("host = ", "not valid TOML"),
        ('host = "a"', "does not say from"),
        ('host = "a"\nfrom = "a@b.org"', "does not say url"),
        ('host = 1\nfrom = "a@b.org"\nurl = "https://b.org"', "host: expected str"),
        ('host = "a"\nfrom = "a"\nurl = "https://b.org"', "from: expected an address"),
        ('host = "a"\nfrom = "a@b.org"\nurl = "b.org"', "url: expected"),
        ('host = "a"\nfrom = "a@b.org"\nurl = "https://b.org"\nsecurity = "x"', "security: expected one of"),
        ('host = "a"\nfrom = "a@b.org"\nurl = "https://b.org"\npassword_file = "none"', "cannot be read"),
        ('host = "a"\nport = "1"\nfrom = "a@b.org"\nurl = "https://b.org"', "port: expected int"),
        ('hots = "a"', "it may have host"),
    ],
)
def test_what_is_wrong_with_mail_settings_is_said(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "mail.toml"
    file.write_text(text)
    with pytest.raises(OptionError, match=said):
        MailSettings.read(str(file))
    with pytest.raises(OptionError, match="cannot be read"):
        MailSettings.read(str(tmp_path / "none.toml"))


def test_addresses() -> None:
    assert is_address("anne.b+games@mail.example.org")
    assert not is_address("a" * 65 + "@example.org")
    assert not is_address("a@" + "b" * 250 + ".org")
