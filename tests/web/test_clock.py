"""Time at a table: what is left of it and whose runs; and what people agree on, from a pause to an action that
is taken back.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from comptoir.engine.match import Match
from comptoir.engine.worlds import imagined_match
from comptoir.errors import IllegalAction, OptionError
from comptoir.web.domain import decide, queries
from comptoir.web.domain.clock import (
    CLOCKS,
    DAY,
    HOUR,
    VACATION,
    Anchor,
    Instant,
    Machine,
    PlayingHours,
    SeatClock,
    TableClocks,
    reserve_of,
)
from comptoir.web.domain.decide import HOURS_CHANGE
from comptoir.web.domain.evolve import evolve, from_events
from comptoir.web.domain.proposals import learns_anything
from comptoir.web.domain.queries import SUBSTITUTE_AFTER
from comptoir.web.domain.refusals import Forbidden, Refused
from comptoir.web.domain.state import SUBSTITUTE_LEVEL, Event, Table, TableSettings
from comptoir.web.view.log import lines_of
from comptoir.web.view.presenter import TablePresenter
from comptoir.web.view.table_view import Viewer, view_table
from tests.manual_time import AT, ManualTime
from tests.web.app_harness import NOW, random_action, table_of

ANNE, BRUNO, CHLOE = ("anne", "Anne"), ("bruno", "Bruno"), ("chloe", "Chloé")
PARIS = PlayingHours.made("08:00", "22:00", "Europe/Paris")


class Sitting:
    """A table at which time passes as the test says."""

    def __init__(self, *who: str | tuple[str, str], game: str = "century", **more: Any) -> None:
        self.time, self.chance = ManualTime(), random.Random(1)
        self.machine = Machine(self.time)
        people = list(who) or [ANNE, BRUNO, CHLOE]
        self.table = table_of(game, people, seed="clocks", creator="anne", **more)
        self.anchor = Anchor.just_now(self.machine, self.table.updated)

    @property
    def now(self) -> float:
        return self.time.time()

    @property
    def instant(self) -> Instant:
        return self.anchor.now()

    def do(self, event: Event) -> Event:
        event = dataclasses.replace(event, at=self.now)
        self.table = evolve(self.table, event)
        self.anchor = Anchor.just_now(self.machine, event.at)
        return event

    def wait(self, seconds: float) -> None:
        """Time passes, or the machine's clock is set back."""
        if seconds < 0:
            self.time.set_clock(seconds)
        else:
            self.time.pass_by(seconds)

    def act(self) -> Event:
        """Whoever is to decide does something, or the server does."""
        table = self.table
        assert table.match is not None
        assert table.turn is not None
        person = table.seats[table.turn].person if table.seat_to_act is not None else None
        action = table.forced or random_action(table.match, self.chance)
        return self.do(decide.play(table, self.instant, person, table.turn, action))

    def until(self, told: Callable[[Table], bool]) -> None:
        for _ in range(400):
            if told(self.table) and self.table.seat_to_act is not None:
                return
            self.act()
        raise AssertionError("that never comes")

    @property
    def clocks(self) -> TableClocks:
        assert self.table.clocks is not None
        return self.table.clocks

    @property
    def awaited(self) -> int:
        assert self.table.seat_to_act is not None
        return self.table.seat_to_act

    @property
    def person(self) -> str:
        return self.table.seats[self.awaited].person or ""

    def others(self) -> list[str]:
        return [person for person in self.table.people if person != self.person]

    def seat_clock(self, seat: int) -> SeatClock:
        return self.clocks.until(self.now).seat_clocks[seat]


def refused(key: str, ask: Callable[[], Event], kind: type[Refused] = Refused) -> None:
    with pytest.raises(kind) as caught:
        ask()
    assert caught.value.key == key


# The ledger


