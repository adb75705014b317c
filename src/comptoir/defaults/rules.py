"""What a game's rules.py need not say."""

from __future__ import annotations

import sys
from collections.abc import Callable

from comptoir.defaults.codegen import function_from_source, loops, private_fields, secret_fields
from comptoir.engine.game import Game
from comptoir.engine.invariants import VALID, Invariants
from comptoir.engine.option import Option
from comptoir.engine.rule import Box, Dice, Position, rule
from comptoir.engine.schema import Axis, Field

PERFECT_INFORMATION = False  # whether every seat may know everything
OPTIONS: tuple[Option, ...] = ()
SOURCES = ("points",)
TIE_BREAKS: tuple[str, ...] = ()
INVARIANTS = Invariants()


@rule
def stall_progress(p: Position) -> float:
    """No stall rule ends the game."""
    return 0.0


@rule
def violated_invariant(p: Position, box: Box) -> tuple[int, int]:
    """No invariant is known: every position is valid."""
    return VALID, 0


@rule
def nothing_to_hide(p: Position, box: Box, viewer: int) -> None:
    """Everything is open."""


@rule
def nothing_to_imagine(p: Position, box: Box, viewer: int, dice: Dice) -> None:
    """Everything is open."""


def check_box(box: Box) -> list[str]:
    """The fields' own limits are all there is."""
    return []


def build(game: Game) -> dict[str, object]:
    """What follows from what the game's rules do say."""

    def check_position(p: Position, box: Box) -> list[str]:
        """What is wrong with a position that came in as data: the first invariant that it violates."""
        return game.rules.INVARIANTS.errors(game.rules.violated_invariant(p, box))

    made: dict[str, object] = {"DEFAULT_PLAYERS": game.rules.PLAYERS[1], "check_position": check_position}
    if game.rules.PERFECT_INFORMATION:
        made |= {"hide": nothing_to_hide, "imagine": nothing_to_imagine}
    elif private_fields(game.rules.POSITION) or secret_fields(game.rules.POSITION):
        made["hide"] = _hide(game)
    return made


def _hide(game: Game) -> Callable[..., object]:
    """Blanks secret fields, and of the fields that are a seat's own the parts of the others."""
    fields, lines = game.rules.POSITION.fields, ["def hide(p, box, viewer):"]
    for name in secret_fields(game.rules.POSITION):
        lines += _blank(name, fields[name], [], fields[name].axes)
    if private_fields(game.rules.POSITION):
        lines += ["    for seat in range(p.players):", "        if seat != viewer:"]
    for name in private_fields(game.rules.POSITION):
        lines += _blank(name, fields[name], ["seat"], fields[name].axes[1:], 3)
    return function_from_source(game.name, "hide", lines, sys.modules[__name__])


def _blank(name: str, field: Field, places: list[str], axes: tuple[Axis, ...], deep: int = 1) -> list[str]:
    """The lines that blank the cells of a field along these axes."""
    heads, names, deep = loops(axes, deep)
    cell = ", ".join([*places, *names])
    return [*heads, f"{'    ' * deep}p.{name}{f'[{cell}]' if cell else ''} = {field.blank}"]
