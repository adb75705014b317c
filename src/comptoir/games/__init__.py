"""The games: one folder each, and nothing about one game anywhere else.

Ours lie here. Another package brings its own by an entry point: its name is the game's, its value the package
whose folder is the game's.

    [project.entry-points."comptoir.games"]
    lots = "comptoir_lots"
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

GROUP = "comptoir.games"
MANDATORY = ("rules.py", "components.toml", "words.toml")


@dataclass(frozen=True)
class Place:
    """Where a game lies: the package that its files are modules of, and the folder."""

    package: str
    folder: Path
    ours: bool = True


@cache
def places() -> dict[str, Place]:
    """Where each game lies: ours, found by their folders, and those that other packages name."""
    here = Path(__file__).parent
    _left_out.clear()
    found = {
        path.parent.name: Place(f"{__name__}.{path.parent.name}", path.parent)
        for path in sorted(here.glob("*/components.toml"))
    }
    for point in sorted(metadata.entry_points(group=GROUP), key=lambda point: point.name):
        try:
            if point.name in found:
                raise ValueError("there is a game of that name already")
            found[point.name] = Place(point.value, _folder_of(point.value), ours=False)
        except Exception as error:
            _skip(point.name, point.value, error)
    return found


@cache
def names() -> list[str]:
    """The games there are. One from outside that cannot be used is left out, and told of."""
    return sorted(name for name, place in places().items() if place.ours or is_sound(name, place))


def is_sound(name: str, place: Place) -> bool:
    from comptoir.engine.game import Game  # which loads NumPy: help for our own games needs none

    try:
        Game(name).check()
    except Exception as error:  # whatever another package does: our games are there all the same
        _skip(name, place.package, error, place.folder)
        return False
    return True


def ours() -> list[str]:
    """The games that come with Comptoir."""
    return [name for name, place in places().items() if place.ours]


def folder(name: str) -> Path:
    return places()[name].folder


def _folder_of(package: str) -> Path:
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ValueError("there is no such package")
    folder = Path(spec.submodule_search_locations[0])
    missing = [file for file in MANDATORY if not (folder / file).exists()]
    if missing:
        raise ValueError(f"its folder lacks {', '.join(missing)}")
    return folder


def why_left_out(name: str) -> str:
    """Why a game that another package names cannot be used; empty if it can, or if there is none."""
    names()
    return _left_out.get(name, "")


_left_out: dict[str, str] = {}  # the reasons, by the game's name


def _skip(name: str, package: str, error: Exception, folder: Path | None = None) -> None:
    """One sentence, and the others go on."""
    from comptoir.engine.mistakes import reason

    why = reason(error, folder)
    _left_out.setdefault(name, why)
    logging.getLogger("comptoir").warning("The game %r of %s is left out: %s", name, package, why)
