"""The rules of Century: Eastern Wonders, each function naming the rules it carries out.

The texts are in rules.en.md and rules.fr.md.

A position holds what lies on the table, and nothing that is yet to be turned up: of the pile of victory point
tiles it knows which are left, and from the ports whether the closed-port tile has come up. The map is in the
box: spaces are numbered there, 20 markets and then 4 ports, and which lie side by side is worked out once,
when a box is read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from comptoir.engine.actions import Actions
from comptoir.engine.dice import roll
from comptoir.engine.invariants import VALID, Invariants
from comptoir.engine.mask import allow, allow_if, allow_range, allow_set, new_mask, popcount, select_bit
from comptoir.engine.option import FirstSeatOption, FlagOption, Option
from comptoir.engine.rule import Dice, Mask, Scores, rule
from comptoir.engine.schema import (
    Schema,
    Seats,
    counter,
    derived,
    enum_of,
    flag,
    number,
    number_set,
    optional_enum_of,
    seat_field,
    set_of,
)
from comptoir.engine.seats import draw_first, next_seat
from comptoir.engine.stalling import stall_progress_by_round

if TYPE_CHECKING:
    from comptoir.games.century.records import Box, Position

VERSION = 1  # raised by any change that alters recorded matches
PLAYERS = (2, 4)  # C1
DEFAULT_PLAYERS = 4
PERFECT_INFORMATION = True  # C33: claimed tiles lie face down, but all have seen them

CUBES = ("yellow", "red", "green", "brown")  # from low to high (C22)
YELLOW, BROWN = 0, 3
ICONS = ("ginger", "chili", "tea", "cloves")
OF_AN_ICON = 6
MARKETS = tuple(f"{icon} {n}" for icon in ICONS for n in range(1, OF_AN_ICON + 1))
MARKET_SPACES = tuple("abcdefghijklmnopqrst")
PORTS = tuple("wxyz")
SPACES = MARKET_SPACES + PORTS
FIRST_PORT = len(MARKET_SPACES)
FAR = 255  # steps to a space that is not connected
IN_PLAY = OF_AN_ICON - 1  # markets of an icon on the map, and columns of a player's board
SIDES = ("pays", "gets")
PAYS, GETS = range(2)
LOTS = ("one", "two", "three", "four")
KINDS = ("points", "move", "upgrade", "harvest", "hold")  # of bonus tiles
POINTS, EXTRA_MOVE, UPGRADES, RED_HARVEST, HOLD = range(5)
SEATS = Seats(4)
Counts: TypeAlias = NDArray[np.uint16]  # of cubes, from low to high

# Where a victory point tile is. The closed-port tile, not one of the 26, can only be seen on a port.
TILES = tuple(f"tile {n}" for n in range(1, 27))
PLACES = ("pile", "port", *(f"seat {n}" for n in range(4)))
PILE, ON_PORT, FIRST_OWNER = range(3)
CLOSED = len(TILES)
NO_TILE = -1
NO_PORT = -1
CLOSED_AMONG = 6  # the closed-port tile is one of the first six that are drawn (C4)

PHASES = (
    "lot",
    "placing",
    "move",
    "adrift",
    "paying",
    "landed",
    "building",
    "bonus",
    "market",
    "stowing",
    "over",
)
LOT_PHASE, PLACING, MOVE, ADRIFT, PAYING, LANDED, BUILDING, BONUS_PHASE, MARKET, STOWING, OVER = range(11)
ENDINGS = ("not over", "fourth tile", "round 200")
FOURTH_TILE, ROUND_200 = 1, 2
LAST_TILE = 4
LAST_ROUND = 200
LONG = 50  # rounds that no real game takes
MAX_HOLD = 10 + 4 * 3  # cubes, with every hold tile
MAX_CUBES = 2**16 - 1
# 800 turns at most (C34). A turn starts with at most 22 cubes in the hold: 5 free steps, 22 drops and steps,
# 3 payments, 8 decisions to build, 5 for the bonus and upgrades, 23 trades, and for each of those up to 24
# cubes to put back; 3 more for whoever was paid. What is taken from tiles was dropped before: a decision each, a
# trade, and 24 cubes to put back.
MAX_TURNS = LAST_ROUND * 4
MAX_DECISIONS = 8 + MAX_TURNS * (5 + 2 * MAX_HOLD + 3 + 8 + 5 + 23 * 25 + 3) + MAX_TURNS * MAX_HOLD * 26
# tiles, bonus tiles, cells and cubes, by the limits of the box
MAX_POINTS = 4 * 40 + 5 * 10 + 4 * IN_PLAY * 5 + MAX_HOLD
# C31; a board is counted row by row
SOURCES = ("tiles", *(f"{icon} outposts" for icon in ICONS), "bonus", "cubes")
TILE_POINTS, FIRST_ROW, BONUS_POINTS, CUBE_POINTS = 0, 1, 1 + len(ICONS), 2 + len(ICONS)
TIE_BREAKS = ("last",)  # C32: who played last

OPTIONS: tuple[Option, ...] = (FirstSeatOption("first"), FlagOption("open_tiles"))

POSITION: Schema[Position] = Schema(
    # options
    players=number(high=4),
    open_tiles=flag(),
    first=seat_field(),
    # whose decision, and of what kind
    turn=seat_field(),
    phase=enum_of(PHASES),
    ending=enum_of(ENDINGS),
    round_number=counter(number(high=LAST_ROUND)),
    mover=seat_field(),  # whose turn it is; another may have to decide at its end (C20)
    # the turn
    moved=flag(),
    free=number(high=5),  # steps left that cost nothing
    owed=number(high=8),  # cubes still to be paid: to owners of boats, or for an outpost
    upgrades=number(high=4),  # still to be had for the outpost just built
    # the map
    boats=optional_enum_of(SPACES, SEATS),
    markets=enum_of(MARKETS, MARKET_SPACES),
    outposts=number_set(MARKET_SPACES, high=SEATS.most - 1),  # the seats that have one there
    ports=optional_enum_of((*TILES, "closed"), PORTS),
    lying=number(SPACES, CUBES, high=MAX_CUBES),
    # what seats own
    hold=number(SEATS, CUBES, high=MAX_CUBES),
    hold_size=number(SEATS, high=MAX_CUBES),
    built=number(SEATS, ICONS, high=IN_PLAY),  # outposts gone from each row of the board
    bonus=number(SEATS, KINDS, high=4),
    bonus_points=number(SEATS),  # of tiles from the pile
    claimed=number(SEATS),
    # what lies next to the map
    tiles=enum_of(PLACES, TILES),
    bonus_left=number(KINDS, high=4),
    lots=flag(LOTS),
)

BOX: Schema[Box] = Schema(
    map_markets=number(len(MARKET_SPACES), 2, low=-60, high=60),
    map_ports=number(len(PORTS), 2, low=-60, high=60),
    map_tiles=enum_of(("any", *MARKETS), len(MARKET_SPACES)),
    trades=number(MARKETS, SIDES, len(CUBES), high=6),  # the limits keep every count of cubes below MAX_CUBES
    vp_points=number(len(TILES), high=40),
    vp_cost=number(len(TILES), len(CUBES), high=10),
    bonus_pile=number(4, high=10),
    bonus_tiles=number(KINDS[1:], high=4),
    bonus_worth=number(KINDS[1:], high=5),
    board_points=number(IN_PLAY, high=5),
    outpost_cost=number(5, high=2),
    hold_room=number(low=5, high=10),
    hold_more=number(high=3),
    harvest_cubes=number(len(CUBES), high=5),
    harvest_more=number(len(CUBES), high=2),
    lots=number(LOTS, len(CUBES), high=5),
    neighbours=derived(set_of(SPACES, len(SPACES))),
    distance=derived(number(len(SPACES), len(SPACES))),
)

ACTIONS = Actions(
    ("sail", SPACES),
    ("drop", CUBES),
    ("pay", CUBES),
    ("take", CUBES),
    ("upgrade", CUBES[:BROWN]),  # C22: brown cannot be upgraded
    ("discard", CUBES),
    ("build",),
    ("trade",),
    ("claim",),
    ("harvest",),
    ("end",),
    ("bonus", KINDS),
    ("lot", LOTS),
)
SAIL = ACTIONS.first("sail")  # + space
DROP = ACTIONS.first("drop")  # + cube, and so the next four
PAY = ACTIONS.first("pay")
TAKE = ACTIONS.first("take")
UPGRADE = ACTIONS.first("upgrade")
DISCARD = ACTIONS.first("discard")
BUILD = ACTIONS.first("build")
TRADE = ACTIONS.first("trade")
CLAIM = ACTIONS.first("claim")
HARVEST = ACTIONS.first("harvest")
END = ACTIONS.first("end")
BONUS = ACTIONS.first("bonus")  # + kind
LOT = ACTIONS.first("lot")  # + lot


# Setup


@rule
def setup(p: Position, box: Box, dice: Dice) -> None:
    """C3, C6, C9: the map and all else in its place; the first player is named or drawn."""
    draw_first(p, dice)
    lay_markets(p, box, dice)
    for port in range(len(PORTS)):
        turn_up_tile(p, port, False, dice)
    p.bonus_left[POINTS] = len(box.bonus_pile)  # C5
    for kind in range(EXTRA_MOVE, len(KINDS)):
        p.bonus_left[kind] = box.bonus_tiles[kind - 1]
    for lot in range(len(LOTS)):
        p.lots[lot] = 1
    for seat in range(p.players):
        p.boats[seat] = -1
    p.round_number = 1
    p.turn = seat_before(p, p.first)
    p.mover = p.turn


@rule
def lay_markets(p: Position, box: Box, dice: Dice) -> None:
    """C2, C8: those that the file puts in a place; then one of each icon is left out, and the rest
    shuffled.
    """
    left = (1 << len(MARKETS)) - 1
    spaces = 0
    for space in range(len(MARKET_SPACES)):
        tile = int(box.map_tiles[space]) - 1
        if tile >= 0:
            p.markets[space] = tile
            left ^= 1 << tile
        else:
            spaces += 1
    for icon in range(len(ICONS)):
        of_icon = left & ((1 << OF_AN_ICON) - 1) << OF_AN_ICON * icon
        left ^= 1 << select_bit(np.uint64(of_icon), roll(dice, popcount(np.uint64(of_icon))))
    for space in range(len(MARKET_SPACES)):
        if box.map_tiles[space] == 0:
            tile = select_bit(np.uint64(left), roll(dice, spaces))
            p.markets[space] = tile
            left ^= 1 << tile
            spaces -= 1


@rule
def turn_up_tile(p: Position, port: int, may_close: bool, dice: Dice) -> None:
    """C4, C17, C18: the next tile of the pile onto a port.

    The closed-port tile is one of the first six; no pile, no tile.
    """
    pile = tiles_at(p, PILE)
    left = popcount(pile)
    if may_close and roll(dice, closing_within(left)) == 0:
        p.ports[port] = CLOSED
    elif left == 0:
        p.ports[port] = NO_TILE
    else:
        tile = select_bit(pile, roll(dice, left))
        p.tiles[tile] = ON_PORT
        p.ports[port] = tile


@rule
def tiles_at(p: Position, where: int) -> np.uint64:
    """The victory point tiles in one place, a bit each."""
    tiles = 0
    for tile in range(len(TILES)):
        tiles |= int(p.tiles[tile] == where) << tile
    return np.uint64(tiles)


@rule
def drawn_tiles(pile: int) -> int:
    """C4: how many have been drawn since the setup put one on each port."""
    return len(TILES) - len(PORTS) - pile


@rule
def closing_within(pile: int) -> int:
    """C4: as long as no port is closed, the closed-port tile is one of as many as are drawn next."""
    return CLOSED_AMONG - drawn_tiles(pile)


@rule
def closed_port(p: Position) -> int:
    """C18: the port where the closed-port tile lies; NO_PORT if it has not come up."""
    closed = NO_PORT
    for port in range(len(PORTS)):
        if p.ports[port] == CLOSED:
            closed = port
    return closed


@rule
def seat_before(p: Position, seat: int) -> int:
    return seat - 1 if seat > 0 else int(p.players) - 1


@rule
def choose_lot(p: Position, box: Box, lot: int) -> None:
    """C7: one of the starting lots that are left."""
    p.lots[lot] = 0
    for cube in range(len(CUBES)):
        gain(p, p.turn, cube, box.lots[lot, cube])
    p.phase = PLACING


@rule
def place_boat(p: Position, space: int) -> None:
    """C7: on any market, for nothing; then the next anticlockwise, and after the first player the game
    begins.
    """
    p.boats[p.turn] = space
    if p.turn == p.first:
        for lot in range(len(LOTS)):
            p.lots[lot] = 0
        start_turn(p, p.first)
    else:
        p.turn = seat_before(p, p.turn)
        p.mover = p.turn
        p.phase = LOT_PHASE


@rule
def gain(p: Position, seat: int, cube: int, cubes: int) -> None:
    p.hold[seat, cube] += cubes
    p.hold_size[seat] += cubes


@rule
def give_up(p: Position, seat: int, cube: int, cubes: int) -> None:
    p.hold[seat, cube] -= cubes
    p.hold_size[seat] -= cubes


@rule
def covers(cubes: Counts, cost: Counts) -> bool:
    missing = 0
    for cube in range(len(CUBES)):
        missing += cubes[cube] < cost[cube]
    return missing == 0


# The turn: move


@rule
def start_turn(p: Position, seat: int) -> None:
    """C10, C21: the first step is free, and one more for each extra-move tile."""
    p.turn = seat
    p.mover = seat
    p.phase = MOVE
    p.moved = 0
    p.free = 1 + p.bonus[seat, EXTRA_MOVE]


@rule
def sail(p: Position, space: int) -> None:
    """C10: a step, free or paid for with the cube just dropped."""
    p.boats[p.turn] = space
    p.moved = 1
    if p.phase == MOVE:
        p.free -= 1
    p.phase = MOVE


@rule
def drop(p: Position, cube: int) -> None:
    """C10: a further step first leaves a cube on the tile."""
    give_up(p, p.turn, cube, 1)
    p.lying[p.boats[p.turn], cube] += 1
    p.phase = ADRIFT


@rule
def dues(p: Position, space: int) -> int:
    """C11, C23: the cubes to pay if a move ends here, one for each other boat on a market; ports cost
    nothing.
    """
    boats = 0
    if space < FIRST_PORT:
        for seat in range(p.players):
            boats += seat != p.mover and p.boats[seat] == space
    return boats


@rule
def can_end(p: Position, box: Box, space: int, free: int, cubes: int) -> bool:
    """C25: a move that has got to a space can end lawfully, there or further on, with the cubes left by
    then.
    """
    least = FAR
    for end in range(len(SPACES)):
        least = min(least, dues(p, end) + max(int(box.distance[space, end]) - free, 0))
    return least <= cubes


@rule
def steps(p: Position, box: Box, free: int, cubes: int) -> int:
    """C10, C25: the set of spaces next to this one, but for those where a move with that many cubes could not
    end, nor beyond.
    """
    found = int(box.neighbours[p.boats[p.turn]])
    if cubes < p.players - 1:  # else there is enough to pay everyone, anywhere
        for other in range(p.players):
            space = int(p.boats[other])
            if found >> space & 1 and cubes < dues(p, space) and not can_end(p, box, space, free, cubes):
                found &= ~(1 << space)
    return found


def beside(box: Box, one: int, other: int) -> bool:
    """C10: whether two spaces lie side by side."""
    return bool(int(box.neighbours[one]) >> other & 1)


@rule
def can_sail_on(p: Position, box: Box) -> bool:
    """C10, C25: there is a cube to drop, and with those left then there is a space next to this one to go
    to.
    """
    cubes = int(p.hold_size[p.turn])
    return cubes > 0 and steps(p, box, 0, cubes - 1) != 0


@rule
def pay_owner(p: Position, cube: int) -> None:
    """C11: a cube to each owner of a boat here, clockwise."""
    p.owed = owners_to_pay(p)
    p.phase = PAYING
    give_up(p, p.turn, cube, 1)
    gain(p, owner_to_pay(p), cube, 1)
    p.owed -= 1
    if p.owed == 0:
        p.phase = LANDED


@rule
def owners_to_pay(p: Position) -> int:
    """C11, C23: how many are still to be paid for ending a move here; a boat that has stayed pays nobody."""
    left = 0
    if p.phase == PAYING:
        left += p.owed
    elif p.moved:
        left += dues(p, p.boats[p.turn])
    return left


@rule
def owner_to_pay(p: Position) -> int:
    """C11: who is paid next.

    Anticlockwise from the mover, the one after whom as many are still to be paid.
    """
    left = owners_to_pay(p)
    seat = int(p.mover)
    while left > 0:
        seat = seat_before(p, seat)
        left -= p.boats[seat] == p.boats[p.mover]
    return seat


@rule
def pick_up(p: Position, cube: int) -> None:
    """C12: a cube that lies where the move has ended."""
    p.lying[p.boats[p.turn], cube] -= 1
    gain(p, p.turn, cube, 1)
    p.phase = LANDED


# The turn: market


@rule
def icon_at(p: Position, space: int) -> int:
    """C2: the icon of the market tile on a space."""
    return int(p.markets[space]) // OF_AN_ICON


@rule
def has_outpost(p: Position, space: int, seat: int) -> bool:
    return bool(p.outposts[space] >> seat & 1)


@rule
def outpost_cost(p: Position, box: Box, space: int) -> int:
    """C14: for each outpost already there, 1 cube, or 2 with 2 players."""
    return popcount(np.uint64(p.outposts[space])) * int(box.outpost_cost[p.players])


@rule
def build(p: Position, box: Box) -> None:
    """C14, C24: what it costs is paid first."""
    p.owed = outpost_cost(p, box, p.boats[p.turn])
    p.phase = BUILDING
    if p.owed == 0:
        place_outpost(p, box)


@rule
def pay_for_outpost(p: Position, box: Box, cube: int) -> None:
    """C14: a cube of choice, into the supply."""
    give_up(p, p.turn, cube, 1)
    p.owed -= 1
    if p.owed == 0:
        place_outpost(p, box)


@rule
def place_outpost(p: Position, box: Box) -> None:
    """C14, C15, C24: the leftmost of the icon's row.

    Upgrade tiles held by now work; a tile taken for this outpost will not.
    """
    seat = p.turn
    space = p.boats[seat]
    icon = icon_at(p, space)
    p.outposts[space] |= 1 << int(seat)
    p.built[seat, icon] += 1
    p.upgrades = p.bonus[seat, UPGRADES]
    if column_empty(p, seat, p.built[seat, icon]) and bonus_tiles_left(p) > 0:
        p.phase = BONUS_PHASE
    else:
        go_on_at_market(p, box)


@rule
def column_empty(p: Position, seat: int, column: int) -> bool:
    """C15: the outpost just taken, from this column of its row, was the column's last."""
    rows = 0
    for icon in range(len(ICONS)):
        rows += p.built[seat, icon] >= column
    return rows == len(ICONS)