def test_a_turn_comes_first_then_the_reserve() -> None:
    clocks = dataclasses.replace(TableClocks.begin(60, 2), since=AT).run(0)
    assert clocks.due == AT + 180
    clocks = clocks.until(AT + 70)
    assert (clocks.seat_clocks[0], clocks.seat_clocks[1]) == (SeatClock(0, 110, 70), SeatClock(60, 120))
    assert clocks.due == AT + 180
    assert clocks.run(1).until(AT + 75).seat_clocks == (SeatClock(0, 110, 70), SeatClock(55, 120, 5))


def test_live_what_a_turn_leaves_is_saved_up_to_what_there_was_at_first() -> None:
    clocks = dataclasses.replace(TableClocks.begin(60, 1), since=AT).run(0).until(AT + 100)
    assert clocks.end_turn(0, saved=True).seat_clocks == (SeatClock(60, 80, 100),)
    again = clocks.end_turn(0, saved=True).until(AT + 125)
    assert again.end_turn(0, saved=True).seat_clocks == (SeatClock(60, 115, 125),)
    assert again.end_turn(0, saved=False).seat_clocks == (SeatClock(60, 80, 125),)
    assert again.end_turn(0, saved=True).end_turn(0, saved=True).seat_clocks == (SeatClock(60, 120, 125),)


def test_holidays_do_not_come_back() -> None:
    clocks = dataclasses.replace(TableClocks.begin(2 * DAY, 1), since=AT).run(0).until(AT + 3 * DAY)
    assert clocks.seat_clocks == (SeatClock(0, 6 * DAY, 3 * DAY),)
    assert clocks.end_turn(0, saved=True).seat_clocks == (SeatClock(2 * DAY, 6 * DAY, 3 * DAY),)


def test_a_clock_set_back_gives_and_takes_nothing() -> None:
    clocks = dataclasses.replace(TableClocks.begin(60, 1), since=AT).run(0).until(AT - 1000)
    assert clocks.seat_clocks == (SeatClock(60, 120),)
    assert clocks.due == AT - 820


def test_taking_back_restores_what_there_was_less_what_was_used_since() -> None:
    then = dataclasses.replace(TableClocks.begin(60, 2), since=AT).run(0)
    now = then.until(AT + 20).end_turn(0, saved=True).run(1).until(AT + 30).run(0).until(AT + 35)
    assert now.back_to(then).seat_clocks == (SeatClock(35, 120, 25), SeatClock(50, 120, 10))


@pytest.mark.parametrize("clock", CLOCKS[1:])
def test_every_clock_has_a_reserve(clock: int) -> None:
    assert reserve_of(clock) == (VACATION if clock >= DAY else 2 * clock)


# Hours


def paris(day: int, hour: int, month: int = 6) -> float:
    return datetime(2026, month, day, hour, tzinfo=ZoneInfo("Europe/Paris")).timestamp()


def test_nights_do_not_count() -> None:
    assert PARIS.counted(paris(1, 6), paris(1, 9)) == HOUR
    assert PARIS.counted(paris(1, 21), paris(2, 9)) == 2 * HOUR
    assert PARIS.counted(paris(1, 0), paris(8, 0)) == 7 * 14 * HOUR
    assert PARIS.counted(paris(2, 0), paris(1, 0)) == 0
    assert PARIS.after(paris(1, 23), 2 * HOUR) == paris(2, 10)
    assert PARIS.after(paris(1, 20), 2 * HOUR) == paris(1, 22)
    assert PARIS.off_hours(paris(1, 20), paris(3, 9)) == [
        (paris(1, 22), paris(2, 8)),
        (paris(2, 22), paris(3, 8)),
    ]


def test_hours_may_go_past_midnight_and_clocks_may_change() -> None:
    owl = PlayingHours.made("18:00", "03:00", "Europe/Paris")
    assert owl.counted(paris(1, 0), paris(2, 0)) == 9 * HOUR
    # on 29 March 2026 clocks go from two to three: that night has an hour less
    assert owl.counted(paris(28, 12, 3), paris(29, 12, 3)) == 8 * HOUR


