"""A line to look at while the rules are compiled, the first time on a machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from rich.console import Console

from comptoir.bots.levels import Level, make, read
from comptoir.engine.game import Game
from comptoir.engine.mask import new_mask
from comptoir.engine.match import Match
from comptoir.engine.modes import cache_path
from comptoir.engine.words import Words


def compile_rules(chosen: Game, words: Words, console: Console) -> None:
    """Compiles what a simulation needs, or loads it from the cache."""
    _compile({f"{chosen.name}-compiled": partial(_call, chosen)}, words, console)


def compile_bots(chosen: Game, specs: Sequence[str], words: Words, console: Console) -> None:
    """Compiles what these bots need at a table, so that other processes find it in the cache."""
    wanted = {"passer-by"}
    for found in map(read, specs):
        if isinstance(found, Level):
            wanted.add("merchant:1" if found.iterations else found.name)
    _compile({f"{chosen.name}-{spec.partition(':')[0]}": partial(_ask, chosen, spec) for spec in sorted(wanted)}, words, console)


def _compile(calls: dict[str, Callable[[], None]], words: Words, console: Console) -> None:
    """Each call compiles something; a file by its name says that it has."""
    markers = [cache_path() / name for name in calls]
    if all(marker.exists() for marker in markers):
        _call_all(calls)
        return
    line = words.say("simulate.compiling", title=words.say("game.title"))
    if not console.is_terminal:
        console.print(line)
    with console.status(line):
        _call_all(calls)
    for marker in markers:
        if marker.parent.is_dir():
            marker.touch()


def _call_all(calls: dict[str, Callable[[], None]]) -> None:
    for call in calls.values():
        call()


def _call(chosen: Game) -> None:
    """Numba compiles a function for the kinds of arguments it is called with: no game at all is enough."""
    positions = chosen.position.array(2)
    none = (np.zeros(0, np.int32), np.zeros(0, np.uint8), chosen.new_scores(0))
    chosen.compiled.playouts(positions, chosen.components.box, 1, new_mask(len(chosen.actions)), np.zeros(1, np.uint64), *none)


def _ask(chosen: Game, spec: str) -> None:
    """One decision, and all that a table asks of the rules."""
    chosen.compiled  # noqa: B018  asked for, so that the match uses it
    match = Match(chosen.name, seed=1)
    bot = make(spec, chosen, chosen.components, "1")
    match.play(bot.decide(match.hidden(match.turn), match.number))
    match.scores()
