"""Whoever deletes themselves takes their words along: out of the memory of every process, out of reports, and
out of the database's files.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, cast

import pytest
import sqlalchemy as sa

from comptoir.web import limits
from comptoir.web.domain import decide
from comptoir.web.domain.people import nameless
from comptoir.web.domain.refusals import Forbidden
from comptoir.web.limits import TABLE_CHAT_MESSAGES
from comptoir.web.live.account_deletion import delete_person, erase_soon
from comptoir.web.live.open_table import OpenTable
from comptoir.web.storage.database_schema import events
from comptoir.web.storage.erasure import Erasure
from comptoir.web.storage.store import Store
from tests.manual_time import ManualTime
from tests.web.app_harness import PATIENCE, AppHarness, Client, Socket, in_app
from tests.web.conftest import Postgres
from tests.web.test_presence import elsewhere, two_apps
from tests.web.test_results import played
from tests.web.test_talk import answered, saying, talked, unhurried

NAME, TEXT = "Anne-Zéphyrine", "the words of Zéphyrine"


@pytest.fixture
def lite(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'comptoir.sqlite'}"


RETRY_INTERVAL = 0.02  # seconds, in place of two


@pytest.fixture(autouse=True)
def _hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("comptoir.web.live.account_deletion.RETRY_INTERVAL", RETRY_INTERVAL)


async def talking(made: AppHarness, **settings: Any) -> tuple[OpenTable, Client, Client, Socket, Socket]:
    """Two people at a table, of whom one has written something."""
    unhurried(made)
    anne, bruno = made.person(NAME), made.person("Bruno")
    live = await made.make("century", anne.sits, bruno.sits, chat=True, **settings)
    mine, theirs = await anne.socket(live.table.id), await bruno.socket(live.table.id)
    await answered(mine, "chat", text=TEXT)
    await answered(theirs, "chat", text="hello")
    return live, anne, bruno, mine, theirs


async def heard(caller: Client, table: str) -> str:
    """All that a new page is told."""
    socket = await caller.socket(table)
    await talked(socket)
    got = "".join(socket.got)
    await socket.close()
    return got


def raw(store: Store) -> bytes:
    """The bytes of a SQLite database and its log, with those that no query finds."""
    path = Path(str(store.url.database))
    return b"".join(
        Path(f"{path}{end}").read_bytes() for end in ("", "-wal") if Path(f"{path}{end}").exists()
    )


def rewrites(monkeypatch: pytest.MonkeyPatch) -> list[Erasure]:
    """The stores whose files are rewritten from now on."""
    found: list[Erasure] = []
    rewrite = Erasure.rewrite

    def noted(erasure: Erasure) -> None:
        found.append(erasure)
        rewrite(erasure)

    monkeypatch.setattr(Erasure, "rewrite", noted)
    return found


async def erased(made: AppHarness) -> None:
    """Waits until the files are clean, as far as the server sees to it."""
    async with asyncio.timeout(PATIENCE):
        while made.server.erasing:
            await asyncio.sleep(0.02)


# Memory


def test_a_new_visitor_is_told_neither_name_nor_words(database: str) -> None:
    async def work(made: AppHarness) -> None:
        live, anne, _, _, theirs = await talking(made)
        assert TEXT in await heard(made.person(), live.table.id)
        await talked(theirs)
        await talked(theirs)
        await anne.post("/me/delete")
        got = await heard(made.person(), live.table.id)
        assert "hello" in got
        assert TEXT not in got
        assert NAME not in got
        anew = await talked(theirs)  # and the page that was there is told again, without them
        assert anew["reset"]
        if not anew["messages"]:  # what is left may be read from the database a moment later
            anew = await talked(theirs)
        assert [one["text"] for one in anew["messages"]] == ["hello"]

    in_app(database, work)


def test_nor_in_another_process(postgres: Postgres) -> None:
    async def work() -> None:
        async with two_apps(postgres) as (first, second):
            live, anne, bruno, _, _ = await talking(first)
            unhurried(second)
            there = await elsewhere(second, bruno).socket(live.table.id)
            assert TEXT in repr(await talked(there))
            await anne.post("/me/delete")
            while not (told := await talked(there))["reset"] or NAME in repr(told):
                pass
            assert [one["text"] for one in told["messages"]] == ["hello"]
            for made in (first, second):
                got = await heard(made.person(), live.table.id)
                assert "hello" in got
                assert TEXT not in got
                assert NAME not in got

    asyncio.run(work())


def test_nor_where_nobody_looks_on_at_that_moment(postgres: Postgres) -> None:
    """A process that has the table in memory, with no page open, also misses nothing said elsewhere."""

    async def work() -> None:
        async with two_apps(postgres) as (first, second):
            live, anne, _, _, theirs = await talking(first)
            assert TEXT in await heard(second.person(), live.table.id)
            await anne.post("/me/delete")
            await answered(theirs, "chat", text="and now?")
            async with asyncio.timeout(PATIENCE):
                while second.tables.in_use[live.table.id].chat is not None:
                    await asyncio.sleep(0.02)
            got = await heard(second.person(), live.table.id)
            assert "and now?" in got
            assert TEXT not in got

    asyncio.run(work())


def test_what_was_read_before_a_deletion_is_read_again(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        live, anne, _, _, _ = await talking(made)
        talk = made.tables.chat
        made.tables.in_use[live.table.id].chat = None
        ask, read, go = talk.in_store, asyncio.Event(), asyncio.Event()

        async def slow(function: Any, *arguments: Any) -> Any:
            found = await ask(function, *arguments)
            if function == talk.store.after and not read.is_set():
                read.set()
                await go.wait()
            return found

        talk.in_store = cast(Any, slow)
        reading = asyncio.create_task(talk.read(live))
        await read.wait()
        await delete_person(made.server, anne.id)
        go.set()
        assert TEXT not in repr(await reading)
        assert TEXT not in repr(live.chat)

    in_app(lite, work)


def test_a_picture_of_a_replay_is_drawn_anew_without_the_name(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        anne = made.person(NAME)
        over = await played(made, "marco_polo", anne.sits, "passer-by")

        async def painted(svg: str) -> bytes:
            return svg.encode()

        made.server.previews.png = painted  # type: ignore[method-assign]
        assert NAME.encode() in await made.server.previews.replay(over, None, "en")
        await delete_person(made.server, anne.id)
        shown = await made.server.previews.replay(over, None, "en")
        assert NAME.encode() not in shown
        assert nameless(0).encode() in shown

    in_app(lite, work)


# The store


def test_reports_go_though_the_table_has_forgotten_the_words(database: str) -> None:
    async def work(made: AppHarness) -> None:
        live, anne, bruno, _, theirs = await talking(made)
        await answered(theirs, "report", n=1)
        for n in range(TABLE_CHAT_MESSAGES):
            await answered(theirs, "chat", text=f"number {n}")
        assert TEXT not in repr(live.chat)
        assert TEXT in (await bruno.get("/status")).text
        await anne.post("/me/delete")
        page = (await bruno.get("/status")).text
        assert TEXT not in page
        assert NAME not in page
        assert made.tables.chat.store.reports() == []

    in_app(database, work)


def test_what_is_deleted_cannot_be_reported_nor_said_any_more(database: str) -> None:
    """Also by whoever has it still in memory, in another process."""

    async def work(made: AppHarness) -> None:
        live, anne, _, _, _ = await talking(made)
        said = live.chat
        assert said is not None
        await delete_person(made.server, anne.id)
        sayings = made.tables.chat.store
        assert not sayings.report(live.table.id, said[0].n, 1.0)
        assert sayings.report(live.table.id, said[1].n, 1.0)
        with pytest.raises(Forbidden):
            sayings.add(live.table.id, saying(TEXT, anne.id))
        assert TEXT not in repr([*sayings.after(live.table.id, 0), *sayings.reports()])

    in_app(database, work)


def test_a_name_goes_from_the_tables_that_somebody_left(database: str) -> None:
    table = []

    def sits(store: Store) -> list[str]:
        found = sa.select(events.c.text).where(events.c.kind == "sit").order_by(events.c.version)
        return [row.text for row in store.database.fetch(found)]

    async def leave(made: AppHarness, *, delete: bool) -> str:
        anne, bruno = made.person(NAME), made.person("Bruno")
        live = await made.make("century", bruno.sits, "", creator=bruno.id)
        await made.tables.act(live.table.id, lambda table, now: decide.sit(table, now, anne.id, 1, NAME))
        await made.tables.act(live.table.id, lambda table, now: decide.stand_up(table, now, anne.id, 1))
        assert sits(made.server.store) == ["Bruno", NAME]
        if delete:
            await delete_person(made.server, anne.id)
        else:  # as an older server did
            made.server.store.people.delete(anne.id, 1.0)
        return anne.id

    async def first(made: AppHarness) -> None:
        table.append(await leave(made, delete=False))
        assert made.server.store.people.half_deleted() == table

    async def second(made: AppHarness) -> None:
        assert sits(made.server.store) == ["Bruno", nameless(1)], "a start finishes what was left"
        assert made.server.store.people.half_deleted() == []

    async def at_once(made: AppHarness) -> None:
        with made.server.store.database.begin() as connection:
            for name in ("sitters", "events", "tables"):
                connection.execute(sa.text(f"DELETE FROM {name}"))
        await leave(made, delete=True)
        assert sits(made.server.store) == ["Bruno", nameless(1)]

    in_app(database, first)
    in_app(database, second)
    in_app(database, at_once)


def test_of_a_match_only_the_name_goes(database: str) -> None:
    """What the person did there belongs to the match: the others can still replay it."""

    async def work(made: AppHarness) -> None:
        anne = made.person(NAME)
        over = await played(made, "marco_polo", anne.sits, "passer-by")
        before = made.server.store.events.read(over)
        await delete_person(made.server, anne.id)
        after = made.server.store.events.read(over)
        changed = [(was.kind, now.text) for was, now in zip(before, after, strict=False) if was != now]
        assert changed == [("sit", nameless(0))]
        assert [event.kind for event in after[len(before) :]] == ["gone"]

    in_app(database, work)


# The files


@pytest.mark.slow
def test_the_bytes_are_gone_from_the_file_and_its_log(lite: str) -> None:
    """Every word that somebody has left, of many tables: pages of the file have been split by then."""

    async def work(made: AppHarness) -> None:
        live, anne, _, mine, theirs = await talking(made)
        await anne.post("/me", name=NAME)
        await answered(theirs, "report", n=1)
        for _ in range(150):
            await made.make("century", anne.sits, "clerk", "clerk")
        await mine.close()
        store = made.server.store
        store.database.checkpoint_wal()
        assert raw(store).count(NAME.encode()) > 300
        await anne.post("/me/delete")
        await erased(made)
        assert not store.erasure.due
        assert NAME.encode() not in raw(store)
        assert TEXT.encode() not in raw(store)
        assert b"hello" in raw(store), "another's words stay"
        assert live.table.id in raw(store).decode(errors="replace")

    in_app(lite, work)


def test_a_large_file_is_rewritten_at_the_next_start(
    lite: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Until then nearly all is overwritten, and the log is empty."""
    monkeypatch.setattr("comptoir.web.storage.erasure.REWRITE_AT_ONCE_BYTES", 0)
    rewritten = rewrites(monkeypatch)

    async def delete(made: AppHarness) -> None:
        _, anne, _, _, _ = await talking(made)
        await anne.post("/me/delete")
        await erased(made)
        assert not rewritten
        assert TEXT.encode() not in raw(made.server.store)

    async def start(made: AppHarness) -> None:
        assert len(rewritten) == 1

    in_app(lite, delete)
    in_app(lite, start)
    in_app(lite, start)  # once


