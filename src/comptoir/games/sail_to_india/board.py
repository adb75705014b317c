"""The board of Sail to India: the coast from Lisbon to India, set into a wall of blue tiles.

A marker is the same cube all match long and shows its role by what it carries. Positions only count markers,
so which cube is where is settled again each time, by one order: historians, bankers, Lisbon, then down the
coast. Where one cube passes another of its seat, the two change places; else only the one that has moved
glides.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from comptoir.art.shapes import (
    CARD,
    INK,
    RED,
    Point,
    SvgParts,
    escape,
    joined,
    piece,
    seat_mark,
    sheet,
    spot,
    text,
    translated,
    truncated,
)
from comptoir.engine.actions import Action
from comptoir.engine.board_items import Card, Fact
from comptoir.engine.words import Words
from comptoir.games.sail_to_india import drawings
from comptoir.games.sail_to_india.chart import chart
from comptoir.games.sail_to_india.drawings import dashed, rect
from comptoir.games.sail_to_india.layout import SIZE, BoardLayout, Rect, board_layout
from comptoir.games.sail_to_india.naming import (
    LETTERS,
    brief,
    due,
    effect_of,
    on,
    technology_values,
    town_of,
    vp_of,
)
from comptoir.games.sail_to_india.rules import (
    KEEPS,
    OVER,
    SELLING,
    SPACES,
    TECHNOLOGIES,
    in_last_turns,
    keepers,
    kinds_sold,
    last_keeps,
    reaches_unknown,
)

if TYPE_CHECKING:
    from comptoir.games.sail_to_india.records import Scene

__all__ = ["SIZE", "chart", "facts", "hand", "pieces", "spots"]

# From town to town, and in a town from the sea (0) to the spaces a to d: the order of markers along the
# coast.
_ALONG = {space: 5 * (town_of(space) - 1) + 1 + LETTERS.index(space[-1]) for space in SPACES}


# Spots


def spots(scene: Scene, action: Action) -> list[str]:
    """Where an action comes about: first where it leads, then where it comes from."""
    p, seat = scene.record, int(scene.record.turn)
    operand = action.operand
    match action.kind:
        case "sail":
            start, end = operand
            return [f"sea-{end}", f"sea-{start}" if start else "lisbon"]
        case "convert" | "refloat":
            return [f"space-{operand}", f"sea-{town_of(operand)}"]
        case "sell":
            return [f"space-{operand}"]
        case "build":
            return [f"space-{operand.space}", _source(operand.source)]
        case "return":
            return [_source(operand, seat), "lisbon"]
        case "acquire":
            return [f"technology-{dashed(operand)}"]
        case "activate":
            return [f"reserve-{seat}", "lisbon"]
        case "appoint":
            return [f"history-{seat}" if due(scene)[0] == "vp" else f"bank-{seat}", "lisbon"]
        case "speed up":
            return [f"speed-{seat}"]
        case "close sale":
            return ["sale"]
        case "recall":
            return ["lisbon"]
        case "bank":
            return ["technology-banking"]
        case "chart":
            return ["technology-cartography"]
        case "anchor":
            return [f"sea-{int(p.face_up) + 1}"] if reaches_unknown(p) else []
    return []


def _source(operand: str, seat: int = 0) -> str:
    """The spot of a marker that is named by where it is."""
    if operand in ("banker", "historian"):
        return f"{'bank' if operand == 'banker' else 'history'}-{seat}"
    return f"space-{operand}" if operand in SPACES else f"sea-{town_of(operand)}"


# The pieces: what changes


def pieces(scene: Scene) -> SvgParts:
    parts = [scene.cached(part) for part in (_seas, _mats, _technology_spots, _towns)]
    # a figure or a piece does not stand between a finger and the spot below
    parts += '<g pointer-events="none">', _plates(scene.layout, len(scene.names)), scene.cached(_state)
    totals = scene.computed(vp_of)
    parts += [_track_figures(scene, seat, totals[seat]) for seat in range(len(scene.names))]
    for seat in range(len(scene.names)):
        parts += scene.cached(_discs, seat), scene.cached(_markers, seat)
    return joined((*parts, scene.cached(_heaps), "</g>"))


def _board(scene: Scene) -> BoardLayout:
    return board_layout(scene.layout, len(scene.names))


def _towns(scene: Scene) -> Sequence[str]:
    """The towns as they lie, and whose India is."""
    p, board, tables, out = scene.position, _board(scene), scene.components.tables["towns"], []
    goods, buildings = tables["goods"], tables["buildings"]
    owners = {space: name for name, spaces in zip(scene.names, p["land"], strict=False) for space in spaces}
    for town, card in zip(range(len(board.towns)), p["row"], strict=False):
        things = (*goods[card], *buildings[card]) if card else ()
        names = tuple(owners.get(f"{town + 1}{letter}") for letter in LETTERS)
        out.append(_town(scene.words, scene.layout, len(scene.names), town, things, names))
    if p["india"] is not None:
        (x, y), (width, height) = board.towns[-1], board.space
        out.append(seat_mark(p["india"], x + width - 9, y - height + 10, 0.9))
    return out


def _track_figures(scene: Scene, seat: int, total: int) -> str:
    """What a seat's mat says: figures and a name."""
    p, name = scene.position, scene.names[seat]
    tracks = p["wealth"][seat], p["vp"][seat], p["speed"][seat]
    key = scene.layout, len(scene.names), seat
    return _figures(key, name, tracks, total, p["turn"] == seat, scene.words)


