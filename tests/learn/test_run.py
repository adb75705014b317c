"""What a run counts. PyTorch is not needed for that."""

from __future__ import annotations

import queue
from dataclasses import asdict
from types import SimpleNamespace
from typing import Any

from comptoir.cli.arguments import cli_words
from comptoir.cli.train import curve_line
from comptoir.engine.game import get_game
from comptoir.learn.actors import EvaluationGame
from comptoir.learn.learner import current_weights
from comptoir.learn.ppo import UpdateStats
from comptoir.learn.run import (
    METHODS,
    SIZES,
    CurvePoint,
    GenerationStats,
    PPOTrainer,
    curve_point,
    drain,
    player_counts,
)


def of_trials(*trials: EvaluationGame) -> queue.Queue[Any]:
    games: queue.Queue[Any] = queue.Queue()
    for trial in trials:
        games.put(trial)
    return games


def test_trials_are_added_up_by_opponent() -> None:
    came = GenerationStats()
    for opponent, share in ((500, 1.0), (500, 0.0), (500, 0.5), (100, 1.0)):
        came.add_trials([EvaluationGame(opponent, 1, share, 0.5)])
    assert came.shares() == {"500": [3.0, 0.5, 0.5], "100": [1.0, 1.0, 0.5]}


def test_surprise_is_a_mean_over_rows() -> None:
    assert GenerationStats(losses=[(10, 1.0, 2.0), (30, 2.0, 1.0)]).mean_losses() == (1.75, 1.25)
    assert GenerationStats(losses=[(10, 1.0, None), (30, 2.0, None)]).mean_losses() == (1.75, None)


def test_learning_by_play_counts_what_was_played_and_how_trials_went() -> None:
    way = object.__new__(PPOTrainer)
    left: list[float] = []

    def update(part: float) -> UpdateStats:
        left.append(part)
        return UpdateStats(3, 40, 1.5, 0.75, (2, 0.6, 0.5))

    way.ppo = SimpleNamespace(update=update)  # type: ignore[assignment]
    players: Any = SimpleNamespace(
        games=of_trials(EvaluationGame(500, 2, 0.5, 0.5), EvaluationGame(500, 2, 1.0, 0.5))
    )
    came = GenerationStats()
    way.learn(players, came, -0.1)
    way.learn(players, came, 0.5)
    assert left == [0.0, 0.5]
    assert (came.games, came.rows, came.steps) == (6, 80, 2)
    assert came.mean_losses() == (1.5, None)
    assert came.shares() == {"500": [2.0, 0.75, 0.5], "earlier": [4.0, 0.6, 0.5]}
    assert came.mean_entropy() == 0.75


def test_records_and_weights_of_earlier_versions_are_read() -> None:
    old = {"version": 3, "minutes": 1.0, "games": 2, "rows": 3, "loss": 0.5, "judged": 0.6, "trials": {}}
    assert curve_point(old) == CurvePoint(3, 1.0, 2, 3, 0.5, 0.6)
    assert curve_point(asdict(curve_point(old))) == curve_point(old)
    names = ["own", "along", "judged", "bias", "second", "second_bias", "last", "last_bias", "judgement"]
    assert list(current_weights(dict.fromkeys(names))) == [
        "bucket_embedding",
        "entry_slope",
        "gap_weights",
        "bias",
        "value_second",
        "value_second_bias",
        "value_head",
        "value_bias",
        "gap_scale",
    ]


def test_nothing_there_is_nothing_taken() -> None:
    assert drain(of_trials(), wait=0.0) == []
    assert drain(of_trials(), wait=0.01) == []


def test_the_usual_table_is_played_most() -> None:
    for name in ("batavia", "marco_polo"):
        found = player_counts(get_game(name))
        least, most = get_game(name).rules.PLAYERS
        assert set(found) == set(range(least, most + 1))
        assert found.count(get_game(name).rules.DEFAULT_PLAYERS) == 3


def test_a_line_of_the_curve_leaves_out_what_was_not_asked() -> None:
    words = cli_words("marco_polo", "en")
    point = CurvePoint(1, 0.5, 12_000, 400, 1.1, None, {"500": [100.0, 0.6, 0.5]})
    assert curve_line(point, words).split("  ") == ["0.5", "12,000", "1.100", "–", "60.00% ± 10"]


def test_there_are_sizes_for_every_way_on_every_device() -> None:
    assert set(SIZES) == {(device, way) for device in ("cpu", "cuda") for way in METHODS}
