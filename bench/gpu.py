"""Random play on a GPU: the very games that the CPU plays, and how many decisions a second.

    python3 bench/gpu.py                  all games, at every player number and setup
    python3 bench/gpu.py --no-speed       only whether GPU and CPU agree

It needs a CUDA GPU, Numba and numba-cuda, but not Comptoir installed. One GPU thread plays one game at a time, with its
position in shared memory. First 10,000 games are compared with the CPU's, at the end and in the middle: every field of
the position, the number of decisions and the scores. Then the speed is measured, for several sizes of the grid.
Where the variable OUT names a folder, all figures go there as gpu.json. The exit status is 1 if a game differs, and 2 if there is no GPU.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import itertools
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))
if not hasattr(np, "row_stack"):  # numba-cuda 0.30 still names what NumPy 2.5 dropped
    np.row_stack = np.vstack

from comptoir import games
from comptoir.engine.game import Game, game
from comptoir.engine.mask import new_mask
from comptoir.engine.option import Choice

numba: Any = importlib.import_module("numba")
cuda: Any
try:
    cuda = importlib.import_module("numba.cuda")
except Exception as problem:  # without a GPU's software this raises all kinds
    cuda = problem

FIRST_SEED = 1
MIDDLE = 40  # decisions after which games are compared too
TO_THE_END = -1
CHECK_THREADS = 64
THREADS = (32, 64, 128)  # in a block
BLOCKS = (8, 16, 32)  # for each multiprocessor
SHARED_BYTES = 48 * 1024  # what a block may have without asking for more
LAUNCH_SECONDS = 0.4  # long enough that starting a kernel and reading the clock do not count

Options = dict[str, str]


def why_no_gpu() -> str:
    """Why Numba can use no GPU here; nothing if it can."""
    if isinstance(cuda, Exception):
        return f"numba.cuda cannot be imported ({cuda})"
    if cuda.is_available():
        return ""
    lines = str(cuda.cuda_error() or "Numba finds no device").splitlines()
    return next(line.strip() for line in lines if line.strip())


# What CPU and GPU share


def shared_loops(game: Game) -> SimpleNamespace:
    """A whole game, or the first decisions of one, from the game's compiled verbs; compiled like them, without the cache."""
    jit = numba.njit(nogil=True, error_model="numpy", _nrt=False)
    verbs = game.compiled
    setup, play, scores, playout, random_action = verbs.setup, verbs.play, verbs.scores, verbs.playout, verbs.random_action

    def _some(p: Any, box: Any, mask: Any, dice: Any, most: int) -> int:
        decisions = 0
        while p.turn >= 0 and decisions < most:
            play(p, box, random_action(p, box, mask, dice), dice)
            decisions += 1
        return decisions

    some = jit(_some)

    def _one_game(p: Any, box: Any, seed: int, most: int, mask: Any, dice: Any, out: Any) -> int:
        dice[0] = seed
        setup(p, box, dice)
        decisions: int = playout(p, box, mask, dice) if most == TO_THE_END else some(p, box, mask, dice, most)
        scores(p, box, out)
        return decisions

    one_game = jit(_one_game)

    def _on_cpu(start: Any, box: Any, seed: int, most: int, mask: Any, dice: Any, lengths: Any, finals: Any, results: Any) -> None:
        for nth in range(len(lengths)):
            finals[nth] = start[0]
            lengths[nth] = one_game(finals[nth], box[0], seed + nth, most, mask, dice, results[nth])

    return SimpleNamespace(one_game=one_game, on_cpu=jit(_on_cpu))


@dataclass(frozen=True)
class Sizes:
    """What a kernel must know when it is compiled."""

    record: Any
    words: int  # of a mask
    scores: tuple[int, int]


def sizes_of(game: Game) -> Sizes:
    seats, columns = game.new_scores(1).shape[1:]
    return Sizes(numba.from_dtype(game.rules.POSITION.dtype), len(new_mask(len(game.actions))), (seats, columns))


# Kernels


def check_kernel(loops: SimpleNamespace, sizes: Sizes) -> Callable[..., None]:
    """One game a thread; its last position, its length and its scores are kept."""
    one_game, record, words = loops.one_game, sizes.record, sizes.words

    def kernel(start: Any, box: Any, seed: int, most: int, lengths: Any, finals: Any, results: Any) -> None:
        positions = cuda.shared.array(CHECK_THREADS, record)
        mask = cuda.local.array(words, np.uint64)
        dice = cuda.local.array(1, np.uint64)
        nth = cuda.grid(1)
        if nth < len(lengths):
            positions[cuda.threadIdx.x] = start[0]
            p = positions[cuda.threadIdx.x]
            lengths[nth] = one_game(p, box[0], seed + nth, most, mask, dice, results[nth])
            finals[nth] = p

    return cuda.jit(kernel)  # type: ignore[no-any-return]


