"""What strangers bring: bounded, read in a process that can be killed, and refused in a sentence."""

from __future__ import annotations

import asyncio
import base64
import dataclasses
import io
import json
import os
import random
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from comptoir.engine.game import get_game
from comptoir.engine.match import Match
from comptoir.engine.registry import names
from comptoir.errors import ComptoirError, DataError, MatchFileError
from comptoir.web import limits
from comptoir.web.domain import decide, untrusted
from comptoir.web.domain.evolve import from_events
from comptoir.web.domain.match_files import read_match
from comptoir.web.domain.refusals import Refused
from comptoir.web.domain.state import Event, Seat
from comptoir.web.live import subprocess_worker, upload_worker
from comptoir.web.live.open_table import TABLE_OVERHEAD
from comptoir.web.live.precompiler import Precompiler
from comptoir.web.live.subprocess_worker import IDLE
from comptoir.web.live.tables import Tables
from comptoir.web.live.turn_scheduler import TurnScheduler
from comptoir.web.live.upload_parser import UploadParser
from comptoir.web.ops.fair_queue import OWN, ConcurrencyLimit, QueueFull, asking
from comptoir.web.storage.store import Store
from comptoir.web.view.match_cache import MAX_ACTIONS, MatchCache
from tests.manual_time import AT, ManualTime
from tests.web.app_harness import NOW, AppHarness, in_app, play_on, table_of

GAMES = Path(untrusted.__file__).parents[2] / "games"


@pytest.mark.parametrize("name", names())
def test_our_own_components_are_within_all_bounds(name: str) -> None:
    content = (GAMES / name / "components.toml").read_bytes()
    assert untrusted.read_components(name, content) == get_game(name).components.tables


@pytest.mark.parametrize(
    ("key", "content"),
    [
        ("new.too_large", b"#" * (limits.COMPONENTS_BYTES + 1)),
        ("new.not_text", b"\xff"),
        ("new.too_much", ("[" + "a." * 9999 + "a]\n" + "b." * 22249 + "b=1").encode()),
        ("new.too_much", b"a=1\n" * 1_001),
        ("new.too_much", b"\n" * 2_001),
        ("new.too_much", b"a='" + b"x" * 4_000 + b"'"),
        ("new.too_much", b"a=" + b"[" * 17 + b"]" * 17),
        ("new.not_toml", b"a=="),
        ("new.not_toml", b"a=1979-05-27"),
        ("new.not_toml", b"a=nan"),
    ],
)
def test_components_are_bounded_before_they_are_read(key: str, content: bytes) -> None:
    with pytest.raises(Refused) as caught:
        untrusted.read_components("century", content)
    assert caught.value.key == key


def refusal(read: Callable[[], object]) -> str:
    """The key of the refusal, or empty: what is no component file of a game is only not refused for its size."""
    try:
        read()
    except Refused as refused:
        return refused.key
    except ComptoirError:
        pass
    return ""


