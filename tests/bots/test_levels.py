"""The words that name bots."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

import comptoir
from comptoir.bots.levels import (
    LEVELS,
    Level,
    Program,
    by_evaluation,
    check,
    exact_spec,
    make,
    read,
    split_specs,
)
from comptoir.bots.searcher import Searcher
from comptoir.engine.game import get_game
from comptoir.errors import DataError, OptionError


def test_levels_in_both_languages() -> None:
    for french, english in zip(["passant", "commis", "marchand", "capitaine", "amiral"], LEVELS, strict=True):
        assert read(french) == read(english) == read(english.upper()) == LEVELS[english]


def test_a_level_with_iterations_of_its_own() -> None:
    captain = Level("captain", 20_000, asks_network=True, without_network=20_000, analysis=20_000)
    assert read("captain:20000") == read("capitaine:20000") == captain
    admiral = Level("admiral", 16, trees=8, asks_network=True, without_network=16, analysis=16)
    assert read("admiral:16") == read("amiral:16x8") == admiral
    assert read("admiral:16x2") == replace(admiral, trees=2)


def test_exact_settings() -> None:
    """They name the evaluation or the network, and are the same in all games and with all components."""
    assert read("search:5000") == read("Recherche:5000") == Level("search", 5_000, analysis=5_000)
    assert read("search:50000x8") == Level("search", 50_000, trees=8, analysis=50_000)
    assert read("network:200") == read("réseau:200")
    assert read("network:200") == Level("network", 200, asks_network=True, analysis=200)
    assert read("network:200@mine.npz") == replace(cast(Level, read("network:200")), weights_file="mine.npz")
    assert read("search:8@mine.toml") == replace(cast(Level, read("search:8")), weights_file="mine.toml")
    for spec in (
        "search:5000",
        "search:50000x8",
        "network:200",
        "network:9x3@mine.npz",
        "search:8@mine.toml",
    ):
        assert exact_spec(cast(Level, read(spec))) == spec


def test_a_level_without_its_network_is_an_exact_search() -> None:
    assert by_evaluation("captain") == "search:5000"
    assert by_evaluation("admiral") == "search:50000x8"
    assert by_evaluation("captain:70") == "search:70"
    assert by_evaluation("captain@mine.npz") == "search:5000"
    for spec in ("clerk", "merchant", "search:7", "network:7", "captain@mine.toml", "exec ./bot"):
        assert by_evaluation(spec) == spec


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("pilot", "captain"),
        ("pilote", "captain"),
        ("navigator", "admiral"),
        ("Navigateur", "admiral"),
        ("pilot:8", "captain:8"),
        ("navigator@mine.npz", "admiral@mine.npz"),
    ],
)
def test_levels_of_earlier_versions_are_those_in_their_place(before: str, now: str) -> None:
    """In a file of a match, a command in somebody's notes."""
    assert read(before) == read(now)


def test_custom_bots() -> None:
    own = read("bots/mine.py:MyBot")
    assert isinstance(own, Program)
    assert own.name == "MyBot"
    assert own.command[-1] == "bots/mine.py:MyBot"
    assert read("exec ./bots/bot --depth '1, 2'") == Program("bot", ("./bots/bot", "--depth", "1, 2"))


@pytest.mark.parametrize(
    ("text", "specs"),
    [
        ("captain", ["captain"]),
        ("captain,clerk, merchant", ["captain", "clerk", "merchant"]),
        ("captain:20000,mine.py:MyBot", ["captain:20000", "mine.py:MyBot"]),
        ("exec ./bot -x 3,clerk", ["exec ./bot -x 3", "clerk"]),
        ("exec ./bot '1,2' \"3,4\",clerk,", ["exec ./bot '1,2' \"3,4\"", "clerk"]),
    ],
)
def test_lists(text: str, specs: list[str]) -> None:
    assert split_specs(text) == specs


@pytest.mark.parametrize("text", ["", " ", ",,"])
def test_empty_lists(text: str) -> None:
    with pytest.raises(comptoir.OptionError, match="expected a list such as 'captain,clerk'"):
        split_specs(text)


