"""Rules written out for one game's fields: what is compiled cannot ask a schema."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType, ModuleType

from comptoir.engine.rule import Position, rule
from comptoir.engine.schema import Axis, Schema, Seats, length_of


def function_from_source(game: str, name: str, lines: list[str], module: ModuleType) -> Callable[..., object]:
    """A rule from its lines of source, as if it stood in `module` under the game's name.

    Numba keeps what it compiles by a function's file and name, so both are those of something that is there
    and is nobody else's.
    """
    namespace = dict(vars(module))
    exec(compile("\n".join(lines), str(module.__file__), "exec"), namespace)  # noqa: S102  our own lines
    function: FunctionType = namespace[name]
    function.__qualname__ = f"{game}.{name}"
    return rule(function)


def loops(axes: tuple[Axis, ...], deep: int = 1) -> tuple[list[str], list[str], int]:
    """The heads of loops over axes, the names they count by, and how deep in them one is."""
    heads, names = [], []
    for nth, axis in enumerate(axes):
        names.append(f"n{nth}")
        heads.append(f"{'    ' * deep}for n{nth} in range({length_of(axis)}):")
        deep += 1
    return heads, names, deep


def private_fields(schema: Schema[Position]) -> list[str]:
    """The fields of which a seat knows only its own part."""
    return [name for name, field in schema.fields.items() if field.private]


def secret_fields(schema: Schema[Position]) -> list[str]:
    """The fields that no seat knows."""
    return [name for name, field in schema.fields.items() if field.secret]


def seat_axis(axis: Axis) -> bool:
    return isinstance(axis, Seats)
