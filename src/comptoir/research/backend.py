"""What a batch needs of the device that its games are on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from comptoir.research.batch_bots import BatchBots

DeviceArray = Any  # a NumPy array on a CPU, an OnGpu on a GPU
State = dict[str, NDArray[Any]]  # some arrays of a Snapshot, by their names there; always on the CPU


@dataclass(frozen=True)
class Outputs:
    """What a step leaves behind, one row per game; `Batch` documents them. They are written in place."""

    observations: DeviceArray
    action_masks: DeviceArray
    current_seats: DeviceArray
    rewards: DeviceArray
    terminations: DeviceArray


@dataclass(frozen=True)
class Playouts:
    """Games played to the end: decisions, ending, and for each seat its points (in total or by source) and
    tie-breaks. The arrays are on the batch's device.
    """

    lengths: DeviceArray  # int32
    endings: DeviceArray  # uint8
    scores: DeviceArray  # int64


class Backend(Protocol):
    """The games of a batch on a device."""

    @property
    def outputs(self) -> Outputs: ...

    @property
    def bots(self) -> BatchBots | None: ...

    def reset(self, seed: int, reward_kind: int) -> None: ...

    def step(self, actions: DeviceArray, reward_kind: int) -> None:
        """Play one action per game; a game whose action is illegal does not move."""

    def pop_illegal(self) -> int | None:
        """The first game whose action was illegal since the last call, unless `step` raised for it."""

    def sample_actions(self, out: DeviceArray | None) -> DeviceArray: ...

    def observe(self, seats: DeviceArray, out: DeviceArray | None) -> DeviceArray: ...

    def export_state(self) -> State:
        """Copies of everything that decides how the games continue."""

    def load_state(self, state: State, games: NDArray[np.int64], reward_kind: int) -> None:
        """Overwrite these games with the arrays in `state`, and refresh the outputs."""

    def playouts(self, heuristic: bool, seed: int, games: int, by_source: bool) -> Playouts: ...
