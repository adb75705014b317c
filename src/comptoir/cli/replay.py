"""comptoir replay: a recorded match told again, or its table at one moment."""

from __future__ import annotations

import argparse
import json

from rich.console import Console

import comptoir
from comptoir.cli.table import print_result
from comptoir.engine.match import Match
from comptoir.engine.words import Words, words_of


def run(options: argparse.Namespace, words: Words) -> int:
    """Tells a match; with --at, shows the table after that many actions."""
    match = comptoir.load(options.file)
    shown = match if options.at is None else match.at(options.at)
    shown.view(options.seat)  # refuses a seat that is not there
    if options.json:
        position = shown.position() if options.seat is None else shown.view(options.seat)
        print(json.dumps(position, ensure_ascii=False))
        return 0
    _tell(shown, options, words_of(match.game.name, words.lang))
    return 0


def _tell(match: Match, options: argparse.Namespace, words: Words) -> None:
    console = Console(highlight=False)
    if options.at is None:
        for line in match.log(options.seat, words.lang):
            console.print(line)
    else:
        for line in match.log(options.seat, words.lang, since=max(0, match.number - 1)):
            console.print(line, style="bold")
        view = match.view(options.seat)
        if options.seat is None:
            view["position"] = match.position()
        console.print(match.game.terminal.draw(view, words, match.components))
    if match.over:
        print_result(match, match.names, console, words)
