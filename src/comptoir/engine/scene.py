"""What a seat may know of a position, for all that tell or draw it: the log, the terminal, the board, prompts
and previews.

They are given the record that the seat may know, with the box, and ask the rules about it; so no rule is
written twice. The same facts are there as plain data, in words, for what only has to be shown.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import Any

from comptoir.engine.components import Components
from comptoir.engine.rule import Position
from comptoir.engine.view import Plain, View
from comptoir.engine.words import Words


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
        """What the seat may know, to ask the rules about: NumPy takes ten times as long to find a field of a
        record as an attribute.
        """
        return SimpleNamespace(**{name: self.compiled[name] for name in self.compiled.dtype.names or ()})

    @property
    def box(self) -> Any:
        """The components' figures, as rules take them."""
        return self.components.figures

    @property
    def position(self) -> Plain:
        return self.view["position"]

    @property
    def seat(self) -> int | None:
        """Whose view it is; None: a spectator's."""
        return self.view["seat"]

    @property
    def names(self) -> list[str]:
        return self.view["names"]

    @property
    def actions(self) -> list[str]:
        """What the seat may do now; nothing if another decides."""
        return self.view["actions"]

    @property
    def wide(self) -> bool:
        return self.layout == "wide"
