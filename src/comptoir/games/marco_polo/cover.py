"""The cover of Marco Polo Expedition: the caravan on the crest of a dune at sunset, the mountains and Dadu
beyond.
"""

from __future__ import annotations

from comptoir.art.board import COVER_SIZE
from comptoir.art.shapes import FOAM, INK, PAPER, SEA, SEA_LINE, coord, rhumbs, text, translated
from comptoir.engine.words import Words
from comptoir.games.marco_polo import drawings as draw

WIDTH, HEIGHT = COVER_SIZE
SUN = (418, 196)
NEAR, FAR, HAZE = "#b9b7a4", "#cbcdbf", "#dcdccd"  # mountains, paler with every mile
# their blankets, in the colours of the cards
CAMELS = (
    "#b5352b",
    "#2f5f9e",
    "#e3b94a",
    "#3f7a4a",
    "#77508f",
)


def cover(words: Words) -> str:
    scene = "".join((_sky(), _mountains(), _city(), _dunes(), _caravan(), _foreground()))
    return f'{_paper()}<g clip-path="url(#mp-edge)">{scene}</g>{_frame()}{_title(words)}'


def _paper() -> str:
    """The sheet, with what the scene refers to: it is drawn within the frame."""
    return (
        f"<defs>{_gradient('mp-sky', ('#f0d9a6', '#f5ead0', '#f7e2b4'))}{_gradient('mp-sand', ('#efd49a', '#cf9f5e'))}"
        f'<clipPath id="mp-edge"><rect x="15" y="15" width="{WIDTH - 30}" height="{HEIGHT - 30}" rx="3"/></clipPath></defs>'
        f'<rect width="{WIDTH}" height="{HEIGHT}" rx="14" fill="{PAPER}"/>'
    )


def _gradient(name: str, colours: tuple[str, ...]) -> str:
    """Colours from the top to the bottom."""
    stops = "".join(
        f'<stop offset="{coord(n / (len(colours) - 1))}" stop-color="{colour}"/>'
        for n, colour in enumerate(colours)
    )
    return f'<linearGradient id="{name}" x1="0" y1="0" x2="0" y2="1">{stops}</linearGradient>'


def _sky() -> str:
    """The paper's own light, a low sun, and the lines of a chart drawn from it."""
    x, y = SUN
    rings = "".join(
        f'<circle cx="{x}" cy="{y}" r="{radius}" fill="{draw.BRASS}" fill-opacity=".16"/>'
        for radius in (148, 116, 88)
    )
    birds = "M208 150q6-6 11 0q6-6 11 0M244 136q4-4 8 0q4-4 8 0M236 164q4-4 7 0q4-4 7 0"
    return (
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="url(#mp-sky)"/>{rhumbs(x, y, 620)}{rings}'
        f'<circle cx="{x}" cy="{y}" r="60" fill="#f2c566" stroke="{INK}" stroke-opacity=".35"/>'
        f'<path d="{birds}" fill="none" stroke="{INK}" stroke-opacity=".6" stroke-width="1.4"/>'
    )


def _range(points: tuple[tuple[float, float], ...], fill: str, floor: float) -> str:
    """A range far off: one outline, its slopes hatched."""
    line = "L".join(f"{coord(x)} {coord(y)}" for x, y in points)
    hatch = "".join(
        f"M{coord(x)} {coord(y + 3)}l{coord(9 + n % 3 * 4)} {coord(16 + n % 4 * 5)}"
        for n, (x, y) in enumerate(points)
        if n % 2
    )
    return (
        f'<path d="M0 {floor}L{line}L{WIDTH} {floor}Z" fill="{fill}"/>'
        f'<path d="M{line}{hatch}" fill="none" stroke="{INK}" stroke-opacity=".28" stroke-linejoin="round"/>'
    )


