"""The result of a run as a picture, in the style of the boards: warm paper, one ink, a colour and a shape for
each bot.
"""

from __future__ import annotations

import math
from pathlib import Path
from types import ModuleType
from xml.sax.saxutils import escape

from comptoir.arena.standings import BotStandingDict, StandingsDict
from comptoir.art.axes import Axis, enclosing
from comptoir.art.shapes import INK, PAPER, SEA_LINE, SEAT_COLOURS, SECOND_PAPER, seat_mark
from comptoir.engine.words import Words
from comptoir.errors import OptionError
from comptoir.extras import needs

SERIF = "'EB Garamond', Garamond, Georgia, 'DejaVu Serif', serif"
SANS = "Inter, 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif"
WIDTH, TOP, ROW, BOTTOM = 1000, 150, 52, 86
NAMES, SHARES, RATINGS = 36, (250, 570), (690, 900)  # where each part is, from left to right
MAX_NAME_LENGTH, MAX_TITLE_CHARS = 20, 56
FAR = 400  # rating points
WHISKER = f'stroke="{INK}" stroke-width="1.6"'


def check_chart(path: Path) -> None:
    """Raises an OptionError if such a picture cannot be drawn."""
    if path.suffix.lower() not in (".svg", ".png"):
        raise OptionError(f"picture: expected a file that ends in .svg or .png, found {str(path)!r}")
    if not path.absolute().parent.is_dir():
        raise OptionError(f"picture: there is no folder {str(path.parent)!r}")
    if path.suffix.lower() == ".png":
        _load_resvg()


def save(svg: str, path: Path) -> None:
    """Writes the picture, as SVG or as PNG at twice the size."""
    check_chart(path)
    data = (
        bytes(_load_resvg().svg_to_bytes(svg_string=svg, zoom=2))
        if path.suffix.lower() == ".png"
        else svg.encode()
    )
    try:
        path.write_bytes(data)
    except OSError as error:
        raise OptionError(f"picture: {path} cannot be written: {error.strerror}") from None


def _load_resvg() -> ModuleType:
    with needs("png", otherwise="or ask for an .svg"):
        import resvg_py
    return resvg_py


def title(standings: StandingsDict, words: Words) -> str:
    """The run in one line."""
    number = {"games": words.number(standings["games"]), "deals": words.number(standings["deals"])}
    players = standings["options"]["players"]
    return words.say(
        "arena.title",
        game=words.say("game.title"),
        players=players,
        n=standings["games"],
        seed=standings["seed"],
        **number,
    )


def draw(standings: StandingsDict, words: Words) -> str:
    """The picture as SVG: for each bot its share of the wins and its rating, with their intervals."""
    rows = sorted(enumerate(standings["bots"]), key=lambda numbered: -numbered[1]["share"]["share"])
    names = " · ".join(row["bot"] for _, row in rows)
    foot = TOP + ROW * len(rows)
    height = foot + BOTTOM
    shares, ratings, even = _share_axis(standings), _rating_axis(standings), 1 / len(standings["bots"])
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}"'
        f' width="{WIDTH}" height="{height}" font-family="{SANS}">',
        f"<title>{escape(title(standings, words))}</title>",
        _rect(0, 0, WIDTH, height, PAPER),
        _frame(10, height, INK, 1.2),
        _frame(15, height, SEA_LINE, 0.6),
        _text(NAMES, 58, names if len(names) <= MAX_TITLE_CHARS else words.say("game.title"), 28, SERIF),
        _text(NAMES, 84, title(standings, words), 14),
        _text(SHARES[0], 124, words.say("arena.picture_wins"), 17, SERIF),
        _text(RATINGS[0], 124, words.say("arena.picture_rating"), 17, SERIF),
        *(_stripe(nth) for nth in range(0, len(rows), 2)),
        *_share_ticks(shares, even, words, foot),
        *(_tick(ratings.at(tick), foot, format_signed(tick)) for tick in ratings.ticks(4)),
    ]
    for nth, (bot, row) in enumerate(rows):
        parts += _row(TOP + ROW * nth + ROW / 2, bot, row, shares, ratings, words)
    parts += [_text(NAMES, height - 28, words.say("arena.picture_note"), 12, colour=SEA_LINE), "</svg>"]
    return "\n".join(parts) + "\n"


