"""Batches on an NVIDIA GPU: the same loops as on the CPU, a thread a game.

Arrays stay on the GPU; PyTorch and JAX take them as they are (DLPack, or the CUDA array interface).
"""

from __future__ import annotations

import importlib
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np

from comptoir.engine.game import Game
from comptoir.errors import OptionError
from comptoir.research import loops
from comptoir.research.loops import Rows

THREADS = 64  # in a block
NONE_REFUSED = 2**31 - 1


@cache
def cuda() -> Any:
    """numba.cuda, or an OptionError of one sentence that says why it cannot be used."""
    if not hasattr(np, "row_stack"):
        np.row_stack = np.vstack  # numba-cuda 0.30 still names what NumPy 2.5 dropped
    try:
        found = importlib.import_module("numba.cuda")
    except Exception as problem:  # without a GPU's software this raises all kinds
        raise OptionError(f"device: cuda needs numba-cuda, which cannot be imported here ({problem})") from None
    if not found.is_available():
        lines = str(found.cuda_error() or "no GPU was found").splitlines()
        raise OptionError(f"device: cuda cannot be used here: {next(line.strip() for line in lines if line.strip())}")
    return found


@cache
def kernels(game: Game) -> SimpleNamespace:
    """The loops of a game as kernels. A block brings its positions into shared memory, where rules read and write them."""
    import numba

    gpu = cuda()
    compiled = game.compiled
    reset_one, step_one, choose_one = (compiled.bind(part) for part in (loops.reset_one, loops.step_one, loops.choose_one))
    record = numba.from_dtype(game.position.dtype)

    def reset(rows: Any, start: Any, box: Any, seed: int) -> None:
        nth = gpu.grid(1)
        if nth < len(rows.turns):
            reset_one(rows, nth, start, box[0], seed)

    def step(rows: Any, start: Any, box: Any, actions: Any, kind: int, refused: Any) -> None:
        positions = gpu.shared.array(THREADS, record)
        nth, own = gpu.grid(1), gpu.threadIdx.x
        if nth >= len(rows.turns):
            return
        first = nth - own
        here = Rows(
            positions,
            rows.dice[first:],
            rows.chance[first:],
            rows.bits[first:],
            rows.bytes[first:],
            rows.observations[first:],
            rows.turns[first:],
            rows.rewards[first:],
            rows.ends[first:],
            rows.results[first:],
        )
        positions[own] = rows.positions[nth]
        if not step_one(here, own, start, box[0], int(actions[nth]), kind):
            gpu.atomic.min(refused, 0, nth)
        rows.positions[nth] = positions[own]

    def choose(rows: Any, actions: Any) -> None:
        nth = gpu.grid(1)
        if nth < len(rows.turns):
            actions[nth] = choose_one(rows, nth)

    return SimpleNamespace(reset=gpu.jit(reset), step=gpu.jit(step), choose=gpu.jit(choose))
