"""How good a position of Sail to India is, and what a player does there by habit.

Points are in hand, or they are to come: from wealth, from markers that are free to work, from goods that can be sold,
from ships that are under way, from technologies. What is to come shrinks with the actions that a seat has left.
"""

from __future__ import annotations

import numpy as np

from comptoir.engine.dice import roll
from comptoir.engine.mask import ONE, allows, nth_one, ones
from comptoir.engine.rule import Box, Dice, Mask, Points, Position, Values, rule
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
    FITTING_OUT,
    GUILD,
    KEEPS,
    MANUFACTURE,
    MARKET,
    PAIR,
    REFLOAT,
    RENAISSANCE,
    ROW,
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

# Judging


@rule
def judge(p: Position, box: Box, values: Values, points: Points) -> float:
    """Points in hand, and those to come as far as there is time for them."""
    rounds = rounds_to_come(p, values)
    taken = occupied(p)
    for who in range(p.players):
        now = actions_now(p, who)
        left = now if p.closing > 0 else 2
        time = min(1.0, (2.0 * rounds + left) / values.horizon)
        points[who] = values.action * now + worth(p, box, values, int(who), taken, time)
    return float(values.spread_end + values.spread_round * rounds)


@rule
def rounds_to_come(p: Position, values: Values) -> float:
    """After this round: until India is found or the second reserve is empty, whichever seems nearer. None once the end is near."""
    if p.closing > 0:
        return 0.0
    least = 9
    second = 9
    for who in range(p.players):
        reserve = int(p.reserve[who])
        if reserve < least:
            second = least
            least = reserve
        elif reserve < second:
            second = reserve
    unknown = last_town(p) - int(p.face_up)
    return float(min(values.rounds_a_town * unknown, values.rounds_a_marker * second))


@rule
def actions_now(p: Position, who: int) -> int:
    """The actions that a seat has left in this round, or, once the end is near, in the game."""
    if who == p.turn:
        return int(p.points)
    last = int(p.closer) if p.closing > 0 else int(p.first)
    players = int(p.players)
    return 2 if (who - last) % players > (int(p.turn) - last) % players else 0


