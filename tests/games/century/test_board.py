"""The board as SVG: drawn at every position, the same for all, with nothing on it that is not open."""

from __future__ import annotations

import dataclasses
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import comptoir
from comptoir.art.scene import LAYOUTS
from comptoir.engine.match import Match
from comptoir.engine.matchfile import parse as read_match
from comptoir.engine.scene import Scene
from comptoir.engine.words import LANGUAGES, words_of
from comptoir.games.century import rules
from tests.games.century.table import CENTURY, Table, tables
from tests.games.century.test_move import RING
from tests.golden import FOLDER

BOARD = CENTURY.board
HOSTILE = ("<b>&\"'", "</svg>", "&amp;", "]]>")
STRIP = [[x, y] for x in range(12) for y in (x % 2, x % 2 + 2)]
OWN_MAPS = {"ring": RING, "strip": {"markets": STRIP[:20], "ports": STRIP[20:]}}


def scene(match: Match, layout: str = "wide", seat: int | None = None, lang: str = "fr") -> Scene:
    return match.scene(seat, words_of("century", lang), layout)


def parse(body: str) -> ElementTree.Element:
    return ElementTree.fromstring(f'<svg xmlns="http://www.w3.org/2000/svg">{body}</svg>')


def ids(root: ElementTree.Element) -> list[str]:
    return [element.attrib["id"] for element in root.iter() if "id" in element.attrib]


def spots(root: ElementTree.Element) -> dict[str, ElementTree.Element]:
    """The spots of a picture: by name, their rings."""
    found = {}
    for element in root.iter():
        if element.get("class") == "spot":
            found[element.attrib["data-spot"]] = next(part for part in element if part.get("class") == "ring")
    return found


def extent(ring: ElementTree.Element) -> tuple[float, float]:
    """How wide and high a ring is: a rectangle's, or a hexagon's."""
    if "width" in ring.attrib:
        return float(ring.attrib["width"]), float(ring.attrib["height"])
    corners = [tuple(map(float, pair.split())) for pair in re.findall(r"-?[\d.]+ -?[\d.]+", ring.attrib["d"])]
    across, down = zip(*corners, strict=True)
    return max(across) - min(across), max(down) - min(down)


def random_matches(every: int = 1, **options: Any) -> Iterator[Match]:
    """A random match, at its start and after each (or every so many) of its first actions, and where the rest has got to."""
    chance = random.Random(5)
    match = comptoir.new("century", seed=5, **options)
    for number in range(500):
        if number % every == 0:
            yield match
        if match.over:
            break
        match.play(chance.choice(match.actions()))
    yield match


def draw(match: Match) -> None:
    """Everything of a position, well-formed, no id twice, and a spot for every action that names one."""
    decider, hands = scene(match, seat=match.turn), [BOARD.hand(scene(match, seat=seat)) for seat in range(match.players)]
    for layout in LAYOUTS:
        drawn = scene(match, layout)
        root = parse(BOARD.chart(drawn) + BOARD.pieces(drawn))
        assert len(ids(root)) == len(set(ids(root)))
        there = set(spots(root))
        if match.turn is not None:
            there |= {card.spot for card in hands[match.turn]}
        for action in decider.actions:
            assert set(BOARD.spots(decider, action)) <= there, action
    for seat, cards in enumerate(hands):
        assert len({card.id for card in cards}) == len(cards)
        parse("".join(card.body for card in cards) + "".join(fact.icon for fact in BOARD.facts(scene(match), seat)))


@pytest.mark.parametrize("open_tiles", ["no", "yes"])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_position_is_drawn(players: int, open_tiles: str) -> None:
    """C1, C33: with every number of players and every option."""
    for match in random_matches(5, players=players, open_tiles=open_tiles, names=HOSTILE[:players]):
        draw(match)


