"""A turn: M10 to M19."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from comptoir.engine.interface import RuleSet
from comptoir.games.marco_polo import rules
from tests.games.marco_polo.positions import (
    BOX,
    DADU,
    FIRST_SCORED,
    MARCO_POLO,
    PositionBuilder,
    cards_of,
    random_match,
)

if TYPE_CHECKING:
    from comptoir.games.marco_polo.records import Position

CARD = {"take", "draw"}


def start(ruleset: RuleSet, *hand: str, demand: str = "1 good", after: str = "2 drivers") -> PositionBuilder:
    """Three players. Seat 0, on space 5, has these cards; space 6 demands `demand`, space 7 `after`.

    The others are on 3 and 4.
    """
    t = PositionBuilder(ruleset, players=3, first=0).clear_cards().give(0, *hand)
    t.row("green oil", "green spice", "green silk", "green fruit", "green driver")
    return t.space(6, demand).space(7, after).space(8, "2 drivers").line_up(5, 3, 4)


def ends(t: PositionBuilder) -> list[str]:
    """The legal actions that end a turn."""
    return [action for action in t.legal() if action.split()[0] in {"take", "draw", "pass"}]


# The turn


def test_a_turn_is_a_move_and_a_card(ruleset: RuleSet) -> None:
    """M10: after the move a card is drawn, and the next player's turn begins."""
    t = start(ruleset, "red oil").lay("red oil")
    assert (t.p.camels[0, 0], t.p.turn) == (6, 0)
    t.play("draw")
    assert (t.p.turn, t.p.hand_size[0]) == (1, 1)


def test_who_passes_draws_too(ruleset: RuleSet) -> None:
    """M10, M16: a card without a move; the hand grows by one."""
    t = start(ruleset, "red oil").play("take green silk")
    assert (t.p.turn, t.p.camels[0, 0], t.hand(0)) == (1, 5, ["red oil", "green silk"])


def test_exactly_one_card_is_drawn(ruleset: RuleSet) -> None:
    """M10: each turn adds one card to the hand, less those laid."""
    before = [5] * 4
    laid = 0
    for t, action in random_match(ruleset, "one card"):
        if action.startswith("lay"):
            laid += 1
        elif action.split(" ")[0] in CARD:
            seat = (int(t.p.turn) - 1) % 4
            assert t.p.hand_size[seat] == before[seat] - laid + 1
            before[seat], laid = int(t.p.hand_size[seat]), 0


def test_play_goes_clockwise(ruleset: RuleSet) -> None:
    """M10: from the first player on."""
    t = PositionBuilder(ruleset, players=5, first=3)
    seats = []
    for _ in range(6):
        seats.append(int(t.p.turn))
        t.play("draw")
    assert seats == [3, 4, 0, 1, 2, 3]


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_passing_is_always_allowed(ruleset: RuleSet, players: int) -> None:
    """M16: a turn may be ended by a card at any time but in the middle of a step."""
    for t, _ in random_match(ruleset, "passing", players=players):
        if t.p.turn >= 0 and t.p.phase == rules.TURN:
            assert ends(t)
        elif t.p.turn >= 0:
            assert not ends(t)


# Moving


def test_the_next_free_space_is_entered_for_exactly_its_cards(ruleset: RuleSet) -> None:
    """M11: the cards are discarded, and the camel stands there."""
    t = start(ruleset, "red oil", "blue oil", "red driver", demand="2 identical goods")
    assert t.lays() == {"red oil", "blue oil"}
    t.lay("blue oil")
    assert (t.p.camels[0, 0], cards_of(t.p.paid)) == (5, ["blue oil"])
    t.lay("red oil")
    assert (t.p.camels[0, 0], t.hand(0)) == (6, ["red driver"])
    assert (cards_of(t.p.discards), t.p.paid) == (["blue oil", "red oil"], 0)
    assert t.sound()


def test_a_step_begun_must_be_completed(ruleset: RuleSet) -> None:
    """M11, M16: no card, no lightening, and nothing that does not complete the set."""
    t = start(ruleset, "red oil", "blue oil", "red silk", "blue silk", demand="2 identical goods").line_up(
        5, 9, 4
    )
    assert "lighten" in t.legal()
    assert t.lay("red oil").legal() == ["lay blue oil"]


