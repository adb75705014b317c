"""Replays as pages: a match told again, brought here, taken away, or gone on with."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from comptoir.art.scene import LAYOUTS
from comptoir.bots.levels import LEVELS
from comptoir.errors import MatchFileError
from comptoir.web.answers import download, number, see, upload, whole_link
from comptoir.web.forms import USUAL_LEVEL, Seating, own_name
from comptoir.web.replays import bring, going_on, match_text, moment, read_match, read_side, sides
from comptoir.web.requests import form, page, server_of, visitor
from comptoir.web.table import Refused
from comptoir.web.table_pages import layout_of
from comptoir.web.words import page_words

router = APIRouter()


@router.get("/replay")
async def replays(request: Request) -> Response:
    return await page(request, "bring.html", wrong="", origin=whole_link(request, ""))


@router.post("/replay")
async def brought(request: Request) -> Response:
    """A match file becomes a page that can be looked at and shared."""
    await form(request)
    who = await visitor(request)
    words = page_words(None, who.lang)
    content = upload(request, "match")
    try:
        if not content:
            raise Refused("replay.no_file")
        table, events = await asyncio.to_thread(lambda: bring(read_match(content), who.id))
    except Refused as error:
        return await page(request, "bring.html", status=422, wrong=words.say(error.key, **error.values), origin="")
    except MatchFileError as error:
        return await page(request, "bring.html", status=422, wrong=words.say("replay.damaged", reason=str(error)), origin="")
    await server_of(request).tables.keep(table, events)
    return see(f"/replay/{table.id}?at=0")


@router.get("/replay/{id}")
async def replay(request: Request, id: str, at: str | None = None, seat: str | None = None, layout: str | None = None) -> Response:
    """One moment of a match. A script asks for the parts alone, to show them in place of the others."""
    who = await visitor(request)
    table = (await server_of(request).tables.find(id)).table
    allowed = sides(table, who.id)
    side = read_side(seat, allowed)
    match = table.match
    assert match is not None
    shown = await asyncio.to_thread(
        moment,
        match,
        min(number(at, match.number), match.number),
        side,
        who.lang,
        layout if layout in LAYOUTS else layout_of(request),
    )
    return await page(
        request,
        "replay_parts.html" if "x-part" in request.headers else "replay.html",
        game=table.game.name,
        table=table,
        moment=shown,
        sides=allowed,
        levels=list(LEVELS),
        usual=USUAL_LEVEL,
        origin=whole_link(request, ""),
    )


@router.get("/replay/{id}/match.txt")
async def match_file(request: Request, id: str) -> Response:
    table = (await server_of(request).tables.find(id)).table
    return download(match_text(table), f"{table.game.name}-{id}.match")


@router.post("/replay/{id}/continue")
async def go_on(request: Request, id: str) -> Response:
    """The visitor takes a seat in a match that is over, bots the others, and it goes on from there."""
    fields = await form(request)
    who, server = await visitor(request), server_of(request)
    words = page_words(None, who.lang)
    table = (await server.tables.find(id)).table
    at, seat, level = number(fields.get("at"), -1), number(fields.get("seat"), -1), fields.get("level", "")
    if level not in LEVELS or not 0 <= seat < table.players or table.match is None or not 0 <= at <= table.match.number:
        raise HTTPException(422, words.say("new.choose"))
    settings = going_on(table, at, who.id)
    seating: Seating = [(who.id, own_name(who.name, words)) if one == seat else level for one in range(table.players)]
    made = await server.tables.make(settings, seating)
    return see(f"/tables/{made.id}")
