"""Records and plain data, both ways; and errors that say everything that is wrong."""

from __future__ import annotations

import gc
import pickle
import random
import weakref
from typing import Any, cast

import numpy as np
import pytest

from comptoir.engine.game import Game
from comptoir.engine.match import Match
from comptoir.engine.rule import Record
from comptoir.engine.schema import (
    HINTED,
    MAX_MATCHED_CHARS,
    MAX_SHOWN_CHARS,
    AtMost,
    Field,
    Schema,
    Seats,
    counter,
    counts,
    derived,
    did_you_mean,
    enum_of,
    flag,
    number,
    number_set,
    optional_enum_of,
    private,
    seat_field,
    secret,
    set_of,
)
from comptoir.errors import DataError

SEATS = Seats(3)
COLOURS = ("red", "blue")
SCHEMA = Schema(
    players=number(high=3),
    turn=seat_field(),
    mood=enum_of(("calm", "wild")),
    last=optional_enum_of(COLOURS),
    out=flag(SEATS),
    cubes=number(SEATS, COLOURS, high=9),
    far=number(high=1000),
    row=enum_of(COLOURS, 2),
    tints=set_of(COLOURS, SEATS),
    days=number_set(high=40),
    purse=counts(COLOURS),
    stops=number(AtMost(4)),
    total=derived(number()),
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
    "tints": [["blue"], ["red", "blue"]],
    "days": [0, 40],
    "purse": {"blue": 3},
    "stops": [5, 6, 0, 0],
}


def test_plain_data_comes_back_the_same() -> None:
    schema = Schema(**SCHEMA.fields)
    record = schema.read(GOOD, "it")
    assert schema.to_dict(record) == GOOD | {"total": 0}
    assert (record["tints"][1], record["days"]) == (3, 1 + (1 << 40))
    assert (record["turn"], record["mood"], record["last"], record["cubes"][1, 0], record["far"]) == (
        -1,
        1,
        1,
        3,
        700,
    )


def test_along_every_kind_of_axis() -> None:
    """Of seats, plain data lists those that play; of everything else, all."""
    schema = Schema(
        players=number(high=3),
        coins=number(SEATS),
        tracks=number(2),
        stock=number(COLOURS),
        moods=enum_of(COLOURS, COLOURS),
        ranks=enum_of(COLOURS, 2, SEATS),
        leaders=seat_field(SEATS),
        last=optional_enum_of(COLOURS, 3),
        open=flag(2),
    )
    plain = {
        "players": 2,
        "coins": [4, 5],
        "tracks": [6, 7],
        "stock": {"red": 8, "blue": 9},
        "moods": {"red": "blue", "blue": "red"},
        "ranks": [["red", "blue"], ["blue", "red"]],
        "leaders": [0, None],
        "last": ["red", None, "blue"],
        "open": [True, False],
    }
    record = schema.read(plain, "it")
    assert schema.to_dict(record) == plain
    assert record["leaders"].tolist() == [0, -1, -1]
    assert record["last"].tolist() == [0, -1, 1]


def test_without_seats_nobody_plays() -> None:
    schema = Schema(players=number(), gold=number())
    assert schema.seats == 0
    assert schema.to_dict(schema.read({"players": 0, "gold": 3}, "it")) == {"players": 0, "gold": 3}
    for players in (-1, 1):
        with pytest.raises(DataError, match="players: expected a number up to 0"):
            schema.read({"players": players, "gold": 3}, "it")


def test_a_record_is_a_whole_number_of_words() -> None:
    """Eight bytes each, aligned: a search compares them word by word."""
    for size, length in ((1, 8), (8, 8), (9, 16), (56, 56), (57, 64)):
        dtype = Schema(cells=number(size)).dtype
        assert dtype.itemsize == length
        assert dtype.isalignedstruct


def test_a_mask_covers_the_bytes_of_its_field() -> None:
    schema = Schema(**SCHEMA.fields)
    for name, span in schema.spans.items():
        covered = bytearray(schema.dtype.itemsize)
        covered[span] = bytes([255]) * (span.stop - span.start)
        assert schema.masks[name] == int.from_bytes(covered, "little")


