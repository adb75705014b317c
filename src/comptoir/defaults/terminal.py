"""The table as text: every field that the viewer may know."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from comptoir.console import seat_name
from comptoir.defaults.codegen import seat_axis
from comptoir.defaults.field_table import HIDDEN, field_label, game_of, knows, said, shown_fields
from comptoir.engine.scene import Scene


def draw(scene: Scene) -> RenderableType:
    """What belongs to no seat, line by line; then what does, a column per seat."""
    title = Text(f" {scene.words.say('game.title')} ", "bold #f3e8d0 on #22303c")
    common, seats = Table.grid(padding=(0, 2)), Table(box=None, padding=(0, 1, 0, 0), header_style="")
    seats.add_column("", style="dim", overflow="fold")
    for seat, name in enumerate(scene.names):
        seats.add_column(seat_name(seat, name, scene.position["turn"] == seat), overflow="fold")
    for name, field in shown_fields(game_of(scene)).items():
        label, value = field_label(name, scene.words), scene.position[name]
        if field.axes and seat_axis(field.axes[0]):
            known = [not field.private or knows(scene, seat) for seat in range(len(scene.names))]
            seats.add_row(
                label, *(said(value[seat], field, scene) if may else HIDDEN for seat, may in enumerate(known))
            )
        else:
            common.add_row(Text(label, "dim"), Text(said(value, field, scene), "bold", overflow="fold"))
    return Group(title, common, seats)
