"""Backup and restore: the same tables, byte for byte, taken while somebody writes; nothing is lost by mistake."""

from __future__ import annotations

import hashlib
import json
import shutil
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from time import gmtime

import pytest

from comptoir.engine import registry
from comptoir.errors import OptionError
from comptoir.web.ops.backup import BackupError, back_up, restore
from comptoir.web.ops.process_lock import DatabaseInUse, DatabaseLock
from comptoir.web.storage.store import Store
from tests.conftest import Run
from tests.web import stored
from tests.web.app_harness import AppHarness, in_app
from tests.web.test_store import made, play, row_at

WRITING = """
import sys
from comptoir.web.storage.store import Store
from tests.web.test_store import made, play, row_at
store = Store(sys.argv[1])
store.migrate()
made(store)
version = 1
while True:
    version += 1
    store.events.append("table", [play(version)], row_at(version))
    print(version, flush=True)
"""


def content(file: Path) -> str:
    """A hash of all that a database holds."""
    connection = sqlite3.connect(file)
    text = "\n".join(connection.iterdump())
    connection.close()
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A database in use: what was written lies in its log."""
    path = tmp_path / "comptoir.sqlite"
    store = Store(f"sqlite:///{path}")
    store.migrate()
    made(store)
    store.events.append("table", [play(2)], row_at(2))
    store.close()
    return path


def test_a_server_s_tables_come_back_the_same(tmp_path: Path) -> None:
    """Of every game a table that waits, runs, is over: copied while they are served, and served again."""
    address = stored.restore("schema-2", tmp_path / "one.sqlite")
    shown: dict[str, object] = {}
    paths = [f"/api/{what}/{game}-finished" for game in registry.names() for what in ("tables", "replays")]

    async def back_up_served(made: AppHarness) -> None:
        shown.update({path: (await made.person().get(path)).json() for path in paths})
        assert back_up(tmp_path / "one.sqlite", tmp_path / "copy").tables == 5 * len(registry.names())

    async def look(made: AppHarness) -> None:
        assert {path: (await made.person().get(path)).json() for path in paths} == shown
        assert (await made.person().get("/tables/batavia-running")).status_code == 200

    in_app(address, back_up_served)
    restore(tmp_path / "copy", tmp_path / "two.sqlite")
    assert content(tmp_path / "two.sqlite") == content(tmp_path / "copy")
    in_app(f"sqlite:///{tmp_path / 'two.sqlite'}", look)


def test_a_copy_is_of_one_moment_whoever_writes(tmp_path: Path) -> None:
    database = tmp_path / "comptoir.sqlite"
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITING, f"sqlite:///{database}"], stdout=subprocess.PIPE, text=True
    )
    assert writer.stdout is not None
    last = 0
    try:
        for n in range(5):
            for line in writer.stdout:
                if int(line) > last + 10:
                    break
            acknowledged = int(line)
            held = back_up(database, tmp_path / f"copy-{n}")
            assert held.events >= acknowledged, "all that was acknowledged before is in it"
            restore(tmp_path / f"copy-{n}", tmp_path / f"back-{n}.sqlite")
            back = Store(f"sqlite:///{tmp_path / f'back-{n}.sqlite'}")
            versions = [event.version for event in back.events.read("table")]
            row = back.tables.find("table")
            assert row is not None
            assert versions == list(range(1, row.version + 1))
            assert row.version == held.events
            back.close()
            last = held.events
    finally:
        writer.kill()
        writer.wait()
        writer.stdout.close()
    back_up(database, tmp_path / "last")
    assert content(tmp_path / "last") == content(database)


def test_a_copy_is_for_its_owner_only_and_one_file(database: Path, tmp_path: Path) -> None:
    (tmp_path / "copies").mkdir()
    back_up(database, tmp_path / "copies" / "copy")
    assert [path.name for path in (tmp_path / "copies").iterdir()] == ["copy"]
    assert (tmp_path / "copies" / "copy").stat().st_mode & 0o777 == 0o600


def test_nothing_is_written_over_unasked(database: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.write_text("precious")
    with pytest.raises(BackupError, match="exists"):
        back_up(database, copy)
    assert copy.read_text() == "precious"
    back_up(database, copy, force=True)
    with pytest.raises(BackupError, match="exists"):
        back_up(database, database, force=True)
    with pytest.raises(BackupError, match="exists"):
        restore(copy, database)
    with pytest.raises(BackupError, match="no_database"):
        back_up(tmp_path / "none", tmp_path / "other")
    with pytest.raises(OptionError, match="No such file"):
        back_up(database, tmp_path / "no" / "folder")
    assert not (tmp_path / "none").exists()


def test_what_was_there_is_kept_with_its_log(database: Path, tmp_path: Path) -> None:
    back_up(database, tmp_path / "copy")
    open_still = Store(f"sqlite:///{database}")  # so that its log is not yet moved to its place
    open_still.events.append("table", [play(3)], row_at(3))
    assert Path(f"{database}-wal").stat().st_size > 0
    held, kept = restore(tmp_path / "copy", database, force=True)
    open_still.database.engine.dispose()
    assert held.events == 2
    assert kept == tmp_path / "comptoir.sqlite.before-1"
    for file, number in ((database, 2), (kept, 3)):
        store = Store(f"sqlite:///{file}")
        assert len(store.events.read("table")) == number
        store.close()
    assert restore(tmp_path / "copy", database, force=True)[1] == tmp_path / "comptoir.sqlite.before-2"


def damaged(copy: Path) -> None:
    with copy.open("r+b") as file:
        file.seek(4096 * 3)
        file.write(b"\xff" * 4096 * 3)


def other_schema(copy: Path) -> None:
    copy.unlink()
    with sqlite3.connect(copy) as connection:
        connection.execute("CREATE TABLE tables (id)")
    connection.close()


def newer(copy: Path) -> None:
    with sqlite3.connect(copy) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '99'")
    connection.close()


@pytest.mark.parametrize(
    ("spoil", "key"),
    [
        (lambda copy: copy.write_text("no database"), "no_backup"),
        (lambda copy: copy.write_bytes(b""), "no_backup"),
        (lambda copy: copy.unlink(), "no_backup"),
        (damaged, "no_backup"),
        (other_schema, "no_backup"),
        (newer, "newer"),
    ],
    ids=["text", "empty", "missing", "damaged", "other", "newer"],
)
def test_what_is_no_backup_is_refused(database: Path, tmp_path: Path, spoil: object, key: str) -> None:
    copy = tmp_path / "copy"
    back_up(database, copy)
    assert callable(spoil)
    spoil(copy)
    before = content(database)
    with pytest.raises(BackupError, match=key):
        restore(copy, database, force=True)
    assert content(database) == before
    assert not list(tmp_path.glob("*.new"))


# One process a file


def test_a_file_is_one_process_s_until_it_is_gone(tmp_path: Path) -> None:
    """However it goes: the lock is the system's."""
    code = "import sys, pathlib; from comptoir.web.ops.process_lock import DatabaseLock; c = DatabaseLock(pathlib.Path(sys.argv[1])); c.add_note(', http://here/'); print(1, flush=True); sys.stdin.read()"
    holder = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "x.sqlite")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert holder.stdout is not None
    assert holder.stdin is not None
    holder.stdout.readline()
    for _ in range(2):
        with pytest.raises(DatabaseInUse, match=f"^PID {holder.pid}, http://here/$"):
            DatabaseLock(tmp_path / "x.sqlite")
    DatabaseLock(tmp_path / "y.sqlite").release()
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    holder.stdout.close()
    holder.stdin.close()
    claim = DatabaseLock(tmp_path / "x.sqlite")
    with pytest.raises(DatabaseInUse):
        DatabaseLock(tmp_path / "x.sqlite")
    claim.release()
    DatabaseLock(tmp_path / "x.sqlite").release()


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="cannot be written"):
        DatabaseLock(tmp_path / "none" / "x.sqlite")


