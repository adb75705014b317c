"""The board, the cover and what lies before a seat, over random matches."""

from __future__ import annotations

import random
import re
import xml.etree.ElementTree as ET
from collections import Counter
from functools import cache
from html import unescape
from typing import TYPE_CHECKING, Any, cast

import pytest

import comptoir
from comptoir.art.board import LAYOUTS, board_svg, standalone_svg
from comptoir.engine.board_items import Card
from comptoir.engine.match import Match
from comptoir.engine.words import LANGUAGES, words_of
from comptoir.games.sail_to_india import board
from comptoir.games.sail_to_india.cover import cover
from comptoir.games.sail_to_india.rules import MARKERS
from tests.games.sail_to_india.positions import COMPONENTS, SAIL, PositionBuilder

if TYPE_CHECKING:
    from comptoir.games.sail_to_india.records import Scene

HOSTILE = ["<b>&\"'", "]]>", "&amp;", 'O\'Neill "x"']
OPTIONS: list[dict[str, Any]] = [
    {"players": players, "setup": setup} for players in (3, 4) for setup in ("shuffled", "first game")
]
EVERY_TABLE = pytest.mark.parametrize(
    "options", OPTIONS, ids=lambda options: "-".join(map(str, options.values()))
)


@cache
def played(number: int) -> Match:
    """A match at random that returns few markers, so that it gets somewhere."""
    options = OPTIONS[number]
    match = comptoir.new(
        "sail_to_india", seed=f"board{number}", names=HOSTILE[: options["players"]], **options
    )
    choice = random.Random(number)
    while match.turn is not None:
        actions = match.actions()
        match.play(
            choice.choice(
                [action for action in actions if action != "recall" or choice.random() < 0.05] or actions
            )
        )
    return match


