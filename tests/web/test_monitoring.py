"""Log, metrics and health: enough to run a server by, and nothing that players must not know."""

from __future__ import annotations

import io
import json
import logging
import resource
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.staticfiles import StaticFiles
from starlette.testclient import TestClient

import comptoir
from comptoir.errors import OptionError
from comptoir.web.ops import monitoring
from comptoir.web.ops.request_guard import RequestGuard
from comptoir.web.storage.store import Store
from tests.web.conftest import Postgres
from tests.web.test_store import made


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """The log of everything, from the lowest level on; afterwards logging is as it was."""
    root, ours = logging.getLogger(), logging.getLogger("comptoir")
    before = root.handlers[:], root.level, ours.level
    for handler in before[0]:
        root.removeHandler(handler)  # those are pytest's; `force` would close them
    stream = io.StringIO()
    monitoring.start_log("debug", stream)
    yield stream
    root.handlers[:], root.level = before[0], before[1]
    ours.setLevel(before[2])


def lines(log: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.getvalue().splitlines() if '"httpx: ' not in line]


def app_for(store: Store, **settings: Any) -> FastAPI:
    app = FastAPI()
    app.include_router(monitoring.router(store, monitoring.AdminAccess(**settings)))

    @app.get("/tables/{id}")
    def table(id: str) -> str:
        return id

    @app.get("/me/move/{token}")
    def fails(token: str) -> None:
        raise RuntimeError(f"the token is {token}, the seed 12345")

    app.mount("/static", StaticFiles(directory="."), "static")
    app.add_middleware(RequestGuard, limits=False)
    app.add_middleware(monitoring.MetricsMiddleware)
    return app


def client_of(store: Store, address: str = "127.0.0.1", **settings: Any) -> TestClient:
    return TestClient(app_for(store, **settings), client=(address, 5000))


# The log


def test_a_request_is_one_line(store: Store, log: io.StringIO) -> None:
    client_of(store).get("/tables/kL8_secret-table?token=hush", headers={"Cookie": "comptoir=hush"})
    [line] = lines(log)
    assert line.keys() == {"time", "level", "event", "method", "path", "status", "ms"}
    assert (line["event"], line["method"], line["status"]) == ("request", "GET", 200)
    assert line["path"] == f"/tables/{monitoring.mark('kL8_secret-table')}"
    assert len(line["path"]) == len("/tables/") + 6
    assert line["time"].endswith("Z")
    assert 0 <= line["ms"] < 10_000


@pytest.mark.parametrize(
    "path",
    ["/tables/kL8-hush", "/nowhere/hush?hush=hush", "/me/move/hush", "/static/hush", "/hush", "/hush%00%ff"],
)
def test_nothing_secret_is_logged(store: Store, log: io.StringIO, path: str) -> None:
    client = client_of(store)
    client.get(path, headers={"Cookie": "comptoir=hush", "Authorization": "hush", "Referer": "http://a/hush"})
    client.post(path, content="hush")
    assert lines(log)
    assert "hush" not in log.getvalue()
    assert "12345" not in log.getvalue()
    assert "hush" not in client.get("/metrics").text


def test_a_failure_is_traced_without_its_text(store: Store, log: io.StringIO) -> None:
    told = client_of(store).get("/me/move/hush").json()
    failed, request = lines(log)
    assert failed["incident"] == told["incident"]
    assert failed["error"] == "builtins.RuntimeError"
    assert failed["at"][0].endswith(" fails")
    assert request["status"] == 500


def test_what_lies_behind_an_error_is_told_too(log: io.StringIO) -> None:
    try:
        try:
            raise KeyError("hush")
        except KeyError as error:
            raise ValueError("hush") from error
    except ValueError:
        logging.getLogger("comptoir.web.test").exception("it %s", "failed")
    [line] = lines(log)
    assert (line["event"], line["error"], line["cause"]["error"]) == (
        "it failed",
        "builtins.ValueError",
        "builtins.KeyError",
    )
    assert "hush" not in log.getvalue()


