"""The interface for programs: the same tables as JSON.

The cookie identifies the caller; whoever creates a table gets one.

Requests that act (POST) must carry the header Origin with this server's own address, as a browser sends it,
so that no other site's page can act for its readers. A view is the same as `comptoir` gives to bots
(docs/bot-protocol.md), so a program that plays there can play here.
"""

from __future__ import annotations

import secrets
from typing import Annotated, Any, cast

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from comptoir.bots.levels import LEVELS, current_level
from comptoir.engine import registry
from comptoir.engine.game import get_game
from comptoir.engine.option import ChoiceOption
from comptoir.engine.words import LANGUAGES, words_of
from comptoir.errors import IllegalAction, MatchOver, OptionError
from comptoir.web.domain import decide, queries
from comptoir.web.domain.clock import CLOCKS
from comptoir.web.domain.match_files import match_text
from comptoir.web.domain.player_results import ListedResult
from comptoir.web.domain.proposals import PROPOSAL_KINDS
from comptoir.web.domain.refusals import Forbidden, Refused
from comptoir.web.domain.state import Table, TableSettings
from comptoir.web.http.my_games_pages import finished_page, read_filter
from comptoir.web.http.new_table_form import Seating, own_name
from comptoir.web.http.requests import check_open_table_limit, quota, visitor_of
from comptoir.web.limits import API_SEATS
from comptoir.web.live.app_services import language_of, services_of
from comptoir.web.live.open_table import OpenTable
from comptoir.web.live.playing_hours import take_hours
from comptoir.web.live.tables import Command
from comptoir.web.page_words import page_words

ME, FREE = "me", "free"

router = APIRouter(prefix="/api")
TableId = Annotated[
    str, Path(pattern=r"^[A-Za-z0-9_-]{1,64}$", description="The table's id, as in its link.")
]


class Error(BaseModel):
    """Why something was not done, in a sentence."""

    error: str


class Stale(Error):
    """The request came too late or is not allowed now; the table stands at `version`."""

    version: int


class Option(BaseModel):
    """Something that can be chosen before a match: one of `words`, a seat's number or `draw`, or yes and
    no.
    """

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


class CreateTable(BaseModel):
    """A table to be made."""

    model_config = ConfigDict(extra="forbid")

    game: str = Field(examples=["batavia"], json_schema_extra={"enum": [*registry.names()]})
    seats: list[Annotated[str, Field(json_schema_extra={"enum": [ME, FREE, *LEVELS]})]] = Field(
        min_length=1,
        max_length=API_SEATS,
        examples=[["me", "captain", "free"]],
        description="For each seat: me, free, or a bot's level.",
    )
    options: dict[str, str] = Field(default_factory=dict, max_length=20, examples=[{"first": "0"}])
    name: str = Field(default="", max_length=60, description="The name to play under.")
    open: bool = Field(default=False, description="Whether everyone may join or watch.")
    clock: int = Field(
        default=0,
        description="Seconds for a whole turn; 0: as long as it takes. Besides, each seat has a reserve: two"
        " turns' worth, which what a turn leaves fills up again; or, where a turn has days, 7 days of"
        " holidays, which do not come back. When both are spent, a bot plays until the person comes back.",
        json_schema_extra={"enum": list(CLOCKS)},
    )
    hints: bool = Field(default=True, description="Whether people may ask for hints.")
    chat: bool = Field(default=False, description="Whether people may write to each other.")
    multiple_seats: bool = Field(
        default=False, description="Whether one person may take several seats of an open table."
    )


class TableCreated(BaseModel):
    """Where to find the new table."""

    id: str
    version: int


class SeatTime(BaseModel):
    """What a seat has left, in seconds."""

    turn: float
    reserve: float


class ProposalState(BaseModel):
    """What somebody has asked the others for."""

    what: str = Field(description="pause, stand-in or undo.")
    seat: int = Field(description="Whose action would be taken back, whom a bot would play for, or who asks.")
    waiting_for: list[str] = Field(description="The names of those who have not answered yet.")
    yours: bool = Field(description="Whether the asker of this page is one of them.")


