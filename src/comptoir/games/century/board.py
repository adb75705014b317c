"""The board: an island sea of hexagons with a market stall on each, four ports, and what lies beside the map."""

from __future__ import annotations

from functools import cache, lru_cache

from comptoir.art.parts import CARD, FOAM, INK, RED, SEAT_COLOURS, at, f, panel, paper, piece, rhumbs, rose, sea, sheet, spot, text
from comptoir.art.scene import Card, Fact
from comptoir.engine.mask import allows, new_mask
from comptoir.engine.scene import Scene
from comptoir.engine.words import Words
from comptoir.games.century import spaces
from comptoir.games.century.drawings import (
    DOWN,
    bonus_glyph,
    centred,
    cube,
    cube_at,
    cube_marks,
    cubes_in_line,
    junk,
    outpost,
    spice,
    tile_back,
)
from comptoir.games.century.rules import (
    ACTIONS,
    CLOSED,
    CUBES,
    ICONS,
    IN_PLAY,
    KINDS,
    LAST_TILE,
    LOTS,
    MARKET_SPACES,
    NO_TILE,
    OVER,
    POINTS,
    PORTS,
    TAKE,
    harvested,
    icon_at,
    in_last_round,
    legal,
    room,
    top_of_pile,
)
from comptoir.games.century.story import closing, pile, points_told, sides, tiles_told

SIZE = {"wide": (1080, 640), "tall": (390, 708)}
SEAS = {
    "wide": "M14 96C20 18 120 24 214 20S470 10 600 18S772 8 776 96S768 240 776 330S784 470 774 560"
    "S690 628 560 624S270 632 150 624S14 620 12 540S10 180 14 96Z",
    "tall": "M4 40C4 6 40 5 90 6S240 2 320 5S386 10 386 50V450C386 492 350 500 300 500S120 504 70 500S4 496 4 450Z",
}
# What lies beside the map: the corner of each part and the size of its pieces.
BONUS = {"wide": (790, 134, 50, 66, 54.5), "tall": (9, 532, 70, 54, 75.6)}
LOT = {"wide": (790, 134, 62, 66, 69), "tall": (9, 532, 88, 54, 94.7)}
HARVEST = {"wide": (790, 216, 268, 48), "tall": (9, 606, 150, 46)}
TAKEN = {"wide": (790, 520, 62, 52, 68.7), "tall": (167, 606, 50, 46, 54.7)}


# What stays


def chart(scene: Scene) -> str:
    """The sea, the islands with their markets, and what the letters mean."""
    width, height = SIZE[scene.layout]
    players, plan, letters = int(scene.record.players), spaces.plan(scene.layout, scene.components.figures), _letters(scene.words)
    markets = [
        at(*plan.places[space], spaces.market(plan.cut, n + 1, space, icon, sides(scene, n), players))
        for n, (space, icon) in enumerate(zip(MARKET_SPACES, _icons(scene), strict=True))
    ]
    ports = [at(*plan.places[space], spaces.port(plan.cut, 31 + n, space)) for n, space in enumerate(PORTS)]
    marks = cube_marks(letters, (14, 16)) + spaces.seat_marks(plan.cut, players)
    return (
        paper(width, height)
        + f"<defs>{marks}</defs>"
        + sea(SEAS[scene.layout])
        + (_open_sea(scene.words) if scene.wide else rhumbs(352, 462, 700) + rose(352, 462, 26))
        + plan.within(spaces.sea_lanes(plan) + "".join(markets + ports))
        + _places_to_take(scene)
        + _legend(scene)
    )


def _icons(scene: Scene) -> tuple[str, ...]:
    """C2: the icon of the market on each space."""
    return tuple(ICONS[icon_at(scene.record, space)] for space in range(len(MARKET_SPACES)))


def _open_sea(words: Words) -> str:
    """The corners of a wide map: its name, a rose, a ship and a whale."""
    first, *others = words.say("game.title").replace(":", "").split()
    lines = "".join(text(44, 82 + 18 * n, word, "name", "start", 17) for n, word in enumerate(others))
    whale = (
        f'<g fill="none" stroke="{INK}" stroke-width="1.6" stroke-linecap="round"><circle cx="-29" cy="-4" r="1"/>'
        '<path d="M-40 6C-34-14 4-18 22-2C30 4 36 4 40-4C44-10 40-16 34-20M40-4C46-8 52-8 56-12M-40 6C-20 12 10 14 26 6"/>'
        '<path d="M-36-2C-30 2-26 2-22 0M-16-16C-18-24-24-26-28-23M-16-16C-14-25-8-27-4-23"/></g>'
    )
    return (
        rhumbs(66, 566, 900)
        + rose(66, 566, 40)
        + text(43, 62, first, "title", "start", 24)
        + lines
        + f'<g opacity=".42">{at(704, 100, junk("none", "none"), 0.62)}{at(706, 574, whale, 0.9)}</g>'
    )


