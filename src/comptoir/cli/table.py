"""What `play` and `replay` both show."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from comptoir.engine.match import Match
from comptoir.engine.words import Words
from comptoir.terminal import seat_mark


def print_result(match: Match, names: list[str], console: Console, words: Words) -> None:
    """Who has won, with how much."""
    scores, winners = match.scores(), match.winners()
    table = Table(title=words.say("play.result"), title_justify="left", box=None, show_header=False, padding=(0, 1))
    for seat in sorted(range(match.players), key=lambda seat: -scores[seat]):
        won = words.say("play.winner" if len(winners) == 1 else "play.shared") if seat in winners else ""
        table.add_row(seat_mark(seat), names[seat], Text(str(scores[seat]), justify="right"), Text(won, "bold #b98a2f"))
    console.print(table)
