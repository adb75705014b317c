"""What tests of the environments share: all tables, and a game dealt again where a seat cannot tell."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import pytest

from comptoir.engine import dice, registry
from comptoir.engine.game import Game, get_game
from comptoir.engine.modes import Mode
from comptoir.engine.rule import Position
from comptoir.errors import OptionError
from comptoir.research import loops
from comptoir.research.batch import Batch
from comptoir.research.chance import play_with_rolls, scripted_roll
from comptoir.research.cpu import CpuBackend
from comptoir.research.cuda import cuda
from comptoir.research.loops import BatchState
from comptoir.research.single import FIRST, SingleGame

ARRAYS = ("observations", "action_masks", "current_seats", "rewards", "terminations")  # of a batch
TABLES = [
    (name, players)
    for name in registry.names()
    for players in range(get_game(name).rules.PLAYERS[0], get_game(name).rules.PLAYERS[1] + 1)
]
every_table = pytest.mark.parametrize(("name", "players"), TABLES)
with_hands = ("batavia", "marco_polo")  # the games with something that others may not see
DRAWN = ("ansi", "svg", "rgb_array")


@contextmanager
def dealt_anew(one: SingleGame, seat: int | None, seed: int) -> Iterator[bool]:
    """For a while, all that a seat (None: a spectator) cannot know is dealt again.

    Whether that has changed anything.
    """
    kept, world = one.game.copy(one.record), one.seen_by(seat)
    one.game.compiled.imagine(
        world, one.components.box, -1 if seat is None else seat, np.array([seed], np.uint64)
    )
    _lay(one, world)
    yield one.record.tobytes() != kept.tobytes()
    _lay(one, kept)


def _lay(one: SingleGame, p: Position) -> None:
    one.rows.positions[FIRST] = p
    one.game.compiled.bind(loops.refresh_some)(one.rows, FIRST, 1, one.components.box)


def play_at_random(one: SingleGame, seed: int, decisions: int) -> None:
    """Plays so many decisions; where a game ends, another begins."""
    chance = np.random.default_rng(seed)
    for _ in range(decisions):
        one.step(chance.choice(np.flatnonzero(one.mask)))
        if one.over:
            one.reset(seed)


def rows_of(batch: Batch) -> BatchState:
    """The memory of a batch on a CPU."""
    assert isinstance(batch.backend, CpuBackend)
    return batch.backend.rows


def why_no_gpu() -> str:
    """Nothing if there is one."""
    try:
        cuda()
    except OptionError as problem:
        return str(problem)
    return ""


def interpreted_chance(g: Game) -> Callable[..., None]:
    """In place of `with_explicit_chance`, which compiles all rules once more: 6 to 15 s for each game."""
    return Mode(g.name, g.part, {dice.roll: scripted_roll}).bind(play_with_rolls)
