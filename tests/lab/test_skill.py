"""What the lab says of skill and luck, by simulation and by play."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import comptoir
from comptoir.arena.schedule import seatings
from comptoir.arena.standings import share_of
from comptoir.lab import Experiment
from comptoir.lab.narrator import Narrator, lab_words
from comptoir.lab.skill import parts_of, read_pair, skill_of
from comptoir.lab.statistics import Estimate, Floats

BETTER = 0


def chances(deal: int, worth: Floats, better: float) -> tuple[Floats, Floats]:
    """What each seat of a deal brings, and what the better bot does: chances to win, a row a seating."""
    sits = np.array(seatings(2, worth.shape[-1], deal)) == BETTER
    weights = np.exp(worth + better * sits)
    return sits, weights / weights.sum(1, keepdims=True)


def drawn(chance: np.random.Generator, n: int, players: int, luck: float, better: float) -> list[Floats]:
    """What is known after a run: wins of the better bot, matches and winners, deal by deal."""
    wins, deals = np.zeros(n), []
    for deal in range(n):
        sits, odds = chances(deal, chance.normal(0, luck, players), better)
        won = np.array([np.eye(players)[chance.choice(players, p=row)] for row in odds])
        wins[deal] = (won * sits).sum()
        deals.append(won)
    return [wins, *deals]


def truth(players: int, luck: float, better: float) -> float:
    """The part of who wins that goes with the deal and the seat, whoever sits there."""
    chance, even = np.random.default_rng(0), 1 / players
    means = [chances(nth, chance.normal(0, luck, players), better)[1].mean(0) for nth in range(4_000)]
    return max(0.0, float((np.array(means) ** 2).sum(1).mean() - even) / (1 - even))


@pytest.mark.parametrize(
    ("players", "luck", "better", "n"),
    [(4, 1.0, 0.8, 60), (2, 0.7, 0.4, 60), (3, 0.0, 1.2, 60), (4, 1.5, 2.0, 14)],
)
def test_the_interval_of_luck_holds_the_truth(players: int, luck: float, better: float, n: int) -> None:
    chance, true, held, values = np.random.default_rng(6), truth(players, luck, better), 0, []
    for _ in range(150):
        wins, *deals = drawn(chance, n, players, luck, better)
        share = share_of(wins, np.array([float(len(rows)) for rows in deals]))
        _, told, player = parts_of(Estimate(*share, np.nan, n), deals)
        held += told.low <= true <= told.high
        values.append(told.value)
        assert 0 <= player.low <= player.value <= player.high <= 1
    assert held / 150 > 0.9
    assert np.mean(values) == pytest.approx(
        true, abs=0.04
    )  # parts do not quite add up where one bot is far better


def test_where_the_deal_decides_all_it_is_all_luck() -> None:
    always = [np.eye(4)[[nth % 4] * 4] for nth in range(20)]
    again, luck, player = parts_of(Estimate(0.5, 0.4, 0.6, np.nan, 20), always)
    assert (again.value, luck.value, player.value) == (1, 1, 0)
    _, luck, _ = parts_of(Estimate(0.5, 0.4, 0.6, np.nan, 5), always[:5])
    assert (luck.low, luck.high) == (0, 1), "five deals say nothing"


def test_skill_is_what_the_better_bot_takes(tmp_path: Path) -> None:
    made = Experiment("batavia", change=["gold_seal=3"], level="clerk", players=3, folder=tmp_path)
    ((box, changed),) = skill_of(made, 12, ("clerk", "passer-by"), workers=1)
    assert box.wins.value > 0.8
    assert changed.wins.value > 0.8
    assert box.skill.value > 0.15
    said = " ".join(Narrator(lab_words("batavia", "en")).skill(box))
    assert "by chance alone it would be 33.3%" in said
    assert "clerk or passer-by" in said
    with pytest.raises(comptoir.OptionError, match="expected two bots, the better first"):
        read_pair(["clerk"])
