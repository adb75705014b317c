"""What every game can do. A game's `rules.py` defines these functions; `modes` puts them in place of the ones here.

So a loop over the verbs is written once, for all games, and compiled once for each.
"""

from __future__ import annotations

from typing import Any, NoReturn

from comptoir.engine.rule import Box, Dice, Mask, Position, Scores, rule


def _unbound(verb: str) -> NoReturn:
    raise RuntimeError(f"the verb {verb!r} has no game: get the loop from engine.modes")


def _verb(function: Any) -> Any:
    function.is_verb = True
    return rule(function)


@_verb
def setup(p: Position, box: Box, dice: Dice) -> None:
    """Lays out a game on a position that holds its options and zeros."""
    _unbound("setup")


@_verb
def legal(p: Position, box: Box, mask: Mask) -> None:
    """Adds to an empty mask what the seat to decide may do: never nothing, while the game is on."""
    _unbound("legal")


@_verb
def play(p: Position, box: Box, action: int, dice: Dice) -> None:
    """Carries out a legal action, and all that follows from it until a seat must decide or the game is over."""
    _unbound("play")


@_verb
def scores(p: Position, box: Box, out: Scores) -> None:
    """A row a seat: the points, then what breaks ties, in order. Final when the game is over."""
    _unbound("scores")


@_verb
def hide(p: Position, box: Box, viewer: int) -> None:
    """Blanks what `viewer` (-1: a spectator) may not know."""
    _unbound("hide")


@_verb
def imagine(p: Position, box: Box, viewer: int, dice: Dice) -> None:
    """Deals anew what `hide` blanked for the same viewer: one world among those it cannot tell apart."""
    _unbound("imagine")
