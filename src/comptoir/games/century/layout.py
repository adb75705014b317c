"""Where everything lies on the board of Century, in each layout.

There are two geometries of hexagons. The pointed one is large, and has room for every cube of a trade; the flat
one is small, and writes numbers. The first map lies on its side on a wide sheet, which gives larger spaces. A
map too large for the pointed geometry takes the flat one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

from comptoir.art.shapes import (
    Point,
    coord,
    translated,
)
from comptoir.games.century.rules import SPACES

# x, y, width and height of the map on the sheet
FRAMES = {"wide": (16.0, 28.0, 756.0, 584.0), "tall": (4.0, 8.0, 382.0, 490.0)}


DOCKS = {"wide": (36.0, 134.0, 31.0), "tall": (20.0, 466.0, 22.0)}  # where boats wait, and how far apart


SMALLEST_SPOT = 40


@dataclass(frozen=True, eq=False)
class HexGeometry:
    """How spaces are hexes, and where things lie on one, from its middle.

    Boats and outposts have a place for each seat.
    """

    name: str
    pointed: bool
    radius: float
    least: float  # scale; below it the other hexes is taken
    most: float
    cube: int
    boats: tuple[Point, ...]
    boat_scale: float
    outposts: tuple[Point, ...]
    outpost_scale: float
    lying: float
    lying_room: float
    letter: Point

    def place(self, x: int, y: int) -> Point:
        """Where the map's column x and half row y lie, by C8."""
        down, along = 1.5 * self.radius * x, math.sqrt(3) / 2 * self.radius * y
        return (along, down) if self.pointed else (down, along)

    def hexagon(self, inset: float = 0) -> str:
        corners = [math.pi * (k / 3 + (0.5 if self.pointed else 0)) for k in range(6)]
        r = self.radius - inset
        return "M" + "L".join(f"{coord(r * math.cos(a))} {coord(r * math.sin(a))}" for a in corners) + "Z"

    @property
    def size(self) -> Point:
        long, short = 2 * self.radius, math.sqrt(3) * self.radius
        return (short, long) if self.pointed else (long, short)


LARGE = HexGeometry(
    "large",
    pointed=True,
    radius=72,
    least=0.8,
    most=1,
    cube=16,
    boats=((43, -40), (-43, -40), (44, 35), (-44, 35)),
    boat_scale=1.05,
    outposts=((-21, 31), (-7, 31), (7, 31), (21, 31)),
    outpost_scale=0.92,
    lying=50,
    lying_room=66,
    letter=(11, -44),
)


SMALL = HexGeometry(
    "small",
    pointed=False,
    radius=47.5,
    least=0,
    most=1.5,
    cube=14,
    boats=((26, -29), (9, -29), (-9, -29), (-26, -29)),
    boat_scale=0.68,
    outposts=((-17.4, 16.5), (-5.8, 16.5), (5.8, 16.5), (17.4, 16.5)),
    outpost_scale=0.7,
    lying=31,
    lying_room=58,
    letter=(-30, 20),
)


@dataclass(frozen=True, eq=False)
class BoardLayout:
    """A map on a sheet: the hexes, where its middle lies and in what scale, and where spaces lie from there."""

    hexes: HexGeometry
    middle: Point
    scale: float
    dock: tuple[float, float, float]
    places: dict[str, Point]

    def within(self, *bodies: str) -> tuple[str, ...]:
        """Drawings in the hexes's own units, on the sheet: the parts of a group."""
        start = translated(*self.middle, "", round(self.scale, 4)).removesuffix("</g>")
        return start, *bodies, "</g>"


def board_layout(layout: str, box: Any) -> BoardLayout:
    return _layout_of(layout, tuple(map(tuple, box.map_markets.tolist() + box.map_ports.tolist())))


@cache
def _layout_of(layout: str, spaces: tuple[tuple[int, int], ...]) -> BoardLayout:
    left, top, width, height = FRAMES[layout]
    for hexes in (LARGE, SMALL):
        places = [hexes.place(x, y) for x, y in spaces]
        (low_x, low_y), (high_x, high_y) = (
            map(min, zip(*places, strict=True)),
            map(max, zip(*places, strict=True)),
        )
        across, down = hexes.size
        scale = min(width / (high_x - low_x + across), height / (high_y - low_y + down), hexes.most)
        if scale >= hexes.least:
            break
    from_middle = {
        s: (x - (low_x + high_x) / 2, y - (low_y + high_y) / 2)
        for s, (x, y) in zip(SPACES, places, strict=True)
    }
    middle = left + width / 2, top + height / 2
    x, y, step = DOCKS[layout]
    dock = (x - middle[0]) / scale, (y - middle[1]) / scale, step / scale
    return BoardLayout(hexes, middle, scale, dock, from_middle)


SIZE = {"wide": (1080, 640), "tall": (390, 676)}


# What lies next to the map: the corner of each part and the size of its pieces.
BONUS = {"wide": (790, 134, 50, 66, 54.5), "tall": (9, 532, 70, 54, 75.6)}


LOT = {"wide": (790, 134, 62, 66, 69), "tall": (9, 532, 88, 54, 94.7)}


HARVEST = {"wide": (790, 216, 268, 48), "tall": (9, 606, 132, 46)}


TAKEN = {"wide": (790, 520, 62, 52, 68.7), "tall": (148, 606, 56, 46, 59)}
