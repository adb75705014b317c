"""The board of Marco Polo Expedition: the caravan road from Ormuz, over desert and mountains, by Ganzhou to
Dadu.

A space is a place on the road, where a camel or a chest stands, and a plate below it with the cards that it
demands. Below the map lie the open cards, and those laid for the step that has been begun. `art.board` says
what each function gives.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from comptoir.art.board import placeholder_note
from comptoir.art.shapes import (
    CARD,
    INK,
    PAPER,
    SECOND_PAPER,
    SvgParts,
    coord,
    curve,
    escape,
    joined,
    panel,
    paper,
    piece,
    rhumbs,
    rose,
    sea,
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
from comptoir.games.marco_polo import drawings as draw
from comptoir.games.marco_polo.layout import (
    LAYOUTS,
    SIZE,
    BoardLayout,
    SpacePosition,
    Track,
    plate_width,
    positions_of,
    track_of,
)
from comptoir.games.marco_polo.naming import camel_of, card_list, cards, placed
from comptoir.games.marco_polo.rules import (
    CARDS,
    COLOURS,
    DEMANDS,
    EACH_COLOUR,
    EACH_GOOD,
    FACES,
    OVER,
    any_card,
    camels_each,
    chest_at,
    foremost,
    gold_of,
    may_lighten,
    next_space,
)

if TYPE_CHECKING:
    from comptoir.games.marco_polo.records import Scene

__all__ = ["SIZE", "chart", "facts", "hand", "pieces", "spots"]

RANK = 27  # from the front camels on Ganzhou to those behind


LABEL_WIDTH = 54  # of a plate that has room for words


HEAD = 44  # how high a camel of scale 1 is


LONG_NAME = 11  # letters of a name that a panel has room for


MAX_SEEN = 6  # kinds of cards known of a hand that a seat's panel has room for


# The chart


def chart(scene: Scene) -> str:
    """The land, the road with its cities, and what each space demands."""
    width, height = SIZE[scene.layout]
    track = track_of(scene)
    places = positions_of(scene.layout, track)
    line = curve([(place.x, place.y) for place in places])
    road = (
        f'<path d="{line}" fill="none" stroke="{SECOND_PAPER}" stroke-width="{10 if scene.wide else 7}" stroke-linecap="round"/>'
        f'<path d="{line}" fill="none" stroke="{INK}" stroke-opacity=".5" stroke-width="2" stroke-dasharray="1 6" stroke-linecap="round"/>'
    )
    land = _wide_land(scene.words) if scene.wide else _tall_land()
    spaces = "".join(_space(scene, track, space, place) for space, place in enumerate(places))
    table = _wide_table(scene) if scene.wide else _tall_table(scene)
    return (
        paper(width, height)
        + _defs(scene, track)
        + land
        + road
        + _cities(scene, track, places)
        + spaces
        + table
    )


def _defs(scene: Scene, track: Track) -> str:
    """What pieces are drawn from: they come again with every action, and so only name it."""
    words, board = scene.words, LAYOUTS[scene.layout]
    drawn = {f"chest-{gold}": draw.chest(gold, board.chest) for gold in range(1, 4)}
    for seat in range(scene.record.players):
        drawn[f"camel-{seat}-right"] = draw.camel(seat)
        drawn[f"camel-{seat}-left"] = draw.camel(seat, left=True)
    for card in CARDS:
        drawn[f"card-{_plain(card)}"] = draw.card_face(card)
        if scene.wide:
            drawn[f"named-{_plain(card)}"] = draw.card_face(card, words.name(card.split()[1]))
    for demand in range(1, len(DEMANDS)):
        drawn[f"toll-{demand}"] = _slots(board, demand)
    drawn["pile"], drawn["discards"], drawn["no-pile"] = (
        draw.stack(draw.card_back()),
        draw.stack(draw.card_blank()),
        draw.no_stack(),
    )
    return (
        "<defs>"
        + "".join(f'<g id="{_id(scene, name)}">{body}</g>' for name, body in drawn.items())
        + "</defs>"
    )


def _id(scene: Scene, name: str) -> str:
    """A page may show several boards, and what is drawn is the same for all of one layout and language."""
    return f"mp-{scene.layout}-{scene.words.lang}-{name}"


def _use(scene: Scene, name: str, scale: float = 1) -> str:
    size = f' transform="scale({scale:g})"' if scale != 1 else ""
    return f'<use href="#{_id(scene, name)}"{size}/>'


@cache
def _plain(card: str) -> str:
    """A card's name as it is part of an id."""
    return card.replace(" ", "-")


