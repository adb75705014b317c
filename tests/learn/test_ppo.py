"""Learning by playing: what is judged, and that it learns. These need PyTorch, which CI does not install."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from comptoir.bots.network import forward, new_network, read_network
from comptoir.bots.workspace import new_workspace
from comptoir.cli import main
from comptoir.cli.train import SIZES
from comptoir.engine.game import Game, get_game
from tests import example_game

torch = pytest.importorskip("torch")

from comptoir.learn.learner import Learner  # noqa: E402
from comptoir.learn.ppo import GAE_LAMBDA, PPO, RolloutSize  # noqa: E402
from comptoir.learn.run import player_counts  # noqa: E402


@pytest.fixture
def lots() -> Iterator[Game]:
    """The smallest game."""
    with example_game.known():
        yield get_game("lots")


def at_play(g: Game, games: int = 24, steps: int = 60) -> PPO:
    learner = Learner(g, 16, 8, 1e-2, 1, "cpu", policy=True)
    return PPO(learner, player_counts(g), RolloutSize(games, steps, 64), seed=1, threads=1)


def test_what_a_decision_brought_is_what_its_seat_came_to(lots: Game) -> None:
    """Against the sums written out, game by game."""
    play = at_play(lots)
    with torch.no_grad():
        last = play.collect_rollouts()
        open_choice = play.action_masks.sum(2) > 1
        advantages, targets = play.advantages(last, open_choice)
    assert play.terminations.any()
    for game in range(play.batch.games):
        then, gain = last[game].numpy(), np.zeros(lots.position.seats)
        players = int(play.batch.players[game])
        for step in reversed(range(play.size.steps)):
            hoped, seat = play.values[step, game].numpy(), int(play.seats[step, game])
            if play.terminations[step, game]:
                then, gain = play.shares[step, game].numpy(), np.zeros_like(gain)
            if not open_choice[step, game]:
                continue
            then, gain = hoped, then + GAE_LAMBDA * gain - hoped
            assert float(advantages[step, game]) == pytest.approx(gain[seat], abs=1e-5)
            aim = np.maximum(hoped + gain, 0)
            placed = [aim[(seat + place) % players] for place in range(players)]
            np.testing.assert_allclose(
                targets[step, game, :players], np.array(placed) / sum(placed), atol=1e-5
            )
            assert not targets[step, game, players:].any()


def test_hopes_are_shares_of_those_who_play(lots: Game) -> None:
    play = at_play(lots)
    with torch.no_grad():
        play.collect_rollouts()
    seated = play.batch.seated
    np.testing.assert_allclose(play.values.sum(2), 1, atol=1e-5)
    assert not play.values[:, ~seated].any()
    ended = play.shares[play.terminations]
    np.testing.assert_allclose(ended.sum(1), 1, atol=1e-5)


def test_it_says_while_learning_what_it_says_in_a_search(lots: Game) -> None:
    play = at_play(lots)
    for _ in range(3):
        play.update(1.0)
    learner = play.learner
    net = new_workspace(lots, 4, new_network(lots, learner.arrays(), lots.evaluation.search)).net
    for players in sorted(set(player_counts(lots))):
        p = lots.blank(lots.read_options(players=players))
        net.row[:] = np.minimum(np.arange(len(net.row)) % 37, lots.observation.high)
        lots.interpreted.bind(forward)(net, p, 0)
        rows, many = torch.from_numpy(net.row.copy())[None], torch.tensor([players])
        with torch.no_grad():
            policy_logits, value_logits = learner.forward(rows, many)
        np.testing.assert_allclose(value_logits[0, :players], net.out[:players], atol=1e-4)
        said = np.maximum(net.narrow, 0) @ net.policy + net.policy_bias
        np.testing.assert_allclose(policy_logits[0], said, atol=1e-4)


def test_the_same_seed_learns_the_same(lots: Game) -> None:
    def learned() -> dict[str, Any]:
        play = at_play(lots)
        play.update(1.0)
        return play.learner.arrays()

    one, other = learned(), learned()
    for name, array in one.items():
        np.testing.assert_array_equal(array, other[name])


def test_a_run_leaves_a_network_that_plays_and_goes_on(
    tmp_path: Path, lots: Game, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    small = SIZES["cpu", "ppo"] | {
        "checkpoint_seconds": 1.0,
        "parallel_games": 32,
        "steps": 16,
        "opponents": (8,),
        "trial": 8,
    }
    monkeypatch.setitem(SIZES, ("cpu", "ppo"), small)
    out = tmp_path / "run"
    command = ["train", "lots", "--device", "cpu", "--method", "ppo", "--threads", "1", "--out", str(out)]
    assert main([*command, "--minutes", "0.001"]) == 0
    first = json.loads((out / "record.json").read_text())
    assert first["config"]["method"] == "ppo"
    assert first["curve"][-1]["baseline_loss"] is None
    assert {"policy", "policy_bias"} <= read_network(out / "network.npz", lots).arrays.keys()
    more = str(first["minutes"] + 0.02)
    assert main([*command, "--minutes", more, "--resume"]) == 0
    assert len(json.loads((out / "record.json").read_text())["curve"]) > len(first["curve"])
    bots = f"captain:4@{out / 'network.npz'},clerk"
    assert (
        main(
            ["arena", "lots", "--bots", bots, "--games", "4", "--workers", "1", "--out", str(tmp_path / "a")]
        )
        == 0
    )
    assert "Traceback" not in capsys.readouterr().err


def test_a_run_that_starts_from_a_network_plays_as_that_network(lots: Game) -> None:
    """The table holds the part along each entry's numbers, so that part starts at nothing."""
    taught, fresh = at_play(lots), at_play(lots)
    for _ in range(3):
        taught.update(1.0)
    fresh.learner.start_from(taught.learner.arrays())
    for name, array in taught.learner.arrays().items():
        np.testing.assert_allclose(fresh.learner.arrays()[name], array, atol=1e-6)