def test_what_cannot_be_used_is_said_in_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plain.txt").touch()
    for spec, error in {
        "captian": r"no bot 'captian', did you mean 'captain'\? Bots: passer-by, .* 'mine.py:MyBot' or 'exec ./bot'",
        "": "no bot ''",
        "captain:": "a level that searches and a number of iterations",
        "captain:0": "a level that searches and a number of iterations",
        "captain:many": "a level that searches and a number of iterations",
        "clerk:500": "a level that searches and a number of iterations",
        "captain:20000x": "a level that searches and a number of iterations",
        "captain:20000x0": "a level that searches and a number of iterations",
        "captain:-1": "a level that searches and a number of iterations",
        "captain:²": "a level that searches and a number of iterations",
        "captain:99999999": "at most 10000000 iterations and 64 trees",
        "captain:99x65": "at most 10000000 iterations and 64 trees",
        "search": "say how many iterations, such as 'search:5000'",
        "network@mine.npz": "say how many iterations, such as 'network:5000'",
        "search:5@mine.npz": "'network' a file that ends in .npz, such as 'network:200@mine.npz'",
        "network:5@mine.toml": "'search' takes an evaluation.toml .* such as 'search:5000@mine.toml'",
        "serch:5": "did you mean 'search'",
        "clerk@mine.npz": "a network needs a level that searches",
        "mine.py": "say which class of the file, such as 'mine.py:MyBot'",
        "mine.py:MyBot": "there is no file 'mine.py' here",
        "exec": "say which program",
        "exec ./nothing": "there is no program './nothing'",
        "exec nothing-of-the-kind": "there is no program 'nothing-of-the-kind'",
        "exec ./plain.txt": r"plain.txt is not executable; chmod \+x plain.txt",
        "exec './bot": "no closing quotation; check the quotes",
    }.items():
        with pytest.raises(comptoir.OptionError, match=error):
            check(spec)


@pytest.mark.parametrize(
    ("source", "error"),
    [
        ("class MyBat: pass", r"mine.py has no class 'MyBot'; its classes: MyBat"),
        ("MyBot = 3", "mine.py has no class 'MyBot'; its classes: none"),
        ("class MyBot: pass", r"the class MyBot has no method choose\(self, view\)"),
        (
            "from comptoir.bots import Bot\nclass MyBot(Bot): pass",
            r"the class MyBot has no method choose\(self, view\)",
        ),
        ("class MyBot(", "cannot be loaded:(.|\n)*SyntaxError"),
        ("import nothing_of_the_kind", "cannot be loaded:(.|\n)*No module named 'nothing_of_the_kind'"),
    ],
)
def test_a_class_that_cannot_be_used(tmp_path: Path, source: str, error: str) -> None:
    (tmp_path / "mine.py").write_text(source, encoding="utf-8")
    with pytest.raises(comptoir.OptionError, match=error):
        check(f"{tmp_path}/mine.py:MyBot")


def test_a_file_that_takes_too_long_to_load(tmp_path: Path) -> None:
    from comptoir.bots.external import try_out

    with pytest.raises(comptoir.OptionError, match=r"takes more than 0\.1 s to load"):
        try_out("mine.py:MyBot", [sys.executable, "-ISc", "import time; time.sleep(60)"], limit=0.1)


@pytest.mark.parametrize("spec", ["passant", "clerk", "merchant:8", "captain:8", "admiral:8", "search:8x2"])
def test_levels_are_made_for_any_game(spec: str) -> None:
    match = comptoir.new("batavia", seed=3)
    assert make(spec, match.game, match.components, "seed").seed == "seed"


@pytest.mark.parametrize("spec", ["passer-by", "clerk", "exec cat", "captain:3", "search:3", "network:3x2"])
def test_what_can_be_used(spec: str) -> None:
    check(spec)


def test_a_level_may_have_figures_of_its_own(tmp_path: Path) -> None:
    chosen = get_game("batavia")
    text = (chosen.folder / "evaluation.toml").read_text(encoding="utf-8")
    own = tmp_path / "own.toml"
    own.write_text(text.replace("rollout_depth = ", "rollout_depth = 1 # "), encoding="utf-8")
    bot = make(f"captain:300@{own}", chosen, chosen.components, "1")
    assert isinstance(bot, Searcher)
    assert bot.settings.rollout_depth == 1
    assert bot.each == 300


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (
            lambda text: text.replace("[weights]", "[weights]\nnonsense = 1.0"),
            "nonsense: missing, of another length, or not a weight of this game",
        ),
        (lambda text: text.replace("[search]", "[other]"), r"other: no such table"),
        (lambda text: text.replace("[weights]", "[weights"), "not valid TOML"),
        (
            lambda text: text.replace("c_puct =", "c_punt ="),
            "c_punt: no such setting, did you mean 'c_puct'",
        ),
    ],
)
def test_figures_that_do_not_fit_are_refused(
    tmp_path: Path, change: Callable[[str], str], reason: str
) -> None:
    chosen = get_game("batavia")
    own = tmp_path / "own.toml"
    own.write_text(change((chosen.folder / "evaluation.toml").read_text(encoding="utf-8")), encoding="utf-8")
    with pytest.raises(DataError, match=reason):
        make(f"clerk@{own}", chosen, chosen.components, "1")


def test_figures_that_are_not_there_are_refused_early() -> None:
    with pytest.raises(OptionError, match="there is no file"):
        check("clerk@none.toml")
    with pytest.raises(OptionError, match="judges nothing"):
        check("passer-by@none.toml")
