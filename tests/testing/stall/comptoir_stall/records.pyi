"""The fields of the game's records, for a type checker: written by `comptoir check --records`."""

import numpy as np
from numpy.typing import NDArray

from comptoir.engine import rule, scene

class Position(rule.Position):
    """The state of play at one moment."""

    players: int  # number
    turn: int  # seat
    ending: int  # enum
    phase: int  # enum
    offered: int  # enum
    hand: NDArray[np.uint8]  # number, 4 seats x 3
    cards: NDArray[np.uint8]  # number, 4 seats
    seen: NDArray[np.uint8]  # number, 4 seats x 3
    pile: NDArray[np.uint8]  # number, 3
    sold: NDArray[np.uint8]  # number, 3
    points: NDArray[np.uint8]  # number, 4 seats

class Box(rule.Box):
    """The components of one copy of the game."""

    goods: NDArray[np.uint8]  # number, 3
    start_cards: int  # number

class Scene(scene.Scene):
    """A view to be told or drawn, of this game."""

    raw_record: Position
    record: Position
    box: Box
