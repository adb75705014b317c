"""The fields of the game's records, for a type checker: written by `comptoir check --records`."""

import numpy as np
from numpy.typing import NDArray

from comptoir.engine import rule, scene

class Position(rule.Position):
    """The state of play at one moment."""

    players: int  # number
    turn: int  # seat
    phase: int  # enum
    ending: int  # enum
    offered: int  # enum
    deck: NDArray[np.uint8]  # number, 5
    deck_size: int  # number
    market: NDArray[np.uint8]  # number, 5
    price: NDArray[np.uint8]  # number, 5
    seen: NDArray[np.uint8]  # number, 4 seats x 5
    hand: NDArray[np.uint8]  # number, 4 seats x 5
    patron: NDArray[np.int8]  # enum, 4 seats
    cards: NDArray[np.uint8]  # number, 4 seats
    purse: NDArray[np.uint16]  # number, 4 seats

class Box(rule.Box):
    """The components of one copy of the game."""

    deck: NDArray[np.uint8]  # number, 5
    start_coins: int  # number
    start_cards: int  # number
    start_market: int  # number
    start_price: int  # number

class Scene(scene.Scene):
    """A view to be told or drawn, of this game."""

    raw_record: Position
    record: Position
    box: Box
