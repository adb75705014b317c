"""What authors of games are told of their mistakes: in one sentence, with the file and the line."""

from __future__ import annotations

import logging
import pickle
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import comptoir
from comptoir.engine import mistakes, registry
from comptoir.engine.game import get_game
from comptoir.engine.game_check import check_game
from comptoir.engine.mask import new_mask
from comptoir.engine.modes import INTERFACE
from comptoir.errors import RuleError, UnknownGame
from tests import example_game

LOTS = example_game.LOTS / "comptoir_lots"
BOARD = "def chart(scene, more):\n    return ''\n"


def line_of(file: Path, text: str) -> int:
    return next(n for n, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1) if text in line)


@contextmanager
def changed(folder: Path, file: str, *changes: tuple[str, str]) -> Iterator[Path]:
    """A game like Lots, known by its package's name, with a file of it changed or added."""
    package = folder / f"lots_{abs(hash((file, changes))):x}"
    shutil.copytree(LOTS, package, ignore=shutil.ignore_patterns("__pycache__"))
    path = package / file
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")
    example_game.metadata(folder, package.name, {package.name: package.name})
    with example_game.on_path(str(folder)):
        yield package


Change = tuple[str, str]
FORBIDDEN = "\n    for seat in range(p.players):\n        p.coins[seat] = box.start_coins"
CASES: dict[str, tuple[str, Change, str, str]] = {
    # the file, what is changed in it into what, what stands on the line that is named, what is said of it
    "a name": ("rules.py", ("ending=enum_of(", "ending=wrd("), "wrd(", "name 'wrd' is not defined"),
    "a schema": (
        "rules.py",
        ("sold=number()", "size=number()"),
        "POSITION: ",
        "NumPy's records already have",
    ),
    "syntax": ("rules.py", ("def tally(p:", "def tally(p;"), "def tally(p;", "invalid syntax"),
    "a marker": (
        "rules.py",
        ("private(optional_enum_of(GOODS, SEATS))", "private(number(GOODS))"),
        "private(number",
        "private: ",
    ),
    "two actions of one text": (
        "rules.py",
        ('Actions(("pass",), ', 'Actions(("bid 2",), '),
        "ACTIONS = Actions(",
        "actions: 'bid 2' is the text of two actions: number 0 ('bid 2') and number 2 ('bid')",
    ),
    "another file": ("story.py", ("", "def prompt(scene:\n"), "def prompt", "'(' was never closed"),
    "too few parameters": (
        "rules.py",
        ("def tally(p: Position, box: Box, out: Scores, stride: int)", "def tally(p, out, stride)"),
        "def tally",
        "expected tally(p, box, out, stride), found tally(p, out, stride)",
    ),
    "another order": (
        "rules.py",
        ("def imagine(p: Position, box: Box, viewer: int, dice: Dice)", "def imagine(p, box, dice, viewer)"),
        "def imagine",
        "expected imagine(p, box, viewer, dice), found imagine(p, box, dice, viewer)",
    ),
    "of an optional file": (
        "board.py",
        ("", BOARD),
        "def chart",
        "expected chart(scene), found chart(scene, more)",
    ),
    "no mark": ("rules.py", ("@rule\ndef legal", "def legal"), "def legal", "legal must be marked @rule"),
    "a list": (
        "rules.py",
        (FORBIDDEN, "\n    seats = [0, 1]" + FORBIDDEN),
        "seats = [0, 1]",
        "a rule cannot make a list",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_mistake_is_told_with_its_file_and_line(
    case: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Of the last line of the game's own files that led to it."""
    file, change, at, said = CASES[case]
    with caplog.at_level(logging.WARNING), changed(tmp_path, file, change) as package:
        assert package.name not in registry.names()
        line = line_of(package / file, at)
    [told] = [record.getMessage() for record in caplog.records]
    start = f"The game {package.name!r} of {package.name} is left out: "
    assert told.startswith(f"{start}{file}, line {line}: {said}"), told


TOML = {
    "one sentence a verb": (
        "words.toml",
        ('bid = { en = "bid", fr = "miser", rule = "L4" }', ""),
        "words.toml: [actions] lacks 'bid', the verb of 'bid 1' and 39 more",
    ),
    "another section": (
        "words.toml",
        ("[actions]", "[acts]"),
        "words.toml lacks the section [actions]; is it the one called [acts]?; words.toml: [actions] lacks 'pass', the verb of"
        " 'pass'; words.toml: [actions] lacks 'bid', the verb of 'bid 1' and 39 more",
    ),
    "no texts": (
        "words.toml",
        ('tea = { en = "tea", fr = "thé" }', 'tea = "tea"'),
        'words.toml: names.tea: expected texts, such as { en = "…", fr = "…" }; found \'tea\'',
    ),
    "no toml": ("words.toml", ("[names]", "[names"), "words.toml: not valid TOML: "),
    "endings": (
        "rules.py",
        ('ENDINGS = ("not over", "sold out")', 'ENDINGS = ("sold out",)'),
        "rules.py: ENDINGS must be a tuple of 'not over' and then how a match can end; found ('sold out',)",
    ),
    "texts for actions": (
        "rules.py",
        ("@rule\ndef imagine", 'ACTIONS = ("pass", "bid 1")\n\n\n@rule\ndef imagine'),
        "rules.py: ACTIONS must be Actions(…); found tuple",
    ),
    "sentences for invariants": (
        "rules.py",
        ("@rule\ndef violated", 'INVARIANTS = ("goods: too many",)\n\n\n@rule\ndef violated'),
        "rules.py: INVARIANTS must be Invariants(…); found tuple",
    ),
    "open secrets": (
        "rules.py",
        ("VERSION = 1", "VERSION = 1\nPERFECT_INFORMATION = True"),
        "rules.py: PERFECT_INFORMATION = True, but order is marked private or secret",
    ),
    "hiding too little": (
        "rules.py",
        ("@rule\ndef imagine", "@rule\ndef hide(p, box, viewer):\n    p.bid = 0\n\n\n@rule\ndef imagine"),
        "rules.py: order is marked private or secret, and hide does not blank it",
    ),
    "figures": (
        "evaluation.toml",
        ("", "[search]\nc_punt = 1.0\n"),
        "evaluation.toml: search.c_punt: no such setting, did you mean 'c_puct'?",
    ),
    "components": (
        "components.toml",
        ("coins = 20", "coin = 20"),
        "components.toml: start_coin: no such field, did you mean 'start_coins'?; start_coins: missing",
    ),
}


@pytest.mark.parametrize("case", TOML)
def test_what_a_file_lacks_is_told_with_the_file(
    case: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file, change, said = TOML[case]
    with caplog.at_level(logging.WARNING), changed(tmp_path, file, change) as package:
        assert package.name not in registry.names()
    [told] = [record.getMessage() for record in caplog.records]
    start = f"The game {package.name!r} of {package.name} is left out: "
    assert told.startswith(f"{start}{said}"), told


def test_an_unknown_game_says_why_it_is_left_out(tmp_path: Path) -> None:
    """In Python too, where its text is the last line that one sees; and a hint is a sentence of its own."""
    change = ("ending=enum_of(", "ending=wrd(")
    with changed(tmp_path, "rules.py", change) as package:
        with pytest.raises(UnknownGame) as error:
            comptoir.new(package.name)
        line = line_of(package / "rules.py", "wrd(")
    ours = "Games: batavia, century, marco_polo, sail_to_india."
    reason = f"rules.py, line {line}: name 'wrd' is not defined"
    assert error.value.reason == reason
    assert str(error.value) == f"the game {package.name!r} cannot be used: {reason}. {ours}"
    assert str(pickle.loads(pickle.dumps(error.value))) == str(error.value)
    for name, said in (
        ("rummy", f"there is no game 'rummy'. {ours}"),
        ("centurie", f"there is no game 'centurie', did you mean 'century'? {ours}"),
    ):
        with pytest.raises(UnknownGame) as error:
            get_game(name)
        assert str(error.value) == str(pickle.loads(pickle.dumps(error.value))) == said
        assert error.value.reason == ""


def test_a_game_that_is_whole_again_is_no_longer_left_out(tmp_path: Path) -> None:
    with changed(tmp_path, "rules.py", ("ending=enum_of(", "ending=wrd(")) as package:
        assert registry.why_left_out(package.name)
        assert registry.why_left_out("batavia") == ""
    assert registry.why_left_out(package.name) == ""


IN_A_RULE = {
    "x = [1, 2]": "make a list",
    "x = [n for n in range(3)]": "make a list",
    "x = list(range(3))": "make a list",
    "x = {1: 2}": "make a dict",
    "x = {1, 2}": "make a set",
    "x = sum(n for n in range(3))": "make a generator",
    'x = "tea"': "use a string",
    'x = f"{p.bid} coins"': "make a string",
    'raise ValueError("no")': "raise an exception",
    "x = lambda: 1": "define a function",
    "x = np.zeros(3)": "make an array",
    "print(p.bid)": "print",
}


@pytest.mark.parametrize("statement", IN_A_RULE)
def test_what_a_rule_cannot_do(statement: str, tmp_path: Path) -> None:
    """However deep in the rule it stands."""
    source = f'@rule\ndef play(p):\n    """A docstring is a string too."""\n    (a, b) = (1, 2)\n    if p.bid:\n        {statement}\n'
    (tmp_path / "rules.py").write_text(source, encoding="utf-8")
    found = mistakes.in_rules([str(tmp_path / "rules.py")])
    assert f"rules.py, line 6: a rule cannot {IN_A_RULE[statement]}" in found
    (tmp_path / "rules.py").write_text(source.replace("@rule\n", ""), encoding="utf-8")
    assert mistakes.in_rules([str(tmp_path / "rules.py")]) == []


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("cells = [p.turn, 1]\n        p.bid = cells[1]", "a rule cannot make a list"),
        ("p.bid = len(p.turn)", "legal cannot be compiled, probably for rules.py"),
        ("p.bid = p.biid", "legal cannot be compiled: neither the position nor the box has a field 'biid'"),
    ],
)
def test_compiling_late_says_it_above_numbas_page(
    statement: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the game was not checked, or what is wrong cannot be seen in the source."""
    lost = f"    if p.turn > 9:\n        {statement}\n    allow(mask, PASS)\n"
    monkeypatch.setattr(registry, "is_sound", lambda name: True)
    with changed(tmp_path, "rules.py", ("    allow(mask, PASS)\n", lost)) as package:
        game = get_game(package.name)
        match = comptoir.new(package.name, seed=1)
        line = line_of(package / "rules.py", statement.split("\n", maxsplit=1)[0])
        with pytest.raises(RuleError) as error:
            game.compiled.legal(match.records[0], match.box, new_mask(len(game.actions)))
    first, _, page = str(error.value).partition("\n\nNumba says:\n")
    assert first.startswith(f"{package.name}: ")
    assert said in first
    assert f"rules.py, line {line}" in first or "field" in first
    assert page


def test_no_mistake_is_found_where_there_is_none() -> None:
    """In our games, the example, and all rules of the engine, bots and tools."""
    source = Path(comptoir.__file__).parent
    for folder in (LOTS, *(registry.folder(name) for name in registry.built_in())):
        assert mistakes.in_files(folder) == []
    assert mistakes.in_rules(map(str, source.rglob("*.py"))) == []
    for name in registry.built_in():
        check_game(get_game(name))


def test_signatures_are_those_of_the_verbs_our_games_and_what_is_plain() -> None:
    """Every function with a signature is defined somewhere, and nowhere with another."""
    source = Path(comptoir.__file__).parent
    folders = [source / "defaults", *(registry.folder(name) for name in registry.built_in())]
    assert all(mistakes.in_files(folder) == [] for folder in folders)
    known = {(part, name) for part, found in mistakes.signatures().items() for name in found}
    defined = {
        (path.stem, function)
        for folder in folders
        for path in folder.glob("*.py")
        for function in re.findall(r"^\s*def (\w+)\(", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert known <= defined
    rules = mistakes.signatures()["rules"]
    assert str(rules["tally"]) == "tally(p, box, out, stride)"
    assert {name for name in INTERFACE if rules[name].is_rule} == set(INTERFACE)


def test_the_page_has_every_signature() -> None:
    """docs/game-interface.md: those of engine/interface.py, and those of the optional files."""
    page = (Path(__file__).parents[2] / "docs/game-interface.md").read_text(encoding="utf-8")
    table = page.partition("## Signatures")[2].partition("\n## ")[0]
    told: dict[str, dict[str, bool]] = {}
    for part, mark, functions in re.findall(r"^\| `(\w+)\.py`([^|]*) \| ([^|]*) \|$", table, re.MULTILINE):
        is_rule = "@rule" in mark
        told.setdefault(part, {}).update(dict.fromkeys(re.findall(r"`([^`]+)`", functions), is_rule))
    assert told == {
        part: {str(one): one.is_rule for one in found.values()}
        for part, found in mistakes.signatures().items()
    }
