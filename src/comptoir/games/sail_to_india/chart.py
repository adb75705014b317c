"""The chart of Sail to India: all of the board that stays as it is through a match."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from comptoir.art.shapes import (
    CARD,
    FOAM,
    INK,
    SEAT_COLOURS,
    Point,
    coord,
    curve,
    panel,
    paper,
    rhumbs,
    rose,
    seat_mark,
    text,
    translated,
)
from comptoir.engine.words import Words
from comptoir.games.sail_to_india import drawings
from comptoir.games.sail_to_india.drawings import AZULEJO, GLAZE, WATER, WATER_LINE, dashed, rect, square
from comptoir.games.sail_to_india.layout import SIZE, BoardLayout, Mat, Rect, board_layout
from comptoir.games.sail_to_india.naming import boxed, brief, effect_of
from comptoir.games.sail_to_india.rules import BUILDINGS, GOODS, KEEPS, TECHNOLOGIES

if TYPE_CHECKING:
    from comptoir.games.sail_to_india.records import Box, Scene


def chart(scene: Scene) -> str:
    board = board_layout(scene.layout, scene.position["players"])
    width, height = SIZE[scene.layout]
    return "".join(
        (
            paper(width, height),
            _definitions(board, scene.position["players"]),
            f'<rect width="{width}" height="{height}" rx="14" fill="url(#sail-wall)" fill-opacity=".3"/>',
            _map(board, scene.words),
            _lisbon(board, scene.words),
            *(_bed(board, town) for town in range(len(board.towns))),
            _legend(board, scene.words, scene.box),
            *(_technology(board, nth, scene) for nth in range(len(TECHNOLOGIES))),
            *(_mat(board, mat, seat, scene.words) for seat, mat in enumerate(board.mats)),
            _sale(board, scene),
            _boxed(board, scene) if boxed(scene) else "",
        )
    )


def _definitions(board: BoardLayout, players: int) -> str:
    """What the pieces refer to, so that they are short."""
    parts = {f"sail-{dashed(what)}": drawings.thing(what) for what in (*GOODS, *BUILDINGS)}
    for seat in range(players):
        mine = f"sail-{board.layout}-{seat}"
        for role in drawings.ROLES:
            parts[f"{mine}-{role}"] = translated(0, 0, drawings.marker(seat, role), board.marker[2])
        parts[f"{mine}-small"] = translated(0, 0, drawings.marker(seat), 0.66)
        parts[f"sail-{seat}-disc"] = drawings.disc(seat)
        if not board.wide:
            parts[f"sail-{seat}-small-disc"] = translated(0, 0, drawings.disc(seat), 0.72)
    for what in (*GOODS, *BUILDINGS):
        parts[f"sail-{board.layout}-{dashed(what)}"] = _space(board, what)
    parts["sail-plate"] = f'<circle r="9.5" fill="{AZULEJO}" stroke="{FOAM}" stroke-width="1.5"/>'
    width, height = board.space
    parts[f"sail-{board.layout}-back"] = drawings.back(2 * width + 1, 2 * height + 1)
    groups = "".join(f'<g id="{name}">{body}</g>' for name, body in parts.items())
    frame = board.frame
    clip = rect(frame.x, frame.y, frame.width, frame.height, 6, "")
    return f'<defs>{groups}{drawings.wall("sail-wall", 34)}<clipPath id="sail-{board.layout}-frame">{clip}</clipPath></defs>'


def _space(board: BoardLayout, what: str) -> str:
    """A space of a town: goods on light card, buildings on darker; next to the picture there is room for a
    marker.
    """
    x, y, size = board.thing
    return _land_bed(board, CARD if what in GOODS else "#efe2c4") + translated(
        x, y, drawings.thing(what), size
    )


def _land_bed(board: BoardLayout, fill: str) -> str:
    """An empty space of a town, around (0, 0)."""
    width, height = board.space
    paint = f'fill="{fill}" stroke="{INK}" stroke-opacity=".4"'
    return rect(-width / 2, -height / 2, width, height, 5, paint)


def _map(board: BoardLayout, words: Words) -> str:
    """The sea, the lands and the way, in a frame of degrees."""
    frame = board.frame
    x, y = frame.centre
    whole = (frame.x, frame.y, frame.width, frame.height, 6)
    water = rect(*whole, f'fill="{WATER}"') + rect(*whole, 'fill="url(#waves)"')
    lands = "".join(_land(points) for points in _lands(board))
    ornaments = rhumbs(532, 52, 900) + rose(532, 52, 30) if board.wide else rhumbs(262, 30, 500)
    drawn = f"{water}{rhumbs(x, y, 900)}{lands}{ornaments}{_hills(board)}{_names(board, words)}{_route(board)}{_borders(board)}"
    inside = f'<g clip-path="url(#sail-{board.layout}-frame)">{drawn}</g>'
    degrees = f'stroke="{AZULEJO}" stroke-width="5" stroke-dasharray="22 22"'
    edges = (f'stroke="{FOAM}" stroke-width="5"', degrees, f'stroke="{INK}" stroke-opacity=".6"')
    return inside + "".join(rect(*whole, f'fill="none" {edge}') for edge in edges)


def _shore(x: float, top: float, bottom: float, swing: float) -> list[Point]:
    """A coast that runs up or down, in and out a little."""
    n = max(4, round(abs(bottom - top) / 26))
    ys = [top + (bottom - top) * nth / n for nth in range(n + 1)]
    return [(x + swing * math.sin(y * 0.19) * math.cos(y * 0.043 + x), y) for y in ys]


def _lands(board: BoardLayout) -> list[list[Point]]:
    """Iberia, Africa and India, as points along their coasts."""
    if board.wide:
        iberia = [
            (118, -20),
            *_shore(104, 8, 84, 4),
            (160, 89),
            (250, 85),
            (350, 89),
            (382, 74),
            (396, 44),
            (424, 20),
            (430, -20),
        ]
        africa = [
            (140, 98),
            *_shore(116, 114, 440, 5),
            (150, 466),
            (205, 480),
            (272, 486),
            (338, 480),
            (396, 462),
        ]
        africa += [*_shore(430, 440, 130, 5), (436, 114), (408, 100), (330, 101), (250, 97), (190, 100)]
        india = [
            (590, -20),
            (604, 22),
            (632, 52),
            *_shore(641, 80, 440, 5),
            (654, 470),
            (684, 520),
            (840, 520),
            (840, -20),
        ]
        return [iberia, africa, india]
    iberia = [(50, -20), *_shore(49, 4, 50, 2), (120, 54), (260, 53), (338, 52), (346, 20), (350, -20)]
    africa = [(62, 56), *_shore(51, 62, 396, 2), (64, 407), (110, 410), (160, 410), (206, 407)]
    africa += [*_shore(219, 396, 62, 2), (206, 56), (134, 57)]
    india = [(310, 50), *_shore(304, 62, 396, 2), (312, 411), (326, 436), (420, 436), (420, 40), (340, 52)]
    return [iberia, africa, india]


def _land(points: list[Point]) -> str:
    """Land, with shallows along its coast as engravers drew them."""
    outline = curve(points, closed=True)
    shallows = "".join(
        f'<path d="{outline}" fill="none" stroke="{WATER_LINE}" stroke-opacity="{opacity}" stroke-width="{width}"/>'
        for width, opacity in ((13, 0.12), (7, 0.2))
    )
    return f'{shallows}<path d="{outline}" fill="url(#paper)" stroke="{INK}" stroke-opacity=".75" stroke-width="1.2"/>'


def _names(board: BoardLayout, words: Words) -> str:
    """Seas and lands, written wide and faint."""
    if not board.wide:
        return ""
    body = (
        translated(
            272,
            290,
            f'<g transform="rotate(-90)">{text(0, 5, words.say("board.africa"), "title", size=17)}</g>',
        )
        + translated(
            24,
            290,
            f'<g transform="rotate(-90)">{text(0, 0, words.say("board.atlantic"), "title", size=14)}</g>',
        )
        + translated(
            534,
            300,
            f'<g transform="rotate(-90)">{text(0, 4, words.say("board.indian_ocean"), "title", size=14)}</g>',
        )
        + translated(
            776,
            290,
            f'<g transform="rotate(90)">{text(0, 0, words.say("board.india"), "title", size=17)}</g>',
        )
    )
    return f'<g letter-spacing="5" fill-opacity=".55" opacity=".55">{body}</g>'


def _hills(board: BoardLayout) -> str:
    """Hills and palms where the land is empty, as charts have them."""
    if not board.wide:
        return ""
    hill = "M-14 6C-10-2-6-9 0-10C5-8 9-2 14 6M2-8C1-3 4 0 3 5M6-3C6 0 8 2 8 5"
    palm = "M0 8C1 2 0-2-1-6M-1-6C-5-9-8-7-9-4M-1-6C-3-11 1-12 4-10M-1-6C3-8 6-6 7-2M-1-6C-4-5-5-2-5 0"
    places = [(hill, 262, 440), (hill, 280, 450), (palm, 256, 150), (palm, 288, 140), (hill, 270, 395)]
    places += [
        (hill, 778, 150),
        (hill, 786, 164),
        (palm, 776, 420),
        (palm, 786, 430),
        (hill, 650, 34),
        (hill, 666, 26),
        (palm, 404, 22),
    ]
    body = "".join(f'<path transform="translate({x} {y})" d="{shape}"/>' for shape, x, y in places)
    return f'<g fill="none" stroke="{INK}" stroke-opacity=".38" stroke-width="1.1" stroke-linecap="round">{body}</g>'


def _route(board: BoardLayout) -> str:
    """The way along the seas of all towns, from Lisbon."""
    seas, rows, drop = board.seas, board.rows, 12 if board.wide else 5
    (x0, y0), (x1, _), (x2, _) = seas[0], seas[rows], seas[2 * rows]
    low, high = board.frame.y + board.frame.height - drop, y0 - board.sea[1] / 2 - (24 if board.wide else 0)
    start = f"M{board.lisbon.x} {board.lisbon.y + 40}C{x0} {board.lisbon.y + 40} {x0} {y0 - 60} {x0} {y0}"
    cape = f"V{low - 30}Q{x0} {low} {x0 + 60} {low}H{x1 - 60}Q{x1} {low} {x1} {low - 30}"
    across = f"V{high + 20}Q{x1} {high} {(x1 + x2) / 2} {high}T{x2} {high + 20}V{seas[-1][1]}"
    dots = 'stroke-opacity=".6" stroke-width="2" stroke-dasharray="1 7" stroke-linecap="round"'
    return f'<path d="{start}{cape}{across}" fill="none" stroke="{AZULEJO}" {dots}/>'


def _borders(board: BoardLayout) -> str:
    """Where the sea of one town ends and the next begins."""
    lines, (width, _) = "", board.sea
    for (x, y), (u, v) in zip(board.seas, board.seas[1:], strict=False):
        if x == u:
            lines += f"M{coord(x - width / 2)} {coord((y + v) / 2)}h{coord(width)}"
    dashes = 'stroke-opacity=".55" stroke-width="1.6" stroke-dasharray="7 5"'
    return f'<path d="{lines}" fill="none" stroke="{AZULEJO}" {dashes}/>'


def _lisbon(board: BoardLayout, words: Words) -> str:
    """Lisbon, with the tower at the mouth of its river."""
    box = board.lisbon
    name = words.say("table.lisbon")
    if board.wide:
        return panel(
            box.x,
            box.y,
            box.width,
            box.height,
            translated(28, 39, drawings.TOWER) + text(53, 27, name, "title", "start") + _quays(board, box),
        )
    return panel(
        box.x,
        box.y,
        box.width,
        box.height,
        translated(14, 29, drawings.TOWER, 0.5) + text(28, 27, name, "name", "start") + _quays(board, box),
    )


def _quays(board: BoardLayout, box: Rect) -> str:
    return "".join(
        f'<path d="M{x - box.x - 9} {y - box.y + 10}h{board.quay + 18}" stroke="{SEAT_COLOURS[seat]}" stroke-width="2" stroke-opacity=".6"/>'
        for seat, (x, y) in enumerate(board.quays[: len(board.mats)])
    )


def _bed(board: BoardLayout, town: int) -> str:
    """Where a town's card lies."""
    (x, y), (width, height) = board.towns[town], board.space
    bed = x - width - 2, y - height - 2, 2 * width + 4, 2 * height + 4
    return rect(*bed, 6, f'fill="{INK}" fill-opacity=".12"')


