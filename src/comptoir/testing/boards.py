"""The board check: what is drawn of a match is sound SVG that a page can take and a thumb can hit.

`check_board` looks at one moment of a match, `check_boards` at several of a random one, with names that would
break a page if they were not escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import cycle
from xml.etree import ElementTree

from comptoir.art.board import COVER_SIZE, LAYOUTS, board_svg, by_viewer, standalone_svg
from comptoir.engine.game import Game, get_game
from comptoir.engine.match import Match
from comptoir.engine.plain import OptionValue
from comptoir.engine.scene import Scene
from comptoir.engine.words import LANGUAGES, words_of
from comptoir.testing.faults import BrokenPromise
from comptoir.testing.matches import HOSTILE, moments, random_match

MOMENTS = 5  # of a match
SMALLEST_TEXT = 11  # pixels
# Pixels, both ways: on a phone for a finger; on a desk what accessibility guidelines ask for a mouse.
MIN_TAP_SIZE = {"tall": 40, "wide": 24}
MAX_PIECES = 30_000  # bytes: they are sent after every action
NAME = re.compile(r"[a-z0-9_-]+")  # of an id or a spot
FORBIDDEN = re.compile(r"<style|<script|\bstyle=|<b>|\son\w+=")  # by the pages' policy; and names are escaped


def parse(body: str) -> ElementTree.Element:
    """A part of a picture as XML."""
    return ElementTree.fromstring(f'<svg xmlns="http://www.w3.org/2000/svg">{body}</svg>')


def ids_in(root: ElementTree.Element) -> list[str]:
    return [element.attrib["id"] for element in root.iter() if "id" in element.attrib]


def spots_in(root: ElementTree.Element) -> dict[str, ElementTree.Element]:
    """The spots of a picture by their names."""
    return {element.attrib["data-spot"]: element for element in root.iter() if "data-spot" in element.attrib}


def ring_of(spot: ElementTree.Element) -> tuple[float, float]:
    """How wide and high the ring of a spot is: a rectangle's, or a hexagon's."""
    ring = next(part for part in spot.iter() if part.get("class") == "ring")
    if "width" in ring.attrib:
        return float(ring.attrib["width"]), float(ring.attrib["height"])
    corners = [tuple(map(float, pair.split())) for pair in re.findall(r"-?[\d.]+ -?[\d.]+", ring.attrib["d"])]
    across, down = zip(*corners, strict=True)
    return max(across) - min(across), max(down) - min(down)


def text_sizes(element: ElementTree.Element, scale: float = 1) -> Iterator[tuple[float, str]]:
    """How large each text is drawn, with all that it is within."""
    for part in element:
        own = re.search(r"scale\((-?[\d.]+)", part.get("transform", ""))
        size = scale * abs(float(own[1])) if own else scale
        if part.tag.endswith("text"):
            yield float(part.get("font-size", 0)) * size, str(part.text)
        yield from text_sizes(part, size)


def faults_of_board(match: Match, lang: str = "en") -> Iterator[str]:
    """What is wrong with all that is drawn of a match as it stands, in both layouts."""
    words = words_of(match.game.name, lang)
    for layout in LAYOUTS:
        scene = match.scene(None, words, layout)
        try:
            faults = [*_faults_of_picture(match.game, scene), *_faults_of_spots(match, scene)]
        except ElementTree.ParseError as error:
            faults = [f"the board is no XML: {error}"]
        yield from (f"{layout}: {fault}" for fault in faults)
    yield from _faults_of_panels(match, lang)


def _faults_of_picture(game: Game, scene: Scene) -> Iterator[str]:
    chart, pieces = game.board.chart(scene), game.board.pieces(scene)
    root = parse(chart + pieces)
    ElementTree.fromstring(board_svg(game, scene))
    ids = ids_in(root)
    names = [*ids, *spots_in(root)]
    yield from (f"the id {id!r} is there twice" for id in sorted({id for id in ids if ids.count(id) > 1}))
    yield from (f"{name!r} is no name for an id or a spot" for name in names if not NAME.fullmatch(name))
    referred = set(re.findall(r'(?:href="#|url\(#)([^")]+)', chart + pieces))
    yield from (f"nothing has the id {id!r}, which is referred to" for id in sorted(referred - set(ids)))
    yield from (f"{found!r} is not allowed on a page" for found in FORBIDDEN.findall(chart + pieces))
    if len(pieces.encode()) > MAX_PIECES:
        yield f"the pieces are {len(pieces.encode()):,} bytes, more than {MAX_PIECES:,}"
    yield from _faults_of_texts(root)


def _faults_of_texts(root: ElementTree.Element) -> Iterator[str]:
    small = sorted({(size, text) for size, text in text_sizes(root) if size < SMALLEST_TEXT})
    yield from (f"the text {text!r} is {size:g} px, less than {SMALLEST_TEXT}" for size, text in small)


def _faults_of_spots(match: Match, scene: Scene) -> Iterator[str]:
    """Spots are large enough, and there is one for whatever an action is about."""
    board, viewed = match.game.board, by_viewer(match.game)
    own = match.scene(match.turn, scene.words, scene.layout)
    spots = spots_in(parse(board.pieces(own if viewed else scene)))
    least = MIN_TAP_SIZE[scene.layout]
    for name, spot in spots.items():
        if min(ring_of(spot)) < least:
            yield f"the spot {name!r} is smaller than {least} by {least}"
    if match.turn is None:
        return
    there = {*spots, *(card.spot for card in board.hand(own))}
    for action in own.choices:
        named = board.spots(own, action)
        if not set(named) <= there:
            yield f"{action.text!r} is about {sorted(set(named) - there)}, and there is no such spot"
        if not viewed and named != board.spots(scene, action):
            yield f"{action.text!r} is about other spots to a spectator"


def _faults_of_panels(match: Match, lang: str) -> Iterator[str]:
    """What lies before a seat and what is known of it; a spectator has no seat."""
    board, words = match.game.board, words_of(match.game.name, lang)
    if board.hand(match.scene(None, words)):
        yield "a spectator has a hand"
    for seat in range(match.players):
        scene = match.scene(seat, words)
        cards, facts = board.hand(scene), board.facts(scene, seat)
        if len({card.id for card in cards}) < len(cards):
            yield f"two cards before seat {seat} have the same id"
        for what, body in [*(("card", card.body) for card in cards), *(("icon", one.icon) for one in facts)]:
            try:
                root = parse(body)
            except ElementTree.ParseError as error:
                yield f"a seat's {what} is no XML: {error}"
            else:
                yield from _faults_of_texts(root) if what == "card" else ()


def check_board(match: Match, lang: str = "en", seed: int | None = None) -> None:
    """All that is drawn of a match as it stands. Raises a BrokenPromise."""
    found = list(dict.fromkeys(faults_of_board(match, lang)))
    if found:
        raise _broken(match, "; ".join(found[:3]), seed)


def check_boards(
    game: Game | str,
    options: dict[str, OptionValue] | None = None,
    *,
    seed: int = 1,
    number: int = MOMENTS,
    most: int = 10**9,
) -> None:
    """About so many moments of a random match, and that the chart stays the same. Raises a BrokenPromise."""
    g = get_game(game) if isinstance(game, str) else game
    match = random_match(g, options or {}, seed, HOSTILE, most)
    first = match.at(0)
    for then, lang in zip(moments(match, number), cycle(LANGUAGES), strict=False):
        check_board(then, lang, seed)
        for layout in LAYOUTS:
            charts = {g.board.chart(one.scene(None, words_of(g.name, lang), layout)) for one in (first, then)}
            if len(charts) > 1:
                raise _broken(then, f"{layout}: the chart has changed since the start", seed)
    for lang in LANGUAGES:
        words = words_of(g.name, lang)
        try:
            ElementTree.fromstring(standalone_svg(g.cover.cover(words), *COVER_SIZE, words.say("game.title")))
        except ElementTree.ParseError as error:
            raise _broken(first, f"the cover is no XML: {error}", seed) from None


def _broken(match: Match, what: str, seed: int | None) -> BrokenPromise:
    options: dict[str, OptionValue] = {"players": match.players, **match.options}
    shown = {name: value for name, value in options.items() if value not in ("draw", "no")}
    return BrokenPromise(
        match.game.name,
        "board",
        options=shown,
        seed=seed,
        decision=match.ply,
        position=match.records[-1],
        more=what,
    )
