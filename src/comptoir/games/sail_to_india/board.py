"""The board of Sail to India: the coast from Lisbon to India, set into a wall of blue tiles.

A marker is the same cube all match long and shows its role by what it carries. Positions only count markers, so which cube
is where is settled anew each time, by one order: historians, bankers, Lisbon, then down the coast. Where one cube passes
another of its seat, the two change places; else only the one that has moved glides.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from html import escape

from comptoir.art.parts import CARD, INK, RED, Point, at, piece, seat_mark, sheet, short, spot, text
from comptoir.art.scene import Card, Fact
from comptoir.engine.scene import Scene
from comptoir.engine.words import Words
from comptoir.games.sail_to_india import drawings
from comptoir.games.sail_to_india.chart import chart
from comptoir.games.sail_to_india.drawings import dashed, rect
from comptoir.games.sail_to_india.plan import SIZE, Box, Mat, Plan, plan
from comptoir.games.sail_to_india.rules import (
    FASTEST,
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
from comptoir.games.sail_to_india.things import LETTERS, brief, due, effect_of, on, site, town_of, vp_of

__all__ = ["SIZE", "chart", "facts", "hand", "pieces", "spots"]

# From town to town, and in a town from the sea (0) to the spaces a to d: the order of markers along the coast.
_ALONG = {space: 5 * (town_of(space) - 1) + 1 + LETTERS.index(space[-1]) for space in SPACES}


# Spots


def spots(scene: Scene, action: str) -> list[str]:
    """Where an action comes about: first where it leads, then where it comes from."""
    p, seat = scene.record, int(scene.record.turn)
    verb, _, operand = action.partition(" ")
    match verb:
        case "sail":
            start, end = operand.split("-")
            return [f"sea-{end}", f"sea-{start}" if start != "0" else "lisbon"]
        case "convert" | "refloat":
            return [f"space-{operand}", f"sea-{town_of(operand)}"]
        case "sell":
            return [f"space-{operand}"]
        case "build":
            return [f"space-{site(operand)}", _source(operand.split("-")[0])]
        case "return":
            return [_source(operand, seat), "lisbon"]
        case "acquire":
            return [f"technology-{dashed(operand)}"]
        case "activate":
            return [f"reserve-{seat}", "lisbon"]
        case "appoint":
            return [f"history-{seat}" if due(scene)[0] == "vp" else f"bank-{seat}", "lisbon"]
        case "speed":
            return [f"speed-{seat}"]
        case "close":
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


def pieces(scene: Scene) -> str:
    p, words, layout = scene.position, scene.words, scene.layout
    players = p["players"]
    here, tables = plan(layout, players), scene.components.tables["towns"]
    goods, buildings = tables["goods"], tables["buildings"]
    out = [_fixed_spots(words, layout, players), _technology_spots(scene, here), _state(here, scene)]
    for town, card in zip(range(len(here.towns)), p["row"], strict=False):
        things = (*goods[card], *buildings[card]) if card else ()
        out.append(_town(words, layout, players, town, things))
    if p["india"] is not None:
        x, y = here.towns[-1]
        out.append(seat_mark(p["india"], x + here.space - 9, y - here.space + 10, 0.9))
    for seat, (name, vp) in enumerate(zip(scene.names, vp_of(scene), strict=True)):
        out.append(_figures(here.mats[seat], seat, vp, scene))
        out.append(_name(here.mats[seat], name, 18 if here.wide else 8))
    out.append('<g pointer-events="none">')  # a piece does not stand between a finger and the spot below
    for seat in range(players):
        out += _discs(scene, here, seat)
        out += _markers(scene, here, seat)
    return "".join(out) + "</g>"


@cache
def _fixed_spots(words: Words, layout: str, players: int) -> str:
    """The spots that are always there: Lisbon, seas, the parts of mats, the sale."""
    here = plan(layout, players)
    lisbon = _box_spot("lisbon", here.lisbon, words.say("table.lisbon"))
    seas = (
        spot(f"sea-{n}", x, y, *here.sea, f"<title>{words.say('board.sea_of', n=n)}</title>") for n, (x, y) in enumerate(here.seas, start=1)
    )
    mats = (
        _box_spot(f"{part}-{seat}", getattr(mat, part), words.say(f"board.{part}"))
        for seat, mat in enumerate(here.mats)
        for part in ("bank", "history", "speed", "reserve")
    )
    return "".join((lisbon, *seas, *mats, _box_spot("sale", here.sale, words.say("board.sale"))))


def _technology_spots(scene: Scene, here: Plan) -> str:
    """Each technology, with what it does by the figures of the box."""
    words = scene.words
    return "".join(
        _box_spot(f"technology-{dashed(name)}", box, words.say("board.titled", what=name, more=effect_of(words, scene.box, name)))
        for name, box in zip(TECHNOLOGIES, here.technologies, strict=True)
    )


def _box_spot(name: str, box: Box, title: str) -> str:
    return spot(name, *box.centre, box.width, box.height, f"<title>{escape(title)}</title>")


@cache
def _town(words: Words, layout: str, players: int, town: int, things: tuple[str, ...]) -> str:
    """A town as it lies: its four spaces, or its back."""
    here = plan(layout, players)
    x, y = here.towns[town]
    plate = _plate(here, town)
    if not things:
        last = town + 1 == len(here.towns)
        ribbon = rect(-28, -11, 56, 22, 4, f'fill="{CARD}" stroke="{INK}"') + text(0, 5, words.say("board.india"), "name", size=15)
        return at(x, y, f'<use href="#sail-{layout}-back"/>{ribbon if last else ""}') + plate
    out = []
    for (dx, dy), what, letter in zip(here.spaces, things, LETTERS, strict=True):
        title = words.say("board.space", n=town + 1, what=what)
        body = f'<title>{escape(title)}</title><use href="#sail-{layout}-{letter}-{dashed(what)}"/>'
        out.append(spot(f"space-{town + 1}{letter}", x + dx, y + dy, here.space, here.space, body, 5))
    return "".join(out) + plate


def _plate(here: Plan, town: int) -> str:
    """The number of a town, on the side of its card toward the sea."""
    (x, y), (sea, _), half = here.towns[town], here.seas[town], here.space + 2
    side = -1 if sea < x else 1
    number = '<use href="#sail-plate"/>' + text(0, 4, town + 1, "initial")
    return at(x + side * (half + 8), y - half + 11, number) if here.wide else at(x + side * (half + 1), y, number, 0.9)


def _state(here: Plan, scene: Scene) -> str:
    """The round, the action points left, and the end in sight; where there is little room, that in place of the round."""
    (x, y), p, words, wide = here.state, scene.record, scene.words, here.wide
    closing = in_last_turns(p)
    out = ""
    if wide or not closing:
        out += text(x, y, words.say("table.round", n=int(p.round_number)), "name" if wide else "label", size=0 if wide else 11)
    if closing:
        out += text(x, y + 38, words.say("table.last_turns"), fill=RED) if wide else text(x, y, words.say("board.last"), size=11, fill=RED)
    for n in range(0 if p.phase == OVER else 2):
        out += f'<circle cx="{x - 8 + 16 * n}" cy="{y + 14}" r="5" fill="{INK if n < p.points else "none"}" stroke="{INK}"/>'
    if p.phase == SELLING:
        left, top, width, height = here.sale_columns
        left += width * (kinds_sold(p, scene.box) - 1)
        out += rect(left, top, width, height, 5, f'fill="none" stroke="{INK}" stroke-width="2"')
    return out


def _figures(mat: Mat, seat: int, total: int, scene: Scene) -> str:
    """What a seat's tracks stand at, in figures, and whose turn it is."""
    box, p = mat.box, scene.position
    points = scene.words.say("score.points", n=total)
    wealth, vp = p["wealth"][seat], p["vp"][seat]
    if scene.wide:
        out = text(mat.bank.x + 13, mat.bank.y + 37, wealth) + text(mat.history.x + 13, mat.history.y + 37, vp)
        out += text(box.x + box.width - 10, box.y + 20, points, "name", "end")
    else:
        figures = ((mat.bank, wealth), (mat.history, vp), (mat.speed, p["speed"][seat]))
        out = "".join(text(place.x + 31, place.y + 16, n, size=13) for place, n in figures)
        out += text(box.x + 183, box.y + 19, points, "label", "end")
    if p["turn"] == seat:
        out += rect(box.x, box.y, box.width, box.height, 8, f'fill="none" stroke="{INK}" stroke-width="2.2"')
    return out


