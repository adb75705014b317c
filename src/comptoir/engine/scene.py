"""What a seat may know of a position, for all who tell or draw it: the log, the terminal, the board, prompts and previews.

They are given the record that the seat may know, with the box, and ask the rules about it; so no rule is written a second
time. The same facts are there as plain data, in words, for whatever only has to be shown.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import Any

from comptoir.engine.components import Components
from comptoir.engine.rule import Position
from comptoir.engine.words import Words

View = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Scene:
    """A view to be told or drawn: in which language, with which components, in which layout."""

    compiled: Position  # what the seat may know, the rest blank: as compiled rules take it
    view: View  # the same as plain data, with the names and what may be done
    words: Words
    components: Components
    layout: str = "wide"

    @cached_property
    def record(self) -> Any:
        """What the seat may know, for rules to be asked: a field of a NumPy record takes ten times as long to find as an attribute."""
        return SimpleNamespace(**{name: self.compiled[name] for name in self.compiled.dtype.names or ()})

    @property
    def box(self) -> Any:
        return self.components.figures

    @property
    def position(self) -> View:
        position: View = self.view["position"]
        return position

    @property
    def seat(self) -> int | None:
        """Whose view it is; None: a spectator's."""
        seat: int | None = self.view["seat"]
        return seat

    @property
    def names(self) -> list[str]:
        names: list[str] = self.view["names"]
        return names

    @property
    def actions(self) -> list[str]:
        """What the seat may do now; nothing if another decides."""
        actions: list[str] = self.view["actions"]
        return actions

    @property
    def wide(self) -> bool:
        return self.layout == "wide"
