"""French and English. Every text that people see is in a words.toml, both languages side by side.

    [log]
    bid = { en = "{name} bids {n}.", fr = "{name} mise {n}." }

`say("log.bid", name="Anne", n=3)`. A count picks a form by `{n:bill|bills}`, by the rule of the language; a
name takes `{name:d'|de }` before it, the first of these where French elides: d'Anne, de Bruno.
"""

from __future__ import annotations

import locale
import os
import re
import tomllib
import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path

from comptoir.engine import registry
from comptoir.engine.actions import Action
from comptoir.errors import DataError, OptionError

LANGUAGES = ("en", "fr")


_ELIDES = re.compile(r"[aeiou]|œ|æ|y[^aeiou]", re.IGNORECASE)  # Yves, not Yusuf; before an h both are said


class _PluralCount(int):
    """A number that picks between two forms."""

    lang = "en"

    def __format__(self, spec: str) -> str:
        if "|" not in spec:
            return super().__format__(spec)
        one, many = spec.split("|")
        return one if self == 1 or (self.lang == "fr" and self == 0) else many


class _FrenchPluralCount(_PluralCount):
    lang = "fr"


class _Name(str):
    """A word or a name, before which a short word may lose its vowel."""

    def __format__(self, spec: str) -> str:
        if "|" not in spec:
            return super().__format__(spec)
        elided, whole = spec.split("|")
        return f"{elided if _ELIDES.match(unicodedata.normalize('NFD', self)) else whole}{self}"


class Words:
    """The texts of one game, and those that all games share, in one language."""

    def __init__(self, lang: str, texts: dict[str, dict[str, str]], *, rules: bool = False) -> None:
        self.lang = lang
        self.texts = texts
        self.rules = rules  # whether a line says which rule it shows: `Anne bids 3. [B13]`
        self._kept = lru_cache(4096, typed=True)(self._say)  # the same few things are said again and again

    def say(self, key: str, **values: object) -> str:
        """The text of a key. Values that are names in words.toml (`denmark`) are said in the language."""
        return self._kept(key, **values)

    def _say(self, key: str, **values: object) -> str:
        entry = self.texts[key]
        if not values and not (self.rules and "rule" in entry):
            return entry[self.lang].format()
        count = _FrenchPluralCount if self.lang == "fr" else _PluralCount
        said = {
            k: count(v) if isinstance(v, int) else _Name(self.name(v)) if isinstance(v, str) else v
            for k, v in values.items()
        }
        text = self.texts[key][self.lang].format(**said)
        return f"{text} [{self.texts[key]['rule']}]" if self.rules and "rule" in self.texts[key] else text

    def name(self, word: str) -> str:
        """The name of a thing of the game; any other word is returned as it is."""
        entry = self.texts.get(f"names.{word}")
        return entry[self.lang] if entry else word

    def join(self, parts: Sequence[str]) -> str:
        """Several things in a row, as a sentence has them: `sails to J, builds an outpost and trades`."""
        return (
            ", ".join(parts[:-1]) + self.texts["sentence.and"][self.lang] + parts[-1]
            if len(parts) > 1
            else "".join(parts)
        )

    def number(self, value: float, digits: int = 0) -> str:
        """A number as the language writes it: 1,234.5 or 1 234,5."""
        text = f"{value:,.{digits}f}"
        return text.translate({ord(","): "\u202f", ord("."): ","}) if self.lang == "fr" else text

    def percent(self, share: float, digits: int = 2) -> str:
        return self.number(100 * share, digits) + ("\u202f%" if self.lang == "fr" else "%")

    def action(self, action: Action) -> str:
        """An action's text in the language: `lay denmark`, `poser danemark`."""
        return " ".join(
            [self.verb(action.kind), *(self.name(str(operand)).lower() for operand in action.operands)]
        )

    def verb(self, kind: str) -> str:
        """What a kind of action is called in the language: `lay`, `poser`."""
        return self.texts[f"actions.{kind}"][self.lang]

    def rule(self, action: Action) -> str:
        """The rule that words.toml names for an action's kind; empty if it names none."""
        return self.texts[f"actions.{action.kind}"].get("rule", "")


@cache
def words_of(
    game: str | None, lang: str, *, rules: bool = False, packages: tuple[str, ...] = (), typeset: bool = False
) -> Words:
    """The words of a game (None: only those that all games share), and those of some rooms of Comptoir, such
    as "bots" or "cli"; for a page, typeset.
    """
    if lang not in LANGUAGES:
        raise OptionError(f"lang: expected {' or '.join(LANGUAGES)}, found {lang!r}")
    files = [Path(__file__).parents[1] / room / "words.toml" for room in ("engine", *packages)]
    if game is not None:
        files.append(registry.folder(game) / "words.toml")
    texts: dict[str, dict[str, str]] = {}
    for file in files:
        texts |= read_words(file, typeset=typeset)
    return Words(lang, texts, rules=rules)


@cache
def read_words(file: Path, *, typeset: bool) -> dict[str, dict[str, str]]:
    """The entries of a file, read once for all games and languages: the largest takes a tenth of a second.

    Raises a DataError if it is not a file of texts.
    """
    try:
        sections = tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DataError(str(file), [f"not valid TOML: {error}"]) from None
    wrong = [
        f"{name}: expected a section [{name}]" for name, part in sections.items() if type(part) is not dict
    ]
    wrong += [
        f'{name}.{key}: expected texts, such as {{ en = "…", fr = "…" }}; found {entry!r}'
        for name, part in sections.items()
        if type(part) is dict
        for key, entry in part.items()
        if type(entry) is not dict or not all(isinstance(text, str) for text in entry.values())
    ]
    if wrong:
        raise DataError(str(file), wrong)
    return {
        f"{section}.{key}": typeset_entry(entry) if typeset else entry
        for section, entries in sections.items()
        for key, entry in entries.items()
    }


def typeset_entry(entry: dict[str, str]) -> dict[str, str]:
    """An entry of a words.toml as pages show it."""
    return entry | {"fr": typeset(entry.get("fr", ""), "fr")}


def typeset(text: str, lang: str) -> str:
    """A text as a page shows it: French has a narrow no-break space before high punctuation and percent
    signs, and inside quotation marks.
    """
    if lang != "fr":
        return text
    return re.sub(r"[ \u00a0](?=[:;!?»])|(?<=\d)[ \u00a0](?=%)|(?<=«)[ \u00a0]", "\u202f", text).replace(
        "'", "’"
    )


def language(given: str | None = None) -> str:
    """The language to speak: the one asked for, else the locale's, else English."""
    if given is not None:
        return words_of(None, given).lang
    for variable in ("LC_ALL", "LC_MESSAGES", "LANGUAGE", "LANG"):
        if os.environ.get(variable):
            return "fr" if os.environ[variable].lower().startswith("fr") else "en"
    return "fr" if (locale.getlocale()[0] or "").lower().startswith("fr") else "en"
