"""The board: an island sea of hexagons with a market stall on each, four ports, and what lies next to the
map.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import chain
from typing import TYPE_CHECKING

from comptoir.art.board import placeholder_note
from comptoir.art.shapes import (
    CARD,
    FOAM,
    INK,
    RED,
    SEAT_COLOURS,
    SvgParts,
    coord,
    escape,
    joined,
    panel,
    paper,
    piece,
    rhumbs,
    rose,
    sea,
    sheet,
    spot,
    text,
    translated,
)
from comptoir.engine.actions import Action
from comptoir.engine.board_items import Card, Fact
from comptoir.engine.mask import allows, new_mask
from comptoir.engine.words import Words
from comptoir.games.century import drawings
from comptoir.games.century.choices import bonus_use, port_contents, worth_of_bonus
from comptoir.games.century.drawings import (
    DOWN,
    HULL,
    bonus_glyph,
    centred,
    cube,
    cube_marks,
    cubes_in_line,
    junk,
    outpost,
    spice,
    tile_back,
)
from comptoir.games.century.layout import BONUS, HARVEST, LARGE, LOT, SIZE, TAKEN, BoardLayout, board_layout
from comptoir.games.century.naming import (
    all_known,
    closing,
    cubes,
    known_points,
    known_tiles,
    pile,
    points,
    sides,
    trade_text,
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
    SPACES,
    TAKE,
    harvested,
    icon_at,
    in_last_round,
    legal,
    room,
)

if TYPE_CHECKING:
    from comptoir.games.century.records import Scene

__all__ = ["SIZE", "chart", "facts", "hand", "pieces", "spots"]

SEAS = {
    "wide": "M14 96C20 18 120 24 214 20S470 10 600 18S772 8 776 96S768 240 776 330S784 470 774 560"
    "S690 628 560 624S270 632 150 624S14 620 12 540S10 180 14 96Z",
    "tall": "M4 40C4 6 40 5 90 6S240 2 320 5S386 10 386 50V450C386 492 350 500 300 500S120 504 70 500S4 496 4 450Z",
}


def _board(scene: Scene) -> BoardLayout:
    return scene.cached(_layout_of)


def _layout_of(scene: Scene) -> BoardLayout:
    return board_layout(scene.layout, scene.box)


# What stays


def chart(scene: Scene) -> str:
    """The sea, the islands with their markets, and the spices."""
    width, height = SIZE[scene.layout]
    players, board = int(scene.record.players), _board(scene)
    markets = [
        translated(
            *board.places[space], drawings.market(board.hexes, n + 1, space, icon, sides(scene, n), players)
        )
        for n, (space, icon) in enumerate(zip(MARKET_SPACES, _icons(scene), strict=True))
    ]
    ports = [
        translated(*board.places[space], drawings.port(board.hexes, 31 + n, space))
        for n, space in enumerate(PORTS)
    ]
    marks = cube_marks((14, 16)) + drawings.seat_marks(board.hexes, players)
    return (
        paper(width, height)
        + f"<defs>{marks}</defs>"
        + sea(SEAS[scene.layout])
        + (_open_sea(scene.words) if scene.wide else rhumbs(352, 462, 700) + rose(352, 462, 26))
        + "".join(board.within(drawings.sea_lanes(board), *markets, *ports))
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
        + f'<g opacity=".42">{translated(704, 100, junk("none", "none"), 0.62)}{translated(706, 574, whale, 0.9)}</g>'
    )


def _legend(scene: Scene) -> str:
    """C22, C31: the cubes from low to high; and what of the components is not certain."""
    words, names = scene.words, list(zip(CUBES, ICONS, strict=True))
    if not scene.wide:
        x, y, width, _, step = TAKEN["tall"]  # where nothing is to be picked up, as in most turns
        return "".join(
            translated(
                x + width / 2 + n * step,
                y,
                translated(0, 15, cube(name, 20)) + text(0, 41, words.name(icon)),
            )
            for n, (name, icon) in enumerate(names)
        ) + placeholder_note(scene, 195, 667)
    rows = [
        translated(20, 46 + 34 * n, cube(name, 22) + text(24, 4, words.name(icon), anchor="start"))
        + (translated(20, 63 + 34 * n, DOWN) if n < len(names) - 1 else "")
        for n, (name, icon) in enumerate(names)
    ]
    body = text(16, 23, words.say("board.spices"), "name", "start") + "".join(rows)
    points = text(16, 180, words.say("board.cube_points"), anchor="start")
    return panel(790, 280, 268, 192, body + points) + placeholder_note(scene, 924, 622)


# What changes


def pieces(scene: Scene) -> SvgParts:
    """Outposts, tiles, dropped cubes, boats; then what lies next to the map."""
    aside = _lots if scene.record.lots.any() else _bonus
    on_map = (scene.cached(part) for part in (_outposts, _tiles, _lying, _spots, _boats))
    map_group = _board(scene).within(*chain.from_iterable(on_map))
    parts = (scene.cached(part) for part in (_state, aside, _harvest))
    return joined((map_group, *parts, _take(scene)))  # what can be taken goes by all of a position


def _outposts(scene: Scene) -> Sequence[str]:
    board, names = _board(scene), scene.names
    return [
        _outpost(board, scene.words, space, seat, names[seat])
        for space, seats in scene.position["outposts"].items()
        for seat in seats
    ]


def _lying(scene: Scene) -> Sequence[str]:
    board = _board(scene)
    return [
        drawings.lying(board, space, counts, _lying_names(space, counts, scene.words))
        for space, counts in scene.position["lying"].items()
        if any(counts.values())
    ]


def _boats(scene: Scene) -> Sequence[str]:
    board = _board(scene)
    return [
        drawings.boat_at(board, seat, space, _boat(scene, seat))
        for seat, space in enumerate(scene.position["boats"])
    ]


def _spots(scene: Scene) -> Sequence[str]:
    """C11, C12, C14: every space, whose outposts and boats are there, and the cubes to pick up."""
    p, board, words, names = scene.position, _board(scene), scene.words, tuple(scene.names)
    outposts, lying, boats = p["outposts"], p["lying"], p["boats"]
    neighbours = scene.box.neighbours.tolist()
    return [
        _space_spot(
            board,
            space,
            what,
            tuple(outposts.get(space, ())),
            tuple(seat for seat, at in enumerate(boats) if at == space) if space in boats else (),
            tuple(lying[space].values()),
            around,
            names,
            words,
        )
        for space, what, around in zip(SPACES, scene.cached(_space_names), neighbours, strict=True)
    ]


# Everything has a name, with its place and its owner


@lru_cache(maxsize=4096)
def _outpost(board: BoardLayout, words: Words, space: str, seat: int, name: str) -> str:
    """C14: where it was built it stays all match long."""
    named = words.say("board.outpost_at", name=name, space=space.upper())
    return drawings.outpost_at(board, space, seat, named)


def _space_names(scene: Scene) -> list[str]:
    """What every space is."""
    words, trades = scene.words, scene.box.trades[scene.record.markets].tolist()
    markets = [
        _market_name(words, space, icon, tuple(pays), tuple(gets))
        for space, icon, (pays, gets) in zip(MARKET_SPACES, _icons(scene), trades, strict=True)
    ]
    ports = [
        words.say("board.port_at", space=space.upper(), tile=port_contents(scene, len(markets) + n))
        for n, space in enumerate(PORTS)
    ]
    return markets + ports


@cache
def _neighbours(around: int) -> str:
    """The letters of the spaces in a set."""
    return ", ".join(space.upper() for n, space in enumerate(SPACES) if around >> n & 1)


@lru_cache(maxsize=1024)
def _market_name(words: Words, space: str, icon: str, pays: tuple[int, ...], gets: tuple[int, ...]) -> str:
    trade = trade_text(pays, gets, words)
    return words.say("board.market_at", space=space.upper(), icon=icon, trade=trade)


@lru_cache(maxsize=4096)
def _space_spot(
    board: BoardLayout,
    space: str,
    what: str,
    outposts: tuple[int, ...],
    boats: tuple[int, ...],
    lying: tuple[int, ...],
    around: int,
    names: tuple[str, ...],
    words: Words,
) -> str:
    """C11, C12, C14: what a space is, what is there, and which spaces adjoin it: who cannot see the map finds the
    way by that.
    """
    said = [
        words.say(f"board.{key}_of", names=", ".join(names[seat] for seat in seats))
        for key, seats in (("outposts", outposts), ("boats", boats))
        if seats
    ]
    if any(lying):
        said.append(words.say("board.to_pick_up", cubes=cubes(lying, words)))
    said.append(words.say("board.next_to", spaces=_neighbours(around)))
    return drawings.spot_on(board, space, what + "".join(f" · {one}" for one in said))


def _boat(scene: Scene, seat: int) -> str:
    space = scene.position["boats"][seat]
    if space is None:
        return scene.words.say("board.boat_waits", name=scene.names[seat])
    return scene.words.say("board.boat_at", name=scene.names[seat], space=space.upper())


def _lying_names(space: str, counts: dict[str, int], words: Words) -> dict[str, str]:
    return {
        name: words.say("board.lying_at", cubes=words.say(f"cubes.{name}", n=n), space=space.upper())
        for name, n in counts.items()
    }


# The pieces on the map


def _tiles(scene: Scene) -> Sequence[str]:
    """C4, C18: the tile on each port, or that it is closed."""
    board, box, shown = _board(scene), scene.box, []
    for (port, name), tile in zip(scene.position["ports"].items(), scene.record.ports.tolist(), strict=True):
        if tile == NO_TILE:
            continue
        x, y = board.places[port]
        if tile == CLOSED:
            body = drawings.closed_tile(board.hexes, port, scene.words.say("board.closed"))
        else:
            worth, cost = int(box.vp_points[tile]), tuple(box.vp_cost[tile].tolist())
            body = drawings.tile(board.hexes, port, worth, cost)
        shown.append(piece(name.replace(" ", "-"), x, y + (-2 if board.hexes is LARGE else 2), body))
    return shown


def _state(scene: Scene) -> str:
    """C4, C30: the round, the pile of tiles, and how soon a port is closed."""
    words, last, soon = scene.words, in_last_round(scene.record), closing(scene)
    head = (
        words.say("board.last_round") if last else words.say("board.round", n=int(scene.record.round_number))
    )
    if scene.wide:
        lines = text(866, 62 if soon else 70, head, "title", "start", 24, RED if last else INK)
        within = words.say("board.closing", n=soon) if soon else ""
        return _pile(824, 64, 52, 66, pile(scene), words) + lines + text(866, 84, within, anchor="start")
    lines = text(10, 30, head, "title", "start", 18, RED if last else INK)
    if soon:
        lines += text(10, 48, words.say("board.closing_short", n=soon), anchor="start")
    return _pile(358, 36, 38, 46, pile(scene), words) + lines


def _pile(x: float, y: float, width: float, height: float, tiles: int, words: Words) -> str:
    """The victory point tiles that are left, face down."""
    below = (
        "".join(translated(d, d, tile_back(width, height)) for d in (4, 2, 0)[-min(tiles, 3) :])
        if tiles
        else ""
    )
    return translated(
        x,
        y,
        f"<title>{words.say('board.pile', n=tiles)}</title>{below}"
        + text(0, 7, tiles, "title", size=20, fill=FOAM),
    )


@cache
def _tile(width: float, height: float) -> str:
    """A tile next to the map, around (0, 0)."""
    return (
        f'<rect x="{coord(-width / 2)}" y="{coord(-height / 2)}" width="{coord(width)}" height="{coord(height)}" rx="6" '
        f'fill="{CARD}" stroke="{INK}" stroke-opacity=".45"/>'
    )


def _bonus(scene: Scene) -> str:
    """C5: the bonus tiles that are left, by kind; of the pile of points, the one on top."""
    left = scene.position["bonus_left"]
    (x, y, width, height, step), words = BONUS[scene.layout], scene.words
    shown = [text(x, y - 12, words.say("board.bonus"), "name", "start")]
    for n, kind in enumerate(KINDS):
        worth = worth_of_bonus(scene, kind) if left[kind] else 0
        uses = [bonus_use(scene, kind)] if kind != KINDS[POINTS] else []
        uses += [points(worth, words)] if worth else []
        title = words.say("board.bonus_left", n=left[kind], use=" · ".join(uses))
        label = words.say(f"board.kind_{kind}", n=int(scene.box.hold_more))
        body = f"<title>{escape(title)}</title>" + _bonus_tile(kind, worth, left[kind], label, width, height)
        shown.append(spot(f"bonus-{kind}", x + width / 2 + n * step, y + height / 2, width, height, body))
    return "".join(shown)


@lru_cache(maxsize=256)
def _bonus_tile(kind: str, worth: int, left: int, label: str, width: float, height: float) -> str:
    """C5, C31: what it gives, what it is worth at the end, and how many are left."""
    high = height > 60  # the number of tiles under the label, or else next to the glyph
    x, y = (0.0 if high else -9.0), -height / 2 + 19
    glyph = translated(x, y, bonus_glyph(kind, 1.05))
    name = text(0, height / 2 - (20 if high else 6), label)
    starred = worth and kind != KINDS[POINTS]  # whose sign is a star itself, with its points within
    across, down = (-12 if starred else 0, height / 2 - 6) if high else (width / 2 - 12, y - 3)
    value, count = "", text(across, down, f"×{left}", "number")
    if starred:
        x, y = (12, height / 2 - 6) if high else (width / 2 - 14, 8)
        value = text(x - 3, y, worth, "letter") + translated(x + 6, y - 4, bonus_glyph(KINDS[POINTS], 0.5))
    elif worth:
        value = text(x, y + 5, worth, "letter")
    body = _tile(width, height) + glyph + name + count + value
    return body if left else f'<g opacity=".4">{body}</g>'


def _lots(scene: Scene) -> str:
    """C7: the starting lots that are left."""
    box = scene.box
    x, y, width, height, step = LOT[scene.layout]
    shown = [text(x, y - 12, scene.words.say("board.lots"), "name", "start")]
    for n, lot in enumerate(LOTS):
        if scene.record.lots[n]:
            held = box.lots[n].tolist()
            title = f"<title>{escape(scene.words.say('does.lot', cubes=cubes(held, scene.words)))}</title>"
            line = centred(*cubes_in_line(held, 16, 3), 0, 0, width - 10)
            body = title + _tile(width, height) + line
            shown.append(spot(f"lot-{lot}", x + width / 2 + n * step, y + height / 2, width, height, body))
    return "".join(shown)


def _harvest(scene: Scene) -> str:
    """C19, C21: what the seat whose turn it is would harvest."""
    p = scene.record
    held = tuple(harvested(p, scene.box, int(p.mover), cube) for cube in range(len(CUBES)))
    return _harvest_tile(scene.layout, scene.words, held)


@lru_cache(maxsize=256)
def _harvest_tile(layout: str, words: Words, held: tuple[int, ...]) -> str:
    x, y, width, height = HARVEST[layout]
    title = f"<title>{escape(words.say('offer.harvest', cubes=cubes(held, words)))}</title>"
    label = text(12 - width / 2, 5, words.say("board.harvest"), "name", "start")
    line = centred(*cubes_in_line(held, 16, 6), width / 4, 0, width / 2 - 12)
    body = title + _tile(width, height) + label + line
    return spot("harvest", x + width / 2, y + height / 2, width, height, body)


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
            there = scene.words.say(
                "board.lying_at",
                cubes=scene.words.say(f"cubes.{name}", n=int(lying[n])),
                space=SPACES[p.boats[p.mover]].upper(),
            )
            body = (
                f"<title>{escape(there)}</title>"
                + _tile(width, height)
                + translated(-10, 0, cube(name, 20))
                + text(14, 5, f"×{lying[n]}", "letter", size=13)
            )
            shown.append(spot(f"take-{name}", x + width / 2 + n * step, y + height / 2, width, height, body))
    title = text(
        x,
        y - (12 if scene.wide else 5),
        scene.words.say("board.lying"),
        "name",
        "start",
        16 if scene.wide else 13,
    )
    return (title if shown else "") + "".join(shown)


# What an action is about


def spots(scene: Scene, action: Action) -> list[str]:
    """Spaces, tiles and lots on the board; in the hand, the cubes of a colour."""
    p, operand = scene.position, action.operand
    space = p["boats"][p["turn"]]
    here = [f"space-{space}"] if space else []
    match action.kind:
        case "sail":
            return [f"space-{operand}"]
        case "lot" | "bonus":
            return [f"{action.kind}-{operand}"]
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


# What lies before a seat: flat, each thing once

HIGH, LOW = 64, 44  # of cards in the first row, and of tiles below it


def hand(scene: Scene) -> list[Card]:
    """C6: the viewer's cubes by spice, the room in the hold and the board, in one row of a phone; below them
    claimed tiles and bonus tiles, once there are any.
    """
    seat = scene.seat
    if seat is None:
        return []
    p, words = scene.position, scene.words
    cubes = [_cubes_card(name, p["hold"][seat][name], words) for name in CUBES]
    hold = _hold_card(seat, int(p["hold_size"][seat]), room(scene.record, scene.box, seat), words)
    points = tuple(scene.box.board_points.tolist())
    board = _board_card(seat, tuple(p["built"][seat][icon] for icon in ICONS), points, words)
    tiles = tuple(known_tiles(scene, seat) or ())
    claimed = [_claimed_card(tiles, words)] if tiles else []
    return [*cubes, hold, board, *claimed, *_bonus_cards(scene, seat)]


@lru_cache(maxsize=256)
def _cubes_card(name: str, n: int, words: Words) -> Card:
    body = translated(22, 24, cube(name, 30)) + text(22, 58, f"×{n}", "letter", size=15)
    if not n:
        body = f'<g opacity=".35">{body}</g>'
    return Card(
        f"card-{name}", words.say(f"cubes.{name}", n=n), sheet(44, HIGH) + body, f"hold-{name}", (44, HIGH)
    )


@lru_cache(maxsize=1024)
def _hold_card(seat: int, cubes: int, room: int, words: Words) -> Card:
    """C6, C20: how full the hold is; in red if it is too full."""
    hull = f'<path d="{HULL}" fill="{SEAT_COLOURS[seat]}" stroke="{INK}" stroke-opacity=".6"/>'
    count = text(22, 58, f"{cubes}/{room}", "letter", size=13, fill=RED if cubes > room else INK)
    label = text(22, 16, words.say("board.hold"), size=11.5)
    name = words.say("board.hold_of", n=cubes, room=room)
    return Card("hold", name, sheet(44, HIGH) + label + translated(22, 32, hull) + count, size=(44, HIGH))


@lru_cache(maxsize=1024)
def _board_card(seat: int, built: tuple[int, ...], points: tuple[int, ...], words: Words) -> Card:
    """C6, C14, C31: a row for each icon, outposts still on it, and the points uncovered."""
    shown, edge = [], f'stroke="{INK}" stroke-opacity=".25"'
    for row, icon in enumerate(ICONS):
        y = 9.5 + row * 15
        shown.append(translated(9.5, y, spice(icon, 0.58)))
        for column in range(IN_PLAY):
            free = column < built[row]
            cell = (
                f'<rect x="-7" y="-7" width="14" height="14" rx="2.5" fill="{INK if free else FOAM}" '
                f'fill-opacity=".07" {edge}/>'
            )
            there = (
                text(0, 4, points[column], "number", size=11)
                if free
                else translated(0, 0, outpost(seat), 0.76)
            )
            shown.append(translated(25 + column * 14.7, y, cell + there))
    return Card("board", _outposts_built(built, words), sheet(92, HIGH) + "".join(shown), size=(92, HIGH))


def _outposts_built(built: tuple[int, ...], words: Words) -> str:
    """C14: of each row."""
    rows = ", ".join(f"{words.name(icon)} {n}" for n, icon in zip(built, ICONS, strict=True))
    return words.say("board.outposts_built", rows=rows)


def _bonus_cards(scene: Scene, seat: int) -> list[Card]:
    """C21: the seat's bonus tiles, a card a kind."""
    p, cards = scene.position, []
    for kind in KINDS:
        n = p["bonus"][seat][kind]
        if n:
            count = f"+{p['bonus_points'][seat]}" if kind == KINDS[POINTS] else f"×{n}"
            body = translated(22, 16, bonus_glyph(kind)) + text(22, 39, count, "number", size=13)
            name = f"{count} · {_bonus_name(scene, kind, seat)}"
            cards.append(Card(f"bonus-{kind}", name, sheet(LOW, LOW) + body, size=(LOW, LOW)))
    return cards


