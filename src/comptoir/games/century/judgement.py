"""How good a position of Century is, and what a player does there by habit.

What a seat has is worth points: what it will score, and what its cubes, outposts and bonus tiles will yet bring, which is
less the sooner the game may end. To that comes the best thing it can do with its boat: claim a tile, build, trade or
harvest, and worth the less the later that will be.
"""

from __future__ import annotations

import numpy as np

from comptoir.engine.dice import roll
from comptoir.engine.mask import allows, count, ones, pick
from comptoir.engine.rule import Box, Dice, Mask, Points, Position, Values, rule
from comptoir.games.century.rules import (
    ADRIFT,
    BONUS_PHASE,
    BUILD,
    BUILDING,
    CLAIM,
    CLOSED,
    CUBES,
    DROP,
    END,
    EXTRA_MOVE,
    FIRST_OWNER,
    FIRST_PORT,
    GETS,
    HARVEST,
    ICONS,
    KINDS,
    LANDED,
    LAST_TILE,
    MARKET,
    MOVE,
    NO_TILE,
    OF_AN_ICON,
    PAY,
    PAYING,
    PAYS,
    PLACING,
    PORTS,
    RED_HARVEST,
    SAIL,
    SPACES,
    STOWING,
    TILES,
    TRADE,
    can_claim,
    dues,
    has_outpost,
    most_claimed,
    outpost_cost,
    room,
)

STEPS = np.uint64((1 << DROP) - 1)  # all actions that sail


@rule
def judge(p: Position, box: Box, values: Values, points: Points) -> float:
    """What each seat has, and the best that its boat may do."""
    left = max(LAST_TILE - np.int64(most_claimed(p)), 0)
    season = left / LAST_TILE
    for place in range(np.int64(p.players)):
        points[place] = goods(p, box, values, place, season) + board(p, box, values, place, season)
        points[place] += values.last * order(p, place)  # C32
        if p.phase >= PLACING and p.boats[place] >= 0:
            points[place] += prospects(p, box, values, place, season, left)
    for tile in range(len(TILES)):
        if p.tiles[tile] >= FIRST_OWNER:
            points[p.tiles[tile] - FIRST_OWNER] += box.vp_points[tile] + values.claimed
    return float(values.spread[left])


@rule
def worth(values: Values, cube: int, season: float) -> float:
    """A cube: what it scores, and while there is time, what can be made of it."""
    return float(values.cube[cube] + season * values.cube_early[cube])


@rule
def goods(p: Position, box: Box, values: Values, place: int, season: float) -> float:
    """The hold, but for what will not fit (the lowest cubes)."""
    over = np.int64(p.hold_size[place]) - np.int64(room(p, box, place))
    total = 0.0
    for cube in range(len(CUBES)):
        cubes = np.int64(p.hold[place, cube])
        if over > 0:
            gone = min(over, cubes)
            cubes -= gone
            over -= gone
        total += cubes * worth(values, cube, season)
    return total


@rule
def board(p: Position, box: Box, values: Values, place: int, season: float) -> float:
    """Cells uncovered, bonus tiles, and the column that is being emptied."""
    total = float(p.bonus_points[place])
    for kind in range(len(KINDS)):
        total += np.int64(p.bonus[place, kind]) * season * values.ability[kind]
        if kind > 0:
            total += np.int64(p.bonus[place, kind]) * np.int64(box.bonus_worth[kind - 1])
    outposts = 0
    for icon in range(len(ICONS)):
        outposts += np.int64(p.built[place, icon])
        for column in range(np.int64(p.built[place, icon])):
            total += box.board_points[column]
    if p.phase == BONUS_PHASE and p.turn == place:
        total += values.column[len(ICONS)]
    return total + values.column[rows_ahead(p, place)] + season * values.network[min(outposts, 12)]


@rule
def rows_ahead(p: Position, place: int) -> int:
    """How much of the column that will be emptied next is empty (C15)."""
    least = np.int64(p.built[place, 0])
    for icon in range(1, len(ICONS)):
        least = min(least, np.int64(p.built[place, icon]))
    rows = 0
    for icon in range(len(ICONS)):
        rows += np.int64(p.built[place, icon]) > least
    return rows


@rule
def prospects(p: Position, box: Box, values: Values, place: int, season: float, left: int) -> float:
    """The tile that is nearest with these cubes, and what the boat can do for it, or else: the best, and a part of the next best."""
    acting = p.mover == place and p.phase != STOWING
    last = left == 0
    if last and not acting and order(p, place) <= order(p, p.mover):
        return 0.0  # C30: this seat's last turn is over
    steps = steps_left(p) if acting else 0
    stride = 1 + np.int64(p.bonus[place, EXTRA_MOVE])
    soonest = 0 if acting else 1
    here = np.int64(p.boats[place])
    base = best_claim(p, box, values, place, season, here, soonest, steps, stride, 0, 0)
    best = harvest_worth(p, box, values, place, season) * values.delay[soonest]
    second = 0.0
    for space in range(FIRST_PORT):
        away = np.int64(box.distance[here, space])
        turns = 0 if acting and away <= steps else turns_for(away - steps, stride)
        if turns < soonest:
            turns = soonest
        if turns > (soonest if last else 2):
            continue
        gain = market_worth(p, box, values, place, space, season, turns, stride, base)
        if turns == 0 and p.phase == MOVE and (away > 0 or p.moved):
            gain -= dues(p, space) * values.toll
        if gain > best:
            second = best
            best = gain
        elif gain > second:
            second = gain
    return base + best + values.second * second


