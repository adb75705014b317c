"""The board as tables of the position's fields: plain, and readable in both layouts.

It is drawn for each viewer from what that viewer knows: one's own hand stands among the others' hidden ones.
"""

from __future__ import annotations

from functools import partial
from html import escape
from itertools import groupby

from comptoir.art.board import board_svg
from comptoir.art.shapes import (
    CARD,
    INK,
    coord,
    paper,
    seat_colour,
    seat_mark,
    sheet,
    spot,
    text,
    translated,
    truncated,
)
from comptoir.defaults.concern import concerned
from comptoir.defaults.field_table import (
    NOTHING,
    Cell,
    Key,
    counted,
    field_label,
    game_of,
    is_there,
    knows,
    label_of,
    lines_of,
    part,
    said,
    shown_fields,
)
from comptoir.defaults.layout import (
    LABEL,
    LEADING,
    LETTER,
    LISTED,
    MEASURES,
    NARROW,
    VALUE,
    Head,
    Plan,
    Slot,
    chosen_fields,
    letters,
    plan_of,
)
from comptoir.engine.actions import Action
from comptoir.engine.board_items import Card, Fact
from comptoir.engine.game import Game
from comptoir.engine.scene import Scene
from comptoir.engine.schema import Field

FACTS = 6
FAINT = 'opacity=".72"'


def build(game: Game) -> dict[str, object]:
    """`svg(scene)`, the whole board. For a game that draws no pieces of its own also `SIZE`, for the most
    players; `size`, for those that play; `BY_VIEWER`, since each viewer has pieces of its own; and `SCROLLS`,
    since letters are not to shrink.
    """
    whole: dict[str, object] = {"svg": partial(board_svg, game)}
    if hasattr(game.own_module("board"), "pieces"):
        return whole
    most = {layout: _size(game, game.rules.PLAYERS[1], layout) for layout in MEASURES}
    return whole | {
        "SIZE": most,
        "BY_VIEWER": True,
        "SCROLLS": True,
        "size": lambda scene: _size(game, len(scene.names), scene.layout),
    }


def _size(game: Game, players: int, layout: str) -> tuple[int, int]:
    plan = plan_of(game, players, layout)
    return round(plan.width), round(plan.height)


def _plan(scene: Scene) -> Plan:
    return plan_of(game_of(scene), len(scene.names), scene.layout)


# What stays: the paper, the names of fields, of goods and of seats


def chart(scene: Scene) -> str:
    """The paper, the title, what each row is called, and whose the columns are."""
    plan, margin = _plan(scene), MEASURES[scene.layout].margin
    title = text(margin, 36, scene.words.say("game.title"), "title", "start", size=24)
    body = paper(plan.width, plan.height) + title + "".join(_head(scene, head) for head in plan.heads)
    lines = "".join(f"M{coord(start)} {coord(y)}H{coord(end)}" for start, end, y in plan.rules)
    body += f'<path d="{lines}" stroke="{INK}" stroke-opacity=".16"/>'
    for heading in plan.headings:
        word = truncated(scene.words.name(heading.word), heading.letters)
        body += _faint(text(heading.x, heading.y, word, size=LABEL))
    for label in plan.labels:
        written = _wrapped(label_of(label.line, scene.words), label.letters, label.lines)
        top = label.y + 4 - (len(written) - 1) * 7.5 if label.centred else label.y
        for n, one in enumerate(written):
            body += _faint(text(label.x, top + 15 * n, one, "label", "start", size=LABEL))
    return body


def _faint(body: str) -> str:
    return body.replace("<text ", f"<text {FAINT} ", 1)


def _head(scene: Scene, head: Head) -> str:
    """A seat's panel with its name; where it has no panel, only its mark."""
    if not head.width:
        return seat_mark(head.seat, head.x + 9, head.y + min(head.height, 30) / 2, 0.8)
    frame = f'width="{coord(head.width)}" height="{coord(head.height)}" rx="8"'
    body = f'<rect {frame} fill="{CARD}" fill-opacity=".55"/>'
    edge = f'd="M8 1.5H{coord(head.width - 8)}" stroke="{seat_colour(head.seat)}"'
    body += f'<path {edge} stroke-width="3" stroke-linecap="round"/>'
    name, narrow = truncated(scene.names[head.seat], head.letters), head.width < NARROW - 4
    x, scale, size = (22, 0.7, 13.5) if narrow else (31, 0.85, 16)
    body += seat_mark(head.seat, x - (11 if narrow else 14), 20, scale) + text(
        x, 25, name, "name", "start", size=size
    )
    return translated(head.x, head.y, body)


