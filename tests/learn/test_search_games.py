"""Games that are learned from, and a run without PyTorch."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator

import numpy as np
import pytest

from comptoir.bots.workspace import new_workspace
from comptoir.cli import main
from comptoir.engine import registry
from comptoir.engine.dice import dice_for
from comptoir.engine.game import get_game
from comptoir.learn.actors import settings_of
from comptoir.learn.search_games import MAX_DECISIONS, GameTrace, new_trace, play_training_game
from tests import example_game
from tests.bots.test_network import any_network


@pytest.fixture(autouse=True, scope="module")
def lots() -> Iterator[None]:
    """The smallest game, mostly interpreted: a lesson takes 12 s to compile, of another game a minute."""
    with example_game.known():
        yield


def played(
    players: int, opponent_seats: int = 0, seed: int = 1, name: str = "lots", mode: str = "interpreted"
) -> tuple[GameTrace, int]:
    game = get_game(name)
    trace, network = new_trace(game), any_network(game)
    trace.positions[1] = game.blank(game.read_options(players=players))
    trace.dice[:], trace.policy_dice[:] = dice_for("deal", seed), dice_for("policy", seed)
    ours, theirs = new_workspace(game, 12, network), new_workspace(game, 12)
    settings = settings_of(network.search, game.evaluation.search | {"rollout_depth": 0.0})
    box, values = game.components.box, game.evaluation.weights
    run = getattr(game, mode).bind(play_training_game)
    recorded = run(trace, ours, theirs, box, values, settings, opponent_seats, 12, 12, 200)
    return trace, recorded


def check_rows(players: int, name: str, mode: str = "interpreted") -> None:
    trace, recorded = played(players, name=name, mode=mode)
    assert 5 < recorded < 2 * MAX_DECISIONS
    assert set(trace.players[:recorded]) == {players}
    for aims in (trace.outcome, trace.search_values):
        np.testing.assert_allclose(aims[:recorded].sum(1), 1, atol=1e-5)
        assert not aims[:recorded, players:].any()
    assert (trace.rows[:recorded] <= get_game(name).observation.high).all()
    assert trace.gaps[:recorded].max() == 0


@pytest.mark.parametrize("players", [3, 5])
def test_a_game_leaves_rows_that_fit(players: int) -> None:
    check_rows(players, "lots")


@pytest.mark.long
@pytest.mark.parametrize("name", registry.names())
def test_every_game_leaves_rows_that_fit(name: str) -> None:
    check_rows(3, name, "compiled")


@pytest.mark.slow
def test_interpreted_and_compiled_lessons_are_the_same() -> None:
    (one, n), (other, m) = (played(4, mode=mode) for mode in ("interpreted", "compiled"))
    assert n == m
    assert one.rows[:n].tobytes() == other.rows[:m].tobytes()
    np.testing.assert_allclose(one.search_values[:n], other.search_values[:m], atol=1e-5)


def test_whoever_wins_is_the_same_seat_in_every_row() -> None:
    """Rows are in the order of whoever saw them; the seat that won is one."""
    trace, recorded = played(3)
    winners = {
        tuple(float(trace.outcome[row, (seat - trace.seats[row]) % 3]) for seat in range(3))
        for row in range(recorded)
    }
    assert len(winners) == 1


def test_the_same_seed_plays_the_same_game() -> None:
    (one, n), (other, m) = played(4), played(4)
    assert n == m
    assert one.rows[:n].tobytes() == other.rows[:m].tobytes()
    assert played(4, seed=2)[0].rows[:n].tobytes() != one.rows[:n].tobytes()


def test_trials_leave_no_rows() -> None:
    assert played(4, opponent_seats=0b0101)[1] == 0


def test_without_pytorch_a_sentence_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    assert main(["train", "batavia"]) == 2
    said = capsys.readouterr().err
    assert "learning needs torch, which is not installed; install it with" in said
    assert "[learn]" in said
    assert importlib.util.find_spec("comptoir.learn.run")
