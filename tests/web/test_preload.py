"""What the first page of a game would wait for is read before it is asked for."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from comptoir.engine import registry, words
from comptoir.engine.words import LANGUAGES
from comptoir.web.page_words import log_words, page_words
from comptoir.web.view.preload import preload
from comptoir.web.view.templating import templates


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files of words that are read from now on; nothing was before."""
    found: list[str] = []

    def loads(text: str) -> dict[str, Any]:
        found.append(text)
        return tomllib.loads(text)

    for cached in (page_words, log_words, words.words_of, words.read_words):
        cached.cache_clear()
    assert templates.cache is not None
    templates.cache.clear()
    monkeypatch.setattr(words, "tomllib", type("Toml", (), {"loads": staticmethod(loads)}))
    return found


def test_each_file_of_words_is_read_once(read: list[str]) -> None:
    preload()
    assert len(read) == len(set(read)) == len(registry.names()) + 4
    for lang in LANGUAGES:
        for name in registry.names():
            assert page_words(name, lang).say("game.title")
            assert log_words(name, lang).say("game.title")
    assert len(read) == len(registry.names()) + 4


def test_templates_are_at_hand(read: list[str]) -> None:
    preload()
    assert templates.cache is not None
    assert len(templates.cache) == len(templates.list_templates(extensions=["html"]))