def _places_to_take(scene: Scene) -> str:
    """Where cubes are shown that a boat has come upon (C12)."""
    x, y, width, height, step = TAKEN[scene.layout]
    place = f'<rect width="{width}" height="{height}" rx="6" fill="none" stroke="{INK}" stroke-opacity=".25" stroke-dasharray="3 4"/>'
    title = (
        text(x, y - 12, scene.words.say("board.lying"), "name", "start")
        if scene.wide
        else text(x, y - 6, scene.words.say("board.lying"), anchor="start")
    )
    return title + "".join(at(x + n * step, y, place) for n in range(len(CUBES)))


def _letters(words: Words) -> tuple[str, ...]:
    return tuple(words.say(f"letters.{name}") for name in CUBES)


def _legend(scene: Scene) -> str:
    """C22, C31: the cubes from low to high; and what of the components is not certain."""
    words = scene.words
    names = [(name, icon, f"{words.name(name)} · {words.name(icon)}") for name, icon in zip(CUBES, ICONS, strict=True)]
    if not scene.wide:
        return "".join(
            at(14 + 97 * n, 676, cube_at(name, 14, 4) + text(15, 4, words.name(icon), anchor="start", size=12))
            for n, (name, icon, _) in enumerate(names)
        ) + text(195, 699, words.say("board.stand_in"), size=11)
    rows = [
        at(18, 46 + 34 * n, cube_at(name, 16, 0) + at(30, 0, spice(icon, 0.9)) + text(50, 4, label, anchor="start"))
        + (at(18, 63 + 34 * n, DOWN) if n < len(names) - 1 else "")
        for n, (name, icon, label) in enumerate(names)
    ]
    body = text(16, 23, words.say("board.spices"), "name", "start") + "".join(rows)
    points = text(16, 180, words.say("board.cube_points"), anchor="start", size=11.5)
    return panel(790, 280, 268, 192, body + points) + text(924, 622, words.say("board.stand_in"), size=11)


# What changes


def pieces(scene: Scene) -> str:
    """Outposts, tiles, dropped cubes, boats; then what lies beside the map."""
    p, names, plan = scene.position, scene.names, spaces.plan(scene.layout, scene.components.figures)
    outposts = [plan.outposts[space][seat] for space, seats in p["outposts"].items() for seat in seats]
    lying = [spaces.lying(plan, space, counts) for space, counts in p["lying"].items() if any(counts.values())]
    boats = [spaces.boat_at(plan, seat, space, names[seat]) for seat, space in enumerate(p["boats"])]
    spots = _spots_on_map(plan, scene.words, _icons(scene))
    on_map = plan.within("".join([*outposts, *_tiles(scene, plan), *lying, spots, *boats]))
    aside = _lots(scene) if scene.record.lots.any() else _bonus(scene)
    return on_map + _state(scene) + aside + _harvest(scene) + _take(scene)


@lru_cache(maxsize=64)
def _spots_on_map(plan: spaces.Plan, words: Words, icons: tuple[str, ...]) -> str:
    """The same all match long."""
    return spaces.spots_on(plan, spaces.titles(words, icons))


def _tiles(scene: Scene, plan: spaces.Plan) -> list[str]:
    """C4, C18: the tile on each port, or that it is closed."""
    figures, shown = scene.components.figures, []
    for (port, name), tile in zip(scene.position["ports"].items(), scene.record.ports.tolist(), strict=True):
        if tile == NO_TILE:
            continue
        x, y = plan.places[port]
        if tile == CLOSED:
            body = spaces.closed_tile(plan.cut, scene.words.say("board.closed"))
        else:
            body = spaces.tile(plan.cut, int(figures.vp_points[tile]), tuple(figures.vp_cost[tile].tolist()))
        shown.append(piece(name.replace(" ", "-"), x, y + (-2 if plan.cut is spaces.LARGE else 2), body))
    return shown


