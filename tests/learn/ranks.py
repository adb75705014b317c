"""What torchrun starts in `test_distributed.py`: `comptoir train`, and what each process had in the end.

torchrun ... ranks.py FOLDER train ...
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from comptoir.cli import main
from comptoir.learn.learner import PolicyValueLearner
from comptoir.learn.ppo import PPO, UpdateStats
from comptoir.learn.run import SIZES, CurvePoint, PPOTrainer, Run

SMALL = {"checkpoint_seconds": 1.0, "parallel_games": 32, "steps": 16, "opponents": (8,), "trial": 8}


def train(folder: Path, command: list[str]) -> int:
    SIZES["cpu", "ppo"] = SIZES["cpu", "ppo"] | SMALL
    went, update = Run.go, PPO.update
    ended: list[int] = []

    def counted(ppo: PPO, remaining: float) -> UpdateStats:
        stats = update(ppo, remaining)
        ended.append(stats.games)
        return stats

    def go(run: Run, report: Callable[[CurvePoint], None] = lambda point: None) -> None:
        try:
            went(run, report)
        finally:
            assert isinstance(run.trainer, PPOTrainer)
            assert isinstance(run.learner, PolicyValueLearner)
            file = folder / f"rank{run.group.rank}"
            np.savez(
                f"{file}.npz", allow_pickle=False, **run.learner.arrays(), seen=run.trainer.ppo.rows.numpy()
            )
            about = {"ended": sum(ended), "updates": len(ended), "point": vars(run.curve[-1])}
            Path(f"{file}.json").write_text(json.dumps(about), encoding="utf-8")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PPO, "update", counted)
        patch.setattr(Run, "go", go)
        return main(command)


if __name__ == "__main__":
    sys.exit(train(Path(sys.argv[1]), sys.argv[2:]))
