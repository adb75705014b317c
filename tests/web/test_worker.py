"""Bots in a process of their own, on PostgreSQL."""

from __future__ import annotations

import asyncio
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import sqlalchemy as sa

from comptoir.bots.passer_by import PasserBy
from comptoir.web.live import bot_pool
from comptoir.web.live import bot_service as bots_module
from comptoir.web.live.bot_pool import LEVEL_SECONDS, SLOW_SECONDS, BotRequest, request_for, start_of
from comptoir.web.live.bot_worker import BotWorker
from comptoir.web.live.open_table import OpenTable
from comptoir.web.storage.bot_queue import BotQueue, BotQueueConsumer
from comptoir.web.storage.database_schema import thoughts
from comptoir.web.storage.store import Store
from tests import real_time
from tests.web.app_harness import PATIENCE, AppHarness, in_app, running_app
from tests.web.test_hidden import random_table, redealt


@pytest.fixture
def store(postgres: Any) -> Iterator[Store]:
    store = Store(postgres.new())
    store.migrate()
    yield store
    store.close()


def question(level: str) -> dict[str, Any]:
    return {"game": "batavia", "components": "", "level": level, "seed": "own", "ply": 0, "views": b""}


def url_of(store: Store) -> str:
    return store.url.render_as_string(hide_password=False)


@contextmanager
def working(store: Store, threads: int = 1) -> Iterator[BotWorker]:
    worker = BotWorker(store.url, threads)
    running = threading.Thread(target=worker.run)
    running.start()
    try:
        yield worker
    finally:
        worker.stop()
        running.join()


