"""What all tests share: both modes of every game, and NumPy's small numbers not allowed to wrap around."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from comptoir.bots.background_compiler import BackgroundCompiler
from comptoir.cli import main
from comptoir.engine.game import Game, get_game
from comptoir.engine.registry import names

Run = Callable[..., tuple[int, str, str]]

pytest_plugins = ["comptoir.testing.fixtures"]

ORDER = "COMPTOIR_TEST_ORDER"  # a seed: the tests run in another order, and fail if they depend on each other


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Shuffles files, and the tests in each: what a file's tests share is still made once."""
    if seed := os.environ.get(ORDER):
        rank = {item: Random(f"{seed} {item.nodeid}").random() for item in items}
        files = {item.path: Random(f"{seed} {item.path.name}").random() for item in items}
        items.sort(key=lambda item: (files[item.path], str(item.path), rank[item]))


def pytest_report_header() -> str | None:
    return f"order: {ORDER}={os.environ[ORDER]}" if os.environ.get(ORDER) else None


@pytest.fixture(params=names())
def any_game(request: pytest.FixtureRequest) -> Game:
    return get_game(request.param)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Runs a command in English, in a home of its own; answers are what the player types.

    Bots are waited for until they are compiled: clerks that play for them in the meantime have tests of their own.
    """
    monkeypatch.setattr(
        "comptoir.cli.play.BackgroundCompiler", lambda game, specs: BackgroundCompiler(game, [])
    )
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