def _legend(board: BoardLayout, words: Words, box: Box) -> str:
    """A strip below the map: the goods by name, and where there is room what each building is worth."""
    entries = [(drawings.thing(good), brief(words, good)) for good in GOODS]
    if board.wide:
        buildings = {
            "stronghold": box.points_stronghold,
            "church": box.points_church,
            "market": box.points_market,
        }
        for kind, n in buildings.items():
            icon = drawings.stall() if kind == "market" else drawings.thing(kind)
            worth = words.say("score.points", n=int(n))
            entries.append((icon, words.say("board.worth", what=words.say(f"board.{kind}"), vp=worth)))
    widths = [22 + 6 * len(name) for _, name in entries]
    gap = (board.legend.width - 12 - sum(widths)) / len(entries)
    strip, x = "", 12.0
    for (icon, name), width in zip(entries, widths, strict=True):
        label = translated(0, 0, icon, 0.62) + text(11, 4, name, anchor="start")
        strip += translated(x, board.legend.height / 2, label)
        x += width + gap
    return panel(board.legend.x, board.legend.y, board.legend.width, board.legend.height, strip, 5)


def _technology(board: BoardLayout, nth: int, scene: Scene) -> str:
    """A plaque: the name, the cost, and where there is room the effect."""
    box, name = board.technologies[nth], TECHNOLOGIES[nth]
    lines = _two_lines(
        scene.words.name(name) if board.wide else brief(scene.words, name), 15 if board.wide else 13
    )
    cost = int(scene.box.technologies_cost[nth])
    if board.wide:
        left, top, line, size = (
            31,
            19 if len(lines) == 1 else 14,
            13,
            14.5 if max(map(len, lines)) < 16 else 13.5,
        )
        body = translated(16, 15, drawings.technology(name), 0.95)
        body += text(7, 43, effect_of(scene.words, scene.box, name, "board.effect_"), anchor="start")
    else:
        left, top, line, size = 6, 13, 11, 12.5
        body = (
            translated(13, 30, drawings.technology(name), 0.78)
            if len(lines) == 1
            else translated(12, 33.5, drawings.technology(name), 0.6)
        )
    body += "".join(
        text(left, top + line * row, words, "name", "start", size) for row, words in enumerate(lines)
    )
    x, y = board.scientist
    body += translated(x, y, translated(0, 0, drawings.disc_place()) + text(0, 4, cost, "number"))
    return panel(box.x, box.y, box.width, box.height, body, 6)


