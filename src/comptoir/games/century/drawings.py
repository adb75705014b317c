"""What the board and the cover are drawn from: cubes, spices, boats, outposts, islands."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Any

from comptoir.art.shapes import (
    CARD,
    FOAM,
    INK,
    RED,
    SEA_LINE,
    SEAT_COLOURS,
    Point,
    contrast_colour,
    coord,
    escape,
    piece,
    seat_mark,
    seat_shape,
    text,
    translated,
)
from comptoir.games.century.layout import LARGE, SMALLEST_SPOT, BoardLayout, HexGeometry
from comptoir.games.century.rules import CUBES, GETS, ICONS, PAYS

COLOURS = {"yellow": "#e3b83c", "red": "#b5352b", "green": "#3d7a4a", "brown": "#6b4630"}


SPICE_COLOURS = dict(zip(ICONS, COLOURS.values(), strict=True))


LAND, HILL = "#efe1bd", "#d9c797"


_SPICES = {
    "ginger": '<path d="M-9 2C-10-3-5-5-3-2C-4-8 2-9 3-4C8-6 11 0 6 3C8 7 3 9 0 6C-4 9-9 7-9 2Z"/>'
    '<path d="M-5 1Q-3 3-1 2M3 0Q4 2 6 1" fill="none"/>',
    "chili": '<path d="M-2-6C4-7 7-3 5 2C3 7-3 10-9 9C-4 7-5 3-5 0C-6-3-5-6-2-6Z"/>'
    '<path d="M-2-6C-1-9 1-11 5-10" fill="none" stroke-width="2"/>',
    "tea": '<path d="M-9 7C-10-5-1-10 9-9C9 2 4 9-9 7Z"/><path d="M-10 9L4-5M-4 3L-4-3M0-1L5 0" fill="none"/>',
    "cloves": '<path d="M-1.6 10L-2.6-1H2.6L1.6 10Z"/><path d="M-2.6-1L-7-5L-2-4.5M2.6-1L7-5L2-4.5"/><circle cy="-6" r="3.4"/>',
}


_BONUS = {
    "points": '<path d="M0-11L3-4L11-3.5L5 1.5L7 9L0 5L-7 9L-5 1.5L-11-3.5L-3-4Z"/>',
    "move": '<path d="M-12 3H8Q5 9-2 9T-12 3ZM-3 3V-10L6 0H-3"/><path d="M8-8L12-4L8 0M13-8L17-4L13 0" fill="none"/>',
    "upgrade": '<path d="M-11 0H0V10H-11Z"/><path d="M7 10V-8M2-3L7-9L12-3" fill="none" stroke-width="2"/>',
    "harvest": '<path d="M-10-2Q0 4 10-2L7 9H-7Z"/><path d="M-6-3Q-6-9 0-11Q6-9 6-3" fill="none"/><path d="M-9 2Q0 7 9 2" fill="none"/>',
    "hold": '<path d="M-11-4Q0-10 11-4V9H-11Z"/><path d="M-11 1H11M-3-1H3V5H-3Z" fill="none"/>',
}


# Cubes


@cache
def cube(name: str, size: float = 16) -> str:
    """A cube of a colour of the rules around (0, 0), with the sign of its spice: nobody has to decode a
    letter.
    """
    h, side, ink = size / 2, coord(size), contrast_colour(COLOURS[name])
    line = f'stroke="{ink}" stroke-width="1.4" stroke-linejoin="round" stroke-linecap="round"'
    sign = _SPICES[ICONS[CUBES.index(name)]]
    return (
        f'<rect x="{coord(-h)}" y="{coord(-h)}" width="{side}" height="{side}" rx="{coord(size / 5)}" '
        f'fill="{COLOURS[name]}" stroke="{INK}" stroke-opacity=".6"/>'
        f'<g transform="scale({size / 28:.3g})" fill="{ink}" {line}>{sign}</g>'
    )


def cube_at(name: str, size: int, x: float, y: float = 0) -> str:
    """A cube that the chart has defined (see `cube_marks`)."""
    return f'<use href="#century-{name}-{size}" x="{coord(x)}" y="{coord(y)}"/>'


def cube_marks(sizes: Iterable[int]) -> str:
    return "".join(
        f'<g id="century-{name}-{size}">{cube(name, size)}</g>' for size in sizes for name in CUBES
    )


def cubes_in_line(counts: Iterable[int], size: int, spread: int) -> tuple[float, str]:
    """Cubes from x = 0 rightwards, and how wide they lie: each on its own, or, if there are more than
    `spread`, a number for each colour.
    """
    numbers = [int(n) for n in counts]
    x, parts = 0.0, []
    for name, n in zip(CUBES, numbers, strict=True):
        if sum(numbers) <= spread:
            parts += [cube_at(name, size, x + (size + 1) * k + size / 2) for k in range(n)]
            x += (size + 1) * n
        elif n:
            if n > 1:
                parts.append(text(x, 4.5, n, "number", "start", 13, INK))
                x += 8.5 * len(str(n))
            parts.append(cube_at(name, size, x + size / 2))
            x += size + 2
    return max(x - 1, 0), "".join(parts)


def centred(width: float, body: str, x: float, y: float, room: float) -> str:
    """A line around (x, y), made smaller if it does not fit."""
    scale = min(1.0, room / width) if width else 1
    return translated(x - width * scale / 2, y, body, round(scale, 3))


HULL = "M-15-6L-13-5.5H12L15.5-7.5C14.5 1 11 6 6 6H-7C-11 5-14 1-15-6Z"  # of a boat, 30 by 14


ARROW = f'<path d="M0 0H7M4-3.5L7.5 0L4 3.5" fill="none" stroke="{INK}" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round"/>'


DOWN = f'<path d="M-5-2.5L0 2.5L5-2.5" fill="none" stroke="{INK}" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round"/>'


# Things


def spice(icon: str, scale: float = 1) -> str:
    """The glyph of an icon."""
    line = f'stroke="{INK}" stroke-width="1.2" stroke-linejoin="round" stroke-linecap="round"'
    return f'<g transform="scale({scale:g})" fill="{SPICE_COLOURS[icon]}" {line}>{_SPICES[icon]}</g>'


def bonus_glyph(kind: str, scale: float = 1) -> str:
    """The glyph of a kind of bonus tile."""
    fill = COLOURS["red"] if kind == "harvest" else "#c9b98f"
    line = f'stroke="{INK}" stroke-width="1.4" stroke-linejoin="round" stroke-linecap="round"'
    return f'<g transform="scale({scale:g})" fill="{fill}" {line}>{_BONUS[kind]}</g>'


def boat(seat: int) -> str:
    """A junk of 30 by 34 around (0, 0): its hull in the seat's colour, the seat's shape on the sail."""
    return (
        f'<ellipse cy="14.5" rx="15" ry="3.5" fill="{INK}" opacity=".22"/>'
        f'<path d="M-9-14.5L8-17C13-9 12-1 9.5 4H-8.5C-11-3-11-9-9-14.5Z" fill="{FOAM}" stroke="{INK}" stroke-width="1.1"/>'
        f'<path d="M-9.5-9.5L11-11.5M-9.8-4H11" stroke="{INK}" stroke-opacity=".3" stroke-width=".8"/>'
        f'<path d="{HULL}" transform="translate(0 9.5)" fill="{SEAT_COLOURS[seat]}" '
        f'stroke="{FOAM}" stroke-width="1.5"/>' + seat_mark(seat, 0.6, -5.5, 0.66)
    )


def junk(hull: str, sail: str, line: str = INK) -> str:
    """A large junk of three sails, 120 by 110, its waterline at (0, 0)."""
    sails = "".join(
        f'<g transform="translate({x} {y}) scale({s})">'
        f'<path d="M-16-52C0-58 10-56 15-50C20-34 19-14 14 0H-17C-21-18-21-36-16-52Z" fill="{sail}"/>'
        f'<path d="M-18.5-41L17.5-42M-19.5-28H18.5M-19.5-14L17-13.5M0-60V8" fill="none" stroke-opacity=".55" stroke-width="1"/></g>'
        for x, y, s in ((-36, -22, 0.62), (0, -16, 1.1), (38, -24, 0.7))
    )
    return (
        f'<g stroke="{line}" stroke-width="1.3" stroke-linejoin="round">{sails}'
        f'<path d="M-62-26L-54-24L-46-14H42L54-26L62-30C60-14 52-2 42 0H-44C-54-4-60-14-62-26Z" fill="{hull}"/>'
        f'<path d="M-57-13C-30-5 28-5 57-14" fill="none" stroke-opacity=".5"/><path d="M0-82L14-86L0-77" fill="{hull}"/></g>'
    )


def outpost(seat: int) -> str:
    """A trading house of 16 by 16: the seat's colour, and its shape on the front."""
    return (
        f'<path d="M-8-.5L0-8L8-.5H6V7.5H-6V-.5Z" fill="{SEAT_COLOURS[seat]}" stroke="{FOAM}" stroke-width="1.3" stroke-linejoin="round"/>'
        + seat_shape(seat, 0, 2.2, 0.46)
    )


