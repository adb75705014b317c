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
from collections import Counter, OrderedDict
from collections.abc import Callable
from functools import lru_cache
from ipaddress import IPv6Address, ip_address

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketDisconnect

from comptoir.engine.words import LANGUAGES
from comptoir.time_source import SYSTEM_TIME, TimeSource
from comptoir.web.cookies import TooManyCookies, take_cookies
from comptoir.web.limits import (
    ADDRESS_BRINGING_RATE,
    ADDRESS_MAKING_RATE,
    ADDRESS_MISSING_RATE,
    ADDRESS_NAMING_RATE,
    ADDRESS_RATE,
    ADDRESS_REFUSAL_RATE,
    ADDRESS_REQUESTS,
    ADDRESS_REQUESTS_WAITING,
    ADDRESS_SOCKETS,
    ADDRESS_STORED_BYTE_RATE,
    API_BODY_BYTES,
    FORM_BYTES,
    PERSON_BRINGING_RATE,
    PERSON_EXPORTING_RATE,
    PERSON_HOURS_RATE,
    PERSON_MAILING_RATE,
    PERSON_MAKING_RATE,
    PERSON_MOVING_RATE,
    PERSON_REVIEWING_RATE,
    PERSON_SUBSCRIBING_RATE,
    REFUSAL_SECONDS,
    REMEMBERED_ADDRESSES,
    REQUESTS,
    UPLOAD_BYTES,
)
from comptoir.web.ops.fair_queue import ConcurrencyLimit, QueueFull, asking
from comptoir.web.page_words import accepted, page_words
from comptoir.web.storage.outage import Unavailable

SAFE_METHODS = frozenset(("GET", "HEAD", "OPTIONS", "TRACE"))
# a POST here makes a table
CREATE_TABLE_PATHS = re.compile(r"/(api/)?(play|learn|tables|replay)(/[^/]+/(again|continue))?/?")
# a mail program posts here for its owner, from no page; the link itself is the proof
UNSUBSCRIBE_PATHS = re.compile(r"/mail/stop/[^/]+")
IMPORT_PATHS = re.compile(r"/replay/?")  # a POST here brings a match file
UPLOAD_PATHS = re.compile(r"/(tables|replay)/?")  # a form that is sent here may have a file
UPLOAD, FORM = "multipart/form-data", "application/x-www-form-urlencoded"
# these cost nothing, and a page without one of its scripts is dead: only what is not there is counted
FILES = ("/static/", "/covers/")
TRY_AGAIN = 1013  # why a socket is closed that the page should open again in a while
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


class TokenBucket:
    """Holds `burst` tokens and gets `rate` a second. Whoever acts takes one."""

    __slots__ = ("_at", "_burst", "_clock", "_tokens", "rate")

    def __init__(self, rate: float, burst: float, clock: Callable[[], float] = SYSTEM_TIME.monotonic) -> None:
        self.rate, self._burst, self._tokens = rate, burst, burst
        self._clock, self._at = clock, clock()

    def take(self) -> bool:
        """Takes a token, if there is one."""
        self._fill()
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True

    def charge(self, tokens: float) -> None:
        """Takes that many tokens, whether they are there or not."""
        self._fill()
        self._tokens -= tokens

    def wait(self) -> float:
        """Seconds until there is a token."""
        self._fill()
        return max(0.0, (1 - self._tokens) / self.rate)

    def _fill(self) -> None:
        now = self._clock()
        self._tokens = min(self._burst, self._tokens + (now - self._at) * self.rate)
        self._at = now


class TokenBuckets:
    """A bucket for every address; those not seen for longest are forgotten first, full again if they come
    back.
    """

    def __init__(
        self,
        rate: float,
        burst: float,
        most: int = REMEMBERED_ADDRESSES,
        *,
        clock: Callable[[], float] = SYSTEM_TIME.monotonic,
    ) -> None:
        self.rate, self._burst, self._most, self._clock = rate, burst, most, clock
        self._buckets: OrderedDict[str, TokenBucket] = OrderedDict()

    def left(self, address: str) -> float:
        """How many seconds that address must wait for a token; none is taken."""
        bucket = self._buckets.get(address)
        return bucket.wait() if bucket else 0.0

    def __len__(self) -> int:
        return len(self._buckets)

    def wait(self, address: str) -> float:
        """Takes a token of that address; if there is none, says how many seconds it must wait."""
        bucket = self._of(address)
        return 0.0 if bucket.take() else bucket.wait()

    def charge(self, address: str, tokens: float) -> None:
        """Takes that many tokens of that address, whether they are there or not."""
        self._of(address).charge(tokens)

    def _of(self, address: str) -> TokenBucket:
        bucket = self._buckets.get(address)
        if bucket is None:
            bucket = self._buckets[address] = TokenBucket(self.rate, self._burst, self._clock)
            if len(self._buckets) > self._most:
                self._buckets.popitem(last=False)
        self._buckets.move_to_end(address)
        return bucket


