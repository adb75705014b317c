"""What all tests share: both modes of every game, and NumPy's small numbers not allowed to wrap around."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from comptoir.cli import main
from comptoir.engine.game import Game, game
from comptoir.engine.modes import Mode
from comptoir.games import names

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def _no_wrapping() -> Iterator[None]:
    """Interpreted, a record's number that goes below 0 or above its limit is an error, not another number."""
    with np.errstate(over="raise", under="raise"):
        yield


@pytest.fixture(params=names())
def any_game(request: pytest.FixtureRequest) -> Game:
    return game(request.param)


@pytest.fixture(params=["interpreted", "compiled"])
def mode(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def verbs_of(g: Game, mode: str) -> Mode:
    return g.compiled if mode == "compiled" else g.interpreted


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Runs a command in English, in a home of its own; answers are what the player types."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("LANG", "C.UTF-8")

    def run(*arguments: str, answers: str = "") -> tuple[int, str, str]:
        lines = iter(answers.splitlines())

        def answer(prompt: str = "") -> str:
            try:
                return next(lines)
            except StopIteration:
                raise EOFError from None

        monkeypatch.setattr("builtins.input", answer)
        try:
            status = main(list(arguments))
        except SystemExit as stop:
            status = int(stop.code or 0)
        out, err = capsys.readouterr()
        return status, out, err

    return run
