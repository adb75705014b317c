"""Pictures for links that are sent to somebody, as PNG: what messengers show next to a link."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable

from fastapi import APIRouter, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from comptoir.engine import registry
from comptoir.engine.words import LANGUAGES
from comptoir.web.http.requests import read_number
from comptoir.web.live.app_services import language_of, services_of
from comptoir.web.live.subprocess_worker import WorkerFailed
from comptoir.web.page_words import page_words

router = APIRouter(prefix="/previews")


@router.get("/home.{lang}.png")
async def home(request: Request, lang: str) -> Response:
    return await _png(request, services_of(request).previews.home(_known(lang)))


@router.get("/games/{name}.{lang}.png")
async def game(request: Request, name: str, lang: str) -> Response:
    if name not in registry.names():
        raise HTTPException(404)
    return await _png(request, services_of(request).previews.game(name, _known(lang)))


@router.get("/tables/{id}.{lang}.png")
async def table(request: Request, id: str, lang: str) -> Response:
    return await _png(request, services_of(request).previews.table(id, _known(lang)))


@router.get("/replays/{id}.{lang}.png")
async def replay(request: Request, id: str, lang: str, at: str | None = None) -> Response:
    ply = read_number(at, -1)
    moment = ply if ply >= 0 else None
    return await _png(request, services_of(request).previews.replay(id, moment, _known(lang)))


def _known(lang: str) -> str:
    if lang not in LANGUAGES:
        raise HTTPException(404)
    return lang


async def _png(request: Request, drawn: Awaitable[bytes]) -> Response:
    try:
        png = await drawn
    except WorkerFailed:
        raise HTTPException(503, page_words(None, language_of(request)).say("error.no_picture")) from None
    headers = {
        "Cache-Control": "public, max-age=300",
        "ETag": f'"{hashlib.sha256(png).hexdigest()[:16]}"',
    }
    return Response(png, media_type="image/png", headers=headers)
