"""The table as text: what a seat sees, drawn with Rich."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from comptoir.engine.components import Components
from comptoir.engine.words import Words
from comptoir.games.century.rules import CLOSED_AMONG, CUBES, ICONS, KINDS, LAST_TILE, SPACES, TILES, drawn_tiles
from comptoir.games.century.story import cubes, trade
from comptoir.terminal import seat_mark, seat_name

View = dict[str, Any]

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


def draw(view: View, words: Words, components: Components) -> RenderableType:
    """The whole table: the map with its markets, ports and boats, the seats, and what lies beside the map."""
    p = view["position"]
    parts = [_title(p, words), _map(p, words, components), _legend(words), _seats(view, words, components)]
    parts.append(_lots(p, words, components) if any(p["lots"].values()) else _bonus_left(p, words, components))
    return Group(*parts)


def prompt(view: View, words: Words) -> str:
    """What is awaited, in a sentence."""
    p, actions = view["position"], view["actions"]
    key, n = p["phase"], p["owed"]
    if key == "move" and p["moved"]:
        key = _prompt_on_the_way(actions)
    elif key == "market" and p["upgrades"]:
        key, n = "upgrading", p["upgrades"]
    return words.say(f"prompt.{key}", name=view["names"][p["turn"]], n=n)


def _prompt_on_the_way(actions: list[str]) -> str:
    verbs = {action.split()[0] for action in actions}
    if "pay" in verbs:
        return "must_pay"
    if "end" not in verbs:
        return "cannot_stop"
    return "sailing" if "sail" in verbs else "dropping" if "drop" in verbs else "docked"


def effect(view: View, action: str, words: Words, components: Components) -> str:
    """What a choice would do, in a few words."""
    p, box, (verb, operand) = view["position"], components.figures, words.split(action)
    seat = p["turn"]
    space = p["boats"][seat]
    match verb:
        case "lot":
            return words.say("does.lot", cubes=cubes(box.lots[list(p["lots"]).index(operand)], words))
        case "sail":
            return _effect_of_sailing(p, operand, words, components)
        case "pay" if p["phase"] == "building":
            return words.say("does.pay_outpost", n=p["owed"])
        case "pay":
            return words.say("does.pay_boat", name=view["names"][_next_owner(p)])
        case "take":
            return words.say("does.take", n=p["lying"][space][operand])
        case "upgrade":
            return words.say("does.upgrade", cube=CUBES[CUBES.index(operand) + 1])
        case "discard":
            return words.say("does.discard", n=p["hold"][seat][operand])
        case "build":
            cost = len(p["outposts"][space]) * int(box.outpost_cost[p["players"]])
            return words.say("does.build" if cost else "does.build_free", n=cost, trade=_trade(p, space, words, components).plain)
        case "trade":
            return words.say("does.trade", trade=_trade(p, space, words, components).plain)
        case "claim":
            tile = TILES.index(p["ports"][space])
            return words.say("does.claim", points=int(box.vp_points[tile]), cubes=cubes(box.vp_cost[tile], words))
        case "harvest":
            return words.say("does.harvest", cubes=cubes(box.harvest_cubes + p["bonus"][seat]["harvest"] * box.harvest_more, words))
        case "bonus":
            return _effect_of_bonus(p, operand, words, components)
    return words.say("does.end_market" if action == "end" and p["phase"] == "market" else f"does.{verb}")


def _effect_of_sailing(p: View, space: str, words: Words, components: Components) -> str:
    """What is to be found on a space."""
    seat = p["turn"]
    if space in p["ports"]:
        parts = [_effect_of_port(p["ports"][space], words, components)]
    else:
        key = "does.market_yours" if seat in p["outposts"][space] else "does.market"
        parts = [words.say(key, icon=p["markets"][space].split()[0], trade=_trade(p, space, words, components).plain)]
        boats = [other for other, at in enumerate(p["boats"]) if at == space and other != seat]
        if boats and p["phase"] != "placing":
            parts.append(words.say("does.dues", n=len(boats)))
    if any(p["lying"][space].values()):
        parts.append(words.say("does.lying", cubes=cubes(p["lying"][space].values(), words)))
    return " · ".join(parts)


def _effect_of_port(tile: str | None, words: Words, components: Components) -> str:
    if tile in (None, "closed"):
        return words.say("does.port_closed" if tile else "does.port_empty")
    n = TILES.index(str(tile))
    return words.say("does.port", points=int(components.figures.vp_points[n]), cubes=cubes(components.figures.vp_cost[n], words))


def _effect_of_bonus(p: View, kind: str, words: Words, components: Components) -> str:
    box = components.figures
    n = int(box.bonus_pile[-p["bonus_left"]["points"]]) if kind == "points" else int(box.hold_more)
    return words.say(f"does.bonus_{kind}", n=n, cubes=cubes(box.harvest_more, words))


def _next_owner(p: View) -> int:
    """Who gets the next cube: the boats here, clockwise from the mover; those paid already are left out."""
    seat, players = p["mover"], p["players"]
    order = [(seat + n) % players for n in range(1, players)]
    here = [other for other in order if p["boats"][other] == p["boats"][seat]]
    owner: int = here[-p["owed"]] if p["owed"] else here[0]
    return owner


# Cubes


def _cube(cube: str, words: Words, n: int = 1) -> Text:
    """Cubes of a colour: a letter each, or the letter and a number where there are many."""
    letter = words.say(f"letters.{cube}")
    return Text(letter * n if n < 6 else f"{letter}{n}", COLOURS[cube])


def _cubes(counts: Iterable[Any], words: Words) -> Text:
    marks = [_cube(cube, words, int(n)) for cube, n in zip(CUBES, counts, strict=True) if n]
    return Text("").join(marks)


def _trade(p: View, space: str, words: Words, components: Components) -> Text:
    pays, gets = trade(p["markets"][space], components)
    return Text("→").join([_cubes(pays, words), _cubes(gets, words)])


# The map


def _title(p: View, words: Words) -> Text:
    pile = sum(1 for place in p["tiles"].values() if place == "pile")
    facts = [words.say("table.round", n=p["round_number"])]
    if max(p["claimed"]) >= LAST_TILE:
        facts.append(words.say("table.last_round"))
    facts.append(words.say("table.pile", n=pile))
    if "closed" not in p["ports"].values():
        facts.append(words.say("table.not_closed", n=CLOSED_AMONG - drawn_tiles(pile)))
    title = Text.assemble((f" {words.say('game.title')} ", "bold #f3e8d0 on #17303c"), " ", (" · ".join(facts), "dim"))
    return title.append(f"\n {words.say('table.stand_in')}\n", "italic dim")


def _map(p: View, words: Words, components: Components) -> RenderableType:
    """Spaces where they lie; a map with too many columns is a list."""
    at = [(int(x), int(y)) for x, y in [*components.figures.map_markets, *components.figures.map_ports]]
    left, top = min(x for x, _ in at), min(y for _, y in at)
    columns = max(x for x, _ in at) - left + 1
    cells = {space: _space(p, space, words, components) for space in SPACES}
    if columns > WIDEST:
        return _list(cells, words, components)
    rows: dict[int, dict[int, Text]] = {}
    for space, (x, y) in zip(SPACES, at, strict=True):
        for n, line in enumerate(cells[space]):
            rows.setdefault((y - top) * LINES + n, {})[x - left] = line
    blank = Text(" " * WIDTH)
    lines = [Text("").join(rows[n].get(column, blank) for column in range(columns)) for n in sorted(rows)]
    while not lines[-1].plain.strip():
        lines.pop()
    return Text("\n").join(lines)


def _list(cells: dict[str, list[Text]], words: Words, components: Components) -> Table:
    """Every space on a line, with those beside it."""
    table = Table.grid(padding=(0, 1))
    for n, (_, lines) in enumerate(cells.items()):
        beside = [other.upper() for m, other in enumerate(SPACES) if components.figures.distance[n, m] == 1]
        table.add_row(*lines, Text(f"{words.say('table.beside')} {' '.join(beside)}", "dim"))
    return table


def _space(p: View, space: str, words: Words, components: Components) -> list[Text]:
    """The four lines of a space: its letter with the boats there, what it offers, outposts, cubes."""
    boats = Text("").join(seat_mark(seat) for seat, at in enumerate(p["boats"]) if at == space)
    lying = _cubes(p["lying"][space].values(), words)
    if space in p["ports"]:
        lines = [_heading(space, Text(words.say("table.port")), boats, HARBOUR), _on_port(p, space, words, components), Text("")]
    else:
        icon = p["markets"][space].split()[0]
        outposts = Text("").join(seat_mark(seat) for seat in p["outposts"][space])
        lines = [
            _heading(space, Text(words.name(icon), HEADINGS[icon]), boats, SEA),
            _trade(p, space, words, components),
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


def _on_port(p: View, port: str, words: Words, components: Components) -> Text:
    tile = p["ports"][port]
    if tile in (None, "closed"):
        return Text(words.say("table.closed" if tile else "table.empty"), "italic dim")
    n = TILES.index(tile)
    line = Text().append(f"{words.say('table.points', n=int(components.figures.vp_points[n]))} ", "bold")
    return line.append_text(_cubes(components.figures.vp_cost[n], words))


def _fit(line: Text) -> Text:
    line.truncate(WIDTH, pad=True)
    return line


def _legend(words: Words) -> Text:
    named = ", ".join(f"{words.say(f'letters.{cube}')} {words.name(cube)}" for cube in CUBES)
    return Text(f" {named} · {words.say('table.legend')}", "dim")


# Beside the map


def _seats(view: View, words: Words, components: Components) -> Table:
    p = view["position"]
    table = Table(box=None, padding=(0, 1), header_style="dim")
    for key in ("seat", "boat", "hold", "board", "bonus", "tiles"):
        table.add_column(words.say(f"table.{key}"))
    for seat, name in enumerate(view["names"]):
        table.add_row(
            seat_name(seat, name, p["turn"] == seat, words.say("table.first") if p["first"] == seat else ""),
            (p["boats"][seat] or "–").upper(),
            _hold(p, seat, words, components),
            _board(p, seat, words),
            _bonus(p, seat, words),
            _claimed(p, seat, components),
        )
    return table


def _hold(p: View, seat: int, words: Words, components: Components) -> Text:
    room = int(components.figures.hold_room) + p["bonus"][seat]["hold"] * int(components.figures.hold_more)
    line = Text().append(f"{p['hold_size'][seat]}/{room} ", "dim" if p["hold_size"][seat] <= room else "bold #d0453a")
    return line.append_text(_cubes(p["hold"][seat].values(), words))


def _board(p: View, seat: int, words: Words) -> Text:
    """Outposts gone from each row of the board; a bonus tile comes for each whole column."""
    rows = [Text(f"{words.say(f'short.{icon}')}{p['built'][seat][icon]}", HEADINGS[icon]) for icon in ICONS]
    return Text(" ").join(rows)


def _bonus(p: View, seat: int, words: Words) -> Text:
    held = p["bonus"][seat]
    marks = [f"{words.name(kind)}{f'×{held[kind]}' if held[kind] > 1 else ''}" for kind in KINDS[1:] if held[kind]]
    if p["bonus_points"][seat]:
        marks.insert(0, f"+{p['bonus_points'][seat]}")
    return Text(", ".join(marks) or "–", "" if marks else "dim")


def _claimed(p: View, seat: int, components: Components) -> Text:
    """How many tiles; what they are worth only if the option says so, or when the game is over."""
    line = Text(f"{'★' * p['claimed'][seat]}{'☆' * (LAST_TILE - p['claimed'][seat])}")
    if p["open_tiles"] or p["phase"] == "over":
        points = [int(components.figures.vp_points[TILES.index(t)]) for t, place in p["tiles"].items() if place == f"seat {seat}"]
        line.append(f" {'+'.join(map(str, points))}")
    return line


def _lots(p: View, words: Words, components: Components) -> Text:
    line = Text().append(words.say("table.lots"), "bold")
    lots = [
        Text(f"{words.name(lot)} ").append_text(_cubes(components.figures.lots[n], words))
        for n, (lot, there) in enumerate(p["lots"].items())
        if there
    ]
    return line.append_text(Text("  ").join(lots))


def _bonus_left(p: View, words: Words, components: Components) -> Text:
    left = p["bonus_left"]
    marks = [f"{words.name(kind)} ×{left[kind]}" for kind in KINDS[1:] if left[kind]]
    if left["points"]:
        marks.insert(0, words.say("table.stack", top=int(components.figures.bonus_pile[-left["points"]]), n=left["points"]))
    return Text(words.say("table.bonus_left", tiles=", ".join(marks)), "dim")
