"""Batches on an NVIDIA GPU: the same loops as on the CPU, a thread a game.

Arrays stay on the GPU; PyTorch and JAX take them as they are (see dlpack.py). What runs there is in
kernels.py.
"""

from __future__ import annotations

import importlib
import importlib.util
import math
import warnings
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comptoir.engine.components import Components
from comptoir.engine.game import Game
from comptoir.errors import OptionError
from comptoir.extras import missing
from comptoir.research.cpu import Playouts, new_results
from comptoir.research.dlpack import OnGpu

NONE_REFUSED = 2**32 - 1
MOST_SEEN = 64
WORD = 4  # bytes of the memory's words


@cache
def cuda() -> Any:
    """numba.cuda, or an error of one sentence that says why it cannot be used."""
    if not hasattr(np, "row_stack"):
        np.row_stack = np.vstack  # numba-cuda 0.30 still names what NumPy 2.5 dropped
    try:
        found = importlib.import_module("numba.cuda")
    except Exception as problem:  # without a GPU's software this raises all kinds
        raise OptionError(
            f"device: cuda needs numba-cuda, which cannot be imported here ({problem})"
        ) from None
    if not found.is_available():
        lines = str(found.cuda_error() or "no GPU was found").splitlines()
        raise OptionError(
            f"device: cuda cannot be used here: {next(line.strip() for line in lines if line.strip())}"
        )
    simulated = importlib.import_module("numba").config.ENABLE_CUDASIM
    # the CUDA support in Numba itself is no longer maintained
    if not simulated and importlib.util.find_spec("numba_cuda") is None:
        raise missing("cuda13", "numba-cuda", otherwise="or cuda12 for an older driver")
    return found


def room(games: int, shape: tuple[int, ...], dtype: Any) -> Any:
    """An array on the GPU for a number of games."""
    gpu = cuda()
    needed, free = math.prod(shape) * np.dtype(dtype).itemsize, gpu.current_context().get_memory_info().free
    if needed > free:
        raise OptionError(
            f"games: {games:,} need {needed / 2**30:,.1f} GiB more on the GPU,"
            f" and {free / 2**30:,.1f} are free there"
        )
    return gpu.device_array(shape, dtype)


