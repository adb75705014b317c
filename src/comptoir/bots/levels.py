"""Which bots there are: the levels, the same in all games, and custom bots. Each is named by a short text,
its spec.

A spec is a level (`captain`, in French `capitaine`), a level with another number of iterations
(`captain:20000`) or with other figures (`clerk@new.toml`, a changed evaluation.toml; `captain@mine.npz`, a
network of `comptoir train`), a Python class (`mine.py:MyBot`) or any program (`exec ./bot --fast`).
"""

from __future__ import annotations

import dataclasses
import re
import shlex
import shutil
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from comptoir.bots import Bot
from comptoir.bots.network import Network, bundled_network, read_network
from comptoir.engine.components import Components
from comptoir.engine.evaluation import Evaluation
from comptoir.engine.game import Game
from comptoir.engine.schema import did_you_mean
from comptoir.engine.words import LANGUAGES, words_of
from comptoir.errors import OptionError


@dataclass(frozen=True)
class Level:
    """How a level thinks: iterations of search, shared out among trees. No iterations: it does not search."""

    name: str
    iterations: int = 0
    trees: int = 1
    common_only: bool = False  # it considers only what most people would (`prune_uncommon`)
    weights_file: str = ""  # a file of figures, instead of the game's evaluation.toml; or of a network
    fallback: str = ""  # of a level that asks the game's network: the one that plays where there is none


@dataclass(frozen=True)
class Program:
    """A custom bot: the command that starts it, and what it is called at the table."""

    name: str
    command: tuple[str, ...]


LEVELS = {
    level.name: level
    for level in (
        Level("passer-by"),
        Level("clerk", common_only=True),
        Level("merchant", 500, common_only=True),
        Level("captain", 5_000),
        Level("pilot", 100, fallback="captain"),
        Level("admiral", 50_000, trees=8),
        Level("navigator", 50_000, trees=8, fallback="admiral"),
    )
}

LEVELS_WITHOUT_NETWORK = tuple(
    name for name, level in LEVELS.items() if not level.fallback
)  # need no network

NETWORK = ".npz"  # how the name of a network's file ends
_BETWEEN_COMMAS = re.compile(r"""(?:[^,"']|"[^"]*"|'[^']*')+""")
_CLASS = re.compile(r"(?P<file>.+\.py):(?P<name>\w+)")


def split_specs(text: str) -> list[str]:
    """The specs in a list such as `captain,exec ./bot "1,2"`. A comma between quotes does not separate."""
    specs = [part.strip() for part in _BETWEEN_COMMAS.findall(text) if part.strip()]
    if not specs:
        raise OptionError(f"bots: expected a list such as 'captain,clerk', found {text!r}")
    return specs


def read(spec: str) -> Level | Program:
    """What a spec names. Raises an OptionError if it makes no sense; `check` looks closer."""
    if spec.split()[:1] == ["exec"]:
        return _read_program(spec)
    own = _CLASS.fullmatch(spec)
    if own:
        return Program(own["name"], (sys.executable, "-m", "comptoir.bots.class_runner", spec))
    if spec.endswith(".py"):
        raise OptionError(f"{spec!r}: say which class of the file, such as '{spec}:MyBot'")
    return _read_level(spec)


def _read_program(spec: str) -> Program:
    try:
        command = shlex.split(spec)[1:]
    except ValueError as error:
        raise OptionError(f"{spec!r}: {str(error).lower()}; check the quotes") from None
    if not command:
        raise OptionError(f"{spec!r}: say which program, such as 'exec ./bot'")
    return Program(Path(command[0]).name, tuple(command))


def _read_level(spec: str) -> Level:
    name, _, figures = spec.partition("@")
    name, colon, iterations = name.partition(":")
    level = _levels_by_word().get(name.strip().lower())
    if level is None:
        raise OptionError(
            f"there is no bot {spec!r}{did_you_mean(name, _levels_by_word())} Bots: {', '.join(LEVELS)}."
            " A custom bot is 'mine.py:MyBot' or 'exec ./bot'."
        )
    if figures:
        if level.name == "passer-by":
            raise OptionError(
                f"{spec!r}: a passer-by judges nothing; name a level that does, such as 'clerk@{figures}'"
            )
        if figures.endswith(NETWORK) and not level.iterations:
            raise OptionError(f"{spec!r}: a network needs a level that searches, such as 'captain@{figures}'")
        level = dataclasses.replace(level, weights_file=figures)
    if not colon:
        return level
    if not (level.iterations and iterations.isdecimal() and int(iterations)):
        raise OptionError(
            f"{spec!r}: expected a level that searches and a number of iterations, such as 'captain:20000'"
        )
    return dataclasses.replace(level, iterations=int(iterations))