@pytest.mark.parametrize("path", sorted((FOLDER / "century").glob("*.match")), ids=lambda path: path.stem)
def test_whole_matches_are_drawn(path: Path) -> None:
    """C30, C34: to their ends."""
    match = read_match(path.read_text(encoding="utf-8"))
    for number in {*range(0, match.number, max(1, match.number // 12)), match.number}:
        draw(match.at(number))


def test_every_kind_of_action_is_about_something() -> None:
    """C13: but for ending a turn."""
    match = comptoir.new("century", seed=1)
    for action in ("lot one", "sail a"):
        match.play(action)
    position = match.position()
    position |= {"turn": position["boats"].index("a")}
    shown = dataclasses.replace(scene(match), view=match.view() | {"position": position})
    for action in rules.ACTIONS:
        named = BOARD.spots(shown, action)
        assert bool(named) == (action != "end")
        assert all(re.fullmatch("[a-z0-9-]+", name) for name in named)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_spots_are_large_enough(layout: str) -> None:
    """Nothing smaller than 40 by 40 to tap."""
    seen = set()
    for match in random_matches(5):
        for name, ring in spots(parse(BOARD.pieces(scene(match, layout)))).items():
            assert min(extent(ring)) >= 40, name
            seen.add(name.split("-")[0])
    assert seen == {"space", "lot", "bonus", "harvest", "take"}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", OWN_MAPS)
def test_an_own_map_is_drawn_on_the_sheet(name: str, layout: str) -> None:
    """C8: whole, and its spaces still large enough to tap."""
    match = comptoir.new("century", seed=2, components=tables(map=OWN_MAPS[name]))
    shown = scene(match, layout)
    plan = BOARD.spaces.plan(layout, match.box)
    (width, height), (across, down) = BOARD.SIZE[layout], plan.cut.size
    for x, y in plan.places.values():
        for half_x, half_y in ((across / 2, down / 2), (-across / 2, -down / 2)):
            assert 0 <= plan.middle[0] + (x + half_x) * plan.scale <= width
            assert 0 <= plan.middle[1] + (y + half_y) * plan.scale <= height
    rings = spots(parse(BOARD.chart(shown) + BOARD.pieces(shown)))
    assert min(min(extent(rings[f"space-{space}"])) for space in rules.SPACES) * plan.scale >= 39.5


@pytest.mark.parametrize("lang", LANGUAGES)
def test_names_are_escaped(lang: str) -> None:
    """Names of players may be anything."""
    match = comptoir.new("century", seed=3, names=HOSTILE)
    for action in ("lot one", "sail a"):
        match.play(action)
    shown = scene(match, lang=lang)
    pieces = BOARD.pieces(shown)
    titles = [element.text for element in parse(pieces).iter() if element.tag.endswith("title")]
    assert set(HOSTILE) <= set(titles)
    for card in BOARD.hand(scene(match, seat=0, lang=lang)):
        parse(card.body)
    for fact in BOARD.facts(shown, 0):
        parse(fact.icon)


def test_pieces_are_the_same_for_everybody() -> None:
    """C33: the board shows what is open, whoever looks."""
    for match in random_matches(40, players=3):
        for layout in LAYOUTS:
            views = {BOARD.pieces(scene(match, layout, seat)) for seat in (None, 0, 1, 2)}
            charts = {BOARD.chart(scene(match, layout, seat)) for seat in (None, 0, 1, 2)}
            assert len(views) == len(charts) == 1


def test_the_chart_stays_the_same() -> None:
    """C2: what is laid at the setup is not laid again."""
    for layout in LAYOUTS:
        assert len({BOARD.chart(scene(match, layout)) for match in random_matches(60, players=2)}) == 1


def test_claimed_tiles_are_shown_to_their_owners_only() -> None:
    """C17, C33: whoever has claimed which, a spectator and other seats are shown the same; with the option they are told."""
    one, other = (
        Table(CENTURY.interpreted).begin().owns(0, 20, 11).owns(1, 12, 15).owns(2, 13),
        Table(CENTURY.interpreted).begin().owns(0, 12, 15).owns(1, 20, 11).owns(2, 13),
    )
    for seat in (None, 2, 3):
        assert shown(one, seat) == shown(other, seat)
    for seat in (0, 1):
        assert shown(one, seat) != shown(other, seat)
    one.p.open_tiles = other.p.open_tiles = 1
    for seat in (None, 2, 3):
        assert shown(one, seat) != shown(other, seat)


def test_an_owner_sees_what_the_tiles_are_worth() -> None:
    """C17, C31, C33: in the hand and in the points, which others see without them; nothing is hidden of who has no tile."""
    match = Match("century", position=CENTURY.plain(Table(CENTURY.interpreted).begin().owns(0, 20, 11).hold(0, "YR").hold(1, "B").p))
    own, others = scene(match, seat=0), scene(match, seat=1)
    card = BOARD.hand(own)[-1]
    assert {"20", "11"} <= set(parse(card.body).itertext())
    assert [BOARD.facts(own, seat)[0].value for seat in (0, 1)] == ["32", "1"]
    assert [BOARD.facts(others, seat)[0].value for seat in (0, 1)] == ["1 + ?", "1"]


def shown(table: Table, seat: int | None) -> list[Any]:
    """All that a seat is shown of a position: the board, its hand, and what is known of all."""
    drawn = scene(Match("century", position=CENTURY.plain(table.p)), seat=seat)
    return [BOARD.pieces(drawn), BOARD.hand(drawn), *(BOARD.facts(drawn, other) for other in range(4))]


def test_points_are_those_of_the_rules_at_the_end() -> None:
    """C31: the first fact of a seat."""
    match = finished()
    drawn = scene(match)
    assert [BOARD.facts(drawn, seat)[0].value for seat in range(match.players)] == [str(points) for points in match.scores()]


def finished() -> Match:
    """A position in which the points have been counted."""
    t = Table(CENTURY.interpreted).begin().owns(0, 20, 11, 12, 15).owns(1, 19).hold(0, "YYRGB").hold(2, "YB").built(1, 2, 1, 1, 3)
    t.bonus(1, upgrade=1)
    t.p.phase, t.p.turn, t.p.ending = rules.OVER, -1, rules.FOURTH_TILE
    return Match("century", position=CENTURY.plain(t.p))


def test_a_spectator_has_no_hand() -> None:
    """C6: a seat has its cubes by colour first, then hold, board and tiles."""
    match = comptoir.new("century", seed=1)
    assert BOARD.hand(scene(match)) == []
    assert [card.id for card in BOARD.hand(scene(match, seat=1))][-3:] == ["hold", "board", "claimed"]


def test_nothing_that_the_pages_forbid() -> None:
    """No scripts and no styles: the pages' policy forbids them; defined ids are the game's own."""
    match = comptoir.new("century", seed=1)
    for layout in LAYOUTS:
        drawn = scene(match, layout)
        body = BOARD.chart(drawn) + BOARD.pieces(drawn)
        assert not re.search(r"<style|<script|style=|\son\w+=", body)
    for lang in LANGUAGES:
        cover = CENTURY.cover.cover(words_of("century", lang))
        assert not re.search(r"<style|<script|style=|\son\w+=", cover)
        assert "Century" in "".join(parse(cover).itertext())
