"""Hints: what a captain would do in the rest of the turn, or a clerk as long as captains are not compiled."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from comptoir.bots.hints import Advice, advice_text, advise, continued, quick_advice
from comptoir.engine.words import Words
from comptoir.web.domain import decide, queries
from comptoir.web.domain.state import Table
from comptoir.web.live.open_table import OpenTable
from comptoir.web.live.tables import Tables
from comptoir.web.page_words import page_words


@dataclass(frozen=True)
class Hint:
    """A hint in words, and what to do now: the best action, and those that are about as good."""

    text: str
    actions: list[str]


async def record_hint(tables: Tables, live: OpenTable, table: Table, person: str | None) -> Table:
    """The table once everyone there knows that a hint is taken. Raises Refused if hints are not allowed."""
    event = decide.hint(table, live.now(), person or "")
    if queries.hint_noted(table) or not person:
        return table
    return await tables.act(table.id, partial(decide.hint, person=person), version=event.version - 1)


async def hint(tables: Tables, live: OpenTable, table: Table, lang: str) -> Hint:
    """Thinks for a while, in the threads of the bots; or continues the plan that was advised before."""
    seat = table.turn
    assert seat is not None
    words, ready = page_words(table.game.name, lang), tables.precompiler.is_ready(table.game.name)
    known = live.advice.get(seat)
    advice, text = await tables.scheduler.advise(live, _think, table, seat, known, ready, words)
    live.advice[seat] = advice if known is None or not advice.follows else known
    return Hint(text, [table.game.actions[action] for action in advice.first_actions])


def _think(table: Table, seat: int, known: Advice | None, ready: bool, words: Words) -> tuple[Advice, str]:
    """What is advised, and in words."""
    match = table.match
    assert match is not None
    advice = continued(known, match, seat) if known is not None else None
    if advice is None:
        advice = (advise if ready else quick_advice)(match, seat, table.id)
    return advice, advice_text(match, seat, advice, words)
