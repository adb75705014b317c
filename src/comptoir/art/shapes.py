"""The parts that boards are drawn from.

Each gives a piece of SVG; words and colours of one game stay in that game.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Sequence
from functools import lru_cache

INK, PAPER, SECOND_PAPER, CARD = "#22303c", "#f3e8d0", "#e9dab8", "#fbf4e2"
SEA, SEA_LINE, GOLD, RED, FOAM = "#cfdcd6", "#5d8791", "#b98a2f", "#9c2f27", "#fff8e8"
SEAT_COLOURS = ("#c8501e", "#1f6fa8", "#1d8a63", "#8a4f9e", "#b07d10", "#2f7a86", "#a8385a", "#66752a")
_SHAPES = (
    '<path d="M0-8L8 7H-8Z"/>',
    '<path d="M-7-7H7V7H-7Z"/>',
    '<circle r="7.5"/>',
    '<path d="M0-9L8 0L0 9L-8 0Z"/>',
    '<path d="M0-9L2.4-3L9-2.8L3.8 1.2L5.6 7.6L0 3.9L-5.6 7.6L-3.8 1.2L-9-2.8L-2.4-3Z"/>',
    '<path d="M0 8L-8-7H8Z"/>',
    '<path d="M-3-8H3V-3H8V3H3V8H-3V3H-8V-3H-3Z"/>',
    '<path d="M-4-8H4L8 0L4 8H-4L-8 0Z"/>',
)
_SIZES = {"title": 19, "name": 16, "label": 12, "number": 12, "initial": 12, "letter": 12}
_PAINTS = {"number": f'fill="{INK}" fill-opacity=".8"', "initial": f'fill="{FOAM}"'}
Point = tuple[float, float]


class SvgParts(str):
    """SVG with the parts that it was put together from: a page compares them with those that it shows."""

    parts: Sequence[str]


def joined(parts: Iterable[str | Sequence[str]]) -> SvgParts:
    """Parts, and lists of them, as one drawing."""
    all_parts: list[str] = []
    for part in parts:
        if isinstance(part, str):
            all_parts.append(part)
        else:
            all_parts += part
    made = SvgParts("".join(all_parts))
    made.parts = all_parts
    return made


@lru_cache(maxsize=8192)
def escape(said: str) -> str:
    """A text as HTML. The same few are on every page."""
    return html.escape(said)


@lru_cache(maxsize=4096)
def coord(x: float) -> str:
    """A coordinate, as short as it can be."""
    return f"{x + 0.0:.1f}".removesuffix(".0")  # + 0.0: to the cache 0 and -0 are the same


def translated(x: float, y: float, body: str, scale: float = 1) -> str:
    """A group moved to a place."""
    size = f" scale({scale:g})" if scale != 1 else ""
    return f'<g transform="translate({coord(x)} {coord(y)}){size}">{body}</g>'


def piece(id: str, x: float, y: float, body: str, kind: str = "") -> str:
    """Something that moves: the page glides it from where it was to where it is, so its id must stay the same
    all match long.
    """
    return f'<g id="{id}" class="piece{" " + kind if kind else ""}" transform="translate({coord(x)} {coord(y)})">{body}</g>'


def spot(
    name: str, x: float, y: float, width: float, height: float, body: str = "", radius: float = 7
) -> str:
    """A place that can be chosen, around (x, y): the page lights its ring when an action is about it.

    At least 40 wide and high on our boards; `comptoir.testing.boards` says what is asked of all.
    """
    ring = f'<rect class="ring" x="{coord(-width / 2)}" y="{coord(-height / 2)}" width="{coord(width)}" height="{coord(height)}" rx="{coord(radius)}"/>'
    return f'<g class="spot" data-spot="{name}" transform="translate({coord(x)} {coord(y)})">{body}{ring}</g>'


def text(
    x: float,
    y: float,
    said: object,
    kind: str = "label",
    anchor: str = "middle",
    size: float = 0,
    fill: str = "",
) -> str:
    """Words. Kinds: title, name (Garamond); label, number, letter, initial (Inter, from light to bold).

    board.css gives a kind its font; size and colour are the kind's own unless given. A number is fainter, an
    initial light. After it is a space: two texts side by side are not to be read as one.
    """
    paint = f'fill="{fill}"' if fill else _PAINTS.get(kind, f'fill="{INK}"')
    place = f'x="{coord(x)}" y="{coord(y)}" text-anchor="{anchor}"'
    return f'<text class="{kind}" {place} font-size="{size or _SIZES[kind]:g}" {paint}>{escape(str(said))}</text> '


def truncated(name: str, most: int) -> str:
    """A name, cut where there is no room for all its letters."""
    return name if len(name) <= most else f"{name[: most - 1]}…"


def contrast_colour(colour: str) -> str:
    """What can be read on a colour, given as #rrggbb: ink, or light paint on what is dark."""
    red, green, blue = (int(colour[n : n + 2], 16) for n in (1, 3, 5))
    return INK if 0.3 * red + 0.6 * green + 0.1 * blue > 140 else FOAM


