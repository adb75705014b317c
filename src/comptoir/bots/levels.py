"""The levels, the same in all games, and bots made from the words that name them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from comptoir.bots import Bot
from comptoir.engine.components import Components
from comptoir.engine.game import Game
from comptoir.engine.schema import did_you_mean
from comptoir.errors import OptionError


@dataclass(frozen=True)
class Level:
    """How a level thinks: iterations of search, shared out among trees. No iterations: it does not search."""

    name: str
    iterations: int = 0
    trees: int = 1


LEVELS = {
    level.name: level
    for level in (
        Level("passer-by"),
        Level("clerk"),
        Level("merchant", 500),
        Level("captain", 5_000),
        Level("admiral", 50_000, trees=8),
    )
}


def split_specs(text: str) -> list[str]:
    """The specs in a list such as `captain,clerk`."""
    return [spec.strip() for spec in text.split(",") if spec.strip()]


def read(spec: str) -> Level:
    """What a spec names: a level, or one that searches with iterations of its own."""
    name, _, iterations = spec.partition(":")
    if name not in LEVELS:
        raise OptionError(f"there is no bot {spec!r}{did_you_mean(name, LEVELS)} Bots: {', '.join(LEVELS)}.")
    level = LEVELS[name]
    if iterations and not (level.iterations and iterations.isdecimal() and int(iterations)):
        raise OptionError(f"{spec!r}: expected a level that searches and a number of iterations, such as 'captain:20000'")
    return replace(level, iterations=int(iterations)) if iterations else level


def check(spec: str) -> None:
    """Raises an OptionError that says what is wrong with a spec, before a match is started with it."""
    read(spec)


def make(spec: str, game: Game, components: Components, seed: str, *, seconds: float | None = None, threads: int | None = None) -> Bot:
    """The bot that `spec` names: a level, or a level that searches with iterations of its own (`captain:20000`).

    `seconds` caps the thinking time of a decision, for live play; without it a choice is the same on every machine.
    """
    level = read(spec)
    if level.name == "passer-by":
        from comptoir.bots.passer_by import PasserBy

        return PasserBy(game, components, seed)
    if level.name == "clerk":
        from comptoir.bots.clerk import Clerk

        return Clerk(game, components, seed)
    from comptoir.bots.searcher import Searcher

    return Searcher(game, components, seed, level.iterations, level.trees, seconds, threads)
