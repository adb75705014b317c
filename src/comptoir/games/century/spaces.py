"""The spaces of the map as hexagons: where they lie on the sheet, and what is drawn on each.

There are two cuts. The pointed one is large, and draws every cube of a trade; the flat one is small, and
writes numbers. The first map lies on its side on a wide sheet, which gives larger spaces. A map for which
there is no room in the large cut takes the small one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache, lru_cache
from html import escape
from typing import Any

from comptoir.art.shapes import CARD, FOAM, INK, RED, SEA_LINE, Point, at, f, piece, text
from comptoir.games.century.drawings import (
    ARROW,
    DOWN,
    LAND,
    awning,
    boat,
    centred,
    coast,
    cube_at,
    cubes_in_line,
    island,
    outpost,
    palm,
    spice,
)
from comptoir.games.century.rules import CUBES, GETS, PAYS, SPACES

# x, y, width and height of the map on the sheet
FRAMES = {"wide": (16.0, 28.0, 756.0, 584.0), "tall": (4.0, 8.0, 382.0, 490.0)}
DOCKS = {"wide": (36.0, 134.0, 31.0), "tall": (20.0, 466.0, 22.0)}  # where boats wait, and how far apart
SMALLEST_SPOT = 40


@dataclass(frozen=True, eq=False)
class Cut:
    """How spaces are cut, and where things lie on one, from its middle.

    Boats and outposts have a place for each seat.
    """

    name: str
    pointed: bool
    radius: float
    least: float  # scale; below it the other cut is taken
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
        return "M" + "L".join(f"{f(r * math.cos(a))} {f(r * math.sin(a))}" for a in corners) + "Z"

    @property
    def size(self) -> Point:
        long, short = 2 * self.radius, math.sqrt(3) * self.radius
        return (short, long) if self.pointed else (long, short)


LARGE = Cut(
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
SMALL = Cut(
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
class Plan:
    """A map on a sheet: the cut, where its middle lies and in what scale, and where spaces lie from there."""

    cut: Cut
    middle: Point
    scale: float
    dock: tuple[float, float, float]
    places: dict[str, Point]

    def within(self, body: str) -> str:
        """Drawings in the cut's own units, on the sheet."""
        return at(*self.middle, body, round(self.scale, 4))


def plan(layout: str, box: Any) -> Plan:
    return _plan(layout, tuple(map(tuple, box.map_markets.tolist() + box.map_ports.tolist())))


@cache
def _plan(layout: str, spaces: tuple[tuple[int, int], ...]) -> Plan:
    left, top, width, height = FRAMES[layout]
    for cut in (LARGE, SMALL):
        places = [cut.place(x, y) for x, y in spaces]
        (low_x, low_y), (high_x, high_y) = (
            map(min, zip(*places, strict=True)),
            map(max, zip(*places, strict=True)),
        )
        across, down = cut.size
        scale = min(width / (high_x - low_x + across), height / (high_y - low_y + down), cut.most)
        if scale >= cut.least:
            break
    from_middle = {
        s: (x - (low_x + high_x) / 2, y - (low_y + high_y) / 2)
        for s, (x, y) in zip(SPACES, places, strict=True)
    }
    middle = left + width / 2, top + height / 2
    x, y, step = DOCKS[layout]
    dock = (x - middle[0]) / scale, (y - middle[1]) / scale, step / scale
    return Plan(cut, middle, scale, dock, from_middle)


def seat_marks(cut: Cut, players: int) -> str:
    """What the pieces of each seat look like."""
    return "".join(
        f'<g id="century-outpost-{cut.name}-{seat}">{at(0, 0, outpost(seat), cut.outpost_scale)}</g>'
        f'<g id="century-boat-{cut.name}-{seat}">{at(0, 0, boat(seat), cut.boat_scale)}</g>'
        for seat in range(players)
    )


# What stays


def sea_lanes(plan: Plan) -> str:
    """The hexagons, under all land."""
    return "".join(
        at(
            x,
            y,
            f'<path d="{plan.cut.hexagon()}" fill="{FOAM}" fill-opacity=".16" stroke="{SEA_LINE}" stroke-opacity=".45"/>',
        )
        for x, y in plan.places.values()
    )


def market(cut: Cut, turn: int, space: str, icon: str, trade: Any, players: int) -> str:
    """C2: an island with a market stall: what is paid, and what is got for it."""
    draw = _large_stall if cut is LARGE else _small_stall
    slots = "".join(
        f'<circle cx="{f(x)}" cy="{f(y)}" r="1.6" fill="{INK}" fill-opacity=".22"/>'
        for x, y in cut.outposts[:players]
    )
    letter = (
        f'<g stroke="{LAND}" stroke-width="3" paint-order="stroke">{_letter(space, *cut.letter, cut)}</g>'
    )
    return draw(turn, icon, trade[PAYS], trade[GETS]) + slots + letter


