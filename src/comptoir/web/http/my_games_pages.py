"""One's own games: the boards of those that are on, the finished ones with their results, statistics; and how
all of it is deleted.

Whatever somebody asks about is looked for among their own: what is another's is not there.
"""

from __future__ import annotations

import io
import math
import time
import zipfile
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response, StreamingResponse

from comptoir.engine import registry
from comptoir.web.domain.match_files import archived_match_text, match_text
from comptoir.web.domain.player_results import OPPONENTS, WINS, ListedResult, statistics
from comptoir.web.domain.refusals import Refused
from comptoir.web.http import responses
from comptoir.web.http.pages import ago
from comptoir.web.http.requests import form, quota, read_number, visitor_of
from comptoir.web.http.responses import SVG, redirect
from comptoir.web.limits import PERSON_RESULTS_EXPORTED
from comptoir.web.live.account_deletion import delete_person
from comptoir.web.live.app_services import AppServices, language_of, services_of
from comptoir.web.live.not_found import NotFound
from comptoir.web.page_words import page_words
from comptoir.web.view.my_games import counted, entry
from comptoir.web.view.pictures import small_board

PAGE = 20  # results on a page

router = APIRouter()


# Boards of running games


@router.get("/tables/{id}/board.svg")
async def board(request: Request, id: str, v: str = "") -> Response:
    """The board of a table at which one sits, small, for the home page. A browser keeps it for as long as the
    table stands so.
    """
    visitor, tables = await visitor_of(request), services_of(request).tables
    live = await tables.find(id)
    if not live.table.seats_of(visitor.id) or live.table.match is None or live.table.closed:
        raise NotFound
    presenter, lang = live.presenter, visitor.lang
    drawn = await tables.run_slow(small_board, presenter, lang)
    kept_until = "max-age=604800, immutable" if v == f"{presenter.table.version}{lang}" else "no-store"
    return Response(drawn, media_type=SVG, headers={"Cache-Control": f"private, {kept_until}"})


# Finished games


@dataclass(frozen=True)
class Filter:
    """Which of one's finished games: of one game or all, against bots only or with people."""

    game: str
    opponents: str

    @property
    def games(self) -> Sequence[str]:
        return [self.game] if self.game else registry.names()

    def query(self, page: int = 1) -> str:
        """The same, in a link."""
        chosen = {"game": self.game, "opponents": self.opponents, "page": "" if page == 1 else str(page)}
        text = urlencode({key: value for key, value in chosen.items() if value})
        return f"?{text}" if text else ""


OLD_OPPONENTS = {"alone": "bots", "people": "people"}  # of links with ?company=, as they were at first


def read_filter(request: Request, game: str, opponents: str) -> Filter:
    old = request.query_params.get("company", "")
    opponents = opponents or OLD_OPPONENTS.get(old, old)
    if (game and game not in registry.names()) or (opponents and opponents not in OPPONENTS):
        raise HTTPException(422, page_words(None, language_of(request)).say("results.bad_filter"))
    return Filter(game, opponents)


@dataclass(frozen=True)
class FinishedGamesPage:
    """A page of somebody's finished games."""

    listed: list[ListedResult]
    total: int
    pages: int


async def finished_page(
    server: AppServices, person: str, chosen: Filter, number: int
) -> FinishedGamesPage | None:
    """None if there is no page of that number; the first there is always."""
    total = await server.in_store(server.results.number, person, chosen.games, chosen.opponents)
    pages = max(1, math.ceil(total / PAGE))
    if not 1 <= number <= pages:
        return None
    return FinishedGamesPage(await _listed(server, person, chosen, PAGE, PAGE * (number - 1)), total, pages)


async def _listed(
    server: AppServices, person: str, chosen: Filter, limit: int, start: int = 0
) -> list[ListedResult]:
    return await server.in_store(server.results.listed, person, chosen.games, chosen.opponents, limit, start)


@router.get("/me/games")
async def finished(
    request: Request, game: str = "", opponents: str = "", page: str = "1", deleted: str = ""
) -> Response:
    """Somebody's finished games, the latest first, with their score sheets."""
    visitor, server = await visitor_of(request), services_of(request)
    chosen, number = read_filter(request, game, opponents), read_number(page, 0)
    words, now = page_words(None, visitor.lang), server.time_source.time()
    shown = await finished_page(server, visitor.id, chosen, number)
    if shown is None:
        raise HTTPException(404, words.say("error.no_page"))
    return await responses.page(
        request,
        "games.html",
        entries=[(entry(one, visitor.lang), ago(now - one.result.ended, words)) for one in shown.listed],
        games=[(name, page_words(name, visitor.lang).say("game.title")) for name in registry.names()],
        opponent_kinds=OPPONENTS,
        chosen=chosen,
        found=shown.total,
        number=number,
        pages=shown.pages,
        most=PERSON_RESULTS_EXPORTED,
        deleted=deleted == "1",
    )


