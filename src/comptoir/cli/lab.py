"""comptoir lab: what a change to a game's components does."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from comptoir.arena.workers import load_ray
from comptoir.bots.levels import split_specs
from comptoir.cli.arguments import add_game, add_json, add_match_options, chosen_options, int_at_least, share
from comptoir.cli.compiling import compile_bots, compile_work
from comptoir.cli.progress import with_progress
from comptoir.console import Terminal, json_line
from comptoir.engine.game import Game, get_game
from comptoir.engine.words import Words, words_of
from comptoir.errors import OptionError
from comptoir.extras import needs
from comptoir.lab import Experiment, Result, canonical_level
from comptoir.lab.fit import fit
from comptoir.lab.grid import Grid
from comptoir.lab.metric_result import MetricResult
from comptoir.lab.narrator import BOXES, Narrator
from comptoir.lab.report import grid_page, grid_rows
from comptoir.lab.skill import BETTER, WEAKER, Skill, read_pair, skill_of
from comptoir.research.batch import DEVICES
from comptoir.research.bulk import BULK_TARGET

ROOMS = ("bots", "arena", "cli", "lab")
MAX_FILES = 2


def arguments(parser: argparse.ArgumentParser, words: Words, game_named: str | None) -> None:
    add_game(parser, words)
    add_match_options(parser, words, game_named, several=True)
    number = int_at_least(words, least=1)
    say = words.say
    parser.add_argument("--change", action="append", default=[], metavar="KEY=VALUE", help=say("cli.change"))
    parser.add_argument("--vary", action="append", default=[], metavar="KEY=A..B", help=say("cli.vary"))
    parser.add_argument("--fit", action="store_true", help=say("cli.fit"))
    parser.add_argument("--target", action="append", default=[], metavar="NAME=A..B", help=say("cli.target"))
    parser.add_argument("--trials", type=number, default=20, metavar="N", help=say("cli.trials"))
    parser.add_argument("--level", default="merchant", metavar="LEVEL", help=say("cli.level_lab"))
    parser.add_argument("--games", type=number, metavar="N", help=say("cli.games_lab"))
    parser.add_argument(
        "--precision", type=share(words), metavar="1%", help=say("cli.precision").replace("%", "%%")
    )
    parser.add_argument("--tune", type=number, metavar="MINUTES", help=say("cli.tune"))
    parser.add_argument("--skill", type=number, metavar="N", help=say("cli.skill"))
    parser.add_argument(
        "--skill-bots", default=f"{BETTER},{WEAKER}", metavar="A,B", help=say("cli.skill_bots")
    )
    parser.add_argument("--seed", default="1", help=say("cli.seed_one"))
    parser.add_argument("--html", metavar="FILE", help=say("cli.html"))
    parser.add_argument("--csv", metavar="FILE", help=say("cli.csv"))
    parser.add_argument("--parquet", metavar="FILE", help=say("cli.parquet"))
    parser.add_argument("--out", metavar="DIR", help=say("cli.out"))
    parser.add_argument("--resume", action="store_true", help=say("cli.resume_lab"))
    parser.add_argument("--fresh", action="store_true", help=say("cli.fresh"))
    parser.add_argument("--device", choices=DEVICES, help=say("cli.device_whole"))
    parser.add_argument("--workers", type=number, metavar="N", help=say("cli.workers"))
    parser.add_argument("--ray", metavar="ADDRESS", help=say("cli.ray"))
    add_json(parser, words)


def run(options: argparse.Namespace, words: Words) -> int:
    """Plays and tells."""
    words = words_of(options.game, words.lang, packages=ROOMS)
    _check(options)
    about = {
        "change": options.change,
        "components": options.components or (),
        "level": options.level,
        "seed": options.seed,
        "folder": options.out,
        "device": options.device,
        **chosen_options(options),
    }
    errors = Terminal(stderr=True, highlight=False)
    if options.fit:
        return _fit(about, options, words, errors)
    grid = Grid(options.game, options.vary, **about) if options.vary else None
    experiment = grid.experiment if grid else Experiment(options.game, **about)
    for bot, other in experiment.replaced.items():
        errors.print(words.say("lab.replaced", bot=bot, other=other), style="dim", soft_wrap=True)
    if options.tune:
        experiment = _tuned(experiment, options, words, errors)
    results = _play(experiment, options, words, errors)
    if results is None:
        return 130
    if grid:
        _show_grid(results, grid, options, words, errors)
    else:
        if options.skill:
            results[0].skill = _skill(experiment, options, words, errors)
        _show(results[0], options, words, errors)
    if not options.device:
        errors.print(words.say("lab.recorded", folder=str(experiment.folder)), style="dim", soft_wrap=True)
    return 0


def _show(result: Result, options: argparse.Namespace, words: Words, errors: Console) -> None:
    _write(result, options, words, errors)
    if options.json:
        print(json_line(result.to_dict()))
    else:
        _print(result, words)


def _tuned(experiment: Experiment, options: argparse.Namespace, words: Words, errors: Console) -> Experiment:
    """The experiment, by bots that have been tuned on its boxes."""
    compile_bots(experiment.game, ["clerk"], words, errors)
    line = words.say("lab.tuning", n=options.tune)
    if not errors.is_terminal:
        errors.print(line)
    with errors.status(line):
        return experiment.tune(options.tune, workers=options.workers)


def _skill(
    experiment: Experiment, options: argparse.Namespace, words: Words, errors: Console
) -> list[list[Skill]]:
    bots = read_pair([canonical_level(spec) for spec in split_specs(options.skill_bots)])
    compile_bots(experiment.game, bots, words, errors)
    with errors.status(words.say("lab.running")):
        return skill_of(experiment, options.skill, bots, workers=options.workers, ray=options.ray)


def _show_grid(
    results: list[Result], grid: Grid, options: argparse.Namespace, words: Words, errors: Console
) -> None:
    """A line a box; the page holds what each changes."""
    if options.html:
        _save(options.html, "html", grid_page(results, grid.changes, words.lang), words, errors)
    if options.json:
        print(json_line([result.to_dict() for result in results]))
        return
    console = Terminal(highlight=False)
    for table, match_options in enumerate(results[0].definition.options):
        console.print(words.say("lab.players", n=int(match_options["players"])), style="bold")
        head, rows = grid_rows(results, grid.changes, table, words)
        shown = Table(box=None, header_style="dim", padding=(0, 2, 0, 0))
        for nth, title in enumerate(head):
            shown.add_column(title, justify="right" if nth else "left")
        for row in rows:
            shown.add_row(*row)
        console.print(shown)


def _fit(about: dict[str, Any], options: argparse.Namespace, words: Words, errors: Console) -> int:
    """Searches, and tells the best box that was found."""
    _compile(
        get_game(options.game),
        [] if options.device else [canonical_level(options.level)],
        options,
        words,
        errors,
    )
    more = {"trials": options.trials, "games": options.games, "workers": options.workers}
    fitted = with_progress(
        lambda progress: fit(options.game, options.vary, options.target, progress=progress, **more, **about),
        words,
        errors,
    )
    if fitted is None:
        return 130
    if not options.json:
        console = Terminal(highlight=False)
        best = words.say("lab.best", n=fitted.tried, changes=", ".join(fitted.changes))
        console.print(Text(best), style="bold", soft_wrap=True)
        for target, value, short in fitted.targets:
            said = {"wish": target.text, "value": words.number(value, 3)}
            console.print(words.say("lab.missed" if short else "lab.met", **said), soft_wrap=True)
    _show(fitted.result, options, words, errors)
    return 0


def _check(options: argparse.Namespace) -> None:
    """Finds now what would fail after minutes."""
    if len(options.components or ()) > MAX_FILES:
        raise OptionError("components: expected one file to change, or two to compare")
    if options.tune and (options.vary or options.fit):
        raise OptionError("tune: expected one change; not with --vary or --fit")
    if options.device and (options.tune or options.skill or options.ray):
        raise OptionError(
            "device: expected random or heuristic play on this machine; not with --tune, --skill or --ray"
        )
    for name in ("html", "csv", "parquet"):
        path = getattr(options, name)
        if path is not None and not Path(path).absolute().parent.is_dir():
            raise OptionError(f"{name}: there is no folder {str(Path(path).parent)!r}")
    read_pair([canonical_level(spec) for spec in split_specs(options.skill_bots)])
    if options.parquet:
        with needs("lab"):
            import pyarrow.parquet  # noqa: F401
    if options.ray is not None:
        load_ray()


def _play(
    experiment: Experiment, options: argparse.Namespace, words: Words, errors: Console
) -> list[Result] | None:
    """The results; None if it was stopped before the end."""
    levels = [] if options.device else experiment.definition.levels
    _compile(experiment.game, levels, options, words, errors)
    more = {name: getattr(options, name) for name in ("precision", "workers", "ray", "fresh")}
    return with_progress(
        lambda progress: experiment.play_each(options.games, progress=progress, **more), words, errors
    )


def _compile(
    game: Game, levels: Sequence[str], options: argparse.Namespace, words: Words, errors: Console
) -> None:
    """All that plays, and the clerk, who tries each box first."""
    compile_bots(game, ["clerk", *levels], words, errors)
    if options.device == "cpu":
        compile_work(game, BULK_TARGET, words, errors)


def _write(result: Result, options: argparse.Namespace, words: Words, errors: Console) -> None:
    for name in ("html", "csv", "parquet"):
        path = getattr(options, name)
        if path is None:
            continue
        made = (
            result.html(words.lang) if name == "html" else result.csv() if name == "csv" else result.parquet()
        )
        _save(path, name, made, words, errors)


def _save(path: str, name: str, made: str | bytes, words: Words, errors: Console) -> None:
    try:
        Path(path).write_bytes(made.encode() if isinstance(made, str) else made)
    except OSError as error:
        raise OptionError(f"{name}: {path} cannot be written: {error.strerror}") from None
    errors.print(words.say("lab.written", path=path), style="dim", soft_wrap=True)


def _print(result: Result, words: Words) -> None:
    console, definition = Terminal(highlight=False), result.definition
    two = len(definition.components) == 2
    title = words.say("lab.title" if two else "lab.title_alone", game=words.say("game.title"))
    console.print(title, style="bold")
    for key, before, after in result.experiment.changes:
        console.print(Text(f"  {key}: {before} → {after}"))
    narrator = Narrator(words)
    for sentence in narrator.tuned(result.tuned):
        console.print(Text(f"  {sentence}"), soft_wrap=True)
    for table, options in enumerate(definition.options):
        console.print()
        players, played = (
            words.say("lab.players", n=int(options["players"])),
            narrator.played(definition, result.deals),
        )
        console.print(f"{players} · {played}", style="bold", soft_wrap=True)
        measurements = result.metrics[table]
        if two:
            for sentence in narrator.findings(measurements, result.is_same(table)):
                console.print(Text(f"• {sentence}"), soft_wrap=True)
            console.print()
        for box, told in enumerate(result.skill[table] if result.skill else ()):
            name = words.say(BOXES[box])
            said = " ".join(narrator.skill(told))
            console.print(words.say("lab.of_box", box=name, sentence=said), soft_wrap=True)
        shown = ("always", "bulk") if result.experiment.device else ("always",)
        console.print(
            _table([one for one in measurements if one.metric.summary in shown], narrator, words, two)
        )


def _table(measurements: list[MetricResult], narrator: Narrator, words: Words, two: bool) -> Table:
    table = Table(box=None, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column(words.say("lab.metric"))
    keys = ("lab.before", "lab.after", "lab.difference") if two else ("lab.before",)
    for key in (*keys, "lab.interval"):
        table.add_column(words.say(key), justify="right", no_wrap=True)
    for measurement in measurements:
        told = measurement.difference if two else None
        cells = [narrator.value(measurement, box.value) for box in measurement.boxes]
        if told:
            cells += [
                narrator.change(measurement, told.value),
                f"{narrator.change(measurement, told.low)} – {narrator.change(measurement, told.high)}",
            ]
        else:
            low, high = measurement.boxes[0].low, measurement.boxes[0].high
            cells.append(f"{narrator.value(measurement, low)} – {narrator.value(measurement, high)}")
        table.add_row(narrator.name(measurement), *cells, style="bold" if told and told.significant else "")
    return table