def _name(mat: Mat, name: str, most: int) -> str:
    return text(mat.box.x + 32, mat.box.y + 20, short(name, most), "name", "start")


def _discs(scene: Scene, here: Plan, seat: int) -> Iterator[str]:
    """The shipbuilder on its speed, scientists on their technologies or waiting."""
    p = scene.position
    mat, body = here.mats[seat], f'<use href="#sail-{seat}-disc"/>'
    resting = body if here.wide else f'<use href="#sail-{seat}-small-disc"/>'
    x, y = mat.paces[p["speed"][seat] - 1]
    yield piece(f"shipbuilder-{seat}", x, y, resting)
    owned = [nth for nth, owner in enumerate(p["technologies"].values()) if owner == seat]
    waiting = list(range(p["scientists"][seat] + len(owned)))
    places: dict[int, Point] = {}
    for nth in owned:  # each has its own scientist, or the next one free, so that as few as can be change places
        which = next((n for n in waiting if n >= nth % 3), waiting[0])
        waiting.remove(which)
        box = here.technologies[nth]
        places[which] = box.x + here.scientist[0], box.y + here.scientist[1]
    for which in range(len(waiting) + len(owned)):
        x, y = places.get(which, mat.scientists[which % 3])
        yield piece(f"scientist-{seat}-{which}", x, y, body if which in places else resting)


