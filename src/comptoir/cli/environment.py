"""Options that can be given as environment variables too: what service managers and containers set.

A flag goes before its variable. An empty variable is none.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from typing import Any

from comptoir.engine.words import Words

COMMANDS = ("serve", "bots-worker", "backup", "restore")
SHARED = ("--database", "--database-file", "--lang")  # the same variable for every command
SWITCH = {
    "on": True,
    "yes": True,
    "true": True,
    "1": True,
    "off": False,
    "no": False,
    "false": False,
    "0": False,
}


class Given(str):
    """A value that comes from the environment."""

    variable: str

    def __new__(cls, text: str, variable: str) -> Given:
        made = super().__new__(cls, text)
        made.variable = variable
        return made

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        """Sent to a worker it is a text like any other."""
        return str, (str(self),)


def variable(command: str, flag: str) -> str:
    """The variable of a flag, such as COMPTOIR_ALLOWED_HOSTS.

    The options of backup and restore are theirs alone: the server's settings must not overwrite a database.
    """
    own = command in ("backup", "restore") and flag not in SHARED
    name = f"{command} {flag.removeprefix('--')}" if own else flag.removeprefix("--")
    return f"COMPTOIR_{name.replace('-', '_').replace(' ', '_').upper()}"


def read_environment(parser: argparse.ArgumentParser, command: str, words: Words) -> None:
    """Lets each option of a command be given by its variable, and its help name that."""
    for action in parser._actions:
        flags = [flag for flag in action.option_strings if flag.startswith("--")]
        if not flags or flags == ["--help"]:
            continue
        name = variable(command, flags[0])
        action.help = f"{action.help} [{name}]"
        if flags == ["--lang"]:  # read before all others, by `main`
            continue
        action.type = _reading(_switch(action, words) if action.nargs == 0 else action.type)
        if text := os.environ.get(name, ""):
            action.default = Given(text, name)


def _switch(action: argparse.Action, words: Words) -> Callable[[str], bool]:
    """Reads on or off; what the flag alone means is on."""

    def read(text: str) -> bool:
        if text.lower() not in SWITCH:
            raise argparse.ArgumentTypeError(words.say("cli.not_a_switch", found=text))
        return bool(action.const) == SWITCH[text.lower()]

    return read


def _reading(read: Any) -> Callable[[str], object]:
    """As the flag's value is read; a refusal names the variable."""

    def value(text: str) -> object:
        if not isinstance(text, Given):
            return read(text) if read is not None else text
        try:
            return read(str(text)) if read is not None else text
        except (argparse.ArgumentTypeError, ValueError) as error:
            raise argparse.ArgumentTypeError(f"{text.variable}: {error}") from None

    value.__name__ = getattr(read, "__name__", "str")  # argparse names it in a refusal
    return value
