"""The command `comptoir`. Each command is a module here, with its arguments and what it does; only the one
that is used is loaded.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from types import ModuleType

import comptoir
from comptoir.cli.arguments import Parser, add_common, cli_words, localise_argparse
from comptoir.cli.environment import COMMANDS as HOSTING
from comptoir.cli.environment import read_environment
from comptoir.engine import registry
from comptoir.engine.names import without_invisible
from comptoir.engine.words import Words, language
from comptoir.errors import ComptoirError

COMMANDS = (
    "serve",
    "play",
    "bots",
    "arena",
    "lab",
    "train",
    "simulate",
    "rules",
    "check",
    "replay",
    "review",
    "verify",
    "components",
    "backup",
    "restore",
    "bots-worker",
)
# Commands whose help ends with an example.
EXPLAINED = ("serve", "play", "arena", "lab", "train", "check", "bots-worker")


def main(arguments: list[str] | None = None) -> int:
    """Runs one command; returns its exit status.

    Bad input is answered with a sentence, never with a stack trace.
    """
    arguments = sys.argv[1:] if arguments is None else arguments
    try:
        lang = _given(arguments, "--lang") or os.environ.get("COMPTOIR_LANG") or None
        words = cli_words(None, language(lang))
        options = parser(arguments, words).parse_args(_with_command(arguments))
        status: int = _command(options.command).run(options, words)
        return status
    except ComptoirError as error:
        print(without_invisible(f"comptoir: {error}"), file=sys.stderr)
        return 2
    except BrokenPipeError:  # whoever reads our output has stopped
        sys.stderr.close()
        return 0
    except KeyboardInterrupt:
        return 130


def parser(arguments: list[str], words: Words) -> Parser:
    """The parser of all commands. A game named among the arguments adds its own options."""
    localise_argparse(words)
    top = Parser(
        prog="comptoir",
        description=words.say("cli.about"),
        epilog=f"{words.say('cli.start')}\n{words.say('cli.more')}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        add_help=False,
    )
    add_common(top, words)
    top.add_argument(
        "--version",
        action="version",
        version=f"comptoir {comptoir.__version__}",
        help=words.say("cli.version"),
    )
    commands = top.add_subparsers(dest="command", metavar="COMMAND", parser_class=Parser)
    game_named = next((name for name in arguments if name in registry.names()), None)
    asked = _with_command(arguments)
    for name in COMMANDS:
        key = f"cli.{name.replace('-', '_')}"
        text = words.say(key)
        epilog = words.say(f"{key}_more") if name in EXPLAINED else None
        sub = commands.add_parser(name, help=text, description=text, epilog=epilog, add_help=False)
        if name in asked:
            add_common(sub, words)
            _command(name).arguments(sub, words, game_named)
            if name in HOSTING:
                read_environment(sub, name, words)
    return top


def _command(name: str) -> ModuleType:
    return importlib.import_module(f"comptoir.cli.{name.replace('-', '_')}")


def _with_command(arguments: list[str]) -> list[str]:
    """Without a command, the app is served."""
    if any(argument in (*COMMANDS, "-h", "--help", "--version") for argument in arguments):
        return arguments
    named = [argument for argument in arguments if not argument.startswith("-")]
    return arguments if named and not _given(arguments, "--lang") else ["serve", *arguments]


def _given(arguments: list[str], flag: str) -> str | None:
    """The value of a flag that is needed before all is parsed."""
    for i, argument in enumerate(arguments):
        if argument == flag and i + 1 < len(arguments):
            return arguments[i + 1]
        if argument.startswith(f"{flag}="):
            return argument.removeprefix(f"{flag}=")
    return None
