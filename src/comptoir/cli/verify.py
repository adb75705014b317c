"""comptoir verify: whether a recorded match was played by the rules, with the dice that were promised at its
start.

A server shows a hash of the seed before the first action and the seed after the last; its match files carry
the hash:

    seed_hash  86c5…
"""

from __future__ import annotations

import argparse
import re

import comptoir
from comptoir.cli.arguments import add_json
from comptoir.console import Terminal, json_line
from comptoir.engine.match import Match, seed_hash
from comptoir.engine.words import Words
from comptoir.errors import MatchFileError, OptionError


def arguments(parser: argparse.ArgumentParser, words: Words, game_named: str | None) -> None:
    parser.add_argument("file", metavar="FILE", help=words.say("cli.file"))
    parser.add_argument("--hash", metavar="HEX", help=words.say("cli.hash"))
    add_json(parser, words)


def run(options: argparse.Namespace, words: Words) -> int:
    """Plays a match again and compares its seed with the hash that was shown.

    0: all is well, 1: something is not.
    """
    if options.hash is not None and not re.fullmatch(r"[0-9a-fA-F]{64}", options.hash):
        raise OptionError(words.say("verify.not_a_hash", found=options.hash))
    try:
        match = comptoir.load(options.file)
    except MatchFileError as error:
        if not error.line:
            raise  # there is no file to judge
        _print(options, {"ok": False, "error": str(error)}, [words.say("verify.illegal", reason=str(error))])
        return 1
    shown = _claimed_hashes(match, options.hash)
    broken = [hash for hash in shown if hash != seed_hash(match.seed)]
    _print(options, _to_dict(match, shown, broken), _sentences(match, shown, broken, words))
    return 1 if broken else 0


def _claimed_hashes(match: Match, given: str | None) -> list[str]:
    """The hashes that were shown, as the file and the asker say."""
    hashes = [*match.notes.get("seed_hash", "").split(), *([given] if given else [])]
    return list(dict.fromkeys(hash.lower() for hash in hashes))


def _to_dict(match: Match, shown: list[str], broken: list[str]) -> dict[str, object]:
    return {
        "ok": not broken,
        "game": match.game.name,
        "actions": match.ply,
        "over": match.over,
        "seed": match.seed,
        "hash": seed_hash(match.seed),
        "shown": shown,
    }


def _sentences(match: Match, shown: list[str], broken: list[str], words: Words) -> list[str]:
    told = [
        words.say("verify.legal", n=match.ply, state=words.say("verify.over" if match.over else "verify.on")),
        words.say("verify.seed", seed=match.seed, hash=seed_hash(match.seed)),
    ]
    if broken:
        return told + [words.say("verify.broken", hash=hash) for hash in broken]
    return [*told, words.say("verify.kept" if shown else "verify.unknown")]


def _print(options: argparse.Namespace, plain: dict[str, object], sentences: list[str]) -> None:
    if options.json:
        print(json_line(plain))
        return
    console = Terminal(highlight=False, markup=False, soft_wrap=True)
    for sentence in sentences:
        console.print(sentence)
