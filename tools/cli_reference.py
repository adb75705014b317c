"""Writes the reference of the command line from the argument parsers.

    python tools/cli_reference.py      writes docs/cli.md

A test compares the page with what the parsers say now.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from comptoir.cli import COMMANDS, parser
from comptoir.cli.arguments import cli_words
from comptoir.engine import registry
from comptoir.engine.game import get_game
from comptoir.engine.words import words_of

PAGE = Path(__file__).parents[1] / "docs/cli.md"
OPENING = """# The command line

<!-- Written by tools/cli_reference.py from the parsers: change the help texts, not this page. -->

`comptoir COMMAND --help` prints what this page lists. `comptoir` alone opens the games in your
browser. `python -m comptoir` is the same command. Every command also takes `--lang en` or
`--lang fr`; the default is the language of your locale.

Exit status: 0 when all is well, 1 when a check fails (`check`, `verify`, `components --check`,
`rules --check`), 2 for wrong input or a problem that a sentence on standard error explains, 130
after Ctrl-C.

| Command | What it does |
|---|---|
"""
VARIABLE = re.compile(r" \[(COMPTOIR_\w+)\]$")
EVERYWHERE = {"-h", "--lang"}  # options of every command


def main() -> None:
    PAGE.write_text(page(), encoding="utf-8")
    print(PAGE)


def page() -> str:
    """The page, in English."""
    words = cli_words(None, "en")
    summaries = [f"| [`{name}`](#{name}) | {_summary(name)} |\n" for name in COMMANDS]
    sections = [_section(name, parser([name], words)) for name in COMMANDS]
    return OPENING + "".join(summaries) + "".join(sections) + _game_options()


def _summary(name: str) -> str:
    return cli_words(None, "en").say(f"cli.{name.replace('-', '_')}")


def _section(name: str, top: argparse.ArgumentParser) -> str:
    command = _command(top, name)
    rows = [_row(action) for action in _actions(command)]
    usage = " ".join(command.format_usage().removeprefix("usage: ").split())
    more = f"\n{command.epilog}\n" if command.epilog else ""
    text = f"\n## {name}\n\n{_sentence(command.description or '')}\n\n```text\n{_short(usage)}\n```\n"
    return text + (_table(("Argument", "Meaning"), rows) if rows else "") + more


def _command(top: argparse.ArgumentParser, name: str) -> argparse.ArgumentParser:
    """The parser of one command."""
    [commands] = [action for action in top._actions if isinstance(action, argparse._SubParsersAction)]
    found = commands.choices[name]
    assert isinstance(found, argparse.ArgumentParser)
    return found


def _actions(command: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in command._actions:
        if not EVERYWHERE & set(action.option_strings):
            yield action


def _row(action: argparse.Action) -> tuple[str, ...]:
    help_text = _help(action)
    variable = VARIABLE.search(help_text)
    if variable:
        help_text = f"{help_text[: variable.start()]}; variable `{variable[1]}`"
    return f"`{_name(action)}`", help_text


def _help(action: argparse.Action) -> str:
    return (action.help or "").replace("%%", "%").replace("|", "\\|").replace("*", "\\*")


def _name(action: argparse.Action) -> str:
    """As one types it: `--players N`, or GAME."""
    choices = f"{{{','.join(map(str, action.choices))}}}" if action.choices else action.dest.upper()
    value = action.metavar or choices
    value = (value if isinstance(value, str) else value[0]).replace("|", "\\|")
    if not action.option_strings:
        return value
    return ", ".join(action.option_strings) + (f" {value}" if action.nargs != 0 else "")


def _short(usage: str) -> str:
    """Without the options of every command."""
    return usage.replace(" [-h]", "").replace(" [--lang LANG]", "")


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(row)} |\n" for row in (head, *rows)]
    return "".join(["\n", lines[0], "|---" * len(head) + "|\n", *lines[1:]])


def _game_options() -> str:
    """The options that a game adds to every command that starts a match."""
    words = cli_words(None, "en")
    common = {_name(action) for action in _actions(_command(parser(["play"], words), "play"))}
    text = "\n## Options of the games\n\nA command that names a game also takes that game's options.\n"
    for name in registry.names():
        command = _command(parser(["play", name], words), "play")
        rows = [_row(action) for action in _actions(command) if _name(action) not in common]
        title = words_of(get_game(name).name, "en").say("game.title")
        if rows:
            text += f"\n**{title}** (`{name}`)\n" + _table(("Option", "Meaning"), rows)
    return text


if __name__ == "__main__":
    main()