def test_others_lines_lose_what_may_be_secret(log: io.StringIO) -> None:
    logging.getLogger("uvicorn.error").info(
        '%s - "WebSocket %s" [accepted]', "1.2.3.4", "/tables/hush/socket"
    )
    logging.getLogger("uvicorn.error").warning("Invalid request from %s", "hush")
    logging.getLogger("asyncio").error(
        "Task exception was never retrieved\nfuture: <Task exception=IllegalAction('hush')>"
    )
    assert [line["event"] for line in lines(log)] == [
        "uvicorn.error: Invalid request from %s",
        "asyncio: Task exception was never retrieved",
    ]


def test_a_database_error_does_not_quote_what_was_stored(store: Store, log: io.StringIO) -> None:
    store.database.engine.echo = True
    made(store, "hush", names=("hush", "hush"))
    store.database.engine.echo = False
    assert "hush" not in log.getvalue()


STARTUP = """Traceback (most recent call last):
  File "/venv/starlette/routing.py", line 671, in lifespan
    async with self.lifespan_context(app):
  File "{ours}/web/http/app.py", line 90, in life
    await tables.start()
  File "/venv/psycopg/connection.py", line 117, in connect
    raise type(ex)(str(ex)).with_traceback(None)
sqlalchemy.exc.OperationalError: (psycopg.OperationalError) FATAL:  too many connections for role "club"
(Background on this error at: https://sqlalche.me/e/20/e3q8)
"""


def test_why_a_start_failed_is_in_the_line(log: io.StringIO) -> None:
    """Uvicorn logs the traceback as text; its first line, which was all that was kept, says nothing."""
    ours = str(Path(comptoir.__file__).parent)
    logging.getLogger("uvicorn.error").error(STARTUP.format(ours=ours))
    [line] = lines(log)
    assert line["error"] == "sqlalchemy.exc.OperationalError"
    assert line["reason"] == '(psycopg.OperationalError) FATAL:  too many connections for role "club"'
    assert line["at"] == ["/venv/psycopg/connection.py:117 connect", f"{ours}/web/http/app.py:90 life"]


def test_lines_have_bounds(log: io.StringIO) -> None:
    def deep(n: int) -> None:
        if n:
            deep(n - 1)
        try:
            raise KeyError
        except KeyError as error:
            raise ValueError("x" * 100_000) from error

    try:
        deep(500)
    except ValueError:
        logging.getLogger("comptoir.web.test").exception("it failed")
    logging.getLogger("uvicorn.error").error(f"{STARTUP}\nValueError: {'x' * 100_000}")
    text = 'Traceback (most recent call last):\n  File "a", line 1, in b\n    c\nValueError: ' + "x" * 100_000
    logging.getLogger("uvicorn.error").error(text)
    assert [len(json.dumps(line)) < 3_000 for line in lines(log)] == [True] * 3


