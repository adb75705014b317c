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
            {
                "name": level.name,
                "iterations": level.iterations,
                "trees": level.trees,
                "network": level.asks_network,
                "without_network": level.without_network,
                "character": _character(level.name, words),
            }
            for level in LEVELS.values()
        ]
        print(json.dumps({"levels": levels}, ensure_ascii=False, indent=2))
        return 0
    console = Console(highlight=False)
    console.print(_table(words))
    console.print(_without_network(words), soft_wrap=True)
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
        table.add_row(
            Text(words.say(f"levels.{level.name}"), "bold"),
            words.number(level.iterations) if level.iterations else "–",
            _character(level.name, words),
        )
    return table


def _without_network(words: Words) -> str:
    """What the levels do that ask a network, where none fits."""
    instead = (
        f"{words.say(f'levels.{level.name}')} {words.number(level.without_network)}"
        for level in LEVELS.values()
        if level.without_network
    )
    return words.say("bots.without_network", levels=", ".join(instead))
