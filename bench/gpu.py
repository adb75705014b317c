"""Batches on a GPU: whether they equal the CPU's, byte by byte, and their decisions per second.

    python3 bench/gpu.py                           all games, at every player number and setup
    python3 bench/gpu.py --only equality batavia   only whether GPU and CPU agree, for one game
    python3 bench/gpu.py --only speed --json FILE

It needs a CUDA GPU, Numba and numba-cuda, but not Comptoir installed; where PyTorch is, actions and arrays
are tensors of it.

Equality: games are stepped on both, each sampling its own actions, until all have ended and the next have started.
Actions, rewards and terminations are compared after every step; observations, masks and seats to act after
every 50th; at the end, every field of the positions. Then playouts, at random and by the rollout policy:
their lengths, endings and scores.

Speed: "stepping" is sampling an action for each game and playing it, with masks and observations written, by
the clock of the calling program; "playouts" are games from start to end. Each is tried in several sizes, and
the best is shown. The exit status is 1 if anything differs, and 2 if there is no GPU or it cannot do what was
asked. bench/gpu_check.py checks equality only, in a minute.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import itertools
import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

from comptoir.engine import registry
from comptoir.engine.game import Game, get_game
from comptoir.engine.option import ChoiceOption
from comptoir.errors import OptionError
from comptoir.research import Batch
from comptoir.research.cuda import cuda

FIRST_SEED = 1
OFTEN, SOMETIMES = ("rewards", "terminations"), ("observations", "action_masks", "current_seats")
EVERY = 50  # steps between the comparisons of those
MAX_STEPS = 20_000  # in which all games should end
SIZES = (4_096, 65_536, 1_048_576)  # games of a batch
PLAYOUT_SIZES = (65_536, 1_048_576)
LAUNCH_SECONDS = 0.3  # long enough that starting and reading the clock do not count

Options = dict[str, Any]


def cases(game: Game) -> Iterator[Options]:
    """Every number of players with every combination of choices."""
    least, most = game.rules.PLAYERS
    choices = [option for option in game.options if isinstance(option, ChoiceOption)]
    for players in range(least, most + 1):
        for words in itertools.product(*(choice.words_for(players) for choice in choices)):
            yield {"players": players} | {
                choice.name: word for choice, word in zip(choices, words, strict=True)
            }


# Equality


def difference(name: str, options: Options, seeds: int, threads: int) -> str:
    """Where the GPU's games first differ from the CPU's; empty if they do not."""
    try:
        compare_steps(name, options, seeds, threads)
        compare_playouts(name, options, seeds)
    except AssertionError as found:
        return str(found)
    return ""


def compare_steps(name: str, options: Options, seeds: int, threads: int) -> None:
    cpu, gpu = (
        Batch(name, games=seeds, seed=FIRST_SEED, device=device, threads=threads, **options)
        for device in ("cpu", "cuda")
    )
    ended = np.zeros(seeds, np.bool_)
    for number in range(MAX_STEPS):
        chosen, actions = cpu.sample_actions(), gpu.sample_actions()
        same(f"choice {number}", chosen, actions)
        cpu.step(chosen)
        gpu.step(actions)
        for array in OFTEN if number % EVERY else OFTEN + SOMETIMES:
            same(f"{array} after step {number}", getattr(cpu, array), getattr(gpu, array))
        ended |= cpu.terminations
        if ended.all():
            break
    assert ended.all(), f"{(~ended).sum():,} games had not ended after {MAX_STEPS:,} steps"
    for array in SOMETIMES:
        same(f"{array} at the end", getattr(cpu, array), getattr(gpu, array))
    same("positions at the end", field_bytes(cpu.positions), field_bytes(gpu.positions))
    gpu.check()


def compare_playouts(name: str, options: Options, seeds: int) -> None:
    cpu, gpu = (Batch(name, games=1, device=device, **options) for device in ("cpu", "cuda"))
    for policy in ("random", "heuristic"):
        found = [vars(batch.playouts(policy, games=seeds, seed=FIRST_SEED)) for batch in (cpu, gpu)]
        for what in found[0]:
            same(f"{what} of {policy} playouts", found[0][what], found[1][what])


def same(what: str, cpu: Any, gpu: Any) -> None:
    cpu, gpu = np.asarray(cpu), np.asarray(gpu)
    if not np.array_equal(cpu, gpu):
        first = tuple(np.argwhere(cpu != gpu)[0].tolist())
        raise AssertionError(
            f"{what} of game {first[0]}, place {first[1:]}: {cpu[first]} on the CPU, {gpu[first]} on the GPU"
        )


def field_bytes(positions: Any) -> NDArray[np.uint8]:
    """The bytes of all fields, one row per position.

    Those between fields mean nothing: not every way to copy a record copies them.
    """
    plain = np.ascontiguousarray(positions).view(np.ndarray)
    used = np.zeros(plain.dtype.itemsize, np.bool_)
    for kind, offset, *_ in (plain.dtype.fields or {}).values():
        used[offset : offset + kind.itemsize] = True
    return plain.view(np.uint8).reshape(len(plain), -1)[:, used]


# Speed


def stepping(name: str, options: Options, size: int, device: str = "cuda") -> int:
    """Decisions per second."""
    batch = Batch(name, games=size, seed=FIRST_SEED, device=device, **options)
    actions = room_for(batch)

    def steps(many: int) -> float:
        start = time.perf_counter()
        for _ in range(many):
            batch.sample_actions(actions)
            batch.step(actions)
        np.asarray(batch.terminations)  # waits for all of them
        return time.perf_counter() - start

    steps(60)  # compiles, and the games diverge
    many = 20 + int(LAUNCH_SECONDS / (steps(20) / 20))
    seconds = steps(many)
    batch.check()
    return round(many * size / seconds)


def room_for(batch: Batch) -> Any:
    """An array for actions, a PyTorch tensor if it is installed; checks that PyTorch sees the observations."""
    if batch.device == "cpu":
        return np.zeros(batch.games, np.int64)
    torch = pytorch()
    if torch is None:
        return batch.sample_actions()
    observations = torch.from_dlpack(batch.observations)
    batch.step(batch.sample_actions())
    assert (observations.cpu().numpy() == np.asarray(batch.observations)).all(), (
        "PyTorch does not see what the batch has written"
    )
    return torch.empty(batch.games, dtype=torch.int64, device="cuda")


def pytorch() -> Any:
    try:
        return importlib.import_module("torch")
    except ImportError:
        return None


def playouts(name: str, options: Options, policy: str, size: int) -> int:
    batch = Batch(name, games=1, device="cuda", **options)

    def decisions_and_seconds(seed: int) -> tuple[int, float]:
        start = time.perf_counter()
        found = batch.playouts(policy, games=size, seed=seed)
        cuda().synchronize()
        seconds = time.perf_counter() - start
        return int(np.asarray(found.lengths).sum(dtype=np.int64)), seconds

    decisions_and_seconds(FIRST_SEED)  # compiles
    decisions, seconds = decisions_and_seconds(FIRST_SEED + size)
    return round(decisions / seconds)


def speeds(name: str, options: Options) -> dict[str, Any]:
    def tried(measure: Callable[[int], int], sizes: tuple[int, ...]) -> dict[int, int]:
        return {size: measure(size) for size in sizes}

    return {
        "stepping": tried(lambda size: stepping(name, options, size), SIZES),
        "random": tried(lambda size: playouts(name, options, "random", size), PLAYOUT_SIZES),
        "heuristic": tried(lambda size: playouts(name, options, "heuristic", size), PLAYOUT_SIZES[:1]),
        "cpu_stepping": stepping(name, options, SIZES[0], "cpu"),
    }


# The run


def run_game(game: Game, arguments: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """One row per case."""
    for options in cases(game):
        row: dict[str, Any] = {"case": " ".join([game.name, *map(str, options.values())])}
        if arguments.only != "speed":
            row |= {
                "seeds": arguments.seeds,
                "difference": difference(game.name, options, arguments.seeds, arguments.threads),
            }
        if arguments.only != "equality":
            row |= speeds(game.name, options)
        print(f"{row['case']}: {row.get('difference') or 'done'}", file=sys.stderr, flush=True)
        yield row


def show(device: str, rows: list[dict[str, Any]]) -> None:
    """A short table, last in the output."""
    print(
        f"{device}; decisions/s; 'times': stepping against one core of the CPU beside it; 'equal': games that are the same on both"
    )
    sizes = "".join(f"{f'{size:,} games':>18}" for size in SIZES)
    print(
        f"{'game, players, setup':28}{'equal':>8}{sizes}{'times':>8}{'random playouts':>18}{'heuristic playouts':>18}"
    )
    for row in rows:
        equal = "" if "difference" not in row else "NO" if row["difference"] else f"{row['seeds']:,}"
        line = f"{row['case']:28}{equal:>8}"
        if "stepping" in row:
            line += "".join(f"{row['stepping'][size]:>18,}" for size in SIZES)
            line += f"{max(row['stepping'].values()) / row['cpu_stepping']:>8,.0f}"
            line += "".join(f"{max(row[policy].values()):>18,}" for policy in ("random", "heuristic"))
        print(line)
    for row in rows:
        if row.get("difference"):
            print(f"{row['case']}: {row['difference']}")


def device_name() -> str:
    name = cuda().get_current_device().name
    return name.decode() if isinstance(name, bytes) else str(name)


def versions() -> dict[str, str]:
    found = {"python": sys.version.split()[0]}
    for package in ("numpy", "numba", "numba-cuda", "torch"):
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            found[package] = "none"
    return found


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--seeds", type=int, default=10_000, help="how many games are compared for each case (default 10,000)"
    )
    parser.add_argument("--threads", type=int, default=1, help="of the CPU, to compare with (default 1)")
    parser.add_argument("--only", choices=("equality", "speed"), help="one of the two parts (default both)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures to a file")
    parser.add_argument("game", nargs="*", help=f"which games (default all: {', '.join(registry.names())})")
    arguments = parser.parse_args()
    unknown = sorted(set(arguments.game) - set(registry.names()))
    if unknown:
        parser.error(f"no such game: {', '.join(unknown)} (there are {', '.join(registry.names())})")
    return arguments


def main() -> int:
    arguments = read_arguments()
    try:
        cuda()
        rows = [
            row for name in arguments.game or registry.names() for row in run_game(get_game(name), arguments)
        ]
    except OptionError as problem:
        print(problem, file=sys.stderr)
        return 2
    show(device_name(), rows)
    if arguments.json:
        report = {"device": device_name(), "versions": versions(), "rows": rows}
        arguments.json.write_text(json.dumps(report, indent=2), encoding="utf-8")
    return int(any(row.get("difference") for row in rows))


if __name__ == "__main__":
    sys.exit(main())
