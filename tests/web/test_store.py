"""The store: nothing acknowledged is lost, one of two writers wins, lists show what was written, on both
databases.
"""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Empty, Queue

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from comptoir.errors import MissingExtra, OptionError
from comptoir.web.domain.state import Event, TableSummary
from comptoir.web.storage import channels, database_schema, migrations
from comptoir.web.storage.database import default_url
from comptoir.web.storage.event_store import PendingWrite, VersionConflict
from comptoir.web.storage.people_store import Person
from comptoir.web.storage.store import Store
from tests import real_time
from tests.web.conftest import Postgres, wait_for_the_last_commit


def row_at(version: int, table: str = "table", **others: object) -> TableSummary:
    usual: dict[str, object] = {
        "id": table,
        "game": "batavia",
        "state": "on",
        "open": True,
        "version": version,
        "names": ("Anne", ""),
        "people": ("anne",),
        "turn": 0,
        "turn_person": "anne",
        "due": None,
        "updated": float(version),
    }
    return TableSummary(**{**usual, **others})  # type: ignore[arg-type]


def play(version: int) -> Event:
    return Event(version, "play", 0, "anne", f"bid {version}", version / 8)


def made(store: Store, table: str = "table", version: int = 1, **others: object) -> TableSummary:
    """A table that was just made."""
    row = row_at(version, table, **others)
    store.events.append(table, [Event(n, "made" if n == 1 else "sit") for n in range(1, version + 1)], row)
    return row


# What happened


def test_what_was_written_is_read(store: Store) -> None:
    written = [
        Event(1, "made", None, "anne", '{"names": "Chloé « ½ »"}', 1_700_000_000.123456),
        Event(2, "sit", 0, "anne"),
        Event(3, "bot", 1, None, "captain"),
    ]
    store.events.append("table", written, row_at(3))
    store.events.append("table", [play(4)], row_at(4))
    assert store.events.read("table") == [*written, play(4)]
    assert store.events.read("table", after=2) == [written[2], play(4)]
    assert store.events.read("table", after=4) == store.events.read("another") == []
    assert store.tables.find("table") == row_at(4)
    assert store.tables.find("another") is None


@pytest.mark.parametrize("first", [1, 2, 3, 5])
def test_only_the_next_number_is_written(store: Store, first: int) -> None:
    made(store, version=3)
    with pytest.raises(VersionConflict):
        store.events.append("table", [play(first), play(first + 1)], row_at(first + 1, due=5.0))
    assert len(store.events.read("table")) == 3
    assert store.tables.find("table") == row_at(3)


def test_a_table_starts_at_1(store: Store) -> None:
    with pytest.raises(VersionConflict):
        store.events.append("table", [play(2)], row_at(2))
    assert store.tables.find("table") is None
    assert store.events.read("table") == []


@pytest.mark.parametrize(
    ("numbers", "row"),
    [([], row_at(1)), ([1, 3], row_at(3)), ([1], row_at(2)), ([1], row_at(1, "another"))],
    ids=str,
)
def test_a_row_that_does_not_come_of_the_events_is_a_mistake_of_ours(
    store: Store, numbers: list[int], row: TableSummary
) -> None:
    with pytest.raises(ValueError, match="does not come of"):
        store.events.append("table", [play(version) for version in numbers], row)
    assert store.tables.find("table") is None


def test_of_two_that_race_one_wins(database: str) -> None:
    """Two processes' stores, a hundred races: each version is written once, and the loser has written
    nothing.
    """
    stores = [Store(database), Store(database)]
    stores[0].migrate()
    made(stores[0])
    start = threading.Barrier(2)

    def run(who: int) -> int:
        won = 0
        for version in range(2, 102):
            start.wait(60)
            try:
                stores[who].events.append("table", [Event(version, "play", who)], row_at(version, turn=who))
                won += 1
            except VersionConflict:
                pass
        return won

    with ThreadPoolExecutor(2) as threads:
        wins = list(threads.map(run, range(2)))
    assert sum(wins) == 100
    written = stores[0].events.read("table")
    assert [event.version for event in written] == list(range(1, 102))
    last = stores[1].tables.find("table")
    assert last is not None
    assert (last.version, last.turn) == (101, written[-1].seat)
    for store in stores:
        store.close()


