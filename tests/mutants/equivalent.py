"""The mutants that do what the original does, each with the reason, from `equivalent.toml`."""

from __future__ import annotations

import tomllib
from pathlib import Path

from tests.mutants.operators import Mutant

PATH = Path(__file__).with_name("equivalent.toml")


class Equivalents:
    """Looked up by file, function, the lines before and after, and which of several (all, if not said)."""

    def __init__(self) -> None:
        self._reasons: dict[tuple[str, str, str, str, int], str] = {}
        data = tomllib.loads(PATH.read_text(encoding="utf-8")) if PATH.exists() else {}
        for group in data.get("group", []):
            for original, mutated, *nth in group["mutants"]:
                for function in group["functions"]:
                    key = group["file"], function, original, mutated, nth[0] if nth else 0
                    self._reasons[key] = group["reason"]

    def reason(self, mutant: Mutant) -> str | None:
        *key, nth = mutant.key
        for number in (nth, 0):
            found = self._reasons.get((*key, number))  # type: ignore[arg-type]
            if found:
                return found
        return None

    def files(self) -> list[str]:
        return sorted({file for file, *_ in self._reasons})

    def reasons(self) -> set[str]:
        return set(self._reasons.values())

    def stale(self, mutants: list[Mutant]) -> list[str]:
        """The entries that fit no mutant."""
        known = {mutant.key for mutant in mutants} | {(*mutant.key[:4], 0) for mutant in mutants}
        return [f"{key[0]} {key[1]}: {key[2]} → {key[3]}" for key in self._reasons if key not in known]