def _row(y: float, bot: int, row: BotStandingDict, shares: Axis, ratings: Axis, words: Words) -> list[str]:
    mark = bot % len(SEAT_COLOURS)
    share, rating = row["share"], row["rating"]
    name = row["bot"] if len(row["bot"]) <= MAX_NAME_LENGTH else row["bot"][: MAX_NAME_LENGTH - 1] + "…"
    return [
        seat_mark(mark, NAMES + 8, y),
        _text(NAMES + 28, y + 6, name, 17),
        _rect(SHARES[0], y - 11, shares.at(share["share"]) - SHARES[0], 22, SEAT_COLOURS[mark], 0.85),
        *_whisker(shares.at(share["low"]), shares.at(share["high"]), y, SHARES),
        _text(shares.at(share["high"]) + 10, y + 5, words.percent(share["share"], 1), 15),
        *_whisker(ratings.at(rating["low"]), ratings.at(rating["high"]), y, RATINGS),
        seat_mark(mark, ratings.at(rating["rating"]), y),
        _text(min(ratings.at(rating["high"]), RATINGS[1]) + 12, y + 5, format_signed(rating["rating"]), 15),
    ]


def _stripe(nth: int) -> str:
    return _rect(NAMES - 12, TOP + ROW * nth, WIDTH - 2 * NAMES + 24, ROW, SECOND_PAPER, 0.7)


def _share_ticks(shares: Axis, even: float, words: Words, foot: float) -> list[str]:
    """Ticks from 0 on, and the share that equal bots would take."""
    at = shares.at(even)
    parts = [_tick(shares.at(tick), foot, words.percent(tick, 0)) for tick in shares.ticks(5)]
    parts.append(_line(at, TOP, at, foot, f'stroke="{INK}" stroke-dasharray="5 4"'))
    parts.append(_text(at, TOP - 6, words.say("arena.picture_even"), 12, anchor="middle"))
    return parts


def _share_axis(standings: StandingsDict) -> Axis:
    """It ends at a whole tenth above all intervals."""
    most = max(float(row["share"]["high"]) for row in standings["bots"])
    return Axis(*SHARES, 0, math.ceil(10 * most - 1e-9) / 10)


def _rating_axis(standings: StandingsDict) -> Axis:
    """It does not follow the interval of a bot that never wins, which may reach very far."""
    rows = [row["rating"] for row in standings["bots"]]
    low = max(min(row["low"] for row in rows), min(row["rating"] for row in rows) - FAR)
    high = min(max(row["high"] for row in rows), max(row["rating"] for row in rows) + FAR)
    return Axis(*RATINGS, *enclosing(low, high, 8))


def _tick(x: float, foot: float, label: str) -> str:
    line = _line(x, TOP, x, foot, f'stroke="{SEA_LINE}" stroke-width="0.6" opacity="0.7"')
    return line + _text(x, foot + 18, label, 12, anchor="middle")


def _whisker(low: float, high: float, y: float, ends: tuple[int, int]) -> list[str]:
    """An interval's line. Where it leaves the axis it has no stop."""
    stops = [_line(x, y - 6, x, y + 6) for x in (low, high) if ends[0] <= x <= ends[1]]
    return [_line(max(low, ends[0]), y, min(high, ends[1]), y), *stops]


def _line(x1: float, y1: float, x2: float, y2: float, paint: str = WHISKER) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" {paint}/>'


def _frame(margin: int, height: float, colour: str, width: float) -> str:
    size = f'width="{WIDTH - 2 * margin}" height="{height - 2 * margin}"'
    paint = f'fill="none" stroke="{colour}" stroke-width="{width}"'
    return f'<rect x="{margin}" y="{margin}" {size} {paint}/>'


def _rect(x: float, y: float, width: float, height: float, colour: str, opacity: float = 1) -> str:
    size = f'width="{width:.1f}" height="{height:.1f}"'
    return f'<rect x="{x:.1f}" y="{y:.1f}" {size} fill="{colour}" opacity="{opacity}"/>'


def _text(
    x: float, y: float, text: str, size: int, font: str = "", anchor: str = "start", colour: str = INK
) -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    more = f' font-family="{font}"' if font else ""
    return f'<text {place} font-size="{size}" fill="{colour}"{more}>{escape(text)}</text>'


def format_signed(rating: float) -> str:
    """+12, −7: a true minus, so that it is not taken for a dash."""
    return f"{rating:+.0f}".replace("-", "−") if round(rating) else "0"
