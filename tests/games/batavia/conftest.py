"""The verbs of Batavia, in both modes."""

from __future__ import annotations

import pytest

from comptoir.engine.verbs import Verbs
from tests.conftest import verbs_of
from tests.games.batavia.table import BATAVIA


@pytest.fixture
def verbs(mode: str) -> Verbs:
    return verbs_of(BATAVIA, mode)
