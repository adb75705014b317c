"""Which database a command works on, and whether that is free."""

from __future__ import annotations

import argparse
import os
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from comptoir.engine.words import Words
from comptoir.errors import OptionError


def add_database(parser: argparse.ArgumentParser, words: Words) -> None:
    parser.add_argument("--database", metavar="URL", help=words.say("cli.database"))
    parser.add_argument("--database-file", metavar="FILE", help=words.say("cli.database_file"))


def database_url(options: argparse.Namespace, words: Words) -> str:
    """What was given, else what the environment says, else the file in the user's data folder.

    An address can hold a password, which is on no command line if it is in a file.
    """
    from comptoir.web.ops.store import default_url

    if options.database and options.database_file:
        raise OptionError(words.say("database.twice"))
    if options.database:
        return str(options.database)
    file = options.database_file
    if not file and os.environ.get("COMPTOIR_DATABASE"):
        return os.environ["COMPTOIR_DATABASE"]
    file = file or os.environ.get("COMPTOIR_DATABASE_FILE")
    return read_secret(file, words) if file else default_url()


def read_secret(file: str, words: Words) -> str:
    """The one line of a file that others cannot read."""
    try:
        text = Path(file).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise OptionError(words.say("database.unreadable", file=file, reason=reason)) from None
    if not text or "\n" in text:
        raise OptionError(words.say("database.one_line", file=file))
    return text


def claimed(url: str, words: Words, told: str = "") -> AbstractContextManager[object]:
    """Takes the file of a SQLite database for this process, and tells others who want it more of who has it.

    PostgreSQL can serve many.
    """
    from comptoir.web.ops.claim import Claim, InUse
    from comptoir.web.ops.store import sqlite_file

    file = sqlite_file(url)
    if file is None:
        return nullcontext()
    try:
        taken = Claim(file)
    except InUse as error:
        raise OptionError(words.say("database.in_use", path=file, by=error.by)) from None
    taken.tell(told)
    return taken
