"""The verbs of Batavia, in both modes."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from tests.conftest import verbs_of
from tests.games.batavia.table import BATAVIA


@pytest.fixture
def verbs(mode: str) -> SimpleNamespace:
    return verbs_of(BATAVIA, mode)
