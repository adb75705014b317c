"""Commands: what somebody wants to do at a table gives the event that it leads to, or is refused.

Each takes the state of the table and the moment, and raises Refused or the rule's own refusal. Nothing has
happened before the event is stored and `evolve` has applied it.
"""

from __future__ import annotations

from comptoir.bots.levels import LEVELS
from comptoir.engine.match import Match
from comptoir.engine.names import free_name
from comptoir.errors import OptionError, UnknownAction
from comptoir.web.domain import queries
from comptoir.web.domain.clock import DAY, Instant, PlayingHours
from comptoir.web.domain.lesson import LEARNER
from comptoir.web.domain.proposals import PROPOSAL_KINDS, learns_anything
from comptoir.web.domain.refusals import Forbidden, Refused
from comptoir.web.domain.state import CANCELLED, Event, RulesStamp, Seat, Table
from comptoir.web.limits import (
    PERSON_LEAVES,
    PERSON_SITTINGS,
    PERSON_UNDOS,
    TABLE_ARRIVALS,
    TABLE_CREATOR_ARRIVALS,
    TABLE_RETRACES,
)

MAX_ACTION_CHARS = 80  # letters of an unknown one that an error shows
HOURS_CHANGE = DAY  # seconds for which the hours that somebody keeps at a table stay


def _event(
    table: Table, now: Instant, kind: str, seat: int | None = None, person: str | None = None, text: str = ""
) -> Event:
    return Event(table.version + 1, kind, seat, person, text, table.time(now))


# Before the match


def sit(table: Table, now: Instant, person: str, seat: int, name: str) -> Event:
    """A person takes a free seat."""
    _waiting(table)
    if person in table.removed:
        raise Forbidden("refuse.removed")
    if not _seat_at(table, seat).free:
        raise Refused("refuse.taken")
    if not queries.may_sit(table, person):
        raise Refused("refuse.one_seat")
    _within(table, PERSON_SITTINGS, "sit", person)
    _lobby_open(table, person)
    return _event(table, now, "sit", seat, person, free_name(name, queries.names_at(table)))


def stand_up(table: Table, now: Instant, person: str, seat: int) -> Event:
    """A person leaves a seat before the match has begun; the creator may also send a bot away."""
    _waiting(table)
    held = _seat_at(table, seat)
    if held.person != person and not (held.level and person == table.settings.creator):
        raise Forbidden("refuse.not_yours")
    return _event(table, now, "rise", seat, person)


def remove(table: Table, now: Instant, person: str, seat: int) -> Event:
    """The creator sends a person away, from all their seats here and permanently."""
    _waiting(table)
    _by_creator(table, person)
    if _seat_at(table, seat).person in (None, person):
        raise Refused("refuse.no_person")
    return _event(table, now, "remove", seat, person)


def cancel(table: Table, now: Instant, person: str) -> Event:
    """The creator closes a table at which no match has begun."""
    _waiting(table)
    _by_creator(table, person)
    return _event(table, now, "closed", None, person, CANCELLED)


def seat_bot(table: Table, now: Instant, person: str, seat: int, level: str) -> Event:
    """The creator puts a bot on a free seat."""
    _waiting(table)
    _by_creator(table, person)
    if not _seat_at(table, seat).free:
        raise Refused("refuse.taken")
    if level not in LEVELS:
        raise OptionError(f"level: expected one of {', '.join(LEVELS)}, found {level!r}")
    _lobby_open(table, person)
    return _event(table, now, "bot", seat, person, level)


def begin(table: Table, now: Instant, person: str) -> Event:
    """Somebody who sits there starts the match, once all seats are taken."""
    _waiting(table)
    if not table.seats_of(person) and person != table.settings.creator:
        raise Forbidden("refuse.not_yours")
    if any(held.free for held in table.seats):
        raise Refused("refuse.free_seats")
    return start(table, now, person)


def start(table: Table, now: Instant, person: str | None) -> Event:
    """The match begins, under today's rules."""
    return _event(
        table, now, "begin", None, person, RulesStamp.today(table.game, table.settings.components).text()
    )


def _waiting(table: Table) -> None:
    """Refuses what can only be done before the match."""
    if table.state == "closed":
        raise Refused("refuse.closed")
    if table.match is not None:
        raise Refused("refuse.begun")


def _by_creator(table: Table, person: str) -> None:
    if person != table.settings.creator:
        raise Forbidden("refuse.maker")


