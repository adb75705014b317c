"""The games of a batch at one moment, to go back to."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comptoir.errors import OptionError

Bytes = NDArray[np.uint8]


@dataclass(frozen=True)
class Snapshot:
    """Some games, a row each: all that decides how they go on. It can be copied, pickled and sent.

    `snapshot[rows]` is one of those games, in that order: `snapshot[np.zeros(1024, int)]` is the first game a
    thousand times.
    """

    game: str
    rules: int
    players: int
    positions: Bytes  # as bytes: NumPy's copies of records forget what lies between the fields
    dice: NDArray[np.uint64]
    chance: NDArray[np.uint64]
    rewards: NDArray[np.float32]
    ends: Bytes
    shifts: Bytes  # by how many seats bots have moved on, and their own chance
    luck: NDArray[np.uint64]

    def __len__(self) -> int:
        return len(self.dice)

    def __getitem__(self, rows: Any) -> Snapshot:
        chosen = np.atleast_1d(np.arange(len(self))[rows])
        arrays = {
            field.name: getattr(self, field.name)[chosen]
            for field in fields(self)
            if isinstance(getattr(self, field.name), np.ndarray)
        }
        return replace(self, **arrays)

    def check(self, game: str, rules: int, players: int, games: int) -> None:
        """Whether a batch of that kind can take it."""
        for what, own, theirs in (
            ("game", self.game, game),
            ("version of the rules", self.rules, rules),
            ("number of players", self.players, players),
            ("number of games", len(self), games),
        ):
            if own != theirs:
                raise OptionError(f"snapshot: its {what} is {own}, and that of this batch is {theirs}")


def as_bytes(records: Any) -> Bytes:
    """Records as rows of bytes, on memory of their own."""
    plain = np.ascontiguousarray(records).view(np.ndarray)
    return plain.view(np.uint8).reshape(len(plain), -1).copy()