def _slots(board: BoardLayout, demand: int) -> str:
    """A place for each card that a space demands."""
    out = ""
    width, height = draw.CARD_SIZE[0] * board.slot, draw.CARD_SIZE[1] * board.slot
    for n, card in enumerate(draw.demanded(demand)):
        x, y = board.slots[0] + n * board.slot_step, board.slots[1]
        out += (
            f'<rect x="{coord(x)}" y="{coord(y)}" width="{coord(width)}" height="{coord(height)}" rx="5" fill="none" stroke="{INK}" '
            f'stroke-opacity=".5" stroke-dasharray="4 3"/><g opacity=".6">{translated(x + width / 2, y + height / 2, card, board.slot * 2.6)}</g>'
        )
    return out


def _cities(scene: Scene, track: Track, places: tuple[SpacePosition, ...]) -> str:
    """The three cities behind their spaces; Ormuz has its name on its plate."""
    ormuz, ganzhou, dadu = places[0], places[track.ganzhou], places[track.dadu]
    board, scale = LAYOUTS[scene.layout], 1 if scene.wide else 0.48
    under = board.below + board.plate[1] + 17 * board.camel
    return (
        translated(ormuz.x, ormuz.y - 5, draw.ormuz(), scale)
        + translated(ganzhou.x, ganzhou.y - 5, draw.ganzhou(), scale * 1.1)
        + translated(dadu.x, dadu.y - 5, draw.dadu(), scale * 0.95)
        + _halo(
            text(
                ganzhou.x, ganzhou.y + under, scene.words.say("board.ganzhou"), "name", size=19 * board.camel
            )
        )
        + _halo(text(dadu.x, dadu.y + under, scene.words.say("board.dadu"), "name", size=19 * board.camel))
    )


def _halo(words: str) -> str:
    """Words that stand out from what is drawn below them."""
    return f'<g stroke="{PAPER}" stroke-width="3" stroke-linejoin="round" paint-order="stroke">{words}</g>'


def _space(scene: Scene, track: Track, space: int, place: SpacePosition) -> str:
    """A place on the road, its number, and its plate."""
    board, demand = LAYOUTS[scene.layout], track.demands[space]
    width, height = plate_width(scene.layout, track.spaces), board.plate[1]
    ground = f'<ellipse rx="{coord(22 * board.camel)}" ry="{coord(7 * board.camel)}" fill="{CARD}" stroke="{INK}" stroke-opacity=".45"/>'
    plate = (
        f'<rect x="{coord(-width / 2)}" y="{coord(board.below)}" width="{coord(width)}" height="{coord(height)}" rx="5" '
        f'fill="{"#f6e2ad" if track.first_gold[space] or track.last_gold[space] else CARD}" stroke="{INK}" stroke-opacity=".45"/>'
    )
    middle = board.below + height / 2
    if not demand:
        return translated(
            place.x, place.y, ground + plate + text(0, middle + 5, scene.words.say("board.ormuz"), "name")
        )
    number = _halo(text(-width / 2 + 2, board.below - 5, space, "number", "start"))
    label = ""
    if width >= LABEL_WIDTH:
        label = text(0, board.below + height - 4, scene.words.say(f"plate.{DEMANDS[demand]}"))
    if label and not scene.wide:
        label = f'<g letter-spacing="-.35">{label}</g>'  # « chameliers » has little room
    cards = translated(
        0, middle - (7.5 if label else 0), draw.demand_row(demand, width - 4, 1 if scene.wide else 0.86)
    )
    return translated(place.x, place.y, ground + number + plate + cards + label)


