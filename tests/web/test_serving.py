"""One process that serves, from its start until it is told to stop; here in the process of the test."""

from __future__ import annotations

import socket
import sys
import threading
import time
from pathlib import Path

import httpx
import pytest

from comptoir.web.http.serving import Server, serve
from comptoir.web.live.precompiler import Precompiler
from comptoir.web.ops.connection_limits import LimitedH11Protocol
from comptoir.web.ops.frames import LimitedSocket
from comptoir.web.ops.settings import ServerSettings
from comptoir.web.storage.store import Store


@pytest.fixture
def undisturbed(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a server sets for its whole process is as before after the test."""
    for name in ("configure_malloc", "disable_automatic_gc"):
        monkeypatch.setattr(f"comptoir.web.http.app.{name}", lambda: None)
    monkeypatch.setattr("comptoir.web.http.app.make_room", lambda: 100)
    monkeypatch.setattr(sys, "setswitchinterval", lambda seconds: None)
    monkeypatch.setattr(Precompiler, "start", lambda self: None)
    for owner, name in (
        (LimitedH11Protocol, "room"),
        (LimitedH11Protocol, "each"),
        (LimitedH11Protocol, "proxies"),
        (LimitedSocket, "limited"),
    ):
        monkeypatch.setattr(owner, name, getattr(owner, name))
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)


@pytest.mark.usefixtures("undisturbed")
def test_it_serves_until_it_is_told_to_stop(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'comptoir.sqlite'}"
    answers: list[int] = []

    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))

        def visit(server: Server) -> None:
            end = time.monotonic() + 60
            while not server.started and time.monotonic() < end:
                time.sleep(0.02)
            answers.append(httpx.get(f"http://127.0.0.1:{listening.getsockname()[1]}/health").status_code)
            server.should_exit = True

        def begun(server: Server) -> None:
            threading.Thread(target=visit, args=(server,), daemon=True).start()

        assert serve(ServerSettings(database=url), Store(url), [listening], begun=begun)
    assert answers == [200]


@pytest.mark.usefixtures("undisturbed")
def test_one_that_fails_says_that_nobody_asked_it_to_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(server: Server, sockets: object = None) -> None:
        raise RuntimeError("no more")

    monkeypatch.setattr(Server, "run", fail)
    url = f"sqlite:///{tmp_path / 'comptoir.sqlite'}"
    store = Store(url)
    assert not serve(ServerSettings(database=url), store, [])
    assert "the server failed" in caplog.messages
    store.close()
