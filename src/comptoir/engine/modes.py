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
from pathlib import Path
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any

from comptoir.engine import playout as loops

VERBS = ("setup", "legal", "play", "scores", "hide", "imagine")
LOOPS = ("random_action", "playout", "playouts", "perft")


def interpreted(rules: ModuleType) -> SimpleNamespace:
    """The verbs and loops of a game, run by the plain interpreter."""
    return _twins(rules, lambda function: function)


def compiled(rules: ModuleType) -> SimpleNamespace:
    """The verbs and loops of a game, compiled when first called and kept on disk for the next time."""
    import numba

    def compile_one(function: FunctionType) -> Any:
        return numba.njit(nogil=True, cache=True, error_model="numpy", _nrt=False)(function)

    with _cache_folder():
        return _twins(rules, compile_one)


def _twins(rules: ModuleType, decorate: Callable[[FunctionType], Any]) -> SimpleNamespace:
    made: dict[FunctionType, Any] = {}
    namespaces: dict[str, dict[str, Any]] = {}

    def twin(function: Any) -> Any:
        if getattr(function, "is_verb", False):
            function = getattr(rules, function.__name__)
        if function not in made:
            module = sys.modules[function.__module__]
            namespace = namespaces.setdefault(module.__name__, dict(vars(module)))
            copy = FunctionType(function.__code__, namespace, function.__name__, function.__defaults__)
            copy.__module__, copy.__qualname__, copy.__doc__ = module.__name__, function.__qualname__, function.__doc__
            made[function] = decorate(copy)
            for name in function.__code__.co_names:
                if getattr(namespace.get(name), "is_rule", False):
                    namespace[name] = twin(namespace[name])
        return made[function]

    functions = {name: getattr(rules, name) for name in VERBS} | {name: getattr(loops, name) for name in LOOPS}
    return SimpleNamespace(**{name: twin(function) for name, function in functions.items()})


def cache_path() -> Path:
    """Where compiled rules are kept: a folder named by a hash of all that they depend on.

    Numba's own check sees a change in a function's file, not one in a function that it calls from another file.
    """
    package = Path(__file__).parents[1]
    sources = sorted([*package.glob("engine/*.py"), *package.glob("games/*/rules.py")])
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
def _cache_folder() -> Iterator[None]:
    """Points Numba at our folder while our functions are made, and only then: a user's own Numba code keeps its place."""
    import numba

    folder, before = cache_path(), numba.config.CACHE_DIR
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _remove_old(folder)
        numba.config.CACHE_DIR = str(folder)
    except OSError:
        pass  # a home that cannot be written to: Numba looks for a place of its own
    try:
        yield
    finally:
        numba.config.CACHE_DIR = before


def _remove_old(folder: Path, keep: int = 4) -> None:
    """Keeps the newest few folders: each change of the sources leaves one behind."""
    folder.touch()
    others = sorted(folder.parent.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in others[keep:]:
        shutil.rmtree(path, ignore_errors=True)
