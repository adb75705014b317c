"""What the board and the cover of Marco Polo Expedition are drawn from: cards and goods, camels, the land and
its cities.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from comptoir.art.shapes import (
    CARD,
    FOAM,
    INK,
    PAPER,
    SEAT_COLOURS,
    SECOND_PAPER,
    contrast_colour,
    coord,
    seat_mark,
    text,
    translated,
)
from comptoir.games.marco_polo.rules import (
    DRIVERS,
    EACH_COLOUR,
    EACH_GOOD,
    GOODS,
    IDENTICAL_GOODS,
    NOTHING,
    OF_ONE_COLOUR,
    size_of,
)

INKS = {"blue": "#2f5f9e", "yellow": "#e3b94a", "red": "#b5352b", "green": "#3f7a4a", "violet": "#77508f"}
SAND, SHADE, WOOD, BRASS, STONE, ROOF, LEAF = (
    "#dcbf8a",
    "#b8925a",
    "#8a5a34",
    "#f0cf73",
    "#efe0bf",
    "#9c4a35",
    "#6f8a5c",
)
CARD_SIZE = (64, 92)
HAND_CARD_SIZE = (48, 66)

# The sign of each colour, so that it is told apart without its colour: wave, sun, flame, leaf and moon, 12
# wide.
_SIGNS = {
    "blue": '<path d="M-6-1.5q3-4 6 0t6 0M-6 3q3-4 6 0t6 0" fill="none" stroke="{0}" stroke-width="1.8"/>',
    "yellow": '<circle r="2.8" fill="{0}"/><path d="M0-6.2V-4.3M0 4.3V6.2M-6.2 0H-4.3M4.3 0H6.2M-4.4-4.4L-3.1-3.1M3.1 3.1L4.4 4.4'
    'M-4.4 4.4L-3.1 3.1M3.1-3.1L4.4-4.4" stroke="{0}" stroke-width="1.5"/>',
    "red": '<path d="M.5-6.5C5-3 5.5 5.5 0 6.2C-5.5 5.5-4.5 0-2.5-2C-2 0-1.5 .5-.5 .5C.8-1.5 .8-4 .5-6.5Z" fill="{0}"/>',
    "green": '<path d="M-5 5.5C-6.5-2-1-6 6-6C6.5 1 2 6.5-5 5.5Z" fill="{0}"/><path d="M-6.5 7L2-2" stroke="{0}" stroke-width="1.4"/>',
    "violet": '<path d="M2.5-6A6.2 6.2 0 1 0 5.5 3.5A5.2 5.2 0 0 1 2.5-6Z" fill="{0}"/>',
}

# What cards show, within 24 by 24; the fill is given around it.
_GLYPHS = {
    "oil": '<path d="M-3-11H3V-8C7-6 8.5-2.5 7.5 2C6.5 6.5 4 9.5 3 11H-3C-4 9.5-6.5 6.5-7.5 2C-8.5-2.5-7-6-3-8Z"/>'
    '<path d="M-4-7.5C-10-8-10.5-2-7.8-1M4-7.5C10-8 10.5-2 7.8-1M-7.5 1H7.5" fill="none"/>',
    "spice": '<path d="M-8 1C-6-7-2-10 0-10C2-10 6-7 8 1Z"/><path d="M-11 1H11C11 7 6 9 4 9.5V11H-4V9.5C-6 9-11 7-11 1Z" fill="#fbf4e2"/>'
    '<path d="M-2.5-4.5V-4.4M2-6.5V-6.4M3.5-2V-1.9M-4.5-1.5V-1.4M0-2V-1.9" fill="none" stroke-linecap="round" stroke-width="1.8"/>',
    "silk": '<path d="M-10-7H5V8C5 11 9 11 9 8V5H-3"/><path d="M-10-7H5V7C5 9.5 6 10.5 7 10.5H-7C-9 10.5-10 9-10 7Z"/>'
    '<path d="M-10-3C-6-6-2 0 5-3M-10 2C-6-1-2 5 5 2" fill="none"/><ellipse cx="-2.5" cy="-8" rx="8" ry="2.8" fill="#fbf4e2"/>',
    "fruit": '<path d="M0-7C6-11 11-6 10 0C9 7 4 11 0 11C-4 11-9 7-10 0C-11-6-6-11 0-7Z"/>'
    '<path d="M-3-8L-4-12L-1.5-10L0-12.5L1.5-10L4-12L3-8" /><path d="M-5 1C-3-3 3-3 5 1C4 6-4 6-5 1Z" fill="#fbf4e2"/>'
    '<path d="M-2 1V1.1M2 1V1.1M0 3.2V3.3" fill="none" stroke-linecap="round" stroke-width="2"/>',
    "driver": '<path d="M-11 12C-11 5-6 3 0 3C6 3 11 5 11 12Z"/><path d="M-5-4H5V1C5 4 2.5 6.5 0 6.5C-2.5 6.5-5 4-5 1Z" fill="#d9a877"/>'
    '<path d="M-7-3C-9-10-3-12.5 0-12.5C3-12.5 9-10 7-3C3-5-3-5-7-3Z" fill="#fbf4e2"/>'
    '<path d="M-6.5-7C-2-9 3-7 6.5-3.5M-3-11.5C0-10 4-9 7-6" fill="none"/>'
    '<path d="M-4 2C-2 4 2 4 4 2L2.5 7.5H-2.5Z" fill="#22303c" stroke="none"/>',
}
_SACK = '<path d="M-3-7C-9-4-11 4-9 9C-6 11 6 11 9 9C11 4 9-4 3-7L5-11H-5Z" fill="#dcbf8a"/><path d="M-4-7H4" fill="none"/>'
_DROP = '<path d="M0-11C5-4 8-1 8 3.5A8 8 0 0 1-8 3.5C-8-1-5-4 0-11Z" fill="#8b9a9b"/>'
_SAME = '<path d="M-5-1H5M-5 4.5H5" fill="none" stroke-width="2.8"/>'
_TINTS = {"oil": "#a9a24a", "spice": "#c8762e", "silk": "#b58db0", "fruit": "#b8453a", "driver": "#5d8791"}


def sign(colour: str, fill: str = FOAM) -> str:
    """The sign of a card's colour."""
    return _SIGNS[colour].format(fill)


