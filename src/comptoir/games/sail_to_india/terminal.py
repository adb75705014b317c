"""The table as text: what a seat sees, drawn with Rich."""

from __future__ import annotations

from typing import Any

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from comptoir.engine.components import Components
from comptoir.engine.words import Words
from comptoir.games.sail_to_india.rules import TECHNOLOGIES
from comptoir.games.sail_to_india.story import on, short, town_of
from comptoir.terminal import seat_mark, seat_name

View = dict[str, Any]

GOODS_STYLES = {
    "gold": "#c9a227",
    "gems": "#a96bbd",
    "coffee": "#a5714a",
    "sugar": "#8fa3ad",
    "cloth": "#3f8fc8",
    "spice": "#d0653a",
}
BUILDING_STYLES = {"stronghold": "#8c8c8c", "church": "#5d8791"}


def draw(view: View, words: Words, components: Components) -> RenderableType:
    """The whole table: the coast, the technologies, the seats."""
    p = view["position"]
    parts: list[RenderableType] = [
        _title(p, words, components),
        _coast(p, words, components),
        _technologies(p, words, components),
        _seats(view, words, components),
    ]
    if any(p["boxed"]):
        parts.append(_boxed(p, words, components))
    return Group(*parts)


def prompt(view: View, words: Words) -> str:
    """What is awaited, in a sentence."""
    p = view["position"]
    name = view["names"][p["turn"]]
    if p["recalling"]:
        return words.say("prompt.recalling", name=name)
    for due in ("vp_due", "wealth_due"):
        if p[due]:
            return words.say(f"prompt.{due}", name=name, n=p[due])
    key = p["phase"].replace(" ", "_")
    if key in ("turn", "converting") and not any(action.startswith("convert ") for action in view["actions"]):
        key = "turn" if p["points"] else "turn_spent"
    return words.say(f"prompt.{key}", name=name, n=p["points"])


def effect(view: View, action: str, words: Words, components: Components) -> str:
    """What a choice would do, in a few words."""
    p, (verb, operand) = view["position"], words.split(action)
    box, seat = components.figures, p["turn"]
    match verb:
        case "end turn" if p["points"]:
            return words.say("does.end_turn_early", n=p["points"])
        case "activate" | "bank" | "chart":
            cost = {"activate": box.cost_activate, "bank": box.cost_banking, "chart": box.cost_cartography}[verb]
            return words.say(f"does.{verb}", cost=int(cost))
        case "speed up":
            return words.say("does.speed up", n=p["speed"][seat] + 1, cost=int(box.cost_speed[p["speed"][seat] - 1]))
        case "acquire":
            cost = int(box.technologies_cost[TECHNOLOGIES.index(operand)]) - (p["technologies"]["metallurgy"] == seat)
            return words.say("does.acquire", cost=max(0, cost), effect=words.say(f"effects.{operand}"))
        case "anchor":
            return _anchor(p, words)
        case "close sale":
            return _close_sale(p, words, components)
        case "appoint" | "decline":
            kind = "vp" if p["vp_due"] else "wealth"
            return words.say(f"does.{verb}_{kind}", n=min(5, p[f"{kind}_due"]) if verb == "appoint" else p[f"{kind}_due"])
        case "sail":
            return _sail(p, operand, words)
        case "convert" | "sell" | "refloat":
            what = on(p, operand, components)
            again, only = verb == "sell" and what in p["sold"], verb == "convert" and p["phase"] == "turn"
            return words.say(f"does.{'sell_again' if again else 'convert_only' if only else verb}", what=what)
        case "build":
            return _build(p, operand, words, components)
        case "return":
            return _return(view, operand, words, components)
    return words.say(f"does.{verb}")


# What single choices do


def _anchor(p: View, words: Words) -> str:
    town = p["face_up"]
    if town < _length(p) and p["ships"][p["turn"]][town]:
        return words.say("does.anchor_discover", n=town + 1, vp=2 if town + 1 == _length(p) else 1)
    return words.say("does.anchor")


