"""Mutation operators: small changes to a source file, each of which a test should notice."""

from __future__ import annotations
import __future__

import ast
import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType

FUTURE = __future__.annotations.compiler_flag
Function = ast.FunctionDef | ast.AsyncFunctionDef

COMPARISONS = {
    "<": "<=",
    "<=": "<",
    ">": ">=",
    ">=": ">",
    "==": "!=",
    "!=": "==",
    "in": "not in",
    "not in": "in",
    "is": "is not",
    "is not": "is",
}
ARITHMETIC = {
    "+": "-",
    "-": "+",
    "*": "//",
    "//": "*",
    "/": "*",
    "%": "//",
    "<<": ">>",
    ">>": "<<",
    "&": "|",
    "|": "&",
    "^": "|",
}
LOGIC = {"and": "or", "or": "and"}
OPERATOR = re.compile(r"<<|>>|//|\*\*|<=|>=|==|!=|not\s+in\b|is\s+not\b|\b(?:in|is|and|or)\b|[-+*/%&|^<>@]")
# Records and arrays that rules pass on: swapped, they only raise a TypeError.
RECORDS = {"p", "box", "dice", "mask", "out", "self", "before", "after"}

COMMUTATIVE = {"min", "max", "plus", "least", "fewer_of_each"}  # whose arguments come in any order


@dataclass(frozen=True)
class Mutant:
    """One change of a source file. Its identity has no line number, so that it survives edits elsewhere."""

    file: str  # from the root of the repository, with slashes
    function: str  # qualified name of the outermost function; "" at the level of a module or class
    original: str  # the changed lines, white space collapsed
    mutated: str
    nth: int  # which of those with the same texts in the function, from 1
    line: int
    start: int  # what is replaced, in bytes of the file
    end: int
    text: str

    @property
    def key(self) -> tuple[str, str, str, str, int]:
        return self.file, self.function, self.original, self.mutated, self.nth


class Source:
    """A source file, its syntax tree, and where in the file each node is."""

    def __init__(self, file: str, text: str) -> None:
        self.file, self.bytes = file, text.encode()
        self.tree = ast.parse(text)
        self._starts = [0]
        for line in self.bytes.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    def place(self, line: int, column: int) -> int:
        return self._starts[line - 1] + column

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self.place(node.lineno, node.col_offset), self.place(node.end_lineno, node.end_col_offset)

    def text(self, node: ast.expr | ast.stmt) -> str:
        start, end = self.span(node)
        return self.bytes[start:end].decode()

    def lines(self, start: int, end: int, text: str) -> tuple[int, str, str]:
        """The first line's number, and the lines before and after a replacement, white space collapsed."""
        first = self.bytes.rfind(b"\n", 0, start) + 1
        last = self.bytes.find(b"\n", end)
        last = len(self.bytes) if last < 0 else last
        head, tail = self.bytes[first:start].decode(), self.bytes[end:last].decode()
        old = self.bytes[start:end].decode()
        return (
            self.bytes.count(b"\n", 0, start) + 1,
            " ".join((head + old + tail).split()),
            " ".join((head + text + tail).split()),
        )

    def mutants(self) -> list[Mutant]:
        """All of them, in the order of the file."""
        found, seen, times = [], set(), Counter[tuple[str, str, str]]()
        on_import = self.called_on_import()
        for function, node in self.functions():
            if function in on_import:
                continue
            changes = sorted({change for stmt in body_of(node) for change in changes_in(self, stmt, node)})
            for start, end, text in changes:
                line, original, mutated = self.lines(start, end, text)
                if original == mutated or (start, end, text) in seen:
                    continue
                seen.add((start, end, text))
                times[function, original, mutated] += 1
                nth = times[function, original, mutated]
                found.append(Mutant(self.file, function, original, mutated, nth, line, start, end, text))
        return found

    def functions(self) -> Iterator[tuple[str, Function]]:
        """The outermost functions and the methods, by their qualified names."""

        def inside(nodes: list[ast.stmt], prefix: str) -> Iterator[tuple[str, Function]]:
            for node in nodes:
                if isinstance(node, Function):
                    yield prefix + node.name, node
                elif isinstance(node, ast.ClassDef):
                    yield from inside(node.body, f"{prefix}{node.name}.")

        return inside(self.tree.body, "")

    def called_on_import(self) -> set[str]:
        """The functions that constants of the file are made with: by the time of a test they have run."""
        return {
            node.id
            for stmt in self.tree.body
            if isinstance(stmt, ast.Assign | ast.AnnAssign) and stmt.value
            for node in ast.walk(stmt.value)
            if isinstance(node, ast.Name)
        }

    def stamp(self, function: str) -> str:
        """A hash of a function's text."""
        text = "".join(self.text(node) for name, node in self.functions() if name == function)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def compiled(self, mutant: Mutant, path: str) -> CodeType:
        """The code of the mutated function."""
        for node in self.tree.body:
            if isinstance(node, Function | ast.ClassDef):
                first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
                start, (_, end) = self.place(first, 0), self.span(node)
                if start <= mutant.start < end:
                    break
        else:
            raise LookupError(f"{mutant.function} is no function of {self.file}")
        changed = self.bytes[start : mutant.start] + mutant.text.encode() + self.bytes[mutant.end : end]
        code = compile(b"\n" * (first - 1) + changed, path, "exec", FUTURE, dont_inherit=True)
        return code_named(code, mutant.function)