def glyph(face: str, fill: str = "", width: float = 1.3) -> str:
    """What a card shows: a jar, a bowl of spice, a bolt of silk, a pomegranate or a camel driver."""
    return f'<g fill="{fill or _TINTS[face]}" stroke="{INK}" stroke-width="{width:g}" stroke-linejoin="round">{_GLYPHS[face]}</g>'


@cache
def card_face(card: str, name: str = "") -> str:
    """A card of 64 by 92: its colour with the colour's sign, and what it shows in a window arched like those
    of Ormuz.
    """
    colour, face = card.split()
    ink = contrast_colour(INKS[colour])
    arch = (
        "M10 76V40C10 30 24 26 32 14C40 26 54 30 54 40V76Z"
        if name
        else "M9 85V38C9 28 24 24 32 12C40 24 55 28 55 38V85Z"
    )
    return (
        f'<rect x=".7" y=".7" width="62.6" height="90.6" rx="7" fill="{INKS[colour]}" stroke="{INK}" stroke-width="1.4"/>'
        + f'<rect x="3.5" y="3.5" width="57" height="85" rx="5" fill="none" stroke="{ink}" stroke-opacity=".45"/>'
        + f'<path d="{arch}" fill="{CARD}" stroke="{INK}" stroke-opacity=".6"/>'
        + translated(13, 14, sign(colour, ink), 1.1)
        + translated(51, 14, sign(colour, ink), 1.1)
        + translated(32, 52, glyph(face), 1.5)
        + (text(32, 86, name, "name", size=12.5, fill=ink) if name else "")
    )


@cache
def hand_card(card: str, n: int) -> str:
    """A card of 48 by 66 as it lies in a hand: its colour's sign, what it shows, and how many there are."""
    colour, face = card.split()
    ink = contrast_colour(INKS[colour])
    count = f'<circle cx="36" cy="54" r="10" fill="{FOAM}" stroke="{INK}"/>' + text(
        36, 58.5, f"×{n}", "letter"
    )
    return (
        f'<rect x=".7" y=".7" width="46.6" height="64.6" rx="6" fill="{INKS[colour]}" stroke="{INK}" stroke-width="1.2"/>'
        f'<path d="M5 61V32C5 25 17 23 24 15C31 23 43 25 43 32V61Z" fill="{CARD}" stroke="{INK}" stroke-opacity=".6"/>'
        + translated(10, 11, sign(colour, ink), 1.05)
        + translated(38, 11, sign(colour, ink), 1.05)
        + translated(24, 42, glyph(face), 1.3)
        + (count if n > 1 else "")
    )


