"""The rules of Batavia, each function naming the rules it carries out.

The texts are in rules.en.md and rules.fr.md.

A position holds what lies on the table and in hands, and nothing that is yet to be turned up: the pile is a
count of each company's cards, face-down shops are only known to be face down.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from comptoir.engine.actions import Actions
from comptoir.engine.dice import draw_from, roll
from comptoir.engine.invariants import VALID, Invariants
from comptoir.engine.mask import allow, allow_if, allow_range, select_bit
from comptoir.engine.option import ChoiceOption, FirstSeatOption, FlagOption, Option
from comptoir.engine.rule import Dice, Mask, Scores, rule, signed
from comptoir.engine.schema import (
    Schema,
    Seats,
    counter,
    enum_of,
    flag,
    number,
    optional_enum_of,
    private,
    seat_field,
)
from comptoir.engine.seats import draw_first, next_seat

if TYPE_CHECKING:
    from comptoir.games.batavia.records import Box, Position

VERSION = 1  # raised by any change that alters recorded matches
PLAYERS = (3, 5)  # B1
DEFAULT_PLAYERS = 4

COMPANIES = ("england", "denmark", "france", "netherlands", "sweden")
GOODS = ("tea", "cotton", "porcelain", "silk", "ginger", "nutmeg", "pepper")
SPACES = 35
ARRIVAL_SPACE = SPACES + 1
BLOCK = len(COMPANIES)  # shops are laid and turned up five at a time, one of every company
SEATS = Seats(5)
MAX_BILLS = 75
MAX_CARDS = 255  # that a position has room for

# Where a shop tile is: face down, on a space (by its number), taken with a crate put on its square of a
# trading post, or taken when no crate was left (B26).
FACE_DOWN, FIRST_CRATE, NO_CRATE = 0, SPACES + 1, SPACES + 6
PLACES = (
    "face down",
    *(f"space {n}" for n in range(1, SPACES + 1)),
    *(f"crate of seat {n}" for n in range(5)),
    "taken",
)
TILES = tuple(f"{company} {good}" for company in COMPANIES for good in GOODS)

SETUPS = ("shuffled", "open")
OPEN = 1
PHASES = ("auction", "move", "laying", "trading", "over")
AUCTION, MOVE, LAYING, TRADING, OVER = range(5)
ENDINGS = ("not over", "arrival", "stillness")
ARRIVAL, STILLNESS = 1, 2
DEALS = 20  # of the hidden cards, that are tried until one fits what a seat is doing
STILL_ROUNDS = 10
A_DRAW = 2  # cards (B20)
# At most 36 moves lay cards: each takes a shop or the arrival tile. Between two of them a card is turned up
# in every round until the pile is empty, after which only pirates (five times at most) and the sale of a lot
# can put off B35: under 250 rounds with the 110 cards of the printed box, 400 with as many as can be. A round has at most 75 bids, 5 passes and 5 moves of two decisions
# in addition to the cards laid.
MAX_DECISIONS = 37 * 400 * 90 + 36 * MAX_CARDS
MAX_POINTS = 255
SOURCES = ("traded", *GOODS, "bills", "seals", "arrival")  # B45: where gold comes from; a trading post each
TRADED, POSTS = 0, 1  # POSTS + good
BILLS, SEALS, ARRIVAL_TILE = range(POSTS + len(GOODS), len(SOURCES))
TIE_BREAKS: tuple[str, ...] = ()  # B46: a tie shares the victory

OPTIONS: tuple[Option, ...] = (
    ChoiceOption("setup", SETUPS),
    FirstSeatOption("first"),
    FlagOption("open_bills"),
)

POSITION: Schema[Position] = Schema(
    # options
    players=number(high=5),
    setup=enum_of(SETUPS),
    open_bills=flag(),
    # whose decision, and of what kind
    turn=seat_field(),
    phase=enum_of(PHASES),
    ending=enum_of(ENDINGS),
    round_number=counter(number(high=65535)),
    first=seat_field(),  # holds the boat: first player, and auctioneer of the round's auction
    moved=number(),  # seats that have had their move in this round
    still=counter(
        number(low=-1, high=STILL_ROUNDS)
    ),  # whole rounds running without a card turned up or moved; -1: one was, in this round
    # the auction
    lot=number(COMPANIES),
    bid=number(high=MAX_BILLS),
    bidder=seat_field(),
    bidding=flag(SEATS),
    bills=number(SEATS, high=MAX_BILLS),
    # ship cards
    pile=number(COMPANIES),
    pile_size=number(),
    discards=number(COMPANIES),
    hand=private(number(SEATS, COMPANIES)),
    hand_size=number(SEATS),
    seen=number(
        SEATS, COMPANIES
    ),  # the part of a hand that everyone knows: bought in auction, not laid since
    drawn=number(
        SEATS, COMPANIES
    ),  # what a seat has taken unseen from the present pile, since it was shuffled
    drawn_size=number(SEATS),
    laid=number(SEATS, COMPANIES),
    markers=number(COMPANIES),  # laid cards of each company; their sum is where the cannon stands
    seals=seat_field(COMPANIES),
    # the route
    merchants=number(SEATS, high=ARRIVAL_SPACE),  # 0: the start space
    tiles=enum_of(PLACES, COMPANIES, GOODS),
    face_up=number(high=SPACES),
    # what seats own
    held=number(SEATS, COMPANIES),  # shop tiles not traded in
    fresh=optional_enum_of(COMPANIES),  # the company of the tile just taken, while its owner may trade in
    crates=number(SEATS),
    gold=number(SEATS),
    arrival=seat_field(),
)

BOX: Schema[Box] = Schema(
    ship_cards=number(COMPANIES, low=4, high=MAX_CARDS),
    gold_sole=number(GOODS),
    gold_shared=number(GOODS),
    gold_set=number(BLOCK + 1, high=30),  # by the number of tiles traded in
    gold_bills_sole=number(),
    gold_bills_shared=number(),
    gold_arrival=number(),
    gold_seal=number(),
    pirates_at=number(6, high=MAX_CARDS),  # laid cards that call the pirates, by the number of players
    start_bills=number(high=MAX_BILLS // 5),
    start_crates=number(low=1, high=SPACES),
    start_hand=number(high=MAX_CARDS // 5),
    printed_order=enum_of(TILES, SPACES),
)

ACTIONS = Actions(
    ("pass",),
    ("draw",),
    ("lay", COMPANIES),
    ("advance", COMPANIES),
    ("arrive",),
    ("trade in",),
    ("keep",),
    ("bid", range(1, MAX_BILLS + 1)),
)
PASS = ACTIONS.first("pass")
DRAW = ACTIONS.first("draw")
LAY = ACTIONS.first("lay")  # + company
ADVANCE = ACTIONS.first("advance")  # + company
ARRIVE = ACTIONS.first("arrive")
TRADE_IN = ACTIONS.first("trade in")
KEEP = ACTIONS.first("keep")
BID = ACTIONS.first("bid") - 1  # + amount


# Setup


@rule
def setup(p: Position, box: Box, dice: Dice) -> None:
    """B7, B8, B9: everything in its place, whatever the number of players; the first auctioneer is named or
    drawn.
    """
    draw_first(p, dice)
    p.arrival = -1
    p.fresh = -1
    for company in range(len(COMPANIES)):
        p.seals[company] = -1
        p.pile[company] = box.ship_cards[company]
        p.pile_size += box.ship_cards[company]
    for seat in range(p.players):
        give_start_pieces(p, box, seat, dice)
    lay_out_shops(p, box, dice)
    p.round_number = 1
    open_auction(p, dice)


@rule
def give_start_pieces(p: Position, box: Box, seat: int, dice: Dice) -> None:
    """B5, B6: 10 hidden ship cards, 15 bills, 12 crates; no gold, and the merchant before the first space."""
    p.bills[seat] = box.start_bills
    p.crates[seat] = box.start_crates
    for _ in range(box.start_hand):
        draw_unseen(p, seat, dice)


@rule
def lay_out_shops(p: Position, box: Box, dice: Dice) -> None:
    """B3, B4: ten shops face up; in the open setup all 35, in the printed order."""
    if p.setup == OPEN:
        for space in range(SPACES):
            tile = box.printed_order[space]
            p.tiles[tile // len(GOODS), tile % len(GOODS)] = space + 1
        p.face_up = SPACES
    else:
        turn_up_shops(p, dice)
        turn_up_shops(p, dice)


@rule
def turn_up_shops(p: Position, dice: Dice) -> None:
    """B2: the next five spaces hold one shop of every company, in random order, each a random one of those
    left.
    """
    waiting = (1 << BLOCK) - 1  # companies, a bit each
    left_of_each = len(GOODS) - p.face_up // BLOCK
    for left in range(BLOCK, 0, -1):
        company = select_bit(np.uint64(waiting), roll(dice, left))
        waiting ^= 1 << company
        p.face_up += 1
        p.tiles[company, select_bit(face_down_goods(p, company), roll(dice, left_of_each))] = p.face_up


@rule
def face_down_goods(p: Position, company: int) -> np.uint64:
    """The company's tiles that are not yet turned up, a bit for each good."""
    goods = 0
    for good in range(len(GOODS)):
        goods |= int(p.tiles[company, good] == FACE_DOWN) << good
    return np.uint64(goods)


