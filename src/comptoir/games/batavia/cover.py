"""Batavia's cover: the roads of Batavia in the morning, ships of several companies at anchor, goods on the
quay.
"""

from __future__ import annotations

import math

from comptoir.art.board import COVER_SIZE
from comptoir.art.shapes import (
    CARD,
    FOAM,
    INK,
    PAPER,
    SEA,
    SEA_LINE,
    SECOND_PAPER,
    coord,
    meeple,
    rhumbs,
    text,
    translated,
)
from comptoir.engine.words import Words
from comptoir.games.batavia import drawings as draw

_WIDTH, _HEIGHT = COVER_SIZE
_HORIZON = 262
_SUN = (404, 206)
_FAR, _NEAR, _LEAF, _HULL, _QUAY = "#b4c5bd", "#8faaa4", "#3f5a48", "#6b4a33", "#4a3a30"


def cover(words: Words) -> str:
    return f"<defs>{_DEFS}</defs>" + "".join(
        (
            _sky(),
            _mountains(),
            _town(),
            _sea(),
            _ship(196, 286, 0.5, "denmark"),
            _ship(300, 300, 0.36, "england"),
            _ship(486, 338, 1.2, "netherlands"),
            _quay(),
            _leaves(),
            _title(words),
            draw.border(10, 10, _WIDTH - 20, _HEIGHT - 20, 8),
        )
    )


_DEFS = (
    f'<linearGradient id="bat-sky" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="{PAPER}"/>'
    '<stop offset=".62" stop-color="#f6e3b4"/><stop offset="1" stop-color="#f0cf94"/></linearGradient>'
    f'<linearGradient id="bat-water" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="#dfe0c8"/>'
    f'<stop offset=".22" stop-color="{SEA}"/><stop offset="1" stop-color="{SEA_LINE}"/></linearGradient>'
    f'<clipPath id="bat-cover"><rect width="{_WIDTH}" height="{_HEIGHT}" rx="14"/></clipPath>'
)


def _sky() -> str:
    x, y = _SUN
    rings = "".join(
        f'<circle cx="{x}" cy="{y}" r="{r}" fill="{FOAM}" fill-opacity="{o}"/>'
        for r, o in ((132, 0.16), (98, 0.2), (70, 0.35))
    )
    sun = f'<circle cx="{x}" cy="{y}" r="46" fill="{FOAM}"/><circle cx="{x}" cy="{y}" r="46" fill="#f4d486" fill-opacity=".55"/>'
    sky = f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="url(#bat-sky)"/>'
    return f'<g clip-path="url(#bat-cover)">{sky}{rhumbs(x, y, 700)}{rings}{sun}{_clouds()}</g>'


def _clouds() -> str:
    """Long thin clouds, as an engraver draws them."""
    lines = (
        (88, 176, 150),
        (130, 186, 90),
        (470, 132, 120),
        (520, 142, 70),
        (250, 150, 84),
        (300, 158, 40),
        (560, 190, 60),
    )
    return "".join(
        f'<path d="M{x} {y}q{w / 4:g}-5 {w / 2:g} 0t{w / 2:g} 0" fill="none" stroke="{FOAM}" stroke-width="4" stroke-linecap="round"/>'
        for x, y, w in lines
    )


def _mountains() -> str:
    """Volcanoes behind the coast, the farther the paler."""
    far = (
        "M0 240Q60 226 96 196Q128 160 142 158Q158 156 166 164Q186 202 240 226Q300 244 340 236"
        "Q380 214 420 222T520 214Q560 186 574 184Q588 184 600 200T640 224V270H0Z"
    )
    near = "M0 258Q40 246 90 244Q150 218 196 232T300 250Q350 240 400 250T540 240Q590 226 640 244V270H0Z"
    lines = "".join(
        f"M{x} {y}q{dx} {dy} {dx * 2.2:g} {dy * 1.5:g}"
        for x, y, dx, dy in (
            (150, 160, 6, 22),
            (158, 162, 10, 20),
            (144, 164, 2, 24),
            (136, 168, -4, 20),
            (166, 168, 13, 18),
            (580, 188, 4, 14),
            (588, 190, 8, 13),
        )
    )
    smoke = "M152 157C147 150 158 147 156 140C154 134 166 135 172 132"
    return (
        f'<path d="{far}" fill="{_FAR}" fill-opacity=".75"/><path d="{lines}" fill="none" stroke="{INK}" stroke-opacity=".22"/>'
        f'<path d="{smoke}" fill="none" stroke="{FOAM}" stroke-width="7" stroke-linecap="round" stroke-opacity=".8"/>'
        f'<path d="{near}" fill="{_NEAR}" fill-opacity=".8"/>'
    )


