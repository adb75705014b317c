"""Games of other packages: found by their entry points; one that cannot be used is told of and left out."""

from __future__ import annotations

import logging
import shutil
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from comptoir.engine import registry
from comptoir.engine.game import get_game
from comptoir.engine.words import words_of
from comptoir.errors import UnknownGame
from tests import example_game
from tests.web.app_harness import AppHarness, in_app

LOTS = example_game.LOTS / "comptoir_lots"


def test_a_game_is_there_as_long_as_its_package() -> None:
    assert "lots" not in registry.names()
    with example_game.known():
        assert registry.names() == sorted([*registry.built_in(), "lots"])
        assert registry.folder("lots") == LOTS
        assert get_game("lots").location.package == "comptoir_lots"
    assert "lots" not in registry.names()


def copy(tmp_path: Path, package: str) -> Path:
    """A package like that of Lots, to be broken."""
    folder = tmp_path / package
    shutil.copytree(LOTS, folder, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


BROKEN = {  # what is changed, in which file, into what; and what is told
    "import": ("rules.py", "VERSION = 1", "VERSION = 1 / 0", "division by zero"),
    "no version": ("rules.py", "VERSION = 1\n", "", "rules.py has no VERSION"),
    "no tally": ("rules.py", "def tally", "def talley", "rules.py lacks tally"),
    "no imagine": ("rules.py", "def imagine", "def imagin", "rules.py lacks imagine"),
    "hidden": (
        "rules.py",
        "order=private(optional_enum_of(GOODS, SEATS))",
        "order=optional_enum_of(GOODS, SEATS)",
        "neither",
    ),
    "no field": ("rules.py", "ending=enum_of", "finish=enum_of", "no field ending"),
    "no verb": ("words.toml", 'bid = { en = "bid"', 'bidding = { en = "bid"', "the verb of 'bid 1'"),
    "no title": ("words.toml", "title =", "titel =", "game.title"),
    "one language": ("words.toml", ', fr = "thé"', "", "names.tea is not in both languages"),
    "components": ("components.toml", "coins = 20", "coins = 99", "start_coins: expected a whole number"),
    "toml": ("words.toml", "[names]", "[names", "Expected"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_game_is_left_out_in_one_sentence(
    case: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file, old, new, told = BROKEN[case]
    package = f"broken_{case.replace(' ', '_')}"
    change(copy(tmp_path, package) / file, old, new)
    example_game.metadata(tmp_path, "broken", {package: package})
    with caplog.at_level(logging.WARNING), example_game.on_path(str(tmp_path)):
        assert registry.names() == registry.names() == registry.built_in()
        with pytest.raises(UnknownGame):
            get_game(package)
    [line] = [record.getMessage() for record in caplog.records]
    assert line.startswith(f"The game {package!r} of {package} is left out: ")
    assert told in line
    assert "\n" not in line


@pytest.mark.parametrize(
    ("points", "told"),
    [
        ({"nowhere": "no_such_package_at_all"}, "there is no such package"),
        ({"batavia": "like_lots"}, "there is a game of that name already"),
        ({"half": "half_a_game"}, "its folder lacks words.toml"),
    ],
)
def test_an_entry_point_that_leads_nowhere(
    points: dict[str, str], told: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    copy(tmp_path, "like_lots")
    (copy(tmp_path, "half_a_game") / "words.toml").unlink()
    example_game.metadata(tmp_path, "elsewhere", points)
    with caplog.at_level(logging.WARNING), example_game.on_path(str(tmp_path)):
        assert registry.names() == registry.built_in()
        assert get_game("batavia").location.built_in
    assert [told in record.getMessage() for record in caplog.records] == [True]


def test_the_others_are_played_all_the_same(tmp_path: Path) -> None:
    """From the command line: the sentence goes to standard error, once."""
    change(copy(tmp_path, "broken_here") / "rules.py", "def tally", "def talley")
    example_game.metadata(tmp_path, "broken", {"broken": "broken_here"})
    environment = example_game.environment()
    environment["PYTHONPATH"] = f"{tmp_path}:{environment['PYTHONPATH']}"
    command = [sys.executable, "-m", "comptoir", "rules", "lots", "L1", "--lang", "en"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0
    assert "9 each of tea" in done.stdout
    assert done.stderr.count("\n") == 1
    assert "is left out" in done.stderr


def test_a_table_of_a_game_that_is_gone_is_not_listed(tmp_path: Path) -> None:
    """Its package was removed: the home page goes on without."""
    installed = ExitStack()
    installed.enter_context(example_game.known())

    async def visit(harness: AppHarness) -> None:
        anne = harness.person("Anne")
        await harness.make("lots", anne.sits, harness.person("Bruno").sits)
        assert 'id="mine"' in (await anne.get("/")).text
        installed.close()
        words_of.cache_clear()
        answer = await anne.get("/")
        assert answer.status_code == 200
        assert 'id="mine"' not in answer.text

    with installed:
        in_app(f"sqlite:///{tmp_path / 'comptoir.sqlite'}", visit)