@rule
def bonus_tiles_left(p: Position) -> int:
    tiles = 0
    for kind in range(len(KINDS)):
        tiles += p.bonus_left[kind]
    return tiles


@rule
def top_of_pile(p: Position, box: Box) -> int:
    """C5: the points of the bonus tile on top of the pile, while there is one."""
    return int(box.bonus_pile[len(box.bonus_pile) - p.bonus_left[POINTS]])


@rule
def take_bonus(p: Position, box: Box, kind: int) -> None:
    """C5, C15: one tile of a kind that is left; of the points only the top of the pile."""
    if kind == POINTS:
        p.bonus_points[p.turn] += top_of_pile(p, box)
    p.bonus_left[kind] -= 1
    p.bonus[p.turn, kind] += 1
    go_on_at_market(p, box)


@rule
def can_upgrade(p: Position) -> bool:
    """C21, C22: an upgrade left, and a cube below brown."""
    return bool(p.upgrades > 0 and p.hold_size[p.turn] > p.hold[p.turn, BROWN])


@rule
def upgrades_possible(p: Position) -> int:
    """C22, C24: how many upgrades the seat that decides can still make: at most as many as tiles allow, and
    as its cubes are levels below brown.
    """
    levels = 0
    for cube in range(BROWN):
        levels += int(p.hold[p.turn, cube]) * (BROWN - cube)
    return min(int(p.upgrades), levels)


