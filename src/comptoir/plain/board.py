"""The board as a table of the position's fields: plain, and readable in both layouts."""

from __future__ import annotations

from functools import cache
from typing import Any

from comptoir.art.parts import INK, f, paper, piece, seat_mark, sheet, short, spot, text
from comptoir.art.scene import Card, Fact
from comptoir.engine.game import Game, get_game
from comptoir.engine.scene import Scene
from comptoir.engine.schema import Field
from comptoir.plain.grid import HIDDEN, Row, field_label, game_of, knows, rows, rows_of, said, shown_fields
from comptoir.plain.writing import seat_axis

WIDTHS = {"wide": 1080, "tall": 390}
MARGIN, HEAD = 18, 58  # around the table, and above its rows: the title
LINE, CHOSEN = 26, 42  # the height of a row, and of one that an action may be about
NAMES = 34  # and of the one with the seats' names
LETTER = 6.6  # the width of one, about
ROOMY = 64  # a column in which a name fits
FACTS = 6


def made_for(game: Game) -> dict[str, Any]:
    """`SIZE`: as high as the fields need."""
    height = HEAD + NAMES + sum(_height(game, word) for _, _, word in rows_of(game)) + MARGIN
    return {"SIZE": {layout: (width, max(height, 200)) for layout, width in WIDTHS.items()}}


@cache
def _operands(name: str) -> frozenset[str]:
    """The words that actions are about: `tea` in `take tea`."""
    return frozenset(action.split(" ", 1)[1] for action in get_game(name).actions if " " in action)


def _height(game: Game, word: str) -> int:
    return CHOSEN if word and word in _operands(game.name) else LINE


def _label_width(scene: Scene) -> float:
    return 250 if scene.wide else 112


def _column(scene: Scene) -> float:
    return (WIDTHS[scene.layout] - 2 * MARGIN - _label_width(scene)) / len(scene.names)


def _letters(width: float) -> int:
    return max(2, int(width / LETTER))


def _placed(scene: Scene) -> list[tuple[Row, float, float]]:
    """The rows from above, what belongs to no seat first, each with its middle and height."""
    y, placed = float(HEAD), list[tuple[Row, float, float]]()
    for row in sorted(rows(scene), key=lambda row: row.by_seat):
        if row.by_seat and (not placed or not placed[-1][0].by_seat):
            y += NAMES
        high = _height(game_of(scene), row.word)
        placed.append((row, y + high / 2, high))
        y += high
    return placed


def chart(scene: Scene) -> str:
    """The paper, the title, what each row is called, and whose the columns are."""
    game, placed = game_of(scene), _placed(scene)
    width, height = game.board.SIZE[scene.layout]
    body = paper(width, height) + text(MARGIN, 38, scene.words.say("game.title"), "title", "start", size=24)
    letters = _letters(_label_width(scene))
    for row, y, _ in placed:
        body += text(MARGIN, y + 4, row.called(scene.words, letters), "label", "start")
    first = next((y - high / 2 for row, y, high in placed if row.by_seat), None)
    return body if first is None else body + _heads(scene, first)


def _heads(scene: Scene, y: float) -> str:
    """The seats' names above their columns."""
    column, body = _column(scene), ""
    for seat, name in enumerate(scene.names):
        x = MARGIN + _label_width(scene) + column * seat
        body += seat_mark(seat, x + 9, y - 16, 0.8)
        written = short(name, _letters(column - 20)) if column >= ROOMY else name[:1]
        body += text(x + 20, y - 12, written, "label", "start")
    return (
        body
        + f'<path d="M{MARGIN} {f(y)}H{WIDTHS[scene.layout] - MARGIN}" stroke="{INK}" stroke-opacity=".35"/>'
    )


def pieces(scene: Scene) -> str:
    """What stands in the rows; around those that an action may be about, a spot."""
    body, operands = "", _operands(scene.view["game"])
    whole = WIDTHS[scene.layout] - 2 * MARGIN
    left, spotted = MARGIN + _label_width(scene), set()
    for row, y, high in _placed(scene):
        wide = _column(scene) if row.by_seat else whole - _label_width(scene)
        for n, cell in enumerate(row.cells):
            written = text(0, 4, short(cell, _letters(wide - 4)), "label", "start")
            body += piece(f"plain-{row.id}-{n}", left + n * wide, y, written)
        if row.word in operands and row.word not in spotted:
            spotted.add(row.word)
            body += spot(spot_of(row.word), MARGIN + whole / 2, y, whole, high - 2)
    return body


def spot_of(word: str) -> str:
    return word.replace(" ", "_")


def spots(scene: Scene, action: str) -> list[str]:
    """The row of the word that an action is about, if there is one."""
    about = action.partition(" ")[2]
    return [spot_of(about)] if about and any(about == word for _, _, word in rows_of(game_of(scene))) else []


def hand(scene: Scene) -> list[Card]:
    """What only the viewer knows, a card for each thing."""
    if scene.seat is None:
        return []
    cards = []
    for name, field in shown_fields(game_of(scene)).items():
        if field.own:
            label = field_label(name, scene.words)
            held = _things(scene.position[name][scene.seat], field, scene)
            cards += [_card(f"own-{name}-{n}", label, thing) for n, thing in enumerate(held)]
    return cards


def _things(value: Any, field: Field, scene: Scene) -> list[str]:
    """One text for each thing that is there."""
    if isinstance(value, dict):
        return [said({key: part}, field, scene) for key, part in value.items() if part]
    if isinstance(value, list):
        return [said(part, field, scene) for part in value if part is not None]
    return [] if value is None else [said(value, field, scene)]


def _card(id: str, label: str, thing: str) -> Card:
    width = max(64, round(LETTER * 1.2 * max(len(label), len(thing))) + 16)
    face = text(width / 2, 22, label, "number") + text(width / 2, 54, thing, "name")
    return Card(id, f"{label}: {thing}", sheet(width, 72) + face, size=(width, 72))


def facts(scene: Scene, seat: int) -> list[Fact]:
    """The single numbers of a seat."""
    found = []
    for name, field in shown_fields(game_of(scene)).items():
        if field.kind == "number" and len(field.axes) == 1 and seat_axis(field.axes[0]):
            value = said(scene.position[name][seat], field, scene)
            known = not field.own or knows(scene, seat)
            found.append(Fact(field_label(name, scene.words), value if known else HIDDEN))
    return found[:FACTS]
