"""Two servers on one PostgreSQL that fails them: no table stays behind its store, no page goes back, nobody
waits for long, and of two processes one thinks.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import threading
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa
from sqlalchemy.engine import make_url
from sqlalchemy.exc import OperationalError

from comptoir.web import limits
from comptoir.web.domain import decide
from comptoir.web.domain.clock import Instant
from comptoir.web.domain.state import Event, Table
from comptoir.web.live import housekeeping, remote_sync, turn_scheduler
from comptoir.web.live.bot_service import BotService
from comptoir.web.live.open_table import OpenTable
from comptoir.web.live.tables import Tables
from comptoir.web.ops import monitoring
from comptoir.web.storage.bot_queue import Claims
from comptoir.web.storage.channels import Channels
from comptoir.web.storage.database import MIGRATION_LOCK
from comptoir.web.storage.event_store import EventStore
from comptoir.web.storage.outage import Calls, OutageLog, Unavailable, as_unavailable
from comptoir.web.storage.store import Store
from tests import real_time
from tests.web.app_harness import PATIENCE, AppHarness, Client, Socket, SocketClosed, running_app
from tests.web.conftest import Postgres

LISTENERS = "application_name IN ('comptoir server', 'comptoir')"  # what they are called, and were
TIME_LIMIT = 5 * PATIENCE  # seconds after which a test hangs, on however busy a machine
OTHERS = f"NOT ({LISTENERS})"


async def until(reached: Callable[[], Any]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not reached():
            await asyncio.sleep(0.02)


class Pair:
    """Two servers. The second has a role of its own in the database, whose connections can be limited."""

    def __init__(self, one: AppHarness, other: AppHarness, database: str, role: str) -> None:
        self.one, self.other, self._database, self._role = one, other, database, role

    def admin(self, statement: str) -> None:
        with psycopg.connect(self._database, autocommit=True) as connection:
            connection.execute(statement)

    def limit(self, connections: int) -> None:
        """How many connections the second server may have; -1 for any number. Those it has, it keeps."""
        self.admin(f"ALTER ROLE {self._role} CONNECTION LIMIT {connections}")

    def cut(self, which: str) -> None:
        """Ends connections of the second server."""
        self.admin(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            f" WHERE usename = '{self._role}' AND {which}"
        )

    async def table(self, *bots: str) -> tuple[Client, Client, OpenTable, OpenTable]:
        """A match of one person at each server, and how each has it."""
        anne, bruno = self.one.person("Anne"), self.other.person("Bruno")
        live = await self.one.make("marco_polo", anne.sits, bruno.sits, *bots)
        return anne, bruno, live, await self.other.tables.find(live.table.id)


@asynccontextmanager
async def pair(postgres: Postgres) -> AsyncIterator[Pair]:
    database = postgres.new()
    role = f"b_{make_url(database).database}"
    first = Store(database)
    first.migrate()
    first.close()
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(f"CREATE ROLE {role} LOGIN")
        connection.execute(f"GRANT ALL ON ALL TABLES IN SCHEMA public TO {role}")
    theirs = database.replace("comptoir@", f"{role}@")
    async with running_app(database) as one, running_app(theirs) as other:
        for made in (one, other):
            await made.tables.bots.remote.count()
        yield Pair(one, other, database, role)


def with_pair(postgres: Postgres, work: Callable[[Pair], Coroutine[Any, Any, None]]) -> None:
    async def run() -> None:
        async with asyncio.timeout(TIME_LIMIT), pair(postgres) as both:
            await work(both)

    asyncio.run(run())


async def play(made: AppHarness, live: OpenTable) -> Table:
    """The person whose turn it is does the first thing that they can."""

    def first(table: Table, now: Instant) -> Event:
        assert table.match is not None
        assert table.turn is not None
        return decide.play(table, now, table.seats[table.turn].person, table.turn, table.match.actions()[0])

    after: Table = await made.tables.act(live.table.id, first)
    return after


async def level(one: OpenTable, other: OpenTable) -> None:
    await until(lambda: one.table.version == other.table.version)


async def version_at(caller: Client, table: str) -> int:
    answer = await caller.get(f"/api/tables/{table}")
    assert answer.status_code == 200, answer.text
    return int(answer.json()["version"])


def nobody_compares(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(housekeeping, "SWEEP_INTERVAL", 1e6)
    monkeypatch.setattr(remote_sync, "COMPARE_INTERVAL", 1e6)


# Behind its store


@pytest.mark.parametrize("sweeps", [False, True])
def test_a_table_whose_read_has_failed_reads_on(
    postgres: Postgres, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, sweeps: bool
) -> None:
    """The listener lives and hears of the action; no connection is left to read it by."""
    if not sweeps:
        nobody_compares(monkeypatch)

    async def work(both: Pair) -> None:
        _, bruno, here, there = await both.table()
        socket = await bruno.socket(there.table.id)
        await real_time.come_to_rest(0.5)  # until it has read all that it reads at first
        both.limit(1)
        both.cut(OTHERS)
        await play(both.one, here)
        await real_time.elapse(0.9)
        assert there.table.version < here.table.version
        both.limit(-1)
        await until(lambda: there.table.version == here.table.version)
        await socket.until(here.table.version)
        assert await version_at(bruno, here.table.id) == here.table.version

    with_pair(postgres, work)
    assert "never retrieved" not in caplog.text
    assert "Traceback" not in caplog.text


def test_what_nobody_has_told_of_is_found_by_comparing(
    postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However a notification was lost: every table in use has the store's version after a few seconds."""

    async def work(both: Pair) -> None:
        _, _, here, there = await both.table()
        await play(both.one, here)
        await until(lambda: there.table.version == here.table.version)

    monkeypatch.setattr(Channels, "listen", _deaf(Channels.listen))
    with_pair(postgres, work)