@rule
def upgrade(p: Position, box: Box, cube: int) -> None:
    """C21, C22, C24: one cube for one of the next level, once for each upgrade tile."""
    p.hold[p.turn, cube] -= 1
    p.hold[p.turn, cube + 1] += 1
    p.upgrades -= 1
    go_on_at_market(p, box)


@rule
def can_trade(p: Position, box: Box) -> bool:
    """C16: an outpost on the tile, and the cubes that its trade costs."""
    space = p.boats[p.turn]
    return has_outpost(p, space, p.turn) and covers(p.hold[p.turn], box.trades[p.markets[space], PAYS])


@rule
def trade(p: Position, box: Box) -> None:
    """C16, C24: the tile's trade, once; upgrades not made by now are over."""
    tile = p.markets[p.boats[p.turn]]
    for cube in range(len(CUBES)):
        give_up(p, p.turn, cube, box.trades[tile, PAYS, cube])
        gain(p, p.turn, cube, box.trades[tile, GETS, cube])
    p.upgrades = 0
    go_on_at_market(p, box)


@rule
def go_on_at_market(p: Position, box: Box) -> None:
    """C16, C24: the market action goes on while there is something to upgrade or trade."""
    p.phase = MARKET
    if not can_upgrade(p) and not can_trade(p, box):
        end_turn(p, box)