@given(
    start=st.integers(0, 1439),
    length=st.integers(480, 1380),
    since=st.floats(AT, AT + 400 * DAY),
    seconds=st.floats(0, 14 * DAY),
    zone=st.sampled_from(["Europe/Paris", "Asia/Kathmandu", "Pacific/Apia", "America/St_Johns"]),
)
def test_hours_count_as_they_run_out(
    start: int, length: int, since: float, seconds: float, zone: str
) -> None:
    hours = PlayingHours(start, (start + length) % 1440, zone)
    until = hours.after(since, seconds)
    assert hours.counted(since, until) == pytest.approx(seconds, abs=1e-3)
    nights = sum(closes - opens for opens, closes in hours.off_hours(since, until))
    assert until - since - nights == pytest.approx(seconds, abs=1e-3)


@pytest.mark.parametrize(
    "wrong",
    [
        ("8", "22:00", "Europe/Paris"),
        ("08:00", "25:00", "Europe/Paris"),
        ("08:00", "08:00", "Europe/Paris"),
        ("22:00", "05:59", "Europe/Paris"),
        ("08:00", "22:00", "Europe/Atlantis"),
        ("08:00", "22:00", "../../etc/passwd"),
        ("08:00", "22:00", "/etc/passwd"),
        ("08:00", "22:00", "Europe"),
        ("08:00", "22:00", ""),
        ("08:00", "22:00", "a\0b"),
        ("08:00", "22:00", "x" * 5000),
    ],
)
def test_what_are_no_hours_is_said(wrong: tuple[str, str, str]) -> None:
    with pytest.raises(OptionError, match=r"^(hours|zone): expected") as caught:
        PlayingHours.made(*wrong)
    assert len(str(caught.value)) < 150


def test_hours_are_kept_as_text() -> None:
    assert PlayingHours.read(PARIS.text()) == PARIS
    assert PARIS.form_values() == ("08:00", "22:00")
    assert PlayingHours.read("") is None
    assert PlayingHours.read(PlayingHours(1, 2, "Europe/Atlantis").text()) is None


# At a table


def test_time_is_for_a_whole_turn() -> None:
    sitting = Sitting(clock=60, game="marco_polo")
    longest = decided = 0
    for _ in range(60):
        seat = sitting.awaited
        sitting.wait(5)
        sitting.act()
        match, decided = sitting.table.match, decided + 1
        assert match is not None
        if match.game.ends_turn(*match.records[-2:]) or match.turn != seat:
            decided = 0
        assert sitting.clocks.seat_clocks[seat].turn == 60 - 5 * decided
        assert sitting.clocks.seat_clocks[seat].reserve == 120
        longest = max(longest, decided)
        sitting.until(lambda table: True)
    assert longest > 1


def test_only_who_is_awaited_uses_time() -> None:
    sitting = Sitting(ANNE, BRUNO, "clerk", clock=60)
    for _ in range(60):
        awaited = sitting.table.seat_to_act
        before = sitting.clocks.seat_clocks
        sitting.wait(7)
        sitting.act()
        used = [now.used - then.used for now, then in zip(sitting.clocks.seat_clocks, before, strict=True)]
        assert used == [7.0 if seat == awaited else 0.0 for seat in range(3)]
        assert sitting.clocks.running == sitting.table.seat_to_act
    assert sitting.clocks.seat_clocks[2].used == 0


