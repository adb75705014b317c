"""Golden matches: recorded matches whose every position must stay the same, byte for byte, in both modes.

A golden file is a match file. Comments at its top say what it shows, naming rules; lines that start with `#=`
say what must come out. To make one: save a match (by hand, or `find` below), say at its top what it shows,
then bless it:

    python -m tests.golden bless tests/golden/batavia/all-pass.match
"""

from __future__ import annotations

import hashlib
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import comptoir
from comptoir.engine.match import Match
from comptoir.engine.matchfile import parse

FOLDER = Path(__file__).with_name("golden")


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


def find(shows: Callable[[Match], bool], name: str, tries: int = 10_000, **options: Any) -> Match:
    """A random match that shows something.

    `shows` is asked after every action, so it may look at the last ones.
    """
    for seed in range(tries):
        match, chance = comptoir.new(name, seed=seed, **options), random.Random(seed)
        found = False
        while not match.over:
            match.play(chance.choice(match.actions()))
            found = found or shows(match)
        if found:
            return match
    raise LookupError(f"none of {tries} random matches shows it")


def record(match: Match, file: str, shows: str) -> None:
    """Saves a match as a golden file of its game."""
    path = FOLDER / match.game.name / f"{file}.match"
    path.parent.mkdir(parents=True, exist_ok=True)
    title, _, rest = match.text().partition("\n")
    path.write_text(f"{title}\n# {shows}\n{rest}", encoding="utf-8")
    bless(path)


if __name__ == "__main__":
    for argument in sys.argv[2:]:
        bless(Path(argument))
