"""The fields of the game's records, for a type checker: written by `comptoir check --records`."""

import numpy as np
from numpy.typing import NDArray

from comptoir.engine import rule, scene

class Position(rule.Position):
    """The state of play at one moment."""

    players: int  # number
    setup: int  # enum
    turn: int  # seat
    phase: int  # enum
    recalling: int  # flag
    ending: int  # enum
    first: int  # seat
    round_number: int  # number
    closing: int  # enum
    closer: int  # seat
    india: int  # seat
    face_up: int  # number
    row: NDArray[np.int8]  # enum, 12
    boxed: NDArray[np.int8]  # enum, 3
    reserve: NDArray[np.uint8]  # number, 4 seats
    lisbon: NDArray[np.uint8]  # number, 4 seats
    ships: NDArray[np.uint8]  # number, 4 seats x 12
    land: NDArray[np.int64]  # set, 4 seats
    wealth: NDArray[np.uint8]  # number, 4 seats
    vp: NDArray[np.uint8]  # number, 4 seats
    speed: NDArray[np.uint8]  # number, 4 seats
    scientists: NDArray[np.uint8]  # number, 4 seats
    technologies: NDArray[np.int8]  # seat, 12
    points: int  # number
    discovered: int  # flag
    voyage: int  # flag
    geography: int  # enum
    printed: int  # flag
    built: int  # flag
    banked: int  # flag
    sailed: NDArray[np.uint8]  # number, 12
    home: int  # number
    chronicler: int  # flag
    departed: int  # number
    sold: int  # set
    vp_due: int  # number
    wealth_due: int  # number

class Box(rule.Box):
    """The components of one copy of the game."""

    towns_goods: NDArray[np.uint8]  # enum, 12 x 2
    towns_buildings: NDArray[np.uint8]  # enum, 12 x 2
    towns_recommended: NDArray[np.uint8]  # enum, 3
    technologies_cost: NDArray[np.uint8]  # number, 12
    sale_wealth: NDArray[np.uint8]  # number, 7
    sale_vp: NDArray[np.uint8]  # number, 7
    cost_activate: int  # number
    cost_build: int  # number
    cost_speed: NDArray[np.uint8]  # number, 2
    cost_cartography: int  # number
    cost_banking: int  # number
    start_wealth: NDArray[np.uint8]  # number, 4 seats
    start_markers: int  # number
    start_scientists: int  # number
    points_stronghold: int  # number
    points_church: int  # number
    points_market: int  # number
    points_renaissance: int  # number
    points_evangelisation: int  # number
    points_guild: int  # number
    points_east_india_company: int  # number

class EvalWeights(rule.EvalWeights):
    """What the evaluation goes by: evaluation.toml."""

    action: float
    crowd: float
    distant: float
    far: float
    frontier: float
    horizon: float
    idle: float
    longest: float
    longing: float
    marker: float
    market: float
    more_wealth: float
    near: float
    ready: float
    room: float
    rounds_a_marker: float
    rounds_a_town: float
    rounds_a_voyage: float
    site: float
    speed: NDArray[np.float64]
    spread_end: float
    spread_round: float
    stronghold: float
    technology: NDArray[np.float64]
    tie_break: float
    wealth: float

class Scene(scene.Scene):
    """A view to be told or drawn, of this game."""

    raw_record: Position
    record: Position
    box: Box
