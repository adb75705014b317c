"""Whether the lab's statistics keep what they promise, by simulation."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from comptoir.lab.statistics import Floats, apply_holm, difference, differs_from, estimate

TIMES = 1_500
Draw = Callable[[np.random.Generator, int], tuple[Floats, Floats]]


def alike(chance: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    """Points on the same deals: what they share is more than what they do not."""
    deal = chance.normal(40, 10, n)
    return deal + chance.normal(0, 4, n), deal + chance.normal(1.5, 4, n)


def counted(chance: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    """Uses of a component: few, and skewed."""
    rate = chance.gamma(2, 0.5, n)
    return chance.poisson(rate).astype(float), chance.poisson(1.2 * rate).astype(float)


def shares(chance: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    """Wins of a seat that is as good on both boxes in most deals."""
    deal, other = chance.random(n), chance.random(n)
    moved = chance.random(n) < 0.4
    return (deal < 0.25).astype(float), (np.where(moved, other, deal) < 0.3).astype(float)


def rare(chance: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    return (chance.random(n) < 0.01).astype(float), (chance.random(n) < 0.02).astype(float)


def missing(chance: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    """A figure that is defined in some matches only."""
    before, after = alike(chance, n)
    before[chance.random(n) < 0.3] = math.nan
    after[chance.random(n) < 0.5] = math.nan
    return before, after


@pytest.mark.parametrize(
    ("draw", "share", "truth", "n"),
    [
        (alike, False, 1.5, 30),
        (counted, False, 0.2, 100),
        (shares, True, 0.05, 60),
        (rare, True, 0.01, 200),
        (missing, False, 1.5, 80),
    ],
)
def test_intervals_of_differences_hold_the_truth_95_times_in_100(
    draw: Draw, share: bool, truth: float, n: int
) -> None:
    chance, held = np.random.default_rng(7), 0
    for _ in range(TIMES):
        found = difference(*draw(chance, n), share)
        assert found is not None
        held += found.low <= truth <= found.high
    # an interval for a rare event may be too wide, never too narrow
    assert 0.935 < held / TIMES < (1.0 if draw is rare else 0.97)


@pytest.mark.parametrize(("share", "n"), [(0.25, 40), (0.02, 60), (0.5, 200)])
def test_intervals_of_shares_hold_the_truth(share: float, n: int) -> None:
    chance, held = np.random.default_rng(3), 0
    for _ in range(TIMES):
        told = estimate((chance.random(n) < share).astype(float), share=True)
        assert 0 <= told.low <= told.value <= told.high <= 1
        held += told.low <= share <= told.high
    assert held / TIMES > 0.93


@pytest.mark.slow
def test_many_figures_without_a_difference_give_a_false_one_once_in_twenty() -> None:
    chance, wrong = np.random.default_rng(11), 0
    for _ in range(200):
        deal = chance.normal(0, 1, (60, 50))
        told = [
            difference(deal[nth] + chance.normal(0, 0.5, 50), deal[nth] + chance.normal(0, 0.5, 50))
            for nth in range(60)
        ]
        wrong += any(one.significant for one in apply_holm([one for one in told if one]))
    assert wrong <= 18  # of 200, where 10 are to be expected


def test_what_was_asked_for_has_half_of_the_doubt_to_itself() -> None:
    chance = np.random.default_rng(4)
    told = [difference(*(chance.normal(0, 1, (2, 50)))) for _ in range(60)]
    asked = difference(chance.normal(0, 1, 50), chance.normal(0.55, 1, 50))
    assert asked is not None
    assert 0.001 < asked.p < 0.025
    everything = [asked, *(one for one in told if one)]
    assert not apply_holm(everything)[0].significant
    judged = apply_holm(everything, [True] + [False] * 60)
    assert judged[0].significant
    assert judged[0].detectable_effect < apply_holm(everything)[0].detectable_effect
    assert not any(one.significant for one in judged[1:])
    assert apply_holm([]) == []


def test_what_would_have_been_seen_is_seen_four_times_in_five() -> None:
    chance, seen = np.random.default_rng(5), 0
    for _ in range(300):
        deal = chance.normal(0, 1, (20, 120))
        before, after = deal + chance.normal(0, 0.5, deal.shape), deal + chance.normal(0, 0.5, deal.shape)
        told = [difference(one, other) for one, other in zip(before, after, strict=True)]
        least = apply_holm([one for one in told if one])[0].detectable_effect
        after[0] += least
        told[0] = difference(before[0], after[0])
        seen += apply_holm([one for one in told if one])[0].significant
    assert 0.72 < seen / 300 < 0.9


def test_pairs_tell_as_much_as_many_more_deals() -> None:
    before, after = alike(np.random.default_rng(2), 4_000)
    paired, apart = difference(before, after), difference(before, after, paired=False)
    assert paired is not None
    assert apart is not None
    assert paired.pairing_gain == pytest.approx((100 + 16) / 16, rel=0.1)
    assert (apart.std_error / paired.std_error) ** 2 == pytest.approx(paired.pairing_gain, rel=0.01)
    assert apart.value == paired.value


def test_no_deal_that_differs_is_no_difference_but_some_doubt_is_left() -> None:
    none = np.zeros(100)
    for share, reach in ((True, 0.02), (False, 0.0)):
        told = difference(none, none, share)
        assert told is not None
        assert (told.value, told.p) == (0, 1)
        assert told.high == pytest.approx(reach, abs=0.005)
    assert difference(np.full(5, math.nan), none[:5]) is None
    few = np.full(100, math.nan)
    few[:4] = 1
    assert difference(few, -few) is None, "four deals that agree by chance"


def test_a_figure_stands_apart_only_for_all_at_which_one_looks() -> None:
    told = estimate(np.repeat([0.0, 1.0], [60, 40]), share=True)
    assert differs_from(told, 0.28, looks=1)
    assert not differs_from(told, 0.28, looks=20)
    assert not differs_from(estimate(np.array([1.0, 1.0, 1.0]), share=True), 0.25, looks=1)
