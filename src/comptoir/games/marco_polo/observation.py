"""What a seat of Marco Polo Expedition may know, as a row of numbers."""

from __future__ import annotations

from comptoir.engine.counts import minus, plus
from comptoir.engine.observation import (
    MOST,
    Out,
    Piece,
    put,
    put_bits,
    put_counts,
    put_one,
    put_plays,
    put_row,
    put_seat,
    put_seats,
    seat_at,
    seats_of,
)
from comptoir.engine.rule import Box, Position, rule
from comptoir.games.marco_polo.rules import BOX, CARDS, MOST_STEPS, PHASES, SEATS, STILL_ROUNDS

MOST_SEATS = SEATS.most
_SEATS = seats_of(MOST_SEATS)
CAMELS = ("first camel", "second camel")
TRACK = tuple(f"space {n}" for n in range(MOST_STEPS))
OF_A_KIND = BOX.fields["cards"].high
ALL_CARDS = OF_A_KIND * len(CARDS)

PIECES = (
    Piece(
        "phase",
        "the kind of decision: a turn, or a step that has been begun and must be completed",
        axes=(PHASES,),
    ),
    Piece("strategic", "M41: whether two players play the strategic variant"),
    Piece(
        "still",
        "M32: turns running in which nothing moved or was drawn, and one more; 0: something has moved in this turn",
        STILL_ROUNDS * MOST_SEATS + 1,
    ),
    Piece("moving", "M40: the camel that moves, 1 or 2; 0 until one of two is chosen", len(CAMELS)),
    Piece(
        "stopped",
        "M20, M40: camels of the seat that decides that may not move any more in this turn",
        axes=(CAMELS,),
    ),
    Piece("lightened", "M15: whether gold has been paid for a step in this turn"),
    Piece("scored", "M20: whether the first scoring has taken place"),
    Piece("decides", "who decides", axes=(_SEATS,)),
    Piece("plays", "which seats play", axes=(_SEATS,)),
    Piece("first", "who began", axes=(_SEATS,)),
    Piece(
        "camels",
        "the space of each camel, and one more: 1 is Ormuz; 0: there is no such camel",
        MOST_STEPS,
        (_SEATS, CAMELS),
    ),
    Piece("reached", "M19: spaces that a seat's camels have reached", axes=(_SEATS, TRACK)),
    Piece("gold", "gold so far", MOST, (_SEATS,)),
    Piece("hand", "the viewer's cards", OF_A_KIND, (CARDS,)),
    Piece("hand_size", "cards in each hand", ALL_CARDS, (_SEATS,)),
    Piece(
        "seen",
        "M18: the part of each hand that everyone knows: taken from the row and not laid since",
        OF_A_KIND,
        (_SEATS, CARDS),
    ),
    Piece("paid", "M11: cards laid for the step that has been begun", OF_A_KIND, (CARDS,)),
    Piece("row", "M17: the open cards", OF_A_KIND, (CARDS,)),
    Piece("row_size", "how many open cards there are", BOX.fields["start_row"].high),
    Piece(
        "unseen",
        "M17: cards that are in the pile, or that others have drawn from it since it was shuffled",
        OF_A_KIND,
        (CARDS,),
    ),
    Piece("pile_size", "cards in the pile", ALL_CARDS),
    Piece("drawn", "what the viewer has drawn from the pile since it was shuffled", OF_A_KIND, (CARDS,)),
    Piece("drawn_size", "how many cards each seat has drawn from it since then", ALL_CARDS, (_SEATS,)),
    Piece("discards", "discarded cards", OF_A_KIND, (CARDS,)),
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
    at = put_seat(out, at, p.turn, viewer, players, MOST_SEATS)
    at = put_plays(out, at, players, MOST_SEATS)
    at = put_seat(out, at, p.first, viewer, players, MOST_SEATS)
    for place in range(MOST_SEATS):
        seat = seat_at(place, viewer, players)
        for camel in range(len(CAMELS)):
            at = put(out, at, (int(p.camels[seat, camel]) + 1) * int(place < players))
    for place in range(MOST_SEATS):
        at = put_bits(
            out, at, int(p.reached[seat_at(place, viewer, players)]) * int(place < players), MOST_STEPS
        )
    at = put_seats(out, at, p.gold, viewer, players)
    at = put_counts(out, at, int(p.hand[viewer]), len(CARDS))
    at = put_seats(out, at, p.hand_size, viewer, players)
    for place in range(MOST_SEATS):
        at = put_counts(
            out, at, int(p.seen[seat_at(place, viewer, players)]) * int(place < players), len(CARDS)
        )
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
