"""The options of a game: what may be chosen before it starts.

Each is a field of the position of the same name.
"""

from __future__ import annotations

from dataclasses import dataclass

from comptoir.engine.schema import did_you_mean
from comptoir.errors import OptionError


@dataclass(frozen=True)
class ChoiceOption:
    """One of several words; the first is the default, and the only one where the option means nothing."""

    name: str
    words: tuple[str, ...]
    players: tuple[int, ...] = ()  # the numbers of players for which there is a choice; none: for all

    @property
    def default(self) -> str:
        return self.words[0]

    def words_for(self, players: int) -> tuple[str, ...]:
        """What may be chosen with this number of players."""
        return self.words if not self.players or players in self.players else self.words[:1]

    def read(self, value: object, players: int) -> tuple[int, str]:
        """The value as the position keeps it, and as a match file writes it."""
        if value not in self.words:
            hint = did_you_mean(str(value), self.words)
            raise OptionError(f"{self.name}: expected {' or '.join(self.words)}, found {value!r}{hint}")
        if value not in self.words_for(players):
            numbers = " or ".join(map(str, self.players))
            raise OptionError(
                f"{self.name}: {value} is for {numbers} players, not {players}; leave it at {self.default}"
            )
        return self.words.index(value), value


@dataclass(frozen=True)
class FlagOption:
    """On or off; off unless asked for."""

    name: str
    default: str = "no"

    def read(self, value: object, players: int) -> tuple[int, str]:
        if value in (True, "yes"):
            return 1, "yes"
        if value in (False, "no"):
            return 0, "no"
        raise OptionError(f"{self.name}: expected yes or no, found {value!r}")


@dataclass(frozen=True)
class FirstSeatOption:
    """The seat that starts, or `draw`: at random."""

    name: str
    default: str = "draw"

    def read(self, value: object, players: int) -> tuple[int, str]:
        if value == "draw":
            return -1, "draw"
        if isinstance(value, int | str) and is_number(value) and int(value) < players:
            return int(value), str(int(value))
        raise OptionError(f"{self.name}: expected a seat from 0 to {players - 1}, or draw; found {value!r}")


Option = ChoiceOption | FlagOption | FirstSeatOption


def is_number(value: object) -> bool:
    """Whether it is a number of a sensible length; Python refuses to read thousands of digits."""
    text = str(value)
    return text.isdecimal() and len(text) < 10
