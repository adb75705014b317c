"""Precompiling: the functions that some work with a game calls are compiled, or loaded, before it begins.

Each kind of work names them where it is done: `MATCH_TARGET` here, `PLAYOUTS_TARGET` in `simulate`, those of
bots in `bots.precompile`.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from comptoir.engine import cache, numba_backend
from comptoir.engine.game import Game
from comptoir.engine.interface import hide, imagine, legal, play, setup
from comptoir.engine.match import Match
from comptoir.engine.scoring import score_sheet, scores
from comptoir.engine.worlds import imagined_match


@dataclass(frozen=True)
class CompileTarget:
    """A named set of functions to compile for a game.

    `call` calls each of them once, with arguments of the types that the work passes.
    """

    name: str
    functions: tuple[Callable[..., object], ...]
    call: Callable[[Game], None]

    def is_ready(self, game: Game) -> bool:
        """Whether it was compiled on this machine before, and so loads quickly."""
        return self.mark(game).exists()

    def prepare(self, game: Game) -> None:
        """Compile, or load from the cache. May take minutes: the caller should report progress."""
        numba_backend.ANNOUNCED.add(game.name)
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
    imagined_match(match, match.turn, "compiling")
    match.play(decide(match))
    match.scores()
    match.score_sheet()


MATCH_TARGET = CompileTarget("match", (setup, legal, play, hide, imagine, scores, score_sheet), play_once)
