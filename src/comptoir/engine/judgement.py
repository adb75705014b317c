"""judgement.toml into records: the figures that a game's `judge` and `habit` go by, and how its search is
set.

Figures are tuned by playing, so the file also says which run they came from.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from comptoir.errors import DataError


@dataclass(frozen=True)
class Judgement:
    """What a game's bots go by."""

    values: np.record  # one field a figure, or a row of figures
    search: dict[str, float]
    run: dict[str, Any]


def read_judgement(path: Path, like: Judgement | None = None) -> Judgement:
    """The judgement in a file. Raises a DataError that says what is wrong with it, or not `like` another."""
    try:
        found = judgement_of(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise DataError(str(path), [f"cannot be read: {error.strerror}"]) from None
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(str(path), [f"expected tables [values] and [search] of numbers: {error}"]) from None
    if like is not None:
        differs = [
            *_differences(found.values.dtype, like.values.dtype),
            *(sorted(set(found.search) ^ set(like.search))),
        ]
        if differs:
            raise DataError(
                str(path),
                [f"{name}: missing, of another length, or no figure of this game" for name in differs],
            )
    return found


def _differences(one: np.dtype[Any], other: np.dtype[Any]) -> list[str]:
    """The names of fields that only one has, or that differ in length."""
    names = {*(one.names or ()), *(other.names or ())}
    return sorted(
        name
        for name in names
        if name not in (one.names or ()) or name not in (other.names or ()) or one[name] != other[name]
    )


def judgement_of(tables: dict[str, Any]) -> Judgement:
    """From the tables of such a file: `values`, `search` and, for the reader, `run`."""
    figures = {name: np.asarray(figure, np.float64) for name, figure in sorted(tables["values"].items())}
    dtype = np.dtype([(name, np.float64, figure.shape) for name, figure in figures.items()])
    row: np.record = np.zeros(1, dtype).view(np.recarray)[0]
    for name, figure in figures.items():
        row[name] = figure
    return Judgement(
        row, {name: float(figure) for name, figure in tables["search"].items()}, dict(tables.get("run", {}))
    )