@rule
def order(p: Position, place: int) -> int:
    """A seat's place in the round."""
    return (np.int64(place) - np.int64(p.first)) % np.int64(p.players)


@rule
def steps_left(p: Position) -> int:
    """The steps that the mover can still make for nothing, or has paid for."""
    if p.phase == MOVE:
        return np.int64(p.free)
    return 1 if p.phase == ADRIFT else 0


@rule
def turns_for(away: int, stride: int) -> int:
    """How many turns it takes to sail so far."""
    return max(away + stride - 1, 0) // stride


@rule
def best_claim(
    p: Position, box: Box, values: Values, place: int, season: float, here: int, turns: int, steps: int, stride: int, market: int, trades: int
) -> float:
    """The best tile for who is here after some turns and has made some trades: the sooner the better, the less is missing the better."""
    best = 0.0
    for port in range(len(PORTS)):
        tile = np.int64(p.ports[port])
        if tile == NO_TILE or tile == CLOSED:
            continue
        missing = 0
        cost = 0.0
        for cube in range(len(CUBES)):
            needed = np.int64(box.vp_cost[tile, cube])
            cost += needed * worth(values, cube, season)
            held = np.int64(p.hold[place, cube])
            if trades > 0:
                held += trades * (np.int64(box.trades[market, GETS, cube]) - np.int64(box.trades[market, PAYS, cube]))
            missing += max(needed - held, 0) * (cube + 1)
        gain = np.float64(box.vp_points[tile]) + values.claimed - cost
        if missing == 0:
            later = max(turns, turns + turns_for(np.int64(box.distance[here, FIRST_PORT + port]) - steps, stride) - (turns if trades == 0 else 0))
            gain *= values.delay[min(later, 6)]
        else:
            gain *= values.missing[min(missing, 12)] * values.delay[turns]
        best = max(best, gain)
    return best


@rule
def harvest_worth(p: Position, box: Box, values: Values, place: int, season: float) -> float:
    """Two yellow cubes and what harvest tiles give, as far as there is room."""
    space = np.int64(room(p, box, place)) - np.int64(p.hold_size[place])
    total = 0.0
    for cube in range(len(CUBES) - 1, -1, -1):
        cubes = np.int64(box.harvest_cubes[cube]) + np.int64(p.bonus[place, RED_HARVEST]) * np.int64(box.harvest_more[cube])
        cubes = max(min(cubes, space), 0)
        space -= cubes
        total += cubes * worth(values, cube, season)
    return total


@rule
def market_worth(
    p: Position, box: Box, values: Values, place: int, space: int, season: float, turns: int, stride: int, base: float
) -> float:
    """An outpost, if there is none yet, and as many trades as are good."""
    gain = 0.0
    if not has_outpost(p, space, place):
        building = p.phase == BUILDING and p.mover == place and p.boats[place] == space
        cost = np.int64(p.owed) if building else outpost_cost(p, box, space)
        if cost > p.hold_size[place]:
            return 0.0
        gain = outpost_worth(p, box, values, place, p.markets[space] // OF_AN_ICON, season) - cost * values.toll
    market = np.int64(p.markets[space])
    most = 4
    profit = 0.0
    for cube in range(len(CUBES)):
        pays = np.int64(box.trades[market, PAYS, cube])
        if pays > 0:
            most = min(most, np.int64(p.hold[place, cube]) // pays)
        profit += (np.int64(box.trades[market, GETS, cube]) - pays) * worth(values, cube, season)
    best = 0.0
    for trades in range(1, most + 1):
        best = max(best, trades * profit + best_claim(p, box, values, place, season, space, turns, 0, stride, market, trades) - base)
    return (gain + best) * values.delay[turns]


@rule
def outpost_worth(p: Position, box: Box, values: Values, place: int, icon: int, season: float) -> float:
    """The cell it uncovers, its part of a column, and a market more to trade on."""
    built = np.int64(p.built[place, icon])
    least = built
    outposts = 0
    for other in range(len(ICONS)):
        least = min(least, np.int64(p.built[place, other]))
        outposts += np.int64(p.built[place, other])
    outposts = min(outposts, 11)
    gain = np.float64(box.board_points[built]) + season * (values.network[outposts + 1] - values.network[outposts])
    if built == least:
        rows = rows_ahead(p, place)
        gain += values.column[rows + 1] - values.column[rows]
    return gain


# Habit


@rule
def habit(p: Position, box: Box, values: Values, mask: Mask, dice: Dice) -> int:
    """Claims, builds and trades where it can, sails where it can claim, and harvests now and then."""
    if allows(mask, CLAIM):
        return CLAIM
    if p.phase == MOVE and not p.moved and p.free > 0:
        step = course(p, box, mask)
        if step >= 0:
            return SAIL + step
        steps = ones(mask[0] & STEPS)
        if steps > 0 and roll(dice, 8) > 0:
            return pick(mask, roll(dice, steps))
    if allows(mask, TRADE):
        return TRADE
    if allows(mask, BUILD):
        return BUILD
    if allows(mask, HARVEST):
        return HARVEST
    return pick(mask, roll(dice, count(mask)))


@rule
def course(p: Position, box: Box, mask: Mask) -> int:
    """A step towards a port whose tile can be claimed; -1 if there is none."""
    for port in range(len(PORTS)):
        if can_claim(p, box, p.ports[port]):
            here = np.int64(p.boats[p.turn])
            for space in range(len(SPACES)):
                if allows(mask, SAIL + space) and box.distance[space, FIRST_PORT + port] < box.distance[here, FIRST_PORT + port]:
                    return space
    return -1