def _town() -> str:
    """The waterfront: stepped gables, a church with a dome, a bastion, palms."""
    shown = [
        _palm(x, _HORIZON - 2, size)
        for x, size in (
            (30, 1.3),
            (52, 1.7),
            (300, 1.4),
            (318, 1.1),
            (352, 1.2),
            (560, 1.5),
            (590, 1.2),
            (612, 1.6),
        )
    ]
    for i, (x, width, height) in enumerate(_HOUSES):
        shown.append(
            translated(x, _HORIZON, _house(width, height, (CARD, SECOND_PAPER, PAPER, "#e7c9a4")[i % 4]))
        )
    shown.append(translated(228, _HORIZON, _CHURCH))
    shown.append(translated(348, _HORIZON, _BASTION))
    return "".join(shown)


_HOUSES = (  # where each stands, its width and height
    (70, 18, 26),
    (88, 15, 32),
    (103, 20, 24),
    (123, 16, 36),
    (139, 18, 29),
    (157, 14, 24),
    (171, 20, 34),
    (191, 17, 27),
    (268, 18, 30),
    (286, 15, 25),
)
_CHURCH = (
    f'<g fill="{CARD}" stroke="{INK}" stroke-width="1.1" stroke-linejoin="round"><path d="M-22 0V-34H22V0Z"/>'
    '<path d="M-16-34Q-16-58 0-60Q16-58 16-34Z" fill="#a9bcb2"/>'
    f'<path d="M-4-60V-68H4V-60Z"/><path d="M0-68V-80" fill="none"/></g>'
    f'<path d="M-14 0V-18Q-10-24-6-18V0M6 0V-18Q10-24 14-18V0'
    f'M-8-36Q-8-54 0-58M8-36Q8-54 0-58" fill="none" stroke="{INK}" stroke-opacity=".5"/>'
)
_BASTION = (
    f'<g stroke="{INK}" stroke-width="1.1" stroke-linejoin="round"><path d="M-34 0L-28-22H96L104 0Z" fill="{SECOND_PAPER}"/>'
    f'<path d="M-30-22V-28H-22V-24H-14V-28H-6V-24H2V-28H10V-24H18V-28H26V-24H34'
    f'V-28H42V-24H50V-28H58V-24H66V-28H74V-24H82V-28H90V-24H98V-22Z" fill="{CARD}"/>'
    f'<path d="M30-26V-40L42-50L54-40V-26Z" fill="{CARD}"/><path d="M42-50V-76" fill="none"/></g>'
    f"{translated(42, -76, draw.flag('netherlands', 24, 14))}"
    f'<path d="M-20-10H-12M4-10H12M62-10H70M84-10H92M38-34V-30M46-34V-30" stroke="{INK}" stroke-width="2" stroke-opacity=".6"/>'
)


def _house(width: float, height: float, fill: str) -> str:
    """A house with a stepped gable, from its foot."""
    step = width / 7
    up = "".join(f"v-4h{coord(step)}" for _ in range(3))
    down = "".join(f"h{coord(step)}v4" for _ in range(3))
    windows = "".join(
        f"M{coord(width * u)} {coord(-height * v)}v4" for u in (0.3, 0.52, 0.74) for v in (0.8, 0.5)
    )
    return (
        f'<path d="M0 0V{coord(-height)}{up}h{coord(step)}{down}V0Z" fill="{fill}" stroke="{INK}" stroke-width="1" stroke-linejoin="round"/>'
        f'<path d="{windows}" stroke="{INK}" stroke-opacity=".55" stroke-width="1.6"/>'
    )


