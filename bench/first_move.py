"""How long a machine that has never run Comptoir lets people wait: until a bot's first move, and until it plays
at its own level.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from speed import about_machine, machine

from comptoir.bots.background_compiler import CLERK, SEARCH, BackgroundCompiler
from comptoir.bots.seated import SeatedBot
from comptoir.engine import registry
from comptoir.engine.game import get_game
from comptoir.engine.match import Match
from comptoir.engine.precompile import MATCH_TARGET
from comptoir.engine.simulate import PLAYOUTS_TARGET

HELP = """\
Everything is measured in processes of its own, each with an empty cache of compiled rules, one after the other.
Page: a server is started and a table of captains made; then the seconds to the first move, and until the captains
themselves play. Terminal: the same as `comptoir play` asks its bots, from the start of the program. Compiling: processor
seconds (and seconds on the clock) for a simulation, a match, a clerk with its match, and a search with its match.
"""
WORKS = {"simulate": PLAYOUTS_TARGET, "match": MATCH_TARGET, "clerk": CLERK, "search": SEARCH}
BOT = "captain"
LOOK = 0.05  # seconds between looks whether it is ready


def page(name: str) -> dict[str, float]:
    """Until a captain's first move at a table of a server that has just started, and until captains play."""
    from comptoir.web.domain.state import TableSettings
    from comptoir.web.http.app import make_app
    from comptoir.web.storage.store import Store

    async def run(folder: str) -> dict[str, float]:
        app = make_app(Store(f"sqlite:///{folder}/comptoir.sqlite"))
        async with app.router.lifespan_context(app):
            tables, options = app.state.server.tables, get_game(name).read_options()
            began = time.perf_counter()
            settings = TableSettings(name, options, "first", creator="bench")
            made = await tables.make(settings, [BOT] * int(options["players"]))
            live = await tables.find(made.id)
            tables.turns.look(live)
            while live.table.match.ply == 0:
                await asyncio.sleep(LOOK)
            first = time.perf_counter() - began
            await tables.warm.ready(name)
            return {"first_move": first, "ready": time.perf_counter() - began}

    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(run(folder))


def terminal(name: str, began: float) -> dict[str, float]:
    """Until a captain's first move, asked as `comptoir play` does, and until the captain plays."""
    match, game = Match(name, seed="first"), get_game(name)
    with BackgroundCompiler(game, [BOT]) as compiler:
        assert match.turn is not None
        SeatedBot(BOT, match, match.turn, "first move", compiler=compiler).choose()
        first = time.time() - began
        while not compiler.is_ready(BOT):
            time.sleep(LOOK)
    return {"first_move": first, "ready": time.time() - began}


def compiling(name: str, what: str, began: float) -> dict[str, float]:
    WORKS[what].prepare(get_game(name))
    used = resource.getrusage(resource.RUSAGE_SELF)
    return {"processor": used.ru_utime + used.ru_stime, "clock": time.time() - began}


def apart(name: str, what: str) -> dict[str, float]:
    """One measurement in a process of its own, with an empty cache."""
    with tempfile.TemporaryDirectory() as cache:
        command = [sys.executable, __file__, "--game", name, "--only", what, str(time.time())]
        done = subprocess.run(
            command, env=os.environ | {"COMPTOIR_CACHE": cache}, stdout=subprocess.PIPE, check=True, text=True
        )
    found: dict[str, float] = json.loads(done.stdout)
    return found


def measure(name: str, what: str, began: float) -> dict[str, float]:
    if what == "page":
        return page(name)
    return terminal(name, began) if what == "terminal" else compiling(name, what, began)


def show(figures: dict[str, dict[str, dict[str, float]]], console: Console) -> None:
    table = Table(box=None, header_style="dim", padding=(0, 2, 0, 0))
    headings = ("", "page: first move", "ready", "terminal: first move", "ready", *WORKS)
    for heading in headings:
        table.add_column(heading, justify="right" if heading else "left")
    for name, found in figures.items():
        waits = [f"{found[at][key]:.1f} s" for at in ("page", "terminal") for key in ("first_move", "ready")]
        works = [f"{found[work]['processor']:.1f} ({found[work]['clock']:.0f})" for work in WORKS]
        table.add_row(name, *waits, *works)
    console.print(table)
    console.print("Compiling: processor seconds (and seconds on the clock).", style="dim")


def main() -> None:
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, epilog=HELP, formatter_class=formatter)
    parser.add_argument("--game", choices=registry.names(), help="one game only")
    parser.add_argument("--json", action="store_true", help="figures for machines")
    parser.add_argument("--out", type=Path, help="a file for the figures too")
    parser.add_argument("--only", nargs=2, metavar=("WHAT", "BEGAN"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.only:
        print(json.dumps(measure(options.game, options.only[0], float(options.only[1]))))
        return
    console = Console(stderr=options.json, highlight=False)
    figures: dict[str, Any] = {}
    for name in [options.game] if options.game else registry.names():
        figures[name] = {}
        for what in ("page", "terminal", *WORKS):
            with console.status(f"{name}: {what}"):
                figures[name][what] = apart(name, what)
    about: dict[str, Any] = {"machine": machine(), "load": os.getloadavg()[0], "games": figures}
    if options.out:
        options.out.write_text(json.dumps(about))
    if options.json:
        print(json.dumps(about))
    else:
        console.print(about_machine(about["machine"]), style="dim")
        show(figures, console)


if __name__ == "__main__":
    main()