def _large_stall(turn: int, icon: str, pays: Any, gets: Any) -> str:
    counter = f'<rect x="-43" y="-29" width="86" height="49" rx="3" fill="{CARD}" stroke="{INK}" stroke-opacity=".45"/>'
    sign = f'<rect x="-23" y="-60" width="46" height="23" rx="11.5" fill="{CARD}" stroke="{INK}" stroke-opacity=".6"/>'
    return (
        at(0, -2, island(coast(51, 53, turn)))
        + palm(-39 if turn % 2 else 39, 25, 0.72)
        + counter
        + at(0, -40, awning(92, 14, icon))
        + sign
        + at(-10, -48.5, spice(icon, 0.86))
        + centred(*cubes_in_line(pays, 16, 5), 0, -16, 82)
        + at(0, -3.5, DOWN)
        + centred(*cubes_in_line(gets, 16, 5), 0, 9, 82)
    )


def _small_stall(turn: int, icon: str, pays: Any, gets: Any) -> str:
    paid, left = cubes_in_line(pays, 14, 1)
    got, right = cubes_in_line(gets, 14, 3 if sum(gets) == sum(n > 0 for n in gets) else 1)
    line = left + at(paid + 2, 0, ARROW) + at(paid + 12, 0, right)
    return (
        island(coast(39, 33.5, turn))
        + f'<rect x="-42" y="-14" width="84" height="22" rx="3" fill="{CARD}" stroke="{INK}" stroke-opacity=".4"/>'
        + at(0, -23, awning(86, 10, icon))
        + at(30, 15.5, spice(icon, 0.65))
        + centred(paid + 12 + got, line, 0, -2, 80)
    )


def port(cut: Cut, turn: int, space: str) -> str:
    """C3: a harbour town with its light; the tile lies before it."""
    if cut is LARGE:
        return (
            at(0, -2, island(coast(52, 54, turn)))
            + _town(0, -31, 1)
            + _anchor(1.4)
            + _letter(space, *_port_letter(cut), cut)
        )
    return (
        island(coast(39, 33.5, turn))
        + _town(2, -16, 0.62)
        + _anchor(1)
        + _letter(space, *_port_letter(cut), cut)
    )


def _port_letter(cut: Cut) -> Point:
    """In the corner of the tile, or where a tile would lie: no boat and no cube gets there."""
    return (-36, -10) if cut is LARGE else (-28, -2)


def _anchor(scale: float) -> str:
    """What is seen of a port that has no tile."""
    lines = '<path d="M0-9V10M-4-5H4M-10 3C-9 9-4 10 0 10S9 9 10 3"/><circle cy="-11" r="2.5"/>'
    return at(
        0, 0, f'<g fill="none" stroke="{INK}" stroke-opacity=".4" stroke-width="1.6">{lines}</g>', scale
    )


def _town(x: float, y: float, scale: float) -> str:
    """Roofs along the quay, and the light; their feet at y."""
    light = (
        f'<path d="M-33 0L-31-20H-25L-23 0Z" fill="{FOAM}"/><path d="M-32.5-6H-23.5M-31.7-13H-24.3" stroke="{RED}" stroke-width="3.2"/>'
        f'<path d="M-32-20H-24V-25L-28-29L-32-25Z" fill="{INK}"/>'
    )
    houses = "".join(
        f'<path d="M{u} 0V{-h}H{u + w}V0Z" fill="{FOAM}"/><path d="M{u - 2} {-h}L{u + w / 2} {-h - 7}L{u + w + 2} {-h}Z" fill="{roof}"/>'
        for u, w, h, roof in ((-16, 11, 8, RED), (-2, 10, 12, INK), (11, 12, 9, RED), (25, 9, 6, INK))
    )
    return at(x, y, f'<g stroke="{INK}" stroke-width=".9" stroke-linejoin="round">{light}{houses}</g>', scale)


def _letter(space: str, x: float, y: float, cut: Cut, fill: str = INK) -> str:
    return text(x, y, space.upper(), "name", size=16 if cut is LARGE else 14, fill=fill)


# What changes


