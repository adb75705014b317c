"""The board as SVG: drawn at every position, the same for all, with nothing on it that is not open."""

from __future__ import annotations

import dataclasses
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from xml.etree import ElementTree

import pytest

import comptoir
from comptoir.art.board import LAYOUTS
from comptoir.engine.match import Match
from comptoir.engine.matchfile import parse as read_match
from comptoir.engine.words import LANGUAGES, words_of
from comptoir.games.century import rules
from comptoir.games.century.layout import board_layout
from comptoir.testing.boards import text_sizes
from tests.games.century.positions import CENTURY, PositionBuilder, tables
from tests.games.century.test_move import RING
from tests.golden import FOLDER

if TYPE_CHECKING:
    from comptoir.games.century.records import Scene

BOARD = CENTURY.board
HOSTILE = ("<b>&\"'", "</svg>", "&amp;", "]]>")
STRIP = [[x, y] for x in range(12) for y in (x % 2, x % 2 + 2)]
OWN_MAPS = {"ring": RING, "strip": {"markets": STRIP[:20], "ports": STRIP[20:]}}


def scene(match: Match, layout: str = "wide", seat: int | None = None, lang: str = "fr") -> Scene:
    return cast("Scene", match.scene(seat, words_of("century", lang), layout))


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
    """A random match, at its start and after each (or every so many) of its first actions, and where the rest
    has got to.
    """
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
    decider, hands = (
        scene(match, seat=match.turn),
        [BOARD.hand(scene(match, seat=seat)) for seat in range(match.players)],
    )
    for layout in LAYOUTS:
        drawn = scene(match, layout)
        root = parse(BOARD.chart(drawn) + BOARD.pieces(drawn))
        assert len(ids(root)) == len(set(ids(root)))
        there = set(spots(root))
        if match.turn is not None:
            there |= {card.spot for card in hands[match.turn]}
        for action in decider.choices:
            assert set(BOARD.spots(decider, action)) <= there, action
    for seat, cards in enumerate(hands):
        assert len({card.id for card in cards}) == len(cards)
        parse(
            "".join(card.body for card in cards)
            + "".join(fact.icon for fact in BOARD.facts(scene(match), seat))
        )