def test_words_are_read_once_for_like_records() -> None:
    """What was read of the record before and is the same is shared; nothing else is read there."""
    one = SCHEMA.read(GOOD, "it")
    before = SCHEMA.lazy_dict(one)
    cubes, row = before["cubes"], before["row"]
    other = SCHEMA.copy(one)
    other["row"][0] = 0
    now = SCHEMA.lazy_dict(other, before)
    assert now["cubes"] is cubes
    assert now["row"] == ["red", "red"] != row
    assert now["tints"] == GOOD["tints"]
    assert set(before) == {"cubes", "row"}


def test_the_record_before_is_let_go() -> None:
    before = SCHEMA.lazy_dict(SCHEMA.read(GOOD, "it"))
    now, gone = SCHEMA.lazy_dict(SCHEMA.new(), before), weakref.ref(before)
    now.release_previous()
    del before
    gc.collect()
    assert gone() is None


def test_none_is_kept() -> None:
    some = GOOD | {"last": None, "turn": 1}
    assert SCHEMA.to_dict(SCHEMA.read(some, "it")) == some | {"total": 0}


def test_a_list_of_open_length_may_be_short() -> None:
    assert list(SCHEMA.read(GOOD | {"stops": [7]}, "it")["stops"]) == [7, 0, 0, 0]


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"players": 4}, "players: expected a number up to 3"),
        ({"players": "two"}, "players: expected a number up to 3"),
        ({"players": -1}, "players: expected a number up to 3"),
        ({"turn": 2}, "turn: expected a seat from 0 to 1"),
        ({"mood": "wlid"}, "did you mean 'wild'"),
        ({"mood": None}, "mood: expected one of calm, wild"),
        ({"last": 3}, "last: expected one of red, blue"),
        ({"out": [True, 1]}, "out.1: expected true or false; found 1"),
        ({"out": [True]}, "out: expected a list of 2 entries, found 1 entries"),
        ({"out": 5}, "out: expected a list of 2 entries, found a number"),
        (
            {"cubes": [{"red": 1, "blue": 10}, {"red": 3, "blue": 4}]},
            "cubes.0.blue: expected a whole number from 0 to 9; found 10",
        ),
        (
            {"cubes": [{"red": True, "blue": 1}, {"red": 3, "blue": 4}]},
            "cubes.0.red: expected a whole number",
        ),
        ({"cubes": [{"red": 1}, {"red": 3, "blue": 4}]}, "cubes.0.blue: missing"),
        (
            {"cubes": [[1, 2], {"red": 3, "blue": 4}]},
            "cubes.0: expected a value for each of red, blue, found a list",
        ),
        (
            {"cubes": [{"red": 1, "blue": 2, "bleu": 3}, {"red": 3, "blue": 4}]},
            "cubes.0.bleu: no such entry, did you mean 'blue'",
        ),
        ({"mod": "wild"}, "mod: no such field, did you mean 'mood'"),
        ({"tints": [["bleu"], []]}, "tints.0: expected a list out of red, blue"),
        ({"days": [41]}, "days: expected a list of numbers from 0 to 40"),
        ({"days": [-1]}, "days: expected a list of numbers from 0 to 40"),
        ({"days": [True]}, "days: expected a list of numbers from 0 to 40"),
        ({"purse": {"blue": 4}}, "purse.blue: expected a whole number from 0 to 3"),
        ({"purse": {"blue": -1}}, "purse.blue: expected a whole number from 0 to 3"),
        ({"purse": {"blue": True}}, "purse.blue: expected a whole number from 0 to 3"),
        ({"purse": {"bleu": 1}}, "purse.bleu: no such entry, did you mean 'blue'"),
        ({"purse": []}, "purse: expected a table of counts, found a list"),
        ({"stops": [1, 2, 3, 4, 5]}, "stops: expected a list of at most 4 entries, found 5 entries"),
        ({"total": 1}, "total: no such field"),
        ({"far": 1.5}, "far: expected a whole number from 0 to 1000; found 1.5"),
    ],
)
def test_what_does_not_fit_is_named(change: dict[str, Any], error: str) -> None:
    with pytest.raises(DataError) as refused:
        SCHEMA.read(GOOD | change, "it")
    assert error in str(refused.value)


