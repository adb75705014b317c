"""What a seat of Batavia may know, as a row of numbers."""

from __future__ import annotations

from comptoir.engine.observation import Out, Piece, place_of, put, put_one, put_plays, put_row, put_seat_rows, put_seats, seats_of
from comptoir.engine.rule import Box, Position, rule
from comptoir.games.batavia.rules import (
    ARRIVAL_SPACE,
    COMPANIES,
    FIRST_CRATE,
    GOODS,
    MOST_BILLS,
    NO_CRATE,
    PHASES,
    SEATS,
    SPACES,
    STILL_ROUNDS,
)

MOST_SEATS = SEATS.most
_SEATS = seats_of(MOST_SEATS)

PIECES = (
    Piece("phase", "the kind of decision", axes=(PHASES,)),
    Piece("open_setup", "B8: whether the shops lie open from the start"),
    Piece("round", "the round, up to 255", 255),
    Piece("moved", "seats that have had their move in this round", 5),
    Piece("still", "rounds running without a card turned up or moved, and one more", STILL_ROUNDS + 1),
    Piece("decides", "who decides", axes=(_SEATS,)),
    Piece("plays", "which seats play", axes=(_SEATS,)),
    Piece("first", "who holds the boat", axes=(_SEATS,)),
    Piece("lot", "ship cards in the auction", 111, (COMPANIES,)),
    Piece("bid", "the highest bid", MOST_BILLS),
    Piece("bidder", "whose it is", axes=(_SEATS,)),
    Piece("bidding", "who has not passed", axes=(_SEATS,)),
    Piece("bills", "bills of each seat", MOST_BILLS, (_SEATS,)),
    Piece("hand", "the viewer's ship cards", 111, (COMPANIES,)),
    Piece("hand_size", "ship cards in each hand", 111, (_SEATS,)),
    Piece("seen", "the part of each hand that everyone knows: bought in auction and not laid since", 111, (_SEATS, COMPANIES)),
    Piece("unseen", "B17: cards that are in the pile or were drawn from it by others", 111, (COMPANIES,)),
    Piece("pile_size", "cards in the pile", 111),
    Piece("drawn", "what the viewer has drawn from this pile", 111, (COMPANIES,)),
    Piece("drawn_size", "how many cards each seat has drawn from this pile", 111, (_SEATS,)),
    Piece("discards", "discarded ship cards", 111, (COMPANIES,)),
    Piece("laid", "laid ship cards", 111, (_SEATS, COMPANIES)),
    Piece("markers", "laid cards of each company; their sum moves the cannon", 111, (COMPANIES,)),
    Piece("seals", "who has each company's seal", axes=(COMPANIES, _SEATS)),
    Piece("merchants", "the space of each merchant; 0 is the start", ARRIVAL_SPACE, (_SEATS,)),
    Piece(
        "tiles",
        f"each shop tile: 0 face down, 1 to {SPACES} its space, then whose crate took it, and {NO_CRATE} without a crate",
        NO_CRATE,
        (COMPANIES, GOODS),
    ),
    Piece("face_up", "shops turned up", SPACES),
    Piece("held", "shop tiles not traded in", 7, (_SEATS, COMPANIES)),
    Piece("fresh", "the company of the tile just taken", axes=(COMPANIES,)),
    Piece("crates", "crates left", 35, (_SEATS,)),
    Piece("gold", "gold so far", 255, (_SEATS,)),
    Piece("arrival", "who has the arrival tile", axes=(_SEATS,)),
)


@rule
def observe(p: Position, box: Box, viewer: int, out: Out) -> None:
    """B17: the viewer's own hand, and of the others' what everyone saw go in."""
    players = int(p.players)
    at = put_one(out, 0, p.phase, len(PHASES))
    at = put(out, at, p.setup)
    at = put(out, at, p.round_number)
    at = put(out, at, p.moved)
    at = put(out, at, p.still + 1)
    at = put_one(out, at, place_of(p.turn, viewer, players), MOST_SEATS)
    at = put_plays(out, at, players, MOST_SEATS)
    at = put_one(out, at, place_of(p.first, viewer, players), MOST_SEATS)
    at = put_row(out, at, p.lot)
    at = put(out, at, p.bid)
    at = put_one(out, at, place_of(p.bidder, viewer, players), MOST_SEATS)
    at = put_seats(out, at, p.bidding, viewer, players)
    at = put_seats(out, at, p.bills, viewer, players)
    for company in range(len(COMPANIES)):
        out[at + company] = p.hand[viewer, company]
    at += len(COMPANIES)
    at = put_seats(out, at, p.hand_size, viewer, players)
    at = put_seat_rows(out, at, p.seen, viewer, players)
    for company in range(len(COMPANIES)):
        unseen = int(p.pile[company])
        for place in range(players):
            unseen += int(p.drawn[place, company])
        out[at + company] = unseen - int(p.drawn[viewer, company])
    at = put(out, at + len(COMPANIES), p.pile_size)
    for company in range(len(COMPANIES)):
        out[at + company] = p.drawn[viewer, company]
    at += len(COMPANIES)
    at = put_seats(out, at, p.drawn_size, viewer, players)
    at = put_row(out, at, p.discards)
    at = put_seat_rows(out, at, p.laid, viewer, players)
    at = put_row(out, at, p.markers)
    for company in range(len(COMPANIES)):
        at = put_one(out, at, place_of(p.seals[company], viewer, players), MOST_SEATS)
    at = put_seats(out, at, p.merchants, viewer, players)
    for company in range(len(COMPANIES)):
        for good in range(len(GOODS)):
            where = int(p.tiles[company, good])
            owner = where - FIRST_CRATE
            crated = int(FIRST_CRATE <= where) * int(where < NO_CRATE)
            at = put(out, at, where + crated * (place_of(owner, viewer, players) - owner))
    at = put(out, at, p.face_up)
    at = put_seat_rows(out, at, p.held, viewer, players)
    at = put_one(out, at, p.fresh, len(COMPANIES))
    at = put_seats(out, at, p.crates, viewer, players)
    at = put_seats(out, at, p.gold, viewer, players)
    put_one(out, at, place_of(p.arrival, viewer, players), MOST_SEATS)
