"""A bar to look at while games are played, with the time left; Ctrl-C stops them, and what is played is
kept.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from comptoir.engine.words import Words

Value = TypeVar("Value")
LOOK_BACK = 3600  # seconds, for the speed: a game may take minutes


def with_progress(
    play: Callable[[Callable[[int, int], None]], Value], words: Words, errors: Console
) -> Value | None:
    """What `play` returns, which is given something to tell its progress to; None if it was stopped."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    done = total = 0
    hidden = not errors.is_terminal
    with Progress(
        *columns, console=errors, transient=True, disable=hidden, speed_estimate_period=LOOK_BACK
    ) as bar:
        task = bar.add_task(words.say("arena.running"), total=None)

        def progress(now: int, of: int) -> None:
            nonlocal done, total
            if of != total:  # what was played before says nothing about the time left
                bar.reset(task, total=of, completed=now)
            done, total = now, of
            bar.update(task, completed=now)

        try:
            return play(progress)
        except KeyboardInterrupt:
            pass
    errors.print(words.say("arena.stopped", done=done, total=total))
    return None
