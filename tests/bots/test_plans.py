"""Plans for the rest of a turn are compared fairly, from what the seat may know."""

from __future__ import annotations

import random

import numpy as np
import pytest

import comptoir
from comptoir.bots import question_for
from comptoir.bots.levels import make
from comptoir.bots.plans import MATTERS, PlanComparison, PlanSearch, ShareDifference
from comptoir.bots.reasons import OTHER, Gain, gains, gains_text, plan_text
from comptoir.bots.searcher import Searcher
from comptoir.engine import registry
from comptoir.engine.match import Match
from comptoir.engine.words import words_of
from comptoir.engine.worlds import imagined_match


def planner(match: Match, seed: str = "plans", level: str = "merchant:40") -> PlanSearch:
    searcher = make(level, match.game, match.components, seed, threads=1)
    assert isinstance(searcher, Searcher)
    assert match.turn is not None
    return PlanSearch(searcher, question_for(match, match.turn))


def compared(*rows: list[float]) -> PlanComparison:
    """Plans with these shares at three horizons."""
    comparison = PlanComparison((nth,) for nth in range(len(rows)))
    comparison.trees.append(np.array(rows))
    return comparison


def test_a_difference_has_the_interval_that_its_horizons_give_it() -> None:
    found = compared([0.5, 0.5, 0.5], [0.42, 0.40, 0.38]).difference(0, 1)
    assert found.mean == pytest.approx(0.1)
    assert found.margin == pytest.approx(4.3027 * 0.02 / 3**0.5, abs=1e-4)


def test_horizons_that_do_not_agree_say_nothing() -> None:
    """What looks better now, and worse two rounds later, is no better."""
    ranking = compared([0.50, 0.45, 0.40], [0.40, 0.45, 0.50]).ranking([])
    assert [plan.actions for plan in ranking] == [(0,), (1,)]
    assert all(plan.is_as_good for plan in ranking)


def test_the_searchers_plan_stays_first_unless_another_is_clearly_better() -> None:
    assert compared([0.30, 0.31, 0.32], [0.32, 0.31, 0.33]).best() == 0
    assert compared([0.30, 0.31, 0.32], [0.40, 0.42, 0.41]).best() == 1


def test_a_comparison_is_settled_once_no_threshold_is_in_doubt() -> None:
    assert ShareDifference(0.1, 0.01).is_unclear(0.105)
    assert not ShareDifference(0.1, 0.01).is_unclear(0.08)
    sure, unsure = [0.40, 0.40, 0.40], [0.40, 0.37, 0.37]
    best = [0.50, 0.50, 0.50]
    assert compared(best, sure).is_settled([MATTERS])
    assert not compared(sure, unsure).is_settled([MATTERS])


def test_of_plans_that_lead_to_the_same_only_one_is_named() -> None:
    comparison = compared([0.3, 0.4, 0.3], [0.3, 0.4, 0.3], [0.2, 0.2, 0.2])
    assert [plan.actions for plan in comparison.ranking([])] == [(0,), (2,)]
    assert [plan.actions for plan in comparison.ranking([(1,)])] == [(0,), (1,), (2,)]


def test_the_order_within_a_turn_makes_no_difference() -> None:
    match = comptoir.new("sail_to_india", seed=1, players=3)
    texts = ("activate", "acquire metallurgy")
    there, back = (tuple(map(match.game.action_index, order)) for order in (texts, texts[::-1]))
    thinker, comparison = planner(match), PlanComparison([there, back])
    thinker.grow(comparison, 1)
    assert comparison.difference(0, 1) == ShareDifference(0.0, 0.0)
    assert comparison.leads_to_the_same(0, 1)


@pytest.mark.parametrize("name", registry.names())
def test_a_plan_lasts_until_the_turn_is_over_or_chance_decides(name: str) -> None:
    match, chance = comptoir.new(name, seed=5), random.Random(5)
    longer = 0
    for _ in range(60):
        if match.over:
            break
        if len(match.actions()) > 1 and chance.random() < 0.4:
            best, *others = planner(match).plans()
            assert best.behind == ShareDifference(0.0, 0.0)
            assert all(other.behind.high >= 0 for other in others)
            seat, imagined = match.turn, imagined_match(match, match.turn or 0, "test")
            for action in best.actions[:-1]:
                imagined.play(action)
                assert imagined.turn == seat
                assert not imagined.rolled[-1]
            imagined.play(best.actions[-1])
            longer += len(best.actions) > 1
        match.play(chance.choice(match.actions()))
    assert longer or name == "batavia", "a turn of Batavia is often one decision"


def test_the_same_seed_gives_the_same_plans() -> None:
    match = comptoir.new("marco_polo", seed=3)
    assert planner(match).plans() == planner(match).plans()


def test_what_a_plan_gains_is_told_in_points_of_the_score_sheet() -> None:
    """Batavia's points are gold."""
    match = comptoir.new("batavia", players=3, seed=1)
    words = words_of("batavia", "en", packages=("bots",))
    told = gains_text([Gain("seals", 4.2, 1.0), Gain(f"{OTHER}2", -2.6, 1.0)], match.names, words)
    assert told == (
        f"By the end, that brings about 4 gold more ({words.say('sources.seals')})."
        f" By the end, {match.names[2]} has about 3 gold less."
    )


def test_the_same_plan_gains_nothing_over_itself() -> None:
    match = comptoir.new("century", seed=2)
    thinker = planner(match)
    plan = thinker.complete((match.game.action_index(match.actions()[0]),))
    assert gains(thinker, plan, plan, worlds=4) == ()


def test_a_plan_names_its_choices_and_leaves_out_what_is_forced() -> None:
    match = comptoir.new("century", players=2, seed=1, first=0)
    words = words_of("century", "en", packages=("bots",))
    assert match.turn is not None
    said = plan_text(match, match.turn, ("lot one", "sail d"), words)
    assert said == "Start with 4 ginger, then start on market D"
