"""The fields of the game's records, for a type checker: written by `comptoir check --records`."""

import numpy as np
from numpy.typing import NDArray

from comptoir.engine import rule, scene

class Position(rule.Position):
    """The state of play at one moment."""

    players: int  # number
    setup: int  # enum
    open_bills: int  # flag
    turn: int  # seat
    phase: int  # enum
    ending: int  # enum
    round_number: int  # number
    first: int  # seat
    moved: int  # number
    still: int  # number
    lot: NDArray[np.uint8]  # number, 5
    bid: int  # number
    bidder: int  # seat
    bidding: NDArray[np.uint8]  # flag, 5 seats
    bills: NDArray[np.uint8]  # number, 5 seats
    pile: NDArray[np.uint8]  # number, 5
    pile_size: int  # number
    discards: NDArray[np.uint8]  # number, 5
    hand: NDArray[np.uint8]  # number, 5 seats x 5
    hand_size: NDArray[np.uint8]  # number, 5 seats
    seen: NDArray[np.uint8]  # number, 5 seats x 5
    drawn: NDArray[np.uint8]  # number, 5 seats x 5
    drawn_size: NDArray[np.uint8]  # number, 5 seats
    laid: NDArray[np.uint8]  # number, 5 seats x 5
    markers: NDArray[np.uint8]  # number, 5
    seals: NDArray[np.int8]  # seat, 5
    merchants: NDArray[np.uint8]  # number, 5 seats
    tiles: NDArray[np.uint8]  # enum, 5 x 7
    face_up: int  # number
    held: NDArray[np.uint8]  # number, 5 seats x 5
    fresh: int  # enum
    crates: NDArray[np.uint8]  # number, 5 seats
    gold: NDArray[np.uint8]  # number, 5 seats
    arrival: int  # seat

class Box(rule.Box):
    """The components of one copy of the game."""

    ship_cards: NDArray[np.uint8]  # number, 5
    gold_sole: NDArray[np.uint8]  # number, 7
    gold_shared: NDArray[np.uint8]  # number, 7
    gold_set: NDArray[np.uint8]  # number, 6
    gold_bills_sole: int  # number
    gold_bills_shared: int  # number
    gold_arrival: int  # number
    gold_seal: int  # number
    pirates_at: NDArray[np.uint8]  # number, 6
    start_bills: int  # number
    start_crates: int  # number
    start_hand: int  # number
    printed_order: NDArray[np.uint8]  # enum, 35

class EvalWeights(rule.EvalWeights):
    """What the evaluation goes by: evaluation.toml."""

    bill: float
    boat: float
    card: float
    dear: float
    dear_good: float
    eager: float
    fresh: float
    grip: float
    grip_free: float
    grip_late: float
    lead: float
    move: float
    near: float
    new_kind: float
    others: float
    own: NDArray[np.float64]
    pace: float
    patient: float
    road: float
    road_late: float
    seal: float
    set: NDArray[np.float64]
    spare: float
    spread: float
    spread_end: float
    unhurried: float
    ways: NDArray[np.float64]
    whim: float

class Scene(scene.Scene):
    """A view to be told or drawn, of this game."""

    raw_record: Position
    record: Position
    box: Box
