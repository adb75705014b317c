"""Random matches that checks look at."""

from __future__ import annotations

import random
from collections.abc import Iterator

from comptoir.engine.game import Game
from comptoir.engine.match import Match
from comptoir.engine.plain import OptionValue

# Names that players may have: markup, an entity, a value's place, and one as wide as names can be.
HOSTILE = ("<b>&\"'", "</svg>", "&amp;", "]]>{name}", "W" * 24, "O'Neill", "--><!--", "%s")


def random_match(
    game: Game, options: dict[str, OptionValue], seed: int, names: tuple[str, ...] = (), most: int = 10**9
) -> Match:
    """A match played at random to its end, or for at most so many decisions."""
    players = int(game.read_options(**options)["players"])
    match = Match(
        game.name, seed=seed, names=names[:players] or None, position=None, components=None, **options
    )
    chance = random.Random(seed)
    while not match.over and match.ply < most:
        match.play(chance.choice(match.actions()))
    return match


def moments(match: Match, number: int) -> Iterator[Match]:
    """About so many moments of a match, at even distances: its start and its end are among them."""
    for ply in sorted({match.ply * step // max(1, number - 1) for step in range(number)}):
        yield match.at(ply)
