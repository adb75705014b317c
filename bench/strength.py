"""The strength of the levels in every game: the arena runs behind docs/strength.md, and its table.

    python bench/strength.py                    all runs (many hours on two cores; stopped, it goes on where it was)
    python bench/strength.py century --quick    one game, a tenth of the games
    python bench/strength.py --bots captain --most 100 --usual    one pairing, at the usual tables, no more than 100 games each
    python bench/strength.py --table            the table of what is recorded so far, as Markdown

Each run is what `comptoir arena` plays; the table names the command.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from comptoir.arena import Arena
from comptoir.engine.game import get_game
from comptoir.engine.registry import names

DEFAULT_PLAYERS = {"batavia": 4, "century": 3, "marco_polo": 4, "sail_to_india": 4}
# The stronger, the weaker, games at the usual table, games at other tables, and what is asked of the
# stronger's share.
PAIRINGS = (
    ("clerk", "passer-by", 1000, 200, "at least 90 %"),
    ("merchant", "clerk", 400, 100, "at least 65%"),
    ("captain", "merchant", 400, 100, "at least 65%"),
    ("admiral", "captain", 120, 100, "at least 65%"),
)
HEADINGS = (
    "game",
    "players",
    "bots",
    "games",
    "share of the first",
    "95% interval",
    "asked",
    "points",
    "ms a move",
)


@dataclass(frozen=True)
class Run:
    """One pairing at one table."""

    game: str
    players: int
    stronger: str
    weaker: str
    games: int
    asked: str

    @property
    def command(self) -> str:
        return f"comptoir arena {self.game} --bots {self.stronger},{self.weaker} --players {self.players} --games {self.games}"

    def folder(self, root: Path) -> Path:
        return root / f"{self.game}-{self.players}-{self.stronger}-{self.weaker}"


def runs(chosen: list[str], quick: bool, most: int | None = None, usual_only: bool = False) -> Iterator[Run]:
    """The usual tables first, and of them the quick runs."""
    for at_usual in (True,) if usual_only else (True, False):
        for stronger, weaker, usual, others, asked in PAIRINGS:
            for name in chosen:
                games = usual if at_usual else others
                games = min(games // 10 if quick else games, most or games)
                for players in range(get_game(name).rules.PLAYERS[0], get_game(name).rules.PLAYERS[1] + 1):
                    if games and (players == DEFAULT_PLAYERS[name]) == at_usual:
                        yield Run(name, players, stronger, weaker, games, asked)


def play(run: Run, root: Path, workers: int | None) -> None:
    arena = Arena(run.game, [run.stronger, run.weaker], players=run.players, folder=run.folder(root))
    began = time.monotonic()

    def progress(done: int, total: int) -> None:
        print(
            f"\r{run.command}: {done} of {total}, {time.monotonic() - began:.0f} s ",
            end="",
            file=sys.stderr,
            flush=True,
        )

    figures = arena.play(run.games, workers=workers, progress=progress)
    share = figures["bots"][0]["share"]
    print(
        f"\r{run.command}: {share['share']:.1%} [{share['low']:.1%}, {share['high']:.1%}]{' ' * 20}",
        file=sys.stderr,
    )
    (run.folder(root) / "figures.json").write_text(json.dumps(figures) + "\n", encoding="utf-8")


def row(run: Run, figures: dict[str, Any]) -> list[str]:
    first, second = figures["bots"]
    share = first["share"]
    return [
        run.game,
        str(run.players),
        f"{run.stronger}, {run.weaker}",
        f"{figures['games']:,}",
        f"{share['share']:.1%}",
        f"{share['low']:.1%} – {share['high']:.1%}",
        run.asked,
        f"{first['points']:.1f}, {second['points']:.1f}",
        f"{first['milliseconds']:.2f}, {second['milliseconds']:.2f}",
    ]


def table(chosen: list[str], root: Path, quick: bool) -> str:
    """By game, as Markdown; runs without figures are left out."""
    lines = [HEADINGS, tuple("-" if heading in ("game", "bots", "asked") else "-:" for heading in HEADINGS)]
    ordered = sorted(
        runs(chosen, quick), key=lambda run: (run.game, run.players != DEFAULT_PLAYERS[run.game], run.players)
    )
    for run in ordered:
        path = run.folder(root) / "figures.json"
        if path.exists():
            lines.append(tuple(row(run, json.loads(path.read_text(encoding="utf-8")))))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("games", nargs="*", choices=[[], *names()], help="only these games")
    parser.add_argument(
        "--bots", metavar="LEVEL", nargs="*", help="only pairings whose stronger side is one of these"
    )
    parser.add_argument(
        "--out", type=Path, default=Path(".strength"), help="where runs are recorded (default .strength)"
    )
    parser.add_argument("--quick", action="store_true", help="a tenth of the games")
    parser.add_argument("--most", type=int, metavar="N", help="the most games of a run")
    parser.add_argument("--usual", action="store_true", help="only the usual tables")
    parser.add_argument("--workers", type=int, help="processes (default: one per core)")
    parser.add_argument("--table", action="store_true", help="play nothing: print the table of what is there")
    options = parser.parse_args()
    chosen = options.games or names()
    if not options.table:
        for run in runs(chosen, options.quick, options.most, options.usual):
            if not options.bots or run.stronger in options.bots:
                play(run, options.out, options.workers)
    print(table(chosen, options.out, options.quick))


if __name__ == "__main__":
    main()
