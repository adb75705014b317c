"""docs/adding-a-game.md builds examples/lots: the same lines, and its examples run."""

from __future__ import annotations

import re
from pathlib import Path

from tests import example_game

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "adding-a-game.md").read_text(encoding="utf-8")
REFERENCE = (DOCS / "game-interface.md").read_text(encoding="utf-8")
BLOCK = re.compile(r'^```(\w*)(?: title="([^"]*)")?\n(.*?)^```$', re.DOTALL | re.MULTILINE)
UNTOLD = {"comptoir_lots/__init__.py"}  # which is empty


def lines(text: str) -> list[str]:
    """But for blank ones: a file is shown in pieces."""
    return [line for line in text.splitlines() if line.strip()]


def test_the_page_holds_every_file_whole() -> None:
    told: dict[str, list[str]] = {}
    for _, title, text in BLOCK.findall(PAGE):
        if title:
            told.setdefault(title, []).extend(lines(text))
    files = {
        str(path.relative_to(example_game.LOTS)): lines(path.read_text(encoding="utf-8"))
        for path in example_game.LOTS.rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    assert told == {name: text for name, text in files.items() if name not in UNTOLD}
    assert not any(files[name] for name in UNTOLD)


def test_its_examples_run() -> None:
    examples = [
        text for kind, title, text in BLOCK.findall(PAGE + REFERENCE) if kind == "python" and not title
    ]
    assert len(examples) > 2
    with example_game.known():
        for example in examples:
            exec(example, {})
