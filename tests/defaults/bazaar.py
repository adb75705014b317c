"""Souk, the game of `tests/defaults/souk`, as if it were installed."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from comptoir.engine.game import Game, get_game
from tests import example_game


@cache
def _metadata() -> tempfile.TemporaryDirectory[str]:
    folder = tempfile.TemporaryDirectory(prefix="comptoir-souk-")
    example_game.metadata(Path(folder.name), "comptoir-souk", {"souk": "tests.defaults.souk"})
    return folder


def path() -> str:
    """What must be on the path of a process that is to know it, besides the clone."""
    return _metadata().name


@contextmanager
def known() -> Iterator[Game]:
    """Souk is installed."""
    with example_game.on_path(path()):
        yield get_game("souk")
