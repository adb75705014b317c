"""components.toml into a box: the record of all values that a game's rules ask for.

A file is a list of tables, each with its `certainty` and a `note`. A table that is itself a field of the box
holds its values; in any other table, the entry `key` is the field `table_key`.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeAlias, cast

from comptoir.engine.rule import Box
from comptoir.engine.schema import Schema
from comptoir.errors import DataError

CERTAINTIES = ("rulebook", "published", "inferred", "placeholder")
EARLIER_CERTAINTIES = {
    "arithmetic": "inferred",
    "stand-in": "placeholder",
}  # in earlier files
METADATA_KEYS = ("certainty", "note")  # what a table says about its values


Tables: TypeAlias = dict[str, dict[str, Any]]  # of a file, checked: each with its certainty


@dataclass(frozen=True)
class Components:
    """A game's components: the box that rules read, and what is said about them."""

    box: Box
    tables: Tables

    def __deepcopy__(self, memo: object) -> Components:
        """Nothing in them changes."""
        return self

    @cached_property
    def values(self) -> Box:
        """The box's fields as plain attributes, for drawing and telling: NumPy takes four times as long to
        find a field of a record.
        """
        return cast(Box, SimpleNamespace(**{name: self.box[name] for name in self.box.dtype.names or ()}))

    @cached_property
    def digest(self) -> str:
        """Tells these values from any others, whatever is said about them."""
        values = {
            name: {key: value for key, value in table.items() if key not in METADATA_KEYS}
            for name, table in self.tables.items()
        }
        text = json.dumps(values, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @property
    def placeholders(self) -> list[str]:
        return [name for name, table in self.tables.items() if table["certainty"] == "placeholder"]


def read_components(path: Path, schema: Schema[Box]) -> Components:
    """The components in a file. Raises a DataError that lists everything that is wrong with it."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(str(path), [f"cannot be read: {getattr(error, 'strerror', None) or error}"]) from None
    return parse_components(text, schema, str(path))


def parse_components(text: str, schema: Schema[Box], what: str) -> Components:
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise DataError(what, [f"not valid TOML: {error}"]) from None
    return components_of(tables, schema, what)


def components_of(tables: Mapping[str, object], schema: Schema[Box], what: str) -> Components:
    """The components in tables such as a file or a match holds."""
    errors: list[str] = []
    data: dict[str, object] = {}
    tables = {name: _renamed(table) for name, table in tables.items()}
    for name, table in tables.items():
        if not isinstance(table, dict):
            errors.append(f"{name}: expected a table [{name}]")
            continue
        if table.get("certainty") not in CERTAINTIES:
            found = table.get("certainty")
            errors.append(f"{name}.certainty: expected one of {', '.join(CERTAINTIES)}; found {found!r}")
        values = {key: value for key, value in table.items() if key not in METADATA_KEYS}
        data |= (
            {name: values}
            if name in schema.fields
            else {f"{name}_{key}": value for key, value in values.items()}
        )
    try:
        box = schema.read(data, what)
    except DataError as error:
        raise DataError(what, [*errors, *error.errors]) from None
    if errors:
        raise DataError(what, errors)
    return Components(box, cast(Tables, tables))


def _renamed(table: object) -> object:
    """A table with its certainty called as it is today."""
    if not isinstance(table, dict) or not isinstance(table.get("certainty"), str):
        return table
    return table | {"certainty": EARLIER_CERTAINTIES.get(table["certainty"], table["certainty"])}