class GpuBackend:
    """The rows of a batch on a GPU, and what can be done with them.

    Only `refused` waits for the GPU.
    """

    def __init__(self, game: Game, games: int, start: Any, components: Components) -> None:
        gpu = cuda()
        from comptoir.research import kernels

        self.game, self.games, self.layout = game, games, kernels.MemoryLayout(game)
        self.players, self.crew = int(start[0].players), None
        blocks, threads = -(-games // self.layout.threads), self.layout.threads
        self.rows = blocks * threads  # whole blocks, even if the last one is not full
        self.memory = room(games, (kernels.memory_words(self.layout, self.rows),), np.uint32)
        self._refused = self.memory[-1:]
        self._start, self._box, self._values = (
            gpu.to_device(np.asarray(record).reshape(1))
            for record in (start[0], components.box, game.evaluation.weights)
        )
        self._seen: dict[tuple[int, str], Any] = {}  # arrays that were given, by where they lie
        made, shared = kernels.build(game), self.layout.shared
        # Numba warns of grids that leave a GPU idle: the size is the user's choice
        with warnings.catch_warnings(action="ignore"):
            self._reset, self._step = (
                made.reset[blocks, threads, 0, shared],
                made.step[blocks, threads, 0, shared],
            )
            self._show, self._observe = (
                made.show[blocks, threads, 0, shared],
                made.observe[blocks, threads, 0, shared],
            )
            self._choose = made.choose[blocks, threads]
        self._playouts = made.random, made.greedy

    def part(self, name: str, dtype: Any, *row: int) -> OnGpu:
        """The rows of one part of the memory, an array of the shape games × row."""
        return OnGpu(self.memory, self.rows * self.layout.before[name], (self.games, *row), dtype)

    def export_state(self) -> dict[str, NDArray[Any]]:
        """All that decides how the games go on, copied to the CPU."""
        return {name: np.asarray(self.part(name, *kind)) for name, kind in self._kept().items()} | {
            "shifts": np.zeros(self.games, np.uint8),
            "luck": np.zeros((self.games, 1), np.uint64),
        }

    def _kept(self) -> dict[str, tuple[Any, ...]]:
        """What kind of rows `parts` has of each."""
        return {
            "positions": (np.uint8, self.layout.position),
            "dice": (np.uint64, 1),
            "chance": (np.uint64, 1),
            "rewards": (np.float32, self.players),
            "ends": (np.uint8,),
        }

    def load_state(self, parts: dict[str, NDArray[Any]], games: NDArray[np.int64], kind: int) -> None:
        """Puts what `parts` has given, or some of it, into these games."""
        for name, (dtype, *row) in self._kept().items():
            if name in parts:
                now = np.array(self.part(name, dtype, *row))
                now[games] = parts[name]
                data = now.tobytes()
                words = np.frombuffer(data + bytes(-len(data) % WORD), np.uint32)
                first = self.rows * self.layout.before[name] // WORD
                self.memory[first : first + len(words)].copy_to_device(words)
        self._show(self.memory, self.games, self._start, self._box)

    def observe(self, seats: NDArray[np.int8]) -> OnGpu:
        """As a batch does."""
        shape = self.games, self.layout.observation
        out = room(self.games, shape, np.uint8)
        self._observe(self.memory, self.games, self._start, self._box, cuda().to_device(seats), out)
        return OnGpu(out, 0, shape, np.uint8)

    def reset(self, seed: int, kind: int) -> None:
        self._refused.copy_to_device(np.full(1, NONE_REFUSED, np.uint32))
        self._reset(self.memory, self.games, self._start, self._box, seed)

    def step(self, actions: Any, kind: int) -> None:
        self._step(self.memory, self.games, self._start, self._box, self.checked("actions", actions), kind)

    def choose(self, out: Any) -> Any:
        """As a batch does."""
        if out is None:
            out = OnGpu(cuda().device_array(self.games, np.int64), 0, (self.games,), np.int64)
        self._choose(self.memory, self.games, self.checked("out", out))
        return out

    def checked(self, what: str, given: Any) -> Any:
        """An array on the GPU with a number for each game, as Numba takes it.

        Numba takes as long to find an array's address as to start a kernel, and programs give the same few
        arrays again and again.
        """
        told = getattr(given, "__cuda_array_interface__", None)
        if told is None:
            raise OptionError(
                f"{what}: expected an array on the GPU, such as a PyTorch tensor,"
                f" found {type(given).__name__}"
            )
        if told["shape"] != (self.games,) or told["typestr"] not in ("<i4", "<i8") or told.get("strides"):
            kind = np.dtype(told["typestr"])
            raise OptionError(
                f"{what}: expected {self.games:,} of int32 or int64 one after the other,"
                f" found {kind} in the shape {told['shape']}"
            )
        key = told["data"][0], told["typestr"]
        if key not in self._seen:
            if len(self._seen) == MOST_SEEN:
                self._seen.clear()
            self._seen[key] = cuda().from_cuda_array_interface(told)
        return self._seen[key]

    def refused(self) -> int | None:
        """The first game whose action was not legal since this was last asked."""
        found = int(self._refused.copy_to_host()[0])
        if found == NONE_REFUSED:
            return None
        self._refused.copy_to_device(np.full(1, NONE_REFUSED, np.uint32))
        return found

    def playouts(self, greedy: bool, seed: int, games: int, apart: bool) -> Playouts:
        from comptoir.research.kernels import PLAYOUT_BLOCKS, PLAYOUT_THREADS

        shapes = (
            ((games,), np.int32),
            ((games,), np.uint8),
            ((games, *new_results(self.game, 1, apart).shape[1:]), np.int64),
        )
        found = [room(games, shape, dtype) for shape, dtype in shapes]
        blocks = min(
            -(-games // PLAYOUT_THREADS), PLAYOUT_BLOCKS * cuda().get_current_device().MULTIPROCESSOR_COUNT
        )
        with warnings.catch_warnings(action="ignore"):  # as above
            self._playouts[greedy][blocks, PLAYOUT_THREADS](
                self._start, self._box, self._values, seed, *found, int(apart)
            )
        return Playouts(*(OnGpu(array, 0, array.shape, array.dtype) for array in found))