def _markers(scene: Scene, here: Plan, seat: int) -> list[str]:
    """All cubes of a seat, each by its number. Those in reserve have the highest numbers: they leave one by one for good.

    Of the others the third in the order has the highest, so that one just activated is most often the one found on Lisbon.
    """
    p = scene.position
    places = [*_keepers(p["vp"][seat], here.mats[seat].points, here, "historian", seat)]
    places += _keepers(p["wealth"][seat], here.mats[seat].wealth, here, "banker", seat)
    places += _on_lisbon(p["lisbon"][seat], here, seat)
    places += _along_the_coast(scene, here, seat)
    active, idle = len(places), p["reserve"][seat]
    numbers = [*range(min(2, active)), *range(active - 1, 1, -1)]
    shown: list[tuple[Point, str]] = [((0, 0), "")] * active
    for number, place in zip(numbers, places, strict=True):
        shown[number] = place
    waiting = "plain" if here.wide else "small"
    shown += ((point, waiting) for point in here.mats[seat].idle[active : active + idle])
    return [piece(f"marker-{seat}-{number}", x, y, f'<use href="#sail-{seat}-{role}"/>') for number, ((x, y), role) in enumerate(shown)]


def _keepers(amount: int, track: tuple[Point, ...], here: Plan, role: str, seat: int) -> Iterator[tuple[Point, str]]:
    """S10, S12: markers on what each keeps: five, five, … and the rest."""
    n, (x, y) = keepers(amount), here.mats[seat].lift
    step = min(1, 3 / max(1, n - 1))
    for nth in range(n):
        kept = KEEPS if nth < n - 1 else last_keeps(amount)
        up = nth * step if kept == KEEPS or not here.wide else 0
        yield (track[kept - 1][0] + x * up, track[kept - 1][1] + y * up), role


def _on_lisbon(n: int, here: Plan, seat: int) -> Iterator[tuple[Point, str]]:
    (x, y), step = here.quays[seat], min(17, here.quay / max(1, n - 1))
    for nth in range(n):
        yield (x + step * nth, y), "plain"