def code_named(code: CodeType, name: str) -> CodeType:
    """The code of a function, from that of the module or class around it."""
    for const in code.co_consts:
        if isinstance(const, CodeType):
            if const.co_qualname == name:
                return const
            if name.startswith(f"{const.co_qualname}."):
                return code_named(const, name)
    raise LookupError(name)


def body_of(function: Function) -> list[ast.stmt]:
    """The statements of a function without its docstring."""
    return function.body[ast.get_docstring(function, clean=False) is not None :]


Change = tuple[int, int, str]


def changes_in(source: Source, stmt: ast.stmt, function: Function) -> Iterator[Change]:
    """Every change of a statement and of what is inside it."""
    yield from of_statement(source, stmt, function)
    for child in ast.iter_child_nodes(stmt):
        if isinstance(child, ast.stmt):
            yield from changes_in(source, child, function)
        elif isinstance(child, ast.ExceptHandler | ast.match_case):
            for inner in child.body:
                yield from changes_in(source, inner, function)
        elif isinstance(child, ast.withitem):
            yield from of_expressions(source, child.context_expr)
        elif isinstance(child, ast.expr) and not is_untested(stmt, child):
            yield from of_expressions(source, child)


def is_untested(stmt: ast.stmt, child: ast.expr) -> bool:
    """Types, decorators, messages of assertions and errors."""
    return (isinstance(stmt, ast.AnnAssign) and child is stmt.annotation) or isinstance(
        stmt, Function | ast.ClassDef | ast.Assert | ast.Raise
    )


def of_statement(source: Source, stmt: ast.stmt, function: Function) -> Iterator[Change]:
    start, end = source.span(stmt)
    if isinstance(stmt, ast.If | ast.While):
        yield from negated(source, stmt.test)
    elif isinstance(stmt, ast.Break):
        yield start, end, "continue"
    elif isinstance(stmt, ast.Continue):
        yield start, end, "break"
    elif isinstance(stmt, ast.Return) and stmt.value is not None:
        if not isinstance(stmt.value, ast.Constant | ast.Tuple):
            yield start, end, "return 0"
    elif isinstance(stmt, ast.AugAssign):
        yield start, end, "pass"
        _, left = source.span(stmt.target)
        right, _ = source.span(stmt.value)
        found = OPERATOR.search(source.bytes[left:right].decode())
        if found and found[0] in ARITHMETIC:
            yield left + found.start(), left + found.end(), ARITHMETIC[found[0]]
    elif (isinstance(stmt, ast.Assign) and not is_first(stmt, function)) or (
        isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Call | ast.Await)
    ):
        yield start, end, "pass"


