"""The curve of a review: every seat's chances through the match, in the style of the boards."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

from comptoir.art.axes import Axis
from comptoir.art.shapes import CARD, INK, PAPER, SEA_LINE, coord, seat_colour, seat_mark, text
from comptoir.engine.words import Words
from comptoir.review.model import Review

SIZES = {"wide": (960, 300), "tall": (380, 300)}
LEFT, RIGHT, TOP, FOOT = 46, 22, 40, 28  # around the curve
PIN = 13  # the radius of a turning point's number

Link = Callable[[int], str]  # the address of a moment


def curve(
    review: Review, words: Words, layout: str = "wide", at: int | None = None, link: Link | None = None
) -> str:
    """The body of the picture: lines, axis, numbered turning points; with `link`, these lead to their
    moments. `at`: the moment that is looked at.
    """
    width, height = SIZES[layout]
    drawing = _Drawing(review, width, height)
    return "".join(
        (
            f'<rect width="{width}" height="{height}" rx="14" fill="{PAPER}"/>',
            drawing.axis(words),
            "" if at is None else drawing.here(at),
            *(drawing.line(seat) for seat in range(review.players)),
            *(drawing.marks(seat) for seat in range(review.players)),
            drawing.pins(link, words),
        )
    )


class _Drawing:
    """Where things are in the picture."""

    def __init__(self, review: Review, width: float, height: float) -> None:
        self.review, self.width, self.height = review, width, height
        self.x = Axis(LEFT, width - RIGHT, 0, max(1, len(review.entries))).at  # of a ply
        self.y = Axis(height - FOOT, TOP, 0, 1).at  # of a share of the win

    def axis(self, words: Words) -> str:
        """From none to all of the win, and the share that everyone would have."""
        parts = []
        for quarter in range(5):
            share = quarter / 4
            y, x = coord(self.y(share)), coord(self.width - RIGHT)
            parts.append(f'<path d="M{LEFT} {y}H{x}" stroke="{INK}" stroke-opacity=".18"/>')
            parts.append(text(LEFT - 8, self.y(share) + 4, words.percent(share, 0), "label", "end"))
        even = coord(self.y(1 / self.review.players))
        parts.append(
            f'<path d="M{LEFT} {even}H{coord(self.width - RIGHT)}"'
            f' stroke="{SEA_LINE}" stroke-dasharray="5 4"/>'
        )
        foot = self.height - 9
        parts.append(text(LEFT, foot, words.say("review.start"), "label", "start"))
        parts.append(text(self.width - RIGHT, foot, words.say("review.end"), "label", "end"))
        return "".join(parts)

    def line(self, seat: int) -> str:
        """A step where the chances changed: nothing happens between two actions."""
        chances = self.review.chances
        d = f"M{coord(self.x(0))} {coord(self.y(chances[0][seat]))}"
        for ply in range(1, len(chances)):
            if chances[ply][seat] != chances[ply - 1][seat] or ply == len(chances) - 1:
                d += f"L{coord(self.x(ply))} {coord(self.y(chances[ply][seat]))}"
        paint = f'stroke="{seat_colour(seat)}" stroke-width="2.6" stroke-linejoin="round"'
        return f'<path d="{d}" fill="none" {paint}/>'

    def marks(self, seat: int) -> str:
        """Each seat's shape on its line, no two at the same place: colour alone tells nobody who it is."""
        last, players = len(self.review.entries), self.review.players
        places = [round(last * (nth + (seat + 0.5) / players) / 4) for nth in range(4)]
        return "".join(
            seat_mark(seat, self.x(ply), self.y(self.review.chances[ply][seat]), 0.75) for ply in places
        )

    def here(self, at: int) -> str:
        x = coord(self.x(at))
        return f'<path d="M{x} {TOP}V{coord(self.height - FOOT)}" stroke="{INK}" stroke-width="2"/>'

    def pins(self, link: Link | None, words: Words) -> str:
        """The turning points, numbered, above where they ended; side by side where they are close."""
        drawn, free = [], float(LEFT)
        for nth, point in enumerate(self.review.turning_points(), 1):
            x = min(max(self.x(point.last), free + PIN), self.width - PIN - 2)
            free = x + PIN + 4
            stem = f"M{coord(x)} {2 * PIN + 4}L{coord(self.x(point.last))} {coord(self.height - FOOT)}"
            body = (
                f'<path d="{stem}" stroke="{INK}" stroke-dasharray="3 4" fill="none"/>'
                f'<circle cx="{coord(x)}" cy="{PIN + 3}" r="{PIN}" fill="{CARD}"'
                f' stroke="{INK}" stroke-width="1.5"/>' + text(x, PIN + 7, str(nth), "number")
            )
            if link is not None:
                name = escape(words.say("review.turn_of", n=nth), quote=True)
                body = f'<a href="{escape(link(nth), quote=True)}" aria-label="{name}">{body}</a>'
            drawn.append(body)
        return "".join(drawn)
