"""`comptoir restore`: a backup put in the place of the database, while nobody serves it."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from comptoir.cli.backup import add_copying, sqlite_of, watched
from comptoir.cli.database import claimed
from comptoir.engine.words import Words
from comptoir.errors import OptionError
from comptoir.extras import needs


def arguments(parser: argparse.ArgumentParser, words: Words, game_named: str | None) -> None:
    parser.add_argument("file", metavar="FILE", type=Path, help=words.say("cli.restore_file"))
    add_copying(parser, words, "cli.restore_force")


def run(options: argparse.Namespace, words: Words) -> int:
    with needs("app"):
        from comptoir.web.ops.backup import NotCopied, restore
    database = sqlite_of(options, words, "restore.postgresql")
    database.parent.mkdir(parents=True, exist_ok=True)
    try:
        with (
            claimed(f"sqlite:///{database}", words),
            watched(words.say("restore.copying")) as progress,
        ):
            held, kept = restore(options.file, database, force=options.force, progress=progress)
    except NotCopied as refused:
        raise OptionError(words.say(f"restore.{refused.key}", **refused.values)) from None
    if options.json:
        told = {"database": str(database), "before": kept and str(kept), **vars(held)}
        print(json.dumps(told, ensure_ascii=False))
    else:
        print(words.say("restore.done", database=database, n=held.tables))
        if kept:
            print(words.say("restore.kept", path=kept))
    return 0