def test_who_is_late_is_stood_in_for_until_they_come_back() -> None:
    sitting = Sitting(clock=60)
    seat, person = sitting.awaited, sitting.person
    sitting.wait(180)
    event = sitting.do(decide.time_out(sitting.table, sitting.instant))
    table = sitting.table
    assert (event.kind, event.seat, event.person) == ("late", seat, None)
    assert (table.bot, table.due, table.seats[seat].away) == (SUBSTITUTE_LEVEL, sitting.now, True)
    assert [note.kind for note in table.notes] == ["late"]
    assert sitting.clocks.seat_clocks[seat].left == 0
    refused("refuse.stale", lambda: decide.time_out(table, sitting.instant))

    sitting.do(decide.return_to_seat(table, sitting.instant, person, seat))
    assert (sitting.table.bot, sitting.table.seat_to_act) == (SUBSTITUTE_LEVEL, None)
    assert sitting.table.match is not None
    action = sitting.table.match.actions()[0]
    refused("refuse.late", lambda: decide.play(sitting.table, sitting.instant, person, seat, action))
    sitting.act()
    sitting.until(lambda table: table.turn == seat and len(table.decisions) > 3)
    assert sitting.clocks.seat_clocks[seat] == SeatClock(60, 0, 180)
    assert sitting.table.bot is None


def test_a_turn_that_a_bot_has_played_saves_nothing() -> None:
    sitting = Sitting(clock=60)
    seat, person = sitting.awaited, sitting.person
    sitting.wait(100)
    sitting.act()
    sitting.until(lambda table: table.seat_to_act == seat and sitting.seat_clock(seat).turn == 60)
    used = sitting.seat_clock(seat)
    assert (used.turn, used.reserve) == (60, 80)
    sitting.do(decide.leave(sitting.table, sitting.instant, person, seat))
    sitting.act()
    while sitting.table.turn == seat:
        sitting.act()
    assert sitting.clocks.seat_clocks[seat] == used


def test_a_clock_is_not_needed_to_run_out_of_nothing() -> None:
    refused("refuse.stale", lambda: decide.time_out(Sitting().table, NOW))
    bots_first = Sitting("clerk", "clerk", ANNE, clock=30)
    refused("refuse.stale", lambda: decide.time_out(bots_first.table, NOW))


def test_a_table_with_an_old_clock_goes_on() -> None:
    """Events as servers before the ledger have written them: the clock was for a decision, and whose time was
    up was played for without being sent away.
    """
    made = TableSettings("century", {"players": "2", "first": "0"}, "old", creator="anne", clock=30)
    fresh = from_events("table", [Event(1, "made", None, "anne", made.text(), AT)])
    events = [
        Event(1, "made", None, "anne", made.text(), AT),
        Event(2, "sit", 0, *ANNE, AT),
        Event(3, "sit", 1, *BRUNO, AT),
        Event(4, "begin", None, "anne", "", AT),
    ]
    table = from_events(fresh.id, events)
    chance = random.Random(4)
    for n in range(30):
        assert table.match is not None
        assert table.turn is not None
        action = table.forced or random_action(table.match, chance)
        kind = "forced" if table.forced else "play"
        person = None if n % 7 == 3 else table.seats[table.turn].person
        event = Event(table.version + 1, kind, table.turn, person, action, AT + 29 * n)
        events.append(event)
        table = evolve(table, event)
    again = from_events(table.id, events)
    assert (again.clocks, again.due) == (table.clocks, table.due)
    assert again.due is not None
    assert again.clocks is not None
    assert all(
        0 <= seat_clock.turn <= 30 and 0 <= seat_clock.reserve <= 60
        for seat_clock in again.clocks.seat_clocks
    )
    assert not any(held.away or held.timed_out for held in again.seats)


def test_hours_count_where_a_turn_has_days() -> None:
    sitting = Sitting(ANNE, BRUNO, clock=DAY)
    seat, person = sitting.awaited, sitting.person
    before = sitting.table.due
    event = sitting.do(decide.set_hours(sitting.table, sitting.instant, person, PARIS))
    assert (event.kind, event.person, event.text) == ("hours", person, PARIS.text())
    assert sitting.table.due == PARIS.after(AT, 8 * DAY) != before
    sitting.wait(DAY)
    assert sitting.seat_clock(seat).used == pytest.approx(14 * HOUR)
    refused("refuse.hours", lambda: decide.set_hours(sitting.table, sitting.instant, person, PARIS))
    refused(
        "refuse.not_yours", lambda: decide.set_hours(sitting.table, sitting.instant, "eve", PARIS), Forbidden
    )
    refused(
        "refuse.not_yours", lambda: decide.set_hours(Sitting(clock=60).table, NOW, "anne", PARIS), Forbidden
    )