def personal_quotas(time_source: TimeSource = SYSTEM_TIME) -> dict[str, TokenBuckets]:
    """What one person may make, bring and change: less than an address, behind which there may be many."""
    rates = {
        "making": PERSON_MAKING_RATE,
        "bringing": PERSON_BRINGING_RATE,
        "subscribing": PERSON_SUBSCRIBING_RATE,
        "mailing": PERSON_MAILING_RATE,
        "hours": PERSON_HOURS_RATE,
        "exporting": PERSON_EXPORTING_RATE,
        "reviewing": PERSON_REVIEWING_RATE,
        "moving": PERSON_MOVING_RATE,
        # of an address
        "storing": ADDRESS_STORED_BYTE_RATE,
        "naming": ADDRESS_NAMING_RATE,
    }
    return {name: TokenBuckets(*rate, clock=time_source.monotonic) for name, rate in rates.items()}


class RequestGuard:
    """The middleware. `limits`: whether rates are limited."""

    def __init__(self, app: ASGIApp, *, limits: bool = True, time_source: TimeSource = SYSTEM_TIME) -> None:
        self.app, self.limits, self._time = app, limits, time_source
        clock = time_source.monotonic
        self._asking = TokenBuckets(*ADDRESS_RATE, clock=clock)
        self._making = TokenBuckets(*ADDRESS_MAKING_RATE, clock=clock)
        self._bringing = TokenBuckets(*ADDRESS_BRINGING_RATE, clock=clock)
        self._missing = TokenBuckets(*ADDRESS_MISSING_RATE, clock=clock)
        self._refused = TokenBuckets(*ADDRESS_REFUSAL_RATE, clock=clock)
        self._there: set[str] = set()  # files that are known to be there
        self._gate = ConcurrencyLimit(REQUESTS, each=ADDRESS_REQUESTS, waiting=ADDRESS_REQUESTS_WAITING)
        self._sockets: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        if self.limits:
            asking.set(address_of(scope))
        await (self._http if scope["type"] == "http" else self._websocket)(scope, receive, send)

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        refused = self._refusal(scope)
        request = _Request(scope, receive, send)
        refused = refused or request.refusal()
        if refused is not None:
            await self._hold(scope)
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
        except QueueFull as error:
            await self._hold(scope)
            await request.answer(error.status, error.key, error.seconds)
        except Unavailable as error:
            await request.answer(error.status, error.key, error.seconds)
        except Exception:
            if not request.too_large:
                await request.answer(500, "guard.failed", incident=_incident())
        if request.too_large:
            await request.answer(*request.why_too_large())

    async def _websocket(self, scope: Scope, receive: Receive, send: Send) -> None:
        refused, address = self._refusal(scope), address_of(scope)
        if refused is None and self.limits and self._sockets[address] >= ADDRESS_SOCKETS:
            refused = 429, "guard.sockets", ADDRESS_SOCKETS
        if refused is not None:
            await self._hold(scope)
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

    async def _hold(self, scope: Scope) -> None:
        """A client that is refused again and again gets its answers slowly, so that a flood slows itself."""
        if self.limits and self._refused.wait(address_of(scope)):
            await self._time.sleep(REFUSAL_SECONDS)

    def _refusal(self, scope: Scope) -> Refusal | None:
        """Why this is not let in: a status, a key of words.toml and its number."""
        try:
            take_cookies(scope)
        except TooManyCookies:
            return 431, "guard.cookies", 0
        acts = scope["type"] == "websocket" or scope["method"] not in SAFE_METHODS
        if acts and not _is_own_page(Headers(scope=scope)) and not _stops_mail(scope):
            return 403, "guard.origin", 0
        wait = self._wait(scope) if self.limits else 0.0
        return (429, "guard.often", math.ceil(wait)) if wait else None

    def _wait(self, scope: Scope) -> float:
        address, path = address_of(scope), scope["path"]
        if path.startswith(FILES):
            return 0.0 if path in self._there else self._missing.left(address)
        wait = self._asking.wait(address)
        if not wait and scope.get("method") == "POST" and CREATE_TABLE_PATHS.fullmatch(path):
            wait = self._making.wait(address)
            if not wait and IMPORT_PATHS.fullmatch(path):
                wait = self._bringing.wait(address)
        return wait

    def _note_file(self, path: str, status: int) -> None:
        """Whoever asks for many files that are not there is refused further ones, but not those that are."""
        if status == 404:
            self._missing.wait(asking.get())
        elif len(self._there) < REMEMBERED_ADDRESSES:
            self._there.add(path)


