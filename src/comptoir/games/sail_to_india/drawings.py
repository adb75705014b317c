"""What the board and the cover of Sail to India are drawn with: goods, buildings, technologies, tiles, and
markers in their roles.
"""

from __future__ import annotations

from functools import cache

from comptoir.art.shapes import CARD, FOAM, INK, SEAT_COLOURS, coord, seat_shape, translated

AZULEJO, GLAZE, PALE_BLUE = "#2c5a94", "#e6edf1", "#8fabc9"
WATER, WATER_LINE = "#cbdae1", "#4f779c"
COIN = "#dcc079"


def rect(x: float, y: float, width: float, height: float, radius: float, paint: str) -> str:
    return f'<rect x="{coord(x)}" y="{coord(y)}" width="{coord(width)}" height="{coord(height)}" rx="{coord(radius)}" {paint}/>'


def square(side: float, radius: float, paint: str) -> str:
    """Around (0, 0)."""
    return rect(-side / 2, -side / 2, side, side, radius, paint)


# Each in a box of about 20 by 20 around (0, 0).
_GOODS = {
    "gold": ("#dfb748", '<path d="M-10 8L-8 2H-2L0 8ZM0 8L2 2H8L10 8ZM-5 1L-3-5H3L5 1Z"/>'),
    "gems": (
        "#b79acb",
        '<path d="M-5-7H5L10-1L0 9L-10-1Z"/><path d="M-10-1H10M-5-7L-3.5-1L0 9L3.5-1L5-7" fill="none"/>',
    ),
    "coffee": (
        "#8f6240",
        '<g transform="translate(-3 1) rotate(-28)"><ellipse rx="5" ry="8"/><path d="M0-8C3.5-3-3.5 3 0 8" fill="none"/></g>'
        '<g transform="translate(5 2) rotate(24)"><ellipse rx="4.5" ry="7"/><path d="M0-7C3-3-3 3 0 7" fill="none"/></g>',
    ),
    "sugar": (
        "#fbf7ec",
        f'<path d="M-8 9C-7 0-3-10 0-10S7 0 8 9Z"/><path d="M-8 9C-7.7 5-7 2-6 0H6C7 2 7.7 5 8 9Z" fill="{PALE_BLUE}"/>',
    ),
    "cloth": (
        "#6f9fbf",
        '<path d="M-9-6H6V4H-9Z"/><path d="M-9 4V9L-6 7L-3 9L0 7L3 9V4"/>'
        '<ellipse cx="6" cy="-1" rx="3" ry="5"/><path d="M-9-2.5H3" fill="none"/>',
    ),
    "spice": (
        "#c8713f",
        "".join(
            f'<path transform="rotate({turn})" d="M0-1C-3.5-4-3-8 0-10C3-8 3.5-4 0-1Z"/>'
            for turn in range(0, 360, 60)
        )
        + '<circle r="2"/>',
    ),
}
_STRONGHOLD = (
    '<path d="M-9 9V-9H-5.4V-6H-1.8V-9H1.8V-6H5.4V-9H9V9Z" fill="#b3a78f"/>'
    f'<path d="M-3 9V4A3 3 0 0 1 3 4V9Z" fill="{INK}"/><path d="M-9-2H9" fill="none"/>'
)
_CHURCH = (
    '<path d="M-9 9V0L0-6L9 0V9Z" fill="#f1e6cc"/><path d="M0-12V-6M-2.5-9.5H2.5" fill="none"/>'
    f'<path d="M-2.5 9V5A2.5 2.5 0 0 1 2.5 5V9Z" fill="{INK}"/><circle cy="-1" r="1.5" fill="{CARD}"/>'
)
_STALL = (
    '<path d="M-9-3V9M9-3V9" fill="none"/><path d="M-9-10H9L11-3H-11Z" fill="#c9806a"/>'
    f'<path d="M-4-10L-5-3H-1L-1-10ZM4-10L5-3H9L7-10Z" fill="{FOAM}" stroke="none"/><path d="M-9-10H9L11-3H-11Z" fill="none"/>'
)
_TECHNOLOGIES = {
    "metallurgy": '<path d="M-9-5H9C8-1 4 0 3 1V5H6V8H-6V5H-3V1C-7 0-9-2-9-5Z"/>',
    "geography": '<circle r="8"/><path d="M-8 0H8M0-8C5-4 5 4 0 8C-5 4-5-4 0-8" fill="none"/>',
    "printing press": '<path d="M-5 1H5V4H-5Z"/><path d="M-8 9V-8H8V9M-8-4H8M0-8V1M-10 9H10" fill="none"/>',
    "port maintenance": '<circle cy="-7" r="2"/><path d="M0-5V8M-7 2C-6 7-3 8 0 8S6 7 7 2M-4-2H4" fill="none"/>',
    "architecture": '<path d="M-9 9V-1A9 8 0 0 1 9-1V9H4V0A4 4 0 0 0-4 0V9Z"/>',
    "cartography": '<path d="M-9-6L-3-8L3-6L9-8V6L3 8L-3 6L-9 8Z"/><path d="M-3-8V6M3-6V8" fill="none"/>',
    "banking": '<ellipse cy="6" rx="8" ry="3"/><ellipse cy="1" rx="8" ry="3"/><ellipse cy="-4" rx="8" ry="3"/>',
    "manufacture": '<circle r="6"/><path d="M0-9V9M-9 0H9M-6.4-6.4L6.4 6.4M6.4-6.4L-6.4 6.4" fill="none"/><circle r="2"/>',
    "renaissance": '<path d="M0-10V-7M0 10V7M-10 0H-7M10 0H7M-7-7L-5-5M7-7L5-5M-7 7L-5 5M7 7L5 5" fill="none"/><circle r="4.5"/>',
    "evangelisation": '<path d="M-2-9H2V-4H7V0H2V9H-2V0H-7V-4H-2Z"/>',
    "guild": '<path d="M-8-6L-11 2H-5ZM8-6L5 2H11Z"/><path d="M0-9V8M-5 8H5M-8-6H8" fill="none"/>',
    "east india company": '<path d="M-6-8H9L6-4L9 0H-6Z"/><path d="M-6 9V-9M-9 9H-3" fill="none"/>',
}
# On top of a marker, or under it: what it is at the moment. Inside a group with the seat's colour.
_ROLES = {
    "plain": "",
    "ship": f'<path d="M-12 5H12C11 9 9 11 7 11H-8C-10 10-12 8-12 5Z" fill="#7a5a3c" stroke="{INK}"/>',
    "sailed": f'<path d="M-12 5H12C11 9 9 11 7 11H-8C-10 10-12 8-12 5Z" fill="#7a5a3c" stroke="{INK}"/>'
    f'<path d="M-15 13q3-3 6 0t6 0t6 0t6 0" fill="none" stroke="{AZULEJO}"/>',
    "goods": '<path d="M0-7C-6-13-8-6 0-7C8-6 6-13 0-7Z"/>',
    "stronghold": '<path d="M-7-6V-12H-4V-9.5H-1.5V-12H1.5V-9.5H4V-12H7V-6Z"/>',
    "church": f'<path d="M-9-6L0-12L9-6Z"/><path d="M0-16V-11M-2.5-14H2.5" stroke="{INK}" stroke-width="1.5"/>',
    "market": f'<path d="M-10-5L-8-11H8L10-5Z"/><path d="M-4-11L-5-5H-1L-1-11ZM4-11L5-5H9L7.5-11Z" fill="{FOAM}" stroke="none"/>',
    "banker": f'<circle cx="6" cy="-6" r="4" fill="{COIN}"/>',
    "historian": f'<path d="M1 2C3-6 7-10 11-11C11-6 8-1 1 2Z" fill="{FOAM}"/><path d="M-1 4L8-7" fill="none"/>',
}
ROLES = tuple(_ROLES)


