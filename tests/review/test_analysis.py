"""A turn is judged by what its seat knew then; a position with all cards open."""

from __future__ import annotations

import pytest

from comptoir import OptionError
from comptoir.engine import registry
from comptoir.engine.game import get_game
from comptoir.engine.match import Match
from comptoir.engine.words import LANGUAGES, words_of
from comptoir.review.analysis import Analyser, TurnAnalysis
from comptoir.review.builder import blank_review
from comptoir.review.model import ReviewedAction
from comptoir.review.texts import ReviewNarrator
from tests.review.sample_matches import QUICK, finished, redealt

SECRETIVE = ("batavia", "marco_polo")


@pytest.fixture(autouse=True, scope="module")
def _compiled() -> None:
    for name in registry.names():
        _ = get_game(name).compiled


def told(match: Match, ply: int, known: TurnAnalysis) -> list[object]:
    """All that is said of a turn, in both languages."""
    entry = ReviewedAction(match.actions_by_seat[ply][0], match.played[ply], known, None, None)
    review = blank_review(match, QUICK)
    blanks = [
        ReviewedAction(seat, action, TurnAnalysis(), None, None) for seat, action in match.actions_by_seat
    ]
    object.__setattr__(review, "entries", (*blanks[:ply], entry, *blanks[ply + 1 :]))
    return [
        ReviewNarrator(match, review, words_of(match.game.name, lang, packages=("bots", "review"))).judged(
            ply
        )
        for lang in LANGUAGES
    ]


@pytest.mark.slow
@pytest.mark.no_cover
@pytest.mark.parametrize("name", ["batavia", "century", "marco_polo", "sail_to_india"])
def test_what_was_hidden_changes_nothing_in_a_turn(name: str) -> None:
    """Hidden cards are dealt again: the plans, their shares, their gains and every word stay the same."""
    others = judged = 0
    secretive = name in SECRETIVE
    for seed in range(3 if secretive else 1):
        match = finished(name, seed)
        for ply in range(seed, match.ply, max(1, match.ply // (9 if secretive else 5))):
            seat = match.actions_by_seat[ply][0]
            other = redealt(match, seat, seed)
            known = Analyser(match, QUICK).analyse_turn(ply)
            assert Analyser(other, QUICK).analyse_turn(ply) == known
            assert told(other, ply, known) == told(match, ply, known)
            judged += bool(known.plans)
            others += other.records[ply].tobytes() != match.records[ply].tobytes()
    assert judged >= 3
    assert bool(others) == secretive


def test_hidden_cards_count_with_all_cards_open() -> None:
    """Else the curve would not say what it says it does."""
    match = finished("marco_polo", 3)
    ply = match.ply // 2
    other = redealt(match, int(match.records[ply]["turn"]), 5)
    judge = Analyser(match, "merchant:200")
    assert judge.chances(ply) != Analyser(other, "merchant:200").chances(ply)
    assert judge.chances(ply) == Analyser(match, "merchant:200").chances(ply)


@pytest.mark.parametrize("name", registry.names())
def test_what_was_played_is_judged_however_bad_it_looks(name: str) -> None:
    match = finished(name, 2)
    judge = Analyser(match, QUICK)
    for ply in range(0, match.ply, max(1, match.ply // 12)):
        known = judge.analyse_turn(ply)
        if len(match.at(ply).actions()) == 1:
            assert known == TurnAnalysis()
            continue
        played = tuple(match.played[ply : ply + known.length])
        assert {seat for seat, _ in match.actions_by_seat[ply : ply + known.length]} == {
            match.actions_by_seat[ply][0]
        }
        assert [plan.actions for plan in known.plans].count(played) == 1
        best = known.plans[0]
        assert best.loss == best.margin == 0
        assert all(plan.loss + plan.margin >= 0 for plan in known.plans), "none is better for certain"


def test_a_level_that_does_not_search_cannot_judge() -> None:
    with pytest.raises(OptionError, match="does not search"):
        Analyser(finished("century"), "clerk")
