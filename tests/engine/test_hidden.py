"""What the engine hands out for a seat is made from what that seat may know."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import comptoir
from comptoir.engine.match import Match, replay
from comptoir.engine.schema import Field, Seats, enum_of, number, optional_enum_of, private, seat_field
from comptoir.engine.words import words_of
from comptoir.engine.worlds import imagined_match, preview_actions

EN = words_of("batavia", "en")


def begun() -> Match:
    """Seat 1 has bought the lot; seat 2 is to move."""
    return replay(comptoir.new("batavia", players=3, seed=4, first=0), ["bid 1", "pass", "pass", "draw"])


def over() -> Match:
    match = begun()
    while not match.over:
        match.play(match.actions()[0])
    return match


@pytest.mark.parametrize("seat", [-1, 3])
@pytest.mark.parametrize(
    "given",
    [
        Match.view,
        Match.seen_by,
        Match.score_sheet_for,
        lambda match, seat: match.view_at(0, seat),
        lambda match, seat: match.scene(seat, EN),
        lambda match, seat: match.story.log(seat),
    ],
)
def test_a_seat_that_is_not_there_is_given_nothing(given: Callable[[Match, int], object], seat: int) -> None:
    with pytest.raises(comptoir.OptionError, match=f"there is no seat {seat}: seats are 0 to 2"):
        given(begun(), seat)


def test_a_view_is_the_record_that_a_seat_may_see() -> None:
    match = begun()
    for seat in (None, 0, 1, 2):
        view = match.view(seat)
        assert view["position"] == match.game.to_dict(match.seen_by(seat))
        assert (view["seat"], view["ply"], view["game"]) == (seat, 4, "batavia")
        assert view["position"]["hand"] != match.position()["hand"]
    assert len({match.seen_by(seat).tobytes() for seat in (None, 0, 1, 2)}) == 4


def test_only_the_seat_that_decides_is_told_what_it_may_do() -> None:
    match = begun()
    assert match.turn == 2
    assert [bool(match.view(seat)["actions"]) for seat in (None, 0, 1, 2)] == [False, False, False, True]
    assert match.view(2)["actions"] == match.actions()


def test_a_view_of_earlier_is_that_of_then() -> None:
    match = begun()
    for ply in range(match.ply + 1):
        for seat in (None, 0, 1, 2):
            assert match.view_at(ply, seat) == match.at(ply).view(seat)


def test_when_the_match_is_over_all_is_open() -> None:
    match = over()
    for seat in (None, 0, 1, 2):
        assert match.seen_by(seat).tobytes() == match.records[-1].tobytes()
        assert match.view(seat)["position"] == match.position()
        assert match.view(seat)["actions"] == []


def test_a_view_that_comes_back_holds_no_more_than_it_may() -> None:
    """Whoever writes the true hands into a view is not told them."""
    match = begun()
    for seat in (None, 0, 2):
        forged = match.view(seat) | {"position": match.position()}
        assert match.game.position_from_view(forged, match.box).tobytes() == match.seen_by(seat).tobytes()


def test_an_imagined_match_fits_what_the_seat_sees_and_has_other_dice() -> None:
    match = begun()
    worlds = [imagined_match(match, 0, str(n)) for n in range(8)]
    assert len({world.records[-1].tobytes() for world in worlds}) == 8
    assert len({world.seed for world in [match, *worlds]}) == 9
    for world in worlds:
        assert world.seen_by(0).tobytes() == match.seen_by(0).tobytes()
        assert world.ply == match.ply
    assert (
        imagined_match(match, 0, "x").records[-1].tobytes()
        == imagined_match(match, 0, "x").records[-1].tobytes()
    )


def test_what_lies_ahead_is_the_same_in_every_world_the_seat_may_believe_in() -> None:
    """That something would be turned up is known; whether a turn would end, too."""
    match = begun()
    for action in match.actions():
        ahead = [
            next(preview_actions(one, [action]))
            for one in (match, imagined_match(match, 2, "1"), imagined_match(match, 2, "2"))
        ]
        assert len({(prospect.has_chance, prospect.ends_turn()) for prospect in ahead}) == 1


def test_a_field_is_a_seats_own_only_along_the_seats() -> None:
    """And only if there is something to put in its place."""
    seats = Seats(4)
    for wrong in (number(), number(3), number(3, seats), enum_of(("a", "b"), seats)):
        with pytest.raises(TypeError, match="private: "):
            private(wrong)
    for right in (number(seats), number(seats, 3), seat_field(seats), optional_enum_of(("a", "b"), seats)):
        assert private(right).private


@pytest.mark.parametrize(
    ("field", "blank"),
    [
        (number(), 0),
        (number(low=-1), -1),
        (number(high=9), 0),
        (seat_field(), -1),
        (enum_of(("a", "b")), 0),
        (optional_enum_of(("a", "b")), -1),
    ],
)
def test_what_stands_in_place_of_a_secret(field: Field, blank: int) -> None:
    assert field.blank == blank
    assert np.array([blank], field.dtype)[0] == blank
