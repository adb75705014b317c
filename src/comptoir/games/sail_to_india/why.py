"""Which rule forbids an action, and the reason: the key of a text in words.toml, with its values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from comptoir.engine.why import Why
from comptoir.games.sail_to_india.rules import (
    ACQUIRE,
    ACTIONS,
    ACTIVATE,
    ANCHOR,
    APPOINT,
    BANK,
    BANKING,
    BUILD,
    BUILDINGS,
    CARTOGRAPHY,
    CHART,
    CHARTING,
    CLOSE_SALE,
    CONVERT,
    CONVERTING,
    DECLINE,
    FASTEST,
    FLEETS,
    GEOGRAPHY,
    GOODS,
    NO_CHART,
    RECALL,
    REFLOAT,
    RETURN,
    RETURN_BANKER,
    RETURN_SAILED,
    RETURN_SHIP,
    SAIL_OUT,
    SAILING,
    SELL,
    SELLING,
    SPACES,
    SPEED_UP,
    TECHNOLOGIES,
    TOWNS,
    USED,
    building_on,
    good_on,
    last_town,
    may_build_free,
    occupied,
    price,
    towns_in_reach,
)

if TYPE_CHECKING:
    from comptoir.games.sail_to_india.records import Box, Position


def why_not(p: Position, box: Box, action: int) -> Why:
    """For an action that is not legal in a position as the seat that decides knows it."""
    if action >= RETURN:
        return _why_not_return(p, box, action)
    if action == RECALL:
        return "S31", "why.recalled" if p.recalling else "why.nothing_to_return", {}
    if action >= REFLOAT:
        return _why_not_refloat(p, box, action - REFLOAT)
    if action == BANK:
        return _why_not_bank(p, box)
    if BUILD <= action < ACQUIRE and may_build_free(p):
        return _why_not_build(p, box, action)
    if p.vp_due or p.wealth_due:
        return _why_not_now(p, box, action)
    if action in (APPOINT, DECLINE):
        return "S15", "why.nothing_due", {}
    return _why_not_in_phase(p, box, action) or _why_not_act(p, box, action)


def _about(rule: str, key: str, p: Position, box: Box, space: int) -> Why:
    """About a space, by its town and by what it is there; nobody knows what a face-down town has."""
    town = space % TOWNS
    if town >= p.face_up:
        return rule, "why.unknown_town", {"n": town + 1}
    goods = space < 2 * TOWNS
    what = GOODS[good_on(p, box, space)] if goods else BUILDINGS[building_on(p, box, space - 2 * TOWNS)]
    return rule, key, {"n": town + 1, "what": what}


def _why_not_now(p: Position, box: Box, action: int) -> Why:
    """While a gain is due."""
    if action == APPOINT:
        return "S15", "why.lisbon_empty", {}
    if action == CHART and p.phase == CHARTING and p.technologies[CARTOGRAPHY] == p.turn:
        return _poor("S55", box.cost_cartography)
    kind, n = ("vp", int(p.vp_due)) if p.vp_due else ("wealth", int(p.wealth_due))
    return "S15", f"why.{kind}_due" if p.lisbon[p.turn] else f"why.{kind}_due_empty", {"n": n}


def _why_not_return(p: Position, box: Box, action: int) -> Why:
    """What is not there cannot be returned; what is there is recalled first."""
    seat = p.turn
    if action >= RETURN_BANKER:
        if (p.wealth if action == RETURN_BANKER else p.vp)[seat] == 0:
            return "S31", "why.no_banker" if action == RETURN_BANKER else "why.no_historian", {}
    elif action >= RETURN_SHIP:
        town = (action - RETURN_SHIP) % TOWNS
        if p.ships[seat, town] == 0:
            return "S31", "why.no_ship", {"n": town + 1}
        if action >= RETURN_SAILED and not 0 < p.sailed[town] < p.ships[seat, town]:
            return "S33", "why.all_alike", {"n": town + 1}
    elif not p.land[seat] >> action - RETURN & 1:
        return _about("S31", "why.not_yours", p, box, action - RETURN)
    return "S31", "why.recall_first", {}


def _why_not_refloat(p: Position, box: Box, space: int) -> Why:
    if p.technologies[GEOGRAPHY] != p.turn:
        return "S51", "why.no_technology", {"technology": TECHNOLOGIES[GEOGRAPHY]}
    if p.geography == USED:
        return "S51", "why.used", {"technology": TECHNOLOGIES[GEOGRAPHY]}
    return _about("S51", "why.not_yours", p, box, space)


def _why_not_bank(p: Position, box: Box) -> Why:
    if p.technologies[BANKING] != p.turn:
        return "S56", "why.no_technology", {"technology": TECHNOLOGIES[BANKING]}
    if p.banked:
        return "S56", "why.used", {"technology": TECHNOLOGIES[BANKING]}
    return _poor("S56", box.cost_banking)


def _why_not_in_phase(p: Position, box: Box, action: int) -> Why | None:
    """What has been begun is finished first; what belongs to another moment waits for it."""
    sailing = p.phase == SAILING
    if p.phase == CHARTING:
        return "S55", "why.chart_first", {}
    if action in (CHART, NO_CHART):
        return "S55", "why.no_chart", {}
    if sailing and not SAIL_OUT <= action < CONVERT:
        return "S34", "why.anchor_first", {}
    if action == ANCHOR:
        return "S22", "why.not_sailing", {}
    if p.phase == SELLING and not SELL <= action < BUILD:
        return "S27", "why.close_sale_first", {}
    if action == CLOSE_SALE:
        return "S27", "why.no_sale", {}
    if CONVERT <= action < SELL:
        return _why_not_convert(p, box, action - CONVERT)
    if p.points == 0 and not sailing and p.phase != SELLING:
        return "S20", "why.no_points", {}
    return None


def _why_not_convert(p: Position, box: Box, space: int) -> Why:
    if p.phase != CONVERTING and p.points == 0:
        return "S26", "why.convert_after_move", {}
    if p.ships[p.turn, space % TOWNS] == 0:
        return "S26", "why.no_ship", {"n": space % TOWNS + 1}
    return _about("S26", "why.taken", p, box, space)


def _why_not_act(p: Position, box: Box, action: int) -> Why:
    """There are points to spend, or ships are sailing, or a sale is on."""
    if action >= ACQUIRE:
        return _why_not_acquire(p, box, action - ACQUIRE)
    if action >= BUILD:
        return _why_not_build(p, box, action)
    if action >= SELL:
        return _about("S27", "why.not_yours", p, box, action - SELL)
    if action >= SAIL_OUT:
        return _why_not_sail(p, action)
    if action == ACTIVATE:
        return _poor("S21", box.cost_activate) if p.reserve[p.turn] else ("S21", "why.no_reserve", {})
    assert action == SPEED_UP
    speed = int(p.speed[p.turn])
    return ("S30", "why.fastest", {}) if speed == FASTEST else _poor("S30", box.cost_speed[speed - 1])


def _why_not_sail(p: Position, action: int) -> Why:
    start, end = ACTIONS.decode(action).operand
    seat = p.turn
    here = int(p.lisbon[seat] if start == 0 else p.ships[seat, start - 1])
    if here == 0:
        return "S22", "why.lisbon_empty_sail" if start == 0 else "why.no_ship", {"n": start}
    if here == (p.home if start == 0 else p.sailed[start - 1]):
        return "S33", "why.sailed", {}
    if end > last_town(p):
        return "S2", "why.no_town", {"n": last_town(p)}
    if end > towns_in_reach(p):
        if end == p.face_up + 1:
            return "S23", "why.discovered", {}
        return "S23", "why.beyond", {"n": int(p.face_up) + 1}
    return "S22", "why.too_far", {"n": int(p.speed[seat])}


def _why_not_build(p: Position, box: Box, action: int) -> Why:
    source, to = ACTIONS.decode(action).operand
    space, seat = SPACES.index(to), p.turn
    if source in FLEETS:
        if p.ships[seat, space % TOWNS] == 0:
            return "S28", "why.no_ship", {"n": space % TOWNS + 1}
    elif not p.land[seat] >> SPACES.index(source) & 1:
        return _about("S28", "why.not_yours", p, box, SPACES.index(source))
    if occupied(p) >> space & 1:
        return _about("S28", "why.taken", p, box, space)
    return _poor("S28", box.cost_build)


def _why_not_acquire(p: Position, box: Box, technology: int) -> Why:
    if p.technologies[technology] >= 0:
        return "S29", "why.acquired", {"technology": TECHNOLOGIES[technology]}
    if p.scientists[p.turn] == 0:
        return "S29", "why.no_scientist", {}
    return _poor("S29", price(p, box, technology))


def _poor(rule: str, cost: int) -> Why:
    return rule, "why.poor", {"n": int(cost)}
