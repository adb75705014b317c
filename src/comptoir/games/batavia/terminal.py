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
from comptoir.games.batavia.rules import ARRIVAL_SPACE, BLOCK, COMPANIES, GOODS, SPACES
from comptoir.terminal import SEAT_MARKS, seat_mark, seat_name

View = dict[str, Any]

FLAGS = {
    "england": "bold #b5352b on #fbf7ee",
    "denmark": "bold #fbf7ee on #b5352b",
    "france": "bold #e8c55a on #24487a",
    "netherlands": "bold #24487a on #e6cfc9",
    "sweden": "bold #f0c94a on #2f6aa3",
}


def draw(view: View, words: Words, components: Components) -> RenderableType:
    """The whole table: route, trading posts, laid ships, seats, the lot, and the viewer's hand."""
    p = view["position"]
    parts: list[RenderableType] = [
        _title(p, words),
        Columns([_route(p, view["names"], words), Group(_posts(p, words, components), _ships(p, words, components))], padding=(0, 1)),
        _seats(view, words),
    ]
    if p["phase"] == "auction":
        parts.append(_lot(p, view["names"], words))
    if view["seat"] is not None and p["phase"] != "over":
        parts.append(_hand(view, words))
    return Group(*parts)


def prompt(view: View, words: Words) -> str:
    """What is awaited, in a sentence."""
    p = view["position"]
    key = p["phase"]
    if key == "move" and view["actions"] == ["draw"]:
        key = "must_draw"
    if key == "laying" and all(action.startswith("lay ") for action in view["actions"]):
        key = "laying_more"
    return words.say(f"prompt.{key}", name=view["names"][p["turn"]])


def effect(view: View, action: str, words: Words, components: Components) -> str:
    """What a choice would do, in a few words."""
    p, (verb, operand) = view["position"], words.split(action)
    seat = p["turn"]
    match verb:
        case "lay":
            most = max(row[operand] for other, row in enumerate(p["laid"]) if other != seat)
            takes = p["seals"][operand] != seat and p["laid"][seat][operand] + 1 > most
            return words.say("does.lay_seal" if takes else "does.lay", n=p["hand"][seat][operand])
        case "advance":
            ahead = _shops(p)
            space = min(n for n, (company, _) in ahead.items() if company == operand and n > p["merchants"][seat])
            return words.say("does.advance", n=space, good=ahead[space][1])
        case "trade in":
            tiles = sum(1 for count in p["held"][seat].values() if count)
            return words.say("does.trade in", n=tiles, gold=int(components.figures.gold_set[tiles]))
        case "arrive":
            return words.say("does.arrive", gold=int(components.figures.gold_arrival))
        case "bid":
            return words.say("does.bid", n=p["bills"][seat])
    return words.say(f"does.{verb}")


def _flag(company: str, words: Words, extra: str = "") -> Text:
    return Text(f"{words.say(f'flags.{company}')}{extra}", FLAGS[company])


def _shops(p: View) -> dict[int, tuple[str, str]]:
    """The shops on the route, by space."""
    places = ((company, good, place) for company, goods in p["tiles"].items() for good, place in goods.items())
    return {int(place.split()[1]): (company, good) for company, good, place in places if place.startswith("space")}


def _title(p: View, words: Words) -> Text:
    facts = [
        words.say("table.round", n=p["round_number"]),
        words.say("table.pile", n=p["pile_size"]),
        words.say("table.discards", n=sum(p["discards"].values())),
    ]
    title = Text.assemble((f" {words.say('game.title')} ", "bold #f3e8d0 on #17303c"), " ", (" · ".join(facts), "dim"))
    if p["setup"] == "open":
        title.append(f"\n {words.say('table.stand_in')}", "italic dim")
    return title


def _route(p: View, names: list[str], words: Words) -> Panel:
    grid = Table.grid(padding=(0, 1))
    shops = _shops(p)
    grid.add_row(*_end_of_route(p, 0, words.say("table.start"), names))
    for row in range(0, SPACES, BLOCK):
        grid.add_row(*(_space(p, space, shops, names, words) for space in range(row + 1, row + BLOCK + 1)))
    grid.add_row(*_end_of_route(p, ARRIVAL_SPACE, words.say("table.arrival"), names))
    return Panel(grid, title=words.say("table.route"), title_align="left", border_style="#5d8791", expand=False)


def _merchants(p: View, space: int) -> Text:
    return Text(" ").join(seat_mark(seat) for seat, at in enumerate(p["merchants"]) if at == space)


def _end_of_route(p: View, space: int, label: str, names: list[str]) -> list[Text]:
    return [Text(label, "italic dim"), _merchants(p, space)]


