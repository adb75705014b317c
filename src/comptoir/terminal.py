"""What the terminal tables of all games share."""

from __future__ import annotations

from rich.text import Text

# Seats are told apart by shape as well as colour.
SEAT_MARKS = (("▲", "#e0693a"), ("■", "#3f8fc8"), ("●", "#2fa67c"), ("◆", "#a96bbd"), ("★", "#c99a2e"))


def seat_mark(seat: int) -> Text:
    mark, colour = SEAT_MARKS[seat]
    return Text(mark, f"bold {colour}")
