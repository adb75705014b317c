"""The guard: every answer has the headers, nothing of other sites acts, nothing is too large or too often,
failures are told kindly.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI, Request, WebSocket
from starlette.responses import StreamingResponse
from starlette.testclient import TestClient, WebSocketDenialResponse
from starlette.websockets import WebSocketDisconnect

from comptoir.web.cookies import cookies_of
from comptoir.web.http.app import make_app
from comptoir.web.limits import (
    ADDRESS_REFUSAL_RATE,
    API_BODY_BYTES,
    COOKIE_BYTES,
    FORM_BYTES,
    REFUSAL_SECONDS,
    UPLOAD_BYTES,
)
from comptoir.web.ops.request_guard import (
    FORM,
    HEADERS,
    POLICY,
    UPLOAD,
    RequestGuard,
    TokenBucket,
    TokenBuckets,
)
from comptoir.web.storage.store import Store
from tests.manual_time import ManualTime

HERE = {"Origin": "http://testserver"}


def app_with(**settings: Any) -> FastAPI:
    app = FastAPI()

    @app.get("/")
    def home() -> str:
        return "home"

    @app.post("/read")
    async def read(request: Request) -> int:
        return len(await request.body())

    @app.post("/replay")
    async def read_upload(request: Request) -> int:
        return len(await request.body())

    @app.get("/cookies")
    async def read_cookies(request: Request) -> list[dict[str, str]]:
        return [request.cookies, cookies_of(request)]

    @app.post("/api/json")
    async def read_json(body: dict[str, str]) -> int:
        return len(body)

    @app.post("/tables")
    def make() -> str:
        return "made"

    @app.get("/fails")
    def fails() -> None:
        raise RuntimeError("the hand of seat 2 is denmark")

    @app.get("/fails-late")
    async def fails_late() -> StreamingResponse:
        async def some() -> AsyncIterator[bytes]:
            yield b"half"
            raise RuntimeError("late")

        return StreamingResponse(some())

    @app.websocket("/socket")
    async def socket(websocket: WebSocket, fail: str = "") -> None:
        if fail == "early":
            raise RuntimeError("early")
        await websocket.accept()
        while True:
            text = await websocket.receive_text()
            if text == "fail":
                raise RuntimeError("the seed is 7")
            await websocket.send_text(text)

    app.add_middleware(RequestGuard, **settings)
    return app


@pytest.fixture
def client() -> Iterator[TestClient]:
    with TestClient(app_with(limits=False)) as client:
        yield client


# What browsers are told


@pytest.mark.parametrize("path", ["/", "/nowhere", "/fails", "/read"])
def test_every_answer_has_the_headers(client: TestClient, path: str) -> None:
    for answer in (client.get(path), client.post(path), client.post(path, headers=HERE)):
        assert {name.decode(): value.decode() for name, value in HEADERS.items()}.items() <= dict(
            answer.headers
        ).items()


def test_the_policy_allows_no_inline_script_and_no_frame() -> None:
    assert "unsafe" not in POLICY
    assert POLICY.startswith("default-src 'none'; script-src 'self';")
    assert "frame-ancestors 'none'" in POLICY


# Whose page


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "http://testserver"}, 200),
        ({"Origin": "https://testserver"}, 200),
        ({"Origin": "http://TESTSERVER:80"}, 200),
        ({"Origin": "https://testserver:443"}, 200),
        ({"Origin": "http://localhost:8420", "Host": "localhost:8420"}, 200),
        ({"Sec-Fetch-Site": "same-origin"}, 200),
        ({}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": ""}, 403),
        ({"Origin": "http://"}, 403),
        ({"Origin": "http://", "Host": ""}, 403),
        ({"Origin": "http://evil.test"}, 403),
        ({"Origin": "http://testserver.evil.test"}, 403),
        ({"Origin": "http://testserver:81"}, 403),
        ({"Origin": "chrome-extension://testserver"}, 403),
        ({"Origin": "http://evil.test", "Sec-Fetch-Site": "same-origin"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Sec-Fetch-Site": "none"}, 403),
    ],
)
def test_only_our_own_pages_act(client: TestClient, headers: dict[str, str], status: int) -> None:
    assert client.post("/read", data={"x": "y"}, headers=headers).status_code == status
    for method in ("PUT", "DELETE", "PATCH"):
        assert (client.request(method, "/read", headers=headers).status_code == 403) == (status == 403)
    assert client.get("/", headers=headers).status_code == 200, "reading is free"


def test_a_socket_is_opened_by_our_own_pages_only(client: TestClient) -> None:
    with client.websocket_connect("/socket", headers=HERE) as socket:
        socket.send_text("hello")
        assert socket.receive_text() == "hello"
    for headers in ({}, {"Origin": "http://evil.test"}):
        with (
            pytest.raises(WebSocketDenialResponse) as denied,
            client.websocket_connect("/socket", headers=headers),
        ):
            pass
        assert denied.value.status_code == 403
        assert "page" in denied.value.text


def test_a_server_that_cannot_say_why_closes_the_socket() -> None:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        return {"type": "websocket.connect"}

    scope: dict[str, Any] = {"type": "websocket", "path": "/socket", "headers": [], "client": None}
    asyncio.run(RequestGuard(app_with())(scope, receive, send))
    assert sent == [{"type": "websocket.close", "code": 1008}]


def test_a_refusal_says_what_to_do_in_the_readers_language(client: TestClient) -> None:
    french = client.post("/read", headers={"Accept": "text/html", "Accept-Language": "fr-CH, en;q=0.5"})
    assert french.headers["content-type"] == "text/html; charset=utf-8"
    assert '<html lang="fr">' in french.text
    assert "Ouvrez la page ici et réessayez" in french.text
    english = client.post("/read", headers={"Accept-Language": "fr", "Cookie": "lang=en; x=y"})
    assert "Open the page here and try again" in english.json()["error"]


# How large


@pytest.mark.parametrize(
    ("path", "kind", "largest"),
    [
        ("/read", FORM, FORM_BYTES),
        ("/read", UPLOAD, FORM_BYTES),
        ("/replay", FORM, FORM_BYTES),
        ("/replay", f"{UPLOAD}; boundary=x", UPLOAD_BYTES),
        ("/api/read", "application/json", API_BODY_BYTES),
    ],
)
def test_a_body_may_be_so_large(client: TestClient, path: str, kind: str, largest: int) -> None:
    """Only forms that have a file may be longer than what people type."""
    headers = {**HERE, "Accept-Language": "en", "Content-Type": kind}
    allowed = client.post(path, content=b"x" * largest, headers=headers)
    assert allowed.status_code == (404 if "api" in path else 200)
    refused = client.post(path, content=b"x" * (largest + 1), headers=headers)
    assert refused.status_code == 413
    assert refused.json()["error"] == f"That is too large. The limit is {largest // 1024} KB."


@pytest.mark.parametrize("kind", ["", "text/plain", "application/json", "multipart/mixed; boundary=x"])
def test_only_forms_are_read(client: TestClient, kind: str) -> None:
    assert client.post("/read", content=b"x", headers={**HERE, "Content-Type": kind}).status_code == 415
    assert client.post("/read", headers={**HERE, "Content-Type": kind}).json() == 0, (
        "there is nothing to read"
    )


# Cookies


def test_cookies_are_never_parsed_by_the_framework(client: TestClient) -> None:
    """FastAPI evaluates request.cookies for every request, and http.cookies is quadratic on some Pythons. Nor do
    we unquote our own.
    """
    given = 'other="\\"\\""; lang=fr; comptoir=a.b-c_d;look = dark; lang=en; level="\\"1"'
    theirs, ours = client.get("/cookies", headers={"Cookie": given}).json()
    assert theirs == {}
    assert ours == {"comptoir": "a.b-c_d", "lang": "en", "look": "dark", "level": '"\\"1"'}
    assert client.get("/cookies").json() == [{}, {}]


def test_many_cookies_are_refused_before_they_are_read(client: TestClient) -> None:
    most = "a=" + "x" * (COOKIE_BYTES - 2)
    assert client.get("/", headers={"Cookie": most}).status_code == 200
    refused = client.get("/", headers={"Cookie": f"{most}x", "Accept-Language": "en"})
    assert refused.status_code == 431
    assert "Delete the cookies of this site" in refused.json()["error"]
    half = "x" * (COOKIE_BYTES // 2 + 1)
    headers = [("Cookie", half), ("Cookie", half)]
    assert client.get("/", headers=httpx.Headers(headers)).status_code == 431
    with (
        pytest.raises(WebSocketDenialResponse) as denied,
        client.websocket_connect("/socket", headers={**HERE, "Cookie": f"{most}x"}),
    ):
        pass
    assert denied.value.status_code == 431


# Refusals


def test_further_refusals_come_slowly() -> None:
    """A flood is answered no faster than we want to, and others are not held."""

    async def run() -> None:
        app = app_with(time_source=(time := ManualTime()))
        async with _from("1.2.3.4", app) as client, _from("1.2.3.5", app) as other:
            for _ in range(int(ADDRESS_REFUSAL_RATE.burst)):
                assert (await client.post("/read")).status_code == 403
            further = [asyncio.create_task(client.post("/read")) for _ in range(10)]
            await time.advance(0.99 * REFUSAL_SECONDS)
            assert not any(one.done() for one in further)
            assert (await other.post("/read")).status_code == 403
            await time.advance(0.01 * REFUSAL_SECONDS)
            assert [one.result().status_code for one in further] == [403] * 10

    asyncio.run(run())


@pytest.mark.parametrize("path", ["/read", "/api/json"])
@pytest.mark.parametrize("length", [None, "10", "-5", "x", "9" * 5000])
def test_the_announced_length_is_not_trusted(path: str, length: str | None) -> None:
    """/api/json catches what it meets while it reads; the answer is still ours."""
    pieces = [b"x" * 65536] * 5
    headers = [
        (b"host", b"testserver"),
        (b"origin", b"http://testserver"),
        (b"content-type", b"application/json" if "api" in path else FORM.encode()),
    ]
    headers += [(b"content-length", length.encode())] if length is not None else []
    status, read = _asgi(app_with(), path, headers, pieces)
    assert status == 413
    assert read <= 5


def _asgi(
    app: FastAPI, path: str, headers: list[tuple[bytes, bytes]], pieces: list[bytes]
) -> tuple[int, int]:
    """The status, and how many pieces of the body were read; a real server might pass on such a request."""
    sent: list[Any] = []
    waiting = list(pieces)

    async def receive() -> Any:
        return {"type": "http.request", "body": waiting.pop(0), "more_body": bool(waiting)}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "method": "POST",
        "path": path,
        "headers": headers,
        "query_string": b"",
        "client": ("1.2.3.4", 5),
    }
    asyncio.run(app(scope, receive, send))
    assert [message["type"] for message in sent] == ["http.response.start", "http.response.body"]
    return sent[0]["status"], len(pieces) - len(waiting)


def test_streams_are_not_held_back() -> None:
    """A piece is with the reader before the next is made."""
    seen: list[str] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for _ in range(2):
            seen.append("made")
            await send({"type": "http.response.body", "body": b"x", "more_body": True})

    async def send(message: Any) -> None:
        if message["type"] == "http.response.body":
            seen.append("sent")

    async def receive() -> Any:
        return {"type": "http.disconnect"}

    scope: dict[str, Any] = {"type": "http", "method": "GET", "path": "/", "headers": [], "client": None}
    asyncio.run(RequestGuard(app)(scope, receive, send))
    assert seen == ["made", "sent", "made", "sent"]


def test_an_open_socket_is_left_alone() -> None:
    given: list[Any] = []

    async def app(*all: Any) -> None:
        given.extend(all)

    async def receive() -> Any: ...

    async def send(message: Any) -> None: ...

    scope = {
        "type": "websocket",
        "path": "/",
        "headers": [(b"host", b"a"), (b"origin", b"http://a")],
        "client": None,
    }
    asyncio.run(RequestGuard(app)(scope, receive, send))
    assert given == [scope, receive, send]


# How often


def test_a_bucket_gives_a_burst_then_a_steady_rate() -> None:
    time = ManualTime()
    bucket = TokenBucket(rate=2, burst=3, clock=time.monotonic)
    assert [bucket.take() for _ in range(4)] == [True, True, True, False]
    assert bucket.wait() == 0.5
    time.pass_by(0.25)
    assert bucket.wait() == 0.25
    assert not bucket.take()
    time.pass_by(0.25)
    assert bucket.wait() == 0
    assert bucket.take()
    time.pass_by(1000)
    assert [bucket.take() for _ in range(4)] == [True, True, True, False]


def test_few_buckets_are_remembered() -> None:
    buckets = TokenBuckets(rate=0.001, burst=1, most=3)
    assert [buckets.wait(address) for address in "abc"] == [0, 0, 0]
    assert buckets.wait("a") > 900
    assert buckets.wait("d") == 0
    assert len(buckets) == 3
    assert buckets.wait("a") > 900, "it was seen lately"
    assert buckets.wait("b") == 0, "it was forgotten"


def _from(address: str, app: FastAPI) -> httpx.AsyncClient:
    return httpx.AsyncClient(
        transport=httpx.ASGITransport(app, client=(address, 5000)), base_url="http://testserver"
    )


def test_who_asks_too_often_must_wait() -> None:
    async def run() -> None:
        app = app_with()
        async with _from("1.2.3.4", app) as client, _from("1.2.3.5", app) as other:
            found = [(await client.get("/")).status_code for _ in range(150)]
            assert set(found[:100]) == {200}
            assert 429 in found
            refused = await client.get("/", headers={"Accept-Language": "en"})
            assert refused.status_code == 429
            assert refused.headers["retry-after"] == "1"
            assert "wait 1 second and" in refused.json()["error"]
            assert (await other.get("/")).status_code == 200

    asyncio.run(run())


def test_tables_are_made_less_often() -> None:
    async def run() -> None:
        async with _from("1.2.3.4", app_with()) as client:
            found = [(await client.post("/tables", headers=HERE)).status_code for _ in range(35)]
            assert found[:30] == [200] * 30
            assert found[-1] == 429
            assert (await client.get("/")).status_code == 200

    asyncio.run(run())


def test_a_household_has_one_bucket() -> None:
    async def run() -> None:
        app = app_with()
        found = []
        for n in range(35):
            async with _from(f"2001:db8:1:2::{n:x}", app) as client:
                found.append((await client.post("/tables", headers=HERE)).status_code)
        assert found[-1] == 429
        async with _from("2001:db8:1:3::1", app) as client:
            assert (await client.post("/tables", headers=HERE)).status_code == 200

    asyncio.run(run())


def test_limits_can_be_lifted(client: TestClient) -> None:
    assert {client.post("/tables", headers=HERE).status_code for _ in range(150)} == {200}


# Failures


def test_a_failure_is_told_kindly_and_traced_only_in_the_log(
    client: TestClient, caplog: pytest.LogCaptureFixture
) -> None:
    answer = client.get("/fails", headers={"Accept-Language": "en"})
    assert answer.status_code == 500
    told = answer.json()
    assert told["incident"] in told["error"]
    assert "denmark" not in answer.text
    [record] = [record for record in caplog.records if record.name == "comptoir.web.ops.request_guard"]
    assert record.levelno == logging.ERROR
    assert record.__dict__["incident"] == told["incident"]
    assert record.exc_info is not None
    page = client.get("/fails", headers={"Accept": "text/html,*/*", "Accept-Language": "fr"})
    assert page.status_code == 500
    assert "ce n’est pas votre faute" in page.text


def test_a_failure_in_the_middle_of_an_answer_only_ends_it(
    client: TestClient, caplog: pytest.LogCaptureFixture
) -> None:
    assert client.get("/fails-late").content == b"half"
    assert "failed" in caplog.text


def test_a_socket_that_fails_is_closed_with_a_number(
    client: TestClient, caplog: pytest.LogCaptureFixture
) -> None:
    with client.websocket_connect("/socket", headers=HERE) as socket:
        socket.send_text("fail")
        with pytest.raises(WebSocketDisconnect) as closed:
            socket.receive_text()
    assert closed.value.code == 1011
    assert closed.value.reason in [record.__dict__.get("incident") for record in caplog.records]
    with pytest.raises(WebSocketDisconnect), client.websocket_connect("/socket?fail=early", headers=HERE):
        pass


def test_who_goes_away_is_no_failure(client: TestClient, caplog: pytest.LogCaptureFixture) -> None:
    with client.websocket_connect("/socket", headers=HERE):
        pass
    assert "failed" not in caplog.text


def test_a_server_that_has_names_answers_to_no_other(tmp_path: Path) -> None:
    """A page elsewhere cannot reach a server at home by a name that its owner made lead there."""
    app = make_app(
        Store(f"sqlite:///{tmp_path / 'comptoir.sqlite'}"),
        hosts=["localhost", "*.example.org"],
        prepare=False,
    )
    with TestClient(app, base_url="http://localhost") as client:
        for host, status in (
            ("localhost:8420", 200),
            ("play.example.org", 200),
            ("evil.test", 400),
            ("", 400),
        ):
            assert client.get("/about", headers={"Host": host}).status_code == status
