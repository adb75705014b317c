"""Where everything lies on the board of Marco Polo Expedition, in each layout."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from comptoir.art.shapes import (
    Point,
)
from comptoir.games.marco_polo.rules import (
    BOX,
    first_places,
    last_places,
)

if TYPE_CHECKING:
    from comptoir.games.marco_polo.records import Scene

SIZE = {"wide": (1080, 640), "tall": (390, 672)}


@dataclass(frozen=True)
class BoardLayout:
    """Where things are in one of the two layouts."""

    rows: int  # of the road
    left: float
    right: float
    bottom: float  # of the road: where its first row is
    rise: float  # from the first row to the last
    wave: float  # how far a row swings up and down
    camel: float  # the scale of camels
    fan: float  # between camels that share Ganzhou
    abreast: int  # how many of them stand side by side
    city: float  # the room that Ganzhou takes, in spaces
    chest: float  # the scale of chests
    coin: float  # the radius of coins
    plate: tuple[float, float]
    below: float  # from the road down to the plates
    card: float  # the scale of the open cards
    open_row: Point  # of the first open card
    card_step: float  # from one open card to the next
    pile: Point
    discards: Point
    toll: Point  # of the panel that shows what the next space demands, and what is laid for it
    toll_size: tuple[float, float]
    slots: Point  # of the first card laid
    slot: float  # the scale of cards laid
    slot_step: float


WIDE = BoardLayout(
    rows=3,
    left=72,
    right=1000,
    bottom=412,
    rise=306,
    wave=12,
    camel=1,
    fan=42,
    abreast=5,
    city=2.4,
    chest=1,
    coin=10.5,
    plate=(90, 42),
    below=13,
    card=0.92,
    open_row=(350, 534),
    card_step=65,
    pile=(694, 534),
    discards=(766, 534),
    toll=(18, 514),
    toll_size=(312, 112),
    slots=(36, 552),
    slot=0.7,
    slot_step=55,
)


TALL = BoardLayout(
    rows=5,
    left=36,
    right=354,
    bottom=406,
    rise=348,
    wave=3,
    camel=0.72,
    fan=30,
    abreast=3,
    city=1.2,
    chest=0.8,
    coin=8.5,
    plate=(62, 36),
    below=8,
    card=0.72,
    open_row=(12, 488),
    card_step=52,
    pile=(281, 488),
    discards=(333, 488),
    toll=(12, 564),
    toll_size=(366, 62),
    slots=(206, 572),
    slot=0.5,
    slot_step=35,
)


LAYOUTS = {"wide": WIDE, "tall": TALL}


ROOM_IN_FIVE_ROWS = 30  # spaces


# The track


@dataclass(frozen=True)
class Track:
    """What a box says of the spaces, as far as it is drawn."""

    spaces: int
    ganzhou: int
    dadu: int
    demands: tuple[int, ...]
    chests: tuple[int, ...]
    first_gold: tuple[int, ...]  # of each space at the first scoring
    last_gold: tuple[int, ...]  # and at the end


@dataclass(frozen=True)
class SpacePosition:
    """Where a space is on the board."""

    x: float
    y: float
    leftwards: bool  # so runs the road there


def track_of(scene: Scene) -> Track:
    return _track_of_box(scene.components.box.tobytes())


@lru_cache(maxsize=64)
def _track_of_box(raw: bytes) -> Track:
    """The track of a box, which its own bytes name: they can be looked up where a record cannot."""
    box: Any = np.frombuffer(raw, BOX.dtype).view(np.recarray)[0]
    dadu = int(box.cities_dadu)
    return Track(
        spaces=dadu + 1,
        ganzhou=int(box.cities_ganzhou),
        dadu=dadu,
        demands=tuple(int(demand) for demand in box.track_demands[: dadu + 1]),
        chests=tuple(int(gold) for gold in box.track_chests[: dadu + 1]),
        first_gold=tuple(first_places(box, space) for space in range(dadu + 1)),
        last_gold=tuple(last_places(box, space) for space in range(dadu + 1)),
    )


@lru_cache(maxsize=64)
def positions_of(layout: str, track: Track) -> tuple[SpacePosition, ...]:
    """The spaces in rows that swing, from the bottom up, to and fro."""
    board, rows = LAYOUTS[layout], rows_of(layout, track.spaces)
    found = []
    for row in range(rows):
        here = range(row * track.spaces // rows, (row + 1) * track.spaces // rows)
        ways = _distances([board.city if space == track.ganzhou else 1 for space in here])
        for way in ways:
            share = way / ways[-1]
            x = board.left + (board.right - board.left) * (1 - share if row % 2 else share)
            y = board.bottom - board.rise * row / (rows - 1) + board.wave * math.sin(way * 0.9 + row * 2)
            found.append(SpacePosition(x, y, row % 2 == 1))
    return tuple(found)


def _distances(packages: list[float]) -> list[float]:
    """How far along a row each of its spaces is, by the room they take."""
    ways = [0.0]
    for one, other in pairwise(packages):
        ways.append(ways[-1] + (one + other) / 2)
    return ways


def rows_of(layout: str, spaces: int) -> int:
    """A track longer than ours takes one row more on a phone."""
    return LAYOUTS[layout].rows + (layout == "tall" and spaces > ROOM_IN_FIVE_ROWS)


def plate_width(layout: str, spaces: int) -> float:
    """Narrower plates for a track longer than ours."""
    board = LAYOUTS[layout]
    most = math.ceil(spaces / rows_of(layout, spaces))
    return min(board.plate[0], (board.right - board.left) / (most - 2 + board.city) - 2)