def _two_lines(name: str, most: int) -> list[str]:
    if len(name) <= most or " " not in name:
        return [name]
    cut = min((n for n, letter in enumerate(name) if letter == " "), key=lambda n: abs(n - len(name) / 2))
    return [name[:cut], name[cut + 1 :]]


def _mat(board: BoardLayout, mat: Mat, seat: int, words: Words) -> str:
    """A seat's Domain and History cards: wealth, VP, speed, scientists, reserve."""
    box = mat.box
    side = f'<path d="M0 7A7 7 0 0 1 5 0V{box.height}A7 7 0 0 1 0 {box.height - 7}Z" fill="{SEAT_COLOURS[seat]}"/>'
    frame = panel(box.x, box.y, box.width, box.height, side)
    return (
        frame
        + (_wide_tracks(mat, words) if board.wide else _tall_tracks(mat))
        + seat_mark(seat, box.x + 18, box.y + 15)
    )


def _wide_tracks(mat: Mat, words: Words) -> str:
    out = [
        translated(mat.bank.x + 13, mat.bank.y + 12, drawings.coin(), 0.9),
        translated(mat.history.x + 13, mat.history.y + 12, drawings.book(), 0.85),
    ]
    for kept in range(KEEPS):
        out += (_cell(point, kept + 1, 18) for point in (mat.wealth[kept], mat.points[kept]))
    out.append(translated(mat.speed.x + 13, mat.speed.y + 27, drawings.sails()))
    out += (_cell(point, nth + 1, 19) for nth, point in enumerate(mat.paces))
    out += (translated(x, y, drawings.disc_place()) for x, y in mat.scientists)
    x, y = mat.box.x, mat.box.y
    labels = ((35, 43, "wealth_kept"), (161, 43, "history_kept"), (35, 86, "speed"), (101, 86, "scientists"))
    out += (text(x + left, y + top, words.say(f"board.{key}"), anchor="start") for left, top, key in labels)
    out.append(text(x + 256, y + 86, words.say("board.reserve"), anchor="end"))
    return "".join(out)


