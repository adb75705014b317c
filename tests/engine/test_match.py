"""A match as a programmer uses it, and its file."""

from __future__ import annotations

import random
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import comptoir
from comptoir.engine import registry
from comptoir.engine.matchfile import parse
from comptoir.engine.words import words_of

SOME = Path(__file__).parents[1] / "golden" / "batavia" / "all-pass.match"
SVG = "{http://www.w3.org/2000/svg}"


def test_refusals_carry_the_rule_and_change_nothing() -> None:
    match = comptoir.new("batavia", seed=7, first=0)
    with pytest.raises(comptoir.IllegalAction) as refused:
        match.play("draw")
    assert (refused.value.rule, refused.value.action) == ("B11", "draw")
    with pytest.raises(comptoir.UnknownAction, match="did you mean 'lay denmark'"):
        match.play("lay danmark")
    assert match.ply == 0


def test_a_seed_fixes_the_match_and_none_is_random() -> None:
    assert comptoir.new("batavia", seed=7).position() == comptoir.new("batavia", seed="7").position()
    assert comptoir.new("batavia").position() != comptoir.new("batavia").position()


@pytest.mark.parametrize("seed", ["two words", "", "a#b", " x"])
def test_a_seed_is_one_word(seed: str) -> None:
    with pytest.raises(comptoir.OptionError, match="seed"):
        comptoir.new("batavia", seed=seed)


def test_names_are_different_and_as_many_as_players() -> None:
    assert comptoir.new("batavia", players=3, names=["A", "B b", "C"]).names == ["A", "B b", "C"]
    for names in (["A", "B"], ["A", "A", "B"], ["A", "", "B"]):
        with pytest.raises(comptoir.OptionError, match="names"):
            comptoir.new("batavia", players=3, names=names)


def test_seats_that_are_not_there_have_no_view() -> None:
    with pytest.raises(comptoir.OptionError, match="no seat 4"):
        comptoir.new("batavia", players=4).view(4)


def test_a_position_is_refused_with_what_is_wrong() -> None:
    data = comptoir.new("batavia", seed=1).position()
    data["bills"][0] += 1
    with pytest.raises(comptoir.DataError, match="bills: not as many as all started with"):
        comptoir.new("batavia", position=data)
    with pytest.raises(comptoir.OptionError, match="leave out players"):
        comptoir.new("batavia", position=data | {"bills": [15] * 4}, players=4)


def test_at_gives_a_match_of_its_own() -> None:
    match = comptoir.load(SOME)
    early = match.at(10)
    early.play(early.actions()[0])
    assert (early.ply, early.over) == (11, False)
    assert match.text() == comptoir.load(SOME).text()
    with pytest.raises(comptoir.OptionError, match=f"0 to {match.ply}"):
        match.at(match.ply + 1)


def test_nothing_to_undo_at_the_start() -> None:
    with pytest.raises(comptoir.CannotUndo, match="nothing has been played"):
        comptoir.new("batavia").undo()


def test_a_match_shows_itself() -> None:
    match = comptoir.new("batavia", seed=1, first=0)
    assert repr(match) == "<match of batavia, 4 players, 0 actions, Bruno to decide>"
    assert "over" in repr(comptoir.load(SOME))


def test_own_components_travel_with_the_match(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    text = comptoir.new("batavia").game.folder.joinpath("components.toml").read_text(encoding="utf-8")
    own.write_text(text.replace("bills = 15", "bills = 9"), encoding="utf-8")
    match = comptoir.new("batavia", seed=1, components=own)
    assert match.position()["bills"] == [9, 9, 9, 9]
    match.save(tmp_path / "own.match")
    own.unlink()
    assert comptoir.load(tmp_path / "own.match").position()["bills"] == [9, 9, 9, 9]


# Match files


def lines() -> list[str]:
    return SOME.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize(
    ("line", "new", "error"),
    [
        (0, "something else", "starts with the line"),
        (2, "game       batvia", "did you mean 'batavia'"),
        (3, "rules      0", "version 0 of the rules of batavia"),
        (4, "players    7", "3 to 5 players"),
        (5, "setup      upside-down", "setup: expected shuffled or open"),
        (5, "set-up     open", "no option 'set-up'"),
        (8, "players    4", "given before, in line 5"),
        (8, "", "no line 'seed'"),
        (9, "seat 1     Anne", "expected seat 0"),
        (14, "3 pass", "it is seat 2's decision here, not seat 3's"),
        (14, "2 draw", "the auction comes first: bid or pass (B11)"),
        (14, "2 fly", "no action of batavia"),
    ],
)
def test_a_damaged_file_is_refused_with_the_line_and_the_reason(line: int, new: str, error: str) -> None:
    text = lines()
    text[line] = new
    with pytest.raises(comptoir.MatchFileError) as refused:
        parse("\n".join(text))
    assert error in str(refused.value)
    if new:
        assert refused.value.line == line + 1


def test_actions_after_the_end_are_refused() -> None:
    text = lines()
    with pytest.raises(comptoir.MatchFileError, match="over before this action"):
        parse("\n".join([*text, "0 pass"]))


def test_a_file_that_is_no_text_or_is_not_there_is_refused(tmp_path: Path) -> None:
    bad = tmp_path / "bad.match"
    bad.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(comptoir.MatchFileError, match="UTF-8"):
        comptoir.load(bad)
    with pytest.raises(comptoir.MatchFileError, match="cannot be read"):
        comptoir.load(tmp_path / "none.match")
    with pytest.raises(comptoir.MatchFileError, match="starts with the line"):
        parse("")


@settings(max_examples=60, deadline=None)
@given(st.randoms(use_true_random=False))
def test_whatever_happens_to_a_file_is_answered_with_a_line(chance: random.Random) -> None:
    """Characters lost, doubled or replaced: the file is a match all the same, or refused with its line."""
    text = "\n".join(lines()[:60])
    for _ in range(chance.randint(1, 3)):
        place = chance.randrange(len(text))
        text = (
            text[:place] + chance.choice(["", "\n", " ", "#", "9", "é", text[place] * 2]) + text[place + 1 :]
        )
    line = 1
    try:
        parse(text)
    except comptoir.MatchFileError as error:
        line = error.line
    assert 1 <= line <= len(text.splitlines()) + 1


def test_comments_and_blank_lines_do_not_count() -> None:
    text = lines()
    text[14] = "  2   pass   # he has enough cards\n\n# and so has she"
    assert parse("\n".join(text)).text() == comptoir.load(SOME).text()


@pytest.mark.parametrize("name", registry.names())
def test_a_notebook_shows_the_board(name: str) -> None:
    match = comptoir.new(name, seed=7)
    picture = ElementTree.fromstring(match._repr_svg_())
    assert picture.tag == f"{SVG}svg"
    assert picture.findtext(f"{SVG}title") == words_of(name, "en").say("game.title")
    assert picture.find(f".//{SVG}g[@class='piece']") is not None
