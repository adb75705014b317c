"""Which rule forbids an action, and the reason: the key of a text in words.toml, with its values."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from comptoir.engine.counts import how_many
from comptoir.engine.why import Why
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
    any_card,
    camels_each,
    cards_for,
    may_lighten,
    next_space,
    reached_by_others,
)

if TYPE_CHECKING:
    from comptoir.games.marco_polo.records import Box, Position


def why_not(p: Position, box: Box, action: int) -> Why:
    """For an action that is not legal in a position as the seat that decides knows it."""
    if action < LIGHTEN:
        return _stopped(p) or (
            _why_not_lay_yet(p, box) if p.moving < 0 else _why_not_lay(p, box, action - LAY)
        )
    if action == LIGHTEN:
        return _stopped(p) or (_why_not_lighten_yet(p, box) if p.moving < 0 else _why_not_lighten(p, box))
    if action < TAKE:
        return _why_not_choose(p, box, action - CHOOSE)
    return _unfinished(p, box) or _why_not_card(p, action)


def _stopped(p: Position) -> Why | None:
    """The camel that moves may have come to where it must stop."""
    if p.moving < 0 or not p.stopped[p.moving]:
        return None
    return ("M23", "why.stop_straggler", {}) if p.scored else ("M20", "why.stop_ganzhou", {})


class Demand(TypedDict):
    """The number of a space, and what it demands: values of a text."""

    n: int
    demand: str


def _demand(p: Position, box: Box, camel: int) -> Demand:
    """The next free space of a camel, and what it demands."""
    space = next_space(p, box, camel)
    return {"n": space, "demand": DEMANDS[box.track_demands[space]]}


def _unfinished(p: Position, box: Box) -> Why | None:
    """A step that has been begun comes first."""
    if p.phase != STEP:
        return None
    return (
        ("M11", "why.finish_step", _demand(p, box, int(p.moving))) if p.paid else ("M40", "why.must_step", {})
    )


# Cards for the next space


def _why_not_lay_yet(p: Position, box: Box) -> Why:
    """Neither of two camels has been chosen: one that the cards can take on comes first, if there is one."""
    first, second = _demand(p, box, 0), _demand(p, box, 1)
    if cards_for(p, box, first["n"]) or cards_for(p, box, second["n"]):
        return "M40", "why.choose_first", {}
    if first == second:
        return "M13", "why.cannot_pay", first
    return "M13", "why.cannot_pay_either", {**first, "m": second["n"], "other": second["demand"]}


def _why_not_lay(p: Position, box: Box, kind: int) -> Why:
    demand = _demand(p, box, int(p.moving))
    if not cards_for(p, box, demand["n"]):
        return "M13", "why.cannot_pay", demand
    if not how_many(p.hand[p.turn], kind):
        return "M11", "why.no_such_card", {**demand, "card": CARDS[kind]}
    if p.paid:  # with other cards it might have fitted
        return "M13", "why.does_not_go_with", {**demand, "card": CARDS[kind]}
    return "M13", "why.does_not_fit", {**demand, "card": CARDS[kind]}


# Gold for the next space


def _why_not_lighten_yet(p: Position, box: Box) -> Why:
    """Neither of two camels has been chosen: one that may go on so comes first, if there is one."""
    first, second = next_space(p, box, 0), next_space(p, box, 1)
    if may_lighten(p, first) or may_lighten(p, second):
        return "M40", "why.choose_first", {}
    if p.gold[p.turn] == 0:
        return "M15", "why.no_gold", {}
    return (
        ("M15", "why.not_reached", {"n": first})
        if first == second
        else ("M15", "why.neither_reached", {"n": first, "m": second})
    )


def _why_not_lighten(p: Position, box: Box) -> Why:
    demand = _demand(p, box, int(p.moving))
    if p.paid:
        return "M15", "why.finish_step", demand
    if p.lightened:
        return "M15", "why.lightened", {}
    if not reached_by_others(p, p.turn) >> demand["n"] & 1:
        return "M15", "why.not_reached", {"n": demand["n"]}
    return "M15", "why.no_gold", {}


# One of two camels


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


# The card that ends a turn


def _why_not_card(p: Position, action: int) -> Why:
    if action == PASS:
        return "M10", "why.card_first", {}
    if not any_card(p):
        return "M17", "why.no_card", {}
    if action == DRAW:
        return "M17", "why.no_pile", {}
    return "M17", "why.not_in_row", {"card": CARDS[action - TAKE]}
