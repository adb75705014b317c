"""What every game can do, and what its modules define.

A game's `rules.py` defines these functions, its `observation.py` and `evaluation.py` the last ones; `modes`
puts them in place of the ones here.

So a loop over them is written once, for all games, and compiled once for each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NoReturn, ParamSpec, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from comptoir.engine.rule import (
    Box,
    Dice,
    EvalWeights,
    Function,
    Mask,
    Points,
    Position,
    Records,
    Scores,
    rule,
)

if TYPE_CHECKING:
    from types import FunctionType

    from rich.console import RenderableType

    from comptoir.engine.actions import Action, Actions
    from comptoir.engine.board_items import Card, Fact
    from comptoir.engine.choice import Choice
    from comptoir.engine.invariants import Invariants
    from comptoir.engine.observation import Feature
    from comptoir.engine.option import Option
    from comptoir.engine.recap import ActionStep, Highlight
    from comptoir.engine.scene import Scene
    from comptoir.engine.schema import Schema
    from comptoir.engine.why import Why
    from comptoir.engine.words import Words

Params = ParamSpec("Params")
Returned = TypeVar("Returned")
PositionT = TypeVar("PositionT", bound=Position)
BoxT = TypeVar("BoxT", bound=Box)
ScenePart = TypeVar("ScenePart", bound="Scene", contravariant=True)


class RuleSet(Protocol):
    """A game's rules, and the engine's loops over them, all run in one way: what `modes` makes."""

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
        positions: Records,
        box: Box,
        seed: int,
        mask: Mask,
        dice: Dice,
        lengths: NDArray[np.int32],
        endings: NDArray[np.uint8],
        results: Scores,
        stride: int,
    ) -> None: ...
    def perft(
        self, positions: Records, box: Box, masks: NDArray[np.uint64], dice: Dice, depth: int
    ) -> int: ...

    def bind(self, function: Callable[Params, Returned]) -> Callable[Params, Returned]:
        """Any other rule or loop, for this game and run in this way."""

    def reachable(self, *functions: Callable[..., object]) -> set[FunctionType]:
        """These functions as the game has them, all that they call, and so on."""

    def fingerprint(self, *functions: Callable[..., object]) -> str:
        """A hash of all that decides what these functions do, compiled."""


class RulesModule(Protocol[PositionT, BoxT]):
    """A game's `rules.py`, with what `comptoir.defaults` adds to it."""

    VERSION: int
    PLAYERS: tuple[int, int]
    DEFAULT_PLAYERS: int
    POSITION: Schema[PositionT]
    BOX: Schema[BoxT]
    ACTIONS: Actions
    OPTIONS: tuple[Option, ...]
    ENDINGS: tuple[str, ...]
    SOURCES: tuple[str, ...]
    TIE_BREAKS: tuple[str, ...]
    MAX_DECISIONS: int
    MAX_POINTS: int
    PERFECT_INFORMATION: bool
    INVARIANTS: Invariants

    def setup(self, p: PositionT, box: BoxT, dice: Dice) -> None: ...
    def legal(self, p: PositionT, box: BoxT, mask: Mask) -> None: ...
    def play(self, p: PositionT, box: BoxT, action: int, dice: Dice) -> None: ...
    def tally(self, p: PositionT, box: BoxT, out: Scores, stride: int) -> None: ...
    def hide(self, p: PositionT, box: BoxT, viewer: int) -> None: ...
    def imagine(self, p: PositionT, box: BoxT, viewer: int, dice: Dice) -> None: ...
    def stall_progress(self, p: PositionT) -> float: ...
    def violated_invariant(self, p: PositionT, box: BoxT) -> tuple[int, int]: ...
    def check_position(self, p: PositionT, box: BoxT) -> list[str]: ...
    def check_box(self, box: BoxT) -> list[str]: ...


class WhyModule(Protocol):
    """A game's `why.py`: which rule forbids an action."""

    def why_not(self, p: Position, box: Box, action: int) -> Why: ...


class ObservationModule(Protocol):
    """A game's `observation.py`."""

    FEATURES: tuple[Feature, ...]


class EvaluationModule(Protocol):
    """A game's `evaluation.py`."""

    DEFAULT_EVALUATION: dict[str, object]


