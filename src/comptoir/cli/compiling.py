"""A line to look at while something is compiled, the first time on a machine."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
from rich.console import Console

from comptoir.bots.warming import SPECS, ask, mark
from comptoir.engine.game import Game
from comptoir.engine.mask import new_mask
from comptoir.engine.words import Words


def compile_rules(chosen: Game, words: Words, console: Console) -> None:
    """Compiles what a simulation needs, or loads it from the cache."""
    _compile(mark(chosen.name, "compiled"), "simulate.compiling", lambda: _call_playouts(chosen), words, console)


def compile_bots(chosen: Game, specs: Iterable[str], words: Words, console: Console) -> None:
    """Compiles what these bots need, or loads it from the cache. A passer-by needs nothing, and own bots see to themselves."""
    from comptoir.bots.levels import Level, read

    levels = [found for spec in specs if isinstance(found := read(spec), Level)]
    if any(level.name == "clerk" for level in levels):
        _compile(mark(chosen.name, "clerk"), "bots.compiling", lambda: ask(chosen, SPECS["clerk"]), words, console)
    if any(level.iterations for level in levels):
        _compile(mark(chosen.name, "search"), "bots.compiling", lambda: ask(chosen, SPECS["search"]), words, console)


def _compile(marker: Path, key: str, call: Callable[[], None], words: Words, console: Console) -> None:
    """Makes a call that compiles; only the first time on this machine is it worth a line."""
    if marker.exists():
        call()
        return
    line = words.say(key, title=words.say("game.title"))
    if not console.is_terminal:
        console.print(line)
    with console.status(line):
        call()
    if marker.parent.is_dir():
        marker.touch()


def _call_playouts(chosen: Game) -> None:
    """Numba compiles a function for the kinds of arguments it is called with: no game at all is enough."""
    positions = chosen.position.array(2)
    none = (np.zeros(0, np.int32), np.zeros(0, np.uint8), chosen.new_sheets(0), 1)
    chosen.compiled.playouts(positions, chosen.components.box, 1, new_mask(len(chosen.actions)), np.zeros(1, np.uint64), *none)
