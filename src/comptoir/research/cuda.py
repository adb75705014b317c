"""Batches on an NVIDIA GPU: the same loops as on the CPU, a thread a game.

Arrays stay on the GPU; PyTorch and JAX take them as they are (DLPack, or the CUDA array interface).
"""

from __future__ import annotations

import importlib
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np

from comptoir.engine.components import Components
from comptoir.engine.game import Game
from comptoir.engine.mask import new_mask
from comptoir.errors import OptionError
from comptoir.research import loops
from comptoir.research.cpu import Playouts, new_rows
from comptoir.research.loops import Rows

THREADS = 64  # in a block
BLOCKS = 16  # of playouts, for each multiprocessor
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

    setup, scores, playout = compiled.setup, compiled.scores, compiled.playout
    greedy_playout = compiled.bind(loops.greedy_playout)
    words = len(new_mask(len(game.actions)))

    def play_random(start: Any, box: Any, seed: int, lengths: Any, endings: Any, results: Any) -> None:
        positions = gpu.shared.array(THREADS, record)
        mask, dice = gpu.local.array(words, np.uint64), gpu.local.array(1, np.uint64)
        p = positions[gpu.threadIdx.x]
        for nth in range(gpu.grid(1), len(lengths), gpu.gridsize(1)):
            dice[0] = seed + nth
            positions[gpu.threadIdx.x] = start[0]
            setup(p, box[0], dice)
            lengths[nth] = playout(p, box[0], mask, dice)
            endings[nth] = p.ending
            scores(p, box[0], results[nth])

    def play_greedy(start: Any, box: Any, values: Any, seed: int, lengths: Any, endings: Any, results: Any) -> None:
        positions = gpu.shared.array(THREADS, record)
        mask, dice = gpu.local.array(words, np.uint64), gpu.local.array(1, np.uint64)
        p = positions[gpu.threadIdx.x]
        for nth in range(gpu.grid(1), len(lengths), gpu.gridsize(1)):
            dice[0] = seed + nth
            positions[gpu.threadIdx.x] = start[0]
            setup(p, box[0], dice)
            lengths[nth] = greedy_playout(p, box[0], values[0], mask, dice)
            endings[nth] = p.ending
            scores(p, box[0], results[nth])

    made = (reset, step, choose, play_random, play_greedy)
    return SimpleNamespace(**{kernel.__name__: gpu.jit(kernel) for kernel in made})


class Gpu:
    """The rows of a batch on a GPU, and what can be done with them. Nothing waits for the GPU but `refused`."""

    def __init__(self, game: Game, games: int, start: Any, components: Components) -> None:
        gpu = cuda()
        self.game, self.games = game, games
        self.rows = Rows(*(gpu.to_device(part.view(np.ndarray)) for part in new_rows(game, games)))
        self._start = gpu.to_device(start.view(np.ndarray))
        self._box = gpu.to_device(np.asarray(components.box).reshape(1))
        self._refused = gpu.to_device(np.full(1, NONE_REFUSED, np.int32))
        self._kernels, self._grid = kernels(game), (-(-games // THREADS), THREADS)

    def reset(self, seed: int) -> None:
        self._kernels.reset[self._grid](self.rows, self._start, self._box, seed)

    def step(self, actions: Any, kind: int) -> None:
        self._kernels.step[self._grid](self.rows, self._start, self._box, actions, kind, self._refused)

    def choose(self, out: Any) -> None:
        self._kernels.choose[self._grid](self.rows, out)

    def refused(self) -> int | None:
        """The first game whose action was not legal since this was last asked."""
        found = int(self._refused.copy_to_host()[0])
        if found == NONE_REFUSED:
            return None
        self._refused = cuda().to_device(np.full(1, NONE_REFUSED, np.int32))
        return found

    def playouts(self, greedy: bool, seed: int, found: Playouts) -> Playouts:
        """Whole games, each thread one after the other."""
        gpu = cuda()
        out = [gpu.to_device(part) for part in (found.lengths, found.endings, found.scores)]
        blocks = min(-(-len(found.lengths) // THREADS), BLOCKS * gpu.get_current_device().MULTIPROCESSOR_COUNT)
        if greedy:
            values = gpu.to_device(np.asarray(self.game.judgement.values).reshape(1))
            self._kernels.play_greedy[blocks, THREADS](self._start, self._box, values, seed, *out)
        else:
            self._kernels.play_random[blocks, THREADS](self._start, self._box, seed, *out)
        return Playouts(*(part.copy_to_host() for part in out))
