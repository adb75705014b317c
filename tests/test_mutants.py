"""The tool behind `make mutants`: what it changes, and that the changes named as equivalent still exist."""

from __future__ import annotations

from types import FunctionType, SimpleNamespace

import pytest

from tests.mutants.equivalent import Equivalents
from tests.mutants.operators import Mutant, Source
from tests.mutants.targets import ROOT

TEXT = '''
def taken(p, most):
    """1 + 1: text of no consequence."""
    found = 0
    for seat in range(p.players):
        if p.held[seat] < most and not p.out[seat]:
            found += 1
        elif seat == 3:
            break
    return bool(found)


class Box:
    def put(self, one, other):
        lay(one, other)
        return f"{one + 1}"
'''


def changed(line: str) -> set[str]:
    return {mutant.mutated for mutant in Source("x.py", TEXT).mutants() if mutant.original == line}


def run(mutant: Mutant) -> object:
    """What `taken` returns once mutated."""
    code = Source("x.py", TEXT).compiled(mutant, "x.py")
    table = SimpleNamespace(players=2, held=[1, 5], out=[False, False])
    return FunctionType(code, {"range": range, "bool": bool})(table, 4)


@pytest.mark.parametrize(
    ("line", "mutants"),
    [
        ("found = 0", {"found = 1", "found = -1"}),
        ("for seat in range(p.players):", {"for seat in range((p.players) - 1):"}),
        (
            "if p.held[seat] < most and not p.out[seat]:",
            {
                "if p.held[seat] <= most and not p.out[seat]:",
                "if p.held[seat] < most or not p.out[seat]:",
                "if p.held[seat] < most and p.out[seat]:",
                "if p.held[seat] < most:",
                "if not p.out[seat]:",
                "if not (p.held[seat] < most and not p.out[seat]):",
            },
        ),
        ("found += 1", {"found -= 1", "found += 0", "found += 2", "pass"}),
        ("elif seat == 3:", {"elif seat != 3:", "elif seat == 2:", "elif seat == 4:"}),
        ("break", {"continue"}),
        ("return bool(found)", {"return 0"}),
        ("lay(one, other)", {"lay(other, one)", "pass"}),
        ('return f"{one + 1}"', {"return 0"}),
        ('"""1 + 1: text of no consequence."""', set()),
    ],
)
def test_each_operator_changes_what_it_should(line: str, mutants: set[str]) -> None:
    assert changed(line) == mutants


def test_a_mutant_is_the_function_with_one_change() -> None:
    mutants = {m.mutated: m for m in Source("x.py", TEXT).mutants() if m.function == "taken"}
    assert run(mutants["found += 2"]) is True
    assert run(mutants["found += 0"]) is False
    assert run(mutants["return 0"]) == 0


def test_identical_lines_of_a_function_are_counted() -> None:
    text = "def f(a):\n    g(a)\n    h()\n    g(a)\n"
    keys = [mutant.key for mutant in Source("x.py", text).mutants()]
    assert ("x.py", "f", "g(a)", "pass", 1) in keys
    assert ("x.py", "f", "g(a)", "pass", 2) in keys
    assert len(keys) == len(set(keys)) == 3


def test_every_equivalent_mutant_exists_and_has_a_reason() -> None:
    """A line that has changed since needs another look."""
    equivalents = Equivalents()
    mutants = [
        mutant for file in equivalents.files() for mutant in Source(file, (ROOT / file).read_text()).mutants()
    ]
    assert equivalents.stale(mutants) == []
    assert all(len(reason.split()) > 3 for reason in equivalents.reasons())
