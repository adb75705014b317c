"""Mistakes in a game's files, as sentences that name the file and the line.

What can be seen in the source is found there: nothing is imported or compiled to find it.
"""

from __future__ import annotations

import ast
import traceback
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from comptoir.engine import interface
from comptoir.errors import DataError

# What the interface does not list: the other functions that a game's files may define.
# docs/game-interface.md has the same table.
OTHERS = {
    "rules": (
        "violated_invariant(p, box)",
        "check_box(box)",
        "complete_box(box)",
        "check_position(p, box)",
        "score_visible(p, viewer, seat, source)",
        "ends_turn(before, after)",
    ),
    "why": ("why_not(p, box, action)",),
    "story": (
        "log_lines(before, action, after)",
        "recap(steps)",
        "die_shown(before, after)",
        "opening(scene)",
        "prompt(scene)",
        "choice(scene, action)",
        "effect(scene, action)",
        "choices_are_public(p)",
    ),
    "terminal": ("draw(scene)",),
    "board": ("chart(scene)", "pieces(scene)", "spots(scene, action)", "hand(scene)", "facts(scene, seat)"),
    "cover": ("cover(words)",),
    "lab": ("uses(before, action, after, box)", "components(box)"),
}


@dataclass(frozen=True)
class Signature:
    """A function that a game's file may define: its name and parameters."""

    name: str
    parameters: tuple[str, ...]
    is_rule: bool = False  # it must be marked @rule

    def __str__(self) -> str:
        return f"{self.name}({', '.join(self.parameters)})"


@cache
def signatures() -> dict[str, dict[str, Signature]]:
    """The functions that a game may define, by file and name: those of `engine.interface`, and the others."""
    found: dict[str, dict[str, Signature]] = {"rules": {}, "observation": {}, "evaluation": {}}
    for function in vars(interface).values():
        if hasattr(function, "module_of"):
            code = function.__code__
            one = Signature(function.__name__, code.co_varnames[: code.co_argcount], is_rule=True)
            found[function.module_of][one.name] = one
    for part, texts in OTHERS.items():
        for text in texts:
            name, _, rest = text.rstrip(")").partition("(")
            one = Signature(name, tuple(rest.split(", ")), is_rule=name == "violated_invariant")
            found.setdefault(part, {})[name] = one
    return found


