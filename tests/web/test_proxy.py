"""Behind a proxy: whose word is taken for whoever asks and how, and what browsers are told then."""

from __future__ import annotations

import argparse
import asyncio
import os
import pickle
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from starlette.testclient import TestClient
from uvicorn.server import ServerState

from comptoir.cli import parser
from comptoir.cli.arguments import cli_words
from comptoir.cli.environment import COMMANDS, variable
from comptoir.web.http.app import make_app
from comptoir.web.live.app_services import services_of
from comptoir.web.ops.connection_limits import LimitedH11Protocol, uvicorn_settings
from comptoir.web.ops.request_guard import TokenBuckets
from comptoir.web.ops.settings import ServerSettings
from comptoir.web.storage.store import Store
from tests.conftest import Run

PROXY = "10.0.0.7"


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    app = make_app(
        Store(f"sqlite:///{tmp_path / 'comptoir.sqlite'}"),
        hosts=["play.example.org"],
        proxies=[PROXY, "172.28.0.0/24"],
        admin_token="hush",
        prepare=False,
    )
    with TestClient(app, base_url="http://play.example.org") as client:
        yield client


def asked(client: TestClient, peer: str, path: str = "/about", **headers: str) -> Any:
    """What is answered to whoever connects from that address."""
    client._transport.client = (peer, 4000)
    client.cookies.clear()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return client.get(path, headers={"Accept-Encoding": "identity", **named})


@pytest.mark.parametrize(
    ("peer", "believed"), [(PROXY, True), ("172.28.0.9", True), ("172.28.1.9", False), ("127.0.0.1", False)]
)
def test_https_is_believed_from_a_named_proxy_only(client: TestClient, peer: str, believed: bool) -> None:
    answer = asked(client, peer, "/me", X_Forwarded_Proto="https", X_Forwarded_For="203.0.113.9")
    assert ("strict-transport-security" in answer.headers) == believed
    assert ("; Secure" in answer.headers["set-cookie"]) == believed
    link = re.search(r'value="(https?)://play\.example\.org/me/move/', answer.text)
    assert link is not None
    assert link[1] == ("https" if believed else "http")


def test_plain_http_is_told_nothing_of_https(client: TestClient) -> None:
    answer = asked(client, "203.0.113.9")
    assert "strict-transport-security" not in answer.headers
    assert "Secure" not in answer.headers["set-cookie"]


def test_what_is_refused_behind_https_says_so_too(client: TestClient) -> None:
    answer = client.post("/me", headers={"Origin": "https://evil.test", "X-Forwarded-Proto": "https"})
    assert answer.status_code == 403
    assert "strict-transport-security" not in answer.headers
    client._transport.client = (PROXY, 4000)
    answer = client.post("/me", headers={"Origin": "https://evil.test", "X-Forwarded-Proto": "https"})
    assert answer.headers["strict-transport-security"] == "max-age=31536000"


@pytest.mark.parametrize(
    ("peer", "said", "address"),
    [
        (PROXY, "203.0.113.9", "203.0.113.9"),
        (PROXY, "198.51.100.1, 203.0.113.9", "203.0.113.9"),  # the first is what the asker says of itself
        (PROXY, "127.0.0.1, 203.0.113.9, 172.28.0.3", "203.0.113.9"),
        ("203.0.113.9", "198.51.100.1", "203.0.113.9"),
        ("127.0.0.1", "198.51.100.1", "127.0.0.1"),
    ],
)
def test_the_last_hop_that_nobody_vouches_for_is_who_asks(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, peer: str, said: str, address: str
) -> None:
    seen: list[str] = []

    def note(connection: Any) -> Any:
        seen.append(connection.client.host)
        return services_of(connection)

    monkeypatch.setattr("comptoir.web.http.requests.services_of", note)
    asked(client, peer, X_Forwarded_For=said)
    assert set(seen) == {address}


