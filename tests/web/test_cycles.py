"""Objects that hold each other are looked for seldom, or when there is much more in memory."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from comptoir.web.ops import cycles
from comptoir.web.ops.cycles import GROWN, Cycles, look_seldom


class Knot:
    """Holds itself."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture
def seldom() -> Iterator[None]:
    look_seldom()
    yield
    gc.unfreeze()
    gc.enable()


def test_when_memory_has_grown_they_are_found(seldom: None, monkeypatch: pytest.MonkeyPatch) -> None:
    had = 50 * 2**20
    monkeypatch.setattr(cycles, "memory", lambda: had)
    looked, knot = Cycles(), weakref.ref(Knot())
    assert not looked.look()
    assert knot() is not None
    had += GROWN
    assert looked.look()
    assert knot() is None
    assert not looked.look()


def test_after_a_while_they_are_found(seldom: None, monkeypatch: pytest.MonkeyPatch) -> None:
    looked, knot = Cycles(), weakref.ref(Knot())
    monkeypatch.setattr(cycles, "SELDOM", 0.0)
    assert looked.look()
    assert knot() is None


def test_where_python_looks_itself_nothing_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cycles, "SELDOM", 0.0)
    assert not Cycles().look()
