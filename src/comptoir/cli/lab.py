"""comptoir lab: what a change to a game's components does."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from comptoir.arena.workers import load_ray
from comptoir.cli.arguments import add_game, add_json, add_match_options, chosen_options, share, whole_number
from comptoir.cli.compiling import compile_bots
from comptoir.engine.words import Words, words_of
from comptoir.errors import OptionError
from comptoir.extras import needs
from comptoir.lab import Experiment, Result
from comptoir.lab.figures import Figure
from comptoir.lab.telling import Teller

ROOMS = ("bots", "arena", "cli", "lab")
SHOWN = ("order", "half", "minutes", "turns", "guard")  # groups that the terminal always shows


def arguments(parser: argparse.ArgumentParser, words: Words, game_named: str | None) -> None:
    add_game(parser, words)
    add_match_options(parser, words, game_named, several=True)
    number = whole_number(words, least=1)
    say = words.say
    parser.add_argument("--change", action="append", default=[], metavar="KEY=VALUE", help=say("cli.change"))
    parser.add_argument("--level", default="merchant", metavar="LEVEL", help=say("cli.level_lab"))
    parser.add_argument("--games", type=number, metavar="N", help=say("cli.games_lab"))
    parser.add_argument("--until", type=share(words), metavar="1%", help=say("cli.until").replace("%", "%%"))
    parser.add_argument("--seed", default="1", help=say("cli.seed_one"))
    parser.add_argument("--html", metavar="FILE", help=say("cli.html"))
    parser.add_argument("--csv", metavar="FILE", help=say("cli.csv"))
    parser.add_argument("--parquet", metavar="FILE", help=say("cli.parquet"))
    parser.add_argument("--out", metavar="DIR", help=say("cli.out"))
    parser.add_argument("--resume", action="store_true", help=say("cli.resume_lab"))
    parser.add_argument("--fresh", action="store_true", help=say("cli.fresh"))
    parser.add_argument("--workers", type=number, metavar="N", help=say("cli.workers"))
    parser.add_argument("--ray", metavar="ADDRESS", help=say("cli.ray"))
    add_json(parser, words)


def run(options: argparse.Namespace, words: Words) -> int:
    """Plays and tells."""
    words = words_of(options.game, words.lang, rooms=ROOMS)
    _check(options)
    experiment = Experiment(
        options.game,
        change=options.change,
        components=options.components or (),
        level=options.level,
        seed=options.seed,
        folder=options.out,
        **chosen_options(options),
    )
    errors = Console(stderr=True, highlight=False)
    result = _play(experiment, options, words, errors)
    if result is None:
        return 130
    _write(result, options, words, errors)
    if options.json:
        print(json.dumps(result.plain(), ensure_ascii=False))
    else:
        _print(result, words)
        errors.print(words.say("lab.recorded", folder=str(experiment.folder)), style="dim", soft_wrap=True)
    return 0


def _check(options: argparse.Namespace) -> None:
    """Finds now what would fail after minutes."""
    for name in ("html", "csv", "parquet"):
        path = getattr(options, name)
        if path is not None and not Path(path).absolute().parent.is_dir():
            raise OptionError(f"{name}: there is no folder {str(Path(path).parent)!r}")
    if options.parquet:
        with needs("lab"):
            import pyarrow.parquet  # noqa: F401
    if options.ray is not None:
        load_ray()


def _play(
    experiment: Experiment, options: argparse.Namespace, words: Words, errors: Console
) -> Result | None:
    """The result; None if it was stopped before the end."""
    compile_bots(experiment.game, dict.fromkeys(["clerk", experiment.level]), words, errors)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    done = total = 0
    slow = 3600  # seconds to look back for the speed: a match may take minutes
    with Progress(
        *columns, console=errors, transient=True, disable=not errors.is_terminal, speed_estimate_period=slow
    ) as bar:
        task = bar.add_task(words.say("lab.running"), total=None)

        def progress(now: int, of: int) -> None:
            nonlocal done, total
            if of != total:  # what was played before says nothing about the time left
                bar.reset(task, total=of, completed=now)
            done, total = now, of
            bar.update(task, completed=now)

        more: dict[str, Any] = {"workers": options.workers, "ray": options.ray, "fresh": options.fresh}
        try:
            return experiment.play(options.games, until=options.until, progress=progress, **more)
        except KeyboardInterrupt:
            bar.stop()
            errors.print(words.say("lab.stopped", done=done, total=total), soft_wrap=True)
            return None


def _write(result: Result, options: argparse.Namespace, words: Words, errors: Console) -> None:
    for name in ("html", "csv", "parquet"):
        path = getattr(options, name)
        if path is None:
            continue
        try:
            if name == "parquet":
                result.save_parquet(Path(path))
            else:
                text = result.html(words.lang) if name == "html" else result.csv()
                Path(path).write_text(text, encoding="utf-8")
        except OSError as error:
            raise OptionError(f"{name}: {path} cannot be written: {error.strerror}") from None
        errors.print(words.say("lab.written", path=path), style="dim", soft_wrap=True)


def _print(result: Result, words: Words) -> None:
    console, definition = Console(highlight=False), result.definition
    two = len(definition.components) == 2
    title = words.say("lab.title" if two else "lab.title_alone", game=words.say("game.title"))
    console.print(title, style="bold")
    for key, before, after in result.experiment.changes:
        console.print(Text(f"  {key}: {before} → {after}"))
    teller = Teller(words)
    for table, options in enumerate(definition.options):
        level = teller.level(definition.level)
        about = {"deals": words.number(result.deals), "level": level, "seed": definition.seed}
        key = "lab.played" if two else "lab.played_alone"
        console.print()
        players = words.say("lab.players", n=int(options["players"]))
        console.print(f"{players} · {words.say(key, **about)}", style="bold", soft_wrap=True)
        figures = result.figures[table]
        if two:
            for sentence in teller.findings(figures, result.is_same(table)):
                console.print(Text(f"• {sentence}"), soft_wrap=True)
            console.print()
        console.print(_table([one for one in figures if one.group in SHOWN], teller, words, two))


def _table(figures: list[Figure], teller: Teller, words: Words, two: bool) -> Table:
    table = Table(box=None, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column(words.say("lab.figure"))
    keys = ("lab.before", "lab.after", "lab.difference") if two else ("lab.before",)
    for key in (*keys, "lab.interval"):
        table.add_column(words.say(key), justify="right", no_wrap=True)
    for figure in figures:
        told = figure.difference if two else None
        cells = [teller.value(figure, box.value) for box in figure.boxes]
        if told:
            cells += [
                teller.change(figure, told.value),
                f"{teller.change(figure, told.low)} – {teller.change(figure, told.high)}",
            ]
        else:
            low, high = figure.boxes[0].low, figure.boxes[0].high
            cells.append(f"{teller.value(figure, low)} – {teller.value(figure, high)}")
        table.add_row(teller.name(figure), *cells, style="bold" if told and told.found else "")
    return table
