"""Whether the bots play to finish: games of clerks, and of merchants, among themselves at every table, and
how they end.

    python bench/stalling.py                        400 games of each at every table (stopped, it goes on where it was)
    python bench/stalling.py century --games 40     one game, fewer of them
    python bench/stalling.py --table                the table of what is recorded so far, as Markdown

A stall rule (S74, C34, M32, B35) ends games that nobody finishes. A circle is a turn in which a bot came back
to where it had already been in that turn. A repetition is a turn that began where an earlier one had begun:
with the same public position, counters of rounds apart. Games are recorded as they are played, one line each, with a hash
of the code that played them.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from comptoir.arena.game_record import source_hash
from comptoir.bots.background_compiler import main as compile_bots
from comptoir.bots.seated import SeatedBot
from comptoir.engine.game import get_game
from comptoir.engine.interface import cycle_key
from comptoir.engine.match import Match
from comptoir.engine.registry import names

Game = Future[dict[str, Any]]  # one that is being played
LAST_ROUND = 200  # a game that was finished only because the guard was near counts as ended by it
BOTS = ("clerk", "merchant")
HEADINGS = (
    "game",
    "players",
    "bots",
    "games",
    "endings",
    "by a stall rule",
    "circles",
    "repetitions",
    "most often",
    "decisions",
    "rounds",
)


@dataclass(frozen=True)
class Table:
    """So many bots of one kind at a game."""

    game: str
    players: int
    bots: str

    @property
    def name(self) -> str:
        return f"{self.game}-{self.players}-{self.bots.replace(':', '-')}"


def tables(chosen: list[str], players: int | None, bots: list[str]) -> Iterator[Table]:
    """Of every game and number of players; the quick ones first."""
    for spec in bots:
        for name in chosen:
            least, most = get_game(name).rules.PLAYERS
            for number in range(least, most + 1):
                if players in (None, number):
                    yield Table(name, number, spec)


def play(table: Table, seed: int) -> dict[str, Any]:
    """One game, and what is recorded of it."""
    get_game(table.game).compiled  # noqa: B018  asked for, so that the match uses it
    match = Match(table.game, players=table.players, seed=f"finish-{seed}")
    chairs = [
        SeatedBot(table.bots, match, seat, f"finish {seed} {seat}", threads=1)
        for seat in range(match.players)
    ]
    while match.turn is not None:
        match.play(chairs[match.turn].choose())
    turns, circles = walked(match)
    rounds = (
        int(match.records[-1]["round_number"])
        if "round_number" in (match.records[-1].dtype.names or ())
        else turns / match.players
    )
    return {
        "code": source_hash(table.game),
        "seed": seed,
        "ending": match.ending,
        "guarded": match.game.rules.stall_progress(match.records[-1]) == 1,
        "decisions": match.ply,
        "rounds": rounds,
        "circles": circles,
        **repetitions(match),
        "reports": [chair.report for chair in chairs if chair.report],
    }


def walked(match: Match) -> tuple[int, int]:
    """How many turns there were, and how many of them came back to where they had been."""
    where, turns, circles = match.game.compiled.bind(cycle_key), 0, 0
    seat, been, circled = -1, set[Any](), False
    for p in match.records[:-1]:
        if p["turn"] != seat:
            seat, been, circled = int(p["turn"]), set(), False
            turns += 1
        seen = match.game.seen_by(p, match.box, seat)
        now = {seen.tobytes(), where(seen, match.box) or None} - {None}
        if now & been and not circled:
            circled = True
            circles += 1
        been |= now
    return turns, circles


def repetitions(match: Match) -> dict[str, int]:
    """How many turns began where an earlier one had, and how often the commonest position began one."""
    begun, seat = Counter[bytes](), -1
    for p in match.records[:-1]:
        if p["turn"] != seat:
            seat = int(p["turn"])
            begun[match.game.position.repetition_key(match.game.seen_by(p, match.box, None))] += 1
    return {"repetitions": begun.total() - len(begun), "most": max(begun.values())}


def recorded(table: Table, folder: Path) -> dict[int, dict[str, Any]]:
    """The games that this code has played, by their seeds."""
    path = folder / f"{table.name}.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    found = [json.loads(line) for line in lines]
    return {line["seed"]: line for line in found if line["code"] == source_hash(table.game)}


def play_all(chosen: list[Table], games: int, workers: int, folder: Path) -> None:
    """In processes of their own, table by table; each game is written down when it is done."""
    folder.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
        list(pool.map(compile_bots, sorted({table.game for table in chosen})))
        waiting: dict[Game, Table] = {}
        for table in chosen:
            done = recorded(table, folder)
            waiting |= {pool.submit(play, table, seed): table for seed in range(games) if seed not in done}
        for nth, future in enumerate(_as_they_end(waiting, pool), 1):
            table = waiting[future]
            with (folder / f"{table.name}.jsonl").open("a", encoding="utf-8") as file:
                file.write(json.dumps(future.result()) + "\n")
            print(
                f"\r{nth} of {len(waiting)} games, {table.name}, {time.monotonic() - began:.0f} s   ",
                end="",
                file=sys.stderr,
                flush=True,
            )
    print(file=sys.stderr)


def _as_they_end(waiting: Iterable[Game], pool: ProcessPoolExecutor) -> Iterator[Game]:
    """Games as they end, until Ctrl-C: then those not yet begun are left."""
    try:
        yield from as_completed(waiting)
    except KeyboardInterrupt:
        pool.shutdown(wait=False, cancel_futures=True)


def figures(table: Table, played: list[dict[str, Any]]) -> dict[str, Any]:
    endings = Counter(line["ending"] for line in played)
    return {
        "game": table.game,
        "players": table.players,
        "bots": table.bots,
        "games": len(played),
        "endings": dict(endings.most_common()),
        "guarded": sum(line["guarded"] or line["rounds"] >= LAST_ROUND for line in played),
        "circles": sum(line["circles"] for line in played),
        "repetitions": sum(line["repetitions"] for line in played),
        "most": max(line["most"] for line in played),
        "decisions": sum(line["decisions"] for line in played) / len(played),
        "rounds": sum(line["rounds"] for line in played) / len(played),
        "reports": [report for line in played for report in line["reports"]],
    }


def row(found: dict[str, Any]) -> tuple[str, ...]:
    endings = ", ".join(f"{ending} {n}" for ending, n in found["endings"].items())
    numbers = [str(found[key]) for key in ("guarded", "circles", "repetitions", "most")]
    means = [f"{found['decisions']:.0f}", f"{found['rounds']:.1f}"]
    return found["game"], str(found["players"]), found["bots"], str(found["games"]), endings, *numbers, *means


def markdown(found: list[dict[str, Any]]) -> str:
    rules = tuple("-" if heading in ("game", "bots", "endings") else "-:" for heading in HEADINGS)
    ordered = sorted(found, key=lambda one: (one["game"], one["bots"], one["players"]))
    return "\n".join(f"| {' | '.join(line)} |" for line in (HEADINGS, rules, *map(row, ordered)))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("only", metavar="GAME", nargs="*", choices=[[], *names()], help="only these games")
    parser.add_argument("--players", type=int, help="only tables of this many players")
    parser.add_argument(
        "--bots", metavar="LEVEL", nargs="+", default=list(BOTS), help="who plays (default: clerk merchant)"
    )
    parser.add_argument("--games", type=int, default=400, help="games a table (default 400)")
    parser.add_argument(
        "--out", type=Path, default=Path(".stalling"), help="where games are recorded (default .stalling)"
    )
    parser.add_argument("--workers", type=int, help="processes (default: one per core)")
    parser.add_argument("--table", action="store_true", help="play nothing: print the table of what is there")
    parser.add_argument("--json", action="store_true", help="the figures as JSON")
    options = parser.parse_args()
    chosen = list(tables(options.only or names(), options.players, options.bots))
    if not options.table:
        play_all(chosen, options.games, options.workers or os.cpu_count() or 1, options.out)
    found = [
        figures(table, list(done.values())) for table in chosen if (done := recorded(table, options.out))
    ]
    print(json.dumps(found) if options.json else markdown(found))


if __name__ == "__main__":
    main()
