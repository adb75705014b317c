"""What a seat of Century: Eastern Wonders may know, as a row of numbers.

C33: nothing is known to some seats only.
"""

from __future__ import annotations

from comptoir.engine.observation import (
    MOST,
    Out,
    Piece,
    place_of,
    put,
    put_one,
    put_plays,
    put_row,
    put_seat,
    put_seat_rows,
    put_seats,
    seat_at,
    seats_of,
)
from comptoir.engine.rule import Box, Position, rule
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

MOST_SEATS = SEATS.most
_SEATS = seats_of(MOST_SEATS)
OF_A_KIND = POSITION.fields["bonus"].high  # bonus tiles
MOST_FREE = 1 + OF_A_KIND
MOST_OWED = (MOST_SEATS - 1) * BOX.fields["outpost_cost"].high
MOST_BONUS_POINTS = OF_A_KIND * BOX.fields["bonus_pile"].high

PIECES = (
    Piece("phase", "the kind of decision", axes=(PHASES,)),
    Piece("round", "the round", LAST_ROUND),
    Piece("moved", "whether the boat has moved in this turn"),
    Piece("free", "C10: steps left that cost nothing", MOST_FREE),
    Piece("owed", "C11, C14: cubes still to be paid, to owners of boats or for an outpost", MOST_OWED),
    Piece("upgrades", "C24: upgrades still to be had for the outpost just built", OF_A_KIND),
    Piece("decides", "who decides", axes=(_SEATS,)),
    Piece("plays", "which seats play", axes=(_SEATS,)),
    Piece("mover", "C20: whose turn it is; another may have to decide at its end", axes=(_SEATS,)),
    Piece("first", "who began", axes=(_SEATS,)),
    Piece("boats", "where each boat lies; nowhere until it is placed", axes=(_SEATS, SPACES)),
    Piece(
        "markets",
        f"C2: the tile on each market space, by its number: 0 is {MARKETS[0]}, {len(MARKETS) - 1} is {MARKETS[-1]}",
        len(MARKETS) - 1,
        (MARKET_SPACES,),
    ),
    Piece("outposts", "who has an outpost on each market", axes=(MARKET_SPACES, _SEATS)),
    Piece(
        "ports",
        f"C17, C18: the victory point tile in each port: 0 none, 1 to {len(TILES)} its number, {len(TILES) + 1} the closed-port tile",
        len(TILES) + 1,
        (PORTS,),
    ),
    Piece("lying", "C10: cubes that lie on each space, up to 255 of a colour", MOST, (SPACES, CUBES)),
    Piece("hold", "cubes in each hold, up to 255 of a colour", MOST, (_SEATS, CUBES)),
    Piece("built", "C14: outposts gone from each row of a board", IN_PLAY, (_SEATS, ICONS)),
    Piece("bonus", "C21: bonus tiles of each kind", OF_A_KIND, (_SEATS, KINDS)),
    Piece(
        "bonus_points",
        "C5: what a seat's bonus tiles of the kind `points` are worth together",
        MOST_BONUS_POINTS,
        (_SEATS,),
    ),
    Piece("claimed", "C30: victory point tiles claimed", LAST_TILE, (_SEATS,)),
    Piece(
        "tiles",
        f"C33: each victory point tile: 0 in the pile, 1 in a port, {FIRST_OWNER} claimed by the viewer, and so on to "
        f"{FIRST_OWNER + MOST_SEATS - 1} for viewer + {MOST_SEATS - 1}",
        FIRST_OWNER + MOST_SEATS - 1,
        (TILES,),
    ),
    Piece("bonus_left", "C15: bonus tiles left of each kind", OF_A_KIND, (KINDS,)),
    Piece("lots", "C7: starting lots still to be had", axes=(LOTS,)),
)


@rule
def observe(p: Position, box: Box, viewer: int, out: Out) -> None:
    """C33: everything on the table."""
    players = int(p.players)
    at = put_one(out, 0, p.phase, len(PHASES))
    at = put(out, at, p.round_number)
    at = put(out, at, p.moved)
    at = put(out, at, p.free)
    at = put(out, at, p.owed)
    at = put(out, at, p.upgrades)
    at = put_seat(out, at, p.turn, viewer, players, MOST_SEATS)
    at = put_plays(out, at, players, MOST_SEATS)
    at = put_seat(out, at, p.mover, viewer, players, MOST_SEATS)
    at = put_seat(out, at, p.first, viewer, players, MOST_SEATS)
    for seat in range(MOST_SEATS):
        plays = int(seat < players)
        at = put_one(out, at, (int(p.boats[seat_at(seat, viewer, players)]) + 1) * plays - 1, len(SPACES))
    at = put_row(out, at, p.markets)
    for space in range(len(MARKET_SPACES)):
        owners = int(p.outposts[space])
        for seat in range(MOST_SEATS):
            out[at + seat] = (owners >> seat_at(seat, viewer, players) & 1) * int(seat < players)
        at += MOST_SEATS
    for port in range(len(PORTS)):
        at = put(out, at, p.ports[port] + 1)
    for space in range(len(SPACES)):
        # not row by row: cutting a row out of a record takes longer than copying it
        for cube in range(len(CUBES)):
            at = put(out, at, p.lying[space, cube])
    at = put_seat_rows(out, at, p.hold, viewer, players)
    at = put_seat_rows(out, at, p.built, viewer, players)
    at = put_seat_rows(out, at, p.bonus, viewer, players)
    at = put_seats(out, at, p.bonus_points, viewer, players)
    at = put_seats(out, at, p.claimed, viewer, players)
    for tile in range(len(TILES)):
        owner = int(p.tiles[tile]) - FIRST_OWNER
        at = put(out, at, FIRST_OWNER + owner + int(owner >= 0) * (place_of(owner, viewer, players) - owner))
    at = put_row(out, at, p.bonus_left)
    put_row(out, at, p.lots)
