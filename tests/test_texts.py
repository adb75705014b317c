"""The texts that players read: set as each language is set, and one term for each thing.

docs/vocabulary.md has the terms; CONTRAST lists the words that they have replaced, which must not come back.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from comptoir.engine import registry
from comptoir.engine.words import LANGUAGES, typeset
from comptoir.web.http.rules_page import rules_page

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "comptoir"
FILES = sorted([*SOURCE.rglob("words.toml"), *SOURCE.rglob("lesson.toml")])
NAMES = [path.relative_to(SOURCE).as_posix() for path in FILES]

# what a typesetter would mark, in a text as a page shows it
SET_WRONG = {
    "fr": {
        r"[^\s\u202f][;!?»](?![\w/])": "a narrow no-break space before ; ! ? »",
        r"(?<![\s\u202f\d(\[{]):(?=\s|$)": "a narrow no-break space before a colon",
        r"«(?!\u202f)": "a narrow no-break space after «",
        r"[ \u00a0][;:!?»](?![-\w])": "not an ordinary space before high punctuation",
        r"\w'\w": "a curved apostrophe",
        r"\d %": "a narrow no-break space before %",
        r"\d(?:ème|ième)s?\b": "2ᵉ",
        r"(?<!\{)\bA (?:la|l’|qui)\b": "À keeps its accent",
    },
    "en": {
        r"\w ['’]\w{3,}['’]": "double quotation marks",
        r"[ \u00a0\u202f][;:!?](?![-\w])": "no space before punctuation",
        r"[«»]": "“ ”",
    },
}
EVERYWHERE = {
    r"\.\.\.": "the one sign …",
    r"(?<=\w) - (?=\w)": "a dash –",
    r"\A[^\n]*\S  +\S[^\n]*\Z": "one space, but in a table for the terminal",
    r"\s[,.](?=\s|$)": "no space before a comma or full stop",
}

# the words that the glossary has replaced, for players and in general
CONTRAST = {
    "fr": {
        r"part de (?:la )?victoire|% (?:de la|des) victoires?": "chances de victoire",
        r"ouvr(?:ir|ez|e) une table": "créer une table",
        r"\bindices?\b": "conseil",
        r"\bapport(?:er|ez) (?:un|le|ce) fichier": "envoyer, ouvrir, choisir",
        r"\bvogu(?:er|ez|ent) (?:vers|jusqu)": "naviguer",
        r"constructeur naval": "constructeur de navires",
        r"(?:premier|dernier) décompte": "décompte intermédiaire, décompte final",
        r"[Cc]ontinuer d['’]ici": "reprendre à partir d'ici",
        r"fichier de composants": "fichier de matériel",
        r"[Ss]eulement qui\b": "seulement les personnes qui",
        r"M['’]effacer": "effacer mes données",
        r"\bchaises?\b": "place",
        r"Commerçantise|cartes? Commerçant\b": "carte Marchandise, carte Marchand",
        r"toutes cartes ouvertes": "en voyant toutes les cartes",
        r"message clair": "nothing of how the program answers",
    },
    "en": {
        r"\bstand-ins?\b": "placeholder, provisional",
        r"share of the win\b": "chance of winning",
        r"\bmoves first\b": "plays first",
        r"with a clear message": "nothing of how the program answers",
        r"\bcargo hold\b": "hold",
    },
}
# how each game counts rounds in French; another game's word is a slip
ROUNDS = {"batavia": r"\bmanches?\b", "century": r"\brondes?\b", "sail_to_india": r"\bmanches?\b"}
FIELD = re.compile(r"\{(\w+)(?::[^{}]*)?\}")


def entries(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    def within(part: Any, key: str) -> Iterator[tuple[str, dict[str, str]]]:
        if isinstance(part, dict) and isinstance(part.get("fr"), str):
            yield key, part
        elif isinstance(part, dict):
            for name, inner in part.items():
                yield from within(inner, f"{key}.{name}" if key else name)
        elif isinstance(part, list):
            for n, inner in enumerate(part):
                yield from within(inner, f"{key}[{n}]")

    yield from within(tomllib.loads(path.read_text(encoding="utf-8")), "")


def shown(text: str, lang: str) -> str:
    """A text as a page shows it, with a word where a value comes."""
    return typeset(FIELD.sub("x", text), lang)


def rules_text(name: str, lang: str) -> str:
    article = re.sub(
        r"<(?:code|figure).*?</(?:code|figure)>", "", rules_page(name, lang).article, flags=re.DOTALL
    )
    return unescape(re.sub(r"<[^>]+>", "", article))


def texts(name: str, lang: str) -> Iterator[tuple[str, str]]:
    """The texts of a file, or the rules of a game, as players read them."""
    if name in registry.names():
        yield from ((f"line {n}", line) for n, line in enumerate(rules_text(name, lang).splitlines(), 1))
    else:
        yield from ((key, shown(entry[lang], lang)) for key, entry in entries(SOURCE / name))


def found(name: str, lang: str, patterns: dict[str, str]) -> list[str]:
    return [
        f"{key}: {text[max(0, hit.start() - 30) : hit.end() + 30]!r}: {better}"
        for key, text in texts(name, lang)
        for pattern, better in patterns.items()
        if (hit := re.search(pattern, text))
    ]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", [*NAMES, *registry.names()])
def test_texts_are_set_as_their_language_is(name: str, lang: str) -> None:
    assert found(name, lang, EVERYWHERE | SET_WRONG[lang]) == []


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", [*NAMES, *registry.names()])
def test_no_word_comes_back_that_the_glossary_has_replaced(name: str, lang: str) -> None:
    assert found(name, lang, CONTRAST[lang]) == []


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", NAMES)
def test_quotation_marks_come_in_pairs(name: str, lang: str) -> None:
    pairs = [("«", "»"), ("“", "”")] if lang == "fr" else [("“", "”")]
    wrong = [
        (key, text)
        for key, text in texts(name, lang)
        for opening, closing in pairs
        if text.count(opening) != text.count(closing)
    ]
    assert wrong == []


@pytest.mark.parametrize("name", ROUNDS)
def test_a_game_has_one_word_for_its_rounds(name: str) -> None:
    """Its own word is in its texts, that of other games is not."""
    lines = [text for file in (f"games/{name}/words.toml", name) for _, text in texts(file, "fr")]
    others = {word for word in ROUNDS.values() if word != ROUNDS[name]}
    assert any(re.search(ROUNDS[name], line) for line in lines)
    assert [line for line in lines for word in others if re.search(word, line)] == []


def test_the_terms_of_the_vocabulary_are_used() -> None:
    """Each French term in the vocabulary's table of games and matches is in some text that players read."""
    page = (ROOT / "docs" / "vocabulary.md").read_text(encoding="utf-8")
    table = page[page.index("## Games and matches") :]
    rows = [line.split("|") for line in table[: table.index("\n## ")].splitlines() if line.startswith("| ")]
    said = " ".join(text.lower() for name in [*NAMES, *registry.names()] for _, text in texts(name, "fr"))
    terms = [
        term
        for row in rows[1:]
        if not row[5].strip().startswith("–")
        for term in re.split(r"[,;]", re.sub(r"\(.*?\)|`.*?`", "", row[5]))
        if term.strip()
    ]
    assert len(terms) > 20
    assert [term for term in terms if typeset(term.strip().lower(), "fr") not in said] == []


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", registry.names())
def test_rules_for_players_hold_no_commands(name: str, lang: str) -> None:
    """What is typed in a terminal is in the terminal's text only."""
    article = rules_page(name, lang).article
    assert "<code>" not in article
    assert re.search(r"\(\s*[,)]|\s[,.;](?:\s|$)", rules_text(name, "en")) is None