def test_of_several_tables_only_what_comes_too_late_is_not_written(store: Store) -> None:
    for table in "abc":
        made(store, table)
    store.events.append("b", [play(2)], row_at(2, "b"))
    first, late, last = store.events.append_all(
        [PendingWrite(table, [play(2)], row_at(2, table)) for table in "abc"]
    )
    assert (first, type(late), last) == (None, VersionConflict, None)
    assert (
        store.events.append_all(
            [PendingWrite(table, [play(3), play(4)], row_at(4, table)) for table in "cab"]
        )
        == [None] * 3
    )
    new = PendingWrite("d", [Event(1, "made")], row_at(1, "d", people=("zoe",)))
    assert store.events.append_all([PendingWrite("a", [play(5)], row_at(5, "a")), new]) == [None, None]
    for table, version in zip("abcd", (5, 4, 4, 1), strict=True):
        row = store.tables.find(table)
        assert row is not None
        assert [event.version for event in store.events.read(table)] == list(range(1, version + 1))
        assert row.version == version
    assert [row.id for row in store.tables.tables_of("zoe")] == ["d"]


def test_sqlites_log_is_tidied_and_nothing_is_lost(store: Store) -> None:
    made(store)
    for version in range(2, 50):
        store.events.append("table", [play(version)], row_at(version))
    store.database.checkpoint_wal()
    assert len(store.events.read("table")) == 49
    if store.kind == "sqlite":
        database = Path(store.url.database or "")
        with sqlite3.connect(f"file:{database}?immutable=1", uri=True) as file:  # without its log
            assert file.execute("SELECT count(*) FROM events").fetchone() == (49,)
        file.close()


def test_many_threads_write_to_many_tables(store: Store) -> None:
    def run(table: int) -> None:
        made(store, f"t{table}")
        for version in range(2, 30):
            store.events.append(f"t{table}", [play(version)], row_at(version, f"t{table}"))

    with ThreadPoolExecutor(16) as threads:
        list(threads.map(run, range(32)))
    assert store.tables.counts() == {"on": 32}
    assert all(len(store.events.read(f"t{table}")) == 29 for table in range(32))


# Kill -9

WRITER = """
import sys
from comptoir.web.storage.store import Store
from tests.web.test_store import play, row_at
store = Store(sys.argv[1])
version = len(store.events.read("table"))
while True:
    version += 1
    store.events.append("table", [play(version), play(version + 1)], row_at(version + 1))
    version += 1
    print(version, flush=True)
"""


@pytest.mark.slow
def test_kill_9_loses_nothing_that_was_acknowledged(database: str) -> None:
    store = Store(database)
    store.migrate()
    made(store)
    dice, last = random.Random(5), 1
    for _ in range(4):
        with subprocess.Popen(
            [sys.executable, "-c", WRITER, database], stdout=subprocess.PIPE, text=True, cwd=Path.cwd()
        ) as writer:
            assert writer.stdout is not None
            writer.stdout.readline()
            real_time.block(dice.random() / 20)
            writer.kill()
            acknowledged = [int(line) for line in writer.stdout.read().split()]
        wait_for_the_last_commit(database)
        written = store.events.read("table")
        assert [event.version for event in written] == list(range(1, len(written) + 1))
        assert written[1:] == [play(version) for version in range(2, len(written) + 1)]
        assert len(written) >= max(acknowledged, default=0)
        assert len(written) % 2 == 1, "two events that were written together are both there or neither"
        found = store.tables.find("table")
        assert found is not None
        assert found.version == len(written) > last
        last = found.version
    store.close()


# Lists


def test_my_tables_come_latest_first(store: Store) -> None:
    made(store, "old", updated=1.0)
    made(store, "new", updated=3.0, open=False, state="over", turn=None)
    made(store, "bruno's", people=("bruno",))
    made(store, "ours", people=("anne", "bruno"), names=("Anne", "Bruno"), updated=2.0)
    assert [row.id for row in store.tables.tables_of("anne")] == ["new", "ours", "old"]
    assert [row.id for row in store.tables.tables_of("anne", limit=1)] == ["new"]
    assert store.tables.tables_of("ours") == store.tables.tables_of("nobody") == []


def test_who_rises_has_the_table_no_more(store: Store) -> None:
    made(store, people=("anne", "bruno"))
    store.events.append(
        "table",
        [Event(2, "rise", 0, "anne"), Event(3, "sit", 0, "chloe")],
        row_at(3, people=("bruno", "chloe")),
    )
    assert store.tables.tables_of("anne") == []
    assert [row.people for row in store.tables.tables_of("chloe")] == [("bruno", "chloe")]
    store.events.append(
        "table", [Event(4, "rise", 0, "chloe"), Event(5, "rise", 1, "bruno")], row_at(5, people=())
    )
    assert store.tables.tables_of("bruno") == store.tables.tables_of("chloe") == []