@cache
def tile(cut: Cut, space: str, points: int, cost: tuple[int, ...]) -> str:
    """C4: a victory point tile in its port: what it is worth, and what it costs."""
    letter = _letter(space, *_port_letter(cut), cut)
    if cut is LARGE:
        return (
            _card(94, 60)
            + letter
            + text(0, -5, points, "title", size=27)
            + centred(*cubes_in_line(cost, 16, 5), 0, 15, 88)
        )
    return (
        _card(76, 38)
        + letter
        + text(0, -3, points, "title", size=18)
        + centred(*cubes_in_line(cost, 14, 1), 0, 9, 72)
    )


@cache
def closed_tile(cut: Cut, space: str, label: str) -> str:
    """C18: a chain across the harbour."""
    width, height, y = (94, 60, 14) if cut is LARGE else (76, 38, 13)
    links = f'stroke="{FOAM}" stroke-width="4" stroke-dasharray="7 4" stroke-linecap="round"'
    chain = f'<path d="M{f(22 - width / 2)}-9Q6 3 {f(width / 2 - 8)}-9" fill="none" {links}/>'
    return (
        f'<rect x="{f(-width / 2)}" y="{f(-height / 2)}" width="{width}" height="{height}" rx="5" fill="{RED}" stroke="{INK}"/>'
        + chain
        + _letter(space, *_port_letter(cut), cut, FOAM)
        + text(0, y, label, "name", fill=FOAM)
    )


def _card(width: int, height: int) -> str:
    x, y, size = -width / 2, -height / 2, f'width="{width}" height="{height}" rx="5"'
    return (
        f'<rect x="{f(x + 1.5)}" y="{f(y + 2)}" {size} fill="{INK}" opacity=".18"/>'
        f'<rect x="{f(x)}" y="{f(y)}" {size} fill="{CARD}" stroke="{INK}" stroke-opacity=".7"/>'
    )


def outpost_at(plan: Plan, space: str, seat: int, name: str) -> str:
    """C14: an outpost in its seat's place on a market."""
    (x, y), (across, down) = plan.places[space], plan.cut.outposts[seat]
    house = f'<use href="#century-outpost-{plan.cut.name}-{seat}"/>'
    return piece(f"outpost-{space}-{seat}", x + across, y + down, f"<title>{escape(name)}</title>{house}")


def lying(plan: Plan, space: str, counts: dict[str, int], names: dict[str, str]) -> str:
    """C12: cubes dropped here, a stack of each colour.

    The last is drawn first, so that the number of each lies over the next.
    """
    cut, (x, y) = plan.cut, plan.places[space]
    stacks = [(name, counts[name]) for name in CUBES if counts[name]]
    step = min(cut.cube + (7 if max(n for _, n in stacks) > 1 else 2), cut.lying_room / len(stacks))
    x -= step * (len(stacks) - 1) / 2
    parts = [
        piece(
            f"lying-{space}-{name}",
            x + k * step,
            y + cut.lying,
            f"<title>{escape(names[name])}</title>"
            + cube_at(name, cut.cube, 0)
            + (_number(n) if n > 1 else ""),
        )
        for k, (name, n) in enumerate(stacks)
    ]
    return "".join(reversed(parts))


@lru_cache(maxsize=256)
def _number(n: int) -> str:
    """How many lie in a stack."""
    half = 3 + 3.5 * len(str(n))
    plate = f'<rect x="{f(8 - half)}" y="1" width="{f(2 * half)}" height="13" rx="6.5" fill="{FOAM}" stroke="{INK}"/>'
    return plate + text(8, 11.5, n, "number", fill=INK)


def boat_at(plan: Plan, seat: int, space: str | None, name: str) -> str:
    """A boat on its space, in its seat's corner; before it is placed (C7) it waits in a corner of the
    sheet.
    """
    cut = plan.cut
    if space is None:
        x, y, step = plan.dock
        x += step * seat
    else:
        x, y = plan.places[space][0] + cut.boats[seat][0], plan.places[space][1] + cut.boats[seat][1]
    # the space under a boat can be chosen
    hull = f'<use href="#century-boat-{cut.name}-{seat}" pointer-events="none"/>'
    return piece(f"boat-{seat}", x, y, f"<title>{escape(name)}</title>{hull}", "boat")


def spots_on(plan: Plan, titles: dict[str, str]) -> str:
    """Every space as a spot, its ring a hexagon like the space."""
    cut = plan.cut
    ring = cut.hexagon(min(1.5, cut.radius - SMALLEST_SPOT / math.sqrt(3) / plan.scale))
    return "".join(
        f'<g class="spot" data-spot="space-{space}" transform="translate({f(x)} {f(y)})"><title>{escape(titles[space])}</title>'
        f'<path class="ring" d="{ring}"/></g>'
        for space, (x, y) in plan.places.items()
    )