# A file at each bound, and one beyond it.
COMPONENTS_AT_BOUNDS: dict[str, tuple[str, int, Callable[[int], str]]] = {
    "bytes": (
        "new.too_large",
        limits.COMPONENTS_BYTES,
        lambda n: ("#" + "x" * 1023 + "\n") * (n // 1025) + "#" * (n % 1025),
    ),
    "lines": ("new.too_much", limits.COMPONENTS_LINES, lambda n: "\n" * n),
    "letters of a line": ("new.too_much", limits.COMPONENTS_LINE_LETTERS, lambda n: "#" * n),
    "keys": ("new.too_much", limits.COMPONENTS_KEYS, lambda n: "".join(f"k{i}=1\n" for i in range(n))),
    "equals signs": ("new.too_much", limits.COMPONENTS_LINES, lambda n: "# " + "=" * (n - 1) + "\na=1"),
    "keys in keys": ("new.too_much", limits.COMPONENTS_DEPTH, lambda n: "a" + ".a" * n + "=1"),
    "tables' names": ("new.too_much", limits.COMPONENTS_DEPTH, lambda n: "[a" + ".a" * n + "]"),
    "lists in lists": ("new.too_much", limits.COMPONENTS_DEPTH, lambda n: "a=" + "[" * n + "]" * n),
}


@pytest.mark.parametrize("bound", COMPONENTS_AT_BOUNDS)
def test_components_may_reach_a_bound(bound: str) -> None:
    key, most, file = COMPONENTS_AT_BOUNDS[bound]
    texts = [file(n).encode() for n in (most, most + 1)]
    assert [refusal(partial(untrusted.read_components, "century", text)) for text in texts] == ["", key]


def test_points_in_a_value_are_no_depth() -> None:
    """Nor are an equals sign, and what follows it, a part of the key."""
    for text in ('a="' + "." * 50 + '"', 'a="=' + "." * 50 + '"'):
        assert refusal(partial(untrusted.read_components, "century", text.encode())) == ""


def test_how_deep_brackets_lie() -> None:
    texts = ("", "plain", "]]", "[][]", "[{}]", "[[]][", "]][[[")
    assert [untrusted.depth(text) for text in texts] == [0, 0, -1, 1, 2, 2, 1]


MATCHES_AT_BOUNDS: dict[str, tuple[str, int, Callable[[int], str]]] = {
    "bytes": (
        "replay.too_large",
        limits.MATCH_BYTES,
        lambda n: ("note " + "x" * 1018 + "\n") * (n // 1024) + "#" * (n % 1024),
    ),
    "actions": ("replay.too_long", limits.MATCH_ACTIONS, lambda n: "0 pass\n" * n),
    "headers": ("replay.no_sense", limits.COMPONENTS_LINES, lambda n: "note x\n" * n),
    "letters of a header": ("replay.no_sense", limits.MATCH_HEADER_LETTERS, lambda n: "x" * n),
    "depth of a header": ("replay.no_sense", limits.COMPONENTS_DEPTH, lambda n: "x " + "[" * n + "]" * n),
    "letters of an action": ("replay.no_sense", limits.COMPONENTS_LINE_LETTERS, lambda n: "0" * n),
}


@pytest.mark.parametrize("bound", MATCHES_AT_BOUNDS)
def test_a_match_file_may_reach_a_bound(bound: str) -> None:
    key, most, file = MATCHES_AT_BOUNDS[bound]
    texts = [file(n).encode() for n in (most, most + 1)]
    assert [refusal(partial(untrusted.match_lines, text)) for text in texts] == ["", key]


@pytest.mark.parametrize("more", [0, 1, 2])
def test_errors_beyond_the_first_are_counted(monkeypatch: pytest.MonkeyPatch, more: int) -> None:
    def errors(tables: int) -> list[str]:
        lines = (f"[x{n}]\ncertainty='rulebook'\ny=1\n" for n in range(tables))
        with pytest.raises(DataError) as caught:
            untrusted.read_components("century", "".join(lines).encode())
        return [str(error) for error in caught.value.errors]

    all_of_three = len(errors(3))  # fewer than are shown
    monkeypatch.setattr(untrusted, "COMPONENTS_ERRORS", all_of_three)
    shown = errors(3 + more)
    assert len(errors(3)) == all_of_three
    assert shown[all_of_three:] == ([f"… and {more} more"] if more else [])


def test_only_the_first_errors_are_told() -> None:
    with pytest.raises(DataError) as caught:
        untrusted.read_components("century", b"".join(b"[x%d]\ny=1\n" % n for n in range(300)))
    assert len(caught.value.errors) == limits.COMPONENTS_ERRORS + 1
    assert caught.value.errors[-1].startswith("… and ")


def test_a_match_may_be_as_long_as_the_longest_we_have_seen() -> None:
    chance, match = random.Random(3), Match("sail_to_india", seed="3", players=4)
    while not match.over:
        match.play(chance.choice(match.actions()))
    assert 1_000 < match.ply < limits.MATCH_ACTIONS
    assert read_match(match.text().encode()).ply == match.ply


@pytest.mark.parametrize(
    ("key", "lines"),
    [
        ("replay.too_long", ["0 pass"] * (limits.MATCH_ACTIONS + 1)),
        ("replay.no_sense", ["position " + '{"a":' * 20 + "1" + "}" * 20]),
        ("replay.no_sense", ["note " + "x" * limits.MATCH_HEADER_LETTERS]),
        ("replay.no_sense", ["x 1"] * 2_001),
        ("replay.no_sense", ["0 " + "x" * 4_000]),
        ("replay.too_large", ["x" * limits.MATCH_BYTES]),
    ],
)
def test_match_files_are_bounded_before_they_are_read(key: str, lines: list[str]) -> None:
    with pytest.raises(Refused) as caught:
        read_match("\n".join(["comptoir match 1", *lines]).encode())
    assert caught.value.key == key


def test_equal_long_names_stay_names() -> None:
    """What is exported can be brought back."""
    name = "N" * limits.NAME_LETTERS
    table = table_of("century", [("a", name), "clerk"])
    fresh = dataclasses.replace(table, match=None, seats=(table.seats[0], Seat()))
    second = decide.sit(fresh, NOW, "b", 1, name).text
    assert second != name
    assert len(second) == limits.NAME_LETTERS
    assert table.match is not None
    for other in (second, f"{name} 2"):  # as older tables have it
        table.match.names = [name, other]
        assert read_match(table.match.text().encode()).names == [name, other]


# The process


def asked(work: Callable[[UploadParser], Awaitable[Any]], **settings: Any) -> Any:
    async def run() -> Any:
        made = UploadParser(**settings)
        try:
            return await work(made)
        finally:
            await made.stop()

    return asyncio.run(run())


def test_the_process_reads_what_is_good_and_says_what_is_wrong() -> None:
    tables = get_game("century").components.tables
    content = (GAMES / "century/components.toml").read_bytes()
    match = play_on(table_of("century", ["clerk", "clerk"], seed="1"), 30, random.Random(1)).match
    assert match is not None

    async def work(made: UploadParser) -> None:
        assert await made.components("century", content) == tables
        process = made.process
        with pytest.raises(DataError):
            await made.components("century", b"[x]\ny=1")
        with pytest.raises(Refused, match=r"new\.not_text"):
            await made.components("century", b"\xff")
        with pytest.raises(MatchFileError, match="line 1"):
            await made.match(b"hello", "p")
        brought = await made.match(match.text().encode(), "p")
        assert made.process is process
        assert (brought.row.state, brought.row.names, brought.row.version) == ("over", tuple(match.names), 32)
        assert [event.text for event in brought.events[2:]] == match.played
        assert all(isinstance(event, Event) for event in brought.events)

    asked(work)


def test_what_takes_too_long_is_killed_and_the_next_is_read() -> None:
    sleeper = "import json,time; print(json.dumps('ready'), flush=True); time.sleep(600)"

    async def work(made: UploadParser) -> None:
        made.command = (made.command[0], "-c", sleeper)
        with pytest.raises(Refused, match=r"guard\.too_hard"):
            await made.components("century", b"")
        assert made.process is None
        asking = asyncio.create_task(made.components("century", b""))
        while made.process is None:
            await asyncio.sleep(0.01)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        assert made.process is None
        made.command = (made.command[0], "-c", "pass")  # it dies at once
        with pytest.raises(Refused, match=r"guard\.too_hard"):
            await made.components("century", b"")

    asked(work, limit=0.2)


def test_a_process_without_work_is_ended() -> None:
    time = ManualTime()

    async def work(made: UploadParser) -> None:
        with pytest.raises(MatchFileError):
            await made.match(b"hello", "p")
        process = made.process
        assert process is not None
        await time.advance(IDLE - 1)
        assert made.process is process
        await time.advance(1)
        assert made.process is None
        await process.wait()
        with pytest.raises(MatchFileError):
            await made.match(b"hello", "p")

    asked(work, time_source=time)


def text_of(content: bytes) -> str:
    """As a question has it."""
    return base64.b64encode(content).decode()


def test_questions_are_answered_line_by_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """As the process does; here without its limits, which would be the tests' own."""
    monkeypatch.setattr(subprocess_worker, "limit_resource", lambda what, most: None)
    monkeypatch.setattr(os, "nice", lambda by: 0)
    good = {"do": "match", "person": "p", "at": AT, "content": text_of(b"hello")}
    bad = {"do": "components", "game": "century", "content": text_of(b"[x]")}
    refused = {"do": "components", "game": "century", "content": text_of(b"\xff")}
    answers = io.StringIO()
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(json.dumps(q) + "\n" for q in (good, bad, refused))))
    monkeypatch.setattr("sys.stdout", answers)
    upload_worker.main()
    said = [json.loads(line) for line in answers.getvalue().splitlines()]
    assert [next(iter(one)) if isinstance(one, dict) else one for one in said] == [
        "ready",
        "file",
        "data",
        "refused",
    ]

    def full(question: dict[str, Any]) -> dict[str, Any]:
        raise MemoryError

    monkeypatch.setattr(upload_worker, "answer", full)
    told = io.StringIO()
    monkeypatch.setattr("sys.stdin", io.StringIO("{}\n"))
    monkeypatch.setattr("sys.stdout", told)
    upload_worker.main()
    assert json.loads(told.getvalue().splitlines()[1]) == {"refused": ["guard.too_hard", {}]}