def _wide_land(words: Words) -> str:
    """From the Gulf to Cathay: the desert of Persia, the roof of the world, the steppe and the long wall."""
    coast = "M0 436C14 452 22 478 60 490S170 503 250 497S420 489 520 499S760 490 860 500S1010 492 1080 501"
    desert = "M0 344C60 318 180 322 300 316S470 330 500 372S560 420 700 424S960 400 1080 430V501L860 500L520 499L250 497L60 490L0 436Z"
    steppe = "M0 14Q0 0 14 0H1066Q1080 0 1080 14V236C980 252 900 226 790 240S560 250 470 230S220 246 120 238S40 226 0 236Z"
    far = (
        (110, 60),
        (160, 84),
        (230, 58),
        (276, 74),
        (350, 48),
        (440, 62),
        (492, 90),
        (566, 60),
        (614, 78),
        (690, 54),
        (742, 66),
        (808, 44),
    )
    near = (
        (486, 64, 50),
        (532, 92, 66),
        (606, 76, 52),
        (660, 104, 72),
        (742, 84, 58),
        (800, 96, 68),
        (872, 78, 50),
        (926, 66, 40),
    )
    wall = [
        (512, 222),
        (560, 202),
        (628, 208),
        (700, 192),
        (772, 210),
        (846, 198),
        (914, 216),
        (984, 202),
        (1052, 208),
    ]
    pines = ((534, 228), (598, 224), (610, 228), (664, 216), (808, 224), (824, 228), (950, 228), (1018, 224))
    return (
        f'<path d="{desert}" fill="{draw.SAND}" fill-opacity=".3"/><path d="{steppe}" fill="{draw.LEAF}" fill-opacity=".13"/>'
        + rhumbs(1036, 552, 1200)
        + sea(f"{coast}V626Q1080 640 1066 640H14Q0 640 0 626Z")
        + f'<g opacity=".55">{"".join(draw.mountain(x, 66, width, width * 0.6, 0.45) for x, width in far)}</g>'
        + draw.dune(132, 360, 150, 28)
        + draw.dune(250, 346, 116, 20)
        + draw.dune(214, 378, 190, 36)
        + draw.dune(392, 384, 130, 24)
        + "".join(draw.mountain(x, 384, width, height, 0.44) for x, width, height in near)
        + draw.palm(128, 392)
        + draw.palm(146, 398, 0.8)
        + draw.dune(150, 222, 150, 26)
        + draw.dune(76, 232, 120, 20)
        + draw.yurt(258, 218)
        + draw.yurt(294, 222, 0.8)
        + draw.wall(wall, 0.9)
        + "".join(draw.pine(x, y, 0.8) for x, y in pines)
        + draw.dhow(1008, 620, 0.8)
        + rose(1036, 552, 28)
        + _region(600, 492, words.say("board.persia"))
        + _region(868, 491, words.say("board.pamir"))
        + _region(190, 192, words.say("board.gobi"))
        + _region(770, 182, words.say("board.cathay"))
    )


def _region(x: float, y: float, name: str) -> str:
    """A land's name, as maps spread them."""
    return f'<g opacity=".5" letter-spacing="5">{text(x, y, name.upper(), "name", size=13)}</g>'


def _tall_land() -> str:
    """The same lands, one above the other."""
    coast = "M0 440C20 452 60 460 120 463S240 458 290 464S360 458 390 462"
    desert = "M0 380C90 364 170 372 240 366S350 376 390 368V462L120 463L0 440Z"
    steppe = "M0 14Q0 0 14 0H376Q390 0 390 14V146C300 158 200 140 120 150S40 146 0 150Z"
    near = ((46, 50), (82, 68), (136, 54), (176, 70), (228, 34))
    far = ((24, 44), (58, 62), (108, 42), (140, 54), (196, 38), (224, 58), (272, 36))
    return (
        f'<path d="{desert}" fill="{draw.SAND}" fill-opacity=".3"/><path d="{steppe}" fill="{draw.LEAF}" fill-opacity=".13"/>'
        + rhumbs(350, 640, 900)
        + sea(f"{coast}V658Q390 672 376 672H14Q0 672 0 658Z")
        + f'<g opacity=".5">{"".join(draw.mountain(x, 42, width, width * 0.55, 0.45) for x, width in far)}</g>'
        + draw.dune(70, 392, 90, 18)
        + draw.dune(170, 390, 110, 20)
        + draw.palm(70, 404, 0.6)
        + "".join(draw.mountain(x, 306, width, width * 0.6, 0.44) for x, width in near)
        + draw.dune(60, 216, 90, 17)
        + draw.yurt(156, 214, 0.7)
        + draw.yurt(182, 217, 0.6)
        + draw.wall([(60, 132), (120, 124), (180, 132), (240, 122), (300, 130)], 0.6)
    )


