"""`comptoir restore`: replaces the database with a backup, while no server uses it."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from comptoir.cli.backup import add_copying, copy_progress, printed_refusals
from comptoir.cli.database_options import database_url, locked_database
from comptoir.engine.words import Words
from comptoir.extras import needs


def arguments(parser: argparse.ArgumentParser, words: Words, game_named: str | None) -> None:
    parser.add_argument("file", metavar="FILE", type=Path, help=words.say("cli.restore_file"))
    add_copying(parser, words, "cli.restore_force")


def run(options: argparse.Namespace, words: Words) -> int:
    with needs("app"):
        from comptoir.web.ops import backup, dumps
        from comptoir.web.storage.database import sqlite_file

    url = database_url(options, words)
    database = sqlite_file(url)
    where: object = database
    if database is None:
        with printed_refusals(words, "restore"), copy_progress(words.say("restore.copying")):
            held, kept = dumps.restore(options.file, url, force=options.force)
        where = "PostgreSQL"
    else:
        database.parent.mkdir(parents=True, exist_ok=True)
        with (
            printed_refusals(words, "restore"),
            locked_database(url, words),
            copy_progress(words.say("restore.copying")) as progress,
        ):
            held, kept = backup.restore(options.file, database, force=options.force, progress=progress)
    if options.json:
        told = {"database": str(where), "before": kept and str(kept), **vars(held)}
        print(json.dumps(told, ensure_ascii=False))
    else:
        print(words.say("restore.done", database=where, n=held.tables))
        if kept:
            print(words.say("restore.kept", path=kept))
    return 0
