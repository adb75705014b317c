"""What a name is, from whatever source: nothing in it can disturb a page or a terminal, and no two at a table
look the same.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import comptoir
from comptoir.console import json_line
from comptoir.engine.game import get_game
from comptoir.engine.names import (
    MAX_NAME_LENGTH,
    MAX_NUMBERED_NAME_LENGTH,
    clean_name,
    clean_names,
    default_names,
    free_name,
    repaired_names,
    skeleton,
    without_invisible,
)
from comptoir.errors import MatchFileError, OptionError
from comptoir.web.domain import decide
from comptoir.web.domain.evolve import evolve, from_events
from comptoir.web.domain.state import Event, TableSettings
from tests.conftest import Run
from tests.manual_time import AT
from tests.web.app_harness import NOW, table_of

GOLDEN = Path(__file__).parent.parent / "golden" / "batavia" / "all-pass.match"
# what a hostile file may hold: a window's title, a cleared screen, a link, C1, text turned around, joiners
HOSTILE = (
    "\x1b]0;owned\x07Ann",
    "\x1b[2JBob",
    "\x1b]8;;http://evil.example\x1b\\Cid\x1b]8;;\x1b\\",
    "\u202eDan\x9b2J\u200d\u2066",
)
UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]")


def hostile(path: Path, *lines: str) -> str:
    """A match file that holds all of this in its seats' names."""
    text = GOLDEN.read_text(encoding="utf-8")
    for seat, name in enumerate(HOSTILE):
        text = re.sub(rf"^seat {seat} .*$", lambda _: f"seat {seat} {name}", text, flags=re.MULTILINE)  # noqa: B023
    file = path / "hostile.match"
    file.write_text("\n".join([*text.splitlines()[:1], *lines, *text.splitlines()[1:]]), encoding="utf-8")
    return str(file)


# Names


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Anne", "Anne"),
        ("  Anne\t\n de  Bretagne ", "Anne de Bretagne"),
        ("Chloe\u0301", "Chloé"),
        ("<b>O'Neil & co</b>", "<b>O'Neil & co</b>"),
        ("小林", "小林"),
        ("👩\u200d🚀", "👩\u200d🚀"),
        ("7", "7"),
        ("x" * 24, "x" * 24),
    ],
)
def test_a_name_is_tidied(text: str, name: str) -> None:
    assert clean_name(text) == name


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "at least one letter"),
        (" \t ", "at least one letter"),
        ("\u0301", "at least one letter"),
        ("\u200d", "at least one letter"),
        ("x" * 25, "at most 24 characters, found 25"),
        ("An\u202ene", r"U\+202E cannot be shown"),
        ("An\u2066ne", r"U\+2066 cannot be shown"),
        ("An\0ne", r"U\+0000 cannot be shown"),
        ("An\ud800ne", r"U\+D800 cannot be shown"),
        ("\u3164", r"U\+3164 cannot be shown"),
        ("\ufeffAnne", r"U\+FEFF cannot be shown"),
        ("Anne #1", "starts a comment"),
    ],
)
def test_a_name_that_will_not_do_is_refused_with_the_reason(text: str, said: str) -> None:
    with pytest.raises(OptionError, match=said):
        clean_name(text)


@settings(deadline=None)
@given(st.text(max_size=40))
def test_a_clean_name_is_clean(text: str) -> None:
    try:
        name = clean_name(text)
    except OptionError:
        return
    assert clean_name(name) == name
    assert 1 <= len(name) <= 24
    assert name == " ".join(name.splitlines()).strip()
    name.encode()


# Names that look the same

SAME = [
    "Ann",
    "ann",
    "ANN",
    "Ann\u200d",
    "Ann\ufe0f",
    "A\u034fnn",
    "A\u200cnn",
    "Ａｎｎ",
    "An\U000e0041n",
    "A\u00adnn",
]


@pytest.mark.parametrize("name", SAME)
def test_names_that_look_the_same_have_one_skeleton(name: str) -> None:
    assert skeleton(name) == "ann"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Anne Marie", "Anne\u2003Marie"),
        ("Anne Marie", " Anne\u00a0 Marie"),
        ("Chloé", "Chloe\u0301"),
        ("Chloé", "Chloe\u034f\u0301"),
        ("Straße", "STRASSE"),
    ],
)
def test_spaces_and_accents_are_folded(one: str, other: str) -> None:
    assert skeleton(one) == skeleton(other)


