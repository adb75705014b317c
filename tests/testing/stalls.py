"""Stall, a small game for tests, as a package of its own: whole, or with a line of its rules changed."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from comptoir.engine.game import Game, get_game
from tests import example_game

STALL = Path(__file__).with_name("stall") / "comptoir_stall"
SEEN = "        p.seen[seat, action] = max(1, p.seen[seat, action])\n"  # that the offered good is in the hand


def package(folder: Path, name: str, *changes: tuple[str, str]) -> Path:
    """Lays a package with the game in the folder, as an installer would; texts of its rules are replaced."""
    shutil.copytree(STALL, folder / f"comptoir_{name}", ignore=shutil.ignore_patterns("__pycache__"))
    rules = folder / f"comptoir_{name}" / "rules.py"
    text = rules.read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    rules.write_text(text, encoding="utf-8")
    example_game.metadata(folder, f"comptoir-{name}", {name: f"comptoir_{name}"})
    return folder


@contextmanager
def installed(folder: Path, name: str, *changes: tuple[str, str]) -> Iterator[Game]:
    """The game under this name, for as long as this lasts."""
    with example_game.on_path(str(package(folder, name, *changes))):
        yield get_game(name)