def _seas(scene: Scene) -> Sequence[str]:
    """Lisbon and the seas, with whose markers and ships are there."""
    board = _board(scene)
    p, words, names = scene.position, scene.words, scene.names
    markers = _counted(words, "board.markers_of", names, p["lisbon"])
    said = words.say("board.lisbon_with", markers=markers) if markers else words.say("table.lisbon")
    out = [_box_spot("lisbon", board.lisbon, said)]
    for n, (x, y) in enumerate(board.seas, start=1):
        ships = _counted(words, "board.ships_of", names, [row[n - 1] for row in p["ships"]])
        said = words.say("board.sea_with" if ships else "board.sea_of", n=n, ships=ships)
        out.append(spot(f"sea-{n}", x, y, *board.sea, f"<title>{escape(said)}</title>"))
    return out


def _counted(words: Words, key: str, names: list[str], counts: list[int]) -> str:
    """Who has how many, in words; nothing of those who have none."""
    return words.join([words.say(key, name=name, n=n) for name, n in zip(names, counts, strict=False) if n])


def _mats(scene: Scene) -> Sequence[str]:
    """The parts of everyone's mat, with what they stand at, and the sale."""
    board = _board(scene)
    p, words = scene.position, scene.words
    parts = {"bank": "wealth", "history": "vp", "speed": "speed", "reserve": "reserve"}
    keys = {"bank": "bank", "history": "history", "speed": "speed_of", "reserve": "reserve_of"}
    out = [_box_spot("sale", board.sale, words.say("board.sale"))]
    for seat, (mat, name) in enumerate(zip(board.mats, scene.names, strict=True)):
        for part, field in parts.items():
            said = words.say(f"board.{keys[part]}", name=name, n=p[field][seat])
            out.append(_box_spot(f"{part}-{seat}", getattr(mat, part), said))
    return out


def _technology_spots(scene: Scene) -> str:
    """Each technology, with what it does by the values of the box, and whose it is."""
    board = _board(scene)
    words, values, out = scene.words, technology_values(scene.box), ""
    for name, box in zip(TECHNOLOGIES, board.technologies, strict=True):
        owner, more = scene.position["technologies"][name], words.say(f"effects.{name}", **values)
        said = words.say("board.titled", what=name, more=more)
        if owner is not None:
            said = words.say("board.technology_of", what=name, more=more, name=scene.names[owner])
        out += _box_spot(f"technology-{dashed(name)}", box, said)
    return out


