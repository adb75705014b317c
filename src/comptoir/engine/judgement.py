"""judgement.toml into records: the figures that a game's `judge` and `habit` go by, and how its search is set.

Figures are tuned by playing, so the file also says which run they came from.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Judgement:
    """What a game's bots go by."""

    values: np.record  # one field a figure, or a row of figures
    search: dict[str, float]
    run: dict[str, Any]


def read_judgement(path: Path) -> Judgement:
    return judgement_of(tomllib.loads(path.read_text(encoding="utf-8")))


def judgement_of(tables: dict[str, Any]) -> Judgement:
    """From the tables of such a file: `values`, `search` and `run`."""
    figures = {name: np.asarray(figure, np.float64) for name, figure in tables["values"].items()}
    dtype = np.dtype([(name, np.float64, figure.shape) for name, figure in figures.items()])
    row: np.record = np.zeros(1, dtype).view(np.recarray)[0]
    for name, figure in figures.items():
        row[name] = figure
    return Judgement(row, dict(tables["search"]), dict(tables["run"]))