def _seat_at(table: Table, seat: int) -> Seat:
    if not 0 <= seat < table.players:
        raise Refused("refuse.no_seat", n=seat)
    return table.seats[seat]


def _within(table: Table, most: int, kind: str, person: str) -> None:
    """Refuses what somebody has done often enough at this table. No play is ever refused for it."""
    if table.tally.get((kind, person), 0) >= most:
        raise Refused("refuse.many_times", n=most)


def _lobby_open(table: Table, person: str) -> None:
    """Refuses a further arrival where people have come and gone without end; the creator has some more."""
    arrivals = sum(n for (kind, _), n in table.tally.items() if kind in ("sit", "bot"))
    if arrivals >= (TABLE_CREATOR_ARRIVALS if person == table.settings.creator else TABLE_ARRIVALS):
        raise Refused("refuse.lobby")


# Playing


def play(table: Table, now: Instant, person: str | None, seat: int | None, action: str) -> Event:
    """The seat that is to decide acts; for None the server does, for a bot or without a choice."""
    match = _running_match(table)
    if seat is None or seat != table.turn:
        raise Refused("refuse.not_your_turn", name=table.seats[table.turn or 0].name)
    if person is not None and table.seats[seat].person != person:
        raise Forbidden("refuse.not_yours")
    if person is not None and table.seats[seat].timed_out:
        raise Refused("refuse.late")
    check_action(table, action)
    match.check(action)
    return _event(table, now, "forced" if action == table.forced else "play", seat, person, action)


def check_action(table: Table, action: str) -> None:
    """Raises UnknownAction for what is none of the game; it does not look for one that is close."""
    if action not in table.game.action_table:
        raise UnknownAction(f"{action[:MAX_ACTION_CHARS]!r} is no action of {table.game.name}")


def undo(table: Table, now: Instant, person: str) -> Event:
    """A person takes back their last decision, with what followed it automatically."""
    _running_match(table)
    _within(table, PERSON_UNDOS, "undo", person)
    undoable = table.undoable(person)
    if undoable is None:
        raise Refused("refuse.undo")
    seat, back = undoable
    return _event(table, now, "undo", seat, person, "" if back == 1 else str(back))


def return_to_lesson(table: Table, now: Instant, person: str, *, start: bool = False) -> Event:
    """The learner goes back to where the lesson was left, or to its start.

    Whatever was turned up since: the match is fixed, and nobody else plays.
    """
    _running_match(table)
    if LEARNER not in table.seats_of(person):
        raise Forbidden("refuse.not_yours")
    if table.lesson is None or not (table.off_script or start):
        raise Refused("refuse.lesson")
    _within(table, TABLE_RETRACES, "retrace", person)
    return _event(table, now, "retrace", LEARNER, person, str(0 if start else table.plies_followed))


def hint(table: Table, now: Instant, person: str) -> Event:
    """A person asks for advice, and the others may know it."""
    _running_match(table)
    if table.settings.no_hints:
        raise Refused("refuse.no_hints")
    if table.turn is None or table.bot or table.seats[table.turn].person != person:
        raise Refused("refuse.not_your_turn", name=table.seats[table.turn or 0].name)
    return _event(table, now, "hint", table.turn, person)


def leave(table: Table, now: Instant, person: str, seat: int) -> Event:
    """A bot plays on for a person who leaves."""
    _on(table)
    held = _seat_at(table, seat)
    if held.person is None or held.away:
        raise Refused("refuse.no_person")
    if held.person != person:
        raise Forbidden("refuse.not_yours")
    _within(table, PERSON_LEAVES, "away", person)
    return _event(table, now, "away", seat, person)


def return_to_seat(table: Table, now: Instant, person: str, seat: int) -> Event:
    """The person takes their seat back from the bot."""
    _on(table)
    held = _seat_at(table, seat)
    if held.person != person:
        raise Forbidden("refuse.not_yours")
    if not held.away:
        raise Refused("refuse.not_away")
    return _event(table, now, "back", seat, person)


def _on(table: Table) -> Match:
    """The match, if it is neither to begin nor over."""
    if table.state == "closed":
        raise Refused("refuse.closed")
    if table.match is None:
        raise Refused("refuse.not_begun")
    if table.state != "on":
        raise Refused("refuse.over")
    return table.match


def _running_match(table: Table) -> Match:
    match = _on(table)
    if table.paused:
        raise Refused("refuse.paused")
    return match


# Time


