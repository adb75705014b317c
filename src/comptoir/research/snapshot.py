"""The state of a batch, saved to return to it later."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from comptoir.errors import OptionError

Bytes = NDArray[np.uint8]


@dataclass(frozen=True)
class Snapshot:
    """Everything that decides how some games continue, one row per game. It can be copied and pickled.

    `snapshot[rows]` has those rows, in that order: `snapshot[np.zeros(1024, int)]` is the first game 1,024
    times.
    """

    game: str
    rules: int
    players: int
    positions: Bytes  # as bytes: NumPy does not copy what lies between the fields of a record
    dice: NDArray[np.uint64]
    sampling_dice: NDArray[np.uint64]
    rewards: NDArray[np.float32]
    terminations: Bytes
    seat_shifts: Bytes  # by how many seats bots have moved on
    bot_dice: NDArray[np.uint64]

    def __len__(self) -> int:
        return len(self.dice)

    def __getitem__(self, rows: int | slice | NDArray[np.generic] | Sequence[int]) -> Snapshot:
        chosen = np.atleast_1d(np.arange(len(self))[rows])
        arrays = {
            field.name: getattr(self, field.name)[chosen]
            for field in fields(self)
            if isinstance(getattr(self, field.name), np.ndarray)
        }
        return replace(self, **arrays)

    def check(self, game: str, rules: int, players: int, games: int) -> None:
        """Raise an OptionError unless a batch of that kind can restore it."""
        for what, own, theirs in (
            ("game", self.game, game),
            ("version of the rules", self.rules, rules),
            ("number of players", self.players, players),
            ("number of games", len(self), games),
        ):
            if own != theirs:
                raise OptionError(f"snapshot: {what} is {own}, but this batch has {theirs}")
