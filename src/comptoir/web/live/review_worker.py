"""The process that reviews matches: `python -m comptoir.web.live.review_worker`.

It is asked to continue one of its reviews for a second, again and again: the server decides with which one,
and how much of the machine that takes.
"""

from __future__ import annotations

import time
from typing import Any

from comptoir.engine import matchfile
from comptoir.errors import ComptoirError, DataError
from comptoir.review import Review, ReviewBuilder, serialize
from comptoir.review.analysis import JUDGES, REVIEW
from comptoir.web.limits import REVIEW_CPU_SECONDS, REVIEW_FILE_BYTES, REVIEW_MEMORY_BYTES
from comptoir.web.live.subprocess_worker import serve

STEP = 1.0  # seconds of work that a question asks for


class Reviewer:
    """The reviews under way, by the ids of their tables."""

    def __init__(self) -> None:
        self._makings: dict[str, ReviewBuilder] = {}

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        """Continues with a review: how far it has come, and its text if that is asked for or it is done.

        `none` if it cannot be made, `unknown` if this process has not begun it.
        """
        id = question["id"]
        if question["do"] == "go on" and id not in self._makings:
            return {"unknown": True}
        try:
            if question["do"] == "begin":
                self._makings[id] = _begin(question["match"], question["so_far"], deep=question["deep"])
            _go_on(self._makings[id])
        except ComptoirError:
            self._makings.pop(id, None)
            return {"none": True}
        so_far = self._makings[id].so_far
        if so_far.done:
            del self._makings[id]
        text = serialize.write(so_far) if so_far.done or question["text"] else ""
        return {"made": len(so_far.entries), "done": so_far.done, "text": text}


def _begin(text: str, so_far: str, *, deep: bool) -> ReviewBuilder:
    match = matchfile.parse(text)
    REVIEW.prepare(match.game)
    return ReviewBuilder(match, JUDGES[deep], so_far=_read(so_far))


def _go_on(making: ReviewBuilder) -> None:
    """For a while, and at least one action: a process that is replaced again and again still gets on."""
    ends = time.monotonic() + STEP
    while not making.so_far.done:
        making.step()
        if time.monotonic() >= ends:
            return


def _read(text: str) -> Review | None:
    """The stored part of it; what is no longer valid is computed again."""
    try:
        return serialize.read(text) if text else None
    except DataError:
        return None


def main() -> None:
    limits = {"seconds": REVIEW_CPU_SECONDS, "memory": REVIEW_MEMORY_BYTES, "largest_file": REVIEW_FILE_BYTES}
    serve(Reviewer().answer, too_hard={"memory": True}, nice=10, **limits)


if __name__ == "__main__":
    main()