# The turn: port and harvest


@rule
def can_claim(p: Position, box: Box, tile: int) -> bool:
    """C17, C18: the cubes shown; nothing can be claimed at a closed or empty port."""
    return NO_TILE < tile < CLOSED and covers(p.hold[p.turn], box.vp_cost[tile])


@rule
def claim(p: Position, box: Box, dice: Dice) -> None:
    """C17: the cubes go back, the tile is taken, the next one drawn; that is all for this turn."""
    port = p.boats[p.turn] - FIRST_PORT
    tile = p.ports[port]
    for cube in range(len(CUBES)):
        give_up(p, p.turn, cube, box.vp_cost[tile, cube])
    p.tiles[tile] = FIRST_OWNER + p.turn
    p.claimed[p.turn] += 1
    refill(p, port, dice)
    end_turn(p, box)


@rule
def refill(p: Position, port: int, dice: Dice) -> None:
    """C18, C26: the closed-port tile first moves to the port just emptied, and the new tile goes where it
    lay.
    """
    closed = closed_port(p)
    if closed == NO_PORT:
        turn_up_tile(p, port, True, dice)
    else:
        p.ports[port] = CLOSED
        turn_up_tile(p, closed, False, dice)


@rule
def harvested(p: Position, box: Box, seat: int, cube: int) -> int:
    """C19, C21: of a harvest's 2 yellow cubes, and a red one more for each harvest tile, those of one
    colour.
    """
    return int(box.harvest_cubes[cube]) + int(p.bonus[seat, RED_HARVEST]) * int(box.harvest_more[cube])


