"""Pictures that stand alone: the covers, and moments of matches for the rules.

Their letters come with them.
"""

from __future__ import annotations

import base64
import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from comptoir.art.board import COVER_SIZE, board_svg, standalone_svg
from comptoir.engine import matchfile, registry
from comptoir.engine.board_items import Card
from comptoir.engine.game import get_game
from comptoir.engine.scene import Scene
from comptoir.engine.words import Words
from comptoir.web.page_words import page_words
from comptoir.web.view.presenter import TablePresenter
from comptoir.web.view.templating import templates

PICTURES = "pictures"  # the folder of match files within a game's
VENDOR = Path(__file__).parents[1] / "static/vendor"
FONTS = {  # each with the classes of board.css that are set in it
    "EB Garamond": ("eb-garamond-latin-600-normal.woff2", ("title", "name")),
    "Inter": ("inter-latin-600-normal.woff2", ("label", "number", "initial", "letter")),
}
GAP = 10  # between two cards
# letters of a board, and what only a script or a screen reader reads
_WRITING = re.compile(
    r'<(text|title)\b.*?</\1>| (?:data-[a-z-]+|aria-[a-z]+|role|tabindex)="[^"]*"', re.DOTALL
)


@dataclass(frozen=True)
class Picture:
    """A moment of a match: the board, or what lies before a seat.

    It follows the section `after`, counted from 1.
    """

    name: str
    after: int
    seat: int | None = None  # whose cards; None for the board


@cache
def pictures_of(name: str) -> tuple[Picture, ...]:
    """The pictures of a game's rules, as its folder lists them; none if it has none."""
    path = registry.folder(name) / PICTURES / "pictures.toml"
    if not path.exists():
        return ()
    listed = tomllib.loads(path.read_text(encoding="utf-8"))
    return tuple(Picture(picture, **where) for picture, where in listed.items())


def _scene(name: str, picture: Picture, lang: str) -> Scene:
    match = matchfile.load(registry.folder(name) / PICTURES / f"{picture.name}.match")
    return match.scene(picture.seat, page_words(name, lang))


def _cards(name: str, picture: Picture, lang: str) -> list[Card]:
    cards: list[Card] = get_game(name).board.hand(_scene(name, picture, lang))
    return cards


def picture_size(name: str, picture: Picture) -> tuple[float, float]:
    """Its width and height: none where a seat has no cards to show."""
    if picture.seat is None:
        width, height = get_game(name).board.SIZE["wide"]
        return width, height
    sizes = [card.size for card in _cards(name, picture, "en")]
    width = sum(width for width, _ in sizes) + GAP * (len(sizes) - 1)
    return width, max((height for _, height in sizes), default=0)


@cache
def picture_svg(name: str, wanted: str, lang: str) -> str | None:
    """A picture of the rules; None if there is none of that name."""
    picture = next((picture for picture in pictures_of(name) if picture.name == wanted), None)
    if picture is None:
        return None
    if picture.seat is None:
        return with_fonts(board_svg(get_game(name), _scene(name, picture, lang)))
    body, x = "", 0
    for card in _cards(name, picture, lang):
        body += f'<g transform="translate({x} 0)">{card.body}</g>'
        x += card.size[0] + GAP
    return with_fonts(
        standalone_svg(body, *picture_size(name, picture), page_words(name, lang).say("game.title"))
    )


@cache
def cover_svg(name: str, lang: str, *, fonts: bool = True) -> str:
    """A cover as a file of its own; without fonts, for a list that names the game, it has no letters."""
    words = page_words(name, lang)
    picture = standalone_svg(cover_of(name, words), *COVER_SIZE, words.say("game.title"))
    return with_fonts(picture) if fonts else _WRITING.sub("", picture)


@cache
def cover_of(name: str, words: Words) -> str:
    """A cover within a page, which has the fonts already."""
    drawn: str = get_game(name).cover.cover(words)
    return drawn


def small_board(presenter: TablePresenter, lang: str) -> str:
    """The board of a table as a spectator sees it, for a list: nothing that is too small to be seen."""
    moment, title = presenter.now, page_words(presenter.table.game.name, lang).say("game.title")
    body = moment.chart(lang, "wide") + moment.pieces(None, lang, "wide")
    size = moment.size(lang, "wide")
    return presenter.cache.made(
        ("small board", lang), (body, size), lambda: _WRITING.sub("", standalone_svg(body, *size, title))
    )


def _faces(svg: str) -> str:
    """An <img> cannot ask for fonts, so a picture holds those of its letters; where they were not installed,
    the reader's own serve.
    """
    return "".join(
        f"@font-face{{font-family:'{family}';font-weight:400 700;src:url({_encoded(file)})}}"
        for family, (file, classes) in FONTS.items()
        if any(f'class="{one}' in svg for one in classes) and (VENDOR / file).exists()
    )


@cache
def _encoded(file: str) -> str:
    return f"data:font/woff2;base64,{base64.b64encode((VENDOR / file).read_bytes()).decode()}"


def with_fonts(svg: str) -> str:
    return svg.replace("<style>", f"<style>{_faces(svg)}", 1)


templates.globals["cover_of"] = cover_of
