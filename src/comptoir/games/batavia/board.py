"""Batavia's board: the sea route with its shops, the trading posts, the ships laid under five flags, and the
auction.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from comptoir.art.board import placeholder_note
from comptoir.art.shapes import (
    CARD,
    FOAM,
    INK,
    PAPER,
    RED,
    SEA,
    Point,
    SvgParts,
    coord,
    curve,
    escape,
    initial,
    joined,
    meeple,
    panel,
    paper,
    piece,
    rhumbs,
    rose,
    seat_mark,
    sheet,
    spot,
    text,
    translated,
    truncated,
)
from comptoir.engine.actions import Action
from comptoir.engine.board_items import Card, Fact
from comptoir.engine.game import get_game
from comptoir.engine.words import Words
from comptoir.games.batavia import drawings as draw
from comptoir.games.batavia.layout import LAYOUTS, SIZE, BoardLayout
from comptoir.games.batavia.rules import (
    ARRIVAL_SPACE,
    COMPANIES,
    GOODS,
    LAYING,
    OVER,
    SPACES,
    aimed_at,
    cannon,
    crates_in_posts,
    has_moved,
    is_last_round,
    leaders_at,
    next_shop,
    rearmost,
    shops_on_route,
    shows_bills,
)

if TYPE_CHECKING:
    from comptoir.games.batavia.records import Scene

__all__ = ["SIZE", "chart", "facts", "hand", "pieces", "spots"]

# The chart: what stays as it is through a match


def chart(scene: Scene) -> str:
    board = LAYOUTS[scene.layout]
    return (
        paper(*SIZE[scene.layout])
        + _defs(board, scene.layout)
        + _sea(scene, board)
        + _way(scene, board)
        + _posts(scene, board)
        + _sets(scene, board)
        + _scale(scene, board)
        + _companies(scene, board)
        + _sale_room(scene, board)
    )


def _defs(board: BoardLayout, layout: str) -> str:
    """What lies on the board many times is drawn once here and laid by reference: a picture after every
    action stays small.
    """
    x, y, width, height = board.frame
    marks = _MARKS[layout]
    bodies = {
        **{c: draw.flag(c, *_flag_size(board)) for c in COMPANIES},
        **{g: draw.good(g, 0.86) for g in GOODS},
        **{f"{c}-{g}": _shop_tile(board, layout, c, g) for c in COMPANIES for g in GOODS},
        **{f"crate-{seat}": translated(0, 0, draw.crate(seat), board.square[3] / 22) for seat in range(5)},
        **{f"merchant-{seat}": meeple(seat) for seat in range(5)},
        **{f"mark-{seat}": seat_mark(seat, scale=marks) for seat in range(5)},
        **{f"lead-{seat}": seat_mark(seat, scale=1 if layout == "wide" else 0.72) for seat in range(5)},
        **{f"card-{c}": draw.small_card(c) for c in COMPANIES},
        **{f"marker-{c}": draw.marker(c) for c in COMPANIES},
        "blank": translated(-17, -24, sheet(34, 48, 5)),
        "back": translated(0, 0, draw.card_back(), 0.9 if layout == "wide" else 0.58),
        "land": f'<path d="{"".join(_LANDS[layout])}"/>',
        "cannon": draw.CANNON,
        "boat": translated(0, 0, draw.BOAT, 1 if layout == "wide" else 0.75),
        "seal": translated(0, 0, draw.SEAL, marks * 1.1),
        **{
            f"{kind}-{n}": _space_number(board, n, kind)
            for kind in ("number", "initial")
            for n in range(1, SPACES + 1)
        },
        "down": _face_down(*board.tile),
        "veil": _veil(*board.tile),
    }
    shared = "".join(f'<g id="bat-{layout}-{name}">{body}</g>' for name, body in bodies.items())
    clip = f'<clipPath id="bat-{layout}-sea"><rect x="{x}" y="{y}" width="{width}" height="{height}" rx="6"/></clipPath>'
    return f"<defs>{clip}{shared}</defs>"


_MARKS = {"wide": 0.8, "tall": 0.62}  # the size of the seats' marks in a company's panel


def _flag_size(board: BoardLayout) -> tuple[float, float]:
    width = board.tile[0] - 12
    return width, width * 0.54


def _shop_tile(board: BoardLayout, layout: str, company: str, good: str) -> str:
    """A shop around (0, 0): its company's flag above its good; the space's number is written next to the
    good.
    """
    width, height = board.tile
    flag = f'<use href="#bat-{layout}-{company}" x="6" y="5"/>'
    glyph = f'<use href="#bat-{layout}-{good}" x="{coord(width * 0.66)}" y="{coord(height - 12.5)}"/>'
    return translated(-width / 2, -height / 2, sheet(width, height, 7) + flag + glyph)


def _space_number(board: BoardLayout, space: int, kind: str) -> str:
    """A space's number, in the corner of the tile that lies there."""
    width, height = board.tile
    return text(12 - width / 2, height / 2 - 6, space, kind)


def _face_down(width: float, height: float) -> str:
    star = '<path d="M0-15L3-3L15 0L3 3L0 15L-3 3L-15 0L-3-3Z"/><circle r="9"/>'
    lines = f'<g fill="none" stroke="{FOAM}" stroke-opacity=".5">{star}</g>'
    return translated(-width / 2, -height / 2, sheet(width, height, 7, "#6f959d")) + lines


def _veil(width: float, height: float) -> str:
    """What lies over a shop that everybody has passed."""
    box = f'x="{coord(-width / 2)}" y="{coord(-height / 2)}" width="{width}" height="{height}" rx="7"'
    return f'<rect {box} fill="{PAPER}" fill-opacity=".62"/>'


