"""`comptoir backup`: a copy of the database, while it is served."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import Progress

from comptoir.cli.database import add_database, database_url
from comptoir.engine.words import Words
from comptoir.errors import OptionError
from comptoir.extras import needs


def arguments(parser: argparse.ArgumentParser, words: Words, game_named: str | None) -> None:
    parser.add_argument("file", metavar="FILE", type=Path, help=words.say("cli.backup_file"))
    add_copying(parser, words, "cli.backup_force")


def add_copying(parser: argparse.ArgumentParser, words: Words, force: str) -> None:
    """What copying there and copying back have in common."""
    add_database(parser, words)
    parser.add_argument("--force", action="store_true", help=words.say(force))
    parser.add_argument("--json", action="store_true", help=words.say("cli.backup_json"))


def run(options: argparse.Namespace, words: Words) -> int:
    with needs("app"):
        from comptoir.web.ops.backup import NotCopied, back_up
    database = sqlite_of(options, words, "backup.postgresql")
    try:
        with watched(words.say("backup.copying")) as progress:
            held = back_up(database, options.file, force=options.force, progress=progress)
    except NotCopied as refused:
        raise OptionError(words.say(f"backup.{refused.key}", **refused.values)) from None
    if options.json:
        told = {"file": str(options.file), "bytes": options.file.stat().st_size, **vars(held)}
        print(json.dumps(told, ensure_ascii=False))
    else:
        kilobytes = words.number(max(1, options.file.stat().st_size // 1000))
        print(words.say("backup.done", file=options.file, size=kilobytes, n=held.tables))
    return 0


def sqlite_of(options: argparse.Namespace, words: Words, otherwise: str) -> Path:
    """The file of the database; PostgreSQL has programs of its own for this."""
    from comptoir.web.ops.store import sqlite_file

    found = sqlite_file(database_url(options, words))
    if found is None:
        raise OptionError(words.say(otherwise, file=options.file))
    return found


@contextmanager
def watched(text: str) -> Iterator[Callable[[int, int], None]]:
    """A bar to look at while pages are copied."""
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(text, total=None)
        yield lambda left, total: bar.update(task, total=total, completed=total - left)
