"""How good a position of Sail to India is, and the rollout policy.

Points are in hand, or they are to come: from wealth, from markers that are free to work, from goods that can
be sold, from ships that are under way, from technologies. What is to come shrinks with the actions that a
seat has left.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from comptoir.engine.dice import WORD, roll
from comptoir.engine.mask import ALL, ONE, allows, count, forbid, popcount, select_bit
from comptoir.engine.rule import Dice, Mask, Points, rule
from comptoir.games.sail_to_india.rules import (
    ACQUIRE,
    ACTIVATE,
    ANCHOR,
    APPOINT,
    BANK,
    BUILD,
    CHART,
    CHARTING,
    CHURCH,
    CLOSE_SALE,
    CONVERT,
    CONVERTING,
    DECLINE,
    EAST_INDIA_COMPANY,
    END_TURN,
    EVANGELISATION,
    GUILD,
    KEEPS,
    MANUFACTURE,
    MARKERS,
    MARKET,
    PAIR,
    PORT_MAINTENANCE,
    RECALL,
    RENAISSANCE,
    RETURN,
    RETURN_HISTORIAN,
    SAIL,
    SAIL_OUT,
    SAILING,
    SELL,
    SELLING,
    STRONGHOLD,
    TECHNOLOGIES,
    TOWNS,
    TURN,
    is_due,
    keepers,
    last_town,
    occupied,
    room,
)

if TYPE_CHECKING:
    from comptoir.games.sail_to_india.records import Box, EvalWeights, Position

NOWHERE = -99  # so far away that no ship discovers from there

# Judging


@rule
def evaluate(p: Position, box: Box, weights: EvalWeights, points: Points) -> float:
    """Points in hand, and those to come as far as there is time for them.

    A table at which nobody wants the end does not wait for ever: from some round on, what is to come counts
    for little, and for whoever is ahead it counts the more how near the end is.
    """
    taken = occupied(p)
    worths = (
        worth(p, box, weights, 0, taken),
        worth(p, box, weights, 1, taken),
        worth(p, box, weights, 2, taken),
        worth(p, box, weights, 3, taken) if p.players == 4 else (0.0, 0.0),
    )
    leader = 0
    # signed: where signed and unsigned numbers meet, Numba makes floats
    for seat in range(np.int64(p.players)):
        if worths[seat][0] > worths[leader][0]:
            leader = seat
    rounds = rounds_to_come(p, weights, leader)
    late = int(p.round_number) - weights.longest
    time = 2.0 * min(rounds, max(-late, 1.0)) + 2.0
    for seat in range(int(p.players)):
        actions = actions_now(p, seat)
        left = float(actions) if p.closing > 0 else time
        in_hand, to_come = worths[seat]
        points[seat] = in_hand + to_come * min(1.0, left / weights.horizon) + weights.action * actions
    return float(
        weights.spread_end + weights.spread_round * rounds * (1.0 + weights.longing * max(late, 0.0))
    )


@rule
def rounds_to_come(p: Position, weights: EvalWeights, leader: int) -> float:
    """S70: until India is found or the second reserve is empty, whichever seems nearer; none once the last
    turns have come.

    It is the leader who will sail to India if nobody else does.
    """
    if p.closing > 0:
        return 0.0
    least = MARKERS
    second = MARKERS
    for seat in range(p.players):
        reserve = int(p.reserve[seat])
        second = min(second, max(least, reserve))
        least = min(least, reserve)
    by_sea = weights.rounds_a_town * (last_town(p) - int(p.face_up)) + weights.rounds_a_voyage * (
        voyages_out(p, leader) - 1
    )
    return float(min(by_sea, weights.rounds_a_marker * second))


@rule
def voyages_out(p: Position, seat: int) -> int:
    """S22, S23: how many times a seat's foremost marker must sail to discover a town."""
    town = int(p.face_up)
    while town >= 0 and p.ships[seat, min(town, TOWNS - 1)] == 0:
        town -= 1
    # a marker that has to return first is a step further
    away = int(p.face_up) - town + int(town < 0 and p.lisbon[seat] == 0)
    return max((away + int(p.speed[seat]) - 1) // int(p.speed[seat]), 1)


@rule
def actions_now(p: Position, seat: int) -> int:
    """The actions that a seat still has in this round, or among the last turns."""
    if seat == int(p.turn):
        return int(p.points)
    players = int(p.players)
    start = int(p.closer) if p.closing > 0 else int(p.first)
    return 2 if (seat - start) % players > (int(p.turn) - start) % players else 0


@rule
def worth(p: Position, box: Box, weights: EvalWeights, seat: int, taken: int) -> tuple[float, float]:
    """A seat's points in hand, and what all it has may bring if there is time."""
    goods = goods_on_land(p, box, seat)
    markets, in_hand, to_come = achievements(p, box, weights, seat)
    vp_due, wealth_due = gains(p, box, seat, goods | markets)
    # a marker that can be appointed, and is counted where it still is
    coming = int(p.recalling) if seat == int(p.turn) else 0
    vp, lisbon = keep(int(p.vp[seat]), vp_due, int(p.lisbon[seat]) + coming)
    wealth, lisbon = keep(int(p.wealth[seat]), wealth_due, lisbon)
    lisbon -= coming
    ships, furthest, hopes, reach, site = fleet(p, box, seat, taken, goods)
    crew = lisbon + ships + popcount(np.uint64(int(p.land[seat]) & PAIR)) + keepers(wealth)
    to_come += crew * (weights.marker - weights.crowd * crew) + weights.room * room(vp)
    to_come += wealth_worth(weights, wealth) + weights.speed[p.speed[seat] - 1]
    if wealth >= box.cost_build:
        to_come += weights.site * site
    if lisbon > 0:
        furthest = max(furthest, -1)
    if p.face_up < last_town(p):
        voyages = (int(p.face_up) - furthest + int(p.speed[seat]) - 1) // int(p.speed[seat])
        to_come += weights.frontier / max(1, voyages)
    if seat != int(p.turn) or p.phase != SELLING:
        to_come += trade(p, box, weights, seat, wealth, goods, hopes, reach, markets, max(lisbon, 0))
    return in_hand + vp + weights.tie_break * wealth, to_come


@rule
def goods_on_land(p: Position, box: Box, seat: int) -> int:
    """The kinds that a seat could sell now; one bit a good."""
    goods = 0
    spaces = np.uint64(int(p.land[seat]) & PAIR)
    while spaces:
        space = select_bit(spaces, 0)
        spaces &= spaces - ONE
        goods |= 1 << int(box.towns_goods[p.row[space % TOWNS], space // TOWNS])
    return goods


@rule
def achievements(p: Position, box: Box, weights: EvalWeights, seat: int) -> tuple[int, float, float]:
    """Buildings and technologies: the markets' goods, the points that are sure, and what they help to get."""
    markets = 0
    in_hand = 0.0
    to_come = 0.0
    for technology in range(len(TECHNOLOGIES)):
        if p.technologies[technology] == seat:
            to_come += weights.technology[technology]
    if p.technologies[RENAISSANCE] == seat:
        in_hand += box.points_renaissance
    spaces = np.uint64(int(p.land[seat]) >> 2 * TOWNS)
    while spaces:
        space = select_bit(spaces, 0)
        spaces &= spaces - ONE
        building = int(box.towns_buildings[p.row[space % TOWNS], space // TOWNS])
        in_hand += points_of(p, box, seat, building)
        if building >= MARKET:
            to_come += weights.market
            markets |= 1 << building - MARKET
        elif building == STRONGHOLD:
            to_come += weights.stronghold
    return markets, in_hand, to_come


@rule
def points_of(p: Position, box: Box, seat: int, building: int) -> int:
    """S71: what a building counts in a seat's hands."""
    if building == STRONGHOLD:
        return int(box.points_stronghold) + int(box.points_east_india_company) * int(
            p.technologies[EAST_INDIA_COMPANY] == seat
        )
    if building == CHURCH:
        return int(box.points_church) + int(box.points_evangelisation) * int(
            p.technologies[EVANGELISATION] == seat
        )
    return int(box.points_market) + int(box.points_guild) * int(p.technologies[GUILD] == seat)


@rule
def gains(p: Position, box: Box, seat: int, kinds: int) -> tuple[int, int]:
    """VP and wealth that are due, or will be when the sale that is on is closed, or when the ships anchor
    before a new town.
    """
    if seat != int(p.turn):
        return 0, 0
    if p.phase == SELLING:
        n = popcount(np.uint64(kinds | int(p.sold)))
        return int(box.sale_vp[n]), int(box.sale_wealth[n]) + int(p.technologies[MANUFACTURE] == seat)
    if p.phase == SAILING and p.face_up < last_town(p) and p.ships[seat, p.face_up] > 0:
        return (2 if p.face_up + 1 == last_town(p) else 1), 0
    return int(p.vp_due), int(p.wealth_due)


@rule
def keep(amount: int, due: int, lisbon: int) -> tuple[int, int]:
    """S10, S12: the amount with what is due, as far as it can be kept, and the markers then left on
    Lisbon.
    """
    kept = min(due, room(amount) + KEEPS * lisbon)
    return amount + kept, lisbon + keepers(amount) - keepers(amount + kept)


@rule
def fleet(p: Position, box: Box, seat: int, taken: int, goods: int) -> tuple[int, int, int, int, float]:
    """How many ships there are and how far out; the kinds on land once they convert; those free near Lisbon;
    the best building site.
    """
    land = int(p.land[seat])
    speed = int(p.speed[seat])
    ships = 0
    furthest = NOWHERE
    reach = 0
    site = 0.0
    for town in range(int(p.face_up)):
        here = int(p.ships[seat, town])
        if here > 0:
            ships += here
            furthest = town
        elif town >= speed and not (land >> town | land >> TOWNS + town) & 1:
            continue
        for nth in range(2):
            if not taken >> nth * TOWNS + town & 1:
                good = 1 << int(box.towns_goods[p.row[town], nth])
                if here > 0 and not goods & good:
                    goods |= good
                    here -= 1
                elif town < speed:
                    reach |= good
            if not taken >> (2 + nth) * TOWNS + town & 1 and (
                p.ships[seat, town] > 0 or (land >> town | land >> TOWNS + town) & 1
            ):
                site = max(site, float(points_of(p, box, seat, int(box.towns_buildings[p.row[town], nth]))))
    if p.face_up < last_town(p) and p.ships[seat, p.face_up] > 0:
        ships += int(p.ships[seat, p.face_up])
        furthest = int(p.face_up)
    return ships, furthest, goods, reach, site


@rule
def trade(
    p: Position,
    box: Box,
    weights: EvalWeights,
    seat: int,
    wealth: int,
    goods: int,
    hopes: int,
    reach: int,
    markets: int,
    lisbon: int,
) -> float:
    """What can be sold now, what could be if the ships converted, and what if markers sailed out from Lisbon:
    each is less sure.
    """
    ready = popcount(np.uint64(goods | markets)) if goods else 0
    soon = popcount(np.uint64(hopes | markets)) if hopes else 0
    later = min(popcount(np.uint64(hopes | markets | reach)), soon + lisbon)
    sale = sale_worth(box, weights, wealth, ready)
    hope = sale_worth(box, weights, wealth, soon)
    under_way = seat == int(p.turn) and SAILING <= p.phase <= CONVERTING
    total = weights.ready * sale + (weights.near if under_way else weights.far) * (hope - sale)
    total += weights.distant * (sale_worth(box, weights, wealth, later) - hope)
    if seat == int(p.turn) and p.recalling:
        total -= weights.idle
    return float(total)


@rule
def sale_worth(box: Box, weights: EvalWeights, wealth: int, kinds: int) -> float:
    """S27: what a sale of that many kinds would bring."""
    return (
        float(box.sale_vp[kinds])
        + wealth_worth(weights, wealth + int(box.sale_wealth[kinds]))
        - wealth_worth(weights, wealth)
    )


@rule
def wealth_worth(weights: EvalWeights, wealth: int) -> float:
    """What one banker keeps is soon spent; more is worth less, and more than ten hardly anything."""
    return float(
        weights.wealth * min(wealth, KEEPS) + weights.more_wealth * min(max(wealth - KEEPS, 0), KEEPS)
    )


# The rollout policy


@rule
def rollout_action(p: Position, box: Box, weights: EvalWeights, mask: Mask, dice: Dice) -> int:
    """Finishes what is begun; else sells three goods, builds or learns, and sends all markers out."""
    if is_due(p):
        return APPOINT if allows(mask, APPOINT) else DECLINE
    if p.phase == CHARTING:
        return CHART
    if p.phase == SELLING:
        goods = among(mask, SELL, 2 * TOWNS)
        return any_of(SELL, goods, dice) if goods else CLOSE_SALE
    if p.phase == SAILING:
        out = among(mask, SAIL_OUT, TOWNS)
        return any_of(SAIL_OUT, out, dice) if out else ANCHOR
    if p.phase == CONVERTING:
        spaces = among(mask, CONVERT, 2 * TOWNS)
        if spaces:
            return any_of(CONVERT, spaces, dice)
    if allows(mask, BANK):
        return BANK
    if p.points == 0:
        return END_TURN
    return spend(mask, dice)


@rule
def spend(mask: Mask, dice: Dice) -> int:
    """An action for an action point."""
    goods = among(mask, SELL, 2 * TOWNS)
    if popcount(goods) >= 3:
        return any_of(SELL, goods, dice)
    chance = roll(dice, 4)
    if chance == 0:
        technologies = among(mask, ACQUIRE, len(TECHNOLOGIES))
        if technologies:
            return any_of(ACQUIRE, technologies, dice)
    if chance <= 2:
        ways = among(mask, BUILD, 2 * TOWNS)
        if ways:
            return any_of(BUILD, ways, dice)
    out = among(mask, SAIL_OUT, TOWNS)
    if out:
        return any_of(SAIL_OUT, out, dice)
    if allows(mask, ACTIVATE):
        return ACTIVATE
    if goods:
        return any_of(SELL, goods, dice)
    onward = among(mask, SAIL, TOWNS - 1)
    return any_of(SAIL, onward, dice) if onward else END_TURN


@rule
def among(mask: Mask, first: int, size: int) -> np.uint64:
    """Of `size` actions from the first on, fewer than 64, those in the set; one bit each."""
    word = first >> 6
    shift = np.uint64(first & 63)
    bits = mask[word] >> shift
    if (first & 63) + size > 64:
        bits |= mask[word + 1] << (np.uint64(64) - shift)
    return np.uint64(bits & ((ONE << np.uint64(size)) - ONE))


@rule
def any_of(first: int, bits: np.uint64, dice: Dice) -> int:
    return first + select_bit(bits, roll(dice, popcount(bits)))


# Circles


@rule
def cycle_key(p: Position, box: Box) -> int:
    """Where all markers of the seat are in a phase, whatever action points were spent and ships moved to put
    them there.

    What ships that leave port will pay by Port maintenance (S53), and whether one has sailed (S54), makes a
    difference.
    """
    seat = int(p.turn)
    stage = int(p.phase) | int(p.voyage) << 4 | int(p.recalling) << 5
    key = mixed(
        int(p.land[seat]), stage | int(p.face_up) << 8 | int(p.reserve[seat]) << 16 | int(p.speed[seat]) << 24
    )
    key = mixed(
        key,
        int(p.lisbon[seat])
        | int(p.wealth[seat]) << 8
        | int(p.vp[seat]) << 16
        | int(p.scientists[seat]) << 24,
    )
    key = mixed(key, int(p.vp_due) | int(p.wealth_due) << 8 | int(p.sold) << 16)
    ships = 0
    for town in range(TOWNS):
        ships = ships << 4 | int(p.ships[seat, town])
    if p.technologies[PORT_MAINTENANCE] == seat:
        ships = ships << 4 | int(p.departed)
    return mixed(key, ships) | 1


@rule
def mixed(key: int, number: int) -> int:
    """Two numbers as one of 62 bits, which tells all pairs apart but for one in billions."""
    key = ((int(np.uint64(key)) ^ int(np.uint64(number))) * 0x9E37_79B9_7F4A_7C15) & WORD
    return int(np.int64((key ^ (key >> 29)) >> 2))


@rule
def prune_redundant(p: Position, box: Box, mask: Mask) -> None:
    """S31: a marker is recalled to be returned: before an action, or to keep a gain, if none is on Lisbon; a
    historian last of all.
    """
    if p.recalling:
        for word in range(RETURN >> 6):
            mask[word] = 0
        mask[RETURN >> 6] &= ALL << np.uint64(RETURN & 63)
        if count(mask) > 1:
            forbid(mask, RETURN_HISTORIAN)
    elif p.lisbon[p.turn] > 0 or not (is_due(p) or (p.phase == TURN and p.points > 0)):
        forbid(mask, RECALL)
