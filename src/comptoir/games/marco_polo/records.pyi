"""The fields of the game's records, for a type checker: written by `comptoir check --records`."""

import numpy as np
from numpy.typing import NDArray

from comptoir.engine import rule, scene

class Position(rule.Position):
    """The state of play at one moment."""

    players: int  # number
    first: int  # seat
    two_players: int  # enum
    turn: int  # seat
    phase: int  # enum
    ending: int  # enum
    still: int  # number
    moving: int  # number
    stopped: NDArray[np.uint8]  # flag, 2
    lightened: int  # flag
    paid: int  # counts
    camels: NDArray[np.int8]  # number, 5 seats x 2
    reached: NDArray[np.int64]  # set, 5 seats
    scored: int  # flag
    gold: NDArray[np.uint8]  # number, 5 seats
    chests: NDArray[np.uint8]  # number, 5 seats
    ganzhou: NDArray[np.uint8]  # number, 5 seats
    spent: NDArray[np.uint8]  # number, 5 seats
    row: int  # counts
    row_size: int  # number
    pile: int  # counts
    pile_size: int  # number
    discards: int  # counts
    hand: NDArray[np.int64]  # counts, 5 seats
    hand_size: NDArray[np.uint8]  # number, 5 seats
    seen: NDArray[np.int64]  # counts, 5 seats
    drawn: NDArray[np.int64]  # counts, 5 seats
    drawn_size: NDArray[np.uint8]  # number, 5 seats

class Box(rule.Box):
    """The components of one copy of the game."""

    cards: NDArray[np.uint8]  # number, 5
    start_hand: int  # number
    start_gold: int  # number
    start_row: int  # number
    cities_ganzhou: int  # number
    cities_dadu: int  # number
    scoring_ganzhou: NDArray[np.uint8]  # number, at most 10
    scoring_dadu: NDArray[np.uint8]  # number, at most 10
    track_demands: NDArray[np.uint8]  # enum, at most 40
    track_chests: NDArray[np.uint8]  # number, at most 40

class EvalWeights(rule.EvalWeights):
    """What the evaluation goes by: evaluation.toml."""

    chest: NDArray[np.float64]
    city: NDArray[np.float64]
    draw: float
    go_on: float
    jump: float
    lighten: float
    lightening: float
    loose: float
    near: float
    pace: NDArray[np.float64]
    ready: float
    rivalry: float
    second: float
    spare: NDArray[np.float64]
    spread: NDArray[np.float64]
    spread_turn: NDArray[np.float64]

class Scene(scene.Scene):
    """A view to be told or drawn, of this game."""

    raw_record: Position
    record: Position
    box: Box