@rule
def harvest(p: Position, box: Box) -> None:
    """C19: cubes from the supply; that is all for this turn."""
    for cube in range(len(CUBES)):
        gain(p, p.turn, cube, harvested(p, box, p.turn, cube))
    end_turn(p, box)


# The end of a turn, of a round, of the game


@rule
def room(p: Position, box: Box, seat: int) -> int:
    """C20, C21: what a hold can keep."""
    return int(box.hold_room) + int(p.bonus[seat, HOLD]) * int(box.hold_more)


def surplus(p: Position, box: Box, seat: int) -> int:
    """C20: how many cubes a hold cannot keep."""
    return max(int(p.hold_size[seat]) - room(p, box, seat), 0)


@rule
def end_turn(p: Position, box: Box) -> None:
    """C20: whose hold is too full puts cubes back, the mover first, then clockwise."""
    p.free = 0
    p.upgrades = 0
    seat = p.mover
    for _ in range(p.players):
        if p.hold_size[seat] > room(p, box, seat):
            p.turn = seat
            p.phase = STOWING
            return
        seat = next_seat(p, seat)
    next_turn(p)


@rule
def discard(p: Position, box: Box, cube: int) -> None:
    """C20: a cube of choice goes back."""
    give_up(p, p.turn, cube, 1)
    if p.hold_size[p.turn] <= room(p, box, p.turn):
        end_turn(p, box)


@rule
def next_turn(p: Position) -> None:
    """C30, C34: clockwise; after the last seat of the last round the game is over."""
    seat = next_seat(p, p.mover)
    if seat != p.first:
        start_turn(p, seat)
    elif in_last_round(p):
        finish(p, FOURTH_TILE if most_claimed(p) >= LAST_TILE else ROUND_200)
    else:
        p.round_number += 1
        start_turn(p, seat)


@rule
def in_last_round(p: Position) -> bool:
    """C30, C34: the round in which a 4th tile is claimed is the last, and so is round 200."""
    return bool(most_claimed(p) >= LAST_TILE or p.round_number == LAST_ROUND)


@rule
def most_claimed(p: Position) -> int:
    most = 0
    for seat in range(p.players):
        most = max(most, p.claimed[seat])
    return most


@rule
def finish(p: Position, ending: int) -> None:
    p.ending = ending
    p.phase = OVER
    p.turn = -1


def ends_turn(before: Position, after: Position) -> bool:
    """C7, C10, C20: a turn, as it is retold, lasts until the next one starts, or until another seat has to
    put cubes back.
    """
    return bool(before["turn"] != after["turn"] or (after["phase"] == MOVE and not after["moved"]))


@rule
def stall_progress(p: Position) -> float:
    """C34: from round 50 of 200 on; no real game takes so long."""
    return stall_progress_by_round(p, ROUND_200, LONG, LAST_ROUND)


@rule
def tally(p: Position, box: Box, out: Scores, stride: int) -> None:
    """C31, C32: points by source; a tie goes to who played last in the round."""
    for seat in range(p.players):
        for source in range(len(SOURCES)):
            out[seat, source * stride] += points_from(p, box, seat, source)
        out[seat, (len(SOURCES) - 1) * stride + 1] = (seat - p.first) % p.players


@rule
def points_from(p: Position, box: Box, seat: int, source: int) -> int:
    """C31: tiles claimed, each row of the board, bonus tiles, cubes."""
    if source == TILE_POINTS:
        return tile_points(p, box, seat)
    if source == BONUS_POINTS:
        return bonus_tile_points(p, box, seat)
    if source == CUBE_POINTS:
        return cube_points(p, seat)
    return row_points(p, box, seat, source - FIRST_ROW)


@rule
def tile_points(p: Position, box: Box, seat: int) -> int:
    """C17, C31: the tiles that a seat has claimed."""
    points = 0
    for tile in range(len(TILES)):
        if p.tiles[tile] == FIRST_OWNER + seat:
            points += int(box.vp_points[tile])
    return points


@rule
def row_points(p: Position, box: Box, seat: int, icon: int) -> int:
    """C14, C31: the cells that outposts have uncovered in one row of the board."""
    points = 0
    for column in range(p.built[seat, icon]):
        points += int(box.board_points[column])
    return points


@rule
def bonus_tile_points(p: Position, box: Box, seat: int) -> int:
    """C21, C31: those of the pile, and what each other kind is worth."""
    points = 0
    points += int(p.bonus_points[seat])
    for kind in range(EXTRA_MOVE, len(KINDS)):
        for _ in range(p.bonus[seat, kind]):
            points += int(box.bonus_worth[kind - 1])
    return points


