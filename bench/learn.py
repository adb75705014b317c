"""Training of several games side by side on one machine: the run behind the networks that come with Comptoir.

    python bench/learn.py OUT MINUTES batavia century=start.npz marco_polo=OUT/marco_polo sail_to_india

Each game is trained in a process of its own, from the network or the earlier run's folder that is named with
it. A second process per game plays evaluation games on the CPU with the latest network: 100 iterations
against the evaluation function at 500 (trials.jsonl in the game's folder). If one process fails, all stop.

It needs PyTorch, Numba, NumPy and, for a GPU, numba-cuda, and nothing else of Comptoir's dependencies.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path

os.environ.setdefault("COMPTOIR_CACHE", str(Path(tempfile.gettempdir()) / "comptoir-learn"))

from comptoir.bots.network import read_network
from comptoir.engine.game import get_game
from comptoir.learn.actors import ActorConfig, ActorPool
from comptoir.learn.learner import load_torch
from comptoir.learn.run import SIZES, WEIGHTS, CurvePoint, GenerationStats, Run, TrainConfig, drain

TRIAL_SECONDS = 60.0  # of evaluation games, before a line is written
TRIALS = "trials.jsonl"
OPPONENT, TRIAL = 500, 100


def train(folder: Path, minutes: float, name: str, start: str) -> None:
    """Train one game in this process."""
    device = "cuda" if load_torch().cuda.is_available() else "cpu"
    game, size = get_game(name), SIZES[device, "ppo"]
    if start.endswith(".npz"):
        arrays = read_network(Path(start), game).arrays
        size |= {"width": len(arrays["bias"]), "second_width": len(arrays["value_second_bias"])}
    config = TrainConfig(name, "ppo", minutes=minutes, **size)
    run = Run(game, config, folder, device, threads=0)
    if start and Path(start).is_dir():
        shutil.copytree(start, folder, dirs_exist_ok=True)
        run.resume()
    elif start:
        run.learner.start_from(arrays)
    run.save()

    def report(point: CurvePoint) -> None:
        print(name, json.dumps(asdict(point) | {"updates": run.steps}), flush=True)

    run.go(report)


def try_out(folder: Path, minutes: float, name: str, threads: int) -> None:
    """Play evaluation games with the latest network of a run, in this process."""
    game, file = get_game(name), folder / WEIGHTS
    while not file.exists():
        time.sleep(1.0)
    config = ActorConfig(TRIAL, 0, (OPPONENT,), TRIAL, (game.rules.DEFAULT_PLAYERS,), trials=1)
    pool = ActorPool(game, config, read_network(file, game), f"trials {name}", threads)
    pool.prepare()
    ends = time.monotonic() + 60 * minutes
    with pool:
        while time.monotonic() < ends:
            network, stats = read_network(file, game), GenerationStats()
            pool.update_network(network, int(time.monotonic()))
            drain(pool.games, 0.0)
            until = time.monotonic() + TRIAL_SECONDS
            while time.monotonic() < until:
                stats.add_trials(drain(pool.games, 0.5))
            line = {"minutes": network.run["minutes"], "trials": stats.shares()}
            print(name, json.dumps(line), flush=True)
            with (folder / TRIALS).open("a") as lines:
                lines.write(json.dumps(line) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("minutes", type=float)
    parser.add_argument("games", nargs="+", metavar="GAME[=START]")
    parser.add_argument("--role", choices=("train", "try"), help=argparse.SUPPRESS)
    parser.add_argument("--threads", type=int, default=0, help="of evaluation games, per game")
    options = parser.parse_args()
    starts = dict(one.split("=") if "=" in one else (one, "") for one in options.games)
    threads = options.threads or max(1, (os.cpu_count() or 1) // len(starts) - 1)
    if options.role:
        ((name, start),) = starts.items()
        folder = options.out / name
        if options.role == "train":
            train(folder, options.minutes, name, start)
        else:
            try_out(folder, options.minutes, name, threads)
        return
    own = [sys.executable, __file__, str(options.out), str(options.minutes), "--threads", str(threads)]
    running = [
        subprocess.Popen([*own, one, "--role", role]) for one in options.games for role in ("train", "try")
    ]
    while any(process.poll() is None for process in running):
        if any(process.poll() for process in running):
            for process in running:
                process.terminate()
            raise SystemExit("a process has failed: all were stopped")
        time.sleep(1.0)


if __name__ == "__main__":
    main()