def test_different_names_stay_different() -> None:
    names = ["Ann", "Anne", "An n", "Chloe", "Chloé", "Anna", "小林", "👩", "🚀"]
    assert len({skeleton(name) for name in names}) == len(names)


@settings(deadline=None)
@given(st.text(max_size=30))
@example("\u034f")
@example("ﷺ")
@example("e\u034f\u0301")
def test_a_skeleton_is_its_own(text: str) -> None:
    assert skeleton(skeleton(text)) == skeleton(text)
    assert skeleton(f"\ufe0f{text}\u200d") == skeleton(text)


@settings(deadline=None)
@given(st.text(max_size=30))
def test_what_is_a_name_can_be_told_from_no_name(text: str) -> None:
    try:
        name = clean_name(text)
    except OptionError:
        return
    assert skeleton(name)


def test_every_character_that_is_drawn_as_nothing_is_ignored() -> None:
    """What `unicodedata` knows of them: all marks of format but those that draw something, and variation
    selectors.
    """
    drawn = ("ARABIC", "SYRIAC", "KAITHI", "EGYPTIAN", "INTERLINEAR")  # signs that go with what follows
    for n in range(sys.maxunicode + 1):
        letter = chr(n)
        name = unicodedata.name(letter, "")
        if "VARIATION SELECTOR" in name or (
            unicodedata.category(letter) == "Cf" and not name.startswith(drawn)
        ):
            assert skeleton(f"a{letter}b") == "ab", f"U+{n:04X} {name}"


@settings(deadline=None)
@given(st.lists(st.text(max_size=30), min_size=1, max_size=8))
def test_whatever_a_file_says_there_are_names(names: list[str]) -> None:
    repaired = repaired_names(names)
    assert clean_names(repaired) == repaired
    assert repaired_names(repaired) == repaired
    assert len({skeleton(name) for name in repaired}) == len(names)
    assert not any(UNSAFE.search(without_invisible(name)) for name in repaired)
    assert all(len(name) <= MAX_NUMBERED_NAME_LENGTH for name in repaired)


def test_good_names_are_left_as_they_are() -> None:
    for names in (["Anne", "Bruno"], ["👩\u200d🚀", "小林"], ["N" * 24, "N" * 24 + " 2"], default_names(12)):
        assert repaired_names(names) == names
        assert clean_names(names) == names
    assert repaired_names(["\x1b", "Anne", "\u3164", "#"]) == ["Anne", "Anne 2", "Chloé", "David"]


@settings(deadline=None)
@given(st.lists(st.sampled_from([*SAME, "Ann 2", "ANN 3", "N" * 24]), max_size=9))
def test_a_free_name_looks_like_no_other(taken: list[str]) -> None:
    for name in ("Ann", "N" * 24):
        free = free_name(name, taken)
        assert skeleton(free) not in {skeleton(one) for one in taken}
        assert len(free) <= MAX_NAME_LENGTH


# At a table


def test_nobody_at_a_table_looks_like_another() -> None:
    made = TableSettings("batavia", get_game("batavia").read_options(5), "1", creator="maker")
    table = from_events("t", [Event(1, "made", None, "maker", made.text(), AT)])
    for seat, name in enumerate(("Ann", "Ann\u200d", "ann\ufe0f", "Fernão\u034f")):
        table = evolve(table, decide.sit(table, NOW, f"p{seat}", seat, name))
    table = evolve(table, decide.seat_bot(table, NOW, "maker", 4, "clerk"))
    assert [held.name for held in table.seats] == [
        "Ann",
        "Ann\u200d 2",
        "ann\ufe0f 3",
        "Fernão\u034f",
        "Margriet",
    ]


@pytest.mark.parametrize("names", [["Ann", "Ann\u200d"], ["Ann", "ann"], ["A\x1b[2Jnn", "Bob"], ["Ann"]])
def test_a_program_cannot_give_such_names_either(names: list[str]) -> None:
    with pytest.raises(OptionError):
        comptoir.new("century", players=2, names=names)


def test_a_table_that_was_stored_with_odd_names_is_read() -> None:
    """An older server took them; the match goes on, under names that can be shown."""
    table = table_of("century", [("a", "Ann"), ("b", "Ann\u200d")])
    assert table.match is not None
    assert not table.outdated
    assert table.match.names == ["Ann", "Ann\u200d 2"]
    brought = table_of("century", [("a", "Ann"), ("b", "Bob")], names=("\x1b[2J", "ok"))
    assert brought.match is not None
    assert [held.name for held in brought.seats] == brought.match.names == ["[2J", "ok"]