def test_no_card_may_be_laid_for_a_set_that_cannot_be_completed(ruleset: RuleSet) -> None:
    """M11: one of two."""
    t = start(ruleset, "red oil", "red silk", "red driver", demand="2 identical goods")
    assert t.lays() == set()


def test_occupied_spaces_are_jumped(ruleset: RuleSet) -> None:
    """M11: at no cost and with no effect: their chests and demands do not matter, nor are they reached."""
    t = (
        start(ruleset, "red oil")
        .space(6, "2 drivers", chest=2)
        .space(7, "4 identical goods")
        .space(8, "1 good")
        .line_up(5, 6, 7)
    )
    t.p.reached[:3] = [1 << 5, 1 << 6, 1 << 7]
    t.lay("red oil")
    assert (t.p.camels[0, 0], t.p.gold[0]) == (8, 3)
    assert t.reached(0) == {5, 8}


def test_spaces_that_have_been_left_are_free_again(ruleset: RuleSet) -> None:
    """M11: only where a camel stands now is jumped."""
    t = start(ruleset, "red oil").line_up(5, 6, 8)
    assert rules.next_space(t.p, t.box, 0) == 7
    assert rules.next_space(t.at(seat1=9).p, t.box, 0) == 6


def test_no_two_camels_stand_on_a_space(ruleset: RuleSet) -> None:
    """M4, M11: but on Ganzhou, in all of a random match."""
    for t, _ in random_match(ruleset, "one a space", players=5):
        spaces = [int(space) for space in t.p.camels[:5, 0] if space != t.box.cities_ganzhou]
        assert len(set(spaces)) == len(spaces)


def test_a_camel_goes_on_as_far_as_its_owner_can_pay(ruleset: RuleSet) -> None:
    """M12: each space for its own cards, in one turn."""
    t = start(
        ruleset, "red oil", "red driver", "blue driver", "red silk", demand="1 good", after="2 drivers"
    ).space(8, "1 good")
    t.lay("red oil", "red driver", "blue driver", "red silk")
    assert (t.p.camels[0, 0], t.p.turn, t.p.hand_size[0]) == (8, 0, 0)
    assert set(ends(t)) == set(t.legal())
    assert t.reached(0) >= {6, 7, 8}


def test_cards_left_over_do_not_count_for_the_next_space(ruleset: RuleSet) -> None:
    """M12: every free space is paid for by itself."""
    t = start(ruleset, "red oil", "blue oil", demand="1 good", after="2 identical goods")
    assert t.lay("red oil").lays() == set()


# What spaces demand


def fits(demand: str, cards: list[str]) -> bool:
    """The rulebook's words, without any cleverness: whether these cards are exactly what is demanded."""
    colours = [card.split()[0] for card in cards]
    faces = [card.split()[1] for card in cards]
    count = int(demand[0]) if demand[0].isdecimal() else 0
    match demand.split(" ", 1)[1]:
        case "good" | "identical goods":
            return len(cards) == count and len(set(faces)) == 1 and "driver" not in faces
        case "of each good":
            return sorted(faces) == sorted(rules.GOODS)
        case "driver" | "drivers":
            return faces == ["driver"] * count
        case "of one colour":
            return len(cards) == count and len(set(colours)) == 1
        case "of each colour":
            return sorted(colours) == sorted(rules.COLOURS)
    raise AssertionError(demand)


def payments(t: PositionBuilder) -> set[tuple[str, ...]]:
    """All sets of cards with which the rules let seat 0 enter the next space, found by laying card after
    card.
    """
    found, seen = set(), set()
    waiting: list[tuple[Position, tuple[str, ...]]] = [(MARCO_POLO.copy(t.p), ())]
    while waiting:
        p, laid = waiting.pop()
        t.p = p
        lays = t.lays()
        assert lays or not laid, "a payment that cannot be completed"
        for card in lays:
            cards: tuple[str, ...] = tuple(sorted((*laid, card)))
            if cards in seen:
                continue
            seen.add(cards)
            t.p = MARCO_POLO.copy(p)
            t.lay(card)
            if t.p.camels[0, 0] == 6:
                found.add(cards)
            else:
                waiting.append((t.p, cards))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("demand", rules.DEMANDS[1:])