def test_hours_are_changed_once_a_day() -> None:
    sitting = Sitting(ANNE, BRUNO, clock=DAY)
    refused("refuse.hours", lambda: decide.set_hours(sitting.table, sitting.instant, "anne", None))
    sitting.do(decide.set_hours(sitting.table, sitting.instant, "anne", PARIS))
    other = PlayingHours.made("06:00", "18:00", "Europe/Paris")
    for seconds, allowed in ((HOURS_CHANGE - 1, False), (2, True)):
        sitting.wait(seconds)
        if allowed:
            decide.set_hours(sitting.table, sitting.instant, "anne", other)
            decide.set_hours(sitting.table, sitting.instant, "anne", None)
        else:
            refused("refuse.hours", lambda: decide.set_hours(sitting.table, sitting.instant, "anne", other))


# Anything in any order


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    clock=st.sampled_from(CLOCKS[1:]),
    bots=st.booleans(),
    chance=st.randoms(use_true_random=False),
    steps=st.lists(
        st.tuples(
            st.sampled_from(["act", "act", "act", "undo", "leave", "back", "ask", "yes", "no", "go"]),
            st.sampled_from([0.0, 0.5, 20.0, 70.0, 90_000.0, -500.0]),
        ),
        max_size=40,
    ),
)
def test_one_clock_runs_at_most_and_all_that_passes_is_charged(
    clock: int, bots: bool, chance: random.Random, steps: list[tuple[str, float]]
) -> None:
    sitting = Sitting(ANNE, BRUNO, "clerk" if bots else CHLOE, clock=clock)
    sitting.chance, passed = chance, 0.0
    for step, seconds in steps:
        table, now = sitting.table, sitting.now
        due = table.due if table.seat_to_act is not None else None
        sitting.wait(seconds if due is None else min(seconds, due - now))  # then the server acts
        what = "late" if due is not None and sitting.now >= due else step
        running = sitting.clocks
        later = running.until(sitting.now)
        moved = [seat for seat in range(3) if later.seat_clocks[seat] != running.seat_clocks[seat]]
        assert moved in ([], [table.seat_to_act])
        before = passed
        passed += max(0.0, sitting.now - now) if table.seat_to_act is not None else 0.0
        try:
            _happen(sitting, what, chance)
        except Refused:  # nothing has happened, and no time has passed
            sitting.time.set_clock(now - sitting.now)
            passed = before
            continue
        assert sum(seat_clock.used for seat_clock in sitting.clocks.seat_clocks) == pytest.approx(passed)
        assert sitting.clocks.running == sitting.table.seat_to_act
        for seat_clock in sitting.clocks.seat_clocks:
            assert 0 <= seat_clock.turn <= clock
            assert 0 <= seat_clock.reserve <= reserve_of(clock)


def _happen(sitting: Sitting, what: str, chance: random.Random) -> Event:
    table = sitting.table
    person, seat = chance.choice(table.people), chance.randrange(3)
    if what == "act":
        if table.state != "on" or table.paused:
            raise Refused("refuse.over")
        return sitting.act()
    asks: dict[str, Callable[[], Event]] = {
        "late": lambda: decide.time_out(table, sitting.instant),
        "undo": lambda: decide.undo(table, sitting.instant, person),
        "leave": lambda: decide.leave(table, sitting.instant, person, seat),
        "back": lambda: decide.return_to_seat(table, sitting.instant, person, seat),
        "ask": lambda: decide.propose(
            table, sitting.instant, person, chance.choice(["pause", "stand-in", "undo"])
        ),
        "yes": lambda: decide.answer_proposal(table, sitting.instant, person, True),
        "no": lambda: decide.answer_proposal(table, sitting.instant, person, False),
        "go": lambda: decide.resume(table, sitting.instant, person),
    }
    return sitting.do(asks[what]())


