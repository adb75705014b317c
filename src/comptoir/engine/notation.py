"""What people type, made into actions: in either language, shortened, without accents, several at once."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from comptoir.engine.game import Game
from comptoir.engine.words import LANGUAGES, words_of
from comptoir.errors import UnknownAction


def normalise(text: str) -> str:
    """Lower case, no accents, single spaces."""
    letters = unicodedata.normalize("NFKD", text.casefold())
    return " ".join("".join(c for c in letters if not unicodedata.combining(c)).split())


def parse(game: Game, text: str, lang: str) -> list[str]:
    """The actions that a typed line stands for, in order: `lay denmark denmark` is two.

    They need not be legal.
    """
    typed = normalise(text)
    for language in (lang, *(other for other in LANGUAGES if other != lang)):
        actions = _parse(game, typed, language)
        if actions:
            return actions
    raise UnknownAction(f"{text.strip()!r} is no action of {game.name}")


def _parse(game: Game, typed: str, lang: str) -> list[str]:
    """Reads the line in one language; nothing if it makes no sense there."""
    words = words_of(game.name, lang)
    said = {normalise(words.action(action)): action.text for action in game.action_table}
    if typed in said:
        return [said[typed]]
    verbs = {normalise(words.verb(kind)): kind for kind in game.action_table.kinds}
    verb, operands = _split_verb(typed, verbs)
    if verb is None:
        return []
    if not operands:
        return [verbs[verb]] if verbs[verb] in game.actions else []
    known = {
        text.removeprefix(f"{verb} "): action for text, action in said.items() if text.startswith(f"{verb} ")
    }
    found = _split_operands(operands, list(known))
    return [known[operand] for operand in found or []]


def _split_verb(typed: str, verbs: Iterable[str]) -> tuple[str | None, list[str]]:
    """The verb at the start of a line, whole or shortened to what is still unique, and the words after it."""
    for verb in sorted(verbs, key=len, reverse=True):
        if typed == verb or typed.startswith(f"{verb} "):
            return verb, typed[len(verb) :].split()
    first, *rest = typed.split() or [""]
    return _complete(first, verbs), rest


def _split_operands(typed: list[str], known: list[str]) -> list[str] | None:
    """The known operands that a row of words stands for, each taking as many words as it can; None if they
    make no sense.
    """
    found = []
    while typed:
        count, operand = next(
            ((n, o) for n in range(len(typed), 0, -1) if (o := _complete(" ".join(typed[:n]), known))),
            (0, ""),
        )
        if not operand:
            return None
        found.append(operand)
        typed = typed[count:]
    return found


def _complete(typed: str, known: Iterable[str]) -> str | None:
    """The one known word that starts like this."""
    words = list(known)
    if typed in words:
        return typed
    starts = [word for word in words if typed and not typed.isdecimal() and word.startswith(typed)]
    return starts[0] if len(starts) == 1 else None
