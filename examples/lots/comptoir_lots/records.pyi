"""The fields of the game's records, for a type checker: written by `comptoir check --records`."""

import numpy as np
from numpy.typing import NDArray

from comptoir.engine import rule, scene

class Position(rule.Position):
    """The state of play at one moment."""

    players: int  # number
    turn: int  # seat
    ending: int  # enum
    first: int  # seat
    sold: int  # number
    cargo: NDArray[np.uint8]  # number, 4
    lot: NDArray[np.uint8]  # number, 4
    bid: int  # number
    bidder: int  # seat
    bidding: NDArray[np.uint8]  # flag, 6 seats
    coins: NDArray[np.uint8]  # number, 6 seats
    goods: NDArray[np.uint8]  # number, 6 seats x 4
    order: NDArray[np.int8]  # enum, 6 seats

class Box(rule.Box):
    """The components of one copy of the game."""

    cargo: NDArray[np.uint8]  # number, 4
    start_coins: int  # number
    start_orders: int  # number
    sale_lots: int  # number
    sale_size: int  # number
    sale_good: int  # number
    sale_ordered: int  # number
    sale_set: int  # number

class Scene(scene.Scene):
    """A view to be told or drawn, of this game."""

    raw_record: Position
    record: Position
    box: Box
