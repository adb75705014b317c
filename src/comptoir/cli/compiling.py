"""A line to look at while something is compiled, the first time on a machine."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console

from comptoir.bots.background_compiler import work_for
from comptoir.bots.levels import fallback_level
from comptoir.engine.components import Components
from comptoir.engine.game import Game
from comptoir.engine.precompile import CompileTarget
from comptoir.engine.words import Words


def compile_bots(chosen: Game, specs: Iterable[str], words: Words, console: Console) -> None:
    """Compiles what these bots need and a match between them, or loads it from the cache."""
    for work in dict.fromkeys(map(work_for, specs)):
        compile_work(chosen, work, words, console)


def print_fallbacks(
    chosen: Game, components: Components, specs: Iterable[str], words: Words, console: Console
) -> None:
    """A line for each level that asks a network, where none fits and the evaluation searches instead."""
    for spec in dict.fromkeys(specs):
        level = fallback_level(spec, chosen, components)
        if level is not None:
            iterations = words.number(level.iterations)
            told = words.say(
                "network.none_fits", game=words.say("game.title"), bot=spec, iterations=iterations
            )
            console.print(told, style="dim", soft_wrap=True)


def compile_work(chosen: Game, work: CompileTarget, words: Words, console: Console) -> None:
    """Only the first time on this machine is it worth a line."""
    if work.is_ready(chosen):
        work.prepare(chosen)
        return
    line = words.say("compiling.told", title=words.say("game.title"))
    if not console.is_terminal:
        console.print(line)
    with console.status(line):
        work.prepare(chosen)