def is_first(stmt: ast.Assign, function: Function) -> bool:
    """Whether it gives a name its first value: without it there would only be a NameError."""
    names = {
        name.id
        for target in stmt.targets
        for name in ast.walk(target)
        if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
    }
    before = {
        name.id
        for name in ast.walk(function)
        if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store) and name.lineno < stmt.lineno
    } | {argument.arg for argument in ast.walk(function.args) if isinstance(argument, ast.arg)}
    return bool(names - before)


def negated(source: Source, test: ast.expr) -> Iterator[Change]:
    """The opposite of a condition, where no other operator makes the same."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return
    if isinstance(test, ast.Compare) and not isinstance(test.ops[0], ast.Lt | ast.LtE | ast.Gt | ast.GtE):
        return
    yield *source.span(test), f"not ({source.text(test)})"


def of_expressions(source: Source, top: ast.expr) -> Iterator[Change]:
    for node in outside_texts(top):
        if isinstance(node, ast.expr):
            yield from of_expression(source, node)
        elif isinstance(node, ast.comprehension):
            for test in node.ifs:
                yield from negated(source, test)


def outside_texts(node: ast.AST) -> Iterator[ast.AST]:
    """A node and all inside it but formatted strings: Python 3.11 does not say where their parts are."""
    if not isinstance(node, ast.JoinedStr):
        yield node
        for child in ast.iter_child_nodes(node):
            yield from outside_texts(child)


def of_expression(source: Source, node: ast.expr) -> Iterator[Change]:
    start, end = source.span(node)
    match node:
        case ast.Compare():
            for left, right in zip([node.left, *node.comparators], node.comparators, strict=False):
                yield from swapped_operator(source, left, right, COMPARISONS)
        case ast.BinOp():
            yield from swapped_operator(source, node.left, node.right, ARITHMETIC)
        case ast.BoolOp():
            for left, right in zip(node.values, node.values[1:], strict=False):
                yield from swapped_operator(source, left, right, LOGIC)
            for dropped in node.values:
                rest = [value for value in node.values if value is not dropped]
                made = rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)
                text = ast.unparse(made)
                yield start, end, f"({text})" if isinstance(made, ast.IfExp | ast.Lambda) else text
        case ast.UnaryOp(op=ast.Not()):
            yield start, end, source.text(node)[3:].strip()
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int())):
            pass  # the number's own changes do
        case ast.IfExp():
            yield from negated(source, node.test)
            if isinstance(node.test, ast.UnaryOp):
                return
        case ast.Constant(value=bool()):
            yield start, end, str(not node.value)
        case ast.Constant(value=int(value)):
            yield start, end, str(value + 1)
            yield start, end, str(value - 1)
        case ast.Call(func=ast.Name(id="range"), args=[most]):
            yield *source.span(most), f"({source.text(most)}) - 1"
        case ast.Call(func=ast.Name(id=name)) if name in COMMUTATIVE:
            pass
        case ast.Call():
            for one, other in zip(node.args, node.args[1:], strict=False):
                names = {arg.id for arg in (one, other) if isinstance(arg, ast.Name)}
                starred = any(isinstance(arg, ast.Starred | ast.GeneratorExp) for arg in (one, other))
                if not starred and not names & RECORDS and ast.dump(one) != ast.dump(other):
                    first, last = source.span(one)[0], source.span(other)[1]
                    yield first, last, f"{source.text(other)}, {source.text(one)}"
        case _:
            pass


def swapped_operator(
    source: Source, left: ast.expr, right: ast.expr, table: dict[str, str]
) -> Iterator[Change]:
    """The operator between two operands, replaced by another."""
    (_, start), (end, _) = source.span(left), source.span(right)
    between = re.sub(r"#[^\n]*", lambda comment: " " * len(comment[0]), source.bytes[start:end].decode())
    found = OPERATOR.search(between)
    if found and (operator := " ".join(found[0].split())) in table:
        yield start + found.start(), start + found.end(), table[operator]
