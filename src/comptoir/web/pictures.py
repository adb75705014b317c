"""Pictures that stand alone: the covers, and moments of matches for the rules. Their letters come with them."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from comptoir.art.scene import COVER_SIZE, Card, board_svg, standing_alone
from comptoir.engine import matchfile
from comptoir.engine.game import game
from comptoir.engine.scene import Scene
from comptoir.web.words import page_words

EXAMPLES = Path(__file__).with_name("examples")
VENDOR = Path(__file__).with_name("static") / "vendor"
FONTS = {"EB Garamond": "eb-garamond-latin-600-normal.woff2", "Inter": "inter-latin-600-normal.woff2"}
GAP = 10  # between two cards


@dataclass(frozen=True)
class Picture:
    """A moment of a match: the board, or what lies before a seat. It follows the section `after`, counted from 1."""

    name: str
    after: int
    seat: int | None = None  # whose cards; None for the board


PICTURES = {
    "batavia": (Picture("start", 2), Picture("hand", 3, seat=1), Picture("middle", 4), Picture("end", 6)),
    "century": (Picture("start", 2), Picture("middle", 3), Picture("cubes", 3, seat=0), Picture("end", 4)),
    "marco_polo": (Picture("start", 2), Picture("hand", 3, seat=2), Picture("ganzhou", 4), Picture("dadu", 5)),
    "sail_to_india": (Picture("start", 2), Picture("middle", 4), Picture("buildings", 5), Picture("end", 7)),
}


def _scene(name: str, picture: Picture, lang: str) -> Scene:
    match = matchfile.load(EXAMPLES / f"{name}-{picture.name}.match")
    return match.scene(picture.seat, page_words(name, lang))


def _cards(name: str, picture: Picture, lang: str) -> list[Card]:
    cards: list[Card] = game(name).board.hand(_scene(name, picture, lang))
    return cards


def picture_size(name: str, picture: Picture) -> tuple[float, float]:
    if picture.seat is None:
        width, height = game(name).board.SIZE["wide"]
        return width, height
    sizes = [card.size for card in _cards(name, picture, "en")]
    return sum(width for width, _ in sizes) + GAP * (len(sizes) - 1), max(height for _, height in sizes)


@cache
def picture_svg(name: str, wanted: str, lang: str) -> str | None:
    """A picture of the rules; None if there is none of that name."""
    picture = next((picture for picture in PICTURES[name] if picture.name == wanted), None)
    if picture is None:
        return None
    if picture.seat is None:
        return _with_fonts(board_svg(game(name), _scene(name, picture, lang)))
    body, x = "", 0
    for card in _cards(name, picture, lang):
        body += f'<g transform="translate({x} 0)">{card.body}</g>'
        x += card.size[0] + GAP
    return _with_fonts(standing_alone(body, *picture_size(name, picture), page_words(name, lang).say("game.title")))


@cache
def cover_svg(name: str, lang: str) -> str:
    words = page_words(name, lang)
    return _with_fonts(standing_alone(game(name).cover.cover(words), *COVER_SIZE, words.say("game.title")))


@cache
def _faces() -> str:
    """An <img> cannot ask for fonts, so a picture holds them; where they were not installed, the reader's own serve."""
    return "".join(
        f"@font-face{{font-family:'{family}';font-weight:400 700;src:url(data:font/woff2;base64,{_encoded(file)})}}"
        for family, file in FONTS.items()
        if (VENDOR / file).exists()
    )


def _encoded(file: str) -> str:
    return base64.b64encode((VENDOR / file).read_bytes()).decode()


def _with_fonts(svg: str) -> str:
    return svg.replace("<style>", f"<style>{_faces()}", 1)