def _wrapped(said: str, letters: int, lines: int) -> list[str]:
    """A text in that many lines at most, broken between words; cut where it is longer."""
    made = [""]
    for word in said.split():
        longer = f"{made[-1]} {word}".strip()
        if len(longer) <= letters or not made[-1] or len(made) == lines:
            made[-1] = longer
        else:
            made.append(word)
    return [truncated(line, letters) for line in made]


# What changes: the values, each in its place


MIN_RING = {"wide": 24, "tall": 40}  # units high: for a mouse, and for a finger


def pieces(scene: Scene) -> str:
    """What the viewer knows, in its places; around what a choice may concern, a spot."""
    game, plan = game_of(scene), _plan(scene)
    fields, ringed = shown_fields(game), {slot for action in scene.choices for slot in spots(scene, action)}
    body = _yours(scene, plan)
    for slots in _rows(plan):
        field, seat = fields[slots[0].line.field], slots[0].seat
        if seat is not None and field.private and not knows(scene, seat):
            body += _said_once(slots, scene.words.say("defaults.hidden"), LABEL)
            continue
        empty = len(slots) > 1 and not any(
            is_there(part(scene.position, field, one.key), field) for one in slots
        )
        body += _said_once(slots, NOTHING, VALUE) if empty else ""
        for slot in slots:
            drawn, name = "" if empty else _value(scene, slot, field), spot_of(slot.key)
            if name in ringed or slot.line.field in chosen_fields(game):
                called = f"<title>{escape(_called(scene, slot))}</title>"
                body += spot(
                    name,
                    slot.x,
                    slot.y,
                    slot.width,
                    max(slot.height, MIN_RING[scene.layout]),
                    called + drawn,
                )
            elif drawn:
                body += translated(slot.x, slot.y, drawn)
    return body


def _rows(plan: Plan) -> list[list[Slot]]:
    """The places of a field that stand side by side, of one seat."""
    return [list(row) for _, row in groupby(plan.slots, key=lambda slot: (slot.line, slot.seat, slot.y))]


def _said_once(slots: list[Slot], said: str, size: float) -> str:
    """What is said of a whole row: that it is hidden, or empty."""
    if slots[0].line.listed:
        return translated(slots[0].x, slots[0].y, _faint(_listed(slots[0], [said])))
    middle = (slots[0].x + slots[-1].x) / 2
    return translated(middle, slots[0].y, _faint(text(0, 4.5, said, size=size)))


def _yours(scene: Scene, plan: Plan) -> str:
    """A frame around what the viewer has."""
    heads = [head for head in plan.heads if head.seat == scene.seat and head.width]
    return "".join(
        f'<rect x="{coord(head.x)}" y="{coord(head.y)}"'
        f' width="{coord(head.width)}" height="{coord(head.height)}" rx="8" '
        f'fill="none" stroke="{seat_colour(head.seat)}" stroke-opacity=".75" stroke-width="1.6"/>'
        for head in heads
    )


def _called(scene: Scene, slot: Slot) -> str:
    """A place as it is read out: `hand: dates`."""
    label = label_of(slot.line, scene.words)
    if slot.column is None:
        return label
    return scene.words.say("defaults.of", what=label, word=slot.column)


def _value(scene: Scene, slot: Slot, field: Field) -> str:
    """A value around (0, 0), as large as it fits; nothing is faint."""
    value = part(scene.position, field, slot.key)
    single = slot.column is None and not slot.line.listed
    left = 6 - slot.width / 2
    if field.kind == "seat" and isinstance(value, int) and not slot.line.listed:
        return _seat_there(scene, value, slot, single and slot.seat is None)
    if isinstance(value, bool) and slot.column is not None:
        return f'<circle r="5" fill="{INK}"/>' if value else _faint(text(0, 5, NOTHING, size=VALUE))
    written = NOTHING if slot.column is not None and value == 0 else said(value, field, scene)
    if slot.line.listed:
        return _listed(slot, _wrapped(written, letters(slot.width, LISTED), slot.lines))
    size = VALUE if len(written) <= letters(slot.width - 4, VALUE) else LABEL
    written = truncated(written, letters(slot.width - 4, size))
    if single and slot.seat is None:
        drawn = text(left, 16, written, "number", "start", size=size, fill=INK)
    else:
        drawn = text(0, 5, written, "number", size=size, fill=INK)
    return drawn if is_there(value, field) else _faint(drawn)


