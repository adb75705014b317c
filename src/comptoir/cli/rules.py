"""comptoir rules: the rules as people read them, and the check that each has code and tests."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from rich.console import Console
from rich.markdown import Markdown
from rich.table import Table

from comptoir.cli.arguments import add_game, add_json
from comptoir.engine import registry, rulebook
from comptoir.engine.schema import did_you_mean
from comptoir.engine.words import Words, words_of
from comptoir.errors import OptionError


def arguments(parser: argparse.ArgumentParser, words: Words, game_named: str | None) -> None:
    add_game(parser, words, nargs="?")
    parser.add_argument("id", metavar="ID", nargs="?", help=words.say("cli.id"))
    parser.add_argument("--check", action="store_true", help=words.say("cli.check_rules"))
    parser.add_argument("--quiet", action="store_true", help=words.say("cli.quiet"))
    add_json(parser, words)


def run(options: argparse.Namespace, words: Words) -> int:
    """Prints rules, or checks them."""
    if options.check:
        chosen = [options.game] if options.game else registry.built_in()
        return max([_check(name, options, words) for name in chosen])
    if options.game is None:
        raise OptionError(words.say("rules.no_game", game=registry.names()[0]))
    _print(options, words)
    return 0


def _print(options: argparse.Namespace, words: Words) -> None:
    rules = rulebook.rules_of(options.game, words.lang)
    if options.id is not None:
        rules = {id: rule for id, rule in rules.items() if id == options.id.upper()}
        if not rules:
            known = rulebook.rules_of(options.game, words.lang)
            raise OptionError(
                f"{options.game} has no rule {options.id!r}{did_you_mean(options.id.upper(), known)}"
            )
    if options.json:
        print(json.dumps([vars(rule) for rule in rules.values()], ensure_ascii=False, indent=2))
    elif options.id is not None:
        for rule in rules.values():
            show(rule, Console())
    else:
        text = rulebook.text_of(options.game, words.lang) or words.say("defaults.no_rules")
        Console(width=min(100, Console().width)).print(Markdown(text))


def show(rule: rulebook.Rule, console: Console) -> None:
    """One rule, with its number and section."""
    console.print(Markdown(f"**{rule.id}** · *{rule.section}* · {rule.text}"), width=min(100, console.width))


def tests_folder() -> Path | None:
    """The tests of this source tree; none where only the package is installed."""
    folder = Path(__file__).parents[3] / "tests"
    return folder if (folder / "conftest.py").exists() else None


def _check(name: str, options: argparse.Namespace, words: Words) -> int:
    tests = tests_folder()
    if tests is None:
        raise OptionError(words.say("rules.no_tests"))
    shown = rulebook.check(name, tests)
    missing = rulebook.gaps(name, shown)
    if options.json:
        print(
            json.dumps(
                {"game": name, "gaps": missing, "rules": {id: vars(where) for id, where in shown.items()}},
                indent=2,
            )
        )
        return bool(missing)
    if not options.quiet:
        Console().print(_table(name, shown, words))
    if missing:
        print(words.say("rules.gaps", game=name, n=len(missing)), file=sys.stderr)
        for gap in missing:
            print(f"  {gap}", file=sys.stderr)
    else:
        print(words.say("rules.complete", game=name, n=len(shown)))
    return bool(missing)


def _table(name: str, shown: dict[str, rulebook.RuleCoverage], words: Words) -> Table:
    title = words.say("rules.title", title=words_of(name, words.lang).say("game.title"), n=len(shown))
    table = Table(title=title, title_justify="left", box=None, header_style="dim", padding=(0, 1))
    table.add_column(words.say("rules.rule"), style="bold")
    table.add_column(words.say("rules.code"), no_wrap=True, max_width=36)
    table.add_column(words.say("rules.tests"), no_wrap=True)
    for id, where in shown.items():
        code = ", ".join(dict.fromkeys(place.split(" ")[1] for place in where.code))
        tests = [place.split(" ")[1].removeprefix("test_").replace("_", " ") for place in where.tests]
        table.add_row(id, code or "–", f"{len(tests):>2}  {tests[0]}" if tests else "[red]–[/red]")
    return table