def test_every_set_that_fits_may_be_laid_and_no_other(ruleset: RuleSet, mode: str, demand: str) -> None:
    """M11, M13: for random hands, all ways to lay cards against all ways to choose them."""
    chance = random.Random(demand)
    every = [card for card in cards_of(rules.all_cards(BOX)) if not card.startswith("green")]
    paid = 0
    for _ in range(30 if mode == "compiled" else 8):
        greens = chance.sample(
            ["green oil", "green silk", "green fruit", "green driver"], chance.randint(0, 2)
        )
        hand = [*chance.sample(every, 9), *greens]
        t = start(ruleset, *hand, demand=demand)
        t.gold(0)
        expected = {
            tuple(sorted(cards))
            for n in range(1, 6)
            for cards in itertools.combinations(hand, n)
            if fits(demand, list(cards))
        }
        assert payments(t) == expected
        paid += len(expected)
    assert paid


@pytest.mark.parametrize(
    ("demand", "size"),
    [
        ("1 good", 1),
        ("3 identical goods", 3),
        ("one of each good", 4),
        ("2 drivers", 2),
        ("3 of one colour", 3),
        ("one of each colour", 5),
    ],
)
def test_how_many_cards_a_demand_takes(demand: str, size: int) -> None:
    """M13: as the rulebook's six pictures have it."""
    assert rules.size_of(rules.DEMANDS.index(demand)) == size


def test_a_single_good_is_any_goods_card(ruleset: RuleSet) -> None:
    """M13: but no driver."""
    assert start(ruleset, "red oil", "blue silk", "red driver").lays() == {"red oil", "blue silk"}


def test_identical_goods_are_of_the_kind_of_the_first_one_laid(ruleset: RuleSet) -> None:
    """M13: with two kinds in hand, the first card decides."""
    t = start(
        ruleset,
        "red oil",
        "blue oil",
        "red silk",
        "blue silk",
        "red driver",
        "blue driver",
        demand="2 identical goods",
    )
    assert t.lays() == {"red oil", "blue oil", "red silk", "blue silk"}
    assert t.lay("blue silk").lays() == {"red silk"}


# Chests


def test_the_first_camel_takes_the_chest(ruleset: RuleSet) -> None:
    """M14: automatically, when it reaches the space."""
    t = start(ruleset, "red oil").space(6, "1 good", chest=2).lay("red oil")
    assert t.p.gold[0] == 5


def test_later_camels_get_nothing(ruleset: RuleSet) -> None:
    """M14: the chest is gone once a camel has been there."""
    t = start(ruleset, "red oil").space(6, "1 good", chest=2)
    t.line_up(5, 8, 4).lay("red oil")
    assert (t.p.camels[0, 0], t.p.gold[0]) == (6, 3)


def test_a_chest_is_taken_on_the_way(ruleset: RuleSet) -> None:
    """M14, M12: each space entered counts as reached."""
    t = (
        start(ruleset, "red oil", "red silk", demand="1 good", after="1 good")
        .space(6, "1 good", chest=1)
        .space(7, "1 good", chest=2)
    )
    assert t.lay("red oil", "red silk").p.gold[0] == 6


# Lightening


def test_lightening_takes_a_camel_on_for_1_gold(ruleset: RuleSet) -> None:
    """M15: without cards, to the next free space, which an opponent's camel has reached."""
    t = start(ruleset, demand="4 identical goods").line_up(5, 9, 4).play("lighten")
    assert (t.p.camels[0, 0], t.p.gold[0], t.p.turn) == (6, 2, 0)


def test_lightening_jumps_occupied_spaces(ruleset: RuleSet) -> None:
    """M15, M11: the next free space is meant."""
    t = start(ruleset).line_up(5, 9, 6).play("lighten")
    assert t.p.camels[0, 0] == 7


def test_lightening_comes_once_a_turn(ruleset: RuleSet) -> None:
    """M15: and again in the next one."""
    t = start(ruleset).line_up(5, 9, 4).play("lighten")
    assert "lighten" not in t.legal()
    t.play("draw").turn(0)
    assert "lighten" in t.legal()


def test_lightening_may_come_before_between_or_after_paid_steps(ruleset: RuleSet) -> None:
    """M15: in any order with cards."""
    for order in itertools.permutations(["lighten", "lay red oil", "lay red silk"]):
        t = (
            start(ruleset, "red oil", "red silk", demand="1 good", after="1 good")
            .space(8, "1 good")
            .line_up(5, 12, 4)
        )
        if order.index("lay red oil") > order.index("lay red silk"):
            continue
        t.play(*order)
        assert (t.p.camels[0, 0], t.p.gold[0]) == (8, 2)


