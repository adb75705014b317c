"""Learning from searches with a network that has a policy head: what is recorded, and that it is learned."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from comptoir.bots.network import new_network, read_network
from comptoir.bots.workspace import new_workspace, root_edges
from comptoir.cli import main
from comptoir.engine.dice import dice_for
from comptoir.engine.game import Game, get_game
from comptoir.engine.interface import observe, setup
from comptoir.learn.actors import POLICY_ROW_FIELDS, TrainingRows, settings_of
from comptoir.learn.search_games import (
    NOT_CONSIDERED,
    GameTrace,
    new_trace,
    play_training_game,
    record_policy,
    search_action,
)
from tests import example_game
from tests.bots.test_network import any_network

ITERATIONS = 12


@pytest.fixture(autouse=True, scope="module")
def lots() -> Iterator[None]:
    with example_game.known():
        yield


def played(players: int, seed: int = 1, mode: str = "interpreted") -> tuple[GameTrace, int]:
    g = get_game("lots")
    trace, network = new_trace(g, policy=True), any_network(g, policy=True)
    trace.positions[1] = g.blank(g.read_options(players=players))
    trace.dice[:], trace.policy_dice[:] = dice_for("deal", seed), dice_for("policy", seed)
    workspaces = new_workspace(g, ITERATIONS, network), new_workspace(g, ITERATIONS)
    settings = settings_of(network.search, g.evaluation.search)
    box, weights = g.components.box, g.evaluation.weights
    run = getattr(g, mode).bind(play_training_game)
    return trace, run(trace, *workspaces, box, weights, settings, 0, ITERATIONS, ITERATIONS, 200)


@pytest.mark.parametrize("name", ["lots", "batavia"])
def test_targets_are_what_the_search_counted(name: str) -> None:
    g = get_game(name)
    rules, box, network = g.interpreted, g.components.box, any_network(g, policy=True)
    trace, workspace = new_trace(g, policy=True), new_workspace(g, ITERATIONS, network)
    trace.positions[0] = g.blank(g.read_options(players=3))
    p, row = trace.positions[0], 5
    rules.bind(setup)(p, box, trace.dice)
    viewer, settings = int(p.turn), settings_of(network.search)[0]
    chosen = rules.bind(search_action)(trace, workspace, box, g.evaluation.weights, settings, ITERATIONS, 0)
    trace.visits[:], trace.others[:] = 77, 77  # an earlier game's
    rules.bind(record_policy)(trace, workspace, box, viewer, row)
    counted = {action: visits for action, visits, _ in root_edges(workspace)}
    assert sum(counted.values()) == ITERATIONS
    assert counted[-1 - chosen] == max(counted.values())
    expected = np.full(len(g.actions), NOT_CONSIDERED)
    expected[list(counted)] = list(counted.values())
    np.testing.assert_array_equal(trace.visits[row], expected)
    assert set(counted) <= set(g.legal(p, box))

    seen, private = np.zeros(g.observation.size, np.uint8), g.observation.private_entries
    expected_others = np.zeros((g.position.seats - 1, len(private)), np.uint8)
    for place in (1, 2):
        rules.bind(observe)(p, box, (viewer + place) % 3, seen)
        expected_others[place - 1] = seen[private]
    np.testing.assert_array_equal(trace.others[row], expected_others.ravel())
    assert (trace.visits[row + 1] == 77).all()


@pytest.mark.parametrize("players", [3, 5])
def test_a_game_leaves_a_row_for_each_open_decision(players: int) -> None:
    trace, recorded = played(players)
    assert recorded > 2
    visits = trace.visits[:recorded]
    assert (visits.clip(0).sum(1) == ITERATIONS).all()
    assert ((visits != NOT_CONSIDERED).sum(1) > 1).all()
    for target in (trace.outcome, trace.search_values):
        np.testing.assert_allclose(target[:recorded].sum(1), 1, atol=1e-5)


@pytest.mark.slow
def test_interpreted_and_compiled_games_leave_the_same_rows() -> None:
    (one, n), (other, m) = (played(4, mode=mode) for mode in ("interpreted", "compiled"))
    assert n == m
    for name in ("rows", "others", "visits", "players"):
        np.testing.assert_array_equal(getattr(one, name)[:n], getattr(other, name)[:m])


def rows_of(games: int) -> TrainingRows:
    """Rows of some games, one for each observation."""
    traces = [played(4, seed, "compiled") for seed in range(games)]
    rows = {
        name: np.concatenate([getattr(trace, name)[:recorded] for trace, recorded in traces])
        for name in POLICY_ROW_FIELDS
    }
    _, single = np.unique(rows["rows"], axis=0, return_index=True)
    return {name: array[single] for name, array in rows.items()}


def entropy(targets: np.ndarray) -> float:
    logs = np.log(targets, out=np.zeros_like(targets), where=targets > 0)
    return float(-(targets * logs).sum(1).mean())


def test_rows_are_fitted_down_to_the_entropy_of_their_targets() -> None:
    pytest.importorskip("torch")
    from comptoir.learn.learner import PolicyValueLearner, ReplayBuffer

    rows = rows_of(4)
    n = len(rows["rows"])
    assert n > 20
    learner = PolicyValueLearner(get_game("lots"), 64, 64, 1e-2, 1, "cpu")
    buffer = ReplayBuffer(learner, n, seed=1)
    buffer.add(buffer.batch_of(rows))
    visits = rows["visits"].clip(0).astype(np.float64)
    values, outcome = (rows[name].astype(np.float64) for name in ("search_values", "outcome"))
    least = entropy(visits / visits.sum(1, keepdims=True)) + entropy(0.6 * values + 0.4 * outcome)
    before = float(learner.losses(buffer.arrays, 0.6).detach().mean())
    for _ in range(400):
        learner.train_step(buffer.arrays, 0.6, 1.0)
    after = float(learner.losses(buffer.arrays, 0.6).detach().mean())
    assert least - 1e-4 < after < least + 0.1 * (before - least)
    # on the outcome alone, without training on it
    validated = learner.validate(buffer.arrays)
    assert validated.rows == n
    assert validated.baseline_loss is None
    assert validated.entropy == pytest.approx(entropy(visits / visits.sum(1, keepdims=True)), abs=0.1)


def saved_network(g: Game, file: Path) -> None:
    from comptoir.learn.learner import PolicyValueLearner

    learner = PolicyValueLearner(g, 16, 8, 1e-2, 1, "cpu")
    search = g.evaluation.search | {"rollout_depth": 0.0, "c_puct": 0.75}
    new_network(g, learner.arrays(), search).save(file)


def test_a_run_from_a_network_leaves_a_network_that_plays_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch")
    from comptoir.learn.run import POLICY_SEARCH_SIZES, SIZES

    small = {"checkpoint_seconds": 1.0, "warmup_rows": 64, "batch": 64, "trial": 8, "opponents": (8,)}
    monkeypatch.setitem(SIZES, ("cpu", "search"), SIZES["cpu", "search"] | small)
    monkeypatch.setitem(POLICY_SEARCH_SIZES, "cpu", {"memory": 5000, "rate": 1e-2})
    g, start, out = get_game("lots"), tmp_path / "start.npz", tmp_path / "run"
    saved_network(g, start)
    command = ["train", "lots", "--device", "cpu", "--threads", "1", "--iterations", "8", "--out", str(out)]
    assert main([*command, "--method", "search", "--from", str(start), "--minutes", "0.001"]) == 0
    first = json.loads((out / "record.json").read_text())
    assert first["config"]["policy"]
    assert first["steps"] > 0
    assert first["curve"][-1]["baseline_loss"] is None
    assert first["curve"][-1]["entropy"] > 0
    then = read_network(out / "network.npz", g)
    assert then.search["c_puct"] == 0.75
    assert (then.arrays["policy"] != read_network(start, g).arrays["policy"]).any()

    more = str(first["minutes"] + 0.02)
    assert main([*command, "--minutes", more, "--resume"]) == 0
    record = json.loads((out / "record.json").read_text())
    assert record["curve"][: len(first["curve"])] == first["curve"]
    assert record["steps"] > first["steps"]
    assert read_network(out / "network.npz", g).search == then.search
    bots, arena = f"captain:4@{out / 'network.npz'},clerk", str(tmp_path / "arena")
    assert main(["arena", "lots", "--bots", bots, "--games", "4", "--workers", "1", "--out", arena]) == 0
    assert "Traceback" not in capsys.readouterr().err


def test_ppo_needs_a_policy_head(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch")
    any_network(get_game("lots")).save(tmp_path / "value.npz")
    assert main(["train", "lots", "--method", "ppo", "--from", str(tmp_path / "value.npz")]) == 2
    assert "has no policy head, so ppo cannot train it" in capsys.readouterr().err
