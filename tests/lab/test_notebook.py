"""The notebooks of the documentation run, and show what they printed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.notebook import FOLDER, code_of, printed, read

NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def test_there_is_a_notebook_and_the_lab_names_it() -> None:
    lab = FOLDER.with_suffix(".md").read_text(encoding="utf-8")
    assert NOTEBOOKS
    for path in NOTEBOOKS:
        assert f"lab/{path.name}" in lab
        assert path.stat().st_size < 50_000


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a few deals, in this process; each prints where it printed in full."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr("comptoir.arena.workers.in_processes", _here)
    notebook = read(path)
    told = printed(notebook, DEALS=3, LOOK=2)
    for cell, text in zip(code_of(notebook), told, strict=True):
        kept = "".join(line for output in cell["outputs"] for line in output["text"])
        assert bool(kept) == bool(text)
        assert "Traceback" not in kept


def _here(task, definition, units, workers):  # type: ignore[no-untyped-def]
    return (task(definition, unit) for unit in units)