def _tall_tracks(mat: Mat) -> str:
    beds = "".join(
        rect(box.x, box.y, box.width, box.height, 5, f'fill="{GLAZE}" stroke="{INK}" stroke-opacity=".2"')
        for box in (mat.bank, mat.history, mat.speed, mat.reserve)
    )
    icons = ((mat.bank, drawings.coin()), (mat.history, drawings.book()), (mat.speed, drawings.sails()))
    out = [beds, *(translated(box.x + 12, box.y + 12, icon, 0.8) for box, icon in icons)]
    out += (
        f'<circle cx="{x}" cy="{y}" r="4.5" fill="{CARD}" stroke="{INK}" stroke-opacity=".4"/>'
        for x, y in mat.paces
    )
    out += (translated(x, y, drawings.disc_place(), 0.72) for x, y in mat.scientists)
    return "".join(out)


def _cell(point: Point, n: int, size: float) -> str:
    return translated(
        *point,
        square(size, 3, f'fill="{GLAZE}" stroke="{INK}" stroke-opacity=".25"') + text(0, 4, n, "number"),
    )


def _boxed(board: BoardLayout, scene: Scene) -> str:
    """S2: the towns that three players have seen and left in the box."""
    place, title = board.fourth, scene.words.say("table.boxed")
    body = text(place.width / 2, 20, title, "name") if board.wide else text(place.width / 2, 15, title)
    for nth, things in enumerate(boxed(scene)):
        spaces = "".join(
            _small_space(board, point, what) for point, what in zip(board.spaces, things, strict=True)
        )
        x, y = place.width * (nth + 0.5) / 3, place.height / 2
        body += translated(x, y + 12, spaces, 0.7) if board.wide else translated(x, y + 8, spaces, 0.5)
    return panel(place.x, place.y, place.width, place.height, body)


