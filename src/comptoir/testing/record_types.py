"""The fields of a game's records, for a type checker: its `records.pyi`.

The rules take records whose fields a Schema lists at run time, so no type checker can know them. This writes
them down: then a misspelt field is mypy's finding, and an editor completes the names. A game's modules import
the types where only a checker looks:

    if TYPE_CHECKING:
        from .records import Box, Position, Scene

`comptoir check --records GAME` writes the file; `comptoir check GAME` says when it is out of date.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from comptoir.engine.game import Game
from comptoir.engine.schema import AtMost, Axis, Field, R, Schema, Seats

FILE = "records.pyi"

_HEAD = '''"""The fields of the game's records, for a type checker: written by `comptoir check --records`."""

import numpy as np
from numpy.typing import NDArray

from comptoir.engine import rule, scene
'''

_SCENE = '''
class Scene(scene.Scene):
    """A view to be told or drawn, of this game."""

    raw_record: Position
    record: Position
    box: Box
'''


def record_types(game: Game) -> str:
    """What the file says."""
    weights = game.evaluation.weights.dtype
    own = {name: part[0].shape for name, part in (weights.fields or {}).items() if name != "none"}
    parts = [
        _HEAD,
        *_class("Position", "The state of play at one moment.", _fields(game.position)),
        *_class("Box", "The components of one copy of the game.", _fields(game.rules.BOX)),
        *_class(
            "EvalWeights",
            "What the evaluation goes by: evaluation.toml.",
            (f"{name}: {_array(np.float64) if shape else 'float'}" for name, shape in own.items()),
        ),
        _SCENE,
    ]
    return "".join(parts)


def write(game: Game) -> Path:
    """Writes the file into the game's folder."""
    path = game.folder / FILE
    path.write_text(record_types(game), encoding="utf-8")
    return path


def is_current(game: Game) -> bool:
    """Whether the file says what the schemas say; a game need not have it."""
    path = game.folder / FILE
    return not path.exists() or path.read_text(encoding="utf-8") == record_types(game)


def _class(name: str, about: str, lines: Iterator[str]) -> Iterator[str]:
    body = [f"    {line}\n" for line in lines]
    yield from [f'\nclass {name}(rule.{name}):\n    """{about}"""\n\n', *body] if body else []


def _fields(schema: Schema[R]) -> Iterator[str]:
    for name, field in schema.fields.items():
        kind = _array(field.dtype) if field.axes else "int"
        yield f"{name}: {kind}  # {_meaning(field)}"


def _array(dtype: type[np.generic]) -> str:
    return f"NDArray[np.{dtype.__name__}]"


def _meaning(field: Field) -> str:
    """What a cell holds, and along which axes the cells lie: `number, 5 seats x 7`."""
    axes = " x ".join(map(_axis, field.axes))
    return f"{field.kind}, {axes}" if axes else field.kind


def _axis(axis: Axis) -> str:
    if isinstance(axis, Seats):
        return f"{axis.most} seats"
    if isinstance(axis, AtMost):
        return f"at most {axis.most}"
    return str(axis if isinstance(axis, int) else len(axis))
