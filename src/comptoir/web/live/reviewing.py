"""The process that reviews matches: `python -m comptoir.web.live.reviewing`.

It is asked to go on for a second, again and again: the server decides how much of the machine that takes.
"""

from __future__ import annotations

import time
from typing import Any

from comptoir.engine import matchfile
from comptoir.errors import ComptoirError, DataError
from comptoir.review import Making, Review, file
from comptoir.review.thinking import LEVEL, REVIEW
from comptoir.web.limits import REVIEW_CPU_SECONDS, REVIEW_FILE_BYTES, REVIEW_MEMORY_BYTES
from comptoir.web.live.beside import serve

STEP = 1.0  # seconds of work that a question asks for


class Reviewer:
    """The review under way: one at a time."""

    def __init__(self) -> None:
        self._making: Making | None = None

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        """How far it has come, and what there is of it; `none` if it cannot be made."""
        try:
            if question["do"] == "begin":
                self._begin(question["match"], question["so_far"])
            else:
                self._go_on()
        except ComptoirError:
            return {"none": True}
        assert self._making is not None
        so_far = self._making.so_far
        return {"made": len(so_far.entries), "done": so_far.done, "text": file.write(so_far)}

    def _begin(self, text: str, so_far: str) -> None:
        match = matchfile.parse(text)
        REVIEW.prepare(match.game)
        self._making = Making(match, LEVEL, so_far=_read(so_far))

    def _go_on(self) -> None:
        assert self._making is not None
        ends = time.monotonic() + STEP
        while not self._making.so_far.done and time.monotonic() < ends:
            self._making.step()


def _read(text: str) -> Review | None:
    """What was kept of it; what makes no sense any more is made anew."""
    try:
        return file.read(text) if text else None
    except DataError:
        return None


def main() -> None:
    limits = {"seconds": REVIEW_CPU_SECONDS, "memory": REVIEW_MEMORY_BYTES, "largest_file": REVIEW_FILE_BYTES}
    serve(Reviewer().answer, too_hard={"none": True}, nice=10, **limits)


if __name__ == "__main__":
    main()
