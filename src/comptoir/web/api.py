"""The interface for machines: the same tables as JSON. The cookie says who asks; whoever makes a table gets one.

What acts (POST) must carry the header Origin with this server's own address, as a browser's would: so no other site's page can
act for its readers. A view is the same as `comptoir` gives to bots (docs/bots.md), so a program that plays one can play here.
"""

from __future__ import annotations

import secrets
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request, Response
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from comptoir import games
from comptoir.bots.levels import LEVELS
from comptoir.engine.game import game
from comptoir.engine.option import Choice
from comptoir.engine.words import LANGUAGES, words_of
from comptoir.errors import IllegalAction, MatchOver, OptionError
from comptoir.web.forms import Seating, own_name
from comptoir.web.replays import match_text
from comptoir.web.requests import language_of, server_of, visitor
from comptoir.web.table import CLOCKS, NotYours, Refused, Settings, Table
from comptoir.web.words import page_words

ME, FREE = "me", "free"

router = APIRouter(prefix="/api")
TableId = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{1,64}$", description="The table's id, as in its link.")]


class Error(BaseModel):
    """Why something was not done, in a sentence."""

    error: str


class Stale(Error):
    """What was asked for came too late or is not allowed now; the table stands at `number`."""

    number: int


class Option(BaseModel):
    """Something that can be chosen before a match: one of `words`, a seat's number or `draw`, or yes and no."""

    name: str
    words: list[str] | None
    default: str


class GameInfo(BaseModel):
    """A game, as it can be asked for."""

    name: str
    title: dict[str, str]
    rules: int = Field(description="The version of the rules.")
    players: list[int]
    options: list[Option]
    levels: list[str]
    actions: int = Field(description="How many different actions there are in all.")


class TableWish(BaseModel):
    """A table to be made."""

    model_config = ConfigDict(extra="forbid")

    game: str = Field(examples=["batavia"], json_schema_extra={"enum": [*games.names()]})
    seats: list[Annotated[str, Field(json_schema_extra={"enum": [ME, FREE, *LEVELS]})]] = Field(
        min_length=2, max_length=5, examples=[["me", "captain", "free"]], description="For each seat: me, free, or a bot's level."
    )
    options: dict[str, str] = Field(default_factory=dict, max_length=20, examples=[{"first": "0"}])
    name: str = Field(default="", max_length=60, description="The name to play under.")
    open: bool = Field(default=False, description="Whether everyone may join or watch.")
    clock: int = Field(default=0, description="Seconds for a decision; 0: as long as it takes.", json_schema_extra={"enum": list(CLOCKS)})


class TableMade(BaseModel):
    """Where to find the new table."""

    id: str
    number: int


class TableSeen(BaseModel):
    """A table as the asker may see it."""

    id: str
    game: str
    state: str = Field(description="waiting, on or over.")
    number: int = Field(description="Grows with everything that happens; goes with every action.")
    names: list[str]
    turn: int | None
    seat: int | None = Field(description="The asker's seat.")
    seed_hash: str
    view: dict[str, Any] | None = Field(description="What that seat, or a spectator, may know; none before the match.")
    score_sheet: dict[str, Any] | None = Field(
        description="Points by source, a number a seat; null for what that seat is not told before the end. None before the match."
    )


class Wish(BaseModel):
    """An action, by the number of the table as the asker has seen it."""

    model_config = ConfigDict(extra="forbid")

    number: int = Field(ge=0, le=2**31)
    action: str = Field(max_length=80, examples=["bid 3"])


class Done(BaseModel):
    """The action was taken."""

    number: int


class Replay(BaseModel):
    """A match that is over."""

    id: str
    game: str
    names: list[str]
    options: dict[str, str]
    seed: str
    seed_hash: str
    actions: list[str]
    scores: list[int]
    winners: list[int]
    score_sheet: dict[str, Any] = Field(description="Points by source, a number a seat, and what broke a tie.")
    match: str = Field(description="The match file.")


def _answers(*statuses: int) -> dict[int | str, dict[str, Any]]:
    return {status: {"model": Error} for status in (*statuses, 429)}


@router.get("/games")
async def list_games() -> list[GameInfo]:
    """All games, with what can be chosen."""
    return [_info(name) for name in games.names()]


