"""The table as text: what a seat sees, drawn with Rich."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from comptoir.console import seat_mark, seat_name
from comptoir.engine.words import Words
from comptoir.games.century.naming import closing, cube_letters, known_tiles, pile, sides
from comptoir.games.century.rules import (
    CLOSED,
    CUBES,
    FIRST_PORT,
    ICONS,
    KINDS,
    LAST_TILE,
    LOTS,
    NO_TILE,
    POINTS,
    SPACES,
    beside,
    icon_at,
    in_last_round,
    room,
    surplus,
    top_of_pile,
)

if TYPE_CHECKING:
    from comptoir.games.century.records import Scene

COLOURS = {
    "yellow": "bold #2a2110 on #e3b83c",
    "red": "bold #fbf3ea on #b5352b",
    "green": "bold #f2f7ee on #3d7a4a",
    "brown": "bold #f7efe6 on #6b4630",
}
HEADINGS = {"ginger": "#e3b83c", "chili": "#e2695c", "tea": "#6fb47c", "cloves": "#c08a63"}
SEA, HARBOUR = "on #17303c", "on #24487a"
WIDTH = 16  # of a space on the map: five columns fit in 80
LINES = 2  # of text for a step of y; a space is two of them high
WIDEST = 6  # columns; a wider map is listed


def draw(scene: Scene) -> RenderableType:
    """The whole table: the map with its markets, ports and boats, the seats, and what lies next to the map."""
    aside = _lots(scene) if scene.record.lots.any() else _bonus_left(scene)
    return Group(_title(scene), _map(scene), _legend(scene.words), _seats(scene), aside)


# Cubes


def _cubes(counts: Iterable[int], words: Words) -> Text:
    """A letter for each, on its colour."""
    return Text("").join(
        Text(cube_letters(cube, int(n), words), COLOURS[cube])
        for cube, n in zip(CUBES, counts, strict=True)
        if n
    )


def _trade(scene: Scene, space: int) -> Text:
    return Text("→").join(_cubes(side, scene.words) for side in sides(scene, space))


# The map


def _title(scene: Scene) -> Text:
    p, words = scene.record, scene.words
    facts = [words.say("table.round", n=int(p.round_number))]
    if in_last_round(p):
        facts.append(words.say("table.last_round"))
    facts.append(words.say("table.pile", n=pile(scene)))
    if closing(scene):
        facts.append(words.say("table.not_closed", n=closing(scene)))
    title = Text.assemble(
        (f" {words.say('game.title')} ", "bold #f3e8d0 on #17303c"), " ", (" · ".join(facts), "dim")
    )
    return title.append(f"\n {words.say('table.placeholder')}\n", "italic dim")


def _map(scene: Scene) -> RenderableType:
    """Spaces where they lie; a map with too many columns is a list."""
    box = scene.box
    at = [(int(x), int(y)) for x, y in [*box.map_markets, *box.map_ports]]
    left, top = min(x for x, _ in at), min(y for _, y in at)
    columns = max(x for x, _ in at) - left + 1
    cells = [_space(scene, space) for space in range(len(SPACES))]
    if columns > WIDEST:
        return _list(cells, scene)
    rows: dict[int, dict[int, Text]] = {}
    for cell, (x, y) in zip(cells, at, strict=True):
        for n, line in enumerate(cell):
            rows.setdefault((y - top) * LINES + n, {})[x - left] = line
    blank = Text(" " * WIDTH)
    lines = [Text("").join(rows[n].get(column, blank) for column in range(columns)) for n in sorted(rows)]
    while not lines[-1].plain.strip():
        lines.pop()
    return Text("\n").join(lines)


def _list(cells: list[list[Text]], scene: Scene) -> Table:
    """Every space on a line, with those next to it."""
    table = Table.grid(padding=(0, 1))
    for n, lines in enumerate(cells):
        others = [other.upper() for m, other in enumerate(SPACES) if beside(scene.box, n, m)]
        table.add_row(*lines, Text(f"{scene.words.say('table.beside')} {' '.join(others)}", "dim"))
    return table


def _space(scene: Scene, space: int) -> list[Text]:
    """The four lines of a space: its letter with the boats there, what it offers, outposts, cubes."""
    p, words, letter = scene.position, scene.words, SPACES[space]
    boats = Text("").join(seat_mark(seat) for seat, at in enumerate(p["boats"]) if at == letter)
    lying = _cubes(p["lying"][letter].values(), words)
    if space >= FIRST_PORT:
        lines = [
            _heading(letter, Text(words.say("table.port")), boats, HARBOUR),
            _on_port(scene, space - FIRST_PORT),
            Text(""),
        ]
    else:
        icon = ICONS[icon_at(scene.record, space)]
        outposts = Text("").join(seat_mark(seat) for seat in p["outposts"][letter])
        lines = [
            _heading(letter, Text(words.name(icon), HEADINGS[icon]), boats, SEA),
            _trade(scene, space),
            Text.assemble(("⌂", "dim"), outposts) if outposts else Text(""),
        ]
    lines.append(Text.assemble(("~", "dim"), lying) if lying else Text(""))
    return [lines[0], *(_fit(Text(" ").append_text(line)) for line in lines[1:])]


def _heading(space: str, label: Text, boats: Text, background: str) -> Text:
    line = Text().append(f" {space.upper()} ", "bold #f3e8d0").append_text(label)
    line.truncate(WIDTH - 2 - len(boats), pad=True)
    line.append_text(boats).append(" ")
    line.stylize(background)
    return line.append(" ")


def _on_port(scene: Scene, port: int) -> Text:
    box, words, tile = scene.box, scene.words, int(scene.record.ports[port])
    if tile in (CLOSED, NO_TILE):
        return Text(words.say("table.closed" if tile == CLOSED else "table.empty"), "italic dim")
    line = Text().append(f"{words.say('table.points', n=int(box.vp_points[tile]))} ", "bold")
    return line.append_text(_cubes(box.vp_cost[tile], words))


def _fit(line: Text) -> Text:
    line.truncate(WIDTH, pad=True)
    return line


def _legend(words: Words) -> Text:
    named = ", ".join(
        f"{words.say(f'letters.{cube}')} {words.name(cube)} ({words.name(icon)})"
        for cube, icon in zip(CUBES, ICONS, strict=True)
    )
    return Text(f" {named}\n {words.say('table.legend')}", "dim")


# Next to the map


def _seats(scene: Scene) -> Table:
    p, words = scene.position, scene.words
    table = Table(box=None, padding=(0, 1), header_style="dim")
    for key in ("seat", "boat", "hold", "board", "bonus", "tiles"):
        table.add_column(words.say(f"table.{key}"))
    for seat, name in enumerate(scene.names):
        table.add_row(
            seat_name(seat, name, p["turn"] == seat, words.say("table.first") if p["first"] == seat else ""),
            (p["boats"][seat] or "–").upper(),
            _hold(scene, seat),
            _board(scene, seat),
            _bonus(scene, seat),
            _claimed(scene, seat),
        )
    return table


def _hold(scene: Scene, seat: int) -> Text:
    p, box = scene.record, scene.box
    line = Text().append(
        f"{p.hold_size[seat]}/{room(p, box, seat)} ", "bold #d0453a" if surplus(p, box, seat) else "dim"
    )
    return line.append_text(_cubes(p.hold[seat], scene.words))


def _board(scene: Scene, seat: int) -> Text:
    """Outposts gone from each row of the board; a bonus tile comes for each whole column."""
    built, words = scene.position["built"][seat], scene.words
    return Text(" ").join(
        Text(f"{words.say(f'short.{icon}')}{built[icon]}", HEADINGS[icon]) for icon in ICONS
    )


def _bonus(scene: Scene, seat: int) -> Text:
    held, points, words = scene.position["bonus"][seat], scene.position["bonus_points"][seat], scene.words
    shown = [
        f"{words.name(kind)}{f'×{held[kind]}' if held[kind] > 1 else ''}" for kind in KINDS[1:] if held[kind]
    ]
    if points:
        shown.insert(0, f"+{points}")
    return Text(", ".join(shown) or "–", "" if shown else "dim")


def _claimed(scene: Scene, seat: int) -> Text:
    """C33: how many tiles; and what they are worth, to whom is told."""
    claimed, told = scene.position["claimed"][seat], known_tiles(scene, seat)
    line = Text(f"{'★' * claimed}{'☆' * (LAST_TILE - claimed)}")
    return line.append(f" {'+'.join(map(str, told))}") if told else line


def _lots(scene: Scene) -> Text:
    line = Text().append(scene.words.say("table.lots"), "bold")
    lots = [
        Text(f"{scene.words.name(lot)} ").append_text(_cubes(scene.box.lots[n], scene.words))
        for n, lot in enumerate(LOTS)
        if scene.record.lots[n]
    ]
    return line.append_text(Text("  ").join(lots))


def _bonus_left(scene: Scene) -> Text:
    left, words = scene.position["bonus_left"], scene.words
    shown = [f"{words.name(kind)} ×{left[kind]}" for kind in KINDS[1:] if left[kind]]
    if left[KINDS[POINTS]]:
        shown.insert(
            0, words.say("table.stack", top=top_of_pile(scene.record, scene.box), n=left[KINDS[POINTS]])
        )
    return Text(words.say("table.bonus_left", tiles=", ".join(shown)), "dim")