def _bonus_name(scene: Scene, kind: str, seat: int) -> str:
    """C21: a seat's tiles of a kind, and what they are good for."""
    points_of = points(int(scene.position["bonus_points"][seat]), scene.words)
    return scene.words.say(
        "board.bonus_for", use=points_of if kind == KINDS[POINTS] else bonus_use(scene, kind)
    )


@lru_cache(maxsize=1024)
def _claimed_card(points: tuple[int, ...], words: Words) -> Card:
    """C17, C33: tiles lie face down, but their owner may look."""
    shown = []
    empty = (
        f'<rect x="-13.5" y="-12" width="27" height="24" rx="4" fill="none" stroke="{INK}" stroke-opacity=".3" '
        'stroke-dasharray="3 3"/>'
    )
    for n in range(LAST_TILE):
        tile = empty
        if n < len(points):
            tile = tile_back(27, 24) + text(0, 5.5, points[n], "title", size=16, fill=FOAM)
        shown.append(translated(18 + n * 30, LOW / 2, tile))
    name = words.say("board.claimed", n=len(points), most=LAST_TILE)
    return Card("claimed", name, sheet(126, LOW) + "".join(shown), size=(126, LOW))


# What is known of a seat


def facts(scene: Scene, seat: int) -> list[Fact]:
    """Points as far as they are certain, hold, tiles and outposts; then the cubes and the bonus tiles."""
    p, bonus = scene.position, scene.position["bonus"][seat]
    hold = p["hold_size"][seat], room(scene.record, scene.box, seat)
    built, cubes = tuple(p["built"][seat].values()), tuple(p["hold"][seat].items())
    return [
        *_certain_facts(
            seat, scene.computed(_points, seat), hold, p["claimed"][seat], built, cubes, scene.words
        ),
        *(_bonus_fact(scene, kind, bonus[kind], seat) for kind in KINDS if bonus[kind]),
    ]


