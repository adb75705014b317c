"""The rules of Souk: take an open card or a blind one, then offer a good, and say how many.

`seen` stands before `hand` on purpose: what a choice is about is not the first field that names its good.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from comptoir.engine.actions import Actions
from comptoir.engine.dice import draw_from, roll
from comptoir.engine.mask import allow
from comptoir.engine.rule import Dice, Mask, Scores, rule
from comptoir.engine.schema import (
    Schema,
    Seats,
    enum_of,
    number,
    optional_enum_of,
    private,
    seat_field,
    secret,
)
from comptoir.engine.seats import next_seat

if TYPE_CHECKING:
    from .records import Box, Position

VERSION = 1
PLAYERS = (2, 4)
GOODS = ("dates", "salt", "silk", "pepper", "saffron")
KINDS = len(GOODS)
SEATS = Seats(4)
PHASES = ("take", "offer", "how many")
ENDINGS = ("not over", "sold out")
MAX_DECISIONS = 1000  # each turn takes a card, and cards run out
MAX_POINTS = 60_000
MAX_SOLD = 9

POSITION: Schema[Position] = Schema(
    players=number(high=4),
    turn=seat_field(),
    phase=enum_of(PHASES),
    ending=enum_of(ENDINGS),
    offered=optional_enum_of(GOODS),
    deck=secret(number(GOODS)),
    deck_size=number(),
    market=number(GOODS),
    price=number(GOODS),
    seen=number(SEATS, GOODS),  # the part of a hand that everyone knows
    hand=private(number(SEATS, GOODS)),
    patron=private(optional_enum_of(GOODS, SEATS)),
    cards=number(SEATS),
    purse=number(SEATS, high=60_000),
)
BOX: Schema[Box] = Schema(
    deck=number(GOODS),
    start_coins=number(),
    start_cards=number(),
    start_market=number(),
    start_price=number(low=1),
)

ACTIONS = Actions(("take", GOODS), ("draw",), ("offer", GOODS), ("stop",), ("sell", range(1, MAX_SOLD + 1)))
TAKES = ACTIONS.first("take")  # + good
DRAW = ACTIONS.first("draw")
OFFERS = ACTIONS.first("offer")  # + good
STOP = ACTIONS.first("stop")
SELLS = ACTIONS.first("sell") - 1  # + how many


@rule
def setup(p: Position, box: Box, dice: Dice) -> None:
    """Everyone has a hand, a patron and coins; cards and prices lie open."""
    for good in range(KINDS):
        p.deck[good] = box.deck[good]
        p.deck_size += box.deck[good]
        p.price[good] = box.start_price
    for seat in range(p.players):
        p.purse[seat] = box.start_coins
        p.patron[seat] = roll(dice, KINDS)
        for _ in range(box.start_cards):
            draw(p, seat, dice)
    for _ in range(box.start_market):
        turn_up(p, dice)
    p.offered = -1
    p.turn = 0


@rule
def draw(p: Position, seat: int, dice: Dice) -> None:
    """A blind card into a hand."""
    p.hand[seat, draw_from(p.deck, int(p.deck_size), dice)] += 1
    p.deck_size -= 1
    p.cards[seat] += 1


@rule
def turn_up(p: Position, dice: Dice) -> None:
    """A card from the deck into the market, if there is one."""
    if p.deck_size:
        p.market[draw_from(p.deck, int(p.deck_size), dice)] += 1
        p.deck_size -= 1


@rule
def legal(p: Position, box: Box, mask: Mask) -> None:
    """Take for a coin, or draw; offer what the hand has, or stop; sell as many as it has."""
    if p.phase == 0:
        allow(mask, DRAW)
        for good in range(KINDS):
            if p.market[good] and p.purse[p.turn]:
                allow(mask, TAKES + good)
    elif p.phase == 1:
        allow(mask, STOP)
        for good in range(KINDS):
            if p.hand[p.turn, good]:
                allow(mask, OFFERS + good)
    else:
        for n in range(1, min(MAX_SOLD, int(p.hand[p.turn, p.offered])) + 1):
            allow(mask, SELLS + n)


@rule
def play(p: Position, box: Box, action: int, dice: Dice) -> None:
    """One small decision, and the end of a turn after the last one."""
    if action < DRAW:
        p.market[action] -= 1
        p.purse[p.turn] -= 1
        p.hand[p.turn, action] += 1
        p.seen[p.turn, action] += 1
        p.cards[p.turn] += 1
        turn_up(p, dice)
        p.phase = 1
    elif action == DRAW:
        draw(p, p.turn, dice)
        p.phase = 1
    elif action < STOP:
        p.offered = action - OFFERS
        p.seen[p.turn, p.offered] = max(1, int(p.seen[p.turn, p.offered]))
        p.phase = 2
    elif action == STOP:
        end_turn(p)
    else:
        sell(p, action - SELLS)
        end_turn(p)


@rule
def sell(p: Position, n: int) -> None:
    """Each card brings the price, which then falls by one."""
    for _ in range(n):
        p.purse[p.turn] += p.price[p.offered]
        p.price[p.offered] = max(1, int(p.price[p.offered]) - 1)
    p.hand[p.turn, p.offered] -= n
    p.cards[p.turn] -= n
    p.seen[p.turn, p.offered] = max(0, int(p.seen[p.turn, p.offered]) - n)
    p.offered = -1


@rule
def end_turn(p: Position) -> None:
    """The next player takes; without a deck the match is over."""
    p.phase = 0
    p.turn = next_seat(p, p.turn)
    if not p.deck_size:
        p.turn = -1
        p.ending = 1


@rule
def tally(p: Position, box: Box, out: Scores, stride: int) -> None:
    """Coins, and two for each card that the patron wants."""
    for seat in range(p.players):
        out[seat, 0] += p.purse[seat]
        if p.patron[seat] >= 0:
            out[seat, 0] += 2 * int(p.hand[seat, p.patron[seat]])


@rule
def imagine(p: Position, box: Box, viewer: int, dice: Dice) -> None:
    """Others hold what everyone has seen of their hands, and other cards that the viewer cannot place."""
    size = 0
    for good in range(KINDS):
        left = int(box.deck[good]) - int(p.market[good])
        for seat in range(p.players):
            left -= int(p.hand[seat, good] if seat == viewer else p.seen[seat, good])
        p.deck[good] = left
        size += left
    for seat in range(p.players):
        if seat != viewer:
            p.patron[seat] = roll(dice, KINDS)
            unknown = int(p.cards[seat])
            for good in range(KINDS):
                p.hand[seat, good] = p.seen[seat, good]
                unknown -= int(p.seen[seat, good])
            for _ in range(unknown):
                p.hand[seat, draw_from(p.deck, size, dice)] += 1
                size -= 1
    # what has been sold lies among the rest: any of it may be what is gone
    while size > p.deck_size:
        draw_from(p.deck, size, dice)
        size -= 1


def check_position(p: Any, box: Any) -> list[str]:
    """Every position is valid."""
    return []