class TableState(BaseModel):
    """A table as the asker may see it."""

    id: str
    game: str
    state: str = Field(description="waiting, on, over or closed.")
    rules: int | None = Field(
        description="The version of the rules that the match is played by; none if that is not known yet."
    )
    closed: str | None = Field(
        description="Why nobody can play here any more, in a sentence; none unless the state is closed."
    )
    version: int = Field(description="Grows with everything that happens; goes with every action.")
    names: list[str]
    turn: int | None
    seat: int | None = Field(description="The asker's seat.")
    clock: int = Field(description="Seconds for a whole turn; 0: as long as it takes.")
    times: list[SeatTime] | None = Field(
        description="What each seat has left now; none at a table without a clock, or before the match."
    )
    running: int | None = Field(description="The seat whose time runs; none while no person is awaited.")
    due: float | None = Field(description="When that seat's time is spent, in seconds since 1970.")
    paused: bool = Field(description="Whether all agreed on a pause; anyone who sits there can end it.")
    proposal: ProposalState | None
    seed_hash: str
    view: dict[str, Any] | None = Field(
        description="What that seat, or a spectator, may know; none before the match."
    )
    score_sheet: dict[str, Any] | None = Field(
        description="Points by source, a number a seat; null for what that seat is not told before the end."
        " None before the match."
    )


class PlayAction(BaseModel):
    """An action, by the version of the table as the asker has seen it."""

    model_config = ConfigDict(extra="forbid")

    version: int = Field(ge=0, le=2**31)
    action: str = Field(max_length=80, examples=["bid 3"])


class ProposalRequest(BaseModel):
    """What somebody asks the others for, or answers."""

    model_config = ConfigDict(extra="forbid")

    version: int = Field(ge=0, le=2**31)
    what: str = Field(
        max_length=20,
        json_schema_extra={"enum": [*PROPOSAL_KINDS, "agree", "decline", "resume"]},
        description="Ask for a pause, for a bot in the place of whom all wait for (stand-in), or to take back"
        " one's last action after others have acted (undo); agree or decline; resume after a pause.",
    )


class NewVersion(BaseModel):
    """It is done."""

    version: int


class Replay(BaseModel):
    """A match that is over."""

    id: str
    game: str
    rules: int = Field(description="The version of the rules that it was played by.")
    names: list[str]
    options: dict[str, str]
    seed: str
    seed_hash: str
    actions: list[str]
    scores: list[int]
    winners: list[int]
    score_sheet: dict[str, Any] = Field(
        description="Points by source, a number a seat, and what broke a tie."
    )
    match: str = Field(description="The match file.")


class ResultItem(BaseModel):
    """How a finished match ended for the asker."""

    id: str = Field(description="The table's id; /api/replays has the match.")
    game: str
    ended: float = Field(description="In seconds since 1970.")
    names: list[str]
    seat: int
    players: int
    place: int = Field(description="1 for who has won, alone or together with others.")
    winners: int = Field(description="How many share the first place.")
    points: int
    opponents: str = Field(description="bots (only) or people.")
    level: str | None = Field(description="The level of the weakest bot at the table.")
    counts: bool = Field(
        description="Whether it counts in statistics: the asker sat to the end, in one seat, from the start,"
        " and it was no lesson."
    )
    counts_for_ladder: bool = Field(description="Whether it counts for the ladder, if it was won.")
    score_sheet: dict[str, Any] = Field(description="Points by source, a number a seat.")


class ResultPage(BaseModel):
    """A page of the asker's finished matches, the latest first."""

    page: int
    pages: int
    total: int
    results: list[ResultItem]


def _answers(*statuses: int) -> dict[int | str, dict[str, Any]]:
    return {status: {"model": Error} for status in (*statuses, 429, 503)}


@router.get("/games")
async def list_games() -> list[GameInfo]:
    """All games, with what can be chosen."""
    return [_info(name) for name in registry.names()]


def _info(name: str) -> GameInfo:
    chosen = get_game(name)
    least, most = chosen.rules.PLAYERS
    return GameInfo(
        name=name,
        title={lang: words_of(name, lang).say("game.title") for lang in LANGUAGES},
        rules=chosen.version,
        players=list(range(least, most + 1)),
        options=[
            Option(
                name=option.name,
                words=list(option.words) if isinstance(option, ChoiceOption) else None,
                default=option.default,
            )
            for option in chosen.options
        ],
        levels=list(LEVELS),
        actions=len(chosen.actions),
    )


