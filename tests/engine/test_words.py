"""French and English, and what people type."""

from __future__ import annotations

import string

import pytest

import comptoir
from comptoir.engine.game import get_game
from comptoir.engine.notation import parse
from comptoir.engine.words import LANGUAGES, Words, language, words_of


@pytest.mark.parametrize(
    ("n", "en", "fr"), [(0, "0 bills", "0 lettre"), (1, "1 bill", "1 lettre"), (2, "2 bills", "2 lettres")]
)
def test_counts_pick_the_form_of_the_language(n: int, en: str, fr: str) -> None:
    assert en in words_of("batavia", "en").say("does.bid", n=n)
    assert fr in words_of("batavia", "fr").say("does.bid", n=n)


@pytest.mark.parametrize(
    ("typed", "lang", "actions"),
    [
        ("bid 7", "en", ["bid 7"]),
        ("BID  7", "fr", ["bid 7"]),
        ("miser 7", "fr", ["bid 7"]),
        ("mi 7", "fr", ["bid 7"]),
        ("lay denmark denmark sweden", "en", ["lay denmark", "lay denmark", "lay sweden"]),
        ("poser suède dan", "fr", ["lay sweden", "lay denmark"]),
        ("poser suede", "fr", ["lay sweden"]),
        ("lay pays-bas", "fr", []),
        ("poser pays-bas", "en", ["lay netherlands"]),
        ("trade in", "en", ["trade in"]),
        ("echanger", "fr", ["trade in"]),
        ("a", "en", []),
        ("lay", "en", []),
        ("bid 76", "en", []),
        ("bid", "en", []),
        ("lay 7", "en", []),
        ("draw denmark", "en", []),
        ("", "en", []),
    ],
)
def test_what_people_type(typed: str, lang: str, actions: list[str]) -> None:
    if actions:
        assert parse(get_game("batavia"), typed, lang) == actions
    else:
        with pytest.raises(comptoir.UnknownAction):
            parse(get_game("batavia"), typed, lang)


def test_the_language_is_asked_for_or_the_locales(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("LC_ALL", "LC_MESSAGES", "LANGUAGE", "LANG"):
        monkeypatch.delenv(variable, raising=False)
    assert language("fr") == "fr"
    assert language() == "en"
    monkeypatch.setenv("LANG", "fr_FR.UTF-8")
    assert language() == "fr"
    monkeypatch.setenv("LC_ALL", "C")
    assert language() == "en"
    with pytest.raises(comptoir.OptionError, match="en or fr"):
        language("de")


@pytest.mark.parametrize("room", ["bots", "arena", "lab", "review", "cli", "web"])
def test_a_rooms_words_are_there_in_both_languages(room: str) -> None:
    """Every text has both, with the same values in it."""

    def values(text: str) -> set[str]:
        return {name for _, name, _, _ in string.Formatter().parse(text) if name}

    texts = words_of(None, "en", packages=(room,)).texts
    assert len(texts) > len(words_of(None, "en").texts)
    for key, entry in texts.items():
        assert set(entry) == set(LANGUAGES), key
        assert values(entry["en"]) == values(entry["fr"]), key


def test_the_engine_has_no_words_of_the_command_line() -> None:
    packages = {key.partition(".")[0] for key in words_of(None, "en").texts}
    of_any_game = {"labels", "options", "defaults", "placeholder", "score", "sentence", "sheet", "sources"}
    assert packages == of_any_game | {"compiling"}


@pytest.mark.parametrize(
    ("name", "said"),
    [("Anne", "d'Anne"), ("Émile", "d'Émile"), ("Yves", "d'Yves"), ("Yusuf", "de Yusuf"), ("Bo", "de Bo")],
)
def test_french_elides_before_a_vowel(name: str, said: str) -> None:
    text = {"en": "{name}'s turn", "fr": "au tour {name:d'|de }"}
    assert Words("fr", {"a.turn": text}).say("a.turn", name=name) == f"au tour {said}"
    assert Words("en", {"a.turn": text}).say("a.turn", name=name) == f"{name}'s turn"
