"""Component files: those of earlier versions are read too."""

from __future__ import annotations

import pytest

from comptoir.engine.components import CERTAINTIES
from comptoir.engine.game import get_game


@pytest.mark.parametrize(("earlier", "now"), [("arithmetic", "inferred"), ("stand-in", "placeholder")])
def test_certainties_of_earlier_files_are_read(earlier: str, now: str) -> None:
    game = get_game("batavia")
    name, table = next(iter(game.components.tables.items()))
    tables = game.components.tables | {name: table | {"certainty": earlier}}
    read = game.read_components(tables)
    assert read.tables[name]["certainty"] == now
    assert read.digest == game.components.digest
    assert now in CERTAINTIES
    assert earlier not in CERTAINTIES
