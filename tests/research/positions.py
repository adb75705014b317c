"""Tables of every game, and positions that random play comes to at them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from comptoir.engine.dice import dice_for
from comptoir.engine.game import Game
from comptoir.engine.mask import new_mask
from comptoir.engine.rule import Position
from tests import contract

MOMENTS = 25  # of a match


def tables() -> list[tuple[str, str, dict[str, Any]]]:
    """Those of the contract."""
    return contract.tables()


every_table = pytest.mark.parametrize(
    ("name", "options"), [pytest.param(*table[1:], id=table[0]) for table in tables()]
)


def match(g: Game, options: dict[str, Any], seed: int) -> list[Position]:
    """Every position of a random match."""
    box, mask, dice = g.components.box, new_mask(len(g.actions)), dice_for(str(seed), 0)
    p = g.blank(g.read_options(**options))
    g.compiled.setup(p, box, dice)
    found = [g.copy(p)]
    while p["turn"] >= 0:
        g.compiled.play(p, box, g.compiled.random_action(p, box, mask, dice), dice)
        found.append(g.copy(p))
    return found


def moments(g: Game, options: dict[str, Any], seeds: range, most: int = MOMENTS) -> Iterator[Position]:
    """Positions of random matches in which somebody decides, spread over each match."""
    for seed in seeds:
        found = match(g, options, seed)[:-1]
        yield from found[:: 1 + len(found) // most]
