"""What a seat of Sail to India may know, as a row of numbers. S73: everything is open but the face-down towns."""

from __future__ import annotations

from comptoir.engine.observation import (
    Out,
    Piece,
    place_of,
    put,
    put_bits,
    put_one,
    put_plays,
    put_row,
    put_seat_rows,
    put_seats,
    seat_at,
    seats_of,
)
from comptoir.engine.rule import Box, Position, rule
from comptoir.games.sail_to_india.rules import (
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
_TOWNS = tuple(f"town {n}" for n in range(1, TOWNS + 1))

PIECES = (
    Piece("phase", "the kind of decision", axes=(PHASES,)),
    Piece("free_returns", "whether ships return for nothing"),
    Piece("round", "the round", LAST_ROUND),
    Piece("decides", "who decides", axes=(_SEATS,)),
    Piece("plays", "which seats play", axes=(_SEATS,)),
    Piece("first", "who began", axes=(_SEATS,)),
    Piece("closing", "what has triggered the end", axes=(ENDINGS,)),
    Piece("closer", "who has", axes=(_SEATS,)),
    Piece("india", "who has discovered the last town", axes=(_SEATS,)),
    Piece("face_up", "towns that are face up", TOWNS),
    Piece("row", "the card of each town, from 1; 0 is face down or no town", len(CARDS), (_TOWNS,)),
    Piece("boxed", "cards in the box, from 1; 0 for none", len(CARDS), (tuple(f"card {n}" for n in range(1, SHORTER + 1)),)),
    Piece("reserve", "markers in the reserve", MARKERS, (_SEATS,)),
    Piece("lisbon", "markers on Lisbon", MARKERS, (_SEATS,)),
    Piece("ships", "ships in the sea of each town", MARKERS, (_SEATS, _TOWNS)),
    Piece("land", "spaces of towns with a marker", axes=(_SEATS, SPACES)),
    Piece("wealth", "wealth", MARKERS * KEEPS, (_SEATS,)),
    Piece("vp", "victory points", MARKERS * KEEPS, (_SEATS,)),
    Piece("speed", "speed of ships", FASTEST, (_SEATS,)),
    Piece("scientists", "scientists left", 255, (_SEATS,)),
    Piece("technologies", "who has each technology", axes=(TECHNOLOGIES, _SEATS)),
    Piece("points", "action points left", 2),
    Piece("discovered", "whether a town was discovered in this turn"),
    Piece("voyage", "whether a ship has sailed in this turn"),
    Piece("geography", "whether geography can be used", axes=(USES,)),
    Piece("printed", "whether the printing press has paid in this turn"),
    Piece("built", "whether architecture has built in this turn"),
    Piece("banked", "whether a bank was used in this turn"),
    Piece("sailed", "ships in each town that have sailed in this action", MARKERS, (_TOWNS,)),
    Piece("home", "markers on Lisbon that have sailed in this action", MARKERS),
    Piece("departed", "ships that have left Lisbon or an own stronghold", MARKERS),
    Piece("sold", "goods sold in this action", axes=(GOODS,)),
    Piece("vp_due", "victory points gained and not kept yet", 255),
    Piece("wealth_due", "wealth gained and not kept yet", 255),
)


@rule
def observe(p: Position, box: Box, viewer: int, out: Out) -> None:
    """S73: everything on the table; face-down towns are nowhere until they are turned up."""
    players = int(p.players)
    at = put_one(out, 0, p.phase, len(PHASES))
    at = put(out, at, p.free_returns)
    at = put(out, at, p.round_number)
    at = put_one(out, at, place_of(p.turn, viewer, players), MOST_SEATS)
    at = put_plays(out, at, players, MOST_SEATS)
    at = put_one(out, at, place_of(p.first, viewer, players), MOST_SEATS)
    at = put_one(out, at, p.closing, len(ENDINGS))
    at = put_one(out, at, place_of(p.closer, viewer, players), MOST_SEATS)
    at = put_one(out, at, place_of(p.india, viewer, players), MOST_SEATS)
    at = put(out, at, p.face_up)
    for town in range(TOWNS):
        at = put(out, at, p.row[town] + 1)
    for card in range(SHORTER):
        at = put(out, at, p.boxed[card] + 1)
    at = put_seats(out, at, p.reserve, viewer, players)
    at = put_seats(out, at, p.lisbon, viewer, players)
    at = put_seat_rows(out, at, p.ships, viewer, players)
    for place in range(MOST_SEATS):
        at = put_bits(out, at, int(p.land[seat_at(place, viewer, players)]) * int(place < players), len(SPACES))
    at = put_seats(out, at, p.wealth, viewer, players)
    at = put_seats(out, at, p.vp, viewer, players)
    at = put_seats(out, at, p.speed, viewer, players)
    at = put_seats(out, at, p.scientists, viewer, players)
    for technology in range(len(TECHNOLOGIES)):
        at = put_one(out, at, place_of(p.technologies[technology], viewer, players), MOST_SEATS)
    at = put(out, at, p.points)
    at = put(out, at, p.discovered)
    at = put(out, at, p.voyage)
    at = put_one(out, at, p.geography, len(USES))
    at = put(out, at, p.printed)
    at = put(out, at, p.built)
    at = put(out, at, p.banked)
    at = put_row(out, at, p.sailed)
    at = put(out, at, p.home)
    at = put(out, at, p.departed)
    at = put_bits(out, at, int(p.sold), len(GOODS))
    at = put(out, at, p.vp_due)
    put(out, at, p.wealth_due)
