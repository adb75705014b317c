"""Tests wait for a condition, or move time themselves; and they use what is public.

A bare sleep makes a suite slow when it is long, and unreliable when it is short. A private name in a test
keeps it from being changed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

TESTS = Path(__file__).parent
PACKAGE = TESTS.parent / "src" / "comptoir"
LONGEST = 0.05  # seconds of a sleep between two looks at a condition
MILLISECONDS = {"wait_for_timeout"}  # Playwright's
SLEEPS = {"asyncio.sleep", "time.sleep"}

# Their subject is real time: they may use tests/real_time.py, and nothing else.
IN_REAL_TIME = (
    "attack/",
    "mutants/",
    "web/test_kill.py",
    "web/test_processes.py",
    "web/test_store.py",
    "web/test_supervisor.py",
    "web/test_worker.py",
    "web/test_workers.py",
)
# Private to us and public elsewhere: argparse, named tuples, SQLAlchemy's rows and os
# have no other name for it; `_repr_svg_` is what notebooks call.
FOREIGN = {"_actions", "_asdict", "_exit", "_fields", "_mapping", "_replace", "_repr_svg_"}


def files() -> list[str]:
    return sorted(path.relative_to(TESTS).as_posix() for path in TESTS.rglob("*.py"))


@cache
def tree(name: str) -> ast.Module:
    return ast.parse((TESTS / name).read_text(encoding="utf-8"))


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


@cache
def private_names() -> frozenset[str]:
    """What the package defines and does not mean for others."""
    found: set[str] = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                    found.add(name)
                case ast.Attribute(attr=name, ctx=ast.Store()) | ast.Name(id=name, ctx=ast.Store()):
                    found.add(name)
                case ast.AnnAssign(target=ast.Name(id=name)):
                    found.add(name)
    return frozenset(filter(is_private, found)) - FOREIGN


def long_sleeps(module: ast.Module) -> Iterator[str]:
    for node in ast.walk(module):
        if not isinstance(node, ast.Call):
            continue
        called = ast.unparse(node.func)
        in_milliseconds = called.rpartition(".")[2] in MILLISECONDS
        if called not in SLEEPS and not in_milliseconds:
            continue
        most = 1000 * LONGEST if in_milliseconds else LONGEST
        match node.args:
            case [ast.Constant(value=int() | float() as seconds)] if seconds <= most:
                continue
        yield f"{node.lineno}: {ast.unparse(node)}"


def intrusions(module: ast.Module) -> Iterator[str]:
    private = private_names()
    for node in ast.walk(module):
        match node:
            case ast.Attribute(value=ast.Name(id="self" | "cls")):
                continue
            case ast.Attribute(attr=name) if name in private:
                yield f"{node.lineno}: {ast.unparse(node)}"
            case ast.ImportFrom(module=str() as source, names=names) if source.startswith("comptoir"):
                yield from (f"{node.lineno}: {one.name}" for one in names if is_private(one.name))
            case ast.Call(args=[_, ast.Constant(value=str() as name), *_]) if (
                ast.unparse(node.func).endswith("setattr") and name in private
            ):
                yield f"{node.lineno}: {ast.unparse(node)}"
            case ast.Call(args=[ast.Constant(value=str() as path), *_]) if path.startswith(
                "comptoir."
            ) and is_private(path.rpartition(".")[2]):
                yield f"{node.lineno}: {ast.unparse(node)}"


def test_no_test_sleeps_for_long() -> None:
    """Wait for a condition, or move a ManualTime."""
    found = [f"tests/{name}:{one}" for name in files() for one in long_sleeps(tree(name))]
    assert [one for one in found if not one.startswith("tests/real_time.py")] == []


def test_only_tests_of_real_time_wait_in_it() -> None:
    users = [
        name
        for name in files()
        for node in ast.walk(tree(name))
        if isinstance(node, ast.ImportFrom) and "real_time" in {one.name for one in node.names}
    ]
    assert users
    assert [name for name in users if not name.startswith(IN_REAL_TIME)] == []


def test_no_test_uses_private_names() -> None:
    """Give it a public name, or test it from outside."""
    assert [f"tests/{name}:{one}" for name in files() for one in intrusions(tree(name))] == []


def test_the_check_finds_what_it_is_for() -> None:
    module = ast.parse(
        "import time\ntime.sleep(0.05)\ntime.sleep(0.06)\nasyncio.sleep(seconds)\npage.wait_for_timeout(51)\n"
        "match._now\nself._now\nrow._mapping\nmonkeypatch.setattr(warm, '_now', 1)\n"
        "from comptoir.engine.match import _now\n"
    )
    assert [found.partition(":")[0] for found in long_sleeps(module)] == ["3", "4", "5"]
    assert "_now" in private_names()
    assert [found.partition(":")[0] for found in sorted(intrusions(module))] == ["10", "6", "9"]