@rule
def worth(p: Position, box: Box, values: Values, who: int, taken: int, time: float) -> float:
    """What one seat may expect to end with, all in all."""
    acts = who == int(p.turn)
    land = int(p.land[who])
    goods = kinds_on_land(p, box, land)
    markets = 0
    points = 0.0
    prospects = 0.0
    for technology in range(len(TECHNOLOGIES)):
        if p.technologies[technology] == who:
            prospects += values.technology[technology]
    if p.technologies[RENAISSANCE] == who:
        points += box.points_renaissance
    # buildings
    bits = np.uint64(land >> 2 * TOWNS)
    while bits:
        space = nth_one(bits, 0)
        bits &= bits - ONE
        building = int(box.towns_buildings[p.row[space % TOWNS], space // TOWNS])
        points += building_points(p, box, who, building)
        if building >= MARKET:
            prospects += values.market
            markets |= 1 << building - MARKET
        elif building == STRONGHOLD:
            prospects += values.stronghold
    # what is due, or will be when the sale is closed, is kept as far as there are markers for it
    lisbon = int(p.lisbon[who])
    vp = int(p.vp[who])
    wealth = int(p.wealth[who])
    vp_due = 0
    wealth_due = 0
    if acts:
        vp_due = int(p.vp_due)
        wealth_due = int(p.wealth_due)
        if p.phase == SELLING:
            kinds = ones(np.uint64(goods | markets | int(p.sold)))
            vp_due = int(box.sale_vp[kinds])
            wealth_due = int(box.sale_wealth[kinds]) + int(p.technologies[MANUFACTURE] == who)
        elif (p.phase == SAILING) and p.ships[who, p.face_up % TOWNS] > 0 and p.face_up < last_town(p):
            vp_due = 1 + int(p.face_up + 1 == last_town(p))
        kept = min(vp_due, room(vp))
        vp += kept
        vp_due -= kept
        while vp_due > 0 and lisbon > 0:
            kept = min(vp_due, KEEPS)
            vp += kept
            vp_due -= kept
            lisbon -= 1
        kept = min(wealth_due, room(wealth))
        wealth += kept
        wealth_due -= kept
        while wealth_due > 0 and lisbon > 0:
            kept = min(wealth_due, KEEPS)
            wealth += kept
            wealth_due -= kept
            lisbon -= 1
    points += vp
    points += 0.02 * wealth
    prospects += values.wealth[min(wealth, 10)]
    prospects += values.room * room(vp) - values.banker * keepers(wealth)
    # ships
    workers = lisbon + ones(np.uint64(land & PAIR)) + keepers(wealth)
    furthest = -1 if lisbon > 0 else -20
    speed = int(p.speed[who])
    hopes = goods
    reach = 0
    site = 0.0
    for town in range(int(p.face_up)):
        ships = int(p.ships[who, town])
        workers += ships
        here = ships
        for nth in range(2):
            if not taken >> nth * TOWNS + town & 1:
                good = 1 << int(box.towns_goods[p.row[town], nth])
                if here > 0 and not hopes & good:
                    hopes |= good
                    here -= 1
                elif town < speed:
                    reach |= good
        if ships > 0:
            furthest = town
        if ships > 0 or (land >> town | land >> town + TOWNS) & 1:
            for nth in range(2):
                if not taken >> (2 + nth) * TOWNS + town & 1:
                    site = max(site, float(building_points(p, box, who, int(box.towns_buildings[p.row[town], nth]))))
    if p.face_up < last_town(p):
        if p.ships[who, p.face_up] > 0:
            workers += int(p.ships[who, p.face_up])
            prospects += values.frontier
        else:
            prospects += values.frontier / ((int(p.face_up) - furthest + speed - 1) // speed)
    prospects += values.workers[min(workers, 9)] + values.speed[speed]
    if wealth >= box.cost_build:
        prospects += values.site * site
    if not (acts and p.phase == SELLING):
        ready = ones(np.uint64(goods | markets)) if goods else 0
        sale = sale_worth(box, values, wealth, ready)
        soon = ones(np.uint64(hopes | markets)) if hopes else 0
        hope = sale_worth(box, values, wealth, soon)
        later = ones(np.uint64(hopes | markets | reach))
        if later > soon + lisbon:
            later = soon + lisbon
        nearly = acts and FITTING_OUT <= p.phase <= CONVERTING
        prospects += values.goods * sale + (hope - sale) * (values.near if nearly else values.far)
        prospects += values.distant * (sale_worth(box, values, wealth, later) - hope)
    if acts and p.phase == FITTING_OUT:
        prospects -= values.idle_move
    return points + time * prospects


@rule
def sale_worth(box: Box, values: Values, wealth: int, kinds: int) -> float:
    """What a sale of so many kinds would bring."""
    more = min(10, wealth + int(box.sale_wealth[kinds]))
    return float(box.sale_vp[kinds]) + values.wealth[more] - values.wealth[min(10, wealth)]


@rule
def kinds_on_land(p: Position, box: Box, land: int) -> int:
    """The goods that a seat could sell now; one bit a good."""
    goods = 0
    bits = np.uint64(land & PAIR)
    while bits:
        space = nth_one(bits, 0)
        bits &= bits - ONE
        goods |= 1 << int(box.towns_goods[p.row[space % TOWNS], space // TOWNS])
    return goods


@rule
def building_points(p: Position, box: Box, who: int, building: int) -> int:
    """What a building counts at the end in a seat's hands."""
    if building == STRONGHOLD:
        return int(box.points_stronghold) + int(box.points_east_india_company) * int(p.technologies[EAST_INDIA_COMPANY] == who)
    if building == CHURCH:
        return int(box.points_church) + int(box.points_evangelisation) * int(p.technologies[EVANGELISATION] == who)
    return int(box.points_market) + int(box.points_guild) * int(p.technologies[GUILD] == who)


# Habit


@rule
def habit(p: Position, box: Box, values: Values, mask: Mask, dice: Dice) -> int:
    """Finishes what is begun; else sells three goods, builds or learns, and sends all markers out."""
    if is_due(p):
        return APPOINT if allows(mask, APPOINT) else DECLINE
    if p.phase == CHARTING:
        return CHART
    if p.phase == SELLING:
        goods = among(mask, SELL, 2 * TOWNS)
        return any_of(SELL, goods, dice) if goods else CLOSE_SALE
    if p.phase == SAILING or p.phase == FITTING_OUT:
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
    return spend(p, mask, dice)


@rule
def spend(p: Position, mask: Mask, dice: Dice) -> int:
    """An action for an action point."""
    goods = among(mask, SELL, 2 * TOWNS)
    if ones(goods) >= 3:
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
    return first + nth_one(bits, roll(dice, ones(bits)))