@cache
def card_back() -> str:
    """The back of a card: a star of eight points on the night sky of the desert."""
    star = '<path d="M0-20L5.5-5.5L20 0L5.5 5.5L0 20L-5.5 5.5L-20 0L-5.5-5.5Z"/>'
    return (
        f'<rect x=".7" y=".7" width="62.6" height="90.6" rx="7" fill="#2b4a58" stroke="{INK}" stroke-width="1.4"/>'
        f'<rect x="5" y="5" width="54" height="82" rx="4" fill="none" stroke="{PAPER}" stroke-opacity=".5"/>'
        f'<g transform="translate(32 46)" fill="{BRASS}" fill-opacity=".8">{star}<g transform="rotate(45) scale(.62)">{star}</g></g>'
    )


@cache
def card_blank() -> str:
    """A card that shows nothing, on top of the discards: their order is not kept."""
    signs = "".join(
        translated(16 + 16 * (n % 3), 26 + 20 * (n // 3) + 20 * (n > 2), sign(colour, INK))
        for n, colour in enumerate(INKS)
    )
    return (
        f'<rect x=".7" y=".7" width="62.6" height="90.6" rx="7" fill="{CARD}" stroke="{INK}" stroke-width="1.4"/>'
        f'<g opacity=".35">{signs}</g>'
    )


def stack(top: str) -> str:
    """A pile of cards."""
    under = f'<rect width="64" height="92" rx="7" fill="{SECOND_PAPER}" stroke="{INK}" stroke-opacity=".7"'
    return f'{under} x="4" y="4"/>{under} x="2" y="2"/>{top}'


def no_stack() -> str:
    """The place where a pile was."""
    return (
        f'<rect x="1" y="1" width="62" height="90" rx="7" fill="{CARD}" fill-opacity=".35" stroke="{INK}" stroke-opacity=".6" '
        'stroke-dasharray="5 4"/>'
    )


# Icons of 30 by 20, for the seats' panels


@cache
def gold_icon() -> str:
    pile = "".join(
        f'<ellipse cx="{x}" cy="{y}" rx="8" ry="3.6"/>'
        for x, y in ((10, 16), (20, 16), (10, 12), (20, 12), (15, 7))
    )
    return f'<g fill="{BRASS}" stroke="{INK}">{pile}</g>'


@cache
def hand_icon() -> str:
    card = f'<rect x="-5" y="-16" width="11" height="16" rx="2" fill="#2b4a58" stroke="{FOAM}"/>'
    return "".join(f'<g transform="translate(15 19) rotate({turn})">{card}</g>' for turn in (-24, 0, 24))


@cache
def camel_icon(seat: int) -> str:
    return translated(13, 19, camel(seat), 0.44)


@cache
def card_icon(card: str) -> str:
    """A card lying on its side: its colour with the colour's sign, and what it shows."""
    colour, face = card.split()
    ink = contrast_colour(INKS[colour])
    return (
        f'<rect x=".5" y=".5" width="29" height="19" rx="3" fill="{INKS[colour]}" stroke="{INK}"/>'
        f'<path d="M13 2.5H28V17.5H13Z" fill="{CARD}"/>{translated(7, 10, sign(colour, ink), 0.8)}{translated(20.5, 10, glyph(face, width=1.6), 0.56)}'
    )


# What a space demands


def _small_card(fill: str, body: str) -> str:
    """A card of 16 by 22 around (0, 0)."""
    return f'<rect x="-8" y="-11" width="16" height="22" rx="2.5" fill="{fill}" stroke="{INK}" stroke-opacity=".75"/>{body}'


@cache
def demanded(demand: int) -> tuple[str, ...]:
    """M13: the cards that a space demands, as small ones, each around (0, 0)."""

    def drawn(shape: str, scale: float = 0.56) -> str:
        return f'<g transform="scale({scale})" stroke="{INK}" stroke-width="1.6" stroke-linejoin="round">{shape}</g>'

    if demand == NOTHING:
        return ()
    if demand <= IDENTICAL_GOODS:
        shape = _SACK if demand == 1 else _SACK + _SAME
        return (_small_card(CARD, drawn(shape)),) * demand
    if demand == EACH_GOOD:
        return tuple(_small_card(CARD, translated(0, 0, glyph(good, width=1.7), 0.56)) for good in GOODS)
    if demand <= DRIVERS:
        return (_small_card(CARD, translated(0, 0, glyph("driver", width=1.7), 0.56)),) * size_of(demand)
    if demand <= OF_ONE_COLOUR:
        return (_small_card("#dfe4dc", drawn(_DROP + _SAME)),) * size_of(demand)
    assert demand == EACH_COLOUR
    return tuple(
        _small_card(ink, translated(0, 0, sign(colour, contrast_colour(ink)), 0.9))
        for colour, ink in INKS.items()
    )


def demand_row(demand: int, width: float, scale: float = 1) -> str:
    """The demanded cards side by side around (0, 0), closer together where there is little room."""
    cards = demanded(demand)
    if len(cards) < 2:
        return translated(0, 0, cards[0], scale) if cards else ""
    step = min(18 * scale, (width - 16 * scale) / (len(cards) - 1))
    left = -step * (len(cards) - 1) / 2
    return "".join(translated(left + step * n, 0, card, scale) for n, card in enumerate(cards))


# Gold


@cache
def chest(gold: int, scale: float = 1) -> str:
    """M14: a chest that stands on (0, 0), with what it holds."""
    trunk = (
        f'<ellipse cy="1" rx="16" ry="4" fill="{INK}" fill-opacity=".2"/>'
        f'<g stroke="{INK}" stroke-width="1.2" stroke-linejoin="round"><path d="M-14-12H14V1H-14Z" fill="{WOOD}"/>'
        '<path d="M-14-12C-14-22 14-22 14-12Z" fill="#a8713f"/>'
        f'<path d="M-10-17.5V1M10-17.5V1" stroke="{BRASS}" stroke-width="2"/><circle cy="-9" r="7.5" fill="{BRASS}"/></g>'
    )
    return translated(0, 0, trunk, scale) + text(0, -9 * scale + 4, gold, "number")


@cache
def coin(gold: int, radius: float = 10.5) -> str:
    """M21, M30: what a camel on this space gets at the scoring."""
    return f'<circle r="{coord(radius)}" fill="{BRASS}" stroke="{INK}" stroke-opacity=".8"/>' + text(
        -0.5, 4, f"+{gold}", "number"
    )


# Camels

_CAMEL = (
    "M-18-19C-20-25-15-29-11.5-27.5C-10-37-4-38-1.5-28.5C0-26.5 2-26.5 3.2-28.5C5.5-38 11-36.5 13-27C15-23.5 17.5-24.5 17.5-30"
    "C17.5-36 19.5-41 24-40.5C27-40.5 31-38.5 31-36.5C31-34 28-34 25-33.5C24.5-25 23-17.5 15-14L13.8-6L14.5 0H10.5L9.5-7L8.5-13"
    "C3-10.5-4-10.5-8.5-13L-10.5-7L-9.5 0H-13.5L-14.5-6.5L-14-12.5C-17-13.5-18-16-18-19Z"
)
_FAR_LEGS = "M4-14L6.5-7L5.5 0H9L10-8L8-14ZM-8-14L-5.5-7L-6.5 0H-3L-2-8L-4-14Z"


def beast(colour: str, blanket: str) -> str:
    """A camel that stands on (0, 0) and looks right."""
    return (
        f'<path d="{_FAR_LEGS}" fill="{colour}" stroke="{INK}" stroke-opacity=".45" stroke-width=".8"/>'
        f'<path d="{_FAR_LEGS}" fill="{INK}" fill-opacity=".35"/>'
        f'<path d="M-17.5-20C-21-18-21-13-20-10" fill="none" stroke="{INK}" stroke-opacity=".7" stroke-width="1.6"/>'
        f'<path d="{_CAMEL}" fill="{colour}" stroke="{INK}" stroke-opacity=".75" stroke-width=".9" stroke-linejoin="round"/>'
        f'<circle cx="24.5" cy="-37.3" r="1" fill="{INK}"/>'
        f'<path d="M-8-26C-4-23 6-23 10-26L11-14C6-11.5-4-11.5-9-14Z" fill="{blanket}" stroke="{INK}" stroke-opacity=".5"/>'
    )


@cache
def camel(seat: int, left: bool = False) -> str:
    """A camel in its seat's colour, with the seat's shape on its blanket."""
    body = (
        f'<path d="{_CAMEL}" fill="{FOAM}" stroke="{FOAM}" stroke-width="4.2" stroke-linejoin="round"/>'
        + beast(SEAT_COLOURS[seat], FOAM)
    )
    turned = f'<g transform="scale(-1 1)">{body}</g>' if left else body
    mark = seat_mark(seat, -1 if left else 1, -19, 0.62)
    return f'<ellipse rx="20" ry="4" fill="{INK}" fill-opacity=".22"/>{turned}{mark}'


@cache
def badge(number: int) -> str:
    """Which of a seat's two camels it is."""
    return f'<circle r="7.5" fill="{FOAM}" stroke="{INK}"/>' + text(0, 4, number, "number")


# The land


def dune(x: float, y: float, width: float, height: float) -> str:
    """A dune: its lit back, its shaded lee, the crest between them."""
    w, h, top = width, height, y - height
    back = f"M{coord(x)} {coord(y)}C{coord(x + w * 0.25)} {coord(y)} {coord(x + w * 0.35)} {coord(top)} {coord(x + w * 0.52)} {coord(top)}"
    front = f"C{coord(x + w * 0.7)} {coord(top)} {coord(x + w * 0.8)} {coord(y)} {coord(x + w)} {coord(y)}"
    lee = f"C{coord(x + w * 0.5)} {coord(y - h * 0.55)} {coord(x + w * 0.72)} {coord(y - h * 0.35)} {coord(x + w * 0.6)} {coord(y)}"
    return (
        f'<path d="{back}{front}Z" fill="{SHADE}" fill-opacity=".42"/><path d="{back}{lee}Z" fill="#f0dcae"/>'
        f'<path d="{back}{front}M{coord(x + w * 0.52)} {coord(top)}{lee}" fill="none" stroke="{INK}" stroke-opacity=".4"/>'
    )


def mountain(x: float, y: float, width: float, height: float, lean: float = 0.5) -> str:
    """A mountain with a snowy top, hatched on the side away from the light, as old maps have them."""
    top, end = x + width * lean, x + width

    def point(across: float, up: float) -> str:
        """From the foot below the top, in widths and heights."""
        return f"{coord(top + width * across)} {coord(y - height * up)}"

    ridge = f"M{point(0, 1)}L{point(0.05, 0.68)}L{point(-0.04, 0.4)}L{point(0.06, 0)}"
    snow = (
        f"M{point(0, 1)}L{point(-0.34 * lean, 0.66)}L{point(-0.08, 0.72)}L{point(-0.02, 0.58)}L{point(0.08, 0.72)}"
        f"L{point(0.34 * (1 - lean), 0.66)}Z"
    )
    slope = 1 - lean
    hatch = "".join(
        f"M{point(slope * t, 1 - t)}L{point(slope * t * 0.8 - 0.02, 0.55 * (1 - t))}"
        for t in (0.4, 0.52, 0.64, 0.76, 0.88)
    )
    return (
        f'<path d="M{coord(x)} {coord(y)}L{point(0, 1)}L{coord(end)} {coord(y)}Z" fill="#e5d6b4"/>'
        f'<path d="{ridge}L{coord(end)} {coord(y)}Z" fill="#a89a83" fill-opacity=".75"/><path d="{snow}" fill="{FOAM}"/>'
        f'<path d="M{coord(x)} {coord(y)}L{point(0, 1)}L{coord(end)} {coord(y)}{hatch}" fill="none" stroke="{INK}" stroke-opacity=".5" '
        'stroke-linejoin="round"/>'
    )


def palm(x: float, y: float, scale: float = 1) -> str:
    leaves = "".join(
        f"M0-24C{leaf}" for leaf in ("-6-31-12-29-15-23", "-7-25-12-20-12-15", "-3-33-8-34-11-32")
    )
    leaves += "".join(f"M0-24C{leaf}" for leaf in ("6-31 12-29 15-23", "7-25 12-20 12-15", "3-33 8-34 11-32"))
    return translated(
        x,
        y,
        f'<path d="M0 0C2-8 2-16 0-24" fill="none" stroke="{WOOD}" stroke-width="2.4"/>'
        f'<path d="{leaves}" fill="none" stroke="{LEAF}" stroke-width="2.6" stroke-linecap="round"/>',
        scale,
    )


def pine(x: float, y: float, scale: float = 1) -> str:
    return translated(
        x,
        y,
        f'<path d="M0-26L7-14H4L9-5H1.5V0H-1.5V-5H-9L-4-14H-7Z" fill="{LEAF}" stroke="{INK}" stroke-opacity=".5" stroke-linejoin="round"/>',
        scale,
    )


def yurt(x: float, y: float, scale: float = 1) -> str:
    """A felt tent of the steppe."""
    return translated(
        x,
        y,
        f'<g stroke="{INK}" stroke-opacity=".6" stroke-linejoin="round"><path d="M-15 0V-9H15V0Z" fill="{FOAM}"/>'
        f'<path d="M-17-8C-10-17-5-19 0-19C5-19 10-17 17-8Z" fill="{STONE}"/><path d="M-3.5 0V-8H3.5V0Z" fill="{ROOF}"/>'
        '<path d="M-15-4.5H-3.5M3.5-4.5H15M0-19V-22" fill="none"/></g>',
        scale,
    )


def wall(points: Sequence[tuple[float, float]], scale: float = 1) -> str:
    """The long wall: battlements between towers that stand on the points."""
    line = "M" + "L".join(f"{coord(x)} {coord(y)}" for x, y in points)
    tower = (
        f'<path d="M-6 3V-13H-8V-18H-4.5V-15.5H-1.8V-18H1.8V-15.5H4.5V-18H8V-13H6V3Z" fill="{STONE}"/>'
        f'<path d="M-1.8 3V-4H1.8V3Z" fill="{INK}" fill-opacity=".5"/>'
    )
    return (
        f'<path d="{line}" fill="none" stroke="{INK}" stroke-opacity=".6" stroke-width="{coord(9 * scale)}" stroke-linejoin="round"/>'
        f'<path d="{line}" fill="none" stroke="{STONE}" stroke-width="{coord(7.4 * scale)}" stroke-linejoin="round"/>'
        f'<path d="{line}" fill="none" stroke="{INK}" stroke-opacity=".45" stroke-width="{coord(7.4 * scale)}" stroke-dasharray="1 5"/>'
        f'<g stroke="{INK}" stroke-opacity=".6" stroke-linejoin="round">{"".join(translated(x, y, tower, scale) for x, y in points)}</g>'
    )


def dhow(x: float, y: float, scale: float = 1) -> str:
    """A ship of the Gulf."""
    return translated(
        x,
        y,
        f'<g stroke="{INK}" stroke-opacity=".7" stroke-linejoin="round">'
        f'<path d="M-22-4C-12-1 10-1 24-9C20 3 12 6 4 6H-10C-16 6-20 2-22-4Z" fill="{WOOD}"/>'
        f'<path d="M-2-3V-36" stroke-width="1.6"/><path d="M-14-32C4-34 12-22 17-7C6-9-4-11-10-8C-6-16-8-24-14-32Z" fill="{FOAM}"/></g>',
        scale,
    )


# Cities, each standing on (0, 0), some 120 wide


def _tower(x: float, height: float) -> str:
    """A minaret."""
    return (
        f'<path d="M{coord(x - 3.5)} 0V{coord(-height)}H{coord(x + 3.5)}V0Z" fill="{FOAM}"/><path d="M{coord(x - 5)} {coord(-height)}H{coord(x + 5)}" />'
        f'<path d="M{coord(x - 3)} {coord(-height)}V{coord(-height - 6)}H{coord(x + 3)}V{coord(-height)}Z" fill="{STONE}"/>'
        f'<path d="M{coord(x - 3.5)} {coord(-height - 6)}C{coord(x - 3.5)} {coord(-height - 11)} {coord(x)} {coord(-height - 12)} {coord(x)} {coord(-height - 15)}'
        f'C{coord(x)} {coord(-height - 12)} {coord(x + 3.5)} {coord(-height - 11)} {coord(x + 3.5)} {coord(-height - 6)}Z" fill="#5d8791"/>'
    )


def _dome(x: float, y: float, radius: float, colour: str) -> str:
    r = radius
    return (
        f'<path d="M{coord(x - r)} {coord(y)}C{coord(x - r * 1.3)} {coord(y - r * 0.9)} {coord(x - r * 0.5)} {coord(y - r * 1.2)} {coord(x)} {coord(y - r * 1.8)}'
        f'C{coord(x + r * 0.5)} {coord(y - r * 1.2)} {coord(x + r * 1.3)} {coord(y - r * 0.9)} {coord(x + r)} {coord(y)}Z" fill="{colour}"/>'
    )


def _roof(y: float, width: float, height: float) -> str:
    """A roof whose eaves turn up."""
    w, top, eaves = width / 2, y - height, y - height / 4
    bend, low = y - height * 0.4, y - height * 0.1
    right = f"C{coord(w * 0.55)} {coord(bend)} {coord(w * 0.8)} {coord(low)} {coord(w)} {coord(eaves)}L{coord(w * 0.92)} {coord(y)}"
    left = f"L{coord(-w)} {coord(eaves)}C{coord(-w * 0.8)} {coord(low)} {coord(-w * 0.55)} {coord(bend)} {coord(-w * 0.45)} {coord(top)}"
    return f'<path d="M{coord(-w * 0.45)} {coord(top)}H{coord(w * 0.45)}{right}H{coord(-w * 0.92)}{left}Z" fill="{ROOF}"/>'


def _city(body: str) -> str:
    return f'<g stroke="{INK}" stroke-opacity=".65" stroke-linejoin="round">{body}</g>'


@cache
def ormuz() -> str:
    """The port: domes and minarets over flat roofs."""
    doors = "".join(
        f'<path d="M{x} 0V-8A4 4 0 0 1 {x + 8} -8V0Z" fill="{INK}" fill-opacity=".55"/>' for x in (-34, 8, 30)
    )
    return _city(
        _tower(-26, 44)
        + _tower(28, 38)
        + f'<path d="M-20 0V-30H20V0Z" fill="{STONE}"/>'
        + _dome(0, -30, 15, "#5d8791")
        + f'<path d="M-48 0V-20H-14V0ZM14 0V-17H50V0Z" fill="{FOAM}"/><path d="M-62 0V-12H-40V0Z" fill="{STONE}"/>'
        + _dome(38, -17, 8, SAND)
        + f'<path d="M-9 0V-13C-9-20 0-20 0-24C0-20 9-20 9-13V0Z" fill="{INK}" fill-opacity=".55"/>'
        + doors
    )


@cache
def ganzhou() -> str:
    """The oasis town behind its gate, with a pagoda."""
    pagoda = "".join(
        f'<path d="M{-w / 2 + 5:g} {y}V{y - 14}H{w / 2 - 5:g}V{y}Z" fill="{FOAM}"/>' + _roof(y - 12, w, 9)
        for y, w in ((-20, 40), (-38, 34), (-56, 27))
    )
    return _city(
        translated(34, 0, f'<path d="M0-76V-84" stroke-width="1.6"/>{pagoda}')
        + f'<path d="M-70 0V-22H-64V-18H-58V-22H-52V-18H-46V-22H-40V-18H-34V-22H66V-18H70V0Z" fill="{STONE}"/>'
        + translated(
            -12,
            0,
            f'<path d="M-22 0V-26H22V0Z" fill="{STONE}"/><path d="M-16-26V-36H16V-26Z" fill="{FOAM}"/>'
            + _roof(-24, 56, 8)
            + _roof(-34, 44, 11),
        )
        + f'<path d="M-19 0V-11A7 7 0 0 1-5-11V0Z" fill="{INK}" fill-opacity=".6"/>'
    )


@cache
def dadu() -> str:
    """The residence of Kublai Khan: halls upon halls behind a wall."""
    pillars = "".join(f"M{x} -20V-36" for x in (-36, -24, -12, 0, 12, 24, 36))
    towers = "".join(
        translated(x, 0, f'<path d="M-9 0V-34H9V0Z" fill="{STONE}"/>' + _roof(-32, 28, 9)) for x in (-64, 64)
    )
    return _city(
        towers
        + f'<path d="M-42-20V-38H42V-20Z" fill="{FOAM}"/><path d="{pillars}" stroke="{ROOF}" stroke-width="2.4"/>'
        + _roof(-34, 112, 14)
        + f'<path d="M-25-46V-56H25V-46Z" fill="{FOAM}"/>'
        + _roof(-54, 74, 16)
        + f'<path d="M0-70V-78" stroke-width="1.6"/><path d="M0-78L10-75L0-72Z" fill="{ROOF}"/>'
        + f'<path d="M-56 0V-20H56V0Z" fill="{STONE}"/><path d="M-56-20H56M-56-15H56" fill="none"/>'
        + f'<path d="M-30 0V-12H-18V0ZM18 0V-12H30V0ZM-8 0V-15H8V0Z" fill="{INK}" fill-opacity=".6"/>'
    )
