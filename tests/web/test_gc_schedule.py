"""Reference cycles are collected rarely, or when memory has grown a lot, and not while people would notice."""

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
def scheduled(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(gc_schedule, "QUIET_SECONDS", 0.0)
    monkeypatch.setattr(gc_schedule, "BUSY_CPU", float("inf"))  # the server has little to do
    disable_automatic_gc()
    yield
    gc.unfreeze()
    gc.enable()


def test_when_memory_has_grown_cycles_are_collected(scheduled: None, monkeypatch: pytest.MonkeyPatch) -> None:
    had = 50 * 2**20
    monkeypatch.setattr(gc_schedule, "memory", lambda: had)
    schedule, knot = GcSchedule(), weakref.ref(Knot())
    assert not schedule.collect_if_due()
    assert knot() is not None
    had += GC_AFTER_GROWTH
    assert schedule.collect_if_due()
    assert knot() is None
    assert not schedule.collect_if_due()


def test_after_a_while_cycles_are_collected(scheduled: None) -> None:
    schedule, knot = GcSchedule(time := ManualTime()), weakref.ref(Knot())
    time.pass_by(gc_schedule.GC_INTERVAL - 1)
    assert not schedule.collect_if_due()
    time.pass_by(1)
    assert schedule.collect_if_due()
    assert knot() is None


def test_while_busy_cycles_wait(scheduled: None, monkeypatch: pytest.MonkeyPatch) -> None:
    had = 50 * 2**20
    monkeypatch.setattr(gc_schedule, "memory", lambda: had)
    monkeypatch.setattr(gc_schedule, "GC_INTERVAL", 0.0)
    schedule, knot = GcSchedule(), weakref.ref(Knot())
    monkeypatch.setattr(gc_schedule, "QUIET_SECONDS", 1.0)
    monkeypatch.setattr(gc_schedule, "BUSY_CPU", -1.0)
    had += GC_AFTER_GROWTH
    assert not schedule.collect_if_due()
    had += GC_FORCED_GROWTH
    assert schedule.collect_if_due()
    assert knot() is None


def test_a_lull_is_not_enough(scheduled: None, monkeypatch: pytest.MonkeyPatch) -> None:
    time, used = ManualTime(), 0.0
    monkeypatch.setattr(gc_schedule, "GC_INTERVAL", 0.0)
    monkeypatch.setattr(gc_schedule, "BUSY_CPU", 0.25)
    monkeypatch.setattr(gc_schedule, "QUIET_SECONDS", 10.0)
    schedule = GcSchedule(time, lambda: used)
    for worked, collects in ((2.0, False), (0.1, False), (2.0, False), (0.1, False), (0.1, True)):
        time.pass_by(5.0)
        used += worked
        assert schedule.collect_if_due() is collects


def test_what_is_loaded_is_exempt(scheduled: None) -> None:
    schedule, knot = GcSchedule(), weakref.ref(Knot())
    schedule.freeze()
    gc.collect()
    assert knot() is not None
    gc.unfreeze()
    gc.collect()
    assert knot() is None


def test_where_python_collects_itself_nothing_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gc_schedule, "GC_INTERVAL", 0.0)
    assert not GcSchedule().collect_if_due()
