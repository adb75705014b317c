"""Where everything lies on the board of Batavia, in each layout."""

from __future__ import annotations

import math
from dataclasses import dataclass

from comptoir.art.shapes import (
    Point,
)
from comptoir.games.batavia.rules import (
    SPACES,
)

SIZE = {"wide": (1080, 640), "tall": (390, 796)}


@dataclass(frozen=True)
class BoardLayout:
    """Where things lie in one layout. Boxes are x, y, width, height."""

    frame: tuple[float, float, float, float]  # of the sea
    route: tuple[Point, ...]  # start, the 35 spaces, arrival
    tile: tuple[float, float]
    posts: tuple[Point, ...]
    post: tuple[float, float]
    sets: tuple[float, float, float, float]  # what tiles traded in bring
    square: tuple[float, float, float, float]  # of a post: the first company's middle, the step, the size
    scale: tuple[float, float, float, float]  # of laid ships: the first cell, and a cell's size with its gap
    companies: tuple[Point, ...]
    company: tuple[float, float]
    auction: tuple[float, float, float, float]
    pile: Point
    discards: Point


def _route(
    columns: int, left: float, step: float, foot: float, rise: float, sway: float
) -> tuple[Point, ...]:
    """A winding way from the lower left, two cells for the start, then a cell for each space and for the
    arrival tile.
    """
    cells = [0.5, *range(2, SPACES + 3)]
    return tuple(_cell(cell, columns, left, step, foot, rise, sway) for cell in cells)


def _cell(
    cell: float, columns: int, left: float, step: float, foot: float, rise: float, sway: float
) -> Point:
    row, along = divmod(cell, columns)
    column = along if row % 2 == 0 else columns - 1 - along
    return left + column * step, foot - row * rise + sway * math.sin(column * 0.9 + row * 1.7)


LAYOUTS = {
    "wide": BoardLayout(
        frame=(14, 14, 736, 400),
        route=_route(10, 58, 70, 361, 92, 8),
        tile=(48, 50),
        posts=tuple((766, 42 + 38 * i) for i in range(7)),
        post=(300, 36),
        sets=(766, 309, 300, 34),
        square=(176, 18, 26, 22),
        scale=(143, 488, 23.35, 22),
        companies=tuple((14 + 148.4 * i, 540) for i in range(5)),
        company=(142.4, 87),
        auction=(766, 350, 300, 277),
        pile=(986, 424),
        discards=(1037, 424),
    ),
    "tall": BoardLayout(
        frame=(8, 8, 374, 369),
        route=_route(7, 35, 53.3, 340, 58, 3),
        tile=(44, 46),
        posts=tuple((8 + 191 * (i // 4), 384 + 42 * (i % 4)) for i in range(7)),
        post=(183, 40),
        sets=(8, 760, 374, 32),
        square=(101.5, 20, 17.5, 16.5),
        scale=(9, 556, 14.3, 17),
        companies=tuple((8 + 75 * i, 599) for i in range(5)),
        company=(74, 62),
        auction=(8, 665, 374, 91),
        pile=(216, 530),
        discards=(306, 530),
    ),
}
