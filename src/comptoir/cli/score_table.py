"""What `play` and `replay` both show: score sheets, and turns retold."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from comptoir.console import seat_mark
from comptoir.engine.match import Match
from comptoir.engine.recap import Recap
from comptoir.engine.score_sheet import ScoreSheet
from comptoir.engine.words import Words

GOLD = "bold #b98a2f"


def print_result(match: Match, names: Sequence[str], console: Console, words: Words) -> None:
    """The score sheet of a match that is over, who has won, and what decided it."""
    sheet = match.score_sheet()
    print_sheet(sheet, names, console, words)
    for sentence in sheet.verdict(match.names, words):
        console.print(Text(sentence, GOLD))


def print_sheet(sheet: ScoreSheet, names: Sequence[str], console: Console, words: Words) -> None:
    """One row per source, one column per seat. Tie-breaks are shown when one had to be asked."""
    table = Table(
        title=words.say("sheet.title"), title_justify="left", box=None, padding=(0, 1), header_style="default"
    )
    table.add_column(words.say("score.unit"), header_style="dim")
    for seat, name in enumerate(names):
        table.add_column(
            seat_mark(seat).append(f" {name}", "bold" if seat in sheet.winners else "not bold default"),
            justify="right",
        )
    for source, row in sheet.points.items():
        table.add_row(words.say(f"sources.{source}"), *map(_entry, row))
    totals = zip(sheet.totals, sheet.complete, strict=True)
    table.add_row(
        Text(words.say("sheet.total"), "bold"),
        *(
            Text(f"{n}" if known else f"{n} + ?", GOLD if seat in sheet.winners else "bold")
            for seat, (n, known) in enumerate(totals)
        ),
    )
    for name, values in sheet.tie_breaks.items() if sheet.decided else ():
        table.add_row(
            Text(words.say("sheet.tie_break", name=words.say(f"tie_breaks.{name}")), "dim"),
            *(Text(str(n), "dim") for n in values),
        )
        if name == sheet.decided:
            break
    console.print(table)


def _entry(points: int | None) -> Text:
    return (
        Text("?", "dim")
        if points is None
        else Text(f"{points}".replace("-", "−"))
        if points
        else Text("–", "dim")
    )


def print_recap(recap: Recap, console: Console, indent: str = "  ") -> None:
    """A turn in its sentence, and its big moments."""
    mark = seat_mark(recap.seat) if recap.seat is not None else Text("·", "dim")
    console.print(Text(indent).append_text(mark).append(f" {recap.sentence}", "not bold default"))
    for highlight in recap.highlights:
        console.print(Text(f"{indent}✦ {highlight.text}", GOLD))


def print_lines(lines: Sequence[str], console: Console) -> None:
    """Lines of the log, each with its rule's number kept in the background."""
    for line in lines:
        text = Text(f"  {line}")
        text.highlight_regex(r"\[[A-Z]+\d+\]", "dim")
        console.print(text)