def test_open_tables_wait_or_can_be_watched(store: Store) -> None:
    for state in ("waiting", "on", "over"):
        made(store, f"open-{state}", state=state)
        made(store, f"link-{state}", state=state, open=False)
    assert [row.id for row in store.tables.open()] == ["open-waiting"]
    assert [row.id for row in store.tables.watchable()] == ["open-on"]
    assert store.tables.counts() == {"waiting": 2, "on": 2, "over": 2}
    store.events.append("open-on", [play(2)], row_at(2, "open-on", state="over", turn=None))
    assert store.tables.watchable() == []


def test_what_is_due_comes_longest_overdue_first(store: Store) -> None:
    made(store, "later", due=30.0)
    made(store, "second", due=20.0)
    made(store, "first", due=10.0)
    made(store, "calm", due=None)
    assert [row.id for row in store.tables.due(25.0)] == ["first", "second"]
    assert [row.id for row in store.tables.due(25.0, limit=1)] == ["first"]
    store.events.append("first", [play(2)], row_at(2, "first", due=None))
    assert [row.id for row in store.tables.due(25.0)] == ["second"]


@pytest.mark.parametrize("id", ["\0", "\ud800", "", "é", "a b", "x" * 65, "'; DROP TABLE people"])
def test_an_id_that_is_none_finds_nothing(store: Store, id: str) -> None:
    assert store.tables.find(id) is None
    assert store.people.find(id) is None
    assert store.events.read(id) == []
    assert store.tables.tables_of(id) == []


# People


def test_a_person_is_kept_and_may_change_name(store: Store) -> None:
    assert store.people.find("anne") is None
    store.people.save(Person("anne", "Anne", "fr", 5.0))
    store.people.save(Person("anne", "Anne-Lise", "en", 9.0))
    assert store.people.find("anne") == Person("anne", "Anne-Lise", "en", 5.0)


def test_the_secret_is_made_once(database: str) -> None:
    stores = [Store(database) for _ in range(4)]
    stores[0].migrate()
    with ThreadPoolExecutor(4) as threads:
        found = set(threads.map(lambda store: store.values.secret(), stores))
    assert len(found) == 1
    assert len(found.pop()) == 32
    for store in stores:
        store.close()


# Migrations


def test_the_schema_is_what_the_migrations_make(store: Store) -> None:
    with store.database.engine.connect() as connection:
        context = MigrationContext.configure(connection)
        differences = [
            found
            for found in compare_metadata(context, database_schema.schema)
            if "index" not in str(found[0])
        ]
    assert differences == []


def test_the_last_step_is_known_without_alembic() -> None:
    scripts = ScriptDirectory(str(Path(migrations.__file__).parent))
    assert scripts.get_current_head() == migrations.HEAD


def test_migrating_twice_changes_nothing(store: Store) -> None:
    made(store)
    store.migrate()
    assert store.tables.find("table") == row_at(1)


def test_processes_that_start_at_once_migrate_once(database: str) -> None:
    code = "import sys; from comptoir.web.storage.store import Store; s = Store(sys.argv[1]); s.migrate(); print(s.values.secret().hex()); s.close()"
    running = [
        subprocess.Popen(
            [sys.executable, "-c", code, database], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for _ in range(3)
    ]
    ended = [process.communicate(timeout=60) for process in running]
    assert [error for _, error in ended] == [""] * 3
    assert len({out for out, _ in ended}) == 1


def test_a_database_of_a_newer_comptoir_is_left_alone(store: Store) -> None:
    with store.database.engine.begin() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '99'"))
    with pytest.raises(OptionError, match=r"newer Comptoir \(its version is 99, ours"):
        store.migrate()


# Addresses


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("nonsense", "expected sqlite:///FILE or postgresql://"),
        ("", "expected sqlite:///FILE or postgresql://"),
        ("mysql://localhost/x", "not in mysql"),
        ("sqlite://", "is a file"),
        ("sqlite:///:memory:", "is a file"),
        ("sqlite://relative.sqlite", "is a file"),
        ("sqlite:////proc/nowhere/x.sqlite", "cannot be written"),
        ("sqlite:////proc/version", "cannot be"),
        ("postgresql://comptoir:hush@127.0.0.1:1/comptoir", "cannot be used"),
    ],
)
def test_an_address_that_cannot_be_used_is_said_so(url: str, said: str) -> None:
    with pytest.raises(OptionError, match=said) as raised:
        Store(url).migrate()
    assert "hush" not in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_file_that_is_no_database_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("Not a database, but a text of some length." * 100)
    with pytest.raises(OptionError, match="not a database"):
        Store(f"sqlite:///{tmp_path / 'notes.txt'}")


