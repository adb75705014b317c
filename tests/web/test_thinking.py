"""Whose thought comes first, what a bot is told, and when what it has chosen is told to others."""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from comptoir.bots import Bot, question_for
from comptoir.bots.passer_by import PasserBy
from comptoir.engine.components import Components
from comptoir.engine.game import Game, get_game
from comptoir.web.domain.state import Table
from comptoir.web.limits import ADDRESS_UNATTENDED_BOTS
from comptoir.web.live import bot_pool
from comptoir.web.live.bot_pool import (
    LEVEL_SECONDS,
    BotDecision,
    BotRequest,
    BotThreadPool,
    answer,
    any_answer,
    request_for,
)
from comptoir.web.live.housekeeping import IDLE
from comptoir.web.live.open_table import POLLER_TIMEOUT, OpenTable
from comptoir.web.live.turn_scheduler import TurnScheduler
from comptoir.web.storage.database_schema import tables
from tests import example_game
from tests.manual_time import AT, ManualTime
from tests.web.app_harness import PATIENCE, AppHarness, in_app
from tests.web.test_hidden import SECRETIVE, is_other, random_table, redealt


@pytest.fixture
def lite(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'comptoir.sqlite'}"


# Whose thought comes first


class Bench:
    """A pool whose bots decide when a test says so."""

    def __init__(self, threads: int) -> None:
        self.thinkers, self.begun = BotThreadPool(threads), list[str]()
        self._ends: dict[str, threading.Event] = {}
        self.asked: list[asyncio.Task[None]] = []

    def ask(self, lane: str, kind: str) -> str:
        name = f"{lane} {kind} {len(self.asked)}"
        self._ends[name] = threading.Event()
        self.asked.append(asyncio.create_task(self.thinkers.think(lane, kind, self._think, name)))
        return name

    def _think(self, name: str) -> None:
        self.begun.append(name)
        assert self._ends[name].wait(PATIENCE)

    async def end(self, *names: str) -> None:
        for name in names:
            self._ends[name].set()
            await self.settled()

    async def settled(self, least: int = 0) -> None:
        """Until as many as can be are at work."""
        for _ in range(200):
            await asyncio.sleep(0.001)
            busy = sum(not self._ends[name].is_set() for name in self.begun)
            if len(self.thinkers.at_work) == busy and len(self.begun) >= least:
                return

    async def close(self) -> None:
        for end in self._ends.values():
            end.set()
        await asyncio.gather(*self.asked, return_exceptions=True)
        self.thinkers.stop()


def at_bench(threads: int, work: Callable[[Bench], Any]) -> None:
    async def run() -> None:
        bench = Bench(threads)
        try:
            async with asyncio.timeout(60):
                await work(bench)
        finally:
            await bench.close()

    asyncio.run(run())


def test_who_asks_for_much_waits_for_themselves() -> None:
    async def work(bench: Bench) -> None:
        many = [bench.ask("many", "merchant") for _ in range(10)]
        await bench.settled(1)
        one = bench.ask("one", "merchant")
        await bench.settled()
        await bench.end(many[0])
        assert bench.begun == [many[0], one]

    at_bench(1, work)


def test_of_what_is_equal_the_quick_comes_first() -> None:
    async def work(bench: Bench) -> None:
        first = bench.ask("a", "captain")
        await bench.settled(1)
        asked = [bench.ask(lane, kind) for lane, kind in (("b", "admiral"), ("c", "captain"), ("d", "clerk"))]
        await bench.settled()
        await bench.end(first, *reversed(asked))
        assert bench.begun == [first, *reversed(asked)]

    at_bench(1, work)


def test_one_thinker_takes_nothing_slow() -> None:
    async def work(bench: Bench) -> None:
        slow = [bench.ask(lane, "admiral") for lane in "abc"]
        await bench.settled(1)
        assert bench.begun == slow[:1]
        quick = bench.ask("d", "merchant")
        await bench.settled(2)
        assert bench.begun == [slow[0], quick]
        assert len(bench.thinkers) == 2

    at_bench(2, work)


def test_lanes_that_ask_for_as_much_take_turns() -> None:
    """Also if one of them had much waiting before."""

    async def work(bench: Bench) -> None:
        early = [bench.ask("early", "admiral") for _ in range(4)]
        await bench.settled(1)
        late = [bench.ask("late", "admiral") for _ in range(3)]
        await bench.settled()
        for _ in range(7):
            await bench.end(bench.begun[-1])
        assert bench.begun == [early[0], late[0], early[1], late[1], early[2], late[2], early[3]]

    at_bench(1, work)


