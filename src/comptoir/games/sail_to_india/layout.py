"""Where everything lies on the board of Sail to India, in each layout and for each number of players.

The coast runs as the voyage did: down the west of Africa, round the Cape, up the east, across, and down
India.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from comptoir.art.shapes import Point
from comptoir.games.sail_to_india.rules import MARKERS, row_length

SIZE = {"wide": (1080, 640), "tall": (390, 776)}


@dataclass(frozen=True)
class Rect:
    """A rectangle, by its corner."""

    x: float
    y: float
    width: float
    height: float

    @property
    def centre(self) -> Point:
        return self.x + self.width / 2, self.y + self.height / 2

    def moved(self, x: float, y: float) -> Rect:
        return Rect(self.x + x, self.y + y, self.width, self.height)


@dataclass(frozen=True)
class Mat:
    """The places of one seat's pieces, on the board itself."""

    box: Rect
    bank: Rect
    history: Rect
    speed: Rect
    reserve: Rect
    wealth: tuple[Point, ...]  # where a banker stands who keeps 1, 2, … 5
    points: tuple[Point, ...]  # and a historian
    paces: tuple[Point, ...]  # the shipbuilder at speed 1, 2, 3
    scientists: tuple[Point, ...]
    idle: tuple[Point, ...]  # markers in reserve
    lift: Point  # from one marker to the next on the same place


@dataclass(frozen=True)
class BoardLayout:
    """One layout for one number of players."""

    wide: bool
    frame: Rect  # of the chart proper
    rows: int  # of towns on each coast
    towns: tuple[Point, ...]  # the middle of each town's land
    seas: tuple[Point, ...]  # and of its sea
    space: tuple[float, float]  # the size of a space on land
    spaces: tuple[Point, ...]  # a, b, c, d from the middle of the town
    thing: tuple[float, float, float]  # on a space: where its good or building is drawn, and how large
    marker: tuple[float, float, float]  # and a marker that lies there; markers on the coast are as large
    sea: tuple[float, float]  # the size of a sea
    lanes: tuple[float, ...]  # how high the ships of each seat lie, from the middle of the sea
    lane: float  # how far they may spread
    lisbon: Rect
    quays: tuple[Point, ...]  # where the markers of each seat start, on Lisbon
    quay: float
    technologies: tuple[Rect, ...]
    scientist: Point  # on a technology, from its corner
    mats: tuple[Mat, ...]
    sale: Rect
    fourth: Rect  # the mat that three players leave free
    sale_columns: tuple[float, float, float, float]  # of one kind sold; each more is a width further
    legend: Rect
    state: Point  # the round and what is left of the turn

    @property
    def layout(self) -> str:
        return "wide" if self.wide else "tall"


@cache
def board_layout(layout: str, players: int) -> BoardLayout:
    return _wide(players) if layout == "wide" else _tall(players)


def coast_of(town: int, rows: int) -> tuple[int, int]:
    """Which of the three coasts a town is on, and in which row: down, up, down."""
    coast, nth = divmod(town, rows)
    return coast, rows - 1 - nth if coast == 1 else nth


def _places(rows: int, xs: tuple[float, ...], top: float, bottom: float) -> tuple[Point, ...]:
    pitch = (bottom - top) / rows
    coasts = (coast_of(town, rows) for town in range(3 * rows))
    return tuple((xs[coast], top + pitch * (row + 0.5)) for coast, row in coasts)


def _rows(players: int) -> int:
    """A third of the towns lies on each coast."""
    return row_length(players) // 3


