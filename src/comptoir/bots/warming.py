"""Calls a bot once, so that all it needs is compiled, or loaded from the cache."""

from __future__ import annotations

from pathlib import Path

from comptoir.bots.levels import make
from comptoir.engine.game import Game
from comptoir.engine.match import Match
from comptoir.engine.modes import cache_path

SPECS = {"clerk": "clerk", "search": "merchant:1"}  # asked once, each stands for all that need the same compiled functions


def mark(game: str, kind: str) -> Path:
    """A file in the cache that is there once a kind of bot was compiled for a game on this machine."""
    return cache_path() / f"{game}-{kind}"


def ask(chosen: Game, spec: str) -> None:
    """One decision in a match of no consequence, and its first action: the verbs that a match calls are compiled too."""
    chosen.compiled  # noqa: B018  asked for, so that the match uses it
    match = Match(chosen.name, seed="compiling")
    bot = make(spec, chosen, chosen.components, "compiling")
    match.play(bot.decide(match.hidden(match.turn), match.number))
    match.scores()