def test_what_nobody_catches_is_a_line_too(log: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    monitoring.log_uncaught()
    thread = threading.Thread(target=lambda: 1 / 0)
    thread.start()
    thread.join()
    [line] = lines(log)
    assert line["error"] == "builtins.ZeroDivisionError"


def test_by_default_only_what_goes_wrong_is_logged(store: Store, log: io.StringIO) -> None:
    monitoring.start_log("", log)
    client_of(store).get("/tables/x")
    assert lines(log) == []
    client_of(store).get("/me/move/x")
    assert [line["event"] for line in lines(log)] == ["failed"]


def test_an_unknown_level_is_refused() -> None:
    with pytest.raises(OptionError, match="expected info or debug, found 'loud'"):
        monitoring.start_log("loud")


# Metrics


def test_metrics_tell_what_goes_on(store: Store) -> None:
    client = client_of(store)
    made(store, "a")
    made(store, "b", state="waiting")
    client.get("/tables/x")
    client.get("/tables/y")
    client.get("/nowhere/z")
    client.request("INVENTED", "/tables/x")
    with monitoring.SOCKETS.track_inprogress(), monitoring.THINKING.track_inprogress():
        monitoring.EVENTS.labels("play").inc()
        monitoring.BROADCAST_SECONDS.observe(0.003)
        monitoring.TABLES.set(3)
        text = client.get("/metrics").text
    assert 'comptoir_requests_total{method="GET",route="/tables/{id}",status="200"}' in text
    assert 'comptoir_requests_total{method="GET",route="none",status="404"}' in text
    assert 'method="other"' in text
    assert "INVENTED" not in text
    for line in (
        "comptoir_sockets 1.0",
        "comptoir_bots_thinking 1.0",
        "comptoir_tables_live 3.0",
        'comptoir_tables_stored{state="waiting"} 1.0',
    ):
        assert f"{line}\n" in text
    assert 'comptoir_broadcast_seconds_bucket{le="0.005"}' in text
    assert 'comptoir_events_total{kind="play"}' in text


@pytest.mark.parametrize(
    ("address", "status"),
    [("127.0.0.1", 200), ("::1", 200), ("192.168.1.5", 403), ("2001:db8::1", 403), ("", 403)],
)
def test_metrics_are_for_the_servers_own_machine(store: Store, address: str, status: int) -> None:
    assert client_of(store, address).get("/metrics").status_code == status
    client = client_of(store, address, token="hush")
    assert client.get("/metrics", auth=("me", "hush")).status_code == 200
    wrong = client.get("/metrics", auth=("me", "hus"))
    assert wrong.status_code == (200 if status == 200 else 401)
    assert ("WWW-Authenticate" in wrong.headers) == (status != 200)


@pytest.mark.parametrize(
    "given", ["", "hush", "Basic", "Basic hush", "Basic %%%", "Basic OmFiYw==", "Bearer Omh1c2g="]
)
def test_only_the_token_opens_metrics(store: Store, given: str) -> None:
    client = client_of(store, "192.168.1.5", token="hush")
    assert client.get("/metrics", headers={"Authorization": given}).status_code == 401
    assert client_of(store, "192.168.1.5").get("/metrics", auth=("me", "")).status_code == 403


@pytest.mark.parametrize("header", ["Forwarded", "X-Forwarded-For", "X-Real-IP", "Via"])
def test_what_a_proxy_on_this_machine_passes_on_is_not_from_this_machine(store: Store, header: str) -> None:
    assert client_of(store).get("/metrics", headers={header: "203.0.113.9"}).status_code == 403


# Health


def test_a_server_that_is_well_says_so(store: Store) -> None:
    answer = client_of(store, "192.168.1.5").get("/health")
    assert (answer.status_code, answer.json()) == (200, {"ok": True, "database": store.kind})


@contextmanager
def full_disk() -> Iterator[None]:
    """No file can grow, as far as this process is concerned: SQLite's log cannot either."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_server_that_cannot_write_is_not_well(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path / 'comptoir.sqlite'}")
    store.migrate()
    now = 0.0
    health = monitoring.Health(store, lambda: now)
    assert health.well()
    with full_disk():
        assert health.well(), "known for a second"
        now = 1.0
        assert not health.well()
        assert store.database.answers(), "what is there can still be read"
        assert client_of(store).get("/health").status_code == 503
    now = 1.5
    assert not health.well()
    now = 2.0
    assert health.well()
    assert "comptoir_database_writable 1.0" in client_of(store).get("/metrics").text
    store.close()


def test_a_database_that_may_only_be_read_is_not_well(postgres: Postgres) -> None:
    url = postgres.new()
    first = Store(url)
    first.migrate()
    assert first.database.can_write()
    with first.database.engine.begin() as connection:
        name = connection.exec_driver_sql("SELECT current_database()").scalar()
        connection.exec_driver_sql(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    first.close()
    store = Store(url)
    assert store.database.answers()
    assert not store.database.can_write()
    store.close()


def test_a_server_without_its_database_is_not_well(mortal_postgres: Postgres) -> None:
    store = Store(mortal_postgres.new())
    store.migrate()
    client = client_of(store)
    mortal_postgres.stop()
    answer = client.get("/health")
    assert (answer.status_code, answer.json()) == (503, {"ok": False, "database": "postgresql"})
    assert client.get("/metrics").status_code == 200
    mortal_postgres.start()
    assert client_of(store).get("/health").status_code == 200
    store.close()