def _info(name: str) -> GameInfo:
    chosen = game(name)
    least, most = chosen.rules.PLAYERS
    return GameInfo(
        name=name,
        title={lang: words_of(name, lang).say("game.title") for lang in LANGUAGES},
        rules=chosen.version,
        players=list(range(least, most + 1)),
        options=[
            Option(name=option.name, words=list(option.words) if isinstance(option, Choice) else None, default=option.default)
            for option in chosen.options
        ],
        levels=list(LEVELS),
        actions=len(chosen.actions),
    )


@router.post("/tables", status_code=201, responses=_answers(400, 422))
async def make_table(request: Request, response: Response, wish: TableWish) -> TableMade:
    """Makes a table. It begins by itself when no seat is free. The request needs the header Origin: this server's address."""
    who, server = await visitor(request), server_of(request)
    name = own_name(wish.name or who.name, page_words(None, who.lang))
    seating: Seating = [(who.id, name) if one == ME else "" if one == FREE else one for one in wish.seats]
    for one in wish.seats:
        if one not in (ME, FREE, *LEVELS):
            raise OptionError(f"seats: expected {ME}, {FREE} or one of {', '.join(LEVELS)}; found {one!r}")
    if wish.clock not in CLOCKS:
        raise OptionError(f"clock: expected one of {', '.join(map(str, CLOCKS))}; found {wish.clock}")
    known = [option.name for option in game(wish.game).options]
    for option in wish.options:
        if option not in known:
            raise OptionError(f"options: {wish.game} has {', '.join(known)}; found {option!r}")
    options = game(wish.game).read_options(len(wish.seats), **wish.options)
    settings = Settings(wish.game, options, secrets.token_hex(16), maker=who.id, open=wish.open, clock=wish.clock)
    table = await server.tables.make(settings, seating)
    if who.new:
        server.people.give(response, request, who.id)
    return TableMade(id=table.id, number=table.number)


@router.get("/tables/{id}", responses=_answers(404, 422))
async def see_table(request: Request, id: TableId) -> TableSeen:
    """A table as it stands, from the asker's seat; who has none, or several, sees what is open to all."""
    live = await server_of(request).tables.find(id)
    table, seat = live.table, _seat(live.table, (await visitor(request)).id)
    return TableSeen(
        id=id,
        game=table.settings.game,
        state=table.state,
        number=table.number,
        names=[place.name for place in table.places],
        turn=table.turn,
        seat=seat,
        seed_hash=table.seed_hash,
        view=live.looker.view(seat) if table.match is not None else None,
        score_sheet=table.match.score_sheet_for(seat).plain() if table.match is not None else None,
    )


def _seat(table: Table, person: str) -> int | None:
    mine = table.seats_of(person)
    return mine[0] if len(mine) == 1 else None


@router.post("/tables/{id}/actions", responses=_answers(400, 403, 404, 422) | {409: {"model": Stale}}, response_model=Done)
async def act(request: Request, id: TableId, wish: Wish) -> Any:
    """Takes an action in the asker's seat. One that is late, repeated or not allowed changes nothing. Needs Origin too."""
    who, tables = await visitor(request), server_of(request).tables
    table = (await tables.find(id)).table
    mine = table.seats_of(who.id)
    if not mine:
        raise HTTPException(403, page_words(None, language_of(request)).say("refuse.not_yours"))
    try:
        after = await tables.act(id, lambda table: table.play(who.id, table.turn, wish.action), number=wish.number)
    except NotYours:
        raise
    except (Refused, IllegalAction, MatchOver) as error:
        words = page_words(None, language_of(request))
        sentence = words.say(error.key, **error.values) if isinstance(error, Refused) else str(error)
        return JSONResponse({"error": sentence, "number": (await tables.find(id)).table.number}, 409)
    return Done(number=after.number)


@router.get("/replays/{id}", responses=_answers(404, 409, 422))
async def see_replay(request: Request, id: TableId) -> Replay:
    """A match that is over, with its seed: all that is needed to check it."""
    table = (await server_of(request).tables.find(id)).table
    text = match_text(table)
    match = table.match
    assert match is not None
    return Replay(
        id=id,
        game=table.settings.game,
        names=match.names,
        options=match.options,
        seed=match.seed,
        seed_hash=table.seed_hash,
        actions=match.played,
        scores=match.scores(),
        winners=match.winners(),
        score_sheet=match.score_sheet().plain(),
        match=text,
    )
