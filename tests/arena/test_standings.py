"""Shares, intervals and ratings, on results whose truth is known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from comptoir.arena.game_record import GameRecord, RunDefinition
from comptoir.arena.rating import ratings, small_sample_factor, strengths
from comptoir.arena.schedule import units
from comptoir.arena.standings import Standings, reason_of, share_of
from comptoir.engine.intervals import student_t_975

Floats = NDArray[np.float64]


def definition(*bots: str, players: int) -> RunDefinition:
    return RunDefinition("batavia", 1, {"players": str(players)}, bots, "1", None, None, "", {})


def simulated(true: list[float], players: int, games: int, seed: int = 1) -> Standings:
    """A run whose winners are drawn by Luce's model."""
    chance, strength = np.random.default_rng(seed), np.array(true)
    played = []
    for unit in units(len(true), players, games):
        chances = strength[list(unit.seating)]
        winner = int(chance.choice(players, p=chances / chances.sum()))
        played.append(
            (unit, GameRecord(unit.key, [winner], [0] * players, [1] * players, [0.0] * players, []))
        )
    return Standings(definition(*(f"bot{n}" for n in range(len(true))), players=players), played)


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_ratings_recover_known_strengths(players: int) -> None:
    true = [1.0, 2.0, 4.0]
    figures = simulated(true, players, 6000)
    rated, low, high = ratings(figures.wins, figures.played, figures.lineups)
    expected = 400 * np.log10(true) - np.mean(400 * np.log10(true))
    assert rated - rated.mean() == pytest.approx(expected, abs=20)
    assert np.all((low < rated) & (rated < high))
    assert np.all(high - low < 80)


def test_more_bots_than_seats_are_rated_on_one_scale() -> None:
    true = [1.0, 1.5, 2.5, 4.0, 8.0, 16.0]
    figures = simulated(true, 3, 12_000)
    rated, _, _ = ratings(figures.wins, figures.played, figures.lineups)
    assert rated - rated.mean() == pytest.approx(400 * np.log10(true) - np.mean(400 * np.log10(true)), abs=30)


def test_two_bots_have_a_closed_form() -> None:
    """At equal seats the strengths are as the wins, half a win added to each."""
    found = strengths(
        np.array([[70.0, 30.0]]), np.array([[100.0]]), np.array([[2.0, 2.0]]), np.full((1, 2), 0.5)
    )
    assert found[0, 0] / found[0, 1] == pytest.approx(70.5 / 30.5)
    wins, games = np.full((25, 2), (2.8, 1.2)), np.full((25, 1), 4.0)
    rated, _, _ = ratings(wins, games, np.array([[2.0, 2.0]]))
    assert rated[0] - rated[1] == pytest.approx(400 * np.log10(70.5 / 30.5))


def test_a_bot_that_never_wins_has_a_rating_with_an_interval_and_does_not_blur_the_others() -> None:
    wins, games = np.full((50, 3), (2.4, 1.6, 0.0)), np.full((50, 1), 4.0)
    rated, low, high = ratings(wins, games, np.array([[1.0, 1.0, 1.0]]))
    assert np.all(np.isfinite([rated, low, high]))
    assert low[2] < rated[2] - 100
    assert high[2] > rated[2] + 50
    assert np.all((high - low)[:2] < 20)


def test_the_mean_over_all_wins_is_zero() -> None:
    figures = simulated([3.0, 1.0, 2.0], 4, 600)
    rated, _, _ = ratings(figures.wins, figures.played, figures.lineups)
    assert rated @ (figures.wins.sum(0) + 0.5) == pytest.approx(0, abs=1e-6)


def test_intervals_of_ratings_hold_the_truth_nearly_always() -> None:
    true = np.array([400 * np.log10(3.0), 0.0])
    held = 0
    for seed in range(200):
        figures = simulated([3.0, 1.0], 4, 60, seed)
        _, low, high = ratings(figures.wins, figures.played, figures.lineups)
        wins = figures.wins.sum(0) + 0.5
        expected = true - true @ wins / wins.sum()
        held += bool(np.all((low <= expected) & (expected <= high)))
    assert 182 <= held <= 198


def coverage(share: float, spread: float, deals: int, games: int) -> tuple[float, float]:
    """How often the interval holds the truth, and its mean width, where each deal has a share of its own
    round the truth.
    """
    chance = np.random.default_rng(7)
    held, width = 0, 0.0
    for _ in range(800):
        own = np.clip(chance.normal(share, spread, deals), 0, 1)
        part = chance.binomial(games, own).astype(float)
        _, low, high = share_of(part, np.full(deals, float(games)))
        held += low <= share <= high
        width += high - low
    return held / 800, width / 800