# Ship cards


@rule
def turn_up_card(p: Position, dice: Dice) -> int:
    """B18: the pile's top card; when the pile is empty the discards of this moment become the pile.

    -1: no card at all.
    """
    if p.pile_size == 0:
        shuffle_discards(p)
    if p.pile_size == 0:
        return -1
    company = draw_from(p.pile, p.pile_size, dice)
    p.pile_size -= 1
    p.still = -1
    return company


@rule
def shuffle_discards(p: Position) -> None:
    """B18: everyone saw the discards, so everyone knows what the new pile holds, and nobody has drawn from it
    yet.
    """
    for company in range(len(COMPANIES)):
        p.pile[company] = p.discards[company]
        p.pile_size += p.discards[company]
        p.discards[company] = 0
    for seat in range(p.players):
        p.drawn_size[seat] = 0
        for company in range(len(COMPANIES)):
            p.drawn[seat, company] = 0


@rule
def draw_unseen(p: Position, seat: int, dice: Dice) -> None:
    """B5, B17, B20: a card from the pile into a hand; the others see that it was taken, not what it is."""
    company = turn_up_card(p, dice)
    if company >= 0:
        p.hand[seat, company] += 1
        p.hand_size[seat] += 1
        p.drawn[seat, company] += 1
        p.drawn_size[seat] += 1


