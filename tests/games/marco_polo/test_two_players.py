"""Two players with two camels each: M40 to M42."""

from __future__ import annotations

from typing import Any

import pytest

import comptoir
from comptoir.engine import matchfile
from comptoir.engine.interface import RuleSet
from comptoir.games.marco_polo import rules
from tests.games.marco_polo.positions import FIRST_SCORED, GANZHOU, MARCO_POLO, PositionBuilder, random_match

ROW = ("green oil", "green spice", "green silk", "green fruit", "green driver")
CARDS = {"draw", *(f"take {card}" for card in ROW)}


def two(
    ruleset: RuleSet,
    *hand: str,
    seat0: tuple[int, int] = (5, 8),
    seat1: tuple[int, int] = (3, 4),
    **options: Any,
) -> PositionBuilder:
    """Two players; seat 0 has these cards, and every space demands one good."""
    t = (
        PositionBuilder(ruleset, players=2, first=0, **options)
        .clear_cards()
        .row(*ROW)
        .give(0, *hand)
        .at(seat0=seat0, seat1=seat1)
        .turn(0)
    )
    for space in range(1, 30):
        t.space(space, "1 good")
    return t


def strategic(ruleset: RuleSet, *hand: str, **spaces: tuple[int, int]) -> PositionBuilder:
    return two(ruleset, *hand, two_players="strategic", **spaces)


# Setup


@pytest.mark.parametrize("first", [0, 1])
def test_camels_are_placed_in_turn(ruleset: RuleSet, first: int) -> None:
    """M40, M4: first player, second, first, second, from Ormuz on."""
    p = PositionBuilder(ruleset, players=2, first=first).p
    assert (list(p.camels[first]), list(p.camels[1 - first])) == ([0, 2], [1, 3])
    assert p.turn == first


def test_one_hand_and_one_chest_each(ruleset: RuleSet) -> None:
    """M40: 5 cards and 3 gold for two camels."""
    p = PositionBuilder(ruleset, players=2).p
    assert (list(p.hand_size[:2]), list(p.gold[:2])) == ([5, 5], [3, 3])


# By the plain rules


def test_a_camel_is_chosen_anew_each_turn(ruleset: RuleSet) -> None:
    """M40: either of the two, or none; nothing can be laid before."""
    t = two(ruleset, "red oil")
    assert set(t.legal()) == {"first camel", "second camel", *CARDS}
    t.play("second camel", "lay red oil")
    assert list(t.p.camels[0]) == [5, 9]
    t.play("draw").turn(0).give(0, "blue oil")
    assert {"first camel", "second camel"} <= set(t.legal())


def test_a_camel_that_was_chosen_must_make_a_step(ruleset: RuleSet) -> None:
    """M40: so choosing is no free move."""
    t = two(ruleset, "red oil", seat1=(3, 9)).play("first camel")
    assert t.legal() == ["lay red oil", "lighten"]


def test_only_a_camel_that_can_make_a_step_may_be_chosen(ruleset: RuleSet) -> None:
    """M40: with cards, or by lightening."""
    t = two(ruleset, "red oil").space(9, "2 drivers")
    assert "second camel" not in t.legal()
    t.at(seat1=(3, 12))
    assert "second camel" in t.legal()
    t.gold(0)
    assert "second camel" not in t.legal()


@pytest.mark.parametrize("chosen", ["first camel", "second camel"])
def test_only_one_camel_moves_in_a_turn(ruleset: RuleSet, chosen: str) -> None:
    """M40: it may go on, but the other one stays."""
    t = two(ruleset, "red oil", "red silk", "red fruit").play(chosen, "lay red oil")
    assert set(t.legal()) == {"lay red silk", "lay red fruit", *CARDS}


def test_the_gold_of_both_camels_counts_together(ruleset: RuleSet) -> None:
    """M40, M21: at the first scoring and at the end."""
    t = two(ruleset, "red oil", seat0=(GANZHOU - 1, 12), seat1=(14, 13)).play(
        "first camel", "lay red oil", "draw"
    )
    assert list(t.p.gold[:2]) == [3 + 6 + 2, 3 + 4 + 3]
    assert (t.p.camels[:2] == GANZHOU).all()
    t.at(seat0=(28, 24), seat1=(25, 20)).turn(0)
    t.gold(0, 0)
    t.clear_cards().give(0, "red oil").play("first camel", "lay red oil")
    assert t.scores() == [[7 + 2, 29], [3, 25]]


# The strategic variant


def test_both_camels_may_move_in_a_turn(ruleset: RuleSet) -> None:
    """M41: in any order, and alternating."""
    t = strategic(ruleset, "red oil", "red silk", "red fruit", "red spice")
    t.play(
        "first camel",
        "lay red oil",
        "second camel",
        "lay red silk",
        "first camel",
        "lay red fruit",
        "lay red spice",
    )
    assert list(t.p.camels[0]) == [8, 9]


def test_the_camel_that_moves_need_not_be_chosen_again(ruleset: RuleSet) -> None:
    """M41: it just goes on; the other one may be chosen."""
    t = strategic(ruleset, "red oil", "red silk").play("first camel", "lay red oil")
    assert set(t.legal()) == {"lay red silk", "second camel", *CARDS}


