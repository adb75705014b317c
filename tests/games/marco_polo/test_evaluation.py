"""The evaluation of Marco Polo Expedition says the obvious, and its habit plays whole games."""

from __future__ import annotations

import numpy as np
import pytest

from comptoir.engine.interface import RuleSet, cycle_key, evaluate, prune_redundant, rollout_action
from comptoir.engine.mask import allows, clear, new_mask
from comptoir.games.marco_polo import rules
from tests.games.marco_polo.positions import DADU, GANZHOU, MARCO_POLO, PositionBuilder, random_match

WEIGHTS = MARCO_POLO.evaluation.weights
DRIVERS = ("red driver", "blue driver")


def judged(t: PositionBuilder) -> list[float]:
    """What each seat may expect to end with."""
    points = np.zeros(5)
    assert t.ruleset.bind(evaluate)(t.p, t.box, WEIGHTS, points) > 0
    return [float(x) for x in points[: t.players]]


def even(ruleset: RuleSet, *spaces: int) -> PositionBuilder:
    """Three players without cards, one behind the other; seat 0 is to decide."""
    return PositionBuilder(ruleset, players=3, first=0).clear_cards().line_up(*spaces or (5, 6, 7))


def test_gold_is_worth_having(ruleset: RuleSet) -> None:
    t = even(ruleset)
    before = judged(t)
    t.gold(3, 5)
    assert judged(t)[1] > before[1] + 1


def test_cards_are_worth_having(ruleset: RuleSet) -> None:
    before = judged(even(ruleset))
    assert judged(even(ruleset).give(1, "red oil"))[1] > before[1]


def test_cards_that_the_next_space_demands_are_worth_more(ruleset: RuleSet) -> None:
    """Seat 2 is before a space that takes two drivers."""
    fitting, other = (
        even(ruleset, 3, 4, 8).space(9, "2 drivers").give(2, *cards)
        for cards in (DRIVERS, ("red oil", "blue silk"))
    )
    assert judged(fitting)[2] > judged(other)[2]


def test_a_camel_further_on_is_worth_more(ruleset: RuleSet) -> None:
    assert judged(even(ruleset, 5, 6, 10))[2] > judged(even(ruleset, 5, 6, 7))[2]


def test_a_chest_is_better_taken_than_waited_for(ruleset: RuleSet) -> None:
    t = even(ruleset, 8, 3, 4).space(9, "2 drivers", chest=2).give(0, *DRIVERS)
    before = judged(t)[0]
    assert judged(t.lay(*DRIVERS))[0] > before


def test_a_step_begun_is_judged_as_if_it_were_made(ruleset: RuleSet) -> None:
    """So that whoever looks one action ahead begins it."""
    t = even(ruleset, 8, 3, 4).space(9, "2 drivers").give(0, *DRIVERS)
    begun = judged(t.lay(DRIVERS[0]))
    assert judged(t.lay(DRIVERS[1])) == pytest.approx(begun)


@pytest.mark.parametrize("scored", [False, True])
def test_who_is_about_to_win_the_race_is_rated_first(ruleset: RuleSet, scored: bool) -> None:
    city = DADU if scored else GANZHOU
    t = even(ruleset, city - 1, city - 6, city - 7).space(city, "2 drivers").give(0, *DRIVERS)
    t.p.scored = scored
    points = judged(t)
    assert points[0] > points[1] + 3


def test_the_second_of_two_camels_counts(ruleset: RuleSet) -> None:
    near, far = (
        PositionBuilder(ruleset, players=2, first=0).at(seat0=(9, 4), seat1=(8, second)).turn(0)
        for second in (7, 3)
    )
    assert judged(near)[1] > judged(far)[1]


@pytest.mark.parametrize(
    ("players", "two_players"), [(2, "plain"), (2, "strategic"), (3, "plain"), (4, "plain"), (5, "plain")]
)
def test_every_position_can_be_judged(ruleset: RuleSet, mode: str, players: int, two_players: str) -> None:
    """In every phase, and in the middle of a turn; no seat may expect more gold than there is."""
    for n, (t, _) in enumerate(random_match(ruleset, "judged", players=players, two_players=two_players)):
        if t.p.turn >= 0 and (mode == "compiled" or n % 5 == 0):
            assert all(-40 < points < 60 for points in judged(t))


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_games_played_by_habit_are_legal_and_end(ruleset: RuleSet, mode: str, players: int) -> None:
    mask = new_mask(len(rules.ACTIONS))
    choose = ruleset.bind(rollout_action)
    for game in range(30 if mode == "compiled" else 2):
        t = PositionBuilder(ruleset, f"habit {game}", players=players)
        decisions = 0
        while t.p.turn >= 0:
            clear(mask)
            ruleset.legal(t.p, t.box, mask)
            action = choose(t.p, t.box, WEIGHTS, mask, t.dice)
            assert allows(mask, action)
            ruleset.play(t.p, t.box, action, t.dice)
            decisions += 1
        assert decisions < 600


def in_hands(ruleset: RuleSet) -> PositionBuilder:
    """All cards are in hands: there is nothing to draw."""
    t = even(ruleset, 8, 3, 4).space(9, "2 drivers").give(0, *DRIVERS)
    t.p.pile = t.p.pile_size = 0
    return t


def test_waiting_brings_nothing_when_all_cards_are_in_hands(ruleset: RuleSet) -> None:
    """M17: a step puts cards where they can be drawn from; to pass does not."""
    t = in_hands(ruleset)
    assert "pass" in t.legal()
    assert judged(in_hands(ruleset).lay(*DRIVERS))[0] > judged(t.play("pass"))[0]


def test_no_turn_goes_in_circles(ruleset: RuleSet) -> None:
    t, mask = even(ruleset), new_mask(len(rules.ACTIONS))
    assert ruleset.bind(cycle_key)(t.p, t.box) == 0
    ruleset.legal(t.p, t.box, mask)
    before = mask.copy()
    ruleset.bind(prune_redundant)(t.p, t.box, mask)
    assert (mask == before).all()
