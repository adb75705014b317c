"""What Batavia's board, hand and cover are drawn with: flags, goods, cards, pieces and land.

Each gives a piece of SVG.
"""

from __future__ import annotations

from functools import cache

from comptoir.art.shapes import (
    CARD,
    FOAM,
    INK,
    PAPER,
    SEA_LINE,
    SECOND_PAPER,
    coord,
    seat_mark,
    sheet,
    text,
    translated,
)
from comptoir.games.batavia.rules import GOODS

WOOD, WAX = "#c9a26a", "#8a5a44"
_WHITE, _FLAG_RED, _FLAG_BLUE, _LILY = "#fbf7ee", "#b5352b", "#24487a", "#e8c55a"
_TINTS = ("#7f9a5a", "#f6f1e4", "#dfe9ee", "#b98fb5", "#d8b26a", "#9a6a45", "#4a4440")
_GLYPHS = (
    '<path d="M-9 7C-10-5 0-10 10-9C10 2 3 9-9 7Z"/><path d="M-11 10L5-5M-4 2V-4M1-2H-5" fill="none"/>',
    '<path d="M0 5L-6 10M0 5L6 10M0 5V11" fill="none"/><circle r="5.4" cx="-4.6" cy="-1"/><circle r="5.4" cx="4.6" cy="-1"/>'
    '<circle r="5.4" cy="-5"/><circle r="4.6" cy="3"/>',
    '<path d="M-3.5-10H3.5L2.5-6.5C9-3 8 6 3.5 10H-3.5C-8 6-9-3-2.5-6.5Z"/>'
    '<path d="M-5.8-2.5Q0 0 5.8-2.5M-6.2 3Q0 5.6 6.2 3" fill="none" stroke="#4f7fa8"/>',
    '<path d="M-10-5C-4-10 3-1 10-6V6C3 11-4 2-10 7Z"/><path d="M-10 1C-4-4 3 5 10 0M-5-6V4M4-5V6" fill="none" stroke-opacity=".7"/>',
    '<path d="M-10 3C-11-3-5-5-3-1C-4-8 4-9 4-3C9-5 11 2 6 4C4 10-9 10-10 3Z"/>'
    '<path d="M-6 2Q-4 3-3 5M2 0Q4 1 4 4M-1 2Q0 4-1 6" fill="none"/>',
    '<ellipse rx="7" ry="9" transform="rotate(18)"/><path d="M-2-7C3-3-1 3 3 7M-5-3C-2 0-4 3-1 6M3-6C5-3 3 0 6 3" fill="none"/>',
    '<path d="M7-11C-2-8-6 0-3 11" fill="none"/><circle r="3.2" cx="-7" cy="-4"/><circle r="3.2" cx="-1" cy="-8"/>'
    '<circle r="3.2" cx="-1"/><circle r="3.2" cx="6" cy="-3"/><circle r="3.2" cx="-8" cy="4"/><circle r="3.2" cx="3" cy="6"/>',
)
_LILY_PATH = "M0-6C3-3 3 0 0 4C-3 0-3-3 0-6M-6-1C-6-5-1-4-1 1M6-1C6-5 1-4 1 1M-4 2H4M0 3V7"


# Companies and goods


@cache
def flag(company: str, width: float = 30, height: float = 20) -> str:
    """A company's flag from its corner. The five differ by pattern, not only by colour."""
    edge = (
        f'<path d="M0 0H{coord(width)}V{coord(height)}H0Z" fill="none" stroke="{INK}" stroke-opacity=".6"/>'
    )
    return _field(company, width, height) + edge