def _state(scene: Scene) -> str:
    """C4, C30: the round, the pile of tiles, and how soon a port is closed."""
    words, last, soon = scene.words, in_last_round(scene.record), closing(scene)
    head = words.say("board.last_round") if last else words.say("board.round", n=int(scene.record.round_number))
    if scene.wide:
        lines = text(866, 62 if soon else 70, head, "title", "start", 24, RED if last else INK)
        within = words.say("board.closing", n=soon) if soon else ""
        return _pile(824, 64, 52, 66, pile(scene), words) + lines + text(866, 84, within, anchor="start")
    lines = text(10, 30, head, "title", "start", 18, RED if last else INK)
    if soon:
        lines += text(10, 48, words.say("board.closing_short", n=soon), anchor="start", size=11)
    return _pile(358, 36, 38, 46, pile(scene), words) + lines


def _pile(x: float, y: float, width: float, height: float, tiles: int, words: Words) -> str:
    """The victory point tiles that are left, face down."""
    below = "".join(at(d, d, tile_back(width, height)) for d in (4, 2, 0)[-min(tiles, 3) :]) if tiles else ""
    return at(x, y, f"<title>{words.say('board.pile', n=tiles)}</title>{below}" + text(0, 7, tiles, "title", size=20, fill=FOAM))


@cache
def _tile(width: float, height: float) -> str:
    """A tile beside the map, around (0, 0)."""
    return (
        f'<rect x="{f(-width / 2)}" y="{f(-height / 2)}" width="{f(width)}" height="{f(height)}" rx="6" '
        f'fill="{CARD}" stroke="{INK}" stroke-opacity=".45"/>'
    )


def _bonus(scene: Scene) -> str:
    """C5: the bonus tiles that are left, by kind; of the pile of points, the one on top."""
    left = tuple(scene.position["bonus_left"].values())
    top = top_of_pile(scene.record, scene.box) if left[POINTS] else 0
    return _bonus_tiles(scene.layout, scene.words, left, top, int(scene.components.figures.hold_more))


@lru_cache(maxsize=256)
def _bonus_tiles(layout: str, words: Words, left: tuple[int, ...], top: int, more: int) -> str:
    x, y, width, height, step = BONUS[layout]
    shown = [text(x, y - 12, words.say("board.bonus"), "name", "start")]
    for n, kind in enumerate(KINDS):
        body = _bonus_tile(kind, top if kind == "points" else 0, left[n], words.say(f"board.kind_{kind}", n=more), width, height)
        shown.append(spot(f"bonus-{kind}", x + width / 2 + n * step, y + height / 2, width, height, body))
    return "".join(shown)


def _bonus_tile(kind: str, top: int, left: int, label: str, width: float, height: float) -> str:
    high = height > 60  # the number of tiles under the label, or else beside the glyph
    glyph = at(0 if high else -9, -height / 2 + 19, bonus_glyph(kind, 1.05) + (text(0, 5, top, "letter", size=12) if top else ""))
    label = text(0, height / 2 - (20 if high else 6), label, size=11)
    count = text(0, height / 2 - 6, f"×{left}", "number") if high else text(width / 2 - 12, -height / 2 + 16, f"×{left}", "number")
    body = _tile(width, height) + glyph + label + count
    return body if left else f'<g opacity=".4">{body}</g>'


def _lots(scene: Scene) -> str:
    """C7: the starting lots that are left."""
    figures = scene.components.figures
    x, y, width, height, step = LOT[scene.layout]
    shown = [text(x, y - 12, scene.words.say("board.lots"), "name", "start")]
    for n, lot in enumerate(LOTS):
        if scene.record.lots[n]:
            body = _tile(width, height) + centred(*cubes_in_line(figures.lots[n].tolist(), 16, 3), 0, 0, width - 10)
            shown.append(spot(f"lot-{lot}", x + width / 2 + n * step, y + height / 2, width, height, body))
    return "".join(shown)


def _harvest(scene: Scene) -> str:
    """C19, C21: what the seat whose turn it is would harvest."""
    p = scene.record
    cubes = tuple(harvested(p, scene.box, int(p.mover), cube) for cube in range(len(CUBES)))
    return _harvest_tile(scene.layout, scene.words, cubes)


@lru_cache(maxsize=256)
def _harvest_tile(layout: str, words: Words, cubes: tuple[int, ...]) -> str:
    x, y, width, height = HARVEST[layout]
    label = text(14 - width / 2, 5, words.say("board.harvest"), "name", "start")
    line = centred(*cubes_in_line(cubes, 16, 6), width / 4, 0, width / 2 - 12)
    return spot("harvest", x + width / 2, y + height / 2, width, height, _tile(width, height) + label + line)