# Round, part A: the auction


@rule
def open_auction(p: Position, dice: Dice) -> None:
    """B10, B11, B19: as many cards as the die shows join what was left over, perhaps none; the auctioneer's
    left opens.
    """
    for _ in range(1 + roll(dice, 6)):
        company = turn_up_card(p, dice)
        if company >= 0:
            p.lot[company] += 1
    p.phase = AUCTION
    p.bid = 0
    p.bidder = -1
    for seat in range(p.players):
        p.bidding[seat] = 1
    p.turn = next_seat(p, p.first)


@rule
def bidders_left(p: Position) -> int:
    left = 0
    for seat in range(p.players):
        left += p.bidding[seat]
    return left


@rule
def make_bid(p: Position, amount: int) -> None:
    """B12, B13: a higher bid; it wins at once if all others are out."""
    p.bid = amount
    p.bidder = p.turn
    if bidders_left(p) == 1:
        win_auction(p)
    else:
        next_bidder(p)


@rule
def pass_bid(p: Position) -> None:
    """B13: who passes is out; the last one left has won, or may still open the bidding."""
    p.bidding[p.turn] = 0
    left = bidders_left(p)
    if left == 0:
        start_moves(p)  # B16: the lot stays, and the auctioneer is first player
    elif left == 1 and p.bidder >= 0:
        win_auction(p)
    else:
        next_bidder(p)


@rule
def next_bidder(p: Position) -> None:
    """B11: clockwise."""
    p.turn = next_seat(p, p.turn)
    while not p.bidding[p.turn]:
        p.turn = next_seat(p, p.turn)


@rule
def win_auction(p: Position) -> None:
    """B15, B17: the winner takes the lot, which all have seen, and the boat."""
    deal_bid(p)
    winner = p.bidder
    for company in range(len(COMPANIES)):
        cards = p.lot[company]
        if cards:
            p.hand[winner, company] += cards
            p.hand_size[winner] += cards
            p.seen[winner, company] += cards
            p.lot[company] = 0
            p.still = -1
    p.first = winner
    start_moves(p)


@rule
def deal_bid(p: Position) -> None:
    """B14: the bid goes round the opponents, one bill at a time, from the winner's left."""
    opponents = p.players - 1
    each = p.bid // opponents
    extra = p.bid - each * opponents
    seat = p.bidder
    for nth in range(opponents):
        seat = next_seat(p, seat)
        p.bills[seat] += each + (nth < extra)
    p.bills[p.bidder] -= p.bid


# Round, part B: one move each


@rule
def start_moves(p: Position) -> None:
    """B16, B20: one move each, clockwise from the first player."""
    p.moved = 0
    p.turn = p.first
    p.phase = MOVE


@rule
def draw_two(p: Position, box: Box, dice: Dice) -> None:
    """B20: two cards from the pile; that ends the move."""
    for _ in range(A_DRAW):
        draw_unseen(p, p.turn, dice)
    end_move(p, box, dice)


@rule
def most_of_others(p: Position, seat: int, company: int) -> int:
    """The most cards of a company that any other seat has laid."""
    most = 0
    for other in range(p.players):
        most = max(most, p.laid[other, company] * (other != seat))
    return most


@rule
def can_reach_majority(p: Position, seat: int, company: int) -> bool:
    """B22: has strictly most laid cards of the company, or would by laying those in hand."""
    if p.seals[company] == seat:
        return True
    private = p.laid[seat, company] + p.hand[seat, company]
    return bool(private > most_of_others(p, seat, company))


@rule
def has_majority_in_reach(p: Position, seat: int) -> bool:
    """B22: in any company."""
    for company in range(len(COMPANIES)):
        if can_reach_majority(p, seat, company):
            return True
    return False


@rule
def may_lay(p: Position, seat: int) -> bool:
    """B21, B22, B42: has a card, and a majority to reach; once the arrival tile is gone, one that leads to a
    shop.
    """
    return bool(p.hand_size[seat] > 0 and can_finish_laying(p, seat))


@rule
def can_finish_laying(p: Position, seat: int) -> bool:
    """B22, B42: the seat's cards lead to a majority, in whatever order they are laid."""
    for company in range(len(COMPANIES)):
        if can_reach_majority(p, seat, company) and may_end_at(p, seat, company):
            return True
    return False


@rule
def may_end_at(p: Position, seat: int, company: int) -> bool:
    """B42: once the arrival tile is gone, only the seal of a company with a shop ahead is of use."""
    return bool(not is_last_round(p) or next_shop(p, seat, company) > 0)


@rule
def lay(p: Position, company: int) -> None:
    """B21: a card from hand, open in front of its owner, to stay there."""
    put_down(p, p.turn, company, 1)
    p.still = -1
    p.phase = LAYING


