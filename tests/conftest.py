"""What all tests share: both modes of every game, and NumPy's small numbers not allowed to wrap around."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from comptoir.engine.game import Game, game
from comptoir.engine.modes import Mode
from comptoir.games import names


@pytest.fixture(autouse=True)
def _no_wrapping() -> Iterator[None]:
    """Interpreted, a record's number that goes below 0 or above its limit is an error, not another number."""
    with np.errstate(over="raise", under="raise"):
        yield


@pytest.fixture(params=names())
def any_game(request: pytest.FixtureRequest) -> Game:
    return game(request.param)


@pytest.fixture(params=["interpreted", "compiled"])
def mode(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def verbs_of(g: Game, mode: str) -> Mode:
    return g.compiled if mode == "compiled" else g.interpreted
