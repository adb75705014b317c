"""What a seat of Sail to India may know, as a row of numbers.

S73: everything is open but the face-down towns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from comptoir.engine.observation import (
    Feature,
    Out,
    seats_of,
    turn_features,
    write_bits,
    write_onehot,
    write_row,
    write_seat,
    write_seat_bits,
    write_seat_rows,
    write_seats,
    write_turn,
    write_value,
)
from comptoir.engine.rule import rule
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

if TYPE_CHECKING:
    from comptoir.games.sail_to_india.records import Box, Position

MAX_SEATS = SEATS.most
_SEATS = seats_of(MAX_SEATS)
# a sale's is the largest gain (S27), and Banking may add to it (S56)
MAX_VP_DUE = BOX.fields["sale_vp"].high + 1
MAX_WEALTH_DUE = BOX.fields["sale_wealth"].high + 1  # with Manufacture (S57)
_TOWNS = tuple(f"town {n}" for n in range(1, TOWNS + 1))
_BOXED = tuple(f"card {n}" for n in range(1, SHORTER + 1))

FEATURES = (
    Feature("phase", "S34: the kind of decision", axes=(PHASES,)),
    Feature("recalling", "S31: whether the markers that may return to Lisbon are offered now"),
    Feature("round", "the round", LAST_ROUND + 1),
    *turn_features(_SEATS),
    Feature("first", "who began", axes=(_SEATS,)),
    Feature("closing", "S70: what has triggered the end", axes=(ENDINGS,)),
    Feature("closer", "S70: who has triggered it", axes=(_SEATS,)),
    Feature("india", "S25: who has discovered the last town", axes=(_SEATS,)),
    Feature("face_up", "towns that are face up", TOWNS),
    Feature(
        "row",
        f"S2: the card of each town, 1 for {CARDS[0]} to {len(CARDS)} for {CARDS[-1]}; 0: face down, or there is no such town",
        len(CARDS),
        (_TOWNS,),
    ),
    Feature(
        "boxed",
        "S2: the cards that three players put back into the box, in the same way",
        len(CARDS),
        (_BOXED,),
    ),
    Feature("reserve", "S4: markers in reserve", MARKERS, (_SEATS,)),
    Feature("lisbon", "markers on Lisbon", MARKERS, (_SEATS,)),
    Feature("ships", "S24: ships in the sea of each town", MARKERS, (_SEATS, _TOWNS)),
    Feature(
        "land",
        "S26, S28: goods and building spaces with a marker: a and b are goods, c and d buildings",
        axes=(_SEATS, SPACES),
    ),
    Feature("wealth", "S10: wealth; a banker for every 5 or part of 5", MARKERS * KEEPS, (_SEATS,)),
    Feature(
        "vp",
        "S12: victory points on the History card; a historian for every 5 or part of 5",
        MARKERS * KEEPS,
        (_SEATS,),
    ),
    Feature("speed", "S30: speed of ships", FASTEST, (_SEATS,)),
    Feature("scientists", "S29: scientists left", BOX.fields["start_scientists"].high, (_SEATS,)),
    Feature("technologies", "who has each technology", axes=(TECHNOLOGIES, _SEATS)),
    Feature("points", "S20: action points left", 2),
    Feature("discovered", "S23: whether a town was discovered in this turn"),
    Feature("voyage", "S54: whether a ship has sailed in this turn"),
    Feature(
        "geography", "S51: whether Geography is still to be used in this turn, in use or used", axes=(USES,)
    ),
    Feature("printed", "S52: whether the Printing press has paid in this turn"),
    Feature("built", "S54: whether Architecture has built in this turn"),
    Feature("banked", "S56: whether Banking was used in this turn"),
    Feature(
        "sailed",
        "S33: of the ships of the seat that decides, in each town, those that have sailed in this action",
        MARKERS,
        (_TOWNS,),
    ),
    Feature("home", "S33: and of its markers on Lisbon", MARKERS),
    Feature("chronicler", "S33: and whether its latest historian has"),
    Feature(
        "departed", "S53: ships that have left Lisbon or the sea of an own stronghold in this action", MARKERS
    ),
    Feature("sold", "S27: goods sold in this action", axes=(GOODS,)),
    Feature("vp_due", "S15: victory points gained and not kept yet", MAX_VP_DUE),
    Feature("wealth_due", "S15: wealth gained and not kept yet", MAX_WEALTH_DUE),
)


@rule
def observe(p: Position, box: Box, viewer: int, out: Out) -> None:
    """S73: everything on the table; face-down towns are nowhere until they are turned up."""
    players = int(p.players)
    at = write_onehot(out, 0, p.phase, len(PHASES))
    at = write_value(out, at, p.recalling)
    at = write_value(out, at, p.round_number)
    at = write_turn(out, at, p.turn, viewer, players, MAX_SEATS)
    at = write_seat(out, at, p.first, viewer, players, MAX_SEATS)
    at = write_onehot(out, at, p.closing, len(ENDINGS))
    at = write_seat(out, at, p.closer, viewer, players, MAX_SEATS)
    at = write_seat(out, at, p.india, viewer, players, MAX_SEATS)
    at = write_value(out, at, p.face_up)
    for town in range(TOWNS):
        at = write_value(out, at, p.row[town] + 1)
    for card in range(SHORTER):
        at = write_value(out, at, p.boxed[card] + 1)
    at = write_seats(out, at, p.reserve, viewer, players)
    at = write_seats(out, at, p.lisbon, viewer, players)
    at = write_seat_rows(out, at, p.ships, viewer, players)
    at = write_seat_bits(out, at, p.land, viewer, players, len(SPACES))
    at = write_seats(out, at, p.wealth, viewer, players)
    at = write_seats(out, at, p.vp, viewer, players)
    at = write_seats(out, at, p.speed, viewer, players)
    at = write_seats(out, at, p.scientists, viewer, players)
    for technology in range(len(TECHNOLOGIES)):
        at = write_seat(out, at, p.technologies[technology], viewer, players, MAX_SEATS)
    at = write_value(out, at, p.points)
    at = write_value(out, at, p.discovered)
    at = write_value(out, at, p.voyage)
    at = write_onehot(out, at, p.geography, len(USES))
    at = write_value(out, at, p.printed)
    at = write_value(out, at, p.built)
    at = write_value(out, at, p.banked)
    at = write_row(out, at, p.sailed)
    at = write_value(out, at, p.home)
    at = write_value(out, at, p.chronicler)
    at = write_value(out, at, p.departed)
    at = write_bits(out, at, int(p.sold), len(GOODS))
    at = write_value(out, at, p.vp_due)
    write_value(out, at, p.wealth_due)