def _space(p: View, space: int, shops: dict[int, tuple[str, str]], names: list[str], words: Words) -> Text:
    cell = Text().append(f"{space:>2} ", "dim")
    if space in shops:
        company, good = shops[space]
        passed = space <= min(p["merchants"])
        cell.append_text(_flag(company, words))
        cell.append(f" {words.name(good)}", "dim strike" if passed else "")
    elif space > p["face_up"]:
        cell.append("▒▒", "#5d8791")
    elif space in p["merchants"]:
        cell.append_text(_merchants(p, space))
    else:
        cell.append("·", "dim")
    return cell


def _posts(p: View, words: Words, components: Components) -> Panel:
    grid = Table.grid(padding=(0, 1))
    for i, good in enumerate(GOODS):
        squares = Text(" ").join(_square(p["tiles"][company][good]) for company in COMPANIES)
        value = f"{components.figures.gold_sole[i]}/{components.figures.gold_shared[i]}"
        grid.add_row(words.name(good), Text(value, "dim"), squares)
    return Panel(grid, title=words.say("table.posts"), title_align="left", border_style="#b98a2f", expand=False)


def _square(place: str) -> Text:
    return seat_mark(int(place.split()[-1])) if place.startswith("crate") else Text("□", "dim")


def _ships(p: View, words: Words, components: Components) -> Panel:
    """The scale of ships: markers and cannon."""
    laid, most = sum(p["markers"].values()), int(components.figures.pirates_at[p["players"]])
    line = Text(" ").join(_flag(company, words, f" {p['markers'][company]}") for company in COMPANIES)
    style = "bold #d0453a" if laid >= most - 4 else ""
    cannon = Text(words.say("table.cannon", n=laid, most=most), style)
    return Panel(Group(line, cannon), title=words.say("table.ships"), title_align="left", border_style="#9c2f27", expand=False)


def _seats(view: View, words: Words) -> Table:
    p = view["position"]
    table = Table(box=None, padding=(0, 1), header_style="dim")
    show_bills = p["open_bills"] or view["seat"] is not None or p["phase"] == "over"
    for key in ("seat", "gold", "hand", *(["bills"] if show_bills else []), "crates"):
        table.add_column(words.say(f"table.{key}"), justify="left" if key == "seat" else "right")
    table.add_column(words.say("table.laid"))
    table.add_column(words.say("table.tiles"))
    for seat, name in enumerate(view["names"]):
        own = p["open_bills"] or seat == view["seat"] or p["phase"] == "over"
        bills = [str(p["bills"][seat]) if own else "?"] if show_bills else []
        table.add_row(
            seat_name(seat, name, p["turn"] == seat, words.say("table.boat") if p["first"] == seat else ""),
            str(p["gold"][seat]),
            str(p["hand_size"][seat]),
            *bills,
            str(p["crates"][seat]),
            _laid(p, seat, words),
            _held(p, seat, words),
        )
    return table


def _laid(p: View, seat: int, words: Words) -> Text:
    marks = [_flag(company, words, f" {n}{'★' if p['seals'][company] == seat else ''}") for company, n in p["laid"][seat].items() if n]
    return Text(" ").join(marks) if marks else Text("–", "dim")


def _held(p: View, seat: int, words: Words) -> Text:
    marks = [_flag(company, words, f" {n}" if n > 1 else "") for company, n in p["held"][seat].items() if n]
    return Text(" ").join(marks) if marks else Text("–", "dim")


def _cards(counts: dict[str, int], words: Words) -> Text:
    cards = [_flag(company, words, f" {words.name(company)} ×{n}") for company, n in counts.items() if n]
    return Text("  ").join(cards)


def _lot(p: View, names: list[str], words: Words) -> Text:
    line = Text().append(f"{words.say('table.lot')}  ", "bold")
    line.append_text(_cards(p["lot"], words) if any(p["lot"].values()) else Text(words.say("table.no_lot"), "italic"))
    bid = words.say("table.no_bid") if p["bidder"] is None else words.say("table.best", n=p["bid"], name=names[p["bidder"]])
    line.append(f"  {bid}  ")
    for seat, still_in in enumerate(p["bidding"]):
        line.append(f"{SEAT_MARKS[seat][0]} ", SEAT_MARKS[seat][1] if still_in else "dim strike")
    return line


def _hand(view: View, words: Words) -> Text:
    seat = view["seat"]
    line = Text().append(f"{words.say('table.your_hand', name=view['names'][seat])}  ", "bold")
    return line.append_text(_cards(view["position"]["hand"][seat], words))