@rule
def cube_points(p: Position, seat: int) -> int:
    """C31: a point for each cube that is not yellow."""
    points = 0
    for cube in range(YELLOW + 1, len(CUBES)):
        points += int(p.hold[seat, cube])
    return points


def score_visible(p: Position, viewer: int | None, seat: int, source: int) -> bool:
    """C17, C33: claimed tiles lie face down before the end, unless the option opens them; their owner may
    look.
    """
    return (
        source != TILE_POINTS
        or viewer == seat
        or bool(p.open_tiles or p.phase == OVER or p.claimed[seat] == 0)
    )


# Decisions


@rule
def legal(p: Position, box: Box, mask: Mask) -> None:
    """C13, C24: what may be done in each phase of a turn."""
    if p.phase == MOVE:
        allow_sailing(p, box, mask)
        allow_ending(p, box, mask)
    elif p.phase == LANDED:
        allow_cubes(p.lying[p.boats[p.turn]], TAKE, mask)
        allow_acts(p, box, mask)
    elif p.phase == ADRIFT:
        allow_set(mask, SAIL, steps(p, box, 0, int(p.hold_size[p.turn])))
    elif p.phase == MARKET:
        allow_market(p, box, mask)
    elif p.phase == STOWING:
        allow_cubes(p.hold[p.turn], DISCARD, mask)
    elif p.phase == PAYING or p.phase == BUILDING:
        allow_cubes(p.hold[p.turn], PAY, mask)
    else:
        allow_choices(p, mask)


@rule
def allow_cubes(cubes: Counts, verb: int, mask: Mask) -> None:
    for cube in range(len(CUBES)):
        allow_if(mask, verb + cube, cubes[cube] > 0)


@rule
def allow_sailing(p: Position, box: Box, mask: Mask) -> None:
    """C10: free steps come first; then a cube is dropped for each."""
    if p.free > 0:
        allow_set(mask, SAIL, steps(p, box, int(p.free) - 1, int(p.hold_size[p.turn])))
    elif can_sail_on(p, box):
        allow_cubes(p.hold[p.turn], DROP, mask)


@rule
def allow_ending(p: Position, box: Box, mask: Mask) -> None:
    """C11, C12, C13, C23: a boat that has stayed pays nobody and takes nothing; one that has moved pays
    first.
    """
    if not p.moved:
        allow_acts(p, box, mask)
        return
    space = p.boats[p.turn]
    owed = dues(p, space)
    if owed == 0:
        allow_cubes(p.lying[space], TAKE, mask)
        allow_acts(p, box, mask)
    elif owed <= p.hold_size[p.turn]:
        allow_cubes(p.hold[p.turn], PAY, mask)


@rule
def allow_acts(p: Position, box: Box, mask: Mask) -> None:
    """C13, C14, C16, C17, C19: one action, or none."""
    seat = p.turn
    space = p.boats[seat]
    allow(mask, HARVEST)
    allow(mask, END)
    if space >= FIRST_PORT:
        allow_if(mask, CLAIM, can_claim(p, box, p.ports[space - FIRST_PORT]))
    elif has_outpost(p, space, seat):
        allow_if(mask, TRADE, can_trade(p, box))
    else:
        allow_if(mask, BUILD, outpost_cost(p, box, space) <= p.hold_size[seat])


@rule
def allow_market(p: Position, box: Box, mask: Mask) -> None:
    """C16, C24: upgrades, then trades, or enough of it."""
    for cube in range(BROWN):
        allow_if(mask, UPGRADE + cube, p.upgrades > 0 and p.hold[p.turn, cube] > 0)
    allow_if(mask, TRADE, can_trade(p, box))
    allow(mask, END)


@rule
def allow_choices(p: Position, mask: Mask) -> None:
    """C7, C15: a starting lot, a starting market, a bonus tile."""
    if p.phase == LOT_PHASE:
        for lot in range(len(LOTS)):
            allow_if(mask, LOT + lot, p.lots[lot] > 0)
    elif p.phase == PLACING:
        allow_range(mask, SAIL, SAIL + FIRST_PORT - 1)
    elif p.phase == BONUS_PHASE:
        for kind in range(len(KINDS)):
            allow_if(mask, BONUS + kind, p.bonus_left[kind] > 0)


@rule
def play(p: Position, box: Box, action: int, dice: Dice) -> None:
    """C7 to C34, one decision at a time."""
    if action < DROP:
        if p.phase == PLACING:
            place_boat(p, action - SAIL)
        else:
            sail(p, action - SAIL)
    elif action < PAY:
        drop(p, action - DROP)
    elif action < TAKE:
        if p.phase == BUILDING:
            pay_for_outpost(p, box, action - PAY)
        else:
            pay_owner(p, action - PAY)
    elif action < UPGRADE:
        pick_up(p, action - TAKE)
    elif action < DISCARD:
        upgrade(p, box, action - UPGRADE)
    elif action < BUILD:
        discard(p, box, action - DISCARD)
    elif action == BUILD:
        build(p, box)
    elif action == TRADE:
        trade(p, box)
    elif action == CLAIM:
        claim(p, box, dice)
    elif action == HARVEST:
        harvest(p, box)
    elif action == END:
        end_turn(p, box)
    elif action < LOT:
        take_bonus(p, box, action - BONUS)
    else:
        choose_lot(p, box, action - LOT)


# Checks on data that comes in


