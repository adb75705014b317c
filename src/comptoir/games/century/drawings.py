"""What the board and the cover are drawn from: cubes, spices, boats, outposts, islands."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache

from comptoir.art.shapes import (
    CARD,
    FOAM,
    INK,
    SEA_LINE,
    SEAT_COLOURS,
    at,
    contrast_colour,
    f,
    seat_mark,
    seat_shape,
    text,
)
from comptoir.games.century.rules import CUBES, ICONS

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
    h, side, ink = size / 2, f(size), contrast_colour(COLOURS[name])
    line = f'stroke="{ink}" stroke-width="1.4" stroke-linejoin="round" stroke-linecap="round"'
    sign = _SPICES[ICONS[CUBES.index(name)]]
    return (
        f'<rect x="{f(-h)}" y="{f(-h)}" width="{side}" height="{side}" rx="{f(size / 5)}" '
        f'fill="{COLOURS[name]}" stroke="{INK}" stroke-opacity=".6"/>'
        f'<g transform="scale({size / 28:.3g})" fill="{ink}" {line}>{sign}</g>'
    )


def cube_at(name: str, size: int, x: float, y: float = 0) -> str:
    """A cube that the chart has defined (see `cube_marks`)."""
    return f'<use href="#century-{name}-{size}" x="{f(x)}" y="{f(y)}"/>'


def cube_marks(sizes: Iterable[int]) -> str:
    return "".join(
        f'<g id="century-{name}-{size}">{cube(name, size)}</g>' for size in sizes for name in CUBES
    )


def cubes_in_line(counts: Iterable[int], size: int, spread: int) -> tuple[float, str]:
    """Cubes from x = 0 rightwards, and how wide they lie: each by itself, or, if there are more than
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
    return at(x - width * scale / 2, y, body, round(scale, 3))


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
        f'<rect x="{f(-x)}" y="{f(-y)}" width="{f(width)}" height="{f(height)}" rx="5" fill="{SEA_LINE}" stroke="{INK}"/>'
        f'<rect x="{f(3 - x)}" y="{f(3 - y)}" width="{f(width - 6)}" height="{f(height - 6)}" rx="3" fill="none" '
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
    curve = "".join(f"Q{f(x)} {f(y)} {f(u)} {f(v)}" for (x, y), (u, v) in zip(shore, middles, strict=True))
    return f"M{f(middles[-1][0])} {f(middles[-1][1])}{curve}Z"


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
    hem = f"a{f(step / 2)} {f(step / 2)} 0 0 1 {f(-step)} 0Z"
    stripes = "".join(
        f'<path d="M{f(x * 0.9)} 0H{f((x + step) * 0.9)}L{f(x + step)} {f(height - step / 2)}{hem}" fill="{fill}"/>'
        for x, fill in ((n * step - width / 2, FOAM if n % 2 else SPICE_COLOURS[icon]) for n in range(8))
    )
    return f'<g stroke="{INK}" stroke-width=".8">{stripes}</g>'


def palm(x: float, y: float, scale: float = 1) -> str:
    leaves = "M0 0C-4-5-9-4-11 0M0 0C4-5 9-4 11 0M0 0C-2-7-7-9-11-7M0 0C2-7 7-9 11-7M0 0V-8"
    return at(
        x,
        y,
        f'<path d="M0 0C1 5 0 9-2 14" fill="none" stroke="{INK}" stroke-width="1.3"/>'
        f'<path d="{leaves}" fill="none" stroke="#5f7d55" stroke-width="1.7" stroke-linecap="round"/>',
        scale,
    )
