"""A full disk: people are told so, whatever they do; what is stored can be read, and play goes on once there is
room.
"""

from __future__ import annotations

import logging
import resource
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import psycopg
import pytest
import sqlalchemy as sa

from comptoir.engine.words import LANGUAGES
from comptoir.errors import OptionError
from comptoir.web.live.open_table import OpenTable
from comptoir.web.page_words import page_words
from comptoir.web.storage.database import NotStored, is_full
from comptoir.web.storage.store import Store
from tests.web.app_harness import AppHarness, Client, Socket, in_app
from tests.web.conftest import Postgres


@pytest.fixture
def lite(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'comptoir.sqlite'}"


FORMS: dict[str, dict[str, str]] = {"/me": {"name": "Anna"}, "/play": {"game": "century"}, "/me/delete": {}}


def sentence(lang: str) -> str:
    return page_words(None, lang).say("error.disk_full")


@contextmanager
def without_room(store: Store) -> Iterator[None]:
    """No file of this process can grow; SQLite's log is emptied first, since it could be written over."""
    store.erasure.log_due = True
    while store.erasure.log_due:
        store.erasure.erase()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@contextmanager
def without_pages(store: Store) -> Iterator[None]:
    """SQLite may take no further page, as where the file system has none: every transaction needs one."""

    def set_up(connection: sqlite3.Connection, *_: object) -> None:
        connection.execute("PRAGMA max_page_count = 1")  # never less than there are

    with store.database.engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE filling (text TEXT)")
        for table in ("events", "people", "sayings", "sessions", "kept"):
            connection.exec_driver_sql(
                f"CREATE TRIGGER full_{table} BEFORE INSERT ON {table} BEGIN"
                " INSERT INTO filling VALUES (zeroblob(10000)); END"
            )
    store.database.engine.dispose()
    sa.event.listen(store.database.engine, "connect", set_up)
    try:
        yield
    finally:
        sa.event.remove(store.database.engine, "connect", set_up)
        store.database.engine.dispose()
        with store.database.engine.begin() as connection:
            for table in ("events", "people", "sayings", "sessions", "kept"):
                connection.exec_driver_sql(f"DROP TRIGGER full_{table}")


@contextmanager
def read_only(store: Store) -> Iterator[None]:
    """PostgreSQL stores nothing: tests have no disk of its own to fill."""
    with store.database.engine.begin() as connection:
        name = connection.exec_driver_sql("SELECT current_database()").scalar()
    alter = f"ALTER DATABASE {name} SET default_transaction_read_only = "
    with store.database.reading.connect() as connection:
        connection.exec_driver_sql(f"{alter} on")
    store.database.engine.dispose()
    try:
        yield
    finally:
        with store.database.reading.connect() as connection:
            connection.exec_driver_sql("SET default_transaction_read_only = off")
            connection.exec_driver_sql(f"{alter} off")
        store.database.engine.dispose()


Full = Callable[[Store], AbstractContextManager[None]]


@pytest.fixture(params=[without_room, without_pages, read_only], ids=["no room", "no pages", "read-only"])
def full(request: pytest.FixtureRequest) -> Full:
    return request.param  # type: ignore[no-any-return]


@pytest.fixture
def where(full: Full, tmp_path: Path, request: pytest.FixtureRequest) -> str:
    if full is read_only:
        server: Postgres = request.getfixturevalue("postgres")
        return server.new()
    return f"sqlite:///{tmp_path / 'comptoir.sqlite'}"


async def seated(made: AppHarness) -> tuple[OpenTable, Client, Socket]:
    """Somebody at a table whose turn it is."""
    anne, bruno = made.person("Anne"), made.person("Bruno")
    live = await made.make("century", anne.sits, bruno.sits, chat=True)
    turn = live.table.turn or 0
    who = (anne, bruno)[turn]
    return live, who, await who.socket(live.table.id)


