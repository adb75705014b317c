"""What people at a table ask each other for: a pause, a bot in the seat of somebody who is gone, or that an
action be taken back after others have acted.
"""

from __future__ import annotations

from dataclasses import dataclass

from comptoir.engine.match import Match
from comptoir.engine.worlds import imagined_match
from comptoir.errors import ComptoirError

PROPOSAL_KINDS = ("pause", "stand-in", "undo")
WORLDS = 8  # in which each action is tried, to see whether it told anybody anything


@dataclass(frozen=True)
class Proposal:
    """What somebody has asked for, and who has agreed. It lapses when another action is taken or taken back;
    a pause is good at any time.
    """

    what: str  # one of PROPOSAL_KINDS
    person: str  # who asks
    seat: int  # whose action is taken back, or whose seat a bot takes over; else the seat of whoever asks
    decisions: int  # how many there were when it was asked
    back: int = 0  # how many actions would be taken back
    agreed: frozenset[str] = frozenset()


def learns_anything(match: Match, seat: int, back: int) -> bool:
    """Whether the last actions have told a seat anything that it could not know before them: who has seen
    more of a hand may not decide again.

    Each action is tried in worlds that the seat could imagine then. If one of them would not have allowed it,
    or would look otherwise after it, the action has told which worlds are not so. All of this is made from
    what the seat knew, and knows now.
    """
    return any(_tells(match, seat, ply) for ply in range(match.ply - back, match.ply))


def _tells(match: Match, seat: int, ply: int) -> bool:
    before, after = match.at(ply), match.at(ply + 1)
    return any(_differs(imagined_match(before, seat, f"take back {n}"), after, seat) for n in range(WORLDS))


def _differs(world: Match, after: Match, seat: int) -> bool:
    try:
        world.play(after.played[-1])
    except ComptoirError:
        return True
    if world.undoable_by() is None:
        return True
    return world.seen_by(seat).tobytes() != after.seen_by(seat).tobytes()