@rule
def put_down(p: Position, seat: int, company: int, cards: int) -> None:
    """B24: from hand to table. Cards bought in auction go first: they look like the others."""
    p.hand[seat, company] -= cards
    p.hand_size[seat] -= cards
    p.seen[seat, company] -= min(cards, p.seen[seat, company])
    p.laid[seat, company] += cards
    p.markers[company] += cards
    give_seal(p, seat, company)


@rule
def give_seal(p: Position, seat: int, company: int) -> None:
    """B23: after a seat has laid cards of a company."""
    p.seals[company] = seal_after(p, seat, company, 0)


@rule
def seal_after(p: Position, seat: int, company: int, cards: int) -> int:
    """B23: who will hold the seal when a seat lays that many more cards of a company; -1: nobody.

    Who then has strictly most takes the seal; a tie with the holder sends it back to the board.
    """
    private = p.laid[seat, company] + cards
    most = most_of_others(p, seat, company)
    if private > most:
        return seat
    return -1 if private == most else int(p.seals[company])


@rule
def next_shop(p: Position, seat: int, company: int) -> int:
    """B25: the next space ahead of the merchant with a shop of the company; all else is jumped. 0: none."""
    nearest = SPACES + 1
    for good in range(len(GOODS)):
        space = p.tiles[company, good]
        if p.merchants[seat] < space < nearest:
            nearest = space
    return nearest if nearest <= SPACES else 0


@rule
def good_on(p: Position, company: int, space: int) -> int:
    """The good of the company's shop on a space."""
    found = 0
    for good in range(len(GOODS)):
        found += good * (p.tiles[company, good] == space)
    return found


@rule
def advance(p: Position, box: Box, company: int, dice: Dice) -> None:
    """B25, B26, B27, B28: to the next shop of a company whose seal one holds; the tile is taken and its good
    crated.
    """
    seat = p.turn
    space = next_shop(p, seat, company)
    p.merchants[seat] = space
    place_crate(p, company, good_on(p, company, space))
    p.held[seat, company] += 1
    if space > p.face_up - BLOCK and p.face_up < SPACES:  # B27: on one of the last five that are face up
        turn_up_shops(p, dice)
    if p.held[seat, company] == 1:  # B28: allowed only if it is the one tile of its company
        p.fresh = company
        p.phase = TRADING
    else:
        end_move(p, box, dice)


@rule
def place_crate(p: Position, company: int, good: int) -> None:
    """B26: on the company's square of the good's trading post, while crates last."""
    if p.crates[p.turn] > 0:
        p.crates[p.turn] -= 1
        p.tiles[company, good] = FIRST_CRATE + p.turn
    else:
        p.tiles[company, good] = NO_CRATE


@rule
def set_size(p: Position, seat: int) -> int:
    """B28: how many tiles are handed in when a seat trades in: one of every company of which it holds any."""
    tiles = 0
    for company in range(len(COMPANIES)):
        tiles += p.held[seat, company] > 0
    return tiles


@rule
def trade_in(p: Position, box: Box) -> None:
    """B28: one tile of every company held, for gold; they leave the game."""
    seat = p.turn
    p.gold[seat] += box.gold_set[set_size(p, seat)]
    for company in range(len(COMPANIES)):
        if p.held[seat, company] > 0:
            p.held[seat, company] -= 1


@rule
def arrive(p: Position, box: Box, dice: Dice) -> None:
    """B40, B41: no shop ahead under one's seals: to the arrival tile, and no trading in."""
    p.merchants[p.turn] = ARRIVAL_SPACE
    p.arrival = p.turn
    end_move(p, box, dice)


@rule
def end_move(p: Position, box: Box, dice: Dice) -> None:
    """B30, B32, B33: pirates may strike, once; then the next player moves, or the next round starts."""
    if pirates_come(p, box):
        strike(p)
    p.fresh = -1
    p.moved += 1
    if p.moved < p.players:
        p.turn = next_seat(p, p.turn)
        p.phase = MOVE
    else:
        end_round(p, dice)


# Pirates


@rule
def cannon(p: Position) -> int:
    """B24: the cannon stands at the number of all laid cards."""
    markers = p.markers
    laid = 0
    for company in range(len(COMPANIES)):
        laid += markers[company]
    return laid


@rule
def pirates_come(p: Position, box: Box) -> bool:
    """B30: when a move ends with that many cards laid."""
    return bool(cannon(p) >= box.pirates_at[p.players])


@rule
def aimed_at(p: Position) -> int:
    """B30, B43: the companies with most laid cards, a bit each: pirates would sink them.

    None when the game is over.
    """
    markers = p.markers
    most = 1
    largest = 0
    for company in range(len(COMPANIES)):
        if markers[company] > most:
            most = markers[company]
            largest = 0
        largest |= int(markers[company] == most) << company
    return largest if p.phase != OVER else 0


@rule
def strike(p: Position) -> None:
    """B30: the company with most laid cards is sunk, with every company that ties with it."""
    companies = aimed_at(p)
    for company in range(len(COMPANIES)):
        if companies >> company & 1:
            sink(p, company)


