"""A game's actions as a table: for rules a range of numbers per kind, for people the texts in the same order.

    ACTIONS = Actions(("pass",), ("lay", COMPANIES), ("bid", range(1, 41)))
    LAY = ACTIONS.first("lay")  # + company

A kind with several operands has every combination of them, the last one changing fastest. Numbers and texts
are recorded in matches: what is added to a table later must come last, or the rules need a new version.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any, TypeVar

Operand = TypeVar("Operand")  # a good, an amount, a voyage


@dataclass(frozen=True, slots=True)
class Action:
    """One action, decoded."""

    index: int  # the number that rules know it by
    kind: str  # what [actions] in words.toml names: "lay"
    operands: tuple[Any, ...]  # what it is done with, as the table lists it: ("denmark",)
    offset: int  # how many actions of its kind come before it: rules have first(kind) + offset
    text: str  # "lay denmark"

    @property
    def operand(self) -> Any:
        """The first operand; None for an action without any."""
        return self.operands[0] if self.operands else None

    def __str__(self) -> str:
        return self.text


class Actions:
    """All actions of a game, each kind as its name and its axes of operands.

    An operand is written as `str` writes it. Raises ValueError for a table that cannot be read back.
    """

    def __init__(self, *kinds: tuple[str, *tuple[Iterable[object], ...]]) -> None:
        decoded: list[Action] = []
        self._firsts: dict[str, int] = {}
        for kind, *axes in kinds:
            if kind in self._firsts:
                raise ValueError(f"actions: {kind!r} is listed twice; give it all its operands at once")
            self._firsts[kind] = len(decoded)
            for offset, operands in enumerate(product(*(_checked_axis(kind, axis) for axis in axes))):
                text = " ".join(map(str, (kind, *operands)))
                decoded.append(Action(len(decoded), kind, operands, offset, text))
        self._actions = tuple(decoded)
        self.texts = tuple(action.text for action in decoded)
        self.kinds = tuple(self._firsts)
        self._by_text = {action.text: action for action in decoded}
        self._check()

    def _check(self) -> None:
        if not self._actions:
            raise ValueError("actions: expected at least one kind, such as ('pass',)")
        for action in self._actions:
            twin = self._by_text[action.text]
            if twin is not action:
                raise ValueError(
                    f"actions: {action.text!r} is the text of two actions: number {action.index}"
                    f" ({action.kind!r}) and number {twin.index} ({twin.kind!r})"
                )
            if " ".join(action.text.split()) != action.text or "#" in action.text:
                raise ValueError(
                    f"actions: {action.text!r} cannot be written to a match file; expected words with single"
                    " spaces between them, and no #"
                )

    def first(self, kind: str, *operands: object) -> int:
        """The number of the first action of a kind that begins with these operands: a constant for rules."""
        for action in self._actions[self._firsts[kind] :]:
            if action.kind == kind and action.operands[: len(operands)] == operands:
                return action.index
        raise KeyError(" ".join(map(str, (kind, *operands))))

    def count(self, kind: str) -> int:
        """How many actions there are of a kind."""
        return sum(action.kind == kind for action in self._actions)

    def decode(self, action: int | str) -> Action:
        """An action by its number or its text. Raises KeyError or IndexError if there is none."""
        return self._by_text[action] if isinstance(action, str) else self._actions[action]

    def __contains__(self, text: object) -> bool:
        return text in self._by_text

    def __iter__(self) -> Iterator[Action]:
        return iter(self._actions)

    def __len__(self) -> int:
        return len(self._actions)


def _checked_axis(kind: str, axis: Iterable[Operand]) -> tuple[Operand, ...]:
    """The operands along an axis."""
    if isinstance(axis, str):
        raise ValueError(f"actions: {kind!r}: expected a tuple of operands, got the text {axis!r}")
    operands = tuple(axis)
    if not operands:
        raise ValueError(f"actions: {kind!r}: expected operands, got none")
    return operands