def _sea(scene: Scene, board: BoardLayout) -> str:
    x, y, width, height = board.frame
    box = f'x="{x}" y="{y}" width="{width}" height="{height}" rx="6"'
    middle, level = (469, 131) if scene.wide else (195, 192)
    water = f'<rect {box} fill="{SEA}"/><rect {box} fill="url(#waves)"/>' + rhumbs(middle, level, 900)
    lands = draw.land(f"bat-{scene.layout}-land")
    signs = "".join(translated(u, v, body, size) for u, v, body, size in _SIGNS[scene.layout])
    names = "".join(
        text(u, v, scene.words.say(f"board.{key}"), "name") for key, u, v in _ISLANDS[scene.layout]
    )
    town = text(88, 118 if scene.wide else 66, scene.words.say("game.title"), "title")
    roses = rose(middle, level, 30) if scene.wide else ""
    inside = f'{water}{lands}{roses}{signs}<g opacity=".75">{names}</g>{town}{_placeholder_note(scene)}'
    return f'<g clip-path="url(#bat-{scene.layout}-sea)">{inside}</g>{draw.border(x, y, width, height, 6)}'


def _placeholder_note(scene: Scene) -> str:
    """B4: the printed order is not known for certain, and the board says so."""
    if scene.position["setup"] != "open":
        return ""
    x, y = (655, 407) if scene.wide else (98, 79)
    return placeholder_note(scene, x, y)


def _blob(x: float, y: float, width: float, height: float, turn: float) -> str:
    """The outline of an island."""
    bends = [1 + 0.16 * math.sin(3 * a + turn) + 0.09 * math.sin(5 * a + 2 * turn) for a in _ROUND]
    points = [
        (x + width * b * math.cos(a), y + height * b * math.sin(a))
        for a, b in zip(_ROUND, bends, strict=True)
    ]
    return curve(points, closed=True)


_ROUND = [k * math.pi / 10 for k in range(20)]


_TOWN = (
    f'<g fill="{CARD}" stroke="{INK}" stroke-opacity=".7" stroke-linejoin="round"><path d="M-46 14V-4H-40V-10H-34V-4H-28V14Z"/>'
    '<path d="M-28 14V-8H-24V-13H-20V-17H-14V-13H-10V-8H-6V14ZM-6 14V-14L4-26L14-14V14ZM14 14V-6H17V-11H21V-15H26V-11H30V-6H33V14Z"/>'
    '<path d="M33 14V-2H38V2H43V-2H48V14Z"/><path d="M4-26V-38" fill="none"/><path d="M4-38H16L13-35L16-32H4Z" fill="#b5352b"/></g>'
    f'<path d="M-20-3V2M-14-3V2M-17 14V7M1-10V-5M7-10V-5M4 14V6M21 0V5M26 0V5M-36 4V9M41 6V9" stroke="{INK}" stroke-opacity=".6"/>'
)


_LANDS = {
    "wide": (
        "M0 0H176C184 34 150 44 158 70C166 98 150 116 118 120C84 126 60 118 0 138Z",
        "M0 312C40 304 70 318 100 312S152 326 160 352S178 396 152 430H0Z",
        "M760 0V210C734 196 742 160 728 130C716 96 742 64 726 0Z",
        "M760 340C736 352 736 384 700 392S610 396 560 430H760Z",
        _blob(318, 316, 66, 26, 1.0),
        _blob(566, 312, 54, 24, 2.4),
        _blob(182, 222, 58, 26, 4.1),
        _blob(478, 224, 84, 28, 0.3),
        _blob(334, 130, 74, 25, 5.2),
        _blob(600, 132, 66, 27, 3.1),
    ),
    "tall": (
        "M0 0H196C206 22 182 32 186 50C192 78 150 84 110 82C70 78 50 86 0 80Z",
        "M0 306C30 300 60 312 86 308S118 330 114 352S124 380 108 400H0Z",
        "M400 60V180C378 170 384 140 374 118C366 90 384 80 400 60Z",
        _blob(226, 310, 70, 24, 1.0),
        _blob(118, 250, 66, 24, 2.2),
        _blob(300, 194, 60, 26, 4.0),
        _blob(150, 136, 74, 24, 0.4),
    ),
}


_SIGNS = {
    "wide": (
        (88, 82, _TOWN, 1.1),
        (30, 52, draw.HILL, 1.0),
        (52, 44, draw.HILL, 1.3),
        (142, 96, draw.PALM, 1.0),
        (150, 38, draw.PALM, 0.9),
        (134, 36, draw.PALM, 1.1),
        (30, 396, draw.HILL, 0.9),
        (728, 392, draw.HILL, 1.1),
        (700, 400, draw.HILL, 0.8),
        (120, 326, draw.PALM, 0.9),
        (372, 316, draw.PALM, 0.9),
        (608, 312, draw.HILL, 0.8),
        (140, 222, draw.PALM, 0.9),
        (536, 224, draw.HILL, 0.9),
        (416, 224, draw.PALM, 0.8),
        (282, 130, draw.HILL, 0.8),
        (648, 132, draw.PALM, 0.9),
        (735, 40, draw.PALM, 0.9),
        (446, 319, draw.SHIP, 0.66),
        (646, 224, draw.SHIP, 0.62),
        (222, 132, draw.SHIP, 0.5),
    ),
    "tall": (
        (88, 42, _TOWN, 0.72),
        (30, 34, draw.HILL, 1.0),
        (158, 34, draw.PALM, 1.0),
        (142, 60, draw.PALM, 0.8),
        (24, 318, draw.PALM, 0.8),
    ),
}


_ISLANDS: dict[str, tuple[tuple[str, float, float], ...]] = {
    "wide": (
        ("ceylon", 322, 320),
        ("malacca", 562, 316),
        ("borneo", 478, 228),
        ("celebes", 338, 134),
        ("moluccas", 598, 136),
    ),
    "tall": (),
}


