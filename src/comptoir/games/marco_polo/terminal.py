"""The table as text: what a seat sees, drawn with Rich."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from comptoir.console import seat_mark, seat_name
from comptoir.engine.counts import how_many, total
from comptoir.engine.words import Words
from comptoir.games.marco_polo.rules import (
    CARDS,
    COLOURS,
    DEMANDS,
    FACES,
    OVER,
    camels_each,
    chest_at,
    first_places,
    gold_of,
    last_places,
    may_lighten,
    next_space,
)

if TYPE_CHECKING:
    from comptoir.games.marco_polo.records import Scene

SAND, GOLD = "#c2813a", "#c99a2e"
INKS = {
    "blue": "bold #fbf7ee on #2f5f9e",
    "yellow": "bold #4a3a10 on #e8c55a",
    "red": "bold #fbf7ee on #b5352b",
    "green": "bold #fbf7ee on #3f7a4a",
    "violet": "bold #fbf7ee on #77508f",
}
COLUMNS = 3  # of the track


def draw(scene: Scene) -> RenderableType:
    """The whole table: track, seats, open cards, and the viewer's hand with what the next space demands."""
    p = scene.record
    parts: list[RenderableType] = [_title(scene), _track(scene)]
    tables: list[RenderableType] = [_seats(scene)]
    if scene.seat is not None and p.phase != OVER:
        tables.append(_hand(scene, scene.seat))
    parts.append(Columns(tables, padding=(0, 2)))
    if p.phase != OVER:
        parts.append(_cards("table.row", scene.position["row"], scene.words))
        if p.paid:
            parts.append(_cards("table.paid", scene.position["paid"], scene.words))
        parts.append(_next(scene))
    return Group(*parts)


def _title(scene: Scene) -> Text:
    p, words = scene.record, scene.words
    facts = [words.say("table.pile", n=int(p.pile_size)), words.say("table.discards", n=total(p.discards))]
    if p.scored:
        facts.append(words.say("table.scored"))
    title = Text.assemble(
        (f" {words.say('game.title')} ", "bold #f3e8d0 on #5b3a1e"), " ", (" · ".join(facts), "dim")
    )
    if "track" in scene.components.placeholders:
        title.append(f"\n {words.say('table.placeholder')}", "italic dim")
    return title


# The track


def _track(scene: Scene) -> Panel:
    """The spaces in columns, read downwards."""
    grid = Table.grid(padding=(0, 1))
    spaces = int(scene.box.cities_dadu) + 1
    rows = -(-spaces // COLUMNS)
    for row in range(rows):
        grid.add_row(*(_space(scene, space) for space in range(row, spaces, rows)))
    legend = Text(
        scene.words.say("table.legend", ganzhou=int(scene.box.cities_ganzhou), dadu=spaces - 1), "dim"
    )
    title = scene.words.say("table.track")
    return Panel(Group(grid, legend), title=title, title_align="left", border_style=SAND, expand=False)


def _space(scene: Scene, space: int) -> Text:
    """One space: its number, what it demands, its gold at a scoring to come, and its chest or the camels on
    it: never both (M14).
    """
    p, box = scene.record, scene.box
    behind = all(space < at for camels in scene.position["camels"] for at in camels if at >= 0)
    cell = Text().append(
        f"{space:>2} ", "bold" if space in (0, box.cities_ganzhou, box.cities_dadu) else "dim"
    )
    cell.append(
        scene.words.say(f"short.{DEMANDS[box.track_demands[space]]}").ljust(13), "dim" if behind else ""
    )
    gold = last_places(box, space) if p.scored else first_places(box, space) or last_places(box, space)
    cell.append(f" +{gold}" if gold else "   ").append(" ")
    chest = chest_at(p, box, space)
    return cell.append(f"◈{chest}", f"bold {GOLD}") if chest else cell.append_text(_camels(scene, space))


def _camels(scene: Scene, space: int) -> Text:
    """The camels on a space; with two each, numbered."""
    marks = Text()
    for seat, camels in enumerate(scene.position["camels"]):
        for camel, at in enumerate(camels):
            if at == space:
                marks.append_text(_camel_mark(scene, seat, camel))
    return marks


def _camel_mark(scene: Scene, seat: int, camel: int) -> Text:
    return seat_mark(seat).append(str(camel + 1) if camels_each(scene.record) == 2 else "", "bold")


def _next(scene: Scene) -> Text:
    """What the next free space of each camel of the seat to decide demands."""
    p, box, words, lines = scene.record, scene.box, scene.words, Text()
    for camel in range(camels_each(p)):
        if p.stopped[camel]:
            continue
        space = next_space(p, box, camel)
        said = words.say("table.next", n=space, demand=DEMANDS[box.track_demands[space]])
        line = Text.assemble(_camel_mark(scene, int(p.turn), camel), " ", (said, "bold"))
        if may_lighten(p, space):
            line.append(f" ({words.say('table.lighter')})")
        lines.append("\n" if lines else "").append_text(line)
    return lines


# Seats and cards


def _card(card: str, words: Words, n: int = 1) -> Text:
    return Text(f" {words.name(card)}{f' ×{n}' if n > 1 else ''} ", INKS[card.split(maxsplit=1)[0]])


def _cards(key: str, counts: dict[str, int], words: Words) -> Text:
    line = Text().append(f"{words.say(key)} ", "bold")
    cards = [_card(card, words, n) for card, n in counts.items()]
    return line.append_text(Text(" ").join(cards) if cards else Text("–", "dim"))


def _seats(scene: Scene) -> Table:
    p = scene.record
    table = Table(box=None, padding=(0, 1), header_style="dim")
    for key in ("seat", "gold", "camel", "hand"):
        table.add_column(scene.words.say(f"table.{key}"), justify="left" if key == "seat" else "right")
    for seat, name in enumerate(scene.names):
        line = seat_name(seat, name, bool(p.turn == seat))
        spaces = " ".join(str(space) for space in p.camels[seat][: camels_each(p)])
        table.add_row(line, str(gold_of(p, scene.box, seat)), spaces, str(p.hand_size[seat]))
    return table


def _hand(scene: Scene, seat: int) -> Table:
    """The viewer's cards, a line a colour: sets of one good stand below one another."""
    words, hand = scene.words, scene.record.hand[seat]
    table = Table(box=None, padding=(0, 1), header_style="dim", title_justify="left", title_style="bold")
    table.title = words.say("table.your_hand", name=scene.names[seat])
    table.add_column("")
    for face in FACES:
        table.add_column(words.name(face), justify="center")
    for colour in COLOURS:
        cells = [how_many(hand, CARDS.index(f"{colour} {face}")) for face in FACES]
        table.add_row(
            Text(f" {words.name(colour)} ", INKS[colour]),
            *(Text(str(n) if n else "·", "bold" if n else "dim") for n in cells),
        )
    return table
