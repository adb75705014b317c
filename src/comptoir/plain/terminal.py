"""The table as text: every field that the viewer may know."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from comptoir.engine.scene import Scene
from comptoir.plain.grid import Row, rows
from comptoir.terminal import seat_name


def draw(scene: Scene) -> RenderableType:
    """What belongs to no seat, line by line; then what does, a column a seat."""
    found = rows(scene)
    title = Text(f" {scene.words.say('game.title')} ", "bold #f3e8d0 on #22303c")
    return Group(title, _common(found), _seats(scene, [row for row in found if row.by_seat]))


def _common(found: list[Row]) -> Table:
    table = Table.grid(padding=(0, 2))
    for row in found:
        if not row.by_seat:
            table.add_row(Text(row.label, "dim"), Text(row.cells[0], "bold", overflow="fold"))
    return table


def _seats(scene: Scene, found: list[Row]) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), header_style="")
    table.add_column("", style="dim", overflow="fold")
    for seat, name in enumerate(scene.names):
        table.add_column(seat_name(seat, name, scene.position["turn"] == seat), overflow="fold")
    for row in found:
        table.add_row(row.called(scene.words), *row.cells)
    return table
