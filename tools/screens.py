"""Draws the terminal screens that the README and the docs show, from real matches: python tools/screens.py"""

from __future__ import annotations

import io
import random
import re
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme

import comptoir
from comptoir.cli.arguments import cli_words
from comptoir.cli.play import TerminalGame
from comptoir.cli.seating import seating
from comptoir.engine import registry
from comptoir.engine.match import Match
from comptoir.engine.words import LANGUAGES

FOLDER = Path(__file__).parents[1] / "docs/img"
ROOM = TerminalTheme((23, 48, 60), (243, 232, 208), [(34, 48, 60)] * 8, [(243, 232, 208)] * 8)


def mid_game(name: str) -> Match:
    """A match with people's names, some hundred random actions on, with seat 0 to decide among several
    choices.
    """
    match, chance = comptoir.new(name, seed=26), random.Random(26)
    while not match.over:
        if match.ply > 90 and match.turn == 0 and len(match.actions()) > 2:
            break
        match.play(chance.choice(match.actions()))
    return match


def draw(name: str, lang: str) -> None:
    """One screen, as `comptoir play` shows it."""
    console = Console(
        record=True,
        width=104,
        file=io.StringIO(),
        force_terminal=True,
        color_system="truecolor",
        highlight=False,
    )
    match = mid_game(name)
    seats = seating(match.players, None, "captain,merchant,clerk")
    game = TerminalGame(match, seats, Path(), cli_words(name, lang), console, seconds=5, limit=10)
    game.log_read[0] = max(0, match.ply - 8)
    game._print_news(0)
    game._show(0)
    svg = console.export_svg(title=f"comptoir play {name} --lang {lang}", theme=ROOM)
    # no fonts from elsewhere
    svg = re.sub(r"@font-face \{.*?\}", "", svg, flags=re.DOTALL).replace("Fira Code", "DejaVu Sans Mono")
    (FOLDER / f"{name}-{lang}.svg").write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    for name in registry.names():
        for lang in LANGUAGES:
            draw(name, lang)
