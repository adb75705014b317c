"""Reviews of bots' matches: how many of a captain's own turns are named, and whether another seed of the judge
changes a name; and what share of the promised win each level keeps.

    python bench/reviews.py OUT --games 3                    # captains among themselves, and one of each level

Every match is reviewed twice, with different seeds. OUT gets a line of JSON per match, so that a run that was
stopped continues.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import comptoir
from comptoir.bots import question_for
from comptoir.bots.levels import make
from comptoir.engine import registry
from comptoir.engine.match import Match
from comptoir.review import Review, review

SEEDS = ("review one", "review two")
TABLES = {"captains": ("captain",), "levels": ("captain", "merchant", "clerk", "passer-by")}


def played(game: str, bots: tuple[str, ...], nth: int) -> tuple[Match, list[str]]:
    """A match of these bots; who begins the round of seats differs from match to match."""
    match = comptoir.new(game, seed=f"bench-{nth}")
    seats = [bots[(seat + nth) % len(bots)] for seat in range(match.players)]
    thinkers = [
        make(bot, match.game, match.components, f"bench {nth} {seat}", threads=1)
        for seat, bot in enumerate(seats)
    ]
    while not match.over:
        assert match.turn is not None
        match.play(thinkers[match.turn].decide_from(question_for(match, match.turn)))
    return match, seats


def summary(made: Review, seats: list[str]) -> dict[str, object]:
    """What a review comes to, in numbers."""
    return {
        "turns": [sum(turn.seat == seat for turn in made.judged_turns) for seat in range(len(seats))],
        "named": [[turn.first, turn.seat, turn.kind, turn.sure_loss] for turn in made.costly_turns()],
        "accuracy": [made.accuracy(seat) for seat in range(len(seats))],
        "losses": [
            [
                [turn.best.share, turn.played.loss, turn.played.margin]
                for turn in made.judged_turns
                if turn.seat == seat
            ]
            for seat in range(len(seats))
        ],
        "chances": made.chances,
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("--games", type=int, default=3, help="matches per game and kind of table")
    parser.add_argument("--game", choices=registry.names(), action="append", help="only this one")
    parser.add_argument("--table", choices=TABLES, action="append", help="only this kind")
    options = parser.parse_args()
    lines = options.out.read_text(encoding="utf-8").splitlines() if options.out.exists() else []
    done = {(line["game"], line["table"], line["match"]) for line in map(json.loads, lines)}
    for nth in range(options.games):
        for table in options.table or TABLES:
            for game in options.game or registry.names():
                if (game, table, nth) in done:
                    continue
                match, seats = played(game, TABLES[table], nth)
                reviews = [summary(review(match, seed=seed), seats) for seed in SEEDS]
                line = {"game": game, "table": table, "match": nth, "seats": seats, "reviews": reviews}
                with options.out.open("a", encoding="utf-8") as out:
                    out.write(json.dumps(line) + "\n")
                names = [[named[:3] for named in one["named"]] for one in reviews]  # type: ignore[attr-defined]
                print(game, table, nth, match.ply, "actions:", *names, flush=True)


if __name__ == "__main__":
    main()
