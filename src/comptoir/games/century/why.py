"""Which rule forbids an action, and the reason: the key of a text in words.toml, with its values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from comptoir.engine.why import Why
from comptoir.games.century.rules import (
    ADRIFT,
    BONUS,
    BONUS_PHASE,
    BUILD,
    BUILDING,
    CLAIM,
    CLOSED,
    DISCARD,
    DROP,
    FIRST_PORT,
    ICONS,
    LANDED,
    LOT,
    LOT_PHASE,
    MARKET,
    MOVE,
    PAY,
    PAYING,
    PLACING,
    SAIL,
    SPACES,
    STOWING,
    TAKE,
    TRADE,
    UPGRADE,
    beside,
    can_sail_on,
    can_trade,
    dues,
    has_outpost,
    outpost_cost,
    owners_to_pay,
    room,
    steps,
    surplus,
)

if TYPE_CHECKING:
    from comptoir.games.century.records import Box, Position


def why_not(p: Position, box: Box, action: int) -> Why:
    """For an action that is not legal in a position as the seat that decides knows it."""
    if p.phase in (LOT_PHASE, PLACING):
        return _why_not_start(p, action)
    if action >= LOT:
        return "C7", "why.lots_gone", {}
    if p.phase == BONUS_PHASE:
        return ("C15", "why.none_left", {}) if action >= BONUS else ("C15", "why.bonus_first", {})
    if action >= BONUS:
        return "C15", "why.no_column", {}
    if p.phase == STOWING:
        return _why_not_discard(p, box, action)
    if DISCARD <= action < BUILD:
        return "C20", "why.not_too_full", {"n": room(p, box, int(p.turn))}
    if p.phase in (PAYING, BUILDING):
        return _why_not_paying(p, action)
    if action < TAKE:
        return _why_not_sail(p, box, action) if action < PAY else _why_not_pay(p, action - PAY)
    if UPGRADE <= action < DISCARD:
        return _why_not_upgrade(p, action - UPGRADE)
    return _why_not_act(p, box, action)


def _why_not_start(p: Position, action: int) -> Why:
    if p.phase == LOT_PHASE:
        return ("C7", "why.lot_taken", {}) if action >= LOT else ("C7", "why.lot_first", {})
    return ("C7", "why.start_market", {}) if action < DROP else ("C7", "why.place_first", {})


def _why_not_discard(p: Position, box: Box, action: int) -> Why:
    if DISCARD <= action < BUILD:
        return "C20", "why.no_cube", {"cube": ICONS[action - DISCARD]}
    return "C20", "why.too_full", {"n": surplus(p, box, int(p.turn))}


def _why_not_paying(p: Position, action: int) -> Why:
    rule = "C11" if p.phase == PAYING else "C14"
    if PAY <= action < TAKE:
        return rule, "why.no_cube", {"cube": ICONS[action - PAY]}
    return rule, "why.pay_owners" if p.phase == PAYING else "why.pay_outpost", {"n": int(p.owed)}


def _why_not_sail(p: Position, box: Box, action: int) -> Why:
    """Steps and drops."""
    if p.phase in (LANDED, MARKET):
        return "C13", "why.move_over", {}
    if action >= DROP:
        return _why_not_drop(p, action - DROP)
    space = action - SAIL
    if not beside(box, int(p.boats[p.turn]), space):
        return "C10", "why.not_beside", {"space": SPACES[space].upper()}
    if p.phase == MOVE and p.free == 0:
        return _why_not_sail_on(p, box, space)
    return "C25", "why.trap", {"space": SPACES[space].upper(), "n": int(dues(p, space))}


def _why_not_sail_on(p: Position, box: Box, space: int) -> Why:
    """A step for which a cube has to be dropped first, if that helps."""
    cubes = int(p.hold_size[p.turn])
    if cubes == 0:
        return "C10", "why.no_cubes", {}
    if not can_sail_on(p, box):
        return "C25", "why.no_way_on", {}
    if steps(p, box, 0, cubes - 1) >> space & 1:
        return "C10", "why.drop_first", {}
    return "C25", "why.trap", {"space": SPACES[space].upper(), "n": int(dues(p, space))}


def _why_not_drop(p: Position, cube: int) -> Why:
    if p.phase == ADRIFT:
        return "C10", "why.sail_on", {}
    if p.free > 0:
        return "C10", "why.free_first", {}
    if p.hold[p.turn, cube] == 0:
        return "C10", "why.no_cube", {"cube": ICONS[cube]}
    return "C25", "why.no_way_on", {}


def _why_not_pay(p: Position, cube: int) -> Why:
    if p.phase == ADRIFT:
        return "C10", "why.sail_on", {}
    if dues(p, int(p.boats[p.turn])) == 0:
        return "C11", "why.nobody_to_pay", {}
    owed = int(owners_to_pay(p))
    if owed == 0:
        return "C23", "why.stays_free", {}
    if p.phase != MOVE:
        return "C11", "why.paid", {}
    return (
        ("C11", "why.cannot_pay", {"n": owed})
        if owed > p.hold_size[p.turn]
        else ("C11", "why.no_cube", {"cube": ICONS[cube]})
    )


def _why_not_upgrade(p: Position, cube: int) -> Why:
    if p.phase == MARKET and p.upgrades > 0:
        return "C22", "why.no_cube", {"cube": ICONS[cube]}
    return "C21", "why.no_upgrade", {}


def _why_not_act(p: Position, box: Box, action: int) -> Why:
    """Picking up cubes, and the action of the turn."""
    if p.phase == ADRIFT:
        return "C10", "why.sail_on", {}
    if p.phase == MARKET:
        return _why_not_trade(p, box) if action == TRADE else ("C13", "why.one_action", {})
    space = int(p.boats[p.turn])
    if p.phase == MOVE and owners_to_pay(p) > 0:
        owed = int(owners_to_pay(p))
        return "C11", "why.pay_first" if owed <= p.hold_size[p.turn] else "why.cannot_pay", {"n": owed}
    if action < UPGRADE:
        return _why_not_take(p, space, action - TAKE)
    if action == CLAIM:
        return _why_not_claim(p, space)
    if space >= FIRST_PORT:
        return ("C14" if action == BUILD else "C16"), "why.not_at_a_port", {}
    return _why_not_build(p, box, space) if action == BUILD else _why_not_trade(p, box)


def _why_not_take(p: Position, space: int, cube: int) -> Why:
    if p.phase == MOVE and not p.moved:
        return "C12", "why.stayed", {}
    return "C12", "why.not_lying", {"cube": ICONS[cube], "space": SPACES[space].upper()}


def _why_not_claim(p: Position, space: int) -> Why:
    if space < FIRST_PORT:
        return "C17", "why.not_a_port", {}
    if p.ports[space - FIRST_PORT] == CLOSED:
        return "C18", "why.closed", {}
    return ("C17", "why.empty_port", {}) if p.ports[space - FIRST_PORT] < 0 else ("C17", "why.tile_cost", {})


def _why_not_build(p: Position, box: Box, space: int) -> Why:
    if has_outpost(p, space, int(p.turn)):
        return "C14", "why.outpost_there", {}
    return "C14", "why.outpost_cost", {"n": outpost_cost(p, box, space)}


def _why_not_trade(p: Position, box: Box) -> Why:
    assert not can_trade(p, box)
    if not has_outpost(p, int(p.boats[p.turn]), int(p.turn)):
        return "C16", "why.no_outpost", {}
    return "C16", "why.trade_cost", {}
