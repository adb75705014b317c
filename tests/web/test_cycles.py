"""Objects that hold each other are looked for seldom, or when there is much more in memory, and not while
people would wait for it.
"""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from comptoir.web.ops import gc_schedule
from comptoir.web.ops.gc_schedule import GC_AFTER_GROWTH, GC_FORCED_GROWTH, GcSchedule, disable_automatic_gc
from tests.manual_time import ManualTime


class Knot:
    """Holds itself."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture
def seldom(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(gc_schedule, "QUIET", 0.0)
    monkeypatch.setattr(gc_schedule, "BUSY", float("inf"))  # the server has little to do
    disable_automatic_gc()
    yield
    gc.unfreeze()
    gc.enable()


def test_when_memory_has_grown_they_are_found(seldom: None, monkeypatch: pytest.MonkeyPatch) -> None:
    had = 50 * 2**20
    monkeypatch.setattr(gc_schedule, "memory", lambda: had)
    looked, knot = GcSchedule(), weakref.ref(Knot())
    assert not looked.look()
    assert knot() is not None
    had += GC_AFTER_GROWTH
    assert looked.look()
    assert knot() is None
    assert not looked.look()


def test_after_a_while_they_are_found(seldom: None) -> None:
    looked, knot = GcSchedule(time := ManualTime()), weakref.ref(Knot())
    time.pass_by(gc_schedule.GC_INTERVAL - 1)
    assert not looked.look()
    time.pass_by(1)
    assert looked.look()
    assert knot() is None


def test_while_there_is_much_to_do_they_wait(seldom: None, monkeypatch: pytest.MonkeyPatch) -> None:
    had = 50 * 2**20
    monkeypatch.setattr(gc_schedule, "memory", lambda: had)
    monkeypatch.setattr(gc_schedule, "SELDOM", 0.0)
    looked, knot = GcSchedule(), weakref.ref(Knot())
    monkeypatch.setattr(gc_schedule, "QUIET", 1.0)
    monkeypatch.setattr(gc_schedule, "BUSY", -1.0)
    had += GC_AFTER_GROWTH
    assert not looked.look()
    had += GC_FORCED_GROWTH
    assert looked.look()
    assert knot() is None


def test_a_lull_is_not_enough(seldom: None, monkeypatch: pytest.MonkeyPatch) -> None:
    time, used = ManualTime(), 0.0
    monkeypatch.setattr(gc_schedule, "SELDOM", 0.0)
    monkeypatch.setattr(gc_schedule, "BUSY", 0.25)
    monkeypatch.setattr(gc_schedule, "QUIET", 10.0)
    looked = GcSchedule(time, lambda: used)
    for worked, looks in ((2.0, False), (0.1, False), (2.0, False), (0.1, False), (0.1, True)):
        time.pass_by(5.0)
        used += worked
        assert looked.look() is looks


def test_what_is_loaded_is_looked_through_no_more(seldom: None) -> None:
    looked, knot = GcSchedule(), weakref.ref(Knot())
    looked.keep()
    gc.collect()
    assert knot() is not None
    gc.unfreeze()
    gc.collect()
    assert knot() is None


def test_where_python_looks_itself_nothing_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gc_schedule, "SELDOM", 0.0)
    assert not GcSchedule().look()
