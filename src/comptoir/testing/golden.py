"""Golden matches: recorded matches whose every position must stay the same, byte for byte, in both modes.

A golden file is a match file. Comments at its top say what it shows, naming rules; lines that start with `#=`
say what must come out. To make one: save a match (by hand, or with `find` and `record`), say at its top what
it shows, then bless it with `comptoir check GAME --golden FOLDER --bless`.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np

from comptoir.engine.match import Match
from comptoir.engine.matchfile import parse
from comptoir.engine.plain import OptionValue
from comptoir.errors import MatchFileError
from comptoir.testing.faults import BrokenPromise

FOLDER = "golden"  # of a game's own folder


def outcome(match: Match) -> list[str]:
    """What must come out of a match, in lines."""
    digest = hashlib.sha256()
    for p in match.records:
        for (
            name
        ) in match.game.position.fields:  # not the record's own bytes: how fields are laid out is no rule
            digest.update(np.ascontiguousarray(p[name]).tobytes())
    lines = [
        f"#= positions {match.ply + 1} {digest.hexdigest()[:16]}",
        f"#= scores {' '.join(map(str, match.scores()))}",
    ]
    if match.over:
        lines += [f"#= winners {' '.join(map(str, match.winners()))}", f"#= ending {match.ending}"]
    return lines


def expected(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("#=")]


def bless(path: Path) -> None:
    """Writes what comes out now as what must come out."""
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#=")]
    text = "\n".join(lines).rstrip("\n") + "\n"
    path.write_text("\n".join([text.rstrip("\n"), *outcome(parse(text))]) + "\n", encoding="utf-8")


def find(shows: Callable[[Match], bool], name: str, tries: int = 10_000, **options: OptionValue) -> Match:
    """A random match that shows something.

    `shows` is asked after every action, so it may look at the last ones.
    """
    for seed in range(tries):
        match, chance = (
            Match(name, seed=seed, names=None, position=None, components=None, **options),
            random.Random(seed),
        )
        found = False
        while not match.over:
            match.play(chance.choice(match.actions()))
            found = found or shows(match)
        if found:
            return match
    raise LookupError(f"none of {tries} random matches shows it")


def record(match: Match, path: Path, shows: str) -> None:
    """Saves a match as a golden file; `shows` says what for."""
    path.parent.mkdir(parents=True, exist_ok=True)
    title, _, rest = match.text().partition("\n")
    path.write_text(f"{title}\n# {shows}\n{rest}", encoding="utf-8")
    bless(path)


def check_golden(game: str, path: Path) -> None:
    """Whether a golden match of a game comes out as its file says. Raises a BrokenPromise."""
    text = path.read_text(encoding="utf-8")
    wanted = expected(text)
    if not wanted:
        raise BrokenPromise(game, "golden", more=f"{path.name}: nothing says what must come out: --bless it")
    try:
        came = outcome(parse(text))
    except MatchFileError as error:
        raise BrokenPromise(game, "golden", more=f"{path.name}: {error}") from error
    if came != wanted:
        ours, theirs = (sorted(set(a) - set(b)) for a, b in ((came, wanted), (wanted, came)))
        more = f"{path.name}: found {', '.join(ours) or 'less'}; expected {', '.join(theirs) or 'less'}"
        raise BrokenPromise(game, "golden", more=more)
