"""What whoever runs a server can see of it: a log, metrics, and whether it is well.

Never actions, hands, seeds or tokens.
"""

from __future__ import annotations

import hashlib
import json
import logging
import math
import os
import re
import sys
import threading
import time
import traceback
from base64 import b64decode
from collections.abc import Callable, Iterable
from contextlib import suppress
from hmac import compare_digest
from ipaddress import ip_address
from pathlib import Path
from types import TracebackType
from typing import TextIO

from fastapi import APIRouter, Request
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    Metric,
    ProcessCollector,
    generate_latest,
    values,
)
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector
from prometheus_client.samples import Sample
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from comptoir import __file__ as package
from comptoir.errors import OptionError
from comptoir.time_source import SYSTEM_TIME
from comptoir.web import limits
from comptoir.web.ops import shared_metrics
from comptoir.web.storage.store import Store

WRITE_CHECK_INTERVAL = 1.0  # seconds for which it is known whether the database can be written
PROXY_HEADERS = ("forwarded", "x-forwarded-for", "x-real-ip", "via")  # what proxies add
LEVELS = {"": logging.WARNING, "info": logging.INFO, "debug": logging.DEBUG}
# messages of uvicorn that are not worth a line: anyone can cause as many as they like
UVICORN_NOISE = (
    "without completing handshake",
    "Invalid HTTP request received",
    "Unsupported upgrade request",
)
# fields that a line of the log may have, as well as the time and the event
FIELDS = ("method", "path", "status", "ms", "incident", "reason")
STATES = ("waiting", "on", "over")  # of tables, always told

# What text of other programs' tracebacks looks like: a place, and the error at the end.
_PLACE = re.compile(r'^  File "(.+)", line (\d+), in (.+)$', re.MULTILINE)
_ERROR = re.compile(r"^([A-Za-z_][\w.]*)(?:: (.*))?$")
_OURS = str(Path(package).parent)

# Metrics. One worker of several learns where to share its own, before the first of them is made.
_place = os.environ.pop(shared_metrics.VARIABLE, "")  # not for processes that this one starts
SHARED = Path(_place).parent if _place else None
if SHARED is not None:
    _slot = Path(_place).name
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(SHARED)
    values.ValueClass = values.MultiProcessValue(lambda: _slot)  # type: ignore[no-untyped-call]
else:
    values.ValueClass = values.MutexValue


class LiveGauge(Gauge):
    """A gauge whose value can be asked for. prometheus_client cannot share such values between processes, so
    `refresh` asks and sets them.
    """

    asked: dict[Gauge, Callable[[], float]] = {}  # noqa: RUF012 - of all such gauges

    def set_function(self, f: Callable[[], float]) -> None:
        LiveGauge.asked[self] = f


def refresh() -> None:
    """Brings all gauges of this process up to date."""
    for gauge, value in list(LiveGauge.asked.items()):
        gauge.set(value())


