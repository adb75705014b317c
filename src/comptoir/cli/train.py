"""comptoir train: a network learns a game by playing it with itself."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from comptoir.bots.network import POLICY, Floats, read_network
from comptoir.cli.arguments import add_game, cli_words, seconds, whole_number
from comptoir.engine.game import get_game
from comptoir.engine.words import Words
from comptoir.errors import OptionError

if TYPE_CHECKING:
    from comptoir.learn.run import CurvePoint, Run

DEVICES = ("cuda", "cpu")
# By device and way: how much is learned at a time, the size of the network, and whom it meets in trials.
SIZES: dict[tuple[str, str], dict[str, Any]] = {
    ("cpu", "search"): {"memory": 400_000, "batch": 1024, "wide": 64, "narrow": 32},
    ("cuda", "search"): {"memory": 6_000_000, "batch": 8192, "wide": 64, "narrow": 32},
    ("cpu", "play"): {"parallel_games": 512, "batch": 8192, "wide": 128, "narrow": 64, "opponents": (500,)},
    ("cuda", "play"): {"batch": 32_768, "wide": 256, "narrow": 128, "opponents": (500,)},
}


def arguments(parser: argparse.ArgumentParser, words: Words, game_named: str | None) -> None:
    add_game(parser, words)
    number = whole_number(words, least=1)
    parser.add_argument(
        "--minutes", type=seconds(words), default=10.0, metavar="N", help=words.say("cli.minutes")
    )
    parser.add_argument("--out", metavar="DIR", help=words.say("cli.out_train"))
    parser.add_argument("--resume", action="store_true", help=words.say("cli.resume_train"))
    parser.add_argument("--from", dest="start", metavar="FILE", help=words.say("cli.train_from"))
    parser.add_argument("--device", choices=DEVICES, help=words.say("cli.device"))
    parser.add_argument("--by", choices=("play", "search"), help=words.say("cli.train_by"))
    parser.add_argument("--threads", type=number, metavar="N", help=words.say("cli.threads"))
    parser.add_argument(
        "--seed", type=whole_number(words, least=0), default=1, metavar="N", help=words.say("cli.seed_one")
    )
    parser.add_argument(
        "--iterations", type=number, default=32, metavar="N", help=words.say("cli.train_iterations")
    )
    parser.add_argument(
        "--patience",
        type=whole_number(words, least=0),
        metavar="N",
        help=words.say("cli.patience"),
    )
    parser.add_argument("--wide", type=number, metavar="N", help=words.say("cli.wide"))


def run(options: argparse.Namespace, words: Words) -> int:
    """Learns, and tells how it goes."""
    chosen = get_game(options.game)
    words = cli_words(chosen.name, words.lang)
    made = _run(options, words)
    errors = Console(stderr=True, highlight=False)
    minutes = words.number(options.minutes, 0 if options.minutes == int(options.minutes) else 1)
    told = {"minutes": minutes, "device": made.device, "threads": made.threads}
    errors.print(words.say("train.begin", title=words.say("game.title"), **told), soft_wrap=True)
    print(_heading(made, words), flush=True)
    try:
        made.go(lambda point: print(curve_line(point, words), flush=True))
    except KeyboardInterrupt:
        errors.print(words.say("train.stopped", folder=str(made.folder)), soft_wrap=True)
        return 130
    weights = str(made.folder / "network.npz")
    errors.print(words.say("train.done", game=chosen.name, weights=weights), soft_wrap=True)
    return 0


def _run(options: argparse.Namespace, words: Words) -> Run:
    from comptoir.learn.learner import load_torch
    from comptoir.learn.run import Run, TrainConfig

    gpu = load_torch().cuda.is_available()
    if options.device == "cuda" and not gpu:
        raise OptionError(words.say("train.no_gpu"))
    device = options.device or ("cuda" if gpu else "cpu")
    start = _start(options, words)
    by = options.by or ("play" if device == "cuda" or (start and POLICY[0] in start) else "search")
    if start and (POLICY[0] in start) != (by == "play"):
        raise OptionError(words.say("train.other_way", file=options.start, by=by))
    size = SIZES[device, by] | ({"wide": options.wide} if options.wide else {})
    if start:
        size |= {"wide": len(start["bias"]), "narrow": len(start["second_bias"])}
    plan = TrainConfig(
        options.game,
        by,
        minutes=options.minutes,
        seed=options.seed,
        iterations=options.iterations,
        search={} if options.patience is None else {"rollout_depth": float(options.patience)},
        **size,
    )
    folder = Path(options.out or f"train-{options.game}")
    made = Run(get_game(options.game), plan, folder, device, options.threads)
    if options.resume:
        made.resume()
    elif made.exists:
        raise OptionError(words.say("train.taken", folder=str(folder)))
    elif start:
        made.learner.start_from(start)
    return made


def _start(options: argparse.Namespace, words: Words) -> dict[str, Floats] | None:
    """The weights that a new run starts with, if a file of them is named."""
    if options.start is None:
        return None
    if options.resume or options.wide:
        raise OptionError(words.say("train.from_alone"))
    return read_network(Path(options.start), get_game(options.game)).arrays


def _heading(made: Run, words: Words) -> str:
    trial = words.say("train.trial", n=made.plan.opponents[0])
    return "  ".join([*(words.say(f"train.{key}") for key in ("time", "games", "loss", "judged")), trial])


def curve_line(point: CurvePoint, words: Words) -> str:
    """One network: when, after how many games, how well it foresees, and how well it plays."""
    from comptoir.learn.run import interval

    figures = [words.number(point.minutes, 1), words.number(point.games)]
    figures += ["–" if loss is None else words.number(loss, 3) for loss in (point.loss, point.judged)]
    for games, share, _ in point.trials.values():
        half = words.number(100 * interval(games, share))
        figures.append(f"{words.percent(share)} ± {half}")
    return "  ".join(figures)