def _mountains() -> str:
    far = (
        (0, 196),
        (34, 176),
        (62, 196),
        (104, 150),
        (138, 184),
        (176, 158),
        (214, 198),
        (262, 172),
        (300, 200),
        (352, 186),
        (396, 204),
    )
    near = (
        (0, 226),
        (40, 204),
        (74, 228),
        (122, 192),
        (160, 226),
        (210, 206),
        (250, 232),
        (310, 214),
        (360, 240),
        (430, 226),
        (520, 244),
    )
    right = ((396, 204), (448, 212), (500, 190), (548, 208), (596, 182), (640, 200))
    return (
        f"{_range((*far, *right), HAZE, 300)}{_range((*near, (580, 226), (640, 240)), FAR, 300)}"
        + draw.mountain(-40, 300, 176, 128, 0.48)
        + draw.mountain(62, 300, 130, 92, 0.46)
        + draw.mountain(146, 300, 104, 68, 0.5)
    )


def _city() -> str:
    """Dadu on its hill, the wall running up to it."""
    hill = f'<path d="M270 310C370 274 450 262 520 262S610 268 640 272V320Z" fill="{NEAR}"/>'
    hill += f'<path d="M270 310C370 274 450 262 520 262S610 268 640 272" fill="none" stroke="{INK}" stroke-opacity=".4"/>'
    wall = draw.wall([(352, 286), (388, 274), (424, 270), (462, 264)], 0.55)
    pines = "".join(
        draw.pine(x, y, scale)
        for x, y, scale in ((486, 268, 0.5), (602, 272, 0.6), (614, 276, 0.5), (476, 272, 0.42))
    )
    return f"{hill}{wall}{translated(546, 266, draw.dadu(), 0.82)}{pines}"


def _dunes() -> str:
    """The great dune: its crest is the caravan's road, its lee lies in shade."""
    behind = "M0 296C90 268 160 284 240 292S420 300 470 286S590 280 640 292V440H0Z"
    crest = "M-10 330C70 318 130 336 210 344S350 352 430 322S560 296 650 318"
    lee = "C600 352 520 346 470 372S330 440 250 450H-10Z"
    ripples = "M300 398q40-10 84-28M250 424q60-14 110-34M380 410q40-14 70-30M470 386q34-12 66-18"
    return (
        f'<path d="{behind}" fill="#ecd3a0"/>'
        f'<path d="M0 296C90 268 160 284 240 292S420 300 470 286S590 280 640 292" fill="none" stroke="{INK}" stroke-opacity=".35"/>'
        f'<path d="{crest}V460H-10Z" fill="url(#mp-sand)"/><path d="{crest}{lee}" fill="#a9713f" fill-opacity=".38"/>'
        f'<path d="{crest}" fill="none" stroke="{INK}" stroke-opacity=".5" stroke-width="1.3"/>'
        f'<path d="{ripples}" fill="none" stroke="{INK}" stroke-opacity=".16" stroke-width="1.2"/>'
    )


def _load(colour: str) -> str:
    """Bales tied over a camel's humps."""
    return (
        f'<g stroke="{INK}" stroke-opacity=".7"><path d="M-9-32C-9-38 10-38 10-32L9-25H-8Z" fill="{colour}"/>'
        f'<path d="M-4-36V-25.5M4-36.5V-25.5M-8.5-30H9.5" fill="none"/></g>'
    )


def _driver() -> str:
    """A camel driver on foot, with his staff and the rope in hand."""
    return (
        f'<g stroke="{INK}" stroke-opacity=".75" stroke-linejoin="round"><path d="M12-38L9 0" stroke-width="1.6" fill="none"/>'
        f'<path d="M-7 0C-6-12-5-20-3-25H4C6-18 7-10 8 0Z" fill="#5d8791"/><path d="M-3-24C-6-16-7-12-6-8M3-23L10-17" fill="none"/>'
        f'<circle cx="1" cy="-29" r="4" fill="#d9a877"/><path d="M-5-30C-5-36 6-37 6.5-31C3-33-1-32-5-30Z" fill="{FOAM}"/></g>'
    )


