"""Making a table, looking at it, and what is done there by forms.

The game itself is played over the socket.
"""

from __future__ import annotations

import secrets

from fastapi import APIRouter, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from comptoir.art.shapes import seat_mark
from comptoir.bots.levels import LEVELS, current_level
from comptoir.bots.network import bundled_network
from comptoir.engine import registry
from comptoir.engine.game import get_game
from comptoir.errors import ComptoirError, OptionError
from comptoir.web.cookies import cookies_of
from comptoir.web.domain import decide, queries
from comptoir.web.domain.clock import CLOCKS
from comptoir.web.domain.lesson import LEVEL, lesson_of
from comptoir.web.domain.refusals import Refused
from comptoir.web.domain.rematch import rematch
from comptoir.web.domain.state import Table, TableSettings
from comptoir.web.http.new_table_form import DEFAULT_LEVEL, Seating, TableForm, blank, own_name, read
from comptoir.web.http.requests import (
    Visitor,
    check_open_table_limit,
    form,
    quota,
    read_number,
    remember,
    room_to_store,
    upload,
    visitor_of,
)
from comptoir.web.http.responses import page, prefer, qr, redirect, whole_link
from comptoir.web.live.app_services import services_of
from comptoir.web.live.playing_hours import take_hours
from comptoir.web.live.tables import Command
from comptoir.web.page_words import page_words
from comptoir.web.view.page_parts import table_page as shown
from comptoir.web.view.table_view import Viewer

router = APIRouter()


def layout_of(request: Request) -> str:
    """The layout that fits at first sight; a script corrects it if the window is another."""
    return "tall" if "Mobi" in request.headers.get("user-agent", "") else "wide"


# Making one


@router.post("/play")
async def play_now(request: Request) -> Response:
    """One click: the visitor against bots, with everything as is usual."""
    fields = await form(request)
    visitor = await visitor_of(request)
    words = page_words(None, visitor.lang)
    name, level = fields.get("game", ""), current_level(fields.get("level", DEFAULT_LEVEL))
    if name not in registry.names() or level not in LEVELS:
        raise HTTPException(422, words.say("new.choose"))
    options = get_game(name).read_options()
    others: Seating = [level] * (int(options["players"]) - 1)
    settings = TableSettings(game=name, options=options, seed=secrets.token_hex(16), creator=visitor.id)
    await quota(request, "making")
    table = await services_of(request).tables.make(
        settings, [(visitor.id, own_name(visitor.name, words)), *others]
    )
    response = redirect(f"/tables/{table.id}")
    prefer(response, request, "level", level)
    return response


@router.post("/invite")
async def invite(request: Request) -> Response:
    """One click: a table whose other seats wait for friends, who may write to each other there."""
    fields = await form(request)
    visitor = await visitor_of(request)
    words = page_words(None, visitor.lang)
    name = fields.get("game", "")
    if name not in registry.names():
        raise HTTPException(422, words.say("new.choose"))
    options = get_game(name).read_options()
    settings = TableSettings(
        game=name, options=options, seed=secrets.token_hex(16), creator=visitor.id, chat=True
    )
    await quota(request, "making")
    free: Seating = [""] * (int(options["players"]) - 1)
    table = await services_of(request).tables.make(
        settings, [(visitor.id, own_name(visitor.name, words)), *free]
    )
    return redirect(f"/tables/{table.id}")


@router.post("/learn")
async def learn(request: Request) -> Response:
    """The guided first game of a game: where it was left, or from its start."""
    fields = await form(request)
    visitor = await visitor_of(request)
    name, words = fields.get("game", ""), page_words(None, visitor.lang)
    lesson = lesson_of(name) if name in registry.names() else None
    if lesson is None:
        raise HTTPException(422, words.say("new.choose"))
    table = await _lesson_left(request, visitor, name)
    if table is None:
        others: Seating = [LEVEL] * (lesson.match.players - 1)
        settings = TableSettings(game=name, options={}, seed="", creator=visitor.id).for_lesson(lesson)
        table = await services_of(request).tables.make(
            settings, [(visitor.id, own_name(visitor.name, words)), *others]
        )
    return redirect(f"/tables/{table.id}")


async def _lesson_left(request: Request, visitor: Visitor, game: str) -> Table | None:
    """The lesson of a game that somebody has begun and not finished."""
    server = services_of(request)
    lessons = await server.in_store(server.store.tables.lessons_of, visitor.id)
    for row in await server.in_store(server.store.tables.tables_of, visitor.id):
        if row.id in lessons and (row.game, row.state) == (game, "on"):
            table = (await server.tables.find(row.id)).table
            if queries.may_return_to_lesson(table, visitor.id) if table.off_script else table.scripted_action:
                return table
    return None


@router.get("/new/{name}")
async def new(request: Request, name: str) -> Response:
    if name not in registry.names():
        raise HTTPException(404)
    visitor = await visitor_of(request)
    level = current_level(cookies_of(request).get("level", ""))
    return await _form_page(
        request, blank(get_game(name), visitor, level if level in LEVELS else DEFAULT_LEVEL)
    )


async def _form_page(request: Request, asked: TableForm, *, status: int = 200) -> Response:
    return await page(
        request,
        "new.html",
        status=status,
        game=asked.game.name,
        form=asked,
        trained=bundled_network(asked.game) is not None,
        clocks=CLOCKS,
        marks=[seat_mark(seat) for seat in range(asked.counts[-1])],
        ready=services_of(request).bots_ready(asked.game.name),
    )