# Whose work is done when


def test_nobody_waits_for_what_another_has_asked_for() -> None:
    async def run() -> None:
        gate, order, begin = ConcurrencyLimit(1, waiting=3), list[str](), asyncio.Event()

        async def work(who: str, name: str) -> None:
            asking.set(who)
            async with gate.enter():
                order.append(name)
                await begin.wait()

        names = [("eve", "e1"), ("eve", "e2"), ("eve", "e3"), ("eve", "e4"), ("anne", "a1"), (OWN, "o1")]
        tasks = [asyncio.create_task(work(*one)) for one in names]
        await asyncio.sleep(0)
        assert len(gate) == 5
        with pytest.raises(QueueFull):
            await asyncio.create_task(work("eve", "e5"))
        begin.set()
        await asyncio.gather(*tasks)
        assert order.index("a1") <= 1
        assert order.index("o1") <= 2
        assert len(gate) == 0

    asyncio.run(run())


def test_what_is_told_of_whole_matches_is_kept_by_their_length() -> None:
    made: list[str] = []
    cache = MatchCache()

    def tell(key: str, match: object) -> None:
        cache.narrated(key, match, MAX_ACTIONS // 2 - 1, lambda: made.append(key))

    match = object()
    for key in ("first", "second", "first", "third", "first", "second"):
        tell(key, match)
    assert made == ["first", "second", "third", "second"]
    assert cache.weight <= MAX_ACTIONS
    tell("second", object())
    assert made[-1:] == ["second"]
    assert len(made) == 5


# Memory and clocks


def test_tables_that_nobody_looks_at_leave_room_for_others(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        made.tables.most_positions = 2 * TABLE_OVERHEAD + 100
        tables = [
            play_on(table_of("century", [("a", "Anne"), ("b", "Bruno")], seed=str(n)), 40, random.Random(n))
            for n in range(4)
        ]
        lives = [made.put(table) for table in tables]
        lives[0].watchers.add(_Watcher())
        for n, live in enumerate(lives):
            live.used = float(n)
        made.tables.housekeeping.bound_memory()
        assert [live.table.id in made.tables.in_use for live in lives] == [True, False, False, True]

    in_app(lite, work)


class _Watcher:
    def on_change(self) -> None:
        pass

    def is_watching(self, person: str) -> bool:
        return False


def test_a_clock_set_back_makes_no_bot_wait(lite: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An hour, while the server is down: bots go on at the next start, after their usual pause."""
    waits: list[float] = []

    async def sleep_until(_: TurnScheduler, moment: float) -> None:
        waits.append(moment - time.time())
        await asyncio.Event().wait()

    monkeypatch.setattr(TurnScheduler, "sleep_until", sleep_until)

    async def run() -> None:
        store = Store(lite)
        store.migrate()
        table = table_of("century", [("a", "Anne"), ("b", "Bruno")], seed="1")
        ahead = time.time() + 3_600
        events = [Event(1, "made", None, "maker", table.settings.text(), ahead)]
        events += [Event(2, "bot", 0, "maker", "clerk", ahead), Event(3, "sit", 1, "b", "Bruno", ahead)]
        events += [Event(4, "begin", None, "maker", "", ahead)]
        bots = from_events("bots", events)
        assert bots.due == ahead
        store.events.append("bots", events, bots.row())
        tables = Tables(store, Precompiler(), bot_delay=0.7)
        await tables.start()
        assert "bots" in tables.in_use
        await asyncio.sleep(0)
        await tables.stop()
        store.close()

    asyncio.run(run())
    assert len(waits) == 1
    assert waits[0] < 5


@pytest.fixture
def lite(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'comptoir.sqlite'}"
