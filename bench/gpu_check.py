"""Check that a GPU plays the same games as a CPU, byte by byte; takes about a minute.

    python3 bench/gpu_check.py                   all games
    python3 bench/gpu_check.py century lots …    some games

Prints one line per game; the exit status is 1 if a game differs, and 2 if it cannot be checked. It needs a
CUDA GPU, NumPy, Numba and numba-cuda, but neither Comptoir installed nor any of its other dependencies.

Every game is played twice on each device, by separate processes, since compiling takes most of the time: in
batches that are stepped (actions, rewards, terminations, observations, masks, seats to act, positions, what
other seats and spectators see, snapshots and positions put back), and in playouts, at random and by the
rollout policy, as a batch and as `simulate --device` and `lab --device` play them. The processes return a
digest of every array; bench/gpu.py finds the first game that differs.
"""

from __future__ import annotations

import argparse
import hashlib
import multiprocessing
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

# so that platformdirs is not needed
os.environ.setdefault("COMPTOIR_CACHE", str(Path(tempfile.gettempdir()) / "comptoir-gpu-check"))
sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

from comptoir.engine import registry
from comptoir.engine.game import get_game
from comptoir.errors import ComptoirError
from comptoir.research import Batch, bulk
from comptoir.research.batch import POLICIES
from comptoir.research.cuda import cuda

DEVICES = ("cpu", "cuda")
SEED = 20261119
GAMES = 500  # in a batch: several blocks, the last one not full
STEPS = 300
EVERY = 25  # steps between the comparisons of what is large
CHUNKS = {"cpu": 400, "cuda": 700}  # games of a simulator at a time

Digests = Iterator[tuple[str, str]]  # what it is, and its digest


def player_counts(name: str) -> range:
    least, most = get_game(name).rules.PLAYERS
    return range(least, most + 1)


def stepped(name: str, device: str, count: int = GAMES, steps: int = STEPS) -> Digests:
    """A batch for each number of players, stepped with actions that it samples itself."""
    for players in player_counts(name):
        batch = Batch(name, count, players, device=device, seed=SEED, reward="points")
        seats = (np.arange(count) % (players + 1) - 1).astype(np.int8)  # -1: a spectator
        for step in range(steps):
            where = f"{players} players, step {step}"
            actions = batch.sample_actions()
            batch.step(actions)
            yield f"actions: {where}", digest(actions)
            yield f"rewards: {where}", digest(batch.rewards)
            yield f"terminations: {where}", digest(batch.terminations)
            if step % EVERY == 0:
                yield from outputs(batch, seats, where)
        batch.check()
        where = f"{players} players, at the end"
        yield from outputs(batch, seats, where)
        yield f"positions: {where}", digest(fields(batch.positions))
        yield from restored(batch, seats, f"{players} players")


def outputs(batch: Batch, seats: NDArray[np.int8], where: str) -> Digests:
    for array in ("observations", "action_masks", "current_seats"):
        yield f"{array}: {where}", digest(getattr(batch, array))
    yield f"observe: {where}", digest(batch.observe(seats))


def restored(batch: Batch, seats: NDArray[np.int8], where: str) -> Digests:
    """After a snapshot is restored, and after positions are set."""
    snapshot = batch.snapshot()
    for name, array in vars(snapshot).items():
        if isinstance(array, np.ndarray) and name != "positions":
            yield f"snapshot.{name}: {where}", digest(array)
    batch.reset(SEED + 1)
    batch.restore(snapshot)
    yield from outputs(batch, seats, f"{where}, restored")
    batch.set_positions(batch.positions[:2], games=[5, batch.games - 1])
    yield from outputs(batch, seats, f"{where}, after set_positions")
    batch.step(batch.sample_actions())
    yield f"rewards: {where}, after set_positions", digest(batch.rewards)


def played_out(name: str, device: str, count: int = 2 * GAMES) -> Digests:
    """Playouts of a batch, and the games of a simulator."""
    bulk.CHUNKS.update(CHUNKS)
    for policy in POLICIES:
        for players in player_counts(name):
            batch = Batch(name, 1, players, device=device)
            for by_source in (False, True):
                found = batch.playouts(policy, count, SEED, by_source=by_source)
                for what, array in vars(found).items():
                    yield (
                        f"{what}: {policy} playouts, {players} players, by_source={by_source}",
                        digest(array),
                    )
        simulator = bulk.BulkSimulator(name, policy, device=device, threads=1)
        chunks = [vars(chunk) for chunk in simulator.play(count, SEED)]
        for what in chunks[0]:
            array = np.concatenate([chunk[what] for chunk in chunks])
            yield f"{what}: {policy} games of a simulator", digest(array)


def fields(positions: Any) -> NDArray[np.uint8]:
    """The bytes of all fields: those between fields mean nothing, and not every copy of a record has them."""
    array = np.ascontiguousarray(positions).view(np.ndarray)
    used = np.zeros(array.dtype.itemsize, np.bool_)
    for kind, offset, *_ in (array.dtype.fields or {}).values():
        used[offset : offset + kind.itemsize] = True
    return array.view(np.uint8).reshape(len(array), -1)[:, used]


def digest(array: Any) -> str:
    array = np.ascontiguousarray(array)
    head = f"{array.dtype.str} {array.shape} ".encode()
    return hashlib.blake2b(head + array.tobytes(), digest_size=8).hexdigest()


def work(part: Callable[[str, str], Digests], name: str, device: str) -> list[tuple[str, str]]:
    """In a process: all digests of one part."""
    return list(part(name, device))


PARTS = (stepped, played_out)


def difference(results: dict[tuple[str, str], list[tuple[str, str]]]) -> str:
    """What differs first, of the results by part and device; empty if nothing does."""
    for part in PARTS:
        cpu, gpu = (results[part.__name__, device] for device in DEVICES)
        if len(cpu) != len(gpu):
            return f"{len(cpu):,} arrays on the CPU, {len(gpu):,} on the GPU"
        for one, other in zip(cpu, gpu, strict=True):
            if one != other:
                return one[0]
    return ""


def check(names: list[str]) -> int:
    """Start all processes, and print a line for each game; returns the exit status."""
    begin, status = time.perf_counter(), 0
    spawn = multiprocessing.get_context("spawn")  # a forked process cannot use CUDA
    with ProcessPoolExecutor(os.cpu_count(), mp_context=spawn) as pool:
        jobs: dict[str, dict[tuple[str, str], Future[list[tuple[str, str]]]]] = {
            name: {
                (part.__name__, device): pool.submit(work, part, name, device)
                for device in reversed(DEVICES)
                for part in PARTS
            }
            for name in names
        }
        for name in names:
            try:
                results = {key: job.result() for key, job in jobs[name].items()}
                found = difference(results)
            except Exception as error:
                print(f"{name}: failed: {type(error).__name__}: {error}", flush=True)
                status = 2
                continue
            arrays, seconds = sum(map(len, results.values())) // 2, time.perf_counter() - begin
            equal = f"DIFFERENT: {found}" if found else f"equal ({arrays:,} arrays)"
            print(f"{name}: {equal}, after {seconds:.0f} s", flush=True)
            status = max(status, int(bool(found)))
    return status


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("game", nargs="*", help=f"default: {' '.join(registry.names())}")
    names = parser.parse_args().game or list(registry.names())
    try:
        cuda()
        for name in names:
            get_game(name)
    except ComptoirError as problem:
        print(problem, file=sys.stderr)
        return 2
    return check(names)


if __name__ == "__main__":
    sys.exit(main())
