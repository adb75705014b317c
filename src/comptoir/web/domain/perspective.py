"""From where somebody may look at a match: from a seat, as a spectator, or with everything open."""

from __future__ import annotations

from collections.abc import Sequence

from comptoir.web.domain.refusals import Forbidden, Refused
from comptoir.web.domain.state import Table

EVERYTHING = "all"  # all hands open
SPECTATOR = ""

Perspective = int | str  # a seat, SPECTATOR or EVERYTHING


def perspectives(table: Table, person: str) -> list[Perspective]:
    """From where this person may look at the replay; the first is the default.

    During the match only from their own seat, or as a spectator if everyone may watch. People who share a
    device watch as spectators: otherwise each of them could look into the others' hands.
    """
    if table.state == "closed":
        raise Refused("replay.closed")
    if table.match is None:
        raise Refused("refuse.not_begun")
    if table.state == "over":
        return [EVERYTHING, *range(table.players), SPECTATOR]
    mine = table.seats_of(person)
    if len(mine) == 1:
        return [*mine]
    if mine or table.settings.open:
        return [SPECTATOR]
    raise Forbidden("replay.not_open")


def read_perspective(text: str | None, allowed: Sequence[Perspective]) -> Perspective:
    """The perspective that a link names, or the default. Raises Forbidden if it is not allowed."""
    if text is None:
        return allowed[0]
    found = next((one for one in allowed if str(one) == text), None)
    if found is None:
        raise Forbidden("replay.not_that_side")
    return found


def viewing_seat(perspective: Perspective) -> int | None:
    """The seat whose view is shown; None for a spectator's, or with everything open."""
    return None if perspective in (SPECTATOR, EVERYTHING) else int(perspective)