def _wide(players: int) -> BoardLayout:
    rows, top, bottom = _rows(players), 104, 474
    mats = tuple(_wide_mat(808, 12 + 123 * seat) for seat in range(4))
    return BoardLayout(
        wide=True,
        frame=Rect(10, 10, 786, 490),
        rows=rows,
        towns=_places(rows, (183, 362, 708), top, bottom),
        seas=_places(rows, (66, 478, 590), top, bottom),
        space=(56, 45),
        spaces=((-28.5, -23), (28.5, -23), (-28.5, 23), (28.5, 23)),
        thing=(-12, 0, 1.15),
        marker=(14, 3, 1.2),
        sea=(92, 88),
        lanes=tuple(-33 + 21 * seat for seat in range(4)),
        lane=64,
        lisbon=Rect(112, 17, 262, 64),
        quays=((256, 36), (320, 36), (256, 64), (320, 64)),
        quay=43,
        technologies=tuple(Rect(14 + 131.4 * (nth % 6), 529 + 53 * (nth // 6), 126, 50) for nth in range(12)),
        scientist=(113, 37),
        mats=mats[:players],
        fourth=mats[3].box,
        sale=Rect(808, 510, 262, 121),
        sale_columns=(808 + 76, 540, 30, 60),
        legend=Rect(14, 504, 783, 21),
        state=(714, 38),
    )


def _wide_mat(x: float, y: float) -> Mat:
    def row(left: float, top: float, n: int, step: float) -> tuple[Point, ...]:
        return tuple((x + left + step * nth, y + top) for nth in range(n))

    return Mat(
        box=Rect(x, y, 262, 117),
        bank=Rect(8, 28, 124, 42).moved(x, y),
        history=Rect(134, 28, 124, 42).moved(x, y),
        speed=Rect(8, 72, 90, 42).moved(x, y),
        reserve=Rect(168, 72, 90, 42).moved(x, y),
        wealth=row(44, 57, 5, 19),
        points=row(170, 57, 5, 19),
        paces=row(44, 101, 3, 19),
        scientists=row(111, 101, 3, 19),
        idle=row(170, 101, MARKERS, 10),
        lift=(0, -7),
    )


def _tall(players: int) -> BoardLayout:
    rows, top, bottom = _rows(players), 55, 407
    mats = tuple(_tall_mat(6 + 191 * (seat % 2), 601 + 76 * (seat // 2)) for seat in range(4))
    return BoardLayout(
        wide=False,
        frame=Rect(3, 3, 384, 413),
        rows=rows,
        towns=_places(rows, (93, 177, 344), top, bottom),
        seas=_places(rows, (29, 241, 282), top, bottom),
        space=(40, 43),
        spaces=((-20, -21.5), (20, -21.5), (-20, 21.5), (20, 21.5)),
        thing=(-6, -7, 1.05),
        marker=(9, 11, 1.1),
        sea=(42, 86),
        lanes=tuple(-31 + 20.5 * seat for seat in range(4)),
        lane=14,
        lisbon=Rect(52, 8, 267, 42),
        quays=tuple((155 + 43 * seat, 29) for seat in range(4)),
        quay=23,
        technologies=tuple(Rect(6 + 95 * (nth % 4), 423 + 44 * (nth // 4), 93, 42) for nth in range(12)),
        scientist=(82, 31),
        mats=mats[:players],
        fourth=mats[3].box,
        sale=Rect(6, 556, 378, 42),
        sale_columns=(6 + 46, 558, 55, 38),
        legend=Rect(6, 754, 378, 19),
        state=(352, 24),
    )


def _tall_mat(x: float, y: float) -> Mat:
    def heap(left: float) -> tuple[Point, ...]:
        return ((x + left + 10, y + 61),) * 5

    return Mat(
        box=Rect(x, y, 187, 74),
        bank=Rect(5, 29, 43, 42).moved(x, y),
        history=Rect(50, 29, 43, 42).moved(x, y),
        speed=Rect(95, 29, 43, 42).moved(x, y),
        reserve=Rect(140, 29, 43, 42).moved(x, y),
        wealth=heap(5),
        points=heap(50),
        paces=tuple((x + 105 + 11.5 * nth, y + 59) for nth in range(3)),
        scientists=tuple((x + 114 + 13 * nth, y + 14) for nth in range(3)),
        idle=tuple((x + 148 + 9 * (nth % 4), y + 63 - 11 * (nth // 4)) for nth in reversed(range(MARKERS))),
        lift=(8, 0),
    )
