"""What a seat of Century: Eastern Wonders may know, as a row of numbers.

C33: nothing is known to some seats only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from comptoir.engine.observation import (
    MAX_VALUE,
    Feature,
    Out,
    absolute_seat,
    relative_seat,
    seats_of,
    turn_features,
    write_onehot,
    write_row,
    write_seat,
    write_seat_rows,
    write_seats,
    write_turn,
    write_value,
)
from comptoir.engine.rule import rule
from comptoir.games.century.rules import (
    BOX,
    CUBES,
    FIRST_OWNER,
    ICONS,
    IN_PLAY,
    KINDS,
    LAST_ROUND,
    LAST_TILE,
    LOTS,
    MARKET_SPACES,
    MARKETS,
    PHASES,
    PORTS,
    POSITION,
    SEATS,
    SPACES,
    TILES,
)

if TYPE_CHECKING:
    from comptoir.games.century.records import Box, Position

MAX_SEATS = SEATS.most
_SEATS = seats_of(MAX_SEATS)
OF_A_KIND = POSITION.fields["bonus"].high  # bonus tiles
MAX_FREE = 1 + OF_A_KIND
MAX_OWED = (MAX_SEATS - 1) * BOX.fields["outpost_cost"].high
MAX_BONUS_POINTS = OF_A_KIND * BOX.fields["bonus_pile"].high

FEATURES = (
    Feature("phase", "the kind of decision", axes=(PHASES,)),
    Feature("round", "the round", LAST_ROUND),
    Feature("moved", "whether the boat has moved in this turn"),
    Feature("free", "C10: steps left that cost nothing", MAX_FREE),
    Feature("owed", "C11, C14: cubes still to be paid, to owners of boats or for an outpost", MAX_OWED),
    Feature("upgrades", "C24: upgrades still to be had for the outpost just built", OF_A_KIND),
    *turn_features(_SEATS),
    Feature("mover", "C20: whose turn it is; another may have to decide at its end", axes=(_SEATS,)),
    Feature("first", "who began", axes=(_SEATS,)),
    Feature("boats", "where each boat lies; nowhere until it is placed", axes=(_SEATS, SPACES)),
    Feature(
        "markets",
        f"C2: the tile on each market space, by its number: 0 is {MARKETS[0]}, {len(MARKETS) - 1} is {MARKETS[-1]}",
        len(MARKETS) - 1,
        (MARKET_SPACES,),
    ),
    Feature("outposts", "who has an outpost on each market", axes=(MARKET_SPACES, _SEATS)),
    Feature(
        "ports",
        f"C17, C18: the victory point tile in each port: 0 none, 1 to {len(TILES)} its number, {len(TILES) + 1} the closed-port tile",
        len(TILES) + 1,
        (PORTS,),
    ),
    Feature("lying", "C10: cubes that lie on each space, up to 255 of a colour", MAX_VALUE, (SPACES, CUBES)),
    Feature("hold", "cubes in each hold, up to 255 of a colour", MAX_VALUE, (_SEATS, CUBES)),
    Feature("built", "C14: outposts gone from each row of a board", IN_PLAY, (_SEATS, ICONS)),
    Feature("bonus", "C21: bonus tiles of each kind", OF_A_KIND, (_SEATS, KINDS)),
    Feature(
        "bonus_points",
        "C5: what a seat's bonus tiles of the kind `points` are worth together",
        MAX_BONUS_POINTS,
        (_SEATS,),
    ),
    Feature("claimed", "C30: victory point tiles claimed", LAST_TILE, (_SEATS,)),
    Feature(
        "tiles",
        f"C33: each victory point tile: 0 in the pile, 1 in a port, {FIRST_OWNER} claimed by the viewer, and so on to "
        f"{FIRST_OWNER + MAX_SEATS - 1} for viewer + {MAX_SEATS - 1}",
        FIRST_OWNER + MAX_SEATS - 1,
        (TILES,),
    ),
    Feature("bonus_left", "C15: bonus tiles left of each kind", OF_A_KIND, (KINDS,)),
    Feature("lots", "C7: starting lots still to be had", axes=(LOTS,)),
)


@rule
def observe(p: Position, box: Box, viewer: int, out: Out) -> None:
    """C33: everything on the table."""
    players = int(p.players)
    at = write_onehot(out, 0, p.phase, len(PHASES))
    at = write_value(out, at, p.round_number)
    at = write_value(out, at, p.moved)
    at = write_value(out, at, p.free)
    at = write_value(out, at, p.owed)
    at = write_value(out, at, p.upgrades)
    at = write_turn(out, at, p.turn, viewer, players, MAX_SEATS)
    at = write_seat(out, at, p.mover, viewer, players, MAX_SEATS)
    at = write_seat(out, at, p.first, viewer, players, MAX_SEATS)
    for seat in range(MAX_SEATS):
        plays = int(seat < players)
        at = write_onehot(
            out, at, (int(p.boats[absolute_seat(seat, viewer, players)]) + 1) * plays - 1, len(SPACES)
        )
    at = write_row(out, at, p.markets)
    for space in range(len(MARKET_SPACES)):
        owners = int(p.outposts[space])
        for seat in range(MAX_SEATS):
            out[at + seat] = (owners >> absolute_seat(seat, viewer, players) & 1) * int(seat < players)
        at += MAX_SEATS
    for port in range(len(PORTS)):
        at = write_value(out, at, p.ports[port] + 1)
    for space in range(len(SPACES)):
        # not row by row: cutting a row out of a record takes longer than copying it
        for cube in range(len(CUBES)):
            at = write_value(out, at, p.lying[space, cube])
    at = write_seat_rows(out, at, p.hold, viewer, players)
    at = write_seat_rows(out, at, p.built, viewer, players)
    at = write_seat_rows(out, at, p.bonus, viewer, players)
    at = write_seats(out, at, p.bonus_points, viewer, players)
    at = write_seats(out, at, p.claimed, viewer, players)
    for tile in range(len(TILES)):
        owner = int(p.tiles[tile]) - FIRST_OWNER
        at = write_value(
            out, at, FIRST_OWNER + owner + int(owner >= 0) * (relative_seat(owner, viewer, players) - owner)
        )
    at = write_row(out, at, p.bonus_left)
    write_row(out, at, p.lots)
