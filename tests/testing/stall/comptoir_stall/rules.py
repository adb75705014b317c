"""Stall, a game for tests: offer a good from a secret hand, then say how much of it you sell.

While its owner says how much, everybody knows that the good is in the hand; `seen` notes that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from comptoir.engine.actions import Actions
from comptoir.engine.dice import draw_from
from comptoir.engine.invariants import VALID, Invariants
from comptoir.engine.mask import allow_if, allow_range
from comptoir.engine.rule import Dice, Mask, Scores, rule
from comptoir.engine.schema import Schema, Seats, enum_of, number, optional_enum_of, private, seat_field
from comptoir.engine.seats import next_seat

if TYPE_CHECKING:
    from .records import Box, Position

VERSION = 1
PLAYERS = (2, 4)
GOODS = ("tea", "silk", "pepper")
KINDS = len(GOODS)
SEATS = Seats(4)
PHASES = ("offer", "sale")
OFFER, SALE = range(2)
ENDINGS = ("not over", "sold out")
MAX_CARDS, MAX_SOLD = 9, 3
MAX_DECISIONS = 2 * MAX_CARDS * 4  # an offer and a sale for each card
MAX_POINTS = MAX_SOLD * MAX_CARDS
POSITION: Schema[Position] = Schema(
    players=number(high=4),
    turn=seat_field(),
    ending=enum_of(ENDINGS),
    phase=enum_of(PHASES),
    offered=optional_enum_of(GOODS),
    hand=private(number(SEATS, GOODS)),
    cards=number(SEATS),
    seen=number(SEATS, GOODS),  # the part of a hand that everyone knows
    pile=number(GOODS),  # nobody looks at it
    sold=number(GOODS),
    points=number(SEATS),
)
BOX: Schema[Box] = Schema(goods=number(GOODS, low=12, high=40), start_cards=number(low=1, high=MAX_CARDS))
ACTIONS = Actions(("offer", GOODS), ("sell", range(1, MAX_SOLD + 1)))
OFFERS, SALES = ACTIONS.first("offer"), ACTIONS.first("sell")


@rule
def setup(p: Position, box: Box, dice: Dice) -> None:
    for good in range(KINDS):
        p.pile[good] = box.goods[good]
    for seat in range(p.players):
        p.cards[seat] = box.start_cards
    p.offered = -1
    deal(p, dice)


@rule
def total(counts: Any) -> int:
    number = 0
    for good in range(KINDS):
        number += int(counts[good])
    return number


@rule
def deal(p: Position, dice: Dice) -> None:
    """Fills up the hands from the pile."""
    for seat in range(p.players):
        for _ in range(int(p.cards[seat]) - total(p.hand[seat])):
            p.hand[seat, draw_from(p.pile, total(p.pile), dice)] += 1


@rule
def legal(p: Position, box: Box, mask: Mask) -> None:
    if p.phase == OFFER:
        for good in range(KINDS):
            allow_if(mask, OFFERS + good, p.hand[p.turn, good] > 0)
    else:
        allow_range(mask, SALES, SALES + min(MAX_SOLD, int(p.hand[p.turn, p.offered])) - 1)


@rule
def play(p: Position, box: Box, action: int, dice: Dice) -> None:
    seat = p.turn
    if action < SALES:
        p.offered = action
        p.seen[seat, action] = max(1, p.seen[seat, action])
        p.phase = SALE
        return
    good = p.offered
    number = action - SALES + 1
    p.hand[seat, good] -= number
    p.cards[seat] -= number
    p.seen[seat, good] -= min(number, p.seen[seat, good])
    p.sold[good] += number
    p.points[seat] += number * number
    p.offered = -1
    p.phase = OFFER
    for _ in range(p.players):
        p.turn = next_seat(p, p.turn)
        if p.cards[p.turn] > 0:
            return
    p.turn = -1
    p.ending = 1


@rule
def tally(p: Position, box: Box, out: Scores, stride: int) -> None:
    for seat in range(p.players):
        out[seat, 0] += p.points[seat]


@rule
def hide(p: Position, box: Box, viewer: int) -> None:
    for good in range(KINDS):
        p.pile[good] = 0
        for seat in range(p.players):
            if seat != viewer:
                p.hand[seat, good] = p.seen[seat, good]


@rule
def imagine(p: Position, box: Box, viewer: int, dice: Dice) -> None:
    for good in range(KINDS):
        unknown = int(box.goods[good]) - int(p.sold[good])
        for seat in range(p.players):
            unknown -= int(p.hand[seat, good])
        p.pile[good] = unknown
    deal(p, dice)


INVARIANTS = Invariants(
    goods="goods: expected as many as in the box", cards="cards: expected as many as in the hand"
)
WRONG_GOODS, WRONG_CARDS = INVARIANTS["goods"], INVARIANTS["cards"]


@rule
def violated_invariant(p: Position, box: Box) -> tuple[int, int]:
    """Every card is somewhere, and who decides has as many as all can see."""
    for good in range(KINDS):
        number = int(p.pile[good]) + int(p.sold[good])
        for seat in range(p.players):
            number += int(p.hand[seat, good])
        if number != box.goods[good]:
            return WRONG_GOODS, good
    if p.turn >= 0 and total(p.hand[p.turn]) != p.cards[p.turn]:
        return WRONG_CARDS, p.turn
    return VALID, 0
