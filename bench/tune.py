"""Better figures for a game's judgement, found by playing: a hill climb in the arena.

    python bench/tune.py century --players 3 --games 200 --minutes 30
    python bench/tune.py batavia --bots merchant:200 --figures patience explore sharpness trust

Each step changes one to three figures a little and plays the changed judgement against the best so far, on
equal seats and equal deals. What wins by more than the standard error is kept. The result is a judgement.toml
that says which run made it; compare it with the one in use before you take it over: comptoir arena GAME
--bots clerk,clerk@tuned.toml --games 1000
"""

from __future__ import annotations

import argparse
import math
import random
import shutil
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

from comptoir.arena import Arena
from comptoir.engine.game import get_game
from comptoir.games import names

Tables = dict[str, dict[str, Any]]


def changed(tables: Tables, chosen: list[str], chance: random.Random) -> Tables:
    """A few figures multiplied by something near 1. A figure that is 0 stays so: it is off on purpose."""
    new = {name: dict(table) for name, table in tables.items()}
    for _ in range(chance.randint(1, 3)):
        name = chance.choice(chosen)
        table = new["values"] if name in new["values"] else new["search"]
        factor = math.exp(chance.gauss(0, 0.3))
        old = table[name]
        if isinstance(old, list):
            nth = chance.randrange(len(old))
            table[name] = [round(figure * factor, 4) if i == nth else figure for i, figure in enumerate(old)]
        elif name == "patience":
            table[name] = max(0, round(old * factor))
        else:
            table[name] = round(old * factor, 4)
    return new


def written(tables: Tables, path: Path) -> str:
    """The file of a judgement, and its name as a bot's figures."""
    lines = []
    for name, table in tables.items():
        lines += [f"[{name}]", *(f"{key} = {_toml(value)}" for key, value in table.items()), ""]
    path.write_text("\n".join(lines), encoding="utf-8")
    return str(path)


def _toml(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return (
        repr(value)
        if isinstance(value, int | float)
        else '"' + str(value).replace("\\", "\\\\").replace('"', '\\"') + '"'
    )


def duel(options: argparse.Namespace, one: str, other: str, step: int) -> tuple[float, float]:
    """The share of the wins of one set of figures against another, and its standard error."""
    folder = options.out.parent / f"{options.out.stem}-step"
    shutil.rmtree(folder, ignore_errors=True)
    bots = [f"{options.bots}@{one}", f"{options.bots}@{other}"]
    more = {"players": options.players, "seed": f"{options.seed}/{step}", "components": options.components}
    arena = Arena(options.game, bots, folder=folder, **more)
    share = arena.play(options.games, workers=options.workers)["bots"][0]["share"]
    shutil.rmtree(folder, ignore_errors=True)
    return share["share"], (share["high"] - share["low"]) / 3.92


def climb(options: argparse.Namespace) -> None:
    chance = random.Random(options.seed)
    best: Tables = tomllib.loads(
        (options.start or get_game(options.game).folder / "judgement.toml").read_text(encoding="utf-8")
    )
    chosen = options.figures or list(best["values"])
    unknown = [name for name in chosen if name not in best["values"] and name not in best["search"]]
    if unknown:
        sys.exit(
            f"tune: {options.game} has no figure {unknown[0]!r}. Figures: {', '.join([*best['values'], *best['search']])}"
        )
    holder, trial = options.out.with_suffix(".best.toml"), options.out.with_suffix(".trial.toml")
    start = written(best, options.out.with_suffix(".start.toml"))
    ends, step, kept = time.monotonic() + 60 * options.minutes, 0, 0
    written(best, holder)
    while time.monotonic() < ends:
        step += 1
        new = changed(best, chosen, chance)
        share, error = duel(options, written(new, trial), str(holder), step)
        if share - error > 0.5:
            best, kept = new, kept + 1
            written(best, holder)
        print(f"step {step}: {share:.1%} ± {error:.1%}{'  kept' if best is new else ''}", flush=True)
    share, error = duel(options, str(holder), start, 0)
    command = " ".join(["python bench/tune.py", *sys.argv[1:]])
    result = f"{kept} of {step} changes kept; {share:.1%} (standard error {error:.1%}) against the start, {options.games} games"
    written(
        {
            "run": {"command": command, "result": result},
            **{name: best[name] for name in ("search", "values")},
        },
        options.out,
    )
    for path in (holder, trial, Path(start)):
        path.unlink()
    print(f"{result}\nwritten to {options.out}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("game", choices=names())
    parser.add_argument("--players", type=int, help="players at the table (default: the game's usual number)")
    parser.add_argument("--components", metavar="FILE", help="another box to play with (default: the game's)")
    parser.add_argument(
        "--bots",
        default="clerk",
        metavar="LEVEL",
        help="who plays with the figures: clerk, merchant:200 … (default clerk)",
    )
    parser.add_argument(
        "--figures",
        nargs="+",
        metavar="NAME",
        help="only these figures, of [values] or [search] (default: all values)",
    )
    parser.add_argument("--start", type=Path, help="a judgement to start from (default: the game's own)")
    parser.add_argument("--games", type=int, default=200, help="games a step (default 200)")
    parser.add_argument("--minutes", type=float, default=10, help="how long to climb (default 10)")
    parser.add_argument(
        "--seed",
        type=int,
        default=1,
        help="fixes all chance, but for the number of steps in the time (default 1)",
    )
    parser.add_argument("--workers", type=int, help="processes (default: one a core)")
    parser.add_argument(
        "--out", type=Path, default=Path("tuned.toml"), help="where the result goes (default tuned.toml)"
    )
    climb(parser.parse_args())


if __name__ == "__main__":
    main()
