"""Compiles what the tests of a game call, before they begin: else every worker would, and traced by coverage.

python -m tests.precompile GAME [slow]     slow: what slow tests call besides
"""

from __future__ import annotations

import sys

import numpy as np

from comptoir.bots import background_compiler
from comptoir.bots.workspace import new_workspace
from comptoir.engine.game import Game, get_game
from comptoir.engine.interface import evaluate, observe, rollout_action
from comptoir.engine.mask import new_mask
from comptoir.engine.scoring import new_scores
from comptoir.engine.simulate import PLAYOUTS_TARGET
from comptoir.learn.actors import settings_of
from comptoir.learn.search_games import new_trace, play_training_game
from comptoir.research import Batch, loops
from comptoir.research.bulk import BULK_TARGET
from comptoir.research.chance import SETUP, scripted_dice, with_explicit_chance
from comptoir.research.single import SingleGame
from comptoir.review.analysis import REVIEW
from comptoir.testing.contract import CONTRACT
from tests import example_game

# In the other games, bots in a batch take a minute to compile and OpenSpiel's chance up to 15 s: quick tests interpret
# them there, and lessons everywhere.
SMALL = "lots"


def call_rules(g: Game) -> None:
    """The rules that no bot calls by themselves, and all promises."""
    p, box = g.blank(g.read_options()), g.components.box
    g.compiled.setup(p, box, np.array([1], np.uint64))
    g.compiled.imagine(p, box, 0, np.array([1], np.uint64))
    g.compiled.bind(observe)(p, box, 0, np.zeros(g.observation.size, np.uint8))
    g.compiled.bind(evaluate)(p, box, g.evaluation.weights, np.zeros(g.position.seats))
    mask = new_mask(len(g.actions))
    g.compiled.legal(p, box, mask)
    g.compiled.bind(rollout_action)(p, box, g.evaluation.weights, mask, np.array([1], np.uint64))
    PLAYOUTS_TARGET.prepare(g)
    CONTRACT.prepare(g)


def call_research(g: Game) -> None:
    """Batches, and games one by one."""
    batch = Batch(g.name, games=2)
    batch.step(batch.sample_actions())
    BULK_TARGET.prepare(g)
    batch.restore(batch.snapshot())
    batch.observe(None)
    if g.name == SMALL:
        with_bots = Batch(g.name, games=2, bots="clerk")
        with_bots.step(with_bots.sample_actions())
        call_chance(g)
    single = SingleGame(g.name)
    single.step(int(np.flatnonzero(single.mask)[0]))
    p = g.blank(g.read_options())
    g.compiled.bind(loops.reward)(p, g.components.box, 0, new_scores(g, 1)[0], np.zeros(g.position.seats))


def call_chance(g: Game) -> None:
    """OpenSpiel's."""
    p, mask = g.blank(g.read_options()), new_mask(len(g.actions))
    with_explicit_chance(g)(p, g.components.box, SETUP, scripted_dice(()), mask)


def play_a_lesson(g: Game) -> None:
    """A game to learn from."""
    trace, settings = new_trace(g), settings_of(g.evaluation.search, g.evaluation.search)
    trace.positions[1] = g.blank(g.read_options())
    desks, figures = (new_workspace(g, 2), new_workspace(g, 2)), (g.components.box, g.evaluation.weights)
    g.compiled.bind(play_training_game)(trace, *desks, *figures, settings, 0, 2, 2, 200)


def main(name: str, tier: str = "quick") -> None:
    with example_game.known():
        g = get_game(name)
        if tier == "slow":
            call_chance(g)
            if name == SMALL:
                play_a_lesson(g)
            return
        background_compiler.main(name)
        call_rules(g)
        call_research(g)
        REVIEW.prepare(g)


if __name__ == "__main__":
    main(*sys.argv[1:])
