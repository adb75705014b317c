"""How the bots open the first auction of Batavia, and whom that leaves without a decision.

    python bench/openings.py                       100 tables for each level
    python bench/openings.py --bots search:500     one bot

At each table the first auction is played by bots of one kind. A forced pass is a seat whose first decision in
the match was none, because somebody had bid all that it has.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

from comptoir.bots.seated import SeatedBot
from comptoir.engine.game import get_game
from comptoir.engine.match import Match

BOTS = ("passer-by", "clerk", "merchant", "search:500", "search:5000")
PLAYERS = 4


@dataclass(frozen=True)
class FirstAuction:
    """The first auction of a match."""

    opening: int  # the first bid; 0 where everybody passed
    price: int
    forced: int  # seats whose first decision was a forced pass


def first_auction(spec: str, seed: int) -> FirstAuction:
    get_game("batavia").compiled  # noqa: B018  asked for, so that the match uses it
    match = Match("batavia", players=PLAYERS, seed=f"opening-{seed}")
    bots = [SeatedBot(spec, match, seat, f"opening {seed} {seat}", threads=1) for seat in range(PLAYERS)]
    bids, decided, forced = [0], set[int](), 0
    while match.turn is not None:
        first_time = match.turn not in decided
        decided.add(match.turn)
        forced += first_time and match.actions() == ["pass"]
        action = bots[match.turn].choose()
        if action.startswith("bid "):
            bids.append(int(action.removeprefix("bid ")))
        elif action != "pass":
            break  # the first move
        match.play(action)
    return FirstAuction(next(filter(None, bids), 0), bids[-1], forced)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bots", metavar="LEVEL", nargs="+", default=list(BOTS), help="who bids")
    parser.add_argument("--tables", type=int, default=100, help="tables for each (default 100)")
    options = parser.parse_args()
    print("| bots | tables | opening bid | highest | all bills | price | forced passes a table |")
    print("| - | -: | -: | -: | -: | -: | -: |")
    for spec in options.bots:
        played = [first_auction(spec, seed) for seed in range(options.tables)]
        openings = [auction.opening for auction in played]
        mean, price, forced = (
            sum(figures) / len(played)
            for figures in (
                openings,
                [auction.price for auction in played],
                [auction.forced for auction in played],
            )
        )
        all_bills = sum(opening >= 15 for opening in openings)
        print(
            f"| {spec} | {len(played)} | {mean:.1f} | {max(openings)} | {all_bills} | {price:.1f}"
            f" | {forced:.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