def curve(points: Sequence[Point], closed: bool = False) -> str:
    """A line that runs smoothly through points, as the d of a path."""
    around = [points[-1], *points, *points[:2]] if closed else [points[0], *points, points[-1]]
    line = f"M{coord(points[0][0])} {coord(points[0][1])}"
    for (ax, ay), (bx, by), (cx, cy), (dx, dy) in zip(
        around, around[1:], around[2:], around[3:], strict=False
    ):
        line += f"C{coord(bx + (cx - ax) / 6)} {coord(by + (cy - ay) / 6)} {coord(cx - (dx - bx) / 6)} {coord(cy - (dy - by) / 6)} {coord(cx)} {coord(cy)}"
    return line + "Z" if closed else line


def paper(width: float, height: float) -> str:
    """The sheet that a chart is drawn on, with what other parts refer to."""
    return (
        f'<defs><radialGradient id="paper" cx=".5" cy=".45" r=".8"><stop offset="0" stop-color="{PAPER}"/>'
        f'<stop offset="1" stop-color="{SECOND_PAPER}"/></radialGradient>'
        '<pattern id="waves" width="46" height="22" patternUnits="userSpaceOnUse">'
        f'<path d="M0 11q5.75-6 11.5 0t11.5 0" fill="none" stroke="{SEA_LINE}" stroke-opacity=".22"/></pattern></defs>'
        f'<rect width="{coord(width)}" height="{coord(height)}" rx="14" fill="url(#paper)"/>'
    )


def sea(outline: str) -> str:
    """Water within an outline, given as the d of a path."""
    return f'<path d="{outline}" fill="{SEA}"/><path d="{outline}" fill="url(#waves)" stroke="{SEA_LINE}" stroke-width="1.5"/>'


def rhumbs(x: float, y: float, length: float) -> str:
    """The lines of a sea chart, from one point to all winds."""
    ends = (
        (x + length * math.cos(a * math.pi / 8), y + length * math.sin(a * math.pi / 8)) for a in range(16)
    )
    lines = "".join(f"M{coord(x)} {coord(y)}L{coord(u)} {coord(v)}" for u, v in ends)
    return f'<path d="{lines}" stroke="{INK}" stroke-opacity=".06" fill="none"/>'


def rose(x: float, y: float, radius: float = 34) -> str:
    """A compass rose."""
    star = "".join(
        f'<path transform="rotate({a})" d="M0-34L5 0L0 6L-5 0Z" fill-opacity="{0.7 if a % 90 == 0 else 0.25}"/>'
        for a in range(0, 360, 45)
    )
    body = f'<g stroke="{INK}" stroke-opacity=".5" fill="{GOLD}" fill-opacity=".55"><circle r="26" fill="none"/>{star}</g>'
    return translated(x, y, body, radius / 34)


def seat_colour(seat: int) -> str:
    """After the eighth seat they begin again."""
    return SEAT_COLOURS[seat % len(SEAT_COLOURS)]


