"""Where compiled rules are kept: for each game a folder, in it one for each function and whatever it depends
on.

Numba's own check sees a change in a function's file, not one in a function that it calls from another file.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import shutil
import sys
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import FunctionType, ModuleType

import numpy as np

from comptoir import folders
from comptoir.engine import numba_backend

VERSIONS_KEPT = 4  # of each function: every change leaves one behind


def fingerprint(functions: Iterable[FunctionType]) -> str:
    """A hash of all that decides what is compiled: the functions' code, the constants that they use, and what
    compiles them.
    """
    digest = hashlib.sha256(_compiler())
    for text in sorted(_text(function) for function in functions):
        digest.update(text)
    return digest.hexdigest()[:16]


@cache
def _compiler() -> bytes:
    versions = [importlib.metadata.version(name) for name in ("numba", "numpy")]
    return "/".join([sys.version, *versions]).encode() + Path(numba_backend.__file__).read_bytes()


def forget_sources() -> None:
    """What functions are made of is read once; after this it is read again."""
    _text.cache_clear()


@cache
def _text(function: FunctionType) -> bytes:
    code = function.__code__
    parts = [function.__module__, function.__qualname__, repr(code.co_consts), repr(function.__defaults__)]
    parts += [*code.co_names, *code.co_varnames]
    for name in code.co_names:
        parts.append(_constant(function.__globals__.get(name), code.co_names))
    return "\n".join(parts).encode() + code.co_code


def _constant(value: object, names: tuple[str, ...]) -> str:
    """What Numba makes of a global name: its value now. Other rules stand for themselves."""
    if isinstance(value, ModuleType):
        used = {name: getattr(value, name) for name in names if hasattr(value, name)}
        return (
            f"{value.__name__} {[_constant(x, ()) for x in used.values() if not isinstance(x, ModuleType)]}"
        )
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
    return str(getattr(value, "__qualname__", repr(value)))


def folder(game: str, name: str, mark: str) -> Path | None:
    """The folder for a function of that name and fingerprint, there to be written to; None where it cannot
    be.
    """
    made = root() / game / f"{name}-{mark}"
    try:
        made.mkdir(parents=True, exist_ok=True)
        made.touch()
    except OSError:
        return None
    with suppress(OSError):  # another process may do the same now
        _remove_old(made.parent, name)
    return made


def _remove_old(parent: Path, name: str) -> None:
    """Keeps the newest few folders of a function."""
    found = [path for path in parent.glob(f"{name}-*") if path.is_dir()]
    for path in sorted(found, key=lambda path: path.stat().st_mtime, reverse=True)[VERSIONS_KEPT:]:
        shutil.rmtree(path, ignore_errors=True)


def root() -> Path:
    """Where everything compiled is kept."""
    return folders.cache()