def test_people_are_told_and_play_goes_on_afterwards(where: str, full: Full) -> None:
    async def work(made: AppHarness) -> None:
        live, who, socket = await seated(made)
        before, store = live.table, made.server.store
        assert before.match is not None
        action, there = before.match.actions()[0], f"/tables/{before.id}"
        with full(store):
            assert not store.database.can_write()
            for message in ({"type": "play", "action": action}, {"type": "chat", "text": "hello"}):
                answer = await socket.ask(**message)
                assert (answer["type"], answer["text"]) == ("refused", sentence("en"))
            assert live.table is before
            wish = {"version": before.version, "action": action}
            by_program = await who.ask("POST", f"/api{there}/actions", json=wish)
            assert (by_program.status_code, by_program.json()) == (503, {"error": sentence("en")})
            assert by_program.headers["retry-after"] == "60"
            for lang in LANGUAGES:
                who.cookies["lang"] = lang
                for path, fields in FORMS.items():
                    page = await who.post(path, **fields)
                    assert page.status_code == 503, path
                    assert page.headers["retry-after"] == "60"
                    assert sentence(lang).replace("'", "&#39;") in page.text
            who.cookies["lang"] = "en"
            stranger = made.person()
            for path in (there, "/", "/me", f"/api{there}"):
                for caller in (who, stranger):
                    assert (await caller.get(path)).status_code == 200, path
            await (await stranger.socket(before.id)).close()
        assert store.database.can_write()
        assert (await socket.ask("play", action=action))["version"] == before.version + 1
        assert store.tables.find(before.id) == live.table.row()

    in_app(where, work)


def test_bots_wait_until_there_is_room(lite: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "comptoir")

    async def work(made: AppHarness) -> None:
        anne = made.person("Anne")
        live = await made.make("century", anne.sits, "passer-by")
        socket = await anne.socket(live.table.id)
        while live.table.turn != 0:
            await socket.until(live.table.version + 1)
        with without_room(made.server.store):
            table = live.table
            assert table.match is not None
            await made.tables.scheduler.play_action(table, table.match.actions()[0])
            assert live.table is table
            made.server.store.database.checkpoint_wal()
            for _ in range(5):
                with pytest.raises(NotStored):
                    made.server.store.tables.set_aside(table.id)
        said = [one.getMessage() for one in caplog.records]
        assert any("could not be stored; a sweep tries again" in one for one in said)
        assert sum("nothing can be stored" in one for one in said) == 1, "not at every attempt"
        assert not [one for one in caplog.records if one.exc_info]

    in_app(lite, work)


def test_a_start_on_a_full_disk_says_so(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path / 'comptoir.sqlite'}")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8192, hard))
    try:
        with pytest.raises(OptionError, match=r"cannot be used: (disk I/O error|database or disk is full)"):
            store.migrate()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        store.close()


@pytest.mark.parametrize(
    ("code", "full"),
    [
        (sqlite3.SQLITE_FULL, True),
        (sqlite3.SQLITE_READONLY, True),
        (sqlite3.SQLITE_READONLY_DBMOVED, True),
        (sqlite3.SQLITE_IOERR_WRITE, True),
        (sqlite3.SQLITE_IOERR_FSYNC, True),
        (sqlite3.SQLITE_IOERR_READ, False),  # the disk is broken, not full
        (sqlite3.SQLITE_BUSY, False),
        (sqlite3.SQLITE_CONSTRAINT, False),
        (0, False),
    ],
)
def test_what_sqlite_means(code: int, full: bool) -> None:
    error = sqlite3.OperationalError("something")
    error.sqlite_errorcode = code
    assert is_full(error) == full


@pytest.mark.parametrize(
    ("error", "full"),
    [
        (psycopg.errors.DiskFull("no space left on device"), True),
        (psycopg.errors.ReadOnlySqlTransaction("read-only"), True),
        (psycopg.errors.UniqueViolation("twice"), False),
        (psycopg.OperationalError("gone"), False),
        (ValueError("not of a database"), False),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_postgresql_means(error: Exception, full: bool) -> None:
    assert is_full(error) == full