def _drawn(body: str, fill: str) -> str:
    return f'<g fill="{fill}" stroke="{INK}" stroke-width="1.2" stroke-linejoin="round" stroke-linecap="round">{body}</g>'


@cache
def thing(what: str) -> str:
    """A good or a building, by its name in the rules."""
    if what in _GOODS:
        tint, body = _GOODS[what]
        return _drawn(body, tint)
    if what.startswith("market "):
        return _drawn(_STALL, "none") + translated(0, 4, thing(what.removeprefix("market ")), 0.52)
    return _drawn(_STRONGHOLD if what == "stronghold" else _CHURCH, "none")


@cache
def stall() -> str:
    """A market of whichever good."""
    return _drawn(_STALL, "none")


@cache
def technology(name: str) -> str:
    return _drawn(_TECHNOLOGIES[name], GLAZE)


@cache
def coin() -> str:
    return _drawn(
        '<circle r="8.5"/><circle r="6" fill="none" stroke-opacity=".5"/><path d="M0-4V4M-4 0H4" stroke-width="2"/>',
        COIN,
    )


@cache
def book() -> str:
    return _drawn(
        '<path d="M0-5C-3-8-8-8-10-7V6C-8 5-3 5 0 8C3 5 8 5 10 6V-7C8-8 3-8 0-5Z"/><path d="M0-5V8"/>', FOAM
    )


@cache
def sails() -> str:
    return _drawn(
        '<path d="M0-9C7-5 8 0 7 3H0ZM-2-6C-6-3-7 0-7 3H-2Z"/><path d="M-9 5H9L6 9H-6Z" fill="#7a5a3c"/>',
        FOAM,
    )


@cache
def laurel() -> str:
    """VP."""
    leaves = "M-3 8C-9 5-10-2-7-8M3 8C9 5 10-2 7-8"
    return _drawn(f'<path d="{leaves}" fill="none" stroke="#5f7a4c" stroke-width="3.4"/>' + _STAR, COIN)


_STAR = '<path d="M0-6L1.7-1.8L6-1.6L2.6 1.1L3.8 5.3L0 2.9L-3.8 5.3L-2.6 1.1L-6-1.6L-1.7-1.8Z"/>'


