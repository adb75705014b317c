"""Learning by playing: what is judged, and that it learns. These need PyTorch, which CI does not install."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from comptoir.bots.network import new_network, read_network, softmax_policy
from comptoir.bots.search import TURNS, candidate_actions, evaluation_gaps, query_network
from comptoir.bots.workspace import new_workspace
from comptoir.cli import main
from comptoir.engine.game import Game, get_game
from tests import example_game

torch = pytest.importorskip("torch")

from comptoir.learn.learner import PolicyValueLearner  # noqa: E402
from comptoir.learn.ppo import GAE_LAMBDA, PPO, RolloutSize  # noqa: E402
from comptoir.learn.run import SIZES, player_counts  # noqa: E402


@pytest.fixture
def lots() -> Iterator[Game]:
    """The smallest game."""
    with example_game.known():
        yield get_game("lots")


def at_play(g: Game, games: int = 24, steps: int = 60) -> PPO:
    learner = PolicyValueLearner(g, 16, 8, 1e-2, 1, "cpu")
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


@pytest.mark.parametrize("name", ["lots", "batavia"])
def test_a_search_computes_what_training_computed(lots: Game, name: str) -> None:
    """On positions of play: both heads, with everything that the search gives the network."""
    g = get_game(name)
    play = at_play(g, games=12, steps=30)
    for _ in range(2):
        play.update(1.0)
    learner, batch = play.learner, play.batch
    network = new_network(g, learner.arrays(), g.evaluation.search)
    workspace = new_workspace(g, 4, network)
    net, evaluate, query = (
        workspace.net,
        g.interpreted.bind(evaluation_gaps),
        g.interpreted.bind(query_network),
    )
    with torch.no_grad():
        rows, others = torch.cat(batch.observations), batch.others()
        policy_logits, value_logits = learner.model(rows, others, batch.players)
    assert not g.observation.private_entries.size or others.any()
    nth = 0
    for one in batch.batches:
        for p in one.positions:
            box = one.components.box
            workspace.used[TURNS] = 0
            evaluate(workspace, box, g.evaluation.weights, p)
            query(workspace, box, p, int(p.turn))
            np.testing.assert_array_equal(net.row, rows[nth])
            np.testing.assert_allclose(net.out[: p.players], value_logits[nth, : p.players], atol=1e-4)
            g.interpreted.bind(candidate_actions)(p, box, workspace.mask)
            g.interpreted.bind(softmax_policy)(net, workspace.mask)
            narrow = np.maximum(net.policy_narrow, 0)
            np.testing.assert_allclose(policy_logits[nth], narrow @ net.policy + net.policy_bias, atol=1e-4)
            nth += 1
    assert nth == batch.games


def test_earlier_versions_play_some_seats_and_are_not_trained_on(lots: Game) -> None:
    play = at_play(lots, games=60)
    league = play.league
    earlier = league.earlier_seats.sum(1)
    assert (earlier[league.games] >= 1).all()
    assert (earlier[league.games] < play.batch.players[league.games]).all()
    assert earlier.sum() == earlier[league.games].sum()
    with torch.no_grad():
        for layer in (play.learner.model.policy, league.model.policy):
            layer.weight.zero_()
        play.learner.model.policy.bias[:] = torch.arange(len(lots.actions)) * 50.0  # the last legal action
        play.league.next_update()
        league.model.policy.bias[:] = torch.arange(len(lots.actions)) * -50.0  # the first one
        play.collect_rollouts()
    masks = play.action_masks.int()
    first, last = masks.argmax(2), masks.shape[2] - 1 - masks.flip(2).argmax(2)
    assert (play.actions == torch.where(play.ours, last, first)).all()
    assert not play.ours.all()


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
