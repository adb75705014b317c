"""A program that plays, by a line protocol on its standard input and output.

docs/bot-protocol.md describes it for those who write one.

This module only talks and watches: what goes wrong is a Fault, with a sentence for the report. Whether an
answer is legal is the caller's to check.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import Any, TypeVar, cast

from comptoir.engine.view import View
from comptoir.errors import OptionError
from comptoir.time_source import SYSTEM_TIME

PROTOCOL = 2  # in 1, a view's ply was called number
MAX_LINE_BYTES = 1 << 16  # bytes of a line
LAST_ERRORS = 2_000  # bytes of standard error that are kept
QUOTED = 60  # characters of a wrong answer in a report
NO_SUCH_BOT = 64  # the status of a process that found no such class
LAST_WORDS_TIMEOUT = (
    0.2  # seconds for the last words of a program that has ended, if another still holds its output
)
EXIT_GRACE = 1.0  # seconds for a program to exit, and to tell a late answer from none
IN, OUT, ERR = range(3)  # a program's pipes

Answer = TypeVar("Answer")


class BotFailure(Exception):
    """Why a bot is replaced."""


class Pipes(asyncio.SubprocessProtocol):
    """What comes from a program, kept until it is asked for."""

    def __init__(self) -> None:
        self.said = bytearray()  # on its standard output, and not yet read
        self.errors = b""  # the last of what it wrote to its standard error
        self.closed: set[int] = set()
        self.deaf = False  # something could not be sent
        self.ended = self.gone = False  # the process, and its pipes too
        self._news = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.SubprocessTransport, transport)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Reads on, unless a line is too long already."""
        if fd == OUT:
            self.said += data
            if len(self.said) > MAX_LINE_BYTES:
                cast(asyncio.ReadTransport, self.transport.get_pipe_transport(OUT)).pause_reading()
        else:
            self.errors = (self.errors + data)[-LAST_ERRORS:]
        self._news.set()

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        self.closed.add(fd)
        self.deaf = self.deaf or (fd == IN and exc is not None)
        self._news.set()

    def process_exited(self) -> None:
        self.ended = True
        self._news.set()

    def connection_lost(self, exc: Exception | None) -> None:
        self.gone = True
        self._news.set()

    async def until(self, condition: Callable[[], bool], seconds: float) -> bool:
        """Whether a condition comes true in time."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while not condition():
                    self._news.clear()
                    await self._news.wait()
        return condition()

    @property
    def _input(self) -> asyncio.WriteTransport:
        return cast(asyncio.WriteTransport, self.transport.get_pipe_transport(IN))

    def send(self, message: bytes) -> None:
        if IN in self.closed or self._input.is_closing():
            self.deaf = True
        else:
            self._input.write(message)

    @property
    def is_sending(self) -> bool:
        return IN not in self.closed and self._input.get_write_buffer_size() > 0

    def close_input(self) -> None:
        if IN not in self.closed:
            self._input.write_eof()


class ExternalBot:
    """One program, started for one match."""

    def __init__(
        self, command: Sequence[str], hello: Mapping[str, object], *, limit: float, start: float
    ) -> None:
        self._hello: dict[str, object] | None = {"protocol": PROTOCOL, **hello}
        self._limit, self._start = limit, start
        self._pipes = _wait_for(_start(command))

    @property
    def unread(self) -> bool:
        """Whether it has written something that nobody has read yet."""
        return bool(self._pipes.said)

    # Talking

    def choose(self, view: View) -> str:
        """The program's answer to a view: some text."""
        if self._hello is not None:
            self._ask("hello", self._hello, "ready", self._start)
            self._hello = None
        action = self._ask("choose", view, "play", self._limit)
        if not isinstance(action, str) or len(action) > QUOTED:
            raise BotFailure(f"it answered {_quote(json.dumps(action))}, not an action's text")
        return action

    def _ask(self, word: str, data: object, awaited: str, limit: float) -> object:
        line = _wait_for(self.exchange(_message(word, data), limit))
        answer, _, rest = line.decode(errors="replace").strip().partition(" ")
        if answer != awaited:
            raise BotFailure(f"it answered {_quote(line)} to {word!r}, where {awaited!r} was awaited")
        try:
            return json.loads(rest) if rest else None
        except (ValueError, RecursionError):
            raise BotFailure(f"it answered {_quote(line)}: after {awaited!r} comes JSON") from None

    async def exchange(self, message: bytes, limit: float) -> bytes:
        """Sends a line and waits for one; past the limit for a moment, so that the report can tell late from
        silent.
        """
        pipes, begin = self._pipes, SYSTEM_TIME.monotonic()
        for _ in range(3):  # rounds of the loop, in which all that has come in is noticed
            await asyncio.sleep(0)
        if pipes.said:
            raise BotFailure("it wrote a line before it was asked")
        pipes.send(message)
        await pipes.until(self._has_answered, limit + min(limit, EXIT_GRACE))
        took = SYSTEM_TIME.monotonic() - begin
        if pipes.ended:
            await pipes.until(lambda: OUT in pipes.closed or b"\n" in pipes.said, LAST_WORDS_TIMEOUT)
        line = bytes(pipes.said)
        if len(line) > MAX_LINE_BYTES:
            raise BotFailure(f"it wrote a line of more than {MAX_LINE_BYTES} bytes")
        if pipes.deaf or b"\n" not in line:
            raise BotFailure(await self._silence(limit))
        if took > limit:
            raise BotFailure(f"it answered after {took:.2f} s; the limit is {limit:g} s")
        if pipes.is_sending:
            raise BotFailure("it answered before it had heard all of the question")
        if line.index(b"\n") + 1 < len(line):
            raise BotFailure(f"it answered more than one line: {_quote(line)}")
        pipes.said.clear()
        return line

    def _has_answered(self) -> bool:
        """Whether there is a line, too much for one, or no hope of one."""
        pipes = self._pipes
        hopeless = pipes.deaf or pipes.ended or OUT in pipes.closed
        return hopeless or b"\n" in pipes.said or len(pipes.said) > MAX_LINE_BYTES

    async def _silence(self, limit: float) -> str:
        """Why there is no answer."""
        pipes = self._pipes
        if not (pipes.deaf or pipes.ended or OUT in pipes.closed):
            return f"it gave no answer within {limit:g} s"
        if not await pipes.until(lambda: pipes.ended, EXIT_GRACE):
            return f"it closed its {'input' if pipes.deaf else 'output'}"
        status = pipes.transport.get_returncode() or 0
        if status < 0:
            return f"it was ended by signal {-status}, {signal.strsignal(-status)}"
        return f"it ended with status {status}"

    # Ending

    def close(self, result: Mapping[str, object] | None) -> None:
        """Tells the program the result, if there is one, and that there is no more; then ends it."""
        _wait_for(self._close(result))

    async def _close(self, result: Mapping[str, object] | None) -> None:
        pipes = self._pipes
        if result is not None and self._hello is None:
            pipes.send(_message("over", result))
        pipes.close_input()
        await pipes.until(lambda: pipes.ended, EXIT_GRACE)
        await self._kill()

    def kill(self) -> str:
        """Ends the program and all that it has started, leaving nothing behind; returns the last it wrote to
        its standard error.
        """
        return _wait_for(self._kill())

    async def _kill(self) -> str:
        pipes = self._pipes
        _end_all(pipes.transport.get_pid())
        await pipes.until(lambda: pipes.ended, EXIT_GRACE)
        await pipes.until(lambda: ERR in pipes.closed, LAST_WORDS_TIMEOUT)
        pipes.transport.close()
        await pipes.until(lambda: pipes.gone, EXIT_GRACE)
        return pipes.errors.decode(errors="replace").strip()