def _way(scene: Scene, board: BoardLayout) -> str:
    """The route: a dotted line, and where each shop lies or lay."""
    width, height = board.tile
    line = curve(board.route)
    frame = (
        f'<rect x="{coord(-width / 2)}" y="{coord(-height / 2)}" width="{width}" height="{height}" rx="7"/>'
    )
    places = "".join(translated(x, y, frame) for x, y in board.route[1:-1])
    numbers = "".join(text(x, y + 4, n, "number") for n, (x, y) in enumerate(board.route[1:-1], 1))
    (x, y), (u, v) = board.route[0], board.route[ARRIVAL_SPACE]
    harbour = text(x, y + (34 if scene.wide else 29), scene.words.say("board.start"), "label")
    berth = translated(u, v, f'<path d="{_ARRIVAL_EDGE}"/>')
    labels = numbers + harbour + text(u, v - 26, scene.words.say("board.arrival"), "label")
    return (
        f'<path d="{line}" fill="none" stroke="{FOAM}" stroke-width="5" stroke-opacity=".5"/>'
        f'<path d="{line}" fill="none"'
        f' stroke="{INK}" stroke-opacity=".5" stroke-width="2.2" stroke-dasharray=".1 7" stroke-linecap="round"/>'
        f'<g fill="{PAPER}" fill-opacity=".55" stroke="{INK}" stroke-opacity=".4" stroke-dasharray="3 4">{places}{berth}</g>{labels}'
    )


def _posts(scene: Scene, board: BoardLayout) -> str:
    box, words, shown = scene.box, scene.words, []
    width, height = board.post
    first, middle, step, size = board.square
    box_of_square = f'x="{coord(-size / 2)}" y="{coord(-size / 2)}" width="{size}" height="{size}"'
    square = f'<rect {box_of_square} rx="3" fill="{PAPER}" stroke="{INK}" stroke-opacity=".3"/>'
    for i, (name, (x, y)) in enumerate(zip(GOODS, board.posts, strict=True)):
        title = words.say("board.post", good=name, sole=int(box.gold_sole[i]), shared=int(box.gold_shared[i]))
        body = f"<title>{escape(title)}</title>" + translated(
            24 if scene.wide else 15, middle, draw.good(name, 1.1 if scene.wide else 0.85)
        )
        body += text(
            _post_left(scene.wide),
            middle - 2,
            words.name(name),
            "name",
            "start",
            size=16 if scene.wide else 14,
        )
        for k, company in enumerate(COMPANIES):
            flag = f'<use href="#bat-{scene.layout}-{company}" opacity=".38"/>'
            flag = translated(-size / 2 + 1.5, -size * 0.27, flag, (size - 3) / _flag_size(board)[0])
            body += translated(first + step * k, middle, square + flag)
        shown.append(panel(x, y, width, height, body))
    if scene.wide:
        x = board.posts[0][0]
        shown.append(text(x + 2, 31, words.say("board.posts"), "title", "start"))
        shown.append(text(x + width - 2, 31, words.say("board.values"), anchor="end"))
    return "".join(shown)


def _post_left(wide: bool) -> float:
    return 46 if wide else 29


def _sets(scene: Scene, board: BoardLayout) -> str:
    """B28: what one tile of each of that many companies brings."""
    x, y, width, height = board.sets
    words, left = scene.words, 88
    step = (width - left - 34) / (len(COMPANIES) - 1)
    body = text(10, height / 2 + 5, words.say("board.trade_in"), "name", "start", size=15)
    for n, gold in enumerate(scene.box.gold_set.tolist()[1:], 1):
        title = f"<title>{escape(words.say('board.trade_in_set', n=n, gold=gold))}</title>"
        tile = draw.shop_sign(n) + text(14, 5, gold, "letter", "start", size=14)
        body += translated(left + step * (n - 1), height / 2, title + tile)
    return panel(x, y, width, height, body)


def _scale(scene: Scene, board: BoardLayout) -> str:
    """The scale of laid ships, red from where pirates come."""
    left, top, step, height = board.scale
    most = int(scene.box.pirates_at[scene.record.players])
    cells = []
    for n in range(26):
        fill, ink = (RED, FOAM) if n >= most else (CARD, "")
        frame = f'<rect width="{coord(step - 1.6)}" height="{height}" rx="3" fill="{fill}" stroke="{INK}" stroke-opacity=".35"/>'
        number = (
            text((step - 1.6) / 2, height / 2 + 4, n, "number", fill=ink)
            if scene.wide or n % 5 == 0 or n == most
            else ""
        )
        cells.append(translated(left + step * n, top, frame + number))
    if not scene.wide:
        return "".join(cells)
    x, words = board.frame[0], scene.words
    heading = text(x + 2, top - 24, words.say("board.ships"), "title", "start")
    return (
        heading
        + text(
            left + 26 * step - 2, top - 8, words.say("board.pirates_at", most=most), anchor="end", fill=RED
        )
        + "".join(cells)
    )


def _companies(scene: Scene, board: BoardLayout) -> str:
    width, height = board.company
    shown = []
    for company, (x, y) in zip(COMPANIES, board.companies, strict=True):
        if scene.wide:
            body = translated(10, 10, draw.flag(company, 40, 26)) + text(
                58, 21, scene.words.name(company), "name", "start", size=15
            )
        else:
            body = translated(6, 6, draw.flag(company, 26, 17))
        u, v = _SEAL_HOME[scene.layout]
        dots = f'fill="none" stroke="{INK}" stroke-opacity=".25" stroke-dasharray="2 3"'
        body += f'<circle cx="{u:g}" cy="{v:g}" r="{coord(13 * _MARKS[scene.layout])}" {dots}/>'
        shown.append(panel(x, y, width, height, body))
    return "".join(shown)


