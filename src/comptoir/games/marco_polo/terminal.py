"""The table as text: what a seat sees, drawn with Rich."""

from __future__ import annotations

from typing import Any

from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from comptoir.engine.components import Components
from comptoir.engine.words import Words
from comptoir.games.marco_polo.rules import COLOURS, DEMANDS, FACES, value
from comptoir.terminal import seat_mark, seat_name

View = dict[str, Any]

SAND, GOLD = "#c2813a", "#c99a2e"
INKS = {
    "blue": "bold #fbf7ee on #2f5f9e",
    "yellow": "bold #4a3a10 on #e8c55a",
    "red": "bold #fbf7ee on #b5352b",
    "green": "bold #fbf7ee on #3f7a4a",
    "violet": "bold #fbf7ee on #77508f",
}
COLUMNS = 3  # of the track


def draw(view: View, words: Words, components: Components) -> RenderableType:
    """The whole table: track, seats, open cards, and the viewer's hand with what the next space demands."""
    p = view["position"]
    parts: list[RenderableType] = [_title(p, words, components), _track(p, words, components)]
    tables: list[RenderableType] = [_seats(view, words)]
    if view["seat"] is not None and p["phase"] != "over":
        tables.append(_hand(view, words))
    parts.append(Columns(tables, padding=(0, 2)))
    if p["phase"] != "over":
        parts.append(_cards("table.row", p["row"], words))
        if p["paid"]:
            parts.append(_cards("table.paid", p["paid"], words))
        parts.append(_next(p, words, components))
    return Group(*parts)


def prompt(view: View, words: Words) -> str:
    """What is awaited, in a sentence."""
    p, actions = view["position"], view["actions"]
    if p["phase"] == "step":
        key = "paying" if p["paid"] else "step"
    elif actions == ["pass"]:
        key = "pass"
    elif all(action.startswith("take ") or action == "draw" for action in actions):
        key = "card"
    else:
        key = "camel" if p["moving"] < 0 else "move"
    return words.say(f"prompt.{key}", name=view["names"][p["turn"]])


def effect(view: View, action: str, words: Words, components: Components) -> str:
    """What a choice would do, in a few words."""
    p, (verb, operand) = view["position"], words.split(action)
    seat = p["turn"]
    match verb:
        case "lay":
            return words.say("does.lay", n=p["hand"][seat][operand])
        case "lighten":
            space = _free_space(p, p["camels"][seat][p["moving"]], components)
            return words.say("does.lighten", n=space, gold=p["gold"][seat])
        case "first camel" | "second camel":
            at = p["camels"][seat][verb == "second camel"]
            return words.say("does.camel", n=at, next=_free_space(p, at, components))
    return words.say(f"does.{verb}")


def _title(p: View, words: Words, components: Components) -> Text:
    facts = [words.say("table.pile", n=p["pile_size"]), words.say("table.discards", n=sum(p["discards"].values()))]
    if p["scored"]:
        facts.append(words.say("table.scored"))
    title = Text.assemble((f" {words.say('game.title')} ", "bold #f3e8d0 on #5b3a1e"), " ", (" · ".join(facts), "dim"))
    if "track" in components.stand_ins:
        title.append(f"\n {words.say('table.stand_in')}", "italic dim")
    return title


# The track