def moments(options: dict[str, Any], n: int = 60) -> list[Match]:
    """So many moments of a match, from its start to its end."""
    match = played(OPTIONS.index(options))
    return [match.at(number) for number in [*range(0, match.ply, 1 + match.ply // n), match.ply]]


def scene_of(match: Match, seat: int | None = None, layout: str = "wide", lang: str = "fr") -> Scene:
    return cast("Scene", match.scene(seat, words_of("sail_to_india", lang), layout))


def spots_in(body: str) -> dict[str, tuple[float, float]]:
    """The names and sizes of all spots."""
    found = re.findall(
        r'data-spot="([^"]*)".*?<rect class="ring"[^>]* width="([\d.]+)" height="([\d.]+)"', body, re.S
    )
    return {name: (float(width), float(height)) for name, width, height in found}


@pytest.mark.slow
@pytest.mark.no_cover
@EVERY_TABLE
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_position_is_drawn(options: dict[str, Any], layout: str) -> None:
    """Well-formed, with ids of its own, every reference found, nothing that a page's policy forbids, names
    escaped.
    """
    for match in moments(options):
        scene = scene_of(match, layout=layout, lang=LANGUAGES[match.ply % 2])
        root = ET.fromstring(board_svg(SAIL, scene))
        ids = Counter(node.get("id") for node in root.iter() if node.get("id"))
        assert max(ids.values()) == 1
        body = board.chart(scene) + board.pieces(scene)
        assert set(re.findall(r'(?:href="#|url\(#)([^")]+)', body)) <= set(ids)
        assert not re.search(r"<style|style=|<script|<b>", body)
        texts = "".join(root.itertext())
        assert HOSTILE[0] in texts


@pytest.mark.slow
@EVERY_TABLE
@pytest.mark.parametrize("layout", LAYOUTS)
def test_spots_are_there_and_large_enough(options: dict[str, Any], layout: str) -> None:
    """Every spot that a legal action is about is on the board, and so is every spot of the hand."""
    for match in moments(options):
        spots = spots_in(board.pieces(scene_of(match, layout=layout)))
        assert all(width >= 40 and height >= 40 for width, height in spots.values())
        assert all(re.fullmatch(r"[a-z0-9-]+", name) for name in spots)
        if match.turn is None:
            continue
        for action in scene_of(match, match.turn).choices:
            assert set(board.spots(scene_of(match), action)) <= set(spots), action
            assert board.spots(scene_of(match), action) == board.spots(scene_of(match, match.turn), action)
        assert {card.spot for card in board.hand(scene_of(match, match.turn))} <= set(spots)


@pytest.mark.slow
@EVERY_TABLE
def test_all_see_the_same_board(options: dict[str, Any]) -> None:
    """S73: nothing is hidden, so no picture may depend on whoever looks."""
    for match in moments(options, 25):
        seats = (None, *range(match.players))
        assert len({board.pieces(scene_of(match, seat)) for seat in seats}) == 1
        for other in range(match.players):
            assert all(
                board.facts(scene_of(match, seat), other) == board.facts(scene_of(match), other)
                for seat in seats
                if seat != other
            )


@EVERY_TABLE
def test_a_hand_and_facts(options: dict[str, Any]) -> None:
    """A spectator has no hand; tiles are pictures that stand alone; facts are few, and points come first."""
    for match in moments(options, 25):
        assert board.hand(scene_of(match)) == []
        for seat in range(match.players):
            scene = scene_of(match, seat)
            cards = board.hand(scene)
            assert len({card.id for card in cards}) == len(cards)
            for card in cards:
                drawn(card)
            assert all(card.size == board.TILE for card in cards)
            facts, others = board.facts(scene, seat), board.facts(scene_of(match), seat)
            assert facts[0].value == str(match.scores()[seat])
            assert len(others) <= 11
            assert set(facts) < set(others), "what lies before a seat is not told again in its panel"
            for fact in facts:
                ET.fromstring(standalone_svg(fact.icon, 30, 20, "icon"))


def drawn(card: Card) -> ET.Element:
    assert "href" not in card.body
    return ET.fromstring(standalone_svg(card.body, *card.size, "card"))


def pieces_of(match: Match) -> dict[str, str]:
    """Each piece by its id, with where it is and as what."""
    body = board.pieces(scene_of(match))
    return dict(re.findall(r'<g id="([^"]+)" class="piece[^"]*" (.*?)</g>', body))


@EVERY_TABLE
def test_pieces_keep_their_ids(options: dict[str, Any]) -> None:
    """S4: nine markers, three scientists and a shipbuilder each, in every position, in the same order in the
    picture.
    """
    first = pieces_of(played(OPTIONS.index(options)).at(0))
    assert len(first) == options["players"] * (MARKERS + 4)
    for match in moments(options):
        assert list(pieces_of(match)) == list(first)


@pytest.mark.slow
@EVERY_TABLE
def test_a_marker_glides_alone_most_often(options: dict[str, Any]) -> None:
    """A marker that sails, or changes its role, is most often the same cube before and after; those of other
    seats stay.
    """
    match = played(OPTIONS.index(options))
    alone = moved = 0
    before = pieces_of(match.at(0))
    for number, (seat, action) in enumerate(match.actions_by_seat[:300], start=1):
        after = pieces_of(match.at(number))
        changed = [id for id in after if places(after[id]) != places(before[id])]
        assert all(id.split("-")[1] == str(seat) for id in changed), action
        if action.split()[0] in ("activate", "sail", "convert", "build", "refloat", "appoint"):
            moved += 1
            alone += len([id for id in changed if not close(before[id], after[id])]) <= 1
        before = after
    assert alone > 0.75 * moved


def places(piece: str) -> str:
    return piece.split(">", maxsplit=1)[0]


def close(one: str, other: str) -> bool:
    """On the same place, only nearer to the next marker or farther from it."""
    (x, y), (u, v) = (map(float, re.findall(r"-?[\d.]+", places(piece))[:2]) for piece in (one, other))
    return abs(x - u) <= 44 and abs(y - v) < 1


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_cover(lang: str) -> None:
    words = words_of("sail_to_india", lang)
    root = ET.fromstring(standalone_svg(cover(words), 640, 440, "cover"))
    assert words.say("game.title") in "".join(root.itertext())


def test_words_of_the_lobby() -> None:
    """A tagline that fits, a label for every option and every choice, a rule for every line of the log."""
    texts = words_of("sail_to_india", "en").texts
    assert all(len(texts["game.tagline"][lang]) <= 90 for lang in LANGUAGES)
    for option in SAIL.options:
        assert f"labels.{option.name}" in texts
        assert all(f"labels.{option.name}.{word}" in texts for word in getattr(option, "words", ()))
    assert all(
        re.fullmatch(r"S\d+", entry["rule"])
        for key, entry in texts.items()
        if key.startswith("log.") and entry["en"].endswith(".")
    )


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_space_is_named_by_its_town(lang: str) -> None:
    """Whoever cannot see the board is told which town a good or a building is in."""
    words = words_of("sail_to_india", lang)
    match = comptoir.new("sail_to_india", seed="names")
    good = words.name(match.components.tables["towns"]["goods"][match.position()["row"][1]][0])
    assert f"<title>{words.say('board.space', n=2, what=good)}</title>" in board.pieces(
        scene_of(match, lang=lang)
    )


@EVERY_TABLE
def test_every_piece_is_named_with_its_owner(options: dict[str, Any]) -> None:
    """Ships, goods, buildings, keepers, scientists: each title begins with whose it is."""
    for match in moments(options, 12):
        shown = pieces_of(match)
        for id, body in shown.items():
            title = re.search("<title>(.*?)</title>", body)
            assert title is not None, id
            assert unescape(title[1]).startswith(match.names[int(id.split("-")[1])]), id


def test_places_are_named_with_who_is_there() -> None:
    """A sea with its ships, a space with whose marker lies on it, a technology with its owner."""
    arranged = (
        PositionBuilder(SAIL.interpreted)
        .towns(4)
        .has(0, lisbon=2, wealth=3, at2=2, land="1a 3d")
        .owns(0, "guild")
    )
    arranged.has(1, lisbon=1, wealth=2, at2=1)
    match = Match("sail_to_india", position=SAIL.to_dict(arranged.p), components=COMPONENTS, seed=1)
    english, french = (board.pieces(scene_of(match, lang=lang)) for lang in ("en", "fr"))
    for title in (
        "sea of town 2: Anne 2 ships and Bruno 1 ship",
        "sea of town 3",
        "town 1, gold: Anne",
        "town 3, gold market: Anne",
        "town 1, gems",
        "town 5: face down",
        "town 12, India: face down",
        "Guild: 2 VP more for each market at the end (Anne)",
        "Anne: ship, town 2",
        "Anne: gold, town 1",
        "Anne: 3 wealth, kept by bankers",
    ):
        assert f"<title>{title}</title>" in english
    for title in (
        "mer de la ville 2 : Anne 2 navires et Bruno 1 navire",
        "ville 1, or : Anne",
        "Anne : navire, ville 2",
        "Anne : 3 richesses gardées par les banquiers",
    ):
        assert f"<title>{title}</title>" in french


@pytest.mark.parametrize("layout", LAYOUTS)
def test_no_space_has_a_letter(layout: str) -> None:
    """What a terminal names by letters, a person sees."""
    for match in moments(OPTIONS[2], 6):
        scene = scene_of(match, layout=layout)
        assert not re.findall(r">[abcd]</text>", board.chart(scene) + board.pieces(scene))


def test_markers_that_hide_one_another_are_counted() -> None:
    arranged = PositionBuilder(SAIL.interpreted).towns(4).has(0, lisbon=1, at2=5)
    match = Match("sail_to_india", position=SAIL.to_dict(arranged.p), components=COMPONENTS, seed=1)
    assert ">5</text> </g></g>" in board.pieces(scene_of(match, layout="tall"))
    assert ">5</text> </g></g>" not in board.pieces(scene_of(match, layout="wide"))


def test_goods_to_sell_are_a_card_a_kind() -> None:
    """S27: with how many there are, and in which towns."""
    arranged = PositionBuilder(SAIL.interpreted).towns(4).has(0, wealth=1, land="1a 4a 3b")
    match = Match("sail_to_india", position=SAIL.to_dict(arranged.p), components=COMPONENTS, seed=1)
    for lang, names in (
        ("en", ["gold to sell, towns 1 and 4", "spice to sell, town 3"]),
        ("fr", ["à vendre : or, villes 1 et 4", "à vendre : épices, ville 3"]),
    ):
        cards = board.hand(scene_of(match, 0, lang=lang))
        assert [card.name for card in cards[4:]] == names
        assert [card.spot for card in cards[4:]] == ["space-1a", "space-3b"]


@EVERY_TABLE
def test_what_is_not_legal_now_has_its_spots_too(options: dict[str, Any]) -> None:
    """So that a click on a sea, a space or a technology can be asked about."""
    for match in moments(options, 6):
        if match.turn is not None:
            scene = scene_of(match, match.turn)
            for action in SAIL.action_table:
                assert all(re.fullmatch(r"[a-z0-9-]+", name) for name in board.spots(scene, action)), action
            shown = spots_in(board.pieces(scene))
            known = {f"sea-{n + 1}" for n in range(9)} | {f"space-1{letter}" for letter in "abcd"}
            assert known | {"lisbon", "sale", "technology-guild", "speed-0"} <= set(shown)


@EVERY_TABLE
def test_points_are_always_vp(options: dict[str, Any]) -> None:
    """S71: what wins is called VP on the board and in the facts, whatever else they show."""
    match = played(OPTIONS.index(options))
    for seat, vp in enumerate(match.scores()):
        english, french = (board.facts(scene_of(match, lang=lang), seat)[0] for lang in ("en", "fr"))
        assert english[:2] == ("VP if the game ended now", str(vp))
        assert french[:2] == ("PV si la partie finissait maintenant", str(vp))
        assert f">{vp} PV</text>" in board.pieces(scene_of(match))
