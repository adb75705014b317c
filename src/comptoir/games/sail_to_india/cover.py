"""The cover of Sail to India: caravels leave Lisbon, and on the quay one marker after the other takes its
role.
"""

from __future__ import annotations

import math

from comptoir.art.board import COVER_SIZE
from comptoir.art.shapes import FOAM, INK, PAPER, SECOND_PAPER, rhumbs, text, translated
from comptoir.engine.words import Words
from comptoir.games.sail_to_india import drawings
from comptoir.games.sail_to_india.drawings import AZULEJO, GLAZE

HORIZON, QUAY = 236, 386
_WATERS = ("#c3d4da", "#aec6d2", "#93b1c6", "#7497b8", "#4f7aa8", "#3a6599")
_STONE, _SHADE, _CROSS = "#f1e6cc", "#d9c9a3", "#a8443a"


def cover(words: Words) -> str:
    waters = [_water(nth) for nth in range(len(_WATERS))]
    return "".join(
        (
            _sky(),
            _far_coast(),
            waters[0],
            translated(566, 259, _caravel(), 0.27),
            translated(608, 262, _caravel(), 0.34),
            waters[1],
            waters[2],
            translated(236, 309, _caravel(), 0.68),
            waters[3],
            translated(396, 342, _caravel(), 1.2),
            waters[4],
            translated(92, 366, _tower()),
            waters[5],
            _quay(),
            _title(words),
        )
    )


def _sky() -> str:
    """Warm paper, with a sun engraved over the end of the way."""
    width, height = COVER_SIZE
    rings = "".join(
        f'<circle r="{r}" fill="none" stroke="#b98a2f" stroke-opacity="{0.5 - r / 400:.2f}"/>'
        for r in range(58, 170, 12)
    )
    rays = "".join(
        f'<path d="M0-60V{-70 - 12 * (turn % 20 == 0)}" transform="rotate({turn})"/>'
        for turn in range(0, 360, 10)
    )
    sun = f'<circle r="50" fill="#f3d68f"/><circle r="50" fill="none" stroke="{INK}" stroke-opacity=".35"/>'
    return (
        f'<defs><radialGradient id="sail-cover-sky" cx=".76" cy=".45" r=".9"><stop offset="0" stop-color="#fbf1d8"/>'
        f'<stop offset=".6" stop-color="{PAPER}"/><stop offset="1" stop-color="{SECOND_PAPER}"/></radialGradient>'
        f"{drawings.wall('sail-cover-wall', 44)}</defs>"
        f'<rect width="{width}" height="{height}" fill="url(#sail-cover-sky)"/>{rhumbs(486, 204, 640)}'
        f'<g transform="translate(486 204)">{sun}{rings}'
        f'<g stroke="{INK}" stroke-opacity=".3" stroke-width="1.2">{rays}</g></g>'
    )


def _far_coast() -> str:
    """India: hills in two distances, domes and palms before them."""
    hills = "M250 236C290 226 312 214 340 216C364 196 388 206 404 200C430 178 452 196 470 190"
    hills += "C500 164 520 186 548 178C580 160 606 176 640 166V240H250Z"
    near = "M330 238C360 228 380 230 402 222C430 228 452 214 480 218C510 224 540 212 566 214C596 204 620 212 640 206V242H330Z"
    dome = "M-9 0V-9C-9-15-4-17 0-24C4-17 9-15 9-9V0Z"
    domes = "".join(
        f'<path d="{dome}" transform="translate({x} {y}) scale({scale})"/>'
        for x, y, scale in ((488, 222, 0.8), (506, 221, 1.2), (524, 220, 0.8), (540, 219, 0.6))
    )
    towers = '<path d="M470 222V196L473 189L476 196V222ZM552 219V192L555 185L558 192V219Z"/>'
    palm = "M0 0C1-8 0-12-1-16M-1-16C-6-20-10-18-12-14M-1-16C-4-23 2-24 6-21M-1-16C4-19 8-16 10-11M-1-16C-5-15-7-11-7-8"
    palms = "".join(
        f'<path d="{palm}" transform="translate({x} {y})"/>'
        for x, y in ((580, 217), (590, 215), (622, 214), (634, 216))
    )
    return (
        f'<path d="{hills}" fill="#d8c9a4"/><path d="{hills}" fill="none" stroke="{INK}" stroke-opacity=".25"/>'
        f'<path d="{near}" fill="#bfae88" stroke="{INK}" stroke-opacity=".35"/>'
        f'<g fill="#efe3c6" stroke="{INK}" stroke-opacity=".65">{domes}{towers}</g>'
        f'<g fill="none" stroke="#52634d" stroke-width="1.6" stroke-linecap="round">{palms}</g>'
    )


