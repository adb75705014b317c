"""What whoever runs a server can see of it: a log, metrics, and whether it is well.

Never actions, hands, seeds or tokens.
"""

from __future__ import annotations

import hashlib
import json
import logging
import math
import sys
import threading
import time
import traceback
from base64 import b64decode
from collections.abc import Callable
from contextlib import suppress
from hmac import compare_digest
from ipaddress import ip_address
from typing import Any, TextIO

from fastapi import APIRouter, Request
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from comptoir.errors import OptionError
from comptoir.web import limits
from comptoir.web.ops.store import Store

TRIED = 1.0  # seconds for which it is known whether the database can be written
PASSED_ON = ("forwarded", "x-forwarded-for", "x-real-ip", "via")  # what proxies add
LEVELS = {"": logging.WARNING, "info": logging.INFO, "debug": logging.DEBUG}
# what a line of ours may have besides the time and the event
FIELDS = ("method", "path", "status", "ms", "incident")

registry = CollectorRegistry()
ProcessCollector(registry=registry)  # memory, processor time, files; where /proc has them
REQUESTS = Counter("comptoir_requests", "Requests answered", ["method", "route", "status"], registry=registry)
SOCKETS = Gauge("comptoir_sockets", "Sockets open", registry=registry)
ACTIONS = Counter("comptoir_actions", "Events committed at tables", ["kind"], registry=registry)
TOLD = Histogram(
    "comptoir_told_seconds",
    "From an action's arrival until everyone was told",
    buckets=(0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5),
    registry=registry,
)
THINKING = Gauge("comptoir_bots_thinking", "Bots that think now", registry=registry)
# each queue sets its own length: WAITING.labels("bots").set_function(len_of_the_queue)
WAITING = Gauge("comptoir_waiting", "Waiting for their turn, by queue", ["queue"], registry=registry)
NOTICES = Counter("comptoir_notices", "Notices by way and outcome", ["way", "outcome"], registry=registry)
WRITABLE = Gauge(
    "comptoir_writable", "Whether the database could be written when last tried", registry=registry
)
WORKERS = Gauge(
    "comptoir_bots_workers", "Thoughts that bots in other processes can think at once", registry=registry
)
TABLES = Gauge("comptoir_tables_live", "Tables in use in this process", registry=registry)
STORED = Gauge("comptoir_tables_stored", "Tables in the database", ["state"], registry=registry)

logger = logging.getLogger(__name__)


class Watch:
    """Middleware, outside all other: counts and logs every request. `app.add_middleware(Watch)`, last."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began, status = time.perf_counter(), 500

        async def note(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, note)
        finally:
            method = (
                scope["method"] if scope["method"] in ("GET", "HEAD", "POST", "PUT", "DELETE") else "other"
            )
            REQUESTS.labels(method, route_of(scope), status).inc()
            ms = round(1000 * (time.perf_counter() - began), 1)
            logger.info(
                "request", extra={"method": method, "path": safe_path(scope), "status": status, "ms": ms}
            )


def route_of(scope: Scope) -> str:
    """The route that answered, such as /tables/{id}: few in number, and nobody's secret."""
    route = getattr(scope.get("route"), "path", None)
    if route is not None:
        return str(route)
    return "/static" if scope["path"].startswith("/static/") else "none"


def safe_path(scope: Scope) -> str:
    """The route with a mark in place of each id or token: enough to tell tables apart, not to open their
    doors.
    """
    path = route_of(scope)
    for name, value in scope.get("path_params", {}).items():
        path = path.replace(f"{{{name}}}", mark(str(value)))
    return path


def mark(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()[:6]


# The log


class JsonLine(logging.Formatter):
    """One JSON object a line.

    Of errors it tells the kind and the places in the code, not the text: that may quote anything.
    """

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": self._time(record),
            "level": record.levelname.lower(),
            "event": self._event(record),
        }
        line |= {name: getattr(record, name) for name in FIELDS if hasattr(record, name)}
        if record.exc_info and record.exc_info[0] is not None:
            line |= _trace(record.exc_info[1])
        return json.dumps(line, ensure_ascii=False)

    def _time(self, record: logging.LogRecord) -> str:
        return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created)) + f".{int(record.msecs):03}Z"

    def _event(self, record: logging.LogRecord) -> str:
        """What we say ourselves; of others' lines only the part that is the same every time."""
        if record.name.split(".")[0] == "comptoir":
            return record.getMessage()
        return f"{record.name}: {str(record.msg).splitlines()[0] if record.msg else ''}"