# Agreements


def test_a_pause_comes_when_all_have_agreed_and_anyone_ends_it() -> None:
    sitting = Sitting(clock=60)
    seat = sitting.awaited
    sitting.wait(10)
    sitting.do(decide.propose(sitting.table, sitting.instant, "anne", "pause"))
    assert queries.awaiting_consent(sitting.table) == ("bruno", "chloe")
    refused("refuse.asked", lambda: decide.propose(sitting.table, sitting.instant, "bruno", "pause"))
    refused(
        "refuse.not_asked",
        lambda: decide.answer_proposal(sitting.table, sitting.instant, "anne", True),
        Forbidden,
    )
    refused(
        "refuse.not_asked",
        lambda: decide.answer_proposal(sitting.table, sitting.instant, "eve", False),
        Forbidden,
    )
    sitting.do(decide.answer_proposal(sitting.table, sitting.instant, "bruno", True))
    assert not sitting.table.paused
    sitting.act()  # a pause is good at any time
    sitting.do(decide.answer_proposal(sitting.table, sitting.instant, "chloe", True))
    table = sitting.table
    assert (table.paused, table.proposal, table.due, table.seat_to_act) == (True, None, None, None)
    assert (table.row().paused, table.row().turn_person) == (True, None)
    assert [note.kind for note in table.notes] == ["pause"]
    used = sitting.clocks.seat_clocks[seat].used
    sitting.wait(1_000_000)
    assert sitting.seat_clock(seat).used == used
    assert table.match is not None
    action = table.match.actions()[0]
    refused("refuse.paused", lambda: decide.play(table, sitting.instant, None, table.turn, action))
    refused("refuse.paused", lambda: decide.undo(table, sitting.instant, "anne"))
    refused("refuse.paused", lambda: decide.propose(table, sitting.instant, "anne", "pause"))
    refused("refuse.not_yours", lambda: decide.resume(table, sitting.instant, "eve"), Forbidden)
    sitting.do(decide.resume(table, sitting.instant, "chloe"))
    refused("refuse.not_paused", lambda: decide.resume(sitting.table, sitting.instant, "chloe"))
    assert sitting.table.seat_to_act is not None
    assert sitting.table.due == sitting.now + sitting.clocks.seat_clocks[sitting.awaited].left


def test_who_declines_ends_it_and_it_is_not_asked_again_at_once() -> None:
    sitting = Sitting()
    sitting.do(decide.propose(sitting.table, sitting.instant, "anne", "pause"))
    sitting.do(decide.answer_proposal(sitting.table, sitting.instant, "chloe", False))
    assert sitting.table.proposal is None
    refused("refuse.stale", lambda: decide.answer_proposal(sitting.table, sitting.instant, "bruno", True))
    refused("refuse.declined", lambda: decide.propose(sitting.table, sitting.instant, "anne", "pause"))
    decide.propose(sitting.table, sitting.instant, "bruno", "pause")
    sitting.act()
    decide.propose(sitting.table, sitting.instant, "anne", "pause")


def test_who_asked_may_withdraw() -> None:
    sitting = Sitting()
    sitting.do(decide.propose(sitting.table, sitting.instant, "anne", "pause"))
    sitting.do(decide.answer_proposal(sitting.table, sitting.instant, "anne", False))
    assert sitting.table.proposal is None


def test_who_leaves_is_no_longer_asked() -> None:
    sitting = Sitting()
    sitting.do(decide.propose(sitting.table, sitting.instant, "anne", "pause"))
    sitting.do(decide.answer_proposal(sitting.table, sitting.instant, "bruno", True))
    sitting.do(decide.leave(sitting.table, sitting.instant, "chloe", 2))
    assert sitting.table.paused
    refused(
        "refuse.not_yours",
        lambda: decide.propose(sitting.table, sitting.instant, "chloe", "pause"),
        Forbidden,
    )