def _palm(x: float, y: float, size: float) -> str:
    fronds = "".join(
        f"M0-24Q{coord(7 * math.cos(a))} {coord(-30 + 3 * math.sin(a))} {coord(14 * math.cos(a))} {coord(-24 + 7 * abs(math.cos(a)) - 7 * math.sin(a))}"
        for a in (-0.3, 0.5, 1.2, 1.9, 2.6, 3.4)
    )
    body = f'<path d="M0 0Q-2-12 0-24" stroke="{_QUAY}" stroke-width="2"/><path d="{fronds}" stroke="{_LEAF}" stroke-width="2.6"/>'
    return translated(x, y, f'<g fill="none" stroke-linecap="round">{body}</g>', size)


def _sea() -> str:
    x, _ = _SUN
    water = (
        f'<path d="M0 {_HORIZON}H{_WIDTH}V{_HEIGHT}H0Z" fill="url(#bat-water)" clip-path="url(#bat-cover)"/>'
    )
    strand = f'<path d="M0 {_HORIZON}H{_WIDTH}" stroke="{INK}" stroke-opacity=".5"/>'
    glitter, waves = [], []
    for n in range(13):
        y, half = _HORIZON + 6 + n * n * 0.62 + n * 2, 40 - 2 * n + 13 * math.sin(n * 2.1)
        glitter.append(
            f"M{coord(x - half)} {coord(y)}h{coord(half * 0.9)}M{coord(x + half * 0.2)} {coord(y + 2)}h{coord(half)}"
        )
    for n in range(46):
        depth = (n % 9 + 1) / 9
        u, v, w = (n * 139.7) % _WIDTH, _HORIZON + 8 + 168 * depth**1.5, 10 + 26 * depth
        waves.append(
            f"M{coord(u)} {coord(v)}q{coord(w / 4)}-{coord(4 * depth + 1)} {coord(w / 2)} 0t{coord(w / 2)} 0"
        )
    return (
        f"{water}{strand}"
        f'<path d="{"".join(glitter)}" stroke="#fbe9bd" stroke-width="2.4" stroke-linecap="round" stroke-opacity=".85" fill="none"/>'
        f'<path d="{"".join(waves)}" stroke="{INK}" stroke-opacity=".22" fill="none" stroke-linecap="round" stroke-width="1.2"/>'
    )


# A ship of the companies, at its water line


def _ship(x: float, y: float, size: float, company: str) -> str:
    return translated(x, y, _shadow() + _rigging() + _sails() + _hull() + _colours(company), size)


def _shadow() -> str:
    lines = "".join(f"M{coord(-70 + 5 * n)} {12 + 6 * n}H{coord(60 - 9 * n)}" for n in range(6))
    return f'<path d="{lines}" stroke="{INK}" stroke-opacity=".28" stroke-width="3" stroke-linecap="round" stroke-dasharray="26 7 40 5"/>'


def _rigging() -> str:
    ropes = (
        "M-8-150L-80-38M-8-150L36-128L98-46M36-128L72-26M-50-112L-84-40M-8-146L-40-22M-8-146L24-20"
        "M36-122L8-20M36-122L62-22M-50-108L-68-26M-50-108L-30-24M36-80L98-46"
    )
    masts = "M-50-20V-114M-8-18V-156M36-16V-134M66-22L104-48"
    return (
        f'<path d="{ropes}" fill="none" stroke="{INK}" stroke-opacity=".5" stroke-width=".8"/>'
        f'<path d="{masts}" fill="none" stroke="{_HULL}" stroke-width="3.4" stroke-linecap="round"/>'
    )


