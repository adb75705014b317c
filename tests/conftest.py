"""What all tests share: both modes of every game, and NumPy's small numbers not allowed to wrap around."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from comptoir.bots.warming import Beside
from comptoir.cli import main
from comptoir.engine.game import Game, get_game
from comptoir.games import names

Run = Callable[..., tuple[int, str, str]]

pytest_plugins = ["comptoir.testing.fixtures"]

HERE = Path(__file__).parent
# Browsers and processes that are killed, in real time: on a busy machine one in some hundred of these tests comes too
# late. It is tried once more, and the summary names it (R); what is really broken fails twice.
IN_REAL_TIME = (HERE / "browser", HERE / "attack", HERE / "web" / "test_kill.py")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if any(item.path.is_relative_to(place) for place in IN_REAL_TIME):
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.fixture(params=names())
def any_game(request: pytest.FixtureRequest) -> Game:
    return get_game(request.param)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Runs a command in English, in a home of its own; answers are what the player types.

    Bots are waited for until they are compiled: clerks that play for them meanwhile have tests of their own.
    """
    monkeypatch.setattr("comptoir.cli.play.Beside", lambda game, specs: Beside(game, []))
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