def _track(p: View, words: Words, components: Components) -> Panel:
    """The spaces in columns, read downwards."""
    grid = Table.grid(padding=(0, 1))
    spaces = int(components.figures.cities_dadu) + 1
    rows = -(-spaces // COLUMNS)
    for row in range(rows):
        grid.add_row(*(_space(p, space, words, components) for space in range(row, spaces, rows)))
    legend = Text(words.say("table.legend", ganzhou=int(components.figures.cities_ganzhou), dadu=spaces - 1), "dim")
    title = words.say("table.track")
    return Panel(Group(grid, legend), title=title, title_align="left", border_style=SAND, expand=False)


def _space(p: View, space: int, words: Words, components: Components) -> Text:
    """One space: its number, what it demands, its gold at a scoring, and its chest or the camels on it: never both (M14)."""
    box = components.figures
    ganzhou, dadu = int(box.cities_ganzhou), int(box.cities_dadu)
    passed = space < min(_camel_spaces(p))
    cell = Text().append(f"{space:>2} ", "bold" if space in (0, ganzhou, dadu) else "dim")
    cell.append(words.say(f"short.{DEMANDS[box.track_demands[space]]}").ljust(13), "dim" if passed else "")
    gold = value(box.scoring_dadu, dadu, space) if p["scored"] or space > ganzhou else value(box.scoring_ganzhou, ganzhou, space)
    cell.append(f" +{gold}" if gold else "   ").append(" ")
    if box.track_chests[space] and space > max(_camel_spaces(p)):
        return cell.append(f"◈{box.track_chests[space]}", f"bold {GOLD}")
    return cell.append_text(_camels(p, space))


def _camel_spaces(p: View) -> list[int]:
    return [space for camels in p["camels"] for space in camels if space >= 0]


def _camels(p: View, space: int) -> Text:
    """The camels on a space; with two each, numbered."""
    marks = Text()
    for seat, camels in enumerate(p["camels"]):
        for camel, at in enumerate(camels):
            if at == space:
                marks.append_text(seat_mark(seat))
                if p["players"] == 2:
                    marks.append(str(camel + 1), "bold")
    return marks


def _next(p: View, words: Words, components: Components) -> Text:
    """What the next free space of each camel of the seat to decide demands."""
    lines = Text()
    for camel, at in enumerate(p["camels"][p["turn"]]):
        if at < 0 or p["stopped"][camel]:
            continue
        space = _free_space(p, at, components)
        mark = seat_mark(p["turn"]).append(str(camel + 1) if p["players"] == 2 else "", "bold")
        demand = DEMANDS[components.figures.track_demands[space]]
        line = Text.assemble(mark, " ", (words.say("table.next", n=space, demand=demand), "bold"))
        others = {n for seat, been in enumerate(p["reached"]) if seat != p["turn"] for n in been}
        if space in others and p["gold"][p["turn"]] and not p["lightened"]:
            line.append(f" ({words.say('table.lighter')})")
        lines.append("\n" if lines else "").append_text(line)
    return lines


def _free_space(p: View, at: int, components: Components) -> int:
    taken = set(_camel_spaces(p)) - {int(components.figures.cities_ganzhou)}
    return next(space for space in range(at + 1, int(components.figures.cities_dadu) + 1) if space not in taken)


# Seats and cards


def _card(card: str, words: Words, n: int = 1) -> Text:
    return Text(f" {words.name(card)}{f' ×{n}' if n > 1 else ''} ", INKS[card.split()[0]])


def _cards(key: str, counts: dict[str, int], words: Words) -> Text:
    line = Text().append(f"{words.say(key)} ", "bold")
    cards = [_card(card, words, n) for card, n in counts.items()]
    return line.append_text(Text(" ").join(cards) if cards else Text("–", "dim"))


def _seats(view: View, words: Words) -> Table:
    p = view["position"]
    table = Table(box=None, padding=(0, 1), header_style="dim")
    for key in ("seat", "gold", "camel", "hand"):
        table.add_column(words.say(f"table.{key}"), justify="left" if key == "seat" else "right")
    for seat, name in enumerate(view["names"]):
        line = seat_name(seat, name, p["turn"] == seat)
        spaces = " ".join(str(space) for space in p["camels"][seat] if space >= 0)
        table.add_row(line, str(p["gold"][seat]), spaces, str(p["hand_size"][seat]))
    return table


def _hand(view: View, words: Words) -> Table:
    """The viewer's cards, a line a colour: sets of one good stand below one another."""
    seat = view["seat"]
    hand = view["position"]["hand"][seat]
    table = Table(box=None, padding=(0, 1), header_style="dim", title_justify="left", title_style="bold")
    table.title = words.say("table.your_hand", name=view["names"][seat])
    table.add_column("")
    for face in FACES:
        table.add_column(words.name(face), justify="center")
    for colour in COLOURS:
        cells = [hand.get(f"{colour} {face}", 0) for face in FACES]
        table.add_row(Text(f" {words.name(colour)} ", INKS[colour]), *(Text(str(n) if n else "·", "bold" if n else "dim") for n in cells))
    return table
