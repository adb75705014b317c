"""How fast Comptoir plays at random, next to Catanatron and OpenSpiel in the same run."""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from comptoir.engine import registry
from comptoir.engine.game import Game, get_game
from comptoir.engine.mask import new_mask
from comptoir.engine.scoring import new_scores

HERE = Path(__file__).parent
ENVIRONMENT = HERE.parent / ".bench-venv"
PINS = HERE / "peers.txt"
PEERS = {"catanatron": "Catanatron", "open_spiel": "OpenSpiel"}
BATCH = 500  # games between two looks at the clock

HELP = """\
Every game plays itself at random, one legal action out of all that are listed at each decision, and the
decisions and games per second are counted. Catanatron and OpenSpiel do the same in turns with Comptoir, so that
the figures can be compared: a computer's speed changes from one minute to the next, their ratios much less.
The first run installs both in .bench-venv; without a network the table holds Comptoir alone.
"""
EXAMPLES = """\
examples:
  python bench/speed.py                 the table, in one to two minutes
  python bench/speed.py --seconds 5     steadier figures
  python bench/speed.py --json | jq '.rows[] | [.engine, .what, .players, .decisions_per_s]'
"""
NOTES = {
    "Comptoir": "whole games, laid out, played and scored; compile time is left out. Decisions with one choice count, as they do for all.",
    "Catanatron": "a decision is a call of a player's decide, one each tick; rolling the dice and ending the turn are decisions too. "
    "'times Catanatron' is by its fastest row. Other games are other work: a ratio compares engines only roughly.",
    "OpenSpiel": "rollouts that stay in C++, from the first decision on: the deal is not in the time, which favours it. Its decisions "
    "are those of players, not chance; how many a game has is counted in 400 other random games from the same deals.",
}


@dataclass(frozen=True)
class Count:
    """The games of one round."""

    decisions: float
    games: int
    seconds: float

    @property
    def speed(self) -> float:
        return self.decisions / self.seconds


@dataclass
class Row:
    """One row of the table: an engine's game at a player number, and what it did in each round."""

    engine: str
    what: str
    players: int
    threads: int = 1
    rounds: list[Count] = field(default_factory=list)

    @property
    def speed(self) -> float:
        """The best round: whatever else a computer does makes a round slower, nothing makes it faster."""
        return max(count.speed for count in self.rounds)

    @property
    def spread(self) -> float:
        """How far the worst round is below the best."""
        return 1 - min(count.speed for count in self.rounds) / self.speed

    @property
    def length(self) -> float:
        return sum(count.decisions for count in self.rounds) / sum(count.games for count in self.rounds)


# Comptoir


class Player:
    """Plays a game at random: with arrays of its own, so that several can do it at once."""

    def __init__(self, game: Game, players: int) -> None:
        self.box = game.components.box
        self.positions = game.rules.POSITION.array(2)
        self.positions[0] = game.blank(game.read_options(players))
        self.work = (new_mask(len(game.actions)), np.zeros(1, np.uint64))
        self.lengths = np.zeros(BATCH, np.int32)
        self.out = (np.zeros(BATCH, np.uint8), new_scores(game, BATCH))
        self.playouts = game.compiled.playouts

    def batch(self, seed: int) -> int:
        """Plays a batch; how many decisions it took."""
        self.playouts(self.positions, self.box, seed, *self.work, self.lengths, *self.out, 0)
        return int(self.lengths.sum())

    def play(self, seconds: float, seed: int) -> tuple[int, int]:
        """Plays for so long; how many decisions and games."""
        decisions = played = 0
        start = time.perf_counter()
        while time.perf_counter() - start < seconds:
            decisions += self.batch(seed + played)
            played += BATCH
        return decisions, played


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def measure(players: list[Player], seconds: float, seed: int) -> Count:
    """Each player in a thread of its own; compiled rules let go of Python's lock."""
    with ThreadPoolExecutor(len(players)) as threads:
        start = time.perf_counter()
        counts = list(
            threads.map(lambda nth: players[nth].play(seconds, seed + nth * 10**9), range(len(players)))
        )
        elapsed = time.perf_counter() - start
    return Count(sum(decisions for decisions, _ in counts), sum(played for _, played in counts), elapsed)


