"""What all boards are drawn with, and what all boards keep to."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

import comptoir
from comptoir.art import shapes
from comptoir.art.board import LAYOUTS, STYLE
from comptoir.engine import registry
from comptoir.engine.game import get_game
from comptoir.engine.words import LANGUAGES, words_of

KINDS = ("title", "name", "label", "number", "initial", "letter")
READABLE = 11  # the smallest size of words on a board


def board(name: str, layout: str, players: int, lang: str = "en") -> ElementTree.Element:
    match = comptoir.new(name, seed=1, players=players)
    scene = match.scene(None, words_of(name, lang), layout)
    return parse(match.game.board.chart(scene) + match.game.board.pieces(scene))


def parse(body: str) -> ElementTree.Element:
    return ElementTree.fromstring(f"<svg>{body}</svg>")


@pytest.mark.parametrize("kind", KINDS)
def test_the_style_sheet_leaves_size_colour_and_anchor_to_attributes(kind: str) -> None:
    """A rule of CSS wins over an attribute, whatever a board asks for."""
    style = STYLE.read_text(encoding="utf-8")
    rules = [
        body for names, body in re.findall(r"([^{}]*){([^}]*)}", style) if re.search(rf"\.{kind}\b", names)
    ]
    asked = {
        declared.split(":")[0].strip() for body in rules for declared in body.split(";") if declared.strip()
    }
    assert asked == {"font-family", "font-weight"}
    assert not re.search(r"(^|[\s,}])text\b[^}]*{", style)


@pytest.mark.parametrize("kind", KINDS)
def test_words_say_their_size_colour_and_anchor(kind: str) -> None:
    plain, asked = (
        parse(shapes.text(1, 2.5, "<&>", kind))[0],
        parse(shapes.text(0, 0, 3, kind, "end", 40, "#123456"))[0],
    )
    assert (plain.get("class"), plain.get("x"), plain.get("y"), plain.text) == (kind, "1", "2.5", "<&>")
    assert float(plain.get("font-size", 0)) >= READABLE
    assert (plain.get("text-anchor"), plain.get("fill")) == (
        "middle",
        shapes.FOAM if kind == "initial" else shapes.INK,
    )
    assert (asked.get("text-anchor"), asked.get("font-size"), asked.get("fill")) == ("end", "40", "#123456")
    assert asked.get("fill-opacity") is None


def test_letters_are_light_on_dark_wood() -> None:
    for colour, ink in (
        ("#6b4630", shapes.FOAM),
        ("#b5352b", shapes.FOAM),
        ("#e3b83c", shapes.INK),
        ("#fbf4e2", shapes.INK),
    ):
        letter = parse(shapes.cube(colour, "B", 14)).find("text")
        assert letter is not None
        assert (letter.get("fill"), float(letter.get("font-size", 0)) >= READABLE) == (ink, True)


def test_a_curve_runs_through_its_points() -> None:
    points = [(0, 0), (10, 5), (20, 0)]
    assert re.findall(r"([\d.]+ [\d.]+)(?=C|Z|$)", shapes.curve(points)) == ["0 0", "10 5", "20 0"]
    assert re.findall(r"([\d.]+ [\d.]+)(?=C|Z|$)", shapes.curve(points, closed=True)) == [
        "0 0",
        "10 5",
        "20 0",
        "0 0",
    ]


def test_long_names_are_cut() -> None:
    assert [shapes.truncated(name, 5) for name in ("Anne", "Chloé", "Barnabé")] == ["Anne", "Chloé", "Barn…"]


@pytest.mark.parametrize("name", registry.names())
def test_words_on_boards_can_be_read(name: str) -> None:
    """All are written by `shapes.text`, and none too small.

    What is scaled down with its piece is the game's own affair.
    """
    for layout in LAYOUTS:
        for lang in LANGUAGES:
            for word in board(name, layout, get_game(name).rules.DEFAULT_PLAYERS, lang).iter("text"):
                assert word.get("class") in KINDS
                assert len(word) == 0
                assert float(word.get("font-size", 0)) >= READABLE
                assert {"fill", "text-anchor"} <= set(word.attrib)


@pytest.mark.parametrize("name", registry.names())
def test_boards_share_a_page(name: str) -> None:
    """A notebook shows many boards.

    What one of them refers to by an id, another one defines in the same way or not at all.
    """
    least, most = get_game(name).rules.PLAYERS
    defined: dict[str, bytes] = {}
    for layout in LAYOUTS:
        for players in range(least, most + 1):
            for element in board(name, layout, players).findall("defs/*[@id]"):
                drawn = ElementTree.tostring(element)
                assert defined.setdefault(element.attrib["id"], drawn) == drawn, element.attrib["id"]
