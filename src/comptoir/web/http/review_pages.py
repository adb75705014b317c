"""Reviews as pages: a finished match, what its turns cost and where it turned."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from comptoir.art.board import LAYOUTS
from comptoir.engine.words import LANGUAGES
from comptoir.review.analysis import JUDGES
from comptoir.review.curve import SIZES
from comptoir.web.domain.perspective import perspectives
from comptoir.web.domain.state import Table
from comptoir.web.http.new_table_form import DEFAULT_LEVEL
from comptoir.web.http.requests import form, quota, read_number, visitor_of
from comptoir.web.http.responses import page, redirect, svg
from comptoir.web.live.app_services import language_of, services_of
from comptoir.web.live.review_queue import reviewable
from comptoir.web.view.review_page import board_at

router = APIRouter(prefix="/replay/{id}")


@router.get("/review")
async def review(request: Request, id: str, at: str | None = None) -> Response:
    """The review; or how far it has come; or how to have it made."""
    table, server = await _over(request, id), services_of(request)
    match = reviewable(table)
    found = await server.reviews.find(table)
    if found is None:
        progress, trouble = await server.reviews.status(table)
        return await page(
            request,
            "review_wait.html",
            game=table.game.name,
            table=table,
            progress=progress,
            trouble=trouble,
            judges=JUDGES,
        )
    visitor, ply = await visitor_of(request), read_number(at, -1)
    lang, mine = visitor.lang, table.seats_of(visitor.id)
    told = await server.tables.run_slow(found.told, lang)
    looked_at = ply if 0 <= ply < match.ply else None
    return await page(
        request,
        "review.html",
        game=table.game.name,
        by=server.tables.run_slow,
        table=table,
        review=told,
        curves={layout: found.curve(lang, layout, looked_at) for layout in SIZES},
        sizes=SIZES,
        boards=table.game.board.SIZE,
        moment=None if looked_at is None else await server.tables.run_slow(found.moment, looked_at, lang),
        mine=mine,
        usual=DEFAULT_LEVEL,
        deeper="" if found.deep else JUDGES[True],
    )


@router.post("/review")
async def make(request: Request, id: str) -> Response:
    """Has the review made, if it is not there; or a deeper one than is there."""
    deep = (await form(request)).get("level") == JUDGES[True]
    table, server = await _over(request, id), services_of(request)
    found = await server.reviews.find(table)
    wanted = found is None or (deep and not found.deep)
    if wanted and (await server.reviews.status(table))[0] is None:
        await quota(request, "reviewing")
        await server.reviews.begin(table, deep=deep)
    return redirect(f"/replay/{table.id}/review")


@router.get("/board.svg")
async def board(
    request: Request, id: str, at: str | None = None, layout: str = "", lang: str = ""
) -> Response:
    """The board at a moment of a finished match, as everyone saw it."""
    table = await _over(request, id)
    match = reviewable(table)
    moment = min(read_number(at, match.ply), match.ply)
    known = layout if layout in LAYOUTS else LAYOUTS[0]
    spoken = lang if lang in LANGUAGES else language_of(request)
    answer = svg(await services_of(request).tables.run_slow(board_at, match, moment, spoken, known))
    answer.headers["Cache-Control"] = "private, max-age=3600"  # a link to a table is a key
    return answer


async def _over(request: Request, id: str) -> Table:
    """The table, if this person may look at its match again; a running one is refused later."""
    table = (await services_of(request).tables.find(id)).table
    perspectives(table, (await visitor_of(request)).id)
    return table