async def until(reached: Callable[[], Any]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not reached():
            await asyncio.sleep(0.01)


# The order


def test_questions_come_in_the_same_order_as_within_a_process(store: Store) -> None:
    chance, queue, consumer = random.Random(3), BotQueue(store.database), BotQueueConsumer(store.url)
    waiting: list[Any] = []
    for nth in range(60):
        if waiting and chance.random() < 0.4:
            waiting.sort(key=lambda one: (one.start, one.cost, one.nth))
            with consumer.claim(float("inf")) as taken:
                assert taken is not None
                assert taken["id"] == waiting.pop(0).id
        else:
            lane, level = chance.choice("abc"), chance.choice(["merchant", "captain", "admiral"])
            start = start_of(lane, waiting)
            waiting.append(_Place(lane, start, LEVEL_SECONDS[level], nth, f"id{nth}"))
            queue.put(f"id{nth}", lane, LEVEL_SECONDS[level], question(level))
    consumer.close()


class _Place:
    def __init__(self, client_key: str, start: float, cost: float, nth: int, id: str) -> None:
        self.client_key, self.start, self.cost, self.nth, self.id = client_key, start, cost, nth, id


def test_a_quick_thinker_takes_nothing_slow_and_two_take_two(store: Store) -> None:
    queue, consumers = BotQueue(store.database), [BotQueueConsumer(store.url) for _ in range(3)]
    queue.put("slow", "a", LEVEL_SECONDS["admiral"], question("admiral"))
    queue.put("quick", "b", LEVEL_SECONDS["merchant"], question("merchant"))
    with (
        consumers[0].claim(SLOW_SECONDS) as first,
        consumers[1].claim(SLOW_SECONDS) as none,
        consumers[2].claim(float("inf")) as second,
    ):
        assert first is not None
        assert second is not None
        assert (first["id"], none, second["id"]) == ("quick", None, "slow")
    assert [set(consumer.claim(float("inf")).__enter__() or {}) for consumer in consumers] == [set()] * 3
    for consumer in consumers:
        consumer.close()


def test_whose_connection_is_gone_leaves_the_question_to_others(store: Store) -> None:
    queue, dies, lives = BotQueue(store.database), BotQueueConsumer(store.url), BotQueueConsumer(store.url)
    queue.put("one", "a", 1.0, question("captain"))
    taken = dies.claim(float("inf"))
    assert taken.__enter__() is not None
    with lives.claim(float("inf")) as nothing:
        assert nothing is None
    queue.withdraw("one")  # somebody is at it: it is let be
    dies.close()
    end = time.monotonic() + 60
    while True:
        with lives.claim(float("inf")) as again:
            if again is not None:
                break
        assert time.monotonic() < end
    assert again["id"] == "one"
    lives.close()


def test_what_nobody_waits_for_any_more_is_forgotten(store: Store) -> None:
    queue, consumer = BotQueue(store.database), BotQueueConsumer(store.url)
    for id in ("withdrawn", "old", "other edition"):
        queue.put(id, "a", 1.0, question("captain"))
    queue.withdraw("withdrawn")
    with store.database.begin() as connection:
        connection.execute(sa.update(thoughts).where(thoughts.c.id == "old").values(asked=1.0))
        connection.execute(sa.update(thoughts).where(thoughts.c.id == "other edition").values(edition="0"))
    with consumer.claim(float("inf")) as found:
        assert found is None
    assert queue.processes().workers == 1
    with store.database.begin() as connection:
        assert connection.execute(sa.select(thoughts.c.id)).all() == [("other edition",)]
    consumer.close()


# What a worker is told


def test_a_worker_is_told_what_the_seat_may_know(store: Store) -> None:
    """What lies in the database for it is the same whatever the others hold; no table, no person, no seed of
    the match.
    """
    told, queue = set(), BotQueue(store.database)
    table = random_table("marco_polo", ["clerk"] * 3, random.Random(5))
    assert table.turn is not None
    for nth, world in enumerate([table, *(redealt(table, table.turn, seed) for seed in range(3))]):
        assert world.match is not None
        sent = request_for(world.match, table.turn, None, "captain", "own", compiled=True)
        queue.put(
            str(nth), "lane", 1.0, {key: value for key, value in vars(sent).items() if key != "compiled"}
        )
    with store.database.begin() as connection:
        for row in connection.execute(sa.select(thoughts)):
            fields = row._asdict()
            assert set(fields) - set(BotRequest.__dataclass_fields__) == {
                "id",
                "edition",
                "lane",
                "start",
                "cost",
                "asked",
            }
            told.add(tuple(fields[name] for name in ("game", "components", "level", "seed", "ply", "views")))
            assert table.settings.seed not in repr(fields)
            assert table.id not in repr(fields)
    assert len(told) == 1


# With a server


def passers_by(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """All bots choose at random; the names of the threads in which they have."""
    threads = list[str]()

    class Noted(PasserBy):
        def choose_index(self, *question: Any) -> int:
            threads.append(threading.current_thread().name)
            return super().choose_index(*question)

    monkeypatch.setattr(
        bot_pool, "make", lambda _, game, components, seed, **__: Noted(game, components, seed)
    )
    monkeypatch.setattr(
        bot_pool, "interpreted_clerk", lambda _, game, components, seed: Noted(game, components, seed)
    )
    monkeypatch.setattr(bot_pool, "bot_cache", bot_pool.BotCache())
    return threads


async def watched(made: AppHarness, level: str) -> OpenTable:
    live = await made.make("batavia", *[level] * 3)
    await made.person().socket(live.table.id)
    return live


def test_workers_think_for_a_server_and_it_for_itself_when_they_are_gone(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads = passers_by(monkeypatch)

    async def work(made: AppHarness) -> None:
        with working(store):
            await until(lambda: BotQueue(store.database).processes().workers == 1)
            await made.tables.bots.remote.count()
            live = await watched(made, "captain")
            await until(lambda: live.table.version > 15)
            assert set(threads) == {"bot"}
            assert not live.preparing
        await made.tables.bots.remote.count()
        threads.clear()
        version = live.table.version
        await until(lambda: live.table.version > version + 5)
        assert all(name.startswith("bot_") for name in threads)
        assert live.preparing
        with store.database.begin() as connection:
            assert connection.execute(sa.select(thoughts)).all() == []

    in_app(url_of(store), work)


def test_a_worker_that_is_gone_without_a_word_is_not_waited_for(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads = passers_by(monkeypatch)

    async def work(made: AppHarness) -> None:
        made.tables.bots.remote.number = 1  # there was one just now
        live = await watched(made, "captain")
        version = live.table.version
        await until(lambda: live.table.version > version)
        assert threads[0].startswith("bot_")

    in_app(url_of(store), work)


def test_a_worker_that_hangs_is_not_waited_for_long(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    passers_by(monkeypatch)
    monkeypatch.setattr(bots_module, "WORKER_TIMEOUT", 1)

    async def work(made: AppHarness) -> None:
        consumer = BotQueueConsumer(store.url)
        await made.tables.bots.remote.count()
        live = await watched(made, "captain")
        taken = consumer.claim(float("inf"))
        await until(lambda: len(made.tables.bots.remote))
        while taken.__enter__() is None:
            taken = consumer.claim(float("inf"))
        version = live.table.version
        await until(lambda: live.table.version > version)
        consumer.close()

    in_app(url_of(store), work)


def test_a_bot_that_fails_in_a_worker_is_tried_here(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    passers_by(monkeypatch)
    monkeypatch.setattr("comptoir.web.live.bot_worker.answer", lambda _: 1 / 0)

    async def work(made: AppHarness) -> None:
        with working(store):
            await until(lambda: BotQueue(store.database).processes().workers == 1)
            await made.tables.bots.remote.count()
            live = await watched(made, "captain")
            version = live.table.version
            await until(lambda: live.table.version > version + 1)

    in_app(url_of(store), work)


def test_two_servers_share_a_worker(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    threads = passers_by(monkeypatch)

    async def run() -> None:
        async with (
            asyncio.timeout(60),
            running_app(url_of(store)) as one,
            running_app(url_of(store)) as other,
        ):
            with working(store, 2):
                await until(lambda: BotQueue(store.database).processes().workers == 2)
                for made in (one, other):
                    await made.tables.bots.remote.count()
                lives = [await watched(made, "captain") for made in (one, other)]
                await until(lambda: all(live.table.version > 15 for live in lives))
                assert set(threads) == {"bot"}

    asyncio.run(run())


def test_a_worker_outlives_its_database(mortal_postgres: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    passers_by(monkeypatch)
    monkeypatch.setattr("comptoir.web.live.bot_worker.RECONNECT_INTERVAL", 0.05)
    store = Store(mortal_postgres.new())
    store.migrate()
    with working(store):
        asyncio.run(until(lambda: BotQueue(store.database).processes().workers == 1))
        mortal_postgres.stop()
        mortal_postgres.start()
        store.close()
        again = Store(mortal_postgres.url("test1"))
        asyncio.run(until(lambda: BotQueue(again.database).processes().workers == 1))
        again.close()


def test_a_worker_says_that_a_database_is_not_ready_for_it(
    postgres: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """One line, however often it tries: not that PostgreSQL cannot be reached."""
    monkeypatch.setattr("comptoir.web.live.bot_worker.RECONNECT_INTERVAL", 0.01)
    store = Store(postgres.new())
    with working(store, 2):
        asyncio.run(until(lambda: caplog.messages))
        real_time.block(0.3)
    store.close()
    assert len(caplog.messages) == 1
    assert "start comptoir serve on it first" in caplog.messages[0]


# The command


@pytest.mark.slow
def test_the_command_says_when_it_is_ready_and_ends_when_it_is_told_to(store: Store) -> None:
    command = [sys.executable, "-m", "comptoir", "bots-worker", "--database", url_of(store), "--threads", "2"]
    with subprocess.Popen([*command, "--lang", "en"], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        lines = iter(process.stderr.readline, "")
        assert "Ready: 2 bots at once for postgresql" in next(line for line in lines if "Ready" in line)
        process.send_signal(signal.SIGTERM)
        assert "Stopped. 0 decisions made." in "".join(lines)
        assert process.wait(30) == 0
