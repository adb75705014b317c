"""The numbered rules as people read them, and the check that each has code that names it and tests that show
it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from comptoir.engine import registry

_BULLET = re.compile(r"- \*\*([A-Z]+\d+)\*\* (.*)")
_NAMED = re.compile(r"([A-Z]+\d+(?:, [A-Z]+\d+)*):")


@dataclass(frozen=True)
class Rule:
    """One numbered rule, or one of the rulebook's examples."""

    id: str
    section: str
    text: str

    @property
    def is_example(self) -> bool:
        return "X" in self.id

    @property
    def is_ruling(self) -> bool:
        """Holds a decision of this project, where the rulebook is silent."""
        return "*Ruling:*" in self.text or "*Décision\u00a0:*" in self.text


@cache
def rules_of(game: str, lang: str) -> dict[str, Rule]:
    """The rules of a game in a language, by id, in the order of the text."""
    rules: dict[str, Rule] = {}
    section, current = "", ""
    for line in text_of(game, lang).splitlines():
        bullet = _BULLET.match(line)
        if line.startswith("## "):
            section, current = line[3:].strip(), ""
        elif bullet:
            current = bullet[1]
            rules[current] = Rule(current, section, bullet[2])
        elif current and line.startswith("  "):
            rules[current] = Rule(current, section, f"{rules[current].text} {line.strip()}")
        else:
            current = ""
    return rules


def text_of(game: str, lang: str) -> str:
    """The rules as they stand in the game's folder; without a text in the language, empty."""
    path = registry.folder(game) / f"rules.{lang}.md"
    return path.read_text(encoding="utf-8") if path.exists() else ""


@dataclass
class RuleCoverage:
    """Where a rule is carried out, and where it is tested."""

    code: list[str] = field(default_factory=list)
    tests: list[str] = field(default_factory=list)


def check(game: str, tests: Path) -> dict[str, RuleCoverage]:
    """For every rule of a game, the functions and the tests that name it in the first line of their
    docstring.
    """
    shown = {id: RuleCoverage() for id in rules_of(game, "en")}
    for id, where in _named(registry.folder(game)):
        if id in shown:
            shown[id].code.append(where)
    for id, where in _named(tests):
        if id in shown and where.split(" ")[1].startswith("test_"):
            shown[id].tests.append(where)
    return shown


def gaps(game: str, shown: dict[str, RuleCoverage]) -> list[str]:
    """What is missing: a rule without code or test, an example without a test, a rule missing in one
    language.
    """
    missing = [
        f"{id} is in only one of the two languages"
        for id in set(rules_of(game, "en")) ^ set(rules_of(game, "fr"))
    ]
    for id, rule in rules_of(game, "en").items():
        if not shown[id].code and not rule.is_example:
            missing.append(f"{id} has no code that names it")
        if not shown[id].tests:
            missing.append(f"{id} has no test that names it")
    return missing


def _named(folder: Path) -> Iterator[tuple[str, str]]:
    """The ids at the start of the docstrings below a folder, with `file function`."""
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                named = _NAMED.match(ast.get_docstring(node) or "")
                for id in named[1].split(", ") if named else ():
                    yield id, f"{path.relative_to(folder)} {node.name}"
