"""A game that nobody finishes is worth less to everyone: S74, C34, M32, B35."""

from __future__ import annotations

import pytest

import comptoir
from comptoir.bots.search import evaluate_leaf
from comptoir.bots.workspace import new_workspace
from comptoir.engine.game import Game, get_game
from comptoir.engine.interface import RuleSet
from comptoir.engine.rule import Position
from comptoir.games.marco_polo import rules as marco_polo

NEAR = {
    "batavia": ("still", 5),
    "century": ("round_number", 125),
    "marco_polo": ("still", 20),
    "sail_to_india": ("round_number", 125),
}
GUARDS = {
    "batavia": "stillness",
    "century": "round 200",
    "marco_polo": "stillness",
    "sail_to_india": "round 200",
}


@pytest.fixture(params=["interpreted", "compiled"])
def mode(request: pytest.FixtureRequest, any_game: Game) -> RuleSet:
    found: RuleSet = getattr(any_game, request.param)
    return found


def shares(g: Game, p: Position, mode: RuleSet) -> list[float]:
    """What each seat may expect, as a bot sees it."""
    desk = new_workspace(g, 0)
    mode.bind(evaluate_leaf)(desk, g.components.box, g.evaluation.weights, p, 0)
    return [float(share) for share in desk.shares[: p.players]]


def test_a_game_that_stalls_is_worth_less_to_everyone(any_game: Game, mode: RuleSet) -> None:
    """S74, C34, M32, B35: half as much half way to the stall rule, and nothing when it has ended the game."""
    p = comptoir.new(any_game.name, seed=1).seen_by(0)
    field, half = NEAR[any_game.name]
    stall_progress = mode.bind(any_game.rules.stall_progress)
    assert stall_progress(p) == 0
    fresh = sum(shares(any_game, p, mode))
    p[field] = half
    assert stall_progress(p) == pytest.approx(0.5)
    assert sum(shares(any_game, p, mode)) == pytest.approx(fresh / 2, rel=0.02)
    p.turn, p.ending = -1, any_game.rules.ENDINGS.index(GUARDS[any_game.name])
    assert stall_progress(p) == 1
    assert shares(any_game, p, mode) == [0.0] * int(p.players)


def test_a_finished_game_is_worth_all(any_game: Game, mode: RuleSet) -> None:
    p = comptoir.new(any_game.name, seed=1).seen_by(0)
    field, half = NEAR[any_game.name]
    p[field], p.turn, p.ending = half, -1, 1
    assert mode.bind(any_game.rules.stall_progress)(p) == 0


def test_a_deadlock_is_no_way_to_win() -> None:
    """M32: it ends the game at once, because nobody can finish it."""
    g = get_game("marco_polo")
    p = comptoir.new("marco_polo", seed=1).seen_by(0)
    p.turn, p.ending = -1, marco_polo.DEADLOCK
    assert g.rules.stall_progress(p) == 1