def in_files(folder: Path) -> list[str]:
    """What is wrong with the functions of a game's files: their signatures, and what a rule cannot do."""
    errors: list[str] = []
    for path in sorted(folder.glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
        errors += _wrong_signatures(tree, path.name, signatures().get(path.stem, {}))
        errors += _cannot_compile(tree, path.name)
    return errors


def in_rules(files: Iterable[str]) -> list[str]:
    """What the rules in these files do that a rule cannot, one sentence each."""
    errors: list[str] = []
    for file in sorted(files):
        try:
            tree = ast.parse(Path(file).read_text(encoding="utf-8"))
        except (OSError, SyntaxError):  # it was changed since it was loaded
            continue
        errors += _cannot_compile(tree, Path(file).name)
    return errors


def _wrong_signatures(tree: ast.Module, file: str, known: dict[str, Signature]) -> Iterator[str]:
    """Of the functions that the file itself defines; what it imports is defined elsewhere."""
    for function in tree.body:
        if not isinstance(function, ast.FunctionDef) or function.name not in known:
            continue
        expected, where = known[function.name], f"{file}, line {function.lineno}"
        if not _takes(function.args, expected.parameters):
            yield f"{where}: expected {expected}, found {function.name}({ast.unparse(_bare(function.args))})"
        if expected.is_rule and not _is_rule(function):
            yield f"{where}: {function.name} must be marked @rule"


def _takes(given: ast.arguments, expected: tuple[str, ...]) -> bool:
    """Whether a function can be called with these arguments by position. Their names are free, but those that
    are expected must stand in their places.
    """
    names = [argument.arg for argument in (*given.posonlyargs, *given.args)]
    if given.vararg is None and len(names) < len(expected):
        return False
    if len(names) - len(given.defaults) > len(expected) or None in given.kw_defaults:
        return False
    return not any(name in expected and name != there for name, there in zip(names, expected, strict=False))


def _bare(given: ast.arguments) -> ast.arguments:
    """The parameters without their annotations."""
    for argument in ast.walk(given):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    return given


def _is_rule(function: ast.FunctionDef) -> bool:
    return any(ast.unparse(mark).split(".")[-1] == "rule" for mark in function.decorator_list)


# Rules run compiled without a memory manager, and on a GPU.
_CANNOT: dict[type[ast.AST], str] = {
    ast.List: "make a list",
    ast.ListComp: "make a list",
    ast.Dict: "make a dict",
    ast.DictComp: "make a dict",
    ast.Set: "make a set",
    ast.SetComp: "make a set",
    ast.GeneratorExp: "make a generator",
    ast.JoinedStr: "make a string",
    ast.Raise: "raise an exception",
    ast.Try: "catch an exception",
    ast.With: "use with",
    ast.Lambda: "define a function",
    ast.FunctionDef: "define a function",
    ast.Yield: "yield",
    ast.Import: "import",
    ast.ImportFrom: "import",
}
_MAKING = {"list": "a list", "sorted": "a list", "dict": "a dict", "set": "a set", "str": "a string"}
_ARRAYS = {"array", "asarray", "arange", "zeros", "ones", "empty", "full", "zeros_like", "ones_like", "copy"}


def _cannot_compile(tree: ast.Module, file: str) -> Iterator[str]:
    """What the rules of a file do that none can, with the line of each."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef) and _is_rule(function):
            for line, what in sorted({found for part in function.body for found in _forbidden(part)}):
                yield f"{file}, line {line}: a rule cannot {what}"


def _forbidden(statement: ast.stmt) -> Iterator[tuple[int, str]]:
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return  # a docstring
    for part in _parts(statement):
        line: int = getattr(part, "lineno", 0)
        if type(part) in _CANNOT:
            yield line, _CANNOT[type(part)]
        elif isinstance(part, ast.Constant) and isinstance(part.value, str | bytes):
            yield line, "use a string"
        elif isinstance(part, ast.Call):
            name = ast.unparse(part.func)
            if name in _MAKING:
                yield line, f"make {_MAKING[name]}"
            elif name == "print":
                yield line, "print"
            elif name.startswith(("np.", "numpy.")) and name.split(".")[1] in _ARRAYS:
                yield line, "make an array"


def _parts(node: ast.AST) -> Iterator[ast.AST]:
    """A node and what it consists of; of a string with values in it, and of what is unpacked to, not more."""
    if isinstance(node, ast.List) and isinstance(node.ctx, ast.Store):
        return
    yield node
    if not isinstance(node, ast.JoinedStr):
        for part in ast.iter_child_nodes(node):
            yield from _parts(part)


def reason(error: Exception, folder: Path | None) -> str:
    """Why a game cannot be used, in one line: with the file and the line if it is one of its own."""
    if isinstance(error, DataError):
        of_a_file = folder is not None and Path(error.what).parent == folder
        text = "; ".join(error.errors)
        return _one_line(f"{Path(error.what).name}: {text}" if of_a_file else text)
    text = str(error) if not isinstance(error, KeyError) else f"there is no {error}"
    if isinstance(error, SyntaxError):
        text = error.msg
    where = _where(error, folder) if folder is not None else ""
    return _one_line(f"{where}: {text}" if where and text else text or f"{where} {type(error).__name__}")


def _where(error: Exception, folder: Path) -> str:
    """The last line of the game's own files that led to an error."""
    places = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    if isinstance(error, SyntaxError) and error.filename:
        places.append((error.filename, error.lineno))
    own = [(Path(file), line) for file, line in places if Path(file).is_relative_to(folder)]
    return f"{own[-1][0].relative_to(folder)}, line {own[-1][1]}" if own else ""


def _one_line(text: object) -> str:
    return " ".join(str(text).split())
