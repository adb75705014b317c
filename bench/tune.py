"""Better weights for a game's evaluation, found by playing: a hill climb in the arena (comptoir.lab.tune).

    python bench/tune.py century --players 3 --games 200 --minutes 30
    python bench/tune.py batavia --bots merchant:200 --names rollout_depth c_puct prior_temperature prior_visits

The result is an evaluation.toml that says which run made it; compare it with the one in use before you take it
over: comptoir arena GAME --bots clerk,clerk@tuned.toml --games 1000
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from comptoir.engine.game import get_game
from comptoir.engine.registry import names
from comptoir.errors import OptionError
from comptoir.lab.tune import GAMES, HillClimb


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
        help="who plays with the weights: clerk, merchant:200 … (default clerk)",
    )
    parser.add_argument(
        "--names",
        nargs="+",
        default=(),
        metavar="NAME",
        help="only these, of [weights] or [search] (default: all weights)",
    )
    parser.add_argument("--start", type=Path, help="a judgement to start from (default: the game's own)")
    parser.add_argument("--games", type=int, default=GAMES, help=f"games a step (default {GAMES})")
    parser.add_argument("--minutes", type=float, default=10, help="how long to climb (default 10)")
    parser.add_argument(
        "--seed",
        type=int,
        default=1,
        help="fixes all chance, but for the number of steps in the time (default 1)",
    )
    parser.add_argument("--workers", type=int, help="processes (default: one per core)")
    parser.add_argument(
        "--out", type=Path, default=Path("tuned.toml"), help="where the result goes (default tuned.toml)"
    )
    given = vars(parser.parse_args())
    out, players = given.pop("out"), given.pop("players")
    options = [get_game(given["game"]).read_options(players)]
    about = {"command": " ".join(["python bench/tune.py", *sys.argv[1:]])}
    try:
        found = HillClimb(options=options, about=about, **given).tune(
            out, lambda line: print(line, flush=True)
        )
    except OptionError as error:
        sys.exit(f"tune: {error}")
    print(f"{found.sentence}\nwritten to {out}")


if __name__ == "__main__":
    main()
