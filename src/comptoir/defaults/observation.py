"""What a seat may know as a row of bytes, from the fields of the position: all that `hide` leaves alone, and
of the fields that are a seat's own the viewer's part.
"""

from __future__ import annotations

import sys

from comptoir.defaults.codegen import function_from_source, loops, seat_axis
from comptoir.engine.game import Game
from comptoir.engine.observation import (  # noqa: F401 - some are called by what is written here
    MAX_VALUE,
    Feature,
    absolute_seat,
    relative_seat,
    seats_of,
    write_bits,
    write_counts,
    write_in_play,
    write_onehot,
    write_seat,
    write_value,
)
from comptoir.engine.rule import named_in
from comptoir.engine.schema import Axis, Field, length_of

FEW = 8  # words, up to which each has a place of its own
PIECES_OF = {"players": "plays", "turn": "decides"}  # what games call these pieces


def build(game: Game) -> dict[str, object]:
    """`FEATURES` and `observe`."""
    fields, most = game.position.fields, game.position.seats
    hidden = named_in(game.rules.hide)
    pieces = [Feature(PIECES_OF["players"], "which seats play", axes=(seats_of(most),))]
    lines = [
        "def observe(p, box, viewer, out):",
        "    players = int(p.players)",
        f"    at = write_in_play(out, 0, players, {most})",
    ]
    for name, field in fields.items():
        # the one is written above, the other 0 while somebody decides
        told = name not in ("players", "ending")
        if not told or (name in hidden and not field.private):
            continue
        axes = field.axes[1:] if field.private else field.axes
        words, high, call = _cell(field, most)
        pieces.append(
            Feature(
                PIECES_OF.get(name, name), _meaning(field), high, (*(_axis(axis) for axis in axes), *words)
            )
        )
        lines += _put(name, field, axes, call)
    return {
        "FEATURES": tuple(pieces),
        "observe": function_from_source(game.name, "observe", lines, sys.modules[__name__]),
    }


def _meaning(field: Field) -> str:
    kind = {"seat": "a seat", "enum": "a word", "set": "a set", "counts": "how many of each"}
    said = kind.get(field.kind, "a number")
    return f"{said}; the viewer's own" if field.private else said


def _axis(axis: Axis) -> tuple[str, ...]:
    if seat_axis(axis):
        return seats_of(length_of(axis))
    return axis if isinstance(axis, tuple) else tuple(map(str, range(length_of(axis))))


def _cell(field: Field, most: int) -> tuple[tuple[tuple[str, ...], ...], int, str]:
    """How a cell is written: its own axis, its highest number, and the call; `{n}` is the cell, `{plays}`
    whether its seat plays.
    """
    many = len(field.words) or field.high + 1
    members = field.words or tuple(map(str, range(many)))
    match field.kind:
        case "seat":
            call = f"write_seat(out, at, {{n}} if {{plays}} else -1, viewer, players, {most})"
            return (seats_of(most),), 1, call
        case "enum" if many <= FEW:
            return (field.words,), 1, f"write_onehot(out, at, {{n}} if {{plays}} else -1, {many})"
        case "set":
            return (members,), 1, f"write_bits(out, at, {{n}} if {{plays}} else 0, {many})"
        case "counts":
            return (field.words,), field.high, f"write_counts(out, at, {{n}} if {{plays}} else 0, {many})"
    highest = len(field.words) - 1 if field.words else field.high
    high = max(1, min(highest - field.low, MAX_VALUE))
    return (), high, f"write_value(out, at, {{n}} - ({field.low}) if {{plays}} else 0)"


def _put(name: str, field: Field, axes: tuple[Axis, ...], call: str) -> list[str]:
    """The lines that write a field, seats in the viewer's order."""
    heads, names, deep = loops(axes)
    plays = [f"{n} < players" for n, axis in zip(names, axes, strict=True) if seat_axis(axis)]
    places = [
        f"absolute_seat({n}, viewer, players)" if seat_axis(axis) else n
        for n, axis in zip(names, axes, strict=True)
    ]
    index = ", ".join(["viewer", *places] if field.private else places)
    cell = f"int(p.{name}[{index}])" if index else f"int(p.{name})"
    said = call.format(n=cell, plays=" and ".join(plays) or "True")
    return [*heads, f"{'    ' * deep}at = {said}"]