@router.get("/me/statistics")
async def my_statistics(request: Request) -> Response:
    """What somebody has played, won and scored, game by game."""
    visitor, server = await visitor_of(request), services_of(request)
    found = await server.in_store(lambda: statistics(server.results.counted(visitor.id)))
    return await responses.page(
        request,
        "statistics.html",
        games=[counted(name, found[name], visitor.lang) for name in registry.names() if name in found],
        wins=WINS,
    )


# All of them as one file


@router.get("/me/games.zip")
async def export(request: Request, game: str = "", opponents: str = "") -> Response:
    """The match files of somebody's finished games, as they are listed: each can be looked at again here, or
    by `comptoir replay`.
    """
    visitor, server = await visitor_of(request), services_of(request)
    chosen = read_filter(request, game, opponents)
    listed = await _listed(server, visitor.id, chosen, PERSON_RESULTS_EXPORTED)
    if not listed:
        raise HTTPException(404, page_words(None, visitor.lang).say("results.none"))
    await quota(request, "exporting")
    headers = {
        "Content-Disposition": 'attachment; filename="comptoir-games.zip"',
        "Cache-Control": "no-store",
        "Content-Encoding": "identity",  # it is compressed already
    }
    return StreamingResponse(_zipped(server, listed), media_type="application/zip", headers=headers)


class _Pipe(io.BytesIO):
    """Where a zip file is written to, and what is there of it is taken away: nobody can go back in it."""

    def tell(self) -> int:
        raise io.UnsupportedOperation

    def drain(self) -> bytes:
        part = self.getvalue()
        self.seek(0)
        self.truncate(0)
        return part


async def _zipped(server: AppServices, listed: Sequence[ListedResult]) -> AsyncIterator[bytes]:
    """Match by match: never more than one is in memory."""
    pipe = _Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as file:
        for one in listed:
            text = await _match_text(server, one.result.table_id)
            if text:
                at = time.gmtime(one.result.ended)
                name = f"{time.strftime('%Y-%m-%d', at)}-{one.result.game}-{one.result.table_id}.match"
                # at the level that takes least time: everyone waits for it, a millisecond or two
                file.writestr(zipfile.ZipInfo(name, at[:6]), text, zipfile.ZIP_DEFLATED, compresslevel=1)
                yield pipe.drain()
    yield pipe.drain()


async def _match_text(server: AppServices, id: str) -> str:
    """As it was kept; of a match that has just ended, from its table. Nothing of one that cannot be read."""
    stored = await server.in_store(server.store.archives.find, id)
    try:
        if stored is not None:
            return await server.tables.run_slow(archived_match_text, stored)
        return await server.tables.run_slow(match_text, (await server.tables.find(id)).table)
    except (NotFound, Refused):
        return ""


# Deleting


@router.post("/me/games/delete")
async def delete_games(request: Request) -> Response:
    """Takes all finished games out of somebody's list."""
    await form(request)
    visitor, server = await visitor_of(request), services_of(request)
    await server.in_store(server.results.delete, visitor.id)
    return redirect("/me/games?deleted=1")


@router.post("/me/games/{id}/delete")
async def delete_game(request: Request, id: str) -> Response:
    """Takes one out of the list. One that is another's, or none, is not there: nothing else is said of it."""
    await form(request)
    visitor, server = await visitor_of(request), services_of(request)
    if not await server.in_store(server.results.delete, visitor.id, id):
        raise HTTPException(404, page_words(None, visitor.lang).say("results.not_yours"))
    return redirect("/me/games?deleted=1")


@router.get("/me/delete")
async def confirm_deletion(request: Request) -> Response:
    """Asks first."""
    return await responses.page(request, "delete.html", done=False)


@router.post("/me/delete")
async def delete_me(request: Request) -> Response:
    """Everything of a person goes, and their cookie with it."""
    await form(request)
    visitor, server = await visitor_of(request), services_of(request)
    await delete_person(server, visitor.id)
    response = redirect("/me/deleted")
    server.tokens.delete_cookie(response)
    return response


@router.get("/me/deleted")
async def deleted(request: Request) -> Response:
    return await responses.page(request, "delete.html", done=True)