def _shape(seat: int) -> str:
    return _SHAPES[seat % len(_SHAPES)]


def seat_mark(seat: int, x: float = 0, y: float = 0, scale: float = 1) -> str:
    """A seat's shape in its colour."""
    body = f'<g fill="{seat_colour(seat)}" stroke="{FOAM}" stroke-width="1.6">{_shape(seat)}</g>'
    return translated(x, y, body, scale)


def seat_shape(seat: int, x: float = 0, y: float = 0, scale: float = 1) -> str:
    """A seat's shape in light paint, for what has the seat's colour itself."""
    return translated(x, y, f'<g fill="{FOAM}">{_shape(seat)}</g>', scale)


def meeple(seat: int) -> str:
    """A person on the board, in the seat's colour and with its shape; `initial` goes on the breast."""
    return (
        f'<ellipse cy="17" rx="13" ry="4" fill="{INK}" opacity=".25"/>'
        f'<path d="M-11 16C-11 2-6-2-5-6A6 6 0 1 1 5-6C6-2 11 2 11 16Z" fill="{seat_colour(seat)}" stroke="{FOAM}" stroke-width="1.8"/>'
        + seat_shape(seat, 0, -11, 0.42)
    )


def initial(name: str) -> str:
    """A merchant's letter: the first of its seat's name."""
    return text(0, 11, name[:1].upper(), "initial")


def panel(x: float, y: float, width: float, height: float, body: str = "", radius: float = 8) -> str:
    """A light card on the paper; its body is drawn from its corner."""
    rect = f'<rect width="{coord(width)}" height="{coord(height)}" rx="{coord(radius)}" fill="{CARD}" stroke="{INK}" stroke-opacity=".35"/>'
    return translated(x, y, rect + body)


def sheet(width: float, height: float, radius: float = 7, fill: str = CARD) -> str:
    """The face of a card or tile, from its corner: what lies in a hand, or on the board."""
    size = f'x=".5" y=".5" width="{coord(width - 1)}" height="{coord(height - 1)}" rx="{coord(radius)}"'
    return f'<rect {size} fill="{fill}" stroke="{INK}" stroke-opacity=".55"/>'


def cube(colour: str, letter: str, size: float = 16) -> str:
    """A wooden cube around (0, 0), with a letter in addition to its colour, light on dark wood and never below 11 on
    a cube of 14.
    """
    h, side = size / 2, coord(size)
    font = max(size * 0.66, 11) if size >= 14 else size * 0.78
    return (
        f'<rect x="{coord(-h)}" y="{coord(-h)}" width="{side}" height="{side}" rx="{coord(size / 6)}" fill="{colour}" stroke="{INK}"/>'
        f'<path d="M{coord(1.8 - h)} {coord(h - 2)}V{coord(1.8 - h)}H{coord(h - 2)}" fill="none" stroke="#fff" stroke-opacity=".4"/>'
        + text(0, font * 0.36, letter, "letter", size=font, fill=contrast_colour(colour))
    )


_EYES: tuple[tuple[Point, ...], ...] = (
    ((0, 0),),
    ((-5, -5), (5, 5)),
    ((-5, -5), (0, 0), (5, 5)),
    ((-5, -5), (5, -5), (-5, 5), (5, 5)),
    ((-5, -5), (5, -5), (0, 0), (-5, 5), (5, 5)),
    ((-5, -5), (5, -5), (-5, 0), (5, 0), (-5, 5), (5, 5)),
)


def die(face: int) -> str:
    """A die around (0, 0), 20 wide, with the face that it shows on top."""
    eyes = "".join(f'<circle cx="{coord(x)}" cy="{coord(y)}" r="2.1"/>' for x, y in _EYES[face - 1])
    block = f'<rect x="-10" y="-10" width="20" height="20" rx="4.5" fill="{FOAM}" stroke="{INK}" stroke-width="1.4"/>'
    return f'{block}<g fill="{INK}">{eyes}</g>'
