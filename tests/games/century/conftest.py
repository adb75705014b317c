"""The game of these tests, for the fixtures of comptoir.testing."""

from __future__ import annotations

import pytest

from comptoir.engine.game import Game
from tests.games.century.positions import CENTURY


@pytest.fixture
def game() -> Game:
    return CENTURY