def tile_back(width: float, height: float) -> str:
    """A victory point tile face down, around (0, 0)."""
    x, y = width / 2, height / 2
    return (
        f'<rect x="{coord(-x)}" y="{coord(-y)}" width="{coord(width)}" height="{coord(height)}" rx="5" fill="{SEA_LINE}" stroke="{INK}"/>'
        f'<rect x="{coord(3 - x)}" y="{coord(3 - y)}" width="{coord(width - 6)}" height="{coord(height - 6)}" rx="3" fill="none" '
        f'stroke="{CARD}" stroke-opacity=".6"/>'
    )


# Land


def coast(rx: float, ry: float, turn: float, points: int = 14) -> str:
    """The outline of an island around (0, 0), as the d of a path; `turn` makes each another."""
    shore = []
    for k in range(points):
        a = 2 * math.pi * k / points
        r = (
            1
            + 0.055 * math.sin(2 * a + turn * 1.7)
            + 0.045 * math.sin(3 * a + turn * 2.9)
            + 0.03 * math.sin(5 * a + turn)
        )
        shore.append((rx * r * math.cos(a), ry * r * math.sin(a)))
    middles = [
        ((x + u) / 2, (y + v) / 2) for (x, y), (u, v) in zip(shore, [*shore[1:], shore[0]], strict=True)
    ]
    curve = "".join(
        f"Q{coord(x)} {coord(y)} {coord(u)} {coord(v)}" for (x, y), (u, v) in zip(shore, middles, strict=True)
    )
    return f"M{coord(middles[-1][0])} {coord(middles[-1][1])}{curve}Z"