def test_one_lightening_for_both_camels(ruleset: RuleSet) -> None:
    """M41, M15: at most one in a turn."""
    t = strategic(ruleset, "red oil", seat1=(3, 20)).play("first camel", "lighten")
    assert (t.p.camels[0, 0], "lighten" in t.legal()) == (6, False)
    t.play("second camel")
    assert t.legal() == ["lay red oil"]


def test_nobody_changes_camels_in_the_middle_of_a_step(ruleset: RuleSet) -> None:
    """M41, M11: a step begun is completed first."""
    t = (
        strategic(ruleset, "red oil", "blue oil", "red silk")
        .space(6, "2 identical goods")
        .play("first camel", "lay red oil")
    )
    assert t.legal() == ["lay blue oil"]


def test_the_first_camel_to_reach_ganzhou_ends_all_movement(ruleset: RuleSet) -> None:
    """M41, M20: of both camels; draw, then scoring."""
    t = strategic(ruleset, "red oil", "red silk", seat0=(GANZHOU - 1, 12)).play("first camel", "lay red oil")
    assert set(t.legal()) == CARDS
    t.play("draw")
    assert (t.p.scored, list(t.p.camels[0])) == (1, [GANZHOU, GANZHOU])


def test_a_straggler_put_on_ganzhou_stops_only_itself(ruleset: RuleSet) -> None:
    """M41, M23: the other camel may still move."""
    t = strategic(ruleset, "red oil", "red silk", seat0=(FIRST_SCORED - 1, 20), seat1=(21, 22))
    t.p.scored = 1
    t.play("first camel", "lay red oil")
    assert (t.p.camels[0, 0], set(t.legal())) == (GANZHOU, {"second camel", *CARDS})
    t.play("second camel", "lay red silk")
    assert t.p.camels[0, 1] == 23
    assert set(t.legal()) == CARDS


def test_by_the_plain_rules_a_straggler_ends_the_move(ruleset: RuleSet) -> None:
    """M40, M23: the other camel was not chosen, so nothing moves any more."""
    t = two(ruleset, "red oil", "red silk", seat0=(FIRST_SCORED - 1, 20), seat1=(21, 22))
    t.p.scored = 1
    assert set(t.play("first camel", "lay red oil").legal()) == CARDS


# Whose camels count


def test_ones_own_second_camel_is_no_opponent(ruleset: RuleSet) -> None:
    """M42: a space that only one's own camel has reached cannot be lightened onto."""
    t = two(ruleset, "red oil", seat0=(5, 8), seat1=(3, 4)).play("first camel")
    assert t.legal() == ["lay red oil"]


def test_with_two_players_beyond_is_not_reached(ruleset: RuleSet) -> None:
    """M19, M42: an opponent's camel that jumped a space on which one's own stood has not reached it."""
    t = two(ruleset, "red oil", seat0=(5, 6), seat1=(3, 4))
    t.p.reached[:2] = [1 << 5 | 1 << 6, 1 << 3 | 1 << 4]
    t.give(1, "blue oil", "blue silk", "blue fruit", "violet oil", "violet silk").turn(1)
    t.play("second camel", "lay blue oil", "lay blue silk", "draw")
    assert (t.p.camels[1, 1], t.reached(1)) == (8, {3, 4, 7, 8})
    # seat 0's camel leaves space 6 for 9
    t.play("second camel", "lay red oil", "draw").turn(0).give(0, "red silk")
    assert "lighten" not in t.play("first camel").legal()
    assert rules.next_space(t.p, t.box, 0) == 6


@pytest.mark.parametrize("players", [3, 4, 5])
def test_the_variant_is_refused_with_three_or_more(players: int) -> None:
    """M41: it would mean nothing; plain, which forms and match files name for all, is allowed."""
    with pytest.raises(
        comptoir.OptionError,
        match=f"two_players: strategic is for 2 players, not {players}; leave it at plain",
    ):
        comptoir.new("marco_polo", players=players, two_players="strategic")
    match = comptoir.new("marco_polo", players=players, two_players="plain")
    assert matchfile.parse(match.text()).text() == match.text()
    assert not any("camel" in action for action in match.actions())


def test_a_position_of_three_with_the_variant_is_refused() -> None:
    """M41: as data too."""
    position = comptoir.new("marco_polo", players=3).position() | {"two_players": "strategic"}
    with pytest.raises(comptoir.OptionError, match="two_players: strategic is for 2 players"):
        comptoir.new("marco_polo", position=position)


@pytest.mark.parametrize("word", rules.TWO_PLAYERS)
def test_two_players_play_to_the_end(ruleset: RuleSet, word: str) -> None:
    """M40, M41: both variants, at random."""
    *_, (t, _) = random_match(ruleset, "two", players=2, two_players=word)
    assert rules.ENDINGS[t.p.ending] == "dadu"


def test_the_variant_is_an_option() -> None:
    """M41: plain unless asked for; an unknown one is refused."""
    assert comptoir.new("marco_polo", players=2).position()["two_players"] == "plain"
    with pytest.raises(comptoir.OptionError, match="two_players: expected plain or strategic"):
        comptoir.new("marco_polo", players=2, two_players="tactical")
    assert MARCO_POLO.read_options(2, two_players="strategic")["two_players"] == "strategic"
