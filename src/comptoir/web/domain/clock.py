"""Time at a table: what each seat has left, and whose runs.

A seat has a time per turn and a reserve. In live play, time left of a turn is added to the reserve, up to
its initial size. In correspondence play the reserve is vacation, which is not refilled, and hours outside a
person's playing hours do not count.

`TableClocks` never reads a clock: the events of its table alone make it. `Machine` tells their times, since
the machine's clock may be set, in either direction, while somebody's time runs.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from datetime import time as time_of_day
from functools import cached_property
from zoneinfo import ZoneInfo

from comptoir.errors import OptionError
from comptoir.time_source import SYSTEM_TIME, TimeSource
from comptoir.web.domain.immutable import replace
from comptoir.web.limits import ZONE_LETTERS

MINUTE, HOUR, DAY = 60, 3_600, 86_400
CLOCKS = (0, 30, 60, 180, DAY, 2 * DAY, 3 * DAY, 7 * DAY)  # seconds for a turn; 0: untimed
TURNS_IN_RESERVE = 2  # live
VACATION = 7 * DAY
MIN_HOURS = 8 * 60  # minutes: whose hours were few would never be late
STEP = 1.0  # seconds that the machine's clock may gain or lose before it counts as set
ROUNDING = 1e-3  # seconds by which two readings of the same moment may differ


class Machine:
    """The machine's clock as this process has watched it, next to one that nobody can set."""

    def __init__(self, time_source: TimeSource = SYSTEM_TIME) -> None:
        self.time_source = time_source
        self.began = self.steady()
        self._offset = time_source.time() - self.began
        self._steps: deque[tuple[float, float]] = deque(maxlen=100)  # when it was set, and by how much

    def time(self) -> float:
        """The machine's clock, which may be set."""
        return self.time_source.time()

    def steady(self) -> float:
        """Seconds by the clock that nobody can set."""
        return self.time_source.monotonic()

    def note_jump(self) -> None:
        """Notes whether the clock has been set since the last look; the server looks every few seconds."""
        offset = self.time() - self.steady()
        if abs(offset - self._offset) > STEP:
            self._steps.append((self.steady(), offset - self._offset))
            self._offset = offset

    def age(self, moment: float) -> float:
        """The seconds since a moment that some process has noted, without the steps that were seen here."""
        self.note_jump()
        now, age = self.steady(), self.time() - moment
        for when, step in reversed(self._steps):
            if age <= now - when + ROUNDING:
                break
            age = max(age - step, now - when)  # it was noted before the clock was set
        return max(0.0, age)

    @property
    def uptime(self) -> float:
        """How long this process has watched."""
        return self.steady() - self.began


MACHINE = Machine()  # of tables outside an app, which has its own


@dataclass(frozen=True)
class Instant:
    """A moment, as the machine's clock shows it and as it is by the clock that nobody can set: the
    time of the table's last event, and what has passed since then.
    """

    machine: float
    steady: float

    @classmethod
    def of(cls, time: float) -> Instant:
        """One about which both clocks agree."""
        return cls(time, time)


@dataclass(frozen=True)
class Anchor:
    """When a table's last event happened, by its own account, and when that was by this process's steady
    clock.
    """

    machine: Machine
    updated: float
    steady: float

    @classmethod
    def just_now(cls, machine: Machine, updated: float) -> Anchor:
        """For an event that has just happened here."""
        return cls(machine, updated, machine.steady())

    @classmethod
    def reckoned(cls, machine: Machine, updated: float, clocks: TableClocks | None) -> Anchor:
        """For an event that was read from the store, or that another process has written. In a live match
        nobody is charged for more than this process has watched: while the server was down, they could not
        act.
        """
        age = machine.age(updated)
        if clocks is not None and not clocks.is_correspondence:
            age = min(age, machine.uptime)
        return cls(machine, updated, machine.steady() - age)

    def now(self) -> Instant:
        return Instant(self.machine.time(), self.updated + self.machine.steady() - self.steady)


def reserve_of(clock: int) -> int:
    """The seconds that each seat has in addition to its turns."""
    return VACATION if clock >= DAY else TURNS_IN_RESERVE * clock


@dataclass(frozen=True)
class PlayingHours:
    """When somebody plays: from one minute of the day to another, where they live."""

    start: int
    end: int
    zone: str

    @classmethod
    def made(cls, start: str, end: str, zone: str) -> PlayingHours:
        """From `08:00` to `22:30` in `Europe/Paris`; raises OptionError for what are none."""
        hours = cls(_minutes(start), _minutes(end), zone)
        if (hours.end - hours.start) % (24 * 60) < MIN_HOURS:
            raise OptionError(f"hours: expected at least {MIN_HOURS // 60} of them, found {start} to {end}")
        return hours.found()

    @classmethod
    def read(cls, text: str) -> PlayingHours | None:
        """As they are stored; None for somebody without any, or where this machine knows no such place."""
        try:
            return cls(**json.loads(text)).found() if text else None
        except OptionError:
            return None

    def text(self) -> str:
        return json.dumps({"start": self.start, "end": self.end, "zone": self.zone})

    def form_values(self) -> tuple[str, str]:
        """As a form has them."""
        return _time_of(self.start), _time_of(self.end)

    def found(self) -> PlayingHours:
        """These hours, if this machine knows where they are; else raises OptionError."""
        _ = self.place
        return self

    @cached_property
    def place(self) -> ZoneInfo:
        try:
            if not 0 < len(self.zone) <= ZONE_LETTERS:
                raise ValueError
            return ZoneInfo(self.zone)
        except (
            ValueError,
            OSError,
            LookupError,
        ):  # no name of a place, or of a folder, or none that is known
            name = self.zone[:ZONE_LETTERS]
            raise OptionError(f"zone: expected one such as Europe/Paris, found {name!r}") from None

    def counted(self, since: float, until: float) -> float:
        """The seconds between two moments that are within these hours."""
        seconds = 0.0
        for opens, closes in self._days(since):
            if opens >= until:
                break
            seconds += max(0.0, min(closes, until) - max(opens, since))
        return seconds

    def after(self, since: float, seconds: float) -> float:
        """When so many seconds within these hours have passed."""
        for opens, closes in self._days(since):
            begins = max(opens, since)
            if closes - begins >= seconds:
                return begins + seconds
            seconds -= max(0.0, closes - begins)
        raise AssertionError  # days do not end

    def off_hours(self, since: float, until: float) -> list[tuple[float, float]]:
        """What lies between the hours of those days."""
        found, last = [], since
        for opens, closes in self._days(since):
            if opens > last:
                found.append((last, min(opens, until)))
            last = max(last, closes)
            if last >= until:
                return found
        raise AssertionError

    def _days(self, since: float) -> Iterator[tuple[float, float]]:
        """Each day's hours, as moments; clocks that go forward or back for summer make one shorter or
        longer.
        """
        day = datetime.fromtimestamp(since, self.place).date() - timedelta(2)
        while True:
            last = day + timedelta(1) if self.end <= self.start else day
            yield self._timestamp(day, self.start), self._timestamp(last, self.end)
            day += timedelta(1)

    def _timestamp(self, day: date, minute: int) -> float:
        hour, minute = divmod(minute, 60)
        return datetime.combine(day, time_of_day(hour, minute), self.place).timestamp()


