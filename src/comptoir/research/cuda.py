"""Batches on an NVIDIA GPU: the same loops as on the CPU, a thread a game.

The threads of a block bring the rows of their games into shared memory together, each plays its own there, and together they
write them back: so memory is read and written in long runs, wherever in its row a rule reads and writes. Arrays stay on the GPU;
PyTorch and JAX take them as they are (see dlpack.py).
"""

from __future__ import annotations

import importlib
from functools import cache
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from comptoir.engine.components import Components
from comptoir.engine.game import Game
from comptoir.engine.mask import new_mask
from comptoir.errors import OptionError
from comptoir.research import loops
from comptoir.research.cpu import Playouts
from comptoir.research.loops import Rows

WARP = 32  # threads that go in step; a block is some of these
SHARED_BYTES = 48 * 1024  # what a block may have without asking for more
MOST_THREADS = 64  # in a block
WORD = 4  # bytes that a thread copies at once
PLAYOUT_THREADS = 64
PLAYOUT_BLOCKS = 16  # for each multiprocessor
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


class Sizes(NamedTuple):
    """Of a game's rows, and how many of them a block takes."""

    position: int  # bytes
    observation: int
    words: int  # of 64 legal actions each
    actions: int

    @property
    def threads(self) -> int:
        """As many as have room in shared memory."""
        return min(MOST_THREADS, SHARED_BYTES // (self.position + self.observation + 8 * self.words) // WARP * WARP)

    @property
    def bits_at(self) -> int:
        """Where the bits of the games of a block begin in shared memory: after their positions."""
        return self.threads * self.position

    @property
    def observations_at(self) -> int:
        return self.bits_at + self.threads * 8 * self.words

    @property
    def shared(self) -> int:
        return self.observations_at + self.threads * self.observation


def sizes_of(game: Game) -> Sizes:
    actions = len(game.actions)
    return Sizes(game.position.dtype.itemsize, game.observation.size, len(new_mask(actions)), actions)


class Flat(NamedTuple):
    """What blocks copy: rows of games in words, one after the other. There are rows for whole blocks, though the last be not full."""

    positions: Any
    bits: Any
    observations: Any
    masks: Any


class Small(NamedTuple):
    """What threads read and write where it lies: a few bytes a game."""

    dice: Any
    chance: Any
    turns: Any
    rewards: Any
    ends: Any
    results: Any


@cache
def kernels(game: Game) -> SimpleNamespace:
    """The loops of a game as kernels."""
    import numba

    gpu = cuda()
    compiled, sizes, record = game.compiled, sizes_of(game), numba.from_dtype(game.position.dtype)
    threads, bits_at, observations_at = sizes.threads, sizes.bits_at, sizes.observations_at
    observation_size, words, actions_size = sizes.observation, sizes.words, sizes.actions
    reset_one, step_one, look, choose_one = (
        compiled.bind(part) for part in (loops.reset_one, loops.step_one, loops.look, loops.choose_one)
    )
    inlined = gpu.jit(device=True, forceinline=True)

    @inlined
    def copy(source: Any, source_first: int, to: Any, to_first: int, row: int) -> None:
        """Words of a block's rows of so many bytes; each thread copies every so manieth."""
        many = row * threads // WORD
        for n in range(0, many, threads):
            at = n + gpu.threadIdx.x
            if at < many:
                to[np.uint64(to_first + at)] = source[np.uint64(source_first + at)]

    @inlined
    def bring(shared: Any, flat: Any) -> None:
        block = np.int64(gpu.blockIdx.x) * threads // WORD
        copy(flat.positions, block * sizes.position, shared, 0, sizes.position)
        copy(flat.bits, block * 8 * words, shared, bits_at // WORD, 8 * words)
        gpu.syncthreads()

    @inlined
    def take_back(shared: Any, bits: Any, flat: Any) -> None:
        gpu.syncthreads()
        block = np.int64(gpu.blockIdx.x) * threads // WORD
        copy(shared, 0, flat.positions, block * sizes.position, sizes.position)
        copy(shared, bits_at // WORD, flat.bits, block * 8 * words, 8 * words)
        copy(shared, observations_at // WORD, flat.observations, block * observation_size, observation_size)
        write_masks(bits, flat.masks, block * actions_size)

    @inlined
    def write_masks(bits: Any, masks: Any, first: int) -> None:
        """The legal actions of a block's games, a byte each and four to a word, out of bits."""
        many = actions_size * threads // WORD
        for n in range(0, many, threads):
            at = n + gpu.threadIdx.x
            if at < many:
                row = np.uint32(at * WORD) // np.uint32(actions_size)
                action = np.uint32(at * WORD) - row * np.uint32(actions_size)
                word = np.uint32(0)
                for byte in range(WORD):
                    bit = (bits[np.uint64(bits_at // 8) + row * np.uint64(words) + (action >> np.uint32(6))] >> np.uint64(action & np.uint32(63))) & np.uint64(1)
                    word |= np.uint32(bit) << np.uint32(8 * byte)
                    last = action == actions_size - 1
                    row += np.uint32(last)
                    action = np.uint32(0) if last else np.uint32(action + np.uint32(1))
                masks[np.uint64(first + at)] = word

    @inlined
    def row_here(small: Any, words_here: Any) -> Any:
        """A thread's row alone: position, bits and observation in shared memory, the rest where it lies."""
        own, nth = gpu.threadIdx.x, gpu.grid(1)
        bits, seen = bits_at // 8 + own * words, observations_at + own * observation_size
        return Rows(
            gpu.shared.array(0, record)[own : own + 1],
            small.dice[nth : nth + 1],
            small.chance[nth : nth + 1],
            words_here[None, bits : bits + words],
            words_here[None, :0],  # no room for bytes: `write_masks` writes them
            gpu.shared.array(0, np.uint8)[None, seen : seen + observation_size],
            small.turns[nth : nth + 1],
            small.rewards[nth : nth + 1],
            small.ends[nth : nth + 1],
            small.results[nth : nth + 1],
        )

    def reset(flat: Any, small: Any, start: Any, box: Any, seed: int) -> None:
        shared, shared_bits = gpu.shared.array(0, np.uint32), gpu.shared.array(0, np.uint64)
        if gpu.grid(1) < len(small.turns):
            reset_one(row_here(small, shared_bits), 0, start, box[0], seed + gpu.grid(1))
        take_back(shared, shared_bits, flat)

    def step(flat: Any, small: Any, start: Any, box: Any, actions: Any, kind: int, refused: Any) -> None:
        shared, shared_bits = gpu.shared.array(0, np.uint32), gpu.shared.array(0, np.uint64)
        bring(shared, flat)
        nth = gpu.grid(1)
        if nth < len(small.turns):
            row = row_here(small, shared_bits)
            if not step_one(row, 0, start, box[0], int(actions[nth]), kind):
                gpu.atomic.min(refused, 0, nth)
                look(row, 0, box[0])  # nothing has changed, but its observation was not brought
        take_back(shared, shared_bits, flat)

    def choose(bits: Any, small: Any, actions: Any) -> None:
        nth = gpu.grid(1)
        if nth < len(small.turns):
            actions[nth] = choose_one(bits[nth], small.chance[nth])

    setup, scores, playout = compiled.setup, compiled.scores, compiled.playout
    greedy_playout = compiled.bind(loops.greedy_playout)

    def play_random(start: Any, box: Any, seed: int, lengths: Any, endings: Any, results: Any) -> None:
        positions = gpu.shared.array(PLAYOUT_THREADS, record)
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
        positions = gpu.shared.array(PLAYOUT_THREADS, record)
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
        sizes, players = sizes_of(game), int(start[0]["players"])
        blocks = -(-games // sizes.threads)

        def room(row: int) -> Any:
            return gpu.to_device(np.zeros(blocks * sizes.threads * row // WORD, np.uint32))

        self.flat = Flat(room(sizes.position), room(8 * sizes.words), room(sizes.observation), room(sizes.actions))
        self.small = Small(
            dice=gpu.to_device(np.zeros((games, 1), np.uint64)),
            chance=gpu.to_device(np.zeros((games, 1), np.uint64)),
            turns=gpu.to_device(np.zeros(games, np.int8)),
            rewards=gpu.to_device(np.zeros((games, players), np.float32)),
            ends=gpu.to_device(np.zeros(games, np.uint8)),
            results=gpu.to_device(game.new_scores(games)),
        )
        self._bits = self.flat.bits.view(np.uint64).reshape(-1, sizes.words)
        self._start = gpu.to_device(start.view(np.ndarray))
        self._box = gpu.to_device(np.asarray(components.box).reshape(1))
        self._refused = gpu.to_device(np.full(1, NONE_REFUSED, np.int32))
        self._kernels, self._grid = kernels(game), (blocks, sizes.threads, 0, sizes.shared)

    def reset(self, seed: int) -> None:
        self._kernels.reset[self._grid](self.flat, self.small, self._start, self._box, seed)

    def step(self, actions: Any, kind: int) -> None:
        self._kernels.step[self._grid](self.flat, self.small, self._start, self._box, actions, kind, self._refused)

    def choose(self, out: Any) -> None:
        self._kernels.choose[self._grid[:2]](self._bits, self.small, out)

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
        blocks = min(-(-len(found.lengths) // PLAYOUT_THREADS), PLAYOUT_BLOCKS * gpu.get_current_device().MULTIPROCESSOR_COUNT)
        if greedy:
            values = gpu.to_device(np.asarray(self.game.judgement.values).reshape(1))
            self._kernels.play_greedy[blocks, PLAYOUT_THREADS](self._start, self._box, values, seed, *out)
        else:
            self._kernels.play_random[blocks, PLAYOUT_THREADS](self._start, self._box, seed, *out)
        return Playouts(*(part.copy_to_host() for part in out))