def _sails() -> str:
    """Square sails on main and fore mast, a lateen sail behind, filled by a wind from the left."""
    square = (
        _sail(-8, -96, -40, 25, 30),
        _sail(-8, -130, -100, 19, 25),
        _sail(-8, -150, -133, 12, 17),
        _sail(36, -84, -36, 21, 25),
        _sail(36, -112, -88, 16, 21),
        _sail(36, -129, -115, 10, 14),
        _sail(-50, -108, -88, 10, 14),
    )
    lateen = f'<path d="M-74-36Q-58-60-34-96Q-26-62-32-40Q-54-44-74-36Z" fill="{FOAM}" stroke="{INK}" stroke-width="1.2"/>'
    jib = f'<path d="M96-46Q66-70 44-96Q56-62 62-44Q80-46 96-46Z" fill="{FOAM}" stroke="{INK}" stroke-width="1.2"/>'
    return f"{lateen}{jib}{''.join(reversed(square))}"


def _sail(x: float, top: float, foot: float, half_top: float, half_foot: float) -> str:
    bulge, middle = (foot - top) * 0.22, (top + foot) / 2
    left, right = f"{coord(x - half_top)} {coord(top)}", f"{coord(x + half_top)} {coord(top)}"
    low_left, low_right = f"{coord(x - half_foot)} {coord(foot)}", f"{coord(x + half_foot)} {coord(foot)}"
    side = f"Q{coord(x + half_foot + bulge)} {coord(middle)} {low_right}"
    cloth = f"M{left}L{right}{side}Q{coord(x + bulge)} {coord(foot - bulge)} {low_left}Q{coord(x - half_top + bulge * 0.6)} {coord(middle)} {left}Z"
    fold = f"{coord(x + half_top * 0.45)} {coord(top)}"
    shade = f"M{fold}L{right}{side}Q{coord(x + half_foot * 0.7)} {coord(foot - bulge * 0.6)} {coord(x + half_foot * 0.5)} {coord(foot - bulge * 0.7)}"
    shade += f"Q{coord(x + half_foot * 0.6 + bulge)} {coord(middle)} {fold}Z"
    return (
        f'<path d="{cloth}" fill="{FOAM}" stroke="{INK}" stroke-width="1.2" stroke-linejoin="round"/>'
        f'<path d="{shade}" fill="{SECOND_PAPER}"/>'
        f'<path d="M{coord(x - half_top - 3)} {coord(top)}H{coord(x + half_top + 3)}" stroke="{_HULL}" stroke-width="2.4" stroke-linecap="round"/>'
    )


def _hull() -> str:
    ports = "".join(f"M{x}-7h6" for x in range(-54, 44, 14))
    return (
        f'<g stroke="{INK}" stroke-width="1.3" stroke-linejoin="round">'
        f'<path d="M-84-46L-80-40H-52L-48-26L40-20Q60-22 80-32Q74-4 54 10H-58Q-74 2-78-20Z" fill="{_HULL}"/>'
        f'<path d="M-79-30L-49-26L42-20Q60-22 78-31L76-24Q58-14 42-13L-50-18L-78-22Z" fill="{draw.WOOD}"/>'
        f'<path d="M-76-12Q-20 0 66-10" fill="none" stroke="{draw.WOOD}" stroke-width="2"/></g>'
        f'<path d="{ports}" stroke="{INK}" stroke-width="5"/><path d="M-78-38h6M-70-38h6M-62-38h6" stroke="#f4d486" stroke-width="4"/>'
    )


def _colours(company: str) -> str:
    pennant = f'<path d="M-8-156Q8-162 18-157T42-158L20-152Q8-152-8-150Z" fill="#b5352b" stroke="{INK}" stroke-width=".8"/>'
    stern = f'<path d="M-82-44V-82" stroke="{_HULL}" stroke-width="2"/>{translated(-82, -82, draw.flag(company, 30, 19))}'
    fore = translated(36, -134, draw.flag(company, 18, 11))
    return pennant + stern + fore


# The quay in front


