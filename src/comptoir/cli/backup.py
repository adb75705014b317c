"""`comptoir backup`: a copy of the database, made while the server runs."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import Progress

from comptoir.cli.arguments import int_at_least
from comptoir.cli.database_options import add_database, database_url
from comptoir.engine.words import Words
from comptoir.errors import OptionError
from comptoir.extras import needs


def arguments(parser: argparse.ArgumentParser, words: Words, game_named: str | None) -> None:
    parser.add_argument("file", metavar="FILE", type=Path, help=words.say("cli.backup_file"))
    parser.add_argument(
        "--keep", type=int_at_least(words, least=1), metavar="N", help=words.say("cli.backup_keep")
    )
    add_copying(parser, words, "cli.backup_force")


def add_copying(parser: argparse.ArgumentParser, words: Words, force: str) -> None:
    """The options that backup and restore share."""
    add_database(parser, words)
    parser.add_argument("--force", action="store_true", help=words.say(force))
    parser.add_argument("--json", action="store_true", help=words.say("cli.backup_json"))


def run(options: argparse.Namespace, words: Words) -> int:
    with needs("app"):
        from comptoir.web.ops import backup, dumps
        from comptoir.web.storage.database import sqlite_file

    url = database_url(options, words)
    database = sqlite_file(url)
    in_folder = options.file.is_dir()
    if options.keep and not in_folder:
        raise OptionError(words.say("backup.keep", path=options.file))
    kind = "postgresql" if database is None else "sqlite"
    file = backup.dated(options.file, kind) if in_folder else options.file
    with printed_refusals(words, "backup"), copy_progress(words.say("backup.copying")) as progress:
        if database is None:
            held = dumps.back_up(url, file, force=options.force)
        else:
            held = backup.back_up(database, file, force=options.force, progress=progress)
    removed = backup.remove_older(file, options.keep) if options.keep else []
    size = file.stat().st_size
    if options.json:
        told = {"file": str(file), "bytes": size, **vars(held)}
        if options.keep:
            told["removed"] = [str(older) for older in removed]
        print(json.dumps(told, ensure_ascii=False))
    else:
        print(words.say("backup.done", file=file, size=words.number(max(1, size // 1000)), n=held.tables))
    return 0


@contextmanager
def printed_refusals(words: Words, command: str) -> Iterator[None]:
    """Turns a refusal to copy into the sentence that the user reads."""
    from comptoir.web.ops.backup import BackupError

    try:
        yield
    except BackupError as refused:
        raise OptionError(words.say(f"{command}.{refused.key}", **refused.values)) from None


@contextmanager
def copy_progress(text: str) -> Iterator[Callable[[int, int], None]]:
    """A bar to look at while pages are copied."""
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(text, total=None)
        yield lambda left, total: bar.update(task, total=total, completed=total - left)
