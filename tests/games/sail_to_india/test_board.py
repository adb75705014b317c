"""The board, the cover and what lies before a seat, over random matches."""

from __future__ import annotations

import random
import re
import xml.etree.ElementTree as ET
from collections import Counter
from functools import cache
from typing import Any

import pytest

import comptoir
from comptoir.art.scene import LAYOUTS, Card, board_svg, standing_alone
from comptoir.engine.match import Match
from comptoir.engine.scene import Scene
from comptoir.engine.words import LANGUAGES, words_of
from comptoir.games.sail_to_india import board
from comptoir.games.sail_to_india.cover import cover
from comptoir.games.sail_to_india.rules import MARKERS
from tests.games.sail_to_india.table import SAIL

HOSTILE = ["<b>&\"'", "]]>", "&amp;", 'O\'Neill "x"']
OPTIONS: list[dict[str, Any]] = [{"players": players, "setup": setup} for players in (3, 4) for setup in ("shuffled", "first game")]
EVERY_TABLE = pytest.mark.parametrize("options", OPTIONS, ids=lambda options: "-".join(map(str, options.values())))


@cache
def played(number: int) -> Match:
    """A match at random that returns few markers, so that it gets somewhere."""
    options = OPTIONS[number]
    match = comptoir.new("sail_to_india", seed=f"board{number}", names=HOSTILE[: options["players"]], **options)
    choice = random.Random(number)
    while match.turn is not None:
        actions = match.actions()
        match.play(choice.choice([action for action in actions if action != "recall" or choice.random() < 0.05] or actions))
    return match


