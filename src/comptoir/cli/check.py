"""comptoir check: whether games keep what every game must, for their authors."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from comptoir.cli.arguments import ROOMS, add_json, int_at_least, known_game
from comptoir.cli.compiling import compile_work
from comptoir.console import Terminal, json_line
from comptoir.engine import registry
from comptoir.engine.words import Words, words_of
from comptoir.errors import DataError

if TYPE_CHECKING:
    from comptoir.engine.game import Game
    from comptoir.testing.contract import Options

MATCHES = 200  # random ones, unless others are asked for
FEW = 5  # matches that are interpreted where nothing is compiled yet
LOOKED_AT = 400  # decisions of a match that is searched for leaks and drawn
PARTS = 20  # of the matches of a table: the bar moves after each


def arguments(parser: argparse.ArgumentParser, words: Words, game_named: str | None) -> None:
    number = int_at_least(words, least=1)
    about = words.say("cli.check_games", games=", ".join(registry.names()))
    parser.add_argument("games", metavar="GAME", nargs="+", type=_found(words), help=about)
    matches = words.say("cli.check_matches", matches=MATCHES)
    parser.add_argument("--matches", type=number, default=MATCHES, metavar="N", help=matches)
    seed = int_at_least(words, least=0)
    parser.add_argument("--seed", type=seed, default=1, metavar="N", help=words.say("cli.check_seed"))
    parser.add_argument("--players", type=number, metavar="N", help=words.say("cli.check_players"))
    parser.add_argument("--golden", type=Path, metavar="FOLDER", help=words.say("cli.check_golden"))
    parser.add_argument("--bless", action="store_true", help=words.say("cli.check_bless"))
    parser.add_argument("--records", action="store_true", help=words.say("cli.check_records"))
    add_json(parser, words)


def _found(words: Words) -> Callable[[str], str]:
    """Reads the name of a game; of one that cannot be used, too: its error is shown."""
    known = known_game(words)
    return lambda text: text if text in registry.locations() else known(text)


@dataclass
class Report:
    """The report on a game. `say` is called with each sentence as it comes."""

    game: str
    words: Words
    say: Callable[[str], None]
    checks: list[dict[str, object]] = field(default_factory=list)

    @property
    def failed(self) -> int:
        return sum(not check["ok"] for check in self.checks)

    def to_dict(self) -> dict[str, object]:
        return {"game": self.game, "ok": not self.failed, "checks": self.checks}

    @contextmanager
    def noting(self, check: str, **about: object) -> Iterator[None]:
        """Around a check: whether it holds, how long it took, the sentence of a promise that is broken."""
        from comptoir.testing.faults import BrokenPromise

        began, broken = time.perf_counter(), {}
        try:
            yield
        except BrokenPromise as error:
            said = error.sentence(self.words)
            parts = ("promise", "options", "seed", "decision", "viewer", "again")
            broken = {"error": said} | {part: getattr(error, part) for part in parts}
            self.say(said)
        seconds = round(time.perf_counter() - began, 3)
        self.checks.append({"check": check, "ok": not broken, "seconds": seconds, **about, **broken})


def run(options: argparse.Namespace, words: Words) -> int:
    """Checks and prints. 0: all is well, 1: something is not."""
    words = words_of(None, words.lang, packages=(*ROOMS, "testing"))
    console = Terminal(highlight=False, soft_wrap=True)

    def say(sentence: str) -> None:
        if not options.json:
            console.print(sentence, markup=False)

    reports = [Report(name, words, say) for name in dict.fromkeys(options.games)]
    for report in reports:
        _check_game(report, options)
        key = "bad" if report.failed else "good"
        if report.failed or not options.records:
            say(words.say(f"checking.{key}", game=report.game, n=report.failed))
    failed = any(report.failed for report in reports)
    if options.json:
        print(json_line({"ok": not failed, "games": [report.to_dict() for report in reports]}))
    return int(failed)


def _check_game(report: Report, options: argparse.Namespace) -> None:
    """All that can be checked of a game; nothing, if it cannot even be loaded."""
    reason = _why_unusable(report.game)
    report.checks.append({"check": "definition", "ok": not reason} | ({"error": reason} if reason else {}))
    if reason:
        report.say(report.words.say("checking.unusable", game=report.game, reason=reason))
        return
    from comptoir.engine.game import get_game
    from comptoir.testing import record_types
    from comptoir.testing.contract import CONTRACT, tables_of

    game, errors = get_game(report.game), Console(stderr=True)
    if options.records:
        report.say(report.words.say("checking.records", game=game.name, file=str(record_types.write(game))))
        return
    _check_records(report, game)
    compiled = options.matches > FEW or CONTRACT.is_ready(game)
    if compiled:
        title = words_of(game.name, report.words.lang, packages=ROOMS)
        compile_work(game, CONTRACT, title, errors)
    for table in tables_of(game.name, options.players):
        _check_table(report, table, options, errors, compiled=compiled)
    _check_golden(report, options)


def _check_records(report: Report, game: Game) -> None:
    """Whether the types of the game's records, if it has them, are those of its schemas."""
    from comptoir.testing import record_types

    current = record_types.is_current(game)
    about = {} if current else {"error": report.words.say("checking.old_records", game=game.name)}
    report.checks.append({"check": "records", "ok": current, **about})
    if not current:
        report.say(about["error"])