def speed_kernel(game: Game, sizes: Sizes, threads: int) -> Callable[..., None]:
    """Many games a thread, one after the other; their decisions and points are added up."""
    setup, playout, scores = game.compiled.setup, game.compiled.playout, game.compiled.scores
    record, words, shape = sizes.record, sizes.words, sizes.scores

    def kernel(start: Any, box: Any, seed: int, each: int, decisions: Any, points: Any) -> None:
        positions = cuda.shared.array(threads, record)
        mask = cuda.local.array(words, np.uint64)
        dice = cuda.local.array(1, np.uint64)
        out = cuda.local.array(shape, np.int64)
        p = positions[cuda.threadIdx.x]
        thread = cuda.grid(1)
        played = 0
        won = 0
        for nth in range(each):
            dice[0] = seed + thread * each + nth
            positions[cuda.threadIdx.x] = start[0]
            setup(p, box[0], dice)
            played += playout(p, box[0], mask, dice)
            scores(p, box[0], out)
            won += out[0, 0]  # somebody must read them, or the compiler leaves the scoring out
        decisions[thread] = played
        points[thread] = won

    return cuda.jit(kernel)  # type: ignore[no-any-return]


# Equality


@dataclass(frozen=True)
class Games:
    """How some games went, one row each."""

    lengths: NDArray[np.int32]
    finals: NDArray[Any]
    results: NDArray[np.int64]

    @classmethod
    def unplayed(cls, game: Game, number: int) -> Games:
        return cls(np.zeros(number, np.int32), np.zeros(number, game.rules.POSITION.dtype), game.new_scores(number))


def start_and_box(game: Game, options: Options) -> tuple[NDArray[Any], NDArray[Any]]:
    """Both as arrays of one record: a kernel takes no record by itself."""
    start, box = np.zeros(1, game.rules.POSITION.dtype), np.zeros(1, game.rules.BOX.dtype)
    start[0], box[0] = game.blank(options), game.components.box
    return start, box


def play_on_cpu(game: Game, loops: SimpleNamespace, options: Options, most: int, seeds: int) -> tuple[Games, float]:
    """The games, and the seconds they took."""
    played, work = Games.unplayed(game, seeds), (new_mask(len(game.actions)), np.zeros(1, np.uint64))
    start = time.perf_counter()
    loops.on_cpu(*start_and_box(game, options), FIRST_SEED, most, *work, played.lengths, played.finals, played.results)
    return played, time.perf_counter() - start


