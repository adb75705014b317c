"""Four published board games of the eastern trade: rules, matches and views.

>>> import comptoir
>>> match = comptoir.new("batavia", players=4, seed=7)
>>> match.turn
3
>>> match.play("bid 3")
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from comptoir import defaults, games
from comptoir.engine import registry
from comptoir.errors import (
    CannotUndo,
    ComptoirError,
    DataError,
    IllegalAction,
    MatchFileError,
    MatchOver,
    MissingExtra,
    OptionError,
    RuleError,
    UnknownAction,
    UnknownGame,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from comptoir.engine.match import Match
    from comptoir.engine.plain import ComponentsGiven, OptionValue
    from comptoir.engine.view import Plain

__version__ = "0.1.0"

__all__ = [
    "CannotUndo",
    "ComptoirError",
    "DataError",
    "IllegalAction",
    "MatchFileError",
    "MatchOver",
    "MissingExtra",
    "OptionError",
    "RuleError",
    "UnknownAction",
    "UnknownGame",
    "load",
    "new",
]


def _check(game: str) -> None:
    """Raise a DataError if a game of another package cannot be played."""
    # these load NumPy: help for our own games needs none
    from comptoir.engine.game import Game
    from comptoir.engine.game_check import check_game

    check_game(Game(game))


# The engine imports neither games nor default modules: this is the one place that brings them together.
registry.configure(games, defaults, _check)


def new(
    game: str,
    *,
    seed: int | str | None = None,
    names: Sequence[str] | None = None,
    position: Plain | None = None,
    components: ComponentsGiven | None = None,
    **options: OptionValue,
) -> Match:
    """A new match.

    Every game takes `players`, `seed` (a number or word; random without one), `names` (one a seat),
    `components` (another component file) and `position` (plain data to start from, instead of the options).
    The game's own options come by keyword too: `comptoir.new("batavia", players=4, setup="open", first=0)`.
    """
    from comptoir.engine.match import Match

    return Match(game, seed=seed, names=names, position=position, components=components, **options)


def load(path: str | Path) -> Match:
    """The match in a file. Raises MatchFileError with the line, the action and the reason if it is not a
    legal match.
    """
    from comptoir.engine.matchfile import load as load_file

    return load_file(path)