def island(outline: str) -> str:
    """Land with the lines that charts draw along a shore."""
    lines = "".join(
        f'<path d="{outline}" fill="none" stroke="{SEA_LINE}" stroke-opacity="{opacity}" stroke-width="{width}"/>'
        for width, opacity in ((17, 0.1), (10, 0.14), (4.5, 0.2))
    )
    return f'{lines}<path d="{outline}" fill="{LAND}" stroke="{INK}" stroke-opacity=".6" stroke-width="1.1"/>'


def awning(width: float, height: float, icon: str) -> str:
    """A market's striped canopy, its top edge around (0, 0)."""
    step = width / 8
    hem = f"a{coord(step / 2)} {coord(step / 2)} 0 0 1 {coord(-step)} 0Z"
    stripes = "".join(
        f'<path d="M{coord(x * 0.9)} 0H{coord((x + step) * 0.9)}L{coord(x + step)} {coord(height - step / 2)}{hem}" fill="{fill}"/>'
        for x, fill in ((n * step - width / 2, FOAM if n % 2 else SPICE_COLOURS[icon]) for n in range(8))
    )
    return f'<g stroke="{INK}" stroke-width=".8">{stripes}</g>'


def palm(x: float, y: float, scale: float = 1) -> str:
    leaves = "M0 0C-4-5-9-4-11 0M0 0C4-5 9-4 11 0M0 0C-2-7-7-9-11-7M0 0C2-7 7-9 11-7M0 0V-8"
    return translated(
        x,
        y,
        f'<path d="M0 0C1 5 0 9-2 14" fill="none" stroke="{INK}" stroke-width="1.3"/>'
        f'<path d="{leaves}" fill="none" stroke="#5f7d55" stroke-width="1.7" stroke-linecap="round"/>',
        scale,
    )


def seat_marks(hexes: HexGeometry, players: int) -> str:
    """What the pieces of each seat look like."""
    return "".join(
        f'<g id="century-outpost-{hexes.name}-{seat}">{translated(0, 0, outpost(seat), hexes.outpost_scale)}</g>'
        f'<g id="century-boat-{hexes.name}-{seat}">{translated(0, 0, boat(seat), hexes.boat_scale)}</g>'
        for seat in range(players)
    )