@rule
def sink(p: Position, company: int) -> None:
    """B31: its laid cards become discards, its marker goes to 0 and its seal back to the board."""
    for seat in range(p.players):
        p.laid[seat, company] = 0
    p.discards[company] += p.markers[company]
    p.markers[company] = 0
    p.seals[company] = -1


# End and scoring


@rule
def is_last_round(p: Position) -> bool:
    """B42: the round in which the arrival tile is taken."""
    return bool(p.arrival >= 0)


@rule
def end_round(p: Position, dice: Dice) -> None:
    """B32, B35, B42, B47: the first player auctions again, unless the arrival tile was taken or nothing stirs
    any more.
    """
    p.still += 1
    if is_last_round(p):
        finish(p, ARRIVAL)
    elif p.still == STILL_ROUNDS:
        finish(p, STILLNESS)
    else:
        p.round_number += 1
        open_auction(p, dice)


@rule
def finish(p: Position, ending: int) -> None:
    """B43: everyone lays all cards in hand, and seals are given again; no pirates come."""
    for seat in range(p.players):
        for company in range(len(COMPANIES)):
            put_down(p, seat, company, p.hand[seat, company])
    p.ending = ending
    p.phase = OVER
    p.turn = -1


@rule
def stall_progress(p: Position) -> float:
    """B35: the rounds in which nothing stirs, out of ten."""
    if p.turn < 0:
        return 1.0 if p.ending == STILLNESS else 0.0
    return max(int(p.still), 0) / STILL_ROUNDS


@rule
def tally(p: Position, box: Box, out: Scores, stride: int) -> None:
    """B45, B46: gold, and nothing breaks a tie."""
    for seat in range(p.players):
        out[seat, TRADED * stride] += p.gold[seat]
    for good in range(len(GOODS)):
        pay_trading_post(p, box, good, out, (POSTS + good) * stride)
    pay_most_bills(p, box, out, BILLS * stride)
    for company in range(len(COMPANIES)):
        if p.seals[company] >= 0:
            out[p.seals[company], SEALS * stride] += box.gold_seal
    if p.arrival >= 0:
        out[p.arrival, ARRIVAL_TILE * stride] += box.gold_arrival


def score_visible(p: Position, viewer: int | None, seat: int, source: int) -> bool:
    """B17: who has most bills is told where a spectator is told all bills: no seat knows more than its own."""
    return source != BILLS or shows_bills(p, None, seat)


def shows_bills(p: Position, viewer: int | None, seat: int) -> bool:
    """B17: how many bills a seat has is told to itself; to all others when bills lie open, or the game is
    over.
    """
    return bool(seat == viewer or p.open_bills or p.phase == OVER)


@rule
def crates_at(p: Position, seat: int, good: int) -> int:
    crates = 0
    for company in range(len(COMPANIES)):
        crates += p.tiles[company, good] == FIRST_CRATE + seat
    return crates


@rule
def leaders_at(p: Position, good: int) -> int:
    """B44: who has most crates at a trading post, one bit per seat; nobody at an empty one."""
    tiles = p.tiles
    crates = 0  # of every seat, 8 bits each
    for company in range(len(COMPANIES)):
        seat = signed(tiles[company, good])
        if FIRST_CRATE <= seat < NO_CRATE:
            crates += 1 << 8 * (seat - FIRST_CRATE)
    most = 1
    leaders = 0
    for seat in range(signed(p.players)):
        private = crates >> 8 * seat & 255
        if private > most:
            most = private
            leaders = 0
        leaders |= int(private == most) << seat
    return leaders


@rule
def pay_trading_post(p: Position, box: Box, good: int, out: Scores, column: int) -> None:
    """B44: the full value for most crates, the shared value to each of several; nothing for an empty post."""
    leaders = leaders_at(p, good)
    alone = leaders & (leaders - 1) == 0
    gold = box.gold_sole[good] if alone else box.gold_shared[good]
    for seat in range(p.players):
        if leaders >> seat & 1:
            out[seat, column] += gold


@rule
def pay_most_bills(p: Position, box: Box, out: Scores, column: int) -> None:
    """B45: most bills of exchange."""
    most = 0
    seats = 0
    for seat in range(p.players):
        if p.bills[seat] > most:
            most = p.bills[seat]
            seats = 0
        seats += p.bills[seat] == most
    gold = box.gold_bills_sole if seats == 1 else box.gold_bills_shared
    for seat in range(p.players):
        if p.bills[seat] == most:
            out[seat, column] += gold


# Decisions


@rule
def legal(p: Position, box: Box, mask: Mask) -> None:
    """B17: who can only pass is still asked."""
    if p.phase == LAYING:
        allow_lays(p, mask)
        allow_ways_on(p, mask)
    elif p.phase == AUCTION:
        allow_bids(p, mask)
    elif p.phase == MOVE:
        allow_move(p, mask)
    elif p.phase == TRADING:
        allow(mask, TRADE_IN)
        allow(mask, KEEP)


@rule
def allow_bids(p: Position, mask: Mask) -> None:
    """B12, B13: higher than the last one, with one's own bills; or none."""
    allow(mask, PASS)
    allow_range(mask, BID + p.bid + 1, BID + p.bills[p.turn])