def test_nobody_lightens_without_gold(ruleset: RuleSet) -> None:
    """M15: gold of value 1 must be there."""
    t = start(ruleset).line_up(5, 9, 4)
    t.gold(0)
    assert "lighten" not in t.legal()


def test_a_chest_taken_in_the_turn_may_pay(ruleset: RuleSet) -> None:
    """M15: gold 0, a chest of 1 from one space, and on to the next."""
    t = start(ruleset, "red oil").space(6, "1 good", chest=1).line_up(5, 7, 8)
    t.p.reached[:3] = [1 << 5, 1 << 7 | 1 << 9, 1 << 8]
    t.gold(0)
    t.p.camels[1, 0] = 10
    t.lay("red oil").play("lighten")
    assert (t.p.camels[0, 0], t.p.gold[0]) == (7, 0)


def test_nobody_lightens_onto_a_space_that_no_opponent_has_reached(ruleset: RuleSet) -> None:
    """M15, M19: not even if camels stand beyond it; what counts is where they have been."""
    t = start(ruleset).line_up(5, 9, 4)
    t.p.reached[1] = 1 << 9 | 1 << 8
    assert "lighten" not in t.legal()
    t.p.reached[1] |= 1 << 6
    assert "lighten" in t.legal()


def test_nobody_takes_the_lead_by_lightening(ruleset: RuleSet) -> None:
    """M15: in all of many random matches, whoever lightens stays behind the foremost camel of an opponent."""
    for n in range(6):
        before: list[int] = []
        for t, action in random_match(ruleset, f"lead {n}", players=2 + n % 4):
            camels = [int(space) for space in t.p.camels[: t.players].flat]
            if action == "lighten":
                assert max(camels) == max(before)
            before = camels


@pytest.mark.parametrize("players", [3, 4, 5])
def test_with_three_or_more_reached_means_on_or_beyond(ruleset: RuleSet, players: int) -> None:
    """M19: a free space has been reached by an opponent if and only if an opponent's camel stands on or
    beyond it.
    """
    for t, _ in random_match(ruleset, "reached", players=players):
        p = t.p
        if p.turn >= 0 and not p.stopped[0]:
            space = rules.next_space(p, t.box, 0)
            beyond = any(p.camels[seat, 0] >= space for seat in range(players) if seat != p.turn)
            assert beyond == bool(rules.reached_by_others(p, int(p.turn)) >> space & 1)


def test_spaces_reached_are_kept(ruleset: RuleSet) -> None:
    """M19: for each player, and those that were jumped are not among them."""
    been: list[set[int]] = [set() for _ in range(3)]
    for t, _ in random_match(ruleset, "kept", players=3):
        for seat in range(3):
            been[seat].add(int(t.p.camels[seat, 0]))
            through = {FIRST_SCORED}  # a straggler goes to Ganzhou from there
            assert t.reached(seat) - through == been[seat] - through


# The card


def test_an_open_card_is_replaced_at_once(ruleset: RuleSet) -> None:
    """M17: from the pile."""
    t = start(ruleset).pile("blue oil", rest_to=1)
    t.play("take green silk")
    assert (t.hand(0), cards_of(t.p.row)) == (
        ["green silk"],
        ["blue oil", "green oil", "green spice", "green fruit", "green driver"],
    )
    assert t.p.pile_size == 0


def test_the_piles_top_card_is_drawn_unseen(ruleset: RuleSet) -> None:
    """M17: the row stays as it is."""
    t = start(ruleset).pile("blue oil", "blue silk", rest_to=1)
    t.play("draw")
    assert t.hand(0) in (["blue oil"], ["blue silk"])
    assert (t.p.pile_size, t.p.row_size) == (1, 5)


def test_any_open_card_may_be_taken_and_no_other(ruleset: RuleSet) -> None:
    """M17: one of the five."""
    assert start(ruleset).takes() == {"green oil", "green spice", "green silk", "green fruit", "green driver"}


@pytest.mark.slow
def test_every_card_of_the_pile_is_as_likely(ruleset: RuleSet) -> None:
    """M17: it is shuffled."""
    drawn = []
    for n in range(300):
        t = start(ruleset).pile("blue oil", "red silk", "red silk", rest_to=1)
        t.dice[0] = n
        drawn += t.play("draw").hand(0)
    assert 60 < drawn.count("blue oil") < 140