@router.post("/tables", status_code=201, responses=_answers(400, 409, 422))
async def make_table(request: Request, response: Response, wish: CreateTable) -> TableCreated:
    """Creates a table. It starts automatically when no seat is free.

    The request needs the header Origin: this server's address.
    """
    visitor, server = await visitor_of(request), services_of(request)
    name = own_name(wish.name or visitor.name, page_words(None, visitor.lang))
    seats = [current_level(one) for one in wish.seats]
    seating: Seating = [(visitor.id, name) if one == ME else "" if one == FREE else one for one in seats]
    for one in seats:
        if one not in (ME, FREE, *LEVELS):
            raise OptionError(f"seats: expected {ME}, {FREE} or one of {', '.join(LEVELS)}; found {one!r}")
    if wish.clock not in CLOCKS:
        raise OptionError(f"clock: expected one of {', '.join(map(str, CLOCKS))}; found {wish.clock}")
    known = [option.name for option in get_game(wish.game).options]
    for option in wish.options:
        if option not in known:
            raise OptionError(f"options: {wish.game} has {', '.join(known)}; found {option!r}")
    options = get_game(wish.game).read_options(len(wish.seats), **wish.options)
    settings = TableSettings(
        wish.game,
        options,
        secrets.token_hex(16),
        creator=visitor.id,
        open=wish.open,
        clock=wish.clock,
        no_hints=not wish.hints,
        chat=wish.chat,
        multiple_seats=wish.multiple_seats,
    )
    await quota(request, "making")
    await check_open_table_limit(request, settings, seating)
    table = await server.tables.make(settings, seating)
    await take_hours(server, table)
    if visitor.new:
        server.tokens.set_cookie(response, request, visitor.session)
    return TableCreated(id=table.id, version=table.version)


@router.get("/tables/{id}", responses=_answers(404, 422))
async def see_table(request: Request, id: TableId) -> TableState:
    """A table as it stands, from the asker's seat; who has none, or several, sees what is open to all."""
    tables = services_of(request).tables
    live = await tables.find(id)
    tables.scheduler.note_poll(live)
    table, seat = live.table, _seat(live.table, (await visitor_of(request)).id)
    words = page_words(table.game.name, language_of(request))
    match = table.match if table.state != "closed" else None
    return TableState(
        id=id,
        game=table.settings.game,
        state=table.state,
        rules=match.rules if match else table.begun.rules if table.begun else None,
        closed=words.say(f"closed.{table.closed}", game=words.say("game.title")) if table.closed else None,
        version=table.version,
        names=[held.name for held in table.seats],
        turn=table.turn,
        seat=seat,
        clock=table.settings.clock,
        times=_times(live),
        running=table.clocks.running if table.clocks else None,
        due=_due(live),
        paused=table.paused,
        proposal=_proposed(table, seat),
        seed_hash=table.seed_hash,
        view=cast(dict[str, Any], match.view(seat)) if match is not None else None,
        score_sheet=match.score_sheet_for(seat).to_dict() if match is not None else None,
    )


def _seat(table: Table, person: str) -> int | None:
    mine = table.seats_of(person)
    return mine[0] if len(mine) == 1 else None


def _times(live: OpenTable) -> list[SeatTime] | None:
    clocks = live.table.clocks
    if clocks is None:
        return None
    return [SeatTime(turn=one.turn, reserve=one.reserve) for one in clocks.until(live.time()).seat_clocks]


def _due(live: OpenTable) -> float | None:
    """By the machine's clock, whatever the time is at the table."""
    due = live.table.clocks.due if live.table.clocks else None
    return None if due is None else live.machine.time() + due - live.time()


def _proposed(table: Table, seat: int | None) -> ProposalState | None:
    if table.proposal is None:
        return None
    waiting_for = [table.seats_of(person)[0] for person in queries.awaiting_consent(table)]
    return ProposalState(
        what=table.proposal.what,
        seat=table.proposal.seat,
        waiting_for=[table.seats[one].name for one in waiting_for],
        yours=seat in waiting_for,
    )


