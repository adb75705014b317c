"""comptoir play: a game in the terminal, as at a table."""

from __future__ import annotations

import argparse
import secrets
from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

import comptoir
from comptoir import folders
from comptoir.bots.background_compiler import BackgroundCompiler, work_for
from comptoir.bots.seated import SeatedBot
from comptoir.cli.arguments import add_game, add_match_options, chosen_options, cli_words, seconds
from comptoir.cli.compiling import print_fallbacks
from comptoir.cli.rules import show
from comptoir.cli.score_table import print_lines, print_recap, print_result, print_sheet
from comptoir.cli.seating import PERSON, is_program, is_slow, label, saved_seating, seating, with_seating
from comptoir.console import Terminal, seat_mark
from comptoir.engine import rulebook
from comptoir.engine.actions import Action
from comptoir.engine.game import get_game
from comptoir.engine.match import Match
from comptoir.engine.notation import normalise, parse
from comptoir.engine.scene import Scene
from comptoir.engine.words import LANGUAGES, Words
from comptoir.errors import IllegalAction, OptionError, UnknownAction

if TYPE_CHECKING:
    from comptoir.bots.hints import Advice

HELPER = "captain"  # whose advice is asked for


def arguments(parser: argparse.ArgumentParser, words: Words, game_named: str | None) -> None:
    add_game(parser, words)
    add_match_options(parser, words, game_named)
    parser.add_argument("--seed", help=words.say("cli.seed"))
    parser.add_argument("--bots", metavar="A,B,…", help=words.say("cli.play_bots"))
    parser.add_argument("--think-time", type=seconds(words), metavar="S", help=words.say("cli.think_time"))
    parser.add_argument(
        "--bot-timeout", type=seconds(words), default=10.0, metavar="S", help=words.say("cli.bot_timeout")
    )
    parser.add_argument("--hotseat", nargs="?", type=int, const=0, metavar="N", help=words.say("cli.hotseat"))
    parser.add_argument("--names", metavar="A,B,…", help=words.say("cli.names"))
    parser.add_argument("--resume", nargs="?", const="", metavar="FILE", help=words.say("cli.resume"))


def run(options: argparse.Namespace, words: Words) -> int:
    """Plays a match to its end, or until the player quits."""
    chosen = get_game(options.game)
    words = cli_words(chosen.name, words.lang)
    console = Terminal(highlight=False, markup=False)
    kept = autosave_path(chosen.name)
    match, sat = (_new(options), ()) if options.resume is None else _resumed(options, kept, words)
    if options.hotseat is not None and not 0 <= options.hotseat <= match.players:
        raise OptionError(words.say("play.hotseat", players=match.players, found=options.hotseat))
    seats = seating(match.players, options.hotseat, options.bots, sat)
    bots = [spec for spec in seats if spec != PERSON]
    print_fallbacks(chosen, match.components, bots, words, console)
    with (
        BackgroundCompiler(chosen, bots or [HELPER]) as compiler,
        TerminalGame(
            match, seats, kept, words, console, options.think_time, options.bot_timeout, compiler
        ) as game,
    ):
        game.play()
    return 0


def autosave_path(name: str) -> Path:
    """Where the running game is kept, so that no action is ever lost."""
    return folders.data() / f"{name}.match"


def _new(options: argparse.Namespace) -> Match:
    names = [name.strip() for name in options.names.split(",")] if options.names else None
    return comptoir.new(
        options.game, seed=options.seed, names=names, components=options.components, **chosen_options(options)
    )


def _resumed(options: argparse.Namespace, kept: Path, words: Words) -> tuple[Match, Sequence[str]]:
    """The match in a file, and who sat at it."""
    path = Path(options.resume) if options.resume else kept
    if not options.resume and not path.exists():
        raise OptionError(words.say("play.nothing_to_resume", game=options.game))
    match = comptoir.load(path)
    if match.game.name != options.game:
        refusal = words.say("play.other_game", path=str(path), found=match.game.name, game=options.game)
        raise OptionError(refusal)
    sat = saved_seating(match)
    programs = [spec for spec in sat if spec != PERSON and is_program(spec)]
    if options.resume and programs and options.bots is None:  # a file from elsewhere must not run anything
        raise OptionError(words.say("play.programs", path=str(path), programs=", ".join(programs)))
    return match, sat


class Quit(Exception):
    """The player quits for now."""


