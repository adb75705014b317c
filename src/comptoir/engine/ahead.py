"""Compiling ahead: what some work with a game needs is compiled before the work begins, or loaded.

Each kind of work says where it is done what it calls (`MATCH` here, `PLAYOUTS` in `simulate`, a bot's in
`bots.warming`).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from comptoir.engine import cache, native
from comptoir.engine.game import Game
from comptoir.engine.match import Match
from comptoir.engine.scoring import score_sheet, scores
from comptoir.engine.verbs import hide, imagine, legal, play, setup


@dataclass(frozen=True)
class Work:
    """Something to be done with a game by functions that are compiled.

    `call` calls each of them once, with the kinds of arguments that the work has for them.
    """

    name: str
    functions: tuple[Any, ...]
    call: Callable[[Game], None]

    def is_ready(self, game: Game) -> bool:
        """Whether it was compiled on this machine; then it is loaded in a moment."""
        return self.mark(game).exists()

    def prepare(self, game: Game) -> None:
        """Compiles or loads it. Whoever calls this tells that it takes a while."""
        native.TOLD.add(game.name)
        self.call(game)
        with suppress(OSError):
            self.mark(game).touch()

    def mark(self, game: Game) -> Path:
        return cache.root() / game.name / f"{self.name}.{game.interpreted.fingerprint(*self.functions)}"


def play_once(game: Game, decide: Callable[[Match], int | str] = lambda match: match.actions()[0]) -> None:
    """One decision, and its action, in a match of no consequence."""
    game.compiled  # noqa: B018  asked for, so that the match uses it
    match = Match(game.name, seed="compiling")
    assert match.turn is not None
    match.seen_by(match.turn)
    match.imagined(match.turn, "compiling")
    match.play(decide(match))
    match.scores()
    match.score_sheet()


MATCH = Work("match", (setup, legal, play, hide, imagine, scores, score_sheet), play_once)
