"""The rulebook's own examples: MX1 to MX6."""

from __future__ import annotations

import pytest

from comptoir.engine.interface import RuleSet
from tests.games.marco_polo.positions import PositionBuilder


def next_demands(ruleset: RuleSet, demand: str, *hand: str) -> PositionBuilder:
    """Seat 0, on space 5 ahead of the others, has these cards, and space 6 demands that."""
    return (
        PositionBuilder(ruleset, players=3, first=0)
        .clear_cards()
        .give(0, *hand)
        .space(6, demand)
        .line_up(5, 3, 4)
    )


@pytest.mark.parametrize(
    ("demand", "cards"),
    [
        pytest.param("3 identical goods", ("yellow spice", "blue spice", "blue spice"), id="MX1"),
        pytest.param("one of each good", ("blue oil", "yellow spice", "blue silk", "red fruit"), id="MX2"),
        pytest.param("3 of one colour", ("red oil", "red silk", "red driver"), id="MX3"),
        pytest.param(
            "one of each colour",
            ("blue driver", "red silk", "yellow silk", "green spice", "violet spice"),
            id="MX4",
        ),
    ],
)
def test_sets_of_cards(ruleset: RuleSet, demand: str, cards: tuple[str, ...]) -> None:
    """MX1, MX2, MX3, MX4: the rulebook's sets, laid in its order."""
    t = next_demands(ruleset, demand, *cards).lay(*cards)
    assert (t.p.camels[0, 0], t.p.hand_size[0]) == (6, 0)


def test_drivers_do_not_count_as_identical_goods(ruleset: RuleSet) -> None:
    """MX1: nor in place of one of them."""
    assert (
        next_demands(
            ruleset,
            "3 identical goods",
            "blue spice",
            "blue spice",
            "blue driver",
            "red driver",
            "green driver",
        ).lays()
        == set()
    )


def test_lightening_and_then_three_spice_cards(ruleset: RuleSet) -> None:
    """MX5: a player lightens by 1 to enter one space, then lays three spice cards to enter the next."""
    t = (
        PositionBuilder(ruleset, players=3, first=0)
        .clear_cards()
        .give(0, "red spice", "blue spice", "green spice")
    )
    t.space(6, "2 drivers").space(7, "3 identical goods").line_up(5, 9, 4)
    t.play("lighten").lay("red spice", "blue spice", "green spice")
    assert (t.p.camels[0, 0], t.p.gold[0]) == (7, 2)


def test_at_the_start_a_chest_of_3_becomes_one_of_2(ruleset: RuleSet) -> None:
    """MX6: the third player has moved on, so the second may lighten onto the space he has left."""
    t = (
        PositionBuilder(ruleset, players=3, first=2)
        .space(3, "1 good")
        .clear_cards()
        .give(2, "red oil")
        .turn(1)
        .space(3, "1 good")
    )
    t.turn(1).give(1, "blue oil").lay("blue oil").play("draw")
    assert t.p.turn == 2
    t.play("draw").play("lighten")
    assert t.p.gold[0] == 2
