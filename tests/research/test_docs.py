"""What docs/research shows is what happens, and its tables are those of the code."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from comptoir.engine.game import Game
from comptoir.engine.rulebook import rules_of
from tests.research.playing import why_no_gpu

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted((DOCS / "research").glob("*.md"))


def blocks(page: Path) -> list[tuple[int, str]]:
    """The Python of a page, each block with the line it starts on."""
    text = page.read_text(encoding="utf-8")
    return [
        (text[: found.start(1)].count("\n"), found[1]) for found in re.finditer(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    ]


def can_run(block: str) -> bool:
    """A block that needs more than a test can ask for says so in its first line: `# needs CUDA`, `# needs torch`.

    Where there is a GPU, PyTorch and JAX are taken to be too.
    """
    needs = re.match(r"# needs (\w+)", block)
    if needs is not None and needs[1] == "CUDA":
        return not why_no_gpu()
    return needs is None or importlib.util.find_spec(needs[1]) is not None


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)], ids=lambda page: page.name)
def test_the_examples_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In their order, as one program; a failure names the line of the page."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "example"}
    for line, block in blocks(page):
        if can_run(block):
            exec(compile("\n" * line + block, str(page), "exec"), names)


def test_there_are_examples() -> None:
    assert {"actions.md", "batch.md", "observations.md"} <= {page.name for page in PAGES if blocks(page)}


def tables() -> ModuleType:
    spec = importlib.util.spec_from_file_location("tables", DOCS / "tables.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["actions.md", "observations.md"])
def test_the_tables_are_those_of_the_code(name: str) -> None:
    assert (DOCS / "research" / name).read_text(encoding="utf-8") == tables().pages()[name], "run: python docs/tables.py"


def test_every_action_is_in_one_row_with_a_rule(any_game: Game) -> None:
    runs = list(tables().runs(any_game))
    assert [number for first, last in runs for number in range(first, last + 1)] == list(range(len(any_game.actions)))
    assert all(tables().rules_for(any_game, first) for first, last in runs)


def test_meanings_name_rules_that_there_are(any_game: Game) -> None:
    letter = next(iter(rules_of(any_game.name, "en")))[0]
    named = {rule for piece in any_game.observation.pieces for rule in re.findall(rf"\b{letter}\d+\b", piece.means)}
    assert len(named) > 5
    assert named <= set(rules_of(any_game.name, "en"))