@router.post(
    "/tables/{id}/actions",
    responses=_answers(400, 403, 404, 422) | {409: {"model": Stale}},
    response_model=NewVersion,
)
async def act(request: Request, id: TableId, wish: PlayAction) -> NewVersion | JSONResponse:
    """Takes an action in the asker's seat.

    One that is late, repeated or not allowed changes nothing. Needs Origin too.
    """
    visitor = await visitor_of(request)
    live = await services_of(request).tables.find(id)
    if not live.table.seats_of(visitor.id):
        raise HTTPException(403, page_words(None, language_of(request)).say("refuse.not_yours"))
    live.at_once.add(visitor.id)  # a program has no button to wait for
    return await _done(
        request,
        id,
        lambda table, now: decide.play(table, now, visitor.id, table.turn, wish.action),
        wish.version,
    )


async def _done(request: Request, id: str, ask: Command, version: int) -> NewVersion | JSONResponse:
    tables = services_of(request).tables
    try:
        after = await tables.act(id, ask, version=version)
    except Forbidden:
        raise
    except (Refused, IllegalAction, MatchOver) as error:
        words = page_words(None, language_of(request))
        sentence = words.say(error.key, **error.values) if isinstance(error, Refused) else str(error)
        return JSONResponse({"error": sentence, "version": (await tables.find(id)).table.version}, 409)
    return NewVersion(version=after.version)


@router.post(
    "/tables/{id}/agreements",
    responses=_answers(400, 403, 404, 422) | {409: {"model": Stale}},
    response_model=NewVersion,
)
async def agree(request: Request, id: TableId, answer: ProposalRequest) -> NewVersion | JSONResponse:
    """Asks the others for something, or answers them: it is so once all other people at the table agree.

    Who is alone among bots has nobody to ask. Needs Origin too.
    """
    person, what = (await visitor_of(request)).id, answer.what
    if what == "resume":
        return await _done(request, id, lambda table, now: decide.resume(table, now, person), answer.version)
    if what in ("agree", "decline"):
        return await _done(
            request,
            id,
            lambda table, now: decide.answer_proposal(table, now, person, what == "agree"),
            answer.version,
        )
    if what not in PROPOSAL_KINDS:
        raise OptionError(
            f"what: expected one of {', '.join(PROPOSAL_KINDS)}, agree, decline or resume; found {what!r}"
        )
    return await _done(
        request, id, lambda table, now: decide.propose(table, now, person, what), answer.version
    )


@router.get("/me/results", responses=_answers(404, 422))
async def my_results(
    request: Request,
    game: Annotated[str, Query(max_length=64, description="Of one game only.")] = "",
    opponents: Annotated[
        str, Query(max_length=20, description="bots (only) or people; both if not said.")
    ] = "",
    page: Annotated[int, Query(ge=1, le=1_000_000)] = 1,
) -> ResultPage:
    """What the asker has played to the end."""
    visitor, server = await visitor_of(request), services_of(request)
    shown = await finished_page(server, visitor.id, read_filter(request, game, opponents), page)
    if shown is None:
        raise HTTPException(404, page_words(None, visitor.lang).say("error.no_page"))
    return ResultPage(
        page=page,
        pages=shown.pages,
        total=shown.total,
        results=[_result(one) for one in shown.listed],
    )


def _result(listed: ListedResult) -> ResultItem:
    result = listed.result
    told = {name: getattr(result, name) for name in ResultItem.model_fields if hasattr(result, name)}
    return ResultItem(
        **told,
        id=result.table_id,
        names=list(listed.names),
        counts=not result.excluded,
        score_sheet=result.scores.to_dict(),
    )


@router.get("/replays/{id}", responses=_answers(404, 409, 422))
async def see_replay(request: Request, id: TableId) -> Replay:
    """A match that is over, with its seed: all that is needed to check it."""
    table = (await services_of(request).tables.find(id)).table
    if table.closed:
        raise Refused("replay.closed")
    if table.state != "over":
        raise Refused("replay.not_over")
    match = table.match
    assert match is not None
    return Replay(
        id=id,
        game=table.settings.game,
        rules=match.rules,
        names=match.names,
        options=match.options,
        seed=match.seed,
        seed_hash=table.seed_hash,
        actions=match.played,
        scores=match.scores(),
        winners=match.winners(),
        score_sheet=match.score_sheet().to_dict(),
        match=match_text(table),
    )