def _take(scene: Scene) -> str:
    """C12: the cubes that the boat whose turn it is has come upon, and may take now."""
    p = scene.record
    lying = p.lying[p.boats[p.mover]]
    if p.phase == OVER or not lying.any():
        return ""
    mask = new_mask(len(ACTIONS))
    legal(p, scene.box, mask)
    x, y, width, height, step = TAKEN[scene.layout]
    shown = []
    for n, name in enumerate(CUBES):
        if allows(mask, TAKE + n):
            body = _tile(width, height) + cube_at(name, 16, -9) + text(12, 5, f"×{lying[n]}", "number", size=12)
            shown.append(spot(f"take-{name}", x + width / 2 + n * step, y + height / 2, width, height, body))
    return "".join(shown)


# What an action is about


def spots(scene: Scene, action: str) -> list[str]:
    """Spaces, tiles and lots on the board; in the hand, the cubes of a colour."""
    verb, _, operand = action.partition(" ")
    p = scene.position
    space = p["boats"][p["turn"]]
    here = [f"space-{space}"] if space else []
    match verb:
        case "sail":
            return [f"space-{operand}"]
        case "lot" | "bonus":
            return [f"{verb}-{operand}"]
        case "take":
            return [f"take-{operand}", *here]
        case "drop":
            return [f"hold-{operand}", *here]
        case "pay" | "upgrade" | "discard":
            return [f"hold-{operand}"]
        case "harvest":
            return ["harvest"]
        case "build" | "trade" | "claim":
            return here
    return []


# What lies before a seat


def hand(scene: Scene) -> list[Card]:
    """C6: the viewer's cubes, hold, board, bonus tiles and claimed tiles."""
    seat = scene.seat
    if seat is None:
        return []
    p, words, told = scene.position, scene.words, tiles_told(scene, seat)
    cubes = [_cubes_card(name, letter, p["hold"][seat][name], words) for name, letter in zip(CUBES, _letters(words), strict=True)]
    hold = _hold_card(seat, tuple(p["hold"][seat][name] for name in CUBES), room(scene.record, scene.box, seat), words)
    points = tuple(scene.components.figures.board_points.tolist())
    board = _board_card(seat, tuple(p["built"][seat][icon] for icon in ICONS), points, words)
    return [*cubes, hold, board, *_bonus_cards(scene, seat), _claimed_card(tuple(told or ()), words)]


@lru_cache(maxsize=256)
def _cubes_card(name: str, letter: str, n: int, words: Words) -> Card:
    body = at(24, 36, cube(name, letter, 32)) + text(24, 80, f"×{n}", "title", size=20)
    if not n:
        body = f'<g opacity=".35">{body}</g>'
    return Card(f"card-{name}", words.say(f"cubes.{name}", n=n), sheet(48, 92) + body, f"hold-{name}", (48, 92))