def _length(p: View) -> int:
    return len(p["row"]) - sum(card is not None for card in p["boxed"])


def _close_sale(p: View, words: Words, components: Components) -> str:
    seat, box, kinds = p["turn"], components.figures, kinds_sold(p, components)
    more = p["technologies"]["manufacture"] == seat
    return words.say("does.close sale", n=kinds, wealth=int(box.sale_wealth[kinds]) + more, vp=int(box.sale_vp[kinds]))


def kinds_sold(p: View, components: Components) -> int:
    """S27, S41: the kinds sold so far, with those of own markets."""
    markets = [on(p, space, components) for space in p["land"][p["turn"]] if space[-1] in "cd"]
    return len({*p["sold"], *(market.removeprefix("market ") for market in markets if market.startswith("market "))})


def _sail(p: View, operand: str, words: Words) -> str:
    start, end = map(int, operand.split("-"))
    if end > p["face_up"]:
        return words.say("does.sail_discover", end=end)
    return words.say("does.sail" if start else "does.sail_out", end=end, **({"start": start} if start else {}))


def _build(p: View, operand: str, words: Words, components: Components) -> str:
    source, letter = operand.split("-")
    free = p["technologies"]["architecture"] == p["turn"] and p["voyage"] and not p["built"]
    key = f"does.build{'_free' if free else ''}"
    values = {"what": on(p, f"{town_of(source)}{letter}", components), "cost": int(components.figures.cost_build)}
    return words.say(f"{key}_ship", **values) if source.endswith("sea") else words.say(key, **values, **{"from": source})


def _return(view: View, operand: str, words: Words, components: Components) -> str:
    p = view["position"]
    kind = {"banker": "wealth", "historian": "vp"}.get(operand)
    if kind:
        return words.say(f"does.return_{operand}", n=(p[kind][p["turn"]] - 1) % 5 + 1)
    if operand.endswith("sailed"):
        return words.say("does.return_sailed")
    if operand.endswith("sea"):
        both = f"return {operand.removesuffix('sea')}sailed" in view["actions"]
        return words.say("does.return_fresh" if both else "does.return_ship")
    return words.say("does.return", what=on(p, operand, components))


# The parts of the table


def _title(p: View, words: Words, components: Components) -> Text:
    facts = [words.say("table.round", n=p["round_number"])]
    if p["phase"] != "over":
        facts.append(words.say("table.points", n=p["points"]))
    title = Text.assemble((f" {words.say('game.title')} ", "bold #f3e8d0 on #17303c"), " ", (" · ".join(facts), "dim"))
    if p["closing"] != "not over" and p["phase"] != "over":
        title.append(f"  {words.say('table.last_turns')}", "bold #d0453a")
    if "towns" in components.stand_ins:
        title.append(f"\n {words.say('table.stand_in')}", "italic dim")
    return title


def _coast(p: View, words: Words, components: Components) -> Panel:
    """Lisbon and the row of towns, a line each: goods a and b, buildings c and d, the sea."""
    grid = Table(box=None, padding=(0, 1), header_style="dim", pad_edge=False)
    for title in ("", f"a   {words.say('table.goods')}", "b", f"c   {words.say('table.buildings')}", "d", words.say("table.sea")):
        grid.add_column(title, no_wrap=True)
    lisbon = Text().append(words.say("table.lisbon"), "bold")
    grid.add_row(Text(" 0", "bold"), lisbon, "", "", "", _markers(p["lisbon"]))
    for town in range(1, p["face_up"] + 1):
        spaces = (_space(p, f"{town}{letter}", words, components) for letter in "abcd")
        grid.add_row(Text(f"{town:>2}", "bold"), *spaces, _ships(p, town))
    for first, last in _face_down(p):
        key = "face_down" if last < _length(p) else "india"
        towns = f"{first:>2}" if first == last else f"{first}–{last}"
        grid.add_row(Text(towns, "bold"), Text(f"▒▒ {words.say(f'table.{key}')}", "#5d8791"), "", "", "", _ships(p, first))
    return Panel(grid, title=words.say("table.towns"), title_align="left", border_style="#5d8791", expand=False)