def _water(nth: int) -> str:
    """One band of the sea; the nearer, the deeper its blue and the higher its waves."""
    top, high, long = HORIZON + 4 + 1.1 * nth * (13 + nth * 2.2), 1.5 + 1.6 * nth, 26 + 13 * nth
    start, n = -((nth * 17) % 30), math.ceil(700 / long)
    crest = "".join(f"q{long / 4:.1f} {-high:.1f} {long / 2:.1f} 0t{long / 2:.1f} 0" for _ in range(n))
    ripple = f"q{long / 5:.0f} {-high:.1f} {long / 2.5:.0f} 0t{long / 2.5:.0f} 0"
    lines = "".join(
        f'<path d="M{(nth * 97 + k * 131) % 620} {top + 10 + (k * 7) % 13:.0f}{ripple}"/>' for k in range(5)
    )
    return (
        f'<path d="M{start} {top:.1f}{crest}V440H{start}Z" fill="{_WATERS[nth]}"/>'
        f'<path d="M{start} {top:.1f}{crest}" fill="none" stroke="{FOAM}" stroke-opacity=".55" stroke-width="1.2"/>'
        f'<g fill="none" stroke="{FOAM}" stroke-opacity=".35">{lines}</g>'
    )


def _caravel() -> str:
    """A ship under full sail, her keel at (0, 0)."""
    hull = "M-62-30C-56-8-46 2-34 4H36C50 2 58-8 66-36L48-30L44-22H-40L-46-34Z"
    cross = (
        "M-3-16H3L5-20H-5ZM-3 16H3L5 20H-5ZM-16-3V3L-20 5V-5ZM16-3V3L20 5V-5ZM-3-16H3V16H-3ZM-16-3H16V3H-16Z"
    )
    sails = (
        '<path d="M-44-100C-30-92-12-92 2-100C10-76 8-52 2-36C-14-44-32-44-46-36C-36-58-36-80-44-100Z"/>'
        '<path d="M-36-138C-26-132-12-132-2-138C2-126 4-116 3-106C-12-100-28-100-40-106C-36-116-34-126-36-138Z"/>'
        '<path d="M14-92C26-86 38-86 48-92C56-72 54-54 48-40C38-46 26-46 14-40C20-56 22-74 14-92Z"/>'
        '<path d="M-52-84L-50-40L-84-34Z"/>'
    )
    shade = '<path d="M2-100C10-76 8-52 2-36C-4-39-8-40-12-41C-4-58-2-80-8-95ZM48-92C56-72 54-54 48-40C44-42 40-43 38-44C44-60 44-74 40-88Z"/>'
    return (
        f'<g stroke="{INK}" stroke-width="1.5" stroke-linejoin="round" stroke-linecap="round">'
        '<path d="M-20-24V-150M32-24V-104M-46-34L-88-52" fill="none" stroke-width="2.4"/>'
        f'<g fill="{FOAM}">{sails}</g><g fill="{_SHADE}" fill-opacity=".55" stroke="none">{shade}</g>'
        f'<path d="M-20-150C-8-156-4-146 8-152L6-143C-6-138-10-147-20-141Z" fill="{AZULEJO}"/>'
        f'<path d="M32-104C40-108 44-101 52-105L50-98C44-95 40-101 32-97Z" fill="{AZULEJO}"/>'
        f'<path d="{hull}" fill="#7a5a3c"/><path d="M-54-18C-20-10 30-10 58-20M-46-6C-20 0 30 0 52-10" fill="none" stroke-opacity=".6"/>'
        f'<path d="M-40-22H44L46-28H-43Z" fill="{_SHADE}"/></g>'
        f'<g fill="{_CROSS}"><path d="{cross}" transform="translate(-19-68) scale(.8)"/>'
        f'<path d="{cross}" transform="translate(33-66) scale(.6)"/></g>'
    )


