"""The style guide's phrases to avoid (docs/style.md) are in no page, docstring, comment or English text."""

from __future__ import annotations

import ast
import io
import re
import tokenize
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [*(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md")]
SOURCES = [path for part in ("src", "tools", "bench", "examples") for path in (ROOT / part).rglob("*.py")]
TEXTS = [*(ROOT / "src").rglob("words.toml")]

NOUN = "(?:bit|column|decision|file|game|line|number|process|row|sentence|table|thread)"
OWNER = "(?:core|deal|decision|game|match|move|person|player|point|request|seat|source|table|turn)"
PHRASES = {
    r"anew": "again",
    r"beside": "next to, or in a separate process",
    r"by habit": "by the rollout policy",
    r"by lot": "at random",
    r"(?:go|goes|going|gone|went) on with": "continue",
    r"in vain": "without effect",
    r"into use": "load",
    r"is had": "name who has it",
    r"(?:judgement|judgements)(?! file)": "evaluation",
    r"meanwhile": "in the meantime, or during it",
    r"mend(?:s|ed|ing)?": "fix",
    r"of ours": "our",
    r"what is awaited": "what to decide",
    rf"an? {NOUN} an? {OWNER}": "one … per …",
    r"(?:to|for|of|from|with|by) who (?:asks|comes|decides|has|is|knows|looks|sits|thinks|wants)": "whoever …",
    r"\d %": "95%, without a space",
}
EXCEPTIONS = {
    "docs/style.md",  # which lists them
    "docs/vocabulary.md",  # which has the names of earlier versions
    "docs/benchmarks.md",  # tables of earlier runs
}
QUOTED = re.compile(r"lot by lot|(?:to a space|not lie) beside|^beside$")  # a ship's lots; spaces of a board


def of_page(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a page, without its examples."""
    code = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.lstrip().startswith("```"):
            code = not code
        elif not code:
            yield number, line


def of_source(path: Path) -> Iterator[tuple[int, str]]:
    """Docstrings and comments."""
    text = path.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            found = ast.get_docstring(node, clean=False)
            yield from enumerate((found or "").splitlines(), node.body[0].lineno if node.body else 1)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def of_texts(path: Path) -> Iterator[tuple[int, str]]:
    """The English of a file of texts; a line number is not known."""

    def english(entry: Any) -> Iterator[str]:
        for key, value in entry.items():
            if isinstance(value, dict):
                yield from english(value)
            elif key == "en":
                yield str(value)

    return ((0, text) for text in english(tomllib.loads(path.read_text(encoding="utf-8"))))


def lines() -> Iterator[tuple[str, int, str]]:
    for paths, read in ((PAGES, of_page), (SOURCES, of_source), (TEXTS, of_texts)):
        for path in paths:
            name = path.relative_to(ROOT).as_posix()
            if name not in EXCEPTIONS:
                yield from ((name, number, QUOTED.sub("", line)) for number, line in read(path))


@pytest.fixture(scope="module")
def prose() -> list[tuple[str, int, str]]:
    return list(lines())


@pytest.mark.parametrize("phrase", PHRASES)
def test_a_phrase_to_avoid_is_nowhere(phrase: str, prose: list[tuple[str, int, str]]) -> None:
    pattern = re.compile(rf"(?<!\w)(?:{phrase})(?!\w)", re.IGNORECASE)
    found = [f"{name}:{number}: {line.strip()}" for name, number, line in prose if pattern.search(line)]
    assert not found, f"better: {PHRASES[phrase]}\n" + "\n".join(found)


def test_prose_is_read(prose: list[tuple[str, int, str]]) -> None:
    assert len(prose) > 10_000
    for part in ("docs/search.md", "src/comptoir/bots/search.py", "src/comptoir/web/words.toml"):
        assert any(name == part for name, _, _ in prose)
