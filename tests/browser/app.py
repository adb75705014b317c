"""The app as people run it: a server in a process of its own, with a database of its own, and with a game
from another package.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest

from comptoir.web.domain.evolve import from_events
from comptoir.web.domain.state import Table
from comptoir.web.storage.store import Store
from tests import example_game

START = 300.0  # seconds until it answers
COMPILING = 600.0  # and until all bots can think: on a new machine they are compiled first


class App:
    """`comptoir serve`, which a test may stop, kill and start again."""

    def __init__(self, folder: Path, bot_delay: float = 0) -> None:
        self.bot_delay = bot_delay
        self.database = f"sqlite:///{folder / 'comptoir.sqlite'}"
        self.log = folder / "log"
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        arguments = ["--port", str(self.port), "--no-browser", "--database", self.database]
        arguments += ["--bot-delay", str(self.bot_delay)]
        with self.log.open("ab") as log:
            command = [sys.executable, "-m", "comptoir", "serve", *arguments]
            self.process = subprocess.Popen(
                command, stdout=log, stderr=log, env=example_game.environment() | {"NO_COLOR": "1"}
            )
        self._until(START, lambda: self._answer("/health") is not None)

    def wait_for_bots(self) -> None:
        self._until(
            COMPILING,
            lambda: 'class="small preparing"' not in (self._answer("/") or 'class="small preparing"'),
        )

    def _answer(self, path: str) -> str | None:
        try:
            with urllib.request.urlopen(self.url + path, timeout=5) as answer:
                return str(answer.read().decode())
        except OSError:
            return None

    def _until(self, seconds: float, done: Callable[[], bool]) -> None:
        end = time.monotonic() + seconds
        while not done():
            assert self.process is not None
            if self.process.poll() is not None or time.monotonic() > end:
                pytest.fail(f"the server does not get ready:\n{self.log.read_text()}", pytrace=False)
            time.sleep(0.05)

    def kill(self) -> None:
        """As when the power fails: `kill -9`."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        assert self.process is not None
        self.process.terminate()
        self.process.wait(120)

    def failures(self) -> list[str]:
        """What the server itself has found wrong. Its log has a JSON object a line."""
        lines = [json.loads(line) for line in self.log.read_text().splitlines() if line.startswith("{")]
        return [str(line) for line in lines if line["level"] in ("error", "critical")]

    def table(self, id: str) -> Table:
        """A table as the database has it: the truth that no page may show."""
        store = Store(self.database)
        try:
            with example_game.known():
                return from_events(id, store.events.read(id))
        finally:
            store.close()


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])
