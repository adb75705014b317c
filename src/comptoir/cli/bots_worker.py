"""`comptoir bots-worker`: bots in a process of their own, for servers on PostgreSQL."""

from __future__ import annotations

import argparse
import os
import signal

from rich.console import Console

from comptoir.cli.arguments import cli_words, int_at_least
from comptoir.cli.compiling import compile_work
from comptoir.cli.database_options import add_database, database_url
from comptoir.engine import registry
from comptoir.engine.game import get_game
from comptoir.engine.words import Words
from comptoir.errors import OptionError
from comptoir.extras import needs


def arguments(parser: argparse.ArgumentParser, words: Words, game_named: str | None) -> None:
    add_database(parser, words)
    parser.add_argument(
        "--threads",
        type=int_at_least(words, least=1),
        default=os.cpu_count() or 1,
        metavar="N",
        help=words.say("cli.worker_threads"),
    )


def run(options: argparse.Namespace, words: Words) -> int:
    with needs("app"):
        from comptoir.web.live.bot_worker import BotWorker
        from comptoir.web.ops import monitoring
        from comptoir.web.ops.settings import forget_secrets
        from comptoir.web.storage.database import sqlite_file
        from comptoir.web.storage.store import Store

    url = database_url(options, words)
    forget_secrets()
    if sqlite_file(url) is not None:
        raise OptionError(words.say("bots_worker.sqlite"))
    store = Store(url)
    store.migrate()
    store.close()
    monitoring.start_log()
    console = Console(highlight=False, stderr=True)
    _compile(words, console)
    worker = BotWorker(store.url, options.threads)
    for sign in (signal.SIGTERM, signal.SIGINT):
        signal.signal(sign, lambda *_: worker.stop())
    where = store.url.render_as_string(hide_password=True)
    console.print(words.say("bots_worker.ready", n=options.threads, database=where), style="bold")
    console.print(words.say("bots_worker.stop"), style="dim")
    answered = worker.run()
    console.print(words.say("bots_worker.done", n=answered))
    return 0


def _compile(words: Words, console: Console) -> None:
    """All that bots need, of every game: nobody is to wait for it later."""
    from comptoir.bots.background_compiler import COMPILE_TARGETS

    for name in registry.names():
        for work in COMPILE_TARGETS.values():
            compile_work(get_game(name), work, cli_words(name, words.lang), console)
