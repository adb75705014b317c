"""The rules of Lots. The texts are in rules.en.md and rules.fr.md."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from comptoir.engine.actions import Actions
from comptoir.engine.dice import draw_from, roll
from comptoir.engine.invariants import VALID, Invariants
from comptoir.engine.mask import allow, allow_range
from comptoir.engine.option import FirstSeatOption
from comptoir.engine.rule import Dice, Mask, Scores, rule
from comptoir.engine.schema import Schema, Seats, enum_of, flag, number, optional_enum_of, private, seat_field
from comptoir.engine.seats import draw_first, next_seat

if TYPE_CHECKING:
    from .records import Box, Position

VERSION = 1
PLAYERS = (2, 6)
GOODS = ("tea", "silk", "pepper", "indigo")
KINDS = len(GOODS)
SEATS = Seats(6)
MAX_COINS = 40
ENDINGS = ("not over", "sold out")
SOURCES = ("coins", "goods", "orders", "sets")
OPTIONS = (FirstSeatOption("first"),)
MAX_DECISIONS = 20 * (MAX_COINS + 6)  # a lot ends after a pass of each seat, and bids only rise
MAX_POINTS = 5000

POSITION: Schema[Position] = Schema(
    players=number(high=6),
    turn=seat_field(),
    ending=enum_of(ENDINGS),
    first=seat_field(),
    sold=number(),  # lots that are gone
    cargo=number(GOODS),
    lot=number(GOODS),
    bid=number(high=MAX_COINS),
    bidder=seat_field(),
    bidding=flag(SEATS),
    coins=number(SEATS, high=MAX_COINS),
    goods=number(SEATS, GOODS),
    order=private(optional_enum_of(GOODS, SEATS)),
)

BOX: Schema[Box] = Schema(
    cargo=number(GOODS),
    start_coins=number(low=1, high=MAX_COINS),
    start_orders=number(low=2, high=9),
    sale_lots=number(low=1, high=20),
    sale_size=number(low=1, high=9),
    sale_good=number(high=9),
    sale_ordered=number(high=9),
    sale_set=number(high=9),
)

ACTIONS = Actions(("pass",), ("bid", range(1, MAX_COINS + 1)))
PASS = ACTIONS.first("pass")
BID = ACTIONS.first("bid") - 1  # + amount


@rule
def setup(p: Position, box: Box, dice: Dice) -> None:
    """L1, L2: the cargo is loaded, everyone has coins and a secret order."""
    draw_first(p, dice)
    for good in range(KINDS):
        p.cargo[good] = box.cargo[good]
    for seat in range(p.players):
        p.coins[seat] = box.start_coins
        p.order[seat] = -1  # none yet
    deal_orders(p, box, dice)
    open_lot(p, box, dice)


@rule
def deal_orders(p: Position, box: Box, dice: Dice) -> None:
    """L2: a random order card to each seat that has none."""
    for seat in range(p.players):
        if p.order[seat] < 0:
            nth = roll(dice, orders_left(p, box, KINDS))
            good = 0
            while nth >= orders_left(p, box, good + 1):
                good += 1
            p.order[seat] = good


@rule
def orders_left(p: Position, box: Box, kinds: int) -> int:
    """The order cards of the first few kinds that no seat holds."""
    left = kinds * int(box.start_orders)
    for seat in range(p.players):
        left -= int(0 <= p.order[seat] < kinds)
    return left


@rule
def open_lot(p: Position, box: Box, dice: Dice) -> None:
    """L3: goods from the hold, in the open; the first player begins."""
    for _ in range(box.sale_size):
        p.lot[draw_from(p.cargo, goods_in(p.cargo), dice)] += 1
    p.bid = 0
    p.bidder = -1
    for seat in range(p.players):
        p.bidding[seat] = 1
    p.turn = p.first


@rule
def goods_in(pile: Any) -> int:
    """All kinds together."""
    goods = 0
    for good in range(KINDS):
        goods += int(pile[good])
    return goods


@rule
def legal(p: Position, box: Box, mask: Mask) -> None:
    """L4: more than the last bid, and no more than one has; or pass."""
    allow(mask, PASS)
    allow_range(mask, BID + p.bid + 1, BID + p.coins[p.turn])


@rule
def play(p: Position, box: Box, action: int, dice: Dice) -> None:
    """L4: a bid, or out of the bidding for this lot."""
    if action == PASS:
        p.bidding[p.turn] = 0
    else:
        p.bid = action - BID
        p.bidder = p.turn
    for _ in range(p.players):
        p.turn = next_seat(p, p.turn)
        if p.bidding[p.turn] and p.turn != p.bidder:
            return
    sell(p, box, dice)


@rule
def sell(p: Position, box: Box, dice: Dice) -> None:
    """L5, L6: the highest bidder pays and takes the lot; without a bid it goes overboard."""
    for good in range(KINDS):
        if p.bidder >= 0:
            p.goods[p.bidder, good] += p.lot[good]
        p.lot[good] = 0
    if p.bidder >= 0:
        p.coins[p.bidder] -= p.bid
    p.sold += 1
    p.first = next_seat(p, p.first)
    if p.sold < box.sale_lots:
        open_lot(p, box, dice)
    else:
        p.turn = -1
        p.ending = 1


@rule
def tally(p: Position, box: Box, out: Scores, stride: int) -> None:
    """L7, L8: coins, goods, goods that are ordered, and full sets; a tie is shared."""
    for seat in range(p.players):
        full = 255
        out[seat, 0] += p.coins[seat]
        out[seat, stride] += goods_in(p.goods[seat]) * int(box.sale_good)
        for good in range(KINDS):
            full = min(full, int(p.goods[seat, good]))
            if good == p.order[seat]:
                out[seat, 2 * stride] += int(p.goods[seat, good]) * int(box.sale_ordered)
        out[seat, 3 * stride] += full * int(box.sale_set)


def score_visible(p: Position, viewer: int | None, seat: int, source: int) -> bool:
    """L2: what an order is worth, only its owner knows before the end."""
    return SOURCES[source] != "orders" or viewer == seat or p.turn < 0


@rule
def imagine(p: Position, box: Box, viewer: int, dice: Dice) -> None:
    """L2: the others may hold any of the orders that the viewer does not."""
    deal_orders(p, box, dice)


def check_box(box: Box) -> list[str]:
    """L1, L3: the cargo must do for all lots."""
    enough = goods_in(box.cargo) >= int(box.sale_lots) * int(box.sale_size)
    return [] if enough else ["cargo: there are fewer goods than the lots need"]


INVARIANTS = Invariants(
    players="players: expected 2 to 6",
    goods="goods: too many",
    order="order: too many",
    cargo="cargo: too little",
)
WRONG_PLAYERS = INVARIANTS["players"]
WRONG_GOODS = INVARIANTS["goods"]
WRONG_ORDER = INVARIANTS["order"]
WRONG_CARGO = INVARIANTS["cargo"]


@rule
def violated_invariant(p: Position, box: Box) -> tuple[int, int]:
    """L1, L2, L3: no more goods and orders than in the box, and enough for the lots to come."""
    if not PLAYERS[0] <= p.players <= PLAYERS[1]:
        return WRONG_PLAYERS, 0
    for good in range(KINDS):
        goods = int(p.cargo[good]) + int(p.lot[good])
        orders = 0
        for seat in range(p.players):
            goods += int(p.goods[seat, good])
            orders += int(p.order[seat] == good)
        if orders > box.start_orders:
            return WRONG_ORDER, 0
        if goods > box.cargo[good]:
            return WRONG_GOODS, 0
    to_come = int(box.sale_lots) - int(p.sold) - 1
    enough = goods_in(p.cargo) >= to_come * int(box.sale_size)
    return (VALID if enough else WRONG_CARGO), 0