def play_on_gpu(kernel: Any, game: Game, options: Options, most: int, seeds: int) -> Games:
    played = Games.unplayed(game, seeds)
    inputs = [cuda.to_device(array) for array in start_and_box(game, options)]
    outputs = [cuda.to_device(array) for array in (played.lengths, played.finals, played.results)]
    kernel[(seeds + CHECK_THREADS - 1) // CHECK_THREADS, CHECK_THREADS](*inputs, FIRST_SEED, most, *outputs)
    cuda.synchronize()
    return Games(*(output.copy_to_host() for output in outputs))


def field_bytes(finals: NDArray[Any]) -> NDArray[np.uint8]:
    """The bytes of all fields, a row a position. Those between fields mean nothing: not every way to copy a record copies them."""
    used = np.zeros(finals.dtype.itemsize, np.bool_)
    for kind, offset, *_ in (finals.dtype.fields or {}).values():
        used[offset : offset + kind.itemsize] = True
    return finals.view(np.uint8).reshape(len(finals), -1)[:, used]


def difference(cpu: Games, gpu: Games) -> str:
    """The first game that is not the same, and what differs in it; nothing if all are."""
    seeds = len(cpu.lengths)
    same = (field_bytes(cpu.finals) == field_bytes(gpu.finals)).all(axis=1)
    same &= (cpu.lengths == gpu.lengths) & (cpu.results == gpu.results).reshape(seeds, -1).all(axis=1)
    if same.all():
        return ""
    nth = int(np.flatnonzero(~same)[0])
    names = [name for name in cpu.finals.dtype.names or () if not np.array_equal(cpu.finals[name][nth], gpu.finals[name][nth])]
    return (
        f"{int((~same).sum()):,} of {seeds:,} games differ. The first has seed {FIRST_SEED + nth}: "
        f"{cpu.lengths[nth]} decisions on the CPU, {gpu.lengths[nth]} on the GPU; "
        f"scores {cpu.results[nth].tolist()} and {gpu.results[nth].tolist()}; fields that differ: {', '.join(names) or 'none'}."
    )


# Speed


def best_speed(game: Game, options: Options, kernels: dict[int, Any]) -> dict[str, Any]:
    """The fastest size of the grid, with all that were tried."""
    processors = cuda.get_current_device().MULTIPROCESSOR_COUNT
    tried = [speed(game, options, kernels[threads], blocks * processors, threads) for threads in kernels for blocks in BLOCKS]
    return max(tried, key=lambda one: float(one["decisions_per_s"])) | {"tried": tried}


def speed(game: Game, options: Options, kernel: Any, blocks: int, threads: int) -> dict[str, Any]:
    inputs = [cuda.to_device(array) for array in start_and_box(game, options)]
    outputs = [cuda.to_device(np.zeros(blocks * threads, np.int64)) for _ in range(2)]

    def launch(each: int) -> float:
        start = time.perf_counter()
        kernel[blocks, threads](*inputs, FIRST_SEED, each, *outputs)
        cuda.synchronize()
        return time.perf_counter() - start

    launch(1)  # compiles
    each = 1 + int(LAUNCH_SECONDS / (launch(4) / 4))
    seconds = launch(each)
    decisions = int(outputs[0].copy_to_host().sum())
    return {
        "blocks": blocks,
        "threads": threads,
        "games_per_thread": each,
        "decisions_per_s": round(decisions / seconds),
        "games_per_s": round(blocks * threads * each / seconds),
    }


# The run


def cases(game: Game) -> Iterator[Options]:
    """Every player number with every choice there is of how to play."""
    least, most = game.rules.PLAYERS
    choices = [option for option in game.options if isinstance(option, Choice)]
    for players in range(least, most + 1):
        for words in itertools.product(*(choice.words for choice in choices)):
            yield game.read_options(players, **{choice.name: word for choice, word in zip(choices, words, strict=True)})


def title(game: Game, options: Options) -> str:
    words = [options[option.name] for option in game.options if isinstance(option, Choice)]
    return " ".join([game.name, options["players"], *words])


def run_game(game: Game, arguments: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """One row a case."""
    loops, sizes = shared_loops(game), sizes_of(game)
    check = check_kernel(loops, sizes)
    fitting = [threads for threads in THREADS if threads * game.rules.POSITION.dtype.itemsize <= SHARED_BYTES]
    kernels = {threads: speed_kernel(game, sizes, threads) for threads in fitting}
    play_on_cpu(game, loops, next(cases(game)), TO_THE_END, 1)  # compiles
    for options in cases(game):
        row: dict[str, Any] = {"case": title(game, options), "seeds": arguments.seeds}
        for moment, most in (("end", TO_THE_END), ("middle", MIDDLE)):
            cpu, seconds = play_on_cpu(game, loops, options, most, arguments.seeds)
            row[moment] = difference(cpu, play_on_gpu(check, game, options, most, arguments.seeds))
            if most == TO_THE_END:
                row["cpu_decisions_per_s"] = round(int(cpu.lengths.sum()) / seconds)
        if arguments.speed:
            row |= best_speed(game, options, kernels)
        print(f"{row['case']}: {verdict(row)}", file=sys.stderr, flush=True)
        yield row


def verdict(row: dict[str, Any]) -> str:
    found = [f"{moment}: {row[moment]}" for moment in ("end", "middle") if row[moment]]
    return " ".join(found) or f"{row['seeds']:,} games equal, in the middle and at the end"


def show(device: str, rows: list[dict[str, Any]]) -> None:
    """A short table: where the end of the output is all one sees, it is there."""
    print(f"{device}, against one core of the CPU beside it; 'equal': games that are the same on both, in the middle and at the end")
    print(f"{'game, players, setup':28}{'equal':>8}{'decisions/s':>18}{'games/s':>14}{'times CPU':>11}{'blocks':>8}{'threads':>9}")
    for row in rows:
        equal = "NO" if row["end"] or row["middle"] else f"{row['seeds']:,}"
        line = f"{row['case']:28}{equal:>8}"
        if "decisions_per_s" in row:
            times = row["decisions_per_s"] / row["cpu_decisions_per_s"]
            line += f"{row['decisions_per_s']:>18,}{row['games_per_s']:>14,}{times:>11,.0f}{row['blocks']:>8,}{row['threads']:>9}"
        print(line)
    for row in rows:
        if row["end"] or row["middle"]:
            print(f"{row['case']}: {verdict(row)}")


def device_name() -> str:
    name = cuda.get_current_device().name
    return name.decode() if isinstance(name, bytes) else str(name)


def versions() -> dict[str, str]:
    found = {"python": sys.version.split()[0]}
    for package in ("numpy", "numba", "numba-cuda"):
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            found[package] = "none"
    return found


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=10_000, help="how many games are compared for each case (default 10,000)")
    parser.add_argument("--no-speed", dest="speed", action="store_false", help="compare only")
    parser.add_argument("game", nargs="*", help=f"which games (default all: {', '.join(games.names())})")
    return parser.parse_args()


def main() -> int:
    arguments = read_arguments()
    if why := why_no_gpu():
        print(f"no CUDA GPU here: {why}", file=sys.stderr)
        return 2
    rows = [row for name in arguments.game or games.names() for row in run_game(game(name), arguments)]
    if os.environ.get("OUT"):
        report = {"device": device_name(), "versions": versions(), "rows": rows}
        (Path(os.environ["OUT"]) / "gpu.json").write_text(json.dumps(report, indent=2), encoding="utf-8")
    show(device_name(), rows)
    return int(any(row["end"] or row["middle"] for row in rows))


if __name__ == "__main__":
    sys.exit(main())
