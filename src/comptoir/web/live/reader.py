"""Reads what strangers send beside the server, in a process that can be killed: components and match files.

The process is begun when somebody brings something, kept for the next, and ended when it takes too long, when
nothing has come for a while, and with the server.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

from comptoir.errors import DataError, MatchFileError
from comptoir.web.domain.table import Event, Refused, Row
from comptoir.web.ops.gate import Gate

# Seconds for an answer, by the clock on the wall. The process allows itself five of a processor's time; on a
# busy machine these take longer.
LIMIT = 15.0
START = 60.0  # and until it has loaded what it needs
IDLE = 300.0  # after which it is ended: it takes some 80 MB
WAITING = 4  # of one address; others have places of their own
LONGEST_ANSWER = 16 * 1024**2

SECRETS = ("COMPTOIR_DATABASE", "COMPTOIR_HOST_TOKEN")
COMMAND = (sys.executable, "-m", "comptoir.web.live.reading")


@dataclass(frozen=True)
class Brought:
    """A match that somebody brought: a table to be stored, with all its events."""

    row: Row
    events: list[Event]


class Reader:
    """Asks the process, one question after the other."""

    def __init__(self, *, limit: float = LIMIT, idle: float = IDLE) -> None:
        self.limit, self.idle = limit, idle
        self._gate = Gate(1, waiting=WAITING)
        self._process: asyncio.subprocess.Process | None = None
        self._end: asyncio.TimerHandle | None = None

    async def components(self, game: str, content: bytes) -> dict[str, Any]:
        """The components in a file. Raises Refused, or a DataError that lists what is wrong."""
        said = await self._ask({"do": "components", "game": game, "content": _text(content)})
        tables: dict[str, Any] = said["components"]
        return tables

    async def match(self, content: bytes, person: str) -> Brought:
        """The match in a file. Raises Refused, or a MatchFileError that names the line."""
        said = await self._ask({"do": "match", "person": person, "content": _text(content)})
        row = said["row"]
        row = Row(**row | {"names": tuple(row["names"]), "people": tuple(row["people"])})
        return Brought(row, [Event(*event) for event in said["events"]])

    async def stop(self) -> None:
        if self._end is not None:
            self._end.cancel()
        await self._kill()

    async def _ask(self, question: dict[str, Any]) -> dict[str, Any]:
        async with self._gate.enter():
            if self._end is not None:
                self._end.cancel()
            said = await self._answer(question)
            self._end = asyncio.get_running_loop().call_later(self.idle, self._rest)
        match said:
            case {"refused": [key, values]}:
                raise Refused.again(key, values)
            case {"data": [what, errors]}:
                raise DataError(what, errors)
            case {"file": [line, text, reason]}:
                raise MatchFileError(line, text, reason)
        return said

    async def _answer(self, question: dict[str, Any]) -> dict[str, Any]:
        """What the process says; if it does not in time, or has died of the question, it is replaced."""
        try:
            process = await self._ready()
            assert process.stdin is not None
            process.stdin.write(json.dumps(question).encode() + b"\n")
            said: dict[str, Any] = await self._line(process, self.limit)
            return said
        except (TimeoutError, OSError, ValueError, EOFError):
            await self._kill()
            raise Refused("guard.too_hard") from None
        except asyncio.CancelledError:  # its answer would be taken for the next one's
            await self._kill()
            raise

    async def _ready(self) -> asyncio.subprocess.Process:
        if self._process is None or self._process.returncode is not None:
            self._process = await asyncio.create_subprocess_exec(
                *COMMAND,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                limit=LONGEST_ANSWER,
                env=_environment(),
            )
            await self._line(self._process, START)
        return self._process

    async def _line(self, process: asyncio.subprocess.Process, seconds: float) -> Any:
        assert process.stdout is not None
        line = await asyncio.wait_for(process.stdout.readline(), seconds)
        if not line:
            raise EOFError
        return json.loads(line)

    def _rest(self) -> None:
        """Nothing has come for a while."""
        process, self._process = self._process, None
        if process is not None and process.returncode is None:
            process.kill()

    async def _kill(self) -> None:
        process, self._process = self._process, None
        if process is not None and process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()


def _environment() -> dict[str, str]:
    """It is told nothing of the server, such as the way to the database.

    One thread is enough for it: those of NumPy's libraries take memory.
    """
    kept = {key: value for key, value in os.environ.items() if key not in SECRETS}
    return kept | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


def _text(content: bytes) -> str:
    return base64.b64encode(content).decode()