@rule
def allow_move(p: Position, mask: Mask) -> None:
    """B20, B22: a draw; cards to lay, if they can lead to a majority."""
    allow(mask, DRAW)
    if may_lay(p, p.turn):
        allow_lays(p, mask)


@rule
def allow_lays(p: Position, mask: Mask) -> None:
    """B21, B22: any card in hand; a majority that can be reached stays in reach whatever is laid first."""
    seat = p.turn
    for company in range(len(COMPANIES)):
        allow_if(mask, LAY + company, p.hand[seat, company] > 0)


@rule
def allow_ways_on(p: Position, mask: Mask) -> None:
    """B22, B25, B40, B42: on to a shop under any seal held; with seals but no such shop, to the arrival
    tile.
    """
    seat = p.turn
    seals = 0
    shops = 0
    for company in range(len(COMPANIES)):
        if p.seals[company] == seat:
            seals += 1
            if next_shop(p, seat, company) > 0:
                allow(mask, ADVANCE + company)
                shops += 1
    allow_if(mask, ARRIVE, seals > 0 and shops == 0 and p.arrival < 0)


@rule
def play(p: Position, box: Box, action: int, dice: Dice) -> None:
    """B10 to B47, one decision at a time."""
    if action == PASS:
        pass_bid(p)
    elif action == DRAW:
        draw_two(p, box, dice)
    elif action < ADVANCE:
        lay(p, action - LAY)
    elif action < ARRIVE:
        advance(p, box, action - ADVANCE, dice)
    elif action == ARRIVE:
        arrive(p, box, dice)
    elif action <= KEEP:
        if action == TRADE_IN:
            trade_in(p, box)
        end_move(p, box, dice)
    else:
        make_bid(p, action - BID)


# For those who tell and draw: turns, what has happened between two positions, and where things lie


def ends_turn(before: Position, after: Position) -> bool:
    """B10, B20: the auction of a round is one turn, and so is each move."""
    if before.phase == AUCTION:
        return bool(after.phase != AUCTION)
    return after.phase not in (LAYING, TRADING)


def sunk_between(before: Position, box: Box, after: Position) -> list[int]:
    """B30: the companies that pirates have sunk when a move ended."""
    if before.phase == AUCTION or not ends_turn(before, after) or not pirates_come(before, box):
        return []
    companies = aimed_at(before)
    return [company for company in range(len(COMPANIES)) if companies >> company & 1]


def is_new_pile(before: Position, box: Box, after: Position) -> bool:
    """B18: whether the discards have become the pile in the meantime: more cards have left it than it held."""
    sunk = sum(int(before.markers[company]) for company in sunk_between(before, box, after))
    return stock(before) + sunk - stock(after) > int(before.pile_size)


def stock(p: Position) -> int:
    """The cards in the pile and the discards."""
    return int(p.pile_size) + int(p.discards.sum())


def cards_to_draw(p: Position) -> int:
    """B18, B20: how many cards a draw would bring: fewer than two only where no more are left."""
    return min(A_DRAW, stock(p))


def has_moved(p: Position, seat: int) -> bool:
    """B20, B32: whether a seat has had its move in this round."""
    return bool(p.phase != AUCTION and (seat - int(p.first)) % int(p.players) < p.moved)


def shops_on_route(p: Position) -> dict[int, tuple[int, int]]:
    """B3: the shops that lie face up, by their space: company and good."""
    shops = {}
    for company, goods in enumerate(p.tiles.tolist()):
        for good, place in enumerate(goods):
            if FACE_DOWN < place <= SPACES:
                shops[place] = company, good
    return shops


def crates_in_posts(p: Position) -> dict[tuple[int, int], int]:
    """B26: whose crates stand in the trading posts, by company and good."""
    crates = {}
    for company, goods in enumerate(p.tiles.tolist()):
        for good, place in enumerate(goods):
            if FIRST_CRATE <= place < NO_CRATE:
                crates[company, good] = place - FIRST_CRATE
    return crates


def rearmost(p: Position) -> int:
    """B26: shops up to this space everybody has passed: they stay where they are and do nothing."""
    return int(p.merchants[: p.players].min())


# Hidden information


@rule
def hide(p: Position, box: Box, viewer: int) -> None:
    """B17: of other hands only what everyone saw go in is left.

    What others drew unseen may as well be in the pile.
    """
    for seat in range(p.players):
        if seat != viewer:
            for company in range(len(COMPANIES)):
                p.hand[seat, company] = p.seen[seat, company]
                p.pile[company] += p.drawn[seat, company]
                p.drawn[seat, company] = 0


@rule
def imagine(p: Position, box: Box, viewer: int, dice: Dice) -> None:
    """B17, B18, B22: deals the pile and the other hands, such as `viewer` may believe them to be.

    A seat that is laying cards has a majority in reach: other deals are not believed.
    """
    deal_hidden(p, box, viewer, dice)
    if p.phase == LAYING and p.turn != viewer:
        deals = 1
        while not can_finish_laying(p, p.turn) and deals <= DEALS:
            hide(p, box, viewer)
            if deals == DEALS:
                give_majority(p, box, dice)
            deal_hidden(p, box, viewer, dice)
            deals += 1


