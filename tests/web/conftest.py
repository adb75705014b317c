"""Both databases: every test that asks for `store` or `database` runs on SQLite and on a PostgreSQL of its
own.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from starlette.exceptions import StarletteDeprecationWarning

from comptoir.web.storage.store import Store

with warnings.catch_warnings():  # it would rather have httpx2, and says so once, when it is loaded
    warnings.simplefilter("ignore", StarletteDeprecationWarning)
    import starlette.testclient  # noqa: F401


class Postgres:
    """A throw-away server from Debian's packages.

    It refuses to run as root, so root runs it as somebody else.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.port, self.made = folder, free_port(), 0
        self.process: subprocess.Popen[bytes] | None = None
        if os.getuid() == 0:
            shutil.chown(folder, "nobody")
        self._run(
            "initdb",
            "-D",
            str(folder / "data"),
            "-U",
            "comptoir",
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--no-locale",
            "-N",
        ).check_returncode()
        self.start()

    def _run(self, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            _as_nobody(program, *arguments), capture_output=True, text=True, cwd=self.folder
        )

    def start(self) -> None:
        settings = [
            f"port={self.port}",
            f"unix_socket_directories={self.folder}",
            "listen_addresses=127.0.0.1",
        ]
        flags = [part for setting in settings for part in ("-c", setting)]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                _as_nobody("postgres", "-D", str(self.folder / "data"), *flags), stderr=log, cwd=self.folder
            )
        end = time.monotonic() + 300
        while self._run("pg_isready", "-h", "127.0.0.1", "-p", str(self.port)).returncode != 0:
            if self.process.poll() is not None or time.monotonic() > end:
                pytest.fail(f"PostgreSQL does not start:\n{(self.folder / 'log').read_text()}")
            time.sleep(0.05)

    def stop(self) -> None:
        """At once: nothing is written any more, as in a crash."""
        assert self.process is not None
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait()

    def new(self) -> str:
        """The address of a fresh, empty database."""
        self.made += 1
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE test{self.made}")
        return self.url(f"test{self.made}")

    def url(self, name: str) -> str:
        return f"postgresql://comptoir@127.0.0.1:{self.port}/{name}"


def _as_nobody(program: str, *arguments: str) -> list[str]:
    other = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"] if os.getuid() == 0 else []
    return [*other, str(_binaries() / program), *arguments]


def _binaries() -> Path:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: int(path.parts[-3]))
    if not found:
        pytest.fail("these tests need PostgreSQL: apt-get install postgresql", pytrace=False)
    return found[-1].parent


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@contextmanager
def running_postgres() -> Iterator[Postgres]:
    folder = Path(tempfile.mkdtemp(prefix="comptoir-postgres-"))
    try:
        server = Postgres(folder)
        yield server
        server.stop()
    finally:
        shutil.rmtree(folder)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    with running_postgres() as server:
        yield server


@pytest.fixture
def mortal_postgres() -> Iterator[Postgres]:
    """One that a test may stop and start.

    It has few files: after a crash PostgreSQL goes through all of them.
    """
    with running_postgres() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a fresh database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'comptoir.sqlite'}"
    server: Postgres = request.getfixturevalue("postgres")
    return server.new()


@pytest.fixture
def store(database: str) -> Iterator[Store]:
    store = Store(database)
    store.migrate()
    yield store
    store.close()


def wait_for_the_last_commit(database: str) -> None:
    """PostgreSQL carries through what a client had told it when it was killed; what is read in the meantime may
    come apart.
    """
    if not database.startswith("postgresql"):
        return
    busy = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'"
    end = time.monotonic() + 60
    with psycopg.connect(database, autocommit=True) as connection:
        while connection.execute(busy).fetchone() != (0,):
            assert time.monotonic() < end, "a killed client's session does not end"
            time.sleep(0.02)
