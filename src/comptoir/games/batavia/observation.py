"""What a seat of Batavia may know, as a row of numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from comptoir.engine.observation import (
    MAX_VALUE,
    Feature,
    Out,
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
from comptoir.games.batavia.rules import (
    ARRIVAL_SPACE,
    COMPANIES,
    FIRST_CRATE,
    GOODS,
    MAX_BILLS,
    NO_CRATE,
    PHASES,
    SEATS,
    SPACES,
    STILL_ROUNDS,
)

if TYPE_CHECKING:
    from comptoir.games.batavia.records import Box, Position

MAX_SEATS = SEATS.most
_SEATS = seats_of(MAX_SEATS)
OF_A_COMPANY = 22  # in the printed box
SHIP_CARDS = OF_A_COMPANY * len(COMPANIES)

FEATURES = (
    Feature("phase", "the kind of decision", axes=(PHASES,)),
    Feature("open_setup", "B4: whether all shops lie face up from the start"),
    Feature("round", "the round, up to 255", MAX_VALUE),
    Feature(
        "moved",
        "B20: seats that have had their move in this round; during an auction, in the one before",
        MAX_SEATS,
    ),
    Feature(
        "still",
        "B35: whole rounds running without a card turned up or moved, and one more; 0: there was one in this round",
        STILL_ROUNDS + 1,
    ),
    *turn_features(_SEATS),
    Feature("first", "B15: who holds the boat: the auctioneer, then who moves first", axes=(_SEATS,)),
    Feature("lot", "B10: ship cards in the auction, or left over from it", OF_A_COMPANY, (COMPANIES,)),
    Feature("bid", "B12: the highest bid of the last auction; 0: none", MAX_BILLS),
    Feature("bidder", "whose it is", axes=(_SEATS,)),
    Feature("bidding", "B13: who has not passed in that auction", axes=(_SEATS,)),
    Feature(
        "bills",
        "B17: bills of each seat, which follow from the bids that all have heard",
        MAX_BILLS,
        (_SEATS,),
    ),
    Feature("hand", "the viewer's ship cards", OF_A_COMPANY, (COMPANIES,), private=True),
    Feature("hand_size", "ship cards in each hand", SHIP_CARDS, (_SEATS,)),
    Feature(
        "seen",
        "B17: the part of each hand that everyone knows: bought in auction and not laid since",
        OF_A_COMPANY,
        (_SEATS, COMPANIES),
    ),
    Feature(
        "unseen",
        "B18: cards that are in the pile, or that others have drawn from it since it was shuffled",
        OF_A_COMPANY,
        (COMPANIES,),
    ),
    Feature("pile_size", "cards in the pile", SHIP_CARDS),
    Feature(
        "drawn",
        "what the viewer has drawn from the pile since it was shuffled",
        OF_A_COMPANY,
        (COMPANIES,),
        private=True,
    ),
    Feature("drawn_size", "how many cards each seat has drawn from it since then", SHIP_CARDS, (_SEATS,)),
    Feature("discards", "discarded ship cards", OF_A_COMPANY, (COMPANIES,)),
    Feature("laid", "B21: laid ship cards", OF_A_COMPANY, (_SEATS, COMPANIES)),
    Feature(
        "markers",
        "B24: laid cards of each company, of all seats; their sum is where the cannon stands",
        OF_A_COMPANY,
        (COMPANIES,),
    ),
    Feature("seals", "B23: who has each company's seal", axes=(COMPANIES, _SEATS)),
    Feature(
        "merchants",
        f"the space of each merchant; 0 is the start, {ARRIVAL_SPACE} the arrival tile",
        ARRIVAL_SPACE,
        (_SEATS,),
    ),
    Feature(
        "tiles",
        f"B26: each shop tile: 0 face down; 1 to {SPACES} its space; {FIRST_CRATE} taken, with a crate of the viewer, and so on to "
        f"{NO_CRATE - 1} for viewer + {MAX_SEATS - 1}; {NO_CRATE} taken without a crate",
        NO_CRATE,
        (COMPANIES, GOODS),
    ),
    Feature("face_up", "B27: shops turned up so far", SPACES),
    Feature("held", "B28: shop tiles not traded in", len(GOODS), (_SEATS, COMPANIES)),
    Feature(
        "fresh", "B28: the company of the tile just taken, while its owner may trade in", axes=(COMPANIES,)
    ),
    Feature("crates", "crates left", SPACES, (_SEATS,)),
    Feature("gold", "gold so far, without what is only scored at the end", MAX_VALUE, (_SEATS,)),
    Feature("arrival", "B40: who has the arrival tile", axes=(_SEATS,)),
)


@rule
def observe(p: Position, box: Box, viewer: int, out: Out) -> None:
    """B17: the viewer's own hand, and of the others' what everyone saw go in."""
    players = int(p.players)
    at = write_onehot(out, 0, p.phase, len(PHASES))
    at = write_value(out, at, p.setup)
    at = write_value(out, at, p.round_number)
    at = write_value(out, at, p.moved)
    at = write_value(out, at, p.still + 1)
    at = write_turn(out, at, p.turn, viewer, players, MAX_SEATS)
    at = write_seat(out, at, p.first, viewer, players, MAX_SEATS)
    at = write_row(out, at, p.lot)
    at = write_value(out, at, p.bid)
    at = write_seat(out, at, p.bidder, viewer, players, MAX_SEATS)
    at = write_seats(out, at, p.bidding, viewer, players)
    at = write_seats(out, at, p.bills, viewer, players)
    at = write_row(out, at, p.hand[viewer])
    at = write_seats(out, at, p.hand_size, viewer, players)
    at = write_seat_rows(out, at, p.seen, viewer, players)
    for company in range(len(COMPANIES)):
        unseen = int(p.pile[company])
        for seat in range(players):
            unseen += int(p.drawn[seat, company])
        out[at + company] = unseen - int(p.drawn[viewer, company])
    at = write_value(out, at + len(COMPANIES), p.pile_size)
    at = write_row(out, at, p.drawn[viewer])
    at = write_seats(out, at, p.drawn_size, viewer, players)
    at = write_row(out, at, p.discards)
    at = write_seat_rows(out, at, p.laid, viewer, players)
    at = write_row(out, at, p.markers)
    for company in range(len(COMPANIES)):
        at = write_seat(out, at, p.seals[company], viewer, players, MAX_SEATS)
    at = write_seats(out, at, p.merchants, viewer, players)
    for company in range(len(COMPANIES)):
        for good in range(len(GOODS)):
            where = int(p.tiles[company, good])
            owner = where - FIRST_CRATE
            crated = int(FIRST_CRATE <= where) * int(where < NO_CRATE)
            at = write_value(out, at, where + crated * (relative_seat(owner, viewer, players) - owner))
    at = write_value(out, at, p.face_up)
    at = write_seat_rows(out, at, p.held, viewer, players)
    at = write_onehot(out, at, p.fresh, len(COMPANIES))
    at = write_seats(out, at, p.crates, viewer, players)
    at = write_seats(out, at, p.gold, viewer, players)
    write_seat(out, at, p.arrival, viewer, players, MAX_SEATS)