def comptoir_rows() -> Iterator[tuple[Row, list[Player]]]:
    """Every game at every player number on one core; at its usual number on all cores too.

    Compiles what is not yet compiled.
    """
    for name in registry.names():
        least, most = get_game(name).rules.PLAYERS
        for number in range(least, most + 1):
            yield warm(Row("Comptoir", name, number), get_game(name))
        if cores() > 1:
            yield warm(
                Row("Comptoir", f"{name}, {cores()} threads", get_game(name).rules.DEFAULT_PLAYERS, cores()),
                get_game(name),
            )


def warm(row: Row, game: Game) -> tuple[Row, list[Player]]:
    players = [Player(game, row.players) for _ in range(row.threads)]
    for player in players:
        player.batch(0)
    return row, players


# Peers


class PeerError(Exception):
    """A peer could not be installed or run."""


def peer_python() -> Path:
    return ENVIRONMENT / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def install(peer: str, *with_it: str) -> None:
    """Puts a peer, and what else it needs, into the environment, unless these very versions are there
    already.
    """
    ready = ENVIRONMENT / f"{peer}.ready"
    if ready.is_file() and ready.read_text(encoding="utf-8") == PINS.read_text(encoding="utf-8"):
        return
    print(f"Installing {PEERS.get(peer, peer)} in {ENVIRONMENT.name}, once.", file=sys.stderr)
    if not peer_python().is_file():
        call([sys.executable, "-m", "venv", str(ENVIRONMENT)])
    call(
        [
            str(peer_python()),
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--constraint",
            str(PINS),
            peer,
            *with_it,
        ]
    )
    ready.write_text(PINS.read_text(encoding="utf-8"), encoding="utf-8")


def call(command: list[str]) -> str:
    """What a command prints.

    If it fails, a PeerError with pip's own error, or the last words of anything else.
    """
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        lines = [line.strip() for line in (done.stderr or done.stdout).splitlines() if line.strip()]
        errors = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR: ")]
        raise PeerError(
            [*errors, *lines[-1:], f"{Path(command[0]).name} ended with status {done.returncode}"][0]
        )
    return done.stdout


def run_peer(peer: str, seconds: float, seed: int) -> list[tuple[Row, Count]]:
    lines = call([str(peer_python()), str(HERE / "peers.py"), peer, str(seconds), str(seed)]).splitlines()
    found = [json.loads(line) for line in lines]
    return [
        (
            Row(one["engine"], one["what"], one["players"]),
            Count(one["decisions"], one["games"], one["seconds"]),
        )
        for one in found
    ]


# The run


class Measured:
    """Rows of a bench, each measured in rounds, and the peers that could not be."""

    def __init__(self, seconds: float, rounds: int) -> None:
        self.seconds, self.rounds = seconds, rounds
        self.rows: dict[tuple[str, str, int], Row] = {}
        self.missing: dict[str, str] = {}

    def attempt(self, peer: str, function: Any, *arguments: Any) -> Any:
        """Does something with a peer, unless that has failed before; if it fails, remembers why and goes
        on.
        """
        if peer not in self.missing:
            try:
                return function(*arguments)
            except (PeerError, OSError, ValueError) as error:
                self.missing[peer] = str(error)
        return None

    def note(self, row: Row, count: Count) -> None:
        self.rows.setdefault((row.engine, row.what, row.players), row).rounds.append(count)


class Bench(Measured):
    """All rows: Comptoir, the peers, Comptoir again, and so on."""

    def __init__(self, seconds: float, rounds: int, progress: Progress) -> None:
        super().__init__(seconds, rounds)
        self.progress = progress
        self.task = progress.add_task("compiling the rules", total=None)

    def run(self) -> None:
        for peer in PEERS:
            self.attempt(peer, install, peer)
        own = list(comptoir_rows())
        self.progress.update(self.task, total=(len(own) + len(PEERS)) * self.rounds)
        for number in range(self.rounds):
            self.play_own(own, seed=number * 10**7)
            self.play_peers(seed=number * 10**6)

    def play_own(self, own: list[tuple[Row, list[Player]]], seed: int) -> None:
        for row, players in own:
            self.progress.update(self.task, description=f"Comptoir: {row.what}, {row.players} players")
            self.note(row, measure(players, self.seconds, seed))
            self.progress.advance(self.task)

    def play_peers(self, seed: int) -> None:
        for peer, title in PEERS.items():
            self.progress.update(self.task, description=title)
            for row, count in self.attempt(peer, run_peer, peer, self.seconds, seed) or []:
                self.note(row, count)
            self.progress.advance(self.task)

    def report(self) -> dict[str, Any]:
        """Everything, as plain data. What `--json` prints, and what the table is made of."""
        base = max(
            (row.speed for row in self.rows.values() if row.engine == PEERS["catanatron"]), default=None
        )
        return {
            "machine": machine(),
            "seconds": self.seconds,
            "rounds": self.rounds,
            "rows": [plain(row, base) for row in self.rows.values()],
            "missing": {PEERS[peer]: why for peer, why in self.missing.items()},
            "notes": {
                engine: NOTES[engine] for engine in dict.fromkeys(row.engine for row in self.rows.values())
            },
        }


