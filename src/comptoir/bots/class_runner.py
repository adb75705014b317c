"""A Python class as a program that plays: `python -m comptoir.bots.class_runner mine.py:MyBot`.

So a custom class is watched like any program, and cannot reach the memory of the match. What it prints goes
to standard error: standard output is for the protocol.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from pathlib import Path
from typing import Any, Protocol, TextIO, cast

from comptoir.bots import Bot
from comptoir.bots.external import NO_SUCH_BOT
from comptoir.engine.game import get_game
from comptoir.engine.view import View
from comptoir.errors import OptionError


def main() -> int:
    """Plays one match. With `--check`, only looks whether there is such a bot."""
    talk = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    os.dup2(2, 1)
    try:
        made = load(sys.argv[1])
    except OptionError as error:
        print(error, file=sys.stderr)
        return NO_SUCH_BOT
    if "--check" not in sys.argv:
        with talk:
            serve(made, talk)
    return 0


class ViewBot(Protocol):
    """What a class of a bot must have."""

    def choose(self, view: View) -> object: ...


def load(spec: str) -> type[ViewBot]:
    """The class that `mine.py:MyBot` names."""
    file, _, name = spec.rpartition(":")
    path = Path(file).resolve()
    sys.path.insert(0, str(path.parent))  # as if the file were run: it may import its neighbours
    found = importlib.util.spec_from_file_location(path.stem, path)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    sys.modules[path.stem] = module
    found.loader.exec_module(module)
    made = getattr(module, name, None)
    if not isinstance(made, type):
        own = [
            key
            for key, value in vars(module).items()
            if getattr(value, "__module__", None) == path.stem and isinstance(value, type)
        ]
        raise OptionError(
            f"{spec!r}: {path.name} has no class {name!r}; its classes: {', '.join(own) or 'none'}"
        )
    if not _chooses(made):
        raise OptionError(
            f"{spec!r}: the class {name} has no method choose(self, view);"
            " it should return one of view['actions']"
        )
    return cast(type[ViewBot], made)


def _chooses(made: type) -> bool:
    if issubclass(made, Bot):
        return made.choose is not Bot.choose or made.choose_index is not Bot.choose_index
    return callable(getattr(made, "choose", None))


def serve(made: type[ViewBot], talk: TextIO) -> None:
    """Answers line by line, until there are no more."""
    bot: ViewBot | None = None
    for line in sys.stdin:
        word, _, text = line.partition(" ")
        data = json.loads(text)
        if word == "hello":
            bot = _start(made, data)
            print("ready", file=talk)
        elif word == "choose" and bot is not None:
            print("play", json.dumps(bot.choose(data)), file=talk)


def _start(made: type[ViewBot], hello: dict[str, Any]) -> ViewBot:
    """A subclass of Bot receives its game, its components and its seed; any other class is made as it is."""
    if not issubclass(made, Bot):
        return made()
    chosen = get_game(hello["game"])
    return made(chosen, chosen.read_components(hello["components"]), hello["seed"])


if __name__ == "__main__":
    sys.exit(main())