def _wait_for(talk: Coroutine[object, None, Answer]) -> Answer:
    """The result of some talk with a program, however long it takes."""
    talking = asyncio.run_coroutine_threadsafe(talk, _loop(os.getpid()))
    try:
        return talking.result()
    except BaseException:
        talking.cancel()  # we were interrupted
        raise


@cache
def _loop(process: int) -> asyncio.AbstractEventLoop:
    """The loop on which this process talks with programs, in a thread of its own: so a bot can be asked
    from any thread, and while another loop runs. A forked process needs another: threads are not forked.
    """
    loop: asyncio.AbstractEventLoop = asyncio.SelectorEventLoop()
    if sys.platform == "win32":
        loop = asyncio.ProactorEventLoop()  # the only one there that starts programs
    threading.Thread(target=loop.run_forever, name="programs that play", daemon=True).start()
    return loop


async def _start(command: Sequence[str]) -> Pipes:
    """Starts a program that does not receive our Ctrl-C, and can be ended with all that it has started."""
    alone: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":
        alone = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    try:
        _, pipes = await asyncio.get_running_loop().subprocess_exec(Pipes, *command, **alone)
    except OSError as error:
        raise BotFailure(f"it could not be started: {error.strerror}") from None
    return pipes


def _end_all(process: int) -> None:
    """Ends a program and all that it has started."""
    if sys.platform == "win32":
        command = ["taskkill", "/F", "/T", "/PID", str(process)]
        subprocess.run(command, capture_output=True, check=False)
        return
    with suppress(ProcessLookupError, PermissionError):  # nobody is left of them
        os.killpg(process, signal.SIGKILL)


def _message(word: str, data: object) -> bytes:
    return f"{word} {json.dumps(data, separators=(',', ':'))}\n".encode()


def _quote(text: str | bytes) -> str:
    """A wrong answer as a report shows it: its start, on one line."""
    said = text.decode(errors="replace") if isinstance(text, bytes) else text
    said = said.strip()
    return repr(said if len(said) <= QUOTED else f"{said[:QUOTED]}…")


def try_out(spec: str, command: Sequence[str], limit: float = 30.0) -> None:
    """Raises an OptionError if a Python class cannot be loaded.

    It is loaded in a process of its own, as for a match.
    """
    try:
        tried = subprocess.run(
            [*command, "--check"], capture_output=True, stdin=subprocess.DEVNULL, timeout=limit, check=False
        )
    except subprocess.TimeoutExpired:
        raise OptionError(
            f"{spec!r}: the file takes more than {limit:g} s to load; do the work in the class, not beside it"
        ) from None
    errors = tried.stderr.decode(errors="replace").strip()
    if tried.returncode == NO_SUCH_BOT:
        raise OptionError(errors.splitlines()[-1])
    if tried.returncode:
        raise OptionError(f"{spec!r} cannot be loaded:\n{errors[-LAST_ERRORS:]}")