# The commands


def test_the_commands_copy_there_and_back(run: Run, database: Path, tmp_path: Path) -> None:
    url, copy = f"sqlite:///{database}", str(tmp_path / "copy")
    assert run("backup", copy, "--database", url)[:2] == (
        0,
        f"1 table copied into {copy} ({copy_size(copy)} KB).\n",
    )
    status, _, said = run("backup", copy, "--database", url, "--lang", "fr")
    assert (status, "existe déjà" in said) == (2, True)
    told = json.loads(run("backup", copy, "--force", "--json", "--database", url)[1])
    assert told == {"file": copy, "bytes": Path(copy).stat().st_size, "tables": 1, "events": 2}
    assert "--force puts the backup in its place" in run("restore", copy, "--database", url)[2]
    claim = DatabaseLock(database)
    status, _, said = run("restore", copy, "--force", "--database", url)
    assert status == 2
    assert "is in use by another Comptoir" in said
    claim.release()
    status, said, _ = run("restore", copy, "--force", "--database", url)
    assert status == 0
    assert "1 table is back in" in said
    assert "A copy of what was there before is in" in said
    new = f"sqlite:///{tmp_path / 'new' / 'comptoir.sqlite'}"
    told = json.loads(run("restore", copy, "--json", "--database", new)[1])
    assert (told["before"], told["tables"], told["events"]) == (None, 1, 2)
    shutil.copy(__file__, tmp_path / "text")
    assert (
        "is not a Comptoir backup" in run("restore", str(tmp_path / "text"), "--force", "--database", url)[2]
    )


def copy_size(copy: str) -> str:
    return str(Path(copy).stat().st_size // 1000)


def test_a_folder_keeps_the_latest(
    run: Run, database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, folder = f"sqlite:///{database}", tmp_path / "copies"
    assert "is not an existing folder" in run("backup", str(folder), "--keep", "2", "--database", url)[2]
    folder.mkdir()
    mine = [
        "comptoir-notes.sqlite",
        "comptoir-20000101-000000.dump",
        "comptoir-20000101-000000.sqlite.before-1",
    ]
    for name in mine:
        (folder / name).touch()
    for moment in (100.0, 300.0, 200.0, 50.0):  # the clock is set back, twice
        monkeypatch.setattr("comptoir.web.ops.backup.time.gmtime", lambda moment=moment: gmtime(moment))
        told = json.loads(run("backup", str(folder), "--keep", "2", "--json", "--database", url)[1])
        assert Path(told["file"]).stat().st_mode & 0o777 == 0o600
    left = {path.name for path in folder.iterdir()} - set(mine)
    assert left == {"comptoir-19700101-000050.sqlite", "comptoir-19700101-000500.sqlite"}
    assert told["removed"] == [str(folder / "comptoir-19700101-000320.sqlite")]
    assert all((folder / name).exists() for name in mine)
