"""A position as a table of its fields: what the plain terminal and the plain board show.

The rows are the same all match long; only what stands in them changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from comptoir.art.parts import short
from comptoir.engine.game import Game, get_game
from comptoir.engine.scene import Scene
from comptoir.engine.schema import Field
from comptoir.engine.words import Words
from comptoir.plain.writing import seat_axis

ROWS = 12  # words of an axis, up to which each has a row
NOTHING, HIDDEN = "–", "?"


@dataclass(frozen=True)
class Row:
    """A field, or the part of one that is about a word: one value, or one a seat."""

    field: str
    word: str  # empty: the whole field
    label: str  # of the field
    cells: tuple[str, ...]
    by_seat: bool

    def called(self, words: Words, letters: int = 80) -> str:
        """What the row is called, in so many letters: its field gives way to its word."""
        if not self.word:
            return short(self.label, letters)
        room = letters - len(words.say("plain.of", what="", word=self.word))
        return words.say("plain.of", what=short(self.label, max(2, room)), word=self.word)

    @property
    def id(self) -> str:
        return f"{self.field}-{self.word.replace(' ', '_')}" if self.word else self.field


def game_of(scene: Scene) -> Game:
    return get_game(scene.view["game"])


def shown_fields(game: Game) -> dict[str, Field]:
    """All but the options, what is said elsewhere on any page, and what no seat may know."""
    elsewhere = {"players", "turn", "ending", *(option.name for option in game.options)}
    return {
        name: field
        for name, field in game.position.fields.items()
        if name not in elsewhere and not field.secret
    }


def rows_of(game: Game) -> Iterator[tuple[str, Field, str]]:
    """The rows there are: a field, and the word of it that a row is about."""
    for name, field in shown_fields(game).items():
        words = field.axes[1] if len(field.axes) == 2 and seat_axis(field.axes[0]) else ()
        if isinstance(words, tuple) and 0 < len(words) <= ROWS:
            yield from ((name, field, word) for word in words)
        else:
            yield name, field, ""


def rows(scene: Scene) -> list[Row]:
    """What a viewer may know."""
    return [_row(scene, name, field, word) for name, field, word in rows_of(game_of(scene))]


def _row(scene: Scene, name: str, field: Field, word: str) -> Row:
    words, value = scene.words, scene.position[name]
    label = field_label(name, words)
    if not (field.axes and seat_axis(field.axes[0])):
        return Row(name, "", label, (said(value, field, scene),), False)
    parts = [part[word] for part in value] if word else value
    cells = tuple(
        HIDDEN if field.own and not knows(scene, seat) else said(part, field, scene)
        for seat, part in enumerate(parts)
    )
    return Row(name, word, label, cells, True)


def knows(scene: Scene, seat: int) -> bool:
    """Whether the viewer knows what is a seat's own: all do at the end."""
    return scene.seat == seat or scene.position["turn"] is None


def field_label(name: str, words: Words) -> str:
    """What words.toml calls a field, or its own name."""
    entry = words.texts.get(f"fields.{name}")
    return entry[words.lang] if entry else name.replace("_", " ")


def said(value: Any, field: Field, scene: Scene) -> str:
    """Plain data in words: of a table what is not nothing."""
    if isinstance(value, dict):
        parts = [_counted(key, part, field, scene) for key, part in value.items() if _is_there(part, field)]
        return ", ".join(parts) or NOTHING
    if isinstance(value, list):
        return ", ".join(said(part, field, scene) for part in value) or NOTHING
    if value is None:
        return NOTHING
    if field.kind == "seat":
        return scene.names[int(value)]
    if isinstance(value, bool):
        return scene.words.say("plain.yes" if value else "plain.no")
    return scene.words.name(value) if isinstance(value, str) else str(value)


def _is_there(value: Any, field: Field) -> bool:
    return value is not None if field.kind == "seat" else bool(value)


def _counted(key: str, value: Any, field: Field, scene: Scene) -> str:
    name = scene.words.name(key)
    return name if value is True else f"{name} {said(value, field, scene)}"
