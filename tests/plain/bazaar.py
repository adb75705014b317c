"""Souk, the game of `tests/plain/souk`, known as an installed one is."""

from __future__ import annotations

from pathlib import Path

import pytest

from comptoir import games
from comptoir.engine.game import Game, get_game

PLACE = games.Place("tests.plain.souk", Path(__file__).parent / "souk", ours=False)


def install(monkeypatch: pytest.MonkeyPatch) -> Game:
    """For as long as the test runs."""
    there = games.places() | {"souk": PLACE}
    monkeypatch.setattr(games, "places", lambda: there)
    monkeypatch.setattr(games, "names", lambda: sorted(there))
    return get_game("souk")
