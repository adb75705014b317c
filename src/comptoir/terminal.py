"""What the terminal tables of all games share."""

from __future__ import annotations

from rich.text import Text

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


def seat_mark(seat: int) -> Text:
    mark, colour = SEAT_MARKS[seat % len(SEAT_MARKS)]
    return Text(mark, f"bold {colour}")


def seat_name(seat: int, name: str, decides: bool, remark: str = "") -> Text:
    """A seat in a table's list; the one that decides is marked."""
    line = Text().append("▸" if decides else " ", "bold #b98a2f").append_text(seat_mark(seat))
    line.append(f" {name}", "bold" if decides else "")
    return line.append(f" ({remark})" if remark else "", "dim")