def test_what_is_not_wanted_any_more_is_not_thought() -> None:
    async def work(bench: Bench) -> None:
        first = bench.ask("a", "clerk")
        await bench.settled(1)
        dropped, last = bench.ask("b", "clerk"), bench.ask("c", "clerk")
        await bench.settled()
        bench.asked[1].cancel()
        await bench.settled()
        await bench.end(first)
        assert bench.begun == [first, last]
        assert dropped not in bench.begun

    at_bench(1, work)


def test_a_thought_that_fails_says_so_and_others_go_on() -> None:
    async def run() -> None:
        thinkers = BotThreadPool(1)
        with pytest.raises(ZeroDivisionError):
            await thinkers.think("a", "clerk", lambda: 1 // 0)
        assert await thinkers.think("a", "clerk", lambda: 1) == 1
        thinkers.stop()

    asyncio.run(run())


# What a bot is told


@pytest.mark.parametrize("name", SECRETIVE)
def test_a_bot_is_told_what_its_seat_may_know(name: str) -> None:
    """Whatever lies where it cannot look, it is asked the same, byte by byte; and never the match's seed."""
    with example_game.known():
        chance, others = random.Random(name), 0
        for seed in range(12):
            table = random_table(name, ["clerk"] * 3, chance)
            seat = table.turn
            assert seat is not None
            other = redealt(table, seat, seed)
            told = {_asked(world, seat) for world in (table, other)}
            others += is_other(table, other)
            assert len(told) == 1
            assert table.settings.seed not in repr(told)
        assert others


def _asked(table: Table, seat: int) -> BotRequest:
    assert table.match is not None
    return request_for(table.match, seat, None, "admiral", "own", compiled=True)


def test_an_answer_is_the_same_as_beside_the_match() -> None:
    table = random_table("marco_polo", ["clerk"] * 3, random.Random(1))
    match, seat = table.match, table.turn
    assert match is not None
    assert seat is not None
    question = question_for(match, seat)
    bot = PasserBy(match.game, match.components, "own")
    sent = request_for(match, seat, match.components.tables, "passer-by", "own", compiled=True)
    assert answer(sent).action == bot.choose_index(question.record, question.ply, question.earlier)
    assert any_answer(sent).action == answer(sent).action


def test_a_thinker_keeps_few_bots(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def make(level: str, game: Game, components: Components, seed: str, **_: Any) -> Bot:
        made.append(f"{game.name} {level}")
        return PasserBy(game, components, seed)

    monkeypatch.setattr(bot_pool, "make", make)
    monkeypatch.setattr(bot_pool, "bot_cache", bot_pool.BotCache())
    tables = [random_table(name, ["clerk"] * 3, random.Random(1)) for name in ("batavia", "century")]
    levels = ("passer-by", "clerk", "merchant", "captain", "admiral")
    for level in (*levels, "admiral"):
        for table in tables:
            assert table.match is not None
            answer(request_for(table.match, table.turn or 0, None, level, "own", compiled=True))
    assert len(made) == len(set(made)) == 10
    assert len(bot_pool.bot_cache.bots) == bot_pool.CACHED_BOTS


# When what it has chosen is told


class Listener:
    """Somebody who looks on and notes when."""

    def __init__(self, live: OpenTable, clock: ManualTime) -> None:
        self.live, self.clock, self.heard = live, clock, list[tuple[int, float]]()

    def on_change(self) -> None:
        self.heard.append((self.live.table.version, round(self.clock.time() - AT, 3)))

    def is_watching(self, person: str) -> bool:
        return False


class Timed(Bot):
    """Always chooses alike, in a time of its own."""

    def __init__(
        self, game: Game, components: Components, clock: ManualTime, seconds: Callable[[int], float]
    ) -> None:
        super().__init__(game, components, "")
        self.clock, self.seconds = clock, seconds

    def choose_index(self, view: Any, ply: int, earlier: Sequence[Any] = ()) -> int:
        actions = self.game.legal(view, self.components.box)
        self.clock.pass_by(self.seconds(len(actions)))
        return actions[ply % len(actions)]


THINKING: dict[str, Callable[[float, int], float]] = {
    "at once": lambda most, choices: 0.0,
    "slowly": lambda most, choices: 0.95 * most,
    "as long as there is a choice": lambda most, choices: 0.9 * most if choices > 1 else 0.0,
    "by the choices": lambda most, choices: min(0.9, choices / 100) * most,
}


@pytest.mark.parametrize("speed", ["slow", "brisk", "at once"])
@pytest.mark.parametrize("level", ["merchant", "admiral"])
def test_the_moment_says_nothing_about_the_hand(
    lite: str, monkeypatch: pytest.MonkeyPatch, level: str, speed: str
) -> None:
    """However long a bot takes, below the time it has, and whether it had a choice: others hear of what it
    does at the same moment.
    """
    moments = []
    for nth, seconds in enumerate(THINKING.values()):
        clock = ManualTime()

        async def work(
            made: AppHarness, seconds: Any = seconds, clock: ManualTime = clock
        ) -> list[tuple[int, float]]:
            def make(level: str, game: Game, components: Components, *_: Any, **__: Any) -> Bot:
                return Timed(game, components, clock, lambda choices: seconds(LEVEL_SECONDS[level], choices))

            monkeypatch.setattr(bot_pool, "make", make)
            monkeypatch.setattr(bot_pool, "bot_cache", bot_pool.BotCache())
            made.tables.precompiler.mark_ready("batavia")
            live = await made.make("batavia", *[level] * 3, seed="timing")
            live.speed, ear = speed, Listener(live, clock)
            made.tables.scheduler.watch(live, ear)
            await clock.until(lambda: len(ear.heard) >= 60 or live.table.state != "on")
            return ear.heard[:60]

        moments.append(in_app(f"{lite}{nth}", work, bot_delay=0.7, time_source=clock))
    assert len(moments[0]) > 40
    assert moments[1:] == moments[:-1]


class Levels:
    """Bots that are all compiled, and choose the first thing that there is."""

    took = 0.2

    async def decide(self, *_: Any) -> BotDecision:
        return BotDecision(0, self.took)

    def kind(self, game: str, level: str) -> str:
        return level


@pytest.mark.parametrize("name", SECRETIVE)
def test_when_the_server_acts_is_the_same_in_every_world(name: str) -> None:
    time = ManualTime(AT + 1)
    turns = TurnScheduler(Levels(), None, None, 0.7, leases=None, lease=None, time_source=time)  # type: ignore[arg-type]
    with example_game.known():
        chance, others = random.Random(name), 0
        for seed in range(20):
            table = random_table(name, [("p0", "Anne"), "clerk", "captain"], chance)
            other = redealt(table, None, seed)
            if table.due is not None and table.bot:
                others += is_other(table, other)
                assert turns.pause_times(OpenTable(table)) == turns.pause_times(OpenTable(other))
        assert others


# Who comes and goes


def slow_bots(monkeypatch: pytest.MonkeyPatch, made: AppHarness) -> tuple[list[int], threading.Event]:
    """Bots that think until they are told to end: the plies that they were asked about, and what ends it."""
    plies, end = list[int](), threading.Event()

    class Slow(PasserBy):
        def choose_index(self, view: Any, ply: int, earlier: Sequence[Any] = ()) -> int:
            plies.append(ply)
            assert end.wait(PATIENCE)
            return super().choose_index(view, ply, earlier)

    monkeypatch.setattr(
        bot_pool, "make", lambda _, game, components, seed, **__: Slow(game, components, seed)
    )
    monkeypatch.setattr(bot_pool, "bot_cache", bot_pool.BotCache())
    made.tables.precompiler.mark_ready("batavia")
    return plies, end


async def until(reached: Callable[[], Any]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not reached():
            await asyncio.sleep(0.001)


def test_who_leaves_and_comes_back_neither_stops_a_thought_nor_puts_it_off(
    lite: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work(made: AppHarness) -> None:
        plies, end = slow_bots(monkeypatch, made)
        anne, options = made.person("Anne"), get_game("batavia").read_options(3, first="1")
        live = await made.make("batavia", "clerk", anne.sits, "clerk", options=options)
        socket = await anne.socket(live.table.id)
        await until(lambda: plies)
        due = made.tables.scheduler.pause_times(live)
        for _ in range(5):
            for what in ("leave", "back"):
                assert (await anne.post(f"/tables/{live.table.id}/{what}", seat="1")).status_code == 303
        assert made.tables.scheduler.pause_times(live) == due
        assert live.bot_task is not None
        version = live.table.version
        end.set()
        await socket.until(version + 1)
        assert plies[0] == 0
        assert plies.count(0) == 1

    in_app(lite, work, bot_delay=0.01)


def test_a_bot_that_has_chosen_acts_when_it_was_to_however_often_the_turn_is_set(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def run() -> None:
        time, spawn = ManualTime(), asyncio.create_task
        turns = TurnScheduler(Levels(), None, spawn, 0.7, leases=None, lease=None, time_source=time)  # type: ignore[arg-type]
        live = OpenTable(random_table("batavia", ["admiral"] * 3, random.Random(1)))
        moments = []
        for later in (0.0, 0.3, 0.6, 4.1):
            time.pass_by(later)
            moments.append((await turns.decision(live, AT))[1])
        assert moments == [pytest.approx(AT - Levels.took + LEVEL_SECONDS["admiral"])] * 4
        live.bot_task, Levels.took = None, 1.5 * LEVEL_SECONDS["admiral"]
        assert (await turns.decision(live, AT))[1] == pytest.approx(
            time.time() + 0.5 * LEVEL_SECONDS["admiral"]
        )

    monkeypatch.setattr(Levels, "took", 0.2)
    asyncio.run(run())


def test_a_thought_about_what_was_taken_back_is_dropped(lite: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work(made: AppHarness) -> None:
        plies, end = slow_bots(monkeypatch, made)
        anne, options = made.person("Anne"), get_game("batavia").read_options(3, first="1")
        live = await made.make("batavia", anne.sits, "clerk", "clerk", options=options)
        socket = await anne.socket(live.table.id)
        while live.table.turn == 0:
            await socket.ask("play", action=live.table.match.actions()[0])  # type: ignore[union-attr]
        await until(lambda: plies)
        undone = live.table.may_undo(anne.id) is not None
        if undone:
            await socket.ask("undo")
            assert live.bot_task is None
            assert live.turn is None
        end.set()

    in_app(lite, work)


def test_bots_among_themselves_play_for_those_who_look_on(lite: str) -> None:
    time = ManualTime()

    async def work(made: AppHarness) -> None:
        live = await made.make("batavia", *["passer-by"] * 3)
        await time.advance(30)
        assert live.is_dormant
        assert live.turn is None
        assert made.tables.store.tables.due(time.time() + 100) == []
        version = live.table.version
        socket = await made.person().socket(live.table.id)
        assert await time.until(lambda: live.table.version >= version + 3) > 0
        await socket.close()
        assert live.is_dormant
        assert live.turn is None
        assert live.bot_task is None
        version = live.table.version
        await time.advance(30)
        assert live.table.version == version
        assert (await made.person().get(f"/api/tables/{live.table.id}")).status_code == 200
        await time.until(lambda: live.table.version > version)  # a program looks on as long as it asks
        await time.advance(POLLER_TIMEOUT + 5)
        assert live.turn is None
        assert live.table.state == "on"
        version = live.table.version
        await time.advance(30)
        assert live.table.version == version
        assert live.table.id in made.tables.in_use
        await time.advance(IDLE)
        assert live.table.id not in made.tables.in_use

    in_app(lite, work, bot_delay=0.7, time_source=time)


def test_a_table_that_all_have_left_sleeps(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        anne, options = made.person("Anne"), get_game("batavia").read_options(3, first="1")
        live = await made.make("batavia", anne.sits, "passer-by", "passer-by", options=options)
        await anne.post(f"/tables/{live.table.id}/leave", seat="0")
        assert live.is_dormant
        assert made.tables.store.tables.due(made.server.time_source.time() + 100) == []
        await anne.post(f"/tables/{live.table.id}/back", seat="0")
        assert not live.is_dormant

    in_app(lite, work, bot_delay=0.01)


def test_what_an_older_server_has_noted_to_be_due_is_noted_no_more(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        live = await made.make("batavia", *["passer-by"] * 3)
        with made.tables.store.database.begin() as connection:
            connection.execute(sa.update(tables).values(due=1.0))
        assert made.tables.store.tables.due(2.0)
        await made.tables.housekeeping.sweep(0)
        assert made.tables.store.tables.due(2.0) == []
        assert live.turn is None

    in_app(lite, work)


def test_only_so_many_tables_without_people_go_on_at_a_time(
    lite: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work(made: AppHarness) -> None:
        waiting, come = list[float](), asyncio.Event()

        async def sleep_until(_: TurnScheduler, moment: float) -> None:
            waiting.append(moment)
            await come.wait()

        monkeypatch.setattr(TurnScheduler, "sleep_until", sleep_until)
        anne = made.person("Anne")
        lives = [await made.make("batavia", *["passer-by"] * 3, creator=anne.id) for _ in range(6)]
        for live in lives:
            await anne.socket(live.table.id)
        await made.settle()
        assert len(waiting) == ADDRESS_UNATTENDED_BOTS
        other = await made.make("batavia", *["passer-by"] * 3, creator="somebody else")
        await anne.socket(other.table.id)
        await made.settle()
        assert len(waiting) == ADDRESS_UNATTENDED_BOTS + 1
        come.set()
        await until(lambda: all(live.table.match and live.table.match.ply for live in lives))

    in_app(lite, work)
