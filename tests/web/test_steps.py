"""The machine's clock is set, in either direction, while people play: nobody is charged for it, nor given
anything.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from comptoir.web.domain import decide
from comptoir.web.domain.clock import DAY, ROUNDING, STEP, Machine, SeatClock
from comptoir.web.domain.evolve import evolve
from comptoir.web.domain.refusals import Refused
from comptoir.web.domain.state import Table
from comptoir.web.live.housekeeping import SWEEP_INTERVAL
from comptoir.web.live.open_table import OpenTable
from comptoir.web.storage.event_store import EventStore, PendingWrite
from tests.manual_time import AT, ManualTime
from tests.web.app_harness import AppHarness, in_app, random_action, table_of

CHANCE, ANNE, BRUNO = random.Random(5), ("anne", "Anne"), ("bruno", "Bruno")

STEPS = [-86_400.0, -3_600.0, -5.0, 5.0, 3_600.0, 86_400.0, 20 * 365 * 86_400.0]


@pytest.fixture
def time() -> ManualTime:
    return ManualTime()


@pytest.fixture
def machine(time: ManualTime) -> Machine:
    """The machine's clock, which the test sets, as a process watches it."""
    return Machine(time)


@pytest.fixture
def lite(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'comptoir.sqlite'}"


def opened(machine: Machine, **settings: Any) -> OpenTable:
    """A table at which the match has begun, in a process with this clock."""
    return OpenTable(table_of("century", [ANNE, BRUNO], seed="1", **settings), machine=machine)


def seat_clock(live: OpenTable) -> SeatClock:
    """What whoever is awaited has left now."""
    assert live.table.clocks is not None
    assert live.table.seat_to_act is not None
    return live.table.clocks.until(live.time()).seat_clocks[live.table.seat_to_act]


def play(live: OpenTable) -> Table:
    table = live.table
    assert table.match is not None
    person = table.seats[table.turn or 0].person if table.forced is None else None
    action = table.forced or random_action(table.match, CHANCE)
    live.replace_table(evolve(table, decide.play(table, live.now(), person, table.turn, action)))
    return live.table


# At a table


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("clock", [30, 2 * DAY])
def test_a_step_charges_nobody(time: ManualTime, machine: Machine, clock: int, step: float) -> None:
    live = opened(machine, clock=clock)
    before = seat_clock(live)
    time.pass_by(10)
    time.set_clock(step)
    time.pass_by(2)
    assert seat_clock(live).left == pytest.approx(before.left - 12)
    seat = live.table.seat_to_act
    assert seat is not None
    after = play(live)
    assert after.clocks is not None
    assert after.clocks.seat_clocks[seat].used == pytest.approx(12)
    assert after.updated == pytest.approx(AT + 12), "so it is stored, for all other processes"


@pytest.mark.parametrize("step", STEPS)
def test_then_the_time_at_the_table_is_the_machines_again(
    time: ManualTime, machine: Machine, step: float
) -> None:
    """An event says so: it holds after a restart, and in lists."""
    live = opened(machine, clock=60)
    with pytest.raises(Refused):
        decide.set_clock(live.table, live.now())
    time.pass_by(10)
    time.set_clock(step)
    live.replace_table(evolve(live.table, decide.set_clock(live.table, live.now())))
    assert seat_clock(live).left == pytest.approx(170)
    assert live.table.due == pytest.approx(time.time() + 170)
    assert live.time() == time.time()
    assert not live.table.clock_set(live.now())
    time.pass_by(10)
    assert seat_clock(live).left == pytest.approx(160)
    with pytest.raises(Refused):
        decide.set_clock(live.table, live.now())


def test_a_clock_that_is_a_little_off_is_believed(time: ManualTime, machine: Machine) -> None:
    live = opened(machine, clock=60)
    time.set_clock(STEP / 2)
    assert not live.table.clock_set(live.now())
    assert live.time() == time.time()


def test_where_nobodys_time_runs_the_machines_clock_is_all_there_is(
    time: ManualTime, machine: Machine
) -> None:
    live = opened(machine)
    time.set_clock(3_600)
    assert not live.table.clock_set(live.now())
    assert play(live).updated == time.time()


# What another process has noted, or this one before a restart


