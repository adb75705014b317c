"""Bots are compiled once on a machine; until then an interpreted clerk plays in their seats.

python -m comptoir.bots.background_compiler GAME [WORK ...]     compiles what the bots of a game need
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence

from comptoir.bots import Bot
from comptoir.bots.levels import Level, interpreted_clerk, make, read
from comptoir.bots.search import look_ahead, prune_cycles, prune_uncommon_actions, search
from comptoir.engine.components import Components
from comptoir.engine.game import Game, get_game
from comptoir.engine.interface import cycle_key
from comptoir.engine.match import Match
from comptoir.engine.precompile import MATCH_TARGET, CompileTarget, play_once
from comptoir.engine.rule import Position


def _asking(name: str, spec: str, thinks: Callable[..., object]) -> CompileTarget:
    """What a level calls; asked once, it stands for all that need the same."""

    def ask(game: Game) -> None:
        bot = make(spec, game, game.components, "compiling")

        def decide(match: Match) -> int:
            return bot.choose_index(match.seen_by(match.turn), match.ply)

        play_once(game, decide)

    return CompileTarget(
        name, (*MATCH_TARGET.functions, cycle_key, prune_cycles, prune_uncommon_actions, thinks), ask
    )


CLERK, SEARCH = _asking("clerk", "clerk", look_ahead), _asking("search", "merchant:1", search)
COMPILE_TARGETS = {work.name: work for work in (MATCH_TARGET, CLERK, SEARCH)}


def work_for(spec: str) -> CompileTarget:
    """What a bot needs. A passer-by needs only a match to play in, and own bots see to themselves."""
    level = read(spec)
    if not isinstance(level, Level) or level.name == "passer-by":
        return MATCH_TARGET
    return SEARCH if level.iterations else CLERK


class BackgroundCompiler:
    """Compiles what bots of a game need in a process of its own. `stop` it, or use it in a `with`."""

    def __init__(self, game: Game, specs: Iterable[str]) -> None:
        self.game = game
        works = dict.fromkeys(work for work in map(work_for, specs) if work is not MATCH_TARGET)
        missing = [work for work in works if not work.is_ready(game)]
        self.process = _start(command(game, *missing)) if missing else None

    def __enter__(self) -> BackgroundCompiler:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def is_ready(self, spec: str) -> bool:
        """Whether a bot can be asked; also if nothing more is done about it, and it has to be compiled
        here.
        """
        ended = self.process is None or self.process.poll() is not None
        work = work_for(spec)
        return ended or work is MATCH_TARGET or work.is_ready(self.game)

    def stop(self) -> None:
        """Functions compiled so far stay cached."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()


def _start(command: list[str]) -> subprocess.Popen[bytes]:
    """Apart from the terminal: Ctrl-C is not for it."""
    nothing = subprocess.DEVNULL
    return subprocess.Popen(command, stdin=nothing, stdout=nothing, stderr=nothing, start_new_session=True)


class CompilingBot(Bot):
    """A level that is compiled in the background: until it is ready, an interpreted clerk decides for it.

    Which decisions are the clerk's depends on how long compiling takes; each of them does not.
    """

    def __init__(
        self,
        spec: str,
        game: Game,
        components: Components,
        seed: str,
        compiler: BackgroundCompiler,
        seconds: float | None,
    ) -> None:
        super().__init__(game, components, seed)
        self.spec, self.compiler, self.seconds = spec, compiler, seconds
        self._clerk = interpreted_clerk(spec, game, components, seed)
        self._bot: Bot | None = None

    @property
    def waits(self) -> bool:
        return self._bot is None and not self.compiler.is_ready(self.spec)

    def choose_index(self, view: Position, number: int, earlier: Sequence[Position] = ()) -> int:
        if self.waits:
            return self._clerk.choose_index(view, number, earlier)
        if self._bot is None:
            self._bot = make(self.spec, self.game, self.components, self.seed, seconds=self.seconds)
        return self._bot.choose_index(view, number, earlier)


def command(game: Game, *works: CompileTarget) -> list[str]:
    """What compiles in a process of its own."""
    return [
        sys.executable,
        "-m",
        "comptoir.bots.background_compiler",
        game.name,
        *(work.name for work in works),
    ]


def main(name: str, *works: str) -> None:
    for work in works or COMPILE_TARGETS:
        COMPILE_TARGETS[work].prepare(get_game(name))


if __name__ == "__main__":
    main(*sys.argv[1:])