def _wide_table(scene: Scene) -> str:
    """Where the cards lie, and what chests and coins mean."""
    words = scene.words
    marks = translated(862, 546, draw.chest(1)) + translated(862, 574, draw.coin(1))
    meanings = text(884, 544, words.say("board.chest"), "number", "start") + text(
        884, 578, words.say("board.gold"), "number", "start"
    )
    return _cards_table(scene) + marks + meanings + placeholder_note(scene, 850, 606, "number", "start")


def _tall_table(scene: Scene) -> str:
    """Where the cards lie, and what chests and coins mean."""
    words = scene.words
    legend = "".join(
        translated(x, 643, drawn) + text(x + 20, 647, words.say(f"board.{key}"), "number", "start")
        for x, drawn, key in (
            (26, translated(0, 8, draw.chest(1, 0.9)), "chest"),
            (214, draw.coin(1, 8.5), "gold"),
        )
    )
    return _cards_table(scene) + legend + placeholder_note(scene, 195, 664, "number")


def _cards_table(scene: Scene) -> str:
    board, words = LAYOUTS[scene.layout], scene.words
    y = board.open_row[1] - 7
    width = draw.CARD_SIZE[0] * board.card
    return (
        panel(*board.toll, *board.toll_size)
        + text(board.open_row[0], y, words.say("board.row"), "label", "start")
        + text(board.pile[0] + width / 2, y, words.say("board.pile"), "label")
        + text(board.discards[0] + width / 2, y, words.say("board.discards"), "label")
    )


# The pieces


def pieces(scene: Scene) -> SvgParts:
    """Chests, coins, spaces that can be chosen, camels, and the cards on the table."""
    parts = _all_coins, _chests, _all_spaces, _camels, _open_cards
    # the others change with almost every action
    return joined((*(scene.cached(part) for part in parts), _piles(scene), _toll(scene)))


def _all_coins(scene: Scene) -> str:
    return _coins(scene.layout, track_of(scene), bool(scene.record.scored))


def _all_spaces(scene: Scene) -> str:
    return _spaces(scene.layout, track_of(scene), scene.words)


@lru_cache(maxsize=64)
def _coins(layout: str, track: Track, scored: bool) -> str:
    """M21, M30: what camels get at either scoring; the coins of the first one fade once it has been."""
    board, width, places = LAYOUTS[layout], plate_width(layout, track.spaces), positions_of(layout, track)

    def coins(row: tuple[int, ...]) -> str:
        there = ((places[space], gold) for space, gold in enumerate(row) if gold)
        return "".join(
            translated(place.x + width / 2 - board.coin + 2, place.y - 1, draw.coin(gold, board.coin))
            for place, gold in there
        )

    return f'<g opacity="{0.3 if scored else 1:g}">{coins(track.first_gold)}</g>{coins(track.last_gold)}'


@lru_cache(maxsize=1024)
def _title(said: str) -> str:
    return f"<title>{escape(said)}</title>"


def _chests(scene: Scene) -> Sequence[str]:
    """M14: those that no camel has reached yet."""
    track = track_of(scene)
    places = positions_of(scene.layout, track)
    return [
        piece(
            f"chest-{space}",
            places[space].x,
            places[space].y + 2,
            _title(scene.words.say("board.chest_at", n=gold, place=placed(scene, "at", space)))
            + _use(scene, f"chest-{gold}"),
        )
        for space, gold in enumerate(track.chests)
        if gold and chest_at(scene.record, scene.box, space)
    ]


@lru_cache(maxsize=64)
def _spaces(layout: str, track: Track, words: Words) -> str:
    """Every space, with what it demands and gives in words."""
    board = LAYOUTS[layout]
    width, above, under = (
        max(40, plate_width(layout, track.spaces) + 2),
        HEAD * board.camel,
        board.below + board.plate[1] + 1,
    )
    out = ""
    for space, place in enumerate(positions_of(layout, track)):
        title = _title(_space_name(space, track, words))
        out += spot(f"space-{space}", place.x, place.y + (under - above) / 2, width, above + under, title)
    return out


def _space_name(space: int, track: Track, words: Words) -> str:
    if not space:
        return words.say("board.ormuz")
    said = words.say("board.space_demands", n=space, demand=DEMANDS[track.demands[space]])
    if track.chests[space]:
        said += words.say("board.with_chest", n=track.chests[space])
    gold = track.first_gold[space] or track.last_gold[space]
    return said + words.say("board.with_gold", n=gold) if gold else said


