"""What the arguments of several commands share, and how they are explained and refused in the user's
language.
"""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Callable, Sequence
from typing import Any, NoReturn, TypeVar

from comptoir.engine import registry
from comptoir.engine.words import Words, words_of

ROOMS = ("bots", "arena", "review", "cli")  # whose words the command line says
# argparse's own texts, as it asks gettext for them, and our keys
ARGPARSE = {
    "usage: ": "usage",
    "options": "options",
    "positional arguments": "positional",
    "argument %(argument_name)s: %(message)s": "argument",
    "the following arguments are required: %s": "required",
    "unrecognized arguments: %s": "unknown",
    "expected one argument": "no_value",
    "ignored explicit argument %r": "needless_value",
    "invalid %(type)s value: %(value)r": "number",
    "invalid choice: %(value)r (choose from %(choices)s)": "choice",
    "not allowed with argument %s": "excluded",
    "ambiguous option: %(option)s could match %(matches)s": "ambiguous",
}


def cli_words(game: str | None, lang: str) -> Words:
    """What the command line says, about a game or about none."""
    return words_of(game, lang, packages=ROOMS)


class Parser(argparse.ArgumentParser):
    """A parser whose errors say what to do next."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}\n{self.prog} --help\n")


def localise_argparse(words: Words) -> None:
    """Lets argparse say its own texts in our words. It has no other way in than its own `gettext`."""
    ours = {text: words.say(f"argparse.{key}") for text, key in ARGPARSE.items()}
    vars(argparse)["_"] = lambda text: ours.get(text, text)


def add_common(sub: argparse.ArgumentParser, words: Words) -> None:
    sub.add_argument("-h", "--help", action="help", help=words.say("cli.help"))
    sub.add_argument("--lang", metavar="LANG", default=argparse.SUPPRESS, help=words.say("cli.lang"))


def add_game(sub: argparse.ArgumentParser, words: Words, **more: Any) -> None:
    about = words.say("cli.game", games=", ".join(registry.names()))
    sub.add_argument("game", metavar="GAME", type=known_game(words), help=about, **more)


def add_json(sub: argparse.ArgumentParser, words: Words) -> None:
    sub.add_argument("--json", action="store_true", help=words.say("cli.json"))


def add_match_options(
    sub: argparse.ArgumentParser, words: Words, game_named: str | None, *, several: bool = False
) -> None:
    """--components, --players, and the options of the game that is named; `several` takes two files and
    a list of players.
    """
    if several:
        sub.add_argument("--components", nargs="+", metavar="FILE", help=words.say("cli.files_components"))
    else:
        sub.add_argument("--components", metavar="FILE", help=words.say("cli.file_components"))
    if game_named is None:
        sub.add_argument("--players", type=int, metavar="N", help=words.say("cli.players"))
        return
    from comptoir.engine.game import get_game
    from comptoir.engine.option import ChoiceOption, FlagOption

    game, texts = get_game(game_named), words_of(game_named, words.lang)
    least, most = game.rules.PLAYERS
    one = number_of_players(words, texts.say("game.title"), least, most)
    players = (lambda text: [one(part.strip()) for part in text.split(",")]) if several else one
    metavar = "N,N,…" if several else "N"
    sub.add_argument("--players", type=players, metavar=metavar, help=words.say("cli.players"))
    for option in game.options:
        flag, text = f"--{option.name.replace('_', '-')}", texts.say(f"options.{option.name}")
        more: dict[str, Any] = {"dest": f"option_{option.name}", "help": text}
        if isinstance(option, FlagOption):
            sub.add_argument(flag, action="store_const", const="yes", **more)
        elif isinstance(option, ChoiceOption):
            sub.add_argument(flag, type=one_of(words, option.words), metavar="|".join(option.words), **more)
        else:
            sub.add_argument(flag, type=first_seat(words, most), metavar="SEAT", **more)


def chosen_options(options: argparse.Namespace) -> dict[str, Any]:
    """The command line's arguments, as options of a match."""
    given = {
        key.removeprefix("option_"): value
        for key, value in vars(options).items()
        if key.startswith("option_")
    }
    given["players"] = options.players
    return {key: value for key, value in given.items() if value is not None}


# Kinds of values


def int_at_least(words: Words, least: int) -> Callable[[str], int]:
    """Reads a whole number that is not below the least."""
    refused = "cli.number_from"
    return lambda text: _checked(text, int, lambda n: n >= least, words, refused, least)


def port_number(words: Words) -> Callable[[str], int]:
    """Reads a port; 0 is any that is free."""

    def read(text: str) -> int:
        if not text.isdecimal() or int(text[:9]) > 65_535:
            raise argparse.ArgumentTypeError(words.say("cli.not_a_port", found=text))
        return int(text)

    return read


def seconds(words: Words) -> Callable[[str], float]:
    """Reads a time above 0."""
    return lambda text: _checked(text, float, lambda n: n > 0, words, "cli.number_above", 0)


def seconds_or_none(words: Words) -> Callable[[str], float]:
    """Reads a time that may be 0."""
    return lambda text: _checked(text, float, lambda n: n >= 0, words, "cli.number_from", 0)


def share(words: Words) -> Callable[[str], float]:
    """Reads a share from 0 to 1, such as 1% or 0.01."""

    def read(text: str) -> float:
        percent = text.strip().removesuffix("%").strip()
        try:
            number = float(percent.replace(",", ".")) / (100 if percent != text.strip() else 1)
        except ValueError:
            number = -1.0
        if not 0 <= number <= 1:
            raise argparse.ArgumentTypeError(words.say("cli.not_a_share", found=text))
        return number

    return read


def number_of_players(words: Words, title: str, least: int, most: int) -> Callable[[str], int]:
    """Reads how many play."""

    def read(text: str) -> int:
        if not text.isdecimal() or not least <= int(text[:9]) <= most:
            refused = words.say("cli.not_for", game=title, least=least, most=most, found=text)
            raise argparse.ArgumentTypeError(refused)
        return int(text)

    return read


def one_of(words: Words, choices: Sequence[str]) -> Callable[[str], str]:
    """Reads one of several words."""

    def read(text: str) -> str:
        if text not in choices:
            among = words.say("cli.or").join(choices)
            raise argparse.ArgumentTypeError(words.say("cli.not_among", choices=among, found=text))
        return text

    return read


def first_seat(words: Words, most: int) -> Callable[[str], str]:
    """Reads a seat, or `draw`."""

    def read(text: str) -> str:
        if text != "draw" and not (text.isdecimal() and int(text[:9]) < most):
            raise argparse.ArgumentTypeError(words.say("cli.not_a_seat", last=most - 1, found=text))
        return text

    return read


def known_game(words: Words) -> Callable[[str], str]:
    """Reads the name of a game."""

    def read(text: str) -> str:
        known = registry.names()
        if text not in known:
            close = difflib.get_close_matches(text.lower(), known, n=1)
            hint = words.say("cli.did_you_mean", word=close[0]) if close else ""
            refused = words.say("cli.no_game", found=text, hint=hint, games=", ".join(known))
            raise argparse.ArgumentTypeError(refused)
        return text

    return read


Number = TypeVar("Number", int, float)


def _checked(
    text: str,
    kind: Callable[[str], Number],
    fits: Callable[[Number], bool],
    words: Words,
    refused: str,
    least: int,
) -> Number:
    try:
        number = kind(text)
    except ValueError:
        number = None
    if number is None or not fits(number):
        raise argparse.ArgumentTypeError(words.say(refused, least=least, found=text))
    return number
