"""A batch on Numba's simulated GPU next to one on the CPU.

test_cuda.py runs this in a process of its own: Numba chooses when imported.

NUMBA_ENABLE_CUDASIM=1 python -m tests.research.cuda_simulator batavia
"""

from __future__ import annotations

import sys
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from comptoir.errors import OptionError, UnknownAction
from comptoir.research import Batch, bulk, kernels
from comptoir.research.batch import DEVICES, POLICIES
from comptoir.research.cuda import GpuBackend
from tests.research.playing import ARRAYS, rows_of
from tests.research.test_batch import last_action, put_before_end

cuda: Any = kernels.gpu
GAMES = 34  # a full block and two games more


def main(name: str) -> None:
    kernels.MAX_THREADS = kernels.PLAYOUT_THREADS = kernels.WARP
    # which the simulator lacks, as an array's interface
    cuda.get_current_device = lambda: SimpleNamespace(MULTIPROCESSOR_COUNT=1)
    setattr(GpuBackend, "checked", lambda _, what, array: array)  # noqa: B010
    too_many_games(name)
    cpu, gpu = (Batch(name, games=GAMES, seed=5, device=device) for device in ("cpu", "cuda"))
    compare(cpu, gpu)
    put_before_end(cpu.game, rows_of(cpu), cpu.players)
    lay(cpu, gpu)
    end_one_and_refuse_one(cpu, gpu)
    chosen, room = cpu.sample_actions(), cuda.to_device(np.zeros(GAMES, np.int64))
    gpu.sample_actions(room)
    np.testing.assert_array_equal(chosen, room.copy_to_host())
    step(cpu, gpu, chosen)
    copies_and_spectators(cpu, gpu)
    whole_games(name)
    for policy in ("random", "heuristic"):
        for apart in (False, True):
            both = (vars(batch.playouts(policy, games=2, seed=9, by_source=apart)) for batch in (cpu, gpu))
            for one, other in zip(*(found.values() for found in both), strict=True):
                np.testing.assert_array_equal(one, np.asarray(other))


def whole_games(name: str) -> None:
    """Those of simulations and of the lab: who began, how it ended, where points came from, who won."""
    bulk.CHUNKS.update(cpu=2, cuda=2)
    for policy in POLICIES:
        played = [
            list(bulk.BulkSimulator(name, policy, device=device, threads=1).play(3, 9)) for device in DEVICES
        ]
        assert [len(chunk.lengths) for chunk in played[0]] == [2, 1]
        for chunks in zip(*played, strict=True):
            for one, other in zip(*(vars(chunk).values() for chunk in chunks), strict=True):
                np.testing.assert_array_equal(one, other)


def copies_and_spectators(cpu: Batch, gpu: Batch) -> None:
    """What is taken from the one is put into the other; and what others than the seat that decides know."""
    kept, seats = gpu.snapshot(), np.arange(-1, GAMES - 1) % (cpu.players + 1) - 1
    np.testing.assert_array_equal(cpu.observe(seats), np.asarray(gpu.observe(seats)))
    cpu.reset(9)
    cpu.restore(kept)
    compare(cpu, gpu)
    cpu.step(cpu.sample_actions())
    gpu.restore(cpu.snapshot())
    compare(cpu, gpu)
    for batch in (cpu, gpu):
        batch.set_positions(cpu.positions[:2], games=[5, 33])
    compare(cpu, gpu)


def too_many_games(name: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            cuda,
            "current_context",
            lambda: SimpleNamespace(get_memory_info=lambda: SimpleNamespace(free=2**30)),
        )
        with pytest.raises(
            OptionError, match=r"games: 9,000,000 need .* GiB more on the GPU, and 1\.0 are free there"
        ):
            Batch(name, games=9_000_000, device="cuda")


def end_one_and_refuse_one(cpu: Batch, gpu: Batch) -> None:
    """The first game ends and begins again; another gets an action that is none, and waits."""
    chosen = cpu.sample_actions()
    gpu.sample_actions(cuda.to_device(np.zeros(GAMES, np.int64)))  # so that both have rolled as often
    chosen[0] = last_action(cpu.game, rows_of(cpu).positions[0])
    refused = chosen.copy()
    refused[33] = -1
    step(cpu, gpu, refused)
    assert cpu.terminations[0]
    with pytest.raises(OptionError, match="game 33"):
        gpu.check()
    gpu.check()  # said once


def step(cpu: Batch, gpu: Batch, actions: Any) -> None:
    with suppress(UnknownAction):  # as above
        cpu.step(actions)
    gpu.step(cuda.to_device(actions))
    compare(cpu, gpu)


def lay(cpu: Batch, gpu: Batch) -> None:
    """Puts the games of the one into the other."""
    backend, rows = gpu.backend, rows_of(cpu)
    assert isinstance(backend, GpuBackend)
    for name, array in (("positions", rows.positions), ("bits", rows.bits)):
        words, first = (
            array.view(np.ndarray).view(np.uint32).reshape(-1),
            backend.rows * backend.layout.offsets[name] // 4,
        )
        backend.memory[first : first + len(words)].copy_to_device(words)


def compare(cpu: Batch, gpu: Batch) -> None:
    for name in ARRAYS:
        np.testing.assert_array_equal(
            np.asarray(getattr(cpu, name)), np.asarray(getattr(gpu, name)), err_msg=name
        )


if __name__ == "__main__":
    main(sys.argv[1])