# where a seal lies in its company's panel while nobody holds it
_SEAL_HOME = {"wide": (126.0, 36.0), "tall": (57.0, 52.0)}


def _sale_room(scene: Scene, board: BoardLayout) -> str:
    x, y, width, height = board.auction
    words = scene.words
    if scene.wide:
        body = "".join(
            text(u - x, v - y + 44, words.say(key))
            for key, (u, v) in (("board.pile", board.pile), ("board.discards", board.discards))
        )
        return panel(x, y, width, height, f'{body}<path d="M14 134H286" stroke="{INK}" stroke-opacity=".2"/>')
    u, v = board.posts[6]
    cell = panel(u, v + 42, *board.post)
    labels = "".join(
        text(a + 16, b - 3, words.say(key), anchor="start")
        for key, (a, b) in (("board.pile", board.pile), ("board.discards", board.discards))
    )
    return cell + labels + panel(x, y, width, height)


# The pieces: what changes


def pieces(scene: Scene) -> SvgParts:
    shops, arrival, *others = (
        scene.cached(part) for part in (_shops, _arrival, _headline, _lot, _all_piles, _seats, _merchants)
    )
    # what is laid changes, or what is aimed at, with almost every action
    return joined((shops, arrival, _laid(scene), *others))


def _shops(scene: Scene) -> Sequence[str]:
    """B26: shops on their spaces, or as crates once taken.

    A tile keeps its id, so a crate glides from its shop to its post.
    """
    p, layout, words = scene.record, scene.layout, scene.words
    passed = rearmost(p)
    shown = [_down(space, layout, words) for space in range(int(p.face_up) + 1, SPACES + 1)]
    stands = scene.position["merchants"]
    # where the last move may have led
    spots = [_space_spot(space, layout) for space in stands if 0 < space <= SPACES]
    for space, (company, good) in shops_on_route(p).items():
        shown.append(_shop(COMPANIES[company], GOODS[good], space, space <= passed, layout))
        spots.append(_shop_spot(COMPANIES[company], GOODS[good], space, space <= passed, layout, words))
    for (company, good), seat in crates_in_posts(p).items():
        shown.append(_crate(company, good, seat, scene.names[seat], layout, words))
    shown += scene.cached(_leads)
    return shown + spots


def _leads(scene: Scene) -> list[str]:
    """B44: what each trading post pays as it stands, and to whom."""
    board, p, shown = LAYOUTS[scene.layout], scene.record, []
    values = zip(board.posts, scene.box.gold_sole.tolist(), scene.box.gold_shared.tolist(), strict=True)
    for good, ((x, y), sole, shared) in enumerate(values):
        bits = leaders_at(p, good)
        leaders = tuple(seat for seat in range(len(scene.names)) if bits >> seat & 1)
        left, foot = x + _post_left(scene.wide), y + board.square[1] + 13
        shown.append(_pay(left, foot, sole, shared, leaders))
        if leaders:
            names = scene.words.join([scene.names[seat] for seat in leaders])
            title = f"<title>{escape(scene.words.say('board.leads', names=names))}</title>"
            shown.append(f"<g>{title}{_leaders(left, y, leaders, scene.layout)}</g>")
    return shown


@cache
def _pay(x: float, y: float, sole: int, shared: int, leaders: tuple[int, ...]) -> str:
    one, many = text(x, y, sole, "number", "start"), text(x + 16, y, f"· {shared}", "number", "start")
    if leaders:
        one, many = (one, _faint(many)) if len(leaders) == 1 else (_faint(one), many)
    return one + many


@cache
def _leaders(left: float, top: float, leaders: tuple[int, ...], layout: str) -> str:
    """The marks of whoever leads, next to what the post pays; closer where there are many."""
    room, first, foot, step = (28, 82, 25, 17.0) if layout == "wide" else (16, 40, 29, 12.0)
    step = min(step, room / max(1, len(leaders) - 1))
    return "".join(
        f'<use href="#bat-{layout}-lead-{seat}" x="{coord(left + first + step * i)}" y="{coord(top + foot)}"/>'
        for i, seat in enumerate(leaders)
    )


def _faint(body: str) -> str:
    return f'<g opacity=".55">{body}</g>'


@cache
def _down(space: int, layout: str, words: Words) -> str:
    x, y = LAYOUTS[layout].route[space]
    title = f"<title>{escape(words.say('board.face_down', n=space))}</title>"
    body = f'{title}<use href="#bat-{layout}-down"/><use href="#bat-{layout}-initial-{space}"/>'
    return piece(f"down-{space}", x, y, body)


@cache
def _shop(company: str, good: str, space: int, passed: bool, layout: str) -> str:
    """B26: what everybody has passed stays, and does nothing."""
    x, y = LAYOUTS[layout].route[space]
    body = f'<use href="#bat-{layout}-{company}-{good}"/><use href="#bat-{layout}-number-{space}"/>'
    return piece(
        f"shop-{company}-{good}", x, y, f'{body}<use href="#bat-{layout}-veil"/>' if passed else body
    )


@lru_cache(maxsize=1000)
def _crate(company: int, good: int, seat: int, name: str, layout: str, words: Words) -> str:
    board = LAYOUTS[layout]
    (x, y), (first, middle, step, _) = board.posts[good], board.square
    said = words.say("board.crate", good=GOODS[good], company=COMPANIES[company], name=name)
    body = f'<title>{escape(said)}</title><use href="#bat-{layout}-crate-{seat}"/>'
    return piece(f"shop-{COMPANIES[company]}-{GOODS[good]}", x + first + step * company, y + middle, body)


