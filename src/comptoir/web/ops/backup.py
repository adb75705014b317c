"""Backups: a SQLite database copied while it is in use, and restored.

`dumps.py` does the same for PostgreSQL. A plain copy of the file would miss what lies in SQLite's
log. A backup is one file and contains everything, including the seeds of matches and the secret that signs
cookies, so only its owner may read it.
"""

from __future__ import annotations

import os
import re
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from comptoir.errors import OptionError
from comptoir.web.storage.migrations import HEAD

COPY_PAGES = 1_000  # copied at a time
LOGS = ("-wal", "-shm")  # what SQLite keeps next to a database
TABLES = {"tables", "events", "people", "sitters", "kept"}  # which every version has

ENDINGS = {"sqlite": ".sqlite", "postgresql": ".dump"}

Progress = Callable[[int, int], None]  # pages that are left, and all


class BackupError(Exception):
    """Why it was not done: a key of the command's words, and its values."""

    def __init__(self, key: str, **values: object) -> None:
        super().__init__(key)
        self.key, self.values = key, values


@dataclass(frozen=True)
class DatabaseContents:
    """What a database holds."""

    tables: int
    events: int


def back_up(
    database: Path, file: Path, *, force: bool = False, progress: Progress | None = None
) -> DatabaseContents:
    """Copies a database, as it is at one moment, whoever writes to it in the meantime."""
    if not database.is_file():
        raise BackupError("no_database", path=database)
    if file.exists() and (not force or file.samefile(database)):
        raise BackupError("exists", path=file)
    with new_file(file) as beside, closing(_reading(database)) as source:
        source.execute("BEGIN")  # one moment, however long it takes: else every action would start it again
        held = _held(source, database)
        _copy(source, beside, progress)
    return held


def restore(
    file: Path, database: Path, *, force: bool = False, progress: Progress | None = None
) -> tuple[DatabaseContents, Path | None]:
    """Puts a backup in a database's place; says where the one that was there is kept.

    The caller has claimed the database.
    """
    if not file.is_file():
        raise BackupError("no_backup", path=file)
    there = database.exists() and database.stat().st_size > 0
    if there and (not force or file.samefile(database)):
        raise BackupError("exists", path=database)
    with closing(_reading(file)) as source:
        held = _held(source, file)
        database.parent.mkdir(parents=True, exist_ok=True)
        kept = free_name(database) if there else None
        with new_file(database, moved_to=kept) as beside:
            _copy(source, beside, progress)
    return held, kept


def _held(source: sqlite3.Connection, file: Path) -> DatabaseContents:
    """Its contents, if it is a complete Comptoir database that this version knows."""
    try:
        found = {name for (name,) in source.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if not found >= TABLES or source.execute("PRAGMA quick_check").fetchone() != ("ok",):
            raise BackupError("no_backup", path=file)
        (version,) = source.execute("SELECT version_num FROM alembic_version").fetchone()
        tables, events = (
            source.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in ("tables", "events")
        )
    except (sqlite3.DatabaseError, TypeError):
        raise BackupError("no_backup", path=file) from None
    if not str(version).isdecimal() or int(version) > int(HEAD):
        raise BackupError("newer", path=file, version=version, ours=HEAD)
    return DatabaseContents(tables, events)


def _reading(file: Path) -> sqlite3.Connection:
    """A database to be read and not made; its log may have to be read too, so it is not opened read-only."""
    try:
        return sqlite3.connect(
            f"{file.absolute().as_uri()}?mode=rw", uri=True, isolation_level=None, timeout=10
        )
    except sqlite3.OperationalError as error:
        raise OptionError(f"{file}: {error}") from None


def _copy(source: sqlite3.Connection, target: Path, progress: Progress | None) -> None:
    told = None if progress is None else (lambda _, left, total: progress(left, total))
    with closing(sqlite3.connect(target)) as copy:
        source.backup(copy, pages=COPY_PAGES, progress=told)
        copy.execute("PRAGMA journal_mode = DELETE")  # one file, with nothing next to it


@contextmanager
def new_file(file: Path, moved_to: Path | None = None) -> Iterator[Path]:
    """A file to be written next to the named one, which it becomes only once it is whole and on the disk."""
    beside = file.with_name(f"{file.name}.new")
    try:
        beside.unlink(missing_ok=True)
        os.close(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        yield beside
        with beside.open("rb+") as written:
            os.fsync(written.fileno())
        if moved_to is not None:
            _move(file, moved_to)
        beside.replace(file)
    except (OSError, sqlite3.Error) as error:
        raise OptionError(f"{file}: {getattr(error, 'strerror', None) or error}") from None
    finally:
        beside.unlink(missing_ok=True)


def _move(database: Path, to: Path) -> None:
    """With its log, and that first: one that is left behind would be taken for the new file's."""
    for end in (*LOGS, ""):
        part = Path(f"{database}{end}")
        if part.exists():
            part.rename(f"{to}{end}")


def free_name(file: Path) -> Path:
    """An unused name next to a file, for what a restore replaces."""
    n = 1
    while (name := file.with_name(f"{file.name}.before-{n}")).exists():
        n += 1
    return name


# Backups in a folder


def dated(folder: Path, kind: str) -> Path:
    """The name of a new backup in a folder: names in order of time (UTC)."""
    return folder / time.strftime(f"comptoir-%Y%m%d-%H%M%S{ENDINGS[kind]}", time.gmtime())


def remove_older(newest: Path, keep: int) -> list[Path]:
    """Deletes all but the latest backups of the same kind in a folder; other files stay.

    `newest` itself always stays, even if the clock was set back since the others were written.
    """
    name = re.compile(rf"comptoir-\d{{8}}-\d{{6}}{re.escape(newest.suffix)}")
    others = [file for file in newest.parent.iterdir() if name.fullmatch(file.name) and file != newest]
    older = sorted(others, reverse=True)[keep - 1 :]
    for file in older:
        try:
            file.unlink(missing_ok=True)
        except OSError as error:
            raise OptionError(f"{file}: {error.strerror}") from None
    return older
