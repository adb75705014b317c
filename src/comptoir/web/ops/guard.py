"""Stands before everything that comes in: whose page it comes from, how large and how often it may be, what
browsers are told.

Plain ASGI: it holds back no stream, and once a socket is open it is no longer in the way.
`app.add_middleware(Guard)`.
"""

from __future__ import annotations

import contextlib
import html
import json
import logging
import math
import re
import secrets
import time
from collections import Counter, OrderedDict
from collections.abc import Callable
from http.cookies import CookieError, SimpleCookie
from ipaddress import IPv6Address, ip_address

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketDisconnect

from comptoir.engine.words import LANGUAGES
from comptoir.web.ops.gate import Busy, Gate, asking
from comptoir.web.ops.outage import Unavailable
from comptoir.web.words import accepted, page_words

LARGEST_BODY = 256 * 1024
LARGEST_WISH = 16 * 1024  # of what programs send: a table or an action in JSON
SAFE_METHODS = frozenset(("GET", "HEAD", "OPTIONS", "TRACE"))
# a POST here makes a table
MAKING = re.compile(r"/(api/)?(play|learn|tables|replay)(/[^/]+/(again|continue))?/?")
# a mail program posts here for its owner, from no page; the link itself is the proof
STOPPING = re.compile(r"/mail/stop/[^/]+")
BRINGING = re.compile(r"/replay/?")  # a POST here brings a match file
# these cost nothing, and a page without one of its scripts is dead: only what is not there is counted
FILES = ("/static/", "/covers/")
REMEMBERED = 10_000  # addresses whose buckets are kept, and files that are known to be there
AT_ONCE, WAITING = 4, 120  # requests of an address that are answered at once, and that may wait
TRY_AGAIN = 1013  # why a socket is closed that the page should open again in a while
SOCKETS = 100  # of an address: a class with its teacher behind one router
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    b"content-security-policy": POLICY.encode(),
    b"x-content-type-options": b"nosniff",
    # table links are keys; and without a referrer forms would have no origin
    b"referrer-policy": b"same-origin",
    b"cross-origin-opener-policy": b"same-origin",
    b"permissions-policy": b"camera=(), microphone=(), geolocation=(), payment=(), usb=()",
}

# Whoever came by https comes by nothing else for a year: nobody in between can offer them a plain page.
ONLY_HTTPS = (b"strict-transport-security", b"max-age=31536000")

logger = logging.getLogger(__name__)