def _caravan() -> str:
    """Five camels behind their driver, roped one to the next, with the long shadows of evening."""
    places = ((92, 330, 1.0), (178, 342, 1.06), (272, 350, 1.12), (368, 346, 1.18), (462, 315, 1.22))
    ropes = shadows = beasts = ""
    for (x, y, scale), colour in zip(places, CAMELS, strict=True):
        shadows += f'<path d="M{coord(x - 16 * scale)} {y}L{coord(x - 70 * scale)} {coord(y + 40)}L{coord(x - 44 * scale)} {coord(y + 44)}L{coord(x + 16 * scale)} {y}Z"/>'
        beasts += translated(x, y, draw.beast("#c2955c", colour) + _load(draw.STONE), scale)
    walker = (540, 302)
    heads = [(x + 29 * scale, y - 35 * scale) for x, y, scale in places]
    tails = [(x - 18 * scale, y - 20 * scale) for x, y, scale in places[1:]] + [
        (walker[0] + 10, walker[1] - 19)
    ]
    for (ax, ay), (bx, by) in zip(heads, tails, strict=True):
        ropes += f"M{coord(ax)} {coord(ay)}Q{coord((ax + bx) / 2)} {coord(max(ay, by) + 9)} {coord(bx)} {coord(by)}"
    return (
        f'<g fill="{INK}" fill-opacity=".16">{shadows}</g>{beasts}{translated(*walker, _driver(), 1.15)}'
        f'<path d="{ropes}" fill="none" stroke="{INK}" stroke-opacity=".7"/>'
    )


def _foreground() -> str:
    """Palms and jars by a spring, close to the eye."""
    pool = f'<path d="M478 440C488 418 540 402 650 404V450H470Z" fill="{SEA}" stroke="{SEA_LINE}"/>'
    ripples = "M520 424q8-4 16 0t16 0M560 434q8-4 16 0t16 0M586 418q6-3 12 0t12 0"
    pool += f'<path d="{ripples}" fill="none" stroke="{SEA_LINE}" stroke-opacity=".6"/>'
    palms = draw.palm(590, 410, 3.1) + draw.palm(552, 414, 2.1) + draw.palm(618, 424, 2.4)
    jars = f'<path d="M470 408L440 418H474ZM502 399L476 408H506Z" fill="{INK}" fill-opacity=".2"/>'
    jars += translated(478, 392, draw.glyph("oil", width=0.8), 1.5) + translated(
        508, 386, draw.glyph("oil", "#c8762e", 0.9), 1.2
    )
    return f"{pool}{palms}{jars}"


def _frame() -> str:
    """The edge of a chart, with its scale."""
    ticks = f'stroke="{INK}" stroke-opacity=".75" stroke-width="4"'
    return (
        f'<g fill="none"><rect x="9" y="9" width="{WIDTH - 18}" height="{HEIGHT - 18}" rx="6" stroke="{INK}" stroke-opacity=".7"/>'
        f'<rect x="15" y="15" width="{WIDTH - 30}" height="{HEIGHT - 30}" rx="3" stroke="{INK}" stroke-opacity=".7"/>'
        f'<path d="M15 12H{WIDTH - 15}M15 {HEIGHT - 12}H{WIDTH - 15}" {ticks} stroke-dasharray="30.5 30.5"/>'
        f'<path d="M12 15V{HEIGHT - 15}M{WIDTH - 12} 15V{HEIGHT - 15}" {ticks} stroke-dasharray="27.3 27.4"/></g>'
    )


def _title(words: Words) -> str:
    rule = f'<path d="M150 92H300M340 92H490" stroke="{INK}" stroke-opacity=".5"/>'
    star = f'<path transform="translate(320 92)" d="M0-9L2.5-2.5L9 0L2.5 2.5L0 9L-2.5 2.5L-9 0L-2.5-2.5Z" fill="{draw.ROOF}"/>'
    return (
        text(WIDTH / 2, 72, words.say("game.title"), "title", size=50)
        + rule
        + star
        + text(WIDTH / 2, 116, words.say("board.journey"), "name", size=17)
    )
