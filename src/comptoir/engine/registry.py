"""Which games there are, and where each is.

Ours are the folders of one package. Another package brings its own by an entry point: its name is the game's,
its value the package whose folder is the game's.

    [project.entry-points."comptoir.games"]
    lots = "comptoir_lots"

The engine imports no game: `configure` receives where they are, once, by `comptoir/__init__.py`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Protocol

ENTRY_POINTS = "comptoir.games"  # the group that other packages name their games in
REQUIRED_FILES = ("rules.py", "components.toml", "words.toml")


class DefaultModules(Protocol):
    """The package whose modules fill in what a game does not define."""

    def module(self, name: str, /) -> ModuleType:
        """The default for a file of a game's folder: "board" for `board.py`."""


@dataclass(frozen=True)
class Configuration:
    """What surrounds the engine: the package of our games, the default modules, and what raises an error if a
    game of another package cannot be played.
    """

    games: ModuleType
    defaults: DefaultModules
    check: Callable[[str], None]


_configuration: Configuration


def configure(games: ModuleType, defaults: DefaultModules, check: Callable[[str], None]) -> None:
    global _configuration  # noqa: PLW0603  set once, by comptoir/__init__.py
    _configuration = Configuration(games, defaults, check)


@dataclass(frozen=True)
class GameLocation:
    """Where a game is: the package that its files are modules of, and the folder."""

    package: str
    folder: Path
    built_in: bool = True


@cache
def locations() -> dict[str, GameLocation]:
    """Where each game is: ours, found by their folders, and those that other packages name."""
    package = _configuration.games
    _left_out.clear()
    found = {
        path.parent.name: GameLocation(f"{package.__name__}.{path.parent.name}", path.parent)
        for path in sorted(Path(package.__path__[0]).glob("*/components.toml"))
    }
    for point in sorted(metadata.entry_points(group=ENTRY_POINTS), key=lambda point: point.name):
        try:
            if point.name in found:
                raise ValueError("there is a game of that name already")
            found[point.name] = GameLocation(point.value, _folder_of(point.value), built_in=False)
        except Exception as error:
            _leave_out(point.name, point.value, error)
    return found


@cache
def names() -> list[str]:
    """The games that can be played. Those of other packages that cannot are left out, with a warning."""
    return sorted(name for name, location in locations().items() if location.built_in or is_sound(name))


def is_sound(name: str) -> bool:
    location = locations()[name]
    try:
        _configuration.check(name)
    except Exception as error:  # whatever another package does, our games stay available
        _leave_out(name, location.package, error, location.folder)
        return False
    return True


def built_in() -> list[str]:
    """The games that come with Comptoir."""
    return [name for name, location in locations().items() if location.built_in]


def folder(name: str) -> Path:
    return locations()[name].folder


def default_module(name: str) -> ModuleType:
    """What fills in what a game's module of that name lacks."""
    return _configuration.defaults.module(name)


def _folder_of(package: str) -> Path:
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ValueError("there is no such package")
    folder = Path(spec.submodule_search_locations[0])
    missing = [file for file in REQUIRED_FILES if not (folder / file).exists()]
    if missing:
        raise ValueError(f"its folder lacks {', '.join(missing)}")
    return folder


def why_left_out(name: str) -> str:
    """Why a game that another package names cannot be used; empty if it can, or if there is none."""
    names()
    return _left_out.get(name, "")


_left_out: dict[str, str] = {}  # the reasons, by the game's name


def _leave_out(name: str, package: str, error: Exception, folder: Path | None = None) -> None:
    """Log one sentence about a game, and go on without it."""
    from comptoir.engine.mistakes import reason  # which loads NumPy: help for our own games needs none

    why = reason(error, folder)
    _left_out.setdefault(name, why)
    logging.getLogger("comptoir").warning("The game %r of %s is left out: %s", name, package, why)
