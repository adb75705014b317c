"""What docs/arena.md shows is what happens."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest


def test_the_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = (Path(__file__).parents[2] / "docs" / "arena.md").read_text(encoding="utf-8").replace("```", "")
    test = doctest.DocTestParser().get_doctest(text, {}, "arena.md", "arena.md", 0)
    assert len(test.examples) > 5
    assert doctest.DocTestRunner().run(test).failed == 0
