"""What events make of a table: each gives the state that follows it, and leaves the state before as it was.

Events come in order, as the store has kept them. What they mean never changes: tables of older servers are
made of the same ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import count

from comptoir.bots.levels import current_level
from comptoir.engine.match import Match
from comptoir.engine.names import repaired_names, skeleton
from comptoir.errors import ComptoirError
from comptoir.web.domain import queries
from comptoir.web.domain.archive import ArchivedMatch
from comptoir.web.domain.clock import PlayingHours, TableClocks
from comptoir.web.domain.immutable import replace
from comptoir.web.domain.people import nameless
from comptoir.web.domain.proposals import Proposal
from comptoir.web.domain.state import (
    SUBSTITUTE_LEVEL,
    Event,
    Note,
    RulesStamp,
    Seat,
    Table,
    TableSettings,
    TableSummary,
)
from comptoir.web.limits import TABLE_NOTES

BOT_NAMES = ("Fernão", "Margriet", "Yusuf", "Zheng", "Ingrid", "Amina", "Rafael", "Kanoa")
MOVES = frozenset(("play", "forced"))  # events that go on in the match
COUNTED = frozenset(("sit", "bot", "undo", "retrace", "away", "ask"))  # events that people could add forever


class RulesMismatch(ComptoirError):
    """A match was begun under other rules, or with other components, than there are now."""


def bot_names() -> Iterator[str]:
    """Names for bots, without end: `Fernão`, and so on, then `Fernão 2`."""
    yield from BOT_NAMES
    for again in count(2):
        yield from (f"{name} {again}" for name in BOT_NAMES)


# All events of a table


def from_events(id: str, events: Iterable[Event]) -> Table:
    """The table that these events have made; the first is `made`."""
    first, *rest = events
    settings = TableSettings.read(first.text)
    seats = (Seat(),) * int(settings.options["players"])
    table = Table(id, settings, seats, first.version, first.at)
    for event in rest:
        try:
            table = _evolved(table, event, table.match)  # nobody sees the states in between
        except ComptoirError:  # today's rules do not know this match, or refuse what was played
            table = evolve(without_match(table), event)
    known = table.match is not None or table.outdated
    return table if known else _with_options_checked(table)


def without_match(table: Table) -> Table:
    """A table whose match today's rules cannot replay."""
    return replace(table, match=None, outdated=True)


def _with_options_checked(table: Table) -> Table:
    """Options chosen before a match must still exist."""
    try:
        table.game.read_options(**table.settings.options)
    except ComptoirError:
        return replace(table, outdated=True)
    return table


def compared(table: Table, row: TableSummary) -> Table:
    """A table that does not say which rules it was played by must stand where people last saw it."""
    same = row.version != table.version or (row.state, row.turn) == (table.state, table.turn)
    return table if table.begun is not None or same else without_match(table)


# One event


def evolve(table: Table, event: Event) -> Table:
    """The state after an event."""
    match = table.match
    if match is not None and event.kind in MOVES:
        match = match.at(match.ply)
    return _evolved(table, event, match)


def _evolved(table: Table, event: Event, match: Match | None) -> Table:
    """The state after an event. `match`: the table's, or a copy of it, which an action is played in."""
    if event.version != table.version + 1:
        raise ValueError(f"event {event.version} cannot follow {table.version}")
    before = table.pending
    after = replace(table, match=match, clocks=_charged(table, event))
    after = _EVENTS[event.kind](after, event)
    if after.proposal is not None:
        after = _settled(after, after.proposal, event)
    clocks, clock_history = _clocks_run_on(after)
    return replace(
        after,
        version=event.version,
        updated=event.at,
        tally=_counted(after.tally, event),
        waiting_since=after.waiting_since if after.pending.is_same(before) else event.at,
        declined=after.declined if len(after.decisions) == len(table.decisions) else frozenset(),
        clocks=clocks,
        clock_history=clock_history,
    )


def _charged(table: Table, event: Event) -> TableClocks | None:
    """Everyone's time, with what has passed until the event charged to the seat whose clock ran. An event
    that sets the clock says how long that was.
    """
    if table.clocks is None:
        return None
    return table.clocks.until(table.updated + float(event.text) if event.kind == "clock" else event.at)


def _counted(tally: Mapping[tuple[str, str], int], event: Event) -> Mapping[tuple[str, str], int]:
    if event.kind not in COUNTED:
        return tally
    key = f"ask {event.text}" if event.kind == "ask" else event.kind, event.person or ""
    return {**tally, key: tally.get(key, 0) + 1}


def _clocks_run_on(table: Table) -> tuple[TableClocks | None, tuple[TableClocks, ...]]:
    """Everyone's time now that the clock of the seat that is awaited runs, and as it stood after each
    decision.
    """
    if table.clocks is None:
        return None, table.clock_history
    clocks = table.clocks.run(table.seat_to_act)
    clock_history = table.clock_history[: len(table.decisions)]
    return clocks, clock_history if len(clock_history) == len(table.decisions) else (*clock_history, clocks)


# Seats


