"""comptoir train: train a network by self-play."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from comptoir.bots.network import Network, read_network
from comptoir.cli.arguments import add_game, cli_words, int_at_least, seconds
from comptoir.engine.game import Game, get_game
from comptoir.engine.words import Words
from comptoir.errors import OptionError

if TYPE_CHECKING:
    from comptoir.learn.run import CurvePoint, Run, TrainConfig

DEVICES = ("cuda", "cpu")


def arguments(parser: argparse.ArgumentParser, words: Words, game_named: str | None) -> None:
    add_game(parser, words)
    number = int_at_least(words, least=1)
    parser.add_argument(
        "--minutes", type=seconds(words), default=10.0, metavar="N", help=words.say("cli.minutes")
    )
    parser.add_argument("--out", metavar="DIR", help=words.say("cli.out_train"))
    parser.add_argument("--resume", action="store_true", help=words.say("cli.resume_train"))
    parser.add_argument("--from", dest="start", metavar="FILE", help=words.say("cli.train_from"))
    parser.add_argument("--device", choices=DEVICES, help=words.say("cli.device"))
    parser.add_argument("--method", choices=("ppo", "search"), help=words.say("cli.train_method"))
    parser.add_argument("--threads", type=number, metavar="N", help=words.say("cli.threads"))
    parser.add_argument(
        "--seed", type=int_at_least(words, least=0), default=1, metavar="N", help=words.say("cli.seed_one")
    )
    parser.add_argument(
        "--iterations", type=number, default=32, metavar="N", help=words.say("cli.train_iterations")
    )
    parser.add_argument(
        "--rollout-depth",
        type=int_at_least(words, least=0),
        metavar="N",
        help=words.say("cli.train_rollout_depth"),
    )
    parser.add_argument("--width", type=number, metavar="N", help=words.say("cli.width"))


def run(options: argparse.Namespace, words: Words) -> int:
    """Train, and print the curve."""
    chosen = get_game(options.game)
    words = cli_words(chosen.name, words.lang)
    training = _run(options, words)
    try:
        return _train(training, chosen, options, words)
    finally:
        training.group.leave()


def _train(training: Run, chosen: Game, options: argparse.Namespace, words: Words) -> int:
    if not training.group.is_first:
        return _train_along(training)
    errors = Console(stderr=True, highlight=False)
    minutes = words.number(options.minutes, 0 if options.minutes == int(options.minutes) else 1)
    about = {"minutes": minutes, "device": training.device, "threads": training.threads}
    errors.print(words.say("train.begin", title=words.say("game.title"), **about), soft_wrap=True)
    print(_heading(training, words), flush=True)
    try:
        training.go(lambda point: print(curve_line(point, words), flush=True))
    except KeyboardInterrupt:
        errors.print(words.say("train.stopped", folder=str(training.folder)), soft_wrap=True)
        return 130
    weights = str(training.folder / "network.npz")
    errors.print(words.say("train.done", game=chosen.name, weights=weights), soft_wrap=True)
    return 0


def _train_along(training: Run) -> int:
    """Train in a process of torchrun that is not the first: it prints nothing."""
    try:
        training.go()
    except KeyboardInterrupt:
        return 130
    return 0


def _run(options: argparse.Namespace, words: Words) -> Run:
    from comptoir.learn.distributed import join_processes
    from comptoir.learn.learner import load_torch
    from comptoir.learn.run import POLICY_SEARCH_SIZES, SIZES, Run, TrainConfig, recorded_config

    gpu = load_torch().cuda.is_available()
    if options.device == "cuda" and not gpu:
        raise OptionError(words.say("train.no_gpu"))
    device = options.device or ("cuda" if gpu else "cpu")
    start = _start(options, words)
    folder = Path(options.out or f"train-{options.game}")
    before = recorded_config(folder) if options.resume else None
    method = options.method or _default_method(device, start, before)
    policy = method == "search" and (
        "policy" in start.arrays if start else before is not None and before.policy
    )
    if start and method == "ppo" and "policy" not in start.arrays:
        raise OptionError(words.say("train.no_policy", file=options.start))
    _check_processes(device, method, words)
    size = SIZES[device, method] | (POLICY_SEARCH_SIZES[device] if policy else {})
    search = {} if options.rollout_depth is None else {"rollout_depth": float(options.rollout_depth)}
    if policy:
        search = (start.search if start else before.search if before else {}) | search
    if start:
        size |= {"width": len(start.arrays["bias"]), "second_width": len(start.arrays["value_second_bias"])}
    elif policy and before:
        size |= {"width": before.width, "second_width": before.second_width}
    elif options.width:
        size |= {"width": options.width}
    config = TrainConfig(
        options.game,
        method,
        minutes=options.minutes,
        seed=options.seed,
        iterations=options.iterations,
        search=search,
        policy=policy,
        **size,
    )
    group = join_processes(device)
    training = Run(get_game(options.game), config, folder, device, options.threads, group)
    if options.resume:
        training.resume()
    elif training.exists:
        raise OptionError(words.say("train.taken", folder=str(folder)))
    elif start:
        training.learner.start_from(start.arrays)
    return training


def _check_processes(device: str, method: str, words: Words) -> None:
    """Whether the processes that torchrun started can train together."""
    from comptoir.learn.distributed import launched, local_processes
    from comptoir.learn.learner import load_torch

    if launched() and method != "ppo":
        raise OptionError(words.say("train.processes_ppo"))
    gpus = load_torch().cuda.device_count()
    if device == "cuda" and local_processes() > gpus:
        raise OptionError(words.say("train.few_gpus", n=gpus, processes=local_processes()))


def _default_method(device: str, start: Network | None, before: TrainConfig | None) -> str:
    if before:
        return before.method
    return "ppo" if device == "cuda" or (start and "policy" in start.arrays) else "search"


def _start(options: argparse.Namespace, words: Words) -> Network | None:
    """The network that a new run starts from, if a file is given."""
    if options.start is None:
        return None
    if options.resume or options.width:
        raise OptionError(words.say("train.from_alone"))
    return read_network(Path(options.start), get_game(options.game))


def _heading(training: Run, words: Words) -> str:
    trial = words.say("train.trial", n=training.config.opponents[0])
    return "  ".join([*(words.say(f"train.{key}") for key in ("time", "games", "loss", "baseline")), trial])


def curve_line(point: CurvePoint, words: Words) -> str:
    """A line of the curve: minutes, games, losses, and the results of evaluation games."""
    from comptoir.learn.run import interval

    cells = [words.number(point.minutes, 1), words.number(point.games)]
    cells += ["–" if loss is None else words.number(loss, 3) for loss in (point.loss, point.baseline_loss)]
    for games, share, _ in point.trials.values():
        half = words.number(100 * interval(games, share))
        cells.append(f"{words.percent(share)} ± {half}")
    return "  ".join(cells)