def _along_the_coast(scene: Scene, here: Plan, seat: int) -> list[tuple[Point, str]]:
    """Ships and markers on land, from town to town; the ships that have sailed in this action are those in front."""
    found: list[tuple[int, Point, str]] = []
    p, lane = scene.position, here.lanes[seat]
    for town, n in enumerate(p["ships"][seat][: len(here.towns)]):
        if n:
            x, y = here.seas[town]
            step = min(25, here.lane / max(1, n - 1))
            moored = n - p["sailed"][town] if seat == p["turn"] else n
            for nth in range(n):
                found.append((5 * town, (x + step * (nth - (n - 1) / 2), y + lane), "ship" if nth < moored else "sailed"))
    for space in p["land"][seat]:
        along = _ALONG[space]
        (x, y), (dx, dy) = here.towns[along // 5], here.spaces[along % 5 - 1]
        role = "goods" if space[-1] in "ab" else on(scene, space).partition(" ")[0]
        found.append((along, (x + dx + 9, y + dy + 10), role))
    found.sort()
    return [(point, role) for _, point, role in found]


# Before the viewer, and about each seat


def hand(scene: Scene) -> list[Card]:
    """What the viewer's seat has to act with: its markers by role, and the goods it can sell."""
    p, words, seat = scene.position, scene.words, scene.seat
    if seat is None:
        return []
    cube = at(0, 0, drawings.marker(seat), 1.2)
    tiles = [
        ("lisbon", words.say("table.lisbon"), p["lisbon"][seat], cube, "lisbon"),
        ("reserve", words.say("board.reserve"), p["reserve"][seat], cube, f"reserve-{seat}"),
        ("bank", words.say("table.wealth"), p["wealth"][seat], drawings.coin(), f"bank-{seat}"),
        ("history", words.say("table.history"), p["vp"][seat], drawings.book(), f"history-{seat}"),
        ("speed", words.say("table.speed"), p["speed"][seat], drawings.sails(), f"speed-{seat}"),
    ]
    cards = [
        Card(f"own-{id}", words.say("board.titled", what=name, more=n), _own_tile(name, str(n), icon), where, TILE)
        for id, name, n, icon, where in tiles
    ]
    for space in sorted(p["land"][seat], key=_ALONG.__getitem__):
        if space[-1] in "ab":
            good = on(scene, space)
            cards.append(
                Card(
                    f"own-{space}",
                    words.say("board.space", n=town_of(space), what=good),
                    _own_tile(brief(words, good), space, drawings.thing(good)),
                    f"space-{space}",
                    TILE,
                )
            )
    return cards


TILE = (64, 64)


@lru_cache(maxsize=256)
def _own_tile(name: str, figure: str, icon: str) -> str:
    return sheet(*TILE) + at(20, 25, icon, 1.25) + text(47, 31, figure, "title") + text(32, 56, name, size=11)


def facts(scene: Scene, seat: int) -> list[Fact]:
    p, words = scene.position, scene.words
    cube = _icon(drawings.marker(seat))
    shown = [
        Fact(words.say("table.vp"), str(vp_of(scene)[seat])),
        Fact(words.say("table.wealth"), str(p["wealth"][seat]), _icon(drawings.coin())),
        Fact(words.say("board.history"), str(p["vp"][seat]), _icon(drawings.book())),
        Fact(words.say("table.speed"), f"{p['speed'][seat]}/{FASTEST}", _icon(drawings.sails())),
        Fact(words.say("table.lisbon"), str(p["lisbon"][seat])),
        Fact(words.say("board.reserve"), str(p["reserve"][seat]), cube),
        Fact(words.say("board.scientists"), str(p["scientists"][seat]), _icon(drawings.disc(seat))),
    ]
    if p["india"] == seat:
        shown.append(Fact(words.say("board.india"), "", lit=True))
    owned = (name for name, owner in p["technologies"].items() if owner == seat)
    return shown + [Fact(words.name(name), "", _icon(drawings.technology(name)), lit=True) for name in owned]


def _icon(body: str) -> str:
    return at(15, 10, body, 0.95)
