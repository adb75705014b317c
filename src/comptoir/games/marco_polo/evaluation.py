"""How good a position of Marco Polo Expedition is, and the rollout policy.

The game is two races. What a race lacks is counted in cards, and a turn brings one card: so the cards that
the quickest camel still lacks tell how long the race will last, and what another camel lacks beyond that, how
far back it will stand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from comptoir.engine.counts import how_many_of, kinds_in, subtract, total
from comptoir.engine.dice import roll
from comptoir.engine.mask import ONE, popcount
from comptoir.engine.rule import Dice, Mask, Points, rule
from comptoir.games.marco_polo.rules import (
    CHOOSE,
    DRAW,
    LIGHTEN,
    STEP,
    TAKE,
    camels_each,
    cards_for,
    groups_of,
    next_space,
    reached_by_others,
    size_of,
    taken_spaces,
    value,
    wants_each,
)

if TYPE_CHECKING:
    from comptoir.games.marco_polo.records import Box, EvalWeights, Position

NOT_PLAYING = 1000.0  # what an empty seat lacks
LAYS = np.uint64((1 << LIGHTEN) - 1)
CHOICES = np.uint64(0b11 << CHOOSE)
TAKES = np.uint64((1 << DRAW) - (1 << TAKE))


# Where a seat stands


@rule
def hand_after(p: Position, box: Box, seat: int) -> int:
    """A seat's cards; those that the step it has begun will still take count as laid."""
    hand = int(p.hand[seat])
    if p.phase != STEP or seat != p.turn:
        return hand
    demand = int(box.track_demands[next_space(p, box, p.moving)])
    kinds = cards_for(p, box, next_space(p, box, p.moving))
    if wants_each(demand):
        return without_each(demand, hand, kinds)
    for _ in range(size_of(demand) - total(p.paid)):
        hand = without_first(hand, kinds)
    return hand


@rule
def space_after(p: Position, box: Box, seat: int, camel: int) -> int:
    """The space of a camel; a step that has been begun counts as made."""
    if p.phase == STEP and seat == p.turn and camel == p.moving:
        return next_space(p, box, camel)
    return int(p.camels[seat, camel])


@rule
def front(p: Position, box: Box, seat: int) -> int:
    """The foremost camel's space."""
    return max(space_after(p, box, seat, 0), space_after(p, box, seat, 1))


# What a hand is good for


@rule
def without_first(hand: int, kinds: int) -> int:
    """A hand less one card of a set of kinds; the whole hand if it has none of them."""
    fits = kinds_in(hand) & kinds
    return subtract(hand, fits & -fits)


@rule
def without_each(demand: int, hand: int, kinds: int) -> int:
    """A hand less one card of each group that a demand tells apart, as far as the kinds allow."""
    group, shift, groups = groups_of(demand)
    for _ in range(groups):
        hand = without_first(hand, group & kinds)
        group <<= shift
    return hand


@rule
def largest_group(demand: int, hand: int) -> int:
    """Of the groups that a demand tells apart, the one of which a hand has most."""
    group, shift, groups = groups_of(demand)
    best = group
    most = 0
    for _ in range(groups):
        have = how_many_of(hand, group)
        if have > most:
            most = have
            best = group
        group <<= shift
    return best


@rule
def without_alike(demand: int, hand: int) -> int:
    """A hand less the cards of its largest group, as many as a demand takes."""
    best = largest_group(demand, hand)
    for _ in range(size_of(demand)):
        hand = without_first(hand, best)
    return hand


@rule
def lack(p: Position, box: Box, weights: EvalWeights, seat: int, city: int) -> float:
    """How many cards more a seat needs to bring its foremost camel to a city.

    The next few spaces are paid for out of the hand, card by card; what is left of it pays for the rest, not
    quite in full.
    """
    if seat >= p.players:
        return NOT_PLAYING
    hand = hand_after(p, box, seat)
    cards = total(hand)
    taken = taken_spaces(p, box)
    lacked = 0.0
    near = 0
    for space in range(front(p, box, seat) + 1, city + 1):
        demand = int(box.track_demands[space])
        size = size_of(demand)
        if (
            p.scored
            and space <= box.cities_ganzhou
            and value(box.scoring_ganzhou, int(box.cities_ganzhou), space - 1)
        ):
            continue  # M23: a straggler is carried to Ganzhou from the first scoring space
        if taken >> space & 1:
            lacked += weights.jump * size
        elif near < weights.near and cards > 0:
            near += 1
            hand = (
                without_each(demand, hand, kinds_in(hand))
                if wants_each(demand)
                else without_alike(demand, hand)
            )
            left = total(hand)
            lacked += size - weights.ready * (cards - left)
            cards = left
        else:
            lacked += size
    if seat == p.turn and is_card_left(p):
        lacked -= weights.draw
    return float(lacked - weights.loose * cards)


