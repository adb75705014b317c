"""The pages other than the table: home, rules, about, oneself.

Everything here is read, or done by a form and then read.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from comptoir.bots.levels import LEVELS, current_level
from comptoir.engine import registry
from comptoir.engine.game import Game, get_game
from comptoir.engine.names import clean_name
from comptoir.engine.words import LANGUAGES, Words
from comptoir.errors import OptionError
from comptoir.web.cookies import cookies_of
from comptoir.web.domain.clock import MIN_HOURS, PlayingHours
from comptoir.web.domain.people import Session, new_session
from comptoir.web.domain.player_results import WINS
from comptoir.web.domain.refusals import Refused
from comptoir.web.domain.state import TableSummary
from comptoir.web.http import replay_pages, review_pages, table_pages
from comptoir.web.http.new_table_form import DEFAULT_LEVEL
from comptoir.web.http.requests import (
    LOOKS,
    RateLimited,
    Visitor,
    back,
    form,
    quota,
    remember,
    visitor_of,
)
from comptoir.web.http.responses import SVG, page, prefer, qr, redirect, svg, whole_link
from comptoir.web.http.rules_page import rules_page
from comptoir.web.limits import PERSON_SESSIONS, PERSON_SESSIONS_KNOWN
from comptoir.web.live.app_services import AppServices, language_of, services_of
from comptoir.web.live.playing_hours import change_hours
from comptoir.web.page_words import page_words
from comptoir.web.view.clock_text import left
from comptoir.web.view.my_games import ladders
from comptoir.web.view.pictures import cover_svg, picture_svg

MINUTE, HOUR, DAY = 60, 3600, 86_400
LISTED = 8  # tables of a kind on the home page
BOARDS = 4  # of a person's running games that are shown with their board: each is some 10 KB
ABSENT_CREATOR_SECONDS = 15 * MINUTE  # after which their open table is not listed

router = APIRouter()
router.include_router(table_pages.router)
router.include_router(replay_pages.router)
router.include_router(review_pages.router)


@dataclass(frozen=True)
class ListedTable:
    """A table in a list."""

    row: TableSummary
    title: str
    note: str
    ago: str
    yours: bool

    @property
    def link(self) -> str:
        return f"/tables/{self.row.id}"

    @property
    def board(self) -> str:
        """Where its board is drawn, once there is one."""
        return f"{self.link}/board.svg?v={self.row.version}" if self.row.state == "on" else ""


@dataclass(frozen=True)
class Device:
    """Where somebody is signed in."""

    session: str
    name: str
    ago: str
    this: bool


def known(name: str) -> Game:
    if name not in registry.names():
        raise HTTPException(404)
    return get_game(name)


# Home


@router.get("/")
async def home(request: Request) -> Response:
    visitor, server = await visitor_of(request), services_of(request)
    running = sorted(
        await _running(request, visitor), key=lambda table: (not table.yours, table.row.state != "on")
    )
    gone = server.time_source.time() - ABSENT_CREATOR_SECONDS
    lists = {
        "open": _others(request, await server.in_store(server.store.tables.open, gone), visitor),
        "watch": _others(request, await server.in_store(server.store.tables.watchable), visitor),
    }
    level = current_level(cookies_of(request).get("level", ""))
    return await page(
        request,
        "home_parts.html" if "x-part" in request.headers else "home.html",
        games=[(name, page_words(name, visitor.lang), server.bots_ready(name)) for name in registry.names()],
        level=level if level in LEVELS else DEFAULT_LEVEL,
        running=running[:LISTED],
        boards=BOARDS,
        lists=lists,
        finished=await server.in_store(server.results.number, visitor.id, registry.names()),
        turns=sum(table.yours for table in running),
    )


async def _running(request: Request, visitor: Visitor) -> list[ListedTable]:
    server = services_of(request)
    lessons = await server.in_store(server.store.tables.lessons_of, visitor.id)
    return _listed(
        request, await server.in_store(server.store.tables.running_of, visitor.id), visitor, lessons
    )


async def _closed(request: Request, visitor: Visitor) -> list[ListedTable]:
    server = services_of(request)
    return _listed(request, await server.in_store(server.store.tables.closed_of, visitor.id, LISTED), visitor)


def _others(request: Request, rows: list[TableSummary], visitor: Visitor) -> list[ListedTable]:
    return _listed(request, [row for row in rows if visitor.id not in row.people], visitor)[:LISTED]


def _listed(
    request: Request, rows: list[TableSummary], visitor: Visitor, lessons: Set[str] = frozenset()
) -> list[ListedTable]:
    now = services_of(request).time_source.time()
    known_games = registry.names()  # one that is no longer installed has no words
    return [
        _list_item(row, visitor, page_words(row.game, visitor.lang), now, lesson=row.id in lessons)
        for row in rows
        if row.game in known_games
    ]


def _list_item(row: TableSummary, visitor: Visitor, words: Words, now: float, *, lesson: bool) -> ListedTable:
    yours = row.turn_person == visitor.id
    title = words.say("game.title")
    if lesson:
        title = words.say("lists.lesson", game=title)
    return ListedTable(row, title, _note(row, yours, words, now), ago(now - row.updated, words), yours)


def _note(row: TableSummary, yours: bool, words: Words, now: float) -> str:
    if row.state == "waiting":
        free = sum(not name for name in row.names)
        return words.say("table_page.free", n=free) if free else words.say("table_page.ready")
    if row.state == "closed":
        return words.say("lists.closed")
    if row.state == "over" or row.turn is None:
        return words.say("lists.over")
    if row.paused:
        return words.say("lists.paused")
    said = words.say("lists.yours") if yours else words.say("lists.turn", name=row.names[row.turn])
    if row.turn_person is None or row.due is None:
        return said
    return words.say("lists.left", note=said, left=left(row.due - now, words))


def ago(seconds: float, words: Words) -> str:
    """How long ago, in the largest fitting unit."""
    for unit, key in ((DAY, "days"), (HOUR, "hours"), (MINUTE, "minutes")):
        if seconds >= unit:
            return words.say(f"lists.{key}", n=int(seconds // unit))
    return words.say("lists.now")


# Rules and about


@router.get("/rules")
async def all_rules(request: Request) -> Response:
    visitor = await visitor_of(request)
    shown = [
        (name, page_words(name, visitor.lang), rules_page(name, visitor.lang)) for name in registry.names()
    ]
    return await page(request, "rules_index.html", games=shown)


@router.get("/rules/{name}")
async def rules(request: Request, name: str, fragment: str = "") -> Response:
    """The rules of a game; with `fragment`, only the text, for the panel next to a board."""
    visitor, chosen = await visitor_of(request), known(name)
    values: dict[str, Any] = {
        "name": name,
        "rules": rules_page(name, visitor.lang),
        "placeholders": _placeholders(chosen, page_words(name, visitor.lang)),
    }
    if fragment:
        return await page(request, "rules_text.html", game=name, **values)
    return await page(request, "rules.html", game=name, **values)


def _placeholders(game: Game, words: Words) -> list[str]:
    """What stands in for printed figures: as the game's words say it, or as its components do."""
    tables = game.components.tables
    return [
        words.say(key) if (key := f"placeholders.{one}") in words.texts else str(tables[one].get("note", one))
        for one in game.components.placeholders
    ]


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
    """`batavia` in the visitor's language, `batavia.fr` in that one; `batavia.fr.small` is for lists, where
    letters are too small to be read and need no font.
    """
    name, _, rest = name.partition(".")
    lang, _, size = rest.partition(".")
    if (lang and lang not in LANGUAGES) or size not in ("", "small"):
        raise HTTPException(404)
    shown = cover_svg(known(name).name, lang or language_of(request), fonts=not size)
    return (
        svg(shown)
        if lang
        else Response(
            shown, media_type=SVG, headers={"Cache-Control": "private, max-age=3600", "Vary": "Cookie"}
        )
    )