@pytest.mark.parametrize(("spread", "deals"), [(0.0, 10), (0.0, 50), (0.3, 10), (0.3, 50)])
def test_intervals_of_shares_hold_the_truth_though_games_of_a_deal_are_alike(
    spread: float, deals: int
) -> None:
    held, _ = coverage(0.5, spread, deals, 6)
    assert 0.93 <= held <= 0.995


def test_games_of_a_deal_that_are_alike_widen_the_interval() -> None:
    assert coverage(0.5, 0.3, 40, 6)[1] > 1.3 * coverage(0.5, 0.0, 40, 6)[1]


def test_shares_at_the_edge() -> None:
    all_won = np.full(50, 4.0)
    share, low, high = share_of(all_won, all_won)
    assert (share, high) == (1.0, 1.0)
    assert 0.97 < low < 0.99  # Wilson's interval of 200 out of 200 starts at 0.981
    assert share_of(np.array([3.0]), np.array([4.0])) == (0.75, 0.0, 1.0)
    assert share_of(np.array([2.0, 2.0]), np.array([4.0, 4.0]))[1] < 0.2  # two deals that agree prove little


def test_students_factor() -> None:
    for freedom, exact in [
        (1, 12.706),
        (2, 4.303),
        (3, 3.182),
        (5, 2.571),
        (10, 2.228),
        (30, 2.042),
        (1000, 1.962),
    ]:
        assert student_t_975(freedom) == pytest.approx(exact, rel=0.003)
    assert small_sample_factor(100_000) == pytest.approx(1, abs=1e-4)
    assert (
        small_sample_factor(1)
        == small_sample_factor(2)
        > small_sample_factor(5)
        > small_sample_factor(20)
        > 1
    )


def test_the_table_counts_what_was_played_and_ties_share_the_win() -> None:
    games = []
    for unit in units(2, 3, 6):
        first = [seat for seat, bot in enumerate(unit.seating) if bot == 0]
        tied = unit.key == units(2, 3, 6)[0].key
        reports = {"1": "two, seat 1, position 9: it is late\nmore"} if unit.seating[1] == 1 else {}
        winners = [0, 1, 2] if tied else first[:1]
        games.append(
            (
                unit,
                GameRecord(
                    unit.key,
                    winners,
                    [10 * (bot == 0) for bot in unit.seating],
                    [2, 2, 2],
                    [0.01] * 3,
                    [],
                    reports,
                ),
            )
        )
    data: Any = Standings(definition("one", "two", players=3), games).to_dict()
    one, two = data["bots"]
    assert (data["games"], data["deals"]) == (6, 1)
    assert (one["games"], one["seats"], one["moves"], one["points"]) == (6, 9, 18, 10)
    assert one["wins"] + two["wins"] == pytest.approx(6)
    tie = units(2, 3, 6)[0].seating.count(1) / 3
    assert two["wins"] == pytest.approx(tie)
    assert two["share"]["share"] == pytest.approx(tie / 6)
    assert one["milliseconds"] == pytest.approx(5)
    assert (one["reports"], two["reports"]) == ({}, {"it is late": 3})
    assert data["pairs"][0][0] is None
    assert data["pairs"][0][1]["share"] == pytest.approx(1 - tie / 6)


def test_shares_add_up_and_pairs_mirror_each_other() -> None:
    data: Any = simulated([1.0, 2.0, 3.0, 4.0, 5.0], 3, 600).to_dict()
    assert sum(row["share"]["share"] for row in data["bots"]) == pytest.approx(1)
    assert len({row["seats"] for row in data["bots"]}) == 1
    for one in range(5):
        for other in range(5):
            if one != other:
                assert data["pairs"][one][other]["share"] + data["pairs"][other][one][
                    "share"
                ] == pytest.approx(1)


def test_bots_that_have_not_met_have_no_pair() -> None:
    data = simulated([1.0] * 4, 2, 1).to_dict()  # one deal: neighbours only
    assert data["pairs"][0][2] is None
    assert data["pairs"][0][1] is not None


def test_reasons_without_their_place() -> None:
    assert reason_of("exec ./bot, seat 2, position 14: 'x' is no action") == "'x' is no action"
    assert reason_of("it crashed") == "it crashed"
