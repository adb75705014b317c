"""Training in two processes on CPUs, as torchrun starts them. These need PyTorch, which CI does not install."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from comptoir.cli import main
from comptoir.learn.distributed import ProcessGroup
from comptoir.learn.run import GenerationStats
from tests import example_game

pytest.importorskip("torch")

ROOT = Path(__file__).parents[2]
TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]


def torchrun(folder: Path, *options: str) -> subprocess.Popen[str]:
    command = ["train", "lots", "--device", "cpu", "--threads", "1", "--out", str(folder / "run"), *options]
    return subprocess.Popen(
        [*TORCHRUN, "-m", "tests.learn.ranks", str(folder), *command],
        cwd=ROOT,
        env=example_game.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def record(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "run/record.json").read_text(encoding="utf-8"))
    return found


def same_weights(folder: Path) -> list[dict[str, Any]]:
    """What the processes had in the end: the same weights, from different games."""
    one, other = (np.load(folder / f"rank{rank}.npz") for rank in range(2))
    assert one.files == other.files
    for name in one.files:
        assert (one[name].tobytes() == other[name].tobytes()) == (name != "seen"), name
    return [json.loads((folder / f"rank{rank}.json").read_text()) for rank in range(2)]


def test_two_processes_train_one_network_stop_together_and_go_on(tmp_path: Path) -> None:
    with torchrun(tmp_path, "--method", "ppo", "--minutes", "60") as running:
        assert running.stdout is not None
        heading, line = running.stdout.readline(), running.stdout.readline()
        running.send_signal(signal.SIGINT)
        out, err = running.communicate()
    assert running.returncode
    assert err.count("Stopped.") == 1, err
    assert "value loss" in heading
    assert line
    assert "value loss" not in out
    first, ranks = record(tmp_path), same_weights(tmp_path)
    assert first["processes"] == 2
    assert ranks[0]["updates"] == ranks[1]["updates"]
    assert ranks[0]["point"] == ranks[1]["point"] == first["curve"][-1]

    minutes = str(first["minutes"] + 0.02)
    with torchrun(tmp_path, "--method", "ppo", "--minutes", minutes, "--resume") as running:
        out, err = running.communicate()
    assert running.returncode == 0, err
    assert err.count("Training finished.") == 1
    then, ranks = record(tmp_path), same_weights(tmp_path)
    assert then["curve"][: len(first["curve"])] == first["curve"]
    assert then["games"] - first["games"] == ranks[0]["ended"] + ranks[1]["ended"]
    assert then["steps"] - first["steps"] == ranks[0]["updates"] == ranks[1]["updates"]


@pytest.fixture
def launched(monkeypatch: pytest.MonkeyPatch) -> None:
    """As torchrun starts the first of two processes."""
    for name, value in {"TORCHELASTIC_RUN_ID": "1", "WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2"}.items():
        monkeypatch.setenv(name, value)


@pytest.mark.usefixtures("launched")
def test_searches_do_not_train_in_several_processes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "batavia", "--device", "cpu", "--method", "search"]) == 2
    assert "add --method ppo" in capsys.readouterr().err


@pytest.mark.usefixtures("launched")
def test_each_process_needs_a_gpu(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import torch

    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    assert main(["train", "batavia", "--method", "ppo"]) == 2
    assert (
        "2 processes here for 1 GPU; each needs its own: give --nproc-per-node 1" in capsys.readouterr().err
    )


def test_the_statistics_of_processes_are_added_up() -> None:
    one = GenerationStats(3, 10, 2, [(10, 1.0, None)], [0.5], {"earlier": [2.0, 1.0, 1.0]})
    other = GenerationStats(4, 30, 2, [(30, 2.0, None)], [0.7])
    other.add_results("earlier", 6, 0.5, 0.25)
    total = GenerationStats.total([one, other])
    assert (total.games, total.rows, total.steps) == (7, 40, 2)
    assert total.mean_losses() == (1.75, None)
    assert total.mean_entropy() == 0.6
    assert total.shares() == {"earlier": [8.0, 0.5, 0.3125]}


def test_one_process_alone_decides_alone() -> None:
    alone = ProcessGroup()
    assert (alone.from_first(2.5), alone.least(3), alone.gather("x")) == (2.5, 3, ["x"])
    alone.check_interrupt()
    with pytest.raises(KeyboardInterrupt), alone.interrupts_held():
        signal.raise_signal(signal.SIGINT)