def _camels(scene: Scene) -> str:
    """Each where it stands; those that share Ganzhou apart (M22). With two each, they can be chosen (M40)."""
    track, board = track_of(scene), LAYOUTS[scene.layout]
    places = positions_of(scene.layout, track)
    each, camels_of = camels_each(scene.record), scene.position["camels"]
    front, behind, there = "", "", 0
    gathered = sum(camels.count(track.ganzhou) for camels in camels_of)
    for seat, camels in enumerate(camels_of):
        for camel, space in enumerate(camels[:each]):
            place, across, back = places[space], 0.0, 0
            title = _title(
                scene.words.say("board.camel", name=scene.names[seat], place=placed(scene, "at", space))
            )
            if space == track.ganzhou:
                across, back = _stand(there, gathered, board)
                there += 1
            body = title + _use(scene, f"camel-{seat}-{'left' if place.leftwards else 'right'}", board.camel)
            body += _choice(seat, camel, board) if each == 2 else ""
            drawn = piece(
                f"camel-{seat}-{camel}",
                place.x + across * board.fan,
                place.y + 2 - back * RANK * board.camel,
                body,
            )
            front, behind = (front, behind + drawn) if back else (front + drawn, behind)
    return behind + front


def _stand(nth: int, gathered: int, board: BoardLayout) -> tuple[float, int]:
    """How far to the side one of the camels on Ganzhou stands, and in which rank: where there is little room,
    every other one behind.
    """
    return (nth - (gathered - 1) / 2, 0) if gathered <= board.abreast else (nth / 2 - 1, nth % 2)


def _choice(seat: int, camel: int, board: BoardLayout) -> str:
    """M40: which of the two it is."""
    side = max(40, 48 * board.camel)
    return translated(0, -36 * board.camel, draw.badge(camel + 1)) + spot(
        f"camel-{seat}-{camel}", 0, -20 * board.camel, side, side
    )


def _open_cards(scene: Scene) -> str:
    """M17: cards alike lie side by side and are one choice."""
    board = LAYOUTS[scene.layout]
    face = "named" if scene.wide else "card"
    (x, y), width, height = board.open_row, draw.CARD_SIZE[0] * board.card, draw.CARD_SIZE[1] * board.card
    drawn = choices = ""
    for card, n in scene.position["row"].items():
        name = _plain(card)
        for copy in range(n):
            drawn += piece(
                f"open-{name}-{copy}",
                x + copy * board.card_step,
                y,
                _use(scene, f"{face}-{name}", board.card),
            )
        span = width + (n - 1) * board.card_step
        title = _title(scene.words.say("board.open_card", card=cards(card, n, scene.words)))
        choices += spot(f"take-{name}", x + span / 2, y + height / 2, span + 2, height + 2, title)
        x += n * board.card_step
    return drawn + choices


def _piles(scene: Scene) -> str:
    """M17: the pile, which can be drawn from as long as there are discards to be shuffled, and the
    discards.
    """
    board = LAYOUTS[scene.layout]
    p, words = scene.position, scene.words
    width, height = draw.CARD_SIZE[0] * board.card, draw.CARD_SIZE[1] * board.card
    x, y = board.pile
    discards = sum(p["discards"].values())
    title = _title(words.say("board.pile_of", n=p["pile_size"]))
    seen = (
        _title(words.say("board.discards_of", n=discards, cards=card_list(p["discards"], words)))
        if discards
        else ""
    )
    return (
        translated(x, y, _use(scene, "pile" if p["pile_size"] else "no-pile", board.card))
        + translated(*board.discards, seen + _use(scene, "discards" if discards else "no-pile", board.card))
        + _counted(board.discards[0] + width / 2, y + height / 2, discards)
        + spot(
            "pile",
            x + width / 2,
            y + height / 2,
            width + 2,
            height + 2,
            title + _counted(0, 0, p["pile_size"]),
        )
    )


def _counted(x: float, y: float, n: int) -> str:
    rect = f'<rect x="{coord(x - 13)}" y="{coord(y - 10)}" width="26" height="20" rx="10" fill="{CARD}" stroke="{INK}"/>'
    return rect + text(x, y + 5, n, "label")


# What the next space demands, and what is laid for it