class TerminalGame:
    """A match between people at one screen and bots."""

    def __init__(
        self,
        match: Match,
        seats: list[str],
        kept: Path,
        words: Words,
        console: Console,
        seconds: float | None,
        limit: float,
        compiler: BackgroundCompiler | None = None,
    ) -> None:
        self.match, self.seats, self.kept, self.words, self.console = match, seats, kept, words, console
        self.seated: dict[int, SeatedBot] = {}
        for seat, spec in enumerate(seats):
            if spec != PERSON:  # its seed has nothing to do with the match's: it must not know the dice
                self.seated[seat] = SeatedBot(
                    spec, match, seat, secrets.token_hex(8), seconds=seconds, limit=limit, compiler=compiler
                )
        self.log_read = [match.ply] * match.players  # how much of the log each seat has read
        # and which seats have seen how the match began
        self.opened = set(range(match.players) if match.ply else ())
        self.at_screen = seats.index(PERSON)  # the seat whose hand the screen may show
        self.hint_seed = secrets.token_hex(8)
        self.advice: tuple[str, Advice] | None = None  # the last that was given, and by which adviser
        self.helper: BackgroundCompiler | None = None  # compiles the captain whose advice was asked for
        self.compiling_announced = False  # whether the message that clerks play for the bots was shown

    def __enter__(self) -> TerminalGame:
        return self

    def __exit__(self, *_: object) -> None:
        for bot in self.seated.values():
            bot.close()
        if self.helper is not None:
            self.helper.stop()

    def play(self) -> None:
        """Everyone in turn, until the match is over."""
        words, match = self.words, self.match
        title = words.say("play.welcome", title=words.say("game.title"), credits=words.say("game.credits"))
        self.console.print(title, style="bold")
        if not match.ply:
            self.console.print(words.say("game.about"))
        self.console.print(words.say("play.seed", seed=match.seed), style="dim")
        if match.ply:
            self.console.print(words.say("play.resumed", n=match.ply), style="dim")
        self._autosave()
        try:
            while match.turn is not None:
                if match.turn in self.seated:
                    self.wait_for(match.turn)
                else:
                    self._decide(match.turn)
            self._end()
        except (EOFError, KeyboardInterrupt, Quit):
            self.console.print(f"\n{words.say('play.bye', game=match.game.name)}")

    def _end(self) -> None:
        self._print_news(self.at_screen)
        self.console.print(self._draw(None))
        print_result(self.match, self._names(), self.console, self.words)

    def _names(self) -> list[str]:
        """The seats' names, with the level of those that are bots."""
        names = list(self.match.names)
        for seat, bot in self.seated.items():
            names[seat] += f" ({label('passer-by' if bot.report else bot.spec, self.words)})"
        return names

    def _draw(self, seat: int | None) -> Group:
        """The table, and above it who the bots are: in 80 columns there is no room next to the names."""
        names = self._names()
        bots = Text(" · ").join(
            seat_mark(bot).append(f" {names[bot]}", "not bold default") for bot in self.seated
        )
        table = self.match.game.terminal.draw(self.match.scene(seat, self.words))
        return Group(Text(" ") + bots, table) if bots else Group(table)

    # A bot's decision

    def wait_for(self, seat: int) -> None:
        """Lets a bot decide. If it fails, a passer-by has decided instead, and a message says so."""
        bot, lost = self.seated[seat], self.seated[seat].report
        thinking = self.console.status(Text(self.words.say("play.thinking", name=self._names()[seat])))
        with thinking if is_slow(bot.spec) and not lost else nullcontext():
            action = bot.choose()
        self._announce_compiling()
        if bot.report != lost:
            self.console.print(
                Text(self.words.say("play.lost_seat", name=self.match.names[seat]), "bold #d0453a")
            )
            self.console.print(Text(bot.report or "", "dim"))
        self._do([action])

    def _announce_compiling(self) -> None:
        """Once when a clerk has decided for a bot that is not compiled yet, and once when none does any
        more.
        """
        preparing = any(bot.is_compiling for bot in self.seated.values())
        if preparing != self.compiling_announced:
            key = "play.compiling" if preparing else "play.compiled"
            self.console.print(self.words.say(key, title=self.words.say("game.title")), style="dim")
            self.compiling_announced = preparing

    # One person's decision

    def _decide(self, seat: int) -> None:
        """Shows the table and asks until something was decided."""
        if seat != self.at_screen:
            self._pass_on(seat)
        self._print_news(seat)
        self._show(seat)
        number = self.match.ply
        while self.match.ply == number:
            self._answer(seat, self.console.input(Text("> ", "bold #b98a2f")).strip())

    def _pass_on(self, seat: int) -> None:
        """Hides one person's hand before the next one looks."""
        self.console.clear()
        self.console.input(self.words.say("play.pass_on", name=self.match.names[seat]) + " ")
        self.console.clear()
        self.at_screen = seat

    def _print_news(self, seat: int) -> None:
        """What has happened since this seat last looked: others' turns in a sentence each, one's own and
        unfinished ones in detail.
        """
        match, lang = self.match, self.words.lang
        if seat not in self.opened:
            print_lines(match.story.opening(seat, lang), self.console)
            self.opened.add(seat)
        at = min(self.log_read[seat], match.ply)
        for recap in match.story.recaps(seat, lang, since=at):
            if recap.seat == seat:
                print_lines(match.story.log(seat, lang, since=at, until=recap.last), self.console)
            else:
                print_recap(recap, self.console)
            at = recap.last
        print_lines(match.story.log(seat, lang, since=at), self.console)
        self.log_read[seat] = match.ply

    def _show(self, seat: int) -> None:
        scene = self.match.scene(seat, self.words)
        self.console.print()
        self.console.print(self._draw(seat))
        self.console.print()
        self.console.print(self.match.game.story.prompt(scene), style="bold")
        self.console.print(self._choices(scene))

    def _choices(self, scene: Scene) -> Table:
        """The choices with their numbers and what each would do; a run of amounts is one line."""
        table = Table.grid(padding=(0, 2))
        shown = list(choice_numbers(scene.choices).items())
        amounts = [(number, action) for number, action in shown if _amount(action) is not None]
        for number, action in shown:
            effect = Text(self.match.game.story.effect(scene, action), "dim")
            said = self.words.action(action)
            if _amount(action) is None or len(amounts) < 4:
                table.add_row(Text(f"{number:>4}", "bold #b98a2f"), said, effect)
            elif action == amounts[0][1]:
                last = self.words.action(amounts[-1][1])
                numbers = Text(f"{number}–{amounts[-1][0]}".rjust(4), "bold #b98a2f")
                table.add_row(numbers, self.words.say("play.range", first=said, last=last), effect)
        return table

    def _action_text(self, action: str) -> str:
        """An action's text in the language."""
        return self.words.action(self.match.game.decode(action))

    def _legal(self) -> list[Action]:
        return [self.match.game.decode(action) for action in self.match.actions()]

    # What was typed

    def _answer(self, seat: int, text: str) -> None:
        """A choice's number or words, or a command."""
        command, _, rest = text.partition(" ")
        for name in ("hint", "undo", "why", "rules", "log", "score", "board", "save", "help", "quit"):
            if normalise(command) in {
                normalise(self.words.texts[f"commands.{name}"][lang]) for lang in LANGUAGES
            }:
                getattr(self, f"_{name}")(seat, rest.strip())
                return
        try:
            if text:
                self._do(self._read(text))
        except UnknownAction:
            self.console.print(self.words.say("play.unknown", text=text))

    def _read(self, text: str) -> list[str]:
        numbers = choice_numbers(self._legal())
        if text.isdecimal() and int(text) in numbers:
            return [numbers[int(text)].text]
        return parse(self.match.game, text, self.words.lang)

    def _do(self, actions: list[str]) -> None:
        """Plays several actions: all or, if one is refused, none (but one that turned something up stays)."""
        start = self.match.ply
        for action in actions:
            try:
                self.match.play(action)
            except IllegalAction:
                self._refuse(action)
                while self.match.ply > start and self.match.undoable_by() is not None:
                    self.match.undo()
                break
        self._autosave()

    def _refuse(self, action: str) -> None:
        rule, reason = self.match.why_not(action, self.words.lang) or ("", "")
        by = f" [{rule}]" if rule else ""
        self.console.print(
            self.words.say("play.not_allowed", action=self._action_text(action), reason=reason, rule=by)
        )

    def _autosave(self) -> None:
        """Writes the match to its file, whole or not at all."""
        try:
            self.kept.parent.mkdir(parents=True, exist_ok=True)
            new = self.kept.with_suffix(".new")
            new.write_text(with_seating(self.match, self.seats), encoding="utf-8")
            new.replace(self.kept)
        except OSError as error:
            self.console.print(
                self.words.say("play.not_saved", path=str(self.kept), reason=str(error.strerror)), style="red"
            )

    # Commands

    def _hint(self, seat: int, rest: str) -> None:
        """What a captain in this seat thinks, from the same view; or an admiral, who takes longer."""
        match, words = self.match, self.words
        if len(match.actions()) == 1:
            self.console.print(words.say("play.only_one", action=self._action_text(match.actions()[0])))
            return
        from comptoir.bots.hints import ADVISERS, advice_text, advise, continued, quick_advice

        adviser = self._adviser(rest, ADVISERS)
        if adviser is None:
            names = ", ".join(words.say(f"levels.{one}") for one in ADVISERS)
            self.console.print(words.say("play.no_adviser", name=rest, names=names))
            return
        ready = work_for(HELPER).is_ready(match.game)
        if not ready and self.helper is None:  # nobody has needed a search so far
            self.helper = BackgroundCompiler(match.game, [HELPER])
        asked, known = (adviser if ready else ""), self.advice
        advice = continued(known[1], match, seat) if known is not None and known[0] == asked else None
        if advice is None:
            think = partial(advise, level=adviser) if ready else quick_advice
            advice = think(match, seat, self.hint_seed)
            self.advice = asked, advice
        numbers = {action.index: number for number, action in choice_numbers(self._legal()).items()}
        table = Table.grid(padding=(0, 2))
        for action in advice.first_actions:
            table.add_row(
                Text(f"{numbers[action]:>4}", "bold #b98a2f"), words.action(match.game.decode(action))
            )
        self.console.print(advice_text(match, seat, advice, words))
        self.console.print(table)

    def _adviser(self, typed: str, advisers: Sequence[str]) -> str | None:
        """Who is asked for a hint: the first of them, or the one that is named in the language or in
        English.
        """
        name = typed.strip().lower() or advisers[0]
        return next((one for one in advisers if name in (one, self.words.say(f"levels.{one}"))), None)

    def _undo(self, seat: int, rest: str) -> None:
        mover = self.match.undoable_by()
        if mover != seat:
            key = "play.undo_nothing" if not self.match.ply else "play.undo_seen"
            self.console.print(self.words.say(key))
            return
        action = self.match.undo()
        self._autosave()
        self.log_read[seat] = min(self.log_read[seat], self.match.ply)
        self.console.print(self.words.say("play.undone", action=self._action_text(action)))
        self._show(seat)

    def _why(self, seat: int, rest: str) -> None:
        try:
            actions = parse(self.match.game, rest, self.words.lang)
        except UnknownAction:
            example = self._action_text(self.match.game.actions[-1])
            self.console.print(self.words.say("play.why_what", action=example))
            return
        for action in dict.fromkeys(actions):
            if self.match.why_not(action) is None:
                self.console.print(self.words.say("play.allowed", action=self._action_text(action)))
            else:
                self._refuse(action)

    def _rules(self, seat: int, rest: str) -> None:
        rules = rulebook.rules_of(self.match.game.name, self.words.lang)
        if rest and rest.upper() not in rules:
            self.console.print(self.words.say("play.no_rule", id=rest.upper()))
        for rule in [rules[rest.upper()]] if rest.upper() in rules else [] if rest else rules.values():
            show(rule, self.console)

    def _log(self, seat: int, rest: str) -> None:
        story, lang = self.match.story, self.words.lang
        print_lines([*story.opening(seat, lang), *story.log(seat, lang)], self.console)

    def _score(self, seat: int, rest: str) -> None:
        """The current one, with what this seat may see of it."""
        print_sheet(self.match.score_sheet_for(seat), self._names(), self.console, self.words)

    def _board(self, seat: int, rest: str) -> None:
        self._show(seat)

    def _save(self, seat: int, rest: str) -> None:
        if not rest:
            self.console.print(self.words.say("play.save_what"))
            return
        try:
            Path(rest).write_text(with_seating(self.match, self.seats), encoding="utf-8")
            self.console.print(self.words.say("play.saved", path=rest))
        except OSError as error:
            self.console.print(self.words.say("play.not_saved", path=rest, reason=str(error.strerror)))

    def _help(self, seat: int, rest: str) -> None:
        example = self.words.say("game.example")
        self.console.print(self.words.say("play.help", example=example).strip("\n"))

    def _quit(self, seat: int, rest: str) -> None:
        raise Quit


def choice_numbers(actions: Sequence[Action]) -> dict[int, Action]:
    """The number of each choice.

    Where amounts are chosen, an amount's number is the amount, and 0 is the other choice.
    """
    amounts = {amount: action for action in actions if (amount := _amount(action)) is not None}
    others = [action for action in actions if _amount(action) is None]
    if len(others) <= 1:
        return dict(enumerate(others)) | amounts
    return dict(enumerate(actions, 1))


def _amount(action: Action) -> int | None:
    """The number that an action ends with."""
    last = action.operands[-1] if action.operands else None
    return last if isinstance(last, int) else None
