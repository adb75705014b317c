"""Backups of PostgreSQL, made and restored by its own programs (pg_dump, pg_restore, psql).

A restore replaces everything in one transaction: if any of it fails, the database is as it was before.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

import sqlalchemy as sa

from comptoir.web.ops.backup import TABLES, BackupError, DatabaseContents, free_name, new_file
from comptoir.web.storage.channels import listening_connection
from comptoir.web.storage.database import MIGRATION_LOCK
from comptoir.web.storage.migrations import HEAD
from comptoir.web.storage.store import Store

if TYPE_CHECKING:
    import psycopg

NAME = "comptoir backup"  # what we call ourselves in pg_stat_activity
MAGIC = b"PGDMP"  # how a dump in PostgreSQL's custom format begins
SQLITE = b"SQLite format 3"
PACKAGE = "postgresql-client"  # Debian's package of the three programs
PLAIN = (
    "--no-owner",
    "--no-privileges",
    "--no-comments",
)  # what a role that owns only its tables can restore
MAX_REASON_CHARS = 500  # characters of a program's complaint that are passed on
LOST = 2  # psql's exit status if it was cut off from the server; 3 is an error in what it was told to do
LEAVING = 3.0  # seconds that connections of a server that has just stopped may take to end

# a server has its role's connections, and both it and a bots-worker are named comptoir…
_IN_USE = """
    SELECT coalesce(nullif(application_name, ''), 'unnamed') FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()
      AND (usename = current_user OR application_name LIKE 'comptoir%')
"""
_TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
# Drops whatever is there, not only the tables that this version knows: a newer one may have added more. What
# belongs to an extension stays, and so does the schema itself: up to PostgreSQL 14 the superuser owns it.
_REPLACE = f"""
BEGIN;
SET LOCAL lock_timeout = '10s';
SELECT pg_advisory_xact_lock({MIGRATION_LOCK});
DO $$
DECLARE
    found record;
BEGIN
    FOR found IN
        SELECT relname,
               CASE relkind WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW' WHEN 'S' THEN 'SEQUENCE'
                            WHEN 'f' THEN 'FOREIGN TABLE' ELSE 'TABLE' END AS kind
        FROM pg_class
        WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'S', 'f')
          AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass
                          AND objid = pg_class.oid AND deptype = 'e')
    LOOP
        EXECUTE format('DROP %s IF EXISTS %I.%I CASCADE', found.kind, current_schema(), found.relname);
    END LOOP;
END
$$;
"""


def back_up(url: str, file: Path, *, force: bool = False) -> DatabaseContents:
    """Dumps a database as it is at one moment, while it is in use."""
    if file.exists() and not force:
        raise BackupError("exists", path=file)
    with reached(url) as (programs, line):
        line.execute("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        held = _held(line, programs.address)
        ((snapshot,),) = line.execute("SELECT pg_export_snapshot()").fetchall()
        with new_file(file) as beside:
            programs.dump(beside, f"--snapshot={snapshot}")
    return held


def restore(file: Path, url: str, *, force: bool = False) -> tuple[DatabaseContents, Path | None]:
    """Replaces a database with a dump, and dumps the replaced one next to it.

    Raises BackupError with the reason; the database is then as it was.
    """
    _check_kind(file)
    with reached(url) as (programs, line):
        _check_dump(programs, file)
        there = line.execute(_TABLES).fetchone() is not None
        if there and not force:
            raise BackupError("exists_postgresql", path=programs.address)
        _check_unused(line)
        kept = free_name(file) if there else None
        if kept is not None:
            with new_file(kept) as beside:
                programs.dump(beside)
        programs.replace(file)
        return _held(line, programs.address), kept


@dataclass(frozen=True)
class Programs:
    """PostgreSQL's programs, working on one database."""

    address: str  # of the database, without its password
    environment: dict[str, str]

    def dump(self, file: Path, *more: str) -> None:
        self.run("pg_dump", "--format=custom", *PLAIN, *more, f"--file={file}", *self._database)

    def replace(self, file: Path) -> None:
        """Drops what is there and loads a dump, in one transaction.

        psql ends without COMMIT, so that nothing has changed, unless the dump was read to its end.
        """
        command = ["--quiet", "--no-psqlrc", "--set=ON_ERROR_STOP=1", "--file=-", *self._database]
        with tempfile.TemporaryFile() as complaints:
            loading = self._start("psql", *command, stdin=subprocess.PIPE, stderr=complaints)
            assert loading.stdin is not None
            ending = False
            try:
                with suppress(BrokenPipeError), loading.stdin as script:
                    script.write(_REPLACE.encode())
                    self._copy_script(file, script)
                    ending = True
                    script.write(b"COMMIT;\n")
                done = loading.wait()
            except BaseException:
                loading.kill()
                loading.wait()
                raise
            if done != 0:
                # a connection that is lost during COMMIT leaves open which of the two databases is there
                raise _failed("psql", complaints, "unclear" if ending and done == LOST else "failed")

    def _copy_script(self, file: Path, script: IO[bytes]) -> None:
        """Writes the SQL of a dump; raises BackupError if the dump ends too soon."""
        with tempfile.TemporaryFile() as complaints:
            reading = self._start(
                "pg_restore", *PLAIN, "--file=-", str(file), stdout=subprocess.PIPE, stderr=complaints
            )
            assert reading.stdout is not None
            try:
                with reading.stdout as sql:
                    shutil.copyfileobj(sql, script)
                if reading.wait() != 0:
                    raise _failed("pg_restore", complaints)
            except BaseException:
                reading.kill()
                reading.wait()
                raise

    def run(self, program: str, *arguments: str) -> str:
        """What a program prints; raises BackupError with the end of its complaint if it fails."""
        with tempfile.TemporaryFile() as complaints:
            running = self._start(program, *arguments, stdout=subprocess.PIPE, stderr=complaints)
            with running:
                printed, _ = running.communicate()
            if running.returncode != 0:
                raise _failed(program, complaints)
        return str(printed.decode("utf-8", "replace"))

    def _start(
        self,
        program: str,
        *arguments: str,
        stderr: IO[bytes],
        stdin: int = subprocess.DEVNULL,
        stdout: int = subprocess.DEVNULL,
    ) -> subprocess.Popen[bytes]:
        path = shutil.which(program)
        if path is None:
            raise BackupError("no_program", program=program, package=PACKAGE)
        command = [path, *arguments]
        return subprocess.Popen(command, env=self.environment, stdin=stdin, stdout=stdout, stderr=stderr)

    @property
    def _database(self) -> tuple[str, str]:
        return "--no-password", f"--dbname={self.address}"


