"""Who sits where: people and bots.

A match knows only names; which seats are bots' is kept with it as a comment, which any reader of match files passes over:

    # table: person, captain, mine.py:MyBot, captain
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import cycle
from pathlib import Path

from comptoir.bots.levels import Level, check, read, split_specs
from comptoir.engine.words import Words
from comptoir.errors import OptionError

PERSON = "person"
DEFAULT = "merchant"
_LINE = re.compile(r"^# table: (.*)$", re.MULTILINE)


def seating(players: int, hotseat: int | None, bots: str | None, kept: Sequence[str] = ()) -> list[str]:
    """For each seat a bot's spec, or PERSON: as asked for, else as the match was kept, else one person and merchants.

    The bots asked for sit down in order, and from the first again while there are seats.
    """
    if hotseat is not None and not 0 <= hotseat <= players:
        raise OptionError(f"hotseat: expected 1 to {players} people, found {hotseat}")
    if hotseat is None and PERSON in kept:
        people = [seat for seat, who in enumerate(kept) if who == PERSON]
    else:
        people = list(range(1 if hotseat is None else hotseat or players))
    specs = split_specs(bots) if bots is not None else [who for who in kept if who != PERSON] or [DEFAULT]
    for spec in dict.fromkeys(specs):
        try:
            check(spec)
        except OptionError as error:
            raise error if bots is not None else OptionError(f"{error}\n--bots seats others at the kept match") from None
    sitting_down = cycle(specs)
    return [PERSON if seat in people else next(sitting_down) for seat in range(players)]


def with_seating(text: str, seats: Sequence[str]) -> str:
    """The text of a match file with the comment that says who sits where, below its title."""
    title, _, rest = text.partition("\n")
    return f"{title}\n# table: {', '.join(seats)}\n{rest}"


def kept_seating(path: Path, players: int) -> list[str]:
    """Who sat where, as a match file says; nobody where it does not say so."""
    found = _LINE.search(path.read_text(encoding="utf-8"))
    seats = split_specs(found[1]) if found and found[1].strip(" ,") else []
    return seats if len(seats) == players else []


def label(spec: str, words: Words) -> str:
    """What a bot is called at the table."""
    found = read(spec)
    return words.say(f"levels.{found.name}") if isinstance(found, Level) else found.name


def is_slow(spec: str) -> bool:
    """Whether people may have to wait for it."""
    found = read(spec)
    return not isinstance(found, Level) or found.iterations > 1_000