@router.post("/tables")
async def make(request: Request) -> Response:
    fields = await form(request)
    visitor = await visitor_of(request)
    name = fields.get("game", "")
    words = page_words(None, visitor.lang)
    if name not in registry.names():
        raise HTTPException(422, words.say("new.choose"))
    asked = TableForm(get_game(name), fields)
    server = services_of(request)
    wanted = await read(asked, upload(request, "components"), visitor, words, server.upload_parser.components)
    if wanted is None:
        return await _form_page(request, asked, status=422)
    await quota(request, "making")
    await check_open_table_limit(request, *wanted)
    room_to_store(request, wanted[0])
    table = await server.tables.make(*wanted)
    await take_hours(server, table)
    if fields.get("name", "").strip():
        await remember(request, own_name(fields["name"], words))
    return redirect(f"/tables/{table.id}")


# Looking at it


@router.get("/tables/{id}")
async def table_page(request: Request, id: str) -> Response:
    visitor, server = await visitor_of(request), services_of(request)
    live = await server.tables.find(id)
    mine = live.table.seats_of(visitor.id)
    viewer = Viewer(visitor.id, mine[0] if len(mine) == 1 else None, visitor.lang, layout_of(request))
    asks = queries.may_propose(live.table, live.now(), visitor.id)
    return await page(request, "table.html", game=live.table.game.name, **shown(live.presenter, viewer, asks))


@router.get("/tables/{id}/qr.svg")
async def table_code(request: Request, id: str) -> Response:
    await services_of(request).tables.find(id)
    code = qr(whole_link(request, f"/tables/{id}")).replace(
        "<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1
    )
    return Response(code, media_type="image/svg+xml", headers={"Cache-Control": "private, max-age=3600"})


# What is done there


async def _seat_request(request: Request) -> tuple[Visitor, dict[str, str], int]:
    """Who asks, the form, and the seat that it is about."""
    fields = await form(request)
    return await visitor_of(request), fields, read_number(fields.get("seat"), -1)


async def _done(request: Request, id: str, ask: Command) -> Response:
    await services_of(request).tables.act(id, ask)
    return redirect(f"/tables/{id}")


@router.post("/tables/{id}/sit")
async def sit(request: Request, id: str) -> Response:
    visitor, fields, seat = await _seat_request(request)
    words = page_words(None, visitor.lang)
    typed = fields.get("name", "").strip()
    try:
        name = own_name(typed or visitor.name, words)
    except OptionError:
        raise HTTPException(422, words.say("people.bad_name")) from None
    done = await _done(request, id, lambda table, now: decide.sit(table, now, visitor.id, seat, name))
    server = services_of(request)
    await take_hours(server, (await server.tables.find(id)).table)
    if typed and not visitor.name:
        await remember(request, name)
    return done


@router.post("/tables/{id}/stand-up")
async def stand_up(request: Request, id: str) -> Response:
    visitor, _, seat = await _seat_request(request)
    return await _done(request, id, lambda table, now: decide.stand_up(table, now, visitor.id, seat))


@router.post("/tables/{id}/remove")
async def remove(request: Request, id: str) -> Response:
    visitor, _, seat = await _seat_request(request)
    return await _done(request, id, lambda table, now: decide.remove(table, now, visitor.id, seat))


@router.post("/tables/{id}/close")
async def cancel(request: Request, id: str) -> Response:
    visitor, _, _ = await _seat_request(request)
    return await _done(request, id, lambda table, now: decide.cancel(table, now, visitor.id))


@router.post("/tables/{id}/bot")
async def seat_bot(request: Request, id: str) -> Response:
    visitor, fields, seat = await _seat_request(request)
    level = current_level(fields.get("level", DEFAULT_LEVEL))
    if level not in LEVELS:
        raise HTTPException(422, page_words(None, visitor.lang).say("new.choose"))
    return await _done(request, id, lambda table, now: decide.seat_bot(table, now, visitor.id, seat, level))


@router.post("/tables/{id}/begin")
async def begin(request: Request, id: str) -> Response:
    visitor, _, _ = await _seat_request(request)
    return await _done(request, id, lambda table, now: decide.begin(table, now, visitor.id))


@router.post("/tables/{id}/leave")
async def leave(request: Request, id: str) -> Response:
    visitor, _, seat = await _seat_request(request)
    return await _done(request, id, lambda table, now: decide.leave(table, now, visitor.id, seat))


@router.post("/tables/{id}/back")
async def return_to_seat(request: Request, id: str) -> Response:
    visitor, _, seat = await _seat_request(request)
    return await _done(request, id, lambda table, now: decide.return_to_seat(table, now, visitor.id, seat))


@router.post("/tables/{id}/rematch")
async def start_rematch(request: Request, id: str) -> Response:
    """The same people and bots at a new table, where the next seat begins; whoever asks second is led to the
    first one's.
    """
    visitor, _, _ = await _seat_request(request)
    tables = services_of(request).tables
    live = await tables.find(id)
    table = live.table
    if table.next_table is None:
        decide.play_again(table, live.now(), visitor.id, "")  # refuses before anything is made
        try:
            settings = rematch(table, visitor.id, secrets.token_hex(16))
            room_to_store(request, settings)
            new = await tables.make(settings, _seating(table))
            await take_hours(services_of(request), new)
        except ComptoirError:
            if table.outdated:
                raise Refused("refuse.again_rules") from None
            raise
        try:
            await tables.act(id, lambda table, now: decide.play_again(table, now, visitor.id, new.id))
        except Refused:
            table = (await tables.find(id)).table
        else:
            return redirect(f"/tables/{new.id}")
    return redirect(f"/tables/{table.next_table}")


def _seating(table: Table) -> Seating:
    return [(held.person, held.name) if held.person else held.level or "" for held in table.seats]
