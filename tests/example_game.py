"""Games from outside the package, as tests bring them: examples/lots, without installing it.

`known()` does what an installation would: a folder on the path with the package's metadata, made from its own
pyproject.toml, and the package itself next to it. Subprocesses that are given `environment` see it too.
"""

from __future__ import annotations

import importlib
import os
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

from comptoir.engine import registry
from comptoir.engine.game import Game, get_game

LOTS = Path(__file__).parents[1] / "examples/lots"


def metadata(folder: Path, project: str, points: dict[str, str]) -> None:
    """What an installer leaves behind of a project that names games."""
    info = folder / f"{project.replace('-', '_')}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project}\nVersion: 1.0\n")
    named = "".join(f"{name} = {package}\n" for name, package in points.items())
    (info / "entry_points.txt").write_text(f"[{registry.ENTRY_POINTS}]\n{named}")


@cache
def _lots_metadata() -> tempfile.TemporaryDirectory[str]:
    project = tomllib.loads((LOTS / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    folder = tempfile.TemporaryDirectory(prefix="comptoir-lots-")
    metadata(Path(folder.name), project["name"], project["entry-points"][registry.ENTRY_POINTS])
    return folder


def paths() -> list[str]:
    return [_lots_metadata().name, str(LOTS)]


def environment() -> dict[str, str]:
    """For a subprocess in which Lots is installed."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join([*paths(), os.environ.get("PYTHONPATH", "")])}


@contextmanager
def on_path(*folders: str) -> Iterator[None]:
    """Games that these folders hold are known, and no longer afterwards."""
    sys.path[:0] = folders
    _look_again()
    try:
        yield
    finally:
        for folder in folders:
            sys.path.remove(folder)
        _look_again()


@contextmanager
def known() -> Iterator[None]:
    """Lots is installed."""
    with on_path(*paths()):
        yield


def _look_again() -> None:
    importlib.invalidate_caches()
    registry.locations.cache_clear()
    registry.names.cache_clear()


OPTIONAL = (
    "why.py",
    "observation.py",
    "story.py",
    "terminal.py",
    "board.py",
    "cover.py",
    "evaluation.py",
    "evaluation.toml",
    "rules.en.md",
    "rules.fr.md",
    "pictures",
)


def without(game: str, files: Sequence[str], folder: Path, monkeypatch: pytest.MonkeyPatch) -> Game:
    """One of our games whose folder lacks some files, next to the whole one and under a name of its own."""
    name = "_without_".join([game, *(file.replace(".", "_") for file in files)])
    copy = folder / name
    shutil.copytree(registry.folder(game), copy, ignore=shutil.ignore_patterns(*files, "__pycache__"))
    there = registry.locations() | {name: registry.GameLocation(registry.locations()[game].package, copy)}
    monkeypatch.setattr(registry, "locations", lambda: there)
    monkeypatch.setattr(registry, "names", lambda: sorted(there))
    bare = get_game(name)
    # what is to be seen is the same, and nothing is compiled for it
    bare.stay_interpreted()
    return bare
