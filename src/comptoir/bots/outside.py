"""A program that plays, by a line protocol on its standard input and output. docs/bots.md describes it for those who write one.

Here is only the talk and its watch: what may go wrong is a Fault, with a sentence for the report. Legality is the chair's.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import IO, Any

from comptoir.errors import OptionError

PROTOCOL = 1
LONGEST = 1 << 16  # bytes of a line
LAST_ERRORS = 2_000  # bytes of standard error that are kept
QUOTED = 60  # characters of a wrong answer in a report
NO_SUCH_BOT = 64  # the status of a process that found no such class
LOOK = 0.2  # seconds between two looks whether a silent program is still there
GRACE = 1.0  # seconds for a program to end by itself, and to tell a late answer from none


class Fault(Exception):
    """Why a bot loses its chair."""


class Outside:
    """One program, started for one match."""

    def __init__(self, command: Sequence[str], hello: dict[str, Any], *, limit: float, start: float) -> None:
        self._hello: dict[str, Any] | None = {"protocol": PROTOCOL, **hello}
        self._limit, self._start = limit, start
        self._errors = b""  # the last of what it wrote to its standard error
        pipe = subprocess.PIPE
        try:  # in a session of its own: it gets no Ctrl-C of ours, and is ended with all that it has started
            self._process = subprocess.Popen(command, bufsize=0, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True)
        except OSError as error:
            raise Fault(f"it could not be started: {error.strerror}") from None
        self._in, self._out, self._err = (_pipe(end) for end in (self._process.stdin, self._process.stdout, self._process.stderr))
        for end in (self._in, self._out, self._err):
            os.set_blocking(end.fileno(), False)

    # Talking

    def choose(self, view: dict[str, Any]) -> str:
        """The program's answer to a view: some text."""
        if self._hello is not None:
            self._ask("hello", self._hello, "ready", self._start)
            self._hello = None
        action = self._ask("choose", view, "play", self._limit)
        if not isinstance(action, str) or len(action) > QUOTED:
            raise Fault(f"it answered {_quote(json.dumps(action))}, not an action's text")
        return action

    def _ask(self, word: str, data: dict[str, Any], awaited: str, limit: float) -> Any:
        line = self._exchange(_message(word, data), limit)
        answer, _, rest = line.decode(errors="replace").strip().partition(" ")
        if answer != awaited:
            raise Fault(f"it answered {_quote(line)} to {word!r}, where {awaited!r} was awaited")
        try:
            return json.loads(rest) if rest else None
        except (ValueError, RecursionError):
            raise Fault(f"it answered {_quote(line)}: after {awaited!r} comes JSON") from None

    def _exchange(self, message: bytes, limit: float) -> bytes:
        """Sends a line and waits for one; past the limit for a moment, so that the report can tell late from silent."""
        begin = time.monotonic()
        if self._read_answer():
            raise Fault("it wrote a line before it was asked")
        line = b""
        with selectors.DefaultSelector() as ends:
            ends.register(self._in, selectors.EVENT_WRITE)
            ends.register(self._out, selectors.EVENT_READ)
            ends.register(self._err, selectors.EVENT_READ)
            while b"\n" not in line:
                left = begin + limit + min(limit, GRACE) - time.monotonic()
                if left <= 0:
                    raise Fault(f"it gave no answer within {limit:g} s")
                ready = [key.fileobj for key, _ in ends.select(min(left, LOOK))]
                if not ready and self._process.poll() is not None:  # something it has started may still hold its output
                    raise Fault(self._gone("output"))
                if self._err in ready and not self._read_errors():
                    ends.unregister(self._err)
                if self._in in ready:
                    message = self._write(message)
                    if not message:
                        ends.unregister(self._in)
                if self._out in ready:
                    line += self._read_answer()
                if len(line) > LONGEST:
                    raise Fault(f"it wrote a line of more than {LONGEST} bytes")
        took = time.monotonic() - begin
        if took > limit:
            raise Fault(f"it answered after {took:.2f} s; the limit is {limit:g} s")
        if message:
            raise Fault("it answered before it had heard all of the question")
        if line.index(b"\n") + 1 < len(line):
            raise Fault(f"it answered more than one line: {_quote(line)}")
        return line

    def _write(self, message: bytes) -> bytes:
        """Sends as much as the pipe takes; returns what is left."""
        try:
            return message[self._in.write(message) or 0 :]
        except BrokenPipeError:
            raise Fault(self._gone("input")) from None

    def _read_answer(self) -> bytes:
        """What has come, which may be nothing yet."""
        part = self._out.read(LONGEST)
        if part == b"":
            raise Fault(self._gone("output"))
        return part or b""

    def _read_errors(self) -> bool:
        """Keeps the last of what the program wrote to its standard error; False once that is closed."""
        part = self._err.read(LONGEST)
        self._errors = (self._errors + (part or b""))[-LAST_ERRORS:]
        return part != b""

    # Ending

    def close(self, result: dict[str, Any] | None) -> None:
        """Tells the program the result, if there is one, and that there is no more; then ends it."""
        with suppress(Fault):
            if result is not None and self._hello is None:
                self._write(_message("over", result))
        self._in.close()
        self._status(GRACE)
        self.kill()

    def kill(self) -> str:
        """Ends the program and all that it has started, leaving nothing behind; returns the last it wrote to its standard error."""
        with suppress(ProcessLookupError, PermissionError):  # nobody is left of them
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._read_errors()
        for end in (self._in, self._out, self._err):
            end.close()
        return self._errors.decode(errors="replace").strip()

    def _gone(self, end: str) -> str:
        """Why the talk has broken off."""
        status = self._status(GRACE)
        if status is None:
            return f"it closed its {end}"
        return f"it ended with status {status}" if status >= 0 else f"it was ended by signal {-status}, {signal.strsignal(-status)}"

    def _status(self, grace: float) -> int | None:
        """The status with which the program ended, below 0 for a signal; None if it has not ended within the grace."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(grace)
        return self._process.returncode


def _pipe(end: IO[bytes] | None) -> IO[bytes]:
    assert end is not None
    return end


def _message(word: str, data: dict[str, Any]) -> bytes:
    return f"{word} {json.dumps(data, separators=(',', ':'))}\n".encode()


def _quote(text: str | bytes) -> str:
    """A wrong answer as a report shows it: its start, on one line."""
    said = text.decode(errors="replace") if isinstance(text, bytes) else text
    said = said.strip()
    return repr(said if len(said) <= QUOTED else f"{said[:QUOTED]}…")


def try_out(spec: str, command: Sequence[str], limit: float = 30.0) -> None:
    """Raises an OptionError if a Python class cannot be loaded. It is loaded in a process of its own, as for a match."""
    try:
        tried = subprocess.run([*command, "--check"], capture_output=True, stdin=subprocess.DEVNULL, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        raise OptionError(f"{spec!r}: the file takes more than {limit:g} s to load; do the work in the class, not beside it") from None
    errors = tried.stderr.decode(errors="replace").strip()
    if tried.returncode == NO_SUCH_BOT:
        raise OptionError(errors.splitlines()[-1])
    if tried.returncode:
        raise OptionError(f"{spec!r} cannot be loaded:\n{errors[-LAST_ERRORS:]}")