@cache
def _levels_by_word() -> dict[str, Level]:
    """The levels by their names in either language."""
    return {
        words_of(None, lang, packages=("bots",)).say(f"levels.{name}"): level
        for lang in LANGUAGES
        for name, level in LEVELS.items()
    }


def check(spec: str) -> None:
    """Raises an OptionError that says what is wrong with a spec, before a match is started with it."""
    found = read(spec)
    own = _CLASS.fullmatch(spec)
    if isinstance(found, Level):
        if found.weights_file and not Path(found.weights_file).is_file():
            raise OptionError(
                f"{spec!r}: there is no file {found.weights_file!r} here;"
                " copy a game's evaluation.toml and change its figures, or make a network with comptoir train"
            )
        return
    if own:
        if not Path(own["file"]).is_file():
            raise OptionError(
                f"{spec!r}: there is no file {own['file']!r} here;"
                " give the path to the Python file of your bot"
            )
        from comptoir.bots.external import try_out

        try_out(spec, found.command)
    elif shutil.which(found.command[0]) is None:
        path = Path(found.command[0])
        if path.is_file():
            raise OptionError(
                f"{spec!r}: {path} is not executable;"
                f" chmod +x {path}, or name what runs it: 'exec python3 {path}'"
            )
        raise OptionError(
            f"{spec!r}: there is no program {found.command[0]!r}; give its path, such as 'exec ./bot'"
        )


def make(
    spec: str,
    game: Game,
    components: Components,
    seed: str,
    *,
    seconds: float | None = None,
    threads: int | None = None,
) -> Bot:
    """The built-in bot that `spec` names: a level, perhaps with another number of iterations.

    `seconds` caps the thinking time of a decision, and then a choice depends on how fast and how busy the
    machine is; without it the choice is the same everywhere.
    """
    level = _read_level(spec)
    evaluation, network = _evaluator(level, game)
    if level.fallback and (network is None or not network.trained_on(components)):
        level = _fallen_back(level)
    if level.iterations:
        from comptoir.bots.searcher import Searcher

        return Searcher(
            game,
            components,
            seed,
            level.iterations,
            level.trees,
            seconds,
            threads,
            evaluation,
            network,
            common_only=level.common_only,
        )
    if level.name == "clerk":
        from comptoir.bots.clerk import Clerk

        return Clerk(game, components, seed, evaluation)
    from comptoir.bots.passer_by import PasserBy

    return PasserBy(game, components, seed)


def _fallen_back(level: Level) -> Level:
    """The level that plays in its place, with its figures, and its iterations if those were asked for."""
    instead = dataclasses.replace(LEVELS[level.fallback], weights_file=level.weights_file)
    asked_for = level.iterations != LEVELS[level.name].iterations
    return dataclasses.replace(instead, iterations=level.iterations) if asked_for else instead


def _evaluator(level: Level, game: Game) -> tuple[Evaluation | None, Network | None]:
    """What a level goes by, if not by the game's evaluation alone."""
    if level.weights_file.endswith(NETWORK):
        return None, read_network(Path(level.weights_file), game)
    evaluation = game.load_evaluation(Path(level.weights_file)) if level.weights_file else None
    return evaluation, bundled_network(game) if level.fallback else None


@cache
def levels_of(game: Game) -> tuple[str, ...]:
    """The levels that are themselves in a game as it is printed, from the weakest on: where no network comes
    with it, those that ask one are others under their names.
    """
    return tuple(LEVELS) if bundled_network(game) else LEVELS_WITHOUT_NETWORK


def fallback_level(spec: str, game: Game, components: Components) -> str | None:
    """The level that plays in place of one that asks a network, where that knows nothing of the game or of
    its components; None if all is as it should be. Raises a DataError for a file that does not fit the game.
    """
    level = read(spec)
    if not isinstance(level, Level):
        return None
    _, network = _evaluator(level, game)
    known = network is not None and network.trained_on(components)
    return level.fallback or None if not known else None


def interpreted_clerk(spec: str, game: Game, components: Components, seed: str) -> Bot:
    """What plays in a level's seat as long as that is not compiled: a clerk, with the level's figures."""
    from comptoir.bots.clerk import INTERPRETED_LOOK_AHEADS, Clerk

    level = _read_level(spec)
    if level.name == "passer-by":
        return make(spec, game, components, seed)
    evaluation, _ = _evaluator(level, game)
    return Clerk(game, components, seed, evaluation, interpreted=True, look_aheads=INTERPRETED_LOOK_AHEADS)
