"""The words of the pages, apart from those of the games: French and English side by side, as everywhere in
Comptoir.
"""

from __future__ import annotations

from functools import cache

from comptoir.engine.words import LANGUAGES, Words, words_of

ROOMS = ("bots", "review", "web")  # whose words pages say


@cache
def page_words(game: str | None, lang: str) -> Words:
    return words_of(game, lang, packages=ROOMS, typeset=True)


@cache
def log_words(game: str, lang: str) -> Words:
    """The words of a log whose lines say which rule they show."""
    return words_of(game, lang, rules=True, packages=ROOMS, typeset=True)


def accepted(header: str) -> str:
    """The supported language that a browser prefers, by its Accept-Language; French if it says nothing of
    either.
    """
    wishes = []
    for part in header.split(","):
        tag, _, quality = part.partition(";q=")
        lang = tag.strip().lower().split("-")[0]
        if lang in LANGUAGES:
            wishes.append((-_number(quality), lang))
    return min(wishes, default=(0.0, "fr"), key=lambda wish: wish[0])[1]


def _number(quality: str) -> float:
    try:
        return float(quality) if quality else 1.0
    except ValueError:
        return 0.0
