"""The cover: the sea of hexagons from a quay, at daybreak, with islands and junks to the horizon and the four
spices before it.
"""

from __future__ import annotations

import math

from comptoir.art.board import COVER_SIZE
from comptoir.art.shapes import CARD, FOAM, INK, PAPER, RED, SEA, SEA_LINE, coord, paper, text, translated
from comptoir.engine.words import Words
from comptoir.games.century.drawings import (
    COLOURS,
    HILL,
    LAND,
    SPICE_COLOURS,
    awning,
    coast,
    junk,
    palm,
    spice,
)
from comptoir.games.century.rules import ICONS

HORIZON, MIDDLE, DEPTH = 196, 322, 290  # of the picture; DEPTH is how many units a step is at a distance of 1
RADIUS = 0.46
SUN = (470, 166)
# Where things stand on the sea's grid: column and row, what, and which icon or how it is turned.
ISLANDS = (
    (1, 9, "hill", 2),
    (8, 8, "market", 0),
    (-6, 7, "market", 2),
    (2, 6, "market", 1),
    (-6, 5, "hill", 9),
    (-1, 5, "market", 0),
    (4, 4, "port", 4),
    (-2, 3, "market", 1),
    (2, 2, "market", 2),
    (0, 1, "market", 3),
    (2, 1, "palms", 6),
)
SURF = ((26, 0.25), (14, 0.4), (6, 0.7))  # width and opacity of the foam around an island
# hull and sail
JUNKS = (
    (-1, 9, INK, PAPER),
    (4, 6, INK, FOAM),
    (-4, 6, "#1d8a63", FOAM),
    (2, 4, "#1f6fa8", FOAM),
    (-2, 1, RED, "#ecd3ab"),
)


def cover(words: Words) -> str:
    """The scene, with the game's title in its sky."""
    width, height = COVER_SIZE
    return (
        f'<defs><clipPath id="century-cover"><rect width="{width}" height="{height}" rx="14"/></clipPath></defs>{paper(width, height)}'
        f'<g clip-path="url(#century-cover)">{_sky()}{_sea()}{_archipelago()}{_quay()}</g>{_title(words)}'
    )


def _title(words: Words) -> str:
    first, _, rest = words.say("game.title").partition(":")
    return text(40, 92, first.strip(), "title", "start", 74) + text(
        43, 136, rest.strip(), "title", "start", 29
    )


# Sky


def _sky() -> str:
    x, y = SUN
    rays = "".join(
        f"M{coord(x + 62 * math.cos(a))} {coord(y + 62 * math.sin(a))}L{coord(x + 700 * math.cos(a))} {coord(y + 700 * math.sin(a))}"
        for a in (math.pi * (1 + n / 22) for n in range(23))
    )
    glow = ((86, 0.1), (64, 0.16), (44, 0.75))  # radius and opacity
    sun = "".join(
        f'<circle cx="{x}" cy="{y}" r="{r}" fill="{COLOURS["yellow"]}" fill-opacity="{o}"/>' for r, o in glow
    )
    clouds = _cloud(300, 150, 1) + _cloud(560, 96, 0.8) + _cloud(96, 168, 0.7)
    return f'<path d="{rays}" stroke="{INK}" stroke-opacity=".08"/>{sun}{clouds}{_birds()}{_far_land()}'


def _cloud(x: float, y: float, scale: float) -> str:
    """A bank of cloud as charts draw it, in lines."""
    bank = "M-60 8H52C62 8 62-4 50-4C50-14 34-16 28-8C22-20 0-20-4-8C-14-14-26-8-26 0C-40-4-48 2-46 8"
    body = (
        f'<g stroke="{INK}" stroke-linecap="round"><path d="{bank}" fill="{CARD}" fill-opacity=".85" stroke-opacity=".4"/>'
        '<path d="M-34 14H66M-6 20H38" stroke-opacity=".25"/></g>'
    )
    return translated(x, y, body, scale)


def _birds() -> str:
    wings = "M-9-3Q-4-6 0 0Q4-6 9-3"
    return "".join(
        translated(
            x,
            y,
            f'<path d="{wings}" fill="none" stroke="{INK}" stroke-opacity=".65" stroke-width="1.5" stroke-linecap="round"/>',
            s,
        )
        for x, y, s in ((386, 66, 1), (410, 78, 0.75), (366, 84, 0.6))
    )


