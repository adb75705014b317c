"""The verbs of Century, in both modes."""

from __future__ import annotations

import pytest

from comptoir.engine.modes import Mode
from tests.conftest import verbs_of
from tests.games.century.table import CENTURY


@pytest.fixture
def verbs(mode: str) -> Mode:
    return verbs_of(CENTURY, mode)