def test_a_count_may_be_none() -> None:
    assert SCHEMA.to_dict(SCHEMA.read(GOOD | {"purse": {"red": 0, "blue": 1}}, "it"))["purse"] == {"blue": 1}


def test_long_values_are_cut_and_long_words_get_no_hint() -> None:
    """And only so many errors get one: each takes a while to find."""

    def errors_of(change: dict[str, Any]) -> list[str]:
        with pytest.raises(DataError) as refused:
            SCHEMA.read(GOOD | change, "it")
        return list(refused.value.errors)

    long = "x" * MAX_SHOWN_CHARS
    assert errors_of({long: 1}) == [f"{long}: no such field"]
    assert errors_of({long + "y": 1}) == [f"{long}…: no such field"]
    known = "x" * (MAX_MATCHED_CHARS - 1)
    assert did_you_mean(known + "y", [known])
    assert not did_you_mean(known + "yy", [known])
    many = errors_of({f"mood{number}": 1 for number in range(HINTED + 5)})
    assert sum("did you mean 'mood'" in error for error in many) == HINTED


def test_all_errors_are_listed_at_once() -> None:
    with pytest.raises(DataError) as refused:
        SCHEMA.read({"players": 2}, "it")
    assert len(refused.value.errors) == len(SCHEMA.fields) - 2  # players is there, and the total is derived
    with pytest.raises(DataError, match="expected a table of fields, found a list"):
        SCHEMA.read([], "it")


def test_a_name_that_numpy_uses_is_refused() -> None:
    with pytest.raises(TypeError, match="round"):
        Schema(round=number())


def test_copies_are_independent() -> None:
    record = SCHEMA.read(GOOD, "it")
    copy = SCHEMA.copy(record)
    copy["cubes"][0, 0] = 9
    assert record["cubes"][0, 0] == 1


def memory_of(record: Record) -> memoryview:
    return cast(np.record, record).data


def test_compiled_rules_find_the_memory_of_a_record() -> None:
    """Its own, also where it is one of many, or was brought here as bytes."""
    record = SCHEMA.read(GOOD, "it")
    rows = np.zeros(3, record.dtype)
    rows[1] = record
    for twin in (record, SCHEMA.copy(record), rows[1], pickle.loads(pickle.dumps(record))):
        assert bytes(memory_of(twin)) == record.tobytes()
    twin = SCHEMA.copy(record)
    np.frombuffer(memory_of(twin), np.uint8)[:] = 0
    assert twin.tobytes() == SCHEMA.new().tobytes()
    assert record.tobytes() != SCHEMA.new().tobytes()


def test_copies_are_equal_byte_by_byte(any_game: Game) -> None:
    """What lies between the fields too: a search tells positions apart by all their words."""
    record = any_game.position.new()
    for _ in range(20):
        for _ in range(20):  # memory that was used
            np.full(any_game.position.dtype.itemsize, 255, np.uint8)
        assert any_game.position.copy(record).tobytes() == record.tobytes()


def test_a_field_comes_out_the_same_whenever_it_is_read(any_game: Game) -> None:
    """From any like record, and whatever was read of that, the plain data are those of the record itself."""
    match, chance = Match(any_game.name, seed=3), random.Random(3)
    schema = any_game.position
    known, before = schema.lazy_dict(match.records[0]), match.records[0]
    while not match.over and match.ply < 150:
        match.play(chance.choice(match.actions()))
        for viewer in (None, *range(match.players)):
            record, old = match.seen_by(viewer), known
            plain, known = schema.to_dict(record), schema.lazy_dict(record, old.release_previous())
            read = chance.sample(sorted(plain), chance.randint(0, len(plain)))
            assert {name: known[name] for name in read} == {name: plain[name] for name in read}
            assert set(known) == set(read)
            was = schema.to_dict(before)
            differing = {name: (was[name], plain[name]) for name in plain if was[name] != plain[name]}
            changed = schema.changed(before, record)
            assert {name: pair for name, pair in changed.items() if pair[0] != pair[1]} == differing
            before = record