def _far_land() -> str:
    """Three ranges, the farther the paler."""
    ranges = (
        ("#c5d3cd", "M-10 200V168C40 150 70 158 104 146C130 138 150 154 190 162C240 172 270 188 330 200Z"),
        (
            "#b4c7c2",
            "M340 200C380 182 410 186 440 176C480 160 500 170 530 148C560 132 580 152 610 158L660 150V200Z",
        ),
        (
            "#9fb8b5",
            "M-10 200V186C20 176 50 182 84 170C110 166 130 182 170 188L220 200ZM520 200C552 190 580 178 606 182L660 172V200Z",
        ),
    )
    return "".join(
        f'<path d="{d}" fill="{fill}" stroke="{SEA_LINE}" stroke-opacity=".5"/>' for fill, d in ranges
    )


# Sea


def _seen(x: float, z: float) -> tuple[float, float]:
    """A place on the water, as it is seen from the quay."""
    return MIDDLE + x * DEPTH / z, HORIZON + DEPTH / z


def _grid(column: int, row: int) -> tuple[float, float]:
    """The middle of a hexagon on the water; odd rows lie half a column further."""
    return (column + row % 2 / 2) * math.sqrt(3) * RADIUS, 1.42 + row * 1.5 * RADIUS


def _sea() -> str:
    water = f'<rect y="{HORIZON}" width="640" height="250" fill="{SEA}"/>'
    bands = "".join(
        f'<rect y="{y}" width="640" height="{440 - y}" fill="{SEA_LINE}" fill-opacity=".07"/>'
        for y in (222, 262, 320, 380)
    )
    glints = (
        (203, 84, 0),
        (209, 52, 6),
        (216, 70, -8),
        (225, 40, 10),
        (236, 56, -4),
        (250, 30, 8),
        (266, 42, -10),
    )
    path = "".join(f"M{coord(SUN[0] - w / 2 + shift)} {y}h{w}" for y, w, shift in glints)
    light = f'<path d="{path}" stroke="{COLOURS["yellow"]}" stroke-opacity=".55" stroke-width="2" stroke-linecap="round"/>'
    return f'{water}{bands}{_lanes()}{light}<path d="M0 {HORIZON}H640" stroke="{SEA_LINE}"/>'


def _lanes() -> str:
    """The hexagons, smaller and fainter towards the horizon."""
    fading = (
        (range(4), 0.85, 1.5),
        (range(4, 8), 0.6, 1.1),
        (range(8, 13), 0.38, 0.8),
        (range(13, 22), 0.18, 0.6),
    )
    return "".join(
        f'<path d="{"".join(map(_row, rows))}" fill="none" stroke="{FOAM}" stroke-opacity="{o}" stroke-width="{w}"/>'
        for rows, o, w in fading
    )


def _row(row: int) -> str:
    """Half the sides of each hexagon of a row; the row before has drawn the others."""
    lines = []
    for column in range(-8 - row, 9 + row):
        x, z = _grid(column, row)
        corners = [
            _seen(x + RADIUS * math.cos(a), z + RADIUS * math.sin(a))
            for a in (math.pi * (k / 3 + 1 / 6) for k in range(-1, 3))
        ]
        if any(-40 < u < 680 for u, _ in corners):
            lines.append("M" + "L".join(f"{coord(u)} {coord(v)}" for u, v in corners))
    return "".join(lines)


def _archipelago() -> str:
    """From the farthest to the nearest."""
    things = [(_grid(column, row), _on_island(what, turn)) for column, row, what, turn in ISLANDS]
    things += [(_grid(c, r), _sailing(hull, sail)) for c, r, hull, sail in JUNKS]
    shown = []
    for (x, z), body in sorted(things, key=lambda thing: -thing[0][1]):
        u, v = _seen(x, z)
        shown.append(translated(u, v, body, round(1.62 / z, 3)))
    return "".join(shown)


def _sailing(hull: str, sail: str) -> str:
    wake = f'<path d="M-70 4H-20M-50 10H40M10 5H84M30 14H70" stroke="{FOAM}" stroke-width="2" stroke-linecap="round"/>'
    shade = f'<ellipse cy="4" rx="62" ry="8" fill="{INK}" opacity=".16"/>'
    return shade + wake + junk(hull, sail)