class LabModule(Protocol):
    """A game's `lab.py`: what its designers count."""

    SECONDS: dict[str, float]
    DEFAULT_SECONDS: float
    FORCED_SECONDS: float

    def components(self, box: Box) -> Iterable[str]: ...
    def uses(self, before: Position, action: Action, after: Position, box: Box) -> Iterable[str]: ...


class StoryModule(Protocol[ScenePart]):
    """A game's `story.py`: what happened, what to decide and what a choice would do, in words."""

    def recap(self, steps: Sequence[ActionStep[ScenePart]]) -> tuple[str, list[Highlight]]: ...
    def log_lines(self, before: ScenePart, action: Action, after: ScenePart) -> list[str]: ...
    def prompt(self, scene: ScenePart) -> str: ...
    def choice(self, scene: ScenePart, action: Action) -> Choice: ...
    def effect(self, scene: ScenePart, action: Action) -> str: ...


class TerminalModule(Protocol[ScenePart]):
    """A game's `terminal.py`: the table as text."""

    def draw(self, scene: ScenePart) -> RenderableType: ...


class BoardParts(Protocol[ScenePart]):
    """A game's `board.py`: the table as a picture (art/board.py says what each part is)."""

    SIZE: dict[str, tuple[int, int]]

    def chart(self, scene: ScenePart) -> str: ...
    def pieces(self, scene: ScenePart) -> str: ...
    def spots(self, scene: ScenePart, action: Action) -> list[str]: ...
    def hand(self, scene: ScenePart) -> list[Card]: ...
    def facts(self, scene: ScenePart, seat: int) -> list[Fact]: ...


class BoardModule(BoardParts[ScenePart], Protocol[ScenePart]):
    """The same, with what `comptoir.defaults` adds to it."""

    def svg(self, scene: ScenePart) -> str: ...


class CoverModule(Protocol):
    """A game's `cover.py`: the picture on its box."""

    def cover(self, words: Words) -> str: ...


def _unbound(name: str) -> NoReturn:
    raise RuntimeError(f"the rule {name!r} has no game: get the loop from engine.modes")


def game_function(function: Function, part: str = "rules") -> Function:
    function.module_of = part  # type: ignore[attr-defined]  # the module of the game's folder that defines it
    return rule(function)


def _evaluation(function: Function) -> Function:
    return game_function(function, "evaluation")


def _observation(function: Function) -> Function:
    return game_function(function, "observation")


@game_function
def setup(p: Position, box: Box, dice: Dice) -> None:
    """Lays out a game on a position that holds its options and zeros."""
    _unbound("setup")


@game_function
def legal(p: Position, box: Box, mask: Mask) -> None:
    """Adds to an empty mask what the seat to decide may do: never nothing, while the game is on."""
    _unbound("legal")


@game_function
def play(p: Position, box: Box, action: int, dice: Dice) -> None:
    """Carries out a legal action, and all that follows from it until a seat must decide or the game is
    over.
    """
    _unbound("play")


@game_function
def tally(p: Position, box: Box, out: Scores, stride: int) -> None:
    """Adds up every seat's points in a row of zeros, then the tie-breaks: final when the game is over.

    `stride` is 1 or 0: the points of the game's source number s go to column s * stride, so each source has
    its own column, or all share the first. (`scoring` makes the score sheet and the scores of it.)
    """
    _unbound("tally")


@game_function
def stall_progress(p: Position) -> float:
    """How near the game is to being ended by a stall rule because nobody finishes it: 0 for not at all, 1
    when it has been.

    Nobody should play for that: to bots, such a game is worth less to every seat.
    """
    _unbound("stall_progress")


@game_function
def hide(p: Position, box: Box, viewer: int) -> None:
    """Blanks what `viewer` (-1: a spectator) may not know."""
    _unbound("hide")


@game_function
def imagine(p: Position, box: Box, viewer: int, dice: Dice) -> None:
    """Deals what `hide` blanked for the same viewer (-1: a spectator), by `dice`: one world among those that
    the viewer cannot tell apart.

    In `p` the parts of other seats of `private` fields and all of `secret` ones are blank: 0, or -1 for a
    seat or an optional enum.
    """
    _unbound("imagine")


@_observation
def observe(p: Position, box: Box, viewer: int, out: NDArray[np.uint8]) -> None:
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


@_evaluation
def prune_uncommon(p: Position, box: Box, mask: Mask) -> None:
    """Takes out of the legal actions those that few people would consider, however good: for the levels that
    play against beginners. At least one is left.
    """
    _unbound("prune_uncommon")