@lru_cache(maxsize=2048)
def _certain_facts(
    seat: int,
    points: tuple[int, bool],
    hold: tuple[int, int],
    claimed: int,
    built: tuple[int, ...],
    cubes: tuple[tuple[str, int], ...],
    words: Words,
) -> tuple[Fact, ...]:
    """All but the bonus tiles."""
    return (
        _points_fact(*points, claimed, words),
        _hold_fact(*hold, seat, words),
        _claimed_fact(claimed, words),
        _outposts_fact(built, seat, words),
        *_cubes_facts(cubes, words),
    )


def _points(scene: Scene, seat: int) -> tuple[int, bool]:
    """C31, C33: what is certain of a seat's points, and whether that is all."""
    return known_points(scene, seat), all_known(scene, seat)


def _points_fact(known: int, all_of_it: bool, tiles: int, words: Words) -> Fact:
    """C31, C33: what is certain; more, if tiles lie face down."""
    if all_of_it:
        return Fact(words.say("board.points"), str(known))
    more = words.say("board.points_at_least", n=known, tiles=tiles)
    return Fact(words.say("board.points"), f"{known}+", more=more)


def _hold_fact(cubes: int, room: int, seat: int, words: Words) -> Fact:
    return Fact(words.say("board.hold_of", n=cubes, room=room), f"{cubes}/{room}", _hull_icon(seat))