def test_the_discards_are_shuffled_when_a_card_is_needed(ruleset: RuleSet) -> None:
    """M17: with the cards laid in this very turn, for the one who draws."""
    t = start(ruleset, "red oil").pile(rest_to=1)
    assert (t.p.pile_size, t.p.discards) == (0, 0)
    assert "draw" not in t.legal()
    assert "draw" in t.lay("red oil").legal()
    assert t.play("draw").hand(0) == ["red oil"]
    assert t.sound()


def test_the_discards_are_shuffled_for_the_row_too(ruleset: RuleSet) -> None:
    """M17: an open card taken is replaced from them."""
    t = start(ruleset, "red oil").pile(rest_to=1).lay("red oil").play("take green oil")
    assert cards_of(t.p.row) == ["red oil", "green spice", "green silk", "green fruit", "green driver"]
    assert t.p.discards == 0


def test_the_discards_are_not_shuffled_before_a_card_is_needed(ruleset: RuleSet) -> None:
    """M17: the last card of the pile may be drawn, and the discards stay."""
    t = start(ruleset, "red oil").pile("blue oil", rest_to=1).lay("red oil").play("draw")
    assert (t.p.pile_size, cards_of(t.p.discards), t.hand(0)) == (0, ["red oil"], ["blue oil"])


def test_a_row_that_is_short_is_filled_when_cards_come(ruleset: RuleSet) -> None:
    """M17: up to five after each draw, as far as pile and discards allow."""
    t = start(ruleset, "red oil", "red silk", "red fruit", after="1 good").space(8, "1 good").pile(rest_to=1)
    t.play("take green oil")
    assert (t.p.row_size, t.p.pile_size, t.p.discards) == (4, 0, 0)
    t.turn(0).lay("red oil", "red silk", "red fruit").play("draw")
    assert (t.p.row_size, t.p.pile_size, t.p.discards) == (5, 1, 0)
    assert t.sound()


def test_a_card_must_be_drawn_if_there_is_any(ruleset: RuleSet) -> None:
    """M17: from the row if pile and discards are empty; only without any card a turn ends by passing."""
    t = (
        PositionBuilder(ruleset, players=3, first=0)
        .clear_cards()
        .row("red oil")
        .pile(rest_to=1)
        .line_up(5, 3, 4)
    )
    assert t.legal() == ["take red oil"]
    assert t.play("take red oil").turn(2).legal() == ["pass"]


def test_there_is_no_hand_limit(ruleset: RuleSet) -> None:
    """M17: one may hold nearly all cards."""
    t = start(ruleset).pile("blue oil", rest_to=0)
    size = int(t.p.hand_size[0])
    assert t.play("draw").p.hand_size[0] == size + 1 == 50


def test_all_cards_are_always_somewhere(ruleset: RuleSet) -> None:
    """M3, M17: 55 of them, in every position of a random match."""
    everything = Counter(cards_of(rules.all_cards(BOX)))
    for t, _ in random_match(ruleset, "cards"):
        p = t.p
        places = [p.pile, p.row, p.discards, p.paid, *p.hand]
        assert sum((Counter(cards_of(place)) for place in places), Counter()) == everything


def test_gold_is_a_number_without_a_limit_of_chests(ruleset: RuleSet) -> None:
    """M18: change is always at hand, and 36 chests do not limit what one may own."""
    t = start(ruleset, "red oil").space(6, "1 good", chest=2)
    t.gold(90)
    assert t.lay("red oil").p.gold[0] == 92


def test_nothing_is_left_of_a_turn_in_the_next(ruleset: RuleSet) -> None:
    """M10, M15: who has lightened and moved begins again."""
    t = start(ruleset, "red oil", demand="1 good").line_up(5, 12, 4).play("lighten", "draw")
    assert (t.p.lightened, t.p.paid, t.p.moving, t.p.phase) == (0, 0, 0, rules.TURN)
    assert not t.p.stopped.any()


def test_dadu_lies_at_the_end(ruleset: RuleSet) -> None:
    """M11: a camel just before Dadu has only Dadu ahead."""
    t = start(ruleset).line_up(DADU - 1, DADU - 2, DADU - 3)
    assert [rules.next_space(t.turn(seat).p, t.box, 0) for seat in range(3)] == [DADU] * 3