def _toll(scene: Scene) -> str:
    """M11: for the seat that decides: the next space, with a slot for each card, and the cards laid."""
    track = track_of(scene)
    p, words, board = scene.record, scene.words, LAYOUTS[scene.layout]
    x, y = board.toll
    if p.phase == OVER:
        return text(x + 14, y + 25, words.say("board.over"), "name", "start")
    turn, moving = int(p.turn), int(p.moving)
    head = _toll_head(turn, scene.names[turn], board.toll)
    if moving < 0 or p.stopped[moving]:
        return head + _ways_on(scene, track, board)
    if camels_each(p) == 2:
        head += translated(x + 27, y + 12, draw.badge(moving + 1))
    space = next_space(p, scene.box, moving)
    demand = track.demands[space]
    said = _toll_words(scene.layout, space, demand, may_lighten(p, space), words)
    return head + said + _use(scene, f"toll-{demand}") + _laid(scene, demand, board)


@lru_cache(maxsize=64)
def _toll_head(seat: int, name: str, place: tuple[float, float]) -> str:
    x, y = place
    return seat_mark(seat, x + 19, y + 19) + text(x + 38, y + 25, truncated(name, LONG_NAME), "name", "start")


def _ways_on(scene: Scene, track: Track, board: BoardLayout) -> str:
    """M40: what each camel that can be chosen would have to pay; if there is none, the turn ends with a card
    (M10).
    """
    p, words = scene.record, scene.words
    x, y = board.slots[0] + 8, board.slots[1] + 13
    free = [camel for camel in range(camels_each(p)) if not p.stopped[camel]]
    if not free:
        return text(
            x - 8, y + 14, words.say("board.card" if any_card(p) else "board.no_card"), "label", "start"
        )
    out = ""
    for camel in free:
        space = next_space(p, scene.box, camel)
        demands = words.say(
            "board.space_demands", n=space, demand=words.say(f"brief.{DEMANDS[track.demands[space]]}")
        )
        out += translated(x, y + 22 * camel, draw.badge(camel + 1)) + text(
            x + 14, y + 22 * camel + 4, demands, "number", "start"
        )
    return out


@lru_cache(maxsize=512)
def _toll_words(layout: str, space: int, demand: int, lighter: bool, words: Words) -> str:
    board = LAYOUTS[layout]
    x, y = board.toll
    demands = words.say("board.space_demands", n=space, demand=words.say(f"brief.{DEMANDS[demand]}"))
    lightens = words.say("table.lighter") if lighter else ""
    if layout == "wide":
        right = x + board.toll_size[0] - 14
        return text(right, y + 18, demands, "label", "end") + text(right, y + 33, lightens, "number", "end")
    return text(x + 12, y + 42, demands, "number", "start") + text(
        x + 12, y + 56, lightens, "number", "start"
    )


def _laid(scene: Scene, demand: int, board: BoardLayout) -> str:
    """The cards laid, each on the slot it fills."""
    laid = [(card, copy) for card, n in scene.position["paid"].items() for copy in range(n)]
    out = ""
    for nth, (card, copy) in enumerate(laid):
        colour, face = card.split()
        slot = (
            FACES.index(face)
            if demand == EACH_GOOD
            else COLOURS.index(colour)
            if demand == EACH_COLOUR
            else nth
        )
        drawn = _use(scene, f"card-{colour}-{face}", board.slot)
        out += _laid_card(
            card, copy, board.slots[0] + slot * board.slot_step, board.slots[1], drawn, scene.words
        )
    return out


@lru_cache(maxsize=1024)
def _laid_card(card: str, copy: int, x: float, y: float, drawn: str, words: Words) -> str:
    title = _title(words.say("board.laid_card", card=cards(card, 1, words)))
    return piece(f"laid-{_plain(card)}-{copy}", x, y, title + drawn)


# What an action is about


def spots(scene: Scene, action: Action) -> list[str]:
    """The card laid and the space it is laid for, the camel chosen, the card taken, or the pile."""
    p = scene.record
    match action.kind:
        case "lay":
            return [f"card-{_plain(action.operand)}", *_ahead(scene, int(p.moving))]
        case "lighten":
            return _ahead(scene, int(p.moving))
        case "first camel" | "second camel":
            camel = camel_of(action)
            return [f"camel-{p.turn}-{camel}", *_ahead(scene, camel)]
        case "take":
            return [f"take-{_plain(action.operand)}"]
        case "draw":
            return ["pile"]
    return []