def plain(row: Row, base: float | None) -> dict[str, Any]:
    return {
        "engine": row.engine,
        "what": row.what,
        "players": row.players,
        "threads": row.threads,
        "decisions_per_s": round(row.speed),
        "games_per_s": round(row.speed / row.length, 1),
        "decisions_per_game": round(row.length, 1),
        "times_catanatron": round(row.speed / base, 2) if base else None,
        "spread": round(row.spread, 3),
        "decisions_per_s_by_round": [round(count.speed) for count in row.rounds],
    }


def machine() -> dict[str, Any]:
    versions = {name: importlib.metadata.version(name) for name in ("numba", "numpy")}
    return {"processor": processor(), "cores": cores(), "python": platform.python_version()} | versions


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next(
        (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine()
    )


def show(report: dict[str, Any], console: Console) -> None:
    console.print(table_of(report["rows"]))
    console.print()
    for title, why in report["missing"].items():
        console.print(f"{title} could not be measured: {why}", style="yellow", highlight=False, markup=False)
    for engine, note in report["notes"].items():
        console.print(f"{engine}: {note}", highlight=False, markup=False)
    console.print(about(report), highlight=False, markup=False)


def about(report: dict[str, Any]) -> str:
    return (
        f"{about_machine(report['machine'])} One core, where no threads are named. "
        f"Each row is the best of {report['rounds']} rounds (--rounds) of {report['seconds']:g} s (--seconds), all engines by turns; "
        "'spread' is how far the worst round was below."
    )


def about_machine(machine: dict[str, Any]) -> str:
    return f"{machine['processor']}, Python {machine['python']}, Numba {machine['numba']}."


def table_of(rows: list[dict[str, Any]]) -> Table:
    table = Table(box=None, pad_edge=False, collapse_padding=True, header_style="bold")
    table.add_column("what")
    for heading in (
        "players",
        "decisions/s",
        "games/s",
        "decisions\nper game",
        "times\nCatanatron",
        "spread",
    ):
        table.add_column(heading, justify="right", no_wrap=True)
    engine = ""
    for row in rows:
        if row["engine"] != engine:
            engine = row["engine"]
            table.add_row(engine, style="bold")
        table.add_row(*cells(row))
    return table


def cells(row: dict[str, Any]) -> list[str]:
    times = row["times_catanatron"]
    few = row["games_per_s"] < 100
    return [
        f"  {row['what']}",
        str(row["players"]),
        f"{row['decisions_per_s']:,}",
        f"{row['games_per_s']:,.1f}" if few else f"{row['games_per_s']:,.0f}",
        f"{row['decisions_per_game']:,.1f}",
        "" if times is None else f"{times:,.1f}" if times < 100 else f"{times:,.0f}",
        f"{row['spread']:.0%}",
    ]


def seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not 0 < value <= 3600:
        raise argparse.ArgumentTypeError(f"expected a number of seconds above 0, found {text!r}")
    return value


def rounds(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1, found {text!r}")
    return int(text)


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=HELP, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
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
    return parser.parse_args()


def main() -> None:
    arguments = read_arguments()
    columns = (SpinnerColumn(), MofNCompleteColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        bench = Bench(arguments.seconds, arguments.rounds, progress)
        bench.run()
    if arguments.json:
        print(json.dumps(bench.report(), indent=2))
    else:
        show(bench.report(), Console())


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
