"""Pictures for links that are sent to somebody: a table or a moment of a match as a spectator sees it, a
game, all games.

Nothing here knows of a seat: a board is drawn from what everyone may see.
"""

from __future__ import annotations

import re
import textwrap
from functools import cache
from html import escape

from comptoir.art.board import COVER_SIZE, standalone_svg
from comptoir.art.shapes import FOAM, PAPER, SEA_LINE, seat_mark, text, truncated
from comptoir.engine import registry
from comptoir.engine.game import Game, get_game
from comptoir.engine.words import Words
from comptoir.web.page_words import page_words
from comptoir.web.view.pictures import cover_of
from comptoir.web.view.presenter import TablePresenter
from comptoir.web.view.table_view import Viewer, view_table, won
from comptoir.web.view.templating import STATIC

SIZE = WIDTH, HEIGHT = 1200, 630
ROOM, SOFT = "#17303c", "#c9c6b6"
EDGE = 34  # around everything
PICTURE = 850  # the width of a board
COLUMN = EDGE + PICTURE + 30  # where the words begin
LETTERS = 17  # of a name
UNKNOWN = re.compile("[^\n -\u024f\u2000-\u22ff]+")  # letters that our fonts do not have


def table_preview(presenter: TablePresenter, lang: str) -> str:
    """A table as it stands, for whoever was sent its link."""
    table, seen = presenter.table, view_table(presenter, Viewer(None, None, lang))
    words = page_words(table.game.name, lang)
    names = [held.name or words.say("lists.free_seat") for held in table.seats]
    return _laid_out(
        _board(table.game, seen.chart + seen.pieces, seen.size, words), names, seen.sentence, words
    )


def replay_preview(presenter: TablePresenter, at: int, lang: str) -> str:
    """A moment of a match."""
    match, moment = presenter.match, presenter.moment(at)
    game, words, then = match.game, page_words(match.game.name, lang), moment.match
    drawing = moment.chart(lang, "wide") + moment.pieces(None, lang, "wide")
    size = moment.size(lang, "wide")
    said = won(then, words) if then.turn is None else words.say("replay.position", at=at, end=match.ply)
    return _laid_out(_board(game, drawing, size, words), match.names, said, words)


@cache
def game_preview(name: str, lang: str) -> str:
    words = page_words(name, lang)
    return _laid_out(_board(get_game(name), "", COVER_SIZE, words), [], words.say("game.tagline"), words)


@cache
def home_preview(lang: str) -> str:
    """The covers of all games, and what this is."""
    words, width = page_words(None, lang), (WIDTH - 5 * EDGE) / 4
    body, names = "", registry.names()[:4]
    for n, name in enumerate(names):
        x = (WIDTH - len(names) * width - (len(names) - 1) * EDGE) / 2 + n * (width + EDGE)
        body += _picture(cover_of(name, page_words(name, lang)), COVER_SIZE, x, 366, width)
    headline = words.say("home.headline")
    body += _rose(WIDTH / 2 - 180, 112, 1.6)
    body += text(WIDTH / 2 - 104, 136, "Comptoir", "title", "start", 78, FOAM)
    body += text(WIDTH / 2, 256, headline, "name", "middle", 44, PAPER)
    return _whole(body, headline)


# Parts


def _laid_out(picture: str, names: list[str], said: str, words: Words) -> str:
    """A picture at the left; at the right the game, who plays, and what is so now."""
    title, y = words.say("game.title"), 158.0
    column = _rose(COLUMN + 16, EDGE + 36)
    column += text(COLUMN + 42, EDGE + 46, "Comptoir", "title", "start", 30, SOFT)
    for line in textwrap.wrap(title, 14):
        column += text(COLUMN, y, line, "title", "start", 40, FOAM)
        y += 44
    y += 14
    for seat, name in enumerate(names):
        column += seat_mark(seat, COLUMN + 11, y - 8, 1.3)
        column += text(COLUMN + 34, y, _readable(name, seat, words), "number", "start", 24, PAPER)
        y += 42
    lines = textwrap.wrap(said, 21, max_lines=5, placeholder="…")
    for n, line in enumerate(reversed(lines)):
        column += text(COLUMN, HEIGHT - EDGE - 14 - 31 * n, line, "number", "start", 24, "#e4c46a")
    return _whole(picture + column, title)


def _readable(name: str, seat: int, words: Words) -> str:
    """A name as far as our letters go; else the number of its seat."""
    kept = UNKNOWN.sub("", name).strip()
    return truncated(kept or words.say("new.seat", n=seat + 1), LETTERS)


def _board(game: Game, drawing: str, size: tuple[int, int], words: Words) -> str:
    """A board; the cover where there is none yet, or none any more."""
    size = size if drawing else COVER_SIZE
    width = min(PICTURE, (HEIGHT - 2 * EDGE) * size[0] / size[1])
    height = width * size[1] / size[0]
    place = EDGE + (PICTURE - width) / 2, (HEIGHT - height) / 2
    return _picture(drawing or cover_of(game.name, words), size, *place, width)


def _picture(body: str, size: tuple[float, float], x: float, y: float, width: float) -> str:
    """A drawing of its own size within a larger one."""
    height = width * size[1] / size[0]
    place = f'x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"'
    frame = f'<rect {place} rx="10" fill="none" stroke="{SEA_LINE}" stroke-width="2"/>'
    return f'<svg {place} viewBox="0 0 {size[0]:g} {size[1]:g}">{body}</svg>{frame}'


@cache
def _mark() -> str:
    """The compass rose of our icon."""
    svg = (STATIC / "icons/favicon.svg").read_text(encoding="utf-8")
    return svg[svg.index("<g") : svg.rindex("</svg>")]


def _rose(x: float, y: float, scale: float = 0.55) -> str:
    return f'<g transform="translate({x:g} {y:g}) scale({scale:g})">{_mark()}</g>'


def _whole(body: str, title: str) -> str:
    room = f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{ROOM}"/>'
    return standalone_svg(room + UNKNOWN.sub("", body), WIDTH, HEIGHT, escape(title))
