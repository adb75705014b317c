"""Bots are compiled once on a machine, by a separate process: no page waits, and until then clerks
that are interpreted play for them.
"""

from __future__ import annotations

import asyncio
import logging
import subprocess
from collections.abc import Callable

from comptoir.bots.background_compiler import COMPILE_TARGETS, command
from comptoir.engine import registry
from comptoir.engine.game import get_game

logger = logging.getLogger(__name__)


class Precompiler:
    """Which games' bots are ready in this process. The one that somebody plays is made ready first."""

    def __init__(self) -> None:
        self._ready = {name: asyncio.Event() for name in registry.names()}
        self.wanted: list[str] = []
        self.compiling: tuple[str, asyncio.subprocess.Process] | None = None
        self._put_off = False
        self._worker: asyncio.Task[None] | None = None
        self.on_ready: Callable[[str], None] = lambda name: None  # of a game that is ready now

    def start(self) -> None:
        self._worker = asyncio.create_task(self._work())

    async def stop(self) -> None:
        if self._worker is not None:
            self._worker.cancel()
            await asyncio.gather(self._worker, return_exceptions=True)

    def is_ready(self, name: str) -> bool:
        return self._ready[name].is_set()

    def mark_ready(self, name: str) -> None:
        """From now on the bots of a game can think."""
        self._ready[name].set()
        self.on_ready(name)

    async def wait_until_ready(self, name: str) -> None:
        """Waits until the bots of a game can think."""
        self.prioritise(name)
        await self._ready[name].wait()

    def prioritise(self, name: str) -> None:
        """Somebody plays this game: one that nobody plays can be compiled later."""
        if self.is_ready(name) or name in self.wanted:
            return
        self.wanted.append(name)
        if self.compiling is not None and self.compiling[0] not in self.wanted:
            self._put_off = True
            self.compiling[1].kill()

    async def _work(self) -> None:
        """All games, one after the other: first those that are played, then those already compiled."""
        left = sorted(self._ready, key=lambda name: not is_compiled(name))
        while left:
            name = next((name for name in self.wanted if name in left), left[0])
            left.remove(name)
            try:
                if not is_compiled(name) and not await self._compile(name):
                    left.append(name)
                    continue
                await asyncio.to_thread(call, name)
            except Exception:
                logger.exception("the bots of %s could not be made ready", name)
            # even so: a bot that then fails is stood in for, and no table waits for ever
            self.mark_ready(name)

    async def _compile(self, name: str) -> bool:
        """False if another game was wanted before this one was done; what was compiled is kept."""
        process = await asyncio.create_subprocess_exec(
            *command(get_game(name)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self.compiling, self._put_off = (name, process), False
        try:
            await process.wait()
        except asyncio.CancelledError:
            process.kill()
            await process.wait()
            raise
        finally:
            self.compiling = None
        return not self._put_off


def is_compiled(name: str) -> bool:
    return all(work.is_ready(get_game(name)) for work in COMPILE_TARGETS.values())


def call(name: str) -> None:
    """Calls every function that a table needs once: compiled, or loaded from the cache."""
    for work in COMPILE_TARGETS.values():
        work.prepare(get_game(name))
