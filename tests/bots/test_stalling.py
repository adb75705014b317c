"""A game that nobody finishes is worth less to everyone: S74, C34, M32, B35."""

from __future__ import annotations

from dataclasses import replace

import pytest

import comptoir
from comptoir.bots.levels import make
from comptoir.bots.search import evaluate_leaf
from comptoir.bots.workspace import new_workspace, set_root
from comptoir.engine.game import Game, get_game
from comptoir.engine.interface import RuleSet
from comptoir.engine.mask import members
from comptoir.engine.rule import Position
from comptoir.games.marco_polo import rules as marco_polo
from tests.games.marco_polo.test_dadu import stuck

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


@pytest.mark.parametrize("spec", ["passer-by", "clerk", "merchant:64", "search:160x8"])
def test_nobody_passes_round_and_round(spec: str) -> None:
    """M32: with no card left to draw, two who cannot move, and one who would have to pay for it. All pass once;
    its second pass would bring that position back.
    """
    g = get_game("marco_polo")
    t = stuck(g.compiled).gold(0, 0, 3)
    before, after = g.copy(t.play("pass", "pass").p), g.copy(t.play("pass").p)
    view, left = g.seen_by(before, t.box, 2), g.seen_by(after, t.box, 2)
    view["still"] += 3
    bots = [make(spec, g, replace(g.components, box=t.box), f"{seed}") for seed in range(10)]
    assert {g.actions[bot.choose_index(view, 5, [left])] for bot in bots} == {"lighten"}
    desk = new_workspace(g, 0)
    for earlier, pruned in (((), []), ([left], ["pass"])):
        set_root(desk, g, t.box, view, earlier)
        assert [g.actions[action] for action in members(desk.pruned)] == pruned
