"""How good a position of Century is, and the rollout policy.

What a seat has is worth points: what it will score, and what its cubes, outposts and bonus tiles will yet
bring, which is less the sooner the game may end. To that comes what its boat can do: the nearest tile to
claim, and the best that a market or a harvest can do for that or else. All of it is worth the less the later
it will be: a turn is what everyone is short of.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from comptoir.engine.dice import roll
from comptoir.engine.mask import allows, count, pick, popcount
from comptoir.engine.rule import Dice, Mask, Points, rule, signed
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
    FAR,
    FIRST_OWNER,
    FIRST_PORT,
    GETS,
    HARVEST,
    ICONS,
    KINDS,
    LAST_TILE,
    MARKET,
    MOVE,
    NO_TILE,
    OF_AN_ICON,
    PAYING,
    PAYS,
    POINTS,
    PORTS,
    RED_HARVEST,
    SAIL,
    SPACES,
    STOWING,
    TILES,
    TRADE,
    YELLOW,
    can_claim,
    dues,
    has_outpost,
    most_claimed,
    outpost_cost,
    room,
)

if TYPE_CHECKING:
    from comptoir.games.century.records import Box, EvalWeights, Position

STEPS = np.uint64((1 << DROP) - 1)  # all actions that sail
TURNS_AHEAD = 2  # markets that are further away are not looked at
MAX_TRADES = 4  # nor more trades in a turn


class BoatReach(NamedTuple):
    """Where a boat is, and how soon it can be elsewhere."""

    here: int
    # that it can still make in this turn; below 0, that it will lose by turns spent before it sails on
    steps: int
    stride: int  # steps in a turn
    soonest: int  # turns until it can act: 0 in its own turn
    latest: int  # turns until the game is over, as far as is known
    adrift: bool  # it must first sail on from where it is
    over: int  # cubes of its hold that will have to go


@rule
def evaluate(p: Position, box: Box, weights: EvalWeights, points: Points) -> float:
    """What each seat has, and what its boat can do.

    `season` goes from 1 to 0, when somebody has claimed a fourth tile (C30).
    """
    left = max(LAST_TILE - signed(most_claimed(p)), 0)
    season = left / LAST_TILE
    for seat in range(signed(p.players)):
        points[seat] = goods(p, box, weights, seat, season) + board(p, box, weights, seat, season)
        points[seat] += weights.last * order(p, seat)  # C32
        if p.boats[seat] >= 0 and (season > 0.0 or still_to_act(p, seat)):
            points[seat] += preview_actions(p, box, weights, seat, season)
    for tile in range(len(TILES)):
        if p.tiles[tile] >= FIRST_OWNER:
            points[p.tiles[tile] - FIRST_OWNER] += claim_worth(box, weights, tile, season)
    return float(weights.spread[left]) * (1.0 + dawdling(p, weights))


@rule
def dawdling(p: Position, weights: EvalWeights) -> float:
    """How much longer than usual the game has taken: then nobody is sure of anything, and who only waits sees
    what a tile would bring.
    """
    return float(min(max(int(p.round_number) - weights.longest, 0.0) / weights.longest, 1.0) * weights.unsure)


@rule
def order(p: Position, seat: int) -> int:
    """A seat's place in the round."""
    return (signed(seat) - signed(p.first)) % signed(p.players)


@rule
def is_acting(p: Position, seat: int) -> bool:
    """It is this seat's turn, and not all done."""
    return bool(p.mover == seat and p.phase != STOWING)


@rule
def still_to_act(p: Position, seat: int) -> bool:
    """In this round."""
    return is_acting(p, seat) or order(p, seat) > order(p, p.mover)


# What a seat has


@rule
def claim_worth(box: Box, weights: EvalWeights, tile: int, season: float) -> float:
    """A tile's points; and who has more of them decides when the game ends, until it does."""
    return float(box.vp_points[tile] + (weights.claimed if season > 0.0 else 0.0))