@cache
def _shop_spot(company: str, good: str, space: int, passed: bool, layout: str, words: Words) -> str:
    """Also where nobody can go: why not may be asked."""
    said = words.say("board.shop_passed" if passed else "board.shop", n=space, company=company, good=good)
    return _space_spot(space, layout, f"<title>{escape(said)}</title>")


@cache
def _space_spot(space: int, layout: str, title: str = "") -> str:
    board = LAYOUTS[layout]
    x, y = board.route[space]
    return spot(f"space-{space}", x, y, board.tile[0] + 4, board.tile[1] + 4, title)


def _merchants(scene: Scene) -> str:
    """B6: all wait side by side at the start; elsewhere each stands on a space of its own."""
    route, names, shown = LAYOUTS[scene.layout].route, scene.names, []
    step = min(24, 96 / len(names))
    for seat, space in enumerate(scene.position["merchants"]):
        x, y = route[space]
        if space == 0:
            x += step * (seat - (len(names) - 1) / 2)
        key = "_start" if space == 0 else "_arrived" if space == ARRIVAL_SPACE else ""
        title = escape(scene.words.say(f"board.merchant{key}", name=names[seat], n=space))
        body = (
            f'<title>{title}</title><use href="#bat-{scene.layout}-merchant-{seat}"/>{initial(names[seat])}'
        )
        shown.append(piece(f"merchant-{seat}", x, y - 3, body))
    return "".join(shown)


def _arrival(scene: Scene) -> str:
    """B40: the arrival tile, until somebody has it."""
    x, y = LAYOUTS[scene.layout].route[ARRIVAL_SPACE]
    gold, words = int(scene.box.gold_arrival), scene.words
    tile = "" if is_last_round(scene.record) else piece("arrival", x, y, _arrival_tile(gold))
    title = (
        f"<title>{escape(words.say('board.arrival'))}, {escape(words.say('score.points', n=gold))}</title>"
    )
    return tile + spot("arrival", x, y, 62, 50, title)


@cache
def _arrival_tile(gold: int) -> str:
    edge = f'<path d="{_ARRIVAL_EDGE}" fill="#e3cd93" stroke="{INK}" stroke-linejoin="round"/>'
    lines = f'<path d="M-22.5 16.5L-17-16.5H17L22.5 16.5Z" fill="none" stroke="{INK}" stroke-opacity=".3"/>'
    value = text(-6, 15, gold, "number") + translated(-2, 4.5, draw.COIN, 0.62)
    return f"{edge}{lines}{translated(0, -4, draw.SHIP, 0.5)}{value}"


_ARRIVAL_EDGE = "M-28 20L-21-20H21L28 20Z"


def _laid(scene: Scene) -> Sequence[str]:
    """B23, B24, B30: the scale with its markers and the cannon, and for each company who has laid how many
    ships.
    """
    p, shown, stacks, aimed = scene.record, [], [0] * 26, aimed_at(scene.record)
    by_seat, seals, names = scene.position["laid"], scene.position["seals"], tuple(scene.names)
    for i, (company, laid) in enumerate(scene.position["markers"].items()):
        ships = tuple(of_seat[company] for of_seat in by_seat)
        shown.append(
            _company(i, laid, bool(aimed >> i & 1), ships, seals[company], names, scene.layout, scene.words)
        )
        if scene.wide:
            cell = min(laid, 25)
            shown.append(_marker(company, laid, stacks[cell], scene.words))
            stacks[cell] += 1
    most = 0 if p.phase == OVER else int(scene.box.pirates_at[p.players])  # B43: no pirates at the end
    return [*shown, _cannon(int(cannon(p)), most, scene.layout, scene.words)]


@cache
def _marker(company: str, laid: int, below: int, words: Words) -> str:
    """B24: a company's marker on the scale, above those that stand on the same cell."""
    left, top, step, _ = LAYOUTS["wide"].scale
    title = f"<title>{escape(words.say('board.marker', company=company, n=laid))}</title>"
    body = f'{title}<use href="#bat-wide-marker-{company}"/>'
    return piece(f"marker-{company}", left + step * min(laid, 25) + 2, top - 13 - 11.5 * below, body)


@cache
def _cannon(laid: int, most: int, layout: str, words: Words) -> str:
    """B24, B30: the scale stops at 25, the number goes on."""
    left, top, step, height = LAYOUTS[layout].scale
    along = left + step * min(laid, 25) + step / 2
    said = words.say("board.cannon", n=laid, most=most) if most else words.say("board.all_laid", n=laid)
    fill = RED if most and laid >= most - 4 else INK
    if layout == "wide":
        words_of_it = text(LAYOUTS[layout].frame[0] + 2, top + 15, said, anchor="start", fill=fill)
    else:
        right = laid < 13
        words_of_it = text(
            380 if right else 10, top + height + 17, said, anchor="end" if right else "start", fill=fill
        )
    body = f'<title>{escape(said)}</title><use href="#bat-{layout}-cannon"/>'
    return words_of_it + piece(
        "cannon", min(max(along, left + 14), left + 26 * step - 14), top + height + 14, body
    )


@lru_cache(maxsize=2000)
def _company(
    i: int,
    laid: int,
    aimed: bool,
    laid_by_seat: tuple[int, ...],
    holder: int | None,
    names: tuple[str, ...],
    layout: str,
    words: Words,
) -> str:
    """B22, B23: a company's laid ships by seat, and its seal on its holder's mark."""
    company, (x, y) = COMPANIES[i], LAYOUTS[layout].companies[i]
    places = _TALLIES[layout, len(names)]
    u, v = _SEAL_HOME[layout] if holder is None else places[holder]
    owner = None if holder is None else names[holder]
    shown = [_total(i, laid, aimed, layout, words), _seal(company, owner, x + u, y + v, layout, words)]
    for seat, ((u, v), n) in enumerate(zip(places, laid_by_seat, strict=True)):
        shown.append(_tally(seat, x + u, y + v, n, company, names[seat], layout, words))
    # what is drawn in the panel lets a finger through to the spot, which says in its place what it is
    panel_spot = _company_spot(i, laid, aimed, laid_by_seat, names, owner, layout, words)
    return f'<g pointer-events="none">{"".join(shown)}</g>{panel_spot}'


