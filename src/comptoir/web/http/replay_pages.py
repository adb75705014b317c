"""Replays as pages: a match told again, brought here, taken away, or continued."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from comptoir.art.board import LAYOUTS
from comptoir.bots.levels import LEVELS, current_level
from comptoir.errors import MatchFileError
from comptoir.web.domain.continuation import continue_from
from comptoir.web.domain.match_files import match_text
from comptoir.web.domain.perspective import perspectives, read_perspective
from comptoir.web.domain.refusals import Refused
from comptoir.web.http.new_table_form import DEFAULT_LEVEL, Seating, own_name
from comptoir.web.http.requests import form, quota, read_number, room_to_store, upload, visitor_of
from comptoir.web.http.responses import download, page, redirect
from comptoir.web.http.table_pages import layout_of
from comptoir.web.limits import PERSON_BROUGHT_BYTES
from comptoir.web.live.app_services import services_of
from comptoir.web.page_words import page_words
from comptoir.web.view.replays import frame

router = APIRouter()


@router.get("/replay")
async def replays(request: Request) -> Response:
    return await page(request, "bring.html", wrong="")


@router.post("/replay")
async def import_match_file(request: Request) -> Response:
    """A match file becomes a page that can be looked at and shared."""
    await form(request)
    visitor = await visitor_of(request)
    words = page_words(None, visitor.lang)
    content = upload(request, "match")
    try:
        if not content:
            raise Refused("replay.no_file")
        await quota(request, "bringing")
        server = services_of(request)
        found = await server.upload_parser.match(content, visitor.id)
        room_to_store(request, size=found.size)
        if not await server.in_store(
            server.store.archives.count_imported, visitor.id, found.size, PERSON_BROUGHT_BYTES
        ):
            raise Refused("refuse.brought", n=PERSON_BROUGHT_BYTES // 1024**2)
    except Refused as error:
        return await page(request, "bring.html", status=422, wrong=words.say(error.key, **error.values))
    except MatchFileError as error:
        return await page(
            request, "bring.html", status=422, wrong=words.say("replay.damaged", reason=str(error))
        )
    await services_of(request).tables.store_imported(found.row, found.events)
    return redirect(f"/replay/{found.row.id}?at=0")


@router.get("/replay/{id}")
async def replay(
    request: Request, id: str, at: str | None = None, seat: str | None = None, layout: str | None = None
) -> Response:
    """One moment of a match. A script asks for the parts alone, to show them in place of the others."""
    visitor, tables = await visitor_of(request), services_of(request).tables
    live = await tables.find(id)
    table = live.table
    allowed = perspectives(table, visitor.id)
    side = read_perspective(seat, allowed)
    match = table.match
    assert match is not None
    shown = await tables.run_slow(
        frame,
        live.presenter,
        min(read_number(at, match.ply), match.ply),
        side,
        visitor.lang,
        layout if layout in LAYOUTS else layout_of(request),
    )
    return await page(
        request,
        "replay_parts.html" if "x-part" in request.headers else "replay.html",
        game=table.game.name,
        by=tables.run_slow,
        table=table,
        frame=shown,
        sides=allowed,
        usual=DEFAULT_LEVEL,
    )


@router.get("/replay/{id}/match.txt")
async def match_file(request: Request, id: str) -> Response:
    tables = services_of(request).tables
    table = (await tables.find(id)).table
    return download(await tables.run_slow(match_text, table), f"{table.game.name}-{id}.match")


@router.post("/replay/{id}/continue")
async def go_on(request: Request, id: str) -> Response:
    """The visitor takes a seat in a match that is over, bots the others, and it goes on from there."""
    fields = await form(request)
    visitor, server = await visitor_of(request), services_of(request)
    words = page_words(None, visitor.lang)
    table = (await server.tables.find(id)).table
    at, seat, level = (
        read_number(fields.get("at"), -1),
        read_number(fields.get("seat"), -1),
        current_level(fields.get("level", "")),
    )
    if (
        level not in LEVELS
        or not 0 <= seat < table.players
        or table.match is None
        or not 0 <= at <= table.match.ply
    ):
        raise HTTPException(422, words.say("new.choose"))
    settings = await server.tables.run_slow(continue_from, table, at, visitor.id)
    seating: Seating = [
        (visitor.id, own_name(visitor.name, words)) if one == seat else level for one in range(table.players)
    ]
    await quota(request, "making")
    room_to_store(request, settings)
    made = await server.tables.make(settings, seating)
    return redirect(f"/tables/{made.id}")
