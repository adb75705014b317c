"""The verbs of Marco Polo Expedition, in both modes."""

from __future__ import annotations

import pytest

from comptoir.engine.verbs import Verbs
from tests.conftest import verbs_of
from tests.games.marco_polo.table import MARCO_POLO


@pytest.fixture
def verbs(mode: str) -> Verbs:
    return verbs_of(MARCO_POLO, mode)
