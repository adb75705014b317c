"""The table as text: what a seat sees, drawn with Rich."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from comptoir.console import SEAT_MARKS, seat_mark, seat_name
from comptoir.engine.words import Words
from comptoir.games.batavia.rules import (
    ARRIVAL_SPACE,
    AUCTION,
    BLOCK,
    COMPANIES,
    GOODS,
    OVER,
    SPACES,
    cannon,
    crates_in_posts,
    rearmost,
    shops_on_route,
    shows_bills,
)

if TYPE_CHECKING:
    from comptoir.games.batavia.records import Position, Scene

FLAGS = {
    "england": "bold #b5352b on #fbf7ee",
    "denmark": "bold #fbf7ee on #b5352b",
    "france": "bold #e8c55a on #24487a",
    "netherlands": "bold #24487a on #e6cfc9",
    "sweden": "bold #f0c94a on #2f6aa3",
}


def draw(scene: Scene) -> RenderableType:
    """The whole table: route, trading posts, laid ships, seats, the lot, and the viewer's hand."""
    phase = scene.record.phase
    parts: list[RenderableType] = [
        _title(scene),
        Columns([_route(scene), Group(_posts(scene), _ships(scene))], padding=(0, 1)),
        _seats(scene),
    ]
    if phase == AUCTION:
        parts.append(_lot(scene))
    if scene.seat is not None and phase != OVER:
        parts.append(_hand(scene, scene.seat))
    return Group(*parts)


def _flag(company: str, words: Words, extra: str = "") -> Text:
    return Text(f"{words.say(f'flags.{company}')}{extra}", FLAGS[company])


def _title(scene: Scene) -> Text:
    p, words = scene.position, scene.words
    facts = [
        words.say("table.round", n=p["round_number"]),
        words.say("table.pile", n=p["pile_size"]),
        words.say("table.discards", n=sum(p["discards"].values())),
    ]
    title = Text.assemble(
        (f" {words.say('game.title')} ", "bold #f3e8d0 on #17303c"), " ", (" · ".join(facts), "dim")
    )
    if p["setup"] == "open" and "printed" in scene.components.placeholders:
        title.append(f"\n {words.say('table.placeholder')}", "italic dim")
    return title


def _route(scene: Scene) -> Panel:
    p, words = scene.record, scene.words
    grid = Table.grid(padding=(0, 1))
    shops = shops_on_route(p)
    grid.add_row(Text(words.say("table.start"), "italic dim"), _merchants(p, 0))
    for row in range(0, SPACES, BLOCK):
        grid.add_row(*(_space(p, space, shops, words) for space in range(row + 1, row + BLOCK + 1)))
    grid.add_row(Text(words.say("table.arrival"), "italic dim"), _merchants(p, ARRIVAL_SPACE))
    return Panel(
        grid, title=words.say("table.route"), title_align="left", border_style="#5d8791", expand=False
    )


def _merchants(p: Position, space: int) -> Text:
    return Text(" ").join(seat_mark(seat) for seat in range(p.players) if p.merchants[seat] == space)


def _space(p: Position, space: int, shops: dict[int, tuple[int, int]], words: Words) -> Text:
    cell = Text().append(f"{space:>2} ", "dim")
    if space in shops:
        company, good = shops[space]
        cell.append_text(_flag(COMPANIES[company], words))
        cell.append(f" {words.name(GOODS[good])}", "dim strike" if space <= rearmost(p) else "")
    elif space > p.face_up:
        cell.append("▒▒", "#5d8791")
    elif space in p.merchants:
        cell.append_text(_merchants(p, space))
    else:
        cell.append("·", "dim")
    return cell


