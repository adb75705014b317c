"""No number of seats is too many outside a game's own rules."""

from __future__ import annotations

from itertools import islice

from comptoir import terminal
from comptoir.art import parts
from comptoir.engine.names import usual_names
from comptoir.web.domain.evolve import bot_names

SEATS = 20


def test_names_do_not_run_out() -> None:
    assert usual_names(3) == ["Anne", "Bruno", "Chloé"]
    assert usual_names(9)[-1] == "Anne 2"
    assert len(set(usual_names(SEATS))) == len(set(islice(bot_names(), SEATS))) == SEATS


def test_marks_do_not_run_out() -> None:
    """The first eight differ by shape and by colour."""
    for many, mark in ((8, parts.seat_mark), (8, terminal.seat_mark)):
        assert len({str(mark(seat)) for seat in range(many)}) == many
        assert str(mark(many)) == str(mark(0))
    assert len({parts.seat_colour(seat) for seat in range(8)}) == 8
    assert all(parts.merchant(seat) and parts.seat_shape(seat) for seat in range(SEATS))