def complete_box(box: Box) -> None:
    """C8, C10: which spaces of the map lie side by side, and how many steps apart any two are."""
    at = [(int(x), int(y)) for x, y in [*box.map_markets, *box.map_ports]]
    beside = [
        [space for space, (a, b) in enumerate(at) if (abs(a - x), abs(b - y)) in ((0, 2), (1, 1))]
        for x, y in at
    ]
    for space, others in enumerate(beside):
        box.neighbours[space] = sum(1 << other for other in others)
    box.distance[...] = FAR
    for start in range(len(SPACES)):
        steps, reached = 0, {start}
        while reached:
            box.distance[start, sorted(reached)] = steps
            reached = {
                other for space in reached for other in beside[space] if box.distance[start, other] == FAR
            }
            steps += 1


def check_box(box: Box) -> list[str]:
    """C8, C27: what the fields' own limits do not say about a box."""
    return [*_map_errors(box), *_fixed_errors(box), *_trade_errors(box)]


def _map_errors(box: Box) -> list[str]:
    """C8: spaces that lie on a grid, apart from each other, connected, each next to at least two others."""
    at = [(int(x), int(y)) for x, y in [*box.map_markets, *box.map_ports]]
    names = [f"map.markets.{n}" for n in range(FIRST_PORT)] + [f"map.ports.{n}" for n in range(len(PORTS))]
    errors = []
    for n, (space, name) in enumerate(zip(at, names, strict=True)):
        if space in at[:n]:
            errors.append(f"{name}: {list(space)} is already {names[at.index(space)]}")
        if sum(space) % 2 != sum(at[0]) % 2:
            errors.append(
                f"{name}: {list(space)} lies half over another column's tiles; x + y must be even for all spaces or odd for all"
            )
    if errors:
        return errors
    for n, name in enumerate(names):
        beside = int(box.neighbours[n]).bit_count()
        if beside < 2:
            errors.append(
                f"{name}: {list(at[n])} lies beside {beside} other {'space' if beside == 1 else 'spaces'}; at least 2 are needed"
            )
    stride = [SPACES[n].upper() for n in range(len(SPACES)) if box.distance[0, n] == FAR]
    if stride:
        errors.append(
            f"map: all spaces must be connected; these cannot be reached from A: {', '.join(stride)}"
        )
    return errors


