"""What runs on the GPU. This imports Numba's CUDA, so it is only imported when a GPU is asked for.

The threads of a block copy the rows of their games into shared memory together, each plays its own game
there, and together they copy them back. So memory is read and written in long runs, wherever in its row a
rule reads and writes.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache
from itertools import accumulate
from types import SimpleNamespace
from typing import Any, TypeVar

import numpy as np

from comptoir.engine import playout as playout_loops
from comptoir.engine.game import Game
from comptoir.engine.interface import RuleSet
from comptoir.engine.mask import new_mask
from comptoir.errors import OptionError
from comptoir.research import loops
from comptoir.research.loops import BatchState

numba: Any = importlib.import_module("numba")
gpu: Any = importlib.import_module("numba.cuda")

Function = TypeVar("Function", bound=Callable[..., Any])

WARP = 32  # threads that go in step; a block is some of these
SHARED_BYTES = 48 * 1024  # what a block may have without asking for more
MOST_THREADS = 64  # in a block
WORD = 4  # bytes that a thread copies at once
PLAYOUT_THREADS = 64
PLAYOUT_BLOCKS = 16  # for each multiprocessor


class MemoryLayout:
    """Where the rows of a game lie in the one array that a batch has, part after part, and how many rows a
    block takes.

    One array, because every array that is passed to a kernel costs Python some 10 µs a launch.
    """

    def __init__(self, game: Game) -> None:
        self.actions, self.words = len(game.actions), len(new_mask(len(game.actions)))
        self.position, self.observation, self.seats = (
            game.position.dtype.itemsize,
            game.observation.size,
            game.position.seats,
        )
        self.bytes = {  # a row; longer numbers come first, so that each lies at a multiple of its size
            "positions": self.position,
            "bits": 8 * self.words,
            "dice": 8,
            "chance": 8,
            "rewards": 4 * self.seats,
            "observations": self.observation,
            "masks": self.actions,
            "turns": 1,
            "ends": 1,
        }
        self.row = sum(self.bytes.values())
        self.before = dict(zip(self.bytes, accumulate(self.bytes.values(), initial=0), strict=False))
        shared = self.position + self.bytes["bits"] + self.observation
        self.threads = min(MOST_THREADS, SHARED_BYTES // shared // WARP * WARP)
        if self.threads == 0:
            raise OptionError(
                f"device: rows of {game.name} are too long for a GPU:"
                f" {shared:,} bytes, at most {SHARED_BYTES // WARP:,}"
            )
        self.shared = shared * self.threads
        self.bits_at = self.position * self.threads
        self.observations_at = self.bits_at + self.bytes["bits"] * self.threads


def for_kernels(function: Function) -> Function:
    """A function that kernels call. The compiler inlines all of them."""
    made: Function = gpu.jit(device=True)(function)
    return made


def memory_words(layout: MemoryLayout, rows: int) -> int:
    """How many words of memory a number of rows needs. One more at the end holds the first game whose action
    was not legal, and another makes the number even.
    """
    return rows * layout.row // WORD + 2


@cache
def build(game: Game) -> SimpleNamespace:
    """The loops of a game as kernels."""
    rules = game.interpreted if numba.config.ENABLE_CUDASIM else game.compiled  # Numba's simulator is Python
    made = stepping(game, rules) | playing(game, rules)
    return SimpleNamespace(**{name: gpu.jit(kernel) for name, kernel in made.items()})


# What kernels know of a game when they are compiled are the plain numbers around them. `before`: where a part
# begins in memory, in bytes for each row there is; `at`: where it begins in the shared memory of a block, in
# bytes.


def make_copy_kernels(layout: MemoryLayout) -> tuple[Any, Any]:
    """How a block copies its rows into shared memory, and how it copies them back."""
    threads, words = layout.threads, layout.words
    position_size, observation_size, actions_size = layout.position, layout.observation, layout.actions
    bits_before, observations_before, masks_before = (
        layout.before[part] for part in ("bits", "observations", "masks")
    )
    bits_at, observations_at = layout.bits_at, layout.observations_at

    @for_kernels
    def copy(source: Any, source_first: int, to: Any, to_first: int, size: int) -> None:
        """Copies a block's rows of `size` bytes each: thread by thread, one word at a time."""
        many = size * threads // WORD
        for n in range(0, many, threads):
            at = n + gpu.threadIdx.x
            if at < many:
                to[np.uint64(to_first + at)] = source[np.uint64(source_first + at)]

    @for_kernels
    def part(before: int, size: int) -> int:
        """The word of memory at which a block's rows of a part begin."""
        at: int = threads * (gpu.gridDim.x * before + gpu.blockIdx.x * size) // WORD
        return at

    @for_kernels
    def bring(memory: Any, shared: Any) -> None:
        copy(memory, part(0, position_size), shared, 0, position_size)
        copy(memory, part(bits_before, 8 * words), shared, bits_at // WORD, 8 * words)
        gpu.syncthreads()

    @for_kernels
    def write_masks(longs: Any, memory: Any, first: int) -> None:
        """The legal actions of a block's games, a byte each and four to a word, out of bits."""
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
    def take_back(memory: Any, shared: Any, longs: Any) -> None:
        gpu.syncthreads()
        copy(shared, 0, memory, part(0, position_size), position_size)
        copy(shared, bits_at // WORD, memory, part(bits_before, 8 * words), 8 * words)
        copy(
            shared,
            observations_at // WORD,
            memory,
            part(observations_before, observation_size),
            observation_size,
        )
        write_masks(longs, memory, part(masks_before, actions_size))

    return bring, take_back


def row_of(game: Game, layout: MemoryLayout) -> Any:
    """How a thread finds its row."""
    words, observation_size, bits_at, observations_at = (
        layout.words,
        layout.observation,
        layout.bits_at,
        layout.observations_at,
    )
    dice_before, chance_before, rewards_before, turns_before, ends_before = (
        layout.before[part] for part in ("dice", "chance", "rewards", "turns", "ends")
    )
    record, scores_shape = record_of(game), (1, *game.new_scores(1).shape[1:])

    @for_kernels
    def row_here(memory: Any, longs: Any, players: int) -> Any:
        """A thread's own row: position, bits and observation in shared memory, the rest in global memory."""
        own, nth, rows = gpu.threadIdx.x, gpu.grid(1), gpu.gridsize(1)
        bits, seen = bits_at // 8 + own * words, observations_at + own * observation_size
        dice, chance = rows * dice_before // 8 + nth, rows * chance_before // 8 + nth
        rewards, turns, ends = (
            rows * rewards_before // 4 + nth * players,
            rows * turns_before + nth,
            rows * ends_before + nth,
        )
        return BatchState(
            gpu.shared.array(0, record)[own : own + 1],
            memory.view(np.uint64)[None, dice : dice + 1],
            memory.view(np.uint64)[None, chance : chance + 1],
            longs[None, bits : bits + words],
            longs[None, :0],  # no room for bytes: `write_masks` writes them
            gpu.shared.array(0, numba.uint8)[None, seen : seen + observation_size],
            memory.view(np.int8)[turns : turns + 1],
            memory.view(np.float32)[None, rewards : rewards + players],
            memory.view(np.uint8)[ends : ends + 1],
            gpu.local.array(scores_shape, numba.int64),
        )

    return row_here


def record_of(game: Game) -> Any:
    """A position, with its fields as attributes even in the simulator."""
    return np.dtype((np.record, game.position.dtype))


def stepping(game: Game, rules: RuleSet) -> dict[str, Callable[..., None]]:
    """A batch: new games, an action in each, and a choice for each."""
    layout = MemoryLayout(game)
    (bring, take_back), row_here = make_copy_kernels(layout), row_of(game, layout)
    words, bits_before, chance_before = layout.words, layout.before["bits"], layout.before["chance"]
    reset_one, go_on, look, choose_one, observe_one = (
        rules.bind(part)
        for part in (
            loops.reset_one,
            loops.apply_and_autoreset,
            loops.refresh_outputs,
            loops.choose_one,
            loops.observe_one,
        )
    )

    def reset(memory: Any, games: int, start: Any, box: Any, seed: int) -> None:
        shared, longs = gpu.shared.array(0, numba.uint32), gpu.shared.array(0, numba.uint64)
        nth = gpu.grid(1)
        if nth < games:
            reset_one(row_here(memory, longs, int(start[0].players)), 0, start, box[0], seed + nth)
        take_back(memory, shared, longs)

    def step(memory: Any, games: int, start: Any, box: Any, actions: Any, kind: int) -> None:
        shared, longs = gpu.shared.array(0, numba.uint32), gpu.shared.array(0, numba.uint64)
        bring(memory, shared)
        nth = gpu.grid(1)
        if nth < games:
            row = row_here(memory, longs, int(start[0].players))
            if not go_on(row, 0, start, box[0], int(actions[nth]), kind):
                gpu.atomic.min(memory, len(memory) - 1, np.uint32(nth))
            look(row, 0, box[0])  # for all games: also those that have just begun or were refused
        take_back(memory, shared, longs)

    def show(memory: Any, games: int, start: Any, box: Any) -> None:
        """After positions were put there."""
        shared, longs = gpu.shared.array(0, numba.uint32), gpu.shared.array(0, numba.uint64)
        bring(memory, shared)
        nth = gpu.grid(1)
        if nth < games:
            look(row_here(memory, longs, int(start[0].players)), 0, box[0])
        take_back(memory, shared, longs)

    def observe(memory: Any, games: int, start: Any, box: Any, seats: Any, out: Any) -> None:
        """Nothing is copied back: a spectator's view is made in shared memory."""
        shared, longs = gpu.shared.array(0, numba.uint32), gpu.shared.array(0, numba.uint64)
        bring(memory, shared)
        nth = gpu.grid(1)
        if nth < games:
            positions = row_here(memory, longs, int(start[0].players)).positions
            observe_one(positions[0], box[0], int(seats[nth]), positions, out[nth])

    def choose(memory: Any, games: int, actions: Any) -> None:
        nth, rows = gpu.grid(1), gpu.gridsize(1)
        if nth < games:
            longs = memory.view(np.uint64)
            bits, chance = rows * bits_before // 8 + nth * words, rows * chance_before // 8 + nth
            actions[nth] = choose_one(longs[bits : bits + words], longs[chance : chance + 1])

    return {"reset": reset, "step": step, "show": show, "observe": observe, "choose": choose}


def playing(game: Game, rules: RuleSet) -> dict[str, Callable[..., None]]:
    """Whole games, at random and by habit: each thread plays one after the other, in shared memory."""
    record, words = record_of(game), MemoryLayout(game).words
    playout, greedy_playout = rules.playout, rules.bind(loops.greedy_playout)
    begin_game, end_game = rules.bind(playout_loops.begin_game), rules.bind(playout_loops.end_game)

    @for_kernels
    def random_playout(p: Any, box: Any, values: Any, mask: Any, dice: Any) -> int:
        return playout(p, box, mask, dice)

    def playouts(whole: Any) -> Callable[..., None]:
        def play(
            start: Any, box: Any, values: Any, seed: int, lengths: Any, endings: Any, results: Any, apart: int
        ) -> None:
            positions = gpu.shared.array(PLAYOUT_THREADS, record)
            mask, dice = gpu.local.array(words, numba.uint64), gpu.local.array(1, numba.uint64)
            own = gpu.threadIdx.x
            for nth in range(gpu.grid(1), len(lengths), gpu.gridsize(1)):
                dice[0] = seed + nth
                begin_game(positions, own, start, box[0], dice)
                lengths[nth] = whole(positions[own], box[0], values[0], mask, dice)
                for seat in range(results.shape[1]):
                    for column in range(results.shape[2]):
                        results[nth, seat, column] = 0  # also of seats that do not play
                end_game(positions[own], box[0], nth, endings, results, apart)

        return play

    return {"random": playouts(random_playout), "greedy": playouts(greedy_playout)}