class WorkerProcessCollector(Collector):
    """Memory, processor time and files of every process of this server, each with a label that tells them
    apart: their counters begin again with each process.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def collect(self) -> Iterable[Metric]:
        found: dict[str, Metric] = {}
        for slot, pid in shared_metrics.processes(self._folder).items():
            for family in ProcessCollector(pid=lambda pid=pid: pid, registry=None).collect():  # type: ignore[misc]
                whole = found.setdefault(family.name, Metric(family.name, family.documentation, family.type))
                for sample in family.samples:
                    whole.add_sample(sample.name, {**sample.labels, "process": slot}, sample.value)
        return found.values()


registry = CollectorRegistry()
if SHARED is None:
    ProcessCollector(registry=registry)  # memory, processor time, files; where /proc has them
REQUESTS = Counter("comptoir_requests", "Requests answered", ["method", "route", "status"], registry=registry)
SOCKETS = Gauge("comptoir_sockets", "Sockets open", registry=registry, multiprocess_mode="livesum")
EVENTS = Counter("comptoir_events", "Events committed at tables", ["kind"], registry=registry)
BROADCAST_SECONDS = Histogram(
    "comptoir_broadcast_seconds",
    "From an action's arrival until everyone was told",
    buckets=(0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5),
    registry=registry,
)
THINKING = Gauge(
    "comptoir_bots_thinking", "Bots that think now", registry=registry, multiprocess_mode="livesum"
)
# each queue gives its own length: QUEUE_LENGTH.labels("bots").set_function(len_of_the_queue)
QUEUE_LENGTH = LiveGauge(
    "comptoir_queue_length",
    "Waiting for their turn, by queue",
    ["queue"],
    registry=registry,
    multiprocess_mode="livesum",
)
NOTIFICATIONS = Counter(
    "comptoir_notifications",
    "Notifications by channel and outcome",
    ["channel", "outcome"],
    registry=registry,
)
DATABASE_WRITABLE = Gauge(
    "comptoir_database_writable",
    "Whether the database could be written when last tried",
    registry=registry,
    multiprocess_mode="livemostrecent",  # a process that has not tried yet says nothing
)
WORKERS = LiveGauge(
    "comptoir_bots_workers",
    "Thoughts that bots in other processes can think at once",
    registry=registry,
    multiprocess_mode="livemax",  # all processes count the same ones
)
TABLES = Gauge("comptoir_tables_live", "Tables in use", registry=registry, multiprocess_mode="livesum")
STORED = Gauge(
    "comptoir_tables_stored",
    "Tables in the database",
    ["state"],
    registry=registry,
    multiprocess_mode="livemostrecent",
)
SERVING = Gauge("comptoir_processes", "Processes that serve", registry=registry, multiprocess_mode="livesum")

logger = logging.getLogger(__name__)


class MetricsMiddleware:
    """Middleware, outside all other (it is added last): counts and logs every request."""

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
    """One JSON object per line.

    Of errors it gives the kind and the places in the code, not the text, which may quote anything. The text
    is given of an error that ends the server's start: no visitor has a part in that.
    """

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "time": self._time(record),
            "level": record.levelname.lower(),
            "event": self._event(record),
        }
        line |= {name: getattr(record, name) for name in FIELDS if hasattr(record, name)}
        if record.exc_info and record.exc_info[0] is not None:
            line |= _trace(record.exc_info[1])
        elif _is_traceback(record):
            line |= _read_traceback(record.getMessage())
        return json.dumps(line, ensure_ascii=False)

    def _time(self, record: logging.LogRecord) -> str:
        return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created)) + f".{int(record.msecs):03}Z"

    def _event(self, record: logging.LogRecord) -> str:
        """What we say ourselves; of others' lines only the part that is the same every time."""
        if record.name.split(".")[0] == "comptoir":
            return record.getMessage()
        if _is_traceback(record):
            return f"{record.name}: an error ended the start"
        return f"{record.name}: {str(record.msg).splitlines()[0] if record.msg else ''}"


def _is_traceback(record: logging.LogRecord) -> bool:
    """Uvicorn logs an error at the start as text."""
    return record.name == "uvicorn.error" and str(record.msg).startswith("Traceback (most recent call last)")


def _read_traceback(text: str) -> dict[str, object]:
    """The error that a printed traceback ends with, and where that was."""
    places = [(file, f"{file}:{line} {name}") for file, line, name in _PLACE.findall(text)]
    # of an error with several lines of text the first one is the sentence
    after = text.rpartition("\n  File ")[2].splitlines()[1:]
    error = next((found for line in after if (found := _ERROR.match(line))), None)
    told: dict[str, object] = {"at": _shortened(places[::-1])}
    if error is not None:
        told |= {"error": error[1], "reason": (error[2] or "")[: limits.LOG_REASON_LETTERS]}
    return told


def _trace(error: BaseException | None, depth: int = 1) -> dict[str, object]:
    """Where it happened, the innermost place first; and what lies behind it."""
    if error is None or depth > limits.LOG_CAUSES:
        return {}
    places = [
        (frame.filename, f"{frame.filename}:{frame.lineno} {frame.name}")
        for frame in reversed(traceback.extract_tb(error.__traceback__))
    ]
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    told: dict[str, object] = {
        "error": f"{type(error).__module__}.{type(error).__name__}",
        "at": _shortened(places),
    }
    return told | ({"cause": behind} if (behind := _trace(cause, depth + 1)) else {})


def _shortened(places: list[tuple[str, str]]) -> list[str]:
    """The innermost place, then those in our own code: a library's many say little."""
    ours = [place for file, place in places[1:] if file.startswith(_OURS)]
    return [place for _, place in places[:1]] + ours[: limits.LOG_FRAMES - 1]