def _fixed_errors(box: Box) -> list[str]:
    """C2, C8: a market tile lies on one space, and at most five of an icon are used."""
    fixed = [int(tile) - 1 for tile in box.map_tiles if tile > 0]
    errors = [
        f"map.tiles: {MARKETS[tile]} is there more than once"
        for tile in sorted(set(fixed))
        if fixed.count(tile) > 1
    ]
    for icon, name in enumerate(ICONS):
        if len({tile for tile in fixed if tile // OF_AN_ICON == icon}) > IN_PLAY:
            errors.append(
                f"map.tiles: all {OF_AN_ICON} tiles of {name} are there; {IN_PLAY} of each icon are used"
            )
    return errors


def _trade_errors(box: Box) -> list[str]:
    """C27: a trade that costs nothing, or gives back all it costs, could be made without end; and tiles that
    cost nothing.
    """
    errors = []
    for tile, name in enumerate(MARKETS):
        pays, gets = box.trades[tile]
        if all(gets[cube] >= pays[cube] for cube in range(len(CUBES))):
            errors.append(f"trades.{name}: gets all that it pays, so it could be made without end")
    return errors + [
        f"vp.cost.{tile}: a tile must cost something"
        for tile in range(len(TILES))
        if not any(box.vp_cost[tile])
    ]


# What holds in every position that play can reach; `violated_invariant` names what does not, and where.
INVARIANTS = Invariants(
    players="players: expected 2 to 4",
    size="hold_size: not the number of cubes in the hold: seat {seat}",
    room="hold: more cubes than it can keep, at the start of a turn: seat {seat}",
    built="built: not the outposts on markets of each icon: seat {seat}",
    bonus="bonus: not as many tiles as columns emptied: seat {seat}",
    claimed="claimed: not the number of tiles claimed: seat {seat}",
    boats="boats: on no space, though the game has begun: seat {seat}",
    markets="markets: not five different tiles of each icon",
    left="bonus_left: not as many tiles as the box holds, with those taken",
    ports="ports: not the tiles that are on ports, each once",
    closed="tiles: the closed-port tile has not come up among the first six, or came up before a tile was claimed",
    turn="turn: somebody decides until the phase is over, and nobody then; but for the end of a turn it is the mover",
    owed="owed: more than can be paid, or nothing where something is paid",
    outposts="outposts: of a seat that does not play",
    round="round_number: from 1 to 200",
    fourth="claimed: whoever has a fourth tile has no other turn: seat {seat}",
)
WRONG_PLAYERS = INVARIANTS["players"]
WRONG_SIZE = INVARIANTS["size"]
WRONG_ROOM = INVARIANTS["room"]
WRONG_BUILT = INVARIANTS["built"]
WRONG_BONUS = INVARIANTS["bonus"]
WRONG_CLAIMED = INVARIANTS["claimed"]
WRONG_BOATS = INVARIANTS["boats"]
WRONG_MARKETS = INVARIANTS["markets"]
WRONG_LEFT = INVARIANTS["left"]
WRONG_PORTS = INVARIANTS["ports"]
WRONG_CLOSED = INVARIANTS["closed"]
WRONG_TURN = INVARIANTS["turn"]
WRONG_OWED = INVARIANTS["owed"]
WRONG_OUTPOSTS = INVARIANTS["outposts"]
WRONG_ROUND = INVARIANTS["round"]
WRONG_FOURTH = INVARIANTS["fourth"]


def check_position(p: Position, box: Box) -> list[str]:
    """What is wrong with a position that came in as data: the first invariant it violates, or that nobody
    could go on from it.
    """
    errors = INVARIANTS.errors(violated_invariant(p, box))
    if errors:
        return errors
    mask = new_mask(len(ACTIONS))
    if p.turn >= 0:
        legal(p, box, mask)
        if not mask.any():
            return ["phase: there is nothing that the seat to decide could do"]
    return []


@rule
def violated_invariant(p: Position, box: Box) -> tuple[int, int]:
    """C1, C6: the first invariant that a position violates, and the seat; VALID if none."""
    if not PLAYERS[0] <= p.players <= PLAYERS[1]:
        return WRONG_PLAYERS, 0
    for seat in range(p.players):
        violated = violated_by_seat(p, box, seat)
        if violated:
            return violated, seat
    if not five_of_each_icon(p):
        return WRONG_MARKETS, 0
    for space in range(len(MARKET_SPACES)):
        if p.outposts[space] >> int(p.players):
            return WRONG_OUTPOSTS, 0
    for kind in range(len(KINDS)):
        taken = int(p.bonus_left[kind])
        for seat in range(p.players):
            taken += int(p.bonus[seat, kind])
        if taken != (len(box.bonus_pile) if kind == POINTS else box.bonus_tiles[kind - 1]):
            return WRONG_LEFT, 0
    violated = violated_by_tiles(p)
    if violated:
        return violated, 0
    if p.round_number == 0:
        return WRONG_ROUND, 0
    for seat in range(p.players):
        if has_a_turn_too_many(p, seat):
            return WRONG_FOURTH, seat
    return violated_by_turn(p), 0


@rule
def has_a_turn_too_many(p: Position, seat: int) -> bool:
    """C30: the round of a fourth tile is the last, so whoever has one has had their last turn, or is just
    ending it.
    """
    if p.claimed[seat] < LAST_TILE:
        return False
    if p.claimed[seat] > LAST_TILE:
        return True
    if seat == p.mover:
        return bool(p.phase != STOWING and p.phase != OVER)
    return plays_after_mover(p, seat)


@rule
def plays_after_mover(p: Position, seat: int) -> bool:
    """C30: whether a seat's turn in this round is still to come."""
    if (seat < p.first) != (p.mover < p.first):
        return bool(seat < p.first)
    return bool(seat > p.mover)


@rule
def violated_by_seat(p: Position, box: Box, seat: int) -> int:
    """C14, C15, C20: a seat's counts agree with what they count."""
    cubes = 0
    for cube in range(len(CUBES)):
        cubes += int(p.hold[seat, cube])
    if cubes != p.hold_size[seat]:
        return WRONG_SIZE
    if p.phase == MOVE and not p.moved and cubes > room(p, box, seat):
        return WRONG_ROOM
    columns = IN_PLAY
    for icon in range(len(ICONS)):
        columns = min(columns, p.built[seat, icon])
        if p.built[seat, icon] != outposts_of(p, seat, icon):
            return WRONG_BUILT
    bonus = 0
    for kind in range(len(KINDS)):
        bonus += p.bonus[seat, kind]
    owing = p.phase == BONUS_PHASE and p.turn == seat
    if bonus + owing > columns or (bonus + owing < columns and bonus_tiles_left(p) > 0):
        return WRONG_BONUS
    if popcount(tiles_at(p, FIRST_OWNER + seat)) != p.claimed[seat]:
        return WRONG_CLAIMED
    return WRONG_BOATS if p.boats[seat] < 0 and p.phase > PLACING else VALID


@rule
def outposts_of(p: Position, seat: int, icon: int) -> int:
    outposts = 0
    for space in range(len(MARKET_SPACES)):
        outposts += has_outpost(p, space, seat) and icon_at(p, space) == icon
    return outposts


@rule
def five_of_each_icon(p: Position) -> bool:
    """C2: and no tile twice."""
    seen = 0
    for space in range(len(MARKET_SPACES)):
        seen |= 1 << int(p.markets[space])
    icons = 0
    for icon in range(len(ICONS)):
        icons += popcount(np.uint64(seen >> OF_AN_ICON * icon & ((1 << OF_AN_ICON) - 1))) == IN_PLAY
    return icons == len(ICONS)


@rule
def violated_by_tiles(p: Position) -> int:
    """C4, C17, C18: a tile on a port is there once, and the closed-port tile comes up among the first six that
    are drawn for those claimed.
    """
    seen = 0
    closed = 0
    for port in range(len(PORTS)):
        tile = int(p.ports[port])
        if tile == CLOSED:
            closed += 1
        elif tile != NO_TILE:
            seen |= 1 << tile
    if np.uint64(seen) != tiles_at(p, ON_PORT) or popcount(np.uint64(seen)) + closed + empty_ports(p) != len(
        PORTS
    ):
        return WRONG_PORTS
    drawn = drawn_tiles(popcount(tiles_at(p, PILE))) + closed
    claimed = 0
    for seat in range(p.players):
        claimed += int(p.claimed[seat])
    if closed > 1 or (closed == 1) < (drawn >= CLOSED_AMONG) or drawn < 0:
        return WRONG_CLOSED
    return WRONG_CLOSED if closed > 0 and claimed == 0 else VALID


@rule
def empty_ports(p: Position) -> int:
    ports = 0
    for port in range(len(PORTS)):
        ports += p.ports[port] == NO_TILE
    return ports


@rule
def violated_by_turn(p: Position) -> int:
    """C20: others than the mover decide only at the end of a turn, about what does not fit their holds."""
    if (p.turn < 0) != (p.phase == OVER):
        return WRONG_TURN
    if p.phase != OVER and p.phase != STOWING and p.turn != p.mover:
        return WRONG_TURN
    paying = p.phase == PAYING or p.phase == BUILDING
    if paying != (p.owed > 0) or (paying and p.owed > p.hold_size[p.turn]):
        return WRONG_OWED
    return VALID
