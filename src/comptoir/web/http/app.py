"""The app: all its parts put together."""

from __future__ import annotations

import asyncio
import re
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import cache
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from comptoir import __version__
from comptoir.art.board import STYLE
from comptoir.errors import ComptoirError
from comptoir.time_source import SYSTEM_TIME, TimeSource
from comptoir.web import limits as bounds
from comptoir.web.domain.people import IdentityTokens
from comptoir.web.domain.refusals import Forbidden, Refused
from comptoir.web.http import api, my_games_pages, notification_pages, pages, preview_pages, pwa, status_page
from comptoir.web.http.head_options import Methods
from comptoir.web.http.requests import RateLimited
from comptoir.web.http.responses import page
from comptoir.web.limits import ADDRESS_CONNECTIONS, READING_SECONDS
from comptoir.web.live import sockets
from comptoir.web.live.account_deletion import finish_deleting
from comptoir.web.live.app_services import AppServices, language_of
from comptoir.web.live.not_found import NotFound
from comptoir.web.live.notifier import Notifier, NotifierSettings
from comptoir.web.live.precompiler import Precompiler
from comptoir.web.live.preview_service import PreviewService
from comptoir.web.live.review_queue import DEFAULT_CPU_SHARE, ReviewQueue
from comptoir.web.live.sessions import Sessions
from comptoir.web.live.tables import Tables
from comptoir.web.live.upload_parser import UploadParser
from comptoir.web.ops import monitoring, push
from comptoir.web.ops.connection_limits import LimitedH11Protocol, make_room
from comptoir.web.ops.fair_queue import QueueFull
from comptoir.web.ops.frames import LimitedSocket
from comptoir.web.ops.gc_schedule import disable_automatic_gc
from comptoir.web.ops.mail import MailSettings
from comptoir.web.ops.memory import configure_malloc
from comptoir.web.ops.request_guard import RequestGuard, personal_quotas
from comptoir.web.ops.settings import ServerSettings
from comptoir.web.page_words import page_words
from comptoir.web.storage.database import NotStored
from comptoir.web.storage.recipients import Recipients
from comptoir.web.storage.retry import is_transient, log_retry, start_pauses
from comptoir.web.storage.review_store import ReviewStore
from comptoir.web.storage.store import Store
from comptoir.web.view.templating import STATIC, asset_version

FOR_GOOD = "public, max-age=31536000, immutable"
EDITION = re.compile(r"v[0-9a-f]{12}/")