class Bucket:
    """Holds `burst` tokens and gets `rate` a second. Whoever acts takes one."""

    __slots__ = ("_at", "_burst", "_clock", "_rate", "_tokens")

    def __init__(self, rate: float, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._burst, self._tokens = rate, burst, burst
        self._clock, self._at = clock, clock()

    def take(self) -> bool:
        """Takes a token, if there is one."""
        self._fill()
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True

    def wait(self) -> float:
        """Seconds until there is a token."""
        self._fill()
        return max(0.0, (1 - self._tokens) / self._rate)

    def _fill(self) -> None:
        now = self._clock()
        self._tokens = min(self._burst, self._tokens + (now - self._at) * self._rate)
        self._at = now


class Buckets:
    """A bucket for every address; those not seen for longest are forgotten first, full again if they come
    back.
    """

    def __init__(self, rate: float, burst: float, most: int = REMEMBERED) -> None:
        self._rate, self._burst, self._most = rate, burst, most
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    def left(self, address: str) -> float:
        """How many seconds that address must wait for a token; none is taken."""
        bucket = self._buckets.get(address)
        return bucket.wait() if bucket else 0.0

    def __len__(self) -> int:
        return len(self._buckets)

    def wait(self, address: str) -> float:
        """Takes a token of that address; if there is none, says how many seconds it must wait."""
        bucket = self._buckets.get(address)
        if bucket is None:
            bucket = self._buckets[address] = Bucket(self._rate, self._burst)
            if len(self._buckets) > self._most:
                self._buckets.popitem(last=False)
        self._buckets.move_to_end(address)
        return 0.0 if bucket.take() else bucket.wait()


def personal_quotas() -> dict[str, Buckets]:
    """What one person may make, bring and change: less than an address, behind which there may be many."""
    return {
        "making": Buckets(rate=1 / 6, burst=20),
        "bringing": Buckets(rate=1 / 20, burst=6),
        "subscribing": Buckets(rate=1 / 10, burst=20),
        "mailing": Buckets(rate=1 / 600, burst=4),
        "hours": Buckets(rate=1 / 60, burst=5),
        "exporting": Buckets(rate=1 / 120, burst=5),
        "reviewing": Buckets(rate=1 / 60, burst=10),
    }


class Guard:
    """The middleware. `limits`: whether rates are limited."""

    def __init__(self, app: ASGIApp, *, limits: bool = True) -> None:
        self.app, self.limits = app, limits
        self._asking = Buckets(rate=20, burst=100)
        self._making = Buckets(rate=1 / 3, burst=30)
        self._bringing = Buckets(rate=1 / 10, burst=10)
        self._missing = Buckets(rate=2, burst=40)
        self._there: set[str] = set()  # files that are known to be there
        self._gate = Gate(256, each=AT_ONCE, waiting=WAITING)
        self._sockets: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        if self.limits:
            asking.set(address_of(scope))
        await (self._http if scope["type"] == "http" else self._websocket)(scope, receive, send)

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = _Request(scope, receive, send)
        refused = self._refusal(scope, request.headers)
        if refused is None and request.too_large:
            refused = request.why_too_large()
        if refused is not None:
            await request.answer(*refused)
            return
        try:
            if scope["path"].startswith(FILES):
                await self.app(scope, request.receive, request.send)
                self._note_file(scope["path"], request.status)
            else:
                async with self._gate.enter():
                    await self.app(scope, request.receive, request.send)
        except ClientDisconnect:
            return
        except (Busy, Unavailable) as error:
            await request.answer(error.status, error.key, error.seconds)
        except Exception:
            if not request.too_large:
                await request.answer(500, "guard.failed", incident=_incident())
        if request.too_large:
            await request.answer(*request.why_too_large())

    async def _websocket(self, scope: Scope, receive: Receive, send: Send) -> None:
        refused, address = self._refusal(scope, Headers(scope=scope)), address_of(scope)
        if refused is None and self.limits and self._sockets[address] >= SOCKETS:
            refused = 429, "guard.sockets", SOCKETS
        if refused is not None:
            await _deny(scope, send, *refused)
            return
        self._sockets[address] += 1
        try:
            await self.app(scope, receive, send)
        except WebSocketDisconnect:
            return
        except Unavailable:
            with contextlib.suppress(Exception):  # it may be closed already
                await send({"type": "websocket.close", "code": TRY_AGAIN})
        except Exception:
            reason = _incident()
            with contextlib.suppress(Exception):  # it may be closed already
                await send({"type": "websocket.close", "code": 1011, "reason": reason})
        finally:
            self._sockets[address] -= 1
            if not self._sockets[address]:
                del self._sockets[address]

    def _refusal(self, scope: Scope, headers: Headers) -> tuple[int, str, float] | None:
        """Why this is not let in: a status, a key of words.toml and its number."""
        acts = scope["type"] == "websocket" or scope["method"] not in SAFE_METHODS
        if acts and not _is_own_page(headers) and not _stops_mail(scope):
            return 403, "guard.origin", 0
        wait = self._wait(scope) if self.limits else 0.0
        return (429, "guard.often", math.ceil(wait)) if wait else None

    def _wait(self, scope: Scope) -> float:
        address, path = address_of(scope), scope["path"]
        if path.startswith(FILES):
            return 0.0 if path in self._there else self._missing.left(address)
        wait = self._asking.wait(address)
        if not wait and scope.get("method") == "POST" and MAKING.fullmatch(path):
            wait = self._making.wait(address)
            if not wait and BRINGING.fullmatch(path):
                wait = self._bringing.wait(address)
        return wait

    def _note_file(self, path: str, status: int) -> None:
        """Whoever asks for many files that are not there is refused further ones, but not those that are."""
        if status == 404:
            self._missing.wait(asking.get())
        elif len(self._there) < REMEMBERED:
            self._there.add(path)


class _Request:
    """One request and its answer: counts what comes in, adds our headers to what goes out."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.scope, self.headers = scope, Headers(scope=scope)
        self._receive, self._send = receive, send
        self._read, self._answered, self.status = 0, False, 0
        self._largest = LARGEST_WISH if scope["path"].startswith("/api/") else LARGEST_BODY
        length = self.headers.get("content-length", "0")
        self.too_large = not length.isdecimal() or int(length[:20]) > self._largest

    def why_too_large(self) -> tuple[int, str, float]:
        return 413, "guard.large", self._largest // 1024

    async def receive(self) -> Message:
        """What the app reads. The length that was announced is no proof, so the bytes are counted."""
        message = await self._receive()
        self._read += len(message.get("body", b""))
        if self._read > self._largest and not self._answered:
            self.too_large = True
            raise _TooLarge
        return message

    async def send(self, message: Message) -> None:
        """What the app answers.

        If it read too much, its answer (it may have caught that) is not sent: ours will be.
        """
        if self.too_large:
            return
        if message["type"] == "http.response.start":
            self._answered, self.status = True, message["status"]
            message = {
                **message,
                "headers": [
                    *(pair for pair in message.get("headers", ()) if pair[0] not in HEADERS),
                    *self._ours(),
                ],
            }
        await self._send(message)

    def _ours(self) -> list[tuple[bytes, bytes]]:
        return [*HEADERS.items(), *([ONLY_HTTPS] if self.scope.get("scheme") == "https" else [])]

    async def answer(self, status: int, key: str, number: float = 0, incident: str = "") -> None:
        """Our own answer, unless the app's is already on its way."""
        if self._answered:
            return
        self._answered = True
        lang, sentence = _sentence(self.headers, key, number, incident)
        wants_page = "text/html" in self.headers.get("accept", "") and not self.scope["path"].startswith(
            "/api/"
        )
        body = (
            _page(lang, status, sentence)
            if wants_page
            else json.dumps(_plain(sentence, incident), ensure_ascii=False)
        )
        content = b"text/html; charset=utf-8" if wants_page else b"application/json"
        headers = [
            (b"content-type", content),
            (b"content-length", b"%d" % len(body.encode())),
            (b"cache-control", b"no-store"),
        ]
        if status in (429, 503):
            headers.append((b"retry-after", b"%d" % number))
        if status == 413:
            headers.append((b"connection", b"close"))  # the rest of it is not worth reading
        await self._send(
            {"type": "http.response.start", "status": status, "headers": [*headers, *self._ours()]}
        )
        await self._send({"type": "http.response.body", "body": body.encode()})


class _TooLarge(Exception):
    """The body is larger than any of ours."""


async def _deny(scope: Scope, send: Send, status: int, key: str, number: float) -> None:
    """Refuses a socket; where the server can, with the reason."""
    if "websocket.http.response" not in scope.get("extensions", {}):
        await send({"type": "websocket.close", "code": 1008})
        return
    _, sentence = _sentence(Headers(scope=scope), key, number, "")
    headers = [(b"content-type", b"text/plain; charset=utf-8"), *HEADERS.items()]
    await send({"type": "websocket.http.response.start", "status": status, "headers": headers})
    await send({"type": "websocket.http.response.body", "body": sentence.encode()})


def _incident() -> str:
    """Writes the failure that is being handled to the log, and nowhere else; people get a number to ask
    about.
    """
    incident = secrets.token_hex(4)
    logger.exception("failed", extra={"incident": incident})
    return incident


def _sentence(headers: Headers, key: str, number: float, incident: str) -> tuple[str, str]:
    lang = _language(headers)
    return lang, page_words(None, lang).say(key, n=int(number), incident=incident)


def _language(headers: Headers) -> str:
    with contextlib.suppress(CookieError):
        chosen = SimpleCookie(headers.get("cookie", "")).get("lang")
        if chosen is not None and chosen.value in LANGUAGES:
            return chosen.value
    return accepted(headers.get("accept-language", ""))


def _plain(sentence: str, incident: str) -> dict[str, str]:
    return {"error": sentence, "incident": incident} if incident else {"error": sentence}


def _page(lang: str, status: int, sentence: str) -> str:
    """Made without the templates: they may be what failed."""
    return (
        f'<!doctype html><html lang="{lang}"><head><meta charset="utf-8"><title>{status} – Comptoir</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<link rel="stylesheet" href="/static/style.css"></head>'
        f'<body class="page"><main id="main"><article class="error-page"><p class="status">{status}</p>'
        f'<h1>{html.escape(sentence)}</h1><p><a class="button main" href="/">Comptoir</a></p>'
        "</article></main></body></html>"
    )


# Who asks


def _is_own_page(headers: Headers) -> bool:
    """Browsers say which site's page made a request that acts, and pages cannot forge it."""
    origin = headers.get("origin")
    if origin is None:
        return headers.get("sec-fetch-site") == "same-origin"
    scheme, _, host = origin.lower().partition("://")
    return (
        scheme in ("http", "https")
        and host != ""
        and _usual(host, scheme) == _usual(headers.get("host", "").lower(), scheme)
    )


def _stops_mail(scope: Scope) -> bool:
    return scope["type"] == "http" and STOPPING.fullmatch(scope["path"]) is not None


def _usual(host: str, scheme: str) -> str:
    """The host without the port that its scheme has anyway."""
    return host.removesuffix(":443" if scheme == "https" else ":80")


def address_of(scope: Scope) -> str:
    """Whose bucket it is. A household has a whole /64 of IPv6 addresses to itself."""
    host = scope["client"][0] if scope.get("client") else ""
    try:
        address = ip_address(host)
    except ValueError:
        return str(host)
    return host if not isinstance(address, IPv6Address) or address.ipv4_mapped else address.exploded[:19]