@router.get("/about")
async def about(request: Request) -> Response:
    visitor = await visitor_of(request)
    words = {name: page_words(name, visitor.lang) for name in registry.names()}
    shown = [(name, about, _placeholders(get_game(name), about)) for name, about in words.items()]
    return await page(request, "about.html", games=shown)


# Oneself


@router.get("/me")
async def me(request: Request) -> Response:
    return await me_page(request)


async def me_page(
    request: Request,
    *,
    status: int = 200,
    typed: str | None = None,
    wrong: str = "",
    address: str = "",
    wrong_address: str = "",
    hours: tuple[str, str, str] | None = None,
    wrong_hours: str = "",
) -> Response:
    """Oneself; with what was typed, and what was wrong with it."""
    visitor, server = await visitor_of(request), services_of(request)
    link = whole_link(request, f"/me/move/{server.tokens.move_token(visitor.session)}")
    name = visitor.name if typed is None else typed
    kept = await server.in_store(server.store.people.hours, visitor.id)
    if hours is None:
        hours = (*kept.form_values(), kept.zone) if kept else ("", "", "")
    return await page(
        request,
        "me.html",
        status=status,
        name=name,
        wrong=wrong,
        hours=hours,
        wrong_hours=wrong_hours,
        link=link,
        code=qr(link),
        mine=await _running(request, visitor) + await _closed(request, visitor),
        finished=await server.in_store(server.results.number, visitor.id, registry.names()),
        ladders=ladders(
            registry.names(), await server.in_store(server.results.wins, visitor.id), visitor.lang
        ),
        wins=WINS,
        devices=await _devices(request),
        mail=server.notifier.mail is not None,
        mailed=await server.in_store(server.notifier.recipients.address, visitor.id),
        address=address,
        wrong_address=wrong_address,
    )