def test_with_who_asked_goes_what_was_asked() -> None:
    sitting = Sitting()
    sitting.do(decide.propose(sitting.table, sitting.instant, "anne", "pause"))
    sitting.do(decide.leave(sitting.table, sitting.instant, "anne", 0))
    assert sitting.table.proposal is None


def test_alone_among_bots_nobody_is_asked() -> None:
    sitting = Sitting(ANNE, "clerk", "clerk", clock=60)
    sitting.do(decide.propose(sitting.table, sitting.instant, "anne", "pause"))
    assert sitting.table.paused
    assert sitting.table.notes == ()


def test_a_bot_stands_in_once_all_others_agree() -> None:
    sitting = Sitting(clock=DAY)
    seat, person = sitting.awaited, sitting.person
    asks, agrees = sitting.others()
    refused("refuse.not_awaited", lambda: decide.propose(sitting.table, sitting.instant, person, "stand-in"))
    refused(
        "refuse.stale",
        lambda: decide.propose(sitting.table, sitting.instant, asks, "stand-in", (seat + 1) % 3),
    )
    sitting.do(decide.propose(sitting.table, sitting.instant, asks, "stand-in", seat))
    assert queries.awaiting_consent(sitting.table) == (agrees,)
    sitting.do(decide.answer_proposal(sitting.table, sitting.instant, agrees, True))
    assert (sitting.table.seats[seat].away, sitting.table.bot) == (True, SUBSTITUTE_LEVEL)
    assert [(note.kind, note.seat) for note in sitting.table.notes] == [("stand-in", seat)]
    sitting.do(decide.return_to_seat(sitting.table, sitting.instant, person, seat))
    assert sitting.table.seat_to_act == seat  # their time is not spent: the turn is theirs


def test_who_is_there_says_so_and_no_bot_comes() -> None:
    sitting = Sitting()
    seat, person = sitting.awaited, sitting.person
    sitting.do(decide.propose(sitting.table, sitting.instant, sitting.others()[0], "stand-in"))
    sitting.do(decide.answer_proposal(sitting.table, sitting.instant, person, False))
    assert (sitting.table.proposal, sitting.table.seats[seat].away) == (None, False)


def test_what_was_asked_lapses_when_they_act() -> None:
    sitting = Sitting()
    sitting.do(decide.propose(sitting.table, sitting.instant, sitting.others()[0], "stand-in"))
    sitting.act()
    assert sitting.table.proposal is None


def test_of_two_nobody_sends_the_other_away_while_their_clock_runs() -> None:
    duel = Sitting(ANNE, BRUNO, clock=60)
    refused(
        "refuse.their_clock", lambda: decide.propose(duel.table, duel.instant, duel.others()[0], "stand-in")
    )
    calm = Sitting(ANNE, BRUNO)
    calm.wait(SUBSTITUTE_AFTER - 1)
    refused("refuse.alone", lambda: decide.propose(calm.table, calm.instant, calm.others()[0], "stand-in"))
    calm.wait(1)
    seat = calm.awaited
    calm.do(decide.propose(calm.table, calm.instant, calm.others()[0], "stand-in"))
    assert calm.table.seats[seat].away


def test_what_makes_no_sense_is_not_asked() -> None:
    sitting = Sitting()
    refused("refuse.message", lambda: decide.propose(sitting.table, sitting.instant, "anne", "all the money"))
    refused(
        "refuse.not_yours", lambda: decide.propose(sitting.table, sitting.instant, "eve", "pause"), Forbidden
    )
    refused("refuse.undo", lambda: decide.propose(sitting.table, sitting.instant, "anne", "undo"))
    refused("refuse.stale", lambda: decide.answer_proposal(sitting.table, sitting.instant, "anne", True))


def acted_after(sitting: Sitting, person: str = "anne") -> None:
    """Plays on until a person has acted, others since, and nothing was turned up."""
    sitting.until(lambda table: "undo" in queries.may_propose(table, sitting.instant, person))


