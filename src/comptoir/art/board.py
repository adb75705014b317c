"""What a game's `board.py` is given, and what it gives back.

    SIZE = {"wide": (1080, 640), "tall": (390, 620)}     the view box for a desktop and for a phone held upright
    size(scene)     the same for one table, where it is not the same for all (optional)
    SCROLLS         True: it is never drawn smaller than so wide, and a window too low for it scrolls (optional)
    BY_VIEWER       True: `pieces` shows each viewer what only that viewer knows (otherwise all get a spectator's)
    chart(scene)    what stays as it is through a match: the SVG below the pieces
    pieces(scene)   what changes: pieces with stable ids, and spots that can be chosen
    spots(scene, action)  the names of the spots that an action is about, the first one first
    nothing_here(scene, spot)   what to say of a place that no action is about (optional)
    hand(scene)     what lies before the viewer's seat
    facts(scene, seat)    what is known of a seat, for its panel

and its `cover.py` gives `cover(words)`, one scene of COVER_SIZE.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from comptoir.art.shapes import escape, text
from comptoir.engine.game import Game
from comptoir.engine.scene import Scene

COVER_SIZE = (640, 440)
LAYOUTS = ("wide", "tall")
STYLE = Path(__file__).with_name("board.css")


def size_of(game: Game, scene: Scene) -> tuple[int, int]:
    """The view box of a board."""
    own: Callable[[Scene], tuple[int, int]] | None = getattr(game.board, "size", None)
    return own(scene) if own else game.board.SIZE[scene.layout]


def by_viewer(game: Game) -> bool:
    """Whether each viewer has pieces of its own."""
    return bool(getattr(game.board, "BY_VIEWER", False))


def scrolls(game: Game) -> bool:
    """Whether a board that is too high scrolls, rather than shrinks."""
    return bool(getattr(game.board, "SCROLLS", False))


def board_svg(game: Game, scene: Scene, extra: str = "") -> str:
    """The whole board as a picture that stands alone: for documents, notebooks and PNG."""
    width, height = size_of(game, scene)
    return standalone_svg(
        game.board.chart(scene) + game.board.pieces(scene) + extra,
        width,
        height,
        scene.words.say("game.title"),
    )


def placeholder_note(scene: Scene, x: float, y: float, kind: str = "label", anchor: str = "middle") -> str:
    """Where figures of the components are not those printed in the box, the board says so; the page explains it
    to whoever taps there.
    """
    words = scene.words
    missing = [
        words.say(f"placeholders.{table}")
        for table in scene.components.placeholders
        if f"placeholders.{table}" in words.texts
    ]
    if not missing:
        return ""
    told = words.say("placeholder.help", what=words.join(missing))
    note = text(x, y, words.say("placeholder.note"), kind, anchor)
    return f'<g class="placeholder-note" data-told="{escape(told)}">{note}</g>'


def standalone_svg(body: str, width: float, height: float, title: str) -> str:
    """A picture with its own style, for where there is no page around it."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">'
        f"<title>{title}</title><style>{STYLE.read_text(encoding='utf-8')}</style>{body}</svg>"
    )
