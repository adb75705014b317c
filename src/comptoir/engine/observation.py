"""What a seat may know, as a row of small numbers for programs that learn.

A game's `observation.py` lists the features of the row in FEATURES, and the rule `observe` writes them in
that order. Seats come in the viewer's order: itself first, then those that follow it; seats that do not play
are zeros. So a network sees the game from its own seat, and one shape serves every number of players. Every
entry is a byte from 0 to its feature's `high`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from comptoir.engine.counts import how_many
from comptoir.engine.rule import rule

Out: TypeAlias = NDArray[np.uint8]
MAX_VALUE = 255  # what an entry can hold; larger numbers stop there


@dataclass(frozen=True)
class Feature:
    """A named part of an observation: what lies along its axes, how high its numbers go, and what they
    mean.

    A private one is what the viewer alone knows: the same part of another seat's observation is hidden.
    """

    name: str
    description: str
    high: int = 1
    axes: tuple[tuple[str, ...], ...] = ()
    private: bool = False

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(len(axis) for axis in self.axes)

    @property
    def size(self) -> int:
        return math.prod(self.shape)


def seats_of(most: int) -> tuple[str, ...]:
    """The axis of seats, in the viewer's order."""
    return ("viewer", *(f"viewer + {n}" for n in range(1, most)))


def turn_features(seats: tuple[str, ...]) -> tuple[Feature, Feature]:
    """What `write_turn` writes; `seats` is the axis of seats."""
    return Feature("decides", "who decides", axes=(seats,)), Feature(
        "plays", "which seats play", axes=(seats,)
    )


class ObservationLayout:
    """The pieces of a game's observation, and where each lies in the row."""

    def __init__(self, pieces: tuple[Feature, ...]) -> None:
        self.pieces = pieces
        ends = np.cumsum([piece.size for piece in pieces]).tolist()
        self.size: int = ends[-1]
        self.slices = {
            piece.name: slice(end - piece.size, end) for piece, end in zip(pieces, ends, strict=True)
        }

    @cached_property
    def high(self) -> Out:
        """The highest value of each entry: dividing by it brings all between 0 and 1."""
        return np.concatenate([np.full(piece.size, piece.high, np.uint8) for piece in self.pieces])

    @cached_property
    def private_entries(self) -> NDArray[np.int32]:
        """The places of the private entries in the row."""
        places = [
            np.arange(self.size, dtype=np.int32)[self.slices[piece.name]]
            for piece in self.pieces
            if piece.private
        ]
        return np.concatenate([np.zeros(0, np.int32), *places])

    def split(self, observations: NDArray[np.uint8]) -> dict[str, NDArray[np.uint8]]:
        """An observation, or an array of them, as its pieces by name, each in its shape; nothing is
        copied.
        """
        lead = observations.shape[:-1]
        return {
            piece.name: observations[..., self.slices[piece.name]].reshape((*lead, *piece.shape))
            for piece in self.pieces
        }

    def label(self, entry: int) -> str:
        """What an entry is: `hand[denmark]`."""
        piece = next(piece for piece in self.pieces if entry < self.slices[piece.name].stop)
        where = np.unravel_index(entry - self.slices[piece.name].start, piece.shape) if piece.axes else ()
        words = ", ".join(axis[int(n)] for axis, n in zip(piece.axes, where, strict=True))
        return f"{piece.name}[{words}]" if words else piece.name


# What `observe` is written with. Each puts something at a place of the row, and returns the place after it.
# Conditions are used as numbers rather than branched on: a processor cannot predict whose turn it is, and a
# wrong prediction costs more than all else.


@rule
def write_value(out: Out, at: int, value: int) -> int:
    out[at] = min(int(value), MAX_VALUE)
    return at + 1


@rule
def write_row(out: Out, at: int, row: NDArray[np.integer]) -> int:
    for n in range(len(row)):
        out[at + n] = min(int(row[n]), MAX_VALUE)
    return at + len(row)


@rule
def write_onehot(out: Out, at: int, which: int, many: int) -> int:
    """A 1 at one of many places, or at none (-1)."""
    for n in range(many):
        out[at + n] = which == n
    return at + many


@rule
def write_bits(out: Out, at: int, members: int, many: int) -> int:
    """A set of numbers, one bit each, as 0s and 1s."""
    for n in range(many):
        out[at + n] = members >> n & 1
    return at + many


@rule
def write_counts(out: Out, at: int, counts: int, kinds: int) -> int:
    """How many there are of each kind, out of counts packed into one word."""
    for kind in range(kinds):
        out[at + kind] = how_many(counts, kind)
    return at + kinds


@rule
def relative_seat(seat: int, viewer: int, players: int) -> int:
    """Where a seat stands in the viewer's order; -1 for nobody."""
    seat = int(seat)
    nobody = int(seat < 0)
    return (seat - viewer + int(players) * int(seat < viewer)) * (1 - nobody) - nobody


@rule
def write_seat(out: Out, at: int, seat: int, viewer: int, players: int, most: int) -> int:
    """A 1 at the place of a seat in the viewer's order; nowhere for nobody."""
    return write_onehot(out, at, relative_seat(seat, viewer, players), most)


@rule
def absolute_seat(place: int, viewer: int, players: int) -> int:
    """The seat at a place of the viewer's order; any, if none plays there."""
    seat = viewer + place
    return (seat - int(players) * int(seat >= players)) * int(place < players)


@rule
def write_in_play(out: Out, at: int, players: int, most: int) -> int:
    """Which seats play."""
    for place in range(most):
        out[at + place] = place < players
    return at + most


@rule
def write_turn(out: Out, at: int, turn: int, viewer: int, players: int, most: int) -> int:
    """Who decides, and which seats play."""
    at = write_seat(out, at, turn, viewer, players, most)
    return write_in_play(out, at, players, most)


@rule
def write_seats(out: Out, at: int, row: NDArray[np.integer], viewer: int, players: int) -> int:
    """One number per seat."""
    for place in range(len(row)):
        out[at + place] = int(row[absolute_seat(place, viewer, players)]) * int(place < players)
    return at + len(row)


@rule
def write_seat_rows(out: Out, at: int, rows: NDArray[np.integer], viewer: int, players: int) -> int:
    """One row per seat."""
    many = rows.shape[1]
    for place in range(len(rows)):
        seat = absolute_seat(place, viewer, players)
        plays = int(place < players)
        for n in range(many):
            out[at + n] = min(int(rows[seat, n]), MAX_VALUE) * plays
        at += many
    return at


@rule
def write_seat_bits(out: Out, at: int, row: NDArray[np.integer], viewer: int, players: int, many: int) -> int:
    """A set of numbers per seat, one bit each, as 0s and 1s."""
    for place in range(len(row)):
        members = int(row[absolute_seat(place, viewer, players)]) * int(place < players)
        at = write_bits(out, at, members, many)
    return at


@rule
def write_seat_counts(
    out: Out, at: int, row: NDArray[np.integer], viewer: int, players: int, kinds: int
) -> int:
    """How many there are of each kind per seat, out of counts packed into one word."""
    for place in range(len(row)):
        counts = int(row[absolute_seat(place, viewer, players)]) * int(place < players)
        at = write_counts(out, at, counts, kinds)
    return at