def test_a_file_is_not_rewritten_again_and_again(lite: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rewritten, time = rewrites(monkeypatch), ManualTime()

    async def work(made: AppHarness) -> None:
        for _ in range(2):
            _, anne, _, _, _ = await talking(made)
            await anne.post("/me/delete")
            await time.advance(3 * RETRY_INTERVAL)
        assert not made.server.store.erasure.log_due
        assert len(rewritten) == 1
        assert made.server.store.erasure.due, "the second waits"
        time.pass_by(limits.REWRITE_EVERY_SECONDS)
        await time.advance(2 * RETRY_INTERVAL)
        assert len(rewritten) == 2
        assert not made.server.store.erasure.due

    in_app(lite, work, time_source=time)


def test_whoever_reads_for_long_only_delays_it(lite: str) -> None:
    time = ManualTime()

    async def work(made: AppHarness) -> None:
        _, anne, _, _, _ = await talking(made)
        store = made.server.store
        with store.database.engine.connect() as reading:
            reading.exec_driver_sql("BEGIN")
            reading.execute(sa.select(sa.func.count()).select_from(events)).all()
            await anne.post("/me/delete")
            await time.advance(5 * RETRY_INTERVAL)
            assert store.erasure.due
            assert (await made.person().get("/about")).status_code == 200
        await time.advance(3 * RETRY_INTERVAL)
        assert not made.server.erasing
        assert TEXT.encode() not in raw(store)

    in_app(lite, work, time_source=time)


def test_dead_rows_of_postgresql_are_vacuumed(postgres: Postgres) -> None:
    async def work(made: AppHarness) -> None:
        _, anne, _, _, theirs = await talking(made)
        await answered(theirs, "report", n=1)
        await anne.post("/me/delete")
        await erased(made)
        dead = sa.text(
            "SELECT relname FROM pg_stat_user_tables WHERE vacuum_count = 0 AND relname IN"
            " ('sayings', 'reports', 'events', 'tables', 'people', 'sessions', 'archives')"
        )
        async with asyncio.timeout(PATIENCE):
            while True:
                with made.server.store.database.engine.connect() as connection:
                    if not connection.execute(dead).all():
                        return
                await asyncio.sleep(0.05)

    in_app(postgres.new(), work)


def test_erasing_is_started_once(lite: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work(made: AppHarness) -> None:
        await erased(made)
        made.server.store.erasure.log_due = True
        begun, spawn = list[object](), made.tables.spawn
        monkeypatch.setattr(made.tables, "spawn", lambda work: begun.append(spawn(work)))
        erase_soon(made.server)
        erase_soon(made.server)
        assert len(begun) == 1
        await erased(made)

    in_app(lite, work)


def test_a_number_is_the_same_in_both_databases(store: Store) -> None:
    from comptoir.web.storage.people_store import SEAT_NAME

    with store.database.engine.begin() as connection:
        connection.exec_driver_sql(
            "INSERT INTO tables VALUES ('t', 'batavia', 'on', false, 1, '[]', '[]', null, null, null, 1)"
        )
        connection.exec_driver_sql("INSERT INTO events VALUES ('t', 1, 'sit', 3, 'anne', 'Anne', 1)")
        assert connection.scalar(sa.select(SEAT_NAME)) == nameless(3)
