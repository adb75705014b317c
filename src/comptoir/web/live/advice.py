"""Hints: what a captain would do, or a clerk as long as captains are not compiled."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from comptoir.bots.hints import hints, quick_hints, reason
from comptoir.bots.searcher import ActionEstimate
from comptoir.engine.words import Words
from comptoir.web.domain import decide, queries
from comptoir.web.domain.state import Table
from comptoir.web.live.open_table import OpenTable
from comptoir.web.live.tables import Tables
from comptoir.web.page_words import page_words


@dataclass(frozen=True)
class Advice:
    """A hint in words, and the actions that it names, the best first."""

    text: str
    actions: list[str]


async def record_hint(tables: Tables, live: OpenTable, table: Table, person: str | None) -> Table:
    """The table once everyone there knows that a hint is taken. Raises Refused if hints are not allowed."""
    event = decide.hint(table, live.now(), person or "")
    if queries.hint_noted(table) or not person:
        return table
    return await tables.act(table.id, partial(decide.hint, person=person), version=event.version - 1)


async def advise(tables: Tables, live: OpenTable, table: Table, lang: str) -> Advice:
    """Thinks for a while, in the threads of the bots."""
    words = page_words(table.game.name, lang)
    ready = tables.precompiler.is_ready(table.game.name)
    best, why = await tables.scheduler.advise(live, _estimates, table, ready, words)
    actions = [table.game.decode(estimate.action) for estimate in best]
    scene = live.presenter.scene(table.turn, lang)
    labels = [table.game.story.choice(scene, action).label for action in actions]
    shares = [words.percent(estimate.share, 0) for estimate in best]
    text = words.say("dock.advice" if ready else "dock.first_advice", action=labels[0], share=shares[0])
    text = f"{text} {why}".rstrip()
    if len(best) > 1:
        rest = zip(labels[1:], shares[1:], strict=True)
        others = ", ".join(f"{label} ({share})" for label, share in rest)
        text = f"{text} {words.say('dock.next_best', actions=others)}"
    return Advice(text, [action.text for action in actions])


def _estimates(table: Table, ready: bool, words: Words) -> tuple[list[ActionEstimate], str]:
    """What is advised, the best first, and why."""
    match, seat = table.match, table.turn
    assert match is not None
    assert seat is not None
    best = (hints if ready else quick_hints)(match, seat, table.id)
    return best, reason(match, seat, best[0], words)
