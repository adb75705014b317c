"""A turn retold: in one sentence what a whole turn did, and the big moments in it, as a seat has seen
them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from comptoir.engine.actions import Action
from comptoir.engine.scene import Scene

SceneT = TypeVar("SceneT", bound=Scene, covariant=True)


@dataclass(frozen=True)
class ActionStep(Generic[SceneT]):
    """One action of a turn, with what a seat knew before and after it."""

    before: SceneT
    action: Action
    after: SceneT


@dataclass(frozen=True)
class Highlight:
    """A highlight that everyone at the table should notice: `kind` is its key in words.toml ([moments]),
    `text` says it.
    """

    kind: str
    text: str


@dataclass(frozen=True)
class Recap:
    """A finished turn: the actions first + 1 to last, whose it was (None: all bid), what it did, and its big
    moments.
    """

    first: int
    last: int
    seat: int | None
    sentence: str
    highlights: tuple[Highlight, ...]
