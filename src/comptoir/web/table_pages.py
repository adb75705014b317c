"""Making a table, looking at it, and what is done there by forms. The game itself is played over the socket."""

from __future__ import annotations

import dataclasses
import secrets

from fastapi import APIRouter, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from comptoir import games
from comptoir.art.parts import seat_mark
from comptoir.bots.levels import LEVELS
from comptoir.engine.game import game
from comptoir.errors import OptionError
from comptoir.web.answers import YEAR, number, qr, remember, see, upload, whole_link
from comptoir.web.forms import USUAL_LEVEL, Seating, TableForm, blank, own_name, read
from comptoir.web.parts import table_page as shown
from comptoir.web.requests import Visitor, form, page, server_of, visitor
from comptoir.web.seen import Eye
from comptoir.web.table import CLOCKS, Refused, Settings, Table
from comptoir.web.tables import Ask
from comptoir.web.words import page_words

router = APIRouter()


def layout_of(request: Request) -> str:
    """The layout that fits at first sight; a script corrects it if the window is another."""
    return "tall" if "Mobi" in request.headers.get("user-agent", "") else "wide"


# Making one


@router.post("/play")
async def play_now(request: Request) -> Response:
    """One click: the visitor against bots, with everything as is usual."""
    fields = await form(request)
    who = await visitor(request)
    words = page_words(None, who.lang)
    name, level = fields.get("game", ""), fields.get("level", USUAL_LEVEL)
    if name not in games.names() or level not in LEVELS:
        raise HTTPException(422, words.say("new.choose"))
    options = game(name).read_options()
    others: Seating = [level] * (int(options["players"]) - 1)
    settings = Settings(game=name, options=options, seed=secrets.token_hex(16), maker=who.id)
    table = await server_of(request).tables.make(settings, [(who.id, own_name(who.name, words)), *others])
    response = see(f"/tables/{table.id}")
    response.set_cookie("level", level, max_age=YEAR, samesite="lax")
    return response


@router.get("/new/{name}")
async def new(request: Request, name: str) -> Response:
    if name not in games.names():
        raise HTTPException(404)
    who = await visitor(request)
    level = request.cookies.get("level", "")
    return await _form_page(request, blank(game(name), who, level if level in LEVELS else USUAL_LEVEL))


async def _form_page(request: Request, asked: TableForm, *, status: int = 200) -> Response:
    return await page(
        request,
        "new.html",
        status=status,
        game=asked.game.name,
        form=asked,
        levels=list(LEVELS),
        clocks=CLOCKS,
        marks=[seat_mark(seat) for seat in range(asked.counts[-1])],
        ready=server_of(request).ready(asked.game.name),
    )


@router.post("/tables")
async def make(request: Request) -> Response:
    fields = await form(request)
    who = await visitor(request)
    name = fields.get("game", "")
    words = page_words(None, who.lang)
    if name not in games.names():
        raise HTTPException(422, words.say("new.choose"))
    asked = TableForm(game(name), fields)
    wanted = read(asked, upload(request, "components"), who, words)
    if wanted is None:
        return await _form_page(request, asked, status=422)
    table = await server_of(request).tables.make(*wanted)
    if fields.get("name", "").strip():
        await remember(request, own_name(fields["name"], words))
    return see(f"/tables/{table.id}")


# Looking at it


@router.get("/tables/{id}")
async def table_page(request: Request, id: str) -> Response:
    who, server = await visitor(request), server_of(request)
    live = await server.tables.find(id)
    mine = live.table.seats_of(who.id)
    eye = Eye(who.id, mine[0] if len(mine) == 1 else None, who.lang, layout_of(request))
    return await page(request, "table.html", game=live.table.game.name, **shown(live.looker, eye))


@router.get("/tables/{id}/qr.svg")
async def table_code(request: Request, id: str) -> Response:
    await server_of(request).tables.find(id)
    code = qr(whole_link(request, f"/tables/{id}")).replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1)
    return Response(code, media_type="image/svg+xml", headers={"Cache-Control": "private, max-age=3600"})


# What is done there


async def _asked(request: Request) -> tuple[Visitor, dict[str, str], int]:
    """Who asks, the form, and the seat that it is about."""
    fields = await form(request)
    return await visitor(request), fields, number(fields.get("seat"), -1)


async def _done(request: Request, id: str, ask: Ask) -> Response:
    await server_of(request).tables.act(id, ask)
    return see(f"/tables/{id}")


@router.post("/tables/{id}/sit")
async def sit(request: Request, id: str) -> Response:
    who, fields, seat = await _asked(request)
    words = page_words(None, who.lang)
    typed = fields.get("name", "").strip()
    try:
        name = own_name(typed or who.name, words)
    except OptionError:
        raise HTTPException(422, words.say("people.bad_name")) from None
    done = await _done(request, id, lambda table: table.sit(who.id, seat, name))
    if typed and not who.name:
        await remember(request, name)
    return done


@router.post("/tables/{id}/rise")
async def rise(request: Request, id: str) -> Response:
    who, _, seat = await _asked(request)
    return await _done(request, id, lambda table: table.rise(who.id, seat))


@router.post("/tables/{id}/bot")
async def seat_bot(request: Request, id: str) -> Response:
    who, fields, seat = await _asked(request)
    level = fields.get("level", USUAL_LEVEL)
    if level not in LEVELS:
        raise HTTPException(422, page_words(None, who.lang).say("new.choose"))
    return await _done(request, id, lambda table: table.seat_bot(who.id, seat, level))


@router.post("/tables/{id}/begin")
async def begin(request: Request, id: str) -> Response:
    who, _, _ = await _asked(request)
    return await _done(request, id, lambda table: table.begin(who.id))


@router.post("/tables/{id}/leave")
async def leave(request: Request, id: str) -> Response:
    who, _, seat = await _asked(request)
    return await _done(request, id, lambda table: table.leave(who.id, seat))


@router.post("/tables/{id}/back")
async def come_back(request: Request, id: str) -> Response:
    who, _, seat = await _asked(request)
    return await _done(request, id, lambda table: table.come_back(who.id, seat))


@router.post("/tables/{id}/again")
async def again(request: Request, id: str) -> Response:
    """The same people and bots at a new table; whoever asks second is led to the first one's."""
    who, _, _ = await _asked(request)
    tables = server_of(request).tables
    table = (await tables.find(id)).table
    if table.next_table is None:
        table.play_again(who.id, "")  # refuses before anything is made
        settings = dataclasses.replace(table.settings, seed=secrets.token_hex(16), maker=who.id, again=id)
        new = await tables.make(settings, _seating(table))
        try:
            await tables.act(id, lambda table: table.play_again(who.id, new.id))
        except Refused:
            table = (await tables.find(id)).table
        else:
            return see(f"/tables/{new.id}")
    return see(f"/tables/{table.next_table}")


def _seating(table: Table) -> Seating:
    return [(place.person, place.name) if place.person else place.level or "" for place in table.places]
