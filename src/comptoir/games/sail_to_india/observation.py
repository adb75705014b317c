"""What a seat of Sail to India may know, as a row of numbers.

S73: everything is open but the face-down towns.
"""

from __future__ import annotations

from comptoir.engine.observation import (
    Out,
    Piece,
    put,
    put_bits,
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
from comptoir.games.sail_to_india.rules import (
    BOX,
    CARDS,
    ENDINGS,
    FASTEST,
    GOODS,
    KEEPS,
    LAST_ROUND,
    MARKERS,
    PHASES,
    SEATS,
    SHORTER,
    SPACES,
    TECHNOLOGIES,
    TOWNS,
    USES,
)

MOST_SEATS = SEATS.most
_SEATS = seats_of(MOST_SEATS)
# a sale's is the largest gain (S27), and Banking may add to it (S56)
MOST_VP_DUE = BOX.fields["sale_vp"].high + 1
MOST_WEALTH_DUE = BOX.fields["sale_wealth"].high + 1  # with Manufacture (S57)
_TOWNS = tuple(f"town {n}" for n in range(1, TOWNS + 1))
_BOXED = tuple(f"card {n}" for n in range(1, SHORTER + 1))

PIECES = (
    Piece("phase", "S34: the kind of decision", axes=(PHASES,)),
    Piece("recalling", "S31: whether the markers that may return to Lisbon are offered now"),
    Piece("round", "the round", LAST_ROUND + 1),
    Piece("decides", "who decides", axes=(_SEATS,)),
    Piece("plays", "which seats play", axes=(_SEATS,)),
    Piece("first", "who began", axes=(_SEATS,)),
    Piece("closing", "S70: what has triggered the end", axes=(ENDINGS,)),
    Piece("closer", "S70: who has triggered it", axes=(_SEATS,)),
    Piece("india", "S25: who has discovered the last town", axes=(_SEATS,)),
    Piece("face_up", "towns that are face up", TOWNS),
    Piece(
        "row",
        f"S2: the card of each town, 1 for {CARDS[0]} to {len(CARDS)} for {CARDS[-1]}; 0: face down, or there is no such town",
        len(CARDS),
        (_TOWNS,),
    ),
    Piece(
        "boxed",
        "S2: the cards that three players put back into the box, in the same way",
        len(CARDS),
        (_BOXED,),
    ),
    Piece("reserve", "S4: markers in reserve", MARKERS, (_SEATS,)),
    Piece("lisbon", "markers on Lisbon", MARKERS, (_SEATS,)),
    Piece("ships", "S24: ships in the sea of each town", MARKERS, (_SEATS, _TOWNS)),
    Piece(
        "land",
        "S26, S28: goods and building spaces with a marker: a and b are goods, c and d buildings",
        axes=(_SEATS, SPACES),
    ),
    Piece("wealth", "S10: wealth; a banker for every 5 or part of 5", MARKERS * KEEPS, (_SEATS,)),
    Piece(
        "vp",
        "S12: victory points on the History card; a historian for every 5 or part of 5",
        MARKERS * KEEPS,
        (_SEATS,),
    ),
    Piece("speed", "S30: speed of ships", FASTEST, (_SEATS,)),
    Piece("scientists", "S29: scientists left", BOX.fields["start_scientists"].high, (_SEATS,)),
    Piece("technologies", "who has each technology", axes=(TECHNOLOGIES, _SEATS)),
    Piece("points", "S20: action points left", 2),
    Piece("discovered", "S23: whether a town was discovered in this turn"),
    Piece("voyage", "S54: whether a ship has sailed in this turn"),
    Piece(
        "geography", "S51: whether Geography is still to be used in this turn, in use or used", axes=(USES,)
    ),
    Piece("printed", "S52: whether the Printing press has paid in this turn"),
    Piece("built", "S54: whether Architecture has built in this turn"),
    Piece("banked", "S56: whether Banking was used in this turn"),
    Piece(
        "sailed",
        "S33: of the ships of the seat that decides, in each town, those that have sailed in this action",
        MARKERS,
        (_TOWNS,),
    ),
    Piece("home", "S33: and of its markers on Lisbon", MARKERS),
    Piece("chronicler", "S33: and whether its latest historian has"),
    Piece(
        "departed", "S53: ships that have left Lisbon or the sea of an own stronghold in this action", MARKERS
    ),
    Piece("sold", "S27: goods sold in this action", axes=(GOODS,)),
    Piece("vp_due", "S15: victory points gained and not kept yet", MOST_VP_DUE),
    Piece("wealth_due", "S15: wealth gained and not kept yet", MOST_WEALTH_DUE),
)


@rule
def observe(p: Position, box: Box, viewer: int, out: Out) -> None:
    """S73: everything on the table; face-down towns are nowhere until they are turned up."""
    players = int(p.players)
    at = put_one(out, 0, p.phase, len(PHASES))
    at = put(out, at, p.recalling)
    at = put(out, at, p.round_number)
    at = put_seat(out, at, p.turn, viewer, players, MOST_SEATS)
    at = put_plays(out, at, players, MOST_SEATS)
    at = put_seat(out, at, p.first, viewer, players, MOST_SEATS)
    at = put_one(out, at, p.closing, len(ENDINGS))
    at = put_seat(out, at, p.closer, viewer, players, MOST_SEATS)
    at = put_seat(out, at, p.india, viewer, players, MOST_SEATS)
    at = put(out, at, p.face_up)
    for town in range(TOWNS):
        at = put(out, at, p.row[town] + 1)
    for card in range(SHORTER):
        at = put(out, at, p.boxed[card] + 1)
    at = put_seats(out, at, p.reserve, viewer, players)
    at = put_seats(out, at, p.lisbon, viewer, players)
    at = put_seat_rows(out, at, p.ships, viewer, players)
    for place in range(MOST_SEATS):
        at = put_bits(
            out, at, int(p.land[seat_at(place, viewer, players)]) * int(place < players), len(SPACES)
        )
    at = put_seats(out, at, p.wealth, viewer, players)
    at = put_seats(out, at, p.vp, viewer, players)
    at = put_seats(out, at, p.speed, viewer, players)
    at = put_seats(out, at, p.scientists, viewer, players)
    for technology in range(len(TECHNOLOGIES)):
        at = put_seat(out, at, p.technologies[technology], viewer, players, MOST_SEATS)
    at = put(out, at, p.points)
    at = put(out, at, p.discovered)
    at = put(out, at, p.voyage)
    at = put_one(out, at, p.geography, len(USES))
    at = put(out, at, p.printed)
    at = put(out, at, p.built)
    at = put(out, at, p.banked)
    at = put_row(out, at, p.sailed)
    at = put(out, at, p.home)
    at = put(out, at, p.chronicler)
    at = put(out, at, p.departed)
    at = put_bits(out, at, int(p.sold), len(GOODS))
    at = put(out, at, p.vp_due)
    put(out, at, p.wealth_due)
