"""What a hint says: a plan for the rest of the turn, what is as good, and why it is better than the next."""

from __future__ import annotations

import random

import pytest

import comptoir
from comptoir.bots import earlier_views
from comptoir.bots.hints import Advice, advice_text, advise, continued, quick_advice
from comptoir.bots.levels import make
from comptoir.bots.plans import PlanEstimate, ShareDifference
from comptoir.bots.reasons import Gain
from comptoir.engine import registry
from comptoir.engine.match import Match
from comptoir.engine.recap import ActionStep
from comptoir.engine.scene import Scene
from comptoir.engine.words import LANGUAGES, words_of
from comptoir.engine.worlds import imagined_match

SAME, WORSE, UNSURE = ShareDifference(0.0, 0.0), ShareDifference(0.06, 0.01), ShareDifference(0.02, 0.05)


def advice_of(
    match: Match, *plans: tuple[tuple[str, ...], ShareDifference], gains: tuple[Gain, ...] = ()
) -> Advice:
    """Advice of these plans, each with how far it is behind."""
    estimates = (
        PlanEstimate(tuple(map(match.game.action_index, actions)), 0.4 - behind.mean, behind)
        for actions, behind in plans
    )
    return Advice("captain", tuple(match.played), tuple(estimates), gains)


def texts(match: Match, advice: Advice) -> dict[str, str]:
    assert match.turn is not None
    return {
        lang: advice_text(match, match.turn, advice, words_of(match.game.name, lang, packages=("bots",)))
        for lang in LANGUAGES
    }


def test_a_hint_is_a_plan_for_the_turn() -> None:
    match = comptoir.new("century", players=2, seed=1, first=0)
    told = texts(match, advice_of(match, (("lot one", "sail d"), SAME)))
    assert (
        told["en"]
        == "The captain's plan: Start with 4 ginger, then start on market D (40% chance of winning)."
    )
    assert told["fr"].startswith(
        "Le plan du capitaine : Commencer avec 4 gingembres, puis partir du marché D (40"
    )


def test_a_clear_difference_is_told_with_its_interval_and_its_reason() -> None:
    match = comptoir.new("century", players=2, seed=1, first=0)
    better = advice_of(
        match, (("lot one", "sail d"), SAME), (("lot two", "sail d"), WORSE), gains=(Gain("tiles", 5.0, 1.0),)
    )
    told = texts(match, better)["en"]
    assert "That is 5 to 7 points of the win better than: Start with " in told
    assert told.endswith("By the end, that brings about 5 points more (Point tiles).")
    assert better.first_actions == [match.game.action_index("lot one")]


def test_what_is_about_as_good_is_named_too() -> None:
    match = comptoir.new("century", players=2, seed=1, first=0)
    unsure = advice_of(match, (("lot one", "sail d"), SAME), (("lot two", "sail d"), UNSURE))
    told = texts(match, unsure)
    assert "About as good: start with " in told["en"]
    assert "better than" not in told["en"]
    assert "À peu près aussi bon : commencer avec " in told["fr"]
    assert unsure.first_actions == [match.game.action_index(lot) for lot in ("lot one", "lot two")]


def test_without_a_reason_a_hint_says_what_the_action_does() -> None:
    match = comptoir.new("batavia", players=3, seed=1, first=0)
    told = texts(match, advice_of(match, (("bid 3",), SAME)))["en"]
    assert told == "The captain's plan: Bid 3 (40% chance of winning). Leaves you 12 bills."


@pytest.mark.parametrize("name", registry.names())
def test_a_plan_is_kept_as_long_as_it_is_followed(name: str) -> None:
    """Property: whoever follows the hints of a turn carries out the plan that was told first."""
    match, chance = comptoir.new(name, seed=4), random.Random(4)
    followed = 0
    for _ in range(40):
        if match.over:
            break
        seat = match.turn
        assert seat is not None
        advice = first = advise(match, seat, "seed", "merchant:40")
        for nth, action in enumerate(first.best.actions):
            assert advice.best.actions == first.best.actions[nth:]
            match.play(action)
            going_on = continued(first, match, seat)
            if going_on is None:
                last = nth == len(first.best.actions) - 1
                assert last or match.rolled[-1]
                break
            advice, followed = going_on, followed + 1
            assert texts(match, advice)["en"].startswith("As planned: ")
        if chance.random() < 0.5 and not match.over:
            match.play(chance.choice(match.actions()))
    assert followed or name == "batavia", "a turn of Batavia is often one decision"


def test_a_plan_that_was_left_is_not_gone_on_with() -> None:
    match = comptoir.new("century", players=2, seed=1, first=0)
    seat, advice = match.turn, advice_of(match, (("lot one", "sail d"), SAME))
    assert seat is not None
    assert continued(advice, match, seat) is advice, "asked twice, it says the same"
    other, taken_back = match.at(0), match.at(0)
    other.play("lot two")
    assert continued(advice, other, seat) is None
    taken_back.play("lot one")
    taken_back.undo()
    assert continued(advice, taken_back, seat) is advice
    assert continued(advice, match, 1 - seat) is None


def test_until_the_captain_is_compiled_a_clerk_advises() -> None:
    match = comptoir.new("batavia", players=3, seed=1)
    assert match.turn is not None
    advice = quick_advice(match, match.turn, "seed")
    assert len(advice.plans) == 1
    assert texts(match, advice)["en"].startswith("A clerk advises, while the captain is being compiled: ")


@pytest.mark.slow
@pytest.mark.parametrize("name", registry.names())
def test_a_line_may_begin_and_break_off_anywhere_in_a_turn(name: str) -> None:
    """Before the step that a dropped cube or a laid card is for, too."""
    words, alone = words_of(name, "en"), set()
    for seed in range(3):
        match, chance = comptoir.new(name, players=3, seed=seed), random.Random(seed)
        steps: list[ActionStep[Scene]] = []
        while not match.over and match.ply < 150:
            seat, before = match.turn, match.scene(match.turn, words)
            match.play(action := chance.choice(match.actions()))
            steps = [] if steps and steps[-1].before.record.turn != seat else steps[-3:]
            steps.append(ActionStep(before, match.action_at(match.ply), match.scene(seat, words)))
            for start in range(len(steps)):
                sentence, _ = match.game.story.recap(steps[start:])
                assert sentence.endswith(".")
            alone.add(action.split()[0])
    assert len(alone) > 3


@pytest.mark.parametrize("name", registry.names())
def test_the_captains_line_is_legal_and_begins_with_its_choice(name: str) -> None:
    match, chance = comptoir.new(name, seed=3), random.Random(3)
    lines = 0
    for _ in range(40):
        if match.over:
            break
        assert match.turn is not None
        if len(match.actions()) > 1 and chance.random() < 0.2:
            best = make("merchant", match.game, match.components, "seed").analyse(  # type: ignore[attr-defined]
                match.seen_by(match.turn), match.ply, earlier_views(match, match.turn)
            )[0]
            assert best.line[0] == best.action
            trial, lines = imagined_match(match, match.turn, "test"), lines + (len(best.line) > 1)
            for action in best.line[:-1]:
                trial.play(action)
                assert trial.turn == match.turn
            trial.play(best.line[-1])
        match.play(chance.choice(match.actions()))
    assert lines