@cache
def compass() -> str:
    """India found."""
    return _drawn(
        '<circle r="8.5"/><path d="M0-8L2.4 0L0 8L-2.4 0ZM-8 0L0-2.4L8 0L0 2.4Z" fill="#fff8e8"/>', COIN
    )


# at the mouth of Lisbon's river
TOWER = (
    f'<g fill="{CARD}" stroke="{INK}" stroke-width="1.3" stroke-linejoin="round">'
    '<path d="M-20 22V6H-16V9H-12V6H14V9H18V6H22V22Z"/>'
    '<path d="M-8 6V-16H-10V-22H-6V-19H-2V-22H2V-19H6V-22H10V-16H8V6Z"/>'
    f'<path d="M-4 22V15A4 4 0 0 1 4 15V22Z" fill="{INK}"/><path d="M-3-10H3M-3-4H3" fill="none"/></g>'
    f'<path d="M0-22V-32M0-32H11L8-29L11-26H0" fill="{AZULEJO}" stroke="{INK}"/>'
)


@cache
def marker(seat: int, role: str = "plain") -> str:
    """A cube of a seat, with its shape; what it carries or stands on shows its role."""
    return (
        f'<g fill="{SEAT_COLOURS[seat]}" stroke="{INK}" stroke-linejoin="round">{_ROLES[role]}{square(14, 2.5, "")}</g>'
        '<path d="M-5.3 4.5V-5.3H4.5" fill="none" stroke="#fff" stroke-opacity=".5"/>'
        + seat_shape(seat, 0.3, 0.5, 0.5)
    )


def dashed(name: str) -> str:
    """A name of the rules as part of an id."""
    return name.replace(" ", "-")


@cache
def disc_place() -> str:
    """Where a disc may stand."""
    return f'<circle r="8.5" fill="{GLAZE}" stroke="{INK}" stroke-opacity=".35"/>'


@cache
def disc(seat: int) -> str:
    """A scientist or the shipbuilder."""
    return (
        f'<circle r="8" fill="{SEAT_COLOURS[seat]}" stroke="{INK}"/><circle r="5.8" fill="none" stroke="#fff" stroke-opacity=".45"/>'
        + seat_shape(seat, 0.3, 0.5, 0.5)
    )


def back(width: float, height: float) -> str:
    """The back of a town, around (0, 0): an unpainted tile, quieter than any town that is known."""
    u, v = width / 2, height / 2
    corners = "".join(
        f'<path d="M{coord(x * u)} {coord(y * (v - 17))}Q{coord(x * (u - 17))} {coord(y * (v - 17))} {coord(x * (u - 17))} {coord(y * v)}"/>'
        for x in (-1, 1)
        for y in (-1, 1)
    )
    rose = '<path d="M0-17L4-4L17 0L4 4L0 17L-4 4L-17 0L-4-4Z"/>'
    lines = f'<g fill="none" stroke="{AZULEJO}" stroke-opacity=".28" stroke-width="1.4">{corners}{rose}</g>'
    return rect(-u, -v, width, height, 6, f'fill="#dbe3e4" stroke="{INK}" stroke-opacity=".35"') + lines


def tile(size: float) -> str:
    """A tile of Lisbon, blue on white, around (0, 0)."""
    quarter = (
        f'<path d="M-50-50H-12A38 38 0 0 1-50-12Z" fill="{AZULEJO}"/><path d="M-50-50H-24A26 26 0 0 1-50-24Z" fill="{GLAZE}"/>'
        f'<path d="M-50-50L-32-46L-34-34L-46-32Z" fill="{AZULEJO}"/>'
        f'<path d="M0 0C-16-4-26-14-28-28C-14-26-4-16 0 0Z" fill="{AZULEJO}"/>'
        f'<path d="M-4-4C-14-8-20-14-22-22C-14-20-8-14-4-4Z" fill="{GLAZE}"/>'
        f'<path d="M0-50V-20M-3-44H3" stroke="{AZULEJO}" stroke-width="3" fill="none"/><circle cy="-24" r="5" fill="{AZULEJO}"/>'
    )
    quarters = "".join(f'<g transform="rotate({turn})">{quarter}</g>' for turn in (0, 90, 180, 270))
    middle = f'<circle r="6" fill="{GLAZE}" stroke="{AZULEJO}" stroke-width="3"/>'
    face = square(100, 0, f'fill="{GLAZE}"') + quarters + middle
    return f'<g transform="scale({size / 100:g})">{face}</g>'


def wall(pattern: str, size: float) -> str:
    """A pattern of small tiles, to fill a wall with."""
    half = size / 2
    return (
        f'<pattern id="{pattern}" width="{size:g}" height="{size:g}" patternUnits="userSpaceOnUse">'
        f'<g transform="translate({half:g} {half:g})">{tile(size)}</g>'
        f'<path d="M0 0H{size:g}M0 0V{size:g}" stroke="{FOAM}" stroke-width="1.5"/></pattern>'
    )