def _face_down(p: View) -> list[tuple[int, int]]:
    """The face-down towns in as few lines as will do: the next to be discovered, those behind it, and India."""
    first, last = p["face_up"] + 1, _length(p)
    runs = dict.fromkeys([(first, first), (first + 1, last - 1), (last, last)])
    return [(start, end) for start, end in runs if first <= start <= end <= last]


def _ships(p: View, town: int) -> Text:
    return _markers([row[town - 1] for row in p["ships"]])


def _markers(counts: list[int]) -> Text:
    """Markers side by side; four or more of a seat as a number."""
    marks = Text()
    for seat, n in enumerate(counts):
        for _ in range(n if n < 4 else 1):
            marks.append_text(seat_mark(seat))
        marks.append(f"×{n} " if n > 3 else "", "dim")
    return marks


def _space(p: View, space: str, words: Words, components: Components) -> Text:
    owner = next((seat for seat, spaces in enumerate(p["land"]) if space in spaces), None)
    cell = Text("□", "dim") if owner is None else seat_mark(owner)
    return Text().append_text(cell).append(" ").append_text(_thing(on(p, space, components), words))


def _thing(what: str, words: Words) -> Text:
    style = BUILDING_STYLES.get(what) or GOODS_STYLES[what.removeprefix("market ")]
    return Text(short(what, words), style)


def _technologies(p: View, words: Words, components: Components) -> Panel:
    """As on the three cards, four each."""
    grid = Table.grid(padding=(0, 2))
    for row in range(4):
        cells = []
        for technology in TECHNOLOGIES[row::4]:
            owner = p["technologies"][technology]
            cell = Text("□", "dim") if owner is None else seat_mark(owner)
            cost = int(components.figures.technologies_cost[TECHNOLOGIES.index(technology)])
            cells.append(Text().append_text(cell).append(f" {words.name(technology)}").append(f" {cost}", "dim"))
        grid.add_row(*cells)
    return Panel(grid, title=words.say("table.technologies"), title_align="left", border_style="#b98a2f", expand=False)


def _seats(view: View, words: Words, components: Components) -> Table:
    p = view["position"]
    table = Table(box=None, padding=(0, 1), header_style="dim")
    for key in ("seat", "score", "vp", "wealth", "speed", "lisbon", "reserve", "scientists"):
        table.add_column(words.say(f"table.{key}"), justify="left" if key == "seat" else "right")
    for seat, name in enumerate(view["names"]):
        figures = (p[key][seat] for key in ("vp", "wealth", "speed", "lisbon", "reserve", "scientists"))
        table.add_row(
            seat_name(seat, name, p["turn"] == seat, words.say("table.first") if p["first"] == seat else ""),
            str(score(p, seat, components)),
            *map(str, figures),
        )
    return table


def score(p: View, seat: int, components: Components) -> int:
    """The VP that a seat would have if the game ended now."""
    points, owner = components.tables["points"], p["technologies"]
    added = {"stronghold": "east_india_company", "church": "evangelisation", "market": "guild"}
    total: int = p["vp"][seat] + (points["renaissance"] if owner["renaissance"] == seat else 0)
    for space in p["land"][seat]:
        if space[-1] in "cd":
            kind = on(p, space, components).split()[0]
            total += points[kind] + (points[added[kind]] if owner[added[kind].replace("_", " ")] == seat else 0)
    return total


def _boxed(p: View, words: Words, components: Components) -> Text:
    """The towns that three players leave in the box; everyone has seen them."""
    towns = components.tables["towns"]
    line = Text().append(f"{words.say('table.boxed')}  ", "dim")
    cards = [", ".join(words.name(what) for what in (*towns["goods"][card], *towns["buildings"][card])) for card in p["boxed"]]
    return line.append(" · ".join(cards), "dim")
