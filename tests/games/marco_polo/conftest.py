"""The game of these tests, for the fixtures of comptoir.testing."""

from __future__ import annotations

import pytest

from comptoir.engine.game import Game
from tests.games.marco_polo.positions import MARCO_POLO


@pytest.fixture
def game() -> Game:
    return MARCO_POLO
