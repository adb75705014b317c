"""The app takes its time from one source, and the tests' source of time does what it says."""

from __future__ import annotations

import ast
import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from comptoir.time_source import SYSTEM_TIME, TimeSource
from tests.manual_time import AT, ManualTime

WEB = Path(__file__).parents[1] / "src" / "comptoir" / "web"
DIRECT = {"time.time", "time.monotonic", "time.sleep", "asyncio.sleep", "datetime.now"}
# What waits for another process or for the database, before there is an app or next to it.
ON_SYSTEM_TIME = {
    "http/app.py": "a start that waits for the database",
    "live/review_worker.py": "a process of its own, which works for a second at a time",
    "ops/dumps.py": "a command that waits for a program to end",
    "storage/migrations/versions/sessions.py": "a step of the database",
    "storage/database.py": "two processes that make one file",
    "http/worker_process.py": "a process that serves, before its app and after it",
    "ops/supervisor.py": "the parent of processes that serve",
}


def direct_uses() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for path in sorted(WEB.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and ast.unparse(node) in DIRECT:
                name = path.relative_to(WEB).as_posix()
                found.setdefault(name, []).append(f"{node.lineno}: {ast.unparse(node)}")
            elif isinstance(node, ast.ImportFrom) and node.module == "time":
                found.setdefault(path.relative_to(WEB).as_posix(), []).append(f"{node.lineno}: import")
    return found


def test_the_app_takes_its_time_from_its_source() -> None:
    found = direct_uses()
    assert {name: uses for name, uses in found.items() if name not in ON_SYSTEM_TIME} == {}
    assert set(found) == set(ON_SYSTEM_TIME), "an exception that is no longer needed"


def test_the_machines_time_agrees_with_itself() -> None:
    source: TimeSource = SYSTEM_TIME
    before, steady = source.time(), source.monotonic()
    asyncio.run(source.sleep(0.01))
    assert source.monotonic() - steady >= 0.009
    assert source.time() - before < 60


def test_sleepers_wake_in_order_at_their_own_moments() -> None:
    async def run() -> None:
        clock, woken = ManualTime(), list[tuple[str, float]]()

        async def sleep(name: str, *seconds: float) -> None:
            for each in seconds:
                await clock.sleep(each)
                woken.append((name, clock.time() - AT))

        tasks = [asyncio.create_task(sleep(*one)) for one in (("late", 5), ("often", 2, 2, 2), ("now", 0))]
        await clock.advance(1)
        assert woken == [("now", 0)]
        await clock.advance(4)
        assert woken[1:] == [("often", 2), ("often", 4), ("late", 5)]
        assert clock.time() == AT + 5
        tasks[1].cancel()
        await clock.advance(10)
        assert len(woken) == 4
        assert clock.sleeping == 0

    asyncio.run(run())


def test_what_a_sleeper_sets_going_in_a_thread_ends_before_time_moves_on() -> None:
    async def run() -> None:
        clock, done, pool = ManualTime(), list[float](), ThreadPoolExecutor(1)
        slow = threading.Event()

        async def work() -> None:
            for _ in range(3):
                await clock.sleep(1)
                await asyncio.get_running_loop().run_in_executor(pool, slow.wait, 0.02)
                done.append(clock.monotonic())

        with clock.watched():
            began, task = clock.monotonic(), asyncio.create_task(work())
            await clock.advance(10)
            assert task.done()
            assert [at - began for at in done] == [1, 2, 3]
        pool.shutdown()

    asyncio.run(run())


def test_until_takes_as_long_as_it_takes() -> None:
    async def run() -> None:
        clock, done = ManualTime(), list[float]()

        async def work() -> None:
            await clock.sleep(90)
            done.append(clock.monotonic())

        task = asyncio.create_task(work())
        assert await clock.until(lambda: done) == 90
        assert task.done()
        with pytest.raises(AssertionError, match="nobody sleeps"):
            await clock.until(lambda: False)

    asyncio.run(run())


def test_a_clock_that_is_set_lets_no_time_pass() -> None:
    clock = ManualTime()
    steady = clock.monotonic()
    clock.set_clock(-3_600)
    assert (clock.time(), clock.monotonic()) == (AT - 3_600, steady)
    clock.pass_by(10)
    assert (clock.time(), clock.monotonic()) == (AT - 3_590, steady + 10)
