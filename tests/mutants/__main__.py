"""Mutation testing: `python -m tests.mutants` changes the rules, and what guards secrets, in small ways, and
lists the changes that no test notices.

Names choose among them: a target (`batavia`, `engine`), a file, or a function (`batavia::may_lay`).
`--tests` runs the given tests instead of the target's: a few seconds for a module and the tests that you write for it.
Outcomes stay in `.mutants/`: an interrupted run continues, and survivors are tried again when tests that reach
them have changed. What runs on import (constants, fields, class bodies) is not mutated.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from tests.mutants.equivalent import Equivalents
from tests.mutants.operators import Mutant
from tests.mutants.runner import SURVIVED, UNREACHED, UNTRIED, Session, session
from tests.mutants.targets import ROOT, TARGETS, Target

CACHE = ROOT / ".mutants"
EQUIVALENT = "equivalent"
LEFT = (SURVIVED, UNREACHED, UNTRIED)


@dataclass
class Outcome:
    mutant: Mutant
    outcome: str
    killer: str
    seconds: float


class Outcomes:
    """What came of each mutant, one line each, added to a file at once."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: dict[str, dict[str, Any]] = {}
        if path.exists():
            for line in path.read_text().splitlines():
                entry = json.loads(line)
                self._known[entry["key"]] = entry

    def get(self, mutant: Mutant, source: str, tests: str, most: float) -> dict[str, Any] | None:
        """What came of it when the function, and for a survivor the tests and their time, were as now."""
        entry = self._known.get(key_of(mutant))
        if entry is None or entry["source"] != source:
            return None
        still = entry["tests"] == tests and entry.get("most", 0.0) >= most
        return entry if entry["outcome"] not in LEFT or still else None

    def add(self, one: Outcome, source: str, tests: str, most: float) -> None:
        key = key_of(one.mutant)
        entry = {
            "key": key,
            "outcome": one.outcome,
            "killer": one.killer,
            "seconds": round(one.seconds, 3),
            "source": source,
            "tests": tests,
            "most": most,
        }
        self._known[key] = entry
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a") as file:
            file.write(json.dumps(entry) + "\n")


def key_of(mutant: Mutant) -> str:
    return json.dumps(mutant.key)


def chosen(mutants: list[Mutant], target: Target, names: list[str]) -> list[Mutant]:
    """The mutants that the names choose; all without names."""

    def fits(mutant: Mutant, name: str) -> bool:
        where, _, function = name.partition("::")
        return (not where or where == target.name or where in mutant.file) and (
            not function or mutant.function == function or mutant.function.startswith(f"{function}.")
        )

    return [mutant for mutant in mutants if not names or any(fits(mutant, name) for name in names)]


def try_target(target: Target, options: argparse.Namespace) -> list[Outcome]:
    """Every chosen mutant of a target with what came of it."""
    found: list[Outcome] = []
    cache = CACHE
    if options.tests:
        target, cache = replace(target, tests=tuple(options.tests)), CACHE / "chosen-tests"
    known = Outcomes(cache / f"outcomes-{target.name}.jsonl")
    equivalents = Equivalents()

    def attempt(run: Session) -> None:
        mutants = chosen(
            [m for source in run.sources.values() for m in source.mutants()], target, options.names
        )
        if options.sample and len(mutants) > options.sample:
            picked = set(random.Random(options.seed).sample(range(len(mutants)), options.sample))
            mutants = [mutant for n, mutant in enumerate(mutants) if n in picked]
        left = []
        for mutant in mutants:
            source, tests = run.sources[mutant.file].stamp(mutant.function), run.tests_stamp(mutant)
            before = None if options.again else known.get(mutant, source, tests, options.most)
            if equivalents.reason(mutant):
                found.append(Outcome(mutant, EQUIVALENT, "", 0.0))
            elif before:
                found.append(Outcome(mutant, before["outcome"], before["killer"], before["seconds"]))
            else:
                left.append(mutant)
        print(
            f"{target.name}: {len(mutants)} mutants, {len(left)} to try with {len(run.reach)} tests"
            f" ({len(run.dropped)} take too long)",
            file=sys.stderr,
            flush=True,
        )
        began = time.monotonic()

        def done(mutant: Mutant, outcome: str, killer: str, seconds: float) -> None:
            one = Outcome(mutant, outcome, killer, seconds)
            found.append(one)
            known.add(
                one, run.sources[mutant.file].stamp(mutant.function), run.tests_stamp(mutant), options.most
            )
            tried = len(found) - (len(mutants) - len(left))
            if tried % 100 == 0 or tried == len(left):
                survivors = sum(one.outcome in LEFT for one in found)
                print(
                    f"{target.name}: {tried} of {len(left)} tried, {survivors} left,"
                    f" {run.seconds:.0f} processor seconds, {time.monotonic() - began:.0f} s",
                    file=sys.stderr,
                    flush=True,
                )

        run.run(left, options.jobs, options.most, done, began + options.minutes * 60)

    session(target, cache, attempt)
    return found


def report(found: list[Outcome]) -> None:
    """The survivors and a table, by file."""
    for one in sorted(found, key=lambda one: (one.mutant.file, one.mutant.line)):
        if one.outcome in LEFT:
            mutant = one.mutant
            print(f"\n{mutant.file}:{mutant.line} {mutant.function}  ({one.outcome})")
            print(f"  - {mutant.original}\n  + {mutant.mutated}" + (f"  ({mutant.nth})" * (mutant.nth > 1)))
    print(f"\n{'file':52}{'mutants':>9}{'killed':>9}{'equivalent':>12}{'left':>7}{'seconds':>9}")
    for file in sorted({one.mutant.file for one in found}):
        here = [one for one in found if one.mutant.file == file]
        count = Counter(one.outcome for one in here)
        left = sum(count[outcome] for outcome in LEFT)
        killed = len(here) - left - count[EQUIVALENT]
        seconds = sum(one.seconds for one in here)
        print(f"{file:52}{len(here):9}{killed:9}{count[EQUIVALENT]:12}{left:7}{seconds:9.0f}")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("names", nargs="*", help="a target, a file, or TARGET::FUNCTION (default: all)")
    parser.add_argument("--tests", nargs="+", metavar="PATH", help="run these tests only")
    parser.add_argument("--sample", type=int, metavar="N", help="only N mutants of each target, at random")
    parser.add_argument("--seed", type=int, default=1, help="which sample (default: 1)")
    parser.add_argument("--jobs", type=int, default=1, help="how many processes (default: 1)")
    parser.add_argument(
        "--most", type=float, default=10.0, help="seconds of tests for a mutant (default: 10)"
    )
    parser.add_argument("--minutes", type=float, default=1e6, help="stop after so many minutes; resume later")
    parser.add_argument("--again", action="store_true", help="forget earlier outcomes")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all outcomes to a file")
    options = parser.parse_args()
    found: list[Outcome] = []
    for target in TARGETS:
        places = [name.partition("::")[0] for name in options.names]
        if not places or any(
            place == target.name or (place and any(place in file for file in target.sources()))
            for place in places
        ):
            found += try_target(target, options)
    report(found)
    if options.json:
        rows = [asdict(one.mutant) | {"outcome": one.outcome, "killer": one.killer} for one in found]
        options.json.write_text(json.dumps(rows, indent=1))
    return int(any(one.outcome in LEFT for one in found))


if __name__ == "__main__":
    sys.exit(main())