def time_out(table: Table, now: Instant) -> Event:
    """The server's: the time of the person who is to decide is spent, and a bot plays on for them."""
    if table.seat_to_act is None or table.clocks is None:
        raise Refused("refuse.stale")
    return _event(table, now, "late", table.seat_to_act)


def set_clock(table: Table, now: Instant) -> Event:
    """The server's: from now on the time here is the machine's again. The event says how much has passed
    until now, since the difference of the two does not.
    """
    if not table.clock_set(now):
        raise Refused("refuse.stale")
    passed = max(0.0, now.steady - table.updated)
    return Event(table.version + 1, "clock", text=repr(passed), at=now.machine)


def set_hours(table: Table, now: Instant, person: str, hours: PlayingHours | None) -> Event:
    """Where a turn has days, time counts within a person's own hours; they are changed once a day."""
    if table.state not in ("waiting", "on"):
        raise Refused("refuse.over")
    if not table.seats_of(person) or table.settings.clock < DAY:
        raise Forbidden("refuse.not_yours")
    event = _event(table, now, "hours", None, person, hours.text() if hours else "")
    kept = table.hours.get(person, Event(0, "hours"))
    if event.text == kept.text or event.at < kept.at + HOURS_CHANGE:
        raise Refused("refuse.hours")
    return event


# What people ask each other for


def propose(table: Table, now: Instant, person: str, what: str, seat: int | None = None) -> Event:
    """Somebody asks the others: `pause`, `stand-in` for the person who is to decide, or `undo`.

    A person alone among bots has nobody to ask, and gets it at once.
    """
    _on(table)
    if what not in PROPOSAL_KINDS:
        raise Refused("refuse.message")
    if person not in table.present:
        raise Forbidden("refuse.not_yours")
    if what == "stand-in" and seat not in (None, table.seat_to_act):
        raise Refused("refuse.stale")
    refusal = queries.why_not_propose(table, now, person, what)
    if refusal is not None:
        raise refusal
    if what == "undo":
        since, back = queries.far_back(table, person)
        if _learnt(table, since, back):
            raise Refused("refuse.learnt")
        return _event(table, now, "ask", since, person, what)
    about = table.seat_to_act if what == "stand-in" else table.seats_of(person)[0]
    return _event(table, now, "ask", about, person, what)


def _learnt(table: Table, seat: int, back: int) -> bool:
    """Whether a seat has learnt anything since its action; found out once, however often somebody asks."""
    assert table.match is not None
    if (seat, back) not in table.learnt:
        table.learnt[seat, back] = learns_anything(table.match, seat, back)
    return table.learnt[seat, back]


def answer_proposal(table: Table, now: Instant, person: str, agrees: bool) -> Event:
    """Somebody agrees to a proposal, or does not; the person who asked may withdraw it. Someone for whom a
    bot is to stand in only has to say that they are there.
    """
    _on(table)
    if table.proposal is None:
        raise Refused("refuse.stale")
    asked = person in queries.awaiting_consent(table)
    if not asked and (agrees or person not in table.present):
        raise Forbidden("refuse.not_asked")
    return _event(table, now, "agree" if agrees else "decline", None, person)


def resume(table: Table, now: Instant, person: str) -> Event:
    """Whoever sits there ends a pause."""
    _on(table)
    if not table.paused:
        raise Refused("refuse.not_paused")
    if not table.seats_of(person):
        raise Forbidden("refuse.not_yours")
    return _event(table, now, "resume", table.seats_of(person)[0], person)


# Afterwards


def play_again(table: Table, now: Instant, person: str, new_table: str) -> Event:
    """Somebody who sat here has made a new table for the same people."""
    over = table.state in ("over", "closed") and table.closed != CANCELLED
    if not over or table.next_table is not None:
        raise Refused("refuse.again")
    if not table.seats_of(person):
        raise Forbidden("refuse.not_yours")
    return _event(table, now, "again", None, person, new_table)


def forget(table: Table, now: Instant, person: str) -> Event:
    """Somebody has deleted themselves: their name goes, and a bot plays on for them."""
    if not table.seats_of(person):
        raise Forbidden("refuse.not_yours")
    return _event(table, now, "gone", None, person)


def close(table: Table, now: Instant, was: str) -> Event:
    """Today's rules cannot continue what is stored here; `was`: the state that people last saw."""
    why = {"waiting": "waiting", "over": "finished"}.get(was, "running")
    return _event(table, now, "closed", text="damaged" if queries.began_today(table) else why)
