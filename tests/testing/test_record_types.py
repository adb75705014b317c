"""The types of records: each game's `records.pyi` says what its schemas say, and a misspelt field is found."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from comptoir.engine import interface
from comptoir.engine.game import Game, get_game
from comptoir.testing import record_types
from tests.conftest import Run
from tests.defaults import bazaar
from tests.example_game import LOTS, known
from tests.testing.stalls import installed

if TYPE_CHECKING:
    from comptoir.games.batavia import board as batavia_board
    from comptoir.games.batavia import records as batavia
    from comptoir.games.batavia import story as batavia_story
    from comptoir.games.batavia import terminal as batavia_terminal
    from comptoir.games.century import records as century
    from comptoir.games.century import story as century_story
    from comptoir.games.century import terminal as century_terminal
    from comptoir.games.marco_polo import records as marco_polo
    from comptoir.games.marco_polo import story as marco_polo_story
    from comptoir.games.marco_polo import terminal as marco_polo_terminal
    from comptoir.games.sail_to_india import records as sail_to_india
    from comptoir.games.sail_to_india import story as sail_to_india_story
    from comptoir.games.sail_to_india import terminal as sail_to_india_terminal

    # mypy compares the modules with what the engine expects of them
    _stories: tuple[
        interface.StoryModule[batavia.Scene],
        interface.StoryModule[century.Scene],
        interface.StoryModule[marco_polo.Scene],
        interface.StoryModule[sail_to_india.Scene],
    ] = (batavia_story, century_story, marco_polo_story, sail_to_india_story)
    _terminals: tuple[
        interface.TerminalModule[batavia.Scene],
        interface.TerminalModule[century.Scene],
        interface.TerminalModule[marco_polo.Scene],
        interface.TerminalModule[sail_to_india.Scene],
    ] = (batavia_terminal, century_terminal, marco_polo_terminal, sail_to_india_terminal)
    _drawn: interface.BoardParts[batavia.Scene] = batavia_board

SNIPPET = """
from comptoir.games.batavia.records import Box, Position, Scene

def rule(p: Position, box: Box) -> int:
    return int(p.{position}[0]) + int(box.{box})

def story(scene: Scene) -> int:
    return int(scene.record.{position}[0])
"""


def test_the_types_are_those_of_the_schemas(any_game: Game) -> None:
    assert (any_game.folder / record_types.FILE).exists()
    assert record_types.is_current(any_game)


def test_so_are_those_of_the_games_of_examples_and_tests(tmp_path: Path) -> None:
    with known():
        assert record_types.is_current(get_game("lots"))
    with bazaar.known() as souk:
        assert record_types.is_current(souk)
    with installed(tmp_path, "typed_stall") as stall:
        assert record_types.is_current(stall)


def test_an_author_writes_them_with_one_command(run: Run, tmp_path: Path) -> None:
    with installed(tmp_path, "untyped_stall") as game:
        file = game.folder / record_types.FILE
        file.write_text("class Position: ...\n")
        status, out, _ = run("check", "untyped_stall", "--players", "3", "--matches", "1")
        assert status == 1
        assert "comptoir check --records untyped_stall writes it again" in out
        status, out, _ = run("check", "--records", "untyped_stall")
        assert (status, str(file) in out) == (0, True)
        assert record_types.is_current(game)
        assert file.read_text() == record_types.record_types(game)


@pytest.mark.slow
def test_mypy_finds_a_misspelt_field(tmp_path: Path) -> None:
    """In a position, a box and a scene; and nothing where they are spelt right."""
    right, wrong = tmp_path / "right.py", tmp_path / "wrong.py"
    right.write_text(SNIPPET.format(position="hand_size", box="start_bills"))
    wrong.write_text(SNIPPET.format(position="hnad_size", box="strat_bills"))
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--cache-dir",
        str(tmp_path / "cache"),
        "--follow-imports",
    ]
    done = subprocess.run(
        [*command, "silent", str(right), str(wrong)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    found = [line for line in done.stdout.splitlines() if ": error:" in line]
    assert all(line.startswith(("wrong.py", str(wrong))) for line in found), done.stdout
    assert [line.rpartition("  ")[0].rpartition("error: ")[2] for line in found] == [
        '"Position" has no attribute "hnad_size"; maybe "hand_size"?',
        '"Box" has no attribute "strat_bills"; maybe "start_bills"?',
        '"Position" has no attribute "hnad_size"; maybe "hand_size"?',
    ], done.stdout
    assert LOTS.exists()
