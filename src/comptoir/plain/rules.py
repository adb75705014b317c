"""What a game's rules.py need not say."""

from __future__ import annotations

import sys
from typing import Any

from comptoir.engine.game import Game
from comptoir.engine.option import Option
from comptoir.engine.rule import Box, Dice, Position, rule
from comptoir.plain.writing import loops, own_fields, written

ALL_OPEN = False  # whether every seat may know everything
OPTIONS: tuple[Option, ...] = ()
SOURCES = ("points",)
TIE_BREAKS: tuple[str, ...] = ()
LAWS = ("all is well",)


@rule
def stalled(p: Position) -> float:
    """No guard rule ends the game."""
    return 0.0


@rule
def fault(p: Position, box: Box) -> tuple[int, int]:
    """No law is known: every position is sound."""
    return 0, 0


@rule
def nothing_to_hide(p: Position, box: Box, viewer: int) -> None:
    """Everything is open."""


@rule
def nothing_to_imagine(p: Position, box: Box, viewer: int, dice: Dice) -> None:
    """Everything is open."""


def check_box(box: Box) -> list[str]:
    """The fields' own limits are all there is."""
    return []


def made_for(game: Game) -> dict[str, Any]:
    """What follows from what the game's rules do say."""

    def check_position(p: Position, box: Box) -> list[str]:
        """The first law that a position breaks."""
        law, which = game.rules.fault(p, box)
        return [game.rules.LAWS[law].format(seat=which, which=which)] if law else []

    made: dict[str, Any] = {"USUAL_PLAYERS": game.rules.PLAYERS[1], "check_position": check_position}
    if game.rules.ALL_OPEN:
        made |= {"hide": nothing_to_hide, "imagine": nothing_to_imagine}
    elif own_fields(game.rules.POSITION):
        made["hide"] = _hide(game)
    return made


def _hide(game: Game) -> Any:
    """Blanks, of the fields that are a seat's own, the parts of the others."""
    lines = ["def hide(p, box, viewer):", "    for seat in range(p.players):", "        if seat != viewer:"]
    for name in own_fields(game.rules.POSITION):
        field = game.rules.POSITION.fields[name]
        heads, names, deep = loops(field.axes[1:], 3)
        cell = ", ".join(["seat", *names])
        lines += [*heads, f"{'    ' * deep}p.{name}[{cell}] = {field.blank}"]
    return written(game.name, "hide", lines, sys.modules[__name__])
