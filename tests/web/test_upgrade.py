"""From the first schema to today's, with the tables of all games in it, on both databases."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.config import Config

from comptoir.errors import OptionError
from comptoir.web.domain.people import COOKIE
from comptoir.web.storage import migrations
from comptoir.web.storage.chat_store import ChatStore
from comptoir.web.storage.store import Store
from tests.web import stored
from tests.web.app_harness import AppHarness, in_app
from tests.web.test_people import SECRET, first_cookie

FIRST = "schema-1"  # as the first version has written it
TABLES = ("tables", "events", "sitters", "people")
Rows = list[tuple[Any, ...]]


def rows(url: sa.URL, table: str) -> tuple[list[str], Rows]:
    """A table's columns and all its rows, in the order of the first columns."""
    engine = sa.create_engine(url)
    found = sa.Table(table, sa.MetaData(), autoload_with=engine)
    with engine.connect() as connection:
        got: Rows = [tuple(row) for row in connection.execute(sa.select(found))]
    engine.dispose()
    return [column.name for column in found.columns], sorted(got, key=repr)


@pytest.fixture
def first(database: str, tmp_path: Path) -> str:
    """A database of the first schema: SQLite's as it was written, PostgreSQL's by the first step, with the same rows."""
    written = stored.restore(FIRST, tmp_path / "first.sqlite")
    with sqlite3.connect(tmp_path / "first.sqlite") as file:  # what is not stored: secrets, and names
        file.execute("INSERT INTO kept VALUES ('secret', ?)", (SECRET,))
        file.execute("INSERT OR REPLACE INTO people VALUES ('anne', 'Anne', 'fr', 1.5)")
    file.close()
    if database.startswith("sqlite"):
        return written
    stored.restore_postgresql(tmp_path / "first.sqlite", database, "1")
    return database


def test_the_first_schema_comes_up_with_all_it_holds(first: str) -> None:
    store = Store(first)
    before = {name: rows(store.url, name) for name in TABLES}
    assert all(found for _, found in before.values())
    store.migrate()
    for name, (columns, found) in before.items():
        today, now = rows(store.url, name)
        assert today == ["version" if column == "number" else column for column in columns]
        assert now == found
    assert store.values.secret() == SECRET, "cookies stay good"
    assert rows(store.url, "alembic_version")[1] == [(migrations.HEAD,)]
    assert rows(store.url, "sessions")[1] == rows(store.url, "archives")[1] == []
    store.migrate()
    store.close()


def test_its_tables_are_served_to_those_who_sit_there(first: str) -> None:
    async def work(made: AppHarness) -> None:
        anne = made.person()
        anne.cookies[COOKIE] = first_cookie("anne")
        shown = await anne.get("/tables/batavia-running")
        assert shown.status_code == 200
        assert 'id="hand"' in shown.text
        assert "Anne" in (await anne.get("/me")).text
        assert (await anne.get("/api/tables/batavia-running")).json()["seat"] is not None
        assert (await anne.get("/api/replays/century-finished")).status_code == 200

    in_app(first, work)


@pytest.fixture
def ninth(database: str, tmp_path: Path) -> str:
    """A database of the ninth step, with reports that do not say whose words they are."""
    url = sa.make_url(database)
    if url.drivername != "sqlite":
        url = url.set(drivername="postgresql+psycopg")
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        config = Config(attributes={"connection": connection})
        config.set_main_option("script_location", str(Path(migrations.__file__).parent))
        command.upgrade(config, "9")
        row = "('{id}', 'batavia', 'on', false, 9, '[]', '[]', null, null, null, 1)"
        for id in ("one", "two"):
            connection.exec_driver_sql(f"INSERT INTO tables VALUES {row.format(id=id)}")
        for table, version, seat, person, name, at in (
            ("one", 2, 0, "anne", "Anne", 2.0),
            ("one", 3, 1, "bruno", "Bruno", 3.0),
            ("one", 4, 2, "gone", "№ 3", 4.0),  # has deleted themselves
            ("two", 2, 0, "first", "Bruno", 2.0),
            ("two", 4, 0, "bruno", "Bruno", 20.0),  # where another one of that name has left
        ):
            connection.exec_driver_sql(
                f"INSERT INTO events VALUES ('{table}', {version}, 'sit', {seat}, '{person}', '{name}', {at})"
            )
        connection.exec_driver_sql(
            "INSERT INTO sayings VALUES ('one', 60, 0, 'anne', 'Anne', '', 'kept', 9),"
            " ('one', 61, 2, '', '', '', '', 9)"
        )
        connection.exec_driver_sql(
            "INSERT INTO reports VALUES ('one', 60, 'Anne', 'kept', 9, 10), ('one', 2, 'Bruno', 'old', 5, 6),"
            " ('one', 3, 'Zoé', 'of one who is gone', 5, 6), ('two', 1, 'Bruno', 'earlier', 10, 11),"
            " ('two', 2, 'Bruno', 'later', 21, 22)"
        )
        connection.exec_driver_sql("INSERT INTO sessions VALUES ('gone', 'gone', '', 1, 1, 1)")
    engine.dispose()
    return database


def test_reports_of_the_ninth_step_come_to_say_whose_words_they_are(ninth: str) -> None:
    store = Store(ninth)
    store.migrate()
    sayings = ChatStore(store.database)
    found = {(one.table, one.n): (one.person, one.text) for one in sayings.reports()}
    assert found == {
        ("one", 60): ("anne", "kept"),
        ("one", 2): ("bruno", "old"),
        ("two", 1): ("first", "earlier"),
        ("two", 2): ("bruno", "later"),
    }
    sayings.forget("bruno")
    assert [one.person for one in sayings.reports()] == ["first", "anne"]
    assert "rewrite" not in repr(rows(store.url, "kept")), "the file was rewritten"
    store.close()


def test_a_step_that_fails_leaves_everything_as_it_was(first: str) -> None:
    store = Store(first)
    with store.database.engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE sessions (id TEXT)")
    before = {name: rows(store.url, name) for name in TABLES}
    with pytest.raises(OptionError, match="sessions"):
        store.migrate()
    assert {name: rows(store.url, name) for name in TABLES} == before
    assert rows(store.url, "alembic_version")[1] == [("1",)]
    with store.database.engine.begin() as connection:
        connection.exec_driver_sql("DROP TABLE sessions")
    store.migrate()
    assert rows(store.url, "alembic_version")[1] == [(migrations.HEAD,)]
    store.close()