@lru_cache(maxsize=4096)  # most say the same for many actions
def _box_spot(name: str, box: Rect, title: str) -> str:
    return spot(name, *box.centre, box.width, box.height, f"<title>{escape(title)}</title>")


@lru_cache(maxsize=2000)
def _town(
    words: Words,
    layout: str,
    players: int,
    town: int,
    things: tuple[str, ...],
    owners: tuple[str | None, ...],
) -> str:
    """A town as it lies: its four spaces, by what they are and whose marker is there; or its back."""
    board = board_layout(layout, players)
    x, y = board.towns[town]
    if not things:
        last = town + 1 == len(board.towns)
        ribbon = rect(-28, -11, 56, 22, 4, f'fill="{CARD}" stroke="{INK}"') + text(
            0, 5, words.say("board.india"), "name", size=15
        )
        title = escape(words.say("board.town_india" if last else "board.town_down", n=town + 1))
        back = f'<title>{title}</title><use href="#sail-{layout}-back"/>{ribbon if last else ""}'
        return translated(x, y, back)
    out = []
    for (dx, dy), what, letter, owner in zip(board.spaces, things, LETTERS, owners, strict=True):
        said = words.say("board.space", n=town + 1, what=what)
        if owner is not None:
            said = words.say("board.space_of", n=town + 1, what=what, name=owner)
        body = f'<title>{escape(said)}</title><use href="#sail-{layout}-{dashed(what)}"/>'
        out.append(spot(f"space-{town + 1}{letter}", x + dx, y + dy, *board.space, body, 5))
    return "".join(out)


@cache
def _plates(layout: str, players: int) -> str:
    """The numbers of the towns."""
    board = board_layout(layout, players)
    return "".join(_plate(board, town) for town in range(len(board.towns)))


def _plate(board: BoardLayout, town: int) -> str:
    """The number of a town, on the side of its card toward the sea."""
    (x, y), (sea, _), (width, height) = board.towns[town], board.seas[town], board.space
    side = -1 if sea < x else 1
    number = '<use href="#sail-plate"/>' + text(0, 4, town + 1, "initial")
    return (
        translated(x + side * (width + 8), y - height + 9, number)
        if board.wide
        else translated(
            x + side * width, y + (8 if side > 0 else -6), number
        )  # between pictures, markers and ships
    )


def _state(scene: Scene) -> str:
    """The round, the action points left, and the end in sight; where there is little room, that in place of
    the round.
    """
    board = _board(scene)
    (x, y), p, words, wide = board.state, scene.record, scene.words, board.wide
    closing = in_last_turns(p)
    out = ""
    if wide or not closing:
        out += text(
            x,
            y,
            words.say("table.round", n=int(p.round_number)),
            "name" if wide else "label",
        )
    if closing:
        out += (
            text(x, y + 38, words.say("table.last_turns"), fill=RED)
            if wide
            else text(x, y, words.say("board.last"), fill=RED)
        )
    for n in range(0 if p.phase == OVER else 2):
        out += f'<circle cx="{x - 8 + 16 * n}" cy="{y + 14}" r="5" fill="{INK if n < p.points else "none"}" stroke="{INK}"/>'
    if p.phase == SELLING:
        left, top, width, height = board.sale_columns
        left += width * (kinds_sold(p, scene.box) - 1)
        out += rect(left, top, width, height, 5, f'fill="none" stroke="{INK}" stroke-width="2"')
    return out


