"""What the first page of each game would wait for, half a second in all: words, templates, boards."""

from __future__ import annotations

from comptoir.engine import registry
from comptoir.engine.game import get_game
from comptoir.engine.words import LANGUAGES
from comptoir.web.page_words import log_words, page_words
from comptoir.web.view.templating import templates


def preload() -> None:
    """Reads all of it; whoever needs some of it in the meantime reads that."""
    for name in registry.names():
        _ = get_game(name).board, get_game(name).story
        for lang in LANGUAGES:
            _ = page_words(name, lang), log_words(name, lang)
    for name in templates.list_templates(extensions=["html"]):
        templates.get_template(name)
