"""Records and plain data, both ways; and errors that say everything that is wrong."""

from __future__ import annotations

from typing import Any

import pytest

from comptoir.engine.schema import Schema, Seats, flag, number, seat, word, word_or_none
from comptoir.errors import DataError

SEATS = Seats(3)
COLOURS = ("red", "blue")
SCHEMA = Schema(
    players=number(high=3),
    turn=seat(),
    mood=word(("calm", "wild")),
    last=word_or_none(COLOURS),
    out=flag(SEATS),
    cubes=number(SEATS, COLOURS, high=9),
    far=number(high=1000),
    row=word(COLOURS, 2),
)
GOOD: dict[str, Any] = {
    "players": 2,
    "turn": None,
    "mood": "wild",
    "last": "blue",
    "out": [True, False],
    "cubes": [{"red": 1, "blue": 2}, {"red": 3, "blue": 4}],
    "far": 700,
    "row": ["blue", "red"],
}


def test_plain_data_comes_back_the_same() -> None:
    record = SCHEMA.read(GOOD, "it")
    assert SCHEMA.plain(record) == GOOD
    assert (record.turn, record.mood, record.last, record.cubes[1, 0], record.far) == (-1, 1, 1, 3, 700)


def test_none_is_kept() -> None:
    assert SCHEMA.plain(SCHEMA.read(GOOD | {"last": None, "turn": 1}, "it")) == GOOD | {"last": None, "turn": 1}


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"players": 4}, "players: expected a number up to 3"),
        ({"players": "two"}, "players: expected a number up to 3"),
        ({"turn": 2}, "turn: expected a seat from 0 to 1"),
        ({"mood": "wlid"}, "did you mean 'wild'"),
        ({"mood": None}, "mood: expected one of calm, wild"),
        ({"last": 3}, "last: expected one of red, blue"),
        ({"out": [True, 1]}, "out.1: expected true or false; found 1"),
        ({"out": [True]}, "out: expected a list of 2 entries, found 1 entries"),
        ({"out": 5}, "out: expected a list of 2 entries, found a number"),
        ({"cubes": [{"red": 1, "blue": 10}, {"red": 3, "blue": 4}]}, "cubes.0.blue: expected a whole number from 0 to 9; found 10"),
        ({"cubes": [{"red": True, "blue": 1}, {"red": 3, "blue": 4}]}, "cubes.0.red: expected a whole number"),
        ({"cubes": [{"red": 1}, {"red": 3, "blue": 4}]}, "cubes.0.blue: missing"),
        ({"cubes": [[1, 2], {"red": 3, "blue": 4}]}, "cubes.0: expected a value for each of red, blue, found a list"),
        ({"cubes": [{"red": 1, "blue": 2, "bleu": 3}, {"red": 3, "blue": 4}]}, "cubes.0.bleu: no such entry, did you mean 'blue'"),
        ({"mod": "wild"}, "mod: no such field, did you mean 'mood'"),
        ({"far": 1.5}, "far: expected a whole number from 0 to 1000; found 1.5"),
    ],
)
def test_what_does_not_fit_is_named(change: dict[str, Any], error: str) -> None:
    with pytest.raises(DataError) as refused:
        SCHEMA.read(GOOD | change, "it")
    assert error in str(refused.value)


def test_all_errors_are_listed_at_once() -> None:
    with pytest.raises(DataError) as refused:
        SCHEMA.read({"players": 2}, "it")
    assert len(refused.value.errors) == len(SCHEMA.fields) - 1
    with pytest.raises(DataError, match="expected a table of fields, found a list"):
        SCHEMA.read([], "it")


def test_a_name_that_numpy_uses_is_refused() -> None:
    with pytest.raises(TypeError, match="round"):
        Schema(round=number())


def test_copies_are_independent() -> None:
    record = SCHEMA.read(GOOD, "it")
    copy = SCHEMA.copy(record)
    copy.cubes[0, 0] = 9
    assert record.cubes[0, 0] == 1
