"""Backup and restore on PostgreSQL, by its own programs; and the drill that docs/host.md describes, on both databases."""

from __future__ import annotations

import json
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from comptoir.engine import registry
from comptoir.web.ops import dumps
from comptoir.web.ops.backup import BackupError, DatabaseContents
from comptoir.web.storage import migrations
from comptoir.web.storage.bot_queue import WORKER
from comptoir.web.storage.channels import listening_connection
from comptoir.web.storage.store import Store
from tests.conftest import Run
from tests.web import stored
from tests.web.app_harness import AppHarness, in_app
from tests.web.conftest import Postgres
from tests.web.test_store import made, play, row_at


@contextmanager
def at(url: str) -> Iterator[Store]:
    store = Store(url)
    try:
        yield store
    finally:
        store.close()


def fill(url: str, versions: int = 2) -> None:
    """A database of this version, with one table."""
    with at(url) as store:
        store.migrate()
        made(store)
        for version in range(2, versions + 1):
            store.events.append("table", [play(version)], row_at(version))


def events(url: str) -> int:
    with at(url) as store:
        return len(store.events.read("table"))


@pytest.fixture
def filled(postgres: Postgres) -> str:
    url = postgres.new()
    fill(url)
    return url


@pytest.fixture
def copy(filled: str, tmp_path: Path) -> Path:
    dumps.back_up(filled, tmp_path / "copy.dump")
    return tmp_path / "copy.dump"


# The drill


def test_the_way_back_to_an_older_version(run: Run, database: str, tmp_path: Path) -> None:
    """Backup, upgrade, restore, start: a database of an older schema takes the place of a newer one."""
    written = stored.restore("schema-2", tmp_path / "old.sqlite")
    if database.startswith("postgresql"):
        stored.restore_postgresql(tmp_path / "old.sqlite", database, "2")
    else:
        database = written
    copy = str(tmp_path / "copy")
    assert run("backup", copy, "--database", database)[0] == 0
    with at(database) as store:
        store.migrate()  # adds tables that refer to those of the backup
        made(store)
    status, said, error = run("restore", copy, "--force", "--database", database)
    assert status == 0, error
    assert f"{5 * len(registry.names())} tables are back" in said
    with at(database) as store, store.database.begin() as connection:
        assert connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar() == "2"

    async def look(harness: AppHarness) -> None:
        for game in registry.names():
            for state in ("waiting", "running", "finished"):
                assert (await harness.person().get(f"/api/tables/{game}-{state}")).status_code == 200
        assert (await harness.person().get("/api/tables/table")).status_code == 404

    in_app(database, look)
    with at(database) as store, store.database.begin() as connection:
        found = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
    assert found == migrations.HEAD


def test_what_is_replaced_can_be_had_back(run: Run, filled: str, copy: Path) -> None:
    with at(filled) as store:
        store.events.append("table", [play(3)], row_at(3))
    status, _, said = run("restore", str(copy), "--database", filled)
    assert (status, "--force" in said, events(filled)) == (2, True, 3)
    told = json.loads(run("restore", str(copy), "--force", "--json", "--database", filled)[1])
    assert (told["tables"], told["events"], events(filled)) == (1, 2, 2)
    before = Path(told["before"])
    assert before == copy.with_name("copy.dump.before-1")
    assert stat.S_IMODE(before.stat().st_mode) == 0o600
    assert dumps.restore(before, filled, force=True) == (
        DatabaseContents(1, 3),
        before.with_name("copy.dump.before-1.before-1"),
    )
    assert events(filled) == 3


def test_an_empty_database_needs_no_force(postgres: Postgres, copy: Path) -> None:
    empty = postgres.new()
    assert dumps.restore(copy, empty) == (DatabaseContents(1, 2), None)
    assert events(empty) == 2


# Copies