def _with_seat(table: Table, event: Event, seat: Seat) -> Table:
    seats = list(table.seats)
    seats[event.seat or 0] = seat  # raises for a seat that the table does not have
    return replace(table, seats=tuple(seats))


def _sit(table: Table, event: Event) -> Table:
    return _with_seat(table, event, Seat(event.text, event.person))


def _rise(table: Table, event: Event) -> Table:
    return _with_seat(table, event, Seat())


def _remove(table: Table, event: Event) -> Table:
    gone = table.seats[event.seat or 0].person or ""
    seats = tuple(Seat() if held.person == gone else held for held in table.seats)
    return replace(table, seats=seats, removed=table.removed | {gone})


def _bot(table: Table, event: Event) -> Table:
    taken = {skeleton(name) for name in queries.names_at(table)}
    name = next(name for name in bot_names() if skeleton(name) not in taken)
    return _with_seat(table, event, Seat(name, level=current_level(event.text)))


def _away(table: Table, event: Event) -> Table:
    return _with_seat(table, event, replace(table.seats[event.seat or 0], away=True))


def _back(table: Table, event: Event) -> Table:
    return _with_seat(table, event, replace(table.seats[event.seat or 0], away=False))


def _late(table: Table, event: Event) -> Table:
    """A bot plays on, and at least to the end of this turn."""
    after = _with_seat(table, event, replace(table.seats[event.seat or 0], away=True, timed_out=True))
    if after.clocks is not None:
        after = replace(after, clocks=after.clocks.spent(event.seat or 0))
    return _noted(after, event)


def _gone(table: Table, event: Event) -> Table:
    mine = table.seats_of(event.person)
    bot = SUBSTITUTE_LEVEL if table.state == "on" else None
    seats = tuple(
        held if seat not in mine else Seat() if table.state == "waiting" else Seat(nameless(seat), level=bot)
        for seat, held in enumerate(table.seats)
    )
    hours = {person: kept for person, kept in table.hours.items() if person != event.person}
    match = _renamed(table.match, seats, mine)
    return _with_hours_counted(replace(table, seats=seats, match=match, hours=hours))


def _renamed(match: Match | None, seats: tuple[Seat, ...], gone: list[int]) -> Match | None:
    if match is None:
        return None
    if isinstance(match, ArchivedMatch):
        return match.without_names(gone)
    renamed = match.at(match.ply)
    renamed.names = [held.name for held in seats]
    return renamed


# The match


def _begin(table: Table, event: Event) -> Table:
    after = replace(table, begun=RulesStamp.read(event.text), decisions=(*table.decisions, event))
    if not after.outdated:
        after = replace(after, match=_first_position(after))
    if after.settings.imported:
        return replace(after, seats=tuple(map(Seat, repaired_names(after.settings.names))))
    if after.settings.clock and not after.settings.lesson:
        clocks = replace(TableClocks.begin(after.settings.clock, after.players), since=event.at)
        return _with_hours_counted(replace(after, clocks=clocks))
    return after


def _first_position(table: Table) -> Match:
    """The match with nothing played yet."""
    settings = table.settings
    if table.begun not in (None, RulesStamp.today(table.game, settings.components)):
        raise RulesMismatch
    # what is stored already is shown, whatever an older server took for a name
    names = repaired_names(settings.names or [held.name for held in table.seats])
    given = {"position": settings.position} if settings.position else settings.options
    return Match(settings.game, seed=settings.seed, names=names, components=settings.components, **given)


def _play(table: Table, event: Event) -> Table:
    decisions = (*table.decisions, event)
    if table.outdated:
        return replace(table, decisions=decisions)
    assert table.match is not None
    if event.seat is None or event.seat != table.match.turn:
        raise RulesMismatch
    match = table.match
    match.play(event.text)
    after = replace(table, decisions=decisions)
    ends = match.turn != event.seat or match.ended_turn(match.ply)
    return _with_turn_ended(after, event.seat) if ends else after


def _with_turn_ended(table: Table, nth: int) -> Table:
    """A seat whose turn has ended, or whom another follows, has a whole turn's time for the next."""
    seat, clocks = table.seats[nth], table.clocks
    if clocks is not None:
        clocks = clocks.end_turn(nth, saved=seat.bot is None)
    if not seat.timed_out:
        return table if clocks is None else replace(table, clocks=clocks)
    seats = (*table.seats[:nth], replace(seat, timed_out=False), *table.seats[nth + 1 :])
    return replace(table, clocks=clocks, seats=seats)


def _forced(table: Table, event: Event) -> Table:
    """There was no other choice. Everyone sees why nothing was asked in a whole turn that went so."""
    began, after = table.decisions[-1].seat != event.seat, _play(table, event)
    whole = began and after.match is not None and after.match.ended_turn(after.match.ply)
    return _noted(after, event) if whole else after


def _undo(table: Table, event: Event) -> Table:
    return _taken_back(table, int(event.text or 1), event.seat or 0, event.version)