def make_app(
    store: Store,
    *,
    bot_delay: float = 0.7,
    hosts: Sequence[str] = ("*",),
    proxies: Sequence[str] = (),
    admin_token: str = "",
    limits: bool = True,
    prepare: bool = True,
    reading: float = READING_SECONDS,
    notices: NotifierSettings | None = None,
    reviewing: float = DEFAULT_CPU_SHARE,
    stopping: Callable[[], bool] = lambda: False,
    time_source: TimeSource = SYSTEM_TIME,
) -> FastAPI:
    """The app on a database.

    `bot_delay`: the usual pause of bots in seconds, so that people can follow them. `hosts`: the names that
    this server answers to; *.example.org stands for all names in a domain. `proxies`: the addresses and
    networks from which X-Forwarded headers are believed. `admin_token`: what opens /status and /metrics from
    other machines. `reading`: the most seconds for reading what somebody has brought. `notices`: how people
    are notified while they are away. `reviewing`: the share of a processor that reviews may take.
    `stopping`: whether the server is to end; a start that waits for the database gives up then.
    `time_source`: where the app takes the time from, and how it waits.
    """

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        async with await _when_available(lambda: begin(app), store, stopping):
            yield

    async def begin(app: FastAPI) -> AsyncExitStack:
        """Starts everything; what comes back stops it. If something fails, what was started is stopped."""
        async with AsyncExitStack() as begun:
            begun.callback(store.close)
            store.migrate()
            people, warm = IdentityTokens(store.values.secret(), time_source), Precompiler()
            tables = Tables(store, warm, bot_delay=bot_delay, time_source=time_source)
            reader, previews = UploadParser(limit=reading, time_source=time_source), PreviewService(tables)
            sessions = Sessions(store, people, tables.in_store, time_source)
            quotas = personal_quotas(time_source) if limits else {}
            told = _notices(store, people, tables, notices or NotifierSettings(), hosts)
            reviews = ReviewQueue(tables, ReviewStore(store.database, time_source), share=reviewing)
            app.state.server = AppServices(
                store,
                people,
                sessions,
                warm,
                tables,
                reader,
                previews,
                quotas,
                told,
                store.results,
                reviews,
                time_source,
            )
            # stopped in the opposite order
            for part in (previews, reader, tables, reviews, warm):
                begun.push_async_callback(part.stop)
            sessions.listen()
            if prepare:
                warm.start()
            await tables.start()
            await finish_deleting(app.state.server)
            begun.push_async_callback(told.stop)
            await told.start()
            begun.enter_context(monitoring.SERVING.track_inprogress())
            refreshing = asyncio.create_task(_refresh_metrics(time_source))
            begun.callback(refreshing.cancel)
            return begun.pop_all()

    app = FastAPI(
        title="Comptoir",
        version=__version__,
        lifespan=life,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
    )
    app.include_router(pages.router, include_in_schema=False)
    app.include_router(notification_pages.router, include_in_schema=False)
    app.include_router(pwa.router, include_in_schema=False)
    app.include_router(preview_pages.router, include_in_schema=False)
    app.include_router(my_games_pages.router, include_in_schema=False)
    app.include_router(api.router)
    app.include_router(sockets.router)
    host = monitoring.AdminAccess(admin_token)
    app.include_router(monitoring.router(store, host), include_in_schema=False)
    app.include_router(status_page.router(host), include_in_schema=False)
    app.mount("/static", Files(directory=STATIC), "static")
    for kind in (HTTPException, RequestValidationError, ComptoirError, NotFound):
        app.add_exception_handler(kind, answer_error)
    app.add_middleware(GZipMiddleware, minimum_size=600, compresslevel=6)
    app.add_middleware(Methods, routes=app.routes)
    app.add_middleware(RequestGuard, limits=limits, time_source=time_source)
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=hosts, www_redirect=False)
    app.add_middleware(monitoring.MetricsMiddleware)
    # last, so outside all others: they see who really asks
    app.add_middleware(ProxyHeadersMiddleware, trusted_hosts=list(proxies))
    return app


async def _when_available(
    begin: Callable[[], Awaitable[AsyncExitStack]], store: Store, stopping: Callable[[], bool]
) -> AsyncExitStack:
    """Begins, again and again while PostgreSQL is away or has no connection left for us.

    The pauses are of the system's time: nothing of the app runs yet.
    """
    pauses = start_pauses()
    while True:
        try:
            return await begin()
        except Exception as error:
            if store.kind != "postgresql" or not is_transient(error):
                raise
            pause = next(pauses)
            log_retry(error, pause)
            end = time.monotonic() + pause
            while time.monotonic() < end:
                if stopping():
                    raise
                await asyncio.sleep(0.1)


async def _refresh_metrics(time_source: TimeSource) -> None:
    """Other processes of this server can only read what was written for them."""
    while monitoring.SHARED is not None:
        monitoring.refresh()
        await time_source.sleep(bounds.METRICS_REFRESH_SECONDS)


def _notices(
    store: Store, people: IdentityTokens, tables: Tables, settings: NotifierSettings, hosts: Sequence[str]
) -> Notifier:
    """Tells who is away what happens at these tables."""
    keys = push.Keys(
        store.values.get_or_create("push", push.new_keys), settings.contact or _contact(settings, hosts)
    )
    time_source = tables.time_source
    sending = push.Push(keys, allow_private=settings.allow_private, time_source=time_source)
    readers, alone = Recipients(store.database, time_source), store.kind == "sqlite"
    told = Notifier(readers, people, sending, settings, alone=alone, time_source=time_source)
    told.serve(tables.in_store, tables.find)
    tables.on_change, tables.on_remote_change = told.on_change, told.on_remote_change
    return told


def _contact(settings: NotifierSettings, hosts: Sequence[str]) -> str:
    """Whom a push service may ask about this server: where its mails come from, or the server itself."""
    if settings.mail is not None:
        return settings.mail.contact
    named = (host for host in hosts if "*" not in host and "." in host and not host[-1].isdigit())
    return f"https://{next(named, 'localhost')}"


