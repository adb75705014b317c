"""The types of plain data: what people and files give, and what is written as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

OptionValue: TypeAlias = str | int | bool | None  # as it is chosen; None: the usual number of players
Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"
# a file of components, or the tables of one; what they hold is looked at when they are read
ComponentsGiven: TypeAlias = "str | Path | Mapping[str, Mapping[str, object]]"