def _listed(slot: Slot, lines: list[str]) -> str:
    """Lines of text, the first one next to the field's name."""
    x, y = 6 - slot.width / 2, 18 - slot.height / 2
    written = (text(x, y + n * LEADING, one, "label", "start", size=LISTED) for n, one in enumerate(lines))
    return "".join(written)


def _seat_there(scene: Scene, seat: int, slot: Slot, figure: bool) -> str:
    """A seat that stands in a cell: its mark and its name."""
    name = truncated(scene.names[seat], letters(slot.width - 26, LABEL))
    wide = 20 + len(name) * LETTER * LABEL
    left, y = (6 - slot.width / 2, 11) if figure else (-wide / 2, 0)
    return seat_mark(seat, left + 8, y, 0.75) + text(left + 20, y + 4.5, name, "number", "start", size=LABEL)


# What may be chosen


def spot_of(key: Key) -> str:
    """The name of a place: `hand-0-dates`."""
    return "-".join(str(step).replace(" ", "_") for step in key)


def spots(scene: Scene, action: Action) -> list[str]:
    """The place of what an action concerns, if it concerns one: see `concern`."""
    key = concerned(scene, action)
    slot = _plan(scene).slot_of(key) if key else None
    return [spot_of(slot.key)] if slot else []


def hand(scene: Scene) -> list[Card]:
    """What only the viewer knows, a card for each thing."""
    if scene.seat is None:
        return []
    cards, plan = [], _plan(scene)
    for line in lines_of(game_of(scene)):
        field = shown_fields(game_of(scene))[line.field]
        if field.private:
            for column in line.columns or (None,):
                key = line.key(scene.seat, column)
                things = _things(part(scene.position, field, key), column, field, scene)
                called, slot = label_of(line, scene.words), plan.slot_of(key)
                cards += [
                    _card(spot_of(("own", *key[:1], *key[2:], n)), called, thing, slot)
                    for n, thing in enumerate(things)
                ]
    return cards


def _things(value: Cell, column: str | None, field: Field, scene: Scene) -> list[str]:
    """A text for each thing that is there."""
    if not is_there(value, field):
        return []
    if column is not None:
        return [said({column: value}, field, scene)]
    if isinstance(value, dict):
        return [said({key: one}, field, scene) for key, one in value.items() if is_there(one, field)]
    if isinstance(value, list):
        return [said(one, field, scene) for one in value if one is not None]
    return [said(value, field, scene)]


def _card(id: str, label: str, thing: str, slot: Slot | None) -> Card:
    width = max(64, round(max(7.4 * len(label), 8 * len(thing))) + 16)
    face = text(width / 2, 22, label, "number", size=LABEL) + text(width / 2, 53, thing, "name")
    return Card(
        id, f"{label}: {thing}", sheet(width, 72) + face, spot_of(slot.key) if slot else "", (width, 72)
    )


# The seats' panels


def facts(scene: Scene, seat: int) -> list[Fact]:
    """The single values of a seat, each with its name; what the viewer may not know is left out."""
    game, found = game_of(scene), []
    fields = shown_fields(game)
    for line in lines_of(game):
        field = fields[line.field]
        if (
            line.by_seat
            and not line.columns
            and not line.listed
            and (not field.private or knows(scene, seat))
        ):
            found.append(
                (_fact(line.field, part(scene.position, field, line.key(seat)), field, scene), field)
            )
    numbers_first = sorted(found, key=lambda one: one[1].kind != "number")
    return [fact for fact, _ in numbers_first[:FACTS]]


def _fact(name: str, value: Cell, field: Field, scene: Scene) -> Fact:
    """`4 cards` where words.toml has forms for one and for many, else `purse 6`."""
    unit = field.kind == "number" and counted(name, scene.words)
    label = field_label(name, scene.words, value if unit and isinstance(value, int) else 2)
    return Fact(label, said(value, field, scene), named="after" if unit else "before")