Refusal = tuple[int, str, float]


class _Request:
    """One request and its answer: counts what comes in, adds our headers to what goes out."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.scope, self.headers = scope, Headers(scope=scope)
        self._receive, self._send = receive, send
        self._read, self._answered, self.status = 0, False, 0
        self._kind = self.headers.get("content-type", "").partition(";")[0].strip().lower()
        self._api = scope["path"].startswith("/api/")
        uploads = self._kind == UPLOAD and UPLOAD_PATHS.fullmatch(scope["path"]) is not None
        self._largest = API_BODY_BYTES if self._api else UPLOAD_BYTES if uploads else FORM_BYTES
        length = self.headers.get("content-length", "0")
        self.too_large = not length.isdecimal() or int(length[:20]) > self._largest
        chunked = "transfer-encoding" in self.headers
        self._has_body = length != "0" or chunked
        self._endless = chunked or not length.isdecimal() or int(length[:20]) > UPLOAD_BYTES

    def refusal(self) -> Refusal | None:
        """Why its body is not read at all."""
        if self.too_large:
            return self.why_too_large()
        if self._has_body and not self._api and self._kind not in (FORM, UPLOAD):
            return 415, "guard.content", 0
        return None

    def why_too_large(self) -> Refusal:
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
        wants_page = "text/html" in self.headers.get("accept", "") and not self._api
        body = _body(_language(self.scope), status, key, number, incident, wants_page)
        content = b"text/html; charset=utf-8" if wants_page else b"application/json"
        headers = [
            (b"content-type", content),
            (b"content-length", b"%d" % len(body)),
            (b"cache-control", b"no-store"),
        ]
        if status in (429, 503):
            headers.append((b"retry-after", b"%d" % number))
        if self._endless:  # the rest of it is not worth reading, not even to throw it away
            headers.append((b"connection", b"close"))
        await self._send(
            {"type": "http.response.start", "status": status, "headers": [*headers, *self._ours()]}
        )
        await self._send({"type": "http.response.body", "body": body})


class _TooLarge(Exception):
    """The body is larger than any valid one."""


async def _deny(scope: Scope, send: Send, status: int, key: str, number: float) -> None:
    """Refuses a socket; where the server can, with the reason."""
    if "websocket.http.response" not in scope.get("extensions", {}):
        await send({"type": "websocket.close", "code": 1008})
        return
    sentence = page_words(None, _language(scope)).say(key, n=int(number))
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


def _language(scope: Scope) -> str:
    chosen = take_cookies(scope).get("lang", "")
    return chosen if chosen in LANGUAGES else accepted(Headers(scope=scope).get("accept-language", ""))


@lru_cache(256)
def _body(lang: str, status: int, key: str, number: float, incident: str, wants_page: bool) -> bytes:
    """What is answered. A flood is refused with the same few again and again."""
    sentence = page_words(None, lang).say(key, n=int(number), incident=incident)
    text = (
        _page(lang, status, sentence)
        if wants_page
        else json.dumps(_error_body(sentence, incident), ensure_ascii=False)
    )
    return text.encode()


def _error_body(sentence: str, incident: str) -> dict[str, str]:
    return {"error": sentence, "incident": incident} if incident else {"error": sentence}


def _page(lang: str, status: int, sentence: str) -> str:
    """Made without the templates: they may be what failed."""
    return (
        f'<!doctype html><html lang="{lang}"><head><meta charset="utf-8"><title>{status} – Comptoir</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<link rel="stylesheet" href="/static/base.css"></head>'
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
    return scope["type"] == "http" and UNSUBSCRIBE_PATHS.fullmatch(scope["path"]) is not None


def _usual(host: str, scheme: str) -> str:
    """The host without the port that its scheme has anyway."""
    return host.removesuffix(":443" if scheme == "https" else ":80")


def address_of(scope: Scope) -> str:
    """Whose bucket it is. A household has a whole /64 of IPv6 addresses to itself."""
    return _household(scope["client"][0] if scope.get("client") else "")


@lru_cache(1024)
def _household(host: str) -> str:
    try:
        address = ip_address(host)
    except ValueError:
        return str(host)
    return host if not isinstance(address, IPv6Address) or address.ipv4_mapped else address.exploded[:19]
