"""The layers of the code: docs/architecture.md shows them, and every import keeps to them.

Imports inside functions count: they make a package depend on another as much as those at the top of a file.
Those for type checkers do not.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src"
PACKAGE = "comptoir"
TOP_LEVEL = {"errors", "extras", "folders", "console", "time_source"}  # modules, not packages
MAX_METHODS = 40
MAX_LINES = 800
LONG_FILES = re.compile(r"games/\w+/(rules|board|drawings)\.py")  # rules and drawings

Graph = dict[str, set[str]]


@cache
def modules() -> dict[str, Path]:
    """The files of the package by their modules' names."""
    found = {}
    for path in SOURCE.rglob("*.py"):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imports() -> Graph:
    """Which modules each module imports."""
    return {name: set(_imports(name)) - {name} for name in modules()}


def _imports(name: str) -> Iterator[str]:
    for node in _nodes(tree(modules()[name])):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules())
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{name}: imports are absolute"
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                found = whole if whole in modules() else str(node.module)
                if found in modules():
                    yield found


def _nodes(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those for type checkers."""
    for child in ast.iter_child_nodes(node):
        if not (isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)):
            yield child
            yield from _nodes(child)


def between(depth: int, inside: str = PACKAGE) -> Graph:
    """The imports between the packages at a depth of the names: 2 for `comptoir.engine`."""
    graph: Graph = {}
    for name, imported in imports().items():
        for other in imported:
            one, two = (".".join(each.split(".")[:depth]) for each in (name, other))
            if name.startswith(inside) and other.startswith(inside):
                graph.setdefault(one, set()).update({two} - {one})
    return graph


def ring(graph: Graph) -> list[str]:
    """Some modules that import each other in a ring; empty if there are none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_module_imports_itself_by_way_of_others() -> None:
    assert ring(imports()) == []


def test_no_package_imports_itself_by_way_of_others() -> None:
    assert ring(between(2)) == []
    assert ring(between(3, "comptoir.web")) == []


def test_a_ring_is_found() -> None:
    assert set(ring({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}})) == {"a", "b", "c"}


def test_the_table_of_packages_is_that_of_the_imports() -> None:
    page = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \|[^|]*\|([^|]*)\|$", page, re.MULTILINE)
    told = {name: set(re.findall(r"`(\w+)`", cell)) for name, cell in rows}
    actual = {
        name.partition(".")[2] or PACKAGE: {other.partition(".")[2] or PACKAGE for other in others}
        - TOP_LEVEL
        for name, others in between(2).items()
        if name.partition(".")[2] not in TOP_LEVEL | {"__main__"}
    }
    assert told == actual
    assert set(re.findall(r"`(\w+)`", page.partition("All may import")[2].partition(".")[0])) == TOP_LEVEL


def test_no_package_is_imported_by_a_string() -> None:
    """Which no check of imports would see; a package's own modules may be."""
    for name, path in modules().items():
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
                (told,) = node.args
                named = re.findall(r"comptoir\.\w+", ast.unparse(told))
                assert not named or named == [".".join(name.split(".")[:2])], f"{name}: {ast.unparse(told)}"


def test_the_contract_of_the_linter_names_every_package() -> None:
    """`make lint` checks the same order with import-linter, which also finds indirect imports."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    (layers,) = [one for one in settings["contracts"] if one["containers"] == [PACKAGE]]
    named = {name.strip() for layer in layers["layers"] for name in re.split(r"[|:]", layer)}
    assert named == {name.split(".")[1] for name in modules() if "." in name}


def test_classes_and_files_are_small() -> None:
    for path in modules().values():
        where = path.relative_to(SOURCE / PACKAGE).as_posix()
        lines = len(path.read_text(encoding="utf-8").splitlines())
        assert lines <= MAX_LINES or LONG_FILES.fullmatch(where), f"{where} has {lines} lines"
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.ClassDef):
                methods = sum(isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)) for one in node.body)
                assert methods <= MAX_METHODS, f"{where}: {node.name} has {methods} methods"