@example([(1.0, -3.0)], 0.003)  # noted just after a step: a rounding must not count it as before
@given(st.lists(st.tuples(st.floats(1, 5_000), st.floats(-5_000, 5_000)), max_size=4), st.floats(0, 1_000))
def test_a_moment_is_as_long_ago_as_it_is(steps: list[tuple[float, float]], since: float) -> None:
    """However often the clock was set in the meantime, if this process has seen it; never longer ago than it is."""
    machine = Machine(time := ManualTime())
    noted, passed = time.time(), 0.0
    for seconds, step in steps:
        time.pass_by(seconds)
        time.set_clock(step)
        machine.note_jump()
        passed += seconds
    time.pass_by(since)
    age, passed = machine.age(noted), passed + since
    slack = (STEP + 1e-3) * (len(steps) + 1)  # smaller steps are not seen
    assert age <= passed + slack
    if all(step >= 0 for _, step in steps):
        assert age >= passed - slack
    recent = machine.age(time.time() - min(since, 1.0))
    assert recent == pytest.approx(min(since, 1.0), abs=slack)


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("clock", [60, 2 * DAY])
def test_a_table_that_was_written_before_a_step_is_read_after_it(
    time: ManualTime, machine: Machine, clock: int, step: float
) -> None:
    """By a process that has seen the step. Where a turn has days, its own age does not bound the charge."""
    live = opened(machine, clock=clock)
    full = seat_clock(live).left
    time.pass_by(20)
    time.set_clock(step)
    machine.note_jump()
    time.pass_by(5)
    read = opened(machine, clock=clock)
    read.estimate_age()
    left = seat_clock(live).left
    assert left == pytest.approx(full - 25)
    assert left - ROUNDING <= seat_clock(read).left <= full
    if step > 0:
        assert seat_clock(read).left == pytest.approx(full - 25)


@pytest.mark.parametrize("away", [-3_600.0, 0.0, 3_600.0])
def test_in_a_live_match_nobody_is_charged_while_the_server_is_down(time: ManualTime, away: float) -> None:
    """Nor for a step that nobody has seen: only for what the new process has watched."""
    time.pass_by(30)
    time.set_clock(away)
    machine = Machine(time)  # of a new process
    time.pass_by(4)
    read = opened(machine, clock=60)  # its last event was at AT
    read.estimate_age()
    assert 176 <= seat_clock(read).left <= 180


def test_where_a_turn_has_days_time_passes_without_the_server(time: ManualTime) -> None:
    time.pass_by(DAY)
    machine = Machine(time)  # of a new process
    read = opened(machine, clock=2 * DAY)
    read.estimate_age()
    assert seat_clock(read).turn == pytest.approx(DAY)


# At a server


@pytest.mark.parametrize("step", [-3_600.0, 3_600.0])
def test_a_server_whose_clock_is_set(lite: str, step: float, time: ManualTime) -> None:
    """The clock that was an hour back is set right, or the other way round: whoever is awaited has their time,
    before and after the next sweep, on the page and in the store.
    """

    async def work(made: AppHarness) -> None:
        anne, bruno = made.person("Anne"), made.person("Bruno")
        live = await made.make("century", anne.sits, bruno.sits, clock=180)
        who = anne if live.table.seat_to_act == 0 else bruno

        async def left() -> float:
            seen = (await who.get(f"/api/tables/{live.table.id}")).json()
            time_left = seen["times"][seen["running"]]
            assert seen["due"] == pytest.approx(time.time() + time_left["turn"] + time_left["reserve"], abs=1)
            return float(time_left["turn"] + time_left["reserve"])

        assert await left() > 400
        time.set_clock(step)
        assert await left() > 400
        version = live.table.version
        await time.advance(SWEEP_INTERVAL)
        assert live.table.version == version + 1
        assert await left() > 400
        assert live.table.seat_to_act is not None, "no bot has taken over"
        row = made.server.store.tables.find(live.table.id)
        assert row is not None
        assert row.due == pytest.approx(time.time() + 540 - SWEEP_INTERVAL)
        await time.advance(SWEEP_INTERVAL)
        assert live.table.version == version + 1, "once is enough"
        match = live.table.match
        assert match is not None
        wish = {"version": live.table.version, "action": random_action(match, CHANCE)}
        assert (await who.ask("POST", f"/api/tables/{live.table.id}/actions", json=wish)).status_code == 200

    in_app(lite, work, time_source=time)


def test_a_database_that_takes_long_sets_no_clock(
    lite: str, time: ManualTime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Time passes between an event and its telling, and nobody's clock stands still in the meantime."""

    async def work(made: AppHarness) -> None:
        anne, bruno = made.person("Anne"), made.person("Bruno")
        live = await made.make("century", anne.sits, bruno.sits, clock=180)
        who = anne if live.table.seat_to_act == 0 else bruno
        append = EventStore.append_all

        def slowly(store: EventStore, writes: Sequence[PendingWrite]) -> Sequence[Exception | None]:
            time.pass_by(5)
            return append(store, writes)

        monkeypatch.setattr(EventStore, "append_all", slowly)
        assert live.table.match is not None
        action = random_action(live.table.match, CHANCE)
        await made.tables.act(
            live.table.id, lambda table, now: decide.play(table, now, who.id, table.turn, action)
        )
        assert not live.table.clock_set(live.now())
        assert live.now().steady == pytest.approx(live.table.updated + 5)

    in_app(lite, work, time_source=time)
