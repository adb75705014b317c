"""The table as text: what a seat sees, drawn with Rich."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from comptoir.console import seat_mark, seat_name
from comptoir.engine.words import Words
from comptoir.games.sail_to_india.naming import LETTERS, boxed, brief, on, vp_of
from comptoir.games.sail_to_india.rules import OVER, TECHNOLOGIES, in_last_turns, last_town

if TYPE_CHECKING:
    from comptoir.games.sail_to_india.records import Scene

GOODS_STYLES = {
    "gold": "#c9a227",
    "gems": "#a96bbd",
    "coffee": "#a5714a",
    "sugar": "#8fa3ad",
    "cloth": "#3f8fc8",
    "spice": "#d0653a",
}
BUILDING_STYLES = {"stronghold": "#8c8c8c", "church": "#5d8791"}


def draw(scene: Scene) -> RenderableType:
    """The whole table: the coast, the technologies, the seats."""
    parts: list[RenderableType] = [_title(scene), _coast(scene), _technologies(scene), _seats(scene)]
    if boxed(scene):
        parts.append(_boxed(scene))
    return Group(*parts)


# The parts of the table


def _title(scene: Scene) -> Text:
    p, words = scene.record, scene.words
    facts = [words.say("table.round", n=int(p.round_number))]
    if p.phase != OVER:
        facts.append(words.say("table.points", n=int(p.points)))
    title = Text.assemble(
        (f" {words.say('game.title')} ", "bold #f3e8d0 on #17303c"), " ", (" · ".join(facts), "dim")
    )
    if in_last_turns(p):
        title.append(f"  {words.say('table.last_turns')}", "bold #d0453a")
    if "towns" in scene.components.placeholders:
        title.append(f"\n {words.say('table.placeholder')}", "italic dim")
    return title


def _coast(scene: Scene) -> Panel:
    """Lisbon and the row of towns, a line each: goods a and b, buildings c and d, the sea."""
    p, words = scene.record, scene.words
    grid = Table(box=None, padding=(0, 1), header_style="dim", pad_edge=False)
    for title in (
        "",
        f"a   {words.say('table.goods')}",
        "b",
        f"c   {words.say('table.buildings')}",
        "d",
        words.say("table.sea"),
    ):
        grid.add_column(title, no_wrap=True)
    lisbon = Text().append(words.say("table.lisbon"), "bold")
    grid.add_row(Text(" 0", "bold"), lisbon, "", "", "", _markers(p.lisbon))
    for town in range(1, int(p.face_up) + 1):
        spaces = (_space(scene, f"{town}{letter}") for letter in LETTERS)
        grid.add_row(Text(f"{town:>2}", "bold"), *spaces, _ships(scene, town))
    for first, last in _face_down(scene):
        key = "face_down" if last < last_town(p) else "india"
        towns = f"{first:>2}" if first == last else f"{first}–{last}"
        grid.add_row(
            Text(towns, "bold"),
            Text(f"▒▒ {words.say(f'table.{key}')}", "#5d8791"),
            "",
            "",
            "",
            _ships(scene, first),
        )
    return Panel(
        grid, title=words.say("table.towns"), title_align="left", border_style="#5d8791", expand=False
    )


def _face_down(scene: Scene) -> list[tuple[int, int]]:
    """The face-down towns in as few lines as will do: the next to be discovered, those behind it, and
    India.
    """
    first, last = int(scene.record.face_up) + 1, last_town(scene.record)
    runs = dict.fromkeys([(first, first), (first + 1, last - 1), (last, last)])
    return [(start, end) for start, end in runs if first <= start <= end <= last]


def _ships(scene: Scene, town: int) -> Text:
    return _markers(scene.record.ships[:, town - 1])


def _markers(counts: Iterable[int]) -> Text:
    """Markers side by side; four or more of a seat as a number."""
    marks = Text()
    for seat, n in enumerate(map(int, counts)):
        for _ in range(n if n < 4 else 1):
            marks.append_text(seat_mark(seat))
        marks.append(f"×{n} " if n > 3 else "", "dim")
    return marks


def _space(scene: Scene, space: str) -> Text:
    owner = next((seat for seat, spaces in enumerate(scene.position["land"]) if space in spaces), None)
    cell = Text("□", "dim") if owner is None else seat_mark(owner)
    return Text().append_text(cell).append(" ").append_text(_thing(on(scene, space), scene.words))


def _thing(what: str, words: Words) -> Text:
    style = BUILDING_STYLES.get(what) or GOODS_STYLES[what.removeprefix("market ")]
    return Text(brief(words, what), style)


def _technologies(scene: Scene) -> Panel:
    """As on the three cards, four each."""
    words, grid = scene.words, Table.grid(padding=(0, 1))
    for row in range(4):
        cells = []
        for technology in TECHNOLOGIES[row::4]:
            owner = scene.position["technologies"][technology]
            cell = Text("□", "dim") if owner is None else seat_mark(owner)
            cost = int(scene.box.technologies_cost[TECHNOLOGIES.index(technology)])
            cells.append(
                Text().append_text(cell).append(f" {brief(words, technology)}").append(f" {cost}", "dim")
            )
        grid.add_row(*cells)
    return Panel(
        grid, title=words.say("table.technologies"), title_align="left", border_style="#b98a2f", expand=False
    )


def _seats(scene: Scene) -> Table:
    """S71: the VP of each seat as things stand, and what it has; of its VP, those on the History card."""
    p, words = scene.record, scene.words
    table = Table(box=None, padding=(0, 1), header_style="dim")
    for key in ("seat", "vp", "history", "wealth", "speed", "lisbon", "reserve", "scientists"):
        table.add_column(words.say(f"table.{key}"), justify="left" if key == "seat" else "right")
    for seat, (name, vp) in enumerate(zip(scene.names, scene.computed(vp_of), strict=True)):
        figures = (row[seat] for row in (p.vp, p.wealth, p.speed, p.lisbon, p.reserve, p.scientists))
        first = words.say("table.first") if p.first == seat else ""
        table.add_row(seat_name(seat, name, p.turn == seat, first), str(vp), *map(str, figures))
    return table


def _boxed(scene: Scene) -> Text:
    """The towns that three players leave in the box."""
    line = Text().append(f"{scene.words.say('table.boxed')}  ", "dim")
    return line.append(" · ".join(", ".join(map(scene.words.name, things)) for things in boxed(scene)), "dim")