# Match files


def test_a_file_with_odd_names_is_read_and_its_names_are_cleaned(tmp_path: Path) -> None:
    match = comptoir.load(hostile(tmp_path))
    assert match.names[1] == "[2JBob"
    assert clean_names(match.names) == match.names
    match.names[0] = HOSTILE[0]
    assert not UNSAFE.search(match.text().replace("\u200d", ""))
    assert comptoir.load(GOLDEN).names == default_names(match.players)


def test_a_seed_that_cannot_be_shown_is_refused(tmp_path: Path) -> None:
    text = re.sub(r"^seed .*$", "seed \x1b[2J", GOLDEN.read_text(encoding="utf-8"), flags=re.MULTILINE)
    file = tmp_path / "seed.match"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(MatchFileError, match="seed"):
        comptoir.load(file)


# Terminals

ODD = "a\x1b[2Jb\x9bc\u202ed\u200de\u2066f\x07g\u00a0h\u202fi\nj"


def test_a_terminal_is_sent_nothing_that_moves_its_cursor_or_turns_text() -> None:
    assert without_invisible(ODD) == "a[2Jbcdefg\u00a0h\u202fi\nj"
    assert json_line({"a": ODD}) == (
        '{"a": "a\\u001b[2Jb\\u009bc\\u202ed\\u200de\\u2066f\\u0007g\u00a0h\u202fi\\nj"}'
    )


@pytest.mark.parametrize(
    "command",
    [
        ["replay"],
        ["replay", "--actions"],
        ["replay", "--turn", "1"],
        ["replay", "--turn", "1", "--json"],
        ["replay", "--seat", "0", "--ply", "3", "--json"],
        ["replay", "--step"],
        ["verify"],
        ["verify", "--json"],
    ],
)
def test_no_escape_code_of_a_file_reaches_the_terminal(command: list[str], run: Run, tmp_path: Path) -> None:
    file = hostile(tmp_path, f"seed_hash {HOSTILE[0]}{HOSTILE[3]}")  # JSON escapes only the first by itself
    for status, out, err in (run(command[0], file, *command[1:], answers="\n\nq"),):
        assert status in (0, 1), err
        assert not UNSAFE.search(out), repr(UNSAFE.search(out))
        assert not UNSAFE.search(err)
        assert "Bob" in out or command[0] == "verify" or "--json" in command


def test_nor_while_it_is_played(run: Run, tmp_path: Path) -> None:
    """Nor is what looks like our own markup taken for it: it could hold a link, or end what it did not begin."""
    file = Path(hostile(tmp_path))
    text = file.read_text(encoding="utf-8")
    text = text[: text.index("\n\n") + 2] if "\n\n" in text else text
    file.write_text(text.replace("seat 0 ", "seat 0 [link=http://evil]Ann[/link][/]"), encoding="utf-8")
    status, out, err = run(
        "play",
        "batavia",
        "--resume",
        str(file),
        "--hotseat",
        "--bots",
        "passer-by",
        answers="score\n\nscore\nquit",
    )
    assert status == 0, err
    assert "[link=http://evil]" in out
    assert not UNSAFE.search(out.replace("\x1b[H\x1b[2J", ""))


def test_errors_are_shown_without_escape_codes(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "damaged.match"
    text = GOLDEN.read_text(encoding="utf-8")
    for odd in (re.sub(r"^rules .*$", "rules \x1b[2J\u202e7", text, flags=re.MULTILINE), f"\x1b[2J{text}"):
        file.write_text(odd, encoding="utf-8")
        status, _, err = run("replay", str(file))
        assert status == 2
        assert not UNSAFE.search(err)


def test_a_file_runs_no_program(run: Run, tmp_path: Path) -> None:
    """Who sat there is a note in the file, and a seat may be a program's: it is run only if one names it."""
    ran = tmp_path / "ran"
    for spec in (f"exec touch {ran}", f"{tmp_path}/mine.py:Bot"):
        file = hostile(tmp_path, f"table person, {spec}, clerk, clerk")
        status, _, err = run("play", "batavia", "--resume", file, answers="quit")
        assert status == 2
        assert "--bots" in err
        assert not ran.exists()
    status, _, err = run("play", "batavia", "--resume", file, "--bots", "passer-by", answers="quit")
    assert status == 0, err