def _field(company: str, w: float, h: float) -> str:
    if company == "england":
        return _cross(w, h, _WHITE, _FLAG_RED, 0.5, 0.24)
    if company == "denmark":
        return _cross(w, h, _FLAG_RED, _WHITE, 0.36, 0.17)
    if company == "sweden":
        return _cross(w, h, "#2f6aa3", "#e8c04a", 0.36, 0.2)
    if company == "france":
        lily = f'<path d="{_LILY_PATH}" fill="none" stroke="{_LILY}" stroke-width="1.8"/>'
        return _stripe(w, 0, h, _FLAG_BLUE) + "".join(
            translated(w * u, h * v, lily, h / 30) for u, v in ((0.25, 0.32), (0.75, 0.32), (0.5, 0.66))
        )
    return _stripe(w, 0, h, _WHITE) + _stripe(w, 0, h / 3, _FLAG_RED) + _stripe(w, 2 * h / 3, h, _FLAG_BLUE)


def _stripe(w: float, top: float, foot: float, colour: str) -> str:
    return f'<path d="M0 {coord(top)}H{coord(w)}V{coord(foot)}H0Z" fill="{colour}"/>'


def _cross(w: float, h: float, field: str, colour: str, along: float, thick: float) -> str:
    return (
        _stripe(w, 0, h, field)
        + f'<path d="M0 {coord(h / 2)}H{coord(w)}M{coord(w * along)} 0V{coord(h)}" stroke="{colour}" stroke-width="{coord(h * thick)}"/>'
    )


@cache
def good(name: str, scale: float = 1) -> str:
    """A good's glyph around (0, 0), 22 wide and high."""
    which = GOODS.index(name)
    size = f' transform="scale({scale:g})"' if scale != 1 else ""
    style = f'fill="{_TINTS[which]}" stroke="{INK}" stroke-width="1.2" stroke-linejoin="round" stroke-linecap="round"'
    return f"<g{size} {style}>{_GLYPHS[which]}</g>"


# Cards and tiles

CARD_SIZE = (48, 64)  # of what lies before a seat: flat, side by side, with how many there are


def _counted(count: int) -> str:
    """How many of it there are, at the foot of a card."""
    return text(33, 57, count, "letter", size=18)


@cache
def ship_cards(company: str, count: int) -> str:
    """The ship cards of a company, from their corner: its flag, a ship, and their number."""
    return (
        sheet(*CARD_SIZE)
        + translated(4, 4, flag(company, 40, 26))
        + translated(13, 49, SHIP, 0.42)
        + _counted(count)
    )


def small_card(company: str) -> str:
    """A ship card in the lot around (0, 0), as small as can be read: 34 by 48, with room for a number."""
    return translated(-17, -24, sheet(34, 48, 5) + translated(3, 4, flag(company, 28, 18)))


def card_back() -> str:
    """A face-down ship card around (0, 0): 42 by 58."""
    lines = f'<rect x="-17" y="-25" width="34" height="50" rx="3" fill="none" stroke="{FOAM}" stroke-opacity=".55"/>'
    rose = f'<g fill="none" stroke="{FOAM}" stroke-opacity=".35"><circle r="12"/><path d="M0-20L4 0L0 20L-4 0ZM-14 0L0-4L14 0L0 4Z"/></g>'
    return translated(-21, -29, sheet(42, 58, 5, SEA_LINE)) + lines + rose


def marker(company: str) -> str:
    """A company's marker on the scale of laid ships: its flag on a mast."""
    return f'<path d="M0 14V0" stroke="{INK}" stroke-width="1.4"/>{flag(company, 18, 11)}'


@cache
def bills(count: int) -> str:
    """Bills of exchange, from their corner."""
    lines = f'<path d="M9 12H32M9 19H38M9 26H28" stroke="{INK}" stroke-opacity=".4" fill="none"/>'
    return sheet(*CARD_SIZE, 3, FOAM) + lines + translated(13, 48, SEAL, 0.62) + _counted(count)


_AWNING = (
    f'<path d="M0 0H40V5Q36 9 32 5Q28 9 24 5Q20 9 16 5Q12 9 8 5Q4 9 0 5Z" fill="{WOOD}" stroke="{INK}"/>'
    '<path d="M8 .5V5M16 .5V5M24 .5V5M32 .5V5" stroke="#22303c" stroke-opacity=".5"/>'
)