class Files(StaticFiles):
    """Scripts, styles and fonts. Browsers keep those requested by today's version.

    A page of another version, from a server that is being replaced, gets today's. Our own scripts and styles
    are sent without their comments, a quarter of what they weigh compressed.
    """

    async def get_response(self, path: str, scope: Scope) -> Response:
        plain = EDITION.sub("", path, count=1)
        style = plain == "board.css"  # how boards are set; pictures that stand alone carry the same
        response = FileResponse(STYLE) if style else await super().get_response(plain, scope)
        if isinstance(response, FileResponse) and (media := COMMENTED.get(Path(plain).suffix)):
            source = Path(response.path)
            if response.status_code == 200 and source.parent.name != "vendor":
                response = Response(without_comments(source), media_type=media)
                if scope["method"] == "HEAD":
                    response.body = b""
        kept = path.startswith(f"{asset_version()}/")
        response.headers["Cache-Control"] = FOR_GOOD if kept else "no-cache"
        return response


COMMENTED = {".css": "text/css", ".js": "text/javascript"}
# Whole lines of a comment only: what looks like one within a line, such as a type, is left.
COMMENT = re.compile(r"^[ \t]*/\*(?:(?!\*/).)*\*/[ \t]*\n", re.MULTILINE | re.DOTALL)


@cache
def without_comments(source: Path) -> str:
    """A script or a style as browsers need it."""
    return COMMENT.sub("", source.read_text(encoding="utf-8"))


async def answer_error(request: Request, error: Exception) -> Response:
    """What went wrong and what to do, as a page for people and as JSON for programs."""
    words = page_words(None, language_of(request))
    status, sentence = 400, str(error)
    if isinstance(error, NotFound):
        status, sentence = error.status, words.say(error.key)
    elif isinstance(error, QueueFull | RateLimited | NotStored):
        status, sentence = error.status, words.say(error.key, n=error.seconds)
    elif isinstance(error, Refused):
        status, sentence = (
            (403 if isinstance(error, Forbidden) else 409),
            words.say(error.key, **error.values),
        )
    elif isinstance(error, RequestValidationError):
        first = error.errors()[0]
        status, sentence = 422, f"{'.'.join(str(part) for part in first['loc'][1:])}: {first['msg']}"
    elif isinstance(error, HTTPException):
        status = error.status_code
        sentence = (
            words.say("error.no_page") if status == 404 and error.detail == "Not Found" else str(error.detail)
        )
    if request.url.path.startswith("/api/"):
        answer: Response = JSONResponse({"error": sentence}, status)
    else:
        answer = await page(request, "error.html", status=status, sentence=sentence)
    answer.headers.update(getattr(error, "headers", None) or {})  # such as Allow, for a method that is not
    if isinstance(error, QueueFull | RateLimited | NotStored):
        answer.headers["Retry-After"] = str(error.seconds)
    return answer


def from_environment() -> FastAPI:
    """The app as the environment says, for tests and benches."""
    settings = ServerSettings.from_environment()
    monitoring.start_log(settings.log)
    return from_settings(settings, Store(settings.database_url()))


def from_settings(
    settings: ServerSettings, store: Store, stopping: Callable[[], bool] = lambda: False
) -> FastAPI:
    """The app, and this process set up for it."""
    # the store's threads need little time, but need it soon: people wait for what they write
    sys.setswitchinterval(0.0002)
    configure_malloc()
    disable_automatic_gc()
    LimitedH11Protocol.room = make_room()
    LimitedH11Protocol.each = ADDRESS_CONNECTIONS if settings.limits else LimitedH11Protocol.room
    LimitedSocket.limited = settings.limits
    LimitedH11Protocol.proxies = settings.proxies
    return make_app(
        store,
        bot_delay=settings.bot_delay,
        hosts=settings.hosts,
        proxies=settings.proxies,
        admin_token=settings.token(),
        limits=settings.limits,
        reviewing=settings.review_cpu,
        notices=NotifierSettings(
            mail=MailSettings.read(settings.smtp_config) if settings.smtp_config else None,
            allow_private=settings.push_allow_private,
        ),
        stopping=stopping,
    )
