"""How fast the bots search, next to OpenSpiel's C++ searches in the same run, and how long a decision of each
level takes.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from typing import Any

from rich.console import Console
from rich.table import Table
from speed import HERE, PeerError, about_machine, call, install, machine, peer_python

from comptoir.bots.clerk import Clerk
from comptoir.bots.levels import LEVELS, make
from comptoir.bots.network import bundled_network
from comptoir.bots.searcher import Searcher
from comptoir.engine.evaluation import Evaluation
from comptoir.engine.game import Game, get_game
from comptoir.engine.match import Match
from comptoir.engine.rule import Position

TABLES = {"batavia": 4, "century": 3, "marco_polo": 4, "sail_to_india": 4}
WHOLE = 10**6  # more decisions than are left in any game: a playout to the end
OPENING, FULL, NETWORK = "opening", "opening, full playouts", "opening, with the network"

HELP = """\
Search iterations a second on one core, from the opening of every game at its usual table: imagine a world, go down the
tree, play on by habit, judge; and with the network, for the games that come with one, beside the judgement in the same
run. OpenSpiel's ISMCTSBot and MCTSBot do the same on gin rummy by turns with Comptoir: a
computer's speed changes from one minute to the next, ratios much less. Then the time that a decision of each level
takes, over the decisions of a match between clerks.
"""


def full(evaluation: Evaluation) -> Evaluation:
    """The same evaluation, with every playout to the end of the game."""
    return Evaluation(evaluation.weights, evaluation.search | {"rollout_depth": WHOLE}, evaluation.provenance)


class Opening:
    """The first decision of a match, searched again and again."""

    def __init__(self, name: str, players: int, what: str = OPENING) -> None:
        self.name, self.players, self.what = name, players, what
        self.game = get_game(name)
        match = Match(name, players=players, seed=1)
        while len(match.actions()) == 1:
            match.play(match.actions()[0])
        self.view, self.turn = match.seen_by(match.turn), match.turn
        evaluation = full(self.game.evaluation) if what == FULL else self.game.evaluation
        network = bundled_network(self.game) if what == NETWORK else None
        self.bot = Searcher(self.game, match.components, "1", 5_000, evaluation=evaluation, network=network)
        self.speeds: list[float] = []

    def measure(self, seconds: float) -> None:
        iterations, start = 0, time.perf_counter()
        while time.perf_counter() - start < seconds:
            self.bot.analyse(self.view, iterations)
            iterations += self.bot.each
        self.speeds.append(iterations / (time.perf_counter() - start))


def spiel(seconds: float) -> list[dict[str, Any]]:
    lines = call([str(peer_python()), str(HERE / "peers.py"), "open_spiel_search", str(seconds), "1"])
    return [json.loads(line) for line in lines.splitlines()]


def decisions(name: str, players: int, most: int) -> list[tuple[Position, int]]:
    """Views at which there is something to decide, spread over a match between clerks."""
    match = Match(name, players=players, seed=2)
    clerk, views = Clerk(match.game, match.components, "2"), []
    while match.turn is not None:
        view = match.seen_by(match.turn)
        if len(match.actions()) > 1:
            views.append((view, match.ply))
        match.play(clerk.choose_index(view, match.ply))
    return views[:: max(1, len(views) // most)]


def level_times(chosen: Game, players: int) -> dict[str, float]:
    """Milliseconds a decision, the mean over a match."""
    times = {}
    for level in LEVELS:
        bot = make(level, chosen, chosen.components, "3")
        views = decisions(chosen.name, players, 6 if LEVELS[level].trees > 1 else 40)
        bot.choose_index(*views[0])
        spent = []
        for view, number in views:
            start = time.perf_counter()
            bot.choose_index(view, number)
            spent.append(1e3 * (time.perf_counter() - start))
        times[level] = statistics.mean(spent)
    return times


def run(seconds: float, rounds: int, console: Console) -> dict[str, Any]:
    peers: dict[str, list[float]] = {}
    missing = ""
    with console.status("compiling the searches"):
        openings = [
            Opening(name, players, what)
            for name, players in TABLES.items()
            for what in (OPENING, NETWORK)
            if what == OPENING or bundled_network(get_game(name))
        ]
        openings.insert(1, Opening("batavia", 4, FULL))
        for opening in openings:
            opening.measure(0.01)
            opening.speeds.clear()
    for number in range(rounds):
        with console.status(f"round {number + 1} of {rounds}"):
            for opening in openings:
                opening.measure(seconds)
            try:
                install("open_spiel")
                for row in spiel(seconds):
                    peers.setdefault(row["what"], []).append(row["simulations"] / row["seconds"])
            except (PeerError, OSError, ValueError) as error:
                missing = str(error)
    with console.status("decisions of each level"):
        times = {name: level_times(get_game(name), players) for name, players in TABLES.items()}
    return {
        "machine": machine(),
        "seconds": seconds,
        "rounds": rounds,
        "iterations_per_s": {f"{o.name}, {o.players} players, {o.what}": max(o.speeds) for o in openings},
        "peers_per_s": {what: max(speeds) for what, speeds in peers.items()},
        "missing": missing,
        "ms_per_decision": times,
    }


def show(report: dict[str, Any], console: Console) -> None:
    best = max(report["peers_per_s"].values(), default=None)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading, justify in (
        ("search", "left"),
        ("iterations/s", "right"),
        ("times OpenSpiel's faster one", "right"),
    ):
        table.add_column(heading, justify=justify)  # type: ignore[arg-type]
    for what, speed in (report["iterations_per_s"] | report["peers_per_s"]).items():
        table.add_row(what, f"{speed:,.0f}", f"{speed / best:,.1f}" if best else "")
    console.print(table)
    if report["missing"]:
        console.print(f"OpenSpiel could not be measured: {report['missing']}", style="yellow")
    console.print()
    times = Table(
        box=None, pad_edge=False, header_style="bold", title="milliseconds a decision", title_justify="left"
    )
    times.add_column("game")
    for level in LEVELS:
        times.add_column(level, justify="right")
    for name, row in report["ms_per_decision"].items():
        times.add_row(name, *(f"{row[level]:,.2f}" for level in LEVELS))
    console.print(times)
    console.print(about_machine(report["machine"]), highlight=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=HELP, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=1.0, help="seconds a row in each round (default 1)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds, of which the best counts (default 3)")
    parser.add_argument("--json", action="store_true", help="the figures as JSON")
    options = parser.parse_args()
    report = run(options.seconds, options.rounds, Console(stderr=True))
    print(json.dumps(report)) if options.json else show(report, Console())


if __name__ == "__main__":
    main()
