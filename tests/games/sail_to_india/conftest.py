"""The verbs of Sail to India, in both modes."""

from __future__ import annotations

import pytest

from comptoir.engine.verbs import Verbs
from tests.conftest import verbs_of
from tests.games.sail_to_india.table import SAIL


@pytest.fixture
def verbs(mode: str) -> Verbs:
    return verbs_of(SAIL, mode)