def _taken_back(table: Table, back: int, seat: int, version: int) -> Table:
    ply, match = len(table.decisions) - back - 1, table.match
    if not table.outdated:
        assert match is not None
        match = match.at(match.ply)
        for _ in range(back):
            match.undo()
    turn = match.turn if match is not None else None
    after = replace(
        table,
        match=match,
        decisions=table.decisions[: ply + 1],
        clocks=None if table.clocks is None else queries.clocks_after_undo(table, ply),
        seats=tuple(
            replace(held, timed_out=False) if held.timed_out and nth != turn else held
            for nth, held in enumerate(table.seats)
        ),
        notes=tuple(note for note in table.notes if (note.ply, note.kind) < (ply, "undo")),
    )
    return _noted_to_others(after, Event(version, "undo", seat))


def _retrace(table: Table, event: Event) -> Table:
    ply, match = int(event.text), table.match
    if not table.outdated:
        assert match is not None
        match = match.at(ply)
    return replace(table, match=match, decisions=table.decisions[: ply + 1])


def _hint(table: Table, event: Event) -> Table:
    return _noted_to_others(replace(table, hint_takers=table.hint_takers | {event.person or ""}), event)


def _closed(table: Table, event: Event) -> Table:
    return replace(table, closed=event.text)


def _again(table: Table, event: Event) -> Table:
    return replace(table, next_table=event.text)


# Notes


def _noted_to_others(table: Table, event: Event) -> Table:
    """A note for the other players, if there are any."""
    return _noted(table, event) if len(table.people) > 1 else table


def _noted(table: Table, event: Event) -> Table:
    """In one position only the last pause and its end are worth a note, and the rest once per seat: whoever
    pauses and resumes in a loop adds nothing to what everyone is sent.
    """
    new = Note(event.kind, len(table.decisions) - 1, event.seat or 0, event.version)
    kept = [note for note in table.notes if not new.replaces(note)]
    return replace(table, notes=(*kept[1 - TABLE_NOTES :], new))


# Time


def _clock(table: Table, event: Event) -> Table:
    return table if table.clocks is None else replace(table, clocks=replace(table.clocks, since=event.at))


def _hours(table: Table, event: Event) -> Table:
    return _with_hours_counted(replace(table, hours={**table.hours, event.person or "": event}))


def _with_hours_counted(table: Table) -> Table:
    if table.clocks is None:
        return table
    kept = {person: PlayingHours.read(event.text) for person, event in table.hours.items()}
    return replace(
        table, clocks=table.clocks.with_hours([kept.get(held.person or "") for held in table.seats])
    )


# What people ask each other for


def _ask(table: Table, event: Event) -> Table:
    person = event.person or ""
    back = queries.far_back(table, person)[1] if event.text == "undo" else 0
    return replace(
        table, proposal=Proposal(event.text, person, event.seat or 0, len(table.decisions), back=back)
    )


def _agree(table: Table, event: Event) -> Table:
    if table.proposal is None:
        return table
    agreed = table.proposal.agreed | {event.person or ""}
    return replace(table, proposal=replace(table.proposal, agreed=agreed))


def _decline(table: Table, event: Event) -> Table:
    if table.proposal is None:
        return table
    declined = table.declined | {(table.proposal.person, table.proposal.what)}
    return replace(table, proposal=None, declined=declined)


def _resume(table: Table, event: Event) -> Table:
    return _noted_to_others(replace(table, paused=False), event)


def _settled(table: Table, proposal: Proposal, event: Event) -> Table:
    """What all have agreed to is done; what can no longer be had is forgotten."""
    if not _stands(table, proposal):
        return replace(table, proposal=None)
    if queries.awaiting_consent(table):
        return table
    return _carried_out(replace(table, proposal=None), proposal, event)


def _stands(table: Table, proposal: Proposal) -> bool:
    if table.state != "on" or table.paused or proposal.person not in table.present:
        return False
    if proposal.what == "pause":
        return True
    return proposal.decisions == len(table.decisions) and (
        proposal.what == "undo" or table.seat_to_act == proposal.seat
    )


def _carried_out(table: Table, proposal: Proposal, event: Event) -> Table:
    done = Event(event.version, proposal.what, proposal.seat)
    match proposal.what:
        case "pause":
            return _noted_to_others(replace(table, paused=True), done)
        case "stand-in":
            return _noted_to_others(_away(table, done), done)
        case "undo":
            return _taken_back(table, proposal.back, proposal.seat, event.version)
    return table


# by kind, as they are stored
_EVENTS: dict[str, Callable[[Table, Event], Table]] = {
    "sit": _sit,
    "rise": _rise,
    "remove": _remove,
    "bot": _bot,
    "begin": _begin,
    "play": _play,
    "forced": _forced,
    "undo": _undo,
    "retrace": _retrace,
    "hint": _hint,
    "closed": _closed,
    "away": _away,
    "back": _back,
    "late": _late,
    "clock": _clock,
    "hours": _hours,
    "ask": _ask,
    "agree": _agree,
    "decline": _decline,
    "resume": _resume,
    "again": _again,
    "gone": _gone,
}