# What stays


def sea_lanes(board: BoardLayout) -> str:
    """The hexagons, under all land."""
    return "".join(
        translated(
            x,
            y,
            f'<path d="{board.hexes.hexagon()}" fill="{FOAM}" fill-opacity=".16" stroke="{SEA_LINE}" stroke-opacity=".45"/>',
        )
        for x, y in board.places.values()
    )


def market(hexes: HexGeometry, turn: int, space: str, icon: str, trade: Any, players: int) -> str:
    """C2: an island with a market stall: what is paid, and what is got for it."""
    draw = _large_stall if hexes is LARGE else _small_stall
    slots = "".join(
        f'<circle cx="{coord(x)}" cy="{coord(y)}" r="1.6" fill="{INK}" fill-opacity=".22"/>'
        for x, y in hexes.outposts[:players]
    )
    letter = (
        f'<g stroke="{LAND}" stroke-width="3" paint-order="stroke">{_letter(space, *hexes.letter, hexes)}</g>'
    )
    return draw(turn, icon, trade[PAYS], trade[GETS]) + slots + letter


def _large_stall(turn: int, icon: str, pays: Any, gets: Any) -> str:
    counter = f'<rect x="-43" y="-29" width="86" height="49" rx="3" fill="{CARD}" stroke="{INK}" stroke-opacity=".45"/>'
    sign = f'<rect x="-23" y="-60" width="46" height="23" rx="11.5" fill="{CARD}" stroke="{INK}" stroke-opacity=".6"/>'
    return (
        translated(0, -2, island(coast(51, 53, turn)))
        + palm(-39 if turn % 2 else 39, 25, 0.72)
        + counter
        + translated(0, -40, awning(92, 14, icon))
        + sign
        + translated(-10, -48.5, spice(icon, 0.86))
        + centred(*cubes_in_line(pays, 16, 5), 0, -16, 82)
        + translated(0, -3.5, DOWN)
        + centred(*cubes_in_line(gets, 16, 5), 0, 9, 82)
    )


def _small_stall(turn: int, icon: str, pays: Any, gets: Any) -> str:
    paid, left = cubes_in_line(pays, 14, 1)
    got, right = cubes_in_line(gets, 14, 3 if sum(gets) == sum(n > 0 for n in gets) else 1)
    line = left + translated(paid + 2, 0, ARROW) + translated(paid + 12, 0, right)
    return (
        island(coast(39, 33.5, turn))
        + f'<rect x="-42" y="-14" width="84" height="22" rx="3" fill="{CARD}" stroke="{INK}" stroke-opacity=".4"/>'
        + translated(0, -23, awning(86, 10, icon))
        + translated(30, 15.5, spice(icon, 0.65))
        + centred(paid + 12 + got, line, 0, -2, 80)
    )


def port(hexes: HexGeometry, turn: int, space: str) -> str:
    """C3: a harbour town with its light; the tile lies before it."""
    if hexes is LARGE:
        return (
            translated(0, -2, island(coast(52, 54, turn)))
            + _town(0, -31, 1)
            + _anchor(1.4)
            + _letter(space, *_port_letter(hexes), hexes)
        )
    return (
        island(coast(39, 33.5, turn))
        + _town(2, -16, 0.62)
        + _anchor(1)
        + _letter(space, *_port_letter(hexes), hexes)
    )


def _port_letter(hexes: HexGeometry) -> Point:
    """In the corner of the tile, or where a tile would lie: no boat and no cube gets there."""
    return (-36, -10) if hexes is LARGE else (-28, -2)


