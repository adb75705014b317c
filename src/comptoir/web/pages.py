"""The pages besides the table: home, rules, about, oneself. Everything here is read, or done by a form and then read."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from comptoir import games
from comptoir.bots.levels import LEVELS
from comptoir.engine.game import Game, game
from comptoir.engine.words import LANGUAGES, Words
from comptoir.errors import OptionError
from comptoir.web import replay_pages, table_pages
from comptoir.web.answers import SVG, YEAR, back, qr, remember, see, svg, whole_link
from comptoir.web.forms import USUAL_LEVEL
from comptoir.web.people import clean_name
from comptoir.web.pictures import cover_svg, picture_svg
from comptoir.web.requests import LOOKS, Visitor, form, language_of, page, server_of, visitor
from comptoir.web.rules_page import rules_page
from comptoir.web.table import Row
from comptoir.web.words import page_words

MINUTE, HOUR, DAY = 60, 3600, 86_400
LISTED = 8  # tables of a kind on the home page

router = APIRouter()
router.include_router(table_pages.router)
router.include_router(replay_pages.router)


@dataclass(frozen=True)
class Shown:
    """A table in a list."""

    row: Row
    title: str
    note: str
    ago: str
    yours: bool

    @property
    def link(self) -> str:
        return f"/tables/{self.row.id}"


def known(name: str) -> Game:
    if name not in games.names():
        raise HTTPException(404)
    return game(name)


# Home


@router.get("/")
async def home(request: Request) -> Response:
    who, server = await visitor(request), server_of(request)
    mine = _listed(await server.ask(server.store.mine, who.id), who)
    lists = {
        "mine": sorted(mine, key=lambda table: (not table.yours, table.row.state == "over"))[:LISTED],
        "open": _others(await server.ask(server.store.open), who),
        "watch": _others(await server.ask(server.store.watchable), who),
    }
    level = request.cookies.get("level", "")
    return await page(
        request,
        "home.html",
        games=[(name, page_words(name, who.lang), server.ready(name)) for name in games.names()],
        levels=list(LEVELS),
        level=level if level in LEVELS else USUAL_LEVEL,
        lists=lists,
        turns=sum(table.yours for table in mine),
        origin=whole_link(request, ""),
    )


def _others(rows: list[Row], who: Visitor) -> list[Shown]:
    return _listed([row for row in rows if who.id not in row.people], who)[:LISTED]


def _listed(rows: list[Row], who: Visitor) -> list[Shown]:
    now = time.time()
    return [_shown(row, who, page_words(row.game, who.lang), now) for row in rows]


def _shown(row: Row, who: Visitor, words: Words, now: float) -> Shown:
    yours = row.turn_person == who.id
    return Shown(row, words.say("game.title"), _note(row, yours, words), ago(now - row.updated, words), yours)


def _note(row: Row, yours: bool, words: Words) -> str:
    if row.state == "waiting":
        free = sum(not name for name in row.names)
        return words.say("table_page.free", n=free) if free else words.say("table_page.ready")
    if row.state == "over" or row.turn is None:
        return words.say("lists.over")
    return words.say("lists.yours") if yours else words.say("lists.turn", name=row.names[row.turn])


def ago(seconds: float, words: Words) -> str:
    """How long ago, in the largest fitting unit."""
    for unit, key in ((DAY, "days"), (HOUR, "hours"), (MINUTE, "minutes")):
        if seconds >= unit:
            return words.say(f"lists.{key}", n=int(seconds // unit))
    return words.say("lists.now")


# Rules and about


@router.get("/rules")
async def all_rules(request: Request) -> Response:
    who = await visitor(request)
    shown = [(name, page_words(name, who.lang), rules_page(name, who.lang)) for name in games.names()]
    return await page(request, "rules_index.html", games=shown, origin=whole_link(request, ""))


@router.get("/rules/{name}")
async def rules(request: Request, name: str, fragment: str = "") -> Response:
    """The rules of a game; with `fragment`, only the text, for the panel beside a board."""
    who, chosen = await visitor(request), known(name)
    values: dict[str, Any] = {"name": name, "rules": rules_page(name, who.lang), "stand_ins": chosen.components.stand_ins}
    if fragment:
        return await page(request, "rules_text.html", game=name, **values)
    return await page(request, "rules.html", game=name, origin=whole_link(request, ""), **values)


@router.get("/rules/{name}/{picture}.{lang}.svg")
async def rules_picture(name: str, picture: str, lang: str) -> Response:
    shown = picture_svg(known(name).name, picture, lang) if lang in LANGUAGES else None
    if shown is None:
        raise HTTPException(404)
    return svg(shown)


@router.get("/rules/{name}/components.toml")
async def components_file(name: str) -> Response:
    """Our component file of a game, to be edited and brought back."""
    text = (known(name).folder / "components.toml").read_text(encoding="utf-8")
    return Response(text, media_type="text/plain; charset=utf-8", headers=_download(f"{name}.toml"))


def _download(file: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{file}"'}


@router.get("/covers/{name}.svg")
async def cover(request: Request, name: str) -> Response:
    """`batavia` in the visitor's language, `batavia.fr` in that one."""
    name, _, lang = name.partition(".")
    if lang and lang not in LANGUAGES:
        raise HTTPException(404)
    shown = cover_svg(known(name).name, lang or language_of(request))
    return svg(shown) if lang else Response(shown, media_type=SVG, headers={"Cache-Control": "private, max-age=3600", "Vary": "Cookie"})


