"""Time, and what people ask each other for, as a page says it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from comptoir.engine.words import Words
from comptoir.web.domain import queries
from comptoir.web.domain.clock import DAY, HOUR, MINUTE, reserve_of
from comptoir.web.domain.proposals import Proposal
from comptoir.web.domain.state import Table


def length(seconds: int, words: Words) -> str:
    """A time that a clock gives: `30 seconds`, `2 days`."""
    for unit, key in ((DAY, "days"), (MINUTE, "minutes")):
        if seconds >= unit:
            return words.say(f"clock.{key}", n=seconds // unit)
    return words.say("clock.seconds", n=seconds)


def clock_line(clock: int, words: Words) -> str:
    """What a clock means: `1 minute a turn, 2 minutes in reserve`."""
    if not clock:
        return words.say("clock.untimed")
    key = "clock.by_days" if clock >= DAY else "clock.live"
    return words.say(key, turn=length(clock, words), reserve=length(reserve_of(clock), words))


def left(seconds: float, words: Words) -> str:
    """What is left, for a list: `1 d 4 h`, `12 min`; clock.js says the same on a panel."""
    whole = max(0, int(seconds))
    if whole < MINUTE:
        return words.say("clock.s", n=whole)
    days, hours, minutes = whole // DAY, whole // HOUR % 24, whole // MINUTE % 60
    said = [words.say("clock.d", n=days)] if days else []
    said += [words.say("clock.h", n=hours)] if hours else []
    said += [words.say("clock.min", n=minutes)] if minutes and not days else []
    return " ".join(said)


@dataclass(frozen=True)
class TimeLeft:
    """What a seat has left, as of `since` if its clock runs: the page counts on from there."""

    by_days: bool
    turn: float
    reserve: float
    since: float | None = None
    nights: str = ""  # moments between which it stands still


def time_left(table: Table, seat: int) -> TimeLeft | None:
    """Nobody has a clock at an untimed table, and no bot does."""
    clocks = table.clocks
    if clocks is None or table.state != "on" or table.seats[seat].person is None:
        return None
    seat_clock, runs = clocks.seat_clocks[seat], clocks.running == seat
    nights = " ".join(f"{opens:.0f}-{closes:.0f}" for opens, closes in clocks.off_hours()) if runs else ""
    since = clocks.since if runs else None
    return TimeLeft(
        clocks.is_correspondence, round(seat_clock.turn, 1), round(seat_clock.reserve, 1), since, nights
    )


@dataclass(frozen=True)
class ProposalBanner:
    """A proposal or a pause: what it says to somebody, and what they can answer."""

    text: str
    answers: tuple[str, ...] = ()  # what each button does, and after a colon, how it is called


class AbsenceNotice(NamedTuple):
    """What the page says to a person while the seat to act is deserted, which the page itself knows."""

    seat: int
    text: str
    button: str  # what asking for a bot is called; "" where it cannot be asked for


def absence(table: Table, person: str | None, asks: Sequence[str], words: Words) -> AbsenceNotice | None:
    """Of the person whose turn it is, for the others there. Where a turn has days, nobody is missed."""
    seat = table.seat_to_act
    if person not in table.present or seat is None or table.paused or table.proposal is not None:
        return None
    awaited, clocks = table.seats[seat], table.clocks
    if awaited.person in (None, person) or awaited.bot or (clocks is not None and clocks.is_correspondence):
        return None
    alone = len(table.present) == 2
    if not alone:
        button = words.say("asks.ask_bot") if "stand-in" in asks else ""
        return AbsenceNotice(seat, words.say("asks.gone", name=awaited.name), button)
    if clocks is not None:
        return AbsenceNotice(seat, words.say("asks.gone-clock", name=awaited.name), "")
    # whether they have passed is for the server to say when it is asked
    minutes = queries.SUBSTITUTE_AFTER // MINUTE
    said = words.say("asks.gone-alone", name=awaited.name, n=minutes)
    return AbsenceNotice(seat, said, words.say("asks.bot"))


def asked(table: Table, person: str | None, words: Words, line: str = "") -> ProposalBanner | None:
    """What the bar at the board says to a person, if there is anything; `line`: what their log tells of the
    action that would be taken back.
    """
    if table.paused:
        return ProposalBanner(words.say("asks.paused"), ("resume:resume",) if table.seats_of(person) else ())
    if table.proposal is None:
        return None
    undone = words.say("asks.undone", line=line) if line else ""
    return _proposed(table, table.proposal, person, words, undone)


def _proposed(
    table: Table, proposal: Proposal, person: str | None, words: Words, undone: str
) -> ProposalBanner:
    what, other = proposal.what, table.seats[proposal.seat]
    if person == proposal.person:
        awaited = ", ".join(_name(table, one) for one in queries.awaiting_consent(table))
        said = words.say(f"asks.{what}-mine", other=other.name, what=undone).strip()
        return ProposalBanner(f"{said} {words.say('asks.awaits', names=awaited)}", ("decline:withdraw",))
    name = _name(table, proposal.person)
    if what == "stand-in" and person == other.person:
        return ProposalBanner(words.say("asks.stand-in-me", name=name), ("decline:here",))
    said = words.say(f"asks.{what}", name=name, other=other.name, what=undone).strip()
    if person in queries.awaiting_consent(table):
        return ProposalBanner(said, ("agree:agree", "decline:decline"))
    return ProposalBanner(f"{said} {words.say('asks.agreed')}" if person in proposal.agreed else said)


def _name(table: Table, person: str) -> str:
    return table.seats[table.seats_of(person)[0]].name
