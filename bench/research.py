"""How fast batches and the PettingZoo environment step on one core, next to PettingZoo's own games and RLCard
in the same run.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from typing import Any

from peers import agents_at_random
from rich.console import Console
from rich.table import Table
from speed import Count, Measured, Row, about_machine, install, machine, rounds, run_peer, seconds

from comptoir.engine import registry
from comptoir.research import Batch, pettingzoo

WARM = 200  # steps before the clock: the rules are compiled, and games are no longer all at their start
SIZES = (256, 4_096, 65_536)
PEERS = {"pettingzoo": ("rlcard", "chess", "pygame"), "rlcard": ()}  # each with what else its games need
BATCH, ZOO = "Comptoir, batch", "Comptoir, PettingZoo"

HELP = """\
A decision here is a step: an action is played, and what the next seat may do and know is written out. A batch is given
actions that were chosen outside the clock. Everything else is played by one loop for all, at random, choosing included:
our games behind PettingZoo's interface, PettingZoo's own classic games, and RLCard's; by turns, since a computer's speed
changes from one minute to the next, and ratios much less. One core. The peers run in .bench-venv, which the first run makes.
"""


class Stepped:
    """A batch whose steps alone are timed."""

    def __init__(self, name: str, size: int) -> None:
        self.batch = Batch(name, size)
        self.row = Row(BATCH, f"{name}, {size:,} games", self.batch.players)
        for _ in range(WARM):
            self.batch.step(self.batch.sample_actions())

    def measure(self, seconds: float, seed: int) -> Count:
        batch, spent, steps, ended = self.batch, 0.0, 0, 0
        while spent < seconds:
            actions = batch.sample_actions()
            start = time.perf_counter()
            batch.step(actions)
            spent += time.perf_counter() - start
            steps += batch.games
            ended += int(batch.terminations.sum())
        return Count(steps, ended, spent)


class Agents:
    """A game behind PettingZoo's interface."""

    def __init__(self, name: str) -> None:
        self.env = pettingzoo.env(name)
        self.row = Row(ZOO, name, len(self.env.possible_agents))
        agents_at_random(self.env, 0.1, 0)  # compiles

    def measure(self, seconds: float, seed: int) -> Count:
        return Count(*agents_at_random(self.env, seconds, seed))


class Bench(Measured):
    """All rows, by turns."""

    def run(self, told: Callable[[str], None]) -> None:
        for peer, with_it in PEERS.items():
            self.attempt(peer, install, peer, *with_it)
        told("compiling the rules")
        own = [Stepped(name, size) for name in registry.names() for size in SIZES] + [
            Agents(name) for name in registry.names()
        ]
        for number in range(self.rounds):
            for one in own:
                told(f"round {number + 1} of {self.rounds}: {one.row.engine}, {one.row.what}")
                self.note(one.row, one.measure(self.seconds, number * 10**7))
            for peer in PEERS:
                told(f"round {number + 1} of {self.rounds}: {peer}")
                for row, count in self.attempt(peer, run_peer, peer, self.seconds, number * 10**6) or []:
                    self.note(row, count)

    def report(self) -> dict[str, Any]:
        best = {engine: self.best(engine) for engine in ("PettingZoo", "RLCard")}
        rows = [
            {
                "engine": row.engine,
                "what": row.what,
                "players": row.players,
                "decisions_per_s": round(row.speed),
                "times": {engine: round(row.speed / speed, 2) for engine, speed in best.items() if speed},
                "spread": round(row.spread, 3),
            }
            for row in self.rows.values()
        ]
        return {
            "machine": machine(),
            "seconds": self.seconds,
            "rounds": self.rounds,
            "rows": rows,
            "missing": self.missing,
        }

    def best(self, engine: str) -> float | None:
        """A peer's fastest game: of all ratios the least flattering."""
        return max((row.speed for row in self.rows.values() if row.engine == engine), default=None)


def show(report: dict[str, Any], console: Console) -> None:
    table = Table(box=None, pad_edge=False, collapse_padding=True, header_style="bold")
    table.add_column("what")
    for heading in (
        "players",
        "decisions/s",
        "times\nPettingZoo's\nfastest",
        "times\nRLCard's\nfastest",
        "spread",
    ):
        table.add_column(heading, justify="right", no_wrap=True)
    engine = ""
    for row in report["rows"]:
        if row["engine"] != engine:
            engine = row["engine"]
            table.add_row(engine, style="bold")
        times = [
            f"{row['times'][peer]:,.1f}" if peer in row["times"] else "" for peer in ("PettingZoo", "RLCard")
        ]
        table.add_row(
            f"  {row['what']}",
            str(row["players"]),
            f"{row['decisions_per_s']:,}",
            *times,
            f"{row['spread']:.0%}",
        )
    console.print(table)
    console.print()
    for peer, why in report["missing"].items():
        console.print(f"{peer} could not be measured: {why}", style="yellow", highlight=False, markup=False)
    note = f"Each row is the best of {report['rounds']} rounds (--rounds) of {report['seconds']:g} s (--seconds), by turns."
    console.print(f"{about_machine(report['machine'])} One core. {note}", highlight=False, markup=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=HELP, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--seconds", type=seconds, default=1.0, help="how long each row is measured in each round (default 1)"
    )
    parser.add_argument(
        "--rounds",
        type=rounds,
        default=3,
        help="how many times each is measured; the best counts (default 3)",
    )
    parser.add_argument("--json", action="store_true", help="print data instead of a table")
    arguments = parser.parse_args()
    bench, progress = Bench(arguments.seconds, arguments.rounds), Console(stderr=True)
    with progress.status("installing") as status:
        bench.run(status.update)
    if arguments.json:
        print(json.dumps(bench.report(), indent=2))
    else:
        show(bench.report(), Console())


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
