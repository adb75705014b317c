"""evaluation.toml as records: the weights that a game's `evaluate` and `rollout_action` read, and the
settings of its search.

    [weights]
    spread = 4.0                    # any names: a game's evaluation.py reads them as `weights.spread`
    road = [0.0, 1.5, 4.0]          # or a row of numbers: `weights.road[n]`

    [search]
    rollout_depth = 12              # every other setting has a default

Weights are tuned by playing; a table [provenance] may say how they were found.
"""

from __future__ import annotations

import ast
import difflib
import math
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeGuard, TypeVar

import numpy as np
from numpy.typing import NDArray

from comptoir.engine.rule import EvalWeights
from comptoir.engine.schema import did_you_mean
from comptoir.errors import DataError

TABLES = ("weights", "search", "provenance")

# What files of earlier versions call these tables.
OLD_TABLES = {"values": "weights", "run": "provenance"}


Value = TypeVar("Value")


@dataclass(frozen=True)
class Setting:
    """A setting of the search: what it is if the file leaves it out, and what it may be."""

    default: float
    meaning: str
    whole: bool = False
    above: float = -1.0  # it must be above this

    @property
    def dtype(self) -> type[np.int32 | np.float64]:
        return np.int32 if self.whole else np.float64

    @property
    def most(self) -> float:
        return 1_000_000 if self.whole else 1e9

    @property
    def expected(self) -> str:
        what = "a whole number" if self.whole else "a number"
        return f"{what} from 0 to {self.most:,.0f}" if self.above < 0 else f"{what} above {self.above:g}"

    def takes(self, value: object) -> TypeGuard[int | float]:
        """Whether it can be set to this."""
        return (
            _is_number(value)
            and 0 <= value <= self.most
            and value > self.above
            and (not self.whole or value == int(value))
        )


# What an evaluation.toml may set in [search], in the order of the search's record (bots/search.py).
SEARCH = {
    "rollout_depth": Setting(
        1_000_000,
        "decisions of a rollout before the position is evaluated; the default plays to the end",
        whole=True,
    ),
    "c_puct": Setting(1.0, "how much PUCT explores actions that were visited little"),
    "prior_visits": Setting(1.0, "how many visits the prior value of an action counts as", above=0.0),
    "prior_temperature": Setting(
        0.1,
        "by how much more of the win an action must be evaluated to be e times as likely a priori",
        above=0.0,
    ),
}

# What files of earlier versions, and networks trained with them, call these settings.
OLD_SEARCH = {
    "patience": "rollout_depth",
    "explore": "c_puct",
    "trust": "prior_visits",
    "sharpness": "prior_temperature",
}


def current_tables(given: Mapping[str, object]) -> dict[str, object]:
    """The tables of a file under their present names."""
    return {OLD_TABLES.get(name, name): table for name, table in given.items()}


def current_settings(given: Mapping[str, Value]) -> dict[str, Value]:
    """Search settings under their present names."""
    return {OLD_SEARCH.get(name, name): value for name, value in given.items()}


@dataclass(frozen=True)
class Evaluation:
    """The weights of a game's evaluation function, and the settings of its search."""

    weights: EvalWeights  # one field per weight or row of weights
    search: dict[str, float]
    provenance: dict[str, object]  # how the weights were found


def load_evaluation(path: Path, like: Evaluation | None = None) -> Evaluation:
    """The evaluation in a file. Raises a DataError that lists its mistakes, or how it differs from `like`."""
    try:
        found = evaluation_of(tomllib.loads(path.read_text(encoding="utf-8")), str(path))
    except OSError as error:
        raise DataError(str(path), [f"cannot be read: {error.strerror}"]) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DataError(str(path), [f"not valid TOML: {error}"]) from None
    if like is not None:
        differs = _differences(found.weights.dtype, like.weights.dtype)
        if differs:
            raise DataError(
                str(path),
                [f"{name}: missing, of another length, or not a weight of this game" for name in differs],
            )
    return found


