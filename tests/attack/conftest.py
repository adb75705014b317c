"""One server for all short attacks."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.attack.target import Target


@pytest.fixture(scope="session")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    target = Target(tmp_path_factory.mktemp("attack"))
    target.start()
    yield target
    target.stop()
    assert target.failures() == []


@pytest.fixture
def own_target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    """A server that a test may restart and fill."""
    target = Target(tmp_path_factory.mktemp("attack"))
    target.start()
    yield target
    target.stop()
    assert target.failures() == []
