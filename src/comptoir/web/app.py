"""The app: all its parts put together."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.staticfiles import StaticFiles

from comptoir import __version__
from comptoir.art.scene import STYLE
from comptoir.errors import ComptoirError
from comptoir.web import api, pages, sockets, watch
from comptoir.web.guard import Guard
from comptoir.web.people import People
from comptoir.web.requests import language_of, page
from comptoir.web.store import Store
from comptoir.web.table import NotYours, Refused
from comptoir.web.tables import NotFound, Tables
from comptoir.web.warm import Warm
from comptoir.web.words import page_words

STATIC = Path(__file__).with_name("static")
T = TypeVar("T")


@dataclass
class Server:
    """What stands behind every request."""

    store: Store
    people: People
    warm: Warm
    tables: Tables

    async def ask(self, function: Callable[..., T], *arguments: Any) -> T:
        """Calls the store in its own threads."""
        return await self.tables.ask(function, *arguments)

    def ready(self, game: str) -> bool:
        """Whether the bots of a game can think at once."""
        return self.warm.is_ready(game)


def make_app(store: Store, *, pace: float = 0.7, limits: bool = True, prepare: bool = True) -> FastAPI:
    """The app on a database. `pace`: the least seconds between bots' actions, so that people can follow them."""

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        store.migrate()
        warm = Warm()
        tables = Tables(store, warm, pace=pace)
        app.state.server = Server(store, People(store.secret()), warm, tables)
        if prepare:
            warm.start()
        await tables.start()
        yield
        warm.stop()
        await tables.stop()
        store.close()

    app = FastAPI(title="Comptoir", version=__version__, lifespan=life, docs_url=None, redoc_url=None, openapi_url="/api/openapi.json")
    app.include_router(pages.router, include_in_schema=False)
    app.include_router(api.router)
    app.include_router(sockets.router)
    app.include_router(watch.router(store), include_in_schema=False)
    app.add_api_route("/static/board.css", board_style, include_in_schema=False)
    app.mount("/static", Files(directory=STATIC), "static")
    for kind in (HTTPException, RequestValidationError, ComptoirError, NotFound):
        app.add_exception_handler(kind, answer_error)
    app.add_middleware(Guard, limits=limits)
    app.add_middleware(watch.Watch)
    return app


class Files(StaticFiles):
    """Files that a browser asks about each time, so that a new version is seen at once; what others made stays for a day."""

    def file_response(self, *arguments: Any, **named: Any) -> Response:
        response = super().file_response(*arguments, **named)
        vendor = "/vendor/" in str(arguments[0])
        response.headers["Cache-Control"] = "public, max-age=86400" if vendor else "no-cache"
        return response


async def board_style() -> FileResponse:
    """How boards are set; pictures that stand alone carry the same."""
    return FileResponse(STYLE, headers={"Cache-Control": "no-cache"})


async def answer_error(request: Request, error: Exception) -> Response:
    """What was wrong and what to do, as a page for people and as JSON for machines."""
    words = page_words(None, language_of(request))
    status, sentence = 400, str(error)
    if isinstance(error, NotFound):
        status, sentence = 404, words.say("error.no_table")
    elif isinstance(error, Refused):
        status, sentence = (403 if isinstance(error, NotYours) else 409), words.say(error.key, **error.values)
    elif isinstance(error, RequestValidationError):
        first = error.errors()[0]
        status, sentence = 422, f"{'.'.join(str(part) for part in first['loc'][1:])}: {first['msg']}"
    elif isinstance(error, HTTPException):
        status = error.status_code
        sentence = words.say("error.no_page") if status == 404 and error.detail == "Not Found" else str(error.detail)
    if request.url.path.startswith("/api/"):
        answer: Response = JSONResponse({"error": sentence}, status)
    else:
        answer = await page(request, "error.html", status=status, sentence=sentence)
    answer.headers.update(getattr(error, "headers", None) or {})  # such as Allow, for a method that is not
    return answer


def from_environment() -> FastAPI:
    """The app for uvicorn's own processes, which know of it only what the environment says."""
    watch.start_log(os.environ.get("COMPTOIR_LOG", ""))
    sys.setswitchinterval(0.0002)  # the store's threads need little time, but need it soon: people wait for what they write
    gc.freeze()  # what is loaded stays
    # Views are made and dropped by the thousand, and few are cycles. Looking at what is new takes some milliseconds, at all a second.
    gc.set_threshold(1_500, 1_000, 100)
    limits = os.environ.get("COMPTOIR_LIMITS") != "off"  # for tests and benches, where all come from one address
    return make_app(Store(os.environ["COMPTOIR_DATABASE"]), pace=float(os.environ.get("COMPTOIR_PACE", "0.7")), limits=limits)
