"""One source, run two ways from here: interpreted, or compiled by Numba. (A CUDA kernel that calls the compiled one is the third.)

Rules are plain functions. A mode is a set of twins of them: the same code objects, in namespaces of their own where
the rules they call are twins too, and where the engine's verbs are the game's. So both modes live side by side in a
process, a debugger and coverage see the interpreted one, and rules never import Numba.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from comptoir.engine import playout, scoring

VERBS = ("setup", "legal", "play", "tally", "hide", "imagine")
INLINED = 450  # bytes of bytecode. Measured on Batavia: 10 % faster than none, where 600 is 15 % faster but compiles twice as long
LOOPS = (scoring.scores, scoring.score_sheet, playout.random_action, playout.playout, playout.playouts, playout.perft)


class Mode:
    """A game's verbs and the engine's loops over them, all run in one way."""

    def __init__(
        self, part: Callable[[str], ModuleType], decorate: Callable[[FunctionType], Any], instead: dict[Any, Any] | None = None
    ) -> None:
        self._part, self._decorate, self._instead = part, decorate, instead or {}
        self._made: dict[FunctionType, Any] = {}
        self._namespaces: dict[str, dict[str, Any]] = {}
        for name in VERBS:
            setattr(self, name, self.bind(getattr(part("rules"), name)))
        for loop in LOOPS:
            setattr(self, loop.__name__, self.bind(loop))

    def __getattr__(self, name: str) -> Any:
        loops = ", ".join(loop.__name__ for loop in LOOPS)
        raise AttributeError(f"a mode has the verbs {', '.join(VERBS)} and the loops {loops}, not {name!r}")

    def bind(self, function: Any) -> Any:
        """The twin of any rule or loop, in this mode and for this game."""
        if hasattr(function, "verb_of"):
            function = getattr(self._part(function.verb_of), function.__name__)
        function = self._instead.get(function, function)
        if function not in self._made:
            module = sys.modules[function.__module__]
            namespace = self._namespaces.setdefault(module.__name__, dict(vars(module)))
            copy = FunctionType(function.__code__, namespace, function.__name__, function.__defaults__)
            copy.__module__, copy.__qualname__, copy.__doc__ = module.__name__, function.__qualname__, function.__doc__
            self._made[function] = self._decorate(copy)
            for name in function.__code__.co_names:
                if getattr(namespace.get(name), "is_rule", False):
                    namespace[name] = self.bind(namespace[name])
        return self._made[function]


def interpreted(part: Callable[[str], ModuleType]) -> Mode:
    """The verbs and loops of a game, run by the plain interpreter. `part` finds a module of the game's folder by its name."""
    return Mode(part, lambda function: function)


def compiled(part: Callable[[str], ModuleType], instead: dict[Any, Any] | None = None, apart: str = "") -> Mode:
    """The verbs and loops of a game, compiled when first called and kept on disk for the next time.

    A mode in which some rules stand in for others (`instead`) is kept apart, in a folder of that name: Numba knows a function by its
    own code, and not by what it calls.
    """
    return Mode(part, lambda function: _compile(function, apart), instead)


def _compile(function: FunctionType, apart: str) -> Any:
    """Without the GIL, so that threads run side by side, and without Numba's memory manager: rules never allocate."""
    import numba

    short = len(function.__code__.co_code) < INLINED and function.__name__ not in function.__code__.co_names
    options: dict[str, Any] = {"nogil": True, "cache": True, "error_model": "numpy", "_nrt": False, "forceinline": short}
    with _cache_folder(apart):
        return numba.njit(**options)(function)


# All files with something that is compiled, or that decides how (a test looks for others).
COMPILED = (
    *(
        f"engine/{part}.py"
        for part in (
            "counts",
            "dice",
            "judgement",
            "mask",
            "modes",
            "observation",
            "playout",
            "rule",
            "schema",
            "scoring",
            "seats",
            "verbs",
        )
    ),
    "bots/search.py",
    "research/chance.py",
    "research/loops.py",
    "games/*/rules.py",
    "games/*/judgement.py",
    "games/*/observation.py",
)


@cache
def cache_path() -> Path:
    """Where compiled rules are kept: a folder named by a hash of all that they depend on.

    Numba's own check sees a change in a function's file, not one in a function that it calls from another file.
    """
    package = Path(__file__).parents[1]
    sources = sorted(path for pattern in COMPILED for path in package.glob(pattern))
    versions = [importlib.metadata.version(name) for name in ("numba", "numpy")]
    digest = hashlib.sha256("/".join([str(package), sys.version, *versions]).encode())
    for source in sources:
        digest.update(source.read_bytes())
    return _cache_root() / digest.hexdigest()[:16]


def _cache_root() -> Path:
    given = os.environ.get("COMPTOIR_CACHE")
    if given:
        return Path(given)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "comptoir"


@contextmanager
def _cache_folder(apart: str) -> Iterator[None]:
    """Points Numba at our folder while our functions are made, and only then: a user's own Numba code keeps its place."""
    from numba import config

    settings: Any = config
    before, settings.CACHE_DIR = settings.CACHE_DIR, _made_cache(apart)
    try:
        yield
    finally:
        settings.CACHE_DIR = before


@cache
def _made_cache(apart: str) -> str:
    """The cache folder, or one in it, there to be written to; empty (Numba's own choice) where it cannot be."""
    folder = cache_path()
    try:
        (folder / apart).mkdir(parents=True, exist_ok=True)
        _remove_old(folder)
    except OSError:
        return ""
    return str(folder / apart)


def _remove_old(folder: Path, keep: int = 4) -> None:
    """Keeps the newest few folders: each change of the sources leaves one behind."""
    folder.touch()
    others = sorted(folder.parent.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in others[keep:]:
        shutil.rmtree(path, ignore_errors=True)