def moments(options: dict[str, Any], n: int = 60) -> list[Match]:
    """So many moments of a match, from its start to its end."""
    match = played(OPTIONS.index(options))
    return [match.at(number) for number in [*range(0, match.number, 1 + match.number // n), match.number]]


def scene_of(match: Match, seat: int | None = None, layout: str = "wide", lang: str = "fr") -> Scene:
    return match.scene(seat, words_of("sail_to_india", lang), layout)


def spots_in(body: str) -> dict[str, tuple[float, float]]:
    """The names and sizes of all spots."""
    found = re.findall(r'data-spot="([^"]*)".*?<rect class="ring"[^>]* width="([\d.]+)" height="([\d.]+)"', body, re.S)
    return {name: (float(width), float(height)) for name, width, height in found}


@EVERY_TABLE
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_position_is_drawn(options: dict[str, Any], layout: str) -> None:
    """Well-formed, with ids of its own, every reference found, nothing that a page's policy forbids, names escaped."""
    for match in moments(options):
        scene = scene_of(match, layout=layout, lang=LANGUAGES[match.number % 2])
        root = ET.fromstring(board_svg(SAIL, scene))
        ids = Counter(node.get("id") for node in root.iter() if node.get("id"))
        assert max(ids.values()) == 1
        body = board.chart(scene) + board.pieces(scene)
        assert set(re.findall(r'(?:href="#|url\(#)([^")]+)', body)) <= set(ids)
        assert not re.search(r"<style|style=|<script|<b>", body)
        texts = "".join(root.itertext())
        assert HOSTILE[0] in texts


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
        for action in match.actions():
            assert set(board.spots(scene_of(match), action)) <= set(spots), action
            assert board.spots(scene_of(match), action) == board.spots(scene_of(match, match.turn), action)
        assert {card.spot for card in board.hand(scene_of(match, match.turn))} <= set(spots)


@EVERY_TABLE
def test_all_see_the_same_board(options: dict[str, Any]) -> None:
    """S73: nothing is hidden, so no picture may depend on who looks."""
    for match in moments(options, 25):
        seats = (None, *range(match.players))
        assert len({board.pieces(scene_of(match, seat)) for seat in seats}) == 1
        for other in range(match.players):
            assert all(board.facts(scene_of(match, seat), other) == board.facts(scene_of(match), other) for seat in seats)


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
            facts = board.facts(scene, seat)
            assert facts[0].value == str(match.scores()[seat])
            assert len(facts) <= 11
            for fact in facts:
                ET.fromstring(standing_alone(fact.icon, 30, 20, "icon"))


def drawn(card: Card) -> ET.Element:
    assert "href" not in card.body
    return ET.fromstring(standing_alone(card.body, *card.size, "card"))


def pieces_of(match: Match) -> dict[str, str]:
    """Each piece by its id, with where it is and as what."""
    body = board.pieces(scene_of(match))
    return dict(re.findall(r'<g id="([^"]+)" class="piece[^"]*" (.*?)</g>', body))


@EVERY_TABLE
def test_pieces_keep_their_ids(options: dict[str, Any]) -> None:
    """S4: nine markers, three scientists and a shipbuilder each, in every position, in the same order in the picture."""
    first = pieces_of(played(OPTIONS.index(options)).at(0))
    assert len(first) == options["players"] * (MARKERS + 4)
    for match in moments(options):
        assert list(pieces_of(match)) == list(first)


@EVERY_TABLE
def test_a_marker_glides_alone_most_often(options: dict[str, Any]) -> None:
    """A marker that sails, or changes its role, is most often the same cube before and after; those of other seats stay."""
    match = played(OPTIONS.index(options))
    alone = moved = 0
    before = pieces_of(match.at(0))
    for number, (seat, action) in enumerate(match.entries[:300], start=1):
        after = pieces_of(match.at(number))
        changed = [id for id in after if places(after[id]) != places(before[id])]
        assert all(id.split("-")[1] == str(seat) for id in changed), action
        if action.split()[0] in ("activate", "sail", "convert", "build", "refloat", "appoint"):
            moved += 1
            alone += len([id for id in changed if not close(before[id], after[id])]) <= 1
        before = after
    assert alone > 0.75 * moved


def places(piece: str) -> str:
    return piece.split(">")[0]


def close(one: str, other: str) -> bool:
    """On the same place, only nearer to the next marker or farther from it."""
    (x, y), (u, v) = (map(float, re.findall(r"-?[\d.]+", places(piece))[:2]) for piece in (one, other))
    return abs(x - u) <= 44 and abs(y - v) < 1


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_cover(lang: str) -> None:
    words = words_of("sail_to_india", lang)
    root = ET.fromstring(standing_alone(cover(words), 640, 440, "cover"))
    assert words.say("game.title") in "".join(root.itertext())


def test_words_of_the_lobby() -> None:
    """A tagline that fits, a label for every option and every choice, a rule for every line of the log."""
    texts = words_of("sail_to_india", "en").texts
    assert all(len(texts["game.tagline"][lang]) <= 90 for lang in LANGUAGES)
    for option in SAIL.options:
        assert f"labels.{option.name}" in texts
        assert all(f"labels.{option.name}.{word}" in texts for word in getattr(option, "words", ()))
    assert all(re.fullmatch(r"S\d+", entry["rule"]) for key, entry in texts.items() if key.startswith("log.") and entry["en"].endswith("."))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_space_is_named_by_its_town(lang: str) -> None:
    """Whoever cannot see the board is told which town a good or a building is in."""
    words = words_of("sail_to_india", lang)
    match = comptoir.new("sail_to_india", seed="names")
    good = words.name(match.components.tables["towns"]["goods"][match.position()["row"][1]][0])
    assert f"<title>{words.say('board.space', n=2, what=good)}</title>" in board.pieces(scene_of(match, lang=lang))


@EVERY_TABLE
def test_points_are_always_vp(options: dict[str, Any]) -> None:
    """S71: what wins is called VP on the board and in the facts, whatever else they show."""
    match = played(OPTIONS.index(options))
    for seat, vp in enumerate(match.scores()):
        assert board.facts(scene_of(match, lang="en"), seat)[0][:2] == ("VP", str(vp))
        assert board.facts(scene_of(match, lang="fr"), seat)[0][:2] == ("PV", str(vp))
        assert f">{vp} PV</text>" in board.pieces(scene_of(match))