@rule
def is_card_left(p: Position) -> bool:
    """M17: there is something to draw, or will be once a step that is begun is paid for.

    If hands hold all cards, waiting brings none.
    """
    return bool(p.row_size > 0 or p.pile_size > 0 or p.discards != 0 or p.paid != 0)


# What it will bring


@rule
def city_gold(box: Box, scoring: NDArray[np.integer], city: int, least_space: int, short: float) -> float:
    """The gold for a camel that comes to stand so many cards short of a city, but not behind the space it is
    on.
    """
    space = city
    while short > 0.0 and space > least_space:
        size = size_of(int(box.track_demands[space]))
        if short < size:
            here = value(scoring, city, space)
            return here + short / size * (value(scoring, city, space - 1) - here)
        short -= size
        space -= 1
    return float(value(scoring, city, space))


@rule
def chest_gold(
    p: Position, box: Box, weights: EvalWeights, lacks: tuple[float, ...], seat: int, city: int
) -> float:
    """A seat's share of the chests that still stand: the less it lacks to get there, the likelier it is the
    first.
    """
    reached = reached_by_others(p, -1)
    gold = 0.0
    beyond = 0.0
    least_space = front(p, box, seat)
    for before in range(city - least_space):
        space = city - before
        chest = int(box.track_chests[space])
        if chest and not reached >> space & 1:
            total = 0.0
            mine = 0.0
            for other in range(p.players):
                need = max(0.0, lacks[other] - beyond) + weights.rivalry
                weight = 1.0 / (need * need)
                total += weight
                if other == seat:
                    mine = weight
            gold += chest * mine / total
        beyond += size_of(int(box.track_demands[space]))
    return gold


@rule
def second_camel_gold(
    p: Position, box: Box, weights: EvalWeights, seat: int, city: int, scoring: NDArray[np.integer]
) -> float:
    """M40: of two camels the hand is kept for the foremost; the other is worth the way it has come."""
    space = min(space_after(p, box, seat, 0), space_after(p, box, seat, 1))
    return float(value(scoring, city, space) + weights.second * space)


@rule
def seat_gold(
    p: Position, box: Box, weights: EvalWeights, lacks: tuple[float, ...], seat: int, turns: float
) -> float:
    """The gold that a seat may expect, if the race goes on for that many turns.

    Cards that will be lacked, or left over, count for their own sake too: as the start of the next race, and
    since no race ends just when it seems about to.
    """
    stage = int(p.scored)
    city = int(box.cities_dadu) if stage else int(box.cities_ganzhou)
    scoring = box.scoring_dadu if stage else box.scoring_ganzhou
    lightenings = min(float(p.gold[seat]), turns)  # M15: once in a turn, for gold
    short = lacks[seat] - turns - weights.lightening * lightenings
    gold = p.gold[seat] + weights.spare[stage] * lightenings
    gold += weights.chest[stage] * chest_gold(p, box, weights, lacks, seat, city)
    gold += weights.city[stage] * city_gold(box, scoring, city, front(p, box, seat), short)
    if camels_each(p) == 2:
        gold += second_camel_gold(p, box, weights, seat, city, scoring)
    return float(gold - weights.pace[stage] * lacks[seat])


@rule
def evaluate(p: Position, box: Box, weights: EvalWeights, points: Points) -> float:
    """Gold, and what the race and the cards may bring. The longer it will last, the less is certain."""
    city = int(box.cities_dadu) if p.scored else int(box.cities_ganzhou)
    lacks = (
        lack(p, box, weights, 0, city),
        lack(p, box, weights, 1, city),
        lack(p, box, weights, 2, city),
        lack(p, box, weights, 3, city),
        lack(p, box, weights, 4, city),
    )
    turns = max(0.0, min(lacks)) if is_card_left(p) else 0.0
    for seat in range(p.players):
        points[seat] = seat_gold(p, box, weights, lacks, seat, turns)
    return float(weights.spread[int(p.scored)] + weights.spread_turn[int(p.scored)] * turns)


# What is done without much thought


@rule
def rollout_action(p: Position, box: Box, weights: EvalWeights, mask: Mask, dice: Dice) -> int:
    """Goes on where it can, and else takes some card."""
    actions = mask[0]
    if actions & LAYS and (p.phase == STEP or roll(dice, 100) < weights.go_on):
        actions &= LAYS
    elif actions >> np.uint64(LIGHTEN) & ONE and roll(dice, 100) < weights.lighten:
        return LIGHTEN
    elif actions & CHOICES and roll(dice, 100) < weights.go_on:
        actions &= CHOICES
    elif actions & TAKES:
        actions &= TAKES
    return some_action(actions, dice)


@rule
def some_action(actions: np.uint64, dice: Dice) -> int:
    """One of a set, all equally likely."""
    for _ in range(roll(dice, popcount(actions))):
        actions &= actions - ONE
    return popcount(~actions & (actions - ONE))
