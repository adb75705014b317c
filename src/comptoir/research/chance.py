"""Chance in the open: the rules ask for each roll of the dice, and it is answered from outside.

Whoever needs chance as part of the game's tree plays an action with the answers that there are so far. If the
rules ask for one more, they note how many sides it has, and what has been played does not count: it is played
again with one answer more. So the rules stay as they are, nothing is rolled that they do not roll, and every
outcome is as likely as at the table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import cast

import numpy as np
from numpy.typing import NDArray

from comptoir.engine import modes
from comptoir.engine.dice import roll
from comptoir.engine.game import Game
from comptoir.engine.interface import legal, play, setup
from comptoir.engine.rule import Box, Dice, Mask, Position, rule

SETUP = -1  # in place of an action
# in the dice: answers given, rolls asked for, the sides of the first roll without an answer; then the answers
N_GIVEN, ASKED, SIDES, FIRST = range(4)


@rule
def scripted_roll(dice: NDArray[np.int64], sides: int) -> int:
    """Takes the place of `roll`.

    With one side there is nothing to ask; without an answer it is 0, here and from here on.
    """
    if sides == 1:
        return 0
    nth = dice[ASKED]
    dice[ASKED] += 1
    if nth < dice[N_GIVEN]:
        return int(dice[FIRST + nth])
    if nth == dice[N_GIVEN]:
        dice[SIDES] = sides
    return 0


@rule
def play_with_rolls(p: Position, box: Box, action: int, dice: Dice, mask: Mask) -> None:
    """The setup or an action, and what may be done next; if a roll has no answer, the position counts for
    nothing.
    """
    if action == SETUP:
        setup(p, box, dice)
    else:
        play(p, box, action, dice)
    if dice[SIDES] == 0 and p.turn >= 0:
        legal(p, box, mask)


def scripted_dice(given: Sequence[int]) -> NDArray[np.int64]:
    """Dice that hold these answers."""
    return np.array([len(given), 0, 0, *given], np.int64)


@cache
def with_explicit_chance(game: Game) -> Callable[[Position, Box, int, NDArray[np.int64], Mask], None]:
    """`play_with_rolls`, compiled for a game, with rolls that are answered from outside."""
    made = modes.Compiled(game.name, game.part, instead={roll: scripted_roll}).bind(play_with_rolls)
    return cast("Callable[[Position, Box, int, NDArray[np.int64], Mask], None]", made)