def _quay() -> str:
    planks = "".join(f"M0 {y}L{w} {y + 4}" for y, w in ((392, 232), (410, 262), (428, 290)))
    deck = f'<path d="M0 372L206 382L300 440H0Z" fill="{_QUAY}"/><path d="{planks}" stroke="{PAPER}" stroke-opacity=".14" stroke-width="1.6"/>'
    posts = "".join(
        f'<path d="M{x} {y}v26" stroke="{INK}" stroke-width="9" stroke-linecap="round"/>'
        for x, y in ((214, 378), (262, 404))
    )
    cargo = (
        translated(60, 352, _CASE, 1.35) + translated(60, 350, draw.good("pepper", 1.3)),
        translated(110, 360, _CASE, 1.1) + translated(110, 358, draw.good("tea", 1.15)),
        translated(78, 312, _CASE, 0.95) + translated(78, 310, draw.good("silk", 1.0)),
        translated(30, 396, _BARREL, 1.15),
        translated(140, 392, _SACK, 1.2) + translated(140, 396, draw.good("nutmeg", 0.9)),
        translated(100, 402, draw.good("porcelain", 2.1)),
        translated(180, 372, meeple(0), 1.75),
    )
    return f'<g clip-path="url(#bat-cover)">{deck}{posts}{"".join(cargo)}</g>'


_CASE = (
    f'<path d="M-20-18H20V18H-20Z" fill="{draw.WOOD}" stroke="{INK}" stroke-width="1.4"/>'
    f'<path d="M-20-11H20M-20 11H20M-13-18V18M13-18V18" stroke="{INK}" stroke-opacity=".4"/>'
    f'<path d="M20-18L26-23V13L20 18ZM-20-18L-13-23H26L20-18Z" fill="#a9814f" stroke="{INK}" stroke-width="1.2" stroke-linejoin="round"/>'
)
_BARREL = (
    f'<path d="M-16-22Q-22 0-16 22H16Q22 0 16-22Z" fill="#a9814f" stroke="{INK}" stroke-width="1.4"/>'
    f'<ellipse cy="-22" rx="16" ry="5" fill="{draw.WOOD}" stroke="{INK}"/>'
    f'<path d="M-19-8Q0-3 19-8M-19 9Q0 14 19 9" fill="none" stroke="{INK}" stroke-width="2.4"/>'
)
_SACK = (
    f'<path d="M-8-18Q-2-12 8-18L6-12Q22-2 18 16Q0 22-18 16Q-22-2-6-12Z" fill="{SECOND_PAPER}" stroke="{INK}" stroke-width="1.3"'
    ' stroke-linejoin="round"/>'
)


def _leaves() -> str:
    """Palm leaves that hang into the picture."""
    leaves = (
        (168, 150, "#5b7560"),
        (146, 190, "#4d6853"),
        (122, 170, "#5b7560"),
        (100, 130, "#4d6853"),
        (134, 140, _LEAF),
        (158, 118, _LEAF),
    )
    shown = "".join(
        f'<g transform="translate(652-14) rotate({turn})">{_leaf(length, colour)}</g>'
        for turn, length, colour in leaves
    )
    return f'<g clip-path="url(#bat-cover)">{shown}</g>'


def _leaf(length: float, colour: str) -> str:
    """A palm leaf from its stem: pairs of blades, longest in the middle, that bend towards the tip."""
    blades = ""
    for n in range(3, 17):
        along = length * n / 17
        sag, reach = along * along / 800, 12 + 30 * math.sin(math.pi * n / 19)
        for side in (1, -0.8):
            tip = f"{coord(along + reach * 0.75)} {coord(sag + side * reach)}"
            blades += f"M{coord(along)} {coord(sag)}Q{coord(along + reach * 0.45)} {coord(sag + side * reach * 0.3)} {tip}"
            blades += f"Q{coord(along + reach * 0.25)} {coord(sag + side * reach * 0.55)} {coord(along - 5)} {coord(sag)}Z"
    spine = f"M0 0Q{coord(length * 0.5)} 0 {coord(length)} {coord(length * length / 800)}"
    return f'<path d="{blades}" fill="{colour}"/><path d="{spine}" fill="none" stroke="{_QUAY}" stroke-opacity=".7" stroke-width="2"/>'


def _title(words: Words) -> str:
    name = text(48, 104, words.say("game.title"), "title", "start", 80)
    rule = f'<path d="M52 126H330" stroke="{INK}" stroke-opacity=".6"/><path d="M182 126l9-5 9 5-9 5Z" fill="{INK}"/>'
    return name + rule
