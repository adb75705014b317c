"""Batches on a GPU: their kernels on Numba's simulator, everywhere; and on a true one, where there is one."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from comptoir.engine import registry
from comptoir.engine.game import get_game
from comptoir.errors import MissingExtra, OptionError
from comptoir.research import Batch, kernels
from comptoir.research.cuda import cuda
from tests import example_game
from tests.research.playing import ARRAYS, every_table, why_no_gpu

needs_gpu = pytest.mark.skipif(bool(why_no_gpu()), reason=why_no_gpu())


@pytest.mark.skipif(not why_no_gpu(), reason="there is a GPU here")
def test_without_a_gpu_one_sentence_says_so() -> None:
    with pytest.raises(OptionError, match=r"^device: cuda ") as refused:
        Batch("batavia", device="cuda")
    assert "\n" not in str(refused.value)


def test_a_gpu_without_numba_cuda_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("numba.cuda.is_available", lambda: True)
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(MissingExtra, match=r"pip install .*\[cuda13\]"):
        cuda.__wrapped__()


@pytest.mark.slow
@pytest.mark.parametrize("name", [*registry.names(), "lots"])
def test_kernels_on_a_simulated_gpu(name: str) -> None:
    """New games, steps, a game that ends, an action that is refused, choices and playouts: all as on the
    CPU.
    """
    command = [sys.executable, "-m", "tests.research.cuda_simulator", name]
    done = subprocess.run(
        command,
        env=example_game.environment() | {"NUMBA_ENABLE_CUDASIM": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def test_rows_that_are_too_long_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "SHARED_BYTES", 16_000)
    with pytest.raises(
        OptionError, match="rows of marco_polo are too long for a GPU: 815 bytes, at most 500"
    ):
        kernels.MemoryLayout(get_game("marco_polo"))


@needs_gpu
@every_table
def test_the_same_bytes_as_on_the_cpu(name: str, players: int) -> None:
    cpu, gpu = (
        Batch(name, games=1_000, players=players, seed=5, reward="points", device=device)
        for device in ("cpu", "cuda")
    )
    for _ in range(250):
        chosen = cpu.sample_actions()
        actions = gpu.sample_actions()
        np.testing.assert_array_equal(chosen, np.asarray(actions))
        cpu.step(chosen)
        gpu.step(actions)
        for array in ARRAYS:
            np.testing.assert_array_equal(getattr(cpu, array), np.asarray(getattr(gpu, array)), err_msg=array)
    gpu.check()


@needs_gpu
def test_what_is_not_legal_waits_and_is_said_once() -> None:
    gpu = Batch("century", games=100, device="cuda")
    before, actions = np.asarray(gpu.observations), np.asarray(gpu.sample_actions())
    actions[[7, 70]] = 10_000
    gpu.step(cuda().to_device(actions))
    with pytest.raises(OptionError, match="game 7 "):
        gpu.check()
    gpu.check()
    after = np.asarray(gpu.observations)
    assert [n for n in range(100) if (before[n] == after[n]).all()] == [7, 70]


@needs_gpu
@pytest.mark.parametrize("given", [None, np.zeros(10, np.int64), 3])
def test_actions_that_lie_elsewhere_are_refused(given: Any) -> None:
    with pytest.raises(OptionError, match="actions: expected an array on the GPU"):
        Batch("century", games=10, device="cuda").step(given)


@needs_gpu
@pytest.mark.parametrize(
    "given", [np.zeros(9, np.int64), np.zeros(10, np.float32), np.zeros((10, 1), np.int32)]
)
def test_actions_of_another_shape_or_type_are_refused(given: Any) -> None:
    with pytest.raises(OptionError, match="actions: expected 10 of int32 or int64"):
        Batch("century", games=10, device="cuda").step(cuda().to_device(given))


@needs_gpu
def test_pytorch_sees_every_step_without_a_copy() -> None:
    torch = pytest.importorskip("torch")

    cpu, gpu = (Batch("batavia", games=500, seed=3, device=device) for device in ("cpu", "cuda"))
    seen = {array: torch.from_dlpack(getattr(gpu, array)) for array in ARRAYS}
    assert seen["action_masks"].dtype == torch.bool
    for _ in range(300):
        actions = torch.multinomial(seen["action_masks"].float(), 1).squeeze(1)
        gpu.step(actions)
        cpu.step(actions.cpu().numpy())
    for array in ARRAYS:
        np.testing.assert_array_equal(getattr(cpu, array), seen[array].cpu().numpy(), err_msg=array)
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        assert (torch.from_dlpack(gpu.current_seats) == seen["current_seats"]).all()
    gpu.check()


@needs_gpu
def test_jax_takes_arrays_and_gives_actions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    jax = pytest.importorskip("jax")

    cpu, gpu = (Batch("sail_to_india", games=500, seed=3, device=device) for device in ("cpu", "cuda"))
    for _ in range(20):
        masks, observations = (
            jax.dlpack.from_dlpack(gpu.action_masks),
            jax.dlpack.from_dlpack(gpu.observations),
        )
        np.testing.assert_array_equal(cpu.observations, np.asarray(observations))
        actions = jax.numpy.argmax(masks, axis=1).block_until_ready()
        gpu.step(actions)
        cpu.step(np.asarray(actions))
    gpu.check()