def _failed(program: str, complaints: IO[bytes], key: str = "failed") -> BackupError:
    complaints.seek(0)
    reason = " ".join(complaints.read().decode("utf-8", "replace").split())
    return BackupError(key, program=program, reason=reason[-MAX_REASON_CHARS:])


@contextmanager
def reached(url: str) -> Iterator[tuple[Programs, psycopg.Connection]]:
    """The programs for a database, and a connection to it of our own."""
    store = Store(url)  # says in one sentence why a database cannot be reached
    store.close()
    with _programs(store.url) as programs, closing(listening_connection(store.url, name=NAME)) as line:
        yield programs, line


@contextmanager
def _programs(url: sa.URL) -> Iterator[Programs]:
    """The programs, which find the password in a file of their own: others can read command lines."""
    query = {name: value for name, value in url.query.items() if name != "password"}
    bare = sa.URL.create("postgresql", url.username, None, url.host, url.port, url.database, query)
    address = bare.render_as_string()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COMPTOIR_")}
    password = url.password or url.query.get("password")
    if not password:
        yield Programs(address, environment)
        return
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", prefix="comptoir-") as file:  # mode 600
        file.write("*:*:*:*:" + re.sub(r"([\\:])", r"\\\1", str(password)) + "\n")
        file.flush()
        yield Programs(address, environment | {"PGPASSFILE": file.name})


def _held(line: psycopg.Connection, shown: str) -> DatabaseContents:
    """What a database contains, if it is a Comptoir database that this version knows."""
    if not {name for (name,) in line.execute(_TABLES)} >= {*TABLES, "alembic_version"}:
        raise BackupError("no_backup", path=shown)
    _check_version(line.execute("SELECT version_num FROM alembic_version").fetchall()[0][0], shown)
    tables, events = (
        line.execute(f"SELECT count(*) FROM {name}").fetchall()[0][0] for name in ("tables", "events")
    )
    return DatabaseContents(tables, events)


def _check_version(version: str, path: object) -> None:
    if not version.isdecimal() or int(version) > int(HEAD):
        raise BackupError("newer", path=path, version=version, ours=HEAD)


def _check_kind(file: Path) -> None:
    try:
        with file.open("rb") as opened:
            start = opened.read(len(SQLITE))
    except OSError:
        start = b""
    if start == SQLITE:
        raise BackupError("other_kind", path=file)
    if not start.startswith(MAGIC):
        raise BackupError("no_backup", path=file)


def _check_dump(programs: Programs, file: Path) -> None:
    """Whether a dump is of a Comptoir that this version knows, before anything is touched."""
    try:
        contents = programs.run("pg_restore", "--list", str(file))
        version = programs.run("pg_restore", "--data-only", "--table=alembic_version", "--file=-", str(file))
    except BackupError as error:
        if error.key == "failed":
            raise BackupError("no_backup", path=file) from None
        raise
    found = set(re.findall(r"^\d+; \d+ \d+ TABLE \S+ (\S+) ", contents, re.MULTILINE))
    number = re.search(r"^COPY .*;\n(.+)\n\\\.$", version, re.MULTILINE)
    if not found >= TABLES or number is None:
        raise BackupError("no_backup", path=file)
    _check_version(number[1], file)


def _check_unused(line: psycopg.Connection) -> None:
    """Refuses while a server or a bots-worker is connected, or anyone else as our role."""
    end = time.monotonic() + LEAVING
    while found := sorted(name for (name,) in line.execute(_IN_USE)):
        if time.monotonic() > end:
            raise BackupError("in_use", n=len(found), names=", ".join(dict.fromkeys(found)))
        time.sleep(0.1)
