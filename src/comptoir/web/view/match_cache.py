"""What has been made of one match: the only cache between a position and a page.

An entry has a key, usually with what it is, a viewer, a language and a layout, and stands as long as what it
was made from. What is drawn of a scene notes what it reads there: fields of the position, who looks, what
may be done. It is given to whoever would read the same, after whichever action and from whichever seat. So
what all seats see alike is made once, and what depends on something that a seat alone knows is never given
to another.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from copy import copy
from functools import cached_property
from operator import itemgetter
from typing import Any, NamedTuple, Self, TypeVar, cast

from comptoir.engine.actions import Action
from comptoir.engine.rule import Position
from comptoir.engine.scene import Fields, Scene
from comptoir.engine.schema import Schema, bytes_of
from comptoir.engine.view import Plain, View
from comptoir.engine.words import Words

MAX_ENTRIES = 4_000  # of a match; a table that many look at in all languages and layouts has a third of it
MAX_ACTIONS = 10_000  # of whole matches that were told: twenty usual ones, or two long ones

T = TypeVar("T")


class MatchCache:
    """What has been made of one match and of its table, by key. Threads may use it together."""

    def __init__(self) -> None:
        self._made: dict[Any, tuple[Any, Any]] = {}  # with what each was made from
        self.drawn: dict[Any, dict[int | None, _Drawn]] = {}  # by what is drawn, then by whoever looks
        self._long: OrderedDict[Any, tuple[Any, Any, int]] = (
            OrderedDict()
        )  # the last one asked for at the end
        self._lock = threading.Lock()
        self.weight = 0  # actions of the whole matches in it

    def made(self, key: Any, source: Any, make: Callable[[], T]) -> T:
        """What `make` gives, made again only when `source`, by which it goes, is another."""
        entry = self._made.get(key)
        if entry is not None and entry[0] == source:
            found: T = entry[1]
            return found
        if len(self._made) >= MAX_ENTRIES:
            self._made.clear()
        made = make()
        self._made[key] = source, made
        return made

    def narrated(self, key: Any, source: Any, weight: int, make: Callable[[], T]) -> T:
        """The same for what is made of a whole match, as long as that is: little of it is kept."""
        with self._lock:
            entry = self._long.get(key)
            if entry is not None and entry[0] is source:
                self._long.move_to_end(key)
                found: T = entry[1]
                return found
        made = make()
        with self._lock:
            self._long[key] = source, made, weight
            self._long.move_to_end(key)
            self.weight = sum(entry[2] for entry in self._long.values())
            while len(self._long) > 1 and self.weight > MAX_ACTIONS:
                self.weight -= self._long.popitem(last=False)[1][2]
        return made

    def slots(self, key: Any) -> dict[int | None, _Drawn]:
        """What was drawn under a key, for each viewer."""
        found = self.drawn.get(key)
        if found is None:
            if len(self.drawn) >= MAX_ENTRIES:
                self.drawn.clear()
            found = self.drawn[key] = {}
        return found


class _Drawn:
    """Something that was drawn of a scene, with all that was read there."""

    __slots__ = ("data", "others", "parts", "pick", "read", "value")

    def __init__(self, data: bytes, reads: _Reads, value: Any) -> None:
        self.data, self.value = data, value  # the position for which it was last found to stand
        self.pick = reads.pick()
        self.read = self.pick and self.pick(data)
        self.others, self.parts = tuple(reads.others.items()), tuple(reads.parts)

    def again(self, data: bytes) -> _Drawn:
        """The same, found to stand for another viewer."""
        twin = copy(self)
        twin.data = data
        return twin

    def stands_for(self, scene: CachedScene) -> bool:
        """Whether it would be drawn in the same way of another scene."""
        if self.pick is not None and self.pick(scene.data) != self.read:
            return False
        for name, value in self.others:
            if getattr(scene, name) != value:
                return False
        for draw, args, value in self.parts:
            if not _same(scene.cached(draw, *args), value):
                return False
        return True


def _same(one: Any, other: Any) -> bool:
    return one is other or bool(one == other)


class _DrawingPart(NamedTuple):
    """A part of a drawing that is drawn by itself."""

    draw: Callable[..., Any]
    args: tuple[Any, ...]
    value: Any


class _Reads:
    """What a drawing has read of a scene."""

    def __init__(self, schema: Schema[Any]) -> None:
        self._spans = schema.spans
        self.fields: set[str] = set()
        self.others: dict[str, Any] = {}
        self.parts: list[_DrawingPart] = []
        self.whole = False  # all of the position

    def pick(self) -> Callable[[bytes], Any] | None:
        """What finds the bytes that were read in a position."""
        if self.whole or not self.fields <= self._spans.keys():
            return itemgetter(slice(None))
        return itemgetter(*(self._spans[name] for name in sorted(self.fields))) if self.fields else None


class CachedScene(Scene):
    """A scene of which parts are drawn again only when what they read has changed."""

    data: bytes  # the position
    cache: MatchCache
    schema: Schema[Any]

    @classmethod
    def of(cls, scene: Scene, cache: MatchCache, schema: Schema[Any]) -> CachedScene:
        made = cls(
            scene.raw_record, scene.view, scene.words, scene.components, scene.action_table, scene.layout
        )
        vars(made).update(cache=cache, schema=schema, data=bytes_of(scene.raw_record))
        return made

    def _twin(self, view: View, words: Words, layout: str) -> Self:
        twin = super()._twin(view, words, layout)
        vars(twin).update(cache=self.cache, schema=self.schema, data=self.data)
        return twin

    @property
    def ply(self) -> int:
        return self.view["ply"]

    def cached(self, draw: Callable[..., T], *args: Hashable) -> T:
        seat = self.view["seat"]
        slots = self.cache.slots((draw, args, self.words, self.layout))
        own = slots.get(seat)
        if own is None or (own.data is not self.data and not own.stands_for(self)):
            others = (drawn for viewer, drawn in list(slots.items()) if viewer != seat)
            alike = next((drawn for drawn in others if drawn.stands_for(self)), None)
            own = slots[seat] = self._draw(draw, args) if alike is None else alike.again(self.data)
        own.data = self.data
        value: T = own.value
        return value

    def _draw(self, draw: Callable[..., Any], args: tuple[Any, ...]) -> _Drawn:
        traced = _TracedScene(self)
        value = draw(traced, *args)
        return _Drawn(self.data, traced.reads, value)


class _TracedScene(CachedScene):
    """A scene that notes what is read of it."""

    source: CachedScene
    reads: _Reads

    def __init__(self, source: CachedScene) -> None:
        vars(self).update(
            source=source,
            words=source.words,
            components=source.components,
            action_table=source.action_table,
            layout=source.layout,
            reads=_Reads(source.schema),
        )

    def _note(self, name: str) -> Any:
        value = self.reads.others[name] = getattr(self.source, name)
        return value

    @property
    def raw_record(self) -> Position:
        self.reads.whole = True
        return self.source.raw_record

    @cached_property
    def _view(self) -> View:
        return _TracedView(self)  # type: ignore[return-value]

    @property
    def view(self) -> View:
        return self._view

    @cached_property
    def record(self) -> Any:
        return _TracedFields(cast(Fields, self.source.record), self.reads)

    @cached_property
    def position(self) -> Plain:
        return _TracedPosition(self.source.position, self.reads)

    @cached_property
    def seat(self) -> int | None:
        seat: int | None = self._note("seat")
        return seat

    @cached_property
    def names(self) -> list[str]:
        names: list[str] = self._note("names")
        return names

    @cached_property
    def actions(self) -> list[str]:
        actions: list[str] = self._note("actions")
        return actions

    @cached_property
    def choices(self) -> tuple[Action, ...]:
        choices: tuple[Action, ...] = self._note("choices")
        return choices

    def _twin(self, view: View, words: Words, layout: str) -> Self:
        """What is read of another one is not noted: it stands for this one alone."""
        self.reads.whole = True
        for name in ("ply", "seat", "names", "actions"):
            self._note(name)
        return self.source._twin(view, words, layout)  # type: ignore[return-value]

    def cached(self, draw: Callable[..., T], *args: Hashable) -> T:
        value = self.source.cached(draw, *args)
        self.reads.parts.append(_DrawingPart(draw, args, value))
        return value


class _TracedView(dict[str, Any]):
    """A view that notes what is read of it; the game and its rules are the same all match long."""

    def __init__(self, scene: _TracedScene) -> None:
        super().__init__({name: scene.source.view[name] for name in ("game", "rules")})
        self._scene = scene

    def __missing__(self, name: str) -> Any:
        value = self[name] = self._scene._note("ply") if name == "ply" else getattr(self._scene, name)
        return value


class _TracedFields(Fields):
    """A record that notes which fields are read."""

    def __init__(self, source: Fields, reads: _Reads) -> None:
        vars(self).update(_source=source, _reads=reads)

    def __getattr__(self, name: str) -> Any:
        value = vars(self)[name] = getattr(self._source, name)
        self._reads.fields.add(name)
        return value

    def with_fields(self, changes: dict[str, object]) -> Fields:
        twin = _TracedFields(self._source, self._reads)
        vars(twin).update(changes)
        return twin

    def __deepcopy__(self, memo: object) -> Fields:
        self._reads.whole = True
        twin: Fields = self._source.__deepcopy__(memo)
        return twin


class _TracedPosition(dict[str, Any]):
    """A position in words that notes which fields are read."""

    def __init__(self, source: Plain, reads: _Reads) -> None:
        super().__init__()
        self._source, self._reads = source, reads

    def __missing__(self, name: str) -> Any:
        value = self[name] = self._source[name]
        self._reads.fields.add(name)
        return value
