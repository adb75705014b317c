"""A line to look at while the rules are compiled, the first time on a machine."""

from __future__ import annotations

import numpy as np
from rich.console import Console

from comptoir.engine.game import Game
from comptoir.engine.mask import new_mask
from comptoir.engine.modes import cache_path
from comptoir.engine.words import Words


def compile_rules(chosen: Game, words: Words, console: Console) -> None:
    """Compiles what a simulation needs, or loads it from the cache."""
    marker = cache_path() / f"{chosen.name}-compiled"
    if marker.exists():
        _call(chosen)
        return
    line = words.say("simulate.compiling", title=words.say("game.title"))
    if not console.is_terminal:
        console.print(line)
    with console.status(line):
        _call(chosen)
    if marker.parent.is_dir():
        marker.touch()


def _call(chosen: Game) -> None:
    """Numba compiles a function for the kinds of arguments it is called with: no game at all is enough."""
    positions = chosen.position.array(2)
    none = (np.zeros(0, np.int32), np.zeros(0, np.uint8), chosen.new_scores(0))
    chosen.compiled.playouts(positions, chosen.components.box, 1, new_mask(len(chosen.actions)), np.zeros(1, np.uint64), *none)