def test_a_copy_is_of_one_moment_and_its_owner_s(filled: str, tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        held = dumps.back_up(filled, tmp_path / "copy")
    finally:
        os.umask(before)
    assert held == DatabaseContents(tables=1, events=2)
    assert stat.S_IMODE((tmp_path / "copy").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["copy"]
    with pytest.raises(BackupError, match="exists"):
        dumps.back_up(filled, tmp_path / "copy")
    dumps.back_up(filled, tmp_path / "copy", force=True)


def program(folder: Path, name: str, script: str) -> None:
    """A program of that name, which comes first in the path."""
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)


SPY = """
for argument; do
    printf '%s\\n' "$argument"
    case "$argument" in --file=*) file=${argument#--file=} ;; esac
done > "$SEEN/arguments"
env > "$SEEN/environment"
stat --format=%a "$file" > "$SEEN/mode"
stat --format=%a "$PGPASSFILE" >> "$SEEN/mode"
cat "$PGPASSFILE" > "$SEEN/password"
printf PGDMP > "$file"
echo 'the disk is full' >&2
exit 1
"""


def test_the_password_is_in_a_private_file_and_half_a_dump_is_no_backup(
    run: Run, filled: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path / "bin", "pg_dump", SPY)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setenv("SEEN", str(tmp_path))
    url = filled.replace("comptoir@", "comptoir:hu:sh@")
    monkeypatch.setenv("COMPTOIR_DATABASE", url)
    (tmp_path / "copies").mkdir()
    status, said, error = run("backup", str(tmp_path / "copies" / "copy"))
    assert (status, said) == (2, "")
    assert "pg_dump failed: the disk is full" in error
    assert list((tmp_path / "copies").iterdir()) == [], "neither the backup nor a part of it"
    assert (tmp_path / "mode").read_text().split() == ["600", "600"]
    assert (tmp_path / "password").read_text() == "*:*:*:*:hu\\:sh\n"
    for place in ("arguments", "environment"):
        seen = (tmp_path / place).read_text()
        assert "hu:sh" not in seen
        assert "hu%3Ash" not in seen
    assert "PGPASSFILE=" in (tmp_path / "environment").read_text()


def test_a_password_is_given_to_all_programs(mortal_postgres: Postgres, tmp_path: Path) -> None:
    """A role that owns its database, with a password that needs quoting; the server asks for it."""
    with psycopg.connect(mortal_postgres.url("postgres"), autocommit=True) as connection:
        connection.execute("CREATE ROLE club LOGIN PASSWORD 'p:a\\s@s'")
        connection.execute("CREATE DATABASE club OWNER club")
    access = mortal_postgres.folder / "data" / "pg_hba.conf"
    access.write_text("host all club 127.0.0.1/32 scram-sha-256\n" + access.read_text())
    with psycopg.connect(mortal_postgres.url("postgres"), autocommit=True) as connection:
        connection.execute("SELECT pg_reload_conf()")
    url = mortal_postgres.url("club").replace("comptoir@", "club:p%3Aa%5Cs%40s@")
    with pytest.raises(psycopg.OperationalError, match="password"):
        psycopg.connect(mortal_postgres.url("club").replace("comptoir@", "club@"))
    fill(url)
    dumps.back_up(url, tmp_path / "copy")
    assert dumps.restore(tmp_path / "copy", url, force=True)[0] == DatabaseContents(1, 2)
    assert events(url) == 2


def test_programs_that_are_missing_are_named(
    run: Run, filled: str, copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    for command, name in (("backup", "pg_dump"), ("restore", "pg_restore")):
        file = tmp_path / "other" if command == "backup" else copy
        status, _, said = run(command, str(file), "--database", filled)
        assert status == 2
        assert name in said
        assert "apt-get install postgresql-client" in said
    assert not (tmp_path / "other").exists()


def test_a_database_that_cannot_be_reached_is_said_without_the_password(run: Run, tmp_path: Path) -> None:
    for command in ("backup", "restore"):
        (tmp_path / "copy").write_bytes(b"PGDMP" if command == "restore" else b"")
        more = [] if command == "restore" else ["--force"]
        url = "postgresql://me:hush@127.0.0.1:1/name"
        status, _, said = run(command, str(tmp_path / "copy"), *more, "--database", url)
        assert status == 2
        assert "cannot be used" in said
        assert "hush" not in said


# Refusals


@pytest.mark.parametrize("name", ["comptoir", WORKER, "psql"])
def test_nothing_is_replaced_under_a_server_or_a_worker(
    run: Run, filled: str, copy: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dumps, "LEAVING", 0.3)
    with at(filled) as store:
        url = store.url
    line = listening_connection(url, name=name)
    status, _, said = run("restore", str(copy), "--force", "--database", filled)
    assert status == 2
    assert name in said
    assert "stop all servers and bots-workers" in said
    line.close()
    assert run("restore", str(copy), "--force", "--database", filled)[0] == 0


def cut(copy: Path) -> None:
    copy.write_bytes(copy.read_bytes()[:-200])


def spoiled(copy: Path) -> None:
    """The events, which are compressed."""
    content = copy.read_bytes()
    start = content.rindex(b"\x78")
    copy.write_bytes(content[: start + 8] + b"\0" * 20 + content[start + 28 :])


@pytest.mark.parametrize("spoil", [cut, spoiled])
def test_a_damaged_dump_changes_nothing(filled: str, copy: Path, spoil: object) -> None:
    assert callable(spoil)
    spoil(copy)
    with pytest.raises(BackupError, match=r"no_backup|failed"):
        dumps.restore(copy, filled, force=True)
    assert events(filled) == 2


HALF = """
case "$*" in *--no-owner*) echo 'CREATE TABLE public.tables (id text);'; exit 1 ;; esac
exec {real} "$@"
"""


def test_a_dump_that_cannot_be_read_to_its_end_changes_nothing(
    filled: str, copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path / "bin", "pg_restore", HALF.format(real=shutil.which("pg_restore")))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    with pytest.raises(BackupError, match="failed"):
        dumps.restore(copy, filled, force=True)
    assert events(filled) == 2


TRIGGER = """
CREATE FUNCTION refuse() RETURNS event_trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM pg_event_trigger_ddl_commands() WHERE object_identity = 'public.sitters') THEN
        RAISE EXCEPTION 'enough';
    END IF;
END
$$;
CREATE EVENT TRIGGER refuse ON ddl_command_end EXECUTE FUNCTION refuse();
"""


def test_a_restore_that_fails_halfway_changes_nothing(filled: str, copy: Path) -> None:
    """After everything was dropped, and tables that come before in the dump were made again."""
    with psycopg.connect(filled, autocommit=True) as connection:
        connection.execute(TRIGGER)
    with pytest.raises(BackupError, match="failed") as refused:
        dumps.restore(copy, filled, force=True)
    assert "enough" in str(refused.value.values["reason"])
    assert events(filled) == 2


def newer(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '99'")


def foreign(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("DROP TABLE sitters")


@pytest.mark.parametrize(("spoil", "key"), [(newer, "newer"), (foreign, "no_backup")])
def test_what_this_version_does_not_know_is_refused(
    postgres: Postgres, filled: str, tmp_path: Path, spoil: object, key: str
) -> None:
    other = postgres.new()
    fill(other)
    assert callable(spoil)
    spoil(other)
    with pytest.raises(BackupError, match=key):
        dumps.back_up(other, tmp_path / "copy")
    assert not (tmp_path / "copy").exists()
    with dumps.reached(other) as (programs, _):
        programs.dump(tmp_path / "copy")
    with pytest.raises(BackupError, match=key):
        dumps.restore(tmp_path / "copy", filled, force=True)
    assert events(filled) == 2


def test_other_files_are_refused(run: Run, filled: str, tmp_path: Path) -> None:
    sqlite = tmp_path / "one.sqlite"
    fill(f"sqlite:///{sqlite}")
    assert "backup of a SQLite database" in run("restore", str(sqlite), "--force", "--database", filled)[2]
    for content in (b"", b"text", b"PGDMP and no more"):
        (tmp_path / "file").write_bytes(content)
        assert (
            "nothing was changed"
            in run("restore", str(tmp_path / "file"), "--force", "--database", filled)[2]
        )
    assert "nothing was changed" in run("restore", str(tmp_path / "none"), "--force", "--database", filled)[2]
    assert events(filled) == 2


# Roles


@pytest.mark.parametrize("owner", [True, False])
def test_a_role_without_rights_over_the_schema_restores(
    postgres: Postgres, tmp_path: Path, owner: bool
) -> None:
    """The owner of a database owns `public` from PostgreSQL 15 on; a role that may only create there does not."""
    url = postgres.new()
    name = url.rpartition("/")[2]
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE ROLE {name} LOGIN")
        connection.execute(
            f"ALTER DATABASE {name} OWNER TO {name}" if owner else f"GRANT CREATE ON SCHEMA public TO {name}"
        )
        connection.execute("CREATE EXTENSION IF NOT EXISTS pg_stat_statements")
    role = url.replace("comptoir@", f"{name}@")
    fill(role)
    dumps.back_up(role, tmp_path / "copy")
    with psycopg.connect(role, autocommit=True) as connection:
        connection.execute("CREATE TABLE later (id integer PRIMARY KEY, whose text REFERENCES tables (id))")
        connection.execute("CREATE VIEW seen AS SELECT id FROM tables")
        connection.execute("CREATE SEQUENCE numbers")
    dumps.restore(tmp_path / "copy", role, force=True)
    assert events(role) == 2
    with psycopg.connect(role, autocommit=True) as connection:
        found = connection.execute(
            "SELECT relname FROM pg_class WHERE relname IN ('later', 'seen', 'numbers')"
        )
        assert found.fetchall() == []
