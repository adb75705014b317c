"""comptoir bots: which bots there are, and how to add a custom one."""

from __future__ import annotations

import argparse
import json

from rich.console import Console
from rich.table import Table
from rich.text import Text

from comptoir.bots.levels import LEVELS
from comptoir.cli.arguments import add_json
from comptoir.engine.words import Words


def arguments(parser: argparse.ArgumentParser, words: Words, game_named: str | None) -> None:
    add_json(parser, words)


def run(options: argparse.Namespace, words: Words) -> int:
    """Lists the levels."""
    if options.json:
        levels = [
            {"name": level.name, "iterations": level.iterations, "character": _character(level.name, words)}
            for level in LEVELS.values()
        ]
        print(json.dumps({"levels": levels}, ensure_ascii=False, indent=2))
        return 0
    console = Console(highlight=False)
    console.print(_table(words))
    console.print(words.say("bots.more").strip("\n"))
    return 0


def _character(name: str, words: Words) -> str:
    return words.say(f"bots.{name}")


def _table(words: Words) -> Table:
    table = Table(box=None, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column(words.say("bots.level"))
    table.add_column(words.say("bots.iterations"), justify="right")
    table.add_column(words.say("bots.character"))
    for level in LEVELS.values():
        iterations = words.number(level.iterations) if level.iterations else "–"
        table.add_row(
            Text(words.say(f"levels.{level.name}"), "bold"), iterations, _character(level.name, words)
        )
    return table
