"""Which bots there are: the levels, the same in all games, exact settings of the search, and custom bots.
Each is named by a short text, its spec. docs/bots.md has the table of them.

A spec is a level (`captain`, in French `capitaine`), a level with another number of iterations and trees
(`captain:20000`, `admiral:8000x4`) or with other figures (`clerk@new.toml`, a changed evaluation.toml;
`captain@mine.npz`, a network of `comptoir train`), an exact setting of the search (`search:5000` with the
evaluation, `network:200` with the game's network), a Python class (`mine.py:MyBot`) or any program
(`exec ./bot --fast`).
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
    asks_network: bool = False  # the game's network or that of `weights_file`; else the evaluation judges
    # of a level that asks a network: the iterations with the evaluation alone, where no network fits the
    # components; 0 for an exact setting, which is never replaced by another
    without_network: int = 0
    analysis: int = 0  # the iterations to compare actions, if that takes more than to choose one


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
        Level("merchant", 250, common_only=True),
        Level("captain", 200, asks_network=True, without_network=5_000, analysis=2_000),
        Level("admiral", 24_000, trees=8, asks_network=True, without_network=50_000),
    )
}
EXACT = {
    "search": Level("search"),
    "network": Level("network", asks_network=True),
}  # with iterations of one's own
# the levels that earlier versions had, and those that people now meet in their place
FORMER_LEVELS = {"pilot": "captain", "pilote": "captain", "navigator": "admiral", "navigateur": "admiral"}

NETWORK = ".npz"  # how the name of a network's file ends
MAX_ITERATIONS = 10_000_000  # of one bot: a tree takes some hundred bytes for each
MAX_TREES = 64
_BETWEEN_COMMAS = re.compile(r"""(?:[^,"']|"[^"]*"|'[^']*')+""")
_CLASS = re.compile(r"(?P<file>.+\.py):(?P<name>\w+)")
_AMOUNT = re.compile(r"(?P<iterations>[0-9]{1,9})(?:x(?P<trees>[0-9]{1,3}))?")


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
    name, colon, amount = name.partition(":")
    word = current_level(name.strip().lower())
    level = _levels_by_word().get(word)
    if level is None:
        raise OptionError(
            f"there is no bot {spec!r}{did_you_mean(word, _levels_by_word()) or '.'}"
            f" Bots: {', '.join(LEVELS)}; or an exact search such as 'search:5000' or 'network:200'."
            " A custom bot is 'mine.py:MyBot' or 'exec ./bot'."
        )
    if figures:
        level = _with_figures(level, figures, spec)
    if colon:
        level = _with_amount(level, amount, spec)
    elif level.name in EXACT:
        raise OptionError(f"{spec!r}: say how many iterations, such as '{level.name}:5000'")
    return level


def current_level(name: str) -> str:
    """The level of today that a stored name stands for: some levels of earlier versions are gone."""
    return FORMER_LEVELS.get(name, name)


def _with_figures(level: Level, figures: str, spec: str) -> Level:
    """A level with a network of its own, or with other weights: then those judge, and no network does."""
    if level.name == "passer-by":
        raise OptionError(
            f"{spec!r}: a passer-by judges nothing; name a level that does, such as 'clerk@{figures}'"
        )
    of_network = figures.endswith(NETWORK)
    if of_network and level.name == "clerk":
        raise OptionError(f"{spec!r}: a network needs a level that searches, such as 'captain@{figures}'")
    if level.name in EXACT and level.asks_network != of_network:
        right = "network:200" if of_network else "search:5000"
        raise OptionError(
            f"{spec!r}: 'search' takes an evaluation.toml and 'network' a file that ends in {NETWORK},"
            f" such as '{right}@{figures}'"
        )
    if of_network:
        without = 0 if level.name in EXACT else level.without_network or level.iterations
        return dataclasses.replace(level, weights_file=figures, asks_network=True, without_network=without)
    return dataclasses.replace(_by_evaluation(level), weights_file=figures)


def _by_evaluation(level: Level) -> Level:
    """A level as it searches without a network."""
    return dataclasses.replace(
        level,
        iterations=level.without_network or level.iterations,
        weights_file="",
        asks_network=False,
        without_network=0,
        analysis=0,
    )


def _with_amount(level: Level, amount: str, spec: str) -> Level:
    """A level with iterations, and perhaps trees, of its own: `20000` or `20000x4`."""
    found = _AMOUNT.fullmatch(amount)
    searches = level.iterations > 0 or level.name in EXACT
    iterations, trees = (int(found["iterations"]), int(found["trees"] or level.trees)) if found else (0, 0)
    if not (searches and iterations and trees):
        raise OptionError(
            f"{spec!r}: expected a level that searches and a number of iterations, such as 'captain:20000',"
            " or of iterations and trees, such as 'captain:20000x4'"
        )
    if iterations > MAX_ITERATIONS or trees > MAX_TREES:
        raise OptionError(f"{spec!r}: at most {MAX_ITERATIONS} iterations and {MAX_TREES} trees")
    without = iterations if level.without_network else 0
    return dataclasses.replace(
        level, iterations=iterations, trees=trees, without_network=without, analysis=iterations
    )


def exact_spec(level: Level) -> str:
    """The spec of a level that searches as an exact setting, which is the same with all components."""
    name = "network" if level.asks_network else "search"
    trees = f"x{level.trees}" if level.trees > 1 else ""
    figures = f"@{level.weights_file}" if level.weights_file else ""
    return f"{name}:{level.iterations}{trees}{figures}"


@cache
def _levels_by_word() -> dict[str, Level]:
    """The levels and exact settings by their names in either language."""
    return {
        words_of(None, lang, packages=("bots",)).say(f"{section}.{name}"): level
        for lang in LANGUAGES
        for section, levels in (("levels", LEVELS), ("exact", EXACT))
        for name, level in levels.items()
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
    analyses: bool = False,
) -> Bot:
    """The built-in bot that `spec` names: a level, perhaps with another number of iterations.

    `seconds` caps the thinking time of a decision, and then a choice depends on how fast and how busy the
    machine is; without it the choice is the same everywhere. A bot that `analyses` compares actions for
    people, and may take more iterations for it than to choose one.
    """
    level, evaluation, network = _playing(_read_level(spec), game, components)
    if level.iterations:
        from comptoir.bots.searcher import Searcher

        iterations = (level.analysis if analyses else 0) or level.iterations
        return Searcher(
            game,
            components,
            seed,
            iterations,
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


def _playing(
    level: Level, game: Game, components: Components
) -> tuple[Level, Evaluation | None, Network | None]:
    """A level as it plays with these components, and what it goes by if not by the game's evaluation."""
    if not level.asks_network:
        return level, game.load_evaluation(Path(level.weights_file)) if level.weights_file else None, None
    network = read_network(Path(level.weights_file), game) if level.weights_file else bundled_network(game)
    if network is not None and network.trained_on(components):
        return level, None, network
    if not level.without_network:
        what = f"{level.weights_file} was not trained" if level.weights_file else "no network was trained"
        raise OptionError(
            f"network: {what} on these components of {game.name}; 'search:5000' plays with any,"
            " and 'comptoir train' makes a network for them"
        )
    return _by_evaluation(level), None, None


def fallback_level(spec: str, game: Game, components: Components) -> Level | None:
    """A level that asks a network as it plays where none fits the components: by its evaluation, with more
    iterations. None if all is as it should be. Raises a DataError for a file that does not fit the game, and
    an OptionError for an exact setting whose network does not fit.
    """
    level = read(spec)
    if not isinstance(level, Level) or not level.asks_network:
        return None
    playing, _, _ = _playing(level, game, components)
    return None if playing.asks_network else playing


def by_evaluation(spec: str) -> str:
    """The same bot without a network: a level that asks one as the exact setting that searches without."""
    level = read(spec)
    if not isinstance(level, Level) or not level.without_network:
        return spec
    return exact_spec(_by_evaluation(level))


def interpreted_clerk(spec: str, game: Game, components: Components, seed: str) -> Bot:
    """What plays in a level's seat as long as that is not compiled: a clerk, with the level's figures."""
    from comptoir.bots.clerk import INTERPRETED_LOOK_AHEADS, Clerk

    level = _read_level(spec)
    if level.name == "passer-by":
        return make(spec, game, components, seed)
    _, evaluation, _ = _playing(level, game, components)
    return Clerk(game, components, seed, evaluation, interpreted=True, look_aheads=INTERPRETED_LOOK_AHEADS)