def _trace(error: BaseException | None) -> dict[str, Any]:
    """Where it happened, the innermost place first; and what lies behind it."""
    if error is None:
        return {}
    places = [
        f"{frame.filename}:{frame.lineno} {frame.name}"
        for frame in reversed(traceback.extract_tb(error.__traceback__))
    ]
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    told: dict[str, Any] = {"error": f"{type(error).__module__}.{type(error).__name__}", "at": places}
    return told | ({"cause": _trace(cause)} if cause is not None else {})


def start_log(level: str = "", stream: TextIO | None = None) -> None:
    """All that is logged goes to standard error, as lines of ours.

    uvicorn: `log_config=None, access_log=False`.
    """
    if level not in LEVELS:
        raise OptionError(f"log: expected info or debug, found {level!r}")
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonLine())
    # others speak only when something is wrong
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    logging.getLogger("comptoir").setLevel(LEVELS[level])
    logging.getLogger("uvicorn.error").addFilter(_is_news)


def _is_news(record: logging.LogRecord) -> bool:
    """Uvicorn takes a socket that was refused with a sentence for one that was forgotten."""
    return "without completing handshake" not in record.getMessage()


# Health and metrics


def measured(name: str, **labels: str) -> float:
    """The value of a metric now; 0 if nothing is known of it."""
    return registry.get_sample_value(name, labels) or 0.0


class Host:
    """Whoever runs the server, as opposed to those who play: someone on this machine, or with the token.

    A request that a proxy has passed on comes from this machine only by its address: it needs the token.
    The token is the password of HTTP's Basic scheme, which browsers ask for and Prometheus can send.
    """

    def __init__(self, token: str = "") -> None:
        self._token = token

    def asks(self, request: Request) -> bool:
        passed_on = any(header in request.headers for header in PASSED_ON)
        local = not passed_on and _is_local(request.client.host if request.client else "")
        return local or (self._token != "" and compare_digest(_password(request), self._token.encode()))

    def refusal(self, sentence: str) -> Response:
        """Asks for the token, where there is one."""
        asking = {"WWW-Authenticate": 'Basic realm="Comptoir", charset="UTF-8"'} if self._token else {}
        return PlainTextResponse(f"{sentence}\n", 401 if self._token else 403, headers=asking)


def _password(request: Request) -> bytes:
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "basic":
        return b""
    with suppress(ValueError):
        return b64decode(given, validate=True).partition(b":")[2]
    return b""


class Health:
    """Whether the server can keep what happens: tried once a second at most, however many ask.

    There is one attempt at a time, in a thread of its own. Nobody waits long for one that hangs, and until it
    comes back the answer is no.
    """

    def __init__(self, store: Store, clock: Callable[[], float] = time.monotonic) -> None:
        self._store, self._clock = store, clock
        self._at, self._well, self._turn = -math.inf, False, threading.Lock()
        self._tried: threading.Event | None = None  # the attempt under way

    def well(self) -> bool:
        with self._turn:
            if self._tried is None and self._clock() - self._at >= TRIED:
                self._tried, self._at = threading.Event(), self._clock()
                threading.Thread(target=self._try, args=(self._tried,), name="health", daemon=True).start()
            tried, left = self._tried, self._at + limits.HEALTH_ANSWER - self._clock()
        if tried is not None and not tried.wait(max(0.0, left)):
            WRITABLE.set(False)
            return False
        return self._well

    def _try(self, tried: threading.Event) -> None:
        well = False
        try:
            well = self._store.can_write()
        finally:
            with self._turn:
                self._well, self._at, self._tried = well, self._clock(), None
            WRITABLE.set(well)
            tried.set()


def router(store: Store, host: Host) -> APIRouter:
    """/health for everyone, /metrics for the host."""
    made, health_of = APIRouter(), Health(store)

    @made.get("/health")
    def health() -> JSONResponse:
        well = health_of.well()
        return JSONResponse({"ok": well, "database": store.kind}, 200 if well else 503)

    @made.get("/metrics")
    def metrics(request: Request) -> Response:
        if not host.asks(request):
            return host.refusal(
                "Metrics are shown on the server's own machine only, or with the host's token."
            )
        health_of.well()
        if store.check():
            for state in ("waiting", "on", "over"):
                STORED.labels(state).set(0)
            for state, number in store.counts().items():
                STORED.labels(state).set(number)
        return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)

    return made


def _is_local(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