def _small_space(board: BoardLayout, point: Point, what: str) -> str:
    return translated(*point, f'{_land_bed(board, GLAZE)}<use href="#sail-{dashed(what)}"/>')


def _sale(board: BoardLayout, scene: Scene) -> str:
    """S27: wealth and VP by the number of kinds."""
    place, box = board.sale, scene.box
    rows = [(n, int(box.sale_wealth[n]), int(box.sale_vp[n])) for n in range(1, len(GOODS) + 1)]
    body = _wide_sale(rows, board, scene) if board.wide else _tall_sale(rows, board, scene.words)
    return panel(place.x, place.y, place.width, place.height, body)


def _wide_sale(rows: list[tuple[int, int, int]], board: BoardLayout, scene: Scene) -> str:
    """A line each for kinds, wealth and VP; below them what the other actions cost."""
    words, box, step = scene.words, scene.box, board.sale_columns[2]
    left = board.sale_columns[0] - board.sale.x
    out = [
        rect(left, 48, 6 * step, 18, 4, f'fill="{GLAZE}"'),
        text(12, 20, words.say("board.sale"), "title", "start"),
    ]
    for nth, key in enumerate(("board.kinds", "table.wealth", "table.vp")):
        out.append(text(12, 42 + 20 * nth, words.say(key), anchor="start"))
    for n, wealth, vp in rows:
        x = left + step * (n - 0.5)
        out += (
            text(x, 42, n, "letter", size=12),
            text(x, 62, wealth, size=13),
            text(x, 82, vp or "–", size=13),
        )
    costs = {
        "activate": box.cost_activate,
        "build": box.cost_build,
        "two": box.cost_speed[0],
        "three": box.cost_speed[1],
    }
    return "".join(out) + text(
        12,
        110,
        words.say("board.costs", **{key: int(n) for key, n in costs.items()}),
        anchor="start",
    )


def _tall_sale(rows: list[tuple[int, int, int]], board: BoardLayout, words: Words) -> str:
    step, left = board.sale_columns[2], board.sale_columns[0] - board.sale.x
    out = [text(8, 25, words.say("board.sale"), "name", "start")]
    for n, wealth, vp in rows:
        x = left + step * (n - 0.5)
        out += (
            text(x, 15, words.say("board.n_kinds", n=n)),
            translated(x - 16, 29, drawings.coin(), 0.55),
            text(x - 6, 33, wealth, "number"),
        )
        if vp:
            out += (translated(x + 6, 29, drawings.book(), 0.55), text(x + 17, 33, vp, "number"))
    return "".join(out)
