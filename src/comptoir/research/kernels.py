"""The kernels. This module imports numba.cuda, so it is imported only when a GPU is used.

The threads of a block copy the rows of their games into shared memory together, each plays its own game
there, and together they copy them back. So global memory is read and written in long runs, wherever in its
row a rule reads and writes.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache
from itertools import accumulate
from types import SimpleNamespace
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from comptoir.engine import playout as playout_loops
from comptoir.engine.game import Game
from comptoir.engine.interface import RuleSet
from comptoir.engine.mask import new_mask
from comptoir.engine.rule import Box, Dice, EvalWeights, Mask, Position, Records, Scores
from comptoir.engine.scoring import new_scores
from comptoir.errors import OptionError
from comptoir.research import loops
from comptoir.research.loops import BatchState

numba: Any = importlib.import_module("numba")
gpu: Any = importlib.import_module("numba.cuda")

Function = TypeVar("Function", bound=Callable[..., object])
Words: TypeAlias = NDArray[np.uint32]  # memory, word by word
Longs: TypeAlias = NDArray[np.uint64]  # the same, two words at a time

WARP = 32  # threads that run in step; a block is a multiple of it
SHARED_BYTES = 48 * 1024  # the default limit of a block
MAX_THREADS = 64  # in a block
WORD = 4  # bytes that a thread copies at once
PLAYOUT_THREADS = 64
PLAYOUT_BLOCKS = 16  # per multiprocessor


class MemoryLayout:
    """Where the rows of a game lie in the one array of a batch, section by section, and how many rows a block
    takes.

    There is one array because every array passed to a kernel costs Python some 10 µs per launch.
    """

    def __init__(self, game: Game) -> None:
        self.actions, self.words = len(game.actions), len(new_mask(len(game.actions)))
        self.position, self.observation, self.seats = (
            game.position.dtype.itemsize,
            game.observation.size,
            game.position.seats,
        )
        self.bytes = {  # of a row; longer numbers come first, so that each lies at a multiple of its size
            "positions": self.position,
            "bits": 8 * self.words,
            "dice": 8,
            "sampling_dice": 8,
            "rewards": 4 * self.seats,
            "observations": self.observation,
            "action_masks": self.actions,
            "current_seats": 1,
            "terminations": 1,
        }
        self.row = sum(self.bytes.values())
        self.offsets = dict(zip(self.bytes, accumulate(self.bytes.values(), initial=0), strict=False))
        shared = self.position + self.bytes["bits"] + self.observation
        self.threads = min(MAX_THREADS, SHARED_BYTES // shared // WARP * WARP)
        if self.threads == 0:
            raise OptionError(
                f"device: rows of {game.name} are too long for a GPU:"
                f" {shared:,} bytes, at most {SHARED_BYTES // WARP:,}"
            )
        self.shared = shared * self.threads
        self.bits_at = self.position * self.threads
        self.observations_at = self.bits_at + self.bytes["bits"] * self.threads


def for_kernels(function: Function) -> Function:
    """A device function. The compiler inlines all of them."""
    made: Function = gpu.jit(device=True)(function)
    return made


def memory_words(layout: MemoryLayout, rows: int) -> int:
    """The words of memory for a number of rows, plus one for the first game whose action was illegal, and one
    to make the number even.
    """
    return rows * layout.row // WORD + 2


@cache
def kernels_of(game: Game) -> SimpleNamespace:
    """The loops of a game as kernels."""
    rules = game.interpreted if numba.config.ENABLE_CUDASIM else game.compiled  # Numba's simulator is Python
    made = make_step_kernels(game, rules) | make_playout_kernels(game, rules)
    return SimpleNamespace(**{name: gpu.jit(kernel) for name, kernel in made.items()})


# Kernels are compiled with the plain numbers around them as constants. `offset`: where a section begins in
# memory, in bytes per row; `at`: where it begins in the shared memory of a block, in bytes.


def make_copy_kernels(
    layout: MemoryLayout,
) -> tuple[Callable[[Words, Words], None], Callable[[Words, Words, Longs], None]]:
    """Device functions that copy the rows of a block into shared memory, and back."""
    threads, words = layout.threads, layout.words
    position_size, observation_size, actions_size = layout.position, layout.observation, layout.actions
    bits_offset, observations_offset, masks_offset = (
        layout.offsets[name] for name in ("bits", "observations", "action_masks")
    )
    bits_at, observations_at = layout.bits_at, layout.observations_at

    @for_kernels
    def copy(source: Words, source_first: int, to: Words, to_first: int, size: int) -> None:
        """Copy a block's rows of `size` bytes each: thread by thread, one word at a time."""
        many = size * threads // WORD
        for n in range(0, many, threads):
            at = n + gpu.threadIdx.x
            if at < many:
                to[np.uint64(to_first + at)] = source[np.uint64(source_first + at)]

    @for_kernels
    def first_word(offset: int, size: int) -> int:
        """The word of memory at which a block's rows of a section begin."""
        at: int = threads * (gpu.gridDim.x * offset + gpu.blockIdx.x * size) // WORD
        return at

    @for_kernels
    def load_rows(memory: Words, shared: Words) -> None:
        copy(memory, first_word(0, position_size), shared, 0, position_size)
        copy(memory, first_word(bits_offset, 8 * words), shared, bits_at // WORD, 8 * words)
        gpu.syncthreads()

    @for_kernels
    def write_masks(longs: Longs, memory: Words, first: int) -> None:
        """Write the legal actions of a block's games from their bits: a byte each, four to a word."""
        many = actions_size * threads // WORD
        for n in range(0, many, threads):
            at = n + gpu.threadIdx.x
            if at < many:
                row = np.uint32(at * WORD) // np.uint32(actions_size)
                action = np.uint32(at * WORD) - row * np.uint32(actions_size)
                word = np.uint32(0)
                for byte in range(WORD):
                    bits = longs[np.uint64(bits_at // 8) + row * np.uint64(words) + (action >> np.uint32(6))]
                    word |= np.uint32(
                        (bits >> np.uint64(action & np.uint32(63))) & np.uint64(1)
                    ) << np.uint32(8 * byte)
                    last = action == actions_size - 1
                    row += np.uint32(last)
                    action = np.uint32(0) if last else np.uint32(action + np.uint32(1))
                memory[np.uint64(first + at)] = word

    @for_kernels
    def store_rows(memory: Words, shared: Words, longs: Longs) -> None:
        gpu.syncthreads()
        copy(shared, 0, memory, first_word(0, position_size), position_size)
        copy(shared, bits_at // WORD, memory, first_word(bits_offset, 8 * words), 8 * words)
        copy(
            shared,
            observations_at // WORD,
            memory,
            first_word(observations_offset, observation_size),
            observation_size,
        )
        write_masks(longs, memory, first_word(masks_offset, actions_size))

    return load_rows, store_rows


def row_of(game: Game, layout: MemoryLayout) -> Callable[[Words, Longs, int], BatchState]:
    """A device function that finds the row of a thread."""
    words, observation_size, bits_at, observations_at = (
        layout.words,
        layout.observation,
        layout.bits_at,
        layout.observations_at,
    )
    dice_offset, sampling_offset, rewards_offset, seats_offset, ended_offset = (
        layout.offsets[name] for name in ("dice", "sampling_dice", "rewards", "current_seats", "terminations")
    )
    record, scores_shape = record_of(game), (1, *new_scores(game, 1).shape[1:])

    @for_kernels
    def row_here(memory: Words, longs: Longs, players: int) -> BatchState:
        """A thread's own row: position, bits and observation in shared memory, the rest in global memory."""
        own, nth, rows = gpu.threadIdx.x, gpu.grid(1), gpu.gridsize(1)
        bits, seen = bits_at // 8 + own * words, observations_at + own * observation_size
        dice, sampling = rows * dice_offset // 8 + nth, rows * sampling_offset // 8 + nth
        rewards, seats, ended = (
            rows * rewards_offset // 4 + nth * players,
            rows * seats_offset + nth,
            rows * ended_offset + nth,
        )
        return BatchState(
            gpu.shared.array(0, record)[own : own + 1],
            memory.view(np.uint64)[None, dice : dice + 1],
            memory.view(np.uint64)[None, sampling : sampling + 1],
            longs[None, bits : bits + words],
            longs[None, :0],  # no bytes: `write_masks` writes them
            gpu.shared.array(0, numba.uint8)[None, seen : seen + observation_size],
            memory.view(np.int8)[seats : seats + 1],
            memory.view(np.float32)[None, rewards : rewards + players],
            memory.view(np.uint8)[ended : ended + 1],
            gpu.local.array(scores_shape, numba.int64),
        )

    return row_here


def record_of(game: Game) -> np.dtype[np.void]:
    """A position, with its fields as attributes even in the simulator."""
    return np.dtype((np.record, game.position.dtype))


def make_step_kernels(game: Game, rules: RuleSet) -> dict[str, Callable[..., None]]:
    """The kernels of a batch: new games, an action in each, a random choice for each."""
    layout = MemoryLayout(game)
    (load_rows, store_rows), row_here = make_copy_kernels(layout), row_of(game, layout)
    words, bits_offset, sampling_offset = (
        layout.words,
        layout.offsets["bits"],
        layout.offsets["sampling_dice"],
    )
    reset_one, apply_and_autoreset = rules.bind(loops.reset_one), rules.bind(loops.apply_and_autoreset)
    refresh_outputs, observe_one = rules.bind(loops.refresh_outputs), rules.bind(loops.observe_one)
    sample_action = rules.bind(loops.sample_action)

    def reset(memory: Words, games: int, start: Records, box: Records, seed: int) -> None:
        shared, longs = gpu.shared.array(0, numba.uint32), gpu.shared.array(0, numba.uint64)
        nth = gpu.grid(1)
        if nth < games:
            reset_one(row_here(memory, longs, int(start[0].players)), 0, start, box[0], seed + nth)
        store_rows(memory, shared, longs)

    def step(
        memory: Words, games: int, start: Records, box: Records, actions: NDArray[np.integer], kind: int
    ) -> None:
        shared, longs = gpu.shared.array(0, numba.uint32), gpu.shared.array(0, numba.uint64)
        load_rows(memory, shared)
        nth = gpu.grid(1)
        if nth < games:
            row = row_here(memory, longs, int(start[0].players))
            if not apply_and_autoreset(row, 0, start, box[0], int(actions[nth]), kind):
                gpu.atomic.min(memory, len(memory) - 1, np.uint32(nth))
            refresh_outputs(row, 0, box[0])  # of all games: also new ones, and those that did not move
        store_rows(memory, shared, longs)

    def refresh(memory: Words, games: int, start: Records, box: Records) -> None:
        """Write the outputs after positions were changed from outside."""
        shared, longs = gpu.shared.array(0, numba.uint32), gpu.shared.array(0, numba.uint64)
        load_rows(memory, shared)
        nth = gpu.grid(1)
        if nth < games:
            refresh_outputs(row_here(memory, longs, int(start[0].players)), 0, box[0])
        store_rows(memory, shared, longs)

    def observe(
        memory: Words,
        games: int,
        start: Records,
        box: Records,
        seats: NDArray[np.int8],
        out: NDArray[np.uint8],
    ) -> None:
        """Nothing is copied back: a spectator's view overwrites the position in shared memory."""
        shared, longs = gpu.shared.array(0, numba.uint32), gpu.shared.array(0, numba.uint64)
        load_rows(memory, shared)
        nth = gpu.grid(1)
        if nth < games:
            positions = row_here(memory, longs, int(start[0].players)).positions
            observe_one(positions[0], box[0], int(seats[nth]), positions, out[nth])

    def sample(memory: Words, games: int, actions: NDArray[np.integer]) -> None:
        nth, rows = gpu.grid(1), gpu.gridsize(1)
        if nth < games:
            longs = memory.view(np.uint64)
            bits, dice = rows * bits_offset // 8 + nth * words, rows * sampling_offset // 8 + nth
            actions[nth] = sample_action(longs[bits : bits + words], longs[dice : dice + 1])

    return {"reset": reset, "step": step, "refresh": refresh, "observe": observe, "sample": sample}


def make_playout_kernels(game: Game, rules: RuleSet) -> dict[str, Callable[..., None]]:
    """The kernels of playouts: each thread plays one game after the other, in shared memory."""
    record, words = record_of(game), MemoryLayout(game).words
    playout, heuristic_playout = rules.playout, rules.bind(loops.heuristic_playout)
    begin_game, end_game = rules.bind(playout_loops.begin_game), rules.bind(playout_loops.end_game)

    @for_kernels
    def random_playout(p: Position, box: Box, values: EvalWeights, mask: Mask, dice: Dice) -> int:
        return playout(p, box, mask, dice)

    def playouts(
        play_out: Callable[[Position, Box, EvalWeights, Mask, Dice], int],
    ) -> Callable[..., None]:
        def play(
            start: Records,
            box: Records,
            values: Records,
            seed: int,
            lengths: NDArray[np.int32],
            endings: NDArray[np.uint8],
            results: Scores,
            stride: int,
        ) -> None:
            positions = gpu.shared.array(PLAYOUT_THREADS, record)
            mask, dice = gpu.local.array(words, numba.uint64), gpu.local.array(1, numba.uint64)
            own = gpu.threadIdx.x
            for nth in range(gpu.grid(1), len(lengths), gpu.gridsize(1)):
                dice[0] = seed + nth
                begin_game(positions, own, start, box[0], dice)
                lengths[nth] = play_out(positions[own], box[0], values[0], mask, dice)
                for seat in range(results.shape[1]):
                    for column in range(results.shape[2]):
                        results[nth, seat, column] = 0  # of unused seats too
                end_game(positions[own], box[0], nth, endings, results, stride)

        return play

    return {"random": playouts(random_playout), "heuristic": playouts(heuristic_playout)}