def _on_island(what: str, turn: int) -> str:
    shore = coast(96, 34, turn + 1)
    surf = "".join(
        f'<path d="{shore}" fill="none" stroke="{FOAM}" stroke-opacity="{o}" stroke-width="{w}"/>'
        for w, o in SURF
    )
    line = f'stroke="{INK}" stroke-opacity=".6"'
    ground = f'{surf}<path d="{shore}" transform="translate(0 5)" fill="{HILL}" {line}/><path d="{shore}" fill="{LAND}" {line}/>'
    match what:
        case "market":
            return ground + _stall(ICONS[turn]) + palm(-66, -34, 2.2) + palm(70, -26, 1.8)
        case "port":
            return ground + _harbour() + palm(-72, -26, 1.9)
        case "palms":
            return ground + palm(-30, -46, 3) + palm(10, -58, 3.6) + palm(48, -34, 2.5)
    peak = f'<path d="M-70 8C-44-10-34-52-10-66C14-50 40-12 72 6C30 18-30 20-70 8Z" fill="{HILL}" {line}/>'
    folds = f'<path d="M-10-66C-16-44-14-20-24 0M-10-66C4-44 10-24 26 2" fill="none" stroke="{INK}" stroke-opacity=".35"/>'
    return ground + peak + folds + palm(-52, -24, 1.6)


def _stall(icon: str) -> str:
    """A market under its awning, its spice on the counter."""
    cubes = "".join(
        f'<rect x="{x}" y="{y}" width="13" height="13" rx="2"/>'
        for x, y in ((-27, -32), (-13, -32), (1, -32), (15, -32), (-20, -45), (-6, -45), (8, -45), (-6, -58))
    )
    return (
        f'<path d="M-44 2V-78M44 2V-78" stroke="{INK}" stroke-width="3.5"/>'
        f'<g fill="{SPICE_COLOURS[icon]}" stroke="{INK}" stroke-width="1.2">{cubes}</g>'
        f'<path d="M-50-19H50V8H-50Z" fill="{CARD}" stroke="{INK}" stroke-width="1.5"/>'
        f'<path d="M-50-6H50" stroke="{INK}" stroke-opacity=".3"/>'
        + translated(0, -6, spice(icon, 1.1))
        + translated(0, -102, awning(124, 36, icon))
    )


def _harbour() -> str:
    houses = "".join(
        f'<path d="M{x} 4V{-h}H{x + w}V4Z" fill="{FOAM}"/><path d="M{x - 4} {-h}L{x + w / 2} {-h - 16}L{x + w + 4} {-h}Z" fill="{roof}"/>'
        f'<path d="M{x + w / 2 - 3} 4V-8H{x + w / 2 + 3}V4" fill="{INK}" fill-opacity=".5"/>'
        for x, w, h, roof in ((-48, 26, 22, RED), (-16, 24, 34, INK), (14, 28, 26, RED))
    )
    light = (
        f'<path d="M52 4L57-66H71L76 4Z" fill="{FOAM}"/><path d="M54-14H74M55.5-34H72.5M57-54H71" stroke="{RED}" stroke-width="9"/>'
        f'<path d="M54-66H74V-78L64-90L54-78Z" fill="{INK}"/>'
    )
    return f'<g stroke="{INK}" stroke-width="1.4" stroke-linejoin="round">{houses}{light}</g>'


# The quay


def _quay() -> str:
    """Planks along the foot of the picture, and the four spices on them."""
    planks = "".join(f"M{x} 400L{coord(MIDDLE + (x - MIDDLE) * 1.25)} 440" for x in range(-60, 720, 52))
    wood = f'<path d="M0 402Q320 392 640 402V440H0Z" fill="#b59668" stroke="{INK}"/>'
    lines = f'<path d="{planks}M0 408Q320 398 640 408" fill="none" stroke="{INK}" stroke-opacity=".4"/>'
    heaps = ((62, "brown"), (176, "green"), (468, "red"), (580, "yellow"))
    return wood + lines + "".join(translated(x, 418, _heap(COLOURS[name])) for x, name in heaps)


def _heap(colour: str) -> str:
    """Cubes piled up, seen from a corner."""
    places = (
        (-33, 0),
        (33, 0),
        (-11, 6),
        (11, 6),
        (-22, -20),
        (22, -20),
        (0, -15),
        (-11, -38),
        (11, -38),
        (0, -58),
    )
    return f'<ellipse cy="14" rx="60" ry="9" fill="{INK}" opacity=".25"/>' + "".join(
        translated(x, y, _solid(colour)) for x, y in places
    )


def _solid(colour: str) -> str:
    faces = (
        (FOAM, 0.28, "M0-13L12-7L0-1L-12-7Z"),
        (INK, 0, "M-12-7L0-1V13L-12 7Z"),
        (INK, 0.3, "M12-7L0-1V13L12 7Z"),
    )
    sides = "".join(f'<path d="{d}" fill="{tint}" fill-opacity="{o}"/>' for tint, o, d in faces)
    return f'<path d="M0-13L12-7V7L0 13L-12 7V-7Z" fill="{colour}"/><g stroke="{INK}" stroke-width="1.1" stroke-linejoin="round">{sides}</g>'