@rule
def give_majority(p: Position, box: Box, dice: Dice) -> None:
    """B22: the seat that is laying gets the cards that it lacks for a majority, in any company for which there
    are enough; the rest is still to be dealt.
    """
    seat = p.turn
    start = roll(dice, len(COMPANIES))
    for nth in range(len(COMPANIES)):
        company = (start + nth) % len(COMPANIES)
        private = signed(p.laid[seat, company]) + signed(p.hand[seat, company])
        cards = signed(most_of_others(p, seat, company)) + 1 - private
        if cards <= hidden_size(p, seat) and may_end_at(p, seat, company):
            unknown = unknown_cards(p, box)
            if unknown >> 8 * company & 255 >= cards:
                left = fewer_of_each(pack(p.pile), unknown - (cards << 8 * company))
                if pack_size(left) >= p.pile_size:
                    p.hand[seat, company] += cards
                    return


@rule
def deal_hidden(p: Position, box: Box, viewer: int, dice: Dice) -> None:
    """B17, B18: deals the pile and the other hands.

    What lies in the pile was in it when it was shuffled (all know what that was), and has not been turned up
    or drawn by the viewer since. Cards drawn since come from there too. The rest of the hands is older. Which
    of a hand's cards is older is not known once it has laid some, nor after a second shuffle; there the deal
    is a little wider than perfect memory would make it.
    """
    past = pack(p.pile)  # what was in the present pile when it was shuffled, and may be there still
    unknown = unknown_cards(p, box)
    both = fewer_of_each(past, unknown)
    pile = some_cards(both, signed(p.pile_size), dice)
    unpack(pile, p.pile)
    both, past, unknown = both - pile, past - pile, unknown - pile
    for seat in range(signed(p.players)):
        if seat != viewer:  # what a hand has drawn from the present pile, as far as it can still hold it
            fresh = some_cards(
                both, min(hidden_size(p, seat), signed(p.drawn_size[seat]), pack_size(both)), dice
            )
            unpack(fresh, p.drawn[seat])
            unpack(fresh + pack(p.hand[seat]), p.hand[seat])
            both, past, unknown = both - fresh, past - fresh, unknown - fresh
    for seat in range(signed(p.players)):
        if seat != viewer:
            fresh = pack(p.drawn[seat])
            # drawn too, and laid since
            gone = some_cards(past, signed(p.drawn_size[seat]) - pack_size(fresh), dice)
            older = some_cards(unknown, hidden_size(p, seat), dice)
            unpack(fresh + gone, p.drawn[seat])
            unpack(older + pack(p.hand[seat]), p.hand[seat])
            past, unknown = past - gone, unknown - older


# A pack: cards of each company counted in one number, 8 bits a company, so that packs can be added and taken
# away.


@rule
def pack(cards: NDArray[np.uint8]) -> int:
    packed = 0
    for company in range(len(COMPANIES)):
        packed += signed(cards[company]) << 8 * company
    return packed


@rule
def unpack(packed: int, cards: NDArray[np.uint8]) -> None:
    for company in range(len(COMPANIES)):
        cards[company] = packed >> 8 * company & 255


@rule
def pack_size(packed: int) -> int:
    size = 0
    for company in range(len(COMPANIES)):
        size += packed >> 8 * company & 255
    return size


@rule
def fewer_of_each(one: int, other: int) -> int:
    """Of each company, as many cards as both packs have."""
    fewer = 0
    for company in range(len(COMPANIES)):
        bits = 255 << 8 * company
        fewer += min(one & bits, other & bits)
    return fewer


@rule
def some_cards(packed: int, number: int, dice: Dice) -> int:
    """So many cards at random out of a pack: drawn one by one, or those that stay behind are, whichever is
    quicker.
    """
    left = pack_size(packed)
    few = min(number, left - number)
    rest = packed
    for _ in range(few):
        nth = roll(dice, left)
        company = 0
        while nth >= (rest >> company & 255):
            nth -= rest >> company & 255
            company += 8
        rest -= 1 << company
        left -= 1
    return packed - rest if few == number else rest


@rule
def unknown_cards(p: Position, box: Box) -> int:
    """The cards that are in no place known to the viewer."""
    unknown = pack(box.ship_cards) - pack(p.markers) - pack(p.lot) - pack(p.discards)
    for seat in range(signed(p.players)):
        unknown -= pack(p.hand[seat])
    return unknown


@rule
def hidden_size(p: Position, seat: int) -> int:
    """How many cards of a hand are still to be imagined."""
    return signed(p.hand_size[seat]) - pack_size(pack(p.hand[seat]))


# Checks on data that comes in


def check_box(box: Box) -> list[str]:
    """B4, B5: what the fields' own limits do not say about a box."""
    return [*_order_errors(box), *_card_errors(box)]


def _card_errors(box: Box) -> list[str]:
    """B5: there are cards for all hands, and room for all cards."""
    needed, cards = SEATS.most * int(box.start_hand), sum(int(n) for n in box.ship_cards)
    if cards > MAX_CARDS:
        return [f"ship_cards: expected at most {MAX_CARDS} in all, found {cards}"]
    if cards < needed:
        return [
            f"ship_cards: {cards} are not enough for {SEATS.most} hands of {box.start_hand}:"
            f" at least {needed}, or a smaller start.hand"
        ]
    return []


