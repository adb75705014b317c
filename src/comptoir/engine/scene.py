"""What a seat may know of a position, for all that tell or draw it: the log, the terminal, the board, prompts
and previews.

They are given the record that the seat may know, with the box, and ask the rules about it; so no rule is
written twice. The same facts are there as plain data, in words, for what only has to be shown.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self, TypeVar, cast

import numpy as np

from comptoir.engine.actions import Action, Actions
from comptoir.engine.components import Components
from comptoir.engine.rule import Box, Position
from comptoir.engine.schema import field_of
from comptoir.engine.view import Plain, View
from comptoir.engine.words import Words

T = TypeVar("T")


class Fields:
    """A record as interpreted rules read it quickly: NumPy takes ten times as long to find a field of a
    record by its name. Each is looked for once, when it is first read.
    """

    def __init__(self, record: Position) -> None:
        self._record = record

    def __getattr__(self, name: str) -> Any:
        try:
            value = vars(self)[name] = field_of(self._record, name)
        except (KeyError, ValueError):  # NumPy's for a field that there is not
            raise AttributeError(name) from None
        return value

    def with_fields(self, changes: dict[str, object]) -> Fields:
        """The same, with some fields as given."""
        twin = Fields(self._record)
        vars(twin).update(changes)
        return twin

    def __deepcopy__(self, memo: object) -> Fields:
        """A twin on memory of its own, to try something with."""
        return Fields(np.frombuffer(bytearray(self._record.tobytes()), self._record.dtype)[0])


P = TypeVar("P", bound=Position)


def quick(record: P) -> P:
    """A record as interpreted rules read it quickly."""
    return cast(P, Fields(record))


def with_fields(p: P, **changes: object) -> P:
    """A scene's record with some fields as given, to ask the rules what would be if."""
    return cast(P, cast(Fields, p).with_fields(changes))


@dataclass(frozen=True, eq=False)
class Scene:
    """A view to be narrated or drawn: in which language, with which components, in which layout."""

    raw_record: Position  # what the seat may know, the rest blank: as compiled rules take it
    view: View  # the same as plain data, with the names and what may be done
    words: Words
    components: Components
    action_table: Actions
    layout: str = "wide"

    @cached_property
    def record(self) -> Position:
        """What the seat may know, to ask the rules about."""
        return quick(self.raw_record)

    def with_words(self, words: Words, layout: str = "wide") -> Self:
        """The same, in another language or layout."""
        return self._twin(self.view, words, layout)

    def as_seat(self, view: View) -> Self:
        """The same for another seat that may know as much."""
        return self._twin(view, self.words, self.layout)

    def _twin(self, view: View, words: Words, layout: str) -> Self:
        twin = object.__new__(type(self))  # a frozen dataclass takes long to make, and there are many
        vars(twin).update(self._shared(), view=view, words=words, layout=layout)
        return twin

    def _shared(self) -> dict[str, object]:
        """What a twin has too."""
        return {
            "raw_record": self.raw_record,
            "record": self.record,
            "components": self.components,
            "action_table": self.action_table,
        }

    @property
    def box(self) -> Box:
        """The components' values, as rules take them."""
        return self.components.values

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
        """What the seat may do now, as texts; nothing if another decides."""
        return self.view["actions"]

    @cached_property
    def choices(self) -> tuple[Action, ...]:
        """The same, decoded."""
        return tuple(map(self.action_table.decode, self.actions))

    @property
    def wide(self) -> bool:
        return self.layout == "wide"

    def cached(self, draw: Callable[..., T], *args: Hashable) -> T:
        """What `draw(scene, *args)` gives. Where a table is shown again and again, it is drawn again only if
        something that it reads of the scene has changed: a board says with it which parts it consists of.

        `draw` goes by the scene and its arguments alone, and nobody changes what it gives.
        """
        return draw(self, *args)

    def computed(self, compute: Callable[..., T], *args: Hashable) -> T:
        """The same for what depends neither on words nor on the layout: computed once for all of them."""
        return compute(self, *args)
