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
from typing import Any, Self, TypeAlias, TypeVar, cast

from comptoir.engine.actions import Action
from comptoir.engine.rule import Position
from comptoir.engine.scene import Fields, Scene
from comptoir.engine.schema import Schema, bytes_of
from comptoir.engine.view import Plain, View
from comptoir.engine.words import Words
from comptoir.web.domain.immutable import derived

MAX_ENTRIES = 4_000  # of a match; a table that many look at in all languages and layouts has a third of it
MAX_ACTIONS = 10_000  # of whole matches that were told: twenty usual ones, or two long ones

MAX_DRAWN = 1_000  # in one language and layout
WHOLE = -1  # the mask of all of a position

T = TypeVar("T")
Drawings: TypeAlias = "dict[Any, dict[int | None, _Drawn]]"  # by what is drawn, then by whoever looks


class MatchCache:
    """What has been made of one match and of its table, by key. Threads may use it together."""

    def __init__(self) -> None:
        self._made: dict[Any, tuple[Any, Any]] = {}  # with what each was made from
        self._drawn: dict[Any, Drawings] = {}  # by words, layout and names
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

    def drawings(self, *key: Hashable) -> Drawings:
        """What was drawn of scenes that have so much in common."""
        return self._drawn.setdefault(key, {})


class _Drawn:
    """Something that was drawn of a scene, with all that was read there.

    What was read of the position is `read`, by the bits of `mask`: the bytes of those fields in a number.
    """

    __slots__ = ("mask", "others", "read", "value")

    def __init__(self, position: int, reads: _Reads, value: Any) -> None:
        self.mask, self.read, self.value = reads.mask, position & reads.mask, value
        self.others = tuple(reads.others.items())

    def stands_for(self, scene: CachedScene) -> bool:
        """Whether it would be drawn in the same way of another scene."""
        if scene.number & self.mask != self.read:
            return False
        for name, value in self.others:
            if getattr(scene, name) != value:
                return False
        return True


class _Reads:
    """What a drawing has read of a scene: bytes of the position, and others of its attributes."""

    def __init__(self, schema: Schema[Any]) -> None:
        self.masks = schema.masks
        self.mask = 0
        self.others: dict[str, Any] = {}

    def add(self, drawn: _Drawn) -> None:
        """It consists of something else that was drawn."""
        self.mask |= drawn.mask
        self.others.update(drawn.others)

    def add_whole(self) -> None:
        self.mask = WHOLE


class CachedScene(Scene):
    """A scene of which parts are drawn again only when what they read has changed."""

    number: int  # the position: its bytes
    cache: MatchCache
    schema: Schema[Any]

    @classmethod
    def of(cls, scene: Scene, cache: MatchCache, schema: Schema[Any]) -> CachedScene:
        made = cls(
            scene.raw_record, scene.view, scene.words, scene.components, scene.action_table, scene.layout
        )
        number = int.from_bytes(bytes_of(scene.raw_record), "little")
        vars(made).update(cache=cache, schema=schema, number=number)
        return made

    def _shared(self) -> dict[str, object]:
        own = {"cache": self.cache, "schema": self.schema, "number": self.number}
        return super()._shared() | own

    @derived
    def drawn(self) -> Drawings:
        """What was drawn in the same words and layout, and with the same names."""
        return self.cache.drawings(tuple(self.names), self.words, self.layout)

    @derived
    def values(self) -> Drawings:
        """What was computed, in whichever words and layout."""
        return self.cache.drawings(tuple(self.names))

    @property
    def ply(self) -> int:
        return self.view["ply"]

    def cached(self, draw: Callable[..., T], *args: Hashable) -> T:
        value: T = self.find(self.drawn, draw, args).value
        return value

    def computed(self, compute: Callable[..., T], *args: Hashable) -> T:
        value: T = self.find(self.values, compute, args).value
        return value

    def find(self, known: Drawings, draw: Callable[..., Any], args: tuple[Hashable, ...]) -> _Drawn:
        """What `draw` gives, with what it has read: as it was for this viewer or another, or drawn again."""
        seat, key = self.view["seat"], (draw, args)
        slots = known.get(key)
        if slots is None:
            if len(known) >= MAX_DRAWN:
                known.clear()
            slots = known[key] = {}
        own = slots.get(seat)
        if (
            own is not None
            and self.number & own.mask == own.read
            and (not own.others or own.stands_for(self))
        ):
            return own
        others = (drawn for viewer, drawn in list(slots.items()) if viewer != seat)
        alike = next((drawn for drawn in others if drawn.stands_for(self)), None)
        own = slots[seat] = alike or self._draw(draw, args)
        return own

    def _draw(self, draw: Callable[..., Any], args: tuple[Any, ...]) -> _Drawn:
        traced = _TracedScene(self)
        value = draw(traced, *args)
        return _Drawn(self.number, traced.reads, value)


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
            drawn=source.drawn,
            values=source.values,
            reads=_Reads(source.schema),
        )

    def _note(self, name: str) -> Any:
        value = self.reads.others[name] = getattr(self.source, name)
        return value

    @property
    def raw_record(self) -> Position:
        self.reads.add_whole()
        return self.source.raw_record

    @derived
    def names(self) -> list[str]:
        """Not noted: with other names all is drawn again."""
        return self.source.names

    @derived
    def view(self) -> View:
        return _TracedView(self)  # type: ignore[return-value]

    @derived
    def record(self) -> Any:
        return _TracedFields(cast(Fields, self.source.record), self.reads)

    @derived
    def position(self) -> Plain:
        return _TracedPosition(self.source.position, self.reads)

    @derived
    def seat(self) -> int | None:
        seat: int | None = self._note("seat")
        return seat

    @derived
    def actions(self) -> list[str]:
        actions: list[str] = self._note("actions")
        return actions

    @derived
    def choices(self) -> tuple[Action, ...]:
        choices: tuple[Action, ...] = self._note("choices")
        return choices

    def _twin(self, view: View, words: Words, layout: str) -> Self:
        """What is read of another one is not noted: it stands for this one alone."""
        self.reads.add_whole()
        for name in ("ply", "seat", "actions"):
            self._note(name)
        return self.source._twin(view, words, layout)  # type: ignore[return-value]

    def find(self, known: Drawings, draw: Callable[..., Any], args: tuple[Hashable, ...]) -> _Drawn:
        part = self.source.find(known, draw, args)
        self.reads.add(part)
        return part


class _TracedView(dict[str, Any]):
    """A view that notes what is read of it; the game, its rules and the names are the same all match long."""

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
        self._reads.mask |= self._reads.masks[name]
        return value

    def with_fields(self, changes: dict[str, object]) -> Fields:
        twin = _TracedFields(self._source, self._reads)
        vars(twin).update(changes)
        return twin

    def __deepcopy__(self, memo: object) -> Fields:
        self._reads.add_whole()
        twin: Fields = self._source.__deepcopy__(memo)
        return twin


class _TracedPosition(dict[str, Any]):
    """A position in words that notes which fields are read."""

    def __init__(self, source: Plain, reads: _Reads) -> None:
        super().__init__()
        self._source, self._reads = source, reads

    def __missing__(self, name: str) -> Any:
        value = self[name] = self._source[name]
        self._reads.mask |= self._reads.masks[name]
        return value