@cache
def own_tiles(company: str, count: int) -> str:
    """Shop tiles of a company that a seat holds, from their corner: a stall under its flag, unlike a ship card.
    Their goods do not matter any more (B28).
    """
    stall = translated(8, 9, flag(company, 32, 20)) + translated(4, 4, _AWNING)
    counter = f'<path d="M6 12V40H42V12" fill="none" stroke="{INK}" stroke-opacity=".6"/>'
    return (
        sheet(*CARD_SIZE, 12, SECOND_PAPER)
        + counter
        + translated(0, 5, stall)
        + text(24, 58, count, "letter", size=18)
    )


@cache
def small_shop(company: str) -> str:
    """A shop tile for a seat's panel, in a box of 30 by 20."""
    return translated(4, 5, flag(company, 22, 14)) + translated(3, 1, _AWNING, 0.6)


@cache
def shop_sign(count: int) -> str:
    """So many shop tiles, around (0, 0), 22 wide."""
    tile = f'<path d="M-9-8H9V11H-9Z" fill="{PAPER}" stroke="{INK}" stroke-opacity=".7"/>'
    return tile + translated(-11, -11, _AWNING, 0.55) + text(0, 7.5, count, "number", size=12)


@cache
def badge(count: int) -> str:
    """A number in a dark disc."""
    return f'<circle r="10" fill="{INK}" stroke="{FOAM}"/>{text(0, 4.4, count, "initial")}'


@cache
def crate(seat: int) -> str:
    """A seat's crate around (0, 0), 22 wide and high."""
    return (
        f'<rect x="-10.5" y="-10.5" width="21" height="21" rx="2.5" fill="{WOOD}" stroke="{INK}"/>'
        f'<path d="M-10-6H10M-10 6H10" stroke="{INK}" stroke-opacity=".45" fill="none"/>{seat_mark(seat, scale=0.92)}'
    )


# Pieces and signs

