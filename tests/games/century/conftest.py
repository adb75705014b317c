"""The verbs of Century, in both modes."""

from __future__ import annotations

import pytest

from comptoir.engine.verbs import Verbs
from tests.conftest import verbs_of
from tests.games.century.table import CENTURY


@pytest.fixture
def verbs(mode: str) -> Verbs:
    return verbs_of(CENTURY, mode)
