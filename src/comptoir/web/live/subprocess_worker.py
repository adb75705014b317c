"""A separate process for work that must not stop the server: it is asked one question after the other, and
can be killed in the middle of one.

The process is begun with the first question, kept for the next, and ended when it takes too long, when
nothing has come for a while, and with the server. A question is a line of JSON on the way in, its answer a
line on the way out.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from comptoir.time_source import SYSTEM_TIME, TimeSource
from comptoir.web.limits import (
    ADDRESS_READINGS_WAITING,
    READING_ANSWER_BYTES,
    READING_CPU_SECONDS,
    READING_MEMORY_BYTES,
)
from comptoir.web.ops.fair_queue import ConcurrencyLimit

START = 60.0  # seconds until it has loaded what it needs
IDLE = 300.0  # after which it is ended: it takes some 80 MB
WORKING = 0.003  # of a processor's time at least has a process that is not stuck, on however busy a machine
SECRETS = ("COMPTOIR_DATABASE", "COMPTOIR_ADMIN_TOKEN")


class WorkerFailed(Exception):
    """The process did not answer in time, or has died of the question."""


class SubprocessWorker:
    """Asks the process of a module. `limit`: the most seconds for an answer, of the system's time:
    it may hang.

    `patient`: as long as the process works, however slowly a busy machine lets it, it is waited for; `limit`
    is then for one that does nothing. Its own limit of CPU time ends one that works for ever.
    """

    def __init__(
        self,
        module: str,
        *,
        limit: float,
        idle: float = IDLE,
        patient: bool = False,
        time_source: TimeSource = SYSTEM_TIME,
    ) -> None:
        self.limit, self.idle, self.patient, self.time_source = limit, idle, patient, time_source
        self.command = (sys.executable, "-m", module)
        self._gate = ConcurrencyLimit(1, waiting=ADDRESS_READINGS_WAITING)
        self.process: asyncio.subprocess.Process | None = None
        self._end: asyncio.Task[None] | None = None

    async def ask(self, question: Mapping[str, object]) -> dict[str, Any]:
        """What it answers. Raises WorkerFailed, or Busy if too much of the same address waits already."""
        async with self._gate.enter():
            if self._end is not None:
                self._end.cancel()
            said = await self._answer(question)
            self._end = asyncio.create_task(self._rest())
        return said

    async def stop(self) -> None:
        if self._end is not None:
            self._end.cancel()
        await self._kill()

    async def _answer(self, question: Mapping[str, object]) -> dict[str, Any]:
        """What the process says; if it does not in time, or has died of the question, it is replaced."""
        try:
            process = await self._ready()
            assert process.stdin is not None
            process.stdin.write(json.dumps(question).encode() + b"\n")
            said: dict[str, Any] = await self._line(process, self.limit)
            return said
        except (TimeoutError, OSError, ValueError, EOFError):
            await self._kill()
            raise WorkerFailed from None
        except asyncio.CancelledError:  # its answer would be taken for the next one's
            await self._kill()
            raise

    async def _ready(self) -> asyncio.subprocess.Process:
        if self.process is None or self.process.returncode is not None:
            self.process = await asyncio.create_subprocess_exec(
                *self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                limit=READING_ANSWER_BYTES,
                env=_environment(),
            )
            await self._line(self.process, START)
        return self.process

    async def _line(self, process: asyncio.subprocess.Process, seconds: float) -> Any:
        assert process.stdout is not None
        reading, worked = asyncio.ensure_future(process.stdout.readline()), _cpu_seconds(process.pid)
        try:
            while not (await asyncio.wait({reading}, timeout=seconds))[0]:
                before, worked = worked, _cpu_seconds(process.pid)
                if not self.patient or worked - before < WORKING * seconds:
                    raise TimeoutError
        finally:
            reading.cancel()
        line = reading.result()
        if not line:
            raise EOFError
        return json.loads(line)

    async def _rest(self) -> None:
        """Ends the process when nothing has come for a while."""
        await self.time_source.sleep(self.idle)
        process, self.process = self.process, None
        if process is not None and process.returncode is None:
            process.kill()

    async def _kill(self) -> None:
        process, self.process = self.process, None
        if process is not None and process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()


def _cpu_seconds(process: int) -> float:
    """The CPU time that a process has had; 0 where the system does not tell."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text()
        user, system = stat.rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, AttributeError):
        return 0.0


def _environment() -> dict[str, str]:
    """It receives nothing of the server, such as the address of the database.

    One thread is enough for it: those of NumPy's libraries take memory.
    """
    kept = {key: value for key, value in os.environ.items() if key not in SECRETS}
    return kept | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


# In the process


def serve(
    answer: Callable[[dict[str, Any]], dict[str, Any]],
    too_hard: dict[str, Any],
    *,
    seconds: int = READING_CPU_SECONDS,
    memory: int = READING_MEMORY_BYTES,
    largest_file: int = 0,
    nice: int = 5,
) -> None:
    """Answers all that is asked on standard input; `too_hard` where a question takes too much memory."""
    limit_resource("RLIMIT_DATA", memory)
    limit_resource("RLIMIT_FSIZE", largest_file)
    with contextlib.suppress(AttributeError, OSError):
        os.nice(nice)  # people who play come first
    print(json.dumps("ready"), flush=True)
    for question in sys.stdin:
        limit_resource("RLIMIT_CPU", int(time.process_time()) + seconds + 1)
        try:
            said = answer(json.loads(question))
        except MemoryError:
            said = too_hard
        print(json.dumps(said), flush=True)


def limit_resource(what: str, most: int) -> None:
    """Where the system has limits for a process; where it has none, the server's clock is there still."""
    with contextlib.suppress(ImportError, AttributeError, ValueError, OSError):
        import resource

        kind = getattr(resource, what)
        resource.setrlimit(kind, (most, resource.getrlimit(kind)[1]))
