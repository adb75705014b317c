"""comptoir simulate: random games by the million, or fewer by bots, and what they say."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from comptoir.cli.arguments import (
    add_game,
    add_json,
    add_match_options,
    chosen_options,
    cli_words,
    int_at_least,
)
from comptoir.cli.compiling import compile_bots, compile_work, print_fallbacks
from comptoir.engine.game import Game, get_game
from comptoir.engine.simulate import PLAYOUTS_TARGET, SimulationSummary, simulate
from comptoir.engine.words import Words
from comptoir.research.batch import DEVICES

RANDOM = ("random", "passer-by", "passant")
GAMES, GAMES_BY_BOTS = 100_000, 200


def arguments(parser: argparse.ArgumentParser, words: Words, game_named: str | None) -> None:
    add_game(parser, words)
    add_match_options(parser, words, game_named)
    number = int_at_least(words, least=1)
    parser.add_argument("--policy", default="random", metavar="LEVEL", help=words.say("cli.policy"))
    parser.add_argument("--games", type=number, metavar="N", help=words.say("cli.games"))
    parser.add_argument("--seed", default="1", help=words.say("cli.seed_one"))
    parser.add_argument("--device", choices=DEVICES, help=words.say("cli.device_whole"))
    parser.add_argument("--threads", type=number, metavar="N", help=words.say("cli.threads"))
    add_json(parser, words)


def run(options: argparse.Namespace, words: Words) -> int:
    """Plays and prints."""
    chosen = get_game(options.game)
    words = cli_words(chosen.name, words.lang)
    match_options = chosen.read_options(**chosen_options(options))
    level = None if options.policy in RANDOM else options.policy
    compiled = level is None or options.device
    options.games = options.games or (GAMES if compiled else GAMES_BY_BOTS)
    play = _play_whole if options.device else _play
    statistics = play(chosen, match_options, level, options, words)
    if options.json:
        print(json.dumps(statistics))
    else:
        _print(statistics, options.threads or os.cpu_count() or 1, words)
    return 0


def _play(
    chosen: Game,
    match_options: dict[str, str],
    level: str | None,
    options: argparse.Namespace,
    words: Words,
) -> SimulationSummary:
    """Random games, or games by bots of a level."""
    components = chosen.read_components(options.components)
    errors = Console(stderr=True)
    if level is None:
        compile_work(chosen, PLAYOUTS_TARGET, words, errors)
    else:
        from comptoir.lab import canonical_level

        level = canonical_level(level)
        print_fallbacks(chosen, components, [level], words, errors)
        compile_bots(chosen, [level], words, errors)
    with _bar(options.games, words, errors) as progress:
        if level is not None:
            from comptoir.lab.bot_simulation import simulate_by

            return simulate_by(
                level,
                chosen.name,
                options.games,
                seed=options.seed,
                components=[options.components] if options.components else (),
                workers=options.threads,
                progress=progress,
                **match_options,
            )
        return simulate(
            chosen,
            match_options,
            options.games,
            options.seed,
            components.box,
            options.threads,
            progress,
        )


def _play_whole(
    chosen: Game,
    match_options: dict[str, str],
    level: str | None,
    options: argparse.Namespace,
    words: Words,
) -> SimulationSummary:
    """Random games or heuristic games, on a device."""
    from comptoir.research.bulk import BULK_TARGET, BulkSimulator, simulate_bulk

    errors, device = Console(stderr=True), options.device
    if device == "cpu":
        compile_work(chosen, BULK_TARGET, words, errors)
    with errors.status(words.say("simulate.preparing")):
        more = match_options | {"components": options.components}
        whole = BulkSimulator(chosen.name, level or "random", device=device, threads=options.threads, **more)
    with _bar(options.games, words, errors) as progress:
        return simulate_bulk(whole, options.games, options.seed, progress)


@contextmanager
def _bar(games: int, words: Words, errors: Console) -> Iterator[Callable[[int], None]]:
    """A bar to look at, and what tells it how many games are over."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=errors, transient=True) as bar:
        task = bar.add_task(words.say("simulate.running"), total=games)
        yield lambda done: bar.update(task, completed=done)


def _print(statistics: SimulationSummary, threads: int, words: Words) -> None:
    console = Console(highlight=False)
    title, players, number = words.say("game.title"), statistics["options"]["players"], words.number
    about = {"game": title, "games": number(statistics["games"]), "players": players}
    if "level" in statistics:
        spec = statistics["level"]
        about["level"] = words.say(f"levels.{spec}") if f"levels.{spec}" in words.texts else spec
    key = (
        "title_by"
        if "level" in statistics
        else "title_habit"
        if statistics.get("policy") == "heuristic"
        else "title"
    )
    console.print(words.say(f"simulate.{key}", **about), style="bold")
    speed = {
        "games": number(statistics["games_per_second"]),
        "decisions": number(statistics["decisions_per_second"]),
    }
    key = "simulate.speed_gpu" if statistics.get("device") == "cuda" else "simulate.speed"
    console.print(words.say(key, **speed, threads=threads, seconds=number(statistics["seconds"], 2)))
    lengths = statistics["decisions"]
    shown = {
        "mean": number(lengths["mean"]),
        "half": lengths["p50"],
        "least": lengths["least"],
        "most": lengths["most"],
    }
    console.print(words.say("simulate.length", **shown), soft_wrap=True)
    console.print(_seats(statistics, words))
    console.print(_sources(statistics, words))
    endings = [
        f"{words.say(f'endings.{name}')} {words.percent(n / statistics['games'])}"
        for name, n in statistics["endings"].items()
    ]
    console.print(words.say("simulate.endings", endings=", ".join(endings)), soft_wrap=True)


def _sources(statistics: SimulationSummary, words: Words) -> Table:
    """Where the points come from: the mean of a game, for each seat."""
    table = Table(box=None, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column(words.say("simulate.sources", unit=words.say("score.unit")))
    for row in statistics["seats"]:
        table.add_column(words.say("simulate.of_seat", n=row["seat"]), justify="right")
    for source in statistics["seats"][0]["sources"]:
        table.add_row(
            words.say(f"sources.{source}"),
            *(words.number(row["sources"][source], 1) for row in statistics["seats"]),
        )
    return table


def _seats(statistics: SimulationSummary, words: Words) -> Table:
    table = Table(box=None, header_style="dim", padding=(0, 2, 0, 0))
    for key in (
        "simulate.seat",
        "simulate.wins",
        "simulate.interval",
        "score.unit",
        "simulate.range",
        "simulate.extremes",
    ):
        table.add_column(words.say(key), justify="right")
    for row in statistics["seats"]:
        wins, points = row["wins"], row["points"]
        table.add_row(
            str(row["seat"]),
            words.percent(wins["share"]),
            f"{words.percent(wins['low'])} – {words.percent(wins['high'])}",
            f"{words.number(points['mean'], 1)} ± {words.number(points['sd'], 1)}",
            f"{points['p5']} – {points['p95']}",
            f"{points['least']} – {points['most']}",
        )
    return table
