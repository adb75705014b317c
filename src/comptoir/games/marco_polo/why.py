"""Which rule forbids an action, and the reason: the key of a text in words.toml, with its values."""

from __future__ import annotations

from typing import Any

from comptoir.engine.counts import how_many
from comptoir.engine.rule import Box, Position
from comptoir.games.marco_polo.rules import (
    CARDS,
    CHOOSE,
    DEMANDS,
    DRAW,
    LAY,
    LIGHTEN,
    PASS,
    STEP,
    STRATEGIC,
    TAKE,
    camels_each,
    cards_for,
    next_space,
    reached_by_others,
)

Why = tuple[str, str, dict[str, Any]]


def why_not(p: Position, box: Box, action: int) -> Why:
    """For an action that is not legal in a position as the seat that decides knows it."""
    if action < LIGHTEN:
        return _why_not_on(p) or _why_not_lay(p, box, action - LAY)
    if action == LIGHTEN:
        return _why_not_on(p) or _why_not_lighten(p, box)
    if action < TAKE:
        return _why_not_choose(p, box, action - CHOOSE)
    return _unfinished(p, box) or _why_not_card(p, action)


def _why_not_on(p: Position) -> Why | None:
    """The camel that would go on must have been chosen and not have stopped."""
    if p.moving < 0:
        return "M40", "why.choose_first", {}
    if p.stopped[p.moving]:
        return ("M23", "why.stop_straggler", {}) if p.scored else ("M20", "why.stop_ganzhou", {})
    return None


def _demand(p: Position, box: Box, camel: int) -> dict[str, Any]:
    """The next free space of a camel, and what it demands."""
    space = next_space(p, box, camel)
    return {"n": space, "demand": DEMANDS[box.track_demands[space]]}


def _unfinished(p: Position, box: Box) -> Why | None:
    """A step that has been begun comes first."""
    if p.phase != STEP:
        return None
    return ("M11", "why.finish_step", _demand(p, box, int(p.moving))) if p.paid else ("M40", "why.must_step", {})


def _why_not_lay(p: Position, box: Box, kind: int) -> Why:
    demand = _demand(p, box, int(p.moving))
    if not how_many(p.hand[p.turn], kind):
        return "M11", "why.no_such_card", {"card": CARDS[kind]}
    if not cards_for(p, box, demand["n"]):
        return "M13", "why.cannot_pay", demand
    return "M13", "why.does_not_fit", {**demand, "card": CARDS[kind]}


def _why_not_lighten(p: Position, box: Box) -> Why:
    demand = _demand(p, box, int(p.moving))
    if p.paid:
        return "M15", "why.finish_step", demand
    if p.lightened:
        return "M15", "why.lightened", {}
    if not reached_by_others(p, p.turn) >> demand["n"] & 1:
        return "M15", "why.not_reached", {"n": demand["n"]}
    return "M15", "why.no_gold", {}


def _why_not_choose(p: Position, box: Box, camel: int) -> Why:
    if camels_each(p) == 1:
        return "M40", "why.one_camel", {}
    unfinished = _unfinished(p, box)
    if unfinished:
        return unfinished
    if p.stopped[p.moving] and not p.scored:
        return "M20", "why.stop_ganzhou", {}
    if p.stopped[camel]:
        straggler = camel == p.moving or p.two_players == STRATEGIC
        return ("M23", "why.stop_straggler", {}) if straggler else ("M40", "why.other_camel", {})
    if camel == p.moving:
        return "M40", "why.this_camel", {}
    return "M11", "why.camel_stuck", _demand(p, box, camel)


def _why_not_card(p: Position, action: int) -> Why:
    """The card that ends a turn."""
    if action == PASS:
        return "M10", "why.card_first", {}
    if p.pile_size == 0 and not p.discards and p.row_size == 0:
        return "M17", "why.no_card", {}
    if action == DRAW:
        return "M17", "why.no_pile", {}
    return "M17", "why.not_in_row", {"card": CARDS[action - TAKE]}