def _posts(scene: Scene) -> Panel:
    grid, crates = Table.grid(padding=(0, 1)), crates_in_posts(scene.record)
    for good, name in enumerate(GOODS):
        owners = (crates.get((company, good)) for company in range(len(COMPANIES)))
        squares = Text(" ").join(Text("□", "dim") if owner is None else seat_mark(owner) for owner in owners)
        value = f"{scene.box.gold_sole[good]}/{scene.box.gold_shared[good]}"
        grid.add_row(scene.words.name(name), Text(value, "dim"), squares)
    return Panel(
        grid, title=scene.words.say("table.posts"), title_align="left", border_style="#b98a2f", expand=False
    )


def _ships(scene: Scene) -> Panel:
    """The scale of ships: markers and cannon."""
    p, words = scene.position, scene.words
    laid, most = int(cannon(scene.record)), int(scene.box.pirates_at[scene.record.players])
    line = Text(" ").join(_flag(company, words, f" {p['markers'][company]}") for company in COMPANIES)
    over = scene.record.phase == OVER  # B43: no pirates come for the cards laid at the end
    said = words.say("table.all_laid", n=laid) if over else words.say("table.cannon", n=laid, most=most)
    shown = Text(said, "bold #d0453a" if laid >= most - 4 and not over else "")
    return Panel(
        Group(line, shown),
        title=words.say("table.ships"),
        title_align="left",
        border_style="#9c2f27",
        expand=False,
    )


def _seats(scene: Scene) -> Table:
    p, words = scene.position, scene.words
    table = Table(box=None, padding=(0, 1), header_style="dim")
    shown = [shows_bills(scene.record, scene.seat, seat) for seat in range(p["players"])]
    for key in ("seat", "gold", "hand", *(["bills"] if any(shown) else []), "crates"):
        table.add_column(words.say(f"table.{key}"), justify="left" if key == "seat" else "right")
    table.add_column(words.say("table.laid"))
    table.add_column(words.say("table.tiles"))
    for seat, name in enumerate(scene.names):
        bills = str(p["bills"][seat]) if shown[seat] else "?"
        table.add_row(
            seat_name(seat, name, p["turn"] == seat, words.say("table.boat") if p["first"] == seat else ""),
            str(p["gold"][seat]),
            str(p["hand_size"][seat]),
            *([bills] if any(shown) else []),
            str(p["crates"][seat]),
            _laid(scene, seat),
            _held(scene, seat),
        )
    return table


def _laid(scene: Scene, seat: int) -> Text:
    laid, seals = scene.position["laid"][seat], scene.position["seals"]
    marks = [
        _flag(company, scene.words, f" {n}{'★' if seals[company] == seat else ''}")
        for company, n in laid.items()
        if n
    ]
    return Text(" ").join(marks) if marks else Text("–", "dim")


def _held(scene: Scene, seat: int) -> Text:
    held = scene.position["held"][seat]
    marks = [_flag(company, scene.words, f" {n}" if n > 1 else "") for company, n in held.items() if n]
    return Text(" ").join(marks) if marks else Text("–", "dim")


def _cards(counts: dict[str, int], words: Words) -> Text:
    cards = [_flag(company, words, f" {words.name(company)} ×{n}") for company, n in counts.items() if n]
    return Text("  ").join(cards)


def _lot(scene: Scene) -> Text:
    p, words = scene.position, scene.words
    line = Text().append(f"{words.say('table.lot')}  ", "bold")
    line.append_text(
        _cards(p["lot"], words) if any(p["lot"].values()) else Text(words.say("table.no_lot"), "italic")
    )
    bid = (
        words.say("table.no_bid")
        if p["bidder"] is None
        else words.say("table.best", n=p["bid"], name=scene.names[p["bidder"]])
    )
    line.append(f"  {bid}  ")
    for seat, still_in in enumerate(p["bidding"]):
        line.append(f"{SEAT_MARKS[seat][0]} ", SEAT_MARKS[seat][1] if still_in else "dim strike")
    return line


def _hand(scene: Scene, seat: int) -> Text:
    line = Text().append(f"{scene.words.say('table.your_hand', name=scene.names[seat])}  ", "bold")
    return line.append_text(_cards(scene.position["hand"][seat], scene.words))