SHIP = (
    f'<g stroke="{INK}" stroke-width="1.5" stroke-linejoin="round" stroke-linecap="round"><path d="M-8 8V-21M4 8V-24M14 6V-14M19'
    ' 5L27-3" fill="none"/>'
    '<path d="M-14-18Q-8-20-2-18Q-5-10-2-3Q-8-5-15-3Q-11-10-14-18ZM-1-20Q4-22 10-20Q7-11 10-3Q4-5-2-3Q2-11-1-20Z'
    'M11-12Q14-13 19-12Q17-6 19-1Q14-3 10-1Q12-6 11-12Z" '
    f'fill="{FOAM}"/><path d="M-21 0L-14 5H15L21 2Q20 12 12 15H-12Q-19 12-21 0Z" fill="{WOOD}"/>'
    '<path d="M-17 8H18" fill="none" stroke-opacity=".5"/></g>'
)
BOAT = (
    f'<g stroke="{INK}" stroke-width="1.3" stroke-linejoin="round"><path d="M-10 3H11L6 9H-6Z" fill="{WOOD}"/>'
    f'<path d="M0 3V-11M1-10Q10-5 9 1H1ZM-1-7Q-8-3-8 1H-1Z" fill="{FOAM}"/></g>'
)
CANNON = (
    f'<g fill="{INK}"><path d="M-17 3L-2-7L4-5L-8 5Z"/><g transform="rotate(-14)"><path d="M-11-8Q-14-4-11 0L14-1.5V-6.5Z"/>'
    '<circle cx="-14" cy="-4" r="2"/>'
    f'<path d="M12-7.5H15V-.5H12Z"/></g><circle cy="1" r="6.5" stroke="{CARD}"/></g>'
    f'<path d="M0-4V6M-5 1H5M-3.5-2.5L3.5 4.5M3.5-2.5L-3.5 4.5" stroke="{CARD}" stroke-width=".9"/>'
)
COIN = (
    f'<g stroke="{INK}"><circle cx="15" cy="10" r="8.5" fill="#dcb95e"/>'
    '<circle cx="15" cy="10" r="5.5" fill="none" stroke-opacity=".5"/></g>'
)
BILL = (
    f'<g stroke="{INK}"><path d="M4 2H26V18H4Z" fill="{FOAM}"/><path d="M8 7H18M8 11H16" fill="none" stroke-opacity=".7"/>'
    f'<circle cx="21" cy="13" r="2.5" fill="{WAX}"/></g>'
)
CARDS = (
    f'<g stroke="{INK}" fill="{CARD}"><path d="M6 4L15 2L18 16L9 18Z"/><path d="M13 2H24V18H13Z"/>'
    '<path d="M15 10H22M18.5 5V10M15 12Q18.5 15 22 12" fill="none"/></g>'
)
CRATES = f'<g stroke="{INK}" fill="{WOOD}"><path d="M7 2H23V18H7Z"/><path d="M7 6H23M7 14H23M9 14L21 6" fill="none" stroke-opacity=".6"/></g>'
SEAL = (
    f'<g stroke="{WAX}" stroke-width="4.4" stroke-linecap="round"><circle r="10.5" fill="{WAX}" stroke-dasharray="0 6.6"/></g>'
    f'<circle r="8.5" fill="none" stroke="{FOAM}" stroke-opacity=".5"/>'
)
SMALL_SEAL = translated(15, 10, SEAL, 0.75)
PENNANT = (
    f'<path d="M0 11V-11" stroke="{INK}" stroke-width="1.8"/><path d="M0-11H17L13-6L17-1H0Z" fill="{INK}"/>'
    f'<path d="M4-9L10-3M10-9L4-3" stroke="{FOAM}" stroke-width="1.4"/>'
)


# Land and sea


def border(x: float, y: float, width: float, height: float, radius: float) -> str:
    """The graduated frame of a sea chart."""
    box = f'x="{x}" y="{y}" width="{width}" height="{height}" rx="{radius}" fill="none"'
    ink = f'stroke="{INK}" stroke-opacity=".75"'
    return (
        f'<rect {box} {ink} stroke-width="7"/><rect {box} stroke="{PAPER}" stroke-width="5.6"/>'
        f'<rect {box} {ink} stroke-width="5.6" stroke-dasharray="16 16"/>'
    )


def land(name: str) -> str:
    """Land, given as the id of its outline, with the lines that charts draw along a coast."""
    waters = "".join(
        f'<use href="#{name}" fill="none" stroke="{SEA_LINE}" stroke-opacity="{dim:g}" stroke-width="{width}" stroke-linejoin="round"/>'
        for width, dim in ((26, 0.1), (16, 0.14), (7, 0.2))
    )
    return f'{waters}<use href="#{name}" fill="{PAPER}" stroke="{INK}" stroke-opacity=".55" stroke-width="1.2" stroke-linejoin="round"/>'


HILL = (
    f'<path d="M-16 8Q-8 4-3-7Q0-11 3-7Q8 4 16 8" fill="{PAPER}" stroke="{INK}" stroke-opacity=".6"/>'
    f'<path d="M3-6Q5 2 11 7M1-5Q3 2 6 7M4-1Q8 5 13 7" fill="none" stroke="{INK}" stroke-opacity=".35"/>'
)
PALM = (
    f'<g fill="none" stroke-linecap="round"><path d="M0 9Q-2 0 1-7" stroke="{INK}" stroke-opacity=".6" stroke-width="1.4"/>'
    '<path d="M1-7Q-5-12-9-6M1-7Q7-13 10-6M1-7Q-2-14-6-13M1-7Q5-14 8-13" stroke="#5f7a4c" stroke-width="2"/></g>'
)