@lru_cache(maxsize=4096)
def _figures(
    where: tuple[str, int, int], name: str, tracks: tuple[int, int, int], total: int, turn: bool, words: Words
) -> str:
    """What a seat's tracks stand at, in figures, its name, and whether it is its turn. `where`: the layout,
    the number of players, and the seat.
    """
    layout, players, seat = where
    mat, wide = board_layout(layout, players).mats[seat], layout == "wide"
    box, (wealth, vp, speed) = mat.box, tracks
    points = words.say("score.points", n=total)
    if wide:
        out = text(mat.bank.x + 13, mat.bank.y + 37, wealth) + text(
            mat.history.x + 13, mat.history.y + 37, vp
        )
        out += text(box.x + box.width - 10, box.y + 20, points, "name", "end")
    else:
        figures = ((mat.bank, wealth), (mat.history, vp), (mat.speed, speed))
        out = "".join(text(place.x + 31, place.y + 16, n, size=13) for place, n in figures)
        out += text(box.x + 183, box.y + 19, points, "label", "end")
    if turn:
        out += rect(box.x, box.y, box.width, box.height, 8, f'fill="none" stroke="{INK}" stroke-width="2.2"')
    return out + text(box.x + 32, box.y + 20, truncated(name, 18 if wide else 8), "name", "start")


def _discs(scene: Scene, seat: int) -> Sequence[str]:
    return list(_seat_discs(scene, _board(scene), seat))


def _seat_discs(scene: Scene, board: BoardLayout, seat: int) -> Iterator[str]:
    """The shipbuilder on its speed, scientists on their technologies or waiting."""
    p, words, name = scene.position, scene.words, scene.names[seat]
    mat, body = board.mats[seat], f'<use href="#sail-{seat}-disc"/>'
    resting = body if board.wide else f'<use href="#sail-{seat}-small-disc"/>'
    speed = p["speed"][seat]
    x, y = mat.paces[speed - 1]
    builder = words.say("board.shipbuilder", name=name, n=speed)
    yield piece(f"shipbuilder-{seat}", x, y, f"<title>{escape(builder)}</title>{resting}")
    owned = [nth for nth, owner in enumerate(p["technologies"].values()) if owner == seat]
    waiting = list(range(p["scientists"][seat] + len(owned)))
    places: dict[int, Point] = {}
    for (
        nth
    ) in owned:  # each has its own scientist, or the next one free, so that as few as can be change places
        which = next((n for n in waiting if n >= nth % 3), waiting[0])
        waiting.remove(which)
        box = board.technologies[nth]
        places[which] = box.x + board.scientist[0], box.y + board.scientist[1]
    title = f"<title>{escape(words.say('board.scientist', name=name))}</title>"
    for which in range(len(waiting) + len(owned)):
        x, y = places.get(which, mat.scientists[which % 3])
        yield piece(f"scientist-{seat}-{which}", x, y, title + (body if which in places else resting))


class Cube(NamedTuple):
    """A marker: where it is, as what, and how it is called."""

    point: Point
    role: str
    name: str


def _markers(scene: Scene, seat: int) -> Sequence[str]:
    """All cubes of a seat, each by its number.

    Those in reserve have the highest numbers: they leave one by one permanently.

    Of the others the third in the order has the highest, so that one just activated is most often the one
    found on Lisbon.
    """
    p, board = scene.position, _board(scene)
    cubes = [*_keepers(p["vp"][seat], board.mats[seat].points, scene, board, "historian", seat)]
    cubes += _keepers(p["wealth"][seat], board.mats[seat].wealth, scene, board, "banker", seat)
    cubes += _on_lisbon(p["lisbon"][seat], scene, board, seat)
    cubes += _along_the_coast(scene, board, seat)
    active, idle = len(cubes), p["reserve"][seat]
    numbers = [*range(min(2, active)), *range(active - 1, 1, -1)]
    shown = [cube for _, cube in sorted(zip(numbers, cubes, strict=True))]
    name = scene.words.say("board.in_reserve", name=scene.names[seat])
    shown += (Cube(point, "small", name) for point in board.mats[seat].idle[active : active + idle])
    return [_marker(board.layout, seat, number, cube) for number, cube in enumerate(shown)]


@lru_cache(maxsize=4096)
def _marker(layout: str, seat: int, number: int, cube: Cube) -> str:
    body = f'<title>{escape(cube.name)}</title><use href="#sail-{layout}-{seat}-{cube.role}"/>'
    return piece(f"marker-{seat}-{number}", *cube.point, body)


