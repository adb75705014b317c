"""The command `comptoir`. Each command is a module here, loaded only when it is used."""

from __future__ import annotations

import argparse
import importlib
import sys
from typing import Any, NoReturn

import comptoir
from comptoir import games
from comptoir.engine.words import Words, language, words_of
from comptoir.errors import ComptoirError

COMMANDS = ("serve", "play", "bots", "arena", "simulate", "rules", "replay", "verify", "components")


class Parser(argparse.ArgumentParser):
    """A parser whose help is in the chosen language and whose errors say what to do next."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}\n{self.prog} --help\n")


def main(arguments: list[str] | None = None) -> int:
    """Runs one command; returns its exit status. Bad input is answered with a sentence, never with a stack trace."""
    arguments = sys.argv[1:] if arguments is None else arguments
    try:
        words = words_of(None, language(_given(arguments, "--lang")))
        options = parser(arguments, words).parse_args(_with_command(arguments))
        module = importlib.import_module(f"comptoir.cli.{options.command}")
        status: int = module.run(options, words)
        return status
    except ComptoirError as error:
        print(f"comptoir: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader of our output has had enough
        sys.stderr.close()
        return 0
    except KeyboardInterrupt:
        return 130


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


def parser(arguments: list[str], words: Words) -> Parser:
    """The parser of all commands. A game named among the arguments adds its own options."""
    top = Parser(
        prog="comptoir",
        description=words.say("cli.about"),
        epilog=f"{words.say('cli.start')}\n{words.say('cli.more')}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        add_help=False,
    )
    _common(top, words)
    top.add_argument("--version", action="version", version=f"comptoir {comptoir.__version__}", help=words.say("cli.version"))
    commands = top.add_subparsers(dest="command", metavar="COMMAND", parser_class=Parser)
    named = next((name for name in arguments if name in games.names()), None)
    for name in COMMANDS:
        text = words.say(f"cli.{name}")
        epilog = words.say(f"cli.{name}_more") if name in ("serve", "play", "arena") else None
        sub = commands.add_parser(name, help=text, description=text, epilog=epilog, add_help=False)
        _common(sub, words)
        _ARGUMENTS[name](sub, words, named)
    return top


def _common(sub: argparse.ArgumentParser, words: Words) -> None:
    sub.add_argument("-h", "--help", action="help", help=words.say("cli.help"))
    sub.add_argument("--lang", metavar="LANG", default=argparse.SUPPRESS, help=words.say("cli.lang"))


def _game(sub: argparse.ArgumentParser, words: Words, **more: Any) -> None:
    sub.add_argument("game", metavar="GAME", help=words.say("cli.game", games=", ".join(games.names())), **more)


def _match_options(sub: argparse.ArgumentParser, words: Words, named: str | None) -> None:
    """--players, --seed, --components, and the options of the game that is named."""
    sub.add_argument("--players", type=int, metavar="N", help=words.say("cli.players"))
    sub.add_argument("--components", metavar="FILE", help=words.say("cli.file_components"))
    if named is None:
        return
    from comptoir.engine.game import game
    from comptoir.engine.option import Choice, Switch

    texts = words_of(named, words.lang)
    for option in game(named).options:
        flag, text = f"--{option.name.replace('_', '-')}", texts.say(f"options.{option.name}")
        if isinstance(option, Switch):
            sub.add_argument(flag, dest=f"option_{option.name}", action="store_const", const="yes", help=text)
        elif isinstance(option, Choice):
            sub.add_argument(flag, dest=f"option_{option.name}", metavar="|".join(option.words), help=text)
        else:
            sub.add_argument(flag, dest=f"option_{option.name}", metavar="SEAT", help=text)


def chosen_options(options: argparse.Namespace) -> dict[str, Any]:
    """What was given on the command line, as options of a match."""
    given = {key.removeprefix("option_"): value for key, value in vars(options).items() if key.startswith("option_")}
    given["players"] = options.players
    return {key: value for key, value in given.items() if value is not None}


def _serve(sub: argparse.ArgumentParser, words: Words, named: str | None) -> None:
    sub.add_argument("--host", default="127.0.0.1", metavar="ADDRESS", help=words.say("cli.host"))
    sub.add_argument("--port", type=int, metavar="N", help=words.say("cli.port"))
    sub.add_argument("--database", metavar="URL", help=words.say("cli.database"))
    sub.add_argument("--no-browser", dest="browser", action="store_false", help=words.say("cli.no_browser"))
    sub.add_argument("--pace", type=float, default=0.7, metavar="S", help=words.say("cli.pace"))
    sub.add_argument("--workers", type=int, default=1, metavar="N", help=words.say("cli.server_workers"))
    sub.add_argument("--proxy", metavar="ADDRESS", help=words.say("cli.proxy"))
    sub.add_argument("--log", default="", metavar="LEVEL", help=words.say("cli.log"))


def _play(sub: argparse.ArgumentParser, words: Words, named: str | None) -> None:
    _game(sub, words)
    _match_options(sub, words, named)
    sub.add_argument("--seed", help=words.say("cli.seed"))
    sub.add_argument("--bots", metavar="A,B,…", help=words.say("cli.play_bots"))
    sub.add_argument("--seconds", type=float, default=5.0, metavar="S", help=words.say("cli.seconds"))
    sub.add_argument("--limit", type=float, default=10.0, metavar="S", help=words.say("cli.limit"))
    sub.add_argument("--hotseat", nargs="?", type=int, const=0, metavar="N", help=words.say("cli.hotseat"))
    sub.add_argument("--names", metavar="A,B,…", help=words.say("cli.names"))
    sub.add_argument("--resume", nargs="?", const="", metavar="FILE", help=words.say("cli.resume"))


def _bots(sub: argparse.ArgumentParser, words: Words, named: str | None) -> None:
    sub.add_argument("--json", action="store_true", help=words.say("cli.json"))


def _arena(sub: argparse.ArgumentParser, words: Words, named: str | None) -> None:
    _game(sub, words)
    _match_options(sub, words, named)
    sub.add_argument("--bots", required=True, metavar="A,B,…", help=words.say("cli.bots_arena"))
    sub.add_argument("--games", type=int, default=200, metavar="N", help=words.say("cli.games_arena"))
    sub.add_argument("--seed", default="1", help=words.say("cli.seed_one"))
    sub.add_argument("--limit", type=float, metavar="SECONDS", help=words.say("cli.limit_arena"))
    sub.add_argument("--out", metavar="DIR", help=words.say("cli.out"))
    sub.add_argument("--fresh", action="store_true", help=words.say("cli.fresh"))
    sub.add_argument("--keep", metavar="DIR", help=words.say("cli.keep"))
    sub.add_argument("--picture", metavar="FILE", help=words.say("cli.picture"))
    sub.add_argument("--workers", type=int, metavar="N", help=words.say("cli.workers"))
    sub.add_argument("--ray", metavar="ADDRESS", help=words.say("cli.ray"))
    sub.add_argument("--json", action="store_true", help=words.say("cli.json"))


def _simulate(sub: argparse.ArgumentParser, words: Words, named: str | None) -> None:
    _game(sub, words)
    _match_options(sub, words, named)
    sub.add_argument("--games", type=int, default=100_000, metavar="N", help=words.say("cli.games"))
    sub.add_argument("--seed", default="1", help=words.say("cli.seed_one"))
    sub.add_argument("--threads", type=int, metavar="N", help=words.say("cli.threads"))
    sub.add_argument("--json", action="store_true", help=words.say("cli.json"))


def _rules(sub: argparse.ArgumentParser, words: Words, named: str | None) -> None:
    _game(sub, words, nargs="?")
    sub.add_argument("id", metavar="ID", nargs="?", help=words.say("cli.id"))
    sub.add_argument("--check", action="store_true", help=words.say("cli.check_rules"))
    sub.add_argument("--quiet", action="store_true", help=words.say("cli.quiet"))
    sub.add_argument("--json", action="store_true", help=words.say("cli.json"))


def _replay(sub: argparse.ArgumentParser, words: Words, named: str | None) -> None:
    sub.add_argument("file", metavar="FILE", help=words.say("cli.file"))
    moment = sub.add_mutually_exclusive_group()
    moment.add_argument("--at", type=int, metavar="N", help=words.say("cli.at"))
    moment.add_argument("--turn", type=int, metavar="N", help=words.say("cli.turn"))
    moment.add_argument("--step", action="store_true", help=words.say("cli.step"))
    sub.add_argument("--detail", action="store_true", help=words.say("cli.detail"))
    sub.add_argument("--seat", type=int, metavar="SEAT", help=words.say("cli.seat"))
    sub.add_argument("--json", action="store_true", help=words.say("cli.json"))


def _verify(sub: argparse.ArgumentParser, words: Words, named: str | None) -> None:
    sub.add_argument("file", metavar="FILE", help=words.say("cli.file"))
    sub.add_argument("--hash", metavar="HEX", help=words.say("cli.hash"))
    sub.add_argument("--json", action="store_true", help=words.say("cli.json"))


def _components(sub: argparse.ArgumentParser, words: Words, named: str | None) -> None:
    _game(sub, words)
    sub.add_argument("--check", metavar="FILE", help=words.say("cli.check_file"))
    sub.add_argument("--export", action="store_true", help=words.say("cli.export"))
    sub.add_argument("--json", action="store_true", help=words.say("cli.json"))


_ARGUMENTS = {
    "serve": _serve,
    "play": _play,
    "bots": _bots,
    "arena": _arena,
    "simulate": _simulate,
    "rules": _rules,
    "replay": _replay,
    "verify": _verify,
    "components": _components,
}