async def _devices(request: Request) -> list[Device]:
    """Where this person is signed in, this device first."""
    visitor, words = await visitor_of(request), page_words(None, language_of(request))
    now = services_of(request).time_source.time()
    listed = [
        Device(
            one.id,
            words.say("me.first_devices") if not one.id else one.device or words.say("me.some_device"),
            ago(now - one.seen, words),
            one.id == visitor.session.id,
        )
        for one in await services_of(request).sessions.listed(visitor.id)
    ]
    return sorted(listed, key=lambda one: not one.this)


@router.post("/me")
async def change_me(request: Request) -> Response:
    fields = await form(request)
    visitor = await visitor_of(request)
    try:
        name = clean_name(fields.get("name", ""))
    except OptionError:
        return await me_page(
            request,
            status=422,
            typed=fields.get("name", ""),
            wrong=page_words(None, visitor.lang).say("people.bad_name"),
        )
    wait = await remember(request, name)
    if wait:
        raise RateLimited(wait)
    return redirect("/me")


@router.post("/me/hours")
async def change_my_hours(request: Request) -> Response:
    """When time counts where a turn has days; always, if nothing is said."""
    fields, visitor = await form(request), await visitor_of(request)
    start, end, zone = (fields.get(name, "").strip() for name in ("start", "end", "zone"))
    try:
        hours = PlayingHours.made(start, end, zone) if start or end else None
    except OptionError:
        said = page_words(None, visitor.lang).say("me.bad_hours", n=MIN_HOURS // 60)
        return await me_page(request, status=422, hours=(start, end, zone), wrong_hours=said)
    await quota(request, "hours")
    await change_hours(services_of(request), visitor.id, hours)
    return redirect("/me")


@router.post("/me/sessions")
async def end_sessions(request: Request) -> Response:
    """Ends one session, or all but this one. The last cannot be ended: with it the seats would be lost."""
    fields, visitor = await form(request), await visitor_of(request)
    named = [one.session for one in await _devices(request)]
    others = [session for session in named if session != visitor.session.id]
    which = fields.get("session", "")
    ending = others if "others" in fields else [which] if which in named and others else []
    await services_of(request).sessions.end(visitor.id, ending)
    return redirect("/me")


@router.get("/me/move/{token}")
async def move(request: Request, token: str) -> Response:
    """Asks first: following a link must not turn one person into another."""
    name = await _moved(request, token)
    return await page(request, "move.html", name=name[1], move=token)


@router.post("/me/move/{token}")
async def moved(request: Request, token: str) -> Response:
    await form(request)
    maker, _ = await _moved(request, token)
    visitor, server = await visitor_of(request), services_of(request)
    await _another_device(server, maker.person)
    await server.in_store(server.notifier.recipients.unsubscribe, visitor.id, visitor.session.id)
    response = redirect("/me")
    server.tokens.set_cookie(response, request, new_session(maker.person))
    return response


async def _another_device(server: AppServices, person: str) -> None:
    """Refuses a further device of somebody's who has many, or has had too many lately."""
    buckets = server.quotas.get("moving")
    if buckets is not None and (wait := buckets.wait(person)):
        raise RateLimited(wait)
    used, known = await server.sessions.numbers(person)
    if used >= PERSON_SESSIONS or known >= PERSON_SESSIONS_KNOWN:
        raise Refused("refuse.many_devices", n=PERSON_SESSIONS)


async def _moved(request: Request, token: str) -> tuple[Session, str]:
    """The session that made a link, and the name of the person whom it moves."""
    server, lang = services_of(request), language_of(request)
    maker = server.tokens.read_move(token)
    if maker is None or not await server.sessions.is_good(maker):
        raise HTTPException(404, page_words(None, lang).say("me.expired"))
    person = await server.in_store(server.store.people.find, maker.person)
    return maker, person.name if person else ""


@router.post("/lang")
async def change_language(request: Request) -> Response:
    lang, response = await _choose(request, "lang", LANGUAGES)
    visitor, server = await visitor_of(request), services_of(request)
    await server.in_store(server.notifier.recipients.set_language, visitor.id, visitor.session.id, lang)
    return response


@router.post("/look")
async def change_look(request: Request) -> Response:
    return (await _choose(request, "look", LOOKS))[1]


async def _choose(request: Request, what: str, allowed: tuple[str, ...]) -> tuple[str, RedirectResponse]:
    """The choice, and a response that makes this browser remember it."""
    fields = await form(request)
    value = fields.get(what, "")
    if value not in allowed:
        raise HTTPException(422, page_words(None, language_of(request)).say("new.choose"))
    response = redirect(back(fields))
    prefer(response, request, what, value)
    return value, response