def _tower() -> str:
    """The tower at the mouth of the Tagus, on its bastion."""
    merlons = "".join(f'<path d="M{x} -60V-68H{x + 9}V-60Z"/>' for x in range(-74, 74, 15))
    top = "".join(f'<path d="M{x} -196V-204H{x + 7}V-196Z"/>' for x in range(-38, 36, 11))
    turrets = "".join(
        f'<path d="M{x - 7}-52V-76H{x + 7}V-52ZM{x - 8}-76C{x - 8}-86 {x - 3}-88 {x}-94C{x + 3}-88 {x + 8}-86 {x + 8}-76Z"/>'
        for x in (-74, 74)
    )
    arch = "M-5 0V-12A5 5 0 0 1 5-12V0Z"
    windows = "".join(
        f'<path d="{arch}" transform="translate({x} {y})"/>' for x, y in ((-14, -146), (10, -146), (-2, -100))
    )
    balcony = "".join(f'<path d="M{x}-168V-152" />' for x in range(-30, 32, 7))
    return (
        f'<g fill="{_STONE}" stroke="{INK}" stroke-width="1.5" stroke-linejoin="round">'
        f'<path d="M-86 22L-80-60H80L88 22Z"/><path d="M34-60H80L88 22H48Z" fill="{_SHADE}" stroke="none"/>{merlons}{turrets}'
        '<path d="M-34-60V-178H-38V-196H38V-178H34V-60Z"/>'
        f'<path d="M14-60V-196H38V-178H34V-60Z" fill="{_SHADE}" stroke="none"/>'
        f'<path d="M-34-60V-178H-38V-196H38V-178H34V-60" fill="none"/>{top}'
        f'<path d="M-32-152H30V-168H-32Z"/>{balcony}</g><g fill="{INK}">{windows}</g>'
        '<path d="M-83-30H84M-34-122H34M-34-82H34M-60-12H-40M-10-14H16M34-44H58M-66-46H-50" '
        f'fill="none" stroke="{INK}" stroke-opacity=".35"/>'
        f'<path d="M0-204V-250" stroke="{INK}" stroke-width="2"/>'
        f'<path d="M0-250C14-258 24-242 44-250L40-226C24-218 14-234 0-226Z" fill="{GLAZE}" stroke="{INK}" stroke-width="1.3"/>'
        f'<path d="M18-249V-227M4-238H38" stroke="{_CROSS}" stroke-width="4" fill="none"/>'
    )


def _quay() -> str:
    """A ledge over a wall of tiles; on it the markers, each in another role."""
    width, height = COVER_SIZE
    roles = ("ship", "goods", "market", "stronghold", "church", "banker", "historian")
    row = "".join(
        translated(
            208 + 66 * nth,
            QUAY - 16,
            f'<ellipse cy="10" rx="15" ry="3" fill="{INK}" opacity=".3"/>' + drawings.marker(nth % 4, role),
            1.9,
        )
        for nth, role in enumerate(roles)
    )
    return (
        f'<rect y="{QUAY}" width="{width}" height="{height - QUAY}" fill="url(#sail-cover-wall)"/>'
        f'<path d="M0 {QUAY - 8}H{width}V{QUAY + 6}H0Z" fill="{_STONE}" stroke="{INK}" stroke-width="1.3"/>'
        f'<path d="M0 {QUAY + 6}H{width}V{QUAY + 11}H0Z" fill="{INK}" fill-opacity=".28"/>{row}'
    )


def _title(words: Words) -> str:
    title = words.say("game.title")
    return (
        text(392, 66, title, "title", size=min(50, 980 / len(title)))
        + f'<path d="M300 84H374M410 84H484M392 78L398 84L392 90L386 84Z" fill="{AZULEJO}" stroke="{AZULEJO}" stroke-width="1.5"/>'
    )