_TALLIES: dict[tuple[str, int], list[Point]] = {
    **{("wide", n): [(71 + (134 / n) * (seat - (n - 1) / 2), 58) for seat in range(n)] for n in range(3, 6)},
    **{
        ("tall", n): [(11 + 22 * (seat % 3), 35 + 17 * (seat // 3)) for seat in range(n)] for n in range(3, 6)
    },
}


@lru_cache(maxsize=1000)
def _seal(company: str, owner: str | None, x: float, y: float, layout: str, words: Words) -> str:
    title = f"<title>{escape(_seal_said(company, owner, words))}</title>"
    return piece(f"seal-{company}", x, y, f'{title}<use href="#bat-{layout}-seal"/>')


def _seal_said(company: str, owner: str | None, words: Words) -> str:
    seal = words.say(f"seals.{company}")
    if owner is None:
        return words.say("board.seal_free", seal=seal)
    return words.say("board.seal", seal=seal, name=owner)


def _tally_said(name: str, laid: int, company: str, words: Words) -> str:
    return words.say("board.tally", name=name, ships=words.say(f"ships.{company}", n=laid))


@lru_cache(maxsize=2000)
def _tally(
    seat: int, x: float, y: float, laid: int, company: str, name: str, layout: str, words: Words
) -> str:
    """B23: a seat's laid ships of a company, under its mark."""
    mark = f'<use href="#bat-{layout}-mark-{seat}" x="{coord(x)}" y="{coord(y)}"'
    if not laid:
        return f'{mark} opacity=".3"/>'
    u, v, size = (x, y + 24, 14) if layout == "wide" else (x + 12 if laid < 10 else x + 14, y + 4, 12)
    said = _tally_said(name, laid, company, words)
    return f"<g><title>{escape(said)}</title>{mark}/>{text(u, v, laid, 'letter', size=size)}</g>"


@cache
def _total(i: int, laid: int, aimed: bool, layout: str, words: Words) -> str:
    """B30: how many ships of the company lie there; a black pennant where pirates would strike."""
    board, wide = LAYOUTS[layout], layout == "wide"
    x, y = board.companies[i]
    shown = (
        text(x + 58, y + 39, laid, "letter", "start", size=16)
        if wide
        else text(x + 36, y + 20, laid, "letter", "start", size=13)
    )
    if aimed:
        title = f"<title>{escape(words.say('board.aimed_at'))}</title>"
        shown += translated(
            x + (86 if wide else 57), y + (34 if wide else 15), title + draw.PENNANT, 0.8 if wide else 0.7
        )
    return shown


@lru_cache(maxsize=2000)
def _company_spot(
    i: int,
    laid: int,
    aimed: bool,
    laid_by_seat: tuple[int, ...],
    names: tuple[str, ...],
    owner: str | None,
    layout: str,
    words: Words,
) -> str:
    """B22, B23: a company's panel as a spot, which says who has laid how many ships, and who has the seal."""
    board, company = LAYOUTS[layout], COMPANIES[i]
    (x, y), (width, height) = board.companies[i], board.company
    lines = [words.say("board.laid", n=laid, company=company)]
    for name, n in zip(names, laid_by_seat, strict=True):
        if n:
            lines.append(_tally_said(name, n, company, words))
    lines.append(_seal_said(company, owner, words))
    if aimed:
        lines.append(words.say("board.aimed_at"))
    said = "\n".join(lines)
    title = f"<title>{escape(said)}</title>"
    return spot(f"company-{company}", x + width / 2, y + height / 2, width, height, title, 8)


# The auction


def _all_piles(scene: Scene) -> str:
    p = scene.position
    return _piles(p["pile_size"], sum(p["discards"].values()), scene.layout, scene.words)


def _headline(scene: Scene) -> str:
    p, words, (x, y, width, _) = scene.position, scene.words, LAYOUTS[scene.layout].auction
    key = {"auction": "board.auction", "over": "board.over"}.get(p["phase"], "board.moves")
    last = is_last_round(scene.record) and p["phase"] != "over"
    side = words.say("board.last_round") if last else words.say("board.round", n=p["round_number"])
    fill = RED if last else ""
    if scene.wide:
        return text(x + 14, y + 28, words.say(key), "title", "start") + text(
            x + width - 14, y + 27, side, anchor="end", fill=fill
        )
    return text(x + 206, y + 21, words.say(key), "title", "start", size=17) + text(
        x + width - 10, y + 21, side, anchor="end", fill=fill
    )


def _lot(scene: Scene) -> str:
    p, layout, words, (x, y, _, _) = scene.position, scene.layout, scene.words, LAYOUTS[scene.layout].auction
    left, top, step = _LOT[layout]
    cards = [(company, count) for company, count in p["lot"].items() if count]
    shown = [
        _lot_cards(company, count, left + step * n, top, layout, words)
        for n, (company, count) in enumerate(cards)
    ]
    said = _lot_said(p["phase"], sum(count for _, count in cards), p["bidder"] is not None, words)
    label = (
        text(x + 16, y + 122, said, anchor="start")
        if scene.wide
        else text(x + 206, y + 41, said, anchor="start")
    )
    size = (182, 60) if scene.wide else (182, 46)
    return f"{''.join(shown)}{label}{spot('lot', left + 71, top, *size, f'<title>{escape(said)}</title>')}"


# where the lot's first cards lie, and the step to the next
_LOT = {"wide": (801, 424, 35.5), "tall": (34, 692, 37)}


@cache
def _lot_cards(company: str, count: int, x: float, y: float, layout: str, words: Words) -> str:
    """The cards of a company in the lot: a small pile with their number."""
    use = f'<use href="#bat-{layout}-'
    below = "".join(f'{use}blank" x="{-2.5 * n}" y="{-2.5 * n}"/>' for n in range(min(count, 4) - 1, 0, -1))
    said = words.say("board.lot_cards", cards=words.say(f"cards.{company}", n=count))
    title = f"<title>{escape(said)}</title>"
    body = f'{title}{below}{use}card-{company}"/>{text(0, 19, count, "letter", size=17)}'
    return piece(f"lot-{company}", x, y, body if layout == "wide" else translated(0, 0, body, 0.84))


@cache
def _lot_said(phase: str, count: int, sold: bool, words: Words) -> str:
    """B16, B19: what is for sale, or was not sold."""
    if phase == "auction":
        return words.say("board.lot", n=count) if count else words.say("board.boat_alone")
    if count:
        return words.say("board.lot_waits", n=count)
    return words.say("board.lot_sold") if sold and phase != "over" else ""


_NO_CARD = f'<rect width="34" height="48" rx="5" fill="none" stroke="{INK}" stroke-opacity=".25" stroke-dasharray="3 4"/>'


@cache
def _piles(pile: int, discards: int, layout: str, words: Words) -> str:
    board = LAYOUTS[layout]
    (x, y), (u, v) = board.pile, board.discards
    title = f"<title>{escape(words.say('board.pile_of', n=pile))}</title>"
    laid_off = f"<title>{escape(words.say('board.discards_of', n=discards))}</title>"
    if layout == "wide":
        back = '<use href="#bat-wide-back"/>' if pile else translated(-17, -24, _NO_CARD)
        return (
            translated(x, y, f"{back}{translated(0, 0, draw.badge(pile), 1.1)}")
            + translated(u, v, laid_off + translated(-17, -24, _NO_CARD) + text(0, 4, discards, "number"))
            + spot("pile", x, y, 46, 60, title)
        )
    back = '<use href="#bat-tall-back"/>' if pile else translated(-11, -15, _NO_CARD, 0.64)
    numbers = text(x + 16, y + 12, pile, "letter", "start", size=13) + text(
        u + 16, v + 12, discards, "letter", "start", size=13
    )
    pile_spot = spot("pile", x + 18, y, 76, 40, title)
    return (
        translated(x, y, back)
        + translated(u, v, laid_off + translated(-11, -15, _NO_CARD, 0.64))
        + numbers
        + pile_spot
    )


def _seats(scene: Scene) -> Sequence[str]:
    """A row (on a phone a chip) a seat: what it does now; the boat and the best bid lie with whom they belong
    to.
    """
    p, words, names, wide = scene.position, scene.words, scene.names, scene.wide
    places = _SEAT_PLACES[scene.layout, p["players"]]
    shown = [
        _seat(seat, names[seat], _state(scene, seat), places[seat], words, scene.layout, p["players"])
        for seat in range(p["players"])
    ]
    u, v = places[p["first"]]
    boat = f'<title>{escape(words.say("board.boat"))}</title><use href="#bat-{scene.layout}-boat"/>'
    aside = max(49, 372 / p["players"] - 28)  # clear of what is written, where there is room
    shown.append(piece("boat", u + 144, v, boat) if wide else piece("boat", u + aside, v + 9, boat))
    if p["phase"] == "auction" and p["bidder"] is not None:
        u, v = places[p["bidder"]]
        shown.append(
            piece("bid", u + 236, v, _bid(p["bid"], 54, words))
            if wide
            else piece("bid", u + 14, v + 9, _bid(p["bid"], 46, words))
        )
    return shown


_LETTERS = {3: 12, 4: 9, 5: 6}  # of a name, for which a chip has room


_SEAT_PLACES: dict[tuple[str, int], list[Point]] = {
    **{
        ("wide", players): [(766 + 24, 350 + 152 + (130 / players) * seat) for seat in range(players)]
        for players in range(3, 6)
    },
    **{
        ("tall", players): [(8 + 13 + (372 / players) * seat, 665 + 71) for seat in range(players)]
        for players in range(3, 6)
    },
}


def _state(scene: Scene, seat: int) -> str:
    """The key of what a seat is doing."""
    p = scene.position
    if p["phase"] == "over":
        return "arrived" if p["arrival"] == seat else ""
    if p["turn"] == seat:
        return "now"
    if p["phase"] == "auction":
        return "best" if p["bidder"] == seat else "waiting" if p["bidding"][seat] else "out"
    return "moved" if has_moved(scene.record, seat) else "to_move"


@lru_cache(maxsize=1000)
def _seat(seat: int, name: str, state: str, place: Point, words: Words, layout: str, players: int) -> str:
    x, y = place
    width = 284 if layout == "wide" else 372 / players - 3
    said = words.say(f"board.{state}") if state not in ("", "best") else ""
    faint = ' opacity=".5"' if state in ("out", "moved") else ""
    if layout == "wide":
        body = (
            seat_mark(seat)
            + text(16, 5, truncated(name, 12), "name", "start")
            + text(262, 4, said, anchor="end")
        )
        now = (
            f'<rect x="-14" y="-12" width="{width}" height="24" rx="12" fill="{INK}" fill-opacity=".1"/>'
            if state == "now"
            else ""
        )
    else:
        body = (
            seat_mark(seat, 0, -8, 0.8)
            + text(11, -4, truncated(name, _LETTERS[players]), "name", "start", size=14)
            + text(-8, 13, said, anchor="start")
        )
        now = (
            f'<rect x="-12" y="-20" width="{coord(width)}" height="38" rx="8" fill="{INK}" fill-opacity=".1"/>'
            if state == "now"
            else ""
        )
    return translated(x, y, f"{now}<g{faint}><title>{escape(name)}</title>{body}</g>")


@cache
def _bid(amount: int, width: float, words: Words) -> str:
    """B12: the best bid, which stands where its bidder's state is written for the others."""
    label = text(0, 4, words.say("board.bid", n=amount), fill=FOAM)
    return f'<rect x="{coord(-width / 2)}" y="-9.5" width="{coord(width)}" height="19" rx="4" fill="{INK}"/>{label}'


# What actions are about


def spots(scene: Scene, action: Action) -> list[str]:
    """The names of the spots that an action is about, the main one first."""
    match action.kind:
        case "bid":
            return ["lot", "bills"]
        case "pass":
            return ["lot"]
        case "draw":
            return ["pile"]
        case "lay":
            return [f"hand-{action.operand}", f"company-{action.operand}"]
        case "advance":
            return [*_shops_meant(scene, action.offset), f"company-{action.operand}"]
        case "arrive":
            return ["arrival"]
        case "trade in":
            held = scene.position["held"][scene.record.turn]
            return [f"tile-{company}" for company, tiles in held.items() if tiles]
    return []


def _shops_meant(scene: Scene, company: int) -> list[str]:
    """B25: the next shop under a seal; without one, any shop of the company may be what a person asks for."""
    p = scene.record
    ahead = next_shop(p, p.turn, company)
    if ahead and p.phase == LAYING and p.seals[company] == p.turn:
        return [f"space-{ahead}"]
    return [f"space-{space}" for space, (owner, _) in shops_on_route(p).items() if owner == company]


# What lies before a seat


def hand(scene: Scene) -> list[Card]:
    """B17: the viewer's ship cards, company by company, the bills, and the shop tiles not traded in."""
    seat, p, words = scene.seat, scene.position, scene.words
    if seat is None:
        return []
    ships, tiles = p["hand"][seat].items(), p["held"][seat].items()
    return [
        *(_ship_card(company, count, words) for company, count in ships if count),
        _bills_card(p["bills"][seat], words),
        *(_tile_card(company, count, words) for company, count in tiles if count),
    ]


@lru_cache(maxsize=1000)
def _ship_card(company: str, count: int, words: Words) -> Card:
    name = words.say("hand.ships", ships=words.say(f"ships.{company}", n=count))
    drawn = draw.ship_cards(company, count)
    return Card(f"hand-{company}", name, drawn, f"hand-{company}", draw.CARD_SIZE)


@lru_cache(maxsize=1000)
def _bills_card(n: int, words: Words) -> Card:
    return Card("bills", words.say("hand.bills", n=n), draw.bills(n), "bills", draw.CARD_SIZE)


@lru_cache(maxsize=1000)
def _tile_card(company: str, count: int, words: Words) -> Card:
    name, tiles = words.say("hand.tiles", n=count, company=company), draw.own_tiles(company, count)
    return Card(f"own-{company}", name, tiles, f"tile-{company}", draw.CARD_SIZE)


def _gold_now(scene: Scene) -> list[tuple[int, bool]]:
    """B45: the gold of all seats as it stands, as far as the viewer may know, and whether that is all of it.

    The end of the game lays hands and awards seals again (B43), so this is no forecast.
    """
    sheet = get_game("batavia").score_sheet(scene.raw_record, scene.components.box, scene.seat)
    return list(zip(sheet.totals, sheet.complete, strict=True))


def facts(scene: Scene, seat: int) -> list[Fact]:
    """B17: gold, hand, crates and seals; of other seats, also what lies before the viewer's own."""
    p, words, others = scene.position, scene.words, seat != scene.seat
    gold, complete = scene.computed(_gold_now)[seat]
    seals = tuple(company for company, holder in p["seals"].items() if holder == seat)
    counts = [("gold" if complete else "gold_but_bills", gold), ("hand", p["hand_size"][seat])]
    if others and shows_bills(scene.record, scene.seat, seat):
        counts.append(("bills", p["bills"][seat]))
    counts.append(("crates", p["crates"][seat]))
    tiles = tuple(p["held"][seat].items()) if others else ()
    return list(_all_facts(tuple(counts), seals, tiles, words))


@lru_cache(maxsize=2000)
def _all_facts(
    counts: tuple[tuple[str, int], ...],
    seals: tuple[str, ...],
    tiles: tuple[tuple[str, int], ...],
    words: Words,
) -> tuple[Fact, ...]:
    return (
        *(_counted_fact(what, n, words) for what, n in counts),
        _seals_fact(seals, words),
        *(_tiles_fact(company, n, words) for company, n in tiles if n),
    )


_ICONS = {
    "gold": draw.COIN,
    "gold_but_bills": draw.COIN,
    "hand": draw.CARDS,
    "crates": draw.CRATES,
    "bills": draw.BILL,
}


def _counted_fact(what: str, n: int, words: Words) -> Fact:
    """How much a seat has of something."""
    return Fact(words.say(f"facts.{what}", n=n), str(n), _ICONS[what])


def _seals_fact(seals: tuple[str, ...], words: Words) -> Fact:
    if not seals:
        return Fact(words.say("facts.no_seals"), "0", draw.SMALL_SEAL)
    companies = words.join([words.name(company) for company in seals])
    said = words.say("facts.seals", n=len(seals), companies=companies)
    return Fact(said, str(len(seals)), draw.SMALL_SEAL, lit=True)


def _tiles_fact(company: str, n: int, words: Words) -> Fact:
    return Fact(words.say("facts.tiles", company=company, n=n), str(n), draw.small_shop(company))
