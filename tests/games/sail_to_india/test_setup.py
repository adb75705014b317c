"""Setup: S1 to S5."""

from __future__ import annotations

import copy
from typing import Any

import pytest

import comptoir
from comptoir.engine.interface import RuleSet
from comptoir.errors import DataError, OptionError
from comptoir.games.sail_to_india import rules
from tests.games.sail_to_india.positions import BOX, COMPONENTS, SAIL, PositionBuilder

ANY_NUMBER = pytest.mark.parametrize("players", [3, 4])


@pytest.mark.parametrize("players", [3, 4, "3"])
def test_three_or_four_may_play(players: int | str) -> None:
    """S1: 3 or 4 players."""
    assert comptoir.new("sail_to_india", players=players).players == int(players)


@pytest.mark.parametrize("players", [0, 1, 2, 5, -3, 3.5, "many", ""])
def test_any_other_number_is_refused(players: Any) -> None:
    """S1: any other number is refused, and the error says what would do."""
    with pytest.raises(OptionError, match="sail_to_india is for 3 to 4 players, not"):
        comptoir.new("sail_to_india", players=players)


def test_a_position_for_another_number_is_refused(ruleset: RuleSet) -> None:
    """S1: in data that comes in, too."""
    t = PositionBuilder(ruleset)
    t.p.players = 2
    assert SAIL.rules.check_position(t.p, BOX) == ["players: expected 3 or 4"]


@ANY_NUMBER
def test_three_towns_are_face_up(ruleset: RuleSet, players: int) -> None:
    """S2: the three nearest Lisbon are face up, all different; the others are not decided yet."""
    p = PositionBuilder(ruleset, players=players).p
    assert p.face_up == 3
    assert len(set(p.row[:3])) == 3
    assert list(p.row[3:]) == [-1] * 9


@pytest.mark.parametrize(("players", "length"), [(3, 9), (4, 12)])
def test_the_row_has_twelve_towns_or_nine(ruleset: RuleSet, players: int, length: int) -> None:
    """S2: with 3 players three towns are boxed, and the last of nine is India."""
    t = PositionBuilder(ruleset, players=players)
    assert rules.last_town(t.p) == length
    assert sum(card >= 0 for card in t.p.boxed) == 12 - length


def test_boxed_towns_are_three_others(ruleset: RuleSet) -> None:
    """S2: with 3 players, what is shown and boxed is none of the towns in the row, then or later."""
    for n in range(20):
        t = PositionBuilder(ruleset, str(n), players=3)
        boxed = set(t.p.boxed)
        assert len(boxed | set(t.p.row[:3])) == 6
        row = [rules.unseen_card(t.p, t.dice) for _ in range(50)]
        assert len(set(row)) == 6
        assert not set(row) & (boxed | set(t.p.row[:3]))


@pytest.mark.parametrize("place", [0, 2])
def test_any_town_may_lie_in_any_place(ruleset: RuleSet, place: int) -> None:
    """S2: the towns are shuffled."""
    cards = [int(PositionBuilder(ruleset, f"{place}/{n}").p.row[place]) for n in range(300)]
    assert set(cards) == set(range(12))
    assert min(map(cards.count, range(12))) > 8


@ANY_NUMBER
def test_a_first_game_starts_with_the_recommended_towns(ruleset: RuleSet, players: int) -> None:
    """S3: in their order; the others are shuffled, and with 3 players three of them are boxed."""
    seen = set()
    for n in range(40):
        p = PositionBuilder(ruleset, str(n), players=players, setup="first game").p
        assert [rules.CARDS[card] for card in p.row[:3]] == ["C", "A", "B"]
        seen |= set(p.boxed)
    assert seen == (set(range(3, 12)) if players == 3 else {-1})


def test_recommended_towns_must_be_three() -> None:
    """S3: a component file that names one twice is refused."""
    tables = copy.deepcopy(COMPONENTS)
    tables["towns"]["recommended"] = ["A", "B", "A"]
    with pytest.raises(DataError, match=r"towns\.recommended: A is there more than once"):
        SAIL.read_components(tables)


@ANY_NUMBER
def test_pieces_at_the_start(ruleset: RuleSet, players: int) -> None:
    """S4, S5: one marker on Lisbon, one banker, seven in reserve; speed 1 and 3 scientists."""
    t = PositionBuilder(ruleset, players=players)
    for seat in range(players):
        assert {where: n for where, n in t.markers(seat).items() if n} == {
            "reserve": 7,
            "lisbon": 1,
            "bankers": 1,
        }
        assert (t.p.speed[seat], t.p.scientists[seat]) == (1, 3)
    assert list(t.p.technologies) == [-1] * 12
    assert t.sound()


@pytest.mark.parametrize(
    ("players", "first", "wealth"), [(4, 0, [2, 2, 3, 4]), (4, 2, [3, 4, 2, 2]), (3, 1, [3, 2, 2])]
)
def test_wealth_at_the_start(ruleset: RuleSet, players: int, first: int, wealth: list[int]) -> None:
    """S5: 2, 2, 3, 4, clockwise from the first player, who is named."""
    t = PositionBuilder(ruleset, players=players, first=first)
    assert list(t.p.wealth[:players]) == wealth
    assert t.p.turn == t.p.first == first


@ANY_NUMBER
def test_the_first_player_may_be_drawn(ruleset: RuleSet, players: int) -> None:
    """S5: without a name, each seat may be drawn, about as often as another."""
    drawn = [int(PositionBuilder(ruleset, str(n), players=players, first="draw").p.first) for n in range(200)]
    assert set(drawn) == set(range(players))
    assert min(drawn.count(seat) for seat in range(players)) > 100 / players


def test_only_a_seat_at_the_table_can_be_named() -> None:
    """S5: a seat that is not at the table is refused."""
    with pytest.raises(OptionError, match="first: expected a seat from 0 to 2, or draw"):
        comptoir.new("sail_to_india", players=3, first=3)