@pytest.mark.slow
@pytest.mark.no_cover
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
    for number in {*range(0, match.ply, max(1, match.ply // 12)), match.ply}:
        draw(match.at(number))


def test_every_kind_of_action_is_about_something() -> None:
    """C13: but for ending a turn."""
    match = comptoir.new("century", seed=1)
    for text in ("lot one", "sail a"):
        match.play(text)
    position = match.position()
    position |= {"turn": position["boats"].index("a")}
    shown = dataclasses.replace(scene(match), view=match.view() | {"position": position})
    for action in rules.ACTIONS:
        named = BOARD.spots(shown, action)
        assert bool(named) == (action.kind != "end")
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
    board = board_layout(layout, match.box)
    (width, height), (across, down) = BOARD.SIZE[layout], board.hexes.size
    for x, y in board.places.values():
        for half_x, half_y in ((across / 2, down / 2), (-across / 2, -down / 2)):
            assert 0 <= board.middle[0] + (x + half_x) * board.scale <= width
            assert 0 <= board.middle[1] + (y + half_y) * board.scale <= height
    rings = spots(parse(BOARD.chart(shown) + BOARD.pieces(shown)))
    assert min(min(extent(rings[f"space-{space}"])) for space in rules.SPACES) * board.scale >= 39.5


@pytest.mark.parametrize("lang", LANGUAGES)
def test_names_are_escaped(lang: str) -> None:
    """Names of players may be anything."""
    match = comptoir.new("century", seed=3, names=HOSTILE)
    for action in ("lot one", "sail a"):
        match.play(action)
    shown = scene(match, lang=lang)
    pieces = BOARD.pieces(shown)
    titles = [element.text for element in parse(pieces).iter() if element.tag.endswith("title")]
    assert all(any(name in str(title) for title in titles) for name in HOSTILE)
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
    """C17, C33: whoever has claimed which, a spectator and other seats are shown the same; with the option
    they are told.
    """
    one, other = (
        PositionBuilder(CENTURY.interpreted).begin().owns(0, 20, 11).owns(1, 12, 15).owns(2, 13),
        PositionBuilder(CENTURY.interpreted).begin().owns(0, 12, 15).owns(1, 20, 11).owns(2, 13),
    )
    for seat in (None, 2, 3):
        assert shown(one, seat) == shown(other, seat)
    for seat in (0, 1):
        assert shown(one, seat) != shown(other, seat)
    one.p.open_tiles = other.p.open_tiles = 1
    for seat in (None, 2, 3):
        assert shown(one, seat) != shown(other, seat)


def test_an_owner_sees_what_the_tiles_are_worth() -> None:
    """C17, C31, C33: in the hand and in the points, which others see without them; nothing is hidden of who
    has no tile.
    """
    match = Match(
        "century",
        position=CENTURY.to_dict(
            PositionBuilder(CENTURY.interpreted).begin().owns(0, 20, 11).hold(0, "YR").hold(1, "B").p
        ),
    )
    own, others = scene(match, seat=0), scene(match, seat=1)
    (card,) = (card for card in BOARD.hand(own) if card.id == "claimed")
    assert {"20", "11"} <= set(parse(card.body).itertext())
    assert [BOARD.facts(own, seat)[0].value for seat in (0, 1)] == ["32", "1"]
    assert [BOARD.facts(others, seat)[0].value for seat in (0, 1)] == ["1+", "1"]
    # the tiles are not counted
    assert BOARD.facts(others, 0)[0].more == "Au moins 1 point : 2 tuiles réclamées sont face cachée"


def shown(table: PositionBuilder, seat: int | None) -> list[Any]:
    """All that a seat is shown of a position: the board, its hand, and what is known of all."""
    drawn = scene(Match("century", position=CENTURY.to_dict(table.p)), seat=seat)
    return [BOARD.pieces(drawn), BOARD.hand(drawn), *(BOARD.facts(drawn, other) for other in range(4))]


def test_points_are_those_of_the_rules_at_the_end() -> None:
    """C31: the first fact of a seat."""
    match = finished()
    drawn = scene(match)
    assert [BOARD.facts(drawn, seat)[0].value for seat in range(match.players)] == [
        str(points) for points in match.scores()
    ]


def finished() -> Match:
    """A position in which the points have been counted."""
    t = (
        PositionBuilder(CENTURY.interpreted)
        .begin()
        .owns(0, 20, 11, 12, 15)
        .owns(1, 19)
        .hold(0, "YYRGB")
        .hold(2, "YB")
        .built(1, 2, 1, 1, 3)
    )
    t.bonus(1, upgrade=1)
    t.p.phase, t.p.turn, t.p.ending = rules.OVER, -1, rules.FOURTH_TILE
    return Match("century", position=CENTURY.to_dict(t.p))


def test_a_spectator_has_no_hand() -> None:
    """C6: a seat has its cubes by spice first, then hold and board, each once; tiles when it has any."""
    match = comptoir.new("century", seed=1)
    assert BOARD.hand(scene(match)) == []
    cards = BOARD.hand(scene(match, seat=1))
    assert [card.id for card in cards] == [
        *(f"card-{name}" for name in rules.CUBES),
        "hold",
        "board",
    ]
    assert {card.size[1] for card in cards} == {64}


def test_a_hand_fits_a_phone_in_two_rows() -> None:
    """C6, C21: cubes, hold and board in the first, on a screen of 360; with a claimed tile and a bonus tile of
    every kind in the second, on one of 390. Next to a hand are 8, and 4 between its cards.
    """
    t = (
        PositionBuilder(CENTURY.interpreted)
        .begin()
        .built(0, 5, 5, 5, 5)
        .bonus(0, points=1, move=1, upgrade=1, harvest=1, hold=1)
    )
    t.owns(0, 20)
    cards = BOARD.hand(scene(Match("century", position=CENTURY.to_dict(t.p)), seat=0))
    first, second = ([card.size[0] for card in cards if card.size[1] == high] for high in (64, 44))
    assert (len(first), len(second)) == (6, 6)
    assert sum(first) + 4 * 5 <= 360 - 16
    assert sum(second) + 4 * 5 <= 390 - 16
    assert min(first + second) >= 44


@pytest.mark.parametrize("lang", LANGUAGES)
def test_everything_has_a_name(lang: str) -> None:
    """C2, C4, C12, C14: with its place and its owner; a space says all that is there."""
    t = (
        PositionBuilder(CENTURY.interpreted, first=0)
        .begin("kkhw")
        .market("k", "ginger 1")
        .outpost("k", 1, 2)
        .lay("k", "YYB")
    )
    t.tile("w", "YYGGG", 11)
    drawn = scene(Match("century", position=CENTURY.to_dict(t.p)), lang=lang)
    titles = {
        str(element.text) for element in parse(BOARD.pieces(drawn)).iter() if element.tag.endswith("title")
    }
    english = {
        "Market K, ginger: 2 ginger → 1 tea · outposts: Bruno, Chloé · boats: Anne, Bruno · "
        "to pick up: 2 ginger, 1 clove · next to E, F, J, L, P, Q",
        "Port W: 11 points for 2 ginger, 3 tea · boats: David · next to A, C, D",
        "Bruno: outpost on K",
        "Chloé: boat on H",
        "2 ginger to pick up on K",
    }
    french = {
        "Marché K, gingembre : 2 gingembres → 1 thé · comptoirs : Bruno, Chloé · bateaux : Anne, Bruno · "
        "à récupérer : 2 gingembres, 1 girofle · à côté de E, F, J, L, P, Q",
        "Port W : 11 points pour 2 gingembres, 3 thés · bateaux : David · à côté de A, C, D",
        "Bruno : comptoir sur K",
        "Chloé : bateau sur H",
        "2 gingembres à récupérer sur K",
    }
    assert (english if lang == "en" else french) <= titles


def test_facts_say_what_they_are() -> None:
    """C31: points first, hold, tiles, outposts; each figure in words too."""
    t = PositionBuilder(CENTURY.interpreted, first=0).begin().hold(0, "YYB").built(0, 2, 1).owns(0, 12)
    known = BOARD.facts(scene(Match("century", position=CENTURY.to_dict(t.p)), seat=0, lang="en"), 0)
    assert [(fact.name, fact.value) for fact in known] == [
        ("Points so far", "14"),
        ("Hold: 3 cubes, room for 10", "3/10"),
        ("Point tiles claimed: 1 of 4; the last one starts the last round", "1/4"),
        ("Outposts built: ginger 2, chili 1, tea 0, cloves 0", "3"),
        ("ginger", "2"),
        ("cloves", "1"),
    ]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_text_can_be_read_on_a_phone(lang: str) -> None:
    """Nothing below 11 on a screen of 390, with every trade and tile that comes up."""
    assert BOARD.SIZE["tall"][0] == 390
    for seed in range(5):
        match = comptoir.new("century", seed=seed, players=4)
        for action in ("lot one", "sail a", "lot two", "sail b", "lot three", "sail c", "lot four", "sail d"):
            drawn = scene(match, "tall", match.turn, lang)
            body = BOARD.chart(drawn) + BOARD.pieces(drawn) + "".join(card.body for card in BOARD.hand(drawn))
            assert all(size >= 11 for size, _ in text_sizes(parse(body)))
            match.play(action)


def test_places_can_be_asked_about() -> None:
    """C10, C15, C19: also when no action there is legal now, every space, bonus tile and cube has its spot."""
    match = Match(
        "century", position=CENTURY.to_dict(PositionBuilder(CENTURY.interpreted, first=0).begin("kkhw").p)
    )
    for layout in LAYOUTS:
        own = scene(match, layout, seat=0)
        there = {*spots(parse(BOARD.pieces(own))), *(card.spot for card in BOARD.hand(own))}
        for action in rules.ACTIONS:
            if action.kind not in ("lot", "take", "end"):
                assert BOARD.spots(own, action)[0] in there, action


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