def test_an_action_is_taken_back_after_others_have_acted_if_all_agree() -> None:
    sitting = Sitting(clock=60)
    acted_after(sitting)
    seat, back = queries.far_back(sitting.table, "anne")
    assert back > 1
    assert sitting.table.may_undo("anne") is None
    ply = len(sitting.table.decisions) - back - 1
    used = [seat_clock.used for seat_clock in sitting.clocks.seat_clocks]
    sitting.wait(9)
    waited = sitting.awaited
    sitting.do(decide.propose(sitting.table, sitting.instant, "anne", "undo"))
    seen = view_table(TablePresenter(sitting.table), Viewer("bruno", 1, "en"))
    assert seen.asked is not None
    entries = TablePresenter(sitting.table).log(1, "en")
    told = [line for entry in entries for item in entry.items for line in lines_of(item)]
    hers = [line.text for line in told if line.seat == seat and not line.note]
    assert seen.asked.text.endswith(f"It was: “{hers[-1]}”")
    for other in ("bruno", "chloe"):
        assert len(sitting.table.decisions) == ply + back + 1
        sitting.do(decide.answer_proposal(sitting.table, sitting.instant, other, True))
    table = sitting.table
    assert (len(table.decisions), table.turn, table.match and table.match.ply) == (ply + 1, seat, ply)
    assert table.notes[-1].kind == "undo"
    used[waited] += 9
    assert [seat_clock.used for seat_clock in sitting.clocks.seat_clocks] == used
    assert sitting.clocks.running == seat


def test_alone_among_bots_an_action_is_taken_back_at_once() -> None:
    sitting = Sitting(ANNE, "clerk", "clerk")
    acted_after(sitting)
    back = queries.far_back(sitting.table, "anne")[1]
    decided = len(sitting.table.decisions)
    sitting.do(decide.propose(sitting.table, sitting.instant, "anne", "undo"))
    assert (len(sitting.table.decisions), sitting.table.turn) == (decided - back, 0)


def test_what_a_bot_did_for_somebody_is_not_taken_back_by_agreement() -> None:
    sitting = Sitting()
    acted_after(sitting)
    seat = queries.far_back(sitting.table, "anne")[0]
    last = max(n for n, event in enumerate(sitting.table.decisions) if event.seat == seat)
    events = list(sitting.table.decisions)
    events[last] = dataclasses.replace(events[last], person=None)
    sitting.table = dataclasses.replace(sitting.table, decisions=tuple(events))
    assert "undo" not in queries.may_propose(sitting.table, sitting.instant, "anne")


@pytest.mark.slow
def test_who_has_learnt_something_takes_nothing_back() -> None:
    """Whether they have is found out from what they know: in another world that looks the same to them, the
    answer is the same.
    """
    answers, worlds = [], 0
    sitting = Sitting(game="batavia")
    for _ in range(300):
        sitting.act()
        match = sitting.table.match
        assert match is not None
        if match.over:
            break
        for person in sitting.table.people:
            seat, back = queries.far_back(sitting.table, person)
            if not 1 < back < 6:
                continue
            answers.append(learns_anything(match, seat, back))
            other = imagined_match(match.at(match.ply - back), seat, "another")
            if _looks_the_same(other, match, seat, back):
                worlds += 1
                assert learns_anything(other, seat, back) == answers[-1]
    assert worlds
    assert {*answers} == {True, False}


def _looks_the_same(other: Match, match: Match, seat: int, back: int) -> bool:
    for ply in range(match.ply - back, match.ply):
        try:
            other.play(match.played[ply])
        except IllegalAction:
            return False
        if other.seen_by(seat).tobytes() != match.at(ply + 1).seen_by(seat).tobytes():
            return False
    return True


def test_what_was_learnt_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    sitting = Sitting()
    acted_after(sitting)
    monkeypatch.setattr("comptoir.web.domain.decide.learns_anything", lambda *_: True)
    refused("refuse.learnt", partial(decide.propose, sitting.table, sitting.instant, "anne", "undo"))