def test_a_missing_driver_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtra, match=r"pip install .*\[postgres\]"):
        Store("postgresql://localhost/comptoir")


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_postgresql_may_be_spelt_as_people_do(postgres: Postgres, scheme: str) -> None:
    store = Store(postgres.url("postgres").replace("postgresql", scheme, 1))
    assert store.database.answers()
    store.close()


def test_the_database_lies_in_the_users_data_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "été"))
    store = Store(default_url())
    store.migrate()
    assert store.database.answers()
    store.close()
    path = tmp_path / "été" / "comptoir" / "comptoir.sqlite"
    assert path.stat().st_mode & 0o777 == 0o600
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()


# Other processes


def _heard(told: Queue[tuple[str, int]], wanted: tuple[str, int], seconds: float = 60) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if told.get(timeout=0.1) == wanted:
                return True
        except Empty:
            pass
    return False


def test_other_processes_are_told(postgres: Postgres) -> None:
    url = postgres.new()
    here, there = Store(url), Store(url)
    here.migrate()
    told: Queue[tuple[str, int]] = Queue()
    there.channels.listen(lambda table, version: told.put((table, version)))
    made(here, version=2)
    with pytest.raises(VersionConflict):
        made(here)
    here.events.append("table", [play(3)], row_at(3))
    assert [told.get(timeout=60), told.get(timeout=60)] == [("table", 2), ("table", 3)]
    assert told.empty(), "what was not written is not told"
    here.close()
    there.close()


def test_sqlite_serves_one_process_and_tells_nothing(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path / 'x.sqlite'}")
    store.migrate()
    told: list[tuple[str, int]] = []
    store.channels.listen(lambda table, version: told.append((table, version)))
    made(store)
    store.close()
    assert told == []


def test_after_a_restart_of_postgresql_all_goes_on(mortal_postgres: Postgres) -> None:
    store = Store(mortal_postgres.new())
    store.migrate()
    told: Queue[tuple[str, int]] = Queue()
    store.channels.listen(lambda table, version: told.put((table, version)))
    made(store)
    assert _heard(told, ("table", 1))
    mortal_postgres.stop()
    assert not store.database.answers()
    with pytest.raises(sa.exc.OperationalError):
        store.events.append("table", [play(2)], row_at(2))
    real_time.block(0.5)  # the listener tries without effect
    mortal_postgres.start()
    store.events.append("table", [play(2)], row_at(2))
    assert store.database.answers()
    assert _heard(told, ("", 0)), "anything may have changed meanwhile"
    store.events.append("table", [play(3)], row_at(3))
    assert _heard(told, ("table", 3))
    assert store.events.read("table")[1:] == [play(2), play(3)]
    store.close()


def test_connections_that_postgresql_closed_are_not_noticed(postgres: Postgres) -> None:
    """An idle connection that was cut costs no action: reading and writing try once more."""
    store = Store(postgres.new())
    store.migrate()
    cut = sa.text(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    other = Store(str(store.url))
    attempts: list[Callable[[], object]] = [
        lambda: made(store),
        lambda: store.events.read("table"),
        lambda: store.people.save(Person("anne", "Anne", "fr", 5.0)),
    ]
    for attempt in attempts:
        assert store.database.answers()
        with other.database.engine.connect() as connection:
            connection.execute(cut)
        attempt()
    assert store.tables.find("table") == row_at(1)
    store.close()
    other.close()


def test_a_password_may_hold_any_character(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one that addresses write in another way; and the address may say how long to wait."""
    given: dict[str, object] = {}
    monkeypatch.setattr("psycopg.connect", lambda **parameters: given.update(parameters))
    url = sa.URL.create("postgresql+psycopg", "us er", "a b+c%@/", "db.example", 5433, "games")
    channels.listening_connection(
        sa.make_url(url.render_as_string(hide_password=False) + "?connect_timeout=9"), name="x"
    )
    expected = {
        "user": "us er",
        "password": "a b+c%@/",
        "host": "db.example",
        "port": 5433,
        "dbname": "games",
    }
    assert given | expected | {"connect_timeout": "9", "application_name": "x"} == given
