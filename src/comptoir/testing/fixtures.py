"""Fixtures for tests of a game, with pytest: in a conftest.py of yours,

    pytest_plugins = ["comptoir.testing.fixtures"]

and in your pyproject.toml the game that they are about:

    [tool.pytest.ini_options]
    comptoir_game = "lots"

`game` is that game, `mode` makes a test run interpreted and compiled, `ruleset` are the game's in that mode,
and `comptoir_table` gives every number of players and choice of options, one after the other.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from comptoir.engine.game import Game, get_game
from comptoir.engine.interface import RuleSet
from comptoir.testing.contract import tables_of

MODES = ("interpreted", "compiled")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("comptoir_game", "the game that comptoir.testing's fixtures are about", default="")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test with `comptoir_table` runs once for each table of the game."""
    if "comptoir_table" in metafunc.fixturenames:
        tables = list(tables_of(_name(metafunc.config)))
        metafunc.parametrize(
            "comptoir_table", [table.chosen for table in tables], ids=[table.title for table in tables]
        )


def _name(config: pytest.Config) -> str:
    name = str(config.getini("comptoir_game"))
    if not name:
        raise pytest.UsageError(
            'comptoir_game is not set: pyproject.toml [tool.pytest.ini_options] needs comptoir_game = "GAME"'
        )
    return name


@pytest.fixture(autouse=True)
def no_wrapping() -> Iterator[None]:
    """Interpreted, a record's number that goes below 0 or above its limit is an error, not another number."""
    with np.errstate(over="raise", under="raise"):
        yield


@pytest.fixture
def game(pytestconfig: pytest.Config) -> Game:
    """The game that pyproject.toml names; a conftest.py may say another one."""
    return get_game(_name(pytestconfig))


@pytest.fixture(params=MODES)
def mode(request: pytest.FixtureRequest) -> str:
    """Each of the two modes in which rules run here."""
    return str(request.param)


@pytest.fixture
def ruleset(game: Game, mode: str) -> RuleSet:
    """The game's rules, in each mode."""
    return ruleset_of(game, mode)


def ruleset_of(game: Game, mode: str) -> RuleSet:
    """A game's rules in a mode."""
    return game.compiled if mode == "compiled" else game.interpreted