def _keepers(
    amount: int, track: tuple[Point, ...], scene: Scene, board: BoardLayout, role: str, seat: int
) -> Iterator[Cube]:
    """S10, S12: markers on what each keeps: five, five, … and the rest."""
    n, (x, y) = keepers(amount), board.mats[seat].lift
    step = min(1, 3 / max(1, n - 1))
    name = scene.words.say(f"board.{role}", name=scene.names[seat])
    for nth in range(n):
        kept = KEEPS if nth < n - 1 else last_keeps(amount)
        up = nth * step if kept == KEEPS or not board.wide else 0
        yield Cube((track[kept - 1][0] + x * up, track[kept - 1][1] + y * up), role, name)


def _on_lisbon(n: int, scene: Scene, board: BoardLayout, seat: int) -> Iterator[Cube]:
    (x, y), step = board.quays[seat], min(17, board.quay / max(1, n - 1))
    name = scene.words.say("board.on_lisbon", name=scene.names[seat])
    for nth in range(n):
        yield Cube((x + step * nth, y), "plain", name)


def _along_the_coast(scene: Scene, board: BoardLayout, seat: int) -> list[Cube]:
    """Ships and markers on land, from town to town; the ships that have sailed in this action are those in
    front.
    """
    found: list[tuple[int, Cube]] = []
    p, words, name, lane = scene.position, scene.words, scene.names[seat], board.lanes[seat]
    for town, n in enumerate(p["ships"][seat][: len(board.towns)]):
        if n:
            x, y = board.seas[town]
            step = min(30, board.lane / max(1, n - 1))
            moored = n - p["sailed"][town] if seat == p["turn"] else n
            for nth in range(n):
                role = "ship" if nth < moored else "sailed"
                point = x + step * (nth - (n - 1) / 2), y + lane
                found.append((5 * town, Cube(point, role, words.say(f"board.{role}", name=name, n=town + 1))))
    for space in p["land"][seat]:
        along, what = _ALONG[space], on(scene, space)
        (x, y), (dx, dy), (u, v, _) = board.towns[along // 5], board.spaces[along % 5 - 1], board.marker
        role = "goods" if space[-1] in "ab" else what.partition(" ")[0]
        said = words.say("board.on_land", name=name, what=what, n=town_of(space))
        found.append((along, Cube((x + dx + u, y + dy + v), role, said)))
    found.sort()
    return [cube for _, cube in found]


def _heaps(scene: Scene) -> str:
    """How many markers lie together, where they hide one another; in a sea, on the side away from land."""
    board = _board(scene)
    p, out = scene.position, ""
    for seat, (x, y) in enumerate(board.quays[: len(board.mats)]):
        out += _heap(p["lisbon"][seat], board.quay, x + board.quay / 2, y, 1)
        for town, ((u, v), (land, _)) in enumerate(zip(board.seas, board.towns, strict=True)):
            out += _heap(p["ships"][seat][town], board.lane, u, v + board.lanes[seat], 1 if land < u else -1)
    return out


@lru_cache(maxsize=1024)
def _heap(n: int, spread: float, x: float, y: float, side: int) -> str:
    """A number next to n markers around (x, y), if they lie closer than half a cube."""
    if spread / max(1, n - 1) >= 8:
        return ""
    disc = f'<circle r="7.5" fill="{INK}" stroke="{CARD}"/>' + text(0, 4, n, "initial")
    return translated(x + side * (spread / 2 + 4), y - 7, disc)


# Before the viewer, and about each seat


def hand(scene: Scene) -> list[Card]:
    """What the viewer's seat has to act with: wealth, markers, speed, and the goods that it can sell."""
    p, words, seat = scene.position, scene.words, scene.seat
    if seat is None:
        return []
    cards = [_amount_card(name, p[name][seat], seat, words) for name in _AMOUNTS]
    return cards + _goods_to_sell(scene, seat)


@lru_cache(maxsize=1024)
def _amount_card(what: str, n: int, seat: int, words: Words) -> Card:
    """How much the viewer's seat has of something."""
    icon, where = {
        "wealth": (drawings.coin(), f"bank-{seat}"),
        "lisbon": (translated(-1, 3, drawings.TOWER, 0.4), "lisbon"),
        "reserve": (translated(0, 0, drawings.marker(seat), 1.3), f"reserve-{seat}"),
        "speed": (drawings.sails(), f"speed-{seat}"),
    }[what]
    tile = _own_tile(words.say(f"board.own_{what}", n=n), n, icon)
    return Card(f"own-{what}", words.say(f"hand.{what}", n=n), tile, where, TILE)


def _goods_to_sell(scene: Scene, seat: int) -> list[Card]:
    """S27: a card for each kind, with how many there are and in which towns."""
    words, spaces = scene.words, sorted(scene.position["land"][seat], key=_ALONG.__getitem__)
    kinds: dict[str, list[str]] = {}
    for space in spaces:
        if space[-1] in "ab":
            kinds.setdefault(on(scene, space), []).append(space)
    cards = []
    for good, found in kinds.items():
        towns = words.join([str(town_of(space)) for space in found])
        name = words.say("hand.goods" if len(found) == 1 else "hand.many_goods", what=good, towns=towns)
        tile = _own_tile(brief(words, good), len(found), drawings.thing(good))
        cards.append(Card(f"own-{good}", name, tile, f"space-{found[0]}", TILE))
    return cards


TILE = (56, 60)


@lru_cache(maxsize=256)
def _own_tile(name: str, n: int, icon: str) -> str:
    """A figure next to its picture, above its name."""
    return (
        sheet(*TILE)
        + translated(18, 24, icon, 1.15)
        + text(41, 31, n, "letter", size=18)
        + text(28, 53, name, size=11)
    )


def facts(scene: Scene, seat: int) -> list[Fact]:
    """S71: the VP as things stand; of other seats, what they can act with; then technologies, and India."""
    p = scene.position
    own = [name for name, owner in p["technologies"].items() if owner == seat]
    amounts = () if seat == scene.seat else tuple(p[name][seat] for name in _AMOUNTS)
    vp, scientists = scene.computed(vp_of)[seat], p["scientists"][seat]
    return [
        *_counted_facts(seat, vp, amounts, scientists, p["india"] == seat, scene.words),
        *(scene.cached(_technology_fact, name) for name in own),
    ]


@lru_cache(maxsize=2048)
def _counted_facts(
    seat: int, vp: int, amounts: tuple[int, ...], scientists: int, india: bool, words: Words
) -> tuple[Fact, ...]:
    counted = [("vp", vp), *zip(_AMOUNTS, amounts, strict=False), ("scientists", scientists)]
    facts = [_counted_fact(what, n, seat, words) for what, n in counted]
    return (*facts, _india_fact(words)) if india else tuple(facts)


_AMOUNTS = ("wealth", "lisbon", "reserve", "speed")


def _counted_fact(what: str, n: int, seat: int, words: Words) -> Fact:
    """How much a seat has of something."""
    return Fact(words.say(f"facts.{what}", n=n), str(n), _counted_icon(what, seat))


def _counted_icon(what: str, seat: int) -> str:
    match what:
        case "vp":
            return _icon(drawings.laurel())
        case "wealth":
            return _icon(drawings.coin())
        case "lisbon":
            return translated(14, 12, drawings.TOWER, 0.36)
        case "reserve":
            return _icon(drawings.marker(seat))
        case "speed":
            return _icon(drawings.sails())
    return _icon(drawings.disc(seat))


@cache
def _india_fact(words: Words) -> Fact:
    return Fact(words.say("facts.india"), "", _icon(drawings.compass()), lit=True)


def _technology_fact(scene: Scene, name: str) -> Fact:
    more = effect_of(scene.words, scene.box, name)
    said = scene.words.say("board.titled", what=name, more=more)
    return Fact(said, "", _icon(drawings.technology(name)), lit=True)


def _icon(body: str) -> str:
    return translated(15, 10, body, 0.95)
