"""A score sheet as pages show it: one row per source, one column per seat, and what decided a tie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from comptoir.art.shapes import seat_mark
from comptoir.engine.score_sheet import ScoreSheet
from comptoir.engine.words import Words


@dataclass(frozen=True)
class Column:
    """A seat at the head of the sheet."""

    seat: int
    mark: str
    name: str
    winner: bool


@dataclass(frozen=True)
class SheetRow:
    """A source, the total or a tie-break: its name and an entry a seat."""

    name: str
    entries: tuple[str, ...]
    kind: str = "source"


@dataclass(frozen=True)
class Sheet:
    """A whole sheet; `tie` says what decided between equal points, if anything had to."""

    unit: str
    columns: tuple[Column, ...]
    rows: tuple[SheetRow, ...]
    tie: str


def shown(sheet: ScoreSheet, names: Sequence[str], words: Words) -> Sheet:
    """The sheet in words. Sources of which nobody has anything are left out."""
    columns = tuple(
        Column(seat, seat_mark(seat), name, seat in sheet.winners) for seat, name in enumerate(names)
    )
    sources = [
        SheetRow(source_name(source, words), tuple(map(_entry, row)))
        for source, row in sheet.points.items()
        if any(n != 0 for n in row)
    ]
    totals = zip(sheet.totals, sheet.complete, strict=True)
    total = SheetRow(
        words.say("sheet.total"), tuple(_number(n) if known else f"{n} + ?" for n, known in totals), "total"
    )
    tie = " ".join(sheet.verdict(names, words)[1:]) if sheet.winners else ""
    return Sheet(words.say("score.unit"), columns, (*sources, total, *_tie_breaks(sheet, words)), tie)


def source_name(source: str, words: Words) -> str:
    """What a source is called; one of older rules that today's game does not know has its plain name."""
    key = f"sources.{source}"
    return words.say(key) if key in words.texts else source


def _tie_breaks(sheet: ScoreSheet, words: Words) -> list[SheetRow]:
    """Those that were asked, up to the one that decided."""
    rows = []
    for name, values in sheet.tie_breaks.items() if sheet.decided else ():
        told = words.say("sheet.tie_break", name=words.say(f"tie_breaks.{name}"))
        rows.append(SheetRow(told[:1].upper() + told[1:], tuple(map(_number, values)), "tie-break"))
        if name == sheet.decided:
            break
    return rows


def _entry(points: int | None) -> str:
    return "?" if points is None else _number(points) if points else "–"


def _number(n: int) -> str:
    return str(n).replace("-", "−")


# The curve of the scores

CURVE = (600, 96)  # width and height
EDGE = 6


@dataclass(frozen=True)
class Curve:
    """Everyone's points through a match as lines of a small picture, between its least and its most."""

    lines: tuple[str, ...]  # by seat, as SVG takes the points of a line
    least: int
    most: int


def drawn_curve(points: Sequence[tuple[float, Sequence[int]]]) -> Curve:
    """`points`: how far through the match, from 0 to 1, and everyone's total then."""
    totals = [n for _, row in points for n in row]
    least, most = min(totals), max(totals)
    width, height = CURVE[0] - 2 * EDGE, CURVE[1] - 2 * EDGE
    scale = height / max(1, most - least)
    lines = tuple(
        " ".join(
            f"{EDGE + share * width:.0f},{EDGE + (most - row[seat]) * scale:.0f}" for share, row in points
        )
        for seat in range(len(points[0][1]))
    )
    return Curve(lines, least, most)
