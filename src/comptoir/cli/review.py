"""comptoir review: a finished match reviewed, as a report in the terminal, as JSON or as a page."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

import comptoir
from comptoir.bots.levels import read as read_level
from comptoir.cli.arguments import add_json, cli_words
from comptoir.cli.compiling import compile_work
from comptoir.console import Terminal, json_line, seat_mark
from comptoir.engine.match import Match
from comptoir.engine.words import Words
from comptoir.errors import OptionError
from comptoir.review import Review, serialize
from comptoir.review.analysis import LEVEL, REVIEW
from comptoir.review.builder import ReviewBuilder
from comptoir.review.page import MISTAKE_KINDS, judged_by, page
from comptoir.review.texts import ReviewNarrator, TurnText

SAVE_EVERY = 20  # actions


def arguments(parser: argparse.ArgumentParser, words: Words, game_named: str | None) -> None:
    parser.add_argument("file", metavar="FILE", help=words.say("cli.file"))
    parser.add_argument("--seat", type=int, metavar="SEAT", help=words.say("cli.review_seat"))
    parser.add_argument("--level", default=LEVEL, metavar="LEVEL", help=words.say("cli.review_level"))
    parser.add_argument("--html", metavar="OUT", help=words.say("cli.review_html"))
    parser.add_argument("--save", metavar="OUT", help=words.say("cli.review_save"))
    add_json(parser, words)


def run(options: argparse.Namespace, words: Words) -> int:
    """Reviews a match and tells what comes of it."""
    match = comptoir.load(options.file)
    match.view(options.seat)  # refuses a seat that is not there
    words = cli_words(match.game.name, words.lang)
    level = read_level(options.level)
    if not getattr(level, "iterations", 0):
        raise OptionError(words.say("cli.review_no_search", level=options.level))
    for path in filter(None, (options.html, options.save)):
        _check_folder(Path(path), words)
    made = _made(match, options, words)
    if made is None:
        return 130
    if options.html:
        _write(Path(options.html), page(match, made, words), words)
    if options.json:
        print(json_line(review_to_dict(match, made, words)))
    else:
        _print(match, made, options.seat, words)
    return 0


def _check_folder(path: Path, words: Words) -> None:
    """Finds now what would fail after a minute."""
    if not path.absolute().parent.is_dir() or path.is_dir():
        raise OptionError(words.say("cli.review_no_folder", path=str(path)))


def _made(match: Match, options: argparse.Namespace, words: Words) -> Review | None:
    """The review; None if it was stopped before its end."""
    errors = Terminal(stderr=True, highlight=False)
    file = Path(options.save) if options.save else None
    making = ReviewBuilder(match, options.level, so_far=_begun(file))
    compile_work(match.game, REVIEW, words, errors)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    try:
        with Progress(*columns, console=errors, transient=True, disable=not errors.is_terminal) as bar:
            task = bar.add_task(words.say("review.running"), total=making.total)
            while not making.so_far.done:
                making.step()
                done = len(making.so_far.entries)
                bar.update(task, completed=done)
                if file is not None and (done % SAVE_EVERY == 0 or making.so_far.done):
                    _write(file, serialize.write(making.so_far), words)
    except KeyboardInterrupt:
        if file is not None:
            _write(file, serialize.write(making.so_far), words)
        return None
    return making.so_far


def _begun(path: Path | None) -> Review | None:
    """What an earlier command has left there."""
    if path is None or not path.exists():
        return None
    try:
        return serialize.read(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        return serialize.read("")  # which says what a review is
    except OSError as error:
        raise OptionError(f"{path}: {error.strerror}") from None


def _write(path: Path, text: str, words: Words) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise OptionError(
            words.say("cli.review_not_written", path=str(path), reason=str(error.strerror))
        ) from None


def review_to_dict(match: Match, review: Review, words: Words) -> dict[str, object]:
    """All of a review for programs: what it comes to, then what was measured."""
    teller = ReviewNarrator(match, review, words)
    return {
        "players": [
            {
                "name": name,
                "accuracy": review.accuracy(seat),
                **{kind: review.count(seat, kind) for kind in MISTAKE_KINDS},
                "account": vars(review.breakdown(seat)),
            }
            for seat, name in enumerate(match.names)
        ],
        "chances": review.chances,
        "turning_points": [
            vars(turn.point) | {"text": " ".join(filter(None, (turn.sentence, turn.change, turn.why)))}
            for turn in teller.turns()
        ],
        "costly_turns": [
            {"ply": told.ply, "seat": told.seat, "kind": told.kind, "loss": told.loss, "text": told.sentence}
            for told in teller.costly_turns()
        ],
        "review": json.loads(serialize.write(review)),
    }


def _print(match: Match, review: Review, seat: int | None, words: Words) -> None:
    console, teller = Terminal(highlight=False, markup=False), ReviewNarrator(match, review, words)
    console.print(
        Text(words.say("review.title", game=words.say("game.title")), "bold").append(
            f"  {judged_by(review, words)}", "not bold dim"
        )
    )
    for sentence in match.score_sheet().verdict(match.names, words):
        console.print(sentence)
    console.print()
    console.print(_players(match, review, teller))
    console.print(Text(words.say("review.accuracy_help"), "dim"), soft_wrap=True)
    console.print(Text(words.say("review.account_help"), "dim"), soft_wrap=True)
    _title(console, words.say("review.turning_points"))
    turns = teller.turns()
    for turn in turns:
        told = " ".join(filter(None, (turn.sentence, turn.change, turn.why)))
        line = Text(f"{turn.number}  ").append_text(seat_mark(turn.point.seat)).append(f" {told}", "default")
        console.print(line.append(f" [{turn.at}]", "dim"), soft_wrap=True)
    if not turns:
        console.print(words.say("review.no_turning_points"))
    _title(console, words.say("review.costly_turns"))
    console.print(Text(f"{words.say('review.costly_turns_help')} {teller.legend()}", "dim"), soft_wrap=True)
    decisions = teller.costly_turns(seat)
    for one in decisions:
        console.print(_costly_turn(one, teller), soft_wrap=True)
    if not decisions:
        console.print(words.say("review.no_costly_turns"))


def _title(console: Console, text: str) -> None:
    console.print()
    console.print(Text(text, "bold #b98a2f"))


def _players(match: Match, review: Review, teller: ReviewNarrator) -> Table:
    table = Table(box=None, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column(teller.words.say("review.player"))
    for key in ("accuracy", "inaccuracies", "mistakes", "blunders", "deal", "luck", "own", "others"):
        table.add_column(teller.words.say(f"review.{key}"), justify="right")
    for seat, name in enumerate(match.names):
        accuracy, account = review.accuracy(seat), review.breakdown(seat)
        table.add_row(
            seat_mark(seat).append(f" {name}", "default"),
            "–" if accuracy is None else teller.words.percent(accuracy, 1),
            *(str(review.count(seat, kind)) for kind in MISTAKE_KINDS),
            *map(teller.signed, (account.deal, account.luck, account.own, account.others)),
        )
    return table


def _costly_turn(told: TurnText, teller: ReviewNarrator) -> Text:
    line = Text(f"{told.ply:>4}  ", "dim").append_text(seat_mark(told.seat))
    return line.append(f" {teller.head(told)}", "default").append(f" {told.sentence}", "not bold default")
