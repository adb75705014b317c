"""No number of seats is too many outside a game's own rules."""

from __future__ import annotations

from itertools import islice

from comptoir import console
from comptoir.art import shapes
from comptoir.engine.names import default_names
from comptoir.web.domain.evolve import bot_names

SEATS = 20


def test_names_do_not_run_out() -> None:
    assert default_names(3) == ["Anne", "Bruno", "Chloé"]
    assert default_names(9)[-1] == "Anne 2"
    assert len(set(default_names(SEATS))) == len(set(islice(bot_names(), SEATS))) == SEATS


def test_marks_do_not_run_out() -> None:
    """The first eight differ by shape and by colour."""
    for many, mark in ((8, shapes.seat_mark), (8, console.seat_mark)):
        assert len({str(mark(seat)) for seat in range(many)}) == many
        assert str(mark(many)) == str(mark(0))
    assert len({shapes.seat_colour(seat) for seat in range(8)}) == 8
    assert all(shapes.meeple(seat) and shapes.seat_shape(seat) for seat in range(SEATS))
