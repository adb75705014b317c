"""A position as its fields: which are shown, in words, to whom. What the derived terminal and board show.

A *line* is a field: one value, or one per seat; with `columns`, a value for each word of its last axis, side
by side. A *cell* is one of these values; its key is the field's name, then the seat, then words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import TypeAlias, cast

from comptoir.defaults.codegen import seat_axis
from comptoir.engine.game import Game, get_game
from comptoir.engine.scene import Scene
from comptoir.engine.schema import AtMost, Axis, Field, length_of
from comptoir.engine.view import Plain
from comptoir.engine.words import Words

MAX_COLUMNS = 12  # words of an axis, up to which each has a column
MAX_LINES = 12  # and, of the axes before the last one, a line
NOTHING, HIDDEN = "–", "?"

Key = tuple[str | int, ...]
Cell: TypeAlias = (
    "int | str | bool | Sequence[Cell] | Mapping[str, Cell] | None"  # what a position holds, in words
)


@dataclass(frozen=True)
class Line:
    """A field, or the part of it that is about some words of the axes before the last one."""

    field: str
    by_seat: bool = False
    words: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    listed: bool = False  # more than fits into columns: what is there, one after the other

    def key(self, seat: int | None = None, column: str | None = None) -> Key:
        seats = () if seat is None else (seat,)
        return (self.field, *seats, *self.words, *(() if column is None else (column,)))


def game_of(scene: Scene) -> Game:
    return get_game(scene.view["game"])


def shown_fields(game: Game) -> dict[str, Field]:
    """All but the options, what nobody may know, and what is said elsewhere on any page."""
    elsewhere = {"players", "turn", "ending", *(option.name for option in game.options)}
    return {
        name: field
        for name, field in game.position.fields.items()
        if name not in elsewhere and not field.secret
    }


@cache
def lines_of(game: Game) -> tuple[Line, ...]:
    """The lines there are: the same all match long."""
    return tuple(line for name, field in shown_fields(game).items() for line in field_lines(name, field))


def field_lines(name: str, field: Field) -> Iterator[Line]:
    by_seat = bool(field.axes) and seat_axis(field.axes[0])
    axes = [_members(axis) for axis in field.axes[by_seat:]]
    if field.kind in ("set", "counts"):
        axes.append(field.words or tuple(map(str, range(field.high + 1))))
    lists = any(isinstance(axis, AtMost) for axis in field.axes)
    if not axes:
        yield Line(name, by_seat)
    elif lists or len(axes[-1]) > MAX_COLUMNS or length_product(axes[:-1]) > MAX_LINES:
        yield Line(name, by_seat, listed=True)
    else:
        for words in product(*axes[:-1]):
            yield Line(name, by_seat, words, axes[-1])


def length_product(axes: list[tuple[str, ...]]) -> int:
    lines = 1
    for axis in axes:
        lines *= len(axis)
    return lines


def _members(axis: Axis) -> tuple[str, ...]:
    """What the entries along an axis are called: those without words are counted from 1."""
    return axis if isinstance(axis, tuple) else tuple(str(n + 1) for n in range(length_of(axis)))


def knows(scene: Scene, seat: int) -> bool:
    """Whether the viewer knows what is a seat's own: all do at the end."""
    return scene.seat == seat or scene.position["turn"] is None


def field_label(name: str, words: Words, n: int = 2) -> str:
    """What words.toml calls a field, or its own name; `n` picks between one card and many cards."""
    return words.say(f"fields.{name}", n=n) if f"fields.{name}" in words.texts else name.replace("_", " ")


def counted(name: str, words: Words) -> bool:
    """Whether what words.toml calls a field goes with a number: `{n:card|cards}`."""
    return "{n:" in words.texts.get(f"fields.{name}", {}).get(words.lang, "")


def label_of(line: Line, words: Words) -> str:
    """What a line is called."""
    label = field_label(line.field, words)
    named = " ".join(words.name(word) for word in line.words)
    return words.say("defaults.of", what=label, word=named) if named else label


def part(position: Plain, field: Field, key: Key) -> Cell:
    """The value of a cell, or of all that a shorter key begins."""
    value, axes = position[str(key[0])], iter(field.axes)
    for step in key[1:]:
        axis = next(axes, None)
        if axis is None and field.kind == "set":
            value = str(step) in map(str, value)
        elif axis is None:
            value = value.get(step, 0)
        else:
            value = value[int(step) - 1] if isinstance(axis, int) else value[step]
    return cast(Cell, value)


def cells(scene: Scene) -> dict[Key, Cell]:
    """What the viewer knows, cell by cell; of what is listed, the whole list."""
    game = game_of(scene)
    return {key: part(scene.position, field, key) for key, field in cell_keys(game, scene)}


def cell_keys(game: Game, scene: Scene) -> Iterator[tuple[Key, Field]]:
    fields = shown_fields(game)
    for line in lines_of(game):
        field = fields[line.field]
        for seat in range(len(scene.names)) if line.by_seat else (None,):
            if seat is None or not field.private or knows(scene, seat):
                columns: tuple[str | None, ...] = line.columns or (None,)
                yield from ((line.key(seat, column), field) for column in columns)


def is_there(value: Cell, field: Field) -> bool:
    """Whether there is something: 0 is nothing, but seat 0 is somebody."""
    if isinstance(value, dict):
        return any(is_there(one, field) for one in value.values())
    if isinstance(value, list) and field.kind != "set":
        return any(is_there(one, field) for one in value)
    return value is not None if field.kind == "seat" else bool(value)


def said(value: Cell, field: Field, scene: Scene) -> str:
    """Plain data in words: of a table what is not nothing."""
    if isinstance(value, dict):
        parts = [_counted(key, part, field, scene) for key, part in value.items() if is_there(part, field)]
        return ", ".join(parts) or NOTHING
    if isinstance(value, list):
        return ", ".join(said(part, field, scene) for part in value) or NOTHING
    if value is None:
        return NOTHING
    if field.kind == "seat" and isinstance(value, int):
        return scene.names[value]
    if isinstance(value, bool):
        return scene.words.say("defaults.yes" if value else "defaults.no")
    return scene.words.name(value) if isinstance(value, str) else str(value)


def _counted(key: str, value: Cell, field: Field, scene: Scene) -> str:
    name = scene.words.name(key)
    return name if value is True else f"{name} {said(value, field, scene)}"