def test_records_that_differ_in_counters_alone_are_repetitions() -> None:
    schema = Schema(rounds=counter(number(high=999)), gold=number(3))
    one, other = schema.new(), schema.new()
    for rounds in (1, 700):
        other["rounds"] = rounds
        assert schema.repetition_key(one) == schema.repetition_key(other)
    other["gold"][2] = 1
    assert schema.repetition_key(one) != schema.repetition_key(other)


# How large a field is


def some_words(number: int) -> tuple[str, ...]:
    return tuple(f"w{n}" for n in range(number))


@pytest.mark.parametrize(
    ("field", "kind"),
    [
        (number(high=255), np.uint8),
        (number(high=256), np.uint16),
        (number(high=2**16 - 1), np.uint16),
        (number(high=2**16), np.uint32),
        (number(low=-1, high=9), np.int8),
        (seat_field(), np.int8),
        (flag(), np.uint8),
        (enum_of(some_words(2)), np.uint8),
        (optional_enum_of(some_words(2)), np.int8),
        (counts(some_words(2)), np.int64),
        *((set_of(some_words(words)), kind) for words, kind in ((7, np.int8), (8, np.int16), (15, np.int16))),
        *(
            (set_of(some_words(words)), kind)
            for words, kind in ((16, np.int32), (31, np.int32), (32, np.int64))
        ),
        *((number_set(high=high), kind) for high, kind in ((6, np.int8), (7, np.int16), (62, np.int64))),
    ],
)
def test_a_field_is_as_small_as_its_numbers_allow(field: Field, kind: type[np.integer[Any]]) -> None:
    """And no smaller: the highest number fits, and a set of as many words never becomes negative."""
    assert field.dtype is kind


def test_what_a_field_may_hold() -> None:
    assert (flag().low, flag().high) == (0, 1)
    assert optional_enum_of(COLOURS).low == -1
    assert [set_of(some_words(words)).high for words in (1, 7)] == [0, 6]
    assert counts(COLOURS, SEATS) == Field("counts", (SEATS,), COLOURS, high=3)
    assert set_of(COLOURS, SEATS) == Field("set", (SEATS,), COLOURS, high=1)
    assert number_set(SEATS, high=9) == Field("set", (SEATS,), high=9)
    assert [derived(flag()).derived, flag().derived] == [True, False]
    assert [counter(flag()).counter, flag().counter] == [True, False]


def test_what_stands_where_a_viewer_may_not_know() -> None:
    fields = (
        seat_field(),
        optional_enum_of(COLOURS),
        number(low=-1),
        number(),
        enum_of(COLOURS),
        number(low=1),
    )
    assert [field.blank for field in fields] == [-1, -1, -1, 0, 0, 0]


def test_only_a_field_with_a_part_for_each_seat_is_private() -> None:
    held = private(number(SEATS, COLOURS))
    assert (held.private, held.secret) == (True, False)
    for field in (number(), number(COLOURS), number(COLOURS, SEATS)):
        with pytest.raises(TypeError, match="private: the field's first axis"):
            private(field)


def test_a_hidden_word_may_be_none_and_nothing_is_hidden_twice() -> None:
    deck = secret(number(COLOURS))
    assert (deck.private, deck.secret) == (False, True)
    assert secret(optional_enum_of(COLOURS)).secret
    assert private(optional_enum_of(COLOURS, SEATS)).private
    for mark in (private, secret):
        with pytest.raises(TypeError, match="use optional_enum_of"):
            mark(enum_of(COLOURS, SEATS))
        for field in (private(number(SEATS)), secret(number(SEATS))):
            with pytest.raises(TypeError, match="either private or secret, once"):
                mark(field)