def _minutes(text: str) -> int:
    try:
        moment = time_of_day.fromisoformat(text) if len(text) == 5 else None
    except ValueError:
        moment = None
    if moment is None:
        raise OptionError(f"hours: expected a time such as 08:00, found {text[:10]!r}")
    return moment.hour * 60 + moment.minute


def _time_of(minute: int) -> str:
    return "{:02}:{:02}".format(*divmod(minute, 60))


@dataclass(frozen=True)
class SeatClock:
    """What a seat has left of its turn and in reserve, in seconds; and all that it has ever used."""

    turn: float
    reserve: float
    used: float = 0.0

    @property
    def left(self) -> float:
        return self.turn + self.reserve

    def spend(self, seconds: float) -> SeatClock:
        """First the turn's, then the reserve; no more than there is."""
        over = max(0.0, seconds - self.turn)
        return SeatClock(max(0.0, self.turn - seconds), max(0.0, self.reserve - over), self.used + seconds)


@dataclass(frozen=True)
class TableClocks:
    """What every seat of a table has left, as of `since`; the one that is awaited has been running from
    then.
    """

    clock: int
    seat_clocks: tuple[SeatClock, ...]
    hours: tuple[PlayingHours | None, ...]
    running: int | None = None
    since: float = 0.0

    @classmethod
    def begin(cls, clock: int, seats: int) -> TableClocks:
        return cls(clock, (SeatClock(clock, reserve_of(clock)),) * seats, (None,) * seats)

    @property
    def is_correspondence(self) -> bool:
        return self.clock >= DAY

    def until(self, now: float) -> TableClocks:
        """As it stands then: whose time has run is charged. A clock that was set back charges nothing."""
        seat = self.running
        if seat is None:
            return replace(self, since=now)
        hours = self.hours[seat]
        passed = hours.counted(self.since, now) if hours else now - self.since
        return self._with(seat, self.seat_clocks[seat].spend(max(0.0, passed)), since=now)

    def run(self, seat: int | None) -> TableClocks:
        """From now on that seat is awaited, or nobody."""
        return replace(self, running=seat)

    def end_turn(self, seat: int, *, saved: bool) -> TableClocks:
        """The next turn has its whole time. Live, what this one leaves is saved, unless a bot has ended
        it.
        """
        seat_clock, most = self.seat_clocks[seat], reserve_of(self.clock)
        regained = seat_clock.turn if saved and not self.is_correspondence else 0.0
        return self._with(
            seat,
            replace(seat_clock, turn=float(self.clock), reserve=min(most, seat_clock.reserve + regained)),
        )

    def spent(self, seat: int) -> TableClocks:
        """Nothing is left of this seat's time, whatever the machine's clock says."""
        return self._with(seat, replace(self.seat_clocks[seat], turn=0.0, reserve=0.0))

    def back_to(self, then: TableClocks) -> TableClocks:
        """Later actions are undone, but not the time that they took."""
        seat_clocks = tuple(
            replace(before.spend(now.used - before.used), used=now.used)
            for now, before in zip(self.seat_clocks, then.seat_clocks, strict=True)
        )
        return replace(self, seat_clocks=seat_clocks)

    def with_hours(self, hours: Sequence[PlayingHours | None]) -> TableClocks:
        """Where a turn has days, it is counted within the hours that somebody keeps."""
        return replace(self, hours=tuple(hours)) if self.is_correspondence else self

    @property
    def due(self) -> float | None:
        """When the time of the seat that is awaited will be spent."""
        if self.running is None:
            return None
        hours, left = self.hours[self.running], self.seat_clocks[self.running].left
        return hours.after(self.since, left) if hours else self.since + left

    def off_hours(self) -> list[tuple[float, float]]:
        """When the clock that runs will stand still, until it has run out."""
        hours = None if self.running is None else self.hours[self.running]
        return hours.off_hours(self.since, self.due or self.since) if hours else []

    def _with(self, seat: int, seat_clock: SeatClock, since: float | None = None) -> TableClocks:
        seat_clocks = (*self.seat_clocks[:seat], seat_clock, *self.seat_clocks[seat + 1 :])
        return replace(self, seat_clocks=seat_clocks, since=self.since if since is None else since)
