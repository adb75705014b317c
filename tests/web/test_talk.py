"""Table talk: everyone reads phrases in their own language, nobody hears whom they have muted, the host sees
what is reported. It is no event, and has limits.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any, cast
from weakref import WeakKeyDictionary

import pytest

from comptoir.engine.words import LANGUAGES
from comptoir.web.domain.chat import PHRASES, ChatMessage, ChatReport
from comptoir.web.limits import CHAT_LETTERS, TABLE_CHAT_MESSAGES, TABLE_REPORTS
from comptoir.web.live.chat_service import ChatService
from comptoir.web.live.open_table import OpenTable
from comptoir.web.ops.request_guard import TokenBuckets
from comptoir.web.page_words import page_words
from comptoir.web.storage.chat_store import ChatStore
from comptoir.web.storage.store import Store
from tests.manual_time import ManualTime
from tests.web.app_harness import AppHarness, Client, Socket, in_app
from tests.web.conftest import Postgres
from tests.web.test_hidden import redealt
from tests.web.test_presence import elsewhere, two, two_apps
from tests.web.test_store import made as make_row

TALKED = WeakKeyDictionary[Socket, int]()  # how much of what a page got was looked at


@pytest.fixture
def lite(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'comptoir.sqlite'}"


def unhurried(made: AppHarness) -> AppHarness:
    """People may say as much as they like."""
    many = TokenBuckets(rate=1e6, burst=1e6)
    made.tables.chat.rates = (many, many)
    made.tables.chat.mutes = made.tables.chat.reports = many
    return made


async def gathered(made: AppHarness, **settings: Any) -> tuple[OpenTable, Client, Client, Socket, Socket]:
    live, anne, bruno = await two(made, **settings)
    bruno.cookies["lang"] = "fr"
    return live, anne, bruno, await anne.socket(live.table.id), await bruno.socket(live.table.id)


async def talked(socket: Socket) -> dict[str, Any]:
    """The next that a page is told of talk."""
    read = TALKED.get(socket, 0)
    while True:
        for n, text in enumerate(socket.got[read:], read + 1):
            if text.startswith('{"chat":'):
                TALKED[socket] = n
                return dict(json.loads(text)["chat"])
        read = len(socket.got)
        await socket.receive()


async def answered(socket: Socket, type: str, **message: Any) -> str:
    """What the server says to it: a sentence, or nothing if it is done."""
    answer = await socket.ask(type, **message)
    assert answer["type"] == "chat"
    return str(answer["text"])


def test_everyone_reads_a_phrase_in_their_language(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        live, _, _, mine, theirs = await gathered(made)
        before = live.table
        assert await answered(mine, "phrase", phrase="well_played") == ""
        for socket, text, is_mine in ((mine, "Well played!", True), (theirs, "Bien joué\u202f!", False)):
            (one,) = (await talked(socket))["messages"]
            assert (one["text"], one["mine"], one["seat"], one["written"]) == (text, is_mine, 0, False)
        assert live.table is before  # nothing has happened at the table

    in_app(lite, work)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_phrase_has_words(lang: str) -> None:
    words = page_words(None, lang)
    texts = [words.say(f"phrases.{phrase}") for phrase in PHRASES]
    assert len(set(texts)) == len(PHRASES) == 12


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        ({"type": "phrase", "phrase": "no such phrase"}, "refuse.message"),
        ({"type": "phrase", "phrase": ["hello"]}, "refuse.message"),
        ({"type": "phrase"}, "refuse.message"),
        ({"type": "chat", "text": 5}, "refuse.message"),
        ({"type": "chat", "text": ""}, "refuse.bad_text"),
        ({"type": "chat", "text": " \u3164 "}, "refuse.bad_text"),
        ({"type": "chat", "text": "a\u202eb"}, "refuse.bad_text"),
        ({"type": "chat", "text": "x" * (CHAT_LETTERS + 1)}, "refuse.bad_text"),
        ({"type": "mute", "n": 77}, "refuse.no_saying"),
        ({"type": "mute", "n": "1"}, "refuse.no_saying"),
        ({"type": "mute", "n": True}, "refuse.no_saying"),
        ({"type": "mute"}, "refuse.no_saying"),
        ({"type": "unmute", "seat": 1}, "refuse.message"),
        ({"type": "unmute", "seat": -1}, "refuse.message"),
        ({"type": "report", "n": 2}, "refuse.no_saying"),  # my own
        ({"type": "report", "n": 1}, "refuse.no_saying"),  # a phrase is none to report
    ],
    ids=str,
)
def test_what_makes_no_sense_is_answered_with_a_sentence(
    lite: str, message: dict[str, Any], sentence: str
) -> None:
    async def work(made: AppHarness) -> None:
        live, _, _, mine, theirs = await gathered(unhurried(made), chat=True)
        assert await answered(theirs, "phrase", phrase="hello") == ""
        assert await answered(mine, "chat", text="Well, hello") == ""
        said = live.chat
        assert await answered(mine, **message) == page_words(None, "en").say(sentence, n=CHAT_LETTERS)
        assert live.chat == said

    in_app(lite, work)


def test_what_is_written_is_cleaned_and_nothing_else(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        _, _, _, mine, theirs = await gathered(unhurried(made), chat=True)
        assert await answered(mine, "chat", text="  <b>hi</b>\n& 'bye' ") == ""
        (one,) = (await talked(theirs))["messages"]
        assert one["text"] == "<b>hi</b> & 'bye'"  # the page sets it as text
        assert one["written"]

    in_app(lite, work)


def test_without_chat_there_are_only_phrases(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        live, _, _, mine, _ = await gathered(made)
        assert await answered(mine, "chat", text="hello") == page_words(None, "en").say("refuse.no_chat")
        assert live.chat == []

    in_app(lite, work)


def test_who_looks_on_reads_and_does_not_speak(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        live, _, _, mine, _ = await gathered(unhurried(made), chat=True)
        stranger, unknown = made.person(), made.person()
        unknown.cookies = {"lang": "en"}
        for who in (stranger, unknown):
            socket = await who.socket(live.table.id)
            for message in ({"type": "phrase", "phrase": "hello"}, {"type": "chat", "text": "hello"}):
                only_seated = page_words(None, "en").say("refuse.only_seated")
                assert await answered(socket, **message) == only_seated
        assert live.chat == []
        watching = await stranger.socket(live.table.id)
        await answered(mine, "phrase", phrase="hello")
        assert [one["text"] for one in (await talked(watching))["messages"]] == ["Hello!"]

    in_app(lite, work)


def test_it_lapses_no_undo_and_delays_no_bot(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        live, _, _, mine, theirs = await gathered(made)
        pages = [mine, theirs]
        turn = live.table.turn or 0
        assert live.table.match is not None
        await pages[turn].ask("play", action=live.table.match.actions()[0])
        may, due = live.table.may_undo(live.table.people[turn]), live.turn
        await answered(pages[1 - turn], "phrase", phrase="nice_move")
        assert live.table.may_undo(live.table.people[turn]) == may
        assert live.turn is due

    in_app(lite, work)


def test_nobody_says_too_much(lite: str) -> None:
    time = ManualTime()

    async def work(made: AppHarness) -> None:
        live, _, _, mine, theirs = await gathered(made)
        answers = [await answered(mine, "phrase", phrase="hello") for _ in range(5)]
        assert answers[0] == ""
        assert all(answer.startswith("Not so fast") for answer in answers[1:])
        assert await answered(theirs, "phrase", phrase="hello") == ""  # nobody else is held up
        await time.advance(1.9)
        assert await answered(mine, "phrase", phrase="hello") != ""
        await time.advance(0.1)
        assert await answered(mine, "phrase", phrase="hello") == ""
        assert len(live.chat or ()) == 3

    in_app(lite, work, time_source=time)


def test_ten_a_minute(lite: str) -> None:
    time = ManualTime()

    async def work(made: AppHarness) -> None:
        made.tables.chat.rates = (TokenBuckets(rate=1e6, burst=1e6), made.tables.chat.rates[1])
        _, _, _, mine, _ = await gathered(made)
        answers = [await answered(mine, "phrase", phrase="hello") for _ in range(12)]
        assert [answer == "" for answer in answers] == [True] * 10 + [False] * 2
        await time.advance(6)
        answers = [await answered(mine, "phrase", phrase="hello") for _ in range(2)]
        assert [answer == "" for answer in answers] == [True, False]

    in_app(lite, work, time_source=time)


def test_it_outlives_a_restart_and_only_the_last_are_kept(lite: str) -> None:
    async def first(made: AppHarness) -> tuple[str, Client]:
        live, anne, _, mine, _ = await gathered(unhurried(made), chat=True)
        for n in range(TABLE_CHAT_MESSAGES + 5):
            await answered(mine, "chat", text=f"number {n}")
        return live.table.id, anne

    table, anne = in_app(lite, first)

    async def second(made: AppHarness) -> None:
        socket = await elsewhere(made, anne).socket(table)
        talk = await talked(socket)
        assert talk["reset"]
        assert [one["text"] for one in talk["messages"]] == [
            f"number {n}" for n in range(5, TABLE_CHAT_MESSAGES + 5)
        ]

    in_app(lite, second)


def test_a_person_is_muted_for_one_reader_and_for_good(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        live, anne, bruno, mine, theirs = await gathered(unhurried(made))
        stranger = await made.person().socket(live.table.id)
        await answered(theirs, "phrase", phrase="hello")
        (one,) = (await talked(mine))["messages"]
        assert "Muted" in await answered(mine, "mute", n=one["n"])
        talk = await talked(mine)
        assert (talk["messages"], talk["muted"]) == ([], [{"seat": 1, "name": "Bruno"}])
        await answered(theirs, "phrase", phrase="oops")
        assert [one["text"] for one in (await talked(stranger))["messages"]][-1:] == ["Hello!"]
        assert [one["text"] for one in (await talked(stranger))["messages"]] == ["Oops…"]
        assert bruno.id not in "".join(mine.got)

        other = await made.make("century", anne.sits, bruno.sits)  # at any table
        there, from_there = await anne.socket(other.table.id), await bruno.socket(other.table.id)
        await answered(from_there, "phrase", phrase="hello")
        assert all(not (json.loads(text)["chat"]["messages"]) for text in there.got if '"chat":{' in text)

        await answered(mine, "unmute", seat=1)
        assert [one["text"] for one in (await talked(mine))["messages"]] == ["Hello!", "Oops…"]

    in_app(lite, work)


def test_muting_reaches_ones_other_pages_at_once(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        live, anne, bruno, mine, theirs = await gathered(unhurried(made))
        again, stranger = await anne.socket(live.table.id), await made.person().socket(live.table.id)
        other = await made.make("century", anne.sits, bruno.sits)
        there = await anne.socket(other.table.id)
        await answered(theirs, "phrase", phrase="hello")
        (one,) = (await talked(again))["messages"]
        await talked(stranger)

        await answered(mine, "mute", n=one["n"])
        talk = await talked(again)
        assert (talk["messages"], talk["reset"], talk["muted"]) == ([], True, [{"seat": 1, "name": "Bruno"}])
        assert (await talked(there))["muted"] == [{"seat": 1, "name": "Bruno"}]

        await answered(again, "unmute", seat=1)
        assert [one["text"] for one in (await talked(again))["messages"]] == ["Hello!"]
        assert [bool((await talked(mine))["messages"]) for _ in range(2)] == [True, False]  # before
        assert [one["text"] for one in (await talked(mine))["messages"]] == ["Hello!"]
        assert (await talked(there))["muted"] == []  # where nothing was ever said
        await answered(theirs, "phrase", phrase="oops")
        assert [one["text"] for one in (await talked(stranger))["messages"]] == [
            "Oops…"
        ]  # told of nothing else

    in_app(lite, work)


# The host


def test_what_is_reported_is_for_the_host_alone(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        live, anne, _, mine, theirs = await gathered(unhurried(made), chat=True)
        await answered(theirs, "chat", text="Something <nasty>")
        (one,) = (await talked(mine))["messages"]
        for _ in range(2):  # twice is once
            assert "Reported" in await answered(mine, "report", n=one["n"])
        page = (await anne.get("/status")).text
        assert page.count("Something &lt;nasty&gt;") == 1
        assert f"/tables/{live.table.id}" in page
        assert "Bruno" in page
        passed_on = {"X-Forwarded-For": "1.2.3.4"}
        assert "nasty" not in (await anne.get("/status", headers=passed_on)).text
        fields = {"token": anne.token, "table": live.table.id, "n": str(one["n"])}
        refused = await anne.ask("POST", "/status/reports", data=fields, headers=passed_on)
        assert refused.status_code == 403
        for wrong in ({"table": "nosuch"}, {"table": "\0"}, {"n": "99"}, {"n": "x"}):
            answer = await anne.post("/status/reports", **fields | wrong)
            assert answer.status_code == 303
        assert "nasty" in (await anne.get("/status")).text
        await anne.post("/status/reports", **fields)
        assert "nasty" not in (await anne.get("/status")).text

    in_app(lite, work)


def test_reports_have_a_bound(lite: str) -> None:
    time = ManualTime()

    async def work(made: AppHarness) -> None:
        _, _, _, mine, theirs = await gathered(made, chat=True)
        made.tables.chat.rates = unhurried(made).tables.chat.rates
        made.tables.chat.reports = TokenBuckets(rate=1 / 60, burst=2, clock=time.monotonic)
        for n in range(3):
            await answered(theirs, "chat", text=f"number {n}")
        answers = [await answered(mine, "report", n=n) for n in (1, 2, 3)]
        assert [answer.startswith("Reported") for answer in answers] == [True, True, False]
        await time.advance(60)
        assert (await answered(mine, "report", n=3)).startswith("Reported")

    in_app(lite, work, time_source=time)


# The store


def saying(text: str, person: str = "anne") -> ChatMessage:
    return ChatMessage(0, 0, person, "Anne", "", text, 5.0)


def test_sayings_are_numbered_and_kept(store: Store) -> None:
    make_row(store)
    sayings = ChatStore(store.database)
    for n in range(TABLE_CHAT_MESSAGES + 3):
        assert sayings.add("table", saying(str(n))).n == n + 1
    assert [one.text for one in sayings.after("table", 0)] == [
        str(n) for n in range(3, TABLE_CHAT_MESSAGES + 3)
    ]
    assert [one.text for one in sayings.after("table", TABLE_CHAT_MESSAGES + 2)] == [
        str(TABLE_CHAT_MESSAGES + 2)
    ]
    assert sayings.after("other", 0) == []


def test_mutes_and_reports_are_kept(store: Store) -> None:
    sayings = ChatStore(store.database)
    assert sayings.mute("anne", "bruno", True) == sayings.mute("anne", "bruno", True) == {"bruno"}
    assert sayings.muted("bruno") == frozenset()
    assert sayings.mute("anne", "bruno", False) == frozenset()
    make_row(store)
    for n in range(1, TABLE_CHAT_MESSAGES + 3):
        sayings.add("table", saying(f"text {n}"))
        assert sayings.report("table", n, float(n))
        assert sayings.report("table", n, float(n)), "twice is once"
    assert [one.n for one in sayings.reports()] == list(range(n, n - TABLE_REPORTS, -1))
    assert sayings.reports()[0] == ChatReport("table", n, "Anne", f"text {n}", 5.0, float(n), "anne")
    sayings.dismiss("table", n - 5)
    assert n - 5 not in [one.n for one in sayings.reports()]
    assert not sayings.report("table", 1, 1.0), "the table has forgotten it"


# Several processes, and what is hidden


def test_processes_tell_each_other_what_is_said(postgres: Postgres) -> None:
    async def work() -> None:
        async with two_apps(postgres) as (first, second):
            live, anne, bruno = await two(first)
            mine = await anne.socket(live.table.id)
            theirs = await elsewhere(second, bruno).socket(live.table.id)
            for socket, other in ((mine, theirs), (theirs, mine)):
                await answered(socket, "phrase", phrase="hello")
                talk = await talked(other)
                while talk["messages"][-1]["mine"]:
                    talk = await talked(other)
                assert talk["messages"][-1]["text"] == "Hello!"
            again = await elsewhere(second, anne).socket(live.table.id)
            assert [one["n"] for one in (await talked(again))["messages"]] == [1, 2]
            await answered(mine, "mute", n=2)
            assert [one["n"] for one in (await talked(again))["messages"]] == [1]

    asyncio.run(work())


@pytest.mark.parametrize("seat", [0, None])
def test_talk_depends_on_nothing_that_is_hidden(lite: str, seat: int | None) -> None:
    async def work(made: AppHarness) -> None:
        people = [made.person(name) for name in ("Anne", "Bruno", "Chloé")]
        live = await unhurried(made).make("batavia", *(one.sits for one in people), chat=True)
        speaker = await people[1].socket(live.table.id)
        await answered(speaker, "chat", text="hello")
        await speaker.close()
        found = []
        for world in (live.table, redealt(live.table, seat, 5)):
            made.put(world)
            look = await (people[0] if seat == 0 else made.person()).socket(live.table.id)
            found.append(await talked(look))
            await look.close()
        assert found[0] == found[1]

    in_app(lite, work)


def test_the_limits_are_those_that_are_told(lite: str) -> None:
    talk = ChatService(Store(lite), {}, cast(Any, asyncio.to_thread), lambda _: None)
    assert [bucket.rate for bucket in talk.rates] == [1 / 2, 10 / 60]
