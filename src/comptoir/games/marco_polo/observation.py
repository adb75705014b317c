"""What a seat of Marco Polo Expedition may know, as a row of numbers."""

from __future__ import annotations

from comptoir.engine.counts import minus, plus
from comptoir.engine.observation import (
    Out,
    Piece,
    place_of,
    put,
    put_bits,
    put_counts,
    put_one,
    put_plays,
    put_row,
    put_seats,
    seat_at,
    seats_of,
)
from comptoir.engine.rule import Box, Position, rule
from comptoir.games.marco_polo.rules import CARDS, MOST_STEPS, PHASES, SEATS, STILL_ROUNDS

MOST_SEATS = SEATS.most
_SEATS = seats_of(MOST_SEATS)
CAMELS = ("first camel", "second camel")

PIECES = (
    Piece("phase", "the kind of decision", axes=(PHASES,)),
    Piece("strategic", "M41: whether two players play the strategic variant"),
    Piece("still", "turns running in which nothing moved or was drawn, and one more", STILL_ROUNDS * 5 + 1),
    Piece("moving", "the camel that moves: 0 until one is chosen", 2),
    Piece("stopped", "camels that may not move any more in this turn", axes=(CAMELS,)),
    Piece("lightened", "whether a card was discarded in this turn"),
    Piece("scored", "whether the first scoring has taken place"),
    Piece("decides", "who decides", axes=(_SEATS,)),
    Piece("plays", "which seats play", axes=(_SEATS,)),
    Piece("first", "who began", axes=(_SEATS,)),
    Piece("camels", "the space of each camel, and one more; 0: there is none", MOST_STEPS + 1, (_SEATS, CAMELS)),
    Piece("reached", "spaces that a seat's camels have reached", axes=(_SEATS, tuple(str(n) for n in range(MOST_STEPS + 1)))),
    Piece("gold", "gold so far", 255, (_SEATS,)),
    Piece("hand", "the viewer's cards", 3, (CARDS,)),
    Piece("hand_size", "cards in each hand", 100, (_SEATS,)),
    Piece("seen", "the part of each hand that everyone knows: taken from the row and not laid since", 3, (_SEATS, CARDS)),
    Piece("paid", "cards laid for the step that has been begun", 3, (CARDS,)),
    Piece("row", "cards in the row", 3, (CARDS,)),
    Piece("row_size", "how many cards lie in the row", 10),
    Piece("unseen", "M18: cards that are in the pile or were drawn from it by others", 3, (CARDS,)),
    Piece("pile_size", "cards in the pile", 100),
    Piece("drawn", "what the viewer has drawn from this pile", 3, (CARDS,)),
    Piece("drawn_size", "how many cards each seat has drawn from this pile", 100, (_SEATS,)),
    Piece("discards", "discarded cards", 3, (CARDS,)),
)


@rule
def observe(p: Position, box: Box, viewer: int, out: Out) -> None:
    """M18: the viewer's own hand, and of the others' what everyone saw go in."""
    players = int(p.players)
    at = put_one(out, 0, p.phase, len(PHASES))
    at = put(out, at, p.two_players)
    at = put(out, at, p.still + 1)
    at = put(out, at, p.moving + 1)
    at = put_row(out, at, p.stopped)
    at = put(out, at, p.lightened)
    at = put(out, at, p.scored)
    at = put_one(out, at, place_of(p.turn, viewer, players), MOST_SEATS)
    at = put_plays(out, at, players, MOST_SEATS)
    at = put_one(out, at, place_of(p.first, viewer, players), MOST_SEATS)
    for place in range(MOST_SEATS):
        seat = seat_at(place, viewer, players)
        for camel in range(len(CAMELS)):
            at = put(out, at, (int(p.camels[seat, camel]) + 1) * int(place < players))
    for place in range(MOST_SEATS):
        at = put_bits(out, at, int(p.reached[seat_at(place, viewer, players)]) * int(place < players), MOST_STEPS + 1)
    at = put_seats(out, at, p.gold, viewer, players)
    at = put_counts(out, at, int(p.hand[viewer]), len(CARDS))
    at = put_seats(out, at, p.hand_size, viewer, players)
    for place in range(MOST_SEATS):
        at = put_counts(out, at, int(p.seen[seat_at(place, viewer, players)]) * int(place < players), len(CARDS))
    at = put_counts(out, at, int(p.paid), len(CARDS))
    at = put_counts(out, at, int(p.row), len(CARDS))
    at = put(out, at, p.row_size)
    unseen = int(p.pile)
    for seat in range(players):
        unseen = plus(unseen, int(p.drawn[seat]))
    at = put_counts(out, at, minus(unseen, int(p.drawn[viewer])), len(CARDS))
    at = put(out, at, p.pile_size)
    at = put_counts(out, at, int(p.drawn[viewer]), len(CARDS))
    at = put_seats(out, at, p.drawn_size, viewer, players)
    put_counts(out, at, int(p.discards), len(CARDS))