@router.get("/about")
async def about(request: Request) -> Response:
    who = await visitor(request)
    shown = [(name, page_words(name, who.lang), game(name).components.stand_ins) for name in games.names()]
    return await page(request, "about.html", games=shown, origin=whole_link(request, ""))


# Oneself


@router.get("/me")
async def me(request: Request) -> Response:
    return await _me(request)


async def _me(request: Request, *, status: int = 200, typed: str | None = None, wrong: str = "") -> Response:
    who, server = await visitor(request), server_of(request)
    link = whole_link(request, f"/me/move/{server.people.move_token(who.id)}")
    mine = _listed(await server.ask(server.store.mine, who.id), who)
    name = who.name if typed is None else typed
    return await page(request, "me.html", status=status, name=name, wrong=wrong, link=link, code=qr(link), mine=mine)


@router.post("/me")
async def change_me(request: Request) -> Response:
    fields = await form(request)
    who = await visitor(request)
    try:
        name = clean_name(fields.get("name", ""))
    except OptionError:
        return await _me(request, status=422, typed=fields.get("name", ""), wrong=page_words(None, who.lang).say("people.bad_name"))
    await remember(request, name)
    return see("/me")


@router.get("/me/move/{token}")
async def move(request: Request, token: str) -> Response:
    """Asks first: following a link must not turn one person into another."""
    name = await _moved(request, token)
    return await page(request, "move.html", name=name[1], move=token)


@router.post("/me/move/{token}")
async def moved(request: Request, token: str) -> Response:
    await form(request)
    id, _ = await _moved(request, token)
    response = see("/me")
    server_of(request).people.give(response, request, id)
    return response


async def _moved(request: Request, token: str) -> tuple[str, str]:
    """The id and name of the person whom a link moves."""
    server, lang = server_of(request), language_of(request)
    id = server.people.read_move(token)
    if id is None:
        raise HTTPException(404, page_words(None, lang).say("me.expired"))
    person = await server.ask(server.store.person, id)
    return id, person.name if person else ""


@router.post("/lang")
async def change_language(request: Request) -> Response:
    return await _choose(request, "lang", LANGUAGES)


@router.post("/look")
async def change_look(request: Request) -> Response:
    return await _choose(request, "look", LOOKS)


async def _choose(request: Request, what: str, allowed: tuple[str, ...]) -> RedirectResponse:
    fields = await form(request)
    value = fields.get(what, "")
    if value not in allowed:
        raise HTTPException(422, page_words(None, language_of(request)).say("new.choose"))
    response = see(back(fields))
    response.set_cookie(what, value, max_age=YEAR, samesite="lax")
    return response