def _anchor(scale: float) -> str:
    """What is seen of a port that has no tile."""
    lines = '<path d="M0-9V10M-4-5H4M-10 3C-9 9-4 10 0 10S9 9 10 3"/><circle cy="-11" r="2.5"/>'
    return translated(
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
    return translated(
        x, y, f'<g stroke="{INK}" stroke-width=".9" stroke-linejoin="round">{light}{houses}</g>', scale
    )


def _letter(space: str, x: float, y: float, hexes: HexGeometry, fill: str = INK) -> str:
    return text(x, y, space.upper(), "name", size=16 if hexes is LARGE else 14, fill=fill)


# What changes


@cache
def tile(hexes: HexGeometry, space: str, points: int, cost: tuple[int, ...]) -> str:
    """C4: a victory point tile in its port: what it is worth, and what it costs."""
    letter = _letter(space, *_port_letter(hexes), hexes)
    if hexes is LARGE:
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
def closed_tile(hexes: HexGeometry, space: str, label: str) -> str:
    """C18: a chain across the harbour."""
    width, height, y = (94, 60, 14) if hexes is LARGE else (76, 38, 13)
    links = f'stroke="{FOAM}" stroke-width="4" stroke-dasharray="7 4" stroke-linecap="round"'
    chain = f'<path d="M{coord(22 - width / 2)}-9Q6 3 {coord(width / 2 - 8)}-9" fill="none" {links}/>'
    return (
        f'<rect x="{coord(-width / 2)}" y="{coord(-height / 2)}" width="{width}" height="{height}" rx="5" fill="{RED}" stroke="{INK}"/>'
        + chain
        + _letter(space, *_port_letter(hexes), hexes, FOAM)
        + text(0, y, label, "name", fill=FOAM)
    )


def _card(width: int, height: int) -> str:
    x, y, size = -width / 2, -height / 2, f'width="{width}" height="{height}" rx="5"'
    return (
        f'<rect x="{coord(x + 1.5)}" y="{coord(y + 2)}" {size} fill="{INK}" opacity=".18"/>'
        f'<rect x="{coord(x)}" y="{coord(y)}" {size} fill="{CARD}" stroke="{INK}" stroke-opacity=".7"/>'
    )


def outpost_at(board: BoardLayout, space: str, seat: int, name: str) -> str:
    """C14: an outpost in its seat's place on a market."""
    (x, y), (across, down) = board.places[space], board.hexes.outposts[seat]
    house = f'<use href="#century-outpost-{board.hexes.name}-{seat}"/>'
    return piece(f"outpost-{space}-{seat}", x + across, y + down, f"<title>{escape(name)}</title>{house}")


def lying(board: BoardLayout, space: str, counts: dict[str, int], names: dict[str, str]) -> str:
    """C12: cubes dropped here, a stack of each colour.

    The last is drawn first, so that the number of each lies over the next.
    """
    hexes, (x, y) = board.hexes, board.places[space]
    stacks = [(name, counts[name]) for name in CUBES if counts[name]]
    step = min(hexes.cube + (7 if max(n for _, n in stacks) > 1 else 2), hexes.lying_room / len(stacks))
    x -= step * (len(stacks) - 1) / 2
    parts = [
        piece(
            f"lying-{space}-{name}",
            x + k * step,
            y + hexes.lying,
            f"<title>{escape(names[name])}</title>"
            + cube_at(name, hexes.cube, 0)
            + (_number(n) if n > 1 else ""),
        )
        for k, (name, n) in enumerate(stacks)
    ]
    return "".join(reversed(parts))


@lru_cache(maxsize=256)
def _number(n: int) -> str:
    """How many lie in a stack."""
    half = 3 + 3.5 * len(str(n))
    plate = f'<rect x="{coord(8 - half)}" y="1" width="{coord(2 * half)}" height="13" rx="6.5" fill="{FOAM}" stroke="{INK}"/>'
    return plate + text(8, 11.5, n, "number", fill=INK)


def boat_at(board: BoardLayout, seat: int, space: str | None, name: str) -> str:
    """A boat on its space, in its seat's corner; before it is placed (C7) it waits in a corner of the
    sheet.
    """
    hexes = board.hexes
    if space is None:
        x, y, step = board.dock
        x += step * seat
    else:
        x, y = board.places[space][0] + hexes.boats[seat][0], board.places[space][1] + hexes.boats[seat][1]
    # the space under a boat can be chosen
    hull = f'<use href="#century-boat-{hexes.name}-{seat}" pointer-events="none"/>'
    return piece(f"boat-{seat}", x, y, f"<title>{escape(name)}</title>{hull}", "boat")


def spot_on(board: BoardLayout, space: str, title: str) -> str:
    """A space as a spot, its ring a hexagon like the space."""
    x, y = board.places[space]
    ring = board.hexes.hexagon(min(1.5, board.hexes.radius - SMALLEST_SPOT / math.sqrt(3) / board.scale))
    return (
        f'<g class="spot" data-spot="space-{space}" transform="translate({coord(x)} {coord(y)})"><title>{escape(title)}</title>'
        f'<path class="ring" d="{ring}"/></g>'
    )