def start_log(level: str = "", stream: TextIO | None = None) -> None:
    """All that is logged goes to standard error, as lines of our own format.

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


def log_uncaught() -> None:
    """From now on what nobody catches is a line of the log, too."""
    sys.excepthook = _log_uncaught
    threading.excepthook = lambda failed: _log_uncaught(failed.exc_type, failed.exc_value)


def _log_uncaught(
    kind: type[BaseException], error: BaseException | None, _: TracebackType | None = None
) -> None:
    if not issubclass(kind, KeyboardInterrupt | SystemExit):
        logger.critical("an error was not caught", exc_info=error)


def _is_news(record: logging.LogRecord) -> bool:
    """Uvicorn takes a socket that was refused with a sentence for one that was forgotten; and anyone can send
    as many invalid requests as they like.
    """
    message = record.getMessage()
    return not any(told in message for told in UVICORN_NOISE)


# Health and metrics


def whole() -> CollectorRegistry:
    """The metrics of all processes of this server, as they are now."""
    refresh()
    if SHARED is None:
        return registry
    made = CollectorRegistry()
    MultiProcessCollector(made, str(SHARED))  # type: ignore[no-untyped-call]
    made.register(WorkerProcessCollector(SHARED))
    return made


class Measured:
    """The values of all metrics at one moment."""

    def __init__(self) -> None:
        self._samples: dict[str, list[Sample]] = {}
        for family in whole().collect():
            for sample in family.samples:
                self._samples.setdefault(sample.name, []).append(sample)

    def sum(self, name: str, **labels: str) -> float:
        """All processes together; 0 if nothing is known of it."""
        return math.fsum(self._found(name, labels))

    def least(self, name: str) -> float:
        return min(self._found(name, {}), default=0.0)

    def _found(self, name: str, labels: dict[str, str]) -> list[float]:
        samples = self._samples.get(name, [])
        return [sample.value for sample in samples if labels.items() <= sample.labels.items()]


def measured(name: str, **labels: str) -> float:
    """The value of a metric now, all processes together; 0 if nothing is known of it."""
    return Measured().sum(name, **labels)


class AdminAccess:
    """Whoever runs the server, as opposed to those who play: someone on this machine, or with the token.

    A request that a proxy has passed on comes from this machine only by its address: it needs the token.
    The token is the password of HTTP's Basic scheme, which browsers ask for and Prometheus can send.
    """

    def __init__(self, token: str = "") -> None:
        self._token = token

    def asks(self, request: Request) -> bool:
        passed_on = any(header in request.headers for header in PROXY_HEADERS)
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

    def __init__(self, store: Store, clock: Callable[[], float] = SYSTEM_TIME.monotonic) -> None:
        self._store, self._clock = store, clock
        self._at, self._well, self._turn = -math.inf, False, threading.Lock()
        self._tried: threading.Event | None = None  # the attempt under way

    def well(self) -> bool:
        with self._turn:
            if self._tried is None and self._clock() - self._at >= WRITE_CHECK_INTERVAL:
                self._tried, self._at = threading.Event(), self._clock()
                threading.Thread(target=self._try, args=(self._tried,), name="health", daemon=True).start()
            tried, left = self._tried, self._at + limits.HEALTH_SECONDS - self._clock()
        if tried is not None and not tried.wait(max(0.0, left)):
            DATABASE_WRITABLE.set(False)
            return False
        return self._well

    def _try(self, tried: threading.Event) -> None:
        well = False
        try:
            well = self._store.database.can_write()
        finally:
            with self._turn:
                self._well, self._at, self._tried = well, self._clock(), None
            DATABASE_WRITABLE.set(well)
            tried.set()


def router(store: Store, host: AdminAccess) -> APIRouter:
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
        if store.database.answers():
            for state, number in (dict.fromkeys(STATES, 0) | store.tables.counts()).items():
                STORED.labels(state).set(number)
        return Response(generate_latest(whole()), media_type=CONTENT_TYPE_LATEST)

    return made


def _is_local(host: str) -> bool:
    try:
        address = ip_address(host)
        # as a server that listens on :: is told of its own machine
        return (getattr(address, "ipv4_mapped", None) or address).is_loopback
    except ValueError:
        return False
