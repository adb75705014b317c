"""comptoir arena: bots play each other, and a table says who is better."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from comptoir.arena import Arena
from comptoir.arena.dataset import check_parquet, dataset_card_path
from comptoir.arena.standings_chart import check_chart, draw, format_signed, save, title
from comptoir.arena.workers import load_ray
from comptoir.bots.levels import split_specs
from comptoir.cli.arguments import (
    add_game,
    add_json,
    add_match_options,
    chosen_options,
    cli_words,
    int_at_least,
    seconds,
)
from comptoir.cli.compiling import compile_bots, print_fallbacks
from comptoir.cli.progress import with_progress
from comptoir.console import Terminal, json_line
from comptoir.engine.game import get_game
from comptoir.engine.words import Words

if TYPE_CHECKING:
    from comptoir.arena.standings import BotStandingDict, StandingsDict

REASONS = 3  # how many reasons are shown for a bot that was replaced


def arguments(parser: argparse.ArgumentParser, words: Words, game_named: str | None) -> None:
    add_game(parser, words)
    add_match_options(parser, words, game_named)
    number = int_at_least(words, least=1)
    parser.add_argument("--bots", required=True, metavar="A,B,…", help=words.say("cli.bots_arena"))
    parser.add_argument("--games", type=number, default=200, metavar="N", help=words.say("cli.games_arena"))
    parser.add_argument("--seed", default="1", help=words.say("cli.seed_one"))
    parser.add_argument(
        "--bot-timeout", type=seconds(words), metavar="SECONDS", help=words.say("cli.bot_timeout_arena")
    )
    parser.add_argument("--out", metavar="DIR", help=words.say("cli.out"))
    parser.add_argument("--fresh", action="store_true", help=words.say("cli.fresh"))
    parser.add_argument("--save-matches", metavar="DIR", help=words.say("cli.save_matches"))
    parser.add_argument("--parquet", metavar="FILE", help=words.say("cli.parquet_arena"))
    parser.add_argument("--chart", metavar="FILE", help=words.say("cli.chart"))
    parser.add_argument("--workers", type=number, metavar="N", help=words.say("cli.workers"))
    parser.add_argument("--ray", metavar="ADDRESS", help=words.say("cli.ray"))
    add_json(parser, words)


def run(options: argparse.Namespace, words: Words) -> int:
    """Plays and prints."""
    chosen = get_game(options.game)
    words = cli_words(chosen.name, words.lang)
    own = {
        "seed": options.seed,
        "bot_timeout": options.bot_timeout,
        "components": options.components,
        "folder": options.out,
    }
    arena = Arena(chosen.name, split_specs(options.bots), **own, **chosen_options(options))
    _check(options, arena)
    errors = Terminal(stderr=True, highlight=False)
    print_fallbacks(chosen, chosen.read_components(options.components), arena.definition.bots, words, errors)
    standings = _play(arena, options, words, errors)
    if standings is None:
        return 130
    if options.chart:
        save(draw(standings, words), Path(options.chart))
        errors.print(words.say("arena.drawn", path=options.chart), style="dim", soft_wrap=True)
    if options.parquet:
        card = dataset_card_path(Path(options.parquet))
        errors.print(words.say("arena.written", path=options.parquet, card=card), style="dim", soft_wrap=True)
    if options.json:
        print(json_line(standings))
    else:
        _print(standings, words)
        errors.print(words.say("arena.recorded", folder=str(arena.folder)), style="dim", soft_wrap=True)
    return 0


def _check(options: argparse.Namespace, arena: Arena) -> None:
    """Finds now what would fail after hours."""
    arena.units(options.games)
    if options.chart:
        check_chart(Path(options.chart))
    if options.parquet:
        check_parquet(Path(options.parquet))
    if options.ray is not None:
        load_ray()


def _play(arena: Arena, options: argparse.Namespace, words: Words, errors: Console) -> StandingsDict | None:
    """The standings; None if it was stopped before the end."""
    compile_bots(get_game(arena.definition.game), arena.definition.bots, words, errors)
    more = {name: getattr(options, name) for name in ("workers", "ray", "save_matches", "parquet", "fresh")}
    return with_progress(lambda progress: arena.play(options.games, progress=progress, **more), words, errors)


def _print(standings: StandingsDict, words: Words) -> None:
    console = Terminal(highlight=False)
    rows = sorted(standings["bots"], key=lambda row: -row["share"]["share"])
    console.print(title(standings, words), style="bold", soft_wrap=True)
    if len(rows) == 2:
        first = rows[0]["share"]
        share = {
            "share": words.percent(first["share"], 1),
            "low": words.percent(first["low"], 1),
            "high": words.percent(first["high"], 1),
        }
        console.print(words.say("arena.headline", bot=rows[0]["bot"], **share), soft_wrap=True)
    console.print()
    console.print(_results(rows, words))
    console.print(words.say("arena.even", share=words.percent(1 / len(rows), 1)), style="dim")
    console.print()
    if len(rows) > 2:
        console.print(words.say("arena.pairs"), style="dim")
        console.print(_pairs(standings, words))
        console.print()
    console.print(_effort(rows, words))
    console.print()
    seats = " · ".join(words.percent(seat["share"], 1) for seat in standings["seats"])
    widest = max(seat["high"] - seat["low"] for seat in standings["seats"]) / 2
    console.print(words.say("arena.by_seat", shares=seats, reach=words.percent(widest, 1)))
    lengths = {key: words.number(value) for key, value in standings["decisions"].items()}
    console.print(words.say("arena.length", **lengths))
    for row in rows:
        _print_reports(row, words, console)


def _results(rows: list[BotStandingDict], words: Words) -> Table:
    table = _table(words, "arena.share", "arena.interval", "arena.rating", "arena.interval", "score.unit")
    for row in rows:
        share, rating = row["share"], row["rating"]
        table.add_row(
            Text(row["bot"]),
            words.percent(share["share"], 1),
            f"{words.percent(share['low'], 1)} – {words.percent(share['high'], 1)}",
            format_signed(rating["rating"]),
            f"{format_signed(rating['low'])} – {format_signed(rating['high'])}",
            words.number(row["points"], 1),
        )
    return table


def _effort(rows: list[BotStandingDict], words: Words) -> Table:
    table = _table(words, "arena.games", "arena.seats", "arena.moves", "arena.time")
    for row in rows:
        counts = (words.number(row[key]) for key in ("games", "seats", "moves"))
        table.add_row(Text(row["bot"]), *counts, words.number(row["milliseconds"], 2))
    return table


def _table(words: Words, *columns: str) -> Table:
    table = Table(box=None, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column(words.say("arena.bot"), style="bold")
    for key in columns:
        table.add_column(words.say(key), justify="right", no_wrap=True)
    return table


def _pairs(standings: StandingsDict, words: Words) -> Table:
    """Who beats whom."""
    table = Table(box=None, header_style="dim", padding=(0, 2, 0, 0))
    order = sorted(range(len(standings["bots"])), key=lambda bot: -standings["bots"][bot]["share"]["share"])
    names = [row["bot"] for row in standings["bots"]]
    table.add_column("")
    for bot in order:
        table.add_column(Text(names[bot]), justify="right")
    for one in order:
        pairs = [standings["pairs"][one][other] for other in order]
        table.add_row(
            Text(names[one], "bold"),
            *("–" if pair is None else words.percent(pair["share"], 1) for pair in pairs),
        )
    return table


def _print_reports(row: BotStandingDict, words: Words, console: Console) -> None:
    reasons: dict[str, int] = row["reports"]
    if not reasons:
        return
    console.print(
        words.say("arena.lost", bot=row["bot"], n=sum(reasons.values()), seats=row["seats"]),
        style="bold #d0453a",
        soft_wrap=True,
    )
    for reason, n in list(reasons.items())[:REASONS]:
        console.print(Text(words.say("arena.reason", n=n, reason=reason)), soft_wrap=True)
