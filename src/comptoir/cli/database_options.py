"""Which database a command works on, and whether that is free."""

from __future__ import annotations

import argparse
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from comptoir.cli.environment import Given
from comptoir.engine.words import Words
from comptoir.errors import OptionError

if TYPE_CHECKING:
    from comptoir.web.ops.process_lock import DatabaseLock


def add_database(parser: argparse.ArgumentParser, words: Words) -> None:
    parser.add_argument("--database", metavar="URL", help=words.say("cli.database"))
    parser.add_argument("--database-file", metavar="FILE", help=words.say("cli.database_file"))


def given_database(options: argparse.Namespace, words: Words) -> tuple[str, str]:
    """The database's address, or the file that holds it: the other one is empty.

    Flags go before variables, and an address before a file; without any of them it is the file in the user's
    data folder. A file keeps the password in an address off the command line.
    """
    from comptoir.web.storage.database import default_url

    address, file = options.database or "", options.database_file or ""
    if address and file:
        by_flag = [not isinstance(given, Given) for given in (address, file)]
        if all(by_flag):
            raise OptionError(words.say("database.twice"))
        address, file = ("", file) if by_flag == [False, True] else (address, "")
    if file:
        read_secret(file, words)  # what is wrong with it is said at once
    return (str(address), str(file)) if address or file else (default_url(), "")


def database_url(options: argparse.Namespace, words: Words) -> str:
    """The address of the database that was given, one way or the other."""
    address, file = given_database(options, words)
    return address or read_secret(file, words)


def read_secret(file: str, words: Words) -> str:
    """The one line of a file that others cannot read."""
    from comptoir.web.ops.settings import secret_in

    try:
        return secret_in(file)
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise OptionError(words.say("database.unreadable", file=file, reason=reason)) from None
    except ValueError:
        raise OptionError(words.say("database.one_line", file=file)) from None


def locked_database(url: str, words: Words) -> AbstractContextManager[DatabaseLock | None]:
    """Lock the file of a SQLite database for this process. PostgreSQL serves several processes."""
    from comptoir.web.ops.process_lock import DatabaseInUse, DatabaseLock
    from comptoir.web.storage.database import sqlite_file

    file = sqlite_file(url)
    if file is None:
        return nullcontext()
    try:
        return DatabaseLock(file)
    except DatabaseInUse as error:
        raise OptionError(words.say("database.in_use", path=file, by=error.holder)) from None