@lru_cache(maxsize=1024)
def _hold_card(seat: int, hold: tuple[int, ...], room: int, words: Words) -> Card:
    """C6, C20: the cells of the hold, and cubes in them; a cube that does not fit has a red edge."""
    cubes = [(name, letter) for name, letter, n in zip(CUBES, _letters(words), hold, strict=True) for _ in range(n)]
    cells = max(room, len(cubes))
    rows, step = (2, 24) if cells <= 10 else (3, 19)
    across = -(-cells // rows)
    width = max(112, round(across * step) + 24)
    left, shown = width / 2 - across * step / 2, []
    for n in range(cells):
        x, y = left + (n % across + 0.5) * step, 27 + (n // across + 0.5) * step
        edge = f'stroke="{INK}" stroke-opacity=".35"' if n < room else f'stroke="{RED}" stroke-width="3"'
        cell = f'<rect x="{f(1 - step / 2)}" y="{f(1 - step / 2)}" width="{step - 2}" height="{step - 2}" rx="3" fill="{FOAM}" {edge}/>'
        shown.append(at(x, y, cell))
        if n < len(cubes):
            shown.append(at(x, y, cube(*cubes[n], step - 4)))
    hull = (
        f'<path d="M4 24L{f(width / 2)} 27L{width - 4} 22C{width - 6} 60 {width - 22} 86 {width - 34} 86H30C18 84 6 62 4 24Z" '
        f'fill="{SEAT_COLOURS[seat]}" fill-opacity=".22" stroke="{INK}" stroke-opacity=".5"/>'
    )
    head = text(10, 18, words.say("board.hold"), "name", "start", 15)
    head += text(width - 10, 17, f"{len(cubes)}/{room}", "number", "end", 12, RED if len(cubes) > room else INK)
    name = f"{words.say('board.hold')} {len(cubes)}/{room}"
    return Card("hold", name, sheet(width, 92) + hull + head + "".join(shown), size=(width, 92))


@lru_cache(maxsize=1024)
def _board_card(seat: int, built: tuple[int, ...], points: tuple[int, ...], words: Words) -> Card:
    """C6, C14, C31: a row for each icon, outposts still on it, and the points uncovered."""
    shown, edge = [], f'stroke="{INK}" stroke-opacity=".25"'
    for row, icon in enumerate(ICONS):
        y = 14 + row * 21.5
        shown.append(at(15, y, spice(icon, 0.85)))
        for column in range(IN_PLAY):
            x = 40 + column * 23
            free = column < built[row]
            cell = f'<rect x="-10" y="-9.5" width="20" height="19" rx="3" fill="{INK if free else FOAM}" fill-opacity=".07" {edge}/>'
            shown.append(at(x, y, cell + (text(0, 4, points[column], "number") if free else at(0, 0, outpost(seat), 0.95))))
    name = words.say("board.outposts")
    return Card("board", name, sheet(150, 92) + "".join(shown), size=(150, 92))


def _bonus_cards(scene: Scene, seat: int) -> list[Card]:
    """C21: the seat's bonus tiles, a card a kind."""
    p, words, box, cards = scene.position, scene.words, scene.components.figures, []
    for kind in KINDS:
        n = p["bonus"][seat][kind]
        if n:
            points = f"+{p['bonus_points'][seat]}" if kind == "points" else f"×{n}"
            label = text(32, 66, words.say(f"board.kind_{kind}", n=int(box.hold_more)), size=11.5)
            body = at(32, 32, bonus_glyph(kind, 1.5)) + label + text(32, 84, points, "number", size=13)
            cards.append(Card(f"bonus-{kind}", words.name(kind), sheet(64, 92) + body))
    return cards


@lru_cache(maxsize=1024)
def _claimed_card(points: tuple[int, ...], words: Words) -> Card:
    """C17, C33: tiles lie face down, but their owner may look."""
    shown = []
    empty = f'<rect x="-18" y="-15" width="36" height="30" rx="5" fill="none" stroke="{INK}" stroke-opacity=".3" stroke-dasharray="3 3"/>'
    for n in range(LAST_TILE):
        x, y = 24 + n % 2 * 42, 37 + n // 2 * 36
        tile = tile_back(36, 30) + text(0, 6, points[n], "title", size=17, fill=FOAM) if n < len(points) else empty
        shown.append(at(x, y, tile))
    head = text(45, 16, words.say("board.tiles"), "name", size=14)
    name = f"{words.say('board.tiles')} {len(points)}/{LAST_TILE}"
    return Card("claimed", name, sheet(90, 92) + head + "".join(shown), size=(90, 92))


# What is known of a seat


def facts(scene: Scene, seat: int) -> list[Fact]:
    """Points, tiles, hold and cubes, outposts, bonus tiles."""
    p, words = scene.position, scene.words
    hold, letters = p["hold"][seat], _letters(words)
    tiles = Fact(words.say("board.tiles"), f"{p['claimed'][seat]}/{LAST_TILE}", _icon(tile_back(20, 16)), p["claimed"][seat] >= LAST_TILE)
    kept = f"{p['hold_size'][seat]}/{room(scene.record, scene.box, seat)}"
    shown = [Fact(words.say("score.unit"), points_told(scene, seat)), tiles, Fact(words.say("board.hold"), kept)]
    shown += [Fact(words.name(name), str(hold[name]), _icon(cube(name, letter))) for name, letter in zip(CUBES, letters, strict=True)]
    built = "·".join(str(p["built"][seat][icon]) for icon in ICONS)
    shown.append(Fact(words.say("board.outposts"), built, _icon(outpost(seat))))
    for kind in KINDS:
        if p["bonus"][seat][kind]:
            n = p["bonus_points"][seat] if kind == "points" else p["bonus"][seat][kind]
            shown.append(Fact(words.name(kind), f"+{n}" if kind == "points" else f"×{n}", _icon(bonus_glyph(kind, 0.8))))
    return shown


def _icon(body: str) -> str:
    return at(15, 10, body)
