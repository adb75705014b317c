"""Learning of several games side by side on one machine: the run behind the networks that come with Comptoir.

    python bench/learn.py OUT MINUTES batavia century marco_polo sail_to_india

Each game learns in a process of its own, on its part of the cores; its folder is packed into OUT/GAME.tar as
it goes.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

from comptoir.engine.game import get_game
from comptoir.learn.learner import load_torch
from comptoir.learn.run import CurvePoint, Run, TrainConfig

SEARCH = {"marco_polo": {"rollout_depth": 12.0}}  # what was found to be needed


def learn(out: Path, minutes: float, name: str, threads: int) -> None:
    """One game, in this process."""
    torch = load_torch()
    gpu = torch.cuda.is_available()
    torch.set_num_threads(1)
    size: dict[str, Any] = (
        {"memory": 12_000_000, "batch": 8192} if gpu else {"memory": 300_000, "batch": 1024}
    )
    config = TrainConfig(name, minutes=minutes, search=SEARCH.get(name, {}), **size)
    folder = out / "runs" / name
    run = Run(get_game(name), config, folder, "cuda" if gpu else "cpu", threads)

    def tell(point: CurvePoint) -> None:
        print(name, point, run.steps, flush=True)
        with tarfile.open(out / f"{name}.new", "w:gz") as tar:
            tar.add(folder, name)
        (out / f"{name}.new").replace(out / f"{name}.tar.gz")

    run.go(tell)


def main() -> None:
    out, minutes, *names = sys.argv[1:]
    if len(names) == 1:
        learn(Path(out), float(minutes), names[0], int(os.environ.get("THREADS", os.cpu_count() or 1)))
        return
    each = str(max(1, (os.cpu_count() or 1) // len(names)))
    runs = [
        subprocess.Popen([sys.executable, __file__, out, minutes, name], env={**os.environ, "THREADS": each})
        for name in names
    ]
    for run in runs:
        run.wait()


if __name__ == "__main__":
    main()
