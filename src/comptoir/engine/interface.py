"""What every game can do.

A game's `rules.py` defines these functions, its `observation.py` and `evaluation.py` the last ones; `modes`
puts them in place of the ones here.

So a loop over the verbs is written once, for all games, and compiled once for each.
"""

from __future__ import annotations

from typing import Any, NoReturn, Protocol

from comptoir.engine.rule import Box, Dice, EvalWeights, Mask, Points, Position, Scores, rule


class RuleSet(Protocol):
    """A game's verbs, and the engine's loops over them, all run in one way: what `modes` makes."""

    def setup(self, p: Position, box: Box, dice: Dice) -> None: ...
    def legal(self, p: Position, box: Box, mask: Mask) -> None: ...
    def play(self, p: Position, box: Box, action: int, dice: Dice) -> None: ...
    def tally(self, p: Position, box: Box, out: Scores, stride: int) -> None: ...
    def hide(self, p: Position, box: Box, viewer: int) -> None: ...
    def imagine(self, p: Position, box: Box, viewer: int, dice: Dice) -> None: ...

    def scores(self, p: Position, box: Box, out: Scores) -> None: ...
    def score_sheet(self, p: Position, box: Box, out: Scores) -> None: ...
    def random_action(self, p: Position, box: Box, mask: Mask, dice: Dice) -> int: ...
    def playout(self, p: Position, box: Box, mask: Mask, dice: Dice) -> int: ...
    def playouts(
        self,
        positions: Any,
        box: Box,
        seed: int,
        mask: Mask,
        dice: Dice,
        lengths: Any,
        endings: Any,
        results: Scores,
        stride: int,
    ) -> None: ...
    def perft(self, positions: Any, box: Box, masks: Any, dice: Dice, depth: int) -> int: ...

    def bind(self, function: Any) -> Any:
        """Any other rule or loop, for this game and run in this way."""

    def reachable(self, *functions: Any) -> Any:
        """These functions as the game has them, all that they call, and so on."""

    def fingerprint(self, *functions: Any) -> str:
        """A hash of all that decides what these functions do, compiled."""


def _unbound(verb: str) -> NoReturn:
    raise RuntimeError(f"the verb {verb!r} has no game: get the loop from engine.modes")


def verb(function: Any, part: str = "rules") -> Any:
    function.verb_of = part  # the module of the game's folder that defines it
    return rule(function)


def _evaluation(function: Any) -> Any:
    return verb(function, "evaluation")


def _observation(function: Any) -> Any:
    return verb(function, "observation")


@verb
def setup(p: Position, box: Box, dice: Dice) -> None:
    """Lays out a game on a position that holds its options and zeros."""
    _unbound("setup")


@verb
def legal(p: Position, box: Box, mask: Mask) -> None:
    """Adds to an empty mask what the seat to decide may do: never nothing, while the game is on."""
    _unbound("legal")


@verb
def play(p: Position, box: Box, action: int, dice: Dice) -> None:
    """Carries out a legal action, and all that follows from it until a seat must decide or the game is
    over.
    """
    _unbound("play")


@verb
def tally(p: Position, box: Box, out: Scores, stride: int) -> None:
    """Adds up every seat's points in a row of zeros, then the tie-breaks: final when the game is over.

    `stride` is 1 or 0: the points of the game's source number s go to column s * stride, so each source has
    its own column, or all share the first. (`scoring` makes the score sheet and the scores of it.)
    """
    _unbound("tally")


@verb
def stall_progress(p: Position) -> float:
    """How near the game is to being ended by a guard rule because nobody finishes it: 0 for not at all, 1
    when it has been.

    Nobody should play for that: to bots, such a game is worth less to every seat.
    """
    _unbound("stall_progress")


@verb
def hide(p: Position, box: Box, viewer: int) -> None:
    """Blanks what `viewer` (-1: a spectator) may not know."""
    _unbound("hide")


@verb
def imagine(p: Position, box: Box, viewer: int, dice: Dice) -> None:
    """Deals what `hide` blanked for the same viewer (-1: a spectator), by `dice`: one world among those that
    the viewer cannot tell apart.

    In `p` the parts of other seats of `private` fields and all of `secret` ones are blank: 0, or -1 for a
    seat or an optional enum.
    """
    _unbound("imagine")


@_observation
def observe(p: Position, box: Box, viewer: int, out: Any) -> None:
    """Writes what the viewer may know as a row of bytes, piece by piece."""
    _unbound("observe")


@_evaluation
def evaluate(p: Position, box: Box, weights: EvalWeights, points: Points) -> float:
    """Writes the points that each seat may expect to end with, in a position in which some seat decides.

    Returns how uncertain that is: how many points more make a seat e times as likely to win.
    """
    _unbound("evaluate")


@_evaluation
def rollout_action(p: Position, box: Box, weights: EvalWeights, mask: Mask, dice: Dice) -> int:
    """What the seat that decides would do without much thought, from the legal actions in `mask`."""
    _unbound("rollout_action")


@_evaluation
def cycle_key(p: Position, box: Box) -> int:
    """A number for where the seat that decides has got to in its turn, whatever it has spent to get there.

    The same number twice in a turn means that it has gone in a circle, and has less left than before. 0 means
    that no circle is possible.
    """
    _unbound("cycle_key")


@_evaluation
def prune_redundant(p: Position, box: Box, mask: Mask) -> None:
    """Takes out of the legal actions those that only lead where others lead too. At least one is left."""
    _unbound("prune_redundant")
