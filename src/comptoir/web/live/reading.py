"""The process that reads what strangers send: `python -m comptoir.web.live.reading`.

A question is a line of JSON on the way in, its answer a line on the way out. What a question does is done
here alone: it can be killed in the middle, and the server has lost nothing.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import sys
import time
from typing import IO, Any

from comptoir.errors import DataError, MatchFileError
from comptoir.web.domain.foreign import read_components
from comptoir.web.domain.table import Refused
from comptoir.web.view.replays import bring, read_match

SECONDS = 5  # of a processor's time for a question
MEMORY = 1024**3


def answer(question: dict[str, Any]) -> dict[str, Any]:
    """What comes of a question: plain data, or what is wrong."""
    content = base64.b64decode(question["content"])
    try:
        if question["do"] == "components":
            return {"components": read_components(question["game"], content)}
        table, events = bring(read_match(content), question["person"])
        return {"row": vars(table.row()), "events": [list(vars(event).values()) for event in events]}
    except Refused as error:
        return {"refused": [error.key, error.values]}
    except DataError as error:
        return {"data": [error.what, error.errors]}
    except MatchFileError as error:
        return {"file": [error.line, error.text[:200], error.reason[:2_000]]}


def serve(questions: IO[str], answers: IO[str]) -> None:
    print(json.dumps("ready"), file=answers, flush=True)
    for question in questions:
        _limit("RLIMIT_CPU", int(time.process_time()) + SECONDS + 1)
        try:
            said = answer(json.loads(question))
        except MemoryError:
            said = {"refused": ["guard.too_hard", {}]}
        print(json.dumps(said), file=answers, flush=True)


def _limit(what: str, most: int) -> None:
    """Where the system has limits for a process; where it has none, the server's clock is there still."""
    with contextlib.suppress(ImportError, AttributeError, ValueError, OSError):
        import resource

        kind = getattr(resource, what)
        resource.setrlimit(kind, (most, resource.getrlimit(kind)[1]))


def main() -> None:
    _limit("RLIMIT_DATA", MEMORY)
    _limit("RLIMIT_FSIZE", 0)
    with contextlib.suppress(AttributeError, OSError):
        os.nice(5)  # people who play come first
    serve(sys.stdin, sys.stdout)


if __name__ == "__main__":
    main()