def _claimed_fact(n: int, words: Words) -> Fact:
    said = words.say("board.claimed", n=n, most=LAST_TILE)
    return Fact(said, f"{n}/{LAST_TILE}", _icon(tile_back(20, 16)), n >= LAST_TILE)


def _outposts_fact(built: tuple[int, ...], seat: int, words: Words) -> Fact:
    return Fact(_outposts_built(built, words), str(sum(built)), _icon(outpost(seat)))


def _cubes_facts(hold: tuple[tuple[str, int], ...], words: Words) -> list[Fact]:
    return [
        Fact(words.name(spice), str(n), _icon(cube(name)))
        for (name, n), spice in zip(hold, ICONS, strict=True)
        if n
    ]


def _bonus_fact(scene: Scene, kind: str, n: int, seat: int) -> Fact:
    points = scene.position["bonus_points"][seat]
    count = f"+{points}" if kind == KINDS[POINTS] else f"×{n}" if n > 1 else ""
    return Fact(_bonus_name(scene, kind, seat), count, _icon(bonus_glyph(kind, 0.8)))


def _hull_icon(seat: int) -> str:
    return _icon(f'<path d="{HULL}" fill="{SEAT_COLOURS[seat]}" stroke="{INK}" stroke-opacity=".6"/>')


def _icon(body: str) -> str:
    return translated(15, 10, body)