def _deaf(listen: Callable[..., None]) -> Callable[..., None]:
    def deaf(self: Store, told: Callable[[str, int], None]) -> None:
        listen(self, lambda *_: None)

    return deaf


def test_while_others_are_not_heard_the_store_is_asked_first(
    postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No listener, but a connection to read by: pages and the API have what the other server wrote."""
    nobody_compares(monkeypatch)

    async def work(both: Pair) -> None:
        _, bruno, here, there = await both.table()
        await version_at(bruno, there.table.id)
        both.limit(0)
        both.cut(LISTENERS)
        await until(lambda: not both.other.tables.remote.hears_all_events())
        for _ in range(3):
            await play(both.one, here)
            assert await version_at(bruno, here.table.id) == here.table.version
        both.limit(-1)
        await until(lambda: both.other.tables.remote.hears_all_events())

    with_pair(postgres, work)


def test_a_page_is_never_shown_less_than_it_has_seen(
    postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    nobody_compares(monkeypatch)
    monkeypatch.setattr(Channels, "listen", _deaf(Channels.listen))

    async def work(both: Pair) -> None:
        _, bruno, here, there = await both.table()
        for _ in range(3):
            after = await play(both.one, here)
            assert there.table.version < after.version
            socket = await bruno.connect(there.table.id, seen=after.version)
            assert (await socket.view())["version"] >= after.version
        # what the store has is the truth, whatever a page says that it has seen
        socket = await bruno.connect(there.table.id, seen=after.version + 1000)
        assert (await socket.view())["version"] == after.version

    with_pair(postgres, work)


def test_a_page_that_has_seen_more_than_can_be_read_now_is_to_try_again(
    postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "DATABASE_ANSWER_SECONDS", 1.0)

    async def work(both: Pair) -> None:
        _, bruno, here, there = await both.table()
        both.limit(1)
        both.cut(OTHERS)
        after = await play(both.one, here)
        socket = await bruno.connect(there.table.id, seen=after.version)
        with pytest.raises(SocketClosed) as closed:
            await socket.view()
        assert closed.value.code == 1013
        both.limit(-1)
        socket = await bruno.connect(there.table.id, seen=after.version)
        assert (await socket.view())["version"] == after.version

    with_pair(postgres, work)


def test_after_a_restart_of_postgresql_no_page_goes_back(mortal_postgres: Postgres) -> None:
    async def work(both: Pair) -> None:
        _, bruno, here, there = await both.table()
        for _ in range(4):
            seen = (await bruno.socket(there.table.id)).version
            mortal_postgres.stop()
            mortal_postgres.start()
            seen = max(seen, (await play(both.one, here)).version)
            # as the page does: without it, the second server's notification may come a moment later
            socket = await bruno.socket(there.table.id, seen=seen)
            assert socket.version >= seen, "the table has gone back"

    with_pair(mortal_postgres, work)


# A database that hangs


@contextmanager
def hung(postgres: Postgres) -> Iterator[None]:
    """All processes of PostgreSQL stand still: connections stay, and nothing is answered."""
    assert postgres.process is not None
    parent = postgres.process.pid
    stopped = [parent]
    os.kill(parent, signal.SIGSTOP)
    for task in Path(f"/proc/{parent}/task").iterdir():
        stopped += [int(child) for child in (task / "children").read_text().split()]
    for pid in stopped[1:]:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in stopped:
            os.kill(pid, signal.SIGCONT)


def test_a_database_that_hangs_is_an_answer_within_seconds(
    mortal_postgres: Postgres, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(limits, "DATABASE_ANSWER_SECONDS", 4.0)

    async def work(made: AppHarness) -> None:
        anne = made.person("Anne")
        bruno = made.person("Bruno")
        live = await made.make("marco_polo", anne.sits, bruno.sits)
        socket = await (bruno if live.table.turn else anne).socket(live.table.id)
        await real_time.come_to_rest(0.5)  # until it has read all that it reads at first
        for path in ("/", "/health"):
            assert (await anne.get(path)).status_code == 200
        await real_time.elapse(monitoring.WRITE_CHECK_INTERVAL)
        with hung(mortal_postgres):
            watch = real_time.Stopwatch()
            answers = await asyncio.gather(*(anne.get("/health") for _ in range(10)))
            assert {answer.status_code for answer in answers} == {503}
            assert watch.seconds < 4 * limits.HEALTH_SECONDS, "they wait side by side"
            assert sum(thread.name == "health" for thread in threading.enumerate()) == 1
            page = anne.get("/", headers={"Accept": "text/html", "Accept-Language": "fr"})
            anne.cookies["lang"] = "fr"
            first, second = await page, await anne.get(f"/api/tables/{live.table.id}")
            assert (first.status_code, second.status_code) == (503, 503)
            assert "ne répond pas" in first.text
            assert "est perdu" in second.json()["error"]
            assert first.headers["retry-after"] == "5"
            version = live.table.version
            socket.send(type="play", version=version, action=_first_action(live.table))
            told = await until_closed(socket)
            assert told[-1]["type"] == "error"
            assert told[-1]["ack"] is None
            assert "does not answer" in told[-1]["text"]
            assert watch.seconds < 30
        await until(lambda: not made.tables.in_store.given_up)
        async with asyncio.timeout(PATIENCE):
            while (await anne.get("/health")).status_code != 200:
                await asyncio.sleep(0.05)
        socket = await anne.socket(live.table.id)
        if socket.version == version:  # not even begun when it was given up; else it is done, and shown
            await play(made, live)

    async def run() -> None:
        async with asyncio.timeout(TIME_LIMIT), running_app(mortal_postgres.new()) as made:
            await work(made)

    asyncio.run(run())
    assert "never retrieved" not in caplog.text
    assert "Traceback" not in caplog.text


async def until_closed(socket: Socket) -> list[dict[str, Any]]:
    """All that a socket is told before it is closed, as one that is to be opened again."""
    told: list[dict[str, Any]] = []

    async def hear() -> None:
        while True:
            told.append(await socket.receive())

    with pytest.raises(SocketClosed) as closed:
        await hear()
    assert closed.value.code == 1013
    return told


def _first_action(table: Table) -> str:
    assert table.match is not None
    return table.match.actions()[0]


def test_a_statement_ends_in_time_and_a_migration_does_not(
    postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "DATABASE_STATEMENT_SECONDS", 0.3)
    database = postgres.new()
    store = Store(database)
    with store.database.engine.connect() as connection, pytest.raises(OperationalError) as raised:
        connection.execute(sa.text("SELECT pg_sleep(20)"))
    assert isinstance(as_unavailable(raised.value), Unavailable)
    with psycopg.connect(database, autocommit=True) as other:
        other.execute("SELECT pg_advisory_lock(%s)", (MIGRATION_LOCK,))
        migrating = threading.Thread(target=store.migrate)
        migrating.start()
        real_time.block(1.0)
        assert migrating.is_alive()
    migrating.join(60)
    assert store.tables.counts() == {}
    store.close()


def test_what_is_given_up_before_it_has_begun_never_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "DATABASE_ANSWER_SECONDS", 0.1)
    monkeypatch.setattr(limits, "DATABASE_HUNG_SECONDS", 0.05)
    begun: list[str] = []
    go_on = threading.Event()

    def call(name: str) -> None:
        begun.append(name)
        assert go_on.wait(PATIENCE)

    async def run() -> None:
        calls = Calls(1, bounded=True)
        for name in ("hangs", "late"):
            with pytest.raises(Unavailable):
                await calls(call, name)
            assert calls.patience == 0.05
        go_on.set()
        await until(lambda: calls.patience == 0.1)
        await calls(call, "next")
        calls.stop()

    asyncio.run(run())
    assert begun == ["hangs", "next"]


def test_an_action_that_was_given_up_before_it_was_written_is_not_written(
    postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "DATABASE_ANSWER_SECONDS", 0.5)
    monkeypatch.setattr(limits, "DATABASE_HUNG_SECONDS", 0.3)
    begun, go_on, append_all = threading.Event(), threading.Event(), EventStore.append_all

    async def work(made: AppHarness) -> None:
        anne = made.person("Anne")
        lives = [await made.make("marco_polo", anne.sits, anne.sits) for _ in range(2)]
        before = [live.table.version for live in lives]

        def slowly(self: EventStore, writes: Any) -> Any:
            begun.set()
            assert go_on.wait(PATIENCE)
            return append_all(self, writes)

        monkeypatch.setattr(EventStore, "append_all", slowly)
        first = asyncio.create_task(play(made, lives[0]))
        await until(begun.is_set)  # the second waits for that
        for outcome in await asyncio.gather(first, play(made, lives[1]), return_exceptions=True):
            assert isinstance(outcome, Unavailable)
        go_on.set()
        await until(lambda: lives[0].table.version == before[0] + 1)
        await real_time.elapse(0.2)
        assert lives[1].table.version == before[1]
        assert len(made.tables.store.events.read(lives[1].table.id)) == before[1]
        await play(made, lives[1])

    async def run() -> None:
        async with asyncio.timeout(TIME_LIMIT), running_app(postgres.new()) as made:
            await work(made)

    asyncio.run(run())


# The log


def test_an_outage_is_a_few_short_lines(mortal_postgres: Postgres, caplog: pytest.LogCaptureFixture) -> None:
    formatter = monitoring.JsonLine()

    async def run() -> None:
        async with asyncio.timeout(TIME_LIMIT), running_app(mortal_postgres.new()) as made:
            anne = made.person("Anne")
            live = await made.make("marco_polo", anne.sits, "clerk")
            await anne.get("/")
            mortal_postgres.stop()
            for _ in range(15):
                assert (await anne.get("/")).status_code == 503
                socket = await anne.connect(live.table.id)
                with pytest.raises(SocketClosed):
                    await socket.view()
            mortal_postgres.start()
            await until(lambda: made.tables.remote.hears_all_events())
            assert (await anne.get("/")).status_code == 200

    with caplog.at_level(logging.WARNING):
        asyncio.run(run())
    lines = [formatter.format(record) for record in caplog.records]
    assert 0 < sum("does not answer" in line for line in lines) <= 4
    assert max(map(len, lines)) < 500
    assert sum(map(len, lines)) < 6_000
    assert not any("at" in line and "error" in line and "sqlalchemy" in line for line in lines)


def test_the_same_failure_is_logged_now_and_then(caplog: pytest.LogCaptureFixture) -> None:
    now = 0.0
    log = OutageLog(logging.getLogger("comptoir"), lambda: now)
    for _ in range(100):
        log.note("x" * 10_000)
    now = limits.OUTAGE_LOG_SECONDS
    log.note("too many clients")
    assert len(caplog.messages) == 2
    assert len(caplog.messages[0]) < 300
    assert caplog.messages[1] == (
        "the database does not answer: too many clients (99 more since the last such line)"
    )


def test_a_full_disk_does_not_pass_by_itself() -> None:
    for error, passes in (
        (psycopg.errors.DiskFull("no space left"), False),
        (psycopg.errors.TooManyConnections("too many clients"), True),
        (psycopg.OperationalError("connection refused"), True),
        (ValueError("of ours"), False),
    ):
        wrapped = OperationalError("SELECT", None, error) if isinstance(error, psycopg.Error) else error
        assert (as_unavailable(wrapped) is not None) == passes


# One process thinks


def test_each_decision_of_a_bot_is_worked_out_once(
    postgres: Postgres, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    thoughts: Counter[tuple[str, int]] = Counter()
    decide = BotService.decide

    async def counted(self: BotService, table: Table, level: str, lane: str) -> Any:
        assert table.match is not None
        thoughts[table.id, table.match.ply] += 1
        await asyncio.sleep(0.05)
        return await decide(self, table, level, lane)

    monkeypatch.setattr(BotService, "decide", counted)
    caplog.set_level(logging.INFO, "comptoir")

    async def work(both: Pair) -> None:
        matches = [await both.table("passer-by", "passer-by") for _ in range(3)]
        for anne, bruno, here, there in matches:
            await anne.socket(here.table.id)
            await bruno.socket(there.table.id)
        while len(thoughts) < 60 and any(here.table.state == "on" for *_, here, _ in matches):
            for *_, here, there in matches:
                await level(here, there)
                person = here.table.turn is not None and here.table.seats[here.table.turn].person
                if here.table.state == "on" and person and here.table.forced is None:
                    made = both.one if here.table.turn == 0 else both.other
                    await play(made, here if made is both.one else there)
            await asyncio.sleep(0.02)
        assert len(thoughts) >= 30

    with_pair(postgres, work)
    assert caplog.text.count("came too late") == 0
    # twice rather than not at all: when the database answers late, on a busy machine
    assert thoughts.total() <= 1.05 * len(thoughts) + 1, thoughts


@pytest.mark.parametrize("dies", [True, False])
def test_a_bot_of_a_process_that_is_gone_is_taken_over(
    postgres: Postgres, monkeypatch: pytest.MonkeyPatch, dies: bool
) -> None:
    """At once when it has died; after a while when it is there and does nothing."""
    monkeypatch.setattr(turn_scheduler, "TAKEOVER_GRACE", 10 * PATIENCE)

    async def work(both: Pair) -> None:
        claims = Claims(both.one.tables.store.database)
        anne = both.other.person("Anne")
        live = await both.other.make("marco_polo", anne.sits, "passer-by", "passer-by")
        assert claims.take(live.table.id) == (True, live.table.version)
        await anne.socket(live.table.id)
        while live.table.bot is None:
            await play(both.other, live)
        version = live.table.version
        await real_time.elapse(0.5)
        assert live.table.version == version, "another process was to think"
        if dies:
            claims.close()
        else:
            monkeypatch.setattr(turn_scheduler, "TAKEOVER_GRACE", 0.0)
        await until(lambda: live.table.version > version)
        claims.close()

    with_pair(postgres, work)


def test_one_process_alone_asks_nobody_whether_it_may_think(
    postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(Claims, "take", lambda _, table: asked.append(table))

    async def run() -> None:
        async with asyncio.timeout(TIME_LIMIT), running_app(postgres.new()) as made:
            live = await made.make("marco_polo", "passer-by", "passer-by")
            await made.tables.bots.remote.count()
            await made.person().socket(live.table.id)
            await until(lambda: live.table.version > 10)

    asyncio.run(run())
    assert asked == []


def test_a_failed_read_keeps_no_table_from_being_woken(
    postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def run() -> None:
        async with asyncio.timeout(TIME_LIMIT), running_app(postgres.new()) as made:
            tables: Tables = made.tables
            anne = made.person("Anne")
            live = await made.make("marco_polo", anne.sits, "passer-by")
            while live.table.bot is None:
                await play(made, live)
            tables.forget(live)
            with monkeypatch.context() as broken:
                broken.setattr(EventStore, "read", _refuses)
                with pytest.raises(Unavailable):
                    await tables.housekeeping.sweep(0)
            assert tables.housekeeping.retry_at == {}

    def _refuses(*_: object) -> None:
        raise OperationalError("SELECT", None, psycopg.OperationalError("too many clients"))

    asyncio.run(run())
