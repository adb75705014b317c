"""A cover of letters: the title, and who made the game."""

from __future__ import annotations

from comptoir.art.board import COVER_SIZE
from comptoir.art.shapes import GOLD, INK, PAPER, SEA, SEA_LINE, rose, text
from comptoir.engine.words import Words

LETTERS = 18  # of the title that fit in a line at its largest


def cover(words: Words) -> str:
    """The title within a frame, over a strip of sea."""
    width, height = COVER_SIZE
    lines = _lines(words.say("game.title"))
    size = 64 if max(map(len, lines)) <= LETTERS else 64 * LETTERS / max(map(len, lines))
    top = 215 if len(lines) == 1 else 188
    title = "".join(
        text(width / 2, top + 72 * n, line, "title", size=round(size)) for n, line in enumerate(lines)
    )
    waves = "q40-18 80 0" + "t80 0" * 7
    return (
        f'<rect width="{width}" height="{height}" fill="{PAPER}"/>'
        f'<path d="M0 350{waves}V{height}H0Z" fill="{SEA}" stroke="{SEA_LINE}"/>'
        + _frame(18, f'stroke="{GOLD}" stroke-width="2"')
        + _frame(26, f'stroke="{INK}" stroke-opacity=".4"')
        + rose(width / 2, 90, 36)
        + title
        + text(width / 2, 320, words.say("game.credits"), "label", size=16)
    )


def _frame(margin: int, stroke: str) -> str:
    width, height = (side - 2 * margin for side in COVER_SIZE)
    return f'<rect x="{margin}" y="{margin}" width="{width}" height="{height}" rx="8" fill="none" {stroke}/>'


def _lines(title: str) -> list[str]:
    """The title in one line, or in two as even as can be."""
    words = title.split()
    if len(title) <= LETTERS or len(words) == 1:
        return [title]
    cuts = [(" ".join(words[:n]), " ".join(words[n:])) for n in range(1, len(words))]
    return list(min(cuts, key=lambda cut: max(map(len, cut))))
