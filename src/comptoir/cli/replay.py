"""comptoir replay: a recorded match narrated turn by turn, or its table at one ply."""

from __future__ import annotations

import argparse

from rich.console import Console
from rich.text import Text

import comptoir
from comptoir.cli.arguments import add_json, cli_words
from comptoir.cli.score_table import print_lines, print_recap, print_result
from comptoir.console import Terminal, json_line
from comptoir.engine.match import Match
from comptoir.engine.scene import Scene
from comptoir.engine.words import Words
from comptoir.errors import OptionError


def arguments(parser: argparse.ArgumentParser, words: Words, game_named: str | None) -> None:
    parser.add_argument("file", metavar="FILE", help=words.say("cli.file"))
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--ply", type=int, metavar="N", help=words.say("cli.ply"))
    which.add_argument("--turn", type=int, metavar="N", help=words.say("cli.turn"))
    which.add_argument("--step", action="store_true", help=words.say("cli.step"))
    parser.add_argument("--actions", action="store_true", help=words.say("cli.actions"))
    parser.add_argument("--seat", type=int, metavar="SEAT", help=words.say("cli.seat"))
    add_json(parser, words)


def run(options: argparse.Namespace, words: Words) -> int:
    """Narrates a match; with --ply or --turn, shows the table there."""
    match = comptoir.load(options.file)
    words = cli_words(match.game.name, words.lang)
    at = _ply(match, options, words)
    shown = match if at is None else match.at(at)
    shown.view(options.seat)  # refuses a seat that is not there
    console = Terminal(highlight=False, markup=False)
    if options.json:
        position = shown.position() if options.seat is None else shown.view(options.seat)
        print(json_line(position))
    elif options.step:
        _step(match, options.seat, console, words)
    elif at is None:
        _narrate(match, options.seat, options.actions, console, words)
    else:
        print_lines(shown.story.log(options.seat, words.lang, since=max(0, shown.ply - 1)), console)
        _show(shown, options.seat, console, words)
    return 0


def _ply(match: Match, options: argparse.Namespace, words: Words) -> int | None:
    """The number of actions after which the table is asked for; None for the whole match."""
    if options.turn is None:
        at: int | None = options.ply
        return at
    ends: list[int] = [0, *(last for _, last in match.story.turn_spans())]
    turn: int = options.turn
    if not 0 <= turn < len(ends):
        raise OptionError(words.say("replay.no_turn", n=len(ends) - 1))
    return ends[turn]


def _narrate(match: Match, seat: int | None, actions: bool, console: Console, words: Words) -> None:
    """Print the whole match: one sentence per turn, or every action, as for an unfinished turn."""
    print_lines(match.story.opening(seat, words.lang), console)
    told = 0
    if not actions:
        for nth, recap in enumerate(match.story.recaps(seat, words.lang), 1):
            print_recap(recap, console, indent=f"{nth:>4}  ")
            told = recap.last
    print_lines(match.story.log(seat, words.lang, since=told), console)
    if match.over:
        print_result(match, match.names, console, words)


def _show(match: Match, seat: int | None, console: Console, words: Words) -> None:
    """The table as a seat has seen it, or with everything open."""
    scene = _open_scene(match, words) if seat is None else match.scene(seat, words)
    console.print(match.game.terminal.draw(scene))
    if match.over:
        print_result(match, match.names, console, words)


def _open_scene(match: Match, words: Words) -> Scene:
    """The position with everything open."""
    view = match.view_of(match.ply, None, match.position())
    return match.scene_of(match.records[-1], view, words)


def _step(match: Match, seat: int | None, console: Console, words: Words) -> None:
    """Turn by turn, as the reader asks for them."""
    recaps, at = match.story.recaps(seat, words.lang), 0
    ends = [0, *(recap.last for recap in recaps)]
    while True:
        if at:
            print_recap(recaps[at - 1], console)
        else:
            print_lines(match.story.opening(seat, words.lang), console)
        _show(match.at(ends[at]), seat, console, words)
        where = words.say("replay.after_turn", n=at, end=len(recaps)) if at else words.say("replay.at_start")
        console.print(Text(f"{where} · {words.say('replay.step')}", "dim"))
        try:
            answer = console.input("> ").strip().lower()
        except (EOFError, KeyboardInterrupt):
            return
        if answer.startswith("q") or (not answer and at == len(recaps)):
            return
        at = max(0, at - 1) if answer.startswith("b") else min(len(recaps), at + 1)
