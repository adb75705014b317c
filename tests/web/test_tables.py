"""The tables in use in a process: taken from the store when asked for, forgotten when nobody looks, woken
when the server is late.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from comptoir.bots import Bot
from comptoir.bots.passer_by import PasserBy
from comptoir.engine import registry
from comptoir.engine.components import Components
from comptoir.engine.game import Game
from comptoir.web.domain import decide
from comptoir.web.domain.refusals import Refused
from comptoir.web.domain.state import Event
from comptoir.web.live import bot_pool, housekeeping, precompiler
from comptoir.web.live.not_found import NotFound
from comptoir.web.live.precompiler import Precompiler
from comptoir.web.storage.event_store import EventStore, PendingWrite, VersionConflict
from tests.manual_time import ManualTime
from tests.web.app_harness import PATIENCE, AppHarness, in_app
from tests.web.test_table import snapshot


@pytest.fixture
def lite(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'comptoir.sqlite'}"


def test_a_table_is_read_once_however_many_ask(lite: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work(made: AppHarness) -> None:
        live = await made.make("batavia", "", "", "")
        made.tables.in_use.clear()
        reads: list[str] = []
        read = EventStore.read

        def counted(self: EventStore, table: str, after: int = 0) -> list[Event]:
            reads.append(table)
            return read(self, table, after)

        monkeypatch.setattr(EventStore, "read", counted)
        found = await asyncio.gather(*(made.tables.find(live.table.id) for _ in range(5)))
        assert len({id(one) for one in found}) == len(reads) == 1
        assert snapshot(found[0].table) == snapshot(live.table)
        for result in await asyncio.gather(
            *(made.tables.find("nosuch") for _ in range(3)), return_exceptions=True
        ):
            assert isinstance(result, NotFound)

    in_app(lite, work)


def test_only_what_nobody_needs_is_forgotten(lite: str) -> None:
    time = ManualTime()

    async def work(made: AppHarness) -> None:
        anne = made.person("Anne")
        idle, watched, timed = [
            await made.make("batavia", anne.sits, anne.sits, anne.sits, clock=clock) for clock in (0, 0, 180)
        ]
        await made.person().socket(watched.table.id)
        await time.advance(housekeeping.IDLE - 10)
        assert idle.table.id in made.tables.in_use
        await time.advance(20)
        assert set(made.tables.in_use) == {watched.table.id, timed.table.id}

    in_app(lite, work, time_source=time)


def test_a_turn_that_was_lost_is_found_by_the_sweep(lite: str) -> None:
    """A bot whose task has died, whatever the reason, decides after all."""
    time = ManualTime()

    async def work(made: AppHarness) -> None:
        live = await made.make("batavia", *["passer-by"] * 3)
        await made.person().socket(live.table.id)
        assert live.turn is not None
        live.turn.cancel()
        await asyncio.gather(live.turn, return_exceptions=True)
        version = live.table.version
        await time.advance(housekeeping.SWEEP_INTERVAL)
        await time.until(lambda: live.table.version >= version + 3, 60)

    in_app(lite, work, bot_delay=0.7, time_source=time)


def test_a_database_that_fails_changes_nothing(lite: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was not written did not happen, and can be asked for again."""

    async def work(made: AppHarness) -> None:
        anne = made.person("Anne")
        live = await made.make("batavia", "", "", "", creator=anne.id)
        socket = await anne.socket(live.table.id)
        before = snapshot(live.table)
        with monkeypatch.context() as broken:
            broken.setattr(EventStore, "append_all", lambda *_: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                await made.tables.act(
                    live.table.id, lambda table, now: decide.sit(table, now, anne.id, 0, "Anne")
                )
        assert snapshot(live.table) == before
        assert [told for told in await socket.receive_all() if "here" not in told] == []
        await made.tables.act(live.table.id, lambda table, now: decide.sit(table, now, anne.id, 0, "Anne"))
        assert (await socket.view())["version"] == 2

    in_app(lite, work)


def test_a_number_that_is_taken_by_nobody_is_an_error_and_no_endless_attempt(
    lite: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def taken(*_: object) -> None:
        raise VersionConflict

    async def work(made: AppHarness) -> None:
        anne = made.person("Anne")
        live = await made.make("batavia", "", "", "", creator=anne.id)
        with monkeypatch.context() as broken:
            broken.setattr(EventStore, "append_all", taken)
            with pytest.raises(VersionConflict):
                await made.tables.act(
                    live.table.id, lambda table, now: decide.sit(table, now, anne.id, 0, "Anne")
                )

    in_app(lite, work)


def test_what_comes_while_the_disk_is_busy_is_written_together(
    lite: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    append_all, together = EventStore.append_all, []

    def slowly(self: EventStore, writes: Sequence[PendingWrite]) -> list[VersionConflict | None]:
        together.append(len(writes))
        time.sleep(0.05)
        return append_all(self, writes)

    async def work(made: AppHarness) -> None:
        anne = made.person("Anne")
        lives = [await made.make("batavia", "", "", "", creator=anne.id) for _ in range(5)]
        monkeypatch.setattr(EventStore, "append_all", slowly)
        acts = [
            asyncio.create_task(
                made.tables.act(live.table.id, lambda table, now: decide.sit(table, now, anne.id, 0, "Anne"))
            )
            for live in lives[:1]
        ]
        await asyncio.sleep(0.02)
        acts += [
            asyncio.create_task(
                made.tables.act(live.table.id, lambda table, now: decide.sit(table, now, anne.id, 0, "Anne"))
            )
            for live in lives[1:]
        ]
        await asyncio.gather(*acts)
        assert together == [1, 4]
        for live in lives:
            assert live.table.version == 2
            assert len(made.tables.store.events.read(live.table.id)) == 2

    in_app(lite, work)


def test_an_action_for_another_number_is_stale(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        anne = made.person("Anne")
        live = await made.make("batavia", "", "", "", creator=anne.id)
        for version in (0, 2):
            with pytest.raises(Refused, match=r"refuse\.stale"):
                await made.tables.act(
                    live.table.id,
                    lambda table, now: decide.sit(table, now, anne.id, 0, "Anne"),
                    version=version,
                )

    in_app(lite, work)


def test_bots_that_cannot_be_compiled_keep_no_table_waiting(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(name: str) -> None:
        raise RuntimeError(name)

    monkeypatch.setattr(precompiler, "call", fail)
    monkeypatch.setattr(precompiler, "is_compiled", lambda name: True)

    async def run() -> None:
        making = Precompiler()
        making.start()
        async with asyncio.timeout(PATIENCE):
            await making.wait_until_ready("batavia")
        await making.stop()

    asyncio.run(run())
    assert "could not be made ready" in caplog.text


def test_a_clerk_plays_for_a_bot_until_it_is_compiled(lite: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """At once, and the page says so while a bot is to decide; then the level itself plays."""
    asked: list[str] = []

    def compiled(level: str, game: Game, components: Components, seed: str, **_: object) -> Bot:
        asked.append(level)
        return PasserBy(game, components, seed)

    monkeypatch.setattr(bot_pool, "make", compiled)

    async def work(made: AppHarness) -> None:
        live = await made.make("batavia", "captain", "merchant", "clerk")
        socket = await made.person().socket(live.table.id)
        while live.table.match is None or live.table.match.ply < 3:
            await socket.view()
        assert live.preparing
        assert "clerks play for them" in socket.parts["sentence"]
        assert made.tables.precompiler.wanted == ["batavia"]
        assert asked == []
        made.tables.precompiler.mark_ready("batavia")
        assert not live.preparing
        while not asked:
            await socket.view()
        await socket.until(live.table.version)
        assert "clerks" not in socket.parts["sentence"]

    in_app(lite, work)


def test_the_game_that_is_played_is_compiled_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if another is being compiled; that one is taken up again afterwards."""
    first, last = registry.names()[0], registry.names()[-1]
    tried: list[str] = []
    done: set[str] = set()

    def command(game: Game) -> list[str]:
        tried.append(game.name)
        idle = len(tried) == 1  # as long as nobody ends it
        if not idle:
            done.add(game.name)
        return [sys.executable, "-c", "import signal; signal.pause()" if idle else ""]

    monkeypatch.setattr(precompiler, "command", command)
    monkeypatch.setattr(precompiler, "call", lambda name: None)
    monkeypatch.setattr(precompiler, "is_compiled", lambda name: name in done)

    async def run() -> None:
        making = Precompiler()
        making.start()
        async with asyncio.timeout(PATIENCE):
            while making.compiling is None:
                await asyncio.sleep(0)
            await making.wait_until_ready(last)
            assert tried[:2] == [first, last]
            await making.wait_until_ready(first)
        await making.stop()

    asyncio.run(run())
    assert tried.count(first) == 2
