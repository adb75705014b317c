"""Queries about a table that its state does not answer itself: who may do what, and what follows."""

from __future__ import annotations

from comptoir.engine.match import Match, replay
from comptoir.errors import ComptoirError
from comptoir.web.domain.clock import MINUTE, Instant, TableClocks
from comptoir.web.domain.proposals import PROPOSAL_KINDS
from comptoir.web.domain.refusals import Refused
from comptoir.web.domain.state import RulesStamp, Table
from comptoir.web.limits import PERSON_ASKS, TABLE_RETRACES

# seconds that the only other person at a table without a clock waits before a bot can stand in
SUBSTITUTE_AFTER = 10 * MINUTE


# Before the match


def may_sit(table: Table, person: str | None) -> bool:
    """Whether a person may take a free seat. At a table that is open to all everyone takes one, except the
    creator, who may have people next to them; at others several people may share a device.
    """
    if person in table.removed:
        return False
    one_each = table.settings.open and not table.settings.multiple_seats
    return not one_each or person == table.settings.creator or not table.seats_of(person)


def names_at(table: Table) -> list[str]:
    """The names of those who sit here."""
    return [held.name for held in table.seats if held.name]


def began_today(table: Table) -> bool:
    """Whether the match began under today's rules, with today's components."""
    try:
        return table.begun == RulesStamp.today(table.game, table.settings.components)
    except ComptoirError:
        return False


def prior_match(table: Table) -> Match | None:
    """The match that this one goes on from, under the names of those who sit here now."""
    settings = table.settings
    if settings.prior_match is None or table.match is None:
        return None
    start, seed = settings.prior_match["start"], settings.prior_match["seed"]
    match = Match(settings.game, seed=seed, names=table.match.names, components=settings.components, **start)
    return replay(match, settings.prior_match["actions"])


# A turn that has ended, and what can be taken back


def ending_until(table: Table, seconds: float) -> float:
    """When a turn that has ended automatically is no longer waited for: after some seconds, and not after the
    time that its player would have to decide again.
    """
    last = table.decisions[-1]
    if table.clocks is None:
        return last.at + seconds
    assert last.seat is not None
    return last.at + min(
        seconds, clocks_after_undo(table, ply_before_undo(table)).seat_clocks[last.seat].left
    )


def ply_before_undo(table: Table) -> int:
    """After how many actions the match stands if what ended a turn is taken back."""
    back = next(n for n, event in enumerate(reversed(table.decisions), 1) if event.kind != "forced")
    return len(table.decisions) - back - 1


def clocks_after_undo(table: Table, ply: int) -> TableClocks:
    """Everyone's time if the match goes back there: taking back gives nobody more."""
    assert table.clocks is not None
    return table.clocks.back_to(table.clock_history[ply])


def far_back(table: Table, person: str) -> tuple[int, int]:
    """The seat of a person's last action, and how many actions it is back, if nothing was turned up since and
    no bot has played there; else 0 actions.
    """
    mine = table.seats_of(person)
    for back, event in enumerate(reversed(table.decisions), 1):
        if event.kind == "play" and event.seat in mine:
            seat = table.match.undoable_by(back) if table.match else None
            mine_alone = event.person == person and seat == event.seat
            return event.seat, back if mine_alone else 0
    return 0, 0


def may_return_to_lesson(table: Table, person: str) -> bool:
    """Whether a learner can still go back here; else the lesson is started again at a new table."""
    return table.tally.get(("retrace", person), 0) < TABLE_RETRACES


# Hints, and how fast bots act


def hint_noted(table: Table) -> bool:
    """Whether the log has a hint here already; alone, whether one has been taken in this match."""
    if len(table.people) < 2:
        return table.hint_takers.issuperset(table.people)
    now = ("hint", len(table.decisions) - 1)
    return any((note.kind, note.ply) == now for note in table.notes)


def may_set_bot_speed(table: Table, person: str | None) -> bool:
    """Whether this person may say how fast bots act here: the only person among them, or the creator."""
    alone = len(table.people) == 1 or person == table.settings.creator
    return alone and bool(table.seats_of(person)) and any(held.bot for held in table.seats)


# What people ask each other for


def awaiting_consent(table: Table) -> tuple[str, ...]:
    """The people whose consent a proposal still needs: all others who are there, except the one whom it is
    about.
    """
    proposal = table.proposal
    if proposal is None:
        return ()
    settled = {proposal.person, *proposal.agreed}
    if proposal.what == "stand-in":
        settled.add(table.seats[proposal.seat].person or "")
    return tuple(person for person in table.present if person not in settled)


def may_propose(table: Table, now: Instant, person: str | None) -> list[str]:
    """What this person could ask the others for now."""
    if person is None or _why_no_proposal(table, person) is not None:
        return []
    return [what for what in PROPOSAL_KINDS if _why_not_ask_for(table, now, person, what) is None]


def why_not_propose(table: Table, now: Instant, person: str, what: str) -> Refused | None:
    """Why a person cannot ask for something now; None if they can."""
    return _why_no_proposal(table, person) or _why_not_ask_for(table, now, person, what)


def _why_no_proposal(table: Table, person: str) -> Refused | None:
    """Why a person can ask for nothing at all."""
    if table.state != "on" or table.settings.lesson or person not in table.present:
        return Refused("refuse.not_yours")
    if table.proposal is not None:
        return Refused("refuse.asked")
    if table.paused:
        return Refused("refuse.paused")
    return None


def _why_not_ask_for(table: Table, now: Instant, person: str, what: str) -> Refused | None:
    if (person, what) in table.declined:
        return Refused("refuse.declined")
    if table.tally.get((f"ask {what}", person), 0) >= PERSON_ASKS:
        return Refused("refuse.many_times", n=PERSON_ASKS)
    if what == "stand-in":
        return _why_no_stand_in(table, now, person)
    if what == "undo" and (table.may_undo(person) is not None or not far_back(table, person)[1]):
        return Refused("refuse.undo")
    return None


def _why_no_stand_in(table: Table, now: Instant, person: str) -> Refused | None:
    """Nobody decides alone that another's turn is over while that one's clock runs, or soon after."""
    if table.seat_to_act is None or table.seats[table.seat_to_act].person == person:
        return Refused("refuse.not_awaited")
    if len(table.present) > 2:
        return None
    if table.clocks is not None:
        return Refused("refuse.their_clock")
    return (
        Refused("refuse.alone", n=SUBSTITUTE_AFTER // MINUTE)
        if now.steady < table.since + SUBSTITUTE_AFTER
        else None
    )
