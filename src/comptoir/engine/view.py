"""A view: all that a seat may know of a position, as plain data. It is what bots and programs are given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict

if TYPE_CHECKING:
    from comptoir.engine.game import Game

Plain: TypeAlias = dict[str, Any]  # a position's fields by name, in words: each game has its own


class View(TypedDict):
    """What a seat may know, and what it may do if it is the one to decide."""

    game: str
    rules: int  # the version of the game's rules
    ply: int  # how many actions were played before
    seat: int | None  # whose view it is; None: a spectator's
    names: list[str]
    position: Plain
    actions: list[str]  # none if another seat decides


def make_view(
    game: Game, ply: int, seat: int | None, names: Sequence[str], position: Plain, legal: Sequence[int]
) -> View:
    """The view around a position that holds only what the seat may know; `legal` is what it may do."""
    return {
        "game": game.name,
        "rules": game.version,
        "ply": ply,
        "seat": seat,
        "names": list(names),
        "position": position,
        "actions": [game.actions[action] for action in legal],
    }
