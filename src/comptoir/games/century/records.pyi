"""The fields of the game's records, for a type checker: written by `comptoir check --records`."""

import numpy as np
from numpy.typing import NDArray

from comptoir.engine import rule, scene

class Position(rule.Position):
    """The state of play at one moment."""

    players: int  # number
    open_tiles: int  # flag
    first: int  # seat
    turn: int  # seat
    phase: int  # enum
    ending: int  # enum
    round_number: int  # number
    mover: int  # seat
    moved: int  # flag
    free: int  # number
    owed: int  # number
    upgrades: int  # number
    boats: NDArray[np.int8]  # enum, 4 seats
    markets: NDArray[np.uint8]  # enum, 20
    outposts: NDArray[np.int8]  # set, 20
    ports: NDArray[np.int8]  # enum, 4
    lying: NDArray[np.uint16]  # number, 24 x 4
    hold: NDArray[np.uint16]  # number, 4 seats x 4
    hold_size: NDArray[np.uint16]  # number, 4 seats
    built: NDArray[np.uint8]  # number, 4 seats x 4
    bonus: NDArray[np.uint8]  # number, 4 seats x 5
    bonus_points: NDArray[np.uint8]  # number, 4 seats
    claimed: NDArray[np.uint8]  # number, 4 seats
    tiles: NDArray[np.uint8]  # enum, 26
    bonus_left: NDArray[np.uint8]  # number, 5
    lots: NDArray[np.uint8]  # flag, 4

class Box(rule.Box):
    """The components of one copy of the game."""

    map_markets: NDArray[np.int8]  # number, 20 x 2
    map_ports: NDArray[np.int8]  # number, 4 x 2
    map_tiles: NDArray[np.uint8]  # enum, 20
    trades: NDArray[np.uint8]  # number, 24 x 2 x 4
    vp_points: NDArray[np.uint8]  # number, 26
    vp_cost: NDArray[np.uint8]  # number, 26 x 4
    bonus_pile: NDArray[np.uint8]  # number, 4
    bonus_tiles: NDArray[np.uint8]  # number, 4
    bonus_worth: NDArray[np.uint8]  # number, 4
    board_points: NDArray[np.uint8]  # number, 5
    outpost_cost: NDArray[np.uint8]  # number, 5
    hold_room: int  # number
    hold_more: int  # number
    harvest_cubes: NDArray[np.uint8]  # number, 4
    harvest_more: NDArray[np.uint8]  # number, 4
    lots: NDArray[np.uint8]  # number, 4 x 4
    neighbours: NDArray[np.int32]  # set, 24
    distance: NDArray[np.uint8]  # number, 24 x 24

class EvalWeights(rule.EvalWeights):
    """What the evaluation goes by: evaluation.toml."""

    ability: NDArray[np.float64]
    claimed: float
    column: NDArray[np.float64]
    cube: NDArray[np.float64]
    cube_early: NDArray[np.float64]
    delay: NDArray[np.float64]
    last: float
    longest: float
    missing: NDArray[np.float64]
    network: NDArray[np.float64]
    second: float
    spread: NDArray[np.float64]
    toll: float
    unsure: float

class Scene(scene.Scene):
    """A view to be told or drawn, of this game."""

    raw_record: Position
    record: Position
    box: Box
