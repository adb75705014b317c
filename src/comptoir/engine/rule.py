"""The mark of a rule, and the kinds of its arguments.

A rule is a plain Python function over records and small arrays. It runs as it stands, and `modes` can compile
it for the CPU; a CUDA kernel can call the compiled one. Nothing in a rule knows which of the three it is.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    # NumPy's `record` says yes to every name of a field. These know what all games have; a game's own
    # `records.pyi`, made from its schemas, says the rest (testing/record_types.py).

    class Record:
        """A row of fields, as a Schema lays them out: what code that knows no game may do with it."""

        dtype: np.dtype[np.void]

        def __getitem__(self, field: str) -> Any: ...
        def __setitem__(self, field: str, value: ArrayLike) -> None: ...
        def item(self) -> tuple[Any, ...]: ...
        def tobytes(self) -> bytes: ...

    class Position(Record):
        """The state of play at one moment."""

        players: int
        turn: int  # the seat that decides; -1 once the game is over
        ending: int

    class Box(Record):
        """The components of one copy of the game."""

    class EvalWeights(Record):
        """What a game's evaluation goes by: the weights of its evaluation.toml."""

else:
    Record = Position = Box = EvalWeights = np.record

Records: TypeAlias = NDArray[np.void]  # rows of them
Dice: TypeAlias = NDArray[np.uint64]  # one word of state: the only chance there is
Mask: TypeAlias = NDArray[np.uint64]  # a set of actions, one bit each
Scores: TypeAlias = NDArray[np.int64]  # one row per seat: points, then what breaks ties, in order
Points: TypeAlias = NDArray[np.float64]  # one number per seat

Function = TypeVar("Function", bound=Callable[..., object])


def rule(function: Function) -> Function:
    """Marks a function that `modes` may compile, with all the rules it calls."""
    function.is_rule = True  # type: ignore[attr-defined]
    return function


@rule
def signed(number: int) -> int:
    """A record's small number, or a sum of them, as one that may go below 0: where signed and unsigned
    numbers meet, Numba makes floats.
    """
    return int(np.int64(number))


def named_in(function: Callable[..., object], seen: set[Callable[..., object]] | None = None) -> set[str]:
    """All names in a rule and in the rules that it calls.

    Rules find fields by name only, so what is not among these they do not touch.
    """
    seen = {function} if seen is None else seen | {function}
    assert isinstance(function, FunctionType)
    names = set(function.__code__.co_names)
    for name in function.__code__.co_names:
        called = function.__globals__.get(name)
        if getattr(called, "is_rule", False) and isinstance(called, FunctionType) and called not in seen:
            names |= named_in(called, seen)
    return names