@rule
def worth(weights: EvalWeights, cube: int, season: float) -> float:
    """A cube: what can be made of it while there is time, and then what it scores (C31)."""
    if season > 0.0:
        return float(weights.cube[cube] + season * weights.cube_early[cube])
    return 0.0 if cube == YELLOW else 1.0


@rule
def goods(p: Position, box: Box, weights: EvalWeights, seat: int, season: float) -> float:
    """The hold, but for what will not fit: the lowest cubes."""
    over = signed(p.hold_size[seat]) - signed(room(p, box, seat))
    total = 0.0
    for cube in range(len(CUBES)):
        cubes = signed(p.hold[seat, cube])
        gone = max(min(over, cubes), 0)
        over -= gone
        total += (cubes - gone) * worth(weights, cube, season)
    return total


@rule
def board(p: Position, box: Box, weights: EvalWeights, seat: int, season: float) -> float:
    """Cells uncovered, bonus tiles and what they can do, the column that is being emptied, and markets to
    trade on.
    """
    total = float(p.bonus_points[seat])
    for kind in range(len(KINDS)):
        if kind != POINTS:
            total += signed(p.bonus[seat, kind]) * (
                signed(box.bonus_worth[kind - 1]) + season * weights.ability[kind]
            )
    outposts = 0
    for icon in range(len(ICONS)):
        outposts += signed(p.built[seat, icon])
        for cell in range(signed(p.built[seat, icon])):
            total += box.board_points[cell]
    total += season * weights.network[min(outposts, len(weights.network) - 1)]
    if p.phase == BONUS_PHASE and p.turn == seat:
        total += weights.column[len(ICONS)]
    return float(total + column_worth(weights, rows_ahead(p, seat), season))


@rule
def rows_ahead(p: Position, seat: int) -> int:
    """C15: how much of the column that will be emptied next is empty."""
    least = signed(p.built[seat, 0])
    for icon in range(1, len(ICONS)):
        least = min(least, signed(p.built[seat, icon]))
    rows = 0
    for icon in range(len(ICONS)):
        rows += signed(p.built[seat, icon]) > least
    return rows


@rule
def column_worth(weights: EvalWeights, rows: int, season: float) -> float:
    """A column with that many rows empty: a bonus tile, or part of one while there is time."""
    return float(weights.column[rows]) if season > 0.0 or rows == len(ICONS) else 0.0


# What its boat can do


@rule
def preview_actions(p: Position, box: Box, weights: EvalWeights, seat: int, season: float) -> float:
    """The nearest tile; then the best that the boat can do for that or else, and a part of the next best."""
    voyage = voyage_of(p, box, seat, season)
    claim = best_claim(p, box, weights, seat, season, voyage, 0, 0)
    best = harvest_worth(p, box, weights, seat, season) * weights.delay[voyage.soonest]
    second = 0.0
    for space in range(FIRST_PORT):
        turns = turns_to(box, voyage, space)
        if turns > min(TURNS_AHEAD, voyage.latest):
            continue
        gain = market_worth(p, box, weights, seat, season, voyage, space, turns, claim)
        if turns == 0 and (p.phase == MOVE or p.phase == ADRIFT) and (p.moved or space != voyage.here):
            gain -= dues(p, space) * weights.toll
        if gain > best:
            second = best
            best = gain
        elif gain > second:
            second = gain
    return float(claim + best + weights.second * second)


@rule
def voyage_of(p: Position, box: Box, seat: int, season: float) -> BoatReach:
    """C10, C20: as things stand."""
    stride = 1 + signed(p.bonus[seat, EXTRA_MOVE])
    soonest = 0 if is_acting(p, seat) else 1
    steps = 0
    if soonest == 0 and p.phase == MOVE:
        steps = signed(p.free)
    elif soonest == 0 and p.phase == ADRIFT:
        steps = 1
    latest = len(SPACES) if season > 0.0 else soonest
    over = max(signed(p.hold_size[seat]) - signed(room(p, box, seat)), 0) if p.phase == STOWING else 0
    return BoatReach(
        signed(p.boats[seat]), steps, stride, soonest, latest, soonest == 0 and p.phase == ADRIFT, over
    )