def _why_unusable(name: str) -> str:
    """Why a game cannot be loaded or played at all; empty if it can."""
    from comptoir.engine.game import Game
    from comptoir.engine.game_check import check_game

    try:
        check_game(Game(name))
    except DataError as error:
        return "; ".join(error.errors)
    except Exception as error:  # whatever a stranger's module does when it is loaded
        return " ".join(str(error).split()) or type(error).__name__
    return ""


def _check_table(
    report: Report, table: Options, options: argparse.Namespace, errors: Console, *, compiled: bool
) -> None:
    """The contract, leaks and boards, for one number of players and choice of options."""
    from comptoir.engine.game import get_game
    from comptoir.testing import check_boards, check_leaks

    words, game, before = report.words, get_game(report.game), report.failed
    began = time.perf_counter()
    what = words.say("checking.running", table=table.title, what=words.say("checking.contract"))
    with (
        _bar(what, options.matches, errors) as moved,
        report.noting("contract", table=table.title, matches=options.matches, compiled=compiled),
    ):
        _walk(table, options.seed, options.matches, moved, compiled=compiled)
    looks = {"leaks": check_leaks, "boards": check_boards}
    for name, look in looks.items():
        what = words.say("checking.running", table=table.title, what=words.say(f"checking.{name}"))
        with _bar(what, None, errors), report.noting(name, table=table.title):
            look(game, table.chosen, seed=options.seed, most=LOOKED_AT)
    if report.failed == before:
        leaks = words.say("checking.all_open" if game.all_open else "checking.no_leak")
        seconds = words.number(time.perf_counter() - began, 1)
        report.say(
            words.say(
                "checking.kept",
                table=table.title,
                n=options.matches,
                matches=words.number(options.matches),
                leaks=leaks,
                seconds=seconds,
            )
        )


def _walk(table: Options, seed: int, matches: int, moved: Callable[[int], None], *, compiled: bool) -> None:
    """The contract on random matches: a few interpreted, or all compiled on all cores.

    The first broken promise is the one that is raised, in whatever order the parts end.
    """
    from comptoir.engine.game import get_game
    from comptoir.testing.contract import check_contract, check_twins

    game = get_game(table.game)
    if not compiled:
        for done in range(matches):
            check_contract(game, table.chosen, game.interpreted, seed=seed + done, matches=1)
            moved(done + 1)
        return
    check_twins(game, table.chosen, seed=seed)
    size = max(1, matches // PARTS)
    pool = ThreadPoolExecutor(os.cpu_count())
    try:
        parts = [
            pool.submit(
                check_contract,
                game,
                table.chosen,
                seed=seed + start,
                matches=min(size, matches - start),
            )
            for start in range(0, matches, size)
        ]
        for done, part in enumerate(parts, 1):
            part.result()
            moved(min(matches, done * size))
    finally:
        pool.shutdown(cancel_futures=True)


def _check_golden(report: Report, options: argparse.Namespace) -> None:
    """Recorded matches that say what must come out, if there are any."""
    from comptoir.testing import golden

    folder = options.golden or registry.folder(report.game) / golden.FOLDER
    files = sorted(folder.glob("*.match"))
    about = {"game": report.game, "n": len(files), "folder": str(folder)}
    if options.bless:
        for file in files:
            golden.bless(file)
        report.say(report.words.say("checking.blessed", **about))
        return
    before = report.failed
    for file in files:
        with report.noting("golden", file=file.name):
            golden.check_golden(report.game, file)
    if report.failed == before:
        report.say(report.words.say("checking.golden" if files else "checking.no_golden", **about))


@contextmanager
def _bar(what: str, total: int | None, errors: Console) -> Iterator[Callable[[int], None]]:
    """A bar to look at while something takes its time; nothing where nobody looks."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    shown = columns if total else columns[:2]
    with Progress(*shown, console=errors, transient=True, disable=not errors.is_terminal) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done: bar.update(task, completed=done)
