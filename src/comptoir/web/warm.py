"""Bots are compiled once on a machine, a minute a game. A process beside the server does it, so that no page waits.

python -m comptoir.web.warm GAME      compiles what the bots of a game need
"""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys

from comptoir import games
from comptoir.bots.warming import SPECS, ask, mark
from comptoir.engine.game import game

logger = logging.getLogger(__name__)


class Warm:
    """Which games' bots are ready in this process. The one that somebody waits for is made ready first."""

    def __init__(self) -> None:
        self._ready = {name: asyncio.Event() for name in games.names()}
        self._asked: list[str] = []
        self._worker: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._worker = asyncio.create_task(self._work())

    def stop(self) -> None:
        if self._worker is not None:
            self._worker.cancel()

    def is_ready(self, name: str) -> bool:
        return self._ready[name].is_set()

    async def ready(self, name: str) -> None:
        """Waits until the bots of a game can think."""
        if not self._ready[name].is_set():
            self._asked.append(name)
        await self._ready[name].wait()

    async def _work(self) -> None:
        """All games, one after the other: first those whose turn it is, then those already compiled."""
        left = sorted(self._ready, key=lambda name: not _is_compiled(name))
        while left:
            name = next((name for name in self._asked if name in left), left[0])
            left.remove(name)
            try:
                if not _is_compiled(name):
                    await self._compile(name)
                await asyncio.to_thread(call, name)
            except Exception:
                logger.exception("the bots of %s could not be made ready", name)
            self._ready[name].set()  # even so: a bot that then fails is stood in for, and no table waits for ever

    async def _compile(self, name: str) -> None:
        command = [sys.executable, "-m", "comptoir.web.warm", name]
        process = await asyncio.create_subprocess_exec(*command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            await process.wait()
        except asyncio.CancelledError:
            process.kill()
            raise


def _is_compiled(name: str) -> bool:
    return all(mark(name, kind).exists() for kind in SPECS)


def call(name: str) -> None:
    """Calls every function that a table needs once: compiled, or loaded from the cache."""
    for kind, spec in SPECS.items():
        ask(game(name), spec)
        if mark(name, kind).parent.is_dir():
            mark(name, kind).touch()


if __name__ == "__main__":
    call(sys.argv[1])