def _differences(one: np.dtype[np.void], other: np.dtype[np.void]) -> list[str]:
    """The names of fields that only one has, or that differ in length."""
    names = {*(one.names or ()), *(other.names or ())}
    return sorted(
        name
        for name in names
        if name not in (one.names or ()) or name not in (other.names or ()) or one[name] != other[name]
    )


def evaluation_of(tables: Mapping[str, object], what: str = "the evaluation") -> Evaluation:
    """An evaluation from the tables of such a file, any of which may be missing.

    Raises a DataError that lists everything that is wrong.
    """
    errors: list[str] = []
    tables = current_tables(tables)
    for name, table in tables.items():
        if name not in TABLES:
            hint = did_you_mean(name, TABLES) or "; expected [weights], [search] and [provenance]"
            errors.append(f"{name}: no such table{hint}")
        elif not isinstance(table, dict):
            errors.append(f"{name}: expected a table [{name}]")
    parts = {name: _table(tables.get(name)) for name in TABLES}
    weights = dict(_weights(parts["weights"], errors))
    search = _search(parts["search"], errors)
    if errors:
        raise DataError(what, errors)
    return Evaluation(_record(weights), search, parts["provenance"])


def _table(found: object) -> dict[str, object]:
    return dict(found) if isinstance(found, dict) else {}


def _search(given: Mapping[str, object], errors: list[str]) -> dict[str, float]:
    """The settings of the search: those given, and the defaults of the others."""
    given = current_settings(given)
    for name, value in given.items():
        if name not in SEARCH:
            hint = did_you_mean(name, SEARCH) or f"; expected {', '.join(SEARCH)}"
            errors.append(f"search.{name}: no such setting{hint}")
        elif not SEARCH[name].takes(value):
            errors.append(f"search.{name}: expected {SEARCH[name].expected}; found {value!r}")
    return {
        name: float(value) if one.takes(value := given.get(name)) else one.default
        for name, one in SEARCH.items()
    }


def _weights(given: Mapping[str, object], errors: list[str]) -> Iterator[tuple[str, NDArray[np.float64]]]:
    """The weights by name, each a number or a row of numbers, in the order of their names."""
    for name, value in sorted(given.items()):
        if hasattr(np.record, name):
            errors.append(f"weights.{name}: NumPy's records have an attribute of that name; choose another")
        elif _is_number(value) or _is_row(value):
            yield name, np.asarray(value, np.float64)
        else:
            errors.append(f"weights.{name}: expected a number or a list of numbers; found {value!r}")


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_row(value: object) -> bool:
    """Whether it is a list of numbers, or of equally long lists of them."""
    if not isinstance(value, list) or not value:
        return False
    return all(map(_is_number, value)) or (
        all(map(_is_row, value)) and len({np.shape(row) for row in value}) == 1
    )


def _record(weights: dict[str, NDArray[np.float64]]) -> EvalWeights:
    """One field per weight. A record must have a field: without any weight, one that nobody reads."""
    weights = weights or {"none": np.zeros(())}
    dtype = np.dtype([(name, np.float64, weight.shape) for name, weight in weights.items()])
    row: EvalWeights = np.zeros(1, dtype).view(np.recarray)[0]
    for name, weight in weights.items():
        row[name] = weight
    return row


def missing_weights(source: Path, given: tuple[str, ...]) -> list[str]:
    """The weights that the rules in a file read and evaluation.toml does not give, one sentence for each."""
    read: dict[str, int] = {}  # with the line
    for function in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if isinstance(function, ast.FunctionDef) and any(a.arg == "weights" for a in function.args.args):
            for part in ast.walk(function):
                if isinstance(part, ast.Attribute) and ast.unparse(part.value) == "weights":
                    read.setdefault(part.attr, part.lineno)
    unread = [name for name in given if name not in read]
    errors = []
    for name, line in sorted(read.items()):
        close = difflib.get_close_matches(name, unread, n=1, cutoff=0.6)
        if name not in given and close:
            errors.append(f"weights.{close[0]}: no rule reads it, did you mean {name!r}?")
        elif name not in given:
            errors.append(f"weights.{name}: missing, and {source.name}, line {line}, reads it")
    return errors