def _order_errors(box: Box) -> list[str]:
    """B4: each tile comes once."""
    order = [TILES[tile] for tile in box.printed_order]
    doubles = sorted({tile for tile in order if order.count(tile) > 1})
    return [
        f"printed.order: {tile} is there more than once; each of the {SPACES} tiles comes once"
        for tile in doubles
    ]


# What holds in every position that play can reach; `violated_invariant` names what does not, and where.
INVARIANTS = Invariants(
    {"company": COMPANIES},
    players="players: expected 3 to 5",
    cards="ship cards: not as many as the box holds: {company}",
    markers="markers: not the number of laid cards: {company}",
    seals="seals: the seal lies with who has strictly most laid cards, else on the board: {company}",
    hand="hand_size: not the number of cards in hand: seat {seat}",
    drawn="drawn_size: not the number of cards drawn: seat {seat}",
    seen="seen: more than the hand holds: seat {seat}",
    crates="crates: not as many as a seat starts with, with those placed: seat {seat}",
    pile="pile_size: not the number of cards in the pile",
    bills="bills: not as many as all started with",
    tiles="tiles: two shops on one space, or one beyond the spaces that are face up",
    turn="turn: somebody decides until the phase is over, and nobody then",
    round="round_number: the first round is 1",
)
WRONG_PLAYERS = INVARIANTS["players"]
WRONG_CARDS = INVARIANTS["cards"]
WRONG_MARKERS = INVARIANTS["markers"]
WRONG_SEALS = INVARIANTS["seals"]
WRONG_HAND = INVARIANTS["hand"]
WRONG_DRAWN = INVARIANTS["drawn"]
WRONG_SEEN = INVARIANTS["seen"]
WRONG_CRATES = INVARIANTS["crates"]
WRONG_PILE = INVARIANTS["pile"]
WRONG_BILLS = INVARIANTS["bills"]
WRONG_TILES = INVARIANTS["tiles"]
WRONG_TURN = INVARIANTS["turn"]
WRONG_ROUND = INVARIANTS["round"]


@rule
def violated_invariant(p: Position, box: Box) -> tuple[int, int]:
    """B1, B9: the first invariant that a position violates, and the company or seat; VALID if none."""
    if not PLAYERS[0] <= p.players <= PLAYERS[1]:
        return WRONG_PLAYERS, 0
    for company in range(len(COMPANIES)):
        violated = violated_by_company(p, box, company)
        if violated:
            return violated, company
    bills = 0
    for seat in range(p.players):
        bills += p.bills[seat]
        violated = violated_by_seat(p, box, seat)
        if violated:
            return violated, seat
    pile = 0
    for company in range(len(COMPANIES)):
        pile += p.pile[company]
    if pile != p.pile_size:
        return WRONG_PILE, 0
    if bills != p.players * box.start_bills:
        return WRONG_BILLS, 0
    if not shops_fit(p):
        return WRONG_TILES, 0
    if (p.turn < 0) != (p.phase == OVER):
        return WRONG_TURN, 0
    return (VALID if p.round_number > 0 else WRONG_ROUND), 0


@rule
def violated_by_company(p: Position, box: Box, company: int) -> int:
    """B5, B23, B24: a company's cards are all somewhere, its marker counts the laid ones, its seal lies where
    it should.
    """
    laid = 0
    hands = 0
    leader = -1
    for seat in range(p.players):
        laid += p.laid[seat, company]
        hands += p.hand[seat, company]
        if p.laid[seat, company] > most_of_others(p, seat, company):
            leader = seat
    if laid + hands + p.pile[company] + p.lot[company] + p.discards[company] != box.ship_cards[company]:
        return WRONG_CARDS
    if laid != p.markers[company]:
        return WRONG_MARKERS
    return WRONG_SEALS if leader != p.seals[company] else VALID


@rule
def violated_by_seat(p: Position, box: Box, seat: int) -> int:
    """B6, B17, B26: a seat's counts agree with what they count."""
    hand = 0
    drawn = 0
    for company in range(len(COMPANIES)):
        hand += p.hand[seat, company]
        drawn += p.drawn[seat, company]
        if p.seen[seat, company] > p.hand[seat, company]:
            return WRONG_SEEN
    crates = 0
    for good in range(len(GOODS)):
        crates += crates_at(p, seat, good)
    if hand != p.hand_size[seat]:
        return WRONG_HAND
    if drawn != p.drawn_size[seat]:
        return WRONG_DRAWN
    return WRONG_CRATES if crates + p.crates[seat] != box.start_crates else VALID


@rule
def shops_fit(p: Position) -> bool:
    """B2, B27: shops lie on different spaces, all of them face up."""
    spaces = 0
    for company in range(len(COMPANIES)):
        for good in range(len(GOODS)):
            space = int(p.tiles[company, good])
            if FACE_DOWN < space <= SPACES:
                if space > p.face_up or spaces >> space & 1:
                    return False
                spaces |= 1 << space
    return True