@rule
def kept(p: Position, seat: int, cube: int, over: int) -> int:
    """C20: the cubes of a kind that a hold keeps when that many of the lowest have gone."""
    cubes = signed(p.hold[seat, cube])
    if over > 0:
        for lower in range(cube):
            over -= signed(p.hold[seat, lower])
        cubes -= min(max(over, 0), cubes)
    return cubes


@rule
def turns_to(box: Box, voyage: BoatReach, space: int) -> int:
    """How many turns from now the boat can act on a space."""
    away = signed(box.distance[voyage.here, space]) - voyage.steps
    if voyage.adrift and space == voyage.here:
        away = 1
    return max(max(away + voyage.stride - 1, 0) // voyage.stride, voyage.soonest)


@rule
def best_claim(
    p: Position,
    box: Box,
    weights: EvalWeights,
    seat: int,
    season: float,
    voyage: BoatReach,
    market: int,
    trades: int,
) -> float:
    """The tile that is worth most above its cubes, with these and some trades on a market: the less the
    later, or the more is missing.
    """
    best = 0.0
    for port in range(len(PORTS)):
        tile = signed(p.ports[port])
        if not NO_TILE < tile < CLOSED:
            continue
        missing = shortfall(p, box, seat, tile, market, trades, voyage.over)
        gain = claim_worth(box, weights, tile, season)
        for cube in range(len(CUBES)):
            gain -= signed(box.vp_cost[tile, cube]) * worth(weights, cube, season)
        if missing > 0:
            gain *= (
                weights.missing[min(missing, len(weights.missing) - 1)] * weights.delay[voyage.soonest]
                if season > 0.0
                else 0.0
            )
        else:
            turns = turns_to(box, voyage, FIRST_PORT + port)
            gain *= weights.delay[min(turns, len(weights.delay) - 1)] if turns <= voyage.latest else 0.0
        best = max(best, gain)
    return best


@rule
def shortfall(p: Position, box: Box, seat: int, tile: int, market: int, trades: int, over: int) -> int:
    """What is missing for a tile after some trades on a market, the higher a cube the more."""
    missing = 0
    for cube in range(len(CUBES)):
        traded = trades * (signed(box.trades[market, GETS, cube]) - signed(box.trades[market, PAYS, cube]))
        missing += max(signed(box.vp_cost[tile, cube]) - kept(p, seat, cube, over) - traded, 0) * (cube + 1)
    return missing


@rule
def harvest_worth(p: Position, box: Box, weights: EvalWeights, seat: int, season: float) -> float:
    """C19, C21: the cubes of a harvest, as far as there is room."""
    space = signed(room(p, box, seat)) - signed(p.hold_size[seat])
    total = 0.0
    for cube in range(len(CUBES) - 1, -1, -1):
        cubes = signed(box.harvest_cubes[cube]) + signed(p.bonus[seat, RED_HARVEST]) * signed(
            box.harvest_more[cube]
        )
        kept = max(min(cubes, space), 0)
        space -= kept
        total += kept * worth(weights, cube, season)
    return total


@rule
def market_worth(
    p: Position,
    box: Box,
    weights: EvalWeights,
    seat: int,
    season: float,
    voyage: BoatReach,
    space: int,
    turns: int,
    claim: float,
) -> float:
    """An outpost, if there is none yet, and as many trades as are good: for their cubes, and for a better
    claim than without.
    """
    gain = 0.0
    if not has_outpost(p, space, seat):
        owing = p.phase == BUILDING and p.mover == seat and voyage.here == space
        cost = signed(p.owed) if owing else signed(outpost_cost(p, box, space))
        if cost > p.hold_size[seat]:
            return 0.0
        gain = outpost_worth(p, box, weights, seat, season, space) - cost * weights.toll
    market = signed(p.markets[space])
    most = MAX_TRADES
    profit = 0.0
    for cube in range(len(CUBES)):
        pays = signed(box.trades[market, PAYS, cube])
        if pays > 0:
            most = min(most, kept(p, seat, cube, voyage.over) // pays)
        profit += (signed(box.trades[market, GETS, cube]) - pays) * worth(weights, cube, season)
    best = 0.0
    then = BoatReach(space, -turns * voyage.stride, voyage.stride, turns, voyage.latest, False, voyage.over)
    for trades in range(1, most + 1):
        best = max(
            best, trades * profit + best_claim(p, box, weights, seat, season, then, market, trades) - claim
        )
    return float((gain + best) * weights.delay[turns])


@rule
def outpost_worth(p: Position, box: Box, weights: EvalWeights, seat: int, season: float, space: int) -> float:
    """C14, C15: the cell it uncovers, its part of a column, and a market more to trade on."""
    icon = signed(p.markets[space]) // OF_AN_ICON
    built = signed(p.built[seat, icon])
    least = built
    outposts = 0
    for row in range(len(ICONS)):
        least = min(least, signed(p.built[seat, row]))
        outposts += signed(p.built[seat, row])
    outposts = min(outposts, len(weights.network) - 2)
    gain = box.board_points[built] + season * (weights.network[outposts + 1] - weights.network[outposts])
    if built == least:
        rows = rows_ahead(p, seat)
        gain += column_worth(weights, rows + 1, season) - column_worth(weights, rows, season)
    return float(gain)


# The rollout policy


@rule
def rollout_action(p: Position, box: Box, weights: EvalWeights, mask: Mask, dice: Dice) -> int:
    """Claims what it can and sails where it could; else anywhere, to build, and to trade for the nearest
    tile; harvests if all fails.
    """
    if allows(mask, CLAIM):
        return CLAIM
    if p.phase == MOVE and not p.moved and p.free > 0:
        step = course(p, box, mask)
        if step >= 0:
            return SAIL + step
        steps = popcount(mask[0] & STEPS)
        if steps > 0 and roll(dice, 4) > 0:
            return pick(mask, roll(dice, steps))
    if allows(mask, TRADE) and (brings_nearer(p, box) or roll(dice, 8) == 0):
        return TRADE
    if allows(mask, BUILD):
        return BUILD
    if allows(mask, HARVEST):
        return HARVEST
    if p.phase == MARKET:
        return END
    if p.phase == PAYING or p.phase == BUILDING or p.phase == STOWING:
        return pick(mask, 0)  # the lowest cube
    return pick(mask, roll(dice, count(mask)))


@rule
def course(p: Position, box: Box, mask: Mask) -> int:
    """A step towards a port whose tile can be claimed; -1 if there is none."""
    for port in range(len(PORTS)):
        if can_claim(p, box, p.ports[port]):
            away = box.distance[p.boats[p.turn], FIRST_PORT + port]
            for space in range(len(SPACES)):
                if box.distance[space, FIRST_PORT + port] < away and allows(mask, SAIL + space):
                    return space
    return -1


@rule
def brings_nearer(p: Position, box: Box) -> bool:
    """With a trade here, less is missing for the tile for which least is missing."""
    market = signed(p.markets[p.boats[p.turn]])
    return least_missing(p, box, market, 1) < least_missing(p, box, market, 0)


@rule
def least_missing(p: Position, box: Box, market: int, trades: int) -> int:
    least = FAR
    for port in range(len(PORTS)):
        tile = signed(p.ports[port])
        if NO_TILE < tile < CLOSED:
            least = min(least, shortfall(p, box, signed(p.turn), tile, market, trades, 0))
    return least


# Circles


@rule
def cycle_key(p: Position, box: Box) -> int:
    """C10, C12: the space that a boat under way has come to, whatever steps and cubes that took.

    To come back to where the turn began is another thing if cubes lie there: only a boat that has moved may
    take them.
    """
    if p.phase != MOVE:
        return 0
    space = signed(p.boats[p.turn])
    cubes = 0
    if not p.moved:
        for cube in range(len(CUBES)):
            cubes += signed(p.lying[space, cube])
    return 1 + space + (len(SPACES) if cubes > 0 else 0)