def test_limits_are_those_of_who_asks_and_not_of_the_proxy(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[str] = []

    def wait(_: TokenBuckets, address: str) -> float:
        counted.append(address)
        return 0.0

    monkeypatch.setattr(TokenBuckets, "wait", wait)
    for visitor in ("203.0.113.9", "203.0.113.10"):
        asked(client, PROXY, X_Forwarded_For=visitor)
    asked(client, "203.0.113.11", X_Forwarded_For="203.0.113.9")
    assert counted == ["203.0.113.9", "203.0.113.10", "203.0.113.11"]


# The host's own page


def test_the_status_is_for_the_host(client: TestClient) -> None:
    for peer, headers, status in (
        ("127.0.0.1", {}, 200),
        ("::1", {}, 200),
        ("127.0.0.1", {"X_Forwarded_For": "203.0.113.9"}, 401),
        (PROXY, {"X_Forwarded_For": "127.0.0.1"}, 401),
        (PROXY, {}, 401),
        ("203.0.113.9", {}, 401),
        ("203.0.113.9", {"Authorization": "Basic bWU6aHVzaA=="}, 200),
        (PROXY, {"X_Forwarded_For": "203.0.113.9", "Authorization": "Basic bWU6aHVzaA=="}, 200),
        ("203.0.113.9", {"Authorization": "Basic bWU6aHVz"}, 401),
    ):
        for path in ("/status", "/metrics"):
            assert asked(client, peer, path, **headers).status_code == status, (peer, headers)
    assert "avec le jeton" in asked(client, "203.0.113.9", "/status", Accept_Language="fr").text


def test_the_status_has_numbers_and_no_names(client: TestClient) -> None:
    client._transport.client = ("127.0.0.1", 4000)
    token = re.search(r'name="token" value="([^"]+)"', client.get("/me").text)
    assert token is not None
    origin = {"Origin": "http://play.example.org"}
    client.post("/me", data={"token": token[1], "name": "Mallory"}, headers=origin)
    client.post("/api/tables", json={"game": "batavia", "seats": ["me", "free", "free"]}, headers=origin)
    for lang, people, waiting in (
        ("en", "With a name", "Waiting for players"),
        ("fr", "Avec un nom", "En attente de joueurs"),
    ):
        shown = client.get("/status", headers={"Accept-Language": lang}).text
        shown = shown[shown.index("<article") : shown.index("</article")]
        assert f"<dt>{people}</dt><dd>1</dd>" in shown
        assert f"<dt>{waiting}</dt><dd>1</dd>" in shown
        assert "SQLite" in shown
        assert ("MB" if lang == "en" else "Mo") in shown
        assert "Mallory" not in shown
        assert "/tables/" not in shown
    metrics = client.get("/metrics").text
    assert 'comptoir_queue_length{queue="bots"} 0.0' in metrics
    assert 'comptoir_queue_length{queue="writes"} 0.0' in metrics
    assert "process_resident_memory_bytes" in metrics


# The command


@pytest.fixture
def serving(monkeypatch: pytest.MonkeyPatch) -> list[ServerSettings]:
    """What the processes of a server would be told."""
    seen: list[ServerSettings] = []
    for name in [name for name in os.environ if name.startswith("COMPTOIR_")]:
        monkeypatch.setenv(name, "")
    for name in ("DATABASE", "DATABASE_FILE"):  # so that they are put back
        monkeypatch.setenv(f"COMPTOIR_{name}", "")

    def serve(settings: ServerSettings, store: Store, sockets: list[socket.socket]) -> bool:
        seen.append(settings)
        for one in sockets:
            one.close()
        return True

    monkeypatch.setattr("comptoir.web.http.serving.serve", serve)
    monkeypatch.setattr("comptoir.web.ops.monitoring.start_log", lambda level: None)
    return seen


def test_all_can_be_said_by_flags_or_by_the_environment(
    run: Run, serving: list[ServerSettings], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "token").write_text("hush\n")
    (tmp_path / "mail").write_text('host = "a"\nfrom = "a@b.example"\nurl = "https://b.example"\n')
    (tmp_path / "address").write_text(f"sqlite:///{tmp_path / 'x.sqlite'}\n")
    given = {
        "--database-file": str(tmp_path / "address"),
        "--allowed-hosts": "Play.example.org",
        "--trusted-proxies": "10.0.0.7, 172.28.0.0/24",
        "--admin-token-file": str(tmp_path / "token"),
        "--smtp-config": str(tmp_path / "mail"),
        "--bot-delay": "0.25",
        "--log": "info",
        "--review-cpu": "10%",
        "--port": "0",
        "--host": "127.0.0.1",
        "--workers": "1",
    }
    assert run("serve", "--no-browser", *(part for pair in given.items() for part in pair))[0] == 0
    for flag, value in given.items():
        monkeypatch.setenv(variable("serve", flag), value)
    assert run("serve", "--no-browser")[0] == 0
    for found in serving:
        assert found.database_url() == f"sqlite:///{tmp_path / 'x.sqlite'}"
        assert found.hosts == ("play.example.org", "localhost", "127.0.0.1")
        assert found.proxies == ("10.0.0.7", "172.28.0.0/24")
        assert found.token() == "hush"
        assert (found.bot_delay, found.log, found.review_cpu) == (0.25, "info", 0.1)
        assert "hush" not in repr(found)
        assert found.smtp_config == str(tmp_path / "mail")
    monkeypatch.setenv("COMPTOIR_DATABASE", f"sqlite:///{tmp_path / 'y.sqlite'}")
    assert run("serve", "--no-browser", "--bot-delay", "1")[0] == 0
    assert serving[-1].database.endswith("y.sqlite"), "an address goes before a file that holds one"
    assert serving[-1].bot_delay == 1, "a flag goes before its variable"
    assert "COMPTOIR_DATABASE" not in os.environ, "processes that this one starts do not find it"
    monkeypatch.setenv("COMPTOIR_DATABASE", f"sqlite:///{tmp_path / 'y.sqlite'}")
    assert run("serve", "--no-browser", "--database-file", str(tmp_path / "address"))[0] == 0
    assert serving[-1].database_url().endswith("x.sqlite"), "a flag goes before any variable"
    for found in serving:
        assert pickle.loads(pickle.dumps(found)) == found, "each worker gets them in its own process"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_has_a_variable(command: str, run: Run) -> None:
    """And its help names it."""
    status, out, _ = run(command, "--help")
    assert status == 0
    shown = " ".join(out.split())
    sub = subparser(command)
    flags = [flag for action in sub._actions for flag in action.option_strings if flag.startswith("--")]
    assert {"--database", "--lang"} < set(flags)
    for flag in set(flags) - {"--help"}:
        assert f"[{variable(command, flag)}]" in shown.replace("- ", "-"), flag


@pytest.mark.parametrize(
    ("command", "name", "text"),
    [
        (["serve"], "COMPTOIR_PORT", "http"),
        (["serve"], "COMPTOIR_PORT", "65536"),
        (["serve"], "COMPTOIR_WORKERS", "0"),
        (["serve"], "COMPTOIR_BOT_DELAY", "fast"),
        (["serve"], "COMPTOIR_LOG", "loud"),
        (["serve"], "COMPTOIR_REVIEW_CPU", "2"),
        (["serve"], "COMPTOIR_NO_BROWSER", "perhaps"),
        (["bots-worker"], "COMPTOIR_THREADS", "many"),
        (["backup", "x"], "COMPTOIR_BACKUP_FORCE", "perhaps"),
        (["restore", "x"], "COMPTOIR_RESTORE_JSON", "perhaps"),
    ],
)
def test_a_wrong_variable_is_named(
    run: Run, monkeypatch: pytest.MonkeyPatch, command: list[str], name: str, text: str
) -> None:
    monkeypatch.setenv(name, text)
    status, _, err = run(*command)
    assert status == 2
    assert f"{name}: " in err
    assert text in err


def test_switches_are_on_or_off(monkeypatch: pytest.MonkeyPatch) -> None:
    for text, opened in (("on", False), ("1", False), ("off", True), ("", True)):
        monkeypatch.setenv("COMPTOIR_NO_BROWSER", text)
        assert subparser("serve").parse_args([]).browser is opened
    monkeypatch.setenv("COMPTOIR_BACKUP_FORCE", "on")
    assert subparser("backup").parse_args(["x"]).force is True
    assert subparser("restore").parse_args(["x"]).force is False, "what backup may do, restore may not"


def subparser(command: str) -> argparse.ArgumentParser:
    top = parser([command], cli_words(None, "en"))
    [commands] = [action for action in top._actions if action.dest == "command"]
    found: argparse.ArgumentParser = dict(commands.choices or {})[command]
    return found


def test_a_port_that_is_taken_is_said_with_who_has_it(run: Run, tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path / 'x.sqlite'}"
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        status, _, err = run("serve", "--no-browser", "--database", database, "--port", port)
    assert status == 2
    assert f"port: {port} is in use by PID {os.getpid()} (" in err
    assert f"kill {os.getpid()}" in err


def test_an_address_of_another_machine_cannot_be_listened_on(run: Run, tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path / 'x.sqlite'}"
    status, _, err = run("serve", "--no-browser", "--database", database, "--host", "192.0.2.1")
    assert status == 2
    assert "host: cannot listen on 192.0.2.1" in err


def test_what_makes_no_sense_is_refused_with_a_sentence(
    run: Run, serving: list[ServerSettings], tmp_path: Path
) -> None:
    (tmp_path / "two").write_text("one\ntwo\n")
    (tmp_path / "none").write_text("")
    for given, said in (
        (
            ["--database", "sqlite:///x", "--database-file", "y"],
            "give --database or --database-file, not both",
        ),
        (["--database-file", str(tmp_path / "missing")], "cannot be read: No such file"),
        (["--database-file", str(tmp_path / "two")], "expected one line of text"),
        (["--admin-token-file", str(tmp_path / "none")], "expected one line of text"),
        (["--trusted-proxies", "proxy.example.org"], "expected addresses such as 127.0.0.1"),
        (["--trusted-proxies", "*"], "expected addresses such as 127.0.0.1"),
        (["--allowed-hosts", "https://play.example.org"], "expected names such as play.example.org"),
        (["--allowed-hosts", "play.*.org"], "expected names such as play.example.org"),
    ):
        status, _, err = run("serve", "--no-browser", *given)
        assert status == 2
        assert said in err
    assert not serving


def test_a_second_server_on_one_file_is_refused(
    run: Run, serving: list[ServerSettings], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says who has the file and where that is served; once the first has gone, the second serves."""
    command = ["serve", "--no-browser", "--database", f"sqlite:///{tmp_path / 'x.sqlite'}", "--port", "8499"]
    answers: list[tuple[int, str, str]] = []

    def meanwhile(settings: ServerSettings, store: Store, sockets: list[socket.socket]) -> bool:
        for one in sockets:
            one.close()
        if not answers:
            answers.append(run(*command))
        return True

    monkeypatch.setattr("comptoir.web.http.serving.serve", meanwhile)
    assert run(*command)[0] == 0
    [(status, _, said)] = answers
    assert status == 2
    assert re.search(
        r"x\.sqlite is in use by another Comptoir process \(PID \d+, http://localhost:8499/\)", said
    )
    answers[:] = [(0, "", "")]
    assert run(*command)[0] == 0


# What a connection sends before it is answered


class Transport(asyncio.Transport):
    """A connection that only notes what is done with it."""

    def __init__(self) -> None:
        super().__init__({"peername": ("192.0.2.1", 4000), "sockname": ("192.0.2.2", 80)})
        self.reading, self.closing, self.written = True, False, b""

    def pause_reading(self) -> None:
        self.reading = False

    def resume_reading(self) -> None:
        self.reading = True

    def write(self, data: bytes | bytearray | memoryview[Any]) -> None:
        self.written += bytes(data)

    def is_closing(self) -> bool:
        return self.closing

    def close(self) -> None:
        self.closing = True

    abort = close


async def slow_app(scope: Any, receive: Any, send: Any) -> None:
    """Answers each request once it may."""
    await scope["state"]["may"].wait()
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body", "body": b""})


def test_what_follows_a_request_waits_outside_until_it_is_answered() -> None:
    """Neither parsed nor read on: else one connection could fill the memory while its first request waits."""

    async def run() -> None:
        may, config = asyncio.Event(), uvicorn.Config(slow_app, **uvicorn_settings(), lifespan="off")
        transport = Transport()
        door = LimitedH11Protocol(config=config, server_state=ServerState(), app_state={"may": may})
        door.connection_made(transport)
        request = b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"
        door.data_received(request * 1_000)
        await asyncio.sleep(0.01)
        assert not transport.reading
        assert transport.written == b""
        may.set()
        while transport.written.count(b" 204 ") < 1_000:
            await asyncio.sleep(0)
        assert transport.reading
        assert not transport.closing
        may.clear()
        door.data_received(b"GET / HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n" + b"x" * 10_000)
        await asyncio.sleep(0.01)
        may.set()
        while not transport.closing:
            await asyncio.sleep(0)
        assert transport.written.count(b" 204 ") == 1_001, "what follows the last request is of no interest"
        assert b" 400 " not in transport.written
        door.connection_lost(None)

    asyncio.run(run())
