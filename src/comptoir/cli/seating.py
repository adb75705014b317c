"""Who sits where: people and bots.

A match knows only names; which seats are bots' is a note in the header of its file:

    table      person, captain, mine.py:MyBot, captain
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle

from comptoir.bots.levels import LEVELS, Level, check, read, split_specs
from comptoir.engine import matchfile_writer
from comptoir.engine.match import Match
from comptoir.engine.words import Words
from comptoir.errors import OptionError

PERSON = "person"
DEFAULT = "merchant"


def seating(players: int, hotseat: int | None, bots: str | None, kept: Sequence[str] = ()) -> list[str]:
    """For each seat a bot's spec, or PERSON: as asked for, else as in the saved match, else one person and
    merchants.

    The bots take seats in order; if there are fewer bots than seats, it starts again from the first.
    """
    if hotseat is None and PERSON in kept:
        people = [seat for seat, who in enumerate(kept) if who == PERSON]
    else:
        people = list(range(1 if hotseat is None else hotseat or players))
    specs = split_specs(bots) if bots is not None else [who for who in kept if who != PERSON] or [DEFAULT]
    for spec in dict.fromkeys(specs):
        try:
            check(spec)
        except OptionError as error:
            raise (
                error if bots is not None else OptionError(f"{error}\n--bots seats others at the kept match")
            ) from None
    sitting_down = cycle(specs)
    return [PERSON if seat in people else next(sitting_down) for seat in range(players)]


def with_seating(match: Match, seats: Sequence[str]) -> str:
    """The text of a match file that says who sits where."""
    return matchfile_writer.write(match, {"table": ", ".join(seats)})


def saved_seating(match: Match) -> list[str]:
    """Who sat where, as a match's file says; nobody where it does not say so."""
    noted = match.notes.get("table", "")
    seats = split_specs(noted) if noted.strip(" ,") else []
    return seats if len(seats) == match.players else []


def label(spec: str, words: Words) -> str:
    """What a bot is called at the table."""
    found = read(spec)
    if not isinstance(found, Level):
        return found.name
    return words.say(f"levels.{found.name}") if found.name in LEVELS else spec


def is_program(spec: str) -> bool:
    """Whether it names a program that would be run."""
    return not isinstance(read(spec), Level)


def is_slow(spec: str) -> bool:
    """Whether people may have to wait for it."""
    found = read(spec)
    return not isinstance(found, Level) or max(found.iterations, found.without_network) > 1_000