def nothing_here(scene: Scene, spot: str) -> str:
    """M8: a space that no camel of the viewer can enter now: which one is next."""
    p = scene.record
    if scene.seat is None or p.turn != scene.seat or not spot.startswith("space-"):
        return ""
    camels = [int(p.moving)] if 0 <= p.moving < camels_each(p) else range(camels_each(p))
    ahead = sorted({next_space(p, scene.box, camel) for camel in camels})
    return scene.words.join(
        [
            scene.words.say("board.next_is", n=space, demand=DEMANDS[scene.box.track_demands[space]])
            for space in ahead
        ]
    )


def _ahead(scene: Scene, camel: int) -> list[str]:
    """The next space of a camel; of any, before one is chosen (M40)."""
    p = scene.record
    camels = [camel] if 0 <= camel < camels_each(p) else range(camels_each(p))
    return [f"space-{next_space(p, scene.box, one)}" for one in camels]


# What lies before a seat, and what is known of it


def hand(scene: Scene) -> list[Card]:
    """The viewer's cards, by colour, those alike as one; with two camels, those too, to be chosen (M40)."""
    seat, words = scene.seat, scene.words
    if seat is None:
        return []
    held = [_held_card(card, n, words) for card, n in scene.position["hand"][seat].items()]
    return held + (_own_camels(scene, seat) if camels_each(scene.record) == 2 else [])


@lru_cache(maxsize=512)
def _held_card(card: str, n: int, words: Words) -> Card:
    name, drawn = f"card-{_plain(card)}", draw.hand_card(card, n)
    return Card(name, cards(card, n, words), drawn, name, draw.HAND_CARD_SIZE)


def _own_camels(scene: Scene, seat: int) -> list[Card]:
    words, tiles, (_, height) = scene.words, [], draw.HAND_CARD_SIZE
    for camel, space in enumerate(scene.position["camels"][seat]):
        body = (
            sheet(60, height)
            + translated(28, 48, draw.camel(seat))
            + translated(50, 11, draw.badge(camel + 1))
            + text(30, height - 4, words.say("board.space", n=space), "number")
        )
        name = words.say("board.own_camel", n=camel + 1, place=placed(scene, "at", space))
        tiles.append(Card(f"tile-camel-{camel}", name, body, f"camel-{seat}-{camel}", (60, height)))
    return tiles


def facts(scene: Scene, seat: int) -> list[Fact]:
    """Gold, cards in hand, where the camels are, and the cards that everyone saw go into the hand (M18)."""
    p, words, seen = scene.position, scene.words, scene.position["seen"][seat]
    return [
        *_counted_facts(scene.computed(_gold, seat), p["hand_size"][seat], words),
        *scene.cached(_camel_facts, seat),
        *_seen_facts(tuple(seen.items()), words),
    ]


def _gold(scene: Scene, seat: int) -> int:
    return gold_of(scene.record, scene.box, seat)


@lru_cache(maxsize=1024)
def _counted_facts(gold: int, cards: int, words: Words) -> tuple[Fact, ...]:
    return (
        Fact(words.say("board.gold_of"), str(gold), draw.gold_icon()),
        Fact(words.say("board.hand_of", n=cards), str(cards), draw.hand_icon()),
    )


@lru_cache(maxsize=1024)
def _seen_facts(seen: tuple[tuple[str, int], ...], words: Words) -> tuple[Fact, ...]:
    """M18: the cards, as many kinds as there is room for, and how many more."""
    shown = [
        Fact(
            words.say("board.seen", card=cards(card, n, words)),
            f"×{n}" if n > 1 else "",
            draw.card_icon(card),
        )
        for card, n in seen[:MAX_SEEN]
    ]
    more = sum(n for _, n in seen[MAX_SEEN:])
    rest = [Fact(words.say("board.more", n=more), f"+{more}", draw.hand_icon())] if more else []
    return *shown, *rest


def _camel_facts(scene: Scene, seat: int) -> list[Fact]:
    """Where a seat's camels are; the foremost one of all, which breaks ties (M31), is lit."""
    p, words = scene.record, scene.words
    furthest = max(foremost(p, other) for other in range(p.players))
    spaces = (int(space) for space in p.camels[seat][: camels_each(p)])
    return [
        Fact(
            words.say(
                "board.leads" if space == furthest else "board.stands", place=placed(scene, "at", space)
            ),
            str(space),
            draw.camel_icon(seat),
            space == furthest,
        )
        for space in spaces
    ]
