"""comptoir components: what is in the box, how sure we are of it, and the check of other component files."""

from __future__ import annotations

import argparse
import json

from rich.console import Console
from rich.table import Table
from rich.text import Text

from comptoir.cli.arguments import add_game, add_json, cli_words
from comptoir.engine.game import Game, get_game
from comptoir.engine.words import Words


def arguments(parser: argparse.ArgumentParser, words: Words, game_named: str | None) -> None:
    add_game(parser, words)
    parser.add_argument("--check", metavar="FILE", help=words.say("cli.check_file"))
    parser.add_argument("--export", action="store_true", help=words.say("cli.export"))
    add_json(parser, words)


def run(options: argparse.Namespace, words: Words) -> int:
    """Shows, exports or checks components."""
    chosen = get_game(options.game)
    words = cli_words(chosen.name, words.lang)
    if options.export:
        print((chosen.folder / "components.toml").read_text(encoding="utf-8"), end="")
    elif options.check is not None:
        _check(chosen, options, words)
    elif options.json:
        print(json.dumps(chosen.components.tables, ensure_ascii=False, indent=2))
    else:
        console = Console()
        console.print(_table(chosen, words))
        console.print(words.say("components.own", game=chosen.name), style="dim")
    return 0


def _check(chosen: Game, options: argparse.Namespace, words: Words) -> None:
    """Raises a DataError if the file is wrong; else says what differs from ours."""
    theirs, ours = chosen.read_components(options.check).tables, chosen.components.tables
    told = ("certainty", "note")
    differs = [
        name for name in ours if any(theirs[name].get(k) != v for k, v in ours[name].items() if k not in told)
    ]
    if options.json:
        print(json.dumps({"file": options.check, "good": True, "differs": differs}))
    else:
        key = "components.good" if differs else "components.same"
        print(words.say(key, path=options.check, tables=", ".join(differs)))


def _table(chosen: Game, words: Words) -> Table:
    title = words.say("components.title", title=words.say("game.title"))
    table = Table(title=title, title_justify="left", box=None, header_style="dim", padding=(0, 1))
    for key in ("table", "certainty", "note"):
        table.add_column(words.say(f"components.{key}"))
    for name, values in chosen.components.tables.items():
        certainty = Text(
            words.say(f"certainty.{values['certainty']}"),
            "bold #d0453a" if values["certainty"] == "placeholder" else "",
        )
        table.add_row(name, certainty, values["note"])
    return table
