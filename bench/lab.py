"""What the lab promises, measured: how often it finds a difference where there is none, how many games the same
deals on both boxes save, and whether a GPU tells what the CPU does, and how soon.

    python bench/lab.py null batavia --level clerk --players 4 --seeds 20 --games 60
    python bench/lab.py pairs batavia --level clerk --players 4 --games 200 --change gold_sole.pepper=20
    python bench/lab.py device batavia --level heuristic --games 1000000 --change gold_sole.pepper=20

A null experiment has the same box twice, on deals of their own: on the same deals every match would be the
same, and nothing would be tested.
"""

from __future__ import annotations

import argparse
import math
import tempfile
import time
from pathlib import Path

import numpy as np

from comptoir.engine.registry import names
from comptoir.lab import Experiment
from comptoir.research.batch import DEVICES


def null(options: argparse.Namespace) -> None:
    quiet = 0
    for seed in range(options.first, options.first + options.seeds):
        with tempfile.TemporaryDirectory() as folder:
            base = Experiment(options.game, level=options.level, players=options.players)
            ours = base.definition.components[0]
            made = Experiment(
                options.game,
                components=[ours, ours],
                level=options.level,
                players=options.players,
                seed=seed,
                paired=False,
                folder=Path(folder),
            )
            result = made.play(options.games, workers=options.workers)
        found = [one.key for one in result.metrics[0] if one.difference and one.difference.significant]
        quiet += not found
        print(f"seed {seed}: {', '.join(found) or 'no difference'}", flush=True)
    print(f"no difference in {quiet} of {options.seeds} seeds, {len(result.metrics[0])} figures each")


def pairs(options: argparse.Namespace) -> None:
    about = {name: getattr(options, name) for name in ("change", "level", "players", "device")}
    result = Experiment(options.game, **about).play(options.games, workers=options.workers)
    groups: dict[str, list[float]] = {}
    for one in result.metrics[0]:
        if one.difference and one.difference.std_error > 0 and max(box.std_dev for box in one.boxes) > 0:
            groups.setdefault(one.name, []).append(one.difference.pairing_gain)
    print(
        f"{options.game}, {options.level}, {' '.join(options.change)}, {options.games} deals: times as many"
    )
    for group, saved in groups.items():
        print(
            f"{group:12} {len(saved):3} figures: {' '.join(_shown(np.quantile(saved, q, method='nearest')) for q in (0, 0.5, 1))}"
        )


def device(options: argparse.Namespace) -> None:
    told = {}
    for name in DEVICES:
        made = Experiment(
            options.game, change=options.change, level=options.level, players=options.players, device=name
        )
        made.play(1)  # compiles
        began = time.perf_counter()
        result = made.play(options.games, workers=options.workers)
        played = time.perf_counter() - began
        told[name] = result.to_dict() | {"device": None}
        seconds = time.perf_counter() - began
        print(
            f"{name}: {options.games:,} deals on each box: {played:.1f} s to play, {seconds:.1f} with all figures"
        )
    alike = told["cpu"] == told["cuda"]
    print(
        f"{options.game}, {options.level}: the figures are {'the same' if alike else 'NOT THE SAME'} on both"
    )
    raise SystemExit(not alike)


def _shown(times: float) -> str:
    return "all" if math.isinf(times) else f"{times:.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("null", "pairs", "device"))
    parser.add_argument("game", choices=names())
    parser.add_argument("--level", default="clerk", help="who plays (default clerk)")
    parser.add_argument("--players", type=int, help="players at the table (default: the game's usual number)")
    parser.add_argument("--games", type=int, default=60, help="deals of an experiment (default 60)")
    parser.add_argument("--seeds", type=int, default=20, help="null experiments (default 20)")
    parser.add_argument("--first", type=int, default=1, help="the first seed (default 1)")
    parser.add_argument("--change", action="append", default=[], help="KEY=VALUE, for pairs")
    parser.add_argument("--device", choices=DEVICES, help="for pairs, games that are played whole")
    parser.add_argument("--workers", type=int, help="processes (default: one per core)")
    options = parser.parse_args()
    {"null": null, "pairs": pairs, "device": device}[options.what](options)


if __name__ == "__main__":
    main()
