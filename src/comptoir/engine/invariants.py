"""What holds in every position that play can reach: for each invariant a sentence, and a number for rules.

    INVARIANTS = Invariants(
        {"good": GOODS},
        players="players: expected 2 to 6",
        goods="goods: more than the box holds: {good}",
        coins="coins: not as many as all started with: seat {seat}",
    )
    WRONG_GOODS = INVARIANTS["goods"]

The rule `violated_invariant` returns such a number, or VALID, and a second one that says where: a seat, or
whatever the first argument has words for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

VALID = 0  # no invariant is violated


class Invariants:
    """The invariants of a game, numbered from 1 in their order."""

    def __init__(self, words: Mapping[str, Sequence[str]] | None = None, /, **sentences: str) -> None:
        self._words = words or {}
        self.sentences = tuple(sentences.values())
        self._numbers = {name: number for number, name in enumerate(sentences, start=1)}

    def __getitem__(self, name: str) -> int:
        """The number of an invariant: a constant for rules."""
        return self._numbers[name]

    def __len__(self) -> int:
        return len(self.sentences)

    def errors(self, violated: tuple[int, int]) -> list[str]:
        """What `violated_invariant` has returned, as a sentence; nothing if the position is valid."""
        number, where = violated
        if number == VALID:
            return []
        return [self.sentences[number - 1].format_map(_Where(self._words, int(where)))]


class _Where(dict[str, object]):
    """The values of a sentence: a word of the game for the number, or the number itself."""

    def __init__(self, words: Mapping[str, Sequence[str]], where: int) -> None:
        super().__init__()
        self._words, self._where = words, where

    def __missing__(self, name: str) -> str | int:
        return self._words[name][self._where] if name in self._words else self._where
