"""The limits: each stands in one module and, with its number, in the documentation's table."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from comptoir.web import limits
from comptoir.web.limits import Rate

ROOT = Path(__file__).parents[2]
WEB = ROOT / "src/comptoir/web"
PER = {
    "request", "connection", "socket", "notification", "recipient", "file",
    "table", "person", "address", "process", "server",
}  # fmt: skip


def constants() -> dict[str, float | Rate]:
    return {name: value for name, value in vars(limits).items() if name.isupper()}


def rows() -> list[list[str]]:
    """The cells of each row, the constant last."""
    text = (ROOT / "docs/limits.md").read_text(encoding="utf-8")
    lines = re.findall(r"^\| (.+) \|$", text, flags=re.M)
    cells = [[cell.strip() for cell in line.split(" | ")] for line in lines]
    return [row for row in cells if row[-1] != "constant"]


def shown(name: str, value: float | Rate) -> str:
    """A limit as the table shows it; the end of its name is its unit."""
    if isinstance(value, Rate):
        unit = _size if name.endswith("BYTE_RATE") else _number
        often = f"{unit(value.rate)} a second" if value.rate >= 1 else f"1 in {_number(1 / value.rate)} s"
        return f"{often}, {unit(value.burst)} at once"
    if name.endswith("_BYTES"):
        return _size(value)
    return f"{_number(value)} s" if name.endswith("_SECONDS") else _number(value)


def _size(value: float) -> str:
    for unit, size in (("GB", 1024**3), ("MB", 1024**2), ("KB", 1024)):
        if value >= size and value % size == 0:
            return f"{_number(value // size)} {unit}"
    return f"{_number(value)} bytes"


def _number(value: float) -> str:
    nearest = round(value, 6)
    return f"{int(nearest):,}" if nearest == int(nearest) else f"{nearest:g}"


def test_every_limit_is_in_the_table_and_nothing_else_is() -> None:
    told = [row[-1].strip("`") for row in rows()]
    assert len(told) == len(set(told)), "a limit is listed twice"
    assert set(told) == set(constants())


def test_the_table_has_the_numbers_of_the_code() -> None:
    given = constants()
    found = {row[-1].strip("`"): row[1] for row in rows()}
    assert found == {name: shown(name, given[name]) for name in found}


def test_every_row_says_what_for_whom_and_what_happens_beyond() -> None:
    for row in rows():
        assert len(row) == 5, row
        what, _, per, beyond, _ = row
        assert what
        assert per in PER, row
        assert beyond, row


def test_limits_are_commented_or_speak_for_themselves() -> None:
    assert all(isinstance(value, int | float | Rate) for value in constants().values())
    for name, value in constants().items():
        assert name.endswith("_RATE") == isinstance(value, Rate), name


@pytest.mark.parametrize("path", sorted(WEB.rglob("*.py")), ids=lambda path: str(path.relative_to(WEB)))
def test_rates_stand_nowhere_else(path: Path) -> None:
    """Whoever adds a bucket with numbers of its own has a limit that nobody reads of."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("TokenBucket", "TokenBuckets"):
            numbers = [one for one in ast.walk(node) if isinstance(one, ast.Constant)]
            assert not numbers, f"{path.name}:{node.lineno}: put its rate into limits.py"


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("X", 4_000, "4,000"),
        ("X_BYTES", 16 * 1024, "16 KB"),
        ("X_BYTES", 1_000, "1,000 bytes"),
        ("X_SECONDS", 0.5, "0.5 s"),
        ("X_RATE", Rate(20, 100), "20 a second, 100 at once"),
        ("X_RATE", Rate(1 / 3_600, 2), "1 in 3,600 s, 2 at once"),
        ("X_BYTE_RATE", Rate(16 * 1024, 64 * 1024), "16 KB a second, 64 KB at once"),
    ],
)
def test_numbers_are_shown_with_their_unit(name: str, value: float | Rate, text: str) -> None:
    assert shown(name, value) == text
