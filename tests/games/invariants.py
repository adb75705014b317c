"""What the games' tests of invariants share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from comptoir.engine.invariants import VALID, Invariants
from comptoir.testing import PositionBuilder

Violation = tuple[int, int, Callable[[], Any]]  # the invariant, where it is violated, and a table where it is


def ids(invariants: Invariants, violations: Sequence[Violation]) -> list[str]:
    """What pytest calls each case."""
    return [f"{n} {invariants.sentences[number - 1][:40]}" for n, (number, *_) in enumerate(violations)]


def assert_violates(table: PositionBuilder, number: int, where: int) -> None:
    """The position is refused with the sentence of that invariant."""
    rules = table.game.rules
    assert rules.violated_invariant(table.p, table.box) == (number, where)
    assert rules.check_position(table.p, table.box) == rules.INVARIANTS.errors((number, where)) != []


def assert_valid(table: PositionBuilder) -> None:
    """No invariant is violated."""
    rules = table.game.rules
    assert rules.violated_invariant(table.p, table.box) == (VALID, 0)
    assert rules.check_position(table.p, table.box) == []


def assert_all_shown(invariants: Invariants, violations: Sequence[Violation]) -> None:
    """Every invariant is violated in some case."""
    assert {number for number, _, _ in violations} == set(range(1, len(invariants) + 1))
