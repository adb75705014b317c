"""What a seat of Marco Polo Expedition may know, as a row of numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from comptoir.engine.counts import add, subtract
from comptoir.engine.observation import (
    MAX_VALUE,
    Feature,
    Out,
    absolute_seat,
    seats_of,
    turn_features,
    write_counts,
    write_onehot,
    write_row,
    write_seat,
    write_seat_bits,
    write_seat_counts,
    write_seats,
    write_turn,
    write_value,
)
from comptoir.engine.rule import rule
from comptoir.games.marco_polo.rules import BOX, CARDS, MAX_STEPS, PHASES, SEATS, STILL_ROUNDS

if TYPE_CHECKING:
    from comptoir.games.marco_polo.records import Box, Position

MAX_SEATS = SEATS.most
_SEATS = seats_of(MAX_SEATS)
CAMELS = ("first camel", "second camel")
TRACK = tuple(f"space {n}" for n in range(MAX_STEPS))
OF_A_KIND = BOX.fields["cards"].high
ALL_CARDS = OF_A_KIND * len(CARDS)

FEATURES = (
    Feature(
        "phase",
        "the kind of decision: a turn, or a step that has been begun and must be completed",
        axes=(PHASES,),
    ),
    Feature("strategic", "M41: whether two players play the strategic variant"),
    Feature(
        "still",
        "M32: turns running in which nothing moved or was drawn, and one more; 0: something has moved in this turn",
        STILL_ROUNDS * MAX_SEATS + 1,
    ),
    Feature("moving", "M40: the camel that moves, 1 or 2; 0 until one of two is chosen", len(CAMELS)),
    Feature(
        "stopped",
        "M20, M40: camels of the seat that decides that may not move any more in this turn",
        axes=(CAMELS,),
    ),
    Feature("lightened", "M15: whether gold has been paid for a step in this turn"),
    Feature("scored", "M20: whether the first scoring has taken place"),
    *turn_features(_SEATS),
    Feature("first", "who began", axes=(_SEATS,)),
    Feature(
        "camels",
        "the space of each camel, and one more: 1 is Ormuz; 0: there is no such camel",
        MAX_STEPS,
        (_SEATS, CAMELS),
    ),
    Feature("reached", "M19: spaces that a seat's camels have reached", axes=(_SEATS, TRACK)),
    Feature("gold", "gold so far", MAX_VALUE, (_SEATS,)),
    Feature("hand", "the viewer's cards", OF_A_KIND, (CARDS,), private=True),
    Feature("hand_size", "cards in each hand", ALL_CARDS, (_SEATS,)),
    Feature(
        "seen",
        "M18: the part of each hand that everyone knows: taken from the row and not laid since",
        OF_A_KIND,
        (_SEATS, CARDS),
    ),
    Feature("paid", "M11: cards laid for the step that has been begun", OF_A_KIND, (CARDS,)),
    Feature("row", "M17: the open cards", OF_A_KIND, (CARDS,)),
    Feature("row_size", "how many open cards there are", BOX.fields["start_row"].high),
    Feature(
        "unseen",
        "M17: cards that are in the pile, or that others have drawn from it since it was shuffled",
        OF_A_KIND,
        (CARDS,),
    ),
    Feature("pile_size", "cards in the pile", ALL_CARDS),
    Feature(
        "drawn",
        "what the viewer has drawn from the pile since it was shuffled",
        OF_A_KIND,
        (CARDS,),
        private=True,
    ),
    Feature("drawn_size", "how many cards each seat has drawn from it since then", ALL_CARDS, (_SEATS,)),
    Feature("discards", "discarded cards", OF_A_KIND, (CARDS,)),
)


@rule
def observe(p: Position, box: Box, viewer: int, out: Out) -> None:
    """M18: the viewer's own hand, and of the others' what everyone saw go in."""
    players = int(p.players)
    at = write_onehot(out, 0, p.phase, len(PHASES))
    at = write_value(out, at, p.two_players)
    at = write_value(out, at, p.still + 1)
    at = write_value(out, at, p.moving + 1)
    at = write_row(out, at, p.stopped)
    at = write_value(out, at, p.lightened)
    at = write_value(out, at, p.scored)
    at = write_turn(out, at, p.turn, viewer, players, MAX_SEATS)
    at = write_seat(out, at, p.first, viewer, players, MAX_SEATS)
    for place in range(MAX_SEATS):
        seat = absolute_seat(place, viewer, players)
        for camel in range(len(CAMELS)):
            at = write_value(out, at, (int(p.camels[seat, camel]) + 1) * int(place < players))
    at = write_seat_bits(out, at, p.reached, viewer, players, MAX_STEPS)
    at = write_seats(out, at, p.gold, viewer, players)
    at = write_counts(out, at, int(p.hand[viewer]), len(CARDS))
    at = write_seats(out, at, p.hand_size, viewer, players)
    at = write_seat_counts(out, at, p.seen, viewer, players, len(CARDS))
    at = write_counts(out, at, int(p.paid), len(CARDS))
    at = write_counts(out, at, int(p.row), len(CARDS))
    at = write_value(out, at, p.row_size)
    unseen = int(p.pile)
    for seat in range(players):
        unseen = add(unseen, int(p.drawn[seat]))
    at = write_counts(out, at, subtract(unseen, int(p.drawn[viewer])), len(CARDS))
    at = write_value(out, at, p.pile_size)
    at = write_counts(out, at, int(p.drawn[viewer]), len(CARDS))
    at = write_seats(out, at, p.drawn_size, viewer, players)
    write_counts(out, at, int(p.discards), len(CARDS))
