"""What all that is shown in a terminal shares: what may reach it, and how seats are marked."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from comptoir.engine.names import without_invisible

# Seats are told apart by shape as well as colour.
SEAT_MARKS = (
    ("▲", "#e0693a"),
    ("■", "#3f8fc8"),
    ("●", "#2fa67c"),
    ("◆", "#a96bbd"),
    ("★", "#c99a2e"),
    ("▼", "#4f9aa6"),
    ("✚", "#c0576f"),
    ("⬢", "#7f8f3a"),
)


class Terminal(Console):
    """A console whose only control codes are its own: none in a name, a note or a seed of a file reaches it,
    nor does a mark that turns the text around.
    """

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            text = segment.text if segment.control else without_invisible(segment.text)
            yield segment if text is segment.text else Segment(text, segment.style)


def json_line(data: object, *, indent: int | None = None) -> str:
    """Plain data as JSON that a terminal can show: what it should not be sent is escaped, nothing is lost."""
    text = json.dumps(data, ensure_ascii=False, indent=indent)
    return text if text.isprintable() else _ODD.sub(_escaped, text)


_ODD = re.compile(r"[^\x20-\x7e\n]")


def _escaped(found: re.Match[str]) -> str:
    letter = found[0]
    return letter if without_invisible(letter) else json.dumps(letter)[1:-1]


def seat_mark(seat: int) -> Text:
    mark, colour = SEAT_MARKS[seat % len(SEAT_MARKS)]
    return Text(mark, f"bold {colour}")


def seat_name(seat: int, name: str, decides: bool, remark: str = "") -> Text:
    """A seat in a table's list; the one that decides is marked."""
    line = Text().append("▸" if decides else " ", "bold #b98a2f").append_text(seat_mark(seat))
    line.append(f" {name}", "bold" if decides else "")
    return line.append(f" ({remark})" if remark else "", "dim")
