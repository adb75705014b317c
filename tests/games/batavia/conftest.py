"""The game of these tests, for the fixtures of comptoir.testing."""

from __future__ import annotations

import pytest

from comptoir.engine.game import Game
from tests.games.batavia.positions import BATAVIA


@pytest.fixture
def game() -> Game:
    return BATAVIA
